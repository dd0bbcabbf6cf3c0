"""The counting of the stub: how many rounds were dealt since, as card control demands, and counts that do not make the deck."""

from typing import Final, Literal

import polars as pl

from replay.facts import gap_before
from replay.rounds import inside
from rules.cards import UNREAD
from rules.games import GAMES

kind = pl.col("type")

# The law: no five rounds without a count. The fifth is the one that is told.
LIMIT: Final = 5
COUNTED: Final = {game.name: game for game in GAMES.values() if game.stub_is_counted}


def without_count(facts: pl.LazyFrame, rounds: pl.LazyFrame) -> pl.LazyFrame:
    """The dealt rounds in which nobody counted, with `run` and `place`: the how-manieth it is since a count.

    A count is one of the round it comes in or after; so is whatever a gap in the feed hides, which may have been a count. Rounds
    under a counting shuffler are as good as counted. The first round of a table's opening begins a run of its own.
    """
    gaps = facts.filter(gap_before)
    maybe_counted = pl.concat(
        [
            facts.filter(kind == "stub_counted").select("tid", "seq"),
            gaps.select("tid", seq="after"),
            gaps.filter(kind != "round_started").select("tid", "seq"),
        ]
    )
    counted = _round_at(maybe_counted, rounds, "backward").with_columns(counted=pl.lit(True))
    opened = facts.filter(kind == "table_opened").select("tid", "seq")
    first = _round_at(opened, rounds, "forward").with_columns(first=pl.lit(True))
    exempt = (pl.col("shuffler") == "counting") & ~pl.col("shuffler_gone")
    return (
        rounds.join(counted, on="rid", how="left", maintain_order="left")
        .join(first, on="rid", how="left", maintain_order="left")
        .with_columns(counted=pl.col("counted").fill_null(False) | exempt.fill_null(False))
        .with_columns(run=(pl.col("counted") | pl.col("first").fill_null(False)).cum_sum().over("tid"))
        # A stray event that names a round which has ended is no round that was dealt.
        .filter(~pl.col("counted") & pl.col("first_card_seq").is_not_null() & pl.col("started_seq").is_not_null())
        .with_columns(place=pl.col("rid").cum_count().over("tid", "run"))
    )


def _round_at(seqs: pl.LazyFrame, rounds: pl.LazyFrame, strategy: Literal["backward", "forward"]) -> pl.LazyFrame:
    """The rounds that began last before (or first after) each seq."""
    return (
        seqs.sort("seq")
        .join_asof(
            rounds.select("tid", "rid", "first_seq").sort("first_seq"),
            left_on="seq",
            right_on="first_seq",
            by="tid",
            strategy=strategy,
            check_sortedness=False,
        )
        .select("rid")
        .drop_nulls()
        .unique()
    )


def miscounts(facts: pl.LazyFrame, rounds: pl.LazyFrame) -> pl.LazyFrame:
    """Counts of a stub that, with the cards out of the round they belong to, do not make the deck: `out`, `total`, `size`.

    A count of the whole deck may have been taken after the cards went back. A recount takes the place of the count before it:
    the last one in a round `stands`, the last after its end, and the last before it was declared void; `last` is the last of all.
    """
    # Of a round that was carried over in part, or not seen to its end, nobody can say how many cards are out.
    to_its_end = pl.col("ended_seq").is_not_null() | pl.col("decided_seq").is_null()
    undisturbed = pl.col("gap_seq").is_null() & pl.col("disputed_seq").is_null()
    seen_whole = pl.col("started_seq").is_not_null() & undisturbed & to_its_end
    of_rounds = rounds.select(
        *("rid", "tid", "first_seq", "ended_seq", "decided_seq", "next_seq", "voided", "voided_seq", "game"),
        round_deck="deck",
        known=seen_whole & pl.col("game").cast(pl.String).is_in(list(COUNTED)),
    )
    end, void = (pl.col(name).fill_null(2**62) for name in ("ended_seq", "voided_seq"))
    counts = (
        facts.filter((kind == "stub_counted") & ~pl.col("disputed"))
        .select("tid", "table", "seq", "deck", "cards", "carried", "round")
        .sort("seq")
        .join_asof(of_rounds.sort("first_seq"), left_on="seq", right_on="first_seq", by="tid", check_sortedness=False)
        .filter(pl.col("known") & (pl.col("deck") == pl.col("round_deck")))
        .with_row_index("count")
        .with_columns(
            stands=pl.col("seq") == pl.col("seq").max().over("rid", pl.col("seq") > end, pl.col("seq") > void),
            last=pl.col("seq") == pl.col("seq").max().over("rid"),
        )
        .cache()
    )
    came_out = (
        inside(facts)
        .filter(kind.is_in(["card_dealt", "card_found_face_up"]))
        .select("rid", "seq", "type", "to", "card")
        .join(counts.select("rid"), on="rid", how="semi", maintain_order="left")
        .cache()
    )
    # A card that was found face up and dealt all the same left the deck once.
    turned = came_out.filter((kind == "card_found_face_up") & (pl.col("card") != UNREAD)).select("rid", "card")
    played = (
        came_out.join(turned, on=["rid", "card"], how="semi", maintain_order="left")
        .filter((kind == "card_found_face_up") & (kind.shift(-1).over("rid", "card") == "card_dealt"))
        .select("rid", "seq")
    )
    # One dealt to a board where the game has none is an event that fits nowhere.
    boards = [game.name for game in COUNTED.values() if game.community_cards]
    without_board = counts.filter(~pl.col("game").cast(pl.String).is_in(boards))
    stray = came_out.filter(pl.col("to") == "community").join(without_board, on="rid", how="semi").select("rid", "seq")
    out = (
        counts.select("count", "rid", counted_at="seq")
        .join(came_out.join(pl.concat([played, stray]), on=["rid", "seq"], how="anti"), on="rid", how="inner")
        .filter(pl.col("seq") < pl.col("counted_at"))
        .group_by("count")
        .agg(out=pl.len().cast(pl.Int64))
    )
    size = (
        pl.col("game")
        .cast(pl.String)
        .replace_strict({game.name: game.deck_size for game in COUNTED.values()}, return_dtype=pl.Int64, default=None)
    )
    return (
        counts.join(out, on="count", how="left", maintain_order="left")
        .with_columns(pl.col("out").fill_null(0), pl.col("cards").cast(pl.Int64), size=size)
        .with_columns(total=pl.col("cards") + pl.col("out"))
        .filter((pl.col("total") != pl.col("size")) & (pl.col("cards") != pl.col("size")))
        .drop("count", "known", "round_deck")
    )
