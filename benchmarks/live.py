"""From event to visible finding on the embedded log, at 1, 10 and 100 times a casino: 200 tables, 110 events a second.

The floor is under way when the clock starts: every table is somewhere in its second or third round. From then on events are
appended as they fall due, in batches of a twentieth of a second; `catwalk run` audits them in a process of its own. An event
counts from when it is due, a finding from when a reader sees it in a published snapshot. `BENCH_LIVE_SECONDS` and
`BENCH_LIVE_TIMES` (say 1,10) set how long and how much.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import numpy as np
import polars as pl
from rich.console import Console
from rich.table import Table

from benchmarks import measuring
from benchmarks.dealing import dealt
from benchmarks.dealing.felt import OPENS, ROUNDS
from benchmarks.visible import Seen, deciding, look, percentiles
from catwalk import living
from detectors.pipeline import Pipeline, Progress
from detectors.published import NotPublished, Reader
from ingest import frame, wire
from ingest.log import Log

TABLES, WRONGS, SEED = 200, 0.2, 1
CASINO: Final = 110  # events a second
SECONDS: Final = float(os.environ.get("BENCH_LIVE_SECONDS", "60"))
TIMES: Final = tuple(int(times) for times in os.environ.get("BENCH_LIVE_TIMES", "1,10,100").split(","))
BATCH_SECONDS: Final = 0.05
PATIENCE: Final = 120.0
STEPS: Final = "steps.jsonl"

console = Console(width=None if sys.stdout.isatty() else 140)


class Timed(Pipeline):
    """The pipeline that writes down how long each of its steps took."""

    def step(self) -> Progress:
        began = time.perf_counter()
        progress = super().step()
        if progress.read:
            took = time.perf_counter() - began
            with (self.store.folder / STEPS).open("a") as steps:
                steps.write(
                    json.dumps({"read": progress.read, "seconds": took, "published": progress.published}) + "\n"
                )
        return progress


def run(data: Path) -> None:
    """`catwalk run`, its steps timed."""
    living.Pipeline = Timed  # type: ignore[misc]
    living.follow(data, once=False)


@contextmanager
def running(data: Path) -> Iterator[None]:
    environment = {**os.environ, "PYTHONPATH": str(measuring.ROOT)}
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.live", "run", str(data)], env=environment, stdout=subprocess.DEVNULL
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait(60)


def floor(events: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """What was there before the clock starts, and so many events in the order that all tables send them."""
    rounds = 5 + events // (TABLES * 25)
    (file, *_) = dealt(TABLES * ROUNDS * 30, wrongs=WRONGS, tables=TABLES).files
    # As if it were dealt now: a day that is over would be sealed at once.
    now = pl.col("at") + (datetime.now(UTC) - OPENS)
    every = pl.scan_parquet(file).filter(pl.col("round").fill_null(1) <= rounds).with_columns(at=now).collect()
    third = every.filter((pl.col("type") == "round_ended") & (pl.col("round") == 3)).select("table", third="seq")
    second = every.filter((pl.col("type") == "round_ended") & (pl.col("round") == 1)).select("table", second="seq")
    luck = pl.Series(np.random.default_rng(SEED).random(third.height))
    starts = third.join(second, on="table", maintain_order="left").select(
        "table", luck=luck, start=pl.col("second") + (luck * (pl.col("third") - pl.col("second"))).cast(pl.Int64)
    )
    # What comes between rounds after those that are sent has no round either.
    told = every.join(starts, on="table", maintain_order="left").filter(
        pl.col("seq") <= pl.col("seq").filter(pl.col("type") == "round_ended").max().over("table")
    )
    before = told.filter(pl.col("seq") <= pl.col("start")).select(frame.SCHEMA.keys())
    turn = pl.col("seq") - pl.col("start") + pl.col("luck")
    after = told.filter(pl.col("seq") > pl.col("start")).sort(turn).head(events).select(frame.SCHEMA.keys())
    return before, after


@dataclass(frozen=True, slots=True)
class Measured:
    rate: int
    delays: list[float]
    unseen: int
    steps: pl.DataFrame


def measured(folder: Path, times: int) -> Measured:
    rate = CASINO * times
    data = folder / str(times)
    before, after = floor(int(rate * SECONDS))
    sent = set(after.select("table", "seq").iter_rows())
    wanted = {id_: event for id_, event in deciding(pl.concat([before, after])).items() if event in sent}
    seen, stop = Seen(), threading.Event()
    looking = threading.Thread(target=look, args=(data, seen, stop))
    with Log.open(data) as log:
        log.append(frame.to_batch(before))
        with running(data):
            _wait(data, log.end())
            (data / STEPS).unlink()
            looking.start()
            try:
                _send(log, after, rate, seen)
                _wait_for(seen, wanted)
            finally:
                stop.set()
                looking.join()
    delays = seen.delays(wanted)
    return Measured(rate, delays, len(wanted) - len(delays), pl.read_ndjson(data / STEPS))


def _wait(data: Path, position: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            with Reader.open(data) as reader:
                if reader.position() >= position:
                    return
        except NotPublished:
            pass
        time.sleep(0.2)
    raise SystemExit(f"{data}: the pipeline did not read what was there in {PATIENCE:.0f} s")


def _wait_for(seen: Seen, wanted: dict[str, tuple[str, int]]) -> None:
    deadline = time.monotonic() + PATIENCE
    while wanted.keys() - seen.visible.keys() and time.monotonic() < deadline:
        time.sleep(0.1)


def _send(log: Log, events: pl.DataFrame, rate: int, seen: Seen) -> None:
    names = list(events.select("table", "seq").iter_rows())
    contents = frame.to_contents(events)
    began, at = time.monotonic(), 0
    while at < len(names):
        due = min(len(names), int((time.monotonic() - began) * rate) + 1)
        if due == at:
            time.sleep(BATCH_SECONDS)
            continue
        for place in range(at, due):
            seen.sent[names[place]] = began + place / rate
        log.append(wire.Batch(contents[at:due], [None] * (due - at), []))
        at = due
        time.sleep(BATCH_SECONDS)


HEADER: Final = (
    *("load", "events a second", "findings", "p50", "p99", "most", "never seen"),
    *("batches", "events in one", "a batch, p50", "a batch, p99"),
)


def row(times: int, each: Measured) -> list[str]:
    took, read = each.steps["seconds"].sort(), each.steps["read"]
    return [
        f"{times} ×",
        f"{each.rate:,}",
        f"{len(each.delays):,}",
        *(f"{delay:.2f} s" for delay in percentiles(each.delays)),
        f"{each.unseen:,}",
        f"{took.len():,}",
        f"{read.median():,.0f}",
        *(f"{seconds * 1000:.0f} ms" for seconds in percentiles(took.to_list())[:2]),
    ]


def main() -> None:
    table = Table(*HEADER)
    rows = []
    with tempfile.TemporaryDirectory(prefix="catwalk-bench-") as folder:
        for times in TIMES:
            rows.append(row(times, measured(Path(folder), times)))
            table.add_row(*rows[-1])
    console.print(table)
    note = (
        f"{TABLES} tables, {SECONDS:.0f} s each; producer, pipeline and reader share the cores. {measuring.machine()}."
    )
    console.print(note, highlight=False, soft_wrap=True)
    chosen = [f"{name}={os.environ[name]}" for name in ("BENCH_LIVE_SECONDS", "BENCH_LIVE_TIMES") if name in os.environ]
    command = " ".join([*chosen, "make bench"])
    measuring.write("live", [f"`{command}`", "", *measuring.markdown(HEADER, rows), "", note])


if __name__ == "__main__":
    if sys.argv[1:2] == ["run"]:
        run(Path(sys.argv[2]))
    else:
        main()
