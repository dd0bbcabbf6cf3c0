"""What each wager is worth, by exact enumeration through the very decision tables that settle a round.

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
from rules import three_card_poker as tcp
from rules.decision import Column, Wager, settle
from rules.game import Game

Progress = Callable[[int, int], None]
Counts = npt.NDArray[np.int64]

STAKE: Final = 500  # cents; the edge turns on it only where a prize is a fixed sum
CHUNK: Final = 200_000
rounds = pl.col("rounds")


@dataclass(frozen=True, slots=True)
class WagerOdds:
    """A wager under one column and one way to play, over every round that can be dealt.

    `lines`: how many rounds each line of the decision table decided. `hands`: how many held each hand and were not folded.
    `net`: what all rounds together owe the player, in stakes of `stake` cents.
    """

    game: str
    wager: str
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


def _read(game: Game, names: tuple[str, ...], hands: ranking.Codes, counts: Counts) -> pl.DataFrame:
    """The facts that the game reads from the cards, and in how many rounds they are these."""
    deck = pl.Series(cards.NAMES, dtype=cards.CARD)
    dealt = pl.DataFrame({name: deck.gather(codes) for name, codes in zip(names, hands, strict=True)})
    facts = game.hand_facts(dealt).drop(names).with_columns(rounds=pl.Series(counts))
    return facts.group_by(pl.exclude("rounds")).agg(rounds.sum())


def _settled(facts: pl.DataFrame, wager: Wager, column: str | None, stake: int) -> pl.DataFrame:
    settled = settle(facts.with_columns(stake=pl.lit(stake, pl.Int64), column=pl.lit(column, pl.String)), wager)
    if settled.get_column("owed").has_nulls():
        raise ValueError(f"{wager.title}: its decision table leaves a round open although every card was read")
    return settled


def _owed(settled: pl.DataFrame) -> int:
    return int(settled.select((pl.col("owed") * rounds).sum()).item())


def _counted(rows: pl.DataFrame, by: str, words: Sequence[str]) -> dict[str, int]:
    counted = dict(rows.group_by(by).agg(rounds.sum()).iter_rows())
    return {word: counted.get(index, 0) for index, word in enumerate(words)}


def _lines(settled: pl.DataFrame, wager: Wager) -> dict[str, int]:
    return _counted(settled, "line", [ruling.condition.words for ruling in wager.rulings])


# Three Card Poker

TCP_CARDS: Final = (*tcp.PLAYER, *tcp.DEALER)
TCP_FOLDS: Final = {
    "play Q-6-4 or better": pl.col("player_low") < ranking.three_card_value("QC 6D 4H"),
    "always play": pl.lit(False),
}


def _player_against_dealer(players: ranking.Codes, alike: Counts, progress: Progress) -> tuple[ranking.Codes, Counts]:
    """Six cards for each pair of values that a player and the dealer can hold at once, and in how many rounds they do."""
    dealers = np.array(list(combinations(range(52), 3)), np.uint8).T
    player_value, dealer_value = ranking.three_card_values(players), ranking.three_card_values(dealers)
    bit = np.uint64(1) << np.arange(52, dtype=np.uint64)
    player_bits, dealer_bits = bit[players].sum(axis=0), bit[dealers].sum(axis=0)
    values = int(dealer_value.max()) + 1
    counts = np.zeros((values, values), np.int64)
    player_at, dealer_at = np.zeros((2, values, values), np.int32)
    for player, value in enumerate(player_value):
        apart = np.flatnonzero(dealer_bits & player_bits[player] == 0)
        counts[value] += alike[player] * np.bincount(dealer_value[apart], minlength=values)
        player_at[value, dealer_value[apart]] = player
        dealer_at[value, dealer_value[apart]] = apart
        progress(player + 1, len(alike))
    met = counts > 0
    return np.concatenate([players[:, player_at[met]], dealers[:, dealer_at[met]]]), counts[met]


def _ante_and_play(facts: pl.DataFrame, strategy: str, stake: int) -> list[WagerOdds]:
    """The Ante with its Play and its bonus, in each column of the bonus; `net` is in Antes."""
    decided = facts.with_columns(folded=TCP_FOLDS[strategy], ante_placed=pl.lit(True))
    played = decided.filter(~pl.col("folded"))
    ante = _settled(decided, tcp.ANTE, None, stake)
    owed = _owed(ante) + _owed(_settled(played, tcp.PLAY, None, stake))
    return [
        WagerOdds(
            game=tcp.NAME,
            wager="ante",
            column=column.name,
            strategy=strategy,
            stake=stake,
            rounds=int(facts.get_column("rounds").sum()),
            lines=_lines(ante, tcp.ANTE),
            hands=_counted(played, "player_hand", tcp.HANDS),
            net=Fraction(owed + _owed(_settled(decided, tcp.ANTE_BONUS, column.name, stake)), stake),
        )
        for column in columns_of(tcp.ANTE_BONUS)
    ]


def _side_wager(facts: pl.DataFrame, wager: Wager, hand: str, hands: Sequence[str], stake: int) -> list[WagerOdds]:
    """A wager that waits for no decision of the player, in each column."""
    undecided = facts.with_columns(folded=pl.lit(False), ante_placed=pl.lit(False))
    found = []
    for column in columns_of(wager):
        settled = _settled(undecided, wager, column.name, stake)
        found.append(
            WagerOdds(
                game=tcp.NAME,
                wager=wager.name,
                column=column.name,
                strategy=None,
                stake=stake,
                rounds=int(facts.get_column("rounds").sum()),
                lines=_lines(settled, wager),
                hands=_counted(settled, hand, hands),
                net=Fraction(_owed(settled), stake),
            )
        )
    return found


def three_card_poker(progress: Progress = unwatched, stake: int = STAKE) -> list[WagerOdds]:
    """Pair Plus, Ante and Play by two strategies, and the 6 Card Bonus, each in all its columns."""
    three, three_alike = hands_up_to_suits(3)
    six, six_alike = hands_up_to_suits(6)
    total = three.shape[1] + six.shape[1]

    no_dealer = np.full_like(three, cards.UNREAD_CODE)
    alone = _read(tcp.GAME, TCP_CARDS, np.concatenate([three, no_dealer]), three_alike)
    found = _side_wager(alone, tcp.PAIR_PLUS, "player_hand", tcp.HANDS, stake)

    against, met = _player_against_dealer(three, three_alike, lambda done, _: progress(done, total))
    heads_up = _read(tcp.GAME, TCP_CARDS, against, met)
    for strategy in TCP_FOLDS:
        found += _ante_and_play(heads_up, strategy, stake)

    six_facts = []
    for start in range(0, six.shape[1], CHUNK):
        chunk = slice(start, start + CHUNK)
        facts = _read(tcp.GAME, TCP_CARDS, six[:, chunk], six_alike[chunk])
        six_facts.append(facts.group_by("six_low", "six_high", "six_hand").agg(rounds.sum()))
        progress(min(three.shape[1] + chunk.stop, total), total)
    together = pl.concat(six_facts)
    return found + _side_wager(together, tcp.SIX_CARD_BONUS, "six_hand", tcp.SIX_CARD_HANDS, stake)


ODDS: Final[Mapping[str, Callable[[Progress], list[WagerOdds]]]] = {tcp.NAME: three_card_poker}
