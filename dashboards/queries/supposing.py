"""What the tables in scope would have owed under other terms: the command's what-if, asked of the log."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import polars as pl

from dashboards.queries.audit import Scope
from detectors.published import Reader
from ingest.log import Log
from replay import pieces
from replay.what_if import Change, Fit, beside, change, totals

# As many rounds as a page can derive twice while somebody waits.
MOST_ROUNDS: Final = 5_000
_BEFORE: Final = 4_000


@dataclass(frozen=True, slots=True)
class Supposed:
    """By game and wager what was owed and would have been; which openings the change fitted, and why not the others."""

    by_wager: pl.DataFrame
    difference: int
    changed: int
    already: int
    left: tuple[str, ...]


def read(said: str) -> list[Change]:
    """`pay_tables.pair_plus=2 edition=2000` read; Unfit where no game could be opened so."""
    return [change(each) for each in said.split()]


def rounds_in(reader: Reader, scope: Scope) -> int:
    holds, values = scope.holds()
    return int(reader.sql(f"select coalesce(sum(rounds), 0)::bigint from current_tallies where {holds}", values).item())


def supposed(reader: Reader, data: Path, scope: Scope, changes: list[Change]) -> Supposed:
    """The rounds in scope derived as they were and as they would have been, from the events in the log."""
    holds, values = scope.holds()
    spans = reader.sql(
        f'select "table", min(first_seq), max(last_seq) from current_rounds where {holds} group by 1 order by 1', values
    ).rows()
    mine = reader.sql(f'select distinct "table", round from current_rounds where {holds}', values)
    fit = Fit()
    parts = [
        totals(compared.join(mine, on=["table", "round"], how="semi"))
        for _, compared in beside(pieces.ascending(_events(data, spans)), changes, fit)
    ]
    summed = pl.concat(parts).group_by("game", "wager").agg(pl.selectors.integer().sum())
    told = (
        summed.with_columns(difference=pl.col("owed_then") - pl.col("owed"))
        .filter(pl.any_horizontal(pl.col("differ", "not_offered", "offered", "underived", "derived") > 0))
        .sort(pl.col("difference").abs(), "game", "wager", descending=[True, False, False])
    )
    reasons = tuple(f"{reason} ({count:,} openings)" for reason, count in fit.left.most_common())
    return Supposed(told, int(told["difference"].sum()), fit.changed, fit.already, reasons)


def shown(by_wager: pl.DataFrame) -> pl.DataFrame:
    money = (pl.col("owed", "owed_then", "difference").cast(pl.Decimal(18, 2)) / 100).name.keep()
    return by_wager.with_columns(money).rename({"owed_then": "owed then", "not_offered": "not offered then"})


def _events(data: Path, spans: list[tuple[str, int, int]]) -> Iterator[pl.DataFrame]:
    with Log.open(data) as log:
        for table, first, last in spans:
            yield log.table_events(table, max(1, first - _BEFORE), last).drop("position")
