"""What the law owes on every wager of a day, asked of the decision tables, and a few payouts that were got wrong."""

from collections.abc import Mapping
from typing import Final

import numpy as np
import polars as pl

from benchmarks.dealing.felt import ROUNDS, WAGERS, Day, Ints
from benchmarks.dealing.tables import elected
from ingest import frame
from rules.decision import Wager, settle

owed, stake = pl.col("owed"), pl.col("stake")
# A wrong and how the chips then moved.
LABELS: Final = {
    "code": pl.String(),
    "table": pl.String(),
    "round": pl.Int64(),
    "seat": pl.Int64(),
    "hand": pl.Int64(),
    "wager": pl.String(),
    "amount": pl.Int64(),
}


def owing(day: Day, facts: pl.DataFrame, stakes: Mapping[str, Ints]) -> pl.DataFrame:
    """One row a wager and a bonus that is owed. `facts`: a hand each, with `n`, `seat`, `hand` and all that the law asks for;
    `stakes`: by wager, what each hand has there, 0 where nothing."""
    game = day.tables[0].game
    table = facts["n"] // ROUNDS
    edition = pl.Series([each.edition for each in day.tables]).gather(table)
    parts = []
    for wager in game.wagers:
        on = [name for name in (wager.bonus_on, wager.bonus_or_on) if name is not None] or [wager.name]
        chips = np.maximum.reduce([stakes[name] for name in on if name in stakes])
        column = elected(day.tables, wager.name).gather(table)
        offered = edition.is_in(list(wager.editions)) & (column.is_not_null() | pl.Series([wager.pay_table is None]))
        mine = facts.with_columns(
            stake=pl.Series(chips),
            column=column,
            **{f"{each.wager}_column": elected(day.tables, each.wager).gather(table) for each in wager.other_tables},
        ).filter((pl.Series(chips) > 0) & offered)
        parts.append(_settled(mine, wager))
    return pl.concat(parts)


def _settled(rows: pl.DataFrame, wager: Wager) -> pl.DataFrame:
    settled = settle(rows, wager).select("n", "seat", "hand", "stake", "owed", wager=pl.lit(wager.name, WAGERS))
    if settled["owed"].null_count():
        raise AssertionError(f"{wager.name}: the law has no answer to a hand that was dealt in full")
    return settled.filter(owed != 0) if wager.bonus_on is not None else settled


def moved(day: Day, settlements: pl.DataFrame, wrongs: float) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The settlements with `result` and `amount`, one of them wrong in a share `wrongs` of the rounds; and the wrongs."""
    rows = settlements.with_columns(luck=pl.Series(day.rng.random(settlements.height)), net=owed)
    if wrongs:
        unlucky = np.flatnonzero(day.rng.random(day.rounds) < wrongs)
        slips = (pl.col("luck") == pl.col("luck").min().over("n")) & pl.col("n").is_in(pl.Series(unlucky))
        more, half = pl.col("luck") * 1e6 % 2 < 1, owed // 2
        wrong = (
            pl.when(owed < 0)
            .then(0)
            .when(owed == 0)
            .then(-stake)
            .when(more | (owed < 2))
            .then(owed + stake)
            .otherwise(half)
        )
        rows = rows.with_columns(net=pl.when(slips).then(wrong).otherwise(owed))
    net = pl.col("net")
    kinds = frame.SCHEMA["result"]
    result = pl.when(net > 0).then(pl.lit("paid", kinds)).when(net < 0).then(pl.lit("taken", kinds))
    rows = rows.with_columns(
        result=result.otherwise(pl.lit("returned", kinds)), amount=pl.when(net == 0).then(stake).otherwise(net.abs())
    )
    return rows, _labels(day, rows.filter(net != owed))


def _labels(day: Day, wrong: pl.DataFrame) -> pl.DataFrame:
    net = pl.col("net")
    code = (
        pl.when(owed < 0)
        .then(pl.lit("PAY03"))
        .when(owed == 0)
        .then(pl.lit("PAY05"))
        .when(net > owed)
        .then(pl.lit("PAY01"))
        .otherwise(pl.lit("PAY02"))
    )
    names = pl.Series([table.name for table in day.tables])
    return wrong.select(
        code=code,
        table=pl.lit(names).gather(pl.col("n") // ROUNDS),
        round=pl.col("n") % ROUNDS + day.number * ROUNDS + 1,
        seat=pl.col("seat") + 1,
        hand="hand",
        wager="wager",
        amount=net - owed,
    ).select(pl.col(name).cast(dtype) for name, dtype in LABELS.items())
