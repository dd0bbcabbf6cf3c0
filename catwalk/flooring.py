"""A floor that deals as one looks at it: simulated events into the log when they happen, and the pipeline beside it.

For the demo: `python -m catwalk.flooring DIR` runs until it is stopped or whoever started it is gone.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import FrameType
from typing import Final

import msgspec

from detectors.pipeline import Pipeline
from detectors.store import Store
from ingest import floor, sealing, wire
from ingest.log import Log

TABLES: Final = 8
SEED: Final = 77
FAULTS: Final = 0.08
ROUNDS: Final = 100_000
# What the floor has behind it when the doors open.
HEAD_START: Final = timedelta(minutes=40)
BREATH_SECONDS: Final = 0.5


class _Seen(msgspec.Struct):
    at: datetime


_SEEN: Final = msgspec.json.Decoder(_Seen)


def dealt(now: Callable[[], datetime], wait: Callable[[], bool], tables: int = TABLES) -> Iterator[list[bytes]]:
    """The lines of a floor that opened a while ago, those that have happened by now, again and again until `wait` says stop.

    The tables are called L001 and on: a log may hold the demo's own, T001 and on, already.
    """
    shifts = floor.simulate(tables, ROUNDS, SEED, FAULTS, start=now() - HEAD_START)
    due: list[bytes] = []
    for line in (line.replace(b'"table":"T', b'"table":"L', 1) for shift in shifts for line in shift.lines):
        at = _SEEN.decode(line).at
        while at > now():
            if due:
                yield due
                due = []
            if wait():
                return
        due.append(line)


def _feed(data: Path, stop: threading.Event) -> None:
    parent = os.getppid()

    def wait() -> bool:
        if os.getppid() != parent:
            stop.set()
        return stop.wait(BREATH_SECONDS)

    with Log.open(data) as log:
        for lines in dealt(lambda: datetime.now(UTC), wait):
            log.append(wire.decode(lines))


def deal(data: Path) -> None:
    stop = threading.Event()

    def asked(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, asked)
    dealing = threading.Thread(target=_feed, args=(data, stop), name="floor")
    dealing.start()
    try:
        with sealing.open_log(data) as log, Store.open(data, log) as store:
            Pipeline(log, store, clock=time.monotonic).run(stop)
    finally:
        stop.set()
        dealing.join()


if __name__ == "__main__":
    deal(Path(sys.argv[1]))
