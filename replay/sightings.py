"""How long each card of a deck has not been seen, weighed by how unlikely that is.

Of a shuffled deck of 52, a round in which k cards are read shows a given card by k in 52. The chance that it stays away
from round after round is the product of (1 - k/52), so each round without it adds -ln(1 - k/52) to its absence, a whole
number of millionths, rounded down: an absence never weighs more than it should. A sighting ends it; so does whatever
may have changed the deck.
"""

from dataclasses import dataclass
from math import ceil, log, log1p
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl

from replay.counts import COUNTED
from replay.decks import NEVER
from replay.frames import collected
from rules import cards

kind = pl.col("type")

_DECK: Final = len(cards.DECK)
_MILLIONTHS: Final = 1_000_000
# One absence in so many is as long as this. A floor of a thousand tables that deals a thousand million rounds a year begins
# fewer than 5 * 10^10 absences, one for every card that is read: less than one such year in ten thousand has a false alarm.
# Of one card of one deck, which is changed after some hundred rounds, it is one deck in a million million.
ONE_IN: Final = 10**15
TOO_LONG: Final = ceil(log(ONE_IN) * _MILLIONTHS)

# What a round adds, by how many cards were read in it. A round that showed all 52 would show every card there is.
_WEIGHTS: Final = np.array([int(-log1p(-min(k, _DECK - 1) / _DECK) * _MILLIONTHS) for k in range(_DECK + 1)], np.int64)

Absences = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Sightings:
    """`absent`: the rounds (`rid`) that made a card's absence too long, and which card; `notes`: on the last round of
    each deck, by table and seq of its start, the absence of every card after it."""

    absent: pl.DataFrame
    notes: pl.DataFrame


NOTE: Final[dict[str, pl.DataType]] = {"table": pl.String(), "seq": pl.Int64(), "absences": pl.List(pl.Int64())}


def noted(carry: pl.DataFrame, notes: pl.DataFrame) -> pl.DataFrame:
    """The facts to carry, with what is noted on them."""
    return carry.join(notes, on=["table", "seq"], how="left", maintain_order="left")


def sightings(
    carry: pl.DataFrame, due: pl.DataFrame, decks: pl.DataFrame, dealt: pl.DataFrame, acts: pl.LazyFrame
) -> Sightings:
    """The rounds that are decided now, laid beside what was noted when their decks were last dealt from."""
    known = carry.filter(pl.col("absences").is_not_null()).select(*NOTE)
    rounds = _rounds(due, decks, known)
    if rounds.is_empty():
        return Sightings(pl.DataFrame(schema={"rid": due.schema["rid"], "card": cards.CARD}), known)
    seen, read = _cards(rounds, dealt, acts)
    weight = np.where(rounds["fair"].to_numpy(), _WEIGHTS[read.sum(axis=1)], 0)
    absences = _absences(rounds, seen, weight)
    now_too_long = ~seen & (absences >= TOO_LONG) & (absences - weight[:, None] < TOO_LONG)
    at, card = np.nonzero(now_too_long)
    last = rounds["of_deck"].to_numpy() != np.append(rounds["of_deck"].to_numpy()[1:], -1)
    # An absence that was told needs no more weight, and a deck that is never changed no larger numbers.
    notes = (
        rounds.filter(pl.Series(last))
        .select("table", seq="started_seq")
        .with_columns(absences=_listed(np.minimum(absences[last], TOO_LONG)))
    )
    return Sightings(
        rounds.select("rid")[at].with_columns(card=pl.Series([cards.DECK[each] for each in card], dtype=cards.CARD)),
        pl.concat([known, notes]),
    )


def _rounds(due: pl.DataFrame, decks: pl.DataFrame, known: pl.DataFrame) -> pl.DataFrame:
    """The rounds of each deck in their order. `anew`: the deck may be another one; `fair`: it was shuffled, and is one
    of 52."""
    before = pl.col("before")
    first = pl.col("of_deck").is_first_distinct()
    follows = pl.when(first).then(pl.col("absences").is_not_null()).otherwise(before == pl.col("started_seq").shift())
    undisturbed = (before != NEVER) & (pl.max_horizontal("gap", "deck_received", "deck_removed") <= before)
    # Of a round without cards it was not asked what became of its deck.
    return (
        due.filter(pl.col("started_seq").is_not_null() & pl.col("deck").is_not_null())
        .select("rid", "tid", "table", "deck", "game", "started_seq")
        .join(
            decks.select("rid", "before", "gap", "deck_received", "deck_removed", "deck_shuffled"), on="rid", how="left"
        )
        .join(known, left_on=["table", "before"], right_on=["table", "seq"], how="left")
        .sort("tid", "deck", "started_seq")
        .with_columns(of_deck=pl.struct("tid", "deck").rle_id().cast(pl.Int64))
        .with_columns(
            anew=~(follows & undisturbed).fill_null(False),
            fair=(
                pl.col("game").cast(pl.String).is_in(list(COUNTED))
                & (pl.col("deck_shuffled") != NEVER)
                & (pl.col("deck_shuffled") > before)
            ).fill_null(False),
        )
        .with_row_index("at")
    )


def _cards(
    rounds: pl.DataFrame, dealt: pl.DataFrame, acts: pl.LazyFrame
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """For each round and card whether it was seen at all, and whether it was read among those that a fair deal brings
    out."""
    decided = acts.filter(kind == "decision_made").group_by("rid").agg(first_decision=pl.col("seq").min())
    # How many cards are drawn after a decision turns on the cards before it, and so on what is left: they are no fair sample.
    asked_for = (pl.col("to") == "player") & (pl.col("seq") > pl.col("first_decision")).fill_null(False)
    shown = collected(
        dealt.lazy()
        .join(rounds.lazy().select("rid", "at"), on="rid", how="inner")
        .join(decided, on="rid", how="left")
        .select("at", code=cards.code(pl.col("card")), fair=(kind == "card_dealt") & ~pl.col("disputed") & ~asked_for)
        .filter(pl.col("code") < _DECK)
    )
    seen, read = (np.zeros((rounds.height, _DECK), np.bool_) for _ in range(2))
    for found, those in ((seen, shown), (read, shown.filter("fair"))):
        found[those["at"].to_numpy(), those["code"].to_numpy()] = True
    return seen, read


def _listed(absences: Absences) -> pl.Series:
    return pl.Series(absences, dtype=pl.Array(pl.Int64, _DECK)).arr.to_list()


def _absences(rounds: pl.DataFrame, seen: npt.NDArray[np.bool_], weight: Absences) -> Absences:
    """After each round, the weight that has gone by since each card was last seen, or since its deck began anew."""
    total = np.cumsum(weight)
    anew, of_deck = rounds["anew"].to_numpy(), rounds["of_deck"].to_numpy()
    goes_on = rounds["of_deck"].is_first_distinct().to_numpy() & ~anew
    # Decks follow one another in one table of numbers, each raised above all of the one before.
    raised = of_deck * (int(total[-1]) + TOO_LONG + 1)
    since = np.full(seen.shape, np.iinfo(np.int64).min, np.int64)
    since[anew] = (raised + total - weight)[anew][:, None]
    if goes_on.any():
        carried = rounds.filter(pl.Series(goes_on))["absences"].explode().to_numpy().reshape(-1, _DECK)
        since[goes_on] = (raised + total - weight)[goes_on][:, None] - carried
    since = np.where(seen, (raised + total)[:, None], since)
    result: Absences = (raised + total)[:, None] - np.maximum.accumulate(since, axis=0)
    return result
