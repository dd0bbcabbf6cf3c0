"""What chance alone would do: exact tails of counts, and the correction for asking many questions at once.

A p-value here is never too small: it is exact, or an upper bound, or 1 where nobody needs to look. So the rate of false
alarms that is stated is the most that an honest floor gives.
"""

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl

Chances = npt.NDArray[np.float64]

# Below this a chance is as good as none, and a tail that is cut off there is missed by nobody.
_NOTHING: Final = 1e-40
# What lies within two deviations of the expected is no alarm at any rate that anybody would ask for.
_WORTH_A_LOOK: Final = 2.0

seen, expected = pl.col("seen"), pl.col("expected")


def hypergeometric(population: int, marked: int, drawn: int) -> tuple[int, Chances]:
    """The fewest marked that can be among the drawn, and the chance of that many, one more, and so on to the most."""
    fewest, most = max(0, drawn + marked - population), min(drawn, marked)
    count = np.arange(fewest, most, dtype=np.float64)
    # Each chance as a multiple of the one before; in logarithms, so that no factorial of a year's rounds is ever formed.
    steps = np.log((marked - count) * (drawn - count)) - np.log((count + 1) * (population - marked - drawn + count + 1))
    weight = np.concatenate([[0.0], np.cumsum(steps)])
    chances: Chances = np.exp(weight - weight.max())
    return fewest, chances / chances.sum()


def upper_tail(strata: Iterable[tuple[int, int, int]], count: int) -> float:
    """The chance of `count` marked or more in all strata together; each is (population, marked, drawn), drawn blindly."""
    fewest, chances = 0, np.ones(1)
    for population, marked, drawn in strata:
        if marked and drawn:
            low, more = hypergeometric(population, marked, drawn)
            chances = np.convolve(chances, more)
            above = np.flatnonzero(chances > _NOTHING)
            fewest += low + int(above[0])
            chances = chances[above[0] : above[-1] + 1]
    if count <= fewest:
        return 1.0
    return min(1.0, max(_NOTHING, float(chances[count - fewest :].sum())))


def tails(strata: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """One row for each `by`: how many were `seen` and `expected` in all its strata, and `p`, the chance of as many or
    more.

    `strata` has a row a stratum: `population`, `marked`, `drawn` and `seen`.
    """
    population, marked, drawn = pl.col("population"), pl.col("marked"), pl.col("drawn")
    share = marked / population
    informative = strata.filter((marked > 0) & (drawn > 0))
    tested = (
        informative.group_by(*by)
        .agg(
            seen.sum(),
            expected=(drawn * share).sum(),
            variance=(drawn * share * (1 - share) * (population - drawn) / (population - 1).clip(1)).sum(),
            strata=pl.struct("population", "marked", "drawn"),
        )
        .sort(*by)
    )
    worth_a_look = seen > expected + _WORTH_A_LOOK * pl.col("variance").sqrt()
    # A Python loop over the few that stand out.
    p = [
        upper_tail([(each["population"], each["marked"], each["drawn"]) for each in of], count) if looked else 1.0
        for count, of, looked in tested.select("seen", "strata", looked=worth_a_look).iter_rows()
    ]
    return tested.drop("strata", "variance").with_columns(pl.Series("p", p, pl.Float64))


def allowed(expected: float, level: float) -> tuple[int, int]:
    """The fewest and the most that chance allows of something rare, where so many are expected: fewer, and more, come at most at
    `level` each. Poisson's, whose tails are heavier than those of any draw from a floor of that many."""
    if expected <= 0:
        return 0, 0
    reach = int(expected + 12 * expected**0.5) + 60
    weight = np.concatenate([[0.0], np.cumsum(np.log(expected) - np.log(np.arange(1, reach)))])
    chances = np.exp(weight - expected)
    below, above = np.cumsum(chances), np.cumsum(chances[::-1])[::-1]
    # `below[k]` is the chance of k or fewer, `above[k]` that of k or more.
    return int(np.searchsorted(below, level, side="right")), int(np.flatnonzero(above > level)[-1])


def away_from(trials: pl.Expr, mean: pl.Expr) -> pl.Expr:
    """A bound on the chance that a count of `seen` in so many independent trials is as far from its mean, on either side.

    Chernoff's, in Hoeffding's form: it holds for trials of different chances too, as rounds with more or fewer cards are.
    """
    share, due = seen / trials, mean / trials
    came = pl.when(seen > 0).then(share * (share / due).log()).otherwise(0.0)
    stayed = pl.when(seen < trials).then((1 - share) * ((1 - share) / (1 - due)).log()).otherwise(0.0)
    return (2 * (-trials * (came + stayed)).exp()).clip(_NOTHING, 1.0)


def alarms(tested: pl.DataFrame, comparisons: int, alpha: float) -> pl.DataFrame:
    """Holm's correction: the rows that stand even if each of the comparisons had its say, the rarest first.

    If chance rules in all of them, one or more stand in at most `alpha` of the periods. `p` becomes the corrected one.
    """
    ordered = tested.sort("p", maintain_order=True).with_row_index("before")
    corrected = (pl.col("p") * (comparisons - pl.col("before")).clip(1)).clip(upper_bound=1.0).cum_max()
    return ordered.with_columns(p=corrected).filter(pl.col("p") <= alpha).drop("before")
