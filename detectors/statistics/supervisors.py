"""STAT04: who declares rounds void."""

import polars as pl

from detectors.statistics.chance import tails
from detectors.statistics.period import Period
from detectors.statistics.verdict import Verdict, judged


def voids_per_supervisor(period: Period, alpha: float) -> Verdict:
    """Flags a supervisor who declared more rounds void than the floor's rate makes likely at the tables and hours where
    he did.

    Why: a void takes back a round that the house or a player was losing; one who reaches for it too often may be
    choosing which.

    Blind to: when a supervisor was on duty, which no event says: he is taken to have been at a table for the third of a
    day in which he declared a void there, and the first such void is not counted against him. A machine that fails all
    evening makes voids that are nobody's; the message says for how many of his no cause was seen.
    """
    of_table = ["table", "game", "block"]
    floor = period.blocks.group_by("game").agg(population=pl.col("rounds").sum(), marked=pl.col("voids").sum())
    # That he was there is known by a void, so one of them is no evidence against him, nor is its round.
    watched = (
        period.voids.join(period.blocks.select(*of_table, "rounds"), on=of_table, how="left")
        .group_by("by", "game")
        .agg(
            drawn=(pl.col("rounds") - 1).sum(),
            seen=(pl.col("voids") - 1).sum(),
            rounds=pl.col("rounds").sum(),
            declared=pl.col("voids").sum(),
            uncaused=pl.col("uncaused").sum(),
        )
        .join(floor, on="game", how="left")
    )
    tested = tails(watched, ["by"])
    own = watched.group_by("by").agg(pl.col("rounds", "declared", "uncaused").sum())
    return judged(
        tested.join(own, on="by", how="left", maintain_order="left"),
        tested.height,
        alpha,
        message=pl.format(
            "Supervisor {} declared {} of {} rounds void at the tables and hours where he did so, and {} of them after a first "
            "one, where {} are likely; for {} no cause was seen",
            *("by", "declared", "rounds", "seen", pl.col("expected").round(1), "uncaused"),
        ),
    )
