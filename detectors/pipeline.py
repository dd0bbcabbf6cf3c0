"""The live pipeline on the embedded log: reads what is new, audits it, and writes rows and position as one.

However the log is cut into steps, and wherever the pipeline is stopped or killed, the rows that hold are those of one audit over
the whole log. Events of a table that come after a gap wait a little for the missing ones. Whatever comes later than that,
or contradicts what was read, has its table derived again.
"""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Final

import polars as pl

from detectors.audit import Audited, audit
from detectors.store import Store
from detectors.storefile import State
from ingest import frame, sealing
from ingest.log import Log
from replay import facts

LIMIT: Final = 200_000
IDLE_SECONDS: Final = 0.2
PUBLISH_SECONDS: Final = 0.5
SEALING_SECONDS: Final = 60.0
# A round open at the end of its day may still come to its end; one that has been silent this long was abandoned.
ABANDONED: Final = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Progress:
    """What one step did."""

    read: int
    position: int
    held: int
    findings: int
    derived_again: tuple[str, ...]
    published: bool


@dataclass(frozen=True, slots=True)
class Again:
    """A table to be derived again: from which carry, with which events, replacing what was derived since which position."""

    table: str
    since: int
    carry: pl.DataFrame
    events: pl.DataFrame


def _now() -> datetime:
    return datetime.now(UTC)


class Pipeline:
    def __init__(
        self,
        log: Log,
        store: Store,
        patience: float = 5.0,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = _now,
    ) -> None:
        self.log = log
        self.store = store
        self.patience = patience
        self._clock = clock
        self._now = now
        self._held = _arrived(store.state.held, clock())
        self._published_at = float("-inf")
        self._unpublished = True
        self._looked_at = float("-inf")
        self._sealed_through = store.sealed_through()

    def step(self) -> Progress:
        """Reads on from where the store stands, and publishes if something changed and it is time."""
        return self._step(self.patience)

    def finish(self) -> Progress:
        """A step after which nothing waits for missing events any more, and all is published."""
        progress = self._step(float("-inf"))
        self.publish()
        return progress

    def run(self, stop: threading.Event, once: bool = False) -> None:
        """Until it is told to stop or, with `once`, until the log's end; a stop comes after the step at hand."""
        while not stop.is_set():
            if self.step().read == LIMIT:
                continue
            if once:
                self.finish()
                self.seal_finished_days(self._now())
                return
            if self._clock() - self._looked_at >= SEALING_SECONDS:
                self._looked_at = self._clock()
                self.seal_finished_days(self._now())
            stop.wait(IDLE_SECONDS)
        self.publish()

    def publish(self) -> None:
        if self._unpublished:
            self.store.publish()
            self._unpublished = False
            self._published_at = self._clock()

    def seal_finished_days(self, now: datetime) -> list[Path]:
        """Seals the days that are over and whose rounds are decided, in the log and in the store; the store's files."""
        through = _last_decided_day(self.store.state.carry, now)
        if self._sealed_through is not None and through <= self._sealed_through:
            return []
        self.finish()
        sealing.seal(self.log, through)
        self._sealed_through = through
        return self.store.seal(through)

    def _step(self, patience: float) -> Progress:
        state, now = self.store.state, self._clock()
        events, position = self.log.read(state.position, LIMIT)
        pending = pl.concat([self._held, _arrived(events, now)])
        late = facts.late(state.carry, pending).group_by("table").agg(pl.col("seq").min()).sort("table")
        in_time = pending.join(late, on="table", how="anti", maintain_order="left")
        ready, held = _released(state.carry, in_time, now - patience)
        audited = None
        if events.height or ready.height:
            again = [self._derived_again(table, seq, position) for table, seq in late.iter_rows()]
            audited = _audited(state.carry, ready, again)
            reached = State(
                position=position,
                events=state.events + events.height,
                last_event_at=_latest(state.last_event_at, events),
                carry=_carried_on(state.carry, audited),
                held=held.drop("arrived"),
            )
            self.store.write(audited, reached, {each.table: each.since for each in again})
            self._held, self._unpublished = held, True
        if self._clock() - self._published_at >= PUBLISH_SECONDS:
            self.publish()
        return Progress(
            read=events.height,
            position=position,
            held=held.height,
            findings=audited.findings.height if audited else 0,
            derived_again=tuple(late["table"]),
            published=not self._unpublished,
        )

    def _derived_again(self, table: str, late_seq: int, position: int) -> Again:
        """A table with late events in their place: from where the store's file begins, or from the table's first event if
        something came late for what lies before."""
        base = self.store.base
        carry, since = base.carry.filter(pl.col("table") == table), base.position
        last = facts.last_seqs(carry)["seq"].sum()
        if late_seq <= last or table in self.store.tables_from_the_start():
            carry, since, last = facts.none(), 0, 0
        events = self.log.table_events(table).filter((pl.col("position") <= position) & (pl.col("seq") > last))
        return Again(table, since, carry, events)


def _audited(carry: pl.DataFrame, ready: pl.DataFrame, again: Sequence[Again]) -> Audited | None:
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


def _arrived(events: pl.DataFrame, now: float) -> pl.DataFrame:
    return events.with_columns(arrived=pl.lit(now, pl.Float64))


def _released(carry: pl.DataFrame, pending: pl.DataFrame, waited_since: float) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Events that follow their table's last without a gap or have waited since then, and those that wait on.

    Beyond a gap a whole run is released at once, and with it all runs before it.
    """
    last = facts.last_seqs(carry).rename({"seq": "last"})
    previous = pl.when(pl.col("table") == pl.col("table").shift()).then(pl.col("seq").shift()).otherwise("last")
    due = (pl.col("run") == 0) | (pl.col("arrived") <= waited_since)
    runs = (
        pending.sort("table", "seq", "position")
        .join(last, on="table", how="left", maintain_order="left")
        .with_columns(gap=(pl.col("seq") > previous + 1).fill_null(False))
        .with_columns(run=pl.col("gap").cum_sum().over("table"))
        .with_columns(released=(pl.col("run") <= pl.when(due).then("run").max().over("table")).fill_null(False))
    )
    return (
        runs.filter("released").select(pending.columns),
        runs.filter(~pl.col("released")).select(pending.columns),
    )


def _carried_on(carry: pl.DataFrame, audited: Audited | None) -> pl.DataFrame:
    """The carry, with the audited tables' in the place of their last."""
    if audited is None:
        return carry
    untouched = carry.join(audited.carry, on="table", how="anti", maintain_order="left")
    return pl.concat([untouched, audited.carry]).sort("table", "seq")


def _latest(before: datetime | None, events: pl.DataFrame) -> datetime | None:
    moments: list[datetime | None] = [before, events.select(pl.col("at").max()).item()]
    return max((moment for moment in moments if moment is not None), default=None)


def _last_decided_day(carry: pl.DataFrame, now: datetime) -> date:
    """The last gaming day that is over and has no round that may still come to its end."""
    over = sealing.last_finished_day(now)
    rounds = (
        carry.filter(pl.col("round").is_not_null())
        .group_by("table", "round")
        .agg(
            began=pl.col("at").min(),
            heard=pl.col("at").max(),
            last=pl.col("seq").max(),
            ended=(pl.col("type") == "round_ended").any(),
        )
    )
    at_hand = (pl.col("last") == pl.col("last").max().over("table")) & ~pl.col("ended")
    open_days = rounds.filter(at_hand & (pl.col("heard") > now - ABANDONED)).select(sealing.gaming_day(pl.col("began")))
    first_open: date | None = open_days.to_series().min()  # type: ignore[assignment]
    return over if first_open is None else min(over, first_open - timedelta(days=1))
