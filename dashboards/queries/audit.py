"""A period added up: rounds, wagers and handle from the tallies, errors and their cost from the findings, by any grouping."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Final, Literal

import polars as pl

from dashboards.queries.coverage import Coverage, Period, among
from detectors.published import Reader
from detectors.statistics.chance import allowed
from detectors.statistics.verdict import ALPHA

Columns = tuple[str, ...]
Grouping = Literal["game", "table", "dealer", "shift", "code", "day", "hour"]
GROUPINGS: Final[tuple[Grouping, ...]] = ("game", "table", "dealer", "shift", "code", "day", "hour")
# Feed findings tell what was not seen; an error is something that was.
_ERRORS: Final = "code not like 'FEED%'"
_ROUNDS: Final = ("rounds", "wagers", "derived", "handle", "rounds_in_part", "rounds_not")
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


def _name(by: Grouping) -> pl.Expr:
    """How a group is called, from its column."""
    hour = pl.col("hour")
    match by:
        case "hour":
            name = pl.format("{}:00 UTC", hour.cast(pl.String).str.zfill(2))
        case "shift":
            day, grave = hour.is_between(10, 17), hour.is_between(2, 9)
            name = pl.when(day).then(pl.lit("day (10-18 UTC)")).when(grave).then(pl.lit("grave (02-10 UTC)"))
            name = name.when(hour.is_not_null()).then(pl.lit("swing (18-02 UTC)"))
        case _:
            name = pl.col(by).cast(pl.String)
    return name.fill_null("not seen")


def _listed(columns: Sequence[str]) -> str:
    return ", ".join(f'"{column}"' for column in columns)


def _tallied(reader: Reader, scope: Scope, sets: Sequence[Columns]) -> dict[Columns, pl.DataFrame]:
    """Rounds and what they came to, by each set of columns, in one reading of the tallies."""
    holds, values = scope.holds()
    columns = sorted({column for each in sets for column in each})
    listed = _listed(columns)
    apart_by = ", ".join(f"({_listed(each)})" for each in sets)
    sums = ", ".join(f"sum({name})::bigint as {name}" for name in _ROUNDS)
    rows = reader.sql(
        f"""
        select grouping({listed}) as apart, {listed}, {sums}
        from {scope.period.of(reader, "tallies")} where {holds} group by grouping sets ({apart_by})
        """,
        values,
    )

    def of(each: Columns) -> pl.DataFrame:
        # A bit of `apart` is 0 where a row is grouped by its column; the first column has the highest.
        apart = sum(2**place for place, column in enumerate(reversed(columns)) if column not in each)
        return rows.filter(pl.col("apart") == apart).select(*each, *_ROUNDS)

    return {each: of(each) for each in sets}


def _errors(reader: Reader, scope: Scope, dealt: pl.DataFrame) -> pl.DataFrame:
    """One row an error in scope, with its game.

    That is the game which its table `dealt` on the day. Only where there were several are rounds looked up.
    """
    named, values = among({"table": scope.tables, "dealer": scope.dealers})
    found = reader.sql(
        f"""
        select day, hour("at")::smallint as hour, "table", round, dealer, code, amount
        from {scope.period.of(reader, "findings")} where {_ERRORS} and {scope.period.holds} and {named}
        """,
        values,
    )
    alone = dealt.group_by("day", "table").agg(pl.col("game").unique()).filter(pl.col("game").list.len() == 1)
    told = found.join(alone.with_columns(pl.col("game").list.first()), on=["day", "table"], how="left")
    played = _looked_up(reader, told)
    return played.filter(pl.col("game").is_in(scope.games)) if scope.games else played


def _looked_up(reader: Reader, errors: pl.DataFrame) -> pl.DataFrame:
    open_ = errors.filter(pl.col("game").is_null() & pl.col("round").is_not_null())
    if open_.is_empty():
        return errors
    # A round belongs to the day on which it ended, which may be the one after its error.
    first, last = open_.select(first=pl.col("day").min(), last=pl.col("day").max() + timedelta(days=1)).row(0)
    rounds = reader.sql(
        f"""
        select "table", round, any_value(game) as of_round from {reader.over("rounds", first, last)}
        where list_contains(?::varchar[], "table") and list_contains(?::bigint[], round) group by all
        """,
        [open_["table"].unique().to_list(), open_["round"].unique().to_list()],
    )
    found = errors.join(rounds, on=["table", "round"], how="left")
    return found.with_columns(game=pl.coalesce("game", "of_round")).drop("of_round")


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


@dataclass(frozen=True, slots=True)
class AddedUp:
    """A period by each grouping, the surely worst first, why some of it was not derived, the commonest first,
    and each dealer beside what chance allows."""

    by: dict[Grouping, pl.DataFrame]
    reasons: pl.DataFrame
    dealers: pl.DataFrame


# The few readings that every grouping is added up from.
_HOURS: Final = ("hour",)
_DEALT: Final = ("day", "table", "game", "reason")
_WORK: Final = ("dealer", "game")


def added_up(reader: Reader, scope: Scope) -> AddedUp:
    """All of it from one reading of the tallies, two where the scope names games, and one of the findings."""
    rounds = _tallied(reader, scope, [_HOURS, _DEALT, _WORK])
    # A scope that names games leaves the other games of a table out; whose an error is turns on them all.
    every_game = _tallied(reader, replace(scope, games=()), [_DEALT])[_DEALT] if scope.games else rounds[_DEALT]
    errors = _errors(reader, scope, every_game)
    of = {"hour": _HOURS, "shift": _HOURS, "dealer": _WORK}
    groups = {
        each: _beside(_dealt(rounds[of.get(each, _DEALT)], each), _wrong(errors, each), each) for each in GROUPINGS
    }
    reasons = (
        rounds[_DEALT]
        .drop_nulls("reason")
        .group_by("reason")
        .agg(pl.col(_ROUNDS).sum())
        .sort("rounds", "reason", descending=[True, False])
        .select("reason", "rounds_in_part", "rounds_not", wagers_open=pl.col("wagers") - pl.col("derived"))
        .rename({"rounds_in_part": "in_part", "rounds_not": "not_at_all"})
    )
    return AddedUp(groups, reasons, dealers_chart(rounds[_WORK], errors))


def grouped(reader: Reader, scope: Scope, by: Grouping) -> pl.DataFrame:
    return added_up(reader, scope).by[by]


def _dealt(rounds: pl.DataFrame, by: Grouping) -> pl.DataFrame:
    """By code there is one group: every code had all the rounds to be wrong in."""
    name = pl.lit("all") if by == "code" else _name(by)
    return rounds.group_by(name=name).agg(pl.col(_ROUNDS).sum())


def _wrong(errors: pl.DataFrame, by: Grouping) -> pl.DataFrame:
    """Errors and what they cost either way."""
    amount = pl.col("amount")
    return errors.group_by(name=_name(by)).agg(
        errors=pl.len().cast(pl.Int64),
        lost=amount.clip(lower_bound=0).sum(),
        kept=-amount.clip(upper_bound=0).sum(),
    )


def _beside(rounds: pl.DataFrame, wrong: pl.DataFrame, by: Grouping) -> pl.DataFrame:
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


def dealers_chart(work: pl.DataFrame, errors: pl.DataFrame) -> pl.DataFrame:
    """Each dealer's rounds with a payout wrong, beside what the rest of the scope makes likely and the limits that chance allows.

    The first question of STAT01, asked of what was added up: one mistake counts once however many wagers it touched, and a dealer
    is compared game by game. The limits leave all dealers together one false alarm on either side in `1 / ALPHA` periods.
    """
    mistakes = errors.filter(pl.col("code").str.starts_with("PAY") & pl.col("round").is_not_null())
    wrong = mistakes.unique(["table", "round"]).group_by("dealer", "game").agg(wrong=pl.len().cast(pl.Int64))
    derived = pl.col("rounds") - pl.col("rounds_not")
    each = (
        work.filter(pl.col("dealer").is_not_null() & (derived > 0))
        .select("dealer", "game", rounds=derived)
        .join(wrong, on=["dealer", "game"], how="left")
        .with_columns(pl.col("wrong").fill_null(0))
        .with_columns(share=(pl.col("wrong").sum() / pl.col("rounds").sum()).over("game"))
        .group_by("dealer")
        .agg(pl.col("rounds", "wrong").sum(), expected=(pl.col("rounds") * pl.col("share")).sum())
        .sort("rounds", "dealer")
    )
    limits = [allowed(expected, ALPHA / each.height) for expected in each["expected"]]
    thousand = pl.col("rounds") / 1000
    return each.with_columns(
        pl.Series("fewest", [low for low, _ in limits], pl.Int64),
        pl.Series("most", [high for _, high in limits], pl.Int64),
    ).with_columns(
        beyond=(pl.col("wrong") > pl.col("most")) | (pl.col("wrong") < pl.col("fewest")),
        per_1000=pl.col("wrong") / thousand,
        lower=pl.col("fewest") / thousand,
        # Drawn cut off, as the hours' intervals are.
        upper=pl.min_horizontal(pl.col("most") / thousand, 4 * (pl.col("wrong") / thousand).max()),
        centre=1000 * pl.col("wrong").sum() / pl.col("rounds").sum(),
    )


def any_wrong(dealers: pl.DataFrame) -> bool:
    return not dealers.filter(pl.col("wrong") > 0).is_empty()


def hours(rows: pl.DataFrame) -> pl.DataFrame:
    """For the chart: an hour of few rounds has an interval so wide that it would flatten all others; it is drawn cut off."""
    return rows.with_columns(high=pl.min_horizontal("high", 4 * pl.col("per_1000").max()))
