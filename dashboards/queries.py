"""Every question the pages and the command ask of what was published, each by its name."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

import polars as pl

from dashboards.story import Story, stories
from detectors.published import PUBLISHED, STORE, Reader
from ingest.log import DATABASE, Log
from replay import pieces

SEVERITIES: Final = ("critical", "major", "minor", "advisory")
MONEY: Final = ("owed", "paid", "amount")

Snapshot = tuple[int, int]


def snapshot(data: Path) -> Snapshot | None:
    """Which snapshot is published now; None if none is. A new one is another file under the same name."""
    try:
        found = (data / STORE / PUBLISHED).stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_mtime_ns


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


def coverage(reader: Reader) -> Coverage:
    row = reader.sql(
        """
        select
            count(*) as rounds,
            count(*) filter (derived > 0 and (derived < wagers or reason is not null)) as in_part,
            count(*) filter (derived = 0 and (wagers > 0 or reason is not null)) as not_at_all,
            coalesce(sum(wagers), 0)::bigint as wagers,
            coalesce(sum(derived), 0)::bigint as derived
        from current_rounds
        """
    ).row(0)
    return Coverage(*row)


def reasons_not_derived(reader: Reader) -> pl.DataFrame:
    """Why wagers could not be derived, the commonest first."""
    return reader.sql(
        """
        select regexp_replace(reason, 'seq \\d+', 'seq …', 'g') as reason, count(*) as wagers
        from current_settlements where owed is null
        group by all order by wagers desc, reason
        """
    )


def severities(reader: Reader) -> dict[str, int]:
    """How many findings of each severity; a severity without any is there with 0."""
    found = dict(reader.sql("select severity, count(*) from current_findings group by all").iter_rows())
    return {severity: found.get(severity, 0) for severity in SEVERITIES}


def findings(reader: Reader) -> pl.DataFrame:
    """All findings, the latest first."""
    return reader.findings().sort("at", "table", "code", "id", descending=[True, False, False, False])


def finding(reader: Reader, id: str) -> dict[str, object] | None:
    found = reader.findings().filter(pl.col("id") == id)
    return found.row(0, named=True) if found.height else None


def found_since(reader: Reader, position: int) -> pl.DataFrame:
    """The findings that were derived from what came into the log after a position, in the order they happened."""
    return reader.sql(
        """
        select id, code, name, severity, "table", round, message, clause, amount, "at"
        from current_findings where position > ? order by "at", "table", code, id
        """,
        [position],
    )


@dataclass(frozen=True, slots=True)
class Freshness:
    """How far the log had been read for this snapshot, the latest event of that, and how much of the log came since."""

    position: int
    last_event_at: datetime | None
    waiting: int


def freshness(reader: Reader, data: Path) -> Freshness:
    position = reader.position()
    end = position
    if (data / DATABASE).exists():
        with Log.open(data) as log:
            end = log.end()
    return Freshness(position, reader.last_event_at(), end - position)


def round_stories(data: Path, table: str, round: int) -> list[Story]:
    """The round as the log tells it, derived again on the spot."""
    with Log.open(data) as log:
        events = log.table_events(table).drop("position")
    return stories(pieces.ascending([events]), table, round)


def in_dollars(rows: pl.DataFrame) -> pl.DataFrame:
    """Cents as exact decimals, which sort as numbers and are read as money."""
    return rows.with_columns((pl.col(name).cast(pl.Decimal(18, 2)) / 100).alias(name) for name in MONEY)
