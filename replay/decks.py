"""What was last said of the deck that a round is dealt from: when it came, left, was shuffled, cut and dealt from before."""

from typing import Final

import polars as pl

from replay.facts import gap_before
from replay.rounds import Openings
from rules.games import GAMES

kind = pl.col("type")
NEVER: Final = -1


def decks(rounds: pl.LazyFrame, facts: pl.LazyFrame) -> pl.LazyFrame:
    """The rounds that were dealt from a deck somebody named, each beside the last word on its deck.

    `before`: the round before it from the same deck; `received`, `removed`, `shuffled`, `cut`: their last seqs before the first
    card, -1 where there was none; `gap`: the last event behind a gap, or in dispute.
    """
    found = rounds.filter(
        pl.col("started_seq").is_not_null() & pl.col("first_card_seq").is_not_null() & pl.col("deck").is_not_null()
    ).select(
        *("rid", "tid", "table", "round", "opening", "game", "dealing", "decks", "deck", "voided", "started_seq"),
        *("first_card_seq", "first_at", "reason"),
    )

    def last(found: pl.LazyFrame, types: str, seq: str, by: list[str], **also: str) -> pl.LazyFrame:
        """Beside each round the last fact of this type before the round's `seq`."""
        of_type = facts.filter((kind == types) & ~pl.col("disputed")).select(
            *by, _seq="seq", **{types: pl.col("seq")}, **{name: pl.col(column) for name, column in also.items()}
        )
        return (
            found.with_columns(_at=pl.col(seq) - 1)
            .sort("_at")
            .join_asof(of_type.sort("_seq"), left_on="_at", right_on="_seq", by=by, check_sortedness=False)
            .drop("_at", "_seq")
            .with_columns(pl.col(types).fill_null(NEVER))
        )

    by_deck = ["tid", "deck"]
    found = last(found, "round_started", "started_seq", by_deck, started_at="at").rename({"round_started": "before"})
    found = last(found, "deck_received", "started_seq", by_deck, received_at="at")
    found = last(found, "deck_removed", "started_seq", by_deck)
    found = last(found, "deck_shuffled", "first_card_seq", by_deck, method="method", counted="counted")
    found = last(found, "deck_cut", "first_card_seq", by_deck, cut_cards="cards")
    # A seq with two contents may have been anything.
    gaps = facts.filter(gap_before | pl.col("disputed")).select("tid", "seq", gap="seq").sort("seq")
    return (
        found.sort("first_card_seq")
        .join_asof(gaps, left_on="first_card_seq", right_on="seq", by="tid", check_sortedness=False)
        .with_columns(pl.col("gap").fill_null(NEVER))
        .drop("seq")
        .sort("rid")
    )


def of_one_colour(facts: pl.LazyFrame, opened: Openings) -> pl.LazyFrame:
    """The first deck of each opening that came to a table whose other deck has the same back: that `other`, when it `came`."""
    with_two = [game.name for game in GAMES.values() if game.procedure.second_deck]
    two = opened.frame.lazy().filter(pl.col("game").cast(pl.String).is_in(with_two) & (pl.col("decks") == 2))
    received = (
        facts.filter(kind == "deck_received")
        .drop("game")
        .join(two.select("opening", "game"), on="opening", how="inner", maintain_order="left")
        .select("row", "tid", "table", "round", "deck", "back", "seq", "opening", "game", "carried", "dealer_now")
        .cache()
    )
    removed = facts.filter(kind == "deck_removed").select("tid", other="deck", gone="seq")
    pairs = received.join(
        received.select("tid", "back", other="deck", came="seq", came_row="row"), on=["tid", "back"], how="inner"
    ).filter((pl.col("deck") != pl.col("other")) & (pl.col("came") < pl.col("seq")))
    left = (
        pairs.join(removed, on=["tid", "other"], how="inner")
        .filter((pl.col("gone") > pl.col("came")) & (pl.col("gone") < pl.col("seq")))
        .select("tid", "seq", "other")
    )
    return (
        pairs.join(left, on=["tid", "seq", "other"], how="anti")
        .sort("tid", "seq", "came")
        .unique(["tid", "opening"], keep="first", maintain_order=True)
    )
