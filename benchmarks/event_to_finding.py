"""From event to visible finding: broker, producer, one worker and the sink on this one machine, at 1x, 10x and 45x a casino.

An event counts from the moment it is given to the producer; a finding is visible once a published snapshot shows it. What
decides a finding is the last of its round's events and its own. Findings of a gap wait out the worker's patience by design, and
are left out. Worker and sink write down when they did what, so that it is seen where the time went; where the machine does other
things meanwhile, processor time says more.
"""

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

import polars as pl  # noqa: E402
import psutil  # noqa: E402
from kafka import KafkaProducer  # noqa: E402
from rich.console import Console  # noqa: E402
from rich.table import Table  # noqa: E402

from benchmarks import stages  # noqa: E402
from benchmarks.visible import Seen, deciding, look, percentiles  # noqa: E402
from ingest import floor, frame, settings, topics  # noqa: E402
from ingest.log import DATABASE  # noqa: E402
from ingest.settings import Settings  # noqa: E402
from tests.stream.broker import Broker  # noqa: E402

TABLES, SEED, FAULTS = 200, 1, 0.1
RATES = tuple(int(rate) for rate in os.environ.get("CATWALK_BENCH_RATES", "110,1100,5000").split(","))
PROCESSES = ("worker", "sink", "broker", "producer and reader")
SECONDS = float(os.environ.get("CATWALK_BENCH_SECONDS", "30"))


def interleaved(rate: int) -> pl.DataFrame:
    """The floor's events with all tables in turn, as many as are sent; a table's own order stays."""
    wanted = int(rate * SECONDS)
    rounds = max(2, wanted // (TABLES * 25) + 1)
    shifts = floor.simulate(TABLES, rounds, SEED, FAULTS)
    every = pl.concat(frame.from_contents(shift.lines).sort("seq") for shift in shifts)
    turns = every.with_columns(turn=pl.int_range(pl.len()).over("table"))
    return turns.sort("turn", "table").head(wanted).drop("turn")


def produce(chosen: Settings, events: pl.DataFrame, rate: int, seen: Seen) -> None:
    topic = topics.names(chosen).events
    rows = list(zip(events["table"], events["seq"], frame.to_contents(events), strict=True))
    with closing(KafkaProducer(**topics.client(chosen), acks="all", linger_ms=5)) as producer:
        began = time.monotonic()
        for number, (table, seq, content) in enumerate(rows):
            due = began + number / rate
            time.sleep(max(0.0, due - time.monotonic()))
            seen.sent[table, seq] = time.monotonic()
            producer.send(topic, key=table.encode(), value=content)
        producer.flush()


def _wait_for(there: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + 120
    while not there():
        if time.monotonic() > deadline:
            raise SystemExit(f"{what} did not come up")
        time.sleep(0.1)


def _spent(process: subprocess.Popen[bytes] | Broker | None) -> float:
    """Processor seconds; of this process if none is named."""
    times = psutil.Process(None if process is None else process.pid).cpu_times()
    return float(times.user + times.system)


def measured(
    broker: Broker, folder: Path, rate: int
) -> tuple[list[float], int, list[int], pl.DataFrame, dict[str, float]]:
    events = interleaved(rate)
    wanted = deciding(events)
    environment = {
        "CATWALK_SERVERS": broker.servers,
        "CATWALK_PARTITIONS": "12",
        "POLARS_MAX_THREADS": "1",
        "CATWALK_TOPIC_PREFIX": f"at-{rate}-",
        "CATWALK_GROUP": f"at-{rate}",
    }
    chosen = settings.read(environment=environment)
    topics.make(chosen)
    data = folder / str(rate)
    worked, sunk = folder / f"{rate}.worker", folder / f"{rate}.sink"
    verbs = (["worker", str(worked)], ["sink", str(sunk), "--data", str(data)])
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "benchmarks.stages", *verb],
            env={**os.environ, **environment, "PYTHONPATH": str(ROOT)},
            stderr=(folder / f"{rate}.{verb[0]}.log").open("wb"),
        )
        for verb in verbs
    ]
    seen, stop = Seen(), threading.Event()
    looking = threading.Thread(target=look, args=(data, seen, stop))
    try:
        _wait_for(lambda: b"has partitions" in (folder / f"{rate}.worker.log").read_bytes(), "the worker")
        _wait_for((data / DATABASE).exists, "the sink")
        looking.start()
        processes = dict(zip(PROCESSES, (*running, broker, None), strict=True))
        before = {name: _spent(each) for name, each in processes.items()}
        produce(chosen, events, rate, seen)
        deadline = time.monotonic() + 60
        while wanted.keys() - seen.visible.keys() and time.monotonic() < deadline:
            time.sleep(0.1)
        spent = {name: _spent(each) - before[name] for name, each in processes.items()}
    finally:
        stop.set()
        looking.join()
        for process in running:
            process.terminate()
        for process in running:
            process.wait(60)
    delays = seen.delays(wanted)
    took = stages.delays(worked, sunk, seen, wanted)
    return delays, len(wanted) - len(delays), seen.waiting, took, spent


def main() -> None:
    console = Console()
    stages_ = Table("events a second", "", *stages.STAGES, "seen")
    costs = Table("events a second", *PROCESSES, title="processor time, of sending and of what it took to be done")
    table = Table("events a second", "findings", "p50", "p99", "most", "never seen", "waiting, halfway and at the end")
    with tempfile.TemporaryDirectory() as folder:
        broker = Broker(Path(folder) / "broker")
        broker.start()
        try:
            for rate in RATES:
                delays, missing, waiting, took, spent = measured(broker, Path(folder), rate)
                middle, last = (waiting[len(waiting) // 2], waiting[-1]) if waiting else (0, 0)
                p50, p99, most = percentiles(delays)
                for name, share in (("p50", 0.5), ("p99", 0.99)):
                    (ends,) = took.quantile(share).rows()
                    stages_.add_row(f"{rate:,}", name, *("–" if end is None else f"{end:.2f} s" for end in ends))
                costs.add_row(f"{rate:,}", *(f"{seconds:.1f} s" for seconds in spent.values()))
                table.add_row(
                    f"{rate:,}",
                    f"{len(delays):,}",
                    f"{p50:.2f} s",
                    f"{p99:.2f} s",
                    f"{most:.2f} s",
                    str(missing),
                    f"{middle:,} / {last:,}",
                )
        finally:
            broker.stop()
    console.print(table, stages_, costs)
    cores, load = os.cpu_count(), os.getloadavg()[0]
    console.print(
        f"{TABLES} tables, {SECONDS:.0f} s each, {cores} cores for all of it, load {load:.1f} (p99 under 2 s wanted)"
    )


if __name__ == "__main__":
    main()
