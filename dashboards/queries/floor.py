"""The floor as it is now: a tile a table, what is new, and what needs eyes first."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Final

import polars as pl

from dashboards.queries.casework import OPEN, SEVERITIES, Filter, queue
from detectors.published import Reader
from ingest.log import DATABASE, SCHEMA, Log
from rules.games import GAMES

SILENT: Final = timedelta(minutes=3)
HOUR: Final = timedelta(hours=1)
TICKER: Final = 12


@dataclass(frozen=True, slots=True)
class Tile:
    """One table. `state`: live, silent (open, and no event for a while) or closed. `audited`: whole, part, none."""

    table: str
    game: str
    dealer: str | None
    round: int | None
    hands_an_hour: int | None
    open: dict[str, int]
    at_stake: int
    last_event_at: datetime | None
    state: str
    rounds: int
    rounds_open: int

    @property
    def audited(self) -> str:
        if not self.rounds:
            return "none"
        return "part" if self.rounds_open else "whole"

    @property
    def needs_eyes(self) -> tuple[object, ...]:
        """What sorts a table to the front: the worst of its open findings, then silence, then what was not audited."""
        by_severity = tuple(-self.open[severity] for severity in SEVERITIES[:3])
        return (*by_severity, self.state != "silent", self.state == "closed", self.audited != "none", self.table)


def tiles(reader: Reader, data: Path, now: datetime) -> list[Tile]:
    """The tables that dealt in the last two gaming days, those that need eyes first."""
    heard = _heard(data)
    rounds = reader.sql(
        """
        select "table", count(*) as rounds,
            count(*) filter (derived < wagers or reason is not null) as rounds_open,
            arg_max(round, first_seq) as round, arg_max(game, first_seq) as game, arg_max(dealer, first_seq) as dealer,
            max(ended_at) as ended_at, max(last_seq) as last_seq
        from recent_rounds group by all
        """
    )
    pace = _pace(reader)
    found = queue(reader, Filter(statuses=OPEN), recent=True)
    counts = found.group_by("table", "severity").agg(found=pl.len(), at_stake=pl.col("amount").abs().sum())
    heard = pl.concat([heard, _heard_before(data, rounds.join(heard, on="table", how="anti"))])
    every = (
        rounds.join(heard, on="table", how="full", coalesce=True)
        .join(pace, on="table", how="left")
        .with_columns(pl.col("rounds", "rounds_open").fill_null(0))
    )
    made = [_tile(row, counts, now) for row in every.iter_rows(named=True)]
    return sorted(made, key=lambda tile: tile.needs_eyes)


def _heard(data: Path) -> pl.DataFrame:
    """What each live table said last, in the log itself: the audit may lag behind it."""
    if not (data / DATABASE).exists():
        return _said(pl.DataFrame(schema=SCHEMA))
    with Log.open(data) as log:
        return _said(log.last_live_events())


def _heard_before(data: Path, quiet: pl.DataFrame) -> pl.DataFrame:
    """The last word of tables that have said nothing since their day was sealed."""
    last = [_last_sealed(data, table, seq) for table, seq in quiet.select("table", "last_seq").iter_rows()]
    return _said(pl.concat(last) if last else pl.DataFrame(schema=SCHEMA))


@lru_cache(maxsize=2_000)
def _last_sealed(data: Path, table: str, seq: int) -> pl.DataFrame:
    """Sealed events do not change, and whatever comes late is not sealed: so it is looked up once."""
    with Log.open(data) as log:
        return log.table_events(table, seq).tail(1)


def _said(last: pl.DataFrame) -> pl.DataFrame:
    return last.select(
        pl.col("table").cast(pl.String),
        heard_at="at",
        closed=pl.col("type").cast(pl.String) == "table_closed",
        playing=pl.col("round").cast(pl.Int64),
    )


def _pace(reader: Reader) -> pl.DataFrame:
    """Rounds an hour over the last hour that the table dealt; of a table that has only begun, over what there is."""
    return reader.sql(
        """
        with last as (select "table", max(ended_at) as ended_at from recent_rounds group by all)
        select "table", round(3600 * count(*) / greatest(epoch(max(row.ended_at) - min(began_at)), 1))::bigint as pace
        from recent_rounds as row join last using ("table")
        where began_at > last.ended_at - interval 1 hour
        group by "table" having count(*) > 1
        """
    )


def _tile(row: dict[str, object], counts: pl.DataFrame, now: datetime) -> Tile:
    mine = counts.filter(pl.col("table") == row["table"])
    by_severity = dict(mine.select("severity", "found").iter_rows())
    last = row["heard_at"] or row["ended_at"]
    assert last is None or isinstance(last, datetime)
    state = "closed" if row["closed"] else "silent" if last is None or now - last > SILENT else "live"
    game = GAMES.get(str(row["game"]))
    playing = row["playing"] or row["round"]
    pace = row["pace"]
    return Tile(
        table=str(row["table"]),
        game=game.title if game else str(row["game"] or "game not named"),
        dealer=None if row["dealer"] is None else str(row["dealer"]),
        round=playing if isinstance(playing, int) else None,
        hands_an_hour=pace if isinstance(pace, int) else None,
        open={severity: by_severity.get(severity, 0) for severity in SEVERITIES},
        at_stake=int(mine["at_stake"].sum()),
        last_event_at=last,
        state=state,
        rounds=int(str(row["rounds"])),
        rounds_open=int(str(row["rounds_open"])),
    )


def ticker(reader: Reader) -> pl.DataFrame:
    """The newest findings nobody has closed."""
    return queue(reader, Filter(statuses=OPEN), recent=True).head(TICKER)


def open_before(reader: Reader) -> int:
    """How many findings of earlier gaming days, which the tiles leave out, are still open."""
    every = queue(reader, Filter(statuses=OPEN)).height
    return every - queue(reader, Filter(statuses=OPEN), recent=True).height


@dataclass(frozen=True, slots=True)
class Totals:
    live: int
    silent: int
    closed: int
    in_part: int
    open: dict[str, int]
    at_stake: int


def totals(every: list[Tile]) -> Totals:
    return Totals(
        live=sum(tile.state == "live" for tile in every),
        silent=sum(tile.state == "silent" for tile in every),
        closed=sum(tile.state == "closed" for tile in every),
        in_part=sum(tile.audited != "whole" for tile in every),
        open={severity: sum(tile.open[severity] for tile in every) for severity in SEVERITIES},
        at_stake=sum(tile.at_stake for tile in every),
    )
