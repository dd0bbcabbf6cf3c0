"""Hand ranking by lookup: three cards by a table of every ordered triple, the best five of up to seven by how many of each
rank they hold.

A three-card value counts upwards from 1; equal hands have equal values and suits never break a tie. An unread card makes a
value unknown, but not unbounded: the low and the high table give the worst and the best hand it could still be.
"""

from functools import cache
from itertools import combinations_with_replacement
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
    """For every ordered triple of codes its value (1 = lowest of 741), and for every value its category."""
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
    key = ((category * 13 + first) * 13 + second) * 13 + third
    found, dense = np.unique(key, return_inverse=True)
    return (dense + 1).astype(np.uint16).reshape(52, 52, 52), np.append(0, found // 13**3).astype(np.uint8)


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
def _three_card_tables() -> tuple[pl.Series, pl.Series, pl.Series]:
    value, category = _three_card_keys()
    return _with_unread(value, worst=True), _with_unread(value, worst=False), pl.Series(category)


def three_card_bounds(first: pl.Expr, second: pl.Expr, third: pl.Expr) -> tuple[pl.Expr, pl.Expr]:
    """The lowest and the highest value the three cards can have; equal where all were read."""
    low, high, _ = _three_card_tables()
    one, two, three = (cards.code(card).clip(upper_bound=cards.UNREAD_CODE) for card in (first, second, third))
    at = (one * _STRIDE + two) * _STRIDE + three
    return pl.lit(low).gather(at), pl.lit(high).gather(at)


def three_card_category(value: pl.Expr) -> pl.Expr:
    """The value's index into THREE_CARD_HANDS."""
    _, _, category = _three_card_tables()
    return pl.lit(category).gather(value)


def three_card_values(hand: Codes) -> npt.NDArray[np.uint16]:
    """The value of the three cards in each column of `hand` (3 rows of codes below 52)."""
    table, _ = _three_card_keys()
    values: npt.NDArray[np.uint16] = table[hand[0], hand[1], hand[2]]
    return values


def three_card_value(names: str) -> int:
    """The value of three cards as text, `"QC 3D 2H"`: for thresholds such as the dealer's queen high."""
    return int(three_card_values(np.array([[cards.CODE[name]] for name in names.split()], np.uint8))[0])


def three_card_range(hand: Codes) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.uint16]]:
    """The lowest and the highest value of the three cards in each column; a code of 52 or more is a card nobody read."""
    low, high, _ = _three_card_tables()
    one, two, three = np.minimum(hand, cards.UNREAD_CODE).astype(np.int32)
    at = (one * _STRIDE + two) * _STRIDE + three
    return low.to_numpy()[at], high.to_numpy()[at]


def best_three_range(hand: Codes) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.uint16]]:
    """The lowest and the highest value that the best three of the four cards in each column can have."""
    low, high = three_card_range(hand[:3])
    for left_out in range(3):
        other_low, other_high = three_card_range(np.delete(hand, left_out, axis=0))
        low, high = np.maximum(low, other_low), np.maximum(high, other_high)
    return low, high


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


def _value(category: int, primary: Masks, kickers: Masks) -> Values:
    return np.uint32(category << 26) | primary.astype(np.uint32) << np.uint32(13) | kickers.astype(np.uint32)


# A hand's key is the sum of its cards' keys: three bits for each rank count its cards, above them four bits for each suit.
_LOW_RANKS: Final = 6
_LOW_BITS: Final = 3 * _LOW_RANKS
_HIGH_BITS: Final = 3 * (13 - _LOW_RANKS)
_SUIT_BITS: Final = _LOW_BITS + _HIGH_BITS
_THREE_OF_EACH: Final = 0x3333 << _SUIT_BITS  # with a head start of three, five cards of a suit
_FIVE_OF_ANY: Final = 0x8888 << _SUIT_BITS  # reach the top bit of its counter
_BLOCK: Final = 1 << 14  # hands at a time, so that what lies between two steps stays in the processor's cache


@cache
def _card_keys() -> npt.NDArray[np.int64]:
    return np.array([(1 << 3 * (code >> 2)) + (1 << _SUIT_BITS + 4 * (code & 3)) for code in range(52)], np.int64)


@cache
def _by_rank(size: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], Values]:
    """The best five of so many cards when suits are left out of account: values[low[low bits] + high[high bits]]."""
    ranks = np.array(list(combinations_with_replacement(range(13), size)))
    held = (ranks[:, :, None] == np.arange(13)).sum(axis=1)
    key = (held << 3 * np.arange(13)).sum(axis=1)
    low_keys, low_place = np.unique(key & (1 << _LOW_BITS) - 1, return_inverse=True)
    high_keys, high_place = np.unique(key >> _LOW_BITS, return_inverse=True)
    low, high = np.zeros(1 << _LOW_BITS, np.int32), np.zeros(1 << _HIGH_BITS, np.int32)
    low[low_keys] = np.arange(low_keys.size)
    high[high_keys] = np.arange(high_keys.size) * low_keys.size
    bits = np.uint16(1) << np.arange(13, dtype=np.uint16)
    one, two, three, four = (((held >= n) * bits).sum(axis=1).astype(np.uint16) for n in (1, 2, 3, 4))
    keep, straight, size_of = _keep_top(), _straights()[one], _bit_counts()
    quads, trips, two_pairs, top_pair = keep[1][four], keep[1][three], keep[2][two], keep[1][two]
    # With two sets of three the lower one is the pair of the full house.
    pair_beside = keep[1][two & ~trips]
    none = np.zeros_like(one)
    values = np.zeros(low_keys.size * high_keys.size, np.uint32)
    values[low_place + high_place * low_keys.size] = np.select(
        [
            quads > 0,
            (trips > 0) & (pair_beside > 0),
            straight > 0,
            trips > 0,
            size_of[two] >= 2,
            two > 0,
        ],
        [
            _value(7, quads, keep[1][one & ~quads]),
            _value(6, trips, pair_beside),
            _value(4, straight, none),
            _value(3, trips, keep[2][one & ~trips]),
            _value(2, two_pairs, keep[1][one & ~two_pairs]),
            _value(1, top_pair, keep[3][one & ~top_pair]),
        ],
        default=_value(0, none, keep[5][one]),
    )
    return low, high, values


def _by_suit(hand: Codes) -> Values:
    """The flush in each hand, straight or not; 0 where one card lies twice and there is none."""
    keep, straights, size_of = _keep_top(), _straights(), _bit_counts()
    bit = np.uint16(1) << (hand >> 2).astype(np.uint16)
    flush = np.zeros(hand.shape[1], np.uint16)
    for suit in range(4):
        mask = np.bitwise_or.reduce(np.where(hand & 3 == suit, bit, np.uint16(0)), axis=0)
        flush = np.where(size_of[mask] >= 5, mask, flush)
    straight = straights[flush]
    none = np.zeros_like(flush)
    return np.select(
        [straight == 1 << 12, straight > 0, flush > 0],
        [_value(9, none, none), _value(8, straight, none), _value(5, none, keep[5][flush])],
        default=np.uint32(0),
    )


def best_five(hand: Codes) -> Values:
    """The value of the best five of the cards in each column of `hand` (5 to 7 rows of codes below 52).

    The category stands above bit 26, so `value >> 26` indexes FIVE_CARD_HANDS.
    """
    card_keys = _card_keys()
    low, high, by_rank = _by_rank(hand.shape[0])
    values = np.empty(hand.shape[1], np.uint32)
    for start in range(0, hand.shape[1], _BLOCK):
        block = hand[:, start : start + _BLOCK]
        key = card_keys[block[0]]
        for row in block[1:]:
            key += card_keys[row]
        value = by_rank[low[key & (1 << _LOW_BITS) - 1] + high[key >> _LOW_BITS & (1 << _HIGH_BITS) - 1]]
        suited = np.flatnonzero(key + _THREE_OF_EACH & _FIVE_OF_ANY)
        value[suited] = np.maximum(value[suited], _by_suit(block[:, suited]))
        values[start : start + _BLOCK] = value
    return values
