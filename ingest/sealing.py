"""Sealing: a finished gaming day leaves the database for a Parquet file that is never written again.

The order of steps makes every crash harmless. A file gets its name only when it is whole and on the disk; its rows leave
the database in the transaction that records the file. A named file without a record is one whose sealing was cut short
there, and the next `open_log` or `seal` finishes it.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Final

import polars as pl
import pyarrow.parquet

from ingest import log
from ingest.log import Log

CUTOVER_HOUR: Final = 10
_ROW_GROUP: Final = 250_000


class Damaged(Exception):
    """A sealed file that does not belong to its log."""


def gaming_day(at: pl.Expr, cutover_hour: int = CUTOVER_HOUR) -> pl.Expr:
    """The day an event counts to: the UTC day, which begins at the cutover hour."""
    return at.dt.offset_by(f"-{cutover_hour}h").dt.date()


def last_finished_day(now: datetime, cutover_hour: int = CUTOVER_HOUR) -> date:
    return (now.astimezone(UTC) - timedelta(hours=cutover_hour)).date() - timedelta(days=1)


def open_log(folder: str | Path) -> Log:
    """The log, with any sealing that was cut short finished."""
    opened = Log.open(folder)
    if _unrecorded(opened):
        with _alone(opened) as alone:
            if alone:
                _finish(opened)
    return opened


def seal(opened: Log, through: date, cutover_hour: int = CUTOVER_HOUR) -> list[Path]:
    """Seal every event up to a gaming day; the files written. Empty also when another process is at it."""
    with _alone(opened) as alone:
        if not alone:
            return []
        _finish(opened)
        drafts = _write_drafts(opened, through, cutover_hour)
        sealed = [_named(opened, day, draft) for day, draft in sorted(drafts.items())]
        for file in sealed:
            _record(opened, file)
        return sealed


@contextmanager
def _alone(opened: Log) -> Iterator[bool]:
    """True for one process at a time. The lock is a database's, since that is let go when its holder is killed."""
    lock = sqlite3.connect(opened.folder / "sealing.lock", timeout=0, isolation_level=None)
    try:
        try:
            lock.execute("begin exclusive")
        except sqlite3.OperationalError:
            yield False
            return
        yield True
    finally:
        lock.close()


def _write_drafts(opened: Log, through: date, cutover_hour: int) -> dict[date, Path]:
    """One unnamed file a day. A row group holds one table only, so a reader of that table skips the rest."""
    writers: dict[date, pyarrow.parquet.ParquetWriter] = {}
    drafts: dict[date, Path] = {}
    try:
        for table in opened.live_tables():
            events = opened.live_events(table).with_columns(day=gaming_day(pl.col("at"), cutover_hour))
            due = events.filter(pl.col("day") <= through).sort("seq", "position")
            for (day,), part in due.partition_by("day", as_dict=True, include_key=False).items():
                rows = part.to_arrow()
                if day not in writers:
                    drafts[day] = opened.folder / log.SEALED / f".{day}.draft"
                    writers[day] = pyarrow.parquet.ParquetWriter(drafts[day], rows.schema, compression="zstd")
                writers[day].write_table(rows, row_group_size=_ROW_GROUP)
    finally:
        for writer in writers.values():
            writer.close()
    return drafts


def _named(opened: Log, day: date, draft: Path) -> Path:
    """`2026-01-31.parquet`, and `2026-01-31.2.parquet` for what came late."""
    log.synced(draft)
    folder = opened.folder / log.SEALED
    parts = len(list(folder.glob(f"{day}*.parquet")))
    file = folder / (f"{day}.{parts + 1}.parquet" if parts else f"{day}.parquet")
    draft.rename(file)
    log.synced(folder)
    return file


def _record(opened: Log, file: Path) -> None:
    sealed = pl.scan_parquet(file, glob=False)
    positions = sealed.select("position").collect().to_series()
    spans = (
        sealed.group_by("table").agg(first=pl.col("seq").min(), last=pl.col("seq").max()).sort("table").collect().rows()
    )
    day = file.name[: len("2026-01-31")]
    with opened.transaction() as connection:
        deleted = connection.executemany(
            "delete from event where position = ?", ((position,) for position in positions)
        ).rowcount
        if deleted != len(positions):
            raise Damaged(f"{file}: {len(positions) - deleted:,} of its events are not in this log; move the file away")
        connection.execute(
            "insert into sealed (file, day, events, last_position) values (?, ?, ?, ?)",
            (file.name, day, len(positions), positions.max()),
        )
        connection.executemany(
            "insert into sealed_table (tbl, file, first_seq, last_seq) values (?, ?, ?, ?)",
            [(table, file.name, first, last) for table, first, last in spans],
        )


def _unrecorded(opened: Log) -> list[Path]:
    recorded = opened.sealed_files()
    return sorted(file for file in (opened.folder / log.SEALED).glob("*.parquet") if file.name not in recorded)


def _finish(opened: Log) -> None:
    for draft in (opened.folder / log.SEALED).glob(".*.draft"):
        draft.unlink()
    for file in _unrecorded(opened):
        _record(opened, file)
