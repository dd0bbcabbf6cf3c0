"""What the pipeline published: a snapshot that any number of readers open while the next one is being derived.

A snapshot is a copy of the store's file under its final name, replaced whole. A reader keeps the one it opened, so all its
answers are of one position in the log; it never waits for the pipeline, nor the pipeline for it.
"""

import glob
import os
import shutil
from datetime import date, datetime
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import duckdb
import polars as pl

from detectors import finding
from detectors.audit import ROUNDS, SETTLEMENTS
from ingest import log, sealing

STORE: Final = "store"
PUBLISHED: Final = "published.duckdb"

# Every row says up to which position the log was read when it was derived, up to which seq its table was derived then, and
# the gaming day it belongs to.
_DERIVED: Final[dict[str, pl.DataType]] = {"position": pl.Int64(), "through": pl.Int64(), "day": pl.Date()}
KINDS: Final[dict[str, dict[str, pl.DataType]]] = {
    "findings": {**finding.SCHEMA, **_DERIVED},
    "settlements": {**SETTLEMENTS, **_DERIVED},
    "rounds": {**ROUNDS, **_DERIVED},
}
# Rounds added up by hour, so that a page asks a year of them as quickly as a day. Sealed beside the rows they sum.
TALLIES: Final = "tallies"
_KEPT: Final = (*KINDS, TALLIES)
_UNSEEN: Final = "(wagers > 0 or reason is not null)"
# The order of a kind's rows that says the same however they were derived.
ORDER: Final = {
    TALLIES: ("day", "hour", "table", "game", "dealer", "reason"),
    "findings": ("table", "at", "code", "id"),
    "settlements": tuple(name for name in KINDS["settlements"] if name not in _DERIVED),
    "rounds": ("table", "first_seq"),
}


class NotPublished(Exception):
    """There is no snapshot to read."""


class Reader:
    """One snapshot. `sql` sees the views `current_findings`, `current_settlements` and `current_rounds`.

    A call has a cursor of its own, so threads may share a reader.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, folder: Path) -> None:
        self._connection = connection
        self._folder = folder

    @classmethod
    def open(cls, folder: str | Path) -> "Reader":
        file = Path(folder) / STORE / PUBLISHED
        if not file.exists():
            raise NotPublished(f"{file}: nothing was published yet; start the pipeline on this folder first")
        connection = attached(file, read_only=True)
        look(connection, Path(folder))
        return cls(connection, Path(folder))

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def sql(self, query: str, values: list[object] | None = None) -> pl.DataFrame:
        answer: pl.DataFrame = self._connection.cursor().sql(query, params=values).pl()
        return answer

    def findings(self) -> pl.DataFrame:
        return self._rows("findings")

    def settlements(self) -> pl.DataFrame:
        return self._rows("settlements")

    def rounds(self) -> pl.DataFrame:
        return self._rows("rounds")

    def _rows(self, kind: str) -> pl.DataFrame:
        columns = ", ".join(f'"{name}"' for name in KINDS[kind] if name not in _DERIVED)
        return self.sql(f"select {columns} from current_{kind}").sort(ORDER[kind], nulls_last=True)

    def position(self) -> int:
        """How far the log was read."""
        return int(self._last_batch()["read_to"].item())

    def last_event_at(self) -> datetime | None:
        """When the latest event that was read had been seen."""
        moment: datetime | None = self._last_batch()["last_event_at"].item()
        return moment

    def over(self, kind: str, first: date | None, last: date | None) -> str:
        """What to ask for a kind's rows of some gaming days: the files of other days are not opened. Rows that are not sealed are
        in it whatever their day."""
        if first is None and last is None:
            return f"current_{kind}"
        sealed = self.sql("select file, day from store.sealed where kind = ? order by file", [kind]).iter_rows()
        files = [self._folder / file for file, day in sealed if (first or day) <= day <= (last or day)]
        return f"({_holding_in(kind, files)})"

    def gaming_day(self) -> date | None:
        day: date | None = self._last_batch().select(sealing.gaming_day(pl.col("last_event_at"))).item()
        return day

    def _last_batch(self) -> pl.DataFrame:
        return self.sql("select read_to, last_event_at from store.batches order by batch desc limit 1")


def export(reader: Reader) -> bytes:
    """All current rows in an order of their own: two runs over the same events give the same bytes."""
    return b"".join(
        f"{kind}\n".encode() + rows.write_ndjson().encode()
        for kind, rows in (
            ("findings", reader.findings()),
            ("settlements", reader.settlements()),
            ("rounds", reader.rounds()),
        )
    )


def attached(file: Path, read_only: bool) -> duckdb.DuckDBPyConnection:
    """A connection of its own with the file attached as `store`.

    Connecting to the file itself would share one instance by its path within a process: after a new snapshot took the name,
    everybody there would go on seeing the old one.
    """
    connection = duckdb.connect(config={"autoinstall_known_extensions": False, "autoload_known_extensions": False})
    try:
        # Not in the config: DuckDB would look for an extension there, on the disk and on the network. Global: for cursors too.
        connection.execute("set global TimeZone = 'UTC'")
        connection.execute(f"attach {quoted(file)} as store ({'read_only' if read_only else 'read_write'})")
    except duckdb.Error:
        connection.close()
        raise
    return connection


def quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"


def look(connection: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """The views of what holds now: today's rows and the sealed days', less those that a later revision replaced.

    `recent_…` are those of the gaming day at hand and the one before it: a page that looks every other second must not open
    the files of a whole year each time.
    """
    sealed = connection.sql("select kind, file, day from store.sealed order by file").fetchall()
    ((latest,),) = connection.sql("select max(last_event_at) from store.batches").fetchall()
    recent = None if latest is None else sealing.last_finished_day(latest)
    for kind in _KEPT:
        files = [(folder / file, day) for of, file, day in sealed if of == kind]
        lately = [file for file, day in files if recent is None or day >= recent]
        since = "" if recent is None else f"where day >= date '{recent}'"
        connection.execute(f"create or replace view current_{kind} as {_holding_in(kind, [file for file, _ in files])}")
        connection.execute(
            f"create or replace view recent_{kind} as select * from ({_holding_in(kind, lately)}) {since}"
        )


def tally(rounds: str) -> str:
    """The rounds of a query added up by gaming day, hour, table, game, dealer, and the reason where not all is derived."""
    return f"""
        select
            day, hour(began_at)::smallint as hour, "table", game, dealer,
            regexp_replace(reason, 'seq \\d+', 'seq …', 'g') as reason,
            count(*) as rounds,
            count(*) filter (derived > 0 and (derived < wagers or reason is not null)) as rounds_in_part,
            count(*) filter (derived = 0 and {_UNSEEN}) as rounds_not,
            count(*) filter (voided) as voided,
            coalesce(sum(wagers), 0)::bigint as wagers,
            coalesce(sum(derived), 0)::bigint as derived,
            coalesce(sum(handle), 0)::bigint as handle,
            max(position) as position,
            max(through) as through
        from ({rounds}) group by all
    """


def _holding_in(kind: str, files: list[Path]) -> str:
    """What holds of today's rows and of those in some sealed files."""
    return " union all ".join([_of_today(kind), *_holding(_in_files(kind, files))])


def _of_today(kind: str) -> str:
    if kind == TALLIES:
        return f"select * from ({tally(_of_today('rounds'))})"
    columns = ", ".join(f'"{name}"' for name in KINDS[kind])
    (holding,) = _holding([f"select {columns} from store.{kind}"])
    return holding


def _in_files(kind: str, files: list[Path]) -> list[str]:
    if not files:
        return []
    columns = "*" if kind == TALLIES else ", ".join(f'"{name}"' for name in KINDS[kind])
    # DuckDB takes a path for a pattern.
    paths = ", ".join(quoted(Path(glob.escape(str(file)))) for file in files)
    return [f"select {columns} from read_parquet([{paths}], hive_partitioning = false)"]


def _holding(sources: list[str]) -> list[str]:
    """Rows that no later revision replaced. A tally has the position and the seq of the last round in it: sealed rounds of a
    table are replaced all together or not at all."""
    # A join of its own: as a correlated subquery it costs more than the rest of a question about a year, even if nothing was
    # replaced.
    return [
        f"""
        select row.* from ({source}) as row
        anti join store.revisions on revisions."table" = row."table"
            and revisions.since < row.through and row.position < revisions.position
        """
        for source in sources
    ]


def publish(connection: duckdb.DuckDBPyConnection, today: Path) -> None:
    connection.execute("checkpoint store")
    replace(today, today.with_name(PUBLISHED))


def replace(source: Path, target: Path) -> None:
    """A copy that takes the target's name when it is whole and on the disk."""
    draft = target.with_name(f".{target.name}.draft")
    shutil.copyfile(source, draft)
    name(draft, target)


def name(draft: Path, target: Path) -> None:
    log.synced(draft)
    os.replace(draft, target)
    log.synced(target.parent)
