"""The embedded log: every event once, in the order it was stored, in one SQLite file that many processes may share.

A batch is stored whole and durably before `append` returns. A repeat changes nothing; a second content for the same `seq`
is kept beside the first, since it is evidence. Finished gaming days move to Parquet (`ingest.sealing`) and are read from
there; whoever reads by position, table or round sees no difference.
"""

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Final, Self, TypeAlias

import msgspec
import polars as pl
from msgspec import Struct

from ingest import frame, wire

DATABASE: Final = "events.sqlite"
SEALED: Final = "sealed"
SCHEMA: Final = {"position": pl.Int64(), **frame.SCHEMA}
# A writer waits this long for the others; a batch takes milliseconds, the record of a sealed day some seconds.
_PATIENCE_SECONDS: Final = 120
_LAST: Final = 2**63 - 1

_TABLES: Final = """
create table event (
    position integer primary key autoincrement,  -- never given twice, also after its row was sealed
    tbl text not null,
    seq integer not null,
    variant integer not null,                    -- 0, and 1, 2 … for further contents of the same seq
    round integer,
    content blob not null,                       -- canonical, without the fields nobody named
    extra text,
    unique (tbl, seq, variant)
) strict;
create table dead (
    id integer primary key autoincrement,
    file text not null,
    line integer not null,
    reason text not null,
    content blob not null,
    unique (file, line, content)
) strict;
create table sealed (
    file text primary key,
    day text not null,
    events integer not null,
    last_position integer not null
) strict, without rowid;
create table sealed_table (
    tbl text not null,
    file text not null references sealed (file),
    first_seq integer not null,
    last_seq integer not null,
    primary key (tbl, file)
) strict, without rowid;
"""


class Receipt(Struct, frozen=True):
    """What became of a batch. Every event of it is in the log when this is returned, up to `position`."""

    appended: int
    repeated: int
    conflicting: int
    dead: int
    position: int


class Counts(Struct, frozen=True):
    events: int
    dead: int
    tables: int
    sealed_days: int


class _Key(Struct, gc=False):
    table: str
    seq: int
    round: int | None = None


class _Row(Struct, frozen=True, gc=False):
    table: str
    seq: int
    round: int | None
    content: bytes
    extra: str | None


_KEYS: Final = msgspec.json.Decoder(_Key)
_Contents: TypeAlias = dict[tuple[str, int], list[tuple[bytes, str | None]]]
_Storing: TypeAlias = Callable[[sqlite3.Connection, Sequence[_Row], _Contents], tuple[int, int]]


class _SeqTaken(Exception):
    """A row met another content of its `seq`, or the same one."""


class Log:
    """One connection to the log: for one thread. Open another for the next."""

    def __init__(self, folder: Path, connection: sqlite3.Connection) -> None:
        self.folder = folder
        self._connection = connection

    @classmethod
    def open(cls, folder: str | Path) -> "Log":
        """The log in a folder, made if there is none; several processes may do this at the same moment."""
        place = Path(folder)
        database = place / DATABASE
        if not database.exists():
            _create(place)
        connection = sqlite3.connect(database, timeout=_PATIENCE_SECONDS, isolation_level=None)
        connection.execute("pragma synchronous = full")
        connection.execute("pragma cache_size = -65536")
        connection.execute("pragma wal_autocheckpoint = 8000")
        return cls(place, connection)

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def transaction(self, kind: str = "immediate") -> Iterator[sqlite3.Connection]:
        """All or nothing. `deferred` is a reader's: one moment of the log, however long it takes to look at it."""
        self._connection.execute(f"begin {kind}")
        try:
            yield self._connection
        except BaseException:
            self._connection.execute("rollback")
            raise
        self._connection.execute("commit")

    def append(self, batch: wire.Batch) -> Receipt:
        """Store a batch, all of it or nothing; it is on the disk when this returns."""
        rows = _rows(batch)
        try:
            return self._append(rows, batch.dead, _stored_at_once)
        except _SeqTaken:
            return self._append(rows, batch.dead, _stored_one_by_one)

    def _append(self, rows: Sequence[_Row], dead: Sequence[wire.DeadLetter], stored: _Storing) -> Receipt:
        with self.transaction() as connection:
            appended, conflicting = stored(connection, rows, self._sealed_contents(connection, rows))
            new_dead = connection.executemany(
                "insert into dead (file, line, reason, content) values (?, ?, ?, ?) on conflict do nothing",
                [(letter.file, letter.line, letter.reason, letter.content) for letter in dead],
            ).rowcount
            position = _end(connection)
        return Receipt(appended, len(rows) - appended - conflicting, conflicting, new_dead, position)

    def _sealed_contents(self, connection: sqlite3.Connection, rows: Sequence[_Row]) -> _Contents:
        """What sealed files hold between the first and last `seq` that each table has in these rows."""
        contents: _Contents = {}
        for table, (first, last) in _seq_ranges(rows).items():
            files = connection.execute(
                "select file from sealed_table where tbl = ? and first_seq <= ? and last_seq >= ?", (table, last, first)
            )
            for (file,) in files.fetchall():
                found = (
                    self._scan(file).filter(pl.col("table") == table, pl.col("seq").is_between(first, last)).collect()
                )
                keys = found.select("table", "seq").rows()
                for key, content in zip(keys, _split(found), strict=True):
                    contents.setdefault(key, []).append(content)
        return contents

    def read(self, after: int, limit: int) -> tuple[pl.DataFrame, int]:
        """At most `limit` events stored after a position, in the order they were stored, and the position reached."""
        with self.transaction("deferred") as connection:
            files = connection.execute("select file from sealed where last_position > ?", (after,)).fetchall()
            rows = connection.execute(
                "select position, content, extra from event where position > ? order by position limit ?",
                (after, limit),
            ).fetchall()
        parts = [
            self._scan(file).filter(pl.col("position") > after).sort("position").head(limit).collect()
            for (file,) in files
        ]
        events = pl.concat([*parts, _frame(rows)]).sort("position").head(limit)
        return events, events["position"].item(-1) if events.height else after

    def table_events(self, table: str, first: int = 1, last: int = _LAST) -> pl.DataFrame:
        """The events of a table from one `seq` to another, in that order; contents that contest one in the order they came."""
        return self._events(
            (pl.col("table") == table) & pl.col("seq").is_between(first, last),
            "tbl = ? and seq between ? and ?",
            (table, first, last),
            (first, last),
        )

    def round_events(self, table: str, round: int) -> pl.DataFrame:
        """The events that name a round of a table, in the order of `seq`."""
        return self._events(
            (pl.col("table") == table) & (pl.col("round") == round), "tbl = ? and round = ?", (table, round), (1, _LAST)
        )

    def _events(
        self, sealed: pl.Expr, unsealed: str, values: tuple[str | int, ...], span: tuple[int, int]
    ) -> pl.DataFrame:
        with self.transaction("deferred") as connection:
            files = connection.execute(
                "select file from sealed_table where tbl = ? and last_seq >= ? and first_seq <= ?", (*values[:1], *span)
            ).fetchall()
            rows = connection.execute(f"select position, content, extra from event where {unsealed}", values).fetchall()
        parts = [self._scan(file).filter(sealed).collect() for (file,) in files]
        return pl.concat([*parts, _frame(rows)]).sort("seq", "position")

    def live_tables(self) -> list[str]:
        """The tables that have events not sealed yet."""
        # Each step leaps to the next table in the index, past all the events of this one.
        names = self._connection.execute(
            """
            with recursive leap (tbl) as (
                select min(tbl) from event
                union all
                select (select min(tbl) from event where event.tbl > leap.tbl) from leap where tbl is not null
            )
            select tbl from leap where tbl is not null order by tbl
            """
        )
        return [name for (name,) in names]

    def live_events(self, table: str) -> pl.DataFrame:
        """The events of a table that are not sealed yet."""
        return _frame(
            self._connection.execute("select position, content, extra from event where tbl = ?", (table,)).fetchall()
        )

    def last_live_events(self) -> pl.DataFrame:
        """The last event of each table that has events not sealed yet."""
        with self.transaction("deferred") as connection:
            rows = [
                connection.execute(
                    "select position, content, extra from event where tbl = ? order by seq desc, variant limit 1",
                    (name,),
                ).fetchone()
                for name in self.live_tables()
            ]
        return _frame(rows)

    def sealed_files(self) -> set[str]:
        return {file for (file,) in self._connection.execute("select file from sealed")}

    def _scan(self, file: str) -> pl.LazyFrame:
        return pl.scan_parquet(self.folder / SEALED / file, glob=False)

    def tables(self) -> list[str]:
        sealed = self._connection.execute("select distinct tbl from sealed_table")
        return sorted({*self.live_tables(), *(name for (name,) in sealed)})

    def last_events(self) -> list[tuple[str, int, datetime]]:
        """Of each table the last event: its seq and when it was seen."""
        with self.transaction("deferred") as connection:
            sealed = connection.execute("select tbl, file, max(last_seq) from sealed_table group by tbl").fetchall()
            # Of max() alone SQLite takes the other columns from the row that has it.
            live = connection.execute("select position, content, extra, max(seq) from event group by tbl").fetchall()
        found = {event["table"]: event for event in _frame([row[:3] for row in live]).iter_rows(named=True)}
        for table, file, seq in sealed:
            if table not in found or found[table]["seq"] < seq:
                last = self._scan(file).filter(pl.col("table") == table, pl.col("seq") == seq).head(1).collect()
                found[table] = last.row(0, named=True)
        return [(table, found[table]["seq"], found[table]["at"]) for table in sorted(found)]

    def end(self) -> int:
        """The position of the event stored last; 0 while there is none."""
        return _end(self._connection)

    def counts(self) -> Counts:
        with self.transaction("deferred") as connection:
            (live,) = connection.execute("select count(*) from event").fetchone()
            sealed, days = connection.execute("select total(events), count(distinct day) from sealed").fetchone()
            (dead,) = connection.execute("select count(*) from dead").fetchone()
            return Counts(events=live + int(sealed), dead=dead, tables=len(self.tables()), sealed_days=days)

    def dead_letters(self) -> list[wire.DeadLetter]:
        rows = self._connection.execute("select reason, content, line, file from dead order by id")
        return [wire.DeadLetter(*row) for row in rows]


def _create(folder: Path) -> None:
    """Make the database whole under another name and link it into place, so that nobody ever sees half of one.

    Two processes that set up one file between them is how a log comes to say "database is locked"; here the second to
    link finds the first one's file and uses it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / SEALED).mkdir(exist_ok=True)
    draft = folder / f".{DATABASE}.{os.getpid()}.{threading.get_ident()}"
    draft.unlink(missing_ok=True)
    try:
        connection = sqlite3.connect(draft, isolation_level=None)
        connection.execute("pragma journal_mode = wal")
        connection.executescript(_TABLES)
        connection.close()
        with suppress(FileExistsError):
            os.link(draft, folder / DATABASE)
    finally:
        draft.unlink(missing_ok=True)
    synced(folder)


def synced(path: Path) -> None:
    """A file or folder on the disk, not only in the cache."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _rows(batch: wire.Batch) -> list[_Row]:
    if not batch.contents:
        return []
    contents = batch.contents
    if any(batch.extras):
        contents = [
            wire.core(content) if extra is not None else content
            for content, extra in zip(contents, batch.extras, strict=True)
        ]
    keys = _KEYS.decode_lines(b"\n".join(contents))
    return [
        _Row(key.table, key.seq, key.round, content, extra)
        for key, content, extra in zip(keys, contents, batch.extras, strict=True)
    ]


def _seq_ranges(rows: Sequence[_Row]) -> dict[str, tuple[int, int]]:
    seqs: dict[str, list[int]] = {}
    for row in rows:
        seqs.setdefault(row.table, []).append(row.seq)
    return {table: (min(each), max(each)) for table, each in seqs.items()}


_INSERT: Final = "insert into event (tbl, seq, round, content, extra, variant) values (?, ?, ?, ?, ?, ?)"


def _stored_at_once(connection: sqlite3.Connection, rows: Sequence[_Row], sealed: _Contents) -> tuple[int, int]:
    """The common case, all rows new. The first that is not leaves it to the closer look at every row."""
    stored = connection.executemany(
        f"{_INSERT} on conflict do nothing",
        [(row.table, row.seq, row.round, row.content, row.extra, 0) for row in rows if not sealed],
    ).rowcount
    if stored < len(rows):
        raise _SeqTaken
    return stored, 0


def _stored_one_by_one(connection: sqlite3.Connection, rows: Sequence[_Row], sealed: _Contents) -> tuple[int, int]:
    appended = conflicting = 0
    for row in rows:
        known = (
            sealed.get((row.table, row.seq), [])
            + connection.execute(
                "select content, extra from event where tbl = ? and seq = ?", (row.table, row.seq)
            ).fetchall()
        )
        if (row.content, row.extra) in known:
            continue
        connection.execute(_INSERT, (row.table, row.seq, row.round, row.content, row.extra, len(known)))
        appended += not known
        conflicting += bool(known)
    return appended, conflicting


def _end(connection: sqlite3.Connection) -> int:
    row = connection.execute("select seq from sqlite_sequence where name = 'event'").fetchone()
    return int(row[0]) if row else 0


def _frame(rows: Sequence[tuple[int, bytes, str | None]]) -> pl.DataFrame:
    if not rows:
        return pl.DataFrame(schema=SCHEMA)
    positions, contents, extras = zip(*rows, strict=True)
    events = frame.from_contents(contents).with_columns(extra=pl.Series(extras, dtype=pl.String))
    return events.select(pl.Series("position", positions, dtype=pl.Int64), pl.all())


def _split(events: pl.DataFrame) -> Iterator[tuple[bytes, str | None]]:
    cores = frame.to_contents(events.with_columns(extra=pl.lit(None, pl.String)))
    return zip(cores, events["extra"], strict=True)
