"""From event to visible finding: when each event was sent, and when a published snapshot first showed what it decided."""

import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import polars as pl

from dashboards import queries
from detectors.audit import audit
from detectors.published import Reader
from replay import facts

LOOK_SECONDS: Final = 0.05

Event = tuple[str, int]  # table and seq


@dataclass
class Seen:
    sent: dict[Event, float] = field(default_factory=dict)
    visible: dict[str, float] = field(default_factory=dict)
    waiting: list[int] = field(default_factory=list)

    def delays(self, wanted: dict[str, Event]) -> list[float]:
        return sorted(self.visible[id_] - self.sent[event] for id_, event in wanted.items() if id_ in self.visible)


def look(data: Path, seen: Seen, stop: threading.Event) -> None:
    known = None
    while not stop.wait(LOOK_SECONDS):
        snapshot = queries.snapshot(data)
        if snapshot is None or snapshot == known:
            continue
        known = snapshot
        with Reader.open(data) as reader:
            now = time.monotonic()
            for (id_,) in reader.sql("select id from current_findings").iter_rows():
                seen.visible.setdefault(id_, now)
            seen.waiting.append(len(seen.sent) - reader.position())


def deciding(events: pl.DataFrame) -> dict[str, Event]:
    """Of each finding, the event that decides it: the last of its round or its own. Findings of a gap wait by design."""
    audited = audit(facts.none(), events, final=False)
    lasts = audited.rounds.select("table", "round", "last_seq")
    found = audited.findings.filter(~pl.col("code").str.starts_with("FEED")).join(
        lasts, on=["table", "round"], how="left"
    )
    decided = pl.max_horizontal("last_seq", pl.col("seqs").list.max())
    return {id_: (table, seq) for id_, table, seq in found.select("id", "table", decided).iter_rows()}


def percentiles(delays: list[float]) -> tuple[float, float, float]:
    """The middle one, the hundredth from the end, and the last."""
    if not delays:
        return 0.0, 0.0, 0.0
    return delays[len(delays) // 2], delays[int(len(delays) * 0.99)], delays[-1]
