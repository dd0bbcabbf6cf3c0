"""STAT05: whether the cards come out as a fair shuffle brings them."""

import polars as pl

from detectors.statistics.chance import away_from
from detectors.statistics.period import Period
from detectors.statistics.verdict import Verdict, judged
from rules import cards

_CARDS = pl.DataFrame({"card": cards.DECK}, schema={"card": cards.CARD})
rounds = pl.col("rounds")


def card_distribution(period: Period, alpha: float) -> Verdict:
    """Flags a deck out of which a card comes too often or too seldom, and a table's way of shuffling that brings a card
    too often or too seldom to one place of the deal.

    Why: a card held out, doubled or marked changes how often it is dealt; a shuffler that is stacked, worn or followed
    brings cards to the same place again.

    Blind to: Spanish 21, whose shoe is not shuffled between rounds; cards drawn after a decision, whose number turns on
    the cards before them; the order of cards beyond single places. A shuffler has no name in the feed: it is the
    table's, by the method of the shuffle.
    """
    of_deck, of_place = _by_deck(period), _by_place(period)
    tested = pl.concat([of_deck, of_place], how="diagonal")
    where = (
        pl.when(pl.col("deck").is_not_null())
        .then(pl.format("from deck {}", "deck"))
        .otherwise(pl.format("as card {} of the deal after a shuffle by the method {}", "place", "method"))
    )
    return judged(
        tested,
        tested.height,
        alpha,
        message=pl.format(
            "At table {} the {} came {} in {} of {} rounds, where {} are likely",
            *("table", "card", where, "seen", "rounds", pl.col("expected").round(1)),
        ),
    )


def _by_deck(period: Period) -> pl.DataFrame:
    """Of a round in which k cards were read, each of the 52 is one of them by k in 52."""
    decks = period.dealt.group_by("table", "deck").agg(
        expected=(rounds * pl.col("cards")).sum() / len(cards.DECK), rounds=rounds.sum()
    )
    return (
        decks.join(_CARDS, how="cross")
        .join(period.seen.rename({"rounds": "seen"}), on=["table", "deck", "card"], how="left")
        .with_columns(pl.col("seen").fill_null(0))
        .with_columns(p=away_from(rounds, pl.col("expected")))
    )


def _by_place(period: Period) -> pl.DataFrame:
    places = period.places.group_by("table", "method", "place").agg(rounds=rounds.sum())
    return (
        places.join(_CARDS, how="cross")
        .join(period.places.rename({"rounds": "seen"}), on=["table", "method", "place", "card"], how="left")
        .with_columns(pl.col("seen").fill_null(0), expected=rounds / len(cards.DECK))
        .with_columns(p=away_from(rounds, pl.col("expected")))
    )
