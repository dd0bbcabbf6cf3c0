"""The store: what was derived from the log, in a DuckDB file that one pipeline writes and that can be rebuilt at any time.

A batch of rows and the position in the log that they come from are one transaction. Rows are only ever appended: where late
events make a table's earlier rows wrong, new ones are added beside a revision that says which they replace. Once a day all
rows move to Parquet, a folder a gaming day, and the file begins anew, so that publishing never costs more than a day's rows.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from types import TracebackType
from typing import IO, Final, Self

import duckdb
import polars as pl

from detectors import published, storefile
from detectors.audit import Audited
from detectors.published import KINDS, ORDER, STORE, TALLIES, Reader
from detectors.storefile import BASE, BOOKS, CARRY, TODAY, State, Unsound
from ingest import cases, log, sealing
from ingest.log import Log
from replay import facts

Disagreement = Callable[[State], str | None]

CHECK: Final = "check.txt"


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What opening the store found, in one sentence."""

    rebuilt: bool
    sentence: str


class Store:
    """The only writer of a data folder's store. `rows` reads what is written, published or not."""

    def __init__(self, folder: Path, lock: IO[bytes]) -> None:
        self.folder = folder
        self.report = CheckReport(False, "")
        self._lock = lock
        self._today = folder / STORE / TODAY
        self._connect()

    @classmethod
    def open(cls, folder: str | Path, of: Log, disagreement: Disagreement | None = None) -> "Store":
        """The store of a log. What does not agree with the log is left out, for the pipeline to derive again.

        `disagreement`: why the state of a store cannot be what its source made of it, if that is not the log itself.
        """
        place = Path(folder)
        (place / STORE / CARRY).mkdir(parents=True, exist_ok=True)
        lock = storefile.locked(place / STORE / "pipeline.lock")
        try:
            store = _opened(place, lock, of, disagreement or _disagreement_with(of))
        except BaseException:
            lock.close()
            raise
        # For the page that asks when the store was last compared with the log, and how that went: the file's own time tells.
        (place / STORE / CHECK).write_text(store.report.sentence, "utf-8")
        return store

    def _connect(self) -> None:
        self._connection = published.attached(self._today, read_only=False)
        try:
            self._miss_no_sealed_file()
            published.look(self._connection, self.folder)
            self.base = self._state("batch")
            self.state = self._state("batch desc")
        except (duckdb.Error, Unsound):
            self._connection.close()
            raise
        self.rows = Reader(self._connection, self.folder)

    def _state(self, order: str) -> State:
        found = self._connection.sql(
            f"select position, events, last_event_at, carry, read_to from store.batches order by {order} limit 1"
        ).fetchall()
        if not found:
            raise Unsound("its first batch is missing")
        position, events, last_event_at, digest, read_to = found[0]
        carry, held, offsets = storefile.kept(self.folder, digest)
        audited = None if offsets is None else read_to
        return State(position, events, last_event_at, carry, held, audited, offsets)

    def _miss_no_sealed_file(self) -> None:
        for file, size in self._connection.sql("select file, bytes from store.sealed").fetchall():
            path = self.folder / file
            if not path.exists() or path.stat().st_size != size:
                raise Unsound(f"{file} is gone or was changed")
        untallied = f"select day, count(*) filter (kind = 'rounds') as r, count(*) filter (kind = '{TALLIES}') as t"
        if self._number(f"select count(*) from ({untallied} from store.sealed group by day) where r <> t"):
            raise Unsound("some of its sealed days were not added up")

    def disconnect(self) -> None:
        self._connection.close()

    def close(self) -> None:
        self.disconnect()
        self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # Writing

    def write(self, audited: Sequence[Audited], state: State, replaced: Mapping[str, int]) -> None:
        """One batch, all of it or nothing. `replaced`: tables derived again, each with the seq after which it was."""
        carry = storefile.keep(self.folder, state)
        added = {kind: pl.concat(_stored(kind, each, state) for each in audited) for kind in KINDS} if audited else {}
        added["revisions"] = pl.DataFrame(
            [(table, since, state.position) for table, since in replaced.items()],
            schema=BOOKS["revisions"],
            orient="row",
        )
        number = self._number("select max(batch) + 1 from store.batches")
        self._connection.execute("begin")
        try:
            for table, rows in added.items():
                if not rows.is_empty():
                    storefile.append(self._connection, table, rows)
            counts = {table: added[table].height if table in added else 0 for table in (*KINDS, "revisions")}
            storefile.append(self._connection, "batches", storefile.batch(number, state, carry, counts))
        except BaseException:
            self._connection.execute("rollback")
            raise
        self._connection.execute("commit")
        self.state = state
        self._forget_carries()

    def fold(self, of: Log) -> int:
        """What people did about findings since the last look, into the store; how many facts that were."""
        new = cases.read(of, self._cases_read())
        if new.height:
            storefile.append(self._connection, "cases", new)
        return new.height

    def _cases_read(self) -> int:
        return self._number("select coalesce(max(case_position), 0) from store.cases")

    def _number(self, query: str) -> int:
        ((number,),) = self._connection.sql(query).fetchall()
        return int(number)

    def _forget_carries(self) -> None:
        """Keeps that of the file's beginning and the last two: a transaction may be lost with DuckDB's tail."""
        named = self._connection.sql(
            "select carry from store.batches where batch = 0 or batch >= (select max(batch) - 1 from store.batches)"
        )
        wanted = {carry for (carry,) in named.fetchall()}
        for file in (self.folder / STORE / CARRY).iterdir():
            if file.stem not in wanted:
                file.unlink()

    def tables_from_the_start(self) -> set[str]:
        """The tables derived again from their first event since the file began: its beginning is no longer theirs."""
        found = self._connection.sql(
            f'select distinct "table" from store.revisions where since = 0 and position > {self.base.position}'
        )
        return {table for (table,) in found.fetchall()}

    def publish(self) -> None:
        published.publish(self._connection, self._today)

    # Checking

    def problem(self, of: Log, disagreement: Disagreement) -> str | None:
        """Why this store cannot be what the log made of it; None if it can."""
        why = disagreement(self.state)
        if why is not None:
            return why
        for table in (*KINDS, "revisions"):
            # Hashed, so that every block of the file is read and its checksum compared.
            stored = self._number(f"select count(hash(row)) from store.{table} as row")
            written = self._number(f"select sum({table}) from store.batches")
            if stored != written:
                return f"it holds {stored:,} of {written:,} rows of {table}"
        held, folded = cases.count(of, self._cases_read()), self._number("select count(*) from store.cases")
        if folded != held:
            return f"it holds {folded:,} of {held:,} facts of cases"
        return self._base_problem()

    def _base_problem(self) -> str | None:
        base = self._today.with_name(BASE)
        if not base.exists():
            return None
        first = "select position, carry from store.batches order by batch limit 1"
        with closing(published.attached(base, read_only=True)) as connection:
            same = connection.sql(first).fetchall() == self._connection.sql(first).fetchall()
        return None if same else "a sealing was cut short"

    # Sealing

    def sealed_through(self) -> date | None:
        ((through,),) = self._connection.sql("select max(through) from store.sealed").fetchall()
        day: date | None = through
        return day

    def seal(self, through: date) -> list[Path]:
        """Moves all rows to their days' folders, if there are any of the days up to this one; the files written.

        It happens when the base gets its name. Until then the files written are nobody's, and the next sealing clears
        them away; after it today's file begins from the base, at the next opening if not here.
        """
        if not self.state.held.is_empty():
            raise ValueError("events wait for others; derive them before the day is sealed")
        days = " union all ".join(f"select day from store.{kind}" for kind in KINDS)
        if not self._number(f"select count(*) from ({days}) where day <= date '{through}'"):
            return []
        self.publish()
        self._clear_unlisted()
        new = [self._sealed_part(kind, day, through) for kind in (*KINDS, TALLIES) for day in self._days(kind)]
        files = pl.DataFrame(new, schema=BOOKS["sealed"], orient="row")
        earlier = self._connection.sql("select * from store.sealed").pl()
        # A revision that replaced rows of this file only has done its work.
        before = facts.last_seqs(self.base.carry).rename({"seq": "before"})
        standing = (
            self._connection.sql(
                'select "table", since, max(position) as position from store.revisions group by all order by all'
            )
            .pl()
            .join(before, on="table", how="inner", maintain_order="left")
            .filter(pl.col("since") < pl.col("before"))
            .drop("before")
        )
        base = self._today.with_name(BASE)
        draft = base.with_name(f".{BASE}.draft")
        storefile.create(
            draft,
            self.state,
            storefile.keep(self.folder, self.state),
            {
                "sealed": pl.concat([earlier, files]),
                "revisions": standing,
                "cases": self._connection.sql("from store.cases order by case_position").pl(),
            },
        )
        published.name(draft, base)
        self.disconnect()
        storefile.from_base(self.folder)
        self._connect()
        self._forget_carries()
        self.publish()
        return [self.folder / file for file in files["file"]]

    def _clear_unlisted(self) -> None:
        listed = {self.folder / file for (file,) in self._connection.sql("select file from store.sealed").fetchall()}
        for kind in (*KINDS, TALLIES):
            for file in (self.folder / log.SEALED).glob(f"*/{kind}.*"):
                if file not in listed:
                    file.unlink()

    def _unsealed(self, kind: str) -> str:
        if kind == TALLIES:
            return f"from ({published.tally(self._unsealed('rounds'))}) where true"
        return f"from current_{kind} where position > {self.base.position}"

    def _days(self, kind: str) -> list[date]:
        return [
            day
            for (day,) in self._connection.sql(f"select distinct day {self._unsealed(kind)} order by day").fetchall()
        ]

    def _sealed_part(self, kind: str, day: date, through: date) -> tuple[object, ...]:
        """`2026-01-31/findings.parquet`, and `findings.2.parquet` for what was decided when the day was sealed already."""
        folder = self.folder / log.SEALED / str(day)
        folder.mkdir(exist_ok=True)
        parts = len(list(folder.glob(f"{kind}.*")))
        file = folder / (f"{kind}.{parts + 1}.parquet" if parts else f"{kind}.parquet")
        draft = file.with_suffix(".draft")
        mine = f"{self._unsealed(kind)} and day = date '{day}'"
        order = ", ".join(f'"{name}"' for name in ORDER[kind])
        self._connection.execute(
            f"copy (select * {mine} order by {order}) to {published.quoted(draft)} (format parquet, compression zstd)"
        )
        published.name(draft, file)
        log.synced(folder.parent)
        with file.open("rb") as content:
            digest = hashlib.file_digest(content, "blake2b").hexdigest()
        rows = self._number(f"select count(*) {mine}")
        return through, day, kind, file.relative_to(self.folder).as_posix(), rows, file.stat().st_size, digest


_BEGINNINGS: Final[tuple[tuple[Callable[[Path], None], str], ...]] = (
    (storefile.as_left, "The store agrees with the log up to position {position:,}."),
    (storefile.from_base, "The store is derived again from the last sealing, position {position:,}: {why}."),
    (storefile.from_nothing, "The store is derived again from the log's beginning: {why}."),
)


def _disagreement_with(of: Log) -> Disagreement:
    def disagreement(state: State) -> str | None:
        if state.offsets is not None:
            return "it was filled from Kafka"
        if state.position > of.end():
            return f"it had read to position {state.position:,} of a log that ends at {of.end():,}"
        held = of.counts().events
        if state.events > held or (state.position == of.end() and state.events < held):
            return f"it had read {state.events:,} events of a log that holds {held:,}"
        return None

    return disagreement


def _opened(folder: Path, lock: IO[bytes], of: Log, disagreement: Disagreement) -> Store:
    """The store as it was left or, where that is not sound, begun from the last sealing, or from nothing."""
    if not any((folder / STORE / name).exists() for name in (TODAY, BASE, published.PUBLISHED)):
        storefile.from_nothing(folder)
    problems: list[str] = []
    for begin, sentence in _BEGINNINGS:
        if begin is storefile.from_base and not (folder / STORE / BASE).exists():
            continue
        try:
            begin(folder)
            store = Store(folder, lock)
        except (duckdb.Error, Unsound) as error:
            problems.append(_told(error))
            continue
        try:
            problem = store.problem(of, disagreement)
        except duckdb.Error as error:
            problem = _told(error)
        if problem is None:
            told = sentence.format(position=store.state.position, why="; ".join(problems))
            store.report = CheckReport(bool(problems), told)
            return store
        store.disconnect()
        problems.append(problem)
    raise Unsound(f"{folder / STORE}: even an empty store does not agree with the log: {'; '.join(problems)}")


def _told(error: duckdb.Error | Unsound) -> str:
    what = str(error).partition("\n")[0].rstrip(".")
    return what if isinstance(error, Unsound) else f"its file cannot be read ({what})"


def _stored(kind: str, audited: Audited, state: State) -> pl.DataFrame:
    """The rows with position and gaming day. A settlement has no time of its own: its round has."""
    if kind == "findings":
        timed = audited.findings.with_columns(ended_at="at")
    elif kind == "rounds":
        timed = audited.rounds
    else:
        ended = audited.rounds.select("table", "round", "ended_at").unique(["table", "round"], keep="first")
        timed = audited.settlements.join(ended, on=["table", "round"], how="left", maintain_order="left")
    ended_at = pl.coalesce("ended_at", pl.lit(state.last_event_at, pl.Datetime("us", "UTC")))
    through = facts.last_seqs(audited.carry).rename({"seq": "through"})
    return (
        timed.with_columns(position=pl.lit(state.position), day=sealing.gaming_day(ended_at))
        .join(through, on="table", how="left", maintain_order="left")
        .select(pl.col(name).cast(dtype) for name, dtype in KINDS[kind].items())
    )
