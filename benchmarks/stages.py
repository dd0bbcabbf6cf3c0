"""Where the time goes between an event and its visible finding on Kafka: worker and sink that write down when they did what.

`python -m benchmarks.stages worker FILE` and `… sink FILE --data DIR` are the verbs, timed; `benchmarks/event_to_finding.py` runs
them. Times are the machine's monotonic clock, which all of its processes share.
"""

import json
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final

import polars as pl
from kafka.consumer.fetcher import ConsumerRecord

from benchmarks.visible import Seen
from catwalk import command, streaming
from detectors import sink, stretch, worker
from detectors.pit import Pit, Prepared, Sheet
from detectors.publishing import Publisher
from detectors.sink import Progress, Sink
from detectors.stretch import Stretch
from ingest.records import Messages

Steps = list[dict[str, object]]

# What a finding passes on its way, and the moment that ends each.
STAGES: Final = {
    "to the worker": "began",
    "audited": "audited",
    "committed": "committed",
    "to the sink": "read",
    "stored": "stored",
    "published": "published",
}


class Notes:
    """One JSON line a step."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def add(self, **note: object) -> None:
        with self._file.open("a") as notes:
            notes.write(json.dumps(note) + "\n")


def _ids(stretches: Iterable[Stretch]) -> list[str]:
    return [json.loads(bytes(row))["id"] for each in stretches for row in each.findings]


def timed_worker(notes: Notes) -> type[worker.Worker]:
    class Timed(worker.Worker):
        async def take(self, messages: Messages, generation: int) -> None:
            self.given = time.monotonic()
            await super().take(messages, generation)

        async def _deliver(self, sheets: Mapping[int, Sheet], stated: set[int]) -> list[int]:
            audited = time.monotonic()
            lost = await super()._deliver(sheets, stated)
            told = [each for sheet in sheets.values() for each in sheet.stretches]
            if told:
                notes.add(
                    **self.pit.last,  # type: ignore[attr-defined]
                    audited=audited,
                    committed=time.monotonic(),
                    partitions=len(sheets),
                    stated=len(stated),
                    ids=_ids(told),
                )
            return lost

    class TimedPit(Pit):
        def prepare(self, messages: Messages) -> Prepared:
            self.last = {"began": time.monotonic(), "cpu": -time.thread_time(), "events": len(messages.offsets)}
            prepared = super().prepare(messages)
            self.last["cpu"] += time.thread_time()
            return prepared

    worker.Pit = TimedPit  # type: ignore[misc]
    return Timed


def timed_sink(notes: Notes) -> type[Sink]:
    class Timed(Sink):
        def _written(self, by_topic: Mapping[str, Sequence[ConsumerRecord]]) -> Progress:
            read = time.monotonic()
            progress = super()._written(by_topic)
            rows = by_topic.get(self._topics.settlements, ())
            told = [stretch.read(each.key, each.value) for each in rows]
            ids = _ids(each for each in told if isinstance(each, Stretch))
            notes.add(read=read, stored=time.monotonic(), events=progress.events, ids=ids)
            return progress

    class TimedPublisher(Publisher):
        def publish(self) -> None:
            began, changed = time.monotonic(), not self.up_to_date
            super().publish()
            if changed:
                notes.add(publishing=began, published=time.monotonic())

    sink.Publisher = TimedPublisher  # type: ignore[misc]
    return Timed


def delays(worked: Path, sunk: Path, seen: Seen, wanted: Mapping[str, tuple[str, int]]) -> pl.DataFrame:
    """Of each finding how long each stage took, in seconds."""
    told = {id_: note for note in _read(worked) for id_ in note["ids"]}
    stored, published = {}, []
    for note in _read(sunk):
        if "published" in note:
            published.append((note["publishing"], note["published"]))
        else:
            stored |= dict.fromkeys(note["ids"], note)
    rows = []
    for id_, event in wanted.items():
        if id_ in told and id_ in stored and id_ in seen.visible:
            by = told[id_] | stored[id_]
            by["published"] = min((end for began, end in published if began >= by["stored"]), default=None)
            moments = [seen.sent[event], *(by[moment] for moment in STAGES.values()), seen.visible[id_]]
            if None not in moments:
                rows.append([after - before for before, after in pairwise(moments)])
    return pl.DataFrame(rows, schema=dict.fromkeys([*STAGES, "seen"], pl.Float64), orient="row")


def _read(file: Path) -> list[dict]:  # type: ignore[type-arg]
    return [json.loads(line) for line in file.read_text().splitlines()]


def main(verb: str, file: str, *arguments: str) -> int:
    notes = Notes(Path(file))
    if verb == "worker":
        worker.Worker = timed_worker(notes)  # type: ignore[misc]
    else:
        streaming.Sink = timed_sink(notes)  # type: ignore[misc]
    return command.main([verb, *arguments])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
