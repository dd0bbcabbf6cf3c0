"""What a test comes to: how many questions it asked of a period, and the answers that chance does not explain."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import polars as pl

from detectors.finding import SCHEMA, digest, none
from detectors.statistics.chance import alarms
from detectors.statistics.period import Period

# The rate of false alarms that a test keeps to unless another is asked for: one period in a thousand has any.
ALPHA: Final = 0.001
# What an alarm says of itself; the rest of a finding follows from the test and the period.
SAID: Final = ("table", "player", "dealer", "amount", "message")


@dataclass(frozen=True, slots=True)
class Verdict:
    """`alarms` has `seen`, `expected` and the corrected `p` beside what a finding says, the rarest first."""

    comparisons: int
    alarms: pl.DataFrame


Test = Callable[[Period, float], Verdict]


def judged(
    tested: pl.DataFrame, comparisons: int, alpha: float, *, message: pl.Expr, amount: pl.Expr | None = None
) -> Verdict:
    """The rows that stand, each with its sentence: `message`, and how often chance would do the same."""
    standing = alarms(tested, comparisons, alpha).rechunk()
    chance = pl.Series("chance", [_in_words(p) for p in standing["p"]], pl.String)
    missing = [name for name in SAID if name not in standing.columns and name not in ("amount", "message")]
    told = standing.with_columns(
        chance,
        *(pl.lit(None, pl.String).alias(name) for name in missing),
    ).with_columns(
        amount=pl.lit(0, pl.Int64) if amount is None else amount, message=pl.format("{} ({}).", message, "chance")
    )
    return Verdict(comparisons, told.select(*SAID, "seen", "expected", "p").sort("p", "message"))


def _in_words(p: float) -> str:
    """`0.00012` as `by chance in one of 8,333 such periods`, all that was asked considered."""
    return f"by chance in one of {int(1 / p):,} such periods" if p > 1e-9 else "chance does not do that"


def findings(verdict: Verdict, period: Period, code: str, name: str, severity: str) -> pl.DataFrame:
    """The alarms as findings of the contract's schema. They are of no round: `at` is when the period ended."""
    if verdict.alarms.is_empty():
        return none()
    # Alarms are few: one Python call each for the digest.
    ids = [digest(code, period.began_at, period.ended_at, *said) for said in verdict.alarms.select(*SAID).iter_rows()]
    own = {
        "code": pl.lit(code),
        "name": pl.lit(name),
        "severity": pl.lit(severity),
        "at": pl.lit(period.ended_at, SCHEMA["at"]),
        "seqs": pl.lit([], SCHEMA["seqs"]),
    }
    told = verdict.alarms.with_columns(pl.Series("id", ids, pl.String), **own)
    return told.select(
        (pl.col(column) if column in told.columns else pl.lit(None)).cast(dtype).alias(column)
        for column, dtype in SCHEMA.items()
    )
