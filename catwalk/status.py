"""`catwalk status`: how far everything has come, for a person or, with `--json`, for a monitor."""

from contextlib import closing
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from kafka import TopicPartition
from rich.console import Console

from catwalk.folders import DEFAULT, DataFolder, log_in
from catwalk.producing import SettingsFile, read_settings
from catwalk.terminal import listing, out, printable
from dashboards import queries
from detectors.published import PUBLISHED, STORE, Reader
from ingest import topics
from ingest.log import DATABASE
from ingest.settings import Settings


@dataclass(frozen=True, slots=True)
class PartitionLag:
    partition: int
    position: int | None  # where the workers go on; None while they have stated none
    lag: int


@dataclass(frozen=True, slots=True)
class TableSeen:
    table: str
    seq: int
    at: str


@dataclass(frozen=True, slots=True)
class StoreSeen:
    """`position`: how far the log or archive is audited; `waiting`: events beyond it; `age`: seconds since publication."""

    position: int
    waiting: int
    last_event_at: str | None
    published_at: str
    age: float
    rounds: int
    findings: int
    coverage: str


@dataclass(frozen=True, slots=True)
class Status:
    folder: str
    events: int
    dead_letters: int
    tables: list[TableSeen]
    store: StoreSeen | None
    kafka: str | None = None
    lag: int | None = None
    partitions: list[PartitionLag] = field(default_factory=list)


def status(
    data: DataFolder = DEFAULT,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object for a program.")] = False,
    kafka: Annotated[
        bool, typer.Option("--kafka", help="Ask the broker of the settings for the workers' lag too.")
    ] = False,
    settings: SettingsFile = None,
) -> None:
    """Say how far log, workers and store have come, and what waits."""
    found = _folder(data, _lags(read_settings(settings)) if kafka or settings else None)
    if as_json:
        typer.echo(msgspec.json.encode(asdict(found)).decode())
    else:
        _tell(found, out())


def _folder(data: Path, kafka: tuple[str, list[PartitionLag]] | None) -> Status:
    events = dead = 0
    tables: list[TableSeen] = []
    if kafka is None or (data / DATABASE).exists():
        with log_in(data, made=False) as log:
            counts = log.counts()
            events, dead = counts.events, counts.dead
            tables = [TableSeen(table, seq, at.isoformat()) for table, seq, at in log.last_events()]
    seen = _store(data)
    if kafka is None:
        return Status(str(data), events, dead, tables, seen)
    servers, lags = kafka
    return Status(str(data), events, dead, tables, seen, servers, sum(each.lag for each in lags), lags)


def _store(data: Path) -> StoreSeen | None:
    file = data / STORE / PUBLISHED
    if not file.exists():
        return None
    published = datetime.fromtimestamp(file.stat().st_mtime, UTC)
    with Reader.open(data) as reader:
        fresh = queries.freshness(reader, data)
        covered = queries.coverage(reader)
        found = sum(queries.severities(reader).values())
    last = None if fresh.last_event_at is None else fresh.last_event_at.isoformat()
    age = round((datetime.now(UTC) - published).total_seconds(), 1)
    return StoreSeen(
        fresh.position, fresh.waiting, last, published.isoformat(), age, covered.rounds, found, covered.words
    )


def _lags(settings: Settings) -> tuple[str, list[PartitionLag]]:
    charter = topics.check(settings)
    places = [TopicPartition(topics.names(settings).events, number) for number in range(charter.partitions)]
    with topics.reached(settings), closing(topics.consumer(settings)) as reading:
        stated = topics.stated(settings)
        lags = topics.waiting(reading, {place: stated.get(place, 0) for place in places})
    return settings.servers, [PartitionLag(place.partition, stated.get(place), lags[place]) for place in places]


def _tell(found: Status, console: Console) -> None:
    console.print(f"{printable(found.folder)}: {found.events:,} events, {found.dead_letters:,} dead letters")
    if found.store is None:
        console.print("Nothing was published here yet.", style="yellow")
    else:
        store = found.store
        console.print(
            f"The store is audited to position {store.position:,}, {store.waiting:,} events wait; "
            f"published {store.age:,.0f} s ago with {store.findings:,} findings; {store.coverage}."
        )
    if found.kafka is not None:
        console.print(f"Kafka at {found.kafka}: {found.lag:,} events wait for the workers")
        lags = listing("partition", "position", "lag", right=("partition", "position", "lag"))
        for each in found.partitions:
            position = "–" if each.position is None else f"{each.position:,}"
            lags.add_row(str(each.partition), position, f"{each.lag:,}")
        console.print(lags)
    if found.tables:
        tables = listing("table", "last seq", "seen", right=("last seq",))
        for table in found.tables:
            tables.add_row(table.table, f"{table.seq:,}", table.at)
        console.print(tables)
