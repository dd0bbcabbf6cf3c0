import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest import events, wire
from ingest.events import AnyEvent
from tests.ingest.facts import ANY_EVENT, JSON, members

GOLDEN = Path(__file__).parent / "golden" / "events.jsonl"
CARD = {
    "table": "T1",
    "seq": 17,
    "at": "2026-01-31T12:00:03Z",
    "type": "card_dealt",
    "round": 4,
    "to": "player",
    "seat": 2,
    "card": "9H",
    "face": "down",
}
CANONICAL = (
    b'{"at":"2026-01-31T12:00:03Z","card":"9H","face":"down","round":4,"seat":2,"seq":17,"table":"T1",'
    b'"to":"player","type":"card_dealt"}'
)


def line(**changes: object) -> bytes:
    return json.dumps({key: value for key, value in (CARD | changes).items() if value != "absent"}).encode()


def accepted(raw: bytes) -> wire.Accepted:
    outcome = wire.read(raw)
    assert isinstance(outcome, wire.Accepted), outcome
    return outcome


def reason(raw: bytes) -> str:
    outcome = wire.read(raw)
    assert isinstance(outcome, wire.DeadLetter), outcome
    assert outcome.content == raw[: wire.LINE_LIMIT]
    return outcome.reason


def test_old_bytes_still_read_and_are_still_the_canonical_ones() -> None:
    lines = GOLDEN.read_bytes().splitlines()
    assert {json.loads(each)["type"] for each in lines} == set(events.TYPES)
    for each in lines:
        assert accepted(each).content == each
    assert wire.decode(lines).contents == lines


@given(ANY_EVENT)
def test_every_event_survives_the_wire(event: AnyEvent) -> None:
    content = wire.write(event)
    assert accepted(content) == wire.Accepted(event, content)
    assert wire.decode([content]) == wire.Batch([content], [None], [])


@pytest.mark.parametrize(
    "spelling",
    [
        json.dumps(CARD).encode(),
        json.dumps(CARD, indent=1).replace("\n", "").encode(),
        json.dumps(dict(reversed(CARD.items())), separators=(",", ":")).encode(),
        line(hand=1),
        line(hand=None, source=None),
        line(at="2026-01-31T12:00:03.000Z"),
        line(at="2026-01-31T12:00:03.000000Z"),
        line(at="2026-01-31t12:00:03z"),
        line(at="2026-01-31 12:00:03+00:00"),
        json.dumps(CARD).replace("player", "pl\\u0061yer").encode(),
        b"\t" + json.dumps(CARD).encode() + b"\r",
    ],
)
def test_spellings_of_one_fact_are_the_same_bytes(spelling: bytes) -> None:
    assert accepted(spelling).content == CANONICAL
    assert wire.decode([spelling] * 3).contents == [CANONICAL] * 3


def test_a_fraction_of_a_second_has_six_digits_or_none() -> None:
    for spelling in ("12:00:03.5Z", "12:00:03.50Z", "12:00:03.500000Z"):
        raw = line(at=f"2026-01-31T{spelling}")
        assert b'"at":"2026-01-31T12:00:03.500000Z"' in accepted(raw).content
        assert wire.decode([raw]).contents == [accepted(raw).content]


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"{", "broken JSON"),
        (b"nonsense", "broken JSON"),
        (CANONICAL + CANONICAL, "broken JSON"),
        (CANONICAL.replace(b"17", b"NaN"), "broken JSON"),
        (CANONICAL.replace(b"17", b"017"), "broken JSON"),
        (CANONICAL.replace(b"9H", b"9\tH"), "broken JSON"),
        (CANONICAL[:-1] + b',"x":-Infinity}', "broken JSON"),
        (b"[1,2]", "not a JSON object"),
        (b"17", "not a JSON object"),
        (CANONICAL.replace(b"9H", b"\xff\xfe"), "not UTF-8"),
        (CANONICAL[:-1] + b',"x":"\xff"}', "not UTF-8"),
        (line(type="absent"), "`type` is missing"),
        (line(type=None), "`type` is missing"),
        (line(type=3), "`type` is ill-typed"),
        (line(type="card_eaten"), 'unknown type "card_eaten"'),
        (line(seq="absent"), "`seq` is missing"),
        (line(seq=None), "`seq` is missing"),
        (line(round="absent"), "`round` is missing"),
        (line(round="absent", to="community"), "`round` is missing"),
        (line(seat="absent"), "a card dealt to a player has no `seat`"),
        (line(seq="17"), "`seq` is ill-typed"),
        (line(seq=17.0), "`seq` is ill-typed"),
        (line(seq=0), "`seq` is ill-typed"),
        (line(seq=True), "`seq` is ill-typed"),
        (line(seq=10**30), "`seq` is ill-typed"),
        (line(seat=100), "`seat` is ill-typed"),
        (line(card="1H"), "`card` is ill-typed"),
        (line(table="T 1"), "`table` is ill-typed"),
        (line(table="T1\n"), "`table` is ill-typed"),
        (line(table="T" * 33), "`table` is ill-typed"),
        (line(source=""), "`source` is ill-typed"),
        (line(source="x" * 257), "`source` is ill-typed"),
        (line(at=1738324803), "`at` is not an RFC 3339 time in UTC"),
        (line(at="yesterday"), "`at` is not an RFC 3339 time in UTC"),
        (line(at="2026-01-31T12:00:03"), "`at` is not an RFC 3339 time in UTC"),
        (line(at="2026-02-30T12:00:03Z"), "`at` is not an RFC 3339 time in UTC"),
        (line(at="2026-01-31T24:00:00Z"), "`at` is not an RFC 3339 time in UTC"),
        (line(at="2026-01-31T12:00:03+02:00"), "`at` is not UTC"),
        (line(at="2026-01-31T12:00:03.1234567Z"), "`at` is finer than microseconds"),
        (CANONICAL[:-1] + b',"seq":17}', 'repeated key "seq"'),
        (CANONICAL[:-1] + b',"x":[{"y":1,"y":1}]}', 'repeated key "y"'),
        (CANONICAL[:-1] + b',"s\\u0065q":17}', 'repeated key "seq"'),
        (CANONICAL[:-1] + b',"x":' + b"[" * 65 + b"]" * 65 + b"}", "nested deeper than 64 levels"),
        (CANONICAL[:-1] + b',"x":' + b"[" * 20_000 + b"]" * 20_000 + b"}", "nested deeper than 64 levels"),
        (CANONICAL.replace(b"T1", b"\\ud800"), "half of a surrogate pair"),
        (line(source="\ud800"), "half of a surrogate pair"),
        (CANONICAL[:-1] + b" " * wire.LINE_LIMIT + b"}", "the line is over 64 KiB"),
    ],
)
def test_a_line_that_is_no_event_is_a_dead_letter_with_its_reason(raw: bytes, said: str) -> None:
    assert reason(raw).startswith(said)
    batch = wire.decode([CANONICAL, b"", raw, CANONICAL])
    assert batch.contents == [CANONICAL] * 2
    assert [(letter.line, letter.reason) for letter in batch.dead] == [(3, reason(raw))]


def test_a_line_of_exactly_64_kib_is_read() -> None:
    raw = CANONICAL[:-1] + b" " * (wire.LINE_LIMIT - len(CANONICAL)) + b"}"
    assert len(raw) == wire.LINE_LIMIT
    assert accepted(raw).content == CANONICAL


def test_blank_lines_are_passed_over_and_counted() -> None:
    batch = wire.decode([b"", b"  ", CANONICAL, b"\r", b"{"], first=10)
    assert batch.contents == [CANONICAL]
    assert [letter.line for letter in batch.dead] == [14]


@pytest.mark.parametrize("number", [b"9" * 6_000, b"1e999", b"1.50", b"-0", b"1E5", b"12345678901234567890123", b"0.1"])
def test_a_number_nobody_named_is_kept_as_it_was_written(number: bytes) -> None:
    outcome = accepted(CANONICAL[:-1] + b', "x" : [' + number + b"]}")
    assert outcome.extra == f'{{"x":[{number.decode()}]}}'
    assert outcome.content == CANONICAL[:-1] + b',"x":[' + number + b"]}"
    assert accepted(outcome.content) == outcome
    assert wire.core(outcome.content) == CANONICAL


def test_half_a_surrogate_pair_nobody_named_is_kept_as_its_escape() -> None:
    outcome = accepted(CANONICAL[:-1] + b',"x":"\\uD800","\\udfff":null}')
    assert outcome.extra == '{"x":"\\ud800","\\udfff":null}'
    assert accepted(outcome.content) == outcome
    assert wire.core(outcome.content) == CANONICAL


def test_a_field_that_belongs_to_other_types_is_kept_as_unknown() -> None:
    outcome = accepted(line(player="p7", firmware={"b": 1, "a": [None]}))
    assert outcome.extra == '{"firmware":{"a":[null],"b":1},"player":"p7"}'
    assert accepted(outcome.content) == outcome


@given(ANY_EVENT, st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=8), JSON, max_size=3))
def test_unknown_fields_are_kept_whatever_they_are(event: AnyEvent, unknown: dict[str, object]) -> None:
    known = events.FIELDS[event.__struct_config__.tag]
    unknown = {key: value for key, value in unknown.items() if key not in known}
    raw = json.dumps(members(event) | unknown).encode()
    outcome = accepted(raw)
    assert outcome.event == event
    assert json.loads(outcome.extra or "{}") == unknown
    assert json.loads(outcome.content) == members(event) | unknown
    assert wire.decode([raw, raw]) == wire.Batch([outcome.content] * 2, [outcome.extra] * 2, [])
    assert accepted(outcome.content) == outcome


PIECES = [
    b'"',
    b"{",
    b"}",
    b":",
    b",",
    b" ",
    b"\\",
    b"\n",
    b"[",
    b"]",
    b"\xff",
    b"1",
    b'"seq":17',
    b'"at"',
    b"null",
    b"Z",
]


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A good line with pieces cut out, doubled and put in: close enough to fool a shortcut."""
    raw = draw(
        st.sampled_from([CANONICAL, line(), line(hand=1, x={"a": "b: c, d"}), line(at="2026-01-31T12:00:03.5Z")])
    )
    for _ in range(draw(st.integers(1, 3))):
        start, end = sorted((draw(st.integers(0, len(raw))), draw(st.integers(0, len(raw)))))
        raw = raw[:start] + draw(st.sampled_from([b"", raw[start:end] * 2, *PIECES])) + raw[end:]
    return raw


@given(st.lists(damaged() | st.just(CANONICAL) | st.binary(max_size=40), max_size=6))
def test_many_lines_at_once_come_to_what_each_comes_to_alone(lines: list[bytes]) -> None:
    alone = [wire.read(each) for each in lines]
    batch = wire.decode(lines)
    assert list(zip(batch.contents, batch.extras, strict=True)) == [
        (outcome.content, outcome.extra) for outcome in alone if isinstance(outcome, wire.Accepted)
    ]
    assert batch.dead == [
        msgspec.structs.replace(outcome, line=number)
        for number, outcome in enumerate(alone, 1)
        if isinstance(outcome, wire.DeadLetter)
    ]


@given(st.binary(max_size=200) | damaged())
def test_no_bytes_whatever_raise(raw: bytes) -> None:
    outcome = wire.read(raw)
    if isinstance(outcome, wire.Accepted):
        assert wire.read(outcome.content) == outcome
    elif outcome is not None:
        assert outcome.reason
        assert "\n" not in outcome.reason


def test_n_bad_lines_among_many_give_n_dead_letters() -> None:
    lines = [wire.core(line(seq=number)) for number in range(1, 20_001)]
    for number in (3, 700, 8_192, 8_193, 19_999):
        lines[number - 1] = b"{"
    batch = wire.decode(lines)
    assert [letter.line for letter in batch.dead] == [3, 700, 8_192, 8_193, 19_999]
    assert batch.contents == [each for each in lines if each != b"{"]
