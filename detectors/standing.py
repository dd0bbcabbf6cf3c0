"""How far each table was derived, and what its next events make of it: the one way forward, on the embedded log and on Kafka.

Events of a table that come after a gap wait a little for the missing ones. Whatever comes later than that, or contradicts
what was read, has its table derived again. What goes on in a round waits for what decides something: nothing can be said of it
before. However the events are cut into steps, the rows that hold are those of one audit over all of them.
"""

import math
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final

import polars as pl

from detectors.audit import Audited, audit
from ingest import frame, log
from replay import facts
from rules.games import GAMES

# What is done in a round that is under way. All else may have something said of it at once.
_ACTS: Final = [
    *("wager_placed", "wager_changed", "no_more_bets", "card_dealt", "community_revealed", "card_found_face_up"),
    *("card_exposed", "decision_made", "card_discarded", "dealer_revealed", "wager_settled", "settlement_corrected"),
    "round_voided",
]


@dataclass(frozen=True, slots=True)
class Standing:
    """The facts carried on, and the events that were read but wait: for missing ones, each with the time it arrived, or for
    their round to be decided, without end."""

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


def due(
    standing: Standing, events: pl.DataFrame, now: float, patience: float, at_once: AbstractSet[str] = frozenset()
) -> Due:
    """`at_once`: tables of which something is to be said even if nothing is decided."""
    pending = pl.concat([standing.held, arrived(events, now)])
    late = facts.late(standing.carry, pending).group_by("table").agg(pl.col("seq").min()).sort("table")
    in_time = pending.join(late, on="table", how="anti", maintain_order="left")
    ready, held = _released(standing.carry, in_time, now - patience, at_once)
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


def _released(
    carry: pl.DataFrame, pending: pl.DataFrame, waited_since: float, at_once: AbstractSet[str]
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Events that follow their table's last without a gap and decide something, or have waited since then, and the rest.

    Beyond a gap a whole run is released at once, and with it all runs before it.
    """
    runs = (
        _beside_the_previous(carry, pending)
        .with_columns(gap=(pl.col("seq") > pl.col("previous_seq") + 1).fill_null(False))
        .with_columns(run=pl.col("gap").cum_sum().over("table"))
    )
    in_order = pl.col("run") == 0
    # A table's runs ascend, and so do its rows: what is released are the first of them.
    decides = (in_order & (~_goes_on | pl.col("table").is_in([*at_once, *_shoes(carry)]))).any().over("table")
    is_due = (in_order & decides) | (pl.col("arrived") <= waited_since)
    released = (pl.col("run") <= pl.when(is_due).then("run").max().over("table")).fill_null(False)
    runs = runs.with_columns(released=released).with_columns(
        arrived=pl.when(in_order).then(pl.lit(math.inf)).otherwise("arrived")
    )
    return (
        runs.filter("released").select(pending.columns),
        runs.filter(~pl.col("released")).select(pending.columns),
    )


def _shoes(carry: pl.DataFrame) -> list[str]:
    """Tables with a shoe of several packs: a card too many is told as soon as it comes, not when its round is decided."""
    games = [game.name for game in GAMES.values() if not game.stub_is_counted]
    return carry.filter(pl.col("game").cast(pl.String).is_in(games))["table"].unique().to_list()


_before: Final = {name: f"previous_{name}" for name in ("seq", "at", "type", "round")}
# Whether an event only continues the round of the one before it.
_goes_on: Final = (
    (pl.col("seq") == pl.col("previous_seq") + 1)
    & (pl.col("at") >= pl.col("previous_at"))
    & (pl.col("previous_type") != "round_ended")
    & pl.col("type").is_in(_ACTS)
    & (pl.col("round") == pl.col("previous_round"))
).fill_null(False)


def _beside_the_previous(carry: pl.DataFrame, pending: pl.DataFrame) -> pl.DataFrame:
    """Events in order, each beside the one before it, new or carried."""
    last = carry.group_by("table").agg(pl.col(*_before).sort_by("seq").last()).rename(_before)
    same_table = pl.col("table") == pl.col("table").shift()
    return (
        pending.sort("table", "seq", "position")
        .join(last, on="table", how="left", maintain_order="left")
        .with_columns(
            pl.when(same_table).then(pl.col(name).shift()).otherwise(previous).alias(previous)
            for name, previous in _before.items()
        )
    )
