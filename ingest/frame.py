"""The event frame: one row a fact, one column a field, null where a type has no such field.

Everything after the wire works on this frame, whether it holds one round or a year.
"""

import io
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import cache, reduce
from operator import or_
from typing import Final, get_args

import msgspec
import polars as pl

from ingest import events, wire
from ingest.events import AnyEvent
from rules import cards


def _closed(values: object) -> pl.Enum:
    return pl.Enum(get_args(values))


SCHEMA: Final[dict[str, pl.DataType]] = {
    "table": pl.String(),
    "seq": pl.Int64(),
    "at": pl.Datetime("us", "UTC"),
    "type": pl.Enum(events.TYPES),
    "round": pl.Int64(),
    "source": pl.String(),
    # who and where
    "seat": pl.Int16(),
    "hand": pl.Int16(),
    "player": pl.String(),
    "dealer": pl.String(),
    # money
    "wager": pl.String(),
    "amount": pl.Int64(),
    "result": _closed(events.Result),
    "choice": pl.String(),
    # cards
    "to": _closed(events.Recipient),
    "card": cards.CARD,
    "face": _closed(events.Face),
    "street": _closed(events.Street),
    "deck": pl.String(),
    "cards": pl.Int32(),
    "counted": pl.Int32(),
    "packs": pl.Int32(),
    "back": pl.String(),
    "method": _closed(events.ShuffleMethod),
    "device": _closed(events.Device),
    "fault": _closed(events.Fault),
    "reason": pl.String(),
    "by": pl.String(),
    # the terms of a table_opened; the three maps as canonical JSON
    "game": _closed(events.GameName),
    "edition": pl.String(),
    "dealing": _closed(events.Dealing),
    "shuffler": _closed(events.Shuffler),
    "decks": pl.Int32(),
    "seats": pl.Int16(),
    "min_wager": pl.Int64(),
    "max_wager": pl.Int64(),
    "pay_tables": pl.String(),
    "options": pl.String(),
    "limits": pl.String(),
    # fields the contract does not name, kept as canonical JSON
    "extra": pl.String(),
}


MAPS: Final = ("pay_tables", "options", "limits")

# Polars reads these from JSON lines; the maps and `extra` are added by hand, and it knows no 16-bit integers there.
_READ_AS: Final[dict[str, pl.DataType]] = {
    name: pl.String() if name == "at" else pl.Int32() if dtype == pl.Int16 else dtype
    for name, dtype in SCHEMA.items()
    if name not in (*MAPS, "extra")
}
_MOMENT: Final = "%Y-%m-%dT%H:%M:%S%.fZ"
_TYPE: Final = re.compile(rb'"type":"(\w+)"')
_DEFAULTS: Final = {"hand": 1, "packs": 1}
_ENCODER: Final = msgspec.json.Encoder(order="sorted")


def _types_with(field: str) -> list[str]:
    return [name for name, fields in events.FIELDS.items() if field in fields]


def empty() -> pl.DataFrame:
    return pl.DataFrame(schema=SCHEMA)


def from_contents(contents: Sequence[bytes], extras: Sequence[str | None] | None = None) -> pl.DataFrame:
    """The frame of canonical lines. Without `extras` the lines hold only fields that the contract names."""
    if not contents:
        return empty()
    if extras is not None and any(extras):
        contents = [
            wire.core(content) if extra is not None else content
            for content, extra in zip(contents, extras, strict=True)
        ]
        extra_column = pl.Series("extra", extras, dtype=pl.String)
    else:
        extra_column = pl.Series("extra", [None], dtype=pl.String)
    block = b"\n".join(contents)
    # A column that no line names costs as much to read as one that every line does.
    fields = set().union(*(events.FIELDS[name.decode()] for name in set(_TYPE.findall(block))))
    occurring = {name: dtype for name, dtype in _READ_AS.items() if name in fields}
    read = pl.read_ndjson(io.BytesIO(block), schema=occurring)
    opened = (read["type"] == "table_opened").arg_true()
    terms = [_terms(contents[row]) for row in opened]
    return (
        read.with_columns(
            pl.col("at").str.to_datetime(_MOMENT, time_unit="us", time_zone="UTC"),
            *(
                pl.when(pl.col("type").is_in(_types_with(field)))
                .then(pl.col(field).fill_null(default) if field in occurring else pl.lit(default))
                .alias(field)
                for field, default in _DEFAULTS.items()
            ),
            extra_column if len(extra_column) == read.height else pl.lit(None, pl.String).alias("extra"),
            *(_scattered(name, opened, [term[name] for term in terms], read.height) for name in MAPS),
        )
        .with_columns(
            pl.lit(None, dtype).alias(name) for name, dtype in _READ_AS.items() if name not in occurring | _DEFAULTS
        )
        .select(pl.col(name).cast(dtype) for name, dtype in SCHEMA.items())
    )


def _terms(content: bytes) -> dict[str, str | None]:
    opening = msgspec.json.decode(content)
    return {name: _ENCODER.encode(opening[name]).decode() if name in opening else None for name in MAPS}


def _scattered(name: str, rows: pl.Series, values: list[str | None], height: int) -> pl.Series:
    column = pl.Series(name, [None], dtype=pl.String).new_from_index(0, height)
    return column.scatter(rows, values) if values else column


def stated(events: pl.DataFrame) -> pl.DataFrame:
    """The columns that have any value: the others are of one's own making, and cost as much to move."""
    return events.select(column.name for column in events if column.null_count() < events.height)


def whole(parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Frames of some columns each as one frame of all of them."""
    found = [part for part in parts if part.height]
    if not found:
        return empty()
    together = pl.concat(found, how="diagonal")
    return together.select(
        pl.col(name) if name in together.columns else pl.lit(None, dtype).alias(name) for name, dtype in SCHEMA.items()
    )


def from_events(facts: Iterable[AnyEvent]) -> pl.DataFrame:
    return from_contents([wire.write(fact) for fact in facts])


def to_batch(events: pl.DataFrame, dead: Sequence[wire.DeadLetter] = ()) -> wire.Batch:
    """The frame as the log and the wire take it."""
    return wire.Batch(to_contents(events), events["extra"].to_list(), list(dead))


def to_contents(frame: pl.DataFrame) -> list[bytes]:
    """The canonical line of every row, the inverse of `from_contents`."""
    if frame.is_empty():
        return []
    stated = [name for name in sorted(_PAIRED) if frame[name].null_count() < frame.height]
    lines = frame.select(
        line=pl.concat_str(
            pl.lit("{"),
            pl.concat_str((_pair(name) for name in stated), ignore_nulls=True).str.strip_prefix(","),
            pl.lit("}"),
        ),
        extra="extra",
        escaped=pl.any_horizontal(
            False, *(pl.col(name).str.contains(_TO_ESCAPE) for name in stated if name in _FREE_TEXT)
        ),
    )
    contents: list[bytes] = lines["line"].cast(pl.Binary).to_list()
    doubtful = (lines["escaped"].fill_null(False) | lines["extra"].is_not_null()).arg_true().to_list()
    for row, fields in zip(doubtful, frame[doubtful].iter_rows(named=True), strict=True):
        contents[row] = _row_content(fields)
    return contents


_PAIRED: Final = tuple(name for name in SCHEMA if name != "extra")
_FREE_TEXT: Final = tuple(name for name in _PAIRED if SCHEMA[name] == pl.String and name not in ("table", *MAPS))
_TO_ESCAPE: Final = r'[\x00-\x1f"\\]'


def _pair(name: str) -> pl.Expr:
    """`,"seat":2`, or null where there is nothing to say."""
    value = pl.col(name)
    if name == "at":
        whole = value.dt.microsecond() == 0
        moment = (
            pl.when(whole)
            .then(value.dt.strftime("%Y-%m-%dT%H:%M:%SZ"))
            .otherwise(value.dt.strftime("%Y-%m-%dT%H:%M:%S%.6fZ"))
        )
        return pl.format(',"at":"{}"', moment)
    if name in _DEFAULTS:
        value = pl.when(value != _DEFAULTS[name]).then(value)
    if name in MAPS or SCHEMA[name].is_integer():
        return pl.format(f',"{name}":{{}}', value)
    return pl.format(f',"{name}":"{{}}"', value)


def _row_content(row: dict[str, object]) -> bytes:
    fields = {name: value for name, value in row.items() if value is not None and _DEFAULTS.get(name) != value}
    for name in fields.keys() & MAPS:
        fields[name] = msgspec.Raw(str(fields[name]))
    extra = fields.pop("extra", None)
    content = _ENCODER.encode(fields)
    return content if extra is None else wire.with_extra(content, str(extra))


# Frames from outside
#
# A foreign frame is checked a column at a time against the same limits the structs state. A row that passes cannot fail on
# the wire; every other row is written as a line and sent over the wire, which accepts it or says why not.


def conform(foreign: pl.DataFrame, first_row: int = 1) -> tuple[pl.DataFrame, list[wire.DeadLetter]]:
    """The events of a frame that somebody else wrote, and its rows that are none. Rows are counted from `first_row`."""
    own = dict(foreign.schema) in (SCHEMA, {**SCHEMA, "position": pl.Int64()})
    unknown = [] if own else [name for name in foreign.columns if name not in SCHEMA]
    typed = foreign.select(
        _typed(name, foreign.schema[name]).alias(name) if name in foreign.columns else pl.lit(None, dtype).alias(name)
        for name, dtype in SCHEMA.items()
    )
    if typed.height != foreign.height:  # it has none of our columns, and a literal has no height
        typed = typed.clear(foreign.height)
    # A column without a value can neither break a limit nor be out of place.
    stated = frozenset(name for name in SCHEMA if typed[name].null_count() < typed.height)
    kept = frozenset(name for name in stated if _within_limits(typed[name]))
    sound = typed.select(_sound(stated, kept).fill_null(False)).to_series()
    for name, dtype in foreign.schema.items():
        if name in unknown:
            sound &= foreign.select(~_stated(name, dtype) | _spells_itself(name, dtype)).to_series()
        elif name in SCHEMA and dtype != SCHEMA[name]:
            sound &= foreign.select(~_stated(name, dtype)).to_series() | typed[name].is_not_null()
    filled = typed.with_columns(
        *(
            pl.when(pl.col("type").is_in(_types_with(field))).then(pl.col(field).fill_null(default)).alias(field)
            for field, default in _DEFAULTS.items()
        ),
        *_extra_of(foreign, unknown),
    )
    if sound.all():
        return filled, []
    doubtful = (~sound).arg_true().to_list()
    batch = wire.decode([_line(row) for row in _spelled(foreign[doubtful], unknown).iter_rows(named=True)])
    dead_rows = {letter.line for letter in batch.dead}
    accepted = [row for place, row in enumerate(doubtful, 1) if place not in dead_rows]
    dead = [msgspec.structs.replace(letter, line=first_row + doubtful[letter.line - 1]) for letter in batch.dead]
    frame = _replaced(filled, accepted, from_contents(batch.contents, batch.extras))
    if not dead:
        return frame, []
    gone = pl.Series([doubtful[letter.line - 1] for letter in batch.dead])
    return frame.filter(~pl.int_range(pl.len()).is_in(gone.implode())), dead


def _replaced(frame: pl.DataFrame, rows: list[int], by: pl.DataFrame) -> pl.DataFrame:
    """The frame with these rows replaced. Only columns in which they differ are written anew."""
    there = frame[rows]
    differ = [name for name in SCHEMA if not there[name].equals(by[name])]
    return frame.with_columns(frame[name].scatter(rows, by[name]) for name in differ)


def _spells_itself(name: str, dtype: pl.DataType) -> pl.Expr:
    """True where an unknown value is written in JSON just as Polars prints it."""
    if dtype.is_integer() or dtype == pl.Boolean:
        return pl.lit(True)
    return ~pl.col(name).str.contains(_TO_ESCAPE) if dtype == pl.String else pl.lit(False)


def _extra_of(foreign: pl.DataFrame, unknown: list[str]) -> list[pl.Series]:
    """The unknown columns as canonical JSON, right in every row whose values all spell themselves."""
    pairs = [
        pl.concat_str(
            pl.lit("," + _ENCODER.encode(name).decode() + (':"' if foreign.schema[name] == pl.String else ":")),
            pl.col(name).cast(pl.String),
            pl.lit('"' if foreign.schema[name] == pl.String else ""),
        )
        for name in sorted(unknown)
        if foreign.schema[name].is_integer() or foreign.schema[name] in (pl.Boolean, pl.String)
    ]
    if not pairs:
        return []
    joined = pl.concat_str(pairs, ignore_nulls=True).str.strip_prefix(",")
    return [foreign.select(extra=pl.when(joined != "").then("{" + joined + "}")).to_series()]


def _stated(name: str, dtype: pl.DataType) -> pl.Expr:
    # Frames from pandas say NaN where others say null.
    value = pl.col(name)
    return value.is_not_null() & value.is_not_nan() if dtype.is_float() else value.is_not_null()


def _typed(name: str, dtype: pl.DataType) -> pl.Expr:
    """The column in its own type; null where the value does not fit it."""
    value, wanted = pl.col(name), SCHEMA[name]
    textual = isinstance(dtype, pl.String | pl.Categorical | pl.Enum)
    if dtype == wanted:
        fitted = value
    elif isinstance(wanted, pl.Datetime):
        fitted = _typed_moment(value, dtype)
    elif wanted.is_integer() and dtype.is_integer():
        fitted = value.cast(wanted, strict=False)
    elif wanted.is_integer() and dtype.is_float():
        fitted = pl.when(value == value.floor()).then(value.cast(wanted, strict=False))
    elif textual and not wanted.is_integer():
        fitted = value.cast(pl.String).cast(wanted, strict=False)
    else:
        fitted = pl.lit(None, wanted)
    return fitted


def _typed_moment(value: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    if isinstance(dtype, pl.Datetime):
        moment = value.dt.replace_time_zone("UTC") if dtype.time_zone is None else value.dt.convert_time_zone("UTC")
        return pl.when(moment.dt.nanosecond() % 1000 == 0).then(moment.dt.cast_time_unit("us"))
    if dtype == pl.String:
        plain = pl.when(value.str.contains(wire.PLAIN_MOMENT)).then(value)
        return plain.str.to_datetime(_MOMENT, time_unit="us", time_zone="UTC", strict=False)
    return pl.lit(None, SCHEMA["at"])


def _spelled(foreign: pl.DataFrame, unknown: list[str]) -> pl.DataFrame:
    """The rows with `at` as text, since Python's datetimes hold neither nanoseconds nor the year 10000."""
    dtype = foreign.schema.get("at")
    if isinstance(dtype, pl.Datetime):
        fraction = "%.9f" if dtype.time_unit == "ns" else "%.6f"
        moment = pl.col("at") if dtype.time_zone is None else pl.col("at").dt.convert_time_zone("UTC")
        spelled = moment.dt.strftime(f"%Y-%m-%dT%H:%M:%S{fraction}").str.replace(r"(\.\d{6})000$", "$1") + "Z"
    elif dtype == pl.String:
        zoneless = pl.col("at").str.contains(r"^[0-9-]{10}[Tt ][0-9:.]+$")
        spelled = pl.when(zoneless).then(pl.col("at") + "Z").otherwise(pl.col("at"))
    else:
        return foreign
    return foreign.with_columns(spelled.alias("at")).select(
        name for name in foreign.columns if name in SCHEMA or name in unknown
    )


def _line(row: dict[str, object]) -> bytes:
    members = {name: value for name, value in row.items() if value is not None and value == value}  # noqa: PLR0124
    for name, value in members.items():
        if name in MAPS:
            members[name] = _map(value)
        elif name in SCHEMA and SCHEMA[name].is_integer() and isinstance(value, float) and value.is_integer():
            members[name] = int(value)
    extra = members.pop("extra", None)
    line = _ENCODER.encode(members)
    if extra is None:
        return line
    if isinstance(extra, str):
        return wire.joined(line, extra)
    return _ENCODER.encode(members | {"extra": extra})


def _map(value: object) -> object:
    """A map as Parquet may hold it: JSON text, a struct with a member for every name, or a list of key and value."""
    if isinstance(value, str):
        try:
            msgspec.json.decode(value)
        except msgspec.DecodeError:
            return value
        return msgspec.Raw(value)
    if isinstance(value, list) and all(isinstance(pair, dict) and pair.keys() == {"key", "value"} for pair in value):
        return {pair["key"]: pair["value"] for pair in value}
    if isinstance(value, dict):
        return {name: member for name, member in value.items() if member is not None}
    return value


def _limits(field: str, type_: msgspec.inspect.Type) -> pl.Expr | None:
    """What the structs demand of a value beyond its type, as an expression; None if nothing."""
    value = pl.col(field)
    type_ = next(each for each in _alternatives(type_) if not isinstance(each, msgspec.inspect.NoneType))
    if isinstance(type_, msgspec.inspect.IntType):
        return value.is_between(type_.ge, type_.le)
    if isinstance(type_, msgspec.inspect.StrType):
        if type_.pattern:
            return value.str.contains(type_.pattern.replace(r"\Z", "$"))
        return value.str.len_chars().is_between(type_.min_length or 0, type_.max_length)
    return None


@cache
def _demands() -> dict[str, list[tuple[pl.Expr, list[str]]]]:
    """Each field's limits, and the types that set them."""
    demands: dict[str, dict[str, tuple[pl.Expr, list[str]]]] = {}
    for type_name, kind in events.CLASSES.items():
        for field in _fields(kind):
            limit = _limits(field.name, field.type)
            if limit is not None:
                demands.setdefault(field.name, {}).setdefault(str(limit), (limit, []))[1].append(type_name)
    return {name: list(by_limit.values()) for name, by_limit in demands.items()}


@cache
def _lengths() -> dict[str, tuple[int, int]]:
    """The shortest and the longest that a text may be in every type, for fields of which nothing else is demanded."""
    bounds: dict[str, tuple[int, int]] = {}
    patterned = set()
    for kind in events.CLASSES.values():
        for field in _fields(kind):
            for type_ in _alternatives(field.type):
                if isinstance(type_, msgspec.inspect.StrType):
                    least, most = bounds.get(field.name, (0, 2**31))
                    bounds[field.name] = max(least, type_.min_length or 0), min(most, type_.max_length or 2**31)
                    patterned |= {field.name} if type_.pattern else set()
    return {name: bound for name, bound in bounds.items() if name not in patterned}


def _alternatives(type_: msgspec.inspect.Type) -> tuple[msgspec.inspect.Type, ...]:
    return type_.types if isinstance(type_, msgspec.inspect.UnionType) else (type_,)


def _fields(kind: type[events.Event]) -> tuple[msgspec.inspect.Field, ...]:
    described = msgspec.inspect.type_info(kind)
    assert isinstance(described, msgspec.inspect.StructType)
    return described.fields


def _within_limits(values: pl.Series) -> bool:
    """Whether every value keeps the limits of all types that have the field: a look at the few there are, or at the extremes."""
    limits = [limit for limit, _ in _demands().get(values.name, [])]
    if not limits:
        return True
    if values.dtype == pl.String:
        # Bytes are no fewer than characters, and quickly counted.
        if values.name in _lengths() and values.str.len_bytes().is_between(*_lengths()[values.name]).all():
            return True
        distinct = values.unique()
    else:
        distinct = pl.Series(values.name, [values.min(), values.max()])
    return bool(distinct.drop_nulls().to_frame().select(pl.all_horizontal(limits).all()).item())


@cache
def _sound(stated: frozenset[str], kept: frozenset[str]) -> pl.Expr:
    """True where a typed row is an event: all its type needs, nothing its type lacks, every value within its limits.

    `stated` are the columns with any value, `kept` those whose values are known to be within all limits.
    """
    needed, allowed = dict.fromkeys(events.TYPES, 0), dict.fromkeys(events.TYPES, 0)
    bits = {name: 1 << place for place, name in enumerate(_PAIRED)}
    for type_name, kind in events.CLASSES.items():
        needed[type_name] = allowed[type_name] = bits["type"]
        for field in _fields(kind):
            allowed[type_name] |= bits[field.name]
            needed[type_name] |= bits[field.name] if field.required else 0
    present = reduce(
        or_,
        (pl.col(name).is_not_null().cast(pl.UInt64) * bit for name, bit in bits.items() if name in stated),
        pl.lit(0, pl.UInt64),
    )
    type_code = pl.col("type").to_physical()
    needed_bits = pl.lit(pl.Series(needed.values(), dtype=pl.UInt64)).gather(type_code)
    allowed_bits = pl.lit(pl.Series(allowed.values(), dtype=pl.UInt64)).gather(type_code)
    within = [
        limit.fill_null(True) | (False if len(by_limit) == 1 else ~pl.col("type").is_in(types))
        for field, by_limit in _demands().items()
        if field in stated - kept
        for limit, types in by_limit
    ]
    return pl.all_horizontal(
        present & needed_bits == needed_bits,
        present | allowed_bits == allowed_bits,
        *within,
        pl.col("at").is_between(datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)),
        ~((pl.col("type") == "card_dealt") & (pl.col("to") == "player") & pl.col("seat").is_null()),
        ~((pl.col("type") == "card_dealt") & (pl.col("to") != "burn") & pl.col("round").is_null()),
        # The maps and the unknown fields are JSON inside a column: few rows, and only the wire can judge them.
        pl.col("type") != "table_opened",
        pl.col("extra").is_null(),
    )
