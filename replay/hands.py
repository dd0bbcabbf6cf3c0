"""The cards: who was dealt which, in what order, and how many; and the felt that a game's seats are read from."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import polars as pl

from rules import cards as names
from rules.game import Game

kind = pl.col("type")

HAND: Final = ("rid", "seat", "hand")


def hand_number() -> pl.Expr:
    """A hand of a round as one number, in their order: told apart at a fraction of what three columns cost."""
    rid, seat, hand = (pl.col(name).cast(pl.UInt64) for name in HAND)
    return (rid * 128 + seat) * 128 + hand


@dataclass(frozen=True, slots=True)
class Felt:
    """What lay on the felts of one game's rounds: what was done, the cards, the chips, who sat where, and the terms."""

    acts: pl.LazyFrame
    cards: pl.LazyFrame
    spots: pl.LazyFrame
    seated: pl.LazyFrame
    rounds: pl.DataFrame  # rid, and the options that the table elected


def dealt(acts: pl.LazyFrame) -> pl.LazyFrame:
    """Every card that left the shoe or deck in a round, in order."""
    return acts.filter(kind.is_in(["card_dealt", "card_found_face_up"])).select(
        "rid", "seq", "type", "to", "seat", "hand", "card", "face", "disputed"
    )


def dealt_to(cards: pl.LazyFrame, recipient: str) -> pl.LazyFrame:
    return cards.filter((kind == "card_dealt") & (pl.col("to") == recipient))


def held(hand: pl.LazyFrame, by: Sequence[str], places: Sequence[str], whose: str) -> pl.LazyFrame:
    """One row a hand: its first cards in `places`, how many there were, and whether any was unread or a joker."""
    card = pl.col("card")
    return hand.group_by(by, maintain_order=True).agg(
        *(card.get(at, null_on_oob=True).alias(place) for at, place in enumerate(places)),
        pl.len().alias(f"{whose}_count"),
        (card == names.UNREAD).any().alias(f"{whose}_unread"),
        (card == names.JOKER).any().alias(f"{whose}_joker"),
        pl.col("seq").alias(f"{whose}_seqs"),
    )


def counted(rows: pl.LazyFrame, *whose: str) -> pl.LazyFrame:
    """Hands that were dealt no card have none, rather than nobody knows how many."""
    flags = [f"{each}_{flag}" for each in whose for flag in ("unread", "joker")]
    return rows.with_columns(pl.col(*(f"{each}_count" for each in whose)).fill_null(0), pl.col(*flags).fill_null(False))


def decisions(acts: pl.LazyFrame) -> pl.LazyFrame:
    """The last decision on each hand, and when the first was made."""
    return (
        acts.filter(kind == "decision_made")
        .group_by(HAND, maintain_order=True)
        .agg(choice=pl.col("choice").last(), decided_seq=pl.col("seq").first())
    )


def _staked(game: Game) -> list[str]:
    return sorted({wager.name for wager in game.wagers if wager.bonus_on is None})


def chips(spots: pl.LazyFrame, game: Game) -> pl.LazyFrame:
    """One row a seat: what the law settles on for each wager, and whether the seat was due a hand.

    Chips that came after "No more bets" or went away may or may not have been dealt in.
    """
    lay_all_along = (pl.col("at_close") > 0) & (pl.col("lying") > 0)
    return spots.group_by(HAND, maintain_order=True).agg(
        *(pl.col("base").filter(pl.col("wager") == wager).sum().alias(wager) for wager in _staked(game)),
        due_cards=(pl.col("wager").is_in(game.dealt_in) & lay_all_along).any(),
        has_chips=(pl.col("base") > 0).any(),
    )


def seats(felt: "Felt", game: Game, hands: pl.LazyFrame) -> pl.LazyFrame:
    """Every hand that wagered or was dealt cards."""
    return (
        chips(felt.spots, game)
        .join(hands, on=list(HAND), how="full", coalesce=True)
        .sort(HAND)
        .with_columns(pl.col(_staked(game)).fill_null(0), pl.col("due_cards", "has_chips").fill_null(False))
    )


def miscounted(size: int) -> pl.Expr:
    """Whether a hand has another number of cards than it was due; a seat without chips was due none."""
    count = pl.col("player_count")
    return (
        pl.when("due_cards")
        .then(count != size)
        .when("has_chips")
        .then((count != 0) & (count != size))
        .otherwise(count != 0)
    )
