"""Cases: what people do about a finding, as facts in the log beside those of the tables.

A fact of a case is a stream of its own in the log's database, with positions of its own: it belongs to no table and has no
`seq`. It is never changed and never sealed away, so a store that is thrown away comes back with every case in it. Each fact
carries the finding as it was shown to the person, so that the case can be read even when a late event has since put the
round right and the finding is no longer derived.
"""

import sqlite3
from datetime import datetime
from typing import Annotated, Final, Literal, get_args

import msgspec
import polars as pl
from msgspec import Meta, Struct

from ingest.log import Log

Name = Annotated[str, Meta(min_length=1, max_length=64)]
Text = Annotated[str, Meta(max_length=4_000)]
FindingId = Annotated[str, Meta(pattern="^[0-9a-f]{32}$")]
Act = Literal["finding_acknowledged", "finding_assigned", "finding_noted", "finding_closed", "finding_reopened"]
Disposition = Literal["corrected", "house error", "player dispute", "dealer retraining", "no action", "false alarm"]
DISPOSITIONS: Final[tuple[Disposition, ...]] = get_args(Disposition)

SCHEMA: Final[dict[str, pl.DataType]] = {
    "case_position": pl.Int64(),
    "finding": pl.String(),
    "acted_at": pl.Datetime("us", "UTC"),
    "act": pl.String(),
    "who": pl.String(),
    "verified": pl.Boolean(),
    "assignee": pl.String(),
    "disposition": pl.String(),
    "note": pl.String(),
    "shown": pl.String(),
}

_TABLE: Final = """
create table if not exists case_fact (
    position integer primary key autoincrement,
    finding text not null,
    content blob not null
) strict
"""


class CaseFact(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Who did what about which finding, and when. `shown`: the finding's row as that person saw it."""

    finding: FindingId
    acted_at: datetime
    act: Act
    who: Name
    shown: dict[str, object]
    verified: bool = False  # true only where an identity provider vouched for the name
    assignee: Name | None = None
    disposition: Disposition | None = None
    note: Text = ""

    def __post_init__(self) -> None:
        if self.act == "finding_assigned" and self.assignee is None:
            raise ValueError("a finding is assigned to somebody")
        if self.act == "finding_closed" and self.disposition is None:
            raise ValueError("a finding is closed with a disposition")
        if self.act == "finding_noted" and not self.note.strip():
            raise ValueError("a note has words")


_ENCODER: Final = msgspec.json.Encoder(order="sorted")
_DECODER: Final = msgspec.json.Decoder(CaseFact)


def append(log: Log, fact: CaseFact) -> int:
    """The fact's position; it is on the disk when this returns."""
    # Through the wire once, so that what is too long or ill-typed is refused here and not when it is read.
    content = _ENCODER.encode(fact)
    _DECODER.decode(content)
    with log.transaction() as connection:
        connection.execute(_TABLE)
        stored = connection.execute(
            "insert into case_fact (finding, content) values (?, ?)", (fact.finding, content)
        ).lastrowid
    assert stored is not None
    return stored


def read(log: Log, after: int = 0) -> pl.DataFrame:
    """All facts of cases stored after a position, in the order they were stored."""
    with log.transaction("deferred") as connection:
        rows = _stored(connection, after)
    facts = [(position, _DECODER.decode(content)) for position, content in rows]
    return pl.DataFrame(
        [
            (
                position,
                fact.finding,
                fact.acted_at,
                fact.act,
                fact.who,
                fact.verified,
                fact.assignee,
                fact.disposition,
                fact.note,
                _ENCODER.encode(fact.shown).decode(),
            )
            for position, fact in facts
        ],
        schema=SCHEMA,
        orient="row",
    )


def count(log: Log, through: int) -> int:
    """How many facts of cases there are up to a position."""
    with log.transaction("deferred") as connection:
        if not _has_cases(connection):
            return 0
        (number,) = connection.execute("select count(*) from case_fact where position <= ?", (through,)).fetchone()
    return int(number)


def _stored(connection: sqlite3.Connection, after: int) -> list[tuple[int, bytes]]:
    if not _has_cases(connection):
        return []
    found = connection.execute("select position, content from case_fact where position > ? order by position", (after,))
    return [(position, content) for position, content in found]


def _has_cases(connection: sqlite3.Connection) -> bool:
    """A log in which nobody ever acted on a finding has no table for it."""
    return connection.execute("select 1 from sqlite_master where name = 'case_fact'").fetchone() is not None
