"""DECK and PROC across rounds: decks that take turns, are changed in time, shuffled, cut, and gone after a wrong count."""

from typing import Final

import polars as pl

from detectors.betting import clause_of
from detectors.evidence import Evidence
from detectors.finding import Tellings, tell
from replay.counts import COUNTED
from replay.decks import NEVER, of_one_colour
from replay.facts import gap_before
from rules.game import Irregularity
from rules.games import GAMES

kind = pl.col("type")
LEAST_CUT: Final = 10


def decks_not_alternated(evidence: Evidence) -> Tellings:
    """Flags a round dealt from the same deck as the one before it at a table with two, and two decks of one colour.

    Why: with two decks one is shuffled while the other is in play; the colours tell them apart, and the turns keep each honest.

    Blind to: the first round after a deck was changed, a device failed or a round was void.
    """
    clauses = {game.name: game.procedure.second_deck for game in GAMES.values() if game.procedure.second_deck}
    two = pl.col("game").cast(pl.String).is_in(list(clauses)) & (pl.col("decks") == 2)
    if evidence.openings.frame.filter(two).is_empty():
        return ()
    turns = (
        evidence.all_rounds.filter(pl.col("started_seq").is_not_null())
        .sort("tid", "first_seq")
        .with_columns(
            pl.col("deck", "started_seq", "voided", "opening").shift().over("tid").name.suffix("_before"),
        )
        .filter(
            two
            & (pl.col("deck") == pl.col("deck_before"))
            & (pl.col("opening") == pl.col("opening_before"))
            & ~pl.col("voided_before")
        )
        .join(evidence.rounds.select("rid"), on="rid", how="semi", maintain_order="left")
    )
    excuses = (
        evidence.facts.filter(
            kind.is_in(["deck_removed", "deck_received", "device_failed", "device_removed"])
            | gap_before
            | pl.col("disputed")
        )
        .select("tid", "seq", excuse="seq")
        .sort("seq")
    )
    again = (
        turns.sort("started_seq")
        .join_asof(excuses, left_on="started_seq", right_on="seq", by="tid", check_sortedness=False)
        .filter(pl.col("excuse").fill_null(NEVER) < pl.col("started_seq_before"))
    )
    clause = clause_of(pl.col("game"), {name: each for name, each in clauses.items() if each})
    return tell(
        again,
        "rid",
        seqs=pl.concat_list("started_seq_before", "started_seq"),
        clause=clause,
        message=pl.format("Deck {} was used for two rounds in a row at a table with two decks.", "deck"),
    ) + _one_colour(evidence, clause)


def _one_colour(evidence: Evidence, clause: pl.Expr) -> Tellings:
    """Told when the deck comes, once a table opening."""
    return tell(
        of_one_colour(evidence.facts, evidence.openings).filter(~pl.col("carried")),
        "table",
        "round",
        dealer="dealer_now",
        seqs=pl.concat_list("came", "seq"),
        clause=clause,
        message=pl.format("Decks {} and {} have backs of one colour, {}.", "other", "deck", "back"),
    )


def cards_past_their_hours(evidence: Evidence) -> Tellings:
    """Flags the first round dealt from a deck that has been at the table for longer than cards may be.

    Why: worn cards can be told apart by their backs, and marked cards have had time to be marked.

    Blind to: a deck that nobody was seen to bring.
    """
    life = pl.LazyFrame(
        [
            (game.name, method, each.hours, each.clause)
            for game in GAMES.values()
            for method, each in game.card_life.items()
        ],
        schema={"game": pl.String, "dealing": pl.String, "hours": pl.Int64, "clause": pl.String},
        orient="row",
    )
    ends = pl.col("received_at") + pl.duration(hours=pl.col("hours"))
    earlier = (pl.col("before") > pl.col("deck_received")) & (pl.col("started_at") > ends)
    rows = (
        evidence.decks.with_columns(pl.col("game", "dealing").cast(pl.String))
        .join(life, on=["game", "dealing"], how="inner", maintain_order="left")
        .filter(
            (pl.col("deck_received") > pl.col("deck_removed")) & (pl.col("first_at") > ends) & ~earlier.fill_null(False)
        )
    )
    return tell(
        rows,
        "rid",
        "clause",
        seqs=pl.concat_list("deck_received", "started_seq"),
        message=pl.format("Deck {} has been at the table for more than {} hours.", "deck", "hours"),
    )


def bad_deck_kept(evidence: Evidence) -> Tellings:
    """Flags a deck that was dealt from again after its stub, or the counting shuffler, showed a wrong number.

    Why: a deck that does not count to what it should has a card too many or too few. It is removed, whatever became of the round.

    Blind to: a count that a gap or a disputed event leaves in doubt.
    """
    dealt = evidence.decks
    bad = evidence.miscounts.filter("last").select("tid", "deck", bad="seq")
    by_stub = (
        dealt.join(bad, on=["tid", "deck"], how="inner", maintain_order="left")
        .filter(
            (pl.col("bad") < pl.col("started_seq"))
            & (pl.col("bad") > pl.max_horizontal("before", "deck_received", "deck_removed"))
        )
        .with_columns(
            clause=clause_of(
                pl.col("game"),
                {game.name: game.remedies[Irregularity.WRONG_STUB_COUNT].clause for game in COUNTED.values()},
            ),
            what=pl.lit("its stub was counted wrong"),
        )
    )
    size = (
        pl.col("game")
        .cast(pl.String)
        .replace_strict({game.name: game.deck_size for game in COUNTED.values()}, default=None, return_dtype=pl.Int64)
    )
    by_shuffler = dealt.filter(
        (pl.col("counted") != size)
        & (pl.col("deck_shuffled") > pl.max_horizontal("before", "deck_removed"))
        & (pl.col("deck_shuffled") >= pl.col("deck_received"))
    ).with_columns(
        bad="deck_shuffled",
        clause=clause_of(
            pl.col("game"),
            {game.name: game.remedies[Irregularity.WRONG_SHUFFLER_COUNT].clause for game in COUNTED.values()},
        ),
        what=pl.format("the shuffler counted {} cards", "counted"),
    )
    return tell(
        pl.concat([by_stub, by_shuffler], how="diagonal_relaxed").unique("rid", keep="first", maintain_order=True),
        "rid",
        "clause",
        seqs=pl.concat_list("bad", "started_seq"),
        message=pl.format("Deck {} was dealt from again though {}.", "deck", "what"),
    )


def not_shuffled(evidence: Evidence) -> Tellings:
    """Flags a round dealt from a deck that nobody shuffled since its last round, or since it came to the table.

    Why: whoever remembers the last round knows the next one.

    Blind to: a deck whose last round or arrival was not seen, one of which a gateway tells neither arrival nor shuffle, and
    what a gap may hide. A shoe of Spanish 21 is shuffled when it comes and when it runs low.
    """
    clauses = {game.name: game.procedure.shuffled for game in GAMES.values() if game.procedure.shuffled}
    every_round = [game.name for game in GAMES.values() if game.procedure.shuffled_every_round]
    each_time = pl.col("game").cast(pl.String).is_in(every_round)
    since = (
        pl.when(each_time)
        .then(pl.max_horizontal("before", "deck_received"))
        .when(pl.col("before") < pl.col("deck_received"))
        .then("deck_received")
        .otherwise(NEVER)
    )
    cared_for = (pl.col("deck_received") > NEVER) | (pl.col("deck_shuffled") > NEVER)
    unseen = pl.col("gap") > pl.col("since")
    rows = evidence.decks.with_columns(since=since).filter(
        cared_for & (pl.col("since") > NEVER) & ~unseen & (pl.col("deck_shuffled") < pl.col("since"))
    )
    return tell(
        rows,
        "rid",
        seqs=pl.concat_list("since", "first_card_seq"),
        clause=clause_of(pl.col("game"), {name: each for name, each in clauses.items() if each}),
        message=pl.format("Deck {} was dealt from without having been shuffled.", "deck"),
    )


def cut_wrong(evidence: Evidence) -> Tellings:
    """Flags a deck shuffled by hand or brought shuffled that was dealt without a cut, or cut by fewer than ten cards.

    Why: the cut is what takes the order of the cards out of the dealer's hands.

    Blind to: decks that a device shuffled, which need none, and Spanish 21, whose text on it is not at hand.
    """
    clauses = {game.name: game.procedure.cut for game in GAMES.values() if game.procedure.cut}
    uncut = pl.col("deck_cut") < pl.col("deck_shuffled")
    rows = evidence.decks.filter(
        pl.col("game").cast(pl.String).is_in(list(clauses))
        & pl.col("method").cast(pl.String).is_in(["manual", "preshuffled"])
        & (pl.col("deck_shuffled") > pl.max_horizontal("before", "deck_removed"))
        & (pl.col("gap") <= pl.col("deck_shuffled"))
        & (uncut | (pl.col("cut_cards") < LEAST_CUT))
    )
    return tell(
        rows,
        "rid",
        seqs=pl.concat_list("deck_shuffled", "first_card_seq"),
        clause=clause_of(pl.col("game"), {name: each for name, each in clauses.items() if each}),
        message=pl.when(uncut)
        .then(pl.format("Deck {} was dealt without a cut.", "deck"))
        .otherwise(pl.format("Deck {} was cut by {} cards; it takes ten or more.", "deck", "cut_cards")),
    )
