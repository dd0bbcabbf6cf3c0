"""A worker's pit: the tables of the partitions it has, from their next events to what is to be said of them.

A step is prepared beside what stands, and accepted whole. Nothing here knows Faust, and nothing is written to Kafka here.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Final

import polars as pl
from kafka import KafkaConsumer, TopicPartition

from detectors import standing, states, stretch
from detectors.audit import Audited
from detectors.standing import Again, Standing
from detectors.states import Found, Heading, PartitionState
from detectors.stretch import Stretch
from ingest import frame, log, records, topics
from ingest.records import Messages
from ingest.settings import Settings
from ingest.wire import DeadLetter
from replay import facts

# A table that is derived again goes through in pieces, so that no message and no memory grows with its age.
PIECE: Final = 100_000


@dataclass(frozen=True, slots=True)
class Sheet:
    """What is to be said of one partition, all of it or nothing."""

    stretches: list[Stretch] = field(default_factory=list)
    dead: list[DeadLetter] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.stretches or self.dead)


@dataclass(frozen=True, slots=True)
class Prepared:
    sheets: Mapping[int, Sheet]
    standing: Standing
    next: Mapping[int, int]
    homes: Mapping[str, int]
    unsure: frozenset[str]
    from_the_start: frozenset[str]


@dataclass(slots=True)
class Partition:
    heading: Heading
    next: int
    end_when_taken: int


class Pit:
    def __init__(self, settings: Settings, clock: Callable[[], float] = time.monotonic) -> None:
        self._settings = settings
        self._topics = topics.names(settings)
        self._clock = clock
        self._standing = standing.none()
        self._homes: dict[str, int] = {}
        self._unsure: frozenset[str] = frozenset()
        self._from_the_start: frozenset[str] = frozenset()
        self.partitions: dict[int, Partition] = {}
        self._looking: KafkaConsumer | None = None
        # Counts on while there is progress of any kind, for the watchdog to see.
        self.beats = 0

    # Partitions come and go

    def take(self, partition: int, found: Found) -> None:
        """Goes on from a state. Its predecessor may have said more since: whatever table that was, is told anew."""
        self.drop(partition)
        state = found.state
        self.partitions[partition] = Partition(state.heading, state.heading.next, found.end)
        held = standing.arrived(state.held, self._clock())
        self._standing = Standing(
            pl.concat([self._standing.carry, state.carry]).sort("table", "seq"), pl.concat([self._standing.held, held])
        )
        tables = {*state.carry["table"].unique(), *held["table"].unique()}
        self._homes |= dict.fromkeys(tables, partition)
        self._unsure |= frozenset(held["table"].unique())
        self._from_the_start |= frozenset(state.heading.from_the_start)

    def drop(self, partition: int) -> None:
        if self.partitions.pop(partition, None) is None:
            return
        gone = [table for table, home in self._homes.items() if home == partition]
        self._standing = Standing(_without(self._standing.carry, gone), _without(self._standing.held, gone))
        for table in gone:
            del self._homes[table]
        self._unsure -= frozenset(gone)
        self._from_the_start -= frozenset(gone)

    def state(self, partition: int) -> PartitionState:
        """What has to survive of a partition."""
        tables = [table for table, home in self._homes.items() if home == partition]
        mine = pl.col("table").is_in(tables)
        known = self.partitions[partition]
        started = sorted(self._from_the_start.intersection(tables))
        heading = Heading(known.next, known.heading.base_at, known.heading.base_taken, started)
        held = self._standing.held.drop("arrived")
        return PartitionState(heading, self._standing.carry.filter(mine), held.filter(mine))

    def rebase(self, partition: int, at: int, taken: float) -> None:
        """From now on late tables of the partition are derived again from the state that lies there."""
        known = self.partitions[partition]
        known.heading = Heading(known.next, at, taken)
        self._from_the_start -= {table for table, home in self._homes.items() if home == partition}

    def waits(self) -> bool:
        """Whether events have waited for missing ones long enough."""
        oldest: float | None = self._standing.held["arrived"].min()  # type: ignore[assignment]
        return oldest is not None and oldest <= self._clock() - self._settings.patience_seconds

    # A step

    def prepare(self, messages: Messages) -> Prepared:
        self.beats += 1
        messages = self._missed(self._new(messages))
        read = records.read(messages)
        events, dead = read.events, read.dead
        nexts = {number: known.next for number, known in self.partitions.items()}
        for number, offset in zip(messages.partitions, messages.offsets, strict=True):
            nexts[number] = offset + 1
        homes = {**self._homes, **dict(events.select("table", "partition").unique().iter_rows())}
        unsure = self._unsure | self._told_before(events)
        # Of a table that a predecessor may have spoken of, what holds is said at once.
        due = standing.due(
            self._standing, events.select(*log.SCHEMA), self._clock(), self._settings.patience_seconds, at_once=unsure
        )
        again, started = self._again(due.late, homes, nexts)
        told = self._told(due.ready, again, events)
        dead = [*dead, *_dead(told.poison, self._topics.events, homes)]
        sheets = _sheets(told.stretches, dead, homes, unsure.union(table for table, _ in due.late))
        self.beats += 1
        return Prepared(
            sheets,
            Standing(told.carry, due.held),
            nexts,
            homes,
            unsure - {each.table for sheet in sheets.values() for each in sheet.stretches},
            self._from_the_start | started,
        )

    def accept(self, prepared: Prepared) -> None:
        self._standing = prepared.standing
        self._homes = dict(prepared.homes)
        self._unsure, self._from_the_start = prepared.unsure, prepared.from_the_start
        for number, offset in prepared.next.items():
            self.partitions[number].next = offset
        self.beats += 1

    def _new(self, messages: Messages) -> Messages:
        """Those that come next: of a partition that is ours, and not read already."""
        known = {number: each.next for number, each in self.partitions.items()}
        rows = [
            row
            for row, (number, offset) in enumerate(zip(messages.partitions, messages.offsets, strict=True))
            if offset >= known.get(number, offset + 1)
        ]
        return messages if len(rows) == len(messages.offsets) else _rows(messages, rows)

    def _missed(self, messages: Messages) -> Messages:
        """The messages, with any that were passed over on their way here put in their place.

        Offsets that are skipped are usually marks that end transactions. But Faust may lose a message when partitions move.
        """
        expected = {number: each.next for number, each in self.partitions.items()}
        skipped: dict[int, list[tuple[int, int]]] = {}
        for number, offset in zip(messages.partitions, messages.offsets, strict=True):
            if offset > expected[number]:
                skipped.setdefault(number, []).append((expected[number], offset))
            expected[number] = offset + 1
        if not skipped:
            return messages
        missed = list(self._lying_between(skipped))
        if not missed:
            return messages
        rows = sorted(
            [
                *zip(messages.partitions, messages.offsets, messages.keys, messages.values, strict=True),
                *missed,
            ],
            key=lambda row: row[:2],
        )
        return Messages(messages.topic, *map(list, zip(*rows, strict=True)))

    def _lying_between(
        self, skipped: Mapping[int, Sequence[tuple[int, int]]]
    ) -> Iterator[tuple[int, int, bytes | None, bytes | None]]:
        if self._looking is None:
            # It fetches no more than it has to: mostly one mark at a time.
            self._looking = topics.consumer(self._settings, fetched=1)
        for turn in range(max(map(len, skipped.values()))):
            spans = {
                TopicPartition(self._topics.events, number): each[turn]
                for number, each in skipped.items()
                if turn < len(each)
            }
            begins = {place: begin for place, (begin, _) in spans.items()}
            ends = {place: end for place, (_, end) in spans.items()}
            for record in topics.through(self._looking, begins, ends):
                yield record.partition, record.offset, record.key, record.value

    def _read(self, number: int, begin: int, end: int) -> Iterator[tuple[int, int, bytes | None, bytes | None]]:
        place = TopicPartition(self._topics.events, number)
        with closing(topics.consumer(self._settings)) as reading:
            for count, record in enumerate(topics.through(reading, {place: begin}, {place: end})):
                self.beats += count % 1000 == 0
                yield number, record.offset, record.key, record.value

    def _told_before(self, events: pl.DataFrame) -> frozenset[str]:
        """Tables whose events a predecessor may have read already, and said something of."""
        ends = {number: each.end_when_taken for number, each in self.partitions.items()}
        end = pl.col("partition").replace_strict(ends, default=0, return_dtype=pl.Int64)
        return frozenset(events.filter(pl.col("position") < end)["table"].unique())

    def _again(
        self, late: Sequence[tuple[str, int]], homes: Mapping[str, int], nexts: Mapping[int, int]
    ) -> tuple[list[Again], frozenset[str]]:
        """Tables with late events in their place, and those of them that begin with their first event."""
        again: list[Again] = []
        started: set[str] = set()
        for number in sorted({homes[table] for table, _ in late}):
            base = states.base(self._settings, number, self.partitions[number].heading)
            lasts = dict(facts.last_seqs(base.carry).iter_rows())
            mine = [(table, seq) for table, seq in late if homes[table] == number]
            first = {table for table, seq in mine if seq <= lasts.get(table, 0) or table in self._from_the_start}
            for tables, begin in (({table for table, _ in mine} - first, base), (first, states.nothing())):
                if tables:
                    again += self._derived_again(number, tables, begin, nexts[number])
            started |= first
        return again, frozenset(started)

    def _derived_again(self, number: int, tables: set[str], base: PartitionState, end: int) -> list[Again]:
        keys = {table.encode() for table in tables}
        found = [record for record in self._read(number, base.heading.next, end) if record[2] in keys]
        columns = list(zip(*found, strict=True)) or [(), (), (), ()]
        events = records.read(Messages(self._topics.events, *columns)).events
        every = pl.concat([base.held, events.select(*log.SCHEMA)])
        of = pl.col("table")
        return [Again(table, base.carry.filter(of == table), every.filter(of == table)) for table in sorted(tables)]

    def _told(self, ready: pl.DataFrame, again: Sequence[Again], new: pl.DataFrame) -> "_Told":
        told = _Told(self._standing.carry)
        try:
            told.go_on(ready, [told.up_to_the_last_piece(each) for each in again])
        except Exception:  # noqa: BLE001 - one table's events must not stop the others; which ones, is found out table by table
            told = _Told(self._standing.carry)
            for table in ready["table"].unique().sort():
                told.try_alone(ready.filter(pl.col("table") == table), [], new)
            for each in again:
                told.try_alone(ready.clear(), [each], new)
        return told


class _Told:
    """What is to be said, as it grows: stretches, the carry they lead to, and events that could not be audited."""

    def __init__(self, carry: pl.DataFrame) -> None:
        self.carry = carry
        self.stretches: list[Stretch] = []
        self.poison: list[tuple[str, pl.DataFrame]] = []

    def go_on(self, ready: pl.DataFrame, again: Sequence[Again]) -> None:
        result = standing.audited(self.carry, ready, again)
        if result is None:
            return
        lasts = dict(facts.last_seqs(self.carry).iter_rows())
        after = {table: lasts.get(table, 0) for table in ready["table"].unique()}
        self._add(result, after | {each.table: each.since for each in again})

    def _add(self, result: Audited, after: Mapping[str, int]) -> None:
        self.stretches += stretch.stretches(result, after)
        self.carry = standing.carried_on(self.carry, result)

    def up_to_the_last_piece(self, again: Again) -> Again:
        """A long table's pieces but the last, which is left to be audited together with the rest."""
        events = again.events.sort("seq", "position")
        while events.height > PIECE:
            cut = events["seq"][PIECE - 1]
            piece = Again(again.table, again.carry, events.filter(pl.col("seq") <= cut))
            later = events.filter(pl.col("seq") > cut)
            if later.is_empty():
                break
            result = standing.audited(again.carry, piece.events.clear(), [piece])
            if result is not None:
                self._add(result, {again.table: again.since})
                again = Again(again.table, result.carry, later)
            events = later
        return replace(again, events=events)

    def try_alone(self, ready: pl.DataFrame, again: Sequence[Again], new: pl.DataFrame) -> None:
        """One table. If it cannot be audited, its new events are left out, and the gap they leave tells of it."""
        try:
            self.go_on(ready, [self.up_to_the_last_piece(each) for each in again])
        except Exception as error:  # noqa: BLE001 - whatever it is, it is said with the events that brought it about
            said = (str(error).splitlines() or [""])[0]
            poison = ready if ready.height else new.filter(pl.col("table") == again[0].table)
            self.poison.append((f"could not be audited: {type(error).__name__}: {said}", poison))


def _sheets(
    told: Sequence[Stretch], dead: Sequence[DeadLetter], homes: Mapping[str, int], unsure: frozenset[str]
) -> dict[int, Sheet]:
    """What there is to say, by partition. A stretch that decided nothing is only told where it may replace something."""
    sheets: dict[int, Sheet] = {}
    for each in told:
        if not each.silent or each.table in unsure:
            sheets.setdefault(homes[each.table], Sheet()).stretches.append(each)
    for letter in dead:
        sheets.setdefault(int(letter.file.rpartition("/")[2]), Sheet()).dead.append(letter)
    return sheets


def _dead(poison: Sequence[tuple[str, pl.DataFrame]], topic: str, homes: Mapping[str, int]) -> Iterator[DeadLetter]:
    for reason, events in poison:
        contents = frame.to_contents(events.select(*frame.SCHEMA))
        for content, table, offset in zip(contents, events["table"], events["position"], strict=True):
            yield DeadLetter(reason, content, offset, records.place(topic, homes[table]))


def _without(rows: pl.DataFrame, tables: Sequence[str]) -> pl.DataFrame:
    return rows.filter(~pl.col("table").is_in(tables))


def _rows(messages: Messages, rows: Sequence[int]) -> Messages:
    columns = (messages.partitions, messages.offsets, messages.keys, messages.values)
    return Messages(messages.topic, *([column[row] for row in rows] for column in columns))  # type: ignore[arg-type]
