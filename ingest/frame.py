"""The event frame: one row a fact, one column a field, null where a type has no such field.

Everything after the wire works on this frame, whether it holds one round or a year.
"""

import io
from typing import Final, get_args

import polars as pl

from ingest import events
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


def empty() -> pl.DataFrame:
    return pl.DataFrame(schema=SCHEMA)
