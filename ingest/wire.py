"""The wire: one raw line becomes an event in its canonical bytes, or a dead letter with its reason.

Canonical means: keys sorted, no spaces, `at` with a `Z` and either no fraction or six digits, what is absent by default
left out, unknown fields kept. Two spellings of one fact are the same bytes, so a repeat is told from a conflict by `==`.
"""

import json
import re
from collections.abc import Iterable
from typing import Final, TypeAlias, Union, cast

import msgspec
import polars as pl
from msgspec import Struct

from ingest import events
from ingest.events import AnyEvent

LINE_LIMIT: Final = 65_536
# RFC 8259 lets a reader bound the nesting. Far below Python's own limit, so the answer never depends on the call stack.
NESTING_LIMIT: Final = 64
BLOCK: Final = 8_192
_SMALL_BLOCK: Final = 512

_AT: Final = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.(\d+))?(?:[Zz]|[+-]00:00)")
_TABLE: Final = re.compile(r"[A-Za-z0-9_-]{1,32}")
_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")

_ENCODER: Final = msgspec.json.Encoder(order="sorted")
_AS_READ: Final = msgspec.json.Encoder()
_OBJECT: Final[msgspec.json.Decoder[dict[str, "Json"]]] = msgspec.json.Decoder(dict)
_EVENT: Final[msgspec.json.Decoder[AnyEvent]] = msgspec.json.Decoder(AnyEvent)


class Accepted(Struct, frozen=True):
    event: AnyEvent
    content: bytes
    extra: str | None = None


class DeadLetter(Struct, frozen=True):
    reason: str
    content: bytes
    line: int = 0
    file: str = ""


class Batch(Struct, frozen=True):
    """What a run of lines came to: `extras` runs beside `contents`, a dead letter carries the number of its line."""

    contents: list[bytes] = []
    extras: list[str | None] = []
    dead: list[DeadLetter] = []


def write(event: AnyEvent, extra: str | None = None) -> bytes:
    """The event's canonical bytes, with the unknown fields it came with."""
    core = _ENCODER.encode(event)
    return core if extra is None else with_extra(core, extra)


def core(content: bytes) -> bytes:
    """Canonical bytes without the fields the contract does not name."""
    try:
        return _ENCODER.encode(_EVENT.decode(content))
    except msgspec.DecodeError:  # msgspec will not step over half a surrogate pair, even in a field it does not want
        members = _object(content)
        known = events.FIELDS[str(members["type"])]
        return _canonical({key: value for key, value in members.items() if key in known})


def with_extra(core: bytes, extra: str) -> bytes:
    return _merged(core, _object(extra.encode()))


def joined(line: bytes, extra: str) -> bytes:
    """A line with the members of a second object added: still a line, to be read like any other."""
    inner = extra.strip().removeprefix("{").lstrip().encode()
    return line if inner == b"}" else line[:-1] + b"," + inner


def read(line: bytes) -> Accepted | DeadLetter | None:
    """One line by itself; None for a blank one. Slower than `decode`, and the authority on what `decode` may accept."""
    if not line or line.isspace():
        return None
    if len(line) > LINE_LIMIT:
        return over_limit(line, len(line))
    try:
        event = _EVENT.decode(line)
        content = _ENCODER.encode(event)
        if content == line:
            return Accepted(event, content)
        return _accepted(event, content, _members(line))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, _Refused):
        return _second_reading(line)


def decode(lines: Iterable[bytes], first: int = 1) -> Batch:
    """Any number of lines, blank ones passed over. Lines are counted from `first`."""
    batch = Batch()
    listed = list(lines)
    for start in range(0, len(listed), BLOCK):
        _decode_block(listed[start : start + BLOCK], start + first, batch)
    return batch


def over_limit(start: bytes, length: int) -> DeadLetter:
    """The dead letter of a line that is too long to keep whole."""
    return DeadLetter(f"the line is over 64 KiB: {length:,} bytes, the first {LINE_LIMIT:,} kept", start[:LINE_LIMIT])


# Many lines at once
#
# A block of lines is decoded in one call into structs that leave `at` and `table` as text, because msgspec spends most of
# its time on datetimes and patterns; both are then checked over the whole block. What a block cannot prove about its lines
# is read line by line, so `read` decides every doubtful case.


class _Line(Struct):
    table: str
    at: str


class _DealtLine(_Line):
    to: events.Recipient
    seat: events.Seat | None = None
    round: events.Ordinal | None = None


def _line_struct(name: str, kind: type[events.Event]) -> type[Struct]:
    def member(field: msgspec.structs.FieldInfo) -> tuple[str, object] | tuple[str, object, object]:
        type_ = str if field.name in ("table", "at") else field.type
        if field.required:
            return (field.name, type_)
        if field.default_factory is not msgspec.NODEFAULT:
            return (field.name, type_, msgspec.field(default_factory=field.default_factory))
        return (field.name, type_, field.default)

    return msgspec.defstruct(
        kind.__name__,
        [member(field) for field in msgspec.structs.fields(kind)],
        bases=(_DealtLine if kind is events.CardDealt else _Line,),
        tag_field="type",
        tag=name,
        kw_only=True,
        omit_defaults=True,
        gc=False,  # nothing decoded from JSON can hold a cycle
    )


_STRUCTS: Final = {kind: _line_struct(name, kind) for name, kind in events.CLASSES.items()}
_DEALT: Final = _STRUCTS[events.CardDealt]
_LINES: Final[msgspec.json.Decoder[_Line]] = msgspec.json.Decoder(Union[tuple(_STRUCTS.values())])  # noqa: UP007


def _decode_block(lines: list[bytes], first: int, batch: Batch) -> None:
    if _decoded_whole(lines, batch):
        return
    if len(lines) > _SMALL_BLOCK:
        for start in range(0, len(lines), _SMALL_BLOCK):
            _decode_block(lines[start : start + _SMALL_BLOCK], first + start, batch)
        return
    for number, line in enumerate(lines, first):
        outcome = read(line)
        if isinstance(outcome, Accepted):
            batch.contents.append(outcome.content)
            batch.extras.append(outcome.extra)
        elif isinstance(outcome, DeadLetter):
            batch.dead.append(msgspec.structs.replace(outcome, line=number))


def _decoded_whole(lines: list[bytes], batch: Batch) -> bool:
    block = b"\n".join(lines)
    facts = _facts(lines, block)
    if facts is None:
        return False
    canonical = _ENCODER.encode_lines(facts)
    contents = canonical.split(b"\n")[:-1]
    # Without a backslash a string has as many colons on the line as in its canonical form, and every key has one more: a
    # key that was repeated, unknown or left out as the default would leave the line with more of them.
    if b"\\" not in block and canonical.count(b":") == block.count(b":"):
        batch.contents.extend(contents)
        batch.extras.extend([None] * len(contents))
        return True
    return _decoded_with_members(block, contents, batch)


def _decoded_with_members(block: bytes, contents: list[bytes], batch: Batch) -> bool:
    try:
        rows = _OBJECT.decode_lines(block)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    if _squeezed(_AS_READ.encode_lines(rows)) != _squeezed(block + b"\n"):
        return False
    extras: list[str | None] = []
    for place, members in enumerate(rows):
        known = events.FIELDS[members["type"]]  # type: ignore[index]
        if members.keys() <= known:
            extras.append(None)
            continue
        unknown = {key: value for key, value in members.items() if key not in known}
        if any(isinstance(value, dict | list) for value in unknown.values()) and _levels(unknown) > NESTING_LIMIT:
            return False
        extra = _ENCODER.encode(unknown)
        contents[place] = _merged(contents[place], unknown)
        extras.append(extra.decode())
    batch.contents.extend(contents)
    batch.extras.extend(extras)
    return True


def _facts(lines: list[bytes], block: bytes) -> list[_Line] | None:
    """One struct a line with its `at` in canonical form, or None if any line has a fault or leaves room for doubt."""
    # Lines that each open with a brace and close with one cannot hold part of an object; nor two, if there are as many
    # objects as lines.
    if (
        not (block.startswith(b"{") and block.endswith(b"}"))
        or block.count(b"}\n{") != len(lines) - 1
        or max(map(len, lines)) > LINE_LIMIT
    ):
        return None
    try:
        facts = _LINES.decode_lines(block)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if len(facts) != len(lines) or not all(_TABLE.fullmatch(table) for table in {fact.table for fact in facts}):
        return None
    dealt = cast(list[_DealtLine], [fact for fact in facts if fact.__class__ is _DEALT])
    if [f for f in dealt if (f.seat is None and f.to == "player") or (f.round is None and f.to != "burn")]:
        return None
    written = pl.Series("at", [fact.at for fact in facts])
    moments = _canonical_moments(written)
    if moments is None:
        return None
    if moments is not written:
        for fact, moment in zip(facts, moments, strict=True):
            fact.at = moment
    return facts


PLAIN_MOMENT: Final = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,6})?Z$"


def _canonical_moments(written: pl.Series) -> pl.Series | None:
    """The same series if it is canonical already, another if only the digits differ, None if any is no plain UTC time."""
    if not written.str.contains(PLAIN_MOMENT).all():
        return None
    # A day is parsed once, however many events it has.
    days = written.str.slice(0, 10).unique().str.to_date("%Y-%m-%d", strict=False)
    if days.null_count() or not (days.dt.year() >= 1).all():
        return None
    length = written.str.len_bytes()
    if ((length == 20) | ((length == 27) & ~written.str.ends_with(".000000Z"))).all():
        return written
    return moment_text(written.str.to_datetime("%Y-%m-%dT%H:%M:%S%.fZ", time_unit="us", time_zone="UTC"))


def moment_text(moment: pl.Series) -> pl.Series:
    """UTC datetimes as the canonical form writes them: six digits of a second, or none at all."""
    whole = moment.dt.microsecond() == 0
    coarse = moment.dt.strftime("%Y-%m-%dT%H:%M:%SZ")
    return coarse if whole.all() else coarse.zip_with(whole, moment.dt.strftime("%Y-%m-%dT%H:%M:%S%.6fZ"))


# One line, read closely


# A number of an unknown field is Raw, as it was written: never rounded, never too long.
Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | msgspec.Raw | None"


class _Refused(Exception):
    """The line is a dead letter; the message is its reason."""


def _members(line: bytes) -> dict[str, Json]:
    """The object on a line, when msgspec's own reading proves that it repeats no key; else as the close reading has it."""
    try:
        members: Json = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _object(line)
    if isinstance(members, dict) and _squeezed(_AS_READ.encode(members)) == _squeezed(line):
        return members
    return _object(line)


def _squeezed(text: bytes) -> bytes:
    # Done to both sides, so a space lost inside a string cannot make unlike structures equal.
    return text.replace(b", ", b",").replace(b": ", b":")


def _accepted(event: AnyEvent, content: bytes, members: dict[str, Json]) -> Accepted:
    at = members["at"]
    spelling = _AT.fullmatch(at) if isinstance(at, str) else None
    if spelling is None:
        raise _Refused("`at` is not an RFC 3339 time in UTC")
    if len(spelling[1] or "") > 6:
        raise _Refused("`at` is finer than microseconds")
    known = events.FIELDS[event.__struct_config__.tag]  # type: ignore[index]
    unknown = {key: value for key, value in members.items() if key not in known}
    if not unknown:
        return Accepted(event, content)
    if _levels(unknown) > NESTING_LIMIT:
        raise _Refused(_TOO_DEEP)
    return Accepted(event, _merged(content, unknown), _canonical(unknown).decode())


def _second_reading(line: bytes) -> Accepted | DeadLetter:
    """A null says the same as an absent field; whatever is still no event after that is a dead letter."""
    try:
        members = _object(line)
        name = members.get("type")
        if name is None:
            raise _Refused("`type` is missing")
        if not isinstance(name, str):
            raise _Refused("`type` is ill-typed: expected `str`")
        if name not in events.FIELDS:
            raise _Refused(f"unknown type {_shown(name)}")
        known = events.FIELDS[name]
        stated: dict[str, Json] = {k: v for k, v in members.items() if k in known and v is not None}
        event = _EVENT.decode(_ENCODER.encode(stated))
        unknown = {key: value for key, value in members.items() if key not in known}
        return _accepted(event, _ENCODER.encode(event), stated | unknown)
    except _Refused as refusal:
        return DeadLetter(str(refusal), line)
    except msgspec.DecodeError as error:
        return DeadLetter(_reason(str(error)), line)
    except UnicodeEncodeError:
        return DeadLetter("half of a surrogate pair, which is no text", line)


def _object(line: bytes) -> dict[str, Json]:
    members = _parsed(line)
    if not isinstance(members, dict):
        raise _Refused("not a JSON object")
    return members


def _parsed(line: bytes) -> Json:
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        raise _Refused(f"not UTF-8 at byte {error.start + 1}") from None
    try:
        value: Json = _CLOSE_READING.decode(text)
    except json.JSONDecodeError as error:
        raise _Refused(f"broken JSON: {error.msg.lower()} at character {error.pos + 1}") from None
    except RecursionError:
        raise _Refused(_TOO_DEEP) from None
    if _levels(value) > NESTING_LIMIT:
        raise _Refused(_TOO_DEEP)
    return value


def _unrepeated(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    members = dict(pairs)
    if len(members) < len(pairs):
        keys = [key for key, _ in pairs]
        repeated = next(key for key in keys if keys.count(key) > 1)
        raise _Refused(f"repeated key {_shown(repeated)}")
    return members


def _no_constant(name: str) -> Json:
    raise _Refused(f"broken JSON: {name} is not a JSON value")


_CLOSE_READING: Final = json.JSONDecoder(
    object_pairs_hook=_unrepeated, parse_int=msgspec.Raw, parse_float=msgspec.Raw, parse_constant=_no_constant
)
_TOO_DEEP: Final = f"nested deeper than {NESTING_LIMIT} levels"


def _levels(value: Json) -> int:
    """How deep it is nested, counted without recursion and no further than it needs to be."""
    level: list[Json] = [value]
    for depth in range(NESTING_LIMIT + 1):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return depth
    return NESTING_LIMIT + 1


def _merged(core: bytes, unknown: dict[str, Json]) -> bytes:
    return _canonical(_OBJECT.decode(core) | unknown)


def _canonical(value: Json) -> bytes:
    try:
        return _ENCODER.encode(value)
    except UnicodeEncodeError:
        return _with_lone_surrogates(value).encode()


def _with_lone_surrogates(value: Json) -> str:
    """Half a surrogate pair is JSON but not UTF-8: it stays the escape it was."""
    if isinstance(value, dict):
        pairs = (f"{_with_lone_surrogates(key)}:{_with_lone_surrogates(value[key])}" for key in sorted(value))
        return "{" + ",".join(pairs) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_with_lone_surrogates, value)) + "]"
    if isinstance(value, str):
        return _LONE_SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", json.dumps(value, ensure_ascii=False))
    return _ENCODER.encode(value).decode()


_MISSING: Final = re.compile(r"Object missing required field `(\w+)`")
_PLACED: Final = re.compile(r"(.*) - at `(?:key in )?\$\.?(\w*).*`")


def _reason(message: str) -> str:
    """msgspec's complaint as one sentence that names the field first."""
    if missing := _MISSING.fullmatch(message):
        return f"`{missing[1]}` is missing"
    placed = _PLACED.fullmatch(message)
    if placed is None:
        return message
    complaint, field = placed[1], placed[2]
    if field == "at":
        return "`at` is not an RFC 3339 time in UTC"
    if field == "table":
        return "`table` is ill-typed: expected 1 to 32 of `A-Z a-z 0-9 _ -`"
    return f"`{field}` is ill-typed: {complaint[0].lower()}{complaint[1:]}"


def _shown(name: str) -> str:
    text = name if len(name) <= 40 else name[:40] + "…"
    return _with_lone_surrogates(text)
