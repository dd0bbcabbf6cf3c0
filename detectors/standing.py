"""How far each table was derived, and what its next events make of it: the one way forward, on the embedded log and on Kafka.

Events of a table that come after a gap wait a little for the missing ones. Whatever comes later than that, or contradicts
what was read, has its table derived again. However the events are cut into steps, the rows that hold are those of one audit
over all of them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import polars as pl

from detectors.audit import Audited, audit
from ingest import frame, log
from replay import facts


@dataclass(frozen=True, slots=True)
class Standing:
    """The facts carried on, and the events that were read but wait for missing ones, each with the time it arrived."""

    carry: pl.DataFrame
    held: pl.DataFrame


@dataclass(frozen=True, slots=True)
class Again:
    """A table to be derived again: from which carry, with which events."""

    table: str
    carry: pl.DataFrame
    events: pl.DataFrame

    @property
    def since(self) -> int:
        """All that was derived of the table from later events is replaced."""
        return int(self.carry["seq"].max() or 0)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Due:
    """What the next audit goes on from, and what stays behind."""

    ready: pl.DataFrame
    held: pl.DataFrame
    late: list[tuple[str, int]]  # tables with late events, and the first of those


Earlier = Callable[[str, int], Again]


def none() -> Standing:
    return Standing(facts.none(), arrived(pl.DataFrame(schema=log.SCHEMA), 0.0))


def arrived(events: pl.DataFrame, now: float) -> pl.DataFrame:
    return events.with_columns(arrived=pl.lit(now, pl.Float64))


def due(standing: Standing, events: pl.DataFrame, now: float, patience: float) -> Due:
    pending = pl.concat([standing.held, arrived(events, now)])
    late = facts.late(standing.carry, pending).group_by("table").agg(pl.col("seq").min()).sort("table")
    in_time = pending.join(late, on="table", how="anti", maintain_order="left")
    ready, held = _released(standing.carry, in_time, now - patience)
    return Due(ready, held, list(late.iter_rows()))


def audited(carry: pl.DataFrame, ready: pl.DataFrame, again: Sequence[Again]) -> Audited | None:
    """One audit of all that is due, each table from its own beginning; None if nothing is."""
    if ready.is_empty() and not again:
        return None
    carried = carry.join(ready, on="table", how="semi", maintain_order="left")
    # Without the position: which of two contents is shown must not depend on which came first.
    return audit(
        pl.concat([carried, *(each.carry for each in again)]),
        pl.concat([ready.select(*frame.SCHEMA), *(each.events.select(*frame.SCHEMA) for each in again)]),
        final=False,
    )


def carried_on(carry: pl.DataFrame, result: Audited | None) -> pl.DataFrame:
    """The carry, with the audited tables' in the place of their last."""
    if result is None:
        return carry
    untouched = carry.join(result.carry, on="table", how="anti", maintain_order="left")
    return pl.concat([untouched, result.carry]).sort("table", "seq")


def _released(carry: pl.DataFrame, pending: pl.DataFrame, waited_since: float) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Events that follow their table's last without a gap or have waited since then, and those that wait on.

    Beyond a gap a whole run is released at once, and with it all runs before it.
    """
    last = facts.last_seqs(carry).rename({"seq": "last"})
    previous = pl.when(pl.col("table") == pl.col("table").shift()).then(pl.col("seq").shift()).otherwise("last")
    is_due = (pl.col("run") == 0) | (pl.col("arrived") <= waited_since)
    runs = (
        pending.sort("table", "seq", "position")
        .join(last, on="table", how="left", maintain_order="left")
        .with_columns(gap=(pl.col("seq") > previous + 1).fill_null(False))
        .with_columns(run=pl.col("gap").cum_sum().over("table"))
        .with_columns(released=(pl.col("run") <= pl.when(is_due).then("run").max().over("table")).fill_null(False))
    )
    return (
        runs.filter("released").select(pending.columns),
        runs.filter(~pl.col("released")).select(pending.columns),
    )
