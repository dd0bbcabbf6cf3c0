"""Three Card Draw Poker: the First 3 Bonus, and the Ante by two strategies."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl

from rules import cards, ranking
from rules import three_card_draw_poker as tcdp
from rules.decision import Column
from rules.odds.counting import (
    STAKE,
    Counts,
    Progress,
    WagerOdds,
    columns_of,
    deciding_lines,
    hands_up_to_suits,
    owed_in_all,
    rounds,
    settled_by,
    side_wager,
    tally,
    unwatched,
)

ALWAYS_IN_TO_WIN: Final = "always In To Win"
BEST_PLAY: Final = "best play"
DEALERS_OF_49: Final = 211_876
DEALERS_OF_48: Final = 194_580
# A round is the player's three cards, the card he would draw and the dealer's four: this many for each dealer of 49.
ROUNDS_UNDRAWN: Final = 49 * DEALERS_OF_48 // DEALERS_OF_49


class _Dealers:
    """How many of the dealer's hands are worth no more than a value, where some cards are known to lie elsewhere.

    Counted by inclusion and exclusion: all hands, less those that hold one of the cards, and those with two of them again.
    """

    def __init__(self) -> None:
        fours = np.array(list(combinations(range(52), 4)), np.uint8).T
        value, _ = ranking.best_three_range(fours)
        self._of_four = np.zeros((52,) * 4, np.uint16)
        self._of_four[tuple(fours)] = value
        self._place, self._up_to = [], []
        for size in range(4):
            sets = list(combinations(range(52), size))
            place = np.zeros((52,) * size, np.int32)
            for number, chosen in enumerate(sets):
                place[chosen] = number
            held = np.zeros((len(sets), int(value.max()) + 1), np.int32)
            for some in combinations(fours, size):
                np.add.at(held, (place[some], value), 1)
            self._place.append(place)
            self._up_to.append(held.cumsum(axis=1, dtype=np.int32))

    def up_to(self, value: npt.NDArray[np.uint16], known: ranking.Codes) -> Counts:
        """For each value and the three or four cards below it in `known`."""
        known = np.sort(known, axis=0)
        count = np.zeros(value.shape, np.int64)
        for size, (place, up_to) in enumerate(zip(self._place, self._up_to, strict=True)):
            for some in combinations(known, size):
                count += (-1) ** size * up_to[place[some], value].astype(np.int64)
        if len(known) == 4:
            count += self._of_four[tuple(known)] <= value
        return count


@dataclass(frozen=True, slots=True)
class Way:
    """One way to play each hand, and where it leads: `value` (next card, hand) against so many dealers below, level and above.

    Rows are the card that is drawn; where none is, there is one row. Every dealer stands for `weight` rounds.
    """

    choice: str
    value: npt.NDArray[np.uint16]
    below: Counts
    level: Counts
    above: Counts
    weight: int

    def net(self, bonus: Counts) -> Counts:
        """What each hand is owed in Antes over all rounds: Ante and wager on both, and the bonus of its value."""
        dealers = self.below + self.level + self.above
        owed = 2 * self.below - 2 * self.above + bonus[self.value] * dealers
        net: Counts = self.weight * owed.sum(axis=0)
        return net


def ways_to_play(hands: ranking.Codes) -> list[Way]:
    """In To Win, and the draw with each of the three cards discarded."""
    dealers = _Dealers()

    def way(choice: str, value: npt.NDArray[np.uint16], known: ranking.Codes, of: int, weight: int) -> Way:
        up_to, below = dealers.up_to(value, known), dealers.up_to(value - np.uint16(1), known)
        return Way(choice, value, below, up_to - below, of - up_to, weight)

    stand = ranking.three_card_values(hands)[None]
    found = [way("in_to_win", stand, hands[:, None], DEALERS_OF_49, ROUNDS_UNDRAWN)]
    apart = np.array([np.setdiff1d(np.arange(52), hand) for hand in hands.T], np.uint8).T
    known = np.stack([*(np.broadcast_to(card, apart.shape) for card in hands), apart])
    for one, other in tcdp.KEPT:
        drawn = ranking.three_card_values(np.stack([known[one], known[other], apart]))
        found.append(way("draw", drawn, known, DEALERS_OF_48, 1))
    return found


def _met(way: Way, chosen: npt.NDArray[np.bool_], alike: Counts) -> pl.DataFrame:
    """The rounds of the hands that are played this way, by the player's value and a dealer's just below, level or above."""
    parts = [
        pl.DataFrame(
            {
                "player_low": way.value[:, chosen].ravel(),
                "dealer_low": (way.value[:, chosen].astype(np.int32) + apart).ravel(),
                "rounds": (dealers[:, chosen] * alike[chosen] * way.weight).ravel(),
            }
        )
        for apart, dealers in ((-1, way.below), (0, way.level), (1, way.above))
    ]
    return pl.concat(parts).filter(rounds > 0).with_columns(folded=pl.lit(False), drew=pl.lit(way.choice == "draw"))


def _ante(plays: Sequence[pl.DataFrame], column: Column, strategy: str, stake: int) -> WagerOdds:
    """The Ante with its In To Win or Draw and the bonus of this column; `net` is in Antes."""
    played = (
        pl.concat(plays)
        .group_by(pl.exclude("rounds"))
        .agg(rounds.sum())
        .with_columns(
            player_high=pl.col("player_low"),
            dealer_high=pl.col("dealer_low"),
            player_hand=ranking.three_card_category(pl.col("player_low")),
        )
    )
    ante = settled_by(played, tcdp.ANTE, None, stake)
    stayed = played.filter(~pl.col("folded"))
    owed = owed_in_all(ante) + owed_in_all(settled_by(played, tcdp.IN_TO_WIN_BONUS, column.name, stake))
    for wager, drew in ((tcdp.IN_TO_WIN, False), (tcdp.DRAW, True)):
        owed += owed_in_all(settled_by(stayed.filter(pl.col("drew") == drew), wager, None, stake))
    return WagerOdds(
        game=tcdp.NAME,
        wager="ante",
        table=tcdp.IN_TO_WIN_BONUS.name,
        column=column.name,
        strategy=strategy,
        stake=stake,
        rounds=int(played.get_column("rounds").sum()),
        lines=deciding_lines(ante, tcdp.ANTE),
        hands=tally(stayed, "player_hand", tcdp.HANDS),
        net=Fraction(owed, stake),
    )


def best_plays(column: str) -> tuple[ranking.Codes, Counts, Counts]:
    """Hands up to their suits, how many each stands for, and the play that is worth most to the Ante with this bonus column.

    A play is 0 In To Win, 1 to 3 a draw for the first to third card, 4 a fold.
    """
    hands, alike = hands_up_to_suits(3)
    return hands, alike, _best(ways_to_play(hands), column)


def _best(ways: Sequence[Way], column: str) -> Counts:
    values = np.arange(int(max(way.value.max() for way in ways)) + 1, dtype=np.uint16)
    facts = pl.DataFrame({"player_low": values, "player_high": values}).with_columns(
        folded=pl.lit(False),
        drew=pl.lit(False),
        player_hand=ranking.three_card_category(pl.col("player_low")),
    )
    bonus = settled_by(facts, tcdp.IN_TO_WIN_BONUS, column, 1).get_column("owed").to_numpy()
    nets = [way.net(bonus) for way in ways]
    folded = np.full_like(nets[0], -ROUNDS_UNDRAWN * DEALERS_OF_49)
    best: Counts = np.stack([*nets, folded]).argmax(axis=0)
    return best


def every_wager(progress: Progress = unwatched, stake: int = STAKE) -> list[WagerOdds]:
    """The First 3 Bonus of a player who never draws, and the Ante by two strategies, each in all its columns."""
    hands, alike = hands_up_to_suits(3)
    dealt = np.concatenate([hands, np.full((6, hands.shape[1]), cards.UNREAD_CODE, np.uint8)])
    deck = pl.Series(cards.NAMES, dtype=cards.CARD)
    seen = pl.DataFrame({name: deck.gather(codes) for name, codes in zip(tcdp.CARDS, dealt, strict=True)})
    alone = tcdp.hand_facts(seen.with_columns(choice=pl.lit("in_to_win"))).with_columns(
        rounds=pl.Series(alike), first3_dies_on_fold=pl.lit(False)
    )
    found = side_wager(alone, tcdp.FIRST_3_BONUS, "first_3_hand", tcdp.HANDS, stake, game=tcdp.NAME)
    columns = columns_of(tcdp.IN_TO_WIN_BONUS)
    total = 1 + len(columns)
    ways = ways_to_play(hands)
    progress(1, total)
    everyone = np.ones(alike.shape, np.bool_)
    for done, column in enumerate(columns, start=2):
        found.append(_ante([_met(ways[0], everyone, alike)], column, ALWAYS_IN_TO_WIN, stake))
        best = _best(ways, column.name)
        plays = [_met(way, best == play, alike) for play, way in enumerate(ways)]
        plays.append(_met(ways[0], best == len(ways), alike).with_columns(folded=pl.lit(True)))
        found.append(_ante(plays, column, BEST_PLAY, stake))
        progress(done, total)
    return found
