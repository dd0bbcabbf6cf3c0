"""A simulated floor whose last hour ends at a moment of choice, as a wall would see it."""

import json
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta

from ingest import floor

HOUR = timedelta(hours=1)


def until(now: datetime, tables: int, rounds: int, seed: int, faults: float) -> Iterator[bytes]:
    """Every opening of a table on a day of its own, the last of them an hour before `now` and still dealing."""
    shifts = floor.simulate(tables, rounds, seed, faults, start=now)
    events = [json.loads(line) for shift in shifts for line in shift.lines]
    opened: Counter[str] = Counter()
    began: dict[tuple[str, int], datetime] = {}
    days = []
    for event in events:
        opened[event["table"]] += event["type"] == "table_opened"
        day = max(1, opened[event["table"]])
        days.append(day)
        began.setdefault((event["table"], day), datetime.fromisoformat(event["at"]))
    for event, day in zip(events, days, strict=True):
        table = event["table"]
        into = datetime.fromisoformat(event["at"]) - began[table, day]
        at = now - HOUR - timedelta(days=opened[table] - day) + into
        if at <= now:
            yield json.dumps({**event, "at": at.isoformat().replace("+00:00", "Z")}).encode()


def seen(line: bytes) -> datetime:
    return datetime.fromisoformat(json.loads(line)["at"])
