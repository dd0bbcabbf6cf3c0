"""How many rounds were dealt since the stub was last counted: the cadence that card control demands."""

from typing import Final

import polars as pl

from replay.facts import gap_before

kind = pl.col("type")

# The law: no five rounds without a count. The fifth is the one that is told.
LIMIT: Final = 5


def without_count(facts: pl.DataFrame, rounds: pl.DataFrame) -> pl.DataFrame:
    """The dealt rounds in which nobody counted, with `run` and `place`: the how-manieth it is since a count.

    A run also begins anew at a table's opening, when the counting shuffler is taken away, and at a gap in the feed, behind
    which a count may hide.
    """
    anew = facts.filter(
        (kind == "stub_counted")
        | (kind == "table_opened")
        | ((kind == "device_removed") & (pl.col("device") == "shuffler"))
        | gap_before
    ).select("tid", "seq")
    counted = (
        anew.sort("seq")
        .join_asof(
            rounds.select("tid", "rid", "first_seq").sort("first_seq"),
            left_on="seq",
            right_on="first_seq",
            by="tid",
            check_sortedness=False,
        )
        .select("rid")
        .unique()
        .with_columns(counted=pl.lit(True))
    )
    exempt = (pl.col("shuffler") == "counting") & ~pl.col("shuffler_gone")
    return (
        rounds.join(counted, on="rid", how="left", maintain_order="left")
        .with_columns(counted=pl.col("counted").fill_null(False) | exempt.fill_null(False))
        .with_columns(run=pl.col("counted").cum_sum().over("tid"))
        .filter(~pl.col("counted") & pl.col("first_card_seq").is_not_null())
        .with_columns(place=pl.col("rid").cum_count().over("tid", "run"))
    )
