import random
import shutil
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime
from functools import cache
from pathlib import Path

import pytest

from detectors.pipeline import Pipeline
from detectors.published import NotPublished, Reader, export
from detectors.store import Store
from ingest import floor, wire
from ingest.log import Log

EVENING = datetime(2026, 1, 5, 9, 45, tzinfo=UTC)
NEXT_DAY = datetime(2026, 1, 5, 13, tzinfo=UTC)
TODAY = Path("store/today.duckdb")
WAL = Path("store/today.duckdb.wal")
CARRY = Path("store/carry/*")


@cache
def floor_lines() -> tuple[bytes, ...]:
    shifts = floor.simulate(tables=2, rounds=22, seed=2, faults=0.3, start=EVENING)
    return tuple(line for shift in shifts for line in shift.lines)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    with Log.open(tmp_path_factory.mktemp("undisturbed")) as log:
        log.append(wire.decode(floor_lines()))
        return caught_up(log)


def caught_up(log: Log) -> bytes:
    with Store.open(log.folder, log) as store:
        Pipeline(log, store, patience=0.0).finish()
        with Reader.open(log.folder) as reader:
            assert export(reader) == export(store.rows)
            tallied = reader.sql(
                "select sum(rounds)::bigint, sum(handle)::bigint, sum(derived)::bigint from current_tallies"
            )
            assert tallied.row(0) == reader.sql(
                "select count(*), sum(handle)::bigint, sum(derived)::bigint from current_rounds"
            ).row(0)
        return export(store.rows)


@pytest.fixture(scope="module")
def cut_off(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder as a power cut leaves it: part of the store in its file, part in DuckDB's log of changes."""
    folder = tmp_path_factory.mktemp("running")
    image = tmp_path_factory.mktemp("image") / "data"
    lines = floor_lines()
    with Log.open(folder) as log, Store.open(folder, log) as store:
        live = Pipeline(log, store, patience=0.0)
        for stop in (400, 900, 1300):
            log.append(wire.decode(lines[:stop]))
            live.step()
            if stop == 400:
                store.publish()
        log.append(wire.decode(lines))
        shutil.copytree(folder, image)
    return image


def gone(file: Path) -> None:
    file.unlink()


def emptied(file: Path) -> None:
    file.write_bytes(b"")


def cut(file: Path) -> None:
    content = file.read_bytes()
    file.write_bytes(content[: len(content) * 2 // 3])


def overwritten(file: Path) -> None:
    content = bytearray(file.read_bytes())
    rng = random.Random(5)
    for _ in range(20):
        start = rng.randrange(len(content))
        content[start : start + 64] = rng.randbytes(len(content[start : start + 64]))
    file.write_bytes(content)


@pytest.mark.parametrize(
    ("files", "harm"),
    [
        (WAL, gone),
        (WAL, cut),
        (WAL, overwritten),
        (TODAY, gone),
        (TODAY, emptied),
        (TODAY, cut),
        (TODAY, overwritten),
        (CARRY, gone),
        (CARRY, overwritten),
    ],
    ids=lambda part: part.__name__ if callable(part) else part.name,
)
def test_whatever_the_store_lost_is_derived_again_from_the_log(
    cut_off: Path, tmp_path: Path, undisturbed: bytes, files: Path, harm: Callable[[Path], None]
) -> None:
    folder = tmp_path / "data"
    shutil.copytree(cut_off, folder)
    for file in folder.glob(str(files)):
        harm(file)
    with Log.open(folder) as log:
        assert caught_up(log) == undisturbed


def test_an_undamaged_store_is_not_derived_again(cut_off: Path, tmp_path: Path) -> None:
    shutil.copytree(cut_off, tmp_path / "data")
    with Log.open(tmp_path / "data") as log, Store.open(tmp_path / "data", log) as store:
        assert not store.report.rebuilt
        assert store.report.sentence == "The store agrees with the log up to position 1,300."


def test_a_store_of_another_log_is_derived_again(cut_off: Path, tmp_path: Path) -> None:
    shutil.copytree(cut_off / "store", tmp_path / "store")
    with Log.open(tmp_path) as log:
        log.append(wire.decode(floor_lines()[:100]))
        with Store.open(tmp_path, log) as store:
            assert store.report.rebuilt
            assert store.report.sentence == (
                "The store is derived again from the log's beginning: "
                "it had read to position 1,300 of a log that ends at 100."
            )


def test_rows_that_went_missing_without_an_error_are_noticed(cut_off: Path, tmp_path: Path, undisturbed: bytes) -> None:
    folder = tmp_path / "data"
    shutil.copytree(cut_off, folder)
    with Log.open(folder) as log:
        with Store.open(folder, log) as store:
            store.rows.sql("delete from store.settlements where position = 400")
        with Store.open(folder, log) as store:
            assert "rows of settlements" in store.report.sentence
        assert caught_up(log) == undisturbed


def test_there_is_nothing_to_read_before_something_was_published(tmp_path: Path) -> None:
    with pytest.raises(NotPublished, match="start the pipeline"):
        Reader.open(tmp_path)


def test_a_reader_sees_one_whole_snapshot_while_the_pipeline_writes(tmp_path: Path) -> None:
    lines = floor_lines()
    written = threading.Event()

    def snapshots() -> list[tuple[int, bool]]:
        seen = []
        while not written.is_set():
            with Reader.open(tmp_path) as reader:
                rounds = reader.sql(
                    "select sum(rounds) = (select count(*) from store.rounds) as whole from store.batches"
                )
                seen.append((reader.position(), rounds["whole"].item()))
        return seen

    with Log.open(tmp_path) as log, Store.open(tmp_path, log) as store, ThreadPoolExecutor(2) as threads:
        live = Pipeline(log, store, patience=0.0)
        live.finish()
        first = Reader.open(tmp_path)
        readers = [threads.submit(snapshots) for _ in range(2)]
        try:
            for end in range(200, len(lines), 700):
                log.append(wire.decode(lines[:end]))
                live.finish()
        finally:
            written.set()
        for reader in readers:
            positions, whole = zip(*reader.result(), strict=True)
            assert all(whole)
            assert list(positions) == sorted(positions)
        assert (first.position(), first.rounds().height) == (0, 0)
        first.close()


def test_sealed_days_and_today_are_the_same_rows_as_before(tmp_path: Path, undisturbed: bytes) -> None:
    lines = floor_lines()
    with Log.open(tmp_path) as log:
        seal_first_day(log)
        with Store.open(tmp_path, log) as store:
            assert not store.report.rebuilt
            assert store.sealed_through() == date(2026, 1, 4)
            assert store.rows.sql("from store.rounds").is_empty()
        log.append(wire.decode(lines))
        assert caught_up(log) == undisturbed


def test_a_question_about_some_days_opens_the_files_of_those_days_alone(tmp_path: Path) -> None:
    first, last = date(2026, 1, 4), date(2026, 1, 5)
    with Log.open(tmp_path) as log:
        seal_first_day(log)
    with Reader.open(tmp_path) as reader:
        for day in (first, last):
            other = last if day == first else first
            asked = reader.over("rounds", day, day)
            assert f"/{day}/rounds" in asked
            assert f"/{other}/" not in asked
            mine = f"where day = date '{day}' order by all"
            rows = reader.sql(f"select * from {asked} {mine}")
            assert rows.height > 0
            assert rows.equals(reader.sql(f"select * from current_rounds {mine}"))
        assert f"/{last}/" in reader.over("findings", last, None)
        assert f"/{last}/" not in reader.over("findings", None, first)


def seal_first_day(log: Log) -> None:
    log.append(wire.decode(floor_lines()[:-200]))
    with Store.open(log.folder, log) as store:
        live = Pipeline(log, store, patience=0.0)
        live.finish()
        before = export(store.rows)
        files = live.seal_finished_days(NEXT_DAY)
        # The day that had begun went along, as the first part of its own.
        assert {file.parent.name for file in files} == {"2026-01-04", "2026-01-05"}
        assert export(store.rows) == before


def test_after_a_sealing_the_store_is_derived_again_from_there(tmp_path: Path, undisturbed: bytes) -> None:
    with Log.open(tmp_path) as log:
        seal_first_day(log)
        sealed_at = log.end()
        log.append(wire.decode(floor_lines()))
        assert caught_up(log) == undisturbed
        (tmp_path / TODAY).unlink()
        with Store.open(tmp_path, log) as store:
            assert store.state.position == sealed_at
            assert store.report.sentence == (
                f"The store is derived again from the last sealing, position {sealed_at:,}: today.duckdb is gone."
            )
        assert caught_up(log) == undisturbed


def test_a_sealed_file_that_is_gone_is_derived_again_from_the_beginning(tmp_path: Path, undisturbed: bytes) -> None:
    with Log.open(tmp_path) as log:
        seal_first_day(log)
        log.append(wire.decode(floor_lines()))
        (tmp_path / "sealed/2026-01-04/findings.parquet").unlink()
        with Store.open(tmp_path, log) as store:
            assert "sealed/2026-01-04/findings.parquet is gone or was changed" in store.report.sentence
            live = Pipeline(log, store, patience=0.0)
            live.finish()
            live.seal_finished_days(NEXT_DAY)
        assert caught_up(log) == undisturbed


@pytest.mark.parametrize("named", [False, True], ids=["before the base had its name", "after the base had its name"])
def test_a_sealing_that_was_cut_short_loses_nothing(tmp_path: Path, undisturbed: bytes, named: bool) -> None:
    with Log.open(tmp_path) as log:
        log.append(wire.decode(floor_lines()[:-200]))
        caught_up(log)
        left = tmp_path / "left"
        shutil.copytree(tmp_path / "store", left)
        seal_first_day(log)
        shutil.copy(left / TODAY.name, tmp_path / TODAY)
        if not named:
            (tmp_path / "store/base.duckdb").unlink()
            shutil.copytree(left / "carry", tmp_path / "store/carry", dirs_exist_ok=True)
        log.append(wire.decode(floor_lines()))
        with Store.open(tmp_path, log) as store:
            assert store.report.rebuilt == named
            live = Pipeline(log, store, patience=0.0)
            live.finish()
            live.seal_finished_days(NEXT_DAY)
        assert caught_up(log) == undisturbed
