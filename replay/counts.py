"""How many rounds were dealt since the stub was last counted: the cadence that card control demands."""

from typing import Final, Literal

import polars as pl

from replay.facts import gap_before

kind = pl.col("type")

# The law: no five rounds without a count. The fifth is the one that is told.
LIMIT: Final = 5


def without_count(facts: pl.DataFrame, rounds: pl.DataFrame) -> pl.DataFrame:
    """The dealt rounds in which nobody counted, with `run` and `place`: the how-manieth it is since a count.

    A count is one of the round it comes in or after; so is whatever a gap in the feed hides, which may have been a count. Rounds
    under a counting shuffler are as good as counted. The first round of a table's opening begins a run of its own.
    """
    gaps = facts.filter(gap_before)
    maybe_counted = pl.concat(
        [
            facts.filter(kind == "stub_counted").select("tid", "seq"),
            gaps.select("tid", seq="after"),
            gaps.filter(kind != "round_started").select("tid", "seq"),
        ]
    )
    counted = _round_at(maybe_counted, rounds, "backward").with_columns(counted=pl.lit(True))
    opened = facts.filter(kind == "table_opened").select("tid", "seq")
    first = _round_at(opened, rounds, "forward").with_columns(first=pl.lit(True))
    exempt = (pl.col("shuffler") == "counting") & ~pl.col("shuffler_gone")
    return (
        rounds.join(counted, on="rid", how="left", maintain_order="left")
        .join(first, on="rid", how="left", maintain_order="left")
        .with_columns(counted=pl.col("counted").fill_null(False) | exempt.fill_null(False))
        .with_columns(run=(pl.col("counted") | pl.col("first").fill_null(False)).cum_sum().over("tid"))
        .filter(~pl.col("counted") & pl.col("first_card_seq").is_not_null())
        .with_columns(place=pl.col("rid").cum_count().over("tid", "run"))
    )


def _round_at(seqs: pl.DataFrame, rounds: pl.DataFrame, strategy: Literal["backward", "forward"]) -> pl.DataFrame:
    """The rounds that began last before (or first after) each seq."""
    return (
        seqs.sort("seq")
        .join_asof(
            rounds.select("tid", "rid", "first_seq").sort("first_seq"),
            left_on="seq",
            right_on="first_seq",
            by="tid",
            strategy=strategy,
            check_sortedness=False,
        )
        .select("rid")
        .drop_nulls()
        .unique()
    )
