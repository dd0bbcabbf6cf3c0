import re
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest import events, notation, wire
from ingest.events import AnyEvent
from tests.ingest.facts import ANY_EVENT

OPENING = (
    "T1 #1 2026-01-31 12:00:00: table opened for three-card-poker, edition 2000, dealt by hand, shuffler counting, "
    "decks 2, seats 7, wagers 5.00 to 500.00, pay tables ante_bonus=1 pair_plus=2"
)


@given(ANY_EVENT)
def test_every_event_is_written_on_one_line_and_read_back(event: AnyEvent) -> None:
    line = notation.write(event)
    assert "\n" not in line
    assert notation.read(line) == event


@given(st.lists(ANY_EVENT, max_size=5))
def test_a_written_log_reads_back_as_it_was(log: list[AnyEvent]) -> None:
    assert notation.read_log("\n".join(map(notation.write, log))) == log


@given(st.text(max_size=60) | st.sampled_from([form for _, form in notation.SENTENCES]))
def test_a_line_in_no_notation_is_misread_and_nothing_worse(text: str) -> None:
    for line in (text, f"T1 #1 2026-01-31 12:00:00 round 1: {text}"):
        with suppress(notation.Misread):
            notation.read(line)


def test_every_type_has_a_sentence() -> None:
    assert {type for type, _ in notation.SENTENCES} == set(events.TYPES)


def test_a_floor_manager_can_read_it() -> None:
    dealt = wire.read(
        b'{"table":"T1","seq":17,"at":"2026-01-31T12:00:03Z","type":"card_dealt","round":4,"to":"player","seat":2,'
        b'"card":"9H","face":"down","source":"shoe-1","batch":[1]}'
    )
    assert isinstance(dealt, wire.Accepted)
    line = "T1 #17 2026-01-31 12:00:03 round 4: seat 2 dealt 9H face down via shoe-1"
    assert notation.write(dealt.event) == line
    assert notation.write(dealt.event, dealt.extra) == line + ' with {"batch":[1]}'
    assert notation.read_with_extra(line + ' with {"batch": [1]}') == (dealt.event, dealt.extra)


def test_an_incident_says_only_what_changes() -> None:
    log = notation.read_log(
        f"""
        # Seat 2 bets after the call.
        {OPENING}
        dealer D7 assigned

        round 4 started with deck blue
        12:30:00: no more bets
        seat 2 bet 25 on ante
        #9: seat 2 ante taken 25.00
        12:29:00.5: dealer revealed
        T2 #40: seat 1 left
        T1: round 4 ended
        table closed
        """
    )
    assert [(event.table, event.seq, event.round, f"{event.at:%H:%M:%S.%f}") for event in log] == [
        ("T1", 1, None, "12:00:00.000000"),
        ("T1", 2, None, "12:00:01.000000"),
        ("T1", 3, 4, "12:00:02.000000"),
        ("T1", 4, 4, "12:30:00.000000"),
        ("T1", 5, 4, "12:30:01.000000"),
        ("T1", 9, 4, "12:30:02.000000"),
        ("T1", 10, 4, "12:29:00.500000"),
        ("T2", 40, None, "12:29:01.500000"),
        ("T1", 11, 4, "12:29:02.500000"),
        ("T1", 12, None, "12:29:03.500000"),
    ]
    assert [event.amount for event in log if isinstance(event, events.WagerPlaced)] == [2500]


def test_a_round_can_be_named_or_denied_for_one_line() -> None:
    started = "round 4 started with deck blue"
    log = notation.read_log(
        f"{OPENING}\n{started}\nno round: dealer D8 assigned\nround 5: no more bets\ndealer revealed"
    )
    assert [event.round for event in log] == [None, 4, None, 5, 4]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("table closed", "line 1: expected the first line to name its table"),
        ("T1 #1: table closed", "line 1: expected the first line to have a date and a time"),
        ("T1 #1 2026-02-30 12:00:00: table closed", "line 1: expected a date and time that exist"),
        (f"{OPENING}\n\nno more bets", "line 3: expected an open round"),
        (f"{OPENING}\nseat 0 left", "line 2: Expected `int` >= 1"),
        (f"{OPENING}\nround 1 started with deck A\nseat 2 delt 9H face up", "line 3: expected a sentence like `seat"),
        (f"{OPENING}\ndealer D7 assigned with {{oops}}", "line 2: expected unknown fields as one JSON object"),
    ],
)
def test_a_mistake_names_its_line_and_what_was_expected(lines: str, said: str) -> None:
    with pytest.raises(notation.Misread, match=re.escape(said)):
        notation.read_log(lines)
