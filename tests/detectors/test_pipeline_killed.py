"""A real process running the pipeline, killed at random moments while events come in."""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

from detectors.pipeline import Pipeline
from detectors.published import Reader, export
from detectors.store import Store
from ingest import floor, wire
from ingest.log import Log

KILLS = 50 if "CATWALK_SOAK" in os.environ else 4
ROUNDS = 15 * KILLS

# Every run believes that it is a day later, so that each seals once and is sometimes killed at it.
RUN = """
import sys, threading
from datetime import datetime, timedelta, UTC
from detectors.pipeline import Pipeline
from detectors.store import Store
from ingest import sealing

folder, days = sys.argv[1], int(sys.argv[2])
now = datetime(2026, 1, 7, 12, tzinfo=UTC) + timedelta(days=days)
with sealing.open_log(folder) as log, Store.open(folder, log) as store:
    print("open", flush=True)
    Pipeline(log, store, patience=0.1, now=lambda: now).run(threading.Event())
"""


def test_killed_at_random_moments_it_finds_what_an_undisturbed_run_finds(tmp_path: Path) -> None:
    rng = random.Random(9)
    lines = [line for shift in floor.simulate(2, ROUNDS, seed=6, faults=0.3) for line in shift.lines]
    # Some come out of order, across the batches.
    lines = [lines[place] for place in sorted(range(len(lines)), key=lambda place: place + rng.choice((0, 0, 0, 30)))]
    folder = tmp_path / "killed"
    per_kill = len(lines) // KILLS + 1
    with Log.open(folder) as log:
        for kill in range(KILLS):
            process = subprocess.Popen(
                [sys.executable, "-c", RUN, str(folder), str(kill)], stdout=subprocess.PIPE, cwd=Path.cwd()
            )
            assert process.stdout is not None
            assert process.stdout.readline() == b"open\n"
            waiting = lines[kill * per_kill : (kill + 1) * per_kill]
            killed_at = time.monotonic() + rng.uniform(0.1, 2.5)
            while waiting or time.monotonic() < killed_at:
                log.append(wire.decode(waiting[:150]))
                waiting = waiting[150:]
                time.sleep(0.05)
            process.kill()
            process.wait()
            process.stdout.close()
        disturbed = finished(log)
    with Log.open(tmp_path / "undisturbed") as log:
        log.append(wire.decode(lines))
        assert disturbed == finished(log)


def finished(log: Log) -> bytes:
    with Store.open(log.folder, log) as store:
        Pipeline(log, store, patience=0.0).finish()
        findings = store.rows.findings()
        assert findings["id"].is_unique().all()
        assert findings.height
        with Reader.open(log.folder) as reader:
            assert export(reader) == export(store.rows)
        return export(store.rows)
