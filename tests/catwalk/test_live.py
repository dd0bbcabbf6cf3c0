"""`catwalk ingest` and `catwalk run`, undisturbed and killed: nothing acknowledged is lost, nothing found differs."""

import io
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from detectors import published
from detectors.published import Reader
from ingest import files, frame
from ingest.log import Log

SOAK = os.environ.get("CATWALK_SOAK") == "1"
KILLS = 40 if SOAK else 3
COMMAND = (sys.executable, "-m", "catwalk.command")


def exported(data: Path) -> bytes:
    with Reader.open(data) as reader:
        return published.export(reader)


@pytest.fixture
def undisturbed(call, events, tmp_path) -> bytes:
    data = tmp_path / "undisturbed"
    assert call("ingest", events, "--data", data)[0] == 0
    assert call("run", "--once", "--data", data)[0] == 0
    return exported(data)


# Undisturbed


def test_ingest_says_what_became_of_every_line(call, events, tmp_path):
    data, more = tmp_path / "data", tmp_path / "more.jsonl"
    lines = events.read_text().splitlines(keepends=True)
    honest = [line for line in lines if lines.count(line) == 1]
    status, printed, said = call("ingest", events, "--data", data)
    assert (status, said) == (0, "")
    assert re.match(r"[\d,]+ appended, 0 repeated, \d+ conflicting, 0 dead letters", printed)
    assert call("ingest", events, "--data", data)[1].startswith(f"0 appended, {len(lines):,} repeated, 0 conflicting")
    more.write_text(honest[3].replace('"table":', '"remark":"again","table":') + "{oops\n")
    assert call("ingest", more, "--data", data)[1].startswith("0 appended, 0 repeated, 1 conflicting, 1 dead letters")


def test_ingest_reads_standard_input(call, events, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(events.read_bytes())))
    assert call("ingest", "-", "--data", tmp_path / "data")[0] == 0
    with Log.open(tmp_path / "data") as log:
        assert log.counts().events == len(events.read_bytes().splitlines())


def test_ingest_acknowledges_batch_by_batch(call, events, tmp_path):
    printed = call("ingest", events, "--data", tmp_path / "data", "--ack", "--batch", 1000)[1]
    acknowledged = [int(number) for number in re.findall(r"acknowledged (\d+) events", printed)]
    lines = len(events.read_bytes().splitlines())
    assert acknowledged == [*range(1000, lines, 1000), lines]


@pytest.mark.parametrize("bad", ["file", "junk"])
def test_a_folder_that_cannot_hold_a_log_is_said_in_one_line(call, events, tmp_path, bad):
    data = tmp_path / "data"
    if bad == "file":
        data.touch()
    else:
        data.mkdir()
        (data / "events.sqlite").write_bytes(b"junk" * 2000)
    for verb in (["ingest", events], ["run", "--once"]):
        status, _, said = call(*verb, "--data", data)
        assert status == 2
        assert re.fullmatch(r"catwalk: [^\n]+\n", said)


def test_run_once_finds_what_the_audit_of_the_file_finds(call, events, tmp_path, undisturbed):
    found = tmp_path / "findings.jsonl"
    assert call("audit", events, "--findings", found)[0] == 0
    ids = re.findall(r'"id":"(\w+)"', found.read_text())
    assert sorted(re.findall(rb'"id":"(\w+)"', undisturbed)) == sorted(id_.encode() for id_ in ids)


def test_run_once_again_finds_nothing_new(call, events, tmp_path):
    data = tmp_path / "data"
    call("ingest", events, "--data", data)
    first = call("run", "--once", "--data", data)[1]
    assert "0 new findings" not in first
    assert "0 new findings" in call("run", "--once", "--data", data)[1]


def test_a_second_pipeline_is_refused_in_one_line(call, events, tmp_path):
    data = tmp_path / "data"
    call("ingest", events, "--data", data)
    with running(data):
        status, _, said = call("run", "--once", "--data", data)
    assert status == 2
    assert re.fullmatch(r"catwalk: [^\n]*another pipeline[^\n]*\n", said)


def test_run_tells_findings_as_they_come_and_stops_when_asked(call, events, tmp_path):
    data = tmp_path / "data"
    call("ingest", events, "--data", data)
    with running(data) as process:
        first = process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        rest, said = process.communicate(timeout=60)
    assert re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d  [A-Z]{3,4}\d\d (critical|major|minor|advisory)  T\d+", first)
    assert (process.returncode, said) == (0, "")
    assert "Read to position" in rest


class running:  # noqa: N801 - used as a word of its own
    """`catwalk run` beside the test, gone when the block ends; entered when it has published something."""

    def __init__(self, data: Path) -> None:
        self.data = data

    def __enter__(self) -> subprocess.Popen[str]:
        self.process = subprocess.Popen(
            [*COMMAND, "run", "--data", str(self.data)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        deadline = time.monotonic() + 60
        while not (self.data / "store" / published.PUBLISHED).exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        return self.process

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()


# Killed


def test_nothing_acknowledged_is_lost_when_ingest_is_killed(call, events, tmp_path, undisturbed):
    chance = random.Random(2026)
    data = tmp_path / "data"
    batches = len(events.read_bytes().splitlines()) // 200
    keys = [key for chunk in files.read([events]) for key in frame.to_contents(chunk.frame)]
    for _ in range(KILLS):
        process = subprocess.Popen(
            [*COMMAND, "ingest", str(events), "--data", str(data), "--ack", "--batch", "200"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        wanted = chance.randrange(batches)
        acknowledged = 0
        for seen, line in enumerate(process.stdout):
            acknowledged = int(line.split()[1]) if line.startswith("acknowledged") else acknowledged
            if seen >= wanted:
                time.sleep(chance.random() / 50)
                break
        process.kill()
        rest, _ = process.communicate()
        acknowledged = max([acknowledged, *map(int, re.findall(r"acknowledged (\d+) events,", rest))])
        with Log.open(data) as log:
            stored = set(frame.to_contents(log.read(0, 10**6)[0].select(*frame.SCHEMA)))
        assert set(keys[:acknowledged]) <= stored
    assert call("ingest", events, "--data", data)[0] == 0
    assert call("run", "--once", "--data", data)[0] == 0
    with Log.open(data) as log:
        assert log.counts().events == len(keys)
    assert exported(data) == undisturbed


def test_findings_are_those_of_an_undisturbed_run_when_the_pipeline_is_killed(call, events, tmp_path, undisturbed):
    chance = random.Random(2027)
    data = tmp_path / "data"
    whole = next(iter(files.read([events]))).frame
    cuts = sorted(chance.sample(range(1, whole.height), KILLS))
    parts = [whole[start:stop] for start, stop in zip([0, *cuts], [*cuts, whole.height], strict=True)]
    with Log.open(data) as log:
        for part in parts[:-1]:
            with running(data) as process:
                log.append(frame.to_batch(part))
                time.sleep(chance.uniform(0.3, 2.5))
                process.kill()
        log.append(frame.to_batch(parts[-1]))
    assert call("run", "--once", "--data", data)[0] == 0
    assert exported(data) == undisturbed
