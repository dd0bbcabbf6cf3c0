"""How well the catalogue tells a floor whose wrongs are known: what was planted, found, missed and invented, code by code.

A floor is audited piece by piece as it is dealt. Of what agrees in every respect only the number is kept, so that the memory does
not grow with the floor.
"""

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

import polars as pl

from detectors.audit import Audited, audits
from detectors.catalogue import BY_CODE
from ingest import floor
from ingest.floor import Label
from ingest.frame import from_contents

Place = tuple[str, str, int | None]  # code, table, round
Where = tuple[int | None, str | None, int]  # seat, wager, amount
SAID = ("code", "table", "round", "seat", "wager", "amount")


@dataclass(frozen=True, slots=True)
class Told:
    """What became of one code."""

    code: str
    planted: int
    found: int
    missed: int
    invented: int
    right: int  # of those found, the ones that name the seat and the wager
    exact: int  # and of those the ones that name the amount too
    cited: int  # of those found, the ones that cite a clause of their code's own

    @property
    def recall(self) -> float | None:
        return self.found / self.planted if self.planted else None

    @property
    def precision(self) -> float | None:
        told = self.found + self.invented
        return self.found / told if told else None

    @property
    def placed(self) -> float | None:
        return self.right / self.found if self.found else None

    @property
    def amounts(self) -> float | None:
        return self.exact / self.found if self.found else None

    @property
    def clauses(self) -> float | None:
        return self.cited / self.found if self.found else None


@dataclass(slots=True)
class Measured:
    """A floor of one game, honest or lying, and what the audit told of it."""

    game: str
    rounds: int = 0
    told: int = 0
    agreed: Counter[str] = field(default_factory=Counter)  # by code: told as they were planted
    uncited: Counter[str] = field(default_factory=Counter)  # by code: told with no clause of the code's own
    waiting: Counter[tuple[Place, Where]] = field(default_factory=Counter)  # planted and not told so far
    unasked: Counter[tuple[Place, Where]] = field(default_factory=Counter)  # told and not planted so far

    def plant(self, label: Label) -> None:
        self.waiting[(label.code, label.table, label.round), (label.seat, label.wager, label.amount)] += 1

    def add(self, audited: Audited) -> None:
        self.rounds += audited.rounds.height
        self.told += audited.findings.height
        for code, table, number, *where in audited.findings.select(SAID).iter_rows():
            self.unasked[(code, table, number), (where[0], where[1], where[2])] += 1
        for code, clause in (
            audited.findings.filter(pl.col("clause").is_not_null()).select("code", "clause").iter_rows()
        ):
            self.uncited[code] += not clause.startswith(BY_CODE[code].clauses)
        met = self.waiting & self.unasked
        for (place, _), count in met.items():
            self.agreed[place[0]] += count
        self.waiting -= met
        self.unasked -= met

    def planted(self) -> Counter[str]:
        return self.agreed + _by_code(self.waiting)


def _by_code(wrongs: Counter[tuple[Place, Where]]) -> Counter[str]:
    found = Counter[str]()
    for ((code, *_), _), count in wrongs.items():
        found[code] += count
    return found


def measured(
    game: str, tables: int, rounds: int, seed: int, faults: float, *, only: Collection[str] = ()
) -> Iterator[Measured]:
    """A floor that is audited piece by piece as it is dealt; the same measure is yielded after each."""
    measure = Measured(game)

    def pieces() -> Iterator[floor.Shift]:
        for shift in floor.simulate(tables, rounds, seed, faults, game=game, only=only):
            for label in shift.labels:
                measure.plant(label)
            yield shift

    for audited in audits(from_contents(shift.lines) for shift in pieces()):
        measure.add(audited)
        yield measure


def planted(measures: Collection[Measured]) -> Counter[str]:
    return sum((measure.planted() for measure in measures), Counter[str]())


def by_code(measures: Collection[Measured]) -> list[Told]:
    """Each label is met by at most one finding of its code, table and round."""
    told: dict[str, Counter[str]] = {}
    for measure in measures:
        for code, count in measure.agreed.items():
            told.setdefault(code, Counter())["agreed"] += count
        for code, count in measure.uncited.items():
            told.setdefault(code, Counter())["uncited"] += count
        left, extra = _at(measure.waiting), _at(measure.unasked)
        met = left & extra
        for name, places in (("misplaced", met), ("missed", left - met), ("invented", extra - met)):
            for (code, *_), count in places.items():
                told.setdefault(code, Counter())[name] += count
        met_where = _beside_the_amount(measure.waiting) & _beside_the_amount(measure.unasked)
        for (place, _), count in met_where.items():
            told[place[0]]["right"] += count
    return [_told(code, told[code]) for code in sorted(told) if told[code].total()]


def _told(code: str, became: Counter[str]) -> Told:
    found = became["agreed"] + became["misplaced"]
    return Told(
        code,
        planted=found + became["missed"],
        found=found,
        missed=became["missed"],
        invented=became["invented"],
        right=became["agreed"] + became["right"],
        exact=became["agreed"],
        cited=found - became["uncited"],
    )


def _at(wrongs: Counter[tuple[Place, Where]]) -> Counter[Place]:
    found = Counter[Place]()
    for (place, _), count in wrongs.items():
        found[place] += count
    return found


def _beside_the_amount(wrongs: Counter[tuple[Place, Where]]) -> Counter[tuple[Place, tuple[int | None, str | None]]]:
    found = Counter[tuple[Place, tuple[int | None, str | None]]]()
    for (place, (seat, wager, _)), count in wrongs.items():
        found[place, (seat, wager)] += count
    return found
