"""A stretch of a table: what its events after one seq and up to another decided, as one message of the topic `settlements`.

A stretch replaces all that was said of its table after the seq it begins at. So whoever reads the messages in order ends with
the rows of the last word, whatever was said before by a worker that was killed, or of events that came late.
"""

import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec
import polars as pl
from msgspec import Raw, Struct

from detectors import finding
from detectors.audit import ROUNDS, SETTLEMENTS, Audited
from replay import facts

KINDS: Final[dict[str, dict[str, pl.DataType]]] = {
    "rounds": ROUNDS,
    "settlements": SETTLEMENTS,
    "findings": finding.SCHEMA,
}
_MOMENT: Final = "%Y-%m-%dT%H:%M:%S%.6fZ"


class Stretch(Struct, frozen=True, gc=False):
    """Rows as they are written: one JSON object each."""

    table: str
    after: int
    through: int
    rounds: list[Raw] = []
    settlements: list[Raw] = []
    findings: list[Raw] = []

    @property
    def silent(self) -> bool:
        return not (self.rounds or self.settlements or self.findings)


class Mark(Struct, frozen=True, tag="read", tag_field="mark"):
    """How far a partition's events were read; in the same topic, without a key."""

    next: int


_STRETCHES: Final = msgspec.json.Decoder(Stretch)
_MARKS: Final = msgspec.json.Decoder(Mark)


class Unknown(Exception):
    """A message that is neither."""


def written(message: Stretch | Mark) -> bytes:
    return msgspec.json.encode(message)


def read(key: bytes | None, content: bytes | None) -> Stretch | Mark:
    try:
        return (_MARKS if key is None else _STRETCHES).decode(content or b"")
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Unknown(str(error)) from None


def stretches(audited: Audited, after: Mapping[str, int]) -> list[Stretch]:
    """What was decided, table by table. `after`: the last seq that each table had been derived from before."""
    through = dict(facts.last_seqs(audited.carry).iter_rows())
    rows = {kind: _by_table(getattr(audited, kind), schema) for kind, schema in KINDS.items()}
    return [
        Stretch(table, seq, through[table], **{kind: lines.get(table, []) for kind, lines in rows.items()})
        for table, seq in sorted(after.items())
        if table in through
    ]


def _by_table(rows: pl.DataFrame, schema: Mapping[str, pl.DataType]) -> dict[str, list[Raw]]:
    if rows.is_empty():
        return {}
    ordered = rows.sort("table", maintain_order=True)
    spelled = ordered.select(
        pl.col(name).dt.strftime(_MOMENT) if isinstance(dtype, pl.Datetime) else pl.col(name)
        for name, dtype in schema.items()
    )
    lines = [Raw(line) for line in spelled.write_ndjson().encode().splitlines()]
    counts = ordered.group_by("table", maintain_order=True).len()
    found, start = {}, 0
    for table, count in counts.iter_rows():
        found[table] = lines[start : start + count]
        start += count
    return found


def audited(of: Sequence[Stretch]) -> Audited:
    """The rows of stretches, each of another table. All that is carried of a table is how far it was derived."""
    return Audited(
        **{kind: _frame((row for each in of for row in getattr(each, kind)), KINDS[kind]) for kind in KINDS},
        carry=derived_through({each.table: each.through for each in of}),
        events=0,
    )


def derived_through(tables: Mapping[str, int]) -> pl.DataFrame:
    """Facts that say of each table only how far it was derived."""
    seqs = pl.DataFrame(list(tables.items()), schema={"table": pl.String(), "seq": pl.Int64()}, orient="row")
    return seqs.select(
        pl.col(name) if name in ("table", "seq") else pl.lit(None, dtype).alias(name)
        for name, dtype in facts.SCHEMA.items()
    ).sort("table")


def _frame(rows: Iterable[Raw], schema: Mapping[str, pl.DataType]) -> pl.DataFrame:
    block = b"\n".join(bytes(row) for row in rows)
    if not block:
        return pl.DataFrame(schema=schema)
    # Polars reads no times and no 16-bit integers from JSON.
    read_as = {
        name: pl.String() if isinstance(dtype, pl.Datetime) else pl.Int64() if dtype == pl.Int16 else dtype
        for name, dtype in schema.items()
    }
    return pl.read_ndjson(io.BytesIO(block), schema=read_as).select(
        pl.col(name).str.to_datetime(_MOMENT, time_unit="us", time_zone="UTC")
        if isinstance(dtype, pl.Datetime)
        else pl.col(name).cast(dtype)
        for name, dtype in schema.items()
    )
