"""Hand ranking against comparisons written out here from the words of the rules, and against published counts."""

import os
from collections import Counter
from collections.abc import Iterator
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules import cards, odds, ranking
from rules.three_card_poker import QUEEN_HIGH

RANK = {rank: number for number, rank in enumerate("23456789TJQKA", start=2)}

FIVE_CARD_COUNTS = {
    "royal_flush": 4,
    "straight_flush": 36,
    "four_of_a_kind": 624,
    "full_house": 3_744,
    "flush": 5_108,
    "straight": 10_200,
    "three_of_a_kind": 54_912,
    "two_pair": 123_552,
    "pair": 1_098_240,
    "high_card": 1_302_540,
}
SIX_CARD_COUNTS = {
    "royal_flush": 188,
    "straight_flush": 1_656,
    "four_of_a_kind": 14_664,
    "full_house": 165_984,
    "flush": 205_792,
    "straight": 361_620,
    "three_of_a_kind": 732_160,
    "two_pair": 2_532_816,
    "pair": 9_730_740,
    "high_card": 6_612_900,
}
SEVEN_CARD_COUNTS = {
    "royal_flush": 4_324,
    "straight_flush": 37_260,
    "four_of_a_kind": 224_848,
    "full_house": 3_473_184,
    "flush": 4_047_644,
    "straight": 6_180_020,
    "three_of_a_kind": 6_461_620,
    "two_pair": 31_433_400,
    "pair": 58_627_800,
    "high_card": 23_294_460,
}


def codes(hands: list[tuple[str, ...]]) -> ranking.Codes:
    return np.array([[cards.CODE[card] for card in hand] for hand in hands], np.uint8).T


def strength(hand: tuple[str, ...], order: tuple[str, ...]) -> tuple[int, list[int]]:
    """A hand of three or five as something Python can compare: its kind, then its ranks, the most frequent first."""
    held = Counter(RANK[card[0]] for card in hand)
    ranks = sorted(held, key=lambda rank: (held[rank], rank), reverse=True)
    shape = sorted(held.values(), reverse=True)
    flush = len({card[1] for card in hand}) == 1 and len(ranks) == len(hand)
    if len(ranks) == len(hand) and set(ranks) == {14, *range(2, len(hand) + 1)}:
        ranks = [*ranks[1:], 1]
    straight = len(ranks) == len(hand) and ranks[0] - ranks[-1] == len(hand) - 1
    kind = (
        "straight_flush" if straight and flush
        else "four_of_a_kind" if shape[0] == 4
        else "full_house" if shape == [3, 2]
        else "flush" if flush
        else "straight" if straight
        else "three_of_a_kind" if shape[0] == 3
        else "two_pair" if shape[:2] == [2, 2]
        else "pair" if shape[0] == 2
        else "high_card"
    )  # fmt: skip
    return order.index(kind), ranks


def three_card_strength(hand: tuple[str, ...]) -> tuple[int, list[int]]:
    return strength(hand, ("high_card", "pair", "flush", "straight", "three_of_a_kind", "straight_flush"))


def best_five_strength(hand: tuple[str, ...]) -> tuple[int, list[int]]:
    order = ("high_card", "pair", "two_pair", "three_of_a_kind", "straight", "flush", "full_house", "four_of_a_kind")
    return max(strength(five, (*order, "straight_flush")) for five in combinations(hand, 5))


def rising(size: int, count: int) -> ranking.Codes:
    """Every choice of `size` of the numbers below `count`, one in each column."""
    chosen = np.arange(count, dtype=np.uint8)[None]
    for _ in range(size - 1):
        left = count - 1 - chosen[-1].astype(np.int64)
        chosen = np.repeat(chosen, left, axis=1)
        step = np.arange(chosen.shape[1]) - np.repeat(np.cumsum(left) - left, left)
        chosen = np.vstack([chosen, (chosen[-1] + step + 1).astype(np.uint8)])
    return chosen


def every_hand(size: int) -> Iterator[ranking.Codes]:
    """Every hand of so many cards, those with the same two lowest cards at a time."""
    for first, second in combinations(range(52), 2):
        if 51 - second >= size - 2:
            rest = rising(size - 2, 51 - second) + np.uint8(second + 1)
            lowest = np.repeat(np.array([[first], [second]], np.uint8), rest.shape[1], axis=1)
            yield np.vstack([lowest, rest])


def named(counts: np.ndarray) -> dict[str, int]:
    return {name: int(count) for name, count in zip(ranking.FIVE_CARD_HANDS, counts, strict=True)}


def counted(size: int) -> dict[str, int]:
    counts = np.zeros(len(ranking.FIVE_CARD_HANDS), np.int64)
    for hands in every_hand(size):
        counts += np.bincount(ranking.best_five(hands) >> np.uint32(26), minlength=counts.size)
    return named(counts)


# Three cards

EVERY_THREE = list(combinations(cards.DECK, 3))


def test_three_cards_rank_as_a_comparison_card_by_card_ranks_them():
    values = ranking.three_card_values(codes(EVERY_THREE))
    by_value = sorted(zip(values.tolist(), map(three_card_strength, EVERY_THREE), strict=True))
    strengths = [strength for _, strength in by_value]
    assert strengths == sorted(strengths)
    assert len(set(values.tolist())) == len({(kind, *ranks) for kind, ranks in strengths}) == 741


def test_three_cards_have_the_published_counts():
    values = ranking.three_card_values(codes(EVERY_THREE))
    category = pl.select(ranking.three_card_category(pl.lit(pl.Series(values)))).to_series()
    counts = {ranking.THREE_CARD_HANDS[index]: count for index, count in Counter(category.to_list()).items()}
    assert counts == {
        "mini_royal": 4,
        "straight_flush": 44,
        "three_of_a_kind": 52,
        "straight": 720,
        "flush": 1_096,
        "pair": 3_744,
        "high_card": 16_440,
    }
    distinct = Counter(
        ranking.THREE_CARD_HANDS[index] for _, index in set(zip(values.tolist(), category.to_list(), strict=True))
    )
    assert distinct == {
        "high_card": 274,
        "pair": 156,
        "flush": 274,
        "straight": 12,
        "three_of_a_kind": 13,
        "straight_flush": 11,
        "mini_royal": 1,
    }


def test_15380_of_22100_dealers_hold_queen_high_or_better():
    assert int((ranking.three_card_values(codes(EVERY_THREE)) >= QUEEN_HIGH).sum()) == 15_380


def test_three_cards_are_worth_the_same_in_any_order_and_their_bounds_meet():
    frame = pl.DataFrame([tuple(hand) for hand in EVERY_THREE[::97]], schema=["a", "b", "c"], orient="row")
    bounds = [
        frame.select(low=low, high=high)
        for order in (("a", "b", "c"), ("c", "a", "b"), ("b", "a", "c"))
        for low, high in [ranking.three_card_bounds(*map(pl.col, order))]
    ]
    assert all(each.equals(bounds[0]) for each in bounds)
    assert bounds[0]["low"].equals(bounds[0]["high"].alias("low"))


# The best five of five, six and seven


@settings(deadline=None)
@given(st.integers(5, 7).flatmap(lambda size: st.tuples(*[_a_hand(size)] * 2)))
def test_the_best_five_compare_as_the_best_of_all_fives_card_by_card(hands):
    first, second = hands
    left, right = ranking.best_five(codes([first, second])).tolist()
    ours, theirs = best_five_strength(first), best_five_strength(second)
    assert (left > right) - (left < right) == (ours > theirs) - (ours < theirs)


def _a_hand(size: int) -> st.SearchStrategy[tuple[str, ...]]:
    """Few ranks, or few suits, or any cards: so that pairs, flushes and straights are not rare."""
    decks = (
        cards.DECK,
        [card for card in cards.DECK if card[0] in "2345A"],
        [card for card in cards.DECK if card[0] in "9TJQKA" and card[1] in "CD"],
        [card for card in cards.DECK if card[1] == "H" or card[0] in "78"],
    )
    return st.sampled_from(decks).flatmap(
        lambda deck: st.lists(st.sampled_from(deck), min_size=size, max_size=size, unique=True).map(tuple)
    )


@settings(deadline=None)
@given(st.integers(5, 7).flatmap(_a_hand), st.permutations("CDHS"), st.randoms(use_true_random=False))
def test_neither_the_names_of_the_suits_nor_the_order_of_the_cards_matter(hand, suits, random):
    renamed = [card[0] + suits["CDHS".index(card[1])] for card in hand]
    random.shuffle(renamed)
    before, after = ranking.best_five(codes([hand, tuple(renamed)]))
    assert before == after


@pytest.mark.parametrize(
    ("hand", "name"),
    [
        ("AC AD AH AS AS 2C", "four_of_a_kind"),
        ("2C 2C 2C 2C 2C 2C 2C", "four_of_a_kind"),
        ("9C 9C 4D 7H KS", "pair"),
        ("9C 9C 4C 7C KC", "pair"),
        ("9C 9C 4C 7C KC 2C", "flush"),
    ],
)
def test_a_card_that_lies_twice_counts_by_its_rank_and_makes_no_flush(hand, name):
    (value,) = ranking.best_five(codes([tuple(hand.split())]))
    assert ranking.FIVE_CARD_HANDS[value >> 26] == name


def test_five_cards_have_the_published_counts():
    assert counted(5) == FIVE_CARD_COUNTS


def test_six_cards_have_the_published_counts():
    assert counted(6) == SIX_CARD_COUNTS


@pytest.mark.skipif("CATWALK_SOAK" not in os.environ, reason="long; CATWALK_SOAK=1 runs it")
def test_seven_cards_have_the_published_counts():
    assert counted(7) == SEVEN_CARD_COUNTS


@pytest.mark.parametrize(
    ("size", "hands", "counts", "values"),
    [
        (5, 2_598_960, FIVE_CARD_COUNTS, 7_462),
        (6, 20_358_520, SIX_CARD_COUNTS, None),
        (7, 133_784_560, SEVEN_CARD_COUNTS, 4_824),
    ],
)
def test_hands_counted_once_for_all_names_of_their_suits_have_the_published_counts(size, hands, counts, values):
    hand, alike = odds.hands_up_to_suits(size)
    value = ranking.best_five(hand)
    category = (value >> np.uint32(26)).astype(np.int64)
    held = [int(alike[category == index].sum()) for index in range(len(ranking.FIVE_CARD_HANDS))]
    assert named(np.array(held)) == counts
    assert alike.sum() == hands
    assert values is None or np.unique(value).size == values
