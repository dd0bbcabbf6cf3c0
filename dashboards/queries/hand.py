"""One round: which it is, its neighbours, its events, and its story derived again on the spot."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Final

import polars as pl

from dashboards.story import Story, stories
from detectors.audit import SETTLEMENTS
from detectors.published import Reader
from ingest import frame
from ingest.log import Log
from replay import pieces

# How far before a round its story begins to read, in events: enough for the opening, the seats and the decks of its day.
_REACHES: Final[tuple[int | None, ...]] = (4_000, 40_000, None)
_AFTER: Final = 400


def rounds_of(reader: Reader, table: str, round: int) -> pl.DataFrame:
    """The decided rounds of that number: one, unless the gateway used a number twice."""
    return reader.sql('select * from current_rounds where "table" = ? and round = ? order by first_seq', [table, round])


def round_at(reader: Reader, table: str, moment: datetime) -> int | None:
    """The round that was on at a moment, or the last one before it."""
    found = reader.sql(
        'select round from current_rounds where "table" = ? and began_at <= ? order by began_at desc limit 1',
        [table, moment],
    )
    number: int | None = found.item() if found.height else None
    return number


def latest_round(reader: Reader, table: str) -> int | None:
    found = reader.sql('select round from current_rounds where "table" = ? order by first_seq desc limit 1', [table])
    number: int | None = found.item() if found.height else None
    return number


def neighbours(reader: Reader, table: str, first_seq: int, day: date) -> tuple[int | None, int | None]:
    """The numbers of the rounds before and after. The days beside the round's are asked first: a year of files is opened only
    where a table rested for longer."""
    near: tuple[int | None, int | None] = (None, None)
    for source in (reader.over("rounds", day - timedelta(days=1), day + timedelta(days=1)), "current_rounds"):
        near = reader.sql(
            f"""
            select arg_max(round, first_seq) filter (first_seq < ?), arg_min(round, first_seq) filter (first_seq > ?)
            from {source} where "table" = ?
            """,
            [first_seq, first_seq, table],
        ).row(0)
        if None not in near:
            break
    return near


def events_of(data: Path, table: str, round: int, rows: pl.DataFrame) -> pl.DataFrame:
    """The events of a round in the order of `seq`, with what happened at the table in between."""
    with Log.open(data) as log:
        if rows.is_empty():
            return log.round_events(table, round)
        found = [log.table_events(table, first, last) for first, last in rows.select("first_seq", "last_seq").rows()]
    return pl.concat(found)


def seated_before(data: Path, table: str, seq: int) -> dict[int, str]:
    """Who sat where when the round began: from the table's opening on, however long somebody has been sitting there."""
    before = pl.DataFrame()
    with Log.open(data) as log:
        for reach in _REACHES:
            begin = 1 if reach is None else max(1, seq - reach)
            before = log.table_events(table, begin, seq - 1)
            if begin == 1 or before.select((pl.col("type") == "table_opened").any()).item():
                break
    moves = before.filter(pl.col("type").is_in(["player_seated", "player_left"]))
    last = moves.group_by("seat").agg(pl.col("player").last())
    return {seat: player for seat, player in last.iter_rows() if player is not None}


def contents(events: pl.DataFrame) -> list[str]:
    """The events as they stand in the log, one JSON object each."""
    return [content.decode() for content in frame.to_contents(events.select(*frame.SCHEMA))]


def round_stories(data: Path, table: str, round: int, rows: pl.DataFrame) -> list[Story]:
    """The round as the log tells it. It reads back until the story agrees with the store, at most to the table's first event."""
    if rows.is_empty():
        return []
    first, last = int(rows["first_seq"].item(0)), int(rows["last_seq"].item(-1))
    told: list[Story] = []
    for reach in _REACHES:
        begin = 1 if reach is None else max(1, first - reach)
        with Log.open(data) as log:
            events = log.table_events(table, begin, last + _AFTER).drop("position")
        told = stories(pieces.ascending([events]), table, round)
        if _answers(told) == rows.select("wagers", "derived", "reason", "dealer").rows() or begin == 1:
            break
    return told


def _answers(told: list[Story]) -> list[tuple[object, ...]]:
    return [(each.wagers, each.derived, each.reason, each.dealer) for each in told]


_SETTLED: Final = {name: dtype for name, dtype in SETTLEMENTS.items() if name not in ("table", "round", "reason")}


def owed_beside_paid(rows: Sequence[tuple[object, ...]]) -> pl.DataFrame:
    """A round's wagers in dollars, with what was paid too much (or, below nothing, too little) where that differs."""
    owed, paid = pl.col("owed"), pl.col("paid")
    told = pl.DataFrame(rows, schema={**_SETTLED, "because": pl.String()}, orient="row").with_columns(
        differs=pl.when(owed != paid).then(paid - owed), stake=pl.when(pl.col("stake") > 0).then("stake")
    )
    sums = ("stake", "owed", "paid", "differs")
    return told.with_columns(pl.col(sums).cast(pl.Decimal(18, 2)) / 100).select(
        "seat", "hand", "player", "wager", *sums, "clause", "because"
    )
