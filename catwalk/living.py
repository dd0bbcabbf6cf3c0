"""`catwalk ingest` and `catwalk run`: into the log, and from the log to the findings."""

import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Annotated, Final

import polars as pl
import typer
from rich.console import Console
from rich.text import Text

from catwalk.folders import DEFAULT, DataFolder, log_in
from catwalk.producing import SettingsFile, produce, read_settings
from catwalk.terminal import SEVERITY_STYLES, err, out, printable, progress
from dashboards import queries
from detectors.pipeline import Pipeline
from detectors.published import Reader
from detectors.store import Store
from ingest import files, frame

BATCH_ROWS: Final = 10_000
LOOK_SECONDS: Final = 0.5


@dataclass(slots=True)
class Ingested:
    appended: int = 0
    repeated: int = 0
    conflicting: int = 0
    dead: int = 0


def ingest(  # noqa: PLR0917 - as many as there are options
    sources: Annotated[list[str], typer.Argument(metavar="FILE|-", help="Events; - is standard input.")],
    data: DataFolder = DEFAULT,
    ack: Annotated[bool, typer.Option("--ack", help="Print a line for every batch that is on the disk.")] = False,
    rows: Annotated[int, typer.Option("--batch", min=1, metavar="N", help="How many events a batch has.")] = BATCH_ROWS,
    kafka: Annotated[bool, typer.Option("--kafka", help="Into the Kafka topic of the settings instead.")] = False,
    settings: SettingsFile = None,
) -> None:
    """Append events to the log; what is acknowledged is on the disk."""
    if kafka:
        produce(sources, read_settings(settings), rows, ack)
        return
    total = Ingested()
    console = out()
    with log_in(data, made=True) as log, progress("ingesting", files.size(sources) or None) as bar:
        for chunk in files.read(sources):
            for batch in _batches(chunk, rows):
                receipt = log.append(frame.to_batch(batch.frame, batch.dead))
                total.appended += receipt.appended
                total.repeated += receipt.repeated
                total.conflicting += receipt.conflicting
                total.dead += receipt.dead
                if ack:
                    events = total.appended + total.repeated + total.conflicting
                    print(f"acknowledged {events} events, position {receipt.position}", flush=True)
            bar.advance(chunk.size)
    console.print(
        f"{total.appended:,} appended, {total.repeated:,} repeated, {total.conflicting:,} conflicting, "
        f"{total.dead:,} dead letters"
    )
    if total.conflicting:
        console.print("A seq that came with two contents is kept in both; FEED02 will tell.", style="yellow")


def _batches(chunk: files.Chunk, rows: int) -> Iterator[files.Chunk]:
    """Small enough to be acknowledged soon; dead letters go with the first."""
    dead = chunk.dead
    for part in chunk.frame.iter_slices(rows):
        yield files.Chunk(part, dead, 0)
        dead = []
    if dead:
        yield files.Chunk(chunk.frame.clear(), dead, 0)


def run(
    data: DataFolder = DEFAULT,
    once: Annotated[bool, typer.Option("--once", help="Read the log to its end and stop.")] = False,
) -> None:
    """Audit the log as it grows, and publish what was found for the pages."""
    follow(data, once)


def follow(data: Path, once: bool, most: int | None = None) -> None:
    """`most`: how many findings are told one by one."""
    stop, ended = threading.Event(), threading.Event()
    console = out()
    with log_in(data, made=True) as log, Store.open(data, log) as store, stopped_by_signals(stop):
        if store.report.rebuilt:
            console.print(printable(store.report.sentence), style="yellow")
        watch = Watch(data, store.state.position, console, most)
        # The pipeline has this thread, since signals and the log's connection belong to it.
        with ThreadPoolExecutor(1, "watch") as beside:
            watching = beside.submit(watch.until, ended, quiet=once)
            try:
                Pipeline(log, store).run(stop, once)
            finally:
                ended.set()
            watching.result()
        with Reader.open(data) as reader:
            covered = queries.coverage(reader)
        console.print(
            f"Read to position {store.state.position:,} of {log.end():,}: {watch.told:,} new findings; {covered.words}.",
            style="dim",
        )


@contextmanager
def stopped_by_signals(stop: threading.Event) -> Iterator[None]:
    def asked(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    before = {number: signal.signal(number, asked) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class Watch:
    """Prints each finding once, as it is published."""

    def __init__(self, data: Path, position: int, console: Console, most: int | None) -> None:
        self._data = data
        self._most = most
        self._since = position
        self._console = console
        self._snapshot: queries.Snapshot | None = None
        self._told: set[str] = set()

    @property
    def told(self) -> int:
        return len(self._told)

    def until(self, ended: threading.Event, quiet: bool) -> None:
        status = err()
        if quiet or not status.is_terminal:
            while not ended.wait(LOOK_SECONDS):
                self.look()
        else:
            with status.status("waiting for events; Ctrl-C to stop") as line:
                while not ended.wait(LOOK_SECONDS):
                    read = self.look()
                    if read is not None:
                        line.update(f"read to position {read:,}, {self.told:,} findings; Ctrl-C to stop")
        self.look()

    def look(self) -> int | None:
        """What is new in the snapshot, if there is a new one; how far the log was read for it."""
        snapshot = queries.snapshot(self._data)
        if snapshot is None or snapshot == self._snapshot:
            return None
        self._snapshot = snapshot
        with Reader.open(self._data) as reader:
            # A table that was derived again tells its findings again, under the same ids.
            new = queries.found_since(reader, self._since).filter(~pl.col("id").is_in(self._told))
            read = reader.position()
        told = new if self._most is None else new.head(max(0, self._most - self.told))
        for row in told.iter_rows(named=True):
            where = row["table"] + ("" if row["round"] is None else f" round {row['round']}")
            self._console.print(
                Text.assemble(
                    (f"{row['at']:%Y-%m-%d %H:%M:%S}  ", "dim"),
                    (f"{row['code']} {row['severity']}", SEVERITY_STYLES[row["severity"]]),
                    f"  {where}: {printable(row['message'])}",
                ),
                soft_wrap=True,
            )
        if told.height < new.height:
            self._console.print(f"and {new.height - told.height:,} more", style="dim")
        self._told |= set(new["id"])
        return read
