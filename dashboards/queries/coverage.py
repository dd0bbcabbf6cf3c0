"""How much of what happened was audited, and how fresh that is: what stands beside every count."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Final

import polars as pl

from detectors.published import PUBLISHED, STORE, Reader
from ingest.log import DATABASE, Log

MONEY: Final = ("owed", "paid", "amount")
STILL: Final = timedelta(seconds=5)

Snapshot = tuple[int, int]


def snapshot(data: Path) -> Snapshot | None:
    """Which snapshot is published now; None if none is. A new one is another file under the same name."""
    try:
        found = (data / STORE / PUBLISHED).stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_mtime_ns


@dataclass(frozen=True, slots=True)
class Period:
    """Gaming days from the first to the last, both in it; None: without an end on that side."""

    first: date | None = None
    last: date | None = None

    @property
    def holds(self) -> str:
        """The period as a condition on the column `day`."""
        bounds = [f"day >= date '{self.first}'"] if self.first else []
        bounds += [f"day <= date '{self.last}'"] if self.last else []
        return " and ".join(bounds) or "true"

    def of(self, reader: Reader, kind: str) -> str:
        """What to ask for a kind's rows of the period; `holds` still has to be asked for."""
        return reader.over(kind, self.first, self.last)

    @property
    def words(self) -> str:
        if self.first and self.first == self.last:
            return f"gaming day {self.first}"
        if self.first and self.last:
            return f"gaming days {self.first} to {self.last}"
        if self.first:
            return f"gaming days from {self.first}"
        return f"gaming days up to {self.last}" if self.last else "all gaming days"


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of what happened was audited. No count of findings is shown without it."""

    rounds: int
    rounds_in_part: int
    rounds_not: int
    wagers: int
    derived: int

    @property
    def whole(self) -> bool:
        return self.rounds > 0 and not self.rounds_in_part and not self.rounds_not

    @property
    def words(self) -> str:
        if not self.rounds:
            return "no rounds were audited"
        open_ = [f"{self.rounds_in_part:,} in part"] if self.rounds_in_part else []
        open_ += [f"{self.rounds_not:,} not at all"] if self.rounds_not else []
        return f"{self.share} of wagers derived; {self.rounds:,} rounds, {', '.join(open_) or 'all of them whole'}"

    @property
    def share(self) -> str:
        """Rounded down: 100 % is said of nothing less than all."""
        return "none" if not self.wagers else f"{self.derived * 1000 // self.wagers / 10:.1f} %"


def among(columns: Mapping[str, Sequence[str]]) -> tuple[str, list[object]]:
    """A condition that each named column has one of the values given for it, and the values to bind; none given: any."""
    asked = {column: list(values) for column, values in columns.items() if values}
    condition = " and ".join(f'list_contains(?::varchar[], "{column}")' for column in asked)
    return condition or "true", list(asked.values())


def coverage(
    reader: Reader, period: Period = Period(), tables: Sequence[str] = (), dealers: Sequence[str] = ()
) -> Coverage:
    asked, values = among({"table": tables, "dealer": dealers})
    row = reader.sql(
        f"""
        select
            coalesce(sum(rounds), 0)::bigint, coalesce(sum(rounds_in_part), 0)::bigint,
            coalesce(sum(rounds_not), 0)::bigint, coalesce(sum(wagers), 0)::bigint, coalesce(sum(derived), 0)::bigint
        from {period.of(reader, "tallies")} where {period.holds} and {asked}
        """,
        values,
    ).row(0)
    return Coverage(*row)


def reasons_not_derived(reader: Reader, period: Period = Period(), tables: Sequence[str] = ()) -> pl.DataFrame:
    """Why rounds were derived in part or not at all, the commonest first."""
    asked, values = among({"table": tables})
    return reader.sql(
        f"""
        select reason, sum(rounds_in_part)::bigint as in_part, sum(rounds_not)::bigint as not_at_all,
            sum(wagers - derived)::bigint as wagers_open
        from {period.of(reader, "tallies")} where reason is not null and {period.holds} and {asked}
        group by reason order by sum(rounds) desc, reason
        """,
        values,
    )


@dataclass(frozen=True, slots=True)
class Freshness:
    """How far the log had been read for this snapshot, the latest event of that, and how much of the log came since."""

    position: int
    last_event_at: datetime | None
    waiting: int
    published_at: datetime

    def stands_still(self, now: datetime) -> bool:
        """Events wait, and nothing was published for longer than a pipeline that runs would take."""
        return self.waiting > 0 and now - self.published_at > STILL


def freshness(reader: Reader, data: Path) -> Freshness:
    position = reader.position()
    end = position
    if (data / DATABASE).exists():
        with Log.open(data) as log:
            end = log.end()
    published_at = datetime.fromtimestamp((data / STORE / PUBLISHED).stat().st_mtime, UTC)
    return Freshness(position, reader.last_event_at(), end - position, published_at)


def in_dollars(rows: pl.DataFrame) -> pl.DataFrame:
    """Cents as exact decimals, which sort as numbers and are read as money."""
    return rows.with_columns(
        (pl.col(name).cast(pl.Decimal(18, 2)) / 100).alias(name) for name in MONEY if name in rows.columns
    )


@dataclass(frozen=True, slots=True)
class Seen:
    """Who and what dealt rounds, and from which gaming day to which: what there is to choose from."""

    tables: list[str]
    games: list[str]
    dealers: list[str]
    days: tuple[date, date] | None


def seen(reader: Reader) -> Seen:
    found = reader.sql(
        'select "table", game, dealer, min(day) as first, max(day) as last from current_tallies group by all'
    )
    tables, games, dealers = (sorted(set(found[name].drop_nulls())) for name in ("table", "game", "dealer"))
    days = found.select(pl.col("first").min(), pl.col("last").max()).row(0)
    return Seen(tables, games, dealers, None if found.is_empty() else days)
