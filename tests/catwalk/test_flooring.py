"""The demo's live floor: events come when they happen, findings with them, and it ends when it is told."""

import json
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta

from catwalk import flooring
from dashboards import queries
from detectors.published import Reader

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def test_events_come_when_they_happen_and_no_sooner():
    clock = [NOON]

    def wait() -> bool:
        clock[0] += timedelta(seconds=30)
        return clock[0] > NOON + timedelta(minutes=3)

    batches = []
    for lines in flooring.dealt(lambda: clock[0], wait, tables=2):
        moments = [datetime.fromisoformat(json.loads(line)["at"]) for line in lines]
        assert max(moments) <= clock[0]
        batches.append(lines)
    assert len(batches) > 3
    assert len(batches[0]) > 500
    assert {json.loads(line)["table"] for line in batches[0]} == {"L001", "L002"}


def test_the_floor_is_audited_as_it_deals_and_stops_when_told(tmp_path):
    dealing = subprocess.Popen([sys.executable, "-m", "catwalk.flooring", str(tmp_path)])
    try:
        for _ in range(300):
            if queries.snapshot(tmp_path) is not None:
                with Reader.open(tmp_path) as reader:
                    if reader.rounds().height > 50:
                        break
            time.sleep(0.2)
        else:
            raise AssertionError("no round was audited")
    finally:
        dealing.send_signal(signal.SIGTERM)
        assert dealing.wait(timeout=60) == 0
