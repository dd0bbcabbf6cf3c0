"""The store's file: its tables, how it begins, and the facts that lie beside it between two batches.

What must survive a restart besides the rows (the carry, and events that wait for missing ones) lies in a file named by its
digest, written before the transaction that names it.
"""

import fcntl
import hashlib
import io
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, Final

import duckdb
import polars as pl

from detectors import published
from detectors.published import KINDS, STORE
from ingest import cases, log
from replay import facts

TODAY: Final = "today.duckdb"
BASE: Final = "base.duckdb"
CARRY: Final = "carry"

_TYPES: Final[dict[pl.DataType, str]] = {
    pl.String(): "varchar",
    pl.Int64(): "bigint",
    pl.Int16(): "smallint",
    pl.Boolean(): "boolean",
    pl.Date(): "date",
    pl.Datetime("us", "UTC"): "timestamptz",
    pl.List(pl.Int64()): "bigint[]",
}
BOOKS: Final[dict[str, dict[str, pl.DataType]]] = {
    # What people did about findings, each row with its position in the log's stream of cases.
    "cases": cases.SCHEMA,
    # Rows of the table derived from events after seq `since`, and written before this position, are replaced.
    "revisions": {"table": pl.String(), "since": pl.Int64(), "position": pl.Int64()},
    # Batch 0 is where the file began: before the first event, or at the last sealing.
    "batches": {
        "batch": pl.Int64(),
        "position": pl.Int64(),
        "read_to": pl.Int64(),
        "carry": pl.String(),
        "events": pl.Int64(),
        "last_event_at": pl.Datetime("us", "UTC"),
        **dict.fromkeys(KINDS, pl.Int64()),
        "revisions": pl.Int64(),
    },
    "sealed": {
        "through": pl.Date(),
        "day": pl.Date(),
        "kind": pl.String(),
        "file": pl.String(),
        "rows": pl.Int64(),
        "bytes": pl.Int64(),
        "digest": pl.String(),
    },
}


class Busy(Exception):
    """Another pipeline writes this store."""


class Unsound(Exception):
    """The store cannot be what the log made of it; the message says why."""


@dataclass(frozen=True, slots=True)
class State:
    """Where in the log the store stands, and what the next batch goes on from."""

    position: int
    events: int
    last_event_at: datetime | None
    carry: pl.DataFrame
    held: pl.DataFrame  # read, but not derived yet: they wait for others
    # Only where the rows come from topics (`detectors.sink`). A position then numbers the batches of rows, and beside it stands
    # how far the log was audited, and how far each topic was read.
    audited: int | None = None
    offsets: str | None = None

    @property
    def read_to(self) -> int:
        return self.position if self.audited is None else self.audited


NOTHING_READ: Final = State(0, 0, None, facts.none(), pl.DataFrame(schema=log.SCHEMA))


def locked(file: Path) -> IO[bytes]:
    """A lock that is held until it is closed or its holder is gone, however it went."""
    lock = file.open("ab")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        raise Busy(f"{file.parent}: another pipeline is writing this store; stop it before starting one here") from None
    return lock


# How a file begins


def as_left(folder: Path) -> None:
    if not (folder / STORE / TODAY).exists():
        raise Unsound(f"{TODAY} is gone")


def from_base(folder: Path) -> None:
    _remove(folder / STORE / TODAY)
    published.replace(folder / STORE / BASE, folder / STORE / TODAY)


def from_nothing(folder: Path) -> None:
    _remove(folder / STORE / TODAY)
    (folder / STORE / BASE).unlink(missing_ok=True)
    draft = folder / STORE / f".{TODAY}.draft"
    create(draft, NOTHING_READ, keep(folder, NOTHING_READ), {})
    published.name(draft, folder / STORE / TODAY)


def _remove(file: Path) -> None:
    # The log of changes first: DuckDB would apply it to the next file of this name.
    file.with_name(f"{file.name}.wal").unlink(missing_ok=True)
    file.unlink(missing_ok=True)


def create(file: Path, state: State, carry: str, books: Mapping[str, pl.DataFrame]) -> None:
    """A file without rows that goes on from a state."""
    _remove(file)
    with closing(published.attached(file, read_only=False)) as connection:
        # Without keys or indexes: DuckDB's have open corruption bugs, and rows are unique because ids are digests.
        for table, schema in {**KINDS, **BOOKS}.items():
            columns = ", ".join(f'"{name}" {_TYPES[dtype]}' for name, dtype in schema.items())
            connection.execute(f"create table store.{table} ({columns})")
        rows = dict.fromkeys((*KINDS, "revisions"), 0)
        for table, content in books.items():
            append(connection, table, content)
            rows |= {table: content.height} if table in rows else {}
        append(connection, "batches", batch(0, state, carry, rows))
        connection.execute("checkpoint store")


def append(connection: duckdb.DuckDBPyConnection, table: str, rows: pl.DataFrame) -> None:
    connection.register("appended", rows)
    connection.execute(f"insert into store.{table} by name select * from appended")
    connection.unregister("appended")


def batch(number: int, state: State, carry: str, rows: Mapping[str, int]) -> pl.DataFrame:
    values = {
        "batch": number,
        "position": state.position,
        "read_to": state.read_to,
        "carry": carry,
        "events": state.events,
        "last_event_at": state.last_event_at,
        **rows,
    }
    return pl.DataFrame([values], schema=BOOKS["batches"])


# What lies beside it


def keep(folder: Path, state: State) -> str:
    """Carry, held events and offsets on the disk, in one file; its digest."""
    content = (state.offsets or "").encode() + b"\n" + packed(state.carry, state.held)
    digest = _digest(content)
    file = folder / STORE / CARRY / f"{digest}.arrow"
    draft = file.with_suffix(".draft")
    draft.write_bytes(content)
    published.name(draft, file)
    return digest


def kept(folder: Path, digest: str) -> tuple[pl.DataFrame, pl.DataFrame, str | None]:
    file = folder / STORE / CARRY / f"{digest}.arrow"
    if not file.exists():
        raise Unsound("the facts it carried on are gone")
    content = file.read_bytes()
    if _digest(content) != digest:
        raise Unsound("the facts it carried on were changed")
    offsets, _, facts_ = content.partition(b"\n")
    return *unpacked(facts_), offsets.decode() or None


def packed(carry: pl.DataFrame, held: pl.DataFrame) -> bytes:
    """Carry and held events as one piece."""
    parts = pl.concat([carry.with_columns(held=False), held.with_columns(held=True)], how="diagonal")
    buffer = io.BytesIO()
    parts.write_ipc(buffer, compression="zstd")
    return buffer.getvalue()


def unpacked(content: bytes) -> tuple[pl.DataFrame, pl.DataFrame]:
    try:
        parts = pl.read_ipc(content)
    except pl.exceptions.PolarsError as error:
        raise Unsound(f"the facts it carried on cannot be read ({error})") from None
    if any(parts.schema.get(name) != dtype for name, dtype in {**facts.SCHEMA, **log.SCHEMA}.items()):
        raise Unsound("the facts it carried on are those of another version")
    return parts.filter(~pl.col("held")).select(*facts.SCHEMA), parts.filter("held").select(*log.SCHEMA)


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()
