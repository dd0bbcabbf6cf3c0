"""The sink compares what it has with what the topics hold, and repairs."""

import subprocess
from datetime import UTC, datetime

from catwalk.command import main
from detectors import storefile
from detectors.published import Reader
from ingest import cases
from ingest.cases import CaseFact
from ingest.log import DATABASE, SEALED, Log
from tests.stream.conftest import COMMAND, Floor, exported


def sink_once(floor: Floor) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, "sink", "--once", "--data", str(floor.data)],
        capture_output=True,
        text=True,
        check=False,
        env=floor.whole_environment(),
        timeout=300,
    )


def filled_once(floor: Floor) -> str:
    done = sink_once(floor)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_store_and_an_archive_that_were_damaged_are_filled_again(copied, events, undisturbed):
    floor = copied
    assert filled_once(floor) == ""
    (floor.data / "store" / "today.duckdb").write_bytes(b"junk" * 4000)
    assert "derived again from the log's beginning" in filled_once(floor)
    assert exported(floor.data) == undisturbed
    for file in (*floor.data.glob(f"{DATABASE}*"), *(floor.data / SEALED).glob("*.parquet")):
        file.unlink()
    assert "the archive holds 0" in filled_once(floor)
    assert exported(floor.data) == undisturbed
    with Log.open(floor.data) as archive:
        assert archive.counts().events == len(events.read_bytes().splitlines())
    # And the embedded pipeline makes the same of the archive.
    assert main(["run", "--once", "--data", str(floor.data)]) == 0
    assert exported(floor.data) == undisturbed
    assert "derived from the embedded log" in filled_once(floor)
    assert exported(floor.data) == undisturbed


def test_what_people_do_about_findings_is_folded_in_by_the_sink(copied):
    floor = copied
    with Log.open(floor.data) as archive, Reader.open(floor.data) as reader:
        told = reader.findings()["id"][0]
        acted_at = datetime(2026, 1, 6, tzinfo=UTC)
        cases.append(
            archive, CaseFact(act="finding_acknowledged", finding=told, acted_at=acted_at, who="ana", shown={})
        )
    assert filled_once(floor) == ""
    with Reader.open(floor.data) as reader:
        assert reader.sql("select act, who, finding from store.cases").rows() == [("finding_acknowledged", "ana", told)]


def test_a_second_sink_on_a_folder_is_refused_in_one_line(copied):
    with storefile.locked(copied.data / "store" / "pipeline.lock"):
        done = sink_once(copied)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "another pipeline is writing this store" in done.stderr
