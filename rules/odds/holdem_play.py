"""Ways to play Heads Up Hold'em, and in how many deals each of them ends how.

A way to play says for every holding whether to raise 3 times the Ante before the flop, if not whether to raise twice on each
flop, and if not whether to raise once or fold after the river. Smaller raises than these are never worth more: what a raise wins
or loses grows evenly with it, and to raise once early is to raise once after the river whatever comes.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl

from rules import cards, ranking
from rules import heads_up_holdem as huh
from rules.decision import Wager
from rules.odds.counting import Counts, Progress, settled_by
from rules.odds.showdowns import FLOPS, FLOPS_OF_A_BOARD, HOLDINGS, OPPONENTS, Showdowns, alike_flops, in_batches

Bools = npt.NDArray[np.bool_]

ALWAYS_BEFORE_THE_FLOP: Final = "always 3x before the flop"
ALWAYS_AFTER_THE_RIVER: Final = "always check, then 1x"
SIMPLE_PLAY: Final = "simple play"
BEST_PLAY: Final = "best play"
SIMPLE_PLAY_IN_WORDS: Final = (
    "3x before the flop with any pair or ace, K-5, Q-8, J-10, or suited K-2, Q-6, J-8 and better; then 2x on the flop or 1x "
    "after the river with a pair or better that a card of one's own is part of; else a fold"
)
ACE, KING, QUEEN, JACK = (cards.RANKS.index(rank) for rank in "AKQJ")


@dataclass(frozen=True, slots=True)
class Play:
    """`before`: which of HOLDINGS raise 3 times. `flop`: by the numbers of `alike_flops`, on which flops they raise twice; None
    where they never do. `river`: who raises once then, one row a board."""

    before: Bools
    flop: Bools | None
    river: Callable[[Showdowns], Bools]


def always_before_the_flop() -> Play:
    return Play(np.ones(HOLDINGS.shape[1], np.bool_), None, lambda shown: np.zeros(shown.value.shape, np.bool_))


def always_after_the_river() -> Play:
    return Play(np.zeros(HOLDINGS.shape[1], np.bool_), None, lambda shown: np.ones(shown.value.shape, np.bool_))


def simple_play() -> Play:
    """3x with any pair or ace, K-5, Q-8, J-10, or suited K-2, Q-6, J-8; then a raise with a pair or better of one's own."""
    low, high = np.sort(HOLDINGS >> 2, axis=0)
    suited = HOLDINGS[0] & 3 == HOLDINGS[1] & 3
    lowest_beside = {KING: ("5", "2"), QUEEN: ("8", "6"), JACK: ("T", "8")}
    before = (low == high) | (high == ACE)
    for top, (mixed, one_suit) in lowest_beside.items():
        enough = np.where(suited, cards.RANKS.index(one_suit), cards.RANKS.index(mixed))
        before |= (high == top) & (low >= enough)
    return Play(before, _own_pair_on_the_flop(), _own_pair_after_the_river)


def _own_pair_on_the_flop() -> Bools:
    """A pair of one's own, one with the flop, or five cards that make a straight or better."""
    _, told_by = alike_flops()
    parts = []
    for holding in HOLDINGS[:, told_by].T:
        five = np.concatenate([np.repeat(holding[:, None], FLOPS.shape[1], axis=1), FLOPS])
        paired = (holding[0] >> 2 == holding[1] >> 2) | (holding[:, None, None] >> 2 == FLOPS >> 2).any(axis=(0, 1))
        parts.append(paired | (ranking.best_five(five) >= huh.STRAIGHT))
    return np.stack(parts, axis=1).ravel()


def _own_pair_after_the_river(shown: Showdowns) -> Bools:
    """A pair of one's own, one with the board, or a straight or better that is more than the board alone."""
    one, other = (HOLDINGS[card][shown.holding] >> 2 for card in (0, 1))
    paired = one == other
    for card in shown.boards >> 2:
        paired |= (one == card[:, None]) | (other == card[:, None])
    better = shown.value > ranking.best_five(shown.boards)[:, None]
    own: Bools = paired | ((shown.value >= huh.STRAIGHT) & better)
    return own


# What each ending is worth, asked of the decision tables


def endings() -> pl.DataFrame:
    """One row for each hand of the player and each way the dealer can stand to it: in the order of `Showdowns.against`."""
    return pl.DataFrame(
        [
            (hand, 1 << huh.STANDINGS.index((qualified, hand >= huh.HANDS.index("straight"), against)))
            for hand in range(len(huh.HANDS))
            for qualified in (False, True)
            for against in huh.AGAINST
        ],
        schema={"player_hand": pl.UInt8, "standing": pl.UInt16},
        orient="row",
    )


@dataclass(frozen=True, slots=True)
class Worth:
    """What Ante and Odds together, and a Raise of one Ante, are owed at each ending (hand, standing), and what a folder is."""

    stayed: Counts
    raised: Counts
    folded: int


def worth(bad_beat: str, stake: int) -> Worth:
    facts = endings().with_columns(folded=pl.lit(False), bad_beat_column=pl.lit(bad_beat))

    def owed(rows: pl.DataFrame, wager: Wager) -> Counts:
        column = None if wager.pay_table is None else wager.pay_table.columns[0].name
        cents: Counts = settled_by(rows, wager, column, stake).get_column("owed").to_numpy().reshape(len(huh.HANDS), -1)
        return cents

    gone = facts.with_columns(folded=pl.lit(True))
    (folded,) = set((owed(gone, huh.ANTE) + owed(gone, huh.ODDS)).ravel().tolist())
    return Worth(owed(facts, huh.ANTE) + owed(facts, huh.ODDS), owed(facts, huh.RAISE), folded)


# The best way to play


def best_plays(boards: ranking.Codes, alike: Counts, worths: Sequence[Worth], progress: Progress) -> list[Play]:
    """The way to play that leaves the house least, for each of `worths`: after the river first, then the flop, then before it.

    On a flop it weighs a raise against all that can still follow: so the boards must be all of them, up to their suits.
    """
    number, told_by = alike_flops()
    # By how much more a holding is worth if it checks, on each flop; and what raises of 3 and 2 are worth in all.
    gain = [np.zeros(FLOPS.shape[1] * told_by.size) for _ in worths]
    at_once = np.zeros((len(worths), HOLDINGS.shape[1], 2), np.int64)
    done = 0
    for shown in in_batches(boards, alike, huh.PAIR):
        weight = shown.alike[:, None]
        at_flop = number[shown.flops[:, :, None], shown.holding]
        for place, each in enumerate(worths):
            stayed, raised = _owed(shown, each)
            river = np.maximum(stayed + raised, each.folded * OPPONENTS)
            twice = stayed + 2 * raised
            more = (weight * (river - twice)).astype(np.float64).ravel()
            for flop in at_flop:
                np.add.at(gain[place], flop.ravel(), more)
            np.add.at(at_once[place, :, 0], shown.holding, weight * (stayed + 3 * raised))
            np.add.at(at_once[place, :, 1], shown.holding, weight * twice)
        done += shown.boards.shape[1]
        progress(done, boards.shape[1])
    return [_best(each, gain[place], at_once[place]) for place, each in enumerate(worths)]


def _owed(shown: Showdowns, each: Worth) -> tuple[Counts, Counts]:
    """What a holding that stays is owed over all opponents, and what a raise of one Ante beside it is."""
    hand = shown.hand
    stayed, raised = np.zeros((2, *hand.shape), np.int64)
    for standing, opponents in enumerate(shown.against):
        stayed += each.stayed[:, standing][hand] * opponents
        raised += each.raised[:, standing][hand] * opponents
    return stayed, raised


def _best(each: Worth, gain: npt.NDArray[np.float64], at_once: Counts) -> Play:
    """Whole cents below 2 to the 53rd add up exactly in floats."""
    number, told_by = alike_flops()
    flops_each = len(FLOPS_OF_A_BOARD)
    of_holding = number[0] % told_by.size
    three, two = (np.bincount(of_holding, at_once[:, column].astype(np.float64)) for column in (0, 1))
    wait = flops_each * two + np.maximum(gain, 0).reshape(-1, told_by.size).sum(axis=0)
    before = flops_each * three > wait

    def river(shown: Showdowns) -> Bools:
        stayed, raised = _owed(shown, each)
        return stayed + raised > each.folded * OPPONENTS

    return Play(before[of_holding], gain < 0, river)


# How a way to play ends


def played(boards: ranking.Codes, alike: Counts, plays: Sequence[Play], progress: Progress) -> list[pl.DataFrame]:
    """For each way to play: `endings` by how many times the Ante was raised (0: folded), and in how many deals.

    The flop is told apart: every board of a deal counts ten times, once for each flop it can have begun with.
    """
    number, _ = alike_flops()
    on_flops = any(play.flop is not None for play in plays)
    counted = np.zeros((len(plays) * 4, len(huh.HANDS) * 6))
    hands = np.arange(len(huh.HANDS))[:, None, None]
    done = 0
    for shown in in_batches(boards, alike, huh.PAIR):
        flops = number[shown.flops[:, :, None], shown.holding] if on_flops else None
        ways = np.stack([way for play in plays for way in _raised(play, shown, flops)]) * shown.alike[:, None]
        opponents = (shown.hand == hands)[:, None] * shown.against
        # As floats, since these are multiplied in one stroke; below 2 to the 53rd they are exact.
        counted += ways.reshape(len(counted), -1).astype(np.float64) @ opponents.reshape(counted.shape[1], -1).T.astype(
            np.float64
        )
        done += shown.boards.shape[1]
        progress(done, boards.shape[1])
    return [
        pl.concat(
            endings().with_columns(times=pl.lit(times, pl.Int64), rounds=pl.Series(by_hand.ravel()).cast(pl.Int64))
            for times, by_hand in enumerate(each)
        ).filter(pl.col("rounds") > 0)
        for each in counted.reshape(len(plays), 4, -1)
    ]


def _raised(play: Play, shown: Showdowns, flops: npt.NDArray[np.int32] | None) -> Iterator[Counts]:
    """Of the ten flops of each holding: on how many it ends in a fold, a raise of 1, of 2 and of 3 times the Ante."""
    every = len(FLOPS_OF_A_BOARD)
    before = play.before[shown.holding]
    on_the_flop: Counts = np.zeros(before.shape, np.int64)
    if play.flop is not None and flops is not None:
        on_the_flop = np.where(before, 0, play.flop[flops].view(np.uint8).sum(axis=0, dtype=np.uint8))
    waited = np.where(before, 0, every - on_the_flop)
    river = play.river(shown)
    yield np.where(river, 0, waited)
    yield np.where(river, waited, 0)
    yield on_the_flop
    yield np.where(before, every, 0)
