"""Who is on the floor: players with their habits, and the crew of dealers and supervisors that works a pit."""

from dataclasses import dataclass
from random import Random
from typing import Final

MINUTE: Final = 60_000_000
HOUR: Final = 60 * MINUTE

PIT: Final = 4  # tables that one crew works
CREW: Final = 6
SHIFTS: Final = 3


@dataclass(slots=True)
class Player:
    name: str
    units: int  # his usual bet, in table minimums
    sense: float  # how often he decides as the published strategy says
    side_bets: float
    fidgets: float
    stays: int  # rounds until he leaves


class Regulars:
    """The people who come to one table, again and again. No two tables share one, so nobody sits at two tables."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._names = [f"p-{rng.getrandbits(40):010x}" for _ in range(60)]

    def arrival(self, seated: set[str]) -> Player:
        rng = self._rng
        name = rng.choice(self._names)
        while name in seated:
            name = rng.choice(self._names)
        return Player(
            name=name,
            units=rng.choice((1, 1, 1, 2, 2, 3, 5, 10)),
            sense=rng.choice((1.0, 1.0, 0.99, 0.97, 0.9, 0.4)),
            side_bets=rng.random(),
            fidgets=rng.choice((0.0, 0.02, 0.1)),
            stays=rng.randint(5, 160),
        )


class Pit:
    """A crew of dealers that moves on by one table when the relief comes, and a supervisor a shift."""

    def __init__(self, seed: int, number: int, start: int) -> None:
        rng = Random(f"{seed}/pit/{number}")
        self._start = start
        self._relief = rng.randint(30, 60) * MINUTE
        self._dealers = [[f"d-{rng.getrandbits(32):08x}" for _ in range(CREW)] for _ in range(SHIFTS)]
        self._supervisors = [f"s-{rng.getrandbits(32):08x}" for _ in range(SHIFTS)]

    def _shift(self, at: int) -> int:
        return (at - self._start) // (8 * HOUR) % SHIFTS

    def dealer(self, place: int, at: int) -> str:
        reliefs = (at - self._start) // self._relief
        return self._dealers[self._shift(at)][(place + reliefs) % CREW]

    def supervisor(self, at: int) -> str:
        return self._supervisors[self._shift(at)]
