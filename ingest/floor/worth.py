"""What a player sees in his cards."""

from collections.abc import Sequence
from functools import cache
from itertools import product

import polars as pl

from rules import cards, ranking

_NAMES = ("first", "second", "third")


@cache
def _three_card_worths() -> list[int]:
    """The value of every ordered three cards."""
    every = pl.DataFrame(list(product(range(52), repeat=3)), schema=list(_NAMES), orient="row")
    named = every.select(
        pl.lit(pl.Series(cards.DECK, dtype=cards.CARD)).gather(pl.col(name)).alias(name) for name in _NAMES
    )
    value, _ = ranking.three_card_bounds(*(pl.col(name) for name in _NAMES))
    return named.select(value.alias("value")).get_column("value").to_list()


def of_three(hand: Sequence[str]) -> int:
    """As `rules.ranking` orders three-card hands."""
    first, second, third = (cards.CODE[card] for card in hand)
    return _three_card_worths()[(first * 52 + second) * 52 + third]


def rank(card: str) -> int:
    """From 2 to 14, the ace."""
    return cards.CODE[card] // 4 + 2
