"""How well the catalogue tells a floor whose wrongs are known: what was planted, found, missed and invented, code by code."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from detectors.audit import Audited, audits
from ingest import floor
from ingest.floor import Label
from ingest.frame import from_contents

Place = tuple[str, str, int | None]  # code, table, round
Where = tuple[int | None, str | None, int]  # seat, wager, amount


@dataclass(frozen=True, slots=True)
class Told:
    """What became of one code."""

    code: str
    planted: int
    found: int
    missed: int
    invented: int
    exact: int  # of those found, the ones that name the seat, the wager and the amount

    @property
    def recall(self) -> float | None:
        return self.found / self.planted if self.planted else None

    @property
    def precision(self) -> float | None:
        told = self.found + self.invented
        return self.found / told if told else None

    @property
    def placed(self) -> float | None:
        return self.exact / self.found if self.found else None


@dataclass(slots=True)
class Measured:
    """A floor of one game, honest or lying, and what the audit told of it."""

    game: str
    rounds: int = 0
    labels: list[Label] = field(default_factory=list)
    findings: list[tuple[str, str, int | None, int | None, str | None, int]] = field(default_factory=list)

    def add(self, audited: Audited) -> None:
        self.rounds += audited.rounds.height
        columns = ("code", "table", "round", "seat", "wager", "amount")
        self.findings += audited.findings.select(*columns).iter_rows()


def measured(game: str, tables: int, rounds: int, seed: int, faults: float) -> Iterator[Measured]:
    """A floor that is audited piece by piece as it is dealt; the same measure is yielded after each."""
    measure = Measured(game)

    def pieces() -> Iterator[floor.Shift]:
        for shift in floor.simulate(tables, rounds, seed, faults, game=game):
            measure.labels += shift.labels
            yield shift

    for audited in audits(from_contents(shift.lines) for shift in pieces()):
        measure.add(audited)
        yield measure


def by_code(measures: Iterable[Measured]) -> list[Told]:
    """Each label is met by at most one finding of its code, table and round."""
    planted_at, told_at = Counter[tuple[str, Place]](), Counter[tuple[str, Place]]()
    exact_planted, exact_told = Counter[tuple[str, Place, Where]](), Counter[tuple[str, Place, Where]]()
    for measure in measures:
        for label in measure.labels:
            place = (label.code, label.table, label.round)
            planted_at[measure.game, place] += 1
            exact_planted[measure.game, place, (label.seat, label.wager, label.amount)] += 1
        for code, table, number, seat, wager, amount in measure.findings:
            told_at[measure.game, (code, table, number)] += 1
            exact_told[measure.game, (code, table, number), (seat, wager, amount)] += 1
    met, exact = planted_at & told_at, exact_planted & exact_told
    codes = sorted({place[0] for _, place in (*planted_at, *told_at)})
    return [
        Told(
            code,
            planted=sum(count for (_, place), count in planted_at.items() if place[0] == code),
            found=sum(count for (_, place), count in met.items() if place[0] == code),
            missed=sum(count for (_, place), count in (planted_at - told_at).items() if place[0] == code),
            invented=sum(count for (_, place), count in (told_at - planted_at).items() if place[0] == code),
            exact=sum(count for (_, place, _), count in exact.items() if place[0] == code),
        )
        for code in codes
    ]
