"""Two players' cards under five that they share: every holding against every other one that can be dealt with it.

All 2,781,381,002,400 deals of a board and two holdings are counted without dealing one: each board's 1,081 holdings are ranked
once, and those that beat or meet a holding are all that rank so, less those that hold one of its cards.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations, permutations
from typing import Final

import numpy as np
import numpy.typing as npt

from rules import ranking
from rules.odds.counting import Counts

HOLDINGS: Final = np.array(list(combinations(range(52), 2)), np.uint8).T
FLOPS: Final = np.array(list(combinations(range(52), 3)), np.uint8).T
FLOPS_OF_A_BOARD: Final = tuple(combinations(range(5), 3))
OPPONENTS: Final = 990  # holdings that can be dealt beside a board and a holding
BATCH: Final = 16  # boards at a time, so that their counts stay in the processor's cache

_FIRST, _SECOND = np.triu_indices(47, 1)

Places = npt.NDArray[np.int32]


@cache
def places(size: int) -> Places:
    """Where a holding (2) or a flop (3) stands in HOLDINGS or FLOPS, whatever the order its cards are named in."""
    sets = HOLDINGS if size == 2 else FLOPS
    place = np.zeros((52,) * size, np.int32)
    for order in permutations(sets):
        place[tuple(order)] = np.arange(sets.shape[1])
    return place


@cache
def alike_flops() -> tuple[Places, Places]:
    """Which (flop, holding) are the same but for the names of their suits: a number for each, and the holdings they are told by.

    The number is that of the first flop, times as many holdings as the second array has, plus the first holding's place in it:
    holdings side by side on one flop have numbers close together, and are quickly looked up.
    """
    held, flopped = [], []
    for suits in permutations(range(4)):
        renamed = np.array([code & ~3 | suits[code & 3] for code in range(52)])
        held.append(places(2)[tuple(renamed[HOLDINGS])])
        flopped.append(places(3)[tuple(renamed[FLOPS])])
    first = np.min(held, axis=0)
    told_by, number = np.unique(first, return_inverse=True)
    alike = np.empty((FLOPS.shape[1], HOLDINGS.shape[1]), np.int32)
    for holding in range(HOLDINGS.shape[1]):
        to_the_first = [flop for hold, flop in zip(held, flopped, strict=True) if hold[holding] == first[holding]]
        alike[:, holding] = np.min(to_the_first, axis=0) * told_by.size + number[holding]
    return alike, told_by


@dataclass(frozen=True, slots=True)
class Showdowns:
    """Some boards, and under each every holding of the 47 cards left: one row a board, one column a holding.

    `alike`: how many boards each one stands for. `against`: to how many opponents the holding stands lower, equal and higher,
    first to those who have less than a pair and then to those who have one.
    """

    boards: ranking.Codes
    alike: Counts
    holding: Places
    value: ranking.Values
    against: Counts

    @property
    def hand(self) -> npt.NDArray[np.uint8]:
        """Index into FIVE_CARD_HANDS."""
        return (self.value >> np.uint32(26)).astype(np.uint8)

    @property
    def flops(self) -> Places:
        """Index into FLOPS of the ten flops that each board can have begun with, one row a flop."""
        return np.stack([places(3)[tuple(self.boards[list(three)])] for three in FLOPS_OF_A_BOARD])


def showdowns(boards: ranking.Codes, alike: Counts, pair: int) -> Showdowns:
    """`pair`: the lowest value that is no longer less than a pair."""
    many = boards.shape[1]
    free = np.ones((many, 52), np.bool_)
    free[np.arange(many)[:, None], boards.T] = False
    left = np.nonzero(free)[1].reshape(many, 47).astype(np.uint8)
    one, other = left[:, _FIRST], left[:, _SECOND]
    shared = np.repeat(boards, one.shape[1], axis=1)
    value = ranking.best_five(np.concatenate([one.reshape(1, -1), other.reshape(1, -1), shared])).reshape(one.shape)

    order = np.argsort(value, axis=1)
    ascending = np.take_along_axis(value, order, axis=1)
    rises = np.ones(value.shape, np.int64)
    rises[:, 1:] = ascending[:, 1:] != ascending[:, :-1]
    rank = np.empty_like(rises)
    np.put_along_axis(rank, order, rises.cumsum(axis=1), axis=1)  # 1 is the lowest value on this board
    ranks = int(rank.max()) + 1

    # For every card and rank: how many holdings with that card rank no higher. A holding's own is in both its cards' counts.
    row = np.arange(many)[:, None] * 47
    at_one, at_other = (row + _FIRST) * ranks + rank, (row + _SECOND) * ranks + rank
    held = np.bincount(np.concatenate([at_one, at_other], axis=None), minlength=many * 47 * ranks)
    by_card = held.reshape(many, 47, ranks).cumsum(axis=2, dtype=np.int32)
    in_all = by_card.sum(axis=1) // 2
    with_card, board = by_card.reshape(-1), np.arange(many)[:, None]

    below = in_all[board, rank - 1] - with_card[at_one - 1] - with_card[at_other - 1]
    up_to = in_all[board, rank] - with_card[at_one] - with_card[at_other] + 1
    unpaired = value < pair
    highest_unpaired = np.where(unpaired, rank, 0).max(axis=1, keepdims=True)
    without_a_pair = (
        in_all[board, highest_unpaired]
        - with_card[(row + _FIRST) * ranks + highest_unpaired]
        - with_card[(row + _SECOND) * ranks + highest_unpaired]
        + unpaired
    )
    level, above = up_to - below, OPPONENTS - up_to
    # A holding without a pair meets and beats only its like; one with a pair meets and loses to none without.
    unpaired_above, unpaired_level, unpaired_below = (
        np.where(unpaired, without_a_pair - up_to, 0),
        np.where(unpaired, level, 0),
        np.where(unpaired, below, without_a_pair),
    )
    against = np.stack(
        [
            unpaired_above,
            unpaired_level,
            unpaired_below,
            above - unpaired_above,
            level - unpaired_level,
            below - unpaired_below,
        ]
    )
    return Showdowns(boards, alike, places(2)[one, other], value, against)


def in_batches(boards: ranking.Codes, alike: Counts, pair: int) -> Iterator[Showdowns]:
    for start in range(0, boards.shape[1], BATCH):
        yield showdowns(boards[:, start : start + BATCH], alike[start : start + BATCH], pair)
