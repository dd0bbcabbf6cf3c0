"""A worker beside the least anybody could do with the same topic: Faust taking batches and dropping them, and aiokafka alone.

Each runs as a process of its own, one after the other, several times over, on a broker of their own; the ratio is what
counts, rates on a busy machine mean little. A worker has to reach 70 % of the bare Faust loop.
"""

import asyncio
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

import aiokafka  # noqa: E402
import faust  # noqa: E402
from kafka import KafkaAdminClient  # noqa: E402
from rich.console import Console  # noqa: E402
from rich.table import Table  # noqa: E402

from detectors import worker as working  # noqa: E402
from ingest import files, floor, frame, settings, topics  # noqa: E402
from ingest.producing import Producer  # noqa: E402
from ingest.settings import Settings  # noqa: E402
from tests.stream.broker import Broker  # noqa: E402

TABLES, ROUNDS, SEED = 200, int(os.environ.get("CATWALK_BENCH_ROUNDS", "20")), 1
TIMES = int(os.environ.get("CATWALK_BENCH_TIMES", "3"))
WAYS = ("aiokafka", "faust", "worker")


class Rate(NamedTuple):
    """Events a second, and microseconds of processor time an event, importing and joining included."""

    events: float
    micros: float


def done(events: int, began: float) -> None:
    print(events / (time.perf_counter() - began), time.process_time() / events * 1e6, flush=True)
    os._exit(0)


async def bare_aiokafka(chosen: Settings, events: int) -> None:
    consumer = aiokafka.AIOKafkaConsumer(
        topics.names(chosen).events, bootstrap_servers=chosen.servers, auto_offset_reset="earliest"
    )
    await consumer.start()
    began, read = time.perf_counter(), 0
    while read < events:
        for records in (await consumer.getmany(timeout_ms=500, max_records=chosen.batch_events)).values():
            read += len(records)
    done(events, began)


def bare_faust(chosen: Settings, events: int) -> None:
    """The worker's own settings of Faust, and an agent that does nothing."""
    app = faust.App(f"bare-{os.getpid()}", **working.options(chosen))
    source = app.topic(
        topics.names(chosen).events, key_type=bytes, value_type=bytes, key_serializer="raw", value_serializer="raw"
    )
    began, read = 0.0, 0

    @app.agent(source, concurrency=1)
    async def take(stream):  # type: ignore[no-untyped-def]
        nonlocal read
        async for batch in stream.take_events(chosen.batch_events, within=chosen.batch_seconds):
            read += len(batch)
            if read >= events:
                done(events, began)

    @app.on_partitions_assigned.connect
    async def assigned(_app, *_, **__):  # type: ignore[no-untyped-def]
        nonlocal began
        began = time.perf_counter()

    faust.Worker(app, loglevel="ERROR", redirect_stdouts=False, override_logging=False).execute_from_commandline()


def whole_worker(chosen: Settings, events: int) -> None:
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    mine = working.Worker(chosen)

    def watch() -> None:
        while not mine.pit.partitions:
            time.sleep(0.001)
        began = time.perf_counter()
        while mine.events < events:
            time.sleep(0.001)
        done(events, began)

    threading.Thread(target=watch, daemon=True).start()
    app = working.app(chosen, mine)
    faust.Worker(
        app, loglevel="ERROR", redirect_stdouts=False, override_logging=False, loop=loop
    ).execute_from_commandline()


def measured(way: str, events: int, environment: dict[str, str]) -> Rate:
    arguments = [sys.executable, __file__, way, str(events)]
    done_ = subprocess.run(
        arguments, capture_output=True, text=True, check=False, env={**os.environ, **environment}, timeout=900
    )
    found = re.findall(r"^(\d+\.\d+) (\d+\.\d+)$", done_.stdout, re.MULTILINE)
    if not found:
        raise SystemExit(f"{way}: {done_.stdout}{done_.stderr}")
    return Rate(*map(float, found[-1]))


def anew(chosen: Settings) -> None:
    """A worker that has never been: without states it begins with the first event."""
    with closing(KafkaAdminClient(**topics.client(chosen))) as admin:
        admin.delete_topics([topics.names(chosen).states])
        while topics.names(chosen).states in admin.list_topics():
            time.sleep(0.2)
    topics.make(chosen)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "floor.parquet"
        shifts = floor.simulate(TABLES, ROUNDS, SEED)
        events = files.write(file, (frame.from_contents(shift.lines) for shift in shifts))
        broker = Broker(Path(folder) / "broker")
        broker.start()
        try:
            # One thread: the worker's second core is Faust's, and more cores are more workers.
            environment = {"CATWALK_SERVERS": broker.servers, "CATWALK_PARTITIONS": "12", "POLARS_MAX_THREADS": "1"}
            chosen = settings.read(environment=environment)
            topics.make(chosen)
            for _ in Producer(chosen).deliver([str(file)]):
                pass
            rates: dict[str, list[Rate]] = {way: [] for way in WAYS}
            for _ in range(TIMES):
                for way in WAYS:
                    if way == "worker":
                        anew(chosen)
                    rates[way].append(measured(way, events, environment))
        finally:
            broker.stop()
    tell(events, rates)


def tell(events: int, rates: dict[str, list[Rate]]) -> None:
    bare = rates["faust"]
    title = f"{events:,} events of {TABLES} tables"
    table = Table("what", "events a second, median", "of bare Faust, each time", "processor time an event", title=title)
    for way, name in zip(WAYS, ("aiokafka, nothing done", "Faust, nothing done", "catwalk worker"), strict=True):
        shares = ", ".join(f"{rate.events / base.events:.0%}" for rate, base in zip(rates[way], bare, strict=True))
        median = statistics.median(rate.events for rate in rates[way])
        micros = statistics.median(rate.micros for rate in rates[way])
        table.add_row(name, f"{median:,.0f}", shares, f"{micros:,.0f} µs")
    console = Console()
    console.print(table)
    share = statistics.median(rate.events / base.events for rate, base in zip(rates["worker"], bare, strict=True))
    cores, load = os.cpu_count(), os.getloadavg()[0]
    console.print(f"{cores} cores, load {load:.1f}; a worker reaches {share:.0%} of bare Faust (70 % wanted)")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        way_, wanted = sys.argv[1], int(sys.argv[2])
        if way_ == "aiokafka":
            asyncio.run(bare_aiokafka(settings.read(), wanted))
        else:
            {"faust": bare_faust, "worker": whole_worker}[way_](settings.read(), wanted)
    else:
        main()
