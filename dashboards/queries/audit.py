"""A period added up: rounds, wagers and handle from the tallies, errors and their cost from the findings, by any grouping."""

from dataclasses import dataclass, field
from typing import Final, Literal

import polars as pl

from dashboards.queries.coverage import Coverage, Period, among
from detectors.published import Reader

Grouping = Literal["game", "table", "dealer", "shift", "code", "day", "hour"]
GROUPINGS: Final[tuple[Grouping, ...]] = ("game", "table", "dealer", "shift", "code", "day", "hour")
# Feed findings tell what was not seen; an error is something that was.
_ERRORS: Final = "code not like 'FEED%'"
_SHIFT: Final = (
    "case when {0} >= 10 and {0} < 18 then 'day (10-18 UTC)' when {0} >= 18 or {0} < 2 then 'swing (18-02 UTC)' "
    "else 'grave (02-10 UTC)' end"
)
_Z: Final = 1.96


@dataclass(frozen=True, slots=True)
class Scope:
    """What is added up: a period, and within it some games, tables or dealers, if not all."""

    period: Period = field(default_factory=Period)
    tables: tuple[str, ...] = ()
    dealers: tuple[str, ...] = ()
    games: tuple[str, ...] = ()

    def holds(self) -> tuple[str, list[object]]:
        named, values = among({"table": self.tables, "dealer": self.dealers, "game": self.games})
        return f"{self.period.holds} and {named}", values


def _key(by: Grouping) -> str:
    return {
        "shift": _SHIFT.format("hour"),
        "day": "day::varchar",
        "hour": "lpad(hour::varchar, 2, '0') || ':00 UTC'",
    }.get(by, f'"{by}"')


def tallied(reader: Reader, scope: Scope, by: Grouping) -> pl.DataFrame:
    """Rounds and what they came to, by group. By code there is one group: every code had all the rounds to be wrong in."""
    holds, values = scope.holds()
    key = "null" if by == "code" else _key(by)
    return reader.sql(
        f"""
        select coalesce(({key})::varchar, 'not seen') as name,
            sum(rounds)::bigint as rounds, sum(wagers)::bigint as wagers, sum(derived)::bigint as derived,
            sum(handle)::bigint as handle, sum(voided)::bigint as voided,
            sum(rounds_in_part)::bigint as rounds_in_part, sum(rounds_not)::bigint as rounds_not
        from current_tallies where {holds} group by 1
        """,
        values,
    )


def _errors(scope: Scope, by: Grouping | None) -> tuple[str, list[object]]:
    """The errors in scope with day, hour, and the game of their round where that is asked for."""
    holds, values = scope.holds()
    games = scope.games or by == "game"
    joined = (
        'left join (select "table", round, any_value(game) as game from current_rounds '
        'where round in (select round from current_findings) group by all) as dealt using ("table", round)'
        if games
        else ""
    )
    game = "game" if games else "null::varchar as game"
    query = f"""
        select * from (
            select day, hour("at")::smallint as hour, "table", dealer, code, severity, amount, {game}
            from current_findings {joined} where {_ERRORS}
        ) where {holds}
    """
    return query, values


def wronged(reader: Reader, scope: Scope, by: Grouping) -> pl.DataFrame:
    """Errors and what they cost either way, by group."""
    query, values = _errors(scope, by)
    return reader.sql(
        f"""
        select coalesce(({_key(by)})::varchar, 'not seen') as name, count(*)::bigint as errors,
            coalesce(sum(amount) filter (amount > 0), 0)::bigint as lost,
            coalesce(-sum(amount) filter (amount < 0), 0)::bigint as kept
        from ({query}) group by 1
        """,
        values,
    )


def _low(errors: pl.Expr) -> pl.Expr:
    """Byar's lower bound of a count, 95 %."""
    bound = errors * (1 - 1 / (9 * errors) - _Z / (3 * errors.sqrt())) ** 3
    return pl.when(errors > 0).then(bound).otherwise(0.0)


def _high(errors: pl.Expr) -> pl.Expr:
    more = errors + 1
    return more * (1 - 1 / (9 * more) + _Z / (3 * more.sqrt())) ** 3


def _rates(rows: pl.DataFrame) -> pl.DataFrame:
    """Errors in 1,000 rounds, and between which bounds the true rate lies with 95 % confidence."""
    errors, thousand = pl.col("errors").cast(pl.Float64), pl.col("rounds") / 1000
    return rows.with_columns(
        per_1000=pl.when(thousand > 0).then(errors / thousand),
        low=pl.when(thousand > 0).then(_low(errors) / thousand),
        high=pl.when(thousand > 0).then(_high(errors) / thousand),
    )


def grouped(reader: Reader, scope: Scope, by: Grouping) -> pl.DataFrame:
    """The period by group, the surely worst first: by the lower bound, so that one bad hour does not lead the list."""
    rounds, wrong = tallied(reader, scope, by), wronged(reader, scope, by)
    if by == "code":
        every = wrong.join(rounds.drop("name"), how="cross")
    else:
        every = rounds.join(wrong, on="name", how="full", coalesce=True)
    filled = every.with_columns(pl.selectors.integer().fill_null(0))
    return (
        _rates(filled)
        .with_columns(
            derived_share=pl.when(pl.col("wagers") > 0).then(100 * pl.col("derived") / pl.col("wagers")),
        )
        .sort("low", "errors", "name", descending=[True, True, False], nulls_last=True)
    )


SHOWN: Final = {
    "name": "group",
    "rounds": "rounds",
    "wagers": "wagers",
    "handle": "handle",
    "errors": "errors",
    "per_1000": "errors per 1,000 rounds",
    "low": "at least",
    "high": "at most",
    "lost": "lost by house",
    "kept": "kept wrongly",
    "derived_share": "wagers derived %",
    "rounds_in_part": "rounds in part",
    "rounds_not": "rounds not derived",
}


def shown(rows: pl.DataFrame, by: Grouping) -> pl.DataFrame:
    """As the page shows it and the exports have it: sums in dollars, rates to two places."""
    money = [(pl.col(name).cast(pl.Decimal(18, 2)) / 100) for name in ("handle", "lost", "kept")]
    share = (pl.col("derived_share") * 10).floor() / 10  # down: 100 % is said of nothing less than all
    rates = pl.col("per_1000", "low", "high").round(2)
    named = {**SHOWN, "name": by}
    return rows.with_columns(*money, share.alias("derived_share"), rates).select(*SHOWN).rename(named)


def covered(rows: pl.DataFrame) -> Coverage:
    """Of one grouping that counts every round once."""
    names = ("rounds", "rounds_in_part", "rounds_not", "wagers", "derived")
    return Coverage(*(int(rows[name].sum()) for name in names))


@dataclass(frozen=True, slots=True)
class Total:
    rounds: int
    wagers: int
    handle: int
    errors: int
    per_1000: float
    low: float
    high: float
    lost: int
    kept: int


def total(days: pl.DataFrame) -> Total:
    one = _rates(days.select(pl.col("rounds", "wagers", "handle", "errors", "lost", "kept").sum())).row(0, named=True)
    return Total(**{name: one[name] or 0 for name in Total.__dataclass_fields__})


def control_chart(days: pl.DataFrame) -> pl.DataFrame:
    """Each day's rate beside the period's and its three-sigma limits, which are wider on a day of few rounds (a u-chart)."""
    rounds, errors = int(days["rounds"].sum()), int(days["errors"].sum())
    centre = 1000 * errors / rounds if rounds else 0.0
    thousand = pl.col("rounds") / 1000
    spread = 3 * (pl.lit(centre) / thousand).sqrt()
    return (
        days.filter(pl.col("rounds") > 0)
        .with_columns(
            day=pl.col("name").str.to_date(strict=False),
            centre=pl.lit(centre),
            upper=centre + spread,
            lower=(centre - spread).clip(lower_bound=0.0),
        )
        .with_columns(outside=(pl.col("per_1000") > pl.col("upper")) | (pl.col("per_1000") < pl.col("lower")))
        .drop_nulls("day")
        .sort("day")
        .with_columns(
            lost_dollars=pl.col("lost") / 100,
            kept_dollars=-pl.col("kept") / 100,
            trend=pl.col("errors").rolling_sum(7, min_samples=1)
            / pl.col("rounds").rolling_sum(7, min_samples=1)
            * 1000,
        )
    )


def hours(rows: pl.DataFrame) -> pl.DataFrame:
    """For the chart: an hour of few rounds has an interval so wide that it would flatten all others; it is drawn cut off."""
    return rows.with_columns(high=pl.min_horizontal("high", 4 * pl.col("per_1000").max()))


def games(reader: Reader) -> list[str]:
    return (
        reader.sql("select distinct game from current_tallies where game is not null order by 1").to_series().to_list()
    )


def dealers(reader: Reader) -> list[str]:
    found = reader.sql("select distinct dealer from current_tallies where dealer is not null order by 1")
    return found.to_series().to_list()
