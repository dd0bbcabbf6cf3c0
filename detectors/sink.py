"""The sink: from the topics into one data folder, the same that a pipeline on the embedded log would fill.

It keeps the archive of events, which pages and batch audits read, and the rows that the workers decided. Rows and how far each
topic was read are one transaction, so wherever it is killed nothing is lost and nothing is told twice.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

import msgspec
from kafka import KafkaConsumer, TopicPartition
from kafka.consumer.fetcher import ConsumerRecord
from msgspec import Struct

from detectors import pipeline, stretch
from detectors.audit import Audited
from detectors.publishing import Publisher
from detectors.store import Disagreement, Store
from detectors.storefile import State
from detectors.stretch import Mark, Stretch
from ingest import records, sealing, topics, wire
from ingest.log import Log
from ingest.settings import Settings
from replay import facts

MOST: Final = 20_000
_POLL_MS: Final = 100
# What is written has to reach the disk, however little it is. So it is not written each time that something comes.
STEP_SECONDS: Final = 0.15

logger = logging.getLogger("catwalk.sink")


class Offsets(Struct, frozen=True):
    """By partition, the offset that is read next; and `audited`, up to which of the events the workers have read."""

    events: dict[int, int] = {}
    settlements: dict[int, int] = {}
    dead_letters: dict[int, int] = {}
    audited: dict[int, int] = {}

    @property
    def waiting(self) -> int:
        """How many archived events no worker has read, so far as is known."""
        return sum(max(0, offset - self.audited.get(number, 0)) for number, offset in self.events.items())


@dataclass(frozen=True, slots=True)
class Progress:
    events: int
    stretches: int
    dead: int


class Sink:
    def __init__(
        self,
        settings: Settings,
        partitions: int,
        archive: Log,
        store: Store,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._topics = topics.names(settings)
        self._archive = archive
        self._store = store
        self._clock = clock
        self._offsets = _offsets(store.state)
        self._archived = archive.counts().events
        self._through = dict(facts.last_seqs(store.state.carry).iter_rows())
        self._looked_at = float("-inf")
        self._publisher = Publisher(store, clock)
        self._sealed_through = store.sealed_through()
        self._consumer = topics.consumer(settings)
        self._seek(partitions)

    def close(self) -> None:
        self._consumer.close()

    def _seek(self, partitions: int) -> None:
        places = _places(self._topics, self._offsets, partitions)
        begins = self._consumer.beginning_offsets(list(places))
        for place, offset in places.items():
            if offset < begins[place] and place.topic != self._topics.dead_letters:
                raise topics.Refused(
                    f"{place.topic}/{place.partition}: offsets {offset} to {begins[place]} were deleted before the sink read "
                    "them; the store cannot be filled from it any more"
                )
        self._consumer.assign(list(places))
        for place, offset in places.items():
            self._consumer.seek(place, max(offset, begins[place]))

    # Steps

    def run(self, stop: threading.Event, once: bool = False) -> None:
        """Until it is told to stop or, with `once`, until the topics' ends as they are now."""
        ends = self._consumer.end_offsets(list(self._consumer.assignment())) if once else {}
        while not stop.is_set():
            began = self._clock()
            self.step()
            if once and all(self._consumer.position(place) >= end for place, end in ends.items()):
                break
            self._seal(datetime.now(UTC))
            if not once:
                stop.wait(began + STEP_SECONDS - self._clock())
        self._publisher.publish()

    def step(self) -> Progress:
        polled: Mapping[TopicPartition, Sequence[ConsumerRecord]] = self._consumer.poll(
            timeout_ms=_POLL_MS, max_records=MOST
        )
        by_topic: dict[str, list[ConsumerRecord]] = {}
        for place, found in polled.items():
            by_topic.setdefault(place.topic, []).extend(found)
        progress = Progress(0, 0, 0)
        if by_topic:
            progress = self._written(by_topic)
            self._publisher.changed(rows=bool(progress.stretches))
        if self._store.fold(self._archive):
            self._publisher.changed(rows=True)
        self._publisher.publish_if_due()
        return progress

    def _written(self, by_topic: Mapping[str, Sequence[ConsumerRecord]]) -> Progress:
        # The archive first: a row never stands for events that are not there.
        events = records.read(records.messages(self._topics.events, by_topic.get(self._topics.events, ())))
        told, marks, strange = _told(by_topic.get(self._topics.settlements, ()))
        letters = [
            records.read_letter(record.value, record.topic, record.partition, record.offset)
            for record in by_topic.get(self._topics.dead_letters, ())
        ]
        dead = [*events.dead, *letters, *strange]
        receipt = self._archive.append(wire.Batch(events.batch.contents, events.batch.extras, dead))
        self._archived += receipt.appended + receipt.conflicting
        layers, replaced = self._last_word(told)
        self._offsets = Offsets(
            events={**self._offsets.events, **_next(by_topic.get(self._topics.events, ()))},
            settlements={**self._offsets.settlements, **_next(by_topic.get(self._topics.settlements, ()))},
            dead_letters={**self._offsets.dead_letters, **_next(by_topic.get(self._topics.dead_letters, ()))},
            audited={**self._offsets.audited, **marks},
        )
        state = self._store.state
        reached = State(
            position=state.position + 1,
            events=self._archived,
            last_event_at=pipeline.latest(state.last_event_at, events.events),
            carry=stretch.derived_through(self._through),
            held=state.held,
            audited=max(0, receipt.position - self._offsets.waiting),
            offsets=msgspec.json.encode(self._offsets).decode(),
        )
        self._store.write(layers, reached, replaced)
        return Progress(events.events.height, len(told), receipt.dead)

    def _last_word(self, told: Iterable[Stretch]) -> tuple[list[Audited], dict[str, int]]:
        """The rows of the stretches that hold, and the tables of which something written before does not.

        Of a table that has several, each goes into a layer of its own, since its rows are known by how far it went.
        """
        standing: dict[str, list[Stretch]] = {}
        replaced: dict[str, int] = {}
        for each in told:
            before = [one for one in standing.get(each.table, []) if one.through <= each.after]
            standing[each.table] = [*before, each]
            if each.after < self._through.get(each.table, 0):
                replaced[each.table] = min(each.after, replaced.get(each.table, each.after))
        for table, lasting in standing.items():
            self._through[table] = lasting[-1].through
        deepest = max(map(len, standing.values()), default=0)
        layers = [[each[depth] for each in standing.values() if len(each) > depth] for depth in range(deepest)]
        return [stretch.audited(layer) for layer in layers], replaced

    def _seal(self, now: datetime) -> None:
        """A finished day, an hour after its end: what is decided later goes into a second part of it."""
        if self._clock() - self._looked_at < pipeline.SEALING_SECONDS:
            return
        self._looked_at = self._clock()
        through = sealing.last_finished_day(now - timedelta(hours=1))
        if self._sealed_through is None or through > self._sealed_through:
            sealing.seal(self._archive, through)
            self._store.seal(through)
            self._sealed_through = through


def disagreement(settings: Settings, partitions: int, archive: Log) -> Disagreement:
    """Why a store cannot be what these topics and this archive made of it."""

    def why(state: State) -> str | None:
        if state.position == 0:
            return None
        if state.offsets is None:
            return "it was derived from the embedded log"
        held = archive.counts().events
        if state.events > held:
            return f"it stands for {state.events:,} events, and the archive holds {held:,}"
        with topics.reached(settings):
            return _beyond(settings, partitions, _offsets(state))

    return why


def _beyond(settings: Settings, partitions: int, offsets: Offsets) -> str | None:
    reading: KafkaConsumer = topics.consumer(settings)
    try:
        places = _places(topics.names(settings), offsets, partitions)
        ends = reading.end_offsets(list(places))
    finally:
        reading.close()
    for place, offset in places.items():
        if offset > ends[place]:
            return f"it had read {place.topic}/{place.partition} to offset {offset:,}, and that ends at {ends[place]:,}"
    return None


def _offsets(state: State) -> Offsets:
    return Offsets() if state.offsets is None else msgspec.json.decode(state.offsets, type=Offsets)


def _places(names: topics.Topics, offsets: Offsets, partitions: int) -> dict[TopicPartition, int]:
    of = ((names.events, offsets.events), (names.settlements, offsets.settlements))
    return {
        TopicPartition(topic, number): known.get(number, 0)
        for topic, known in (*of, (names.dead_letters, offsets.dead_letters))
        for number in range(partitions)
    }


def _next(found: Sequence[ConsumerRecord]) -> dict[int, int]:
    # Of one partition the records ascend, so the last one stays.
    return {record.partition: record.offset + 1 for record in found}


def _told(found: Sequence[ConsumerRecord]) -> tuple[list[Stretch], dict[int, int], list[wire.DeadLetter]]:
    told: list[Stretch] = []
    marks: dict[int, int] = {}
    strange: list[wire.DeadLetter] = []
    for record in found:
        try:
            message = stretch.read(record.key, record.value)
        except stretch.Unknown as error:
            where = records.place(record.topic, record.partition)
            strange.append(
                wire.DeadLetter(f"no stretch of a table: {error}", record.value or b"", record.offset, where)
            )
            continue
        if isinstance(message, Mark):
            marks[record.partition] = message.next
        else:
            told.append(message)
    return told, marks, strange
