"""How often the tests of a period alarm by chance, and how often they hear what they are there for."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from detectors.catalogue import STATISTIC_BY_CODE, STATISTICS
from detectors.statistics import honest
from detectors.statistics.cheats import CHEATS
from detectors.statistics.honest import Draw, Pool
from detectors.statistics.verdict import ALPHA, Verdict

LEVELS: Final = (0.05, 0.01, ALPHA)
AFRESH: Final = 500  # periods of one floor; for more another is dealt
Tick = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Alarmed:
    """A test in honest periods: in how many it had any alarm, asked at each of the levels."""

    code: str
    periods: int
    comparisons: int  # the fewest questions of any period
    alarms: tuple[int, ...]

    @property
    def shares(self) -> tuple[float, ...]:
        return tuple(count / self.periods for count in self.alarms)


@dataclass(frozen=True, slots=True)
class Heard:
    """A test in periods with something to hear: in how many of them it named who did it, at the level that it keeps to."""

    code: str
    does: str
    periods: int
    told: int

    @property
    def recall(self) -> float:
        return self.told / self.periods


def alarmed(periods: int, seed: int, tick: Tick) -> list[Alarmed]:
    rarest: dict[str, list[float]] = {each.code: [] for each in STATISTICS}
    asked: dict[str, int] = {}
    for pool, number in _pools(periods, seed):
        for each in STATISTICS:
            draw = _draw(seed, number, each.code)
            said = each.says(honest.period(each.code, pool, draw), max(LEVELS))
            rarest[each.code].append(_rarest(said))
            asked[each.code] = min(asked.get(each.code, said.comparisons), said.comparisons)
        tick()
    return [
        Alarmed(code, periods, asked[code], tuple(sum(p <= level for p in chances) for level in LEVELS))
        for code, chances in rarest.items()
    ]


def heard(periods: int, seed: int, tick: Tick) -> list[Heard]:
    told = [0] * len(CHEATS)
    for pool, number in _pools(periods, seed):
        for place, cheat in enumerate(CHEATS):
            draw = _draw(seed, number, cheat.does)
            told[place] += cheat.is_told(pool, draw, STATISTIC_BY_CODE[cheat.code].says, ALPHA)
        tick()
    return [Heard(cheat.code, cheat.does, periods, count) for cheat, count in zip(CHEATS, told, strict=True)]


def _pools(periods: int, seed: int) -> Iterator[tuple[Pool, int]]:
    """The periods, each beside the floor that it is drawn from."""
    for first in range(0, periods, AFRESH):
        pool = honest.dealt(seed + first)
        for number in range(first, min(first + AFRESH, periods)):
            yield pool, number


def _draw(seed: int, number: int, what: str) -> Draw:
    """The same for the same period and test, whatever was asked before."""
    return np.random.default_rng([seed, number, *what.encode()])


def _rarest(said: Verdict) -> float:
    """The corrected chance of the rarest answer: the level at which the period just has an alarm."""
    return 1.0 if said.alarms.is_empty() else float(said.alarms["p"][0])
