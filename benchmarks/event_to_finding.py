"""From event to visible finding: broker, producer, one worker and the sink on this one machine, at 1x, 10x and 45x a casino.

An event counts from the moment it is given to the producer; a finding is visible once a published snapshot shows it. What
decides a finding is the last of its round's events and its own. Findings of a gap wait out the worker's patience by design, and
are left out.
"""

import os
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import closing
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

import polars as pl  # noqa: E402
from kafka import KafkaProducer  # noqa: E402
from rich.console import Console  # noqa: E402
from rich.table import Table  # noqa: E402

from benchmarks.visible import Seen, deciding, look, percentiles  # noqa: E402
from ingest import floor, frame, settings, topics  # noqa: E402
from ingest.settings import Settings  # noqa: E402
from tests.stream.broker import Broker  # noqa: E402

TABLES, SEED, FAULTS = 200, 1, 0.1
RATES = tuple(int(rate) for rate in os.environ.get("CATWALK_BENCH_RATES", "110,1100,5000").split(","))
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


def measured(broker: Broker, folder: Path, rate: int) -> tuple[list[float], int, list[int]]:
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
    verbs = (["worker"], ["sink", "--data", str(data)])
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "catwalk.command", *verb],
            env={**os.environ, **environment, "PYTHONPATH": str(ROOT)},
            stderr=subprocess.DEVNULL,
        )
        for verb in verbs
    ]
    seen, stop = Seen(), threading.Event()
    looking = threading.Thread(target=look, args=(data, seen, stop))
    try:
        time.sleep(10)  # both are up
        looking.start()
        produce(chosen, events, rate, seen)
        deadline = time.monotonic() + 60
        while wanted.keys() - seen.visible.keys() and time.monotonic() < deadline:
            time.sleep(0.1)
    finally:
        stop.set()
        looking.join()
        for process in running:
            process.terminate()
        for process in running:
            process.wait(60)
    delays = seen.delays(wanted)
    return delays, len(wanted) - len(delays), seen.waiting


def main() -> None:
    table = Table("events a second", "findings", "p50", "p99", "most", "never seen", "waiting, halfway and at the end")
    with tempfile.TemporaryDirectory() as folder:
        broker = Broker(Path(folder) / "broker")
        broker.start()
        try:
            for rate in RATES:
                delays, missing, waiting = measured(broker, Path(folder), rate)
                middle, last = (waiting[len(waiting) // 2], waiting[-1]) if waiting else (0, 0)
                p50, p99, most = percentiles(delays)
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
    console = Console()
    console.print(table)
    cores, load = os.cpu_count(), os.getloadavg()[0]
    console.print(
        f"{TABLES} tables, {SECONDS:.0f} s each, {cores} cores for all of it, load {load:.1f} (p99 under 2 s wanted)"
    )


if __name__ == "__main__":
    main()
