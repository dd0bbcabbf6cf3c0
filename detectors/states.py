"""The state of a partition: the few facts of each of its tables that a worker goes on from, in the topic `table-states`.

A worker writes it every few seconds, in the transaction that also says which event comes next. Whoever takes the partition
over reads the last that was committed, and the events from there on; without one it can read, it begins with the first event.
"""

import time
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Final

import msgspec
import polars as pl
from kafka import KafkaConsumer, TopicPartition
from msgspec import Struct

from detectors import storefile
from detectors.storefile import Unsound
from ingest import log, topics
from ingest.settings import Settings
from replay import facts

NOW: Final = b"now"
BASE: Final = b"base"
_HEADER: Final = "state"
# The last state lies within the last few offsets: a record or two, and what ended their transactions.
_TAIL: Final = 16


class Heading(Struct, frozen=True):
    """What stands beside the facts."""

    next: int
    # Where in the topic the state lies that tables with late events are derived again from, and when it was taken.
    base_at: int | None
    base_taken: float
    # Tables for which that state is no longer theirs, since something came late for what lies before it.
    from_the_start: list[str] = []


@dataclass(frozen=True, slots=True)
class PartitionState:
    heading: Heading
    carry: pl.DataFrame
    held: pl.DataFrame


def nothing(taken: float | None = None) -> PartitionState:
    heading = Heading(0, None, time.time() if taken is None else taken)
    return PartitionState(heading, facts.none(), pl.DataFrame(schema=log.SCHEMA))


def written(state: PartitionState) -> tuple[bytes, list[tuple[str, bytes]]]:
    """Value and headers of the record."""
    return storefile.packed(state.carry, state.held), [(_HEADER, msgspec.json.encode(state.heading))]


def _read(value: bytes, headers: Iterable[tuple[str, bytes]]) -> PartitionState:
    try:
        heading = msgspec.json.decode(dict(headers)[_HEADER], type=Heading)
        return PartitionState(heading, *storefile.unpacked(value))
    except (KeyError, msgspec.DecodeError, pl.exceptions.PolarsError) as error:
        raise Unsound(f"a state that cannot be read ({error})") from None


@dataclass(frozen=True, slots=True)
class Found:
    """The state a partition is taken over with, and where its events ended at that moment."""

    state: PartitionState
    end: int
    note: str | None = None


def last(settings: Settings, partitions: Iterable[int]) -> dict[int, Found]:
    """The last committed state of each partition."""
    names = topics.names(settings)
    numbers = list(partitions)
    with closing(topics.consumer(settings)) as reading:
        places = {number: TopicPartition(names.states, number) for number in numbers}
        ends = reading.end_offsets(list(places.values()))
        begins = reading.beginning_offsets(list(places.values()))
        tails = {place: max(begins[place], ends[place] - _TAIL) for place in places.values()}
        found = _last_records(reading, tails, ends)
        unfound = {place: begins[place] for place in tails if place not in found and tails[place] > begins[place]}
        found |= _last_records(reading, unfound, ends)
        events = {number: TopicPartition(names.events, number) for number in numbers}
        event_begins = reading.beginning_offsets(list(events.values()))
        event_ends = reading.end_offsets(list(events.values()))
    taken = {}
    for number in numbers:
        begin, end = event_begins[events[number]], event_ends[events[number]]
        taken[number] = _sound(found.get(places[number]), begin, end)
    return taken


def _sound(record: tuple[bytes, list[tuple[str, bytes]]] | None, begin: int, end: int) -> Found:
    if record is None:
        return Found(nothing(), end)
    try:
        state = _read(*record)
    except Unsound as error:
        return Found(nothing(), end, str(error))
    if not begin <= state.heading.next <= end:
        why = f"its state goes on from offset {state.heading.next}, and its events lie between {begin} and {end}"
        return Found(nothing(), end, why)
    return Found(state, end)


def _last_records(
    reading: KafkaConsumer, begins: Mapping[TopicPartition, int], ends: Mapping[TopicPartition, int]
) -> dict[TopicPartition, tuple[bytes, list[tuple[str, bytes]]]]:
    found = {}
    for record in topics.through(reading, begins, ends) if begins else ():
        if record.key == NOW:
            found[TopicPartition(record.topic, record.partition)] = (record.value, record.headers)
    return found


def base(settings: Settings, partition: int, heading: Heading) -> PartitionState:
    """The state that a partition's tables are derived again from."""
    if heading.base_at is None:
        return nothing(heading.base_taken)
    place = TopicPartition(topics.names(settings).states, partition)
    with closing(topics.consumer(settings)) as reading:
        for record in topics.through(reading, {place: heading.base_at}, {place: heading.base_at + 1}):
            if record.key == BASE:
                try:
                    return _read(record.value, record.headers)
                except Unsound:
                    break
    return nothing(heading.base_taken)
