"""Hand ranking by lookup: three cards by a table of every ordered triple, five of six or seven by bit masks.

A three-card value counts upwards from 1; equal hands have equal values and suits never break a tie. An unread card makes a
value unknown, but not unbounded: the low and the high table give the worst and the best hand it could still be.
"""

from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl

from rules import cards

THREE_CARD_HANDS: Final = ("high_card", "pair", "flush", "straight", "three_of_a_kind", "straight_flush", "mini_royal")
FIVE_CARD_HANDS: Final = (
    "high_card",
    "pair",
    "two_pair",
    "three_of_a_kind",
    "straight",
    "flush",
    "full_house",
    "four_of_a_kind",
    "straight_flush",
    "royal_flush",
)

Codes = npt.NDArray[np.uint8]
Values = npt.NDArray[np.uint32]
Masks = npt.NDArray[np.uint16]

_STRIDE: Final = cards.UNREAD_CODE + 1  # 52 cards and one place for a card nobody could read


@cache
def _three_card_keys() -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.uint8]]:
    """For every ordered triple of codes its value (1 = lowest of 741) and its category."""
    code = np.arange(52)
    triples = np.stack(np.meshgrid(code, code, code, indexing="ij")).reshape(3, -1)
    rank = np.sort(triples // 4, axis=0)[::-1]
    suited = (triples % 4 == triples[0] % 4).all(axis=0)
    high, middle, low = rank
    ace_low = (high == 12) & (middle == 1) & (low == 0)
    straight = ((high - middle == 1) & (middle - low == 1)) | ace_low
    trips = (high == middle) & (middle == low)
    pair = ~trips & ((high == middle) | (middle == low))
    flush = suited & (high != middle) & (middle != low)
    category = np.select(
        [
            straight & flush & (high == 12) & ~ace_low,
            straight & flush,
            trips,
            straight,
            flush,
            pair,
        ],
        [6, 5, 4, 3, 2, 1],
        default=0,
    )
    # A pair is compared before its kicker; A-2-3 is the lowest straight.
    first = np.where(pair, middle, np.where(ace_low, 1, high))
    second = np.where(pair, np.where(high == middle, low, high), np.where(straight, 0, middle))
    third = np.where(pair | straight, 0, low)
    key = ((np.minimum(category, 5) * 13 + first) * 13 + second) * 13 + third
    _, dense = np.unique(key, return_inverse=True)
    shape = (52, 52, 52)
    return (dense + 1).astype(np.uint16).reshape(shape), category.astype(np.uint8).reshape(shape)


def _with_unread(table: npt.NDArray[np.uint16], worst: bool) -> pl.Series:
    """The table with a 53rd place on each axis, where the worst (or best) of all cards it could be is filled in."""
    choose = np.min if worst else np.max
    full = np.zeros((_STRIDE, _STRIDE, _STRIDE), np.uint16)
    full[:52, :52, :52] = table
    full[52, :52, :52] = choose(full[:52, :52, :52], axis=0)
    full[:, 52, :52] = choose(full[:, :52, :52], axis=1)
    full[:, :, 52] = choose(full[:, :, :52], axis=2)
    return pl.Series(full.reshape(-1))


@cache
def _three_card_tables() -> tuple[pl.Series, pl.Series, pl.Series, pl.Series]:
    value, category = _three_card_keys()
    as_wide = category.astype(np.uint16)
    return (
        _with_unread(value, worst=True),
        _with_unread(value, worst=False),
        _with_unread(as_wide, worst=True),
        _with_unread(as_wide, worst=False),
    )


def _triple(first: pl.Expr, second: pl.Expr, third: pl.Expr) -> pl.Expr:
    places = [pl.min_horizontal(cards.code(card), pl.lit(cards.UNREAD_CODE)) for card in (first, second, third)]
    known = first.is_not_null() & second.is_not_null() & third.is_not_null()
    return pl.when(known).then((places[0] * _STRIDE + places[1]) * _STRIDE + places[2])


def three_card_bounds(first: pl.Expr, second: pl.Expr, third: pl.Expr) -> tuple[pl.Expr, pl.Expr]:
    """The lowest and the highest value the three cards can have; equal where all were read."""
    low, high, _, _ = _three_card_tables()
    at = _triple(first, second, third)
    return pl.lit(low).gather(at), pl.lit(high).gather(at)


def three_card_category(first: pl.Expr, second: pl.Expr, third: pl.Expr) -> pl.Expr:
    """Index into THREE_CARD_HANDS, null where an unread card leaves it open."""
    _, _, low, high = _three_card_tables()
    at = _triple(first, second, third)
    lowest = pl.lit(low).gather(at)
    return pl.when(lowest == pl.lit(high).gather(at)).then(lowest.cast(pl.UInt8))


def three_card_value(names: str) -> int:
    """The value of three cards as text, `"QC 3D 2H"`: for thresholds such as the dealer's queen high."""
    first, second, third = (cards.CODE[name] for name in names.split())
    return int(_three_card_keys()[0][first, second, third])


# Five of six or seven cards: ranks as 13-bit masks, so comparing masks compares the cards from the highest down.


@cache
def _keep_top() -> npt.NDArray[np.uint16]:
    """keep[n, mask]: the n highest bits of the mask."""
    masks = np.arange(8192, dtype=np.uint16)
    keep = np.zeros((6, 8192), np.uint16)
    for n in range(1, 6):
        rest = masks & ~keep[n - 1]
        top = np.zeros_like(masks)
        for bit in range(13):
            top = np.where(rest >> np.uint16(bit) & 1, np.uint16(1 << bit), top)
        keep[n] = keep[n - 1] | top
    return keep


@cache
def _straights() -> npt.NDArray[np.uint16]:
    """straight[mask]: the bit of its highest straight's top card, 0 without one; the ace also counts below the two."""
    masks = np.arange(8192, dtype=np.uint32)
    with_low_ace = masks << 1 | masks >> 12
    straight = np.zeros(8192, np.uint16)
    for top in range(3, 13):
        run = np.uint32(0b11111 << (top - 3))
        straight = np.where(with_low_ace & run == run, np.uint16(1 << top), straight)
    return straight.astype(np.uint16)


@cache
def _bit_counts() -> npt.NDArray[np.uint8]:
    return np.array([mask.bit_count() for mask in range(8192)], np.uint8)


def best_five(hand: Codes) -> Values:
    """The value of the best five of the cards in each column of `hand` (5 to 7 rows of codes below 52).

    The category stands above bit 26, so `value >> 26` indexes FIVE_CARD_HANDS.
    """
    count = hand.shape[1]
    at_least = np.zeros((4, count), np.uint16)
    by_suit = np.zeros((4, count), np.uint16)
    for row in hand:
        bit = np.left_shift(np.uint16(1), (row >> 2).astype(np.uint16))
        at_least[3] |= at_least[2] & bit
        at_least[2] |= at_least[1] & bit
        at_least[1] |= at_least[0] & bit
        at_least[0] |= bit
        suit = row & 3
        for number in range(4):
            by_suit[number] |= np.where(suit == number, bit, np.uint16(0))
    one, two, three, four = at_least
    keep, straights, size = _keep_top(), _straights(), _bit_counts()
    flush = np.zeros(count, np.uint16)
    for mask in by_suit:
        flush = np.where(size[mask] >= 5, mask, flush)
    straight_flush, straight = straights[flush], straights[one]
    trips = keep[1][three]
    # With two sets of three the lower one is the pair of the full house.
    pair_beside = keep[1][two & ~trips]
    top_pair, two_pairs = keep[1][two], keep[2][two]
    quads = keep[1][four]

    def value(category: int, primary: Masks, kickers: Masks) -> Values:
        return np.uint32(category << 26) | primary.astype(np.uint32) << np.uint32(13) | kickers.astype(np.uint32)

    none = np.zeros(count, np.uint16)
    return np.select(
        [
            straight_flush == 1 << 12,
            straight_flush > 0,
            quads > 0,
            (trips > 0) & (pair_beside > 0),
            flush > 0,
            straight > 0,
            trips > 0,
            size[two] >= 2,
            two > 0,
        ],
        [
            value(9, none, none),
            value(8, straight_flush, none),
            value(7, quads, keep[1][one & ~quads]),
            value(6, trips, pair_beside),
            value(5, none, keep[5][flush]),
            value(4, straight, none),
            value(3, trips, keep[2][one & ~trips]),
            value(2, two_pairs, keep[1][one & ~two_pairs]),
            value(1, top_pair, keep[3][one & ~top_pair]),
        ],
        default=value(0, none, keep[5][one]),
    )
