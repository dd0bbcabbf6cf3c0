"""How odds are counted: hands up to the names of their suits, settled by the very decision tables that settle a round.

A program's own tests cannot tell that it has the law wrong; figures that others published can, and this is what is laid beside
them. Hands that differ only by the names of their suits are looked at once and counted as often as they occur.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, combinations_with_replacement
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl

from rules import cards, ranking
from rules.decision import Column, Wager, settle
from rules.game import Game

Progress = Callable[[int, int], None]
Counts = npt.NDArray[np.int64]

STAKE: Final = 500  # cents; the edge turns on it only where a prize is a fixed sum
CHUNK: Final = 200_000
PACKS: Final = "packs"  # in place of a pay table: the odds turn on how many packs lie in the shoe
rounds = pl.col("rounds")


@dataclass(frozen=True, slots=True)
class WagerOdds:
    """A wager under one column and one way to play, over every round that can be dealt.

    `table`: the pay table that `column` is one of, which may be that of a bonus beside the wager; or PACKS. `lines`: how many
    rounds each line of the decision table decided. `hands`: how many held each hand and were not folded.
    `net`: what all rounds together owe the player, in stakes of `stake` cents.
    """

    game: str
    wager: str
    table: str
    column: str
    strategy: str | None
    stake: int
    rounds: int
    lines: Mapping[str, int]
    hands: Mapping[str, int]
    net: Fraction

    @property
    def edge(self) -> Fraction:
        """The part of the stake that the house keeps in the long run."""
        return -self.net / self.rounds


def columns_of(wager: Wager) -> tuple[Column, ...]:
    return () if wager.pay_table is None else wager.pay_table.columns


def unwatched(_done: int, _total: int) -> None:
    pass


def hands_up_to_suits(size: int) -> tuple[ranking.Codes, Counts]:
    """One hand in each column for all that differ only by the names of their suits, and how many these are.

    A hand all of one suit is listed once for each suit, since a pay table may name it.
    """
    hands, alike = [], []
    for shape in combinations_with_replacement(range(size, -1, -1), 4):
        if sum(shape) != size:
            continue
        held = [np.array(list(combinations(range(13), n)), np.uint8) for n in shape]
        which = np.indices([len(ranks) for ranks in held], np.int32).reshape(4, -1)
        for suit in (1, 2, 3):
            if shape[suit] == shape[suit - 1]:
                which = which[:, which[suit] <= which[suit - 1]]
        hand = np.concatenate([held[suit][which[suit]].T * 4 + suit for suit in range(4)]).astype(np.uint8)
        if shape[0] == size:
            hands += [hand + np.uint8(suit) for suit in range(4)]
            alike += [np.ones(hand.shape[1], np.int64)] * 4
        else:
            hands.append(hand)
            alike.append(_ways_to_name_the_suits(shape, which))
    return np.concatenate(hands, axis=1), np.concatenate(alike)


def _ways_to_name_the_suits(shape: tuple[int, ...], which: npt.NDArray[np.int32]) -> Counts:
    """24, but suits that hold the same ranks (they stand side by side) can change places unnoticed."""
    run = np.ones(which.shape[1], np.int64)
    unnoticed = run
    for suit in (1, 2, 3):
        same = (which[suit] == which[suit - 1]) & (shape[suit] == shape[suit - 1])
        run = np.where(same, run + 1, 1)
        unnoticed = unnoticed * run
    return 24 // unnoticed


def facts_of(game: Game, names: tuple[str, ...], hands: ranking.Codes, counts: Counts) -> pl.DataFrame:
    """The facts that the game reads from the cards, and in how many rounds they are these."""
    deck = pl.Series(cards.NAMES, dtype=cards.CARD)
    dealt = pl.DataFrame({name: deck.gather(codes) for name, codes in zip(names, hands, strict=True)})
    facts = game.hand_facts(dealt).drop(names).with_columns(rounds=pl.Series(counts))
    return facts.group_by(pl.exclude("rounds")).agg(rounds.sum())


def settled_by(facts: pl.DataFrame, wager: Wager, column: str | None, stake: int) -> pl.DataFrame:
    settled = settle(facts.with_columns(stake=pl.lit(stake, pl.Int64), column=pl.lit(column, pl.String)), wager)
    if settled.get_column("owed").has_nulls():
        raise ValueError(f"{wager.title}: its decision table leaves a round open although every card was read")
    return settled


def owed_in_all(settled: pl.DataFrame) -> int:
    return int(settled.select((pl.col("owed") * rounds).sum()).item())


def tally(rows: pl.DataFrame, by: str, words: Sequence[str]) -> dict[str, int]:
    counted = dict(rows.group_by(by).agg(rounds.sum()).iter_rows())
    return {word: counted.get(index, 0) for index, word in enumerate(words)}


def deciding_lines(settled: pl.DataFrame, wager: Wager) -> dict[str, int]:
    return tally(settled, "line", [ruling.condition.words for ruling in wager.rulings])


def side_wager(
    facts: pl.DataFrame, wager: Wager, hand: str, hands: Sequence[str], stake: int, *, game: str
) -> list[WagerOdds]:
    """A wager that waits for no decision of the player, in each column."""
    undecided = facts.with_columns(folded=pl.lit(False), ante_placed=pl.lit(False))
    found = []
    for column in columns_of(wager):
        settled = settled_by(undecided, wager, column.name, stake)
        found.append(
            WagerOdds(
                game=game,
                wager=wager.name,
                table=wager.name,
                column=column.name,
                strategy=None,
                stake=stake,
                rounds=int(facts.get_column("rounds").sum()),
                lines=deciding_lines(settled, wager),
                hands=tally(settled, hand, hands),
                net=Fraction(owed_in_all(settled), stake),
            )
        )
    return found
