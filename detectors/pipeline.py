"""The live pipeline on the embedded log: reads what is new, audits it, and writes rows and position as one.

However the log is cut into steps (`detectors.standing`), and wherever the pipeline is stopped or killed, the rows that hold
are those of one audit over the whole log.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Final

import polars as pl

from detectors import standing
from detectors.publishing import Publisher
from detectors.standing import Again, Standing
from detectors.store import Store
from detectors.storefile import State
from ingest import sealing
from ingest.log import Log
from replay import facts

LIMIT: Final = 200_000
IDLE_SECONDS: Final = 0.2
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
        self._held = standing.arrived(store.state.held, clock())
        self._publisher = Publisher(store, clock)
        self._looked_at = float("-inf")
        self._sealed_through = store.sealed_through()

    def step(self) -> Progress:
        """Reads on from where the store stands, and publishes if something changed and it is time."""
        return self._step(self.patience)

    def finish(self) -> Progress:
        """A step after which nothing waits for missing events any more, and all is published."""
        progress = self._step(float("-inf"))
        self._publisher.publish()
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
        self._publisher.publish()

    def seal_finished_days(self, now: datetime) -> list[Path]:
        """Seals the days that are over and whose rounds are decided, in the log and in the store; the store's files."""
        state = self.store.state
        seen = pl.concat(each.select("table", "seq", "at", "type", "round") for each in (state.carry, state.held))
        through = _last_decided_day(seen, now)
        if self._sealed_through is not None and through <= self._sealed_through:
            return []
        self.finish()
        sealing.seal(self.log, through)
        self._sealed_through = through
        return self.store.seal(through)

    def _step(self, patience: float) -> Progress:
        state, now = self.store.state, self._clock()
        events, position = self.log.read(state.position, LIMIT)
        due = standing.due(Standing(state.carry, self._held), events, now, patience)
        audited = None
        if events.height or due.ready.height:
            again = [self._derived_again(table, seq, position) for table, seq in due.late]
            audited = standing.audited(state.carry, due.ready, again)
            reached = State(
                position=position,
                events=state.events + events.height,
                last_event_at=latest(state.last_event_at, events),
                carry=standing.carried_on(state.carry, audited),
                held=due.held.drop("arrived"),
            )
            self.store.write([audited] if audited else [], reached, {each.table: each.since for each in again})
            self._held = due.held
            self._publisher.changed(rows=audited is not None)
        if self.store.fold(self.log):
            self._publisher.changed(rows=True)
        self._publisher.publish_if_due()
        return Progress(
            read=events.height,
            position=position,
            held=due.held.height,
            findings=audited.findings.height if audited else 0,
            derived_again=tuple(table for table, _ in due.late),
            published=self._publisher.up_to_date,
        )

    def _derived_again(self, table: str, late_seq: int, position: int) -> Again:
        """A table with late events in their place: from where the store's file begins, or from the table's first event if
        something came late for what lies before."""
        carry = self.store.base.carry.filter(pl.col("table") == table)
        last = facts.last_seqs(carry)["seq"].sum()
        if late_seq <= last or table in self.store.tables_from_the_start():
            carry, last = facts.none(), 0
        events = self.log.table_events(table).filter((pl.col("position") <= position) & (pl.col("seq") > last))
        return Again(table, carry, events)


def latest(before: datetime | None, events: pl.DataFrame) -> datetime | None:
    moments: list[datetime | None] = [before, events.select(pl.col("at").max()).item()]
    return max((moment for moment in moments if moment is not None), default=None)


def _last_decided_day(seen: pl.DataFrame, now: datetime) -> date:
    """The last gaming day that is over and has no round that may still come to its end."""
    over = sealing.last_finished_day(now)
    rounds = (
        seen.filter(pl.col("round").is_not_null())
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
