"""The notation: an event as one plain line that a floor manager reads and a program reads back exactly.

    T1 #17 2026-01-31 12:00:03 round 4: seat 2 dealt 9H face down via shoe-1

Before the colon: table, `seq`, date, time and round; after it a sentence, one form for each type, listed in SENTENCES.
`read_log` takes whole incidents, where a line says only what changed since the line before.
"""

import difflib
import json
import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from typing import Final, get_args

import msgspec
from msgspec import Struct

from ingest import events, wire
from ingest.events import AnyEvent

# Square brackets enclose what is left out when it says nothing. The first form whose words fit is the one written.
# Where a form has settled a field by its very words, the field stands after the bar.
SENTENCES: Final = (
    (
        "table_opened",
        "table opened for {game}, edition {edition}, dealt by {dealing}, shuffler {shuffler}, decks {decks}, "
        "seats {seats}, wagers {min_wager} to {max_wager}"
        "[, pay tables {pay_tables}][, options {options}][, limits {limits}]",
    ),
    ("table_closed", "table closed"),
    ("dealer_assigned", "dealer {dealer} assigned"),
    ("player_seated", "seat {seat} taken by {player}"),
    ("player_left", "seat {seat} left"),
    ("deck_received", "deck {deck} received, back {back}[, packs {packs}]"),
    ("deck_removed", "deck {deck} removed, reason {reason}"),
    ("deck_shuffled", "deck {deck} shuffled {method}[, counted {counted}]"),
    ("deck_cut", "deck {deck} cut, cards {cards}"),
    ("stub_counted", "deck {deck} stub counted, cards {cards}"),
    ("device_failed", "{device} failed, {fault}"),
    ("device_removed", "{device} removed"),
    ("device_installed", "{device} installed"),
    ("round_started", "round {round} started with deck {deck}"),
    ("wager_placed", "seat {seat}[ hand {hand}] bet {amount} on {wager}[ for {player}]"),
    ("wager_changed", "seat {seat}[ hand {hand}] changed {wager} to {amount}[ for {player}]"),
    ("no_more_bets", "no more bets"),
    ("card_dealt", "seat {seat}[ hand {hand}] dealt {card} face {face}|to=player"),
    ("card_dealt", "{to}[ seat {seat}][ hand {hand}] dealt {card} face {face}"),
    ("community_revealed", "{street} revealed"),
    ("card_found_face_up", "{card} found face up"),
    ("card_exposed", "{card} exposed at seat {seat}|to=player"),
    ("card_exposed", "{card} exposed at {to}[ seat {seat}]"),
    ("decision_made", "seat {seat}[ hand {hand}] chose {choice}[ for {player}]"),
    ("card_discarded", "seat {seat} discarded {card}"),
    ("dealer_revealed", "dealer revealed"),
    ("wager_settled", "seat {seat}[ hand {hand}] {wager} {result} {amount}[ for {player}]"),
    ("settlement_corrected", "seat {seat}[ hand {hand}] {wager} corrected {change}[ for {player}] by {by}"),
    ("round_voided", "round voided by {by}, reason {reason}"),
    ("round_ended", "round {round} ended"),
)


class Misread(ValueError):
    """A line that is not in the notation; the message names the line and what was expected."""


class _Form(Struct, frozen=True):
    """How a field is written: the pattern it matches and the way there and back."""

    pattern: str
    read: Callable[[str], object]
    write: Callable[[object], str]


# Fields


_BARE: Final = r"[A-Za-z0-9][A-Za-z0-9_.:/+-]*"
_QUOTED: Final = r'"(?:[^"\\]|\\.)*"'
_WORD: Final = f"(?:{_BARE}|{_QUOTED})"
_SUM: Final = r"\d+(?:\.\d\d)?"


def _quoted(text: object) -> str:
    return json.dumps(text, ensure_ascii=False)


def _word(text: object) -> str:
    return str(text) if re.fullmatch(_BARE, str(text)) else _quoted(text)


def _unquoted(text: str) -> str:
    return str(json.loads(text)) if text.startswith('"') else text


def money(cents: int) -> str:
    """`25.00`; below nothing `-5.00`."""
    return f"{'-' if cents < 0 else ''}{abs(cents) // 100}.{abs(cents) % 100:02d}"


def _cents(text: str) -> int:
    whole, _, rest = text.lstrip("+-").partition(".")
    cents = int(whole) * 100 + int(rest or 0)
    return -cents if text.startswith("-") else cents


def _amount(cents: object) -> str:
    assert isinstance(cents, int)
    return money(cents)


def _change(cents: object) -> str:
    assert isinstance(cents, int)
    return money(cents) if cents < 0 else f"+{money(cents)}"


def _column(column: object) -> str:
    # Columns are text as printed, and 1 means "1"; one that came as a number keeps its brackets to say so.
    return f"({column})" if isinstance(column, int) else _word(column)


def _column_read(text: str) -> object:
    return int(text[1:-1]) if text.startswith("(") else _unquoted(text)


def _option(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return str(value)
    return _quoted(value) if re.fullmatch(r"yes|no|\d+", str(value)) else _word(value)


def _option_read(text: str) -> object:
    if text in ("yes", "no"):
        return text == "yes"
    return int(text) if re.fullmatch(r"-?\d+", text) else _unquoted(text)


def _map(value_pattern: str, read: Callable[[str], object], write: Callable[[object], str]) -> _Form:
    """`pair_plus=1 ante_bonus=2`."""
    pair = f"(?P<key>{_WORD})=(?P<value>{value_pattern})"
    bare_pair = f"{_WORD}={value_pattern}"

    def read_all(text: str) -> object:
        return {_unquoted(each["key"]): read(each["value"]) for each in re.finditer(pair, text)}

    def write_all(pairs: object) -> str:
        assert isinstance(pairs, dict)
        return " ".join(f"{_word(key)}={write(value)}" for key, value in sorted(pairs.items()))

    return _Form(f"{bare_pair}(?: {bare_pair})*", read_all, write_all)


def _span(text: str) -> object:
    return [_cents(each) for each in text.split("..")]


def _span_written(span: object) -> str:
    assert isinstance(span, tuple)
    low, high = span
    return f"{money(low)}..{money(high)}"


def _choice(closed: object) -> _Form:
    return _Form("|".join(map(re.escape, get_args(closed))), str, str)


_NUMBER: Final = _Form(r"\d+", int, str)
_NAME: Final = _Form(_WORD, _unquoted, _word)
_MONEY: Final = _Form(_SUM, _cents, _amount)
_FORMS: Final = {
    **dict.fromkeys(("round", "seat", "hand", "packs", "counted", "cards", "decks", "seats"), _NUMBER),
    **dict.fromkeys(("amount", "min_wager", "max_wager"), _MONEY),
    "change": _Form(rf"[+-]{_SUM}", _cents, _change),
    "reason": _Form(_QUOTED, _unquoted, _quoted),
    "card": _choice(events.Card),
    "to": _choice(events.Recipient),
    "face": _choice(events.Face),
    "street": _choice(events.Street),
    "result": _choice(events.Result),
    "device": _choice(events.Device),
    "fault": _choice(events.Fault),
    "method": _choice(events.ShuffleMethod),
    "game": _choice(events.GameName),
    "dealing": _choice(events.Dealing),
    "shuffler": _choice(events.Shuffler),
    "pay_tables": _map(rf"(?:{_WORD}|\(-?\d+\))", _column_read, _column),
    "options": _map(rf"(?:-?\d+(?![A-Za-z0-9_.:/+-])|{_WORD})", _option_read, _option),
    "limits": _map(rf"{_SUM}\.\.{_SUM}", _span, _span_written),
}
# `change` is the signed amount of a correction; on the wire it is an amount like the others.
_FIELD_OF: Final = {"change": "amount"}


# Sentences


class _Sentence(Struct, frozen=True):
    type: str
    shown: str
    fixed: dict[str, str]
    needed: list[str]
    pieces: list[tuple[str, bool]]
    pattern: re.Pattern[str]


_SUFFIX: Final = rf"(?: via (?P<source>{_WORD}))?(?: with (?P<extra>\{{.*\}}))?"
_PREFIX: Final = re.compile(
    r"(?:(?P<table>[A-Za-z0-9_-]{1,32})(?=[ :]))? ?(?:#(?P<seq>\d+)(?=[ :]))? ?(?:(?P<date>\d{4}-\d\d-\d\d)(?=[ :]))? ?"
    r"(?:(?P<time>\d\d:\d\d:\d\d(?:\.\d{1,6})?)(?=[ :]))? ?(?:(?P<round>round \d+|no round))?: +(?P<sentence>.*)",
    re.DOTALL,
)


@cache
def _sentences() -> tuple[_Sentence, ...]:
    return tuple(_compiled(type, form) for type, form in SENTENCES)


def _compiled(type: str, form: str) -> _Sentence:
    shown, _, settled = form.partition("|")
    pieces = [(piece.strip("[]"), piece.startswith("[")) for piece in re.findall(r"\[[^]]*\]|[^[]+", shown)]
    pattern = "".join(f"(?:{_pattern(piece)})?" if optional else _pattern(piece) for piece, optional in pieces)
    return _Sentence(
        type=type,
        shown=shown,
        fixed=dict([settled.split("=")] if settled else []),
        needed=[name for piece, optional in pieces if not optional for name in _names(piece)],
        pieces=pieces,
        pattern=re.compile(pattern + _SUFFIX, re.DOTALL),
    )


def _names(piece: str) -> list[str]:
    return re.findall(r"\{(\w+)\}", piece)


def _pattern(piece: str) -> str:
    parts = re.split(r"\{(\w+)\}", piece)
    return "".join(
        f"(?P<{part}>{_FORMS.get(part, _NAME).pattern})" if place % 2 else re.escape(part)
        for place, part in enumerate(parts)
    )


_DEFAULTS: Final = {"hand": 1, "packs": 1, "pay_tables": {}, "options": {}, "limits": {}}


def sentence(event: AnyEvent) -> str:
    """What happened, without table, `seq`, time and round."""
    fields = _stated(event)
    form = next(
        each
        for each in _sentences()
        if each.type == event.__struct_config__.tag
        and all(fields.get(name) == value for name, value in each.fixed.items())
        and all(_FIELD_OF.get(name, name) in fields for name in each.needed)
    )
    return "".join(
        _filled(piece, fields)
        for piece, optional in form.pieces
        if not optional or all(name in fields and fields[name] != _DEFAULTS.get(name) for name in _names(piece))
    )


def _stated(event: AnyEvent) -> dict[str, object]:
    return {name: value for name, value in msgspec.structs.asdict(event).items() if value is not None}


def _filled(piece: str, fields: dict[str, object]) -> str:
    return re.sub(
        r"\{(\w+)\}", lambda name: _FORMS.get(name[1], _NAME).write(fields[_FIELD_OF.get(name[1], name[1])]), piece
    )


# Lines


def write(event: AnyEvent, extra: str | None = None) -> str:
    """The event as one complete line, with the unknown fields it came with as JSON at the end."""
    said = sentence(event)
    moment = event.at.astimezone(UTC).replace(tzinfo=None)
    round = "" if event.round is None or event.__struct_config__.tag in _ROUND_SAID else f" round {event.round}"
    source = "" if event.source is None else f" via {_word(event.source)}"
    fields = "" if extra is None else f" with {extra}"
    return f"{event.table} #{event.seq} {moment.isoformat(' ')}{round}: {said}{source}{fields}"


_ROUND_SAID: Final = ("round_started", "round_ended")


def read(text: str) -> AnyEvent:
    """The event of one complete line."""
    return read_with_extra(text)[0]


def read_with_extra(text: str) -> tuple[AnyEvent, str | None]:
    """The event of one complete line, and the unknown fields behind it as canonical JSON."""
    prefix = _PREFIX.fullmatch(text.strip())
    if prefix is None or None in prefix.group("table", "seq", "date", "time"):
        raise Misread(f"expected `TABLE #SEQ DATE TIME [round N]: …`, found {_excerpt(text)}")
    return _event(prefix["sentence"], _Place().moved(prefix))


def read_log(text: str) -> list[AnyEvent]:
    """The events of an incident. Blank lines and `# comments` are passed over.

    A line may leave out what goes on as before: the table; `seq`, one more than the table's last; the date; the time, a
    second later; the round, from `round N started` to `round N ended`. `no round:` says that there is none.
    """
    place = _Place()
    found: list[AnyEvent] = []
    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.strip()
        if not stripped or re.match(r"#(?!\d)", stripped):
            continue
        try:
            prefix = _PREFIX.fullmatch(stripped)
            place = place.moved(prefix)
            event, _ = _event(prefix["sentence"] if prefix else stripped, place)
        except Misread as error:
            raise Misread(f"line {number}: {error}") from None
        place = place.after(event)
        found.append(event)
    return found


class _Place(Struct, frozen=True):
    """Where a log has got to, and what the next line goes on from."""

    table: str = ""
    seq: int = 0
    at: datetime | None = None
    round: int | None = None
    seqs: dict[str, int] = {}
    rounds: dict[str, int | None] = {}

    def moved(self, prefix: re.Match[str] | None) -> "_Place":
        said = prefix.groupdict() if prefix else dict.fromkeys(("table", "seq", "date", "time", "round"))
        table = said["table"] or self.table
        if not table:
            raise Misread("expected the first line to name its table: `TABLE #SEQ DATE TIME: …`")
        complete = None not in (said["table"], said["seq"], said["date"], said["time"])
        round = None if complete else self.rounds.get(table)
        if said["round"]:
            round = None if said["round"] == "no round" else int(said["round"].split()[1])
        return msgspec.structs.replace(
            self,
            table=table,
            seq=int(said["seq"]) if said["seq"] else self.seqs.get(table, 0) + 1,
            at=self._moment(said["date"], said["time"]),
            round=round,
        )

    def _moment(self, day: str | None, clock: str | None) -> datetime:
        if self.at is None and (day is None or clock is None):
            raise Misread("expected the first line to have a date and a time: `2026-01-31 12:00:00`")
        # Either what the line says, or a second after the line before.
        following = self.at + timedelta(seconds=1) if self.at else datetime.min.replace(tzinfo=UTC)
        try:
            if clock is None:
                exact = following.timetz()
            else:
                whole, _, fraction = clock.partition(".")
                exact = time.fromisoformat(whole).replace(microsecond=int(fraction.ljust(6, "0")), tzinfo=UTC)
            unchanged = following if clock is None or self.at is None else self.at
            return datetime.combine(date.fromisoformat(day) if day else unchanged.date(), exact)
        except ValueError as error:
            raise Misread(f"expected a date and time that exist: {error}") from None

    def after(self, event: AnyEvent) -> "_Place":
        round = self.rounds.get(event.table)
        if isinstance(event, events.RoundStarted):
            round = event.round
        elif isinstance(event, events.RoundEnded):
            round = None
        return msgspec.structs.replace(
            self, seqs=self.seqs | {event.table: event.seq}, rounds=self.rounds | {event.table: round}
        )


def _event(said: str, place: _Place) -> tuple[AnyEvent, str | None]:
    for form in _sentences():
        match = form.pattern.fullmatch(said)
        if match is None:
            continue
        fields: dict[str, object] = {"table": place.table, "seq": place.seq, "at": place.at, **form.fixed}
        if place.round is not None:
            fields["round"] = place.round
        if form.type == "table_opened":
            fields["pay_tables"] = {}
        for name, text in match.groupdict().items():
            if text is not None and name != "extra":
                fields[_FIELD_OF.get(name, name)] = _FORMS.get(name, _NAME).read(text)
        if "round" not in fields and form.type in events.ROUND_TYPES and fields.get("to") != "burn":
            raise Misread("expected an open round; write `round N started with deck …` or `round N:` before it")
        try:
            event: AnyEvent = msgspec.convert(fields, events.CLASSES[form.type])  # type: ignore[assignment]
        except msgspec.ValidationError as error:
            raise Misread(f"{error}, in {_excerpt(said)}") from None
        return event, _canonical_extra(event, match["extra"])
    shown = [form.shown for form in _sentences()]
    alike = [form for form in shown if form.split()[0] == said.split(maxsplit=1)[0]]
    nearest = difflib.get_close_matches(said, alike or shown, n=1, cutoff=0)[0]
    raise Misread(f"expected a sentence like `{nearest}`, found {_excerpt(said)}")


def _canonical_extra(event: AnyEvent, text: str | None) -> str | None:
    if text is None:
        return None
    outcome = wire.read(wire.joined(wire.write(event), text))
    if not isinstance(outcome, wire.Accepted):
        raise Misread(f"expected unknown fields as one JSON object after `with`, found {_excerpt(text)}")
    return outcome.extra


def _excerpt(text: str) -> str:
    return _quoted(text if len(text) <= 80 else text[:80] + "…")
