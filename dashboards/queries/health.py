"""Whether the audit itself is well: how far behind, how old, what could not be read, and what the last self-check said."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from detectors.published import PUBLISHED, STORE, Reader
from detectors.store import CHECK
from ingest.log import DATABASE, Log


@dataclass(frozen=True, slots=True)
class Health:
    log_position: int
    store_position: int
    events: int
    tables: int
    dead: int
    sealed_days: int
    published_at: datetime
    last_event_at: datetime | None
    checked_at: datetime | None
    check: str | None

    @property
    def lag(self) -> int:
        return self.log_position - self.store_position

    def store_age(self, now: datetime) -> float:
        """Seconds since the pipeline last published."""
        return (now - self.published_at).total_seconds()


def health(reader: Reader, data: Path) -> Health:
    with Log.open(data) as log:
        position, counts = log.end(), log.counts()
    checked = data / STORE / CHECK
    found = checked.exists()
    return Health(
        log_position=position,
        store_position=reader.position(),
        events=counts.events,
        tables=counts.tables,
        dead=counts.dead,
        sealed_days=counts.sealed_days,
        published_at=_modified(data / STORE / PUBLISHED),
        last_event_at=reader.last_event_at(),
        checked_at=_modified(checked) if found else None,
        check=checked.read_text("utf-8") if found else None,
    )


def _modified(file: Path) -> datetime:
    return datetime.fromtimestamp(file.stat().st_mtime, UTC)


def dead_letters(data: Path) -> pl.DataFrame:
    """Lines that were no events: where from, why, and the bytes as they came (what is no text in them as escapes)."""
    with Log.open(data) as log:
        letters = log.dead_letters()
    return pl.DataFrame(
        [
            (each.reason, each.file, each.line, len(each.content), each.content.decode("utf-8", "backslashreplace"))
            for each in letters
        ],
        schema={"reason": pl.String, "file": pl.String, "line": pl.Int64, "size": pl.Int64, "content": pl.String},
        orient="row",
    )


def dead_reasons(letters: pl.DataFrame) -> pl.DataFrame:
    return letters.group_by("reason").agg(letters=pl.len()).sort("letters", "reason", descending=[True, False])


def recent_batches(reader: Reader) -> pl.DataFrame:
    """What the last steps of the pipeline wrote."""
    return reader.sql(
        """
        select batch, position, events, last_event_at, rounds, settlements, findings, revisions
        from store.batches order by batch desc limit 50
        """
    )


def sealed_files(reader: Reader) -> pl.DataFrame:
    """The files of the sealed days with their digests, the latest day first."""
    return reader.sql("select day, kind, rows, bytes, file, digest from store.sealed order by day desc, kind, file")


def has_log(data: Path) -> bool:
    return (data / DATABASE).exists()
