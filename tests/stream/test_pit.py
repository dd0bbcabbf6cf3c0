"""What a worker makes of messages, without a broker: what the audit makes of them, and one table's poison stays its own."""

import random
from contextlib import closing

import polars as pl
import pytest

from detectors import pit as pits
from detectors import states, stretch
from detectors.audit import audit
from detectors.pit import Pit
from detectors.states import Found
from detectors.watchdog import Watchdog
from ingest import frame, records, topics
from ingest.records import Messages
from ingest.settings import Settings
from replay import facts

SETTINGS = Settings(patience_seconds=5, stall_seconds=60)


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def messages(lines: list[bytes], first: int = 0) -> Messages:
    tables = [line.split(b'"table":"')[1].split(b'"')[0] for line in lines]
    offsets = list(range(first, first + len(lines)))
    return Messages("table-events", [0] * len(lines), offsets, tables, lines)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def pit(clock) -> Pit:
    made = Pit(SETTINGS, clock)
    made.take(0, Found(states.nothing(), 0))
    return made


def told(pit: Pit, given: Messages) -> list[stretch.Stretch]:
    prepared = pit.prepare(given)
    pit.accept(prepared)
    return [each for sheet in prepared.sheets.values() for each in sheet.stretches]


def rows(stretches: list[stretch.Stretch]) -> dict[str, list[bytes]]:
    return {kind: sorted(bytes(row) for each in stretches for row in getattr(each, kind)) for kind in stretch.KINDS}


def wanted(lines: list[bytes]) -> dict[str, list[bytes]]:
    audited = audit(facts.none(), frame.from_contents(lines), final=False)
    return rows(stretch.stretches(audited, dict.fromkeys(audited.carry["table"].unique(), 0)))


def test_what_is_told_is_what_the_audit_finds_however_it_is_cut(pit, clock, lines):
    chance = random.Random(5)
    said: list[stretch.Stretch] = []
    place = 0
    while place < len(lines):
        step = chance.randrange(1, 900)
        said += told(pit, messages(lines[place : place + step], place))
        place += step
    clock.now = 10
    assert pit.waits() == bool(pit.state(0).held.height)
    said += told(pit, messages([]))
    assert rows(said) == wanted(lines)


def test_a_message_read_already_or_of_a_partition_that_is_not_ours_is_passed_over(pit, lines):
    told(pit, messages(lines[:500]))
    assert told(pit, messages(lines[:500])) == []
    elsewhere = Messages("table-events", [3], [0], [b"T001"], [lines[0]])
    assert told(pit, elsewhere) == []
    assert pit.partitions[0].next == 500


def test_a_state_taken_over_goes_on_as_if_nothing_had_been(pit, clock, lines):
    said = told(pit, messages(lines[:1500]))
    value, headers = states.written(pit.state(0))
    successor = Pit(SETTINGS, clock)
    successor.take(0, Found(states._read(value, headers), 1500))
    said += told(successor, messages(lines[1500:], 1500))
    clock.now = 10
    said += told(successor, messages([]))
    assert rows(said) == wanted(lines)


def test_a_table_that_a_predecessor_may_have_spoken_of_is_told_even_if_nothing_was_decided(clock, lines):
    successor = Pit(SETTINGS, clock)
    successor.take(0, Found(states.nothing(), end=1))
    (first,) = told(successor, messages(lines[:1]))
    assert (first.after, first.through, first.silent) == (0, 1, True)
    assert told(successor, messages(lines[1:2], 1)) == []


def test_events_that_cannot_be_audited_are_dead_letters_and_leave_the_other_tables_alone(pit, lines, monkeypatch):
    poisoned = lines[0].split(b'"table":"')[1].split(b'"')[0].decode()
    sound = pits.standing.audited

    def faulty(carry, ready, again):
        if poisoned in ready["table"]:
            raise pl.exceptions.ComputeError("a fault that nobody foresaw")
        return sound(carry, ready, again)

    monkeypatch.setattr(pits.standing, "audited", faulty)
    prepared = pit.prepare(messages(lines))
    others = [line for line in lines if b'"table":"' + poisoned.encode() + b'"' not in line]
    assert rows(prepared.sheets[0].stretches) != rows([])
    assert {each.table for each in prepared.sheets[0].stretches}.isdisjoint({poisoned})
    dead = prepared.sheets[0].dead
    assert dead
    assert {letter.content for letter in dead}.isdisjoint(others)
    assert all("a fault that nobody foresaw" in letter.reason for letter in dead)
    assert all(lines[letter.line] == letter.content for letter in dead)


def test_messages_lost_on_their_way_are_put_in_their_place_and_marks_of_transactions_are_none(floor, events, clock):
    floor.ingest(events)
    chosen = floor.settings
    place = topics.places(chosen)[0]
    with closing(topics.consumer(chosen)) as reading:
        every = [record for record in topics.through(reading, {place: 0}) if record.partition == 0]
    pit = Pit(chosen, clock)
    for number, found in states.last(chosen, [0]).items():
        pit.take(number, found)
    arrived = [record for record in every if record.offset % 7]
    said = told(pit, records.messages(place.topic, arrived[:1000]))
    said += told(pit, records.messages(place.topic, arrived[1000:]))
    clock.now = 10
    said += told(pit, messages([]))
    lost_at_the_end = [record for record in every if record.offset > arrived[-1].offset]
    assert rows(said) == wanted([record.value for record in every[: len(every) - len(lost_at_the_end)]])


def test_the_watchdog_ends_a_worker_whose_lag_stands_still_and_no_other(pit, clock, lines):
    ended: list[float] = []
    watchdog = Watchdog(SETTINGS, 1, pit, clock, lambda: ended.append(clock.now))
    for now, waiting in ((10, 5), (50, 5), (60, 0), (100, 7), (119, 7), (140, None), (199, 7)):
        clock.now = now
        watchdog.look(waiting)
    assert ended == []
    told(pit, messages(lines[:10]))
    clock.now = 205
    watchdog.look(7)
    assert ended == []
    clock.now = 266
    watchdog.look(7)
    assert ended == [266]
