import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from pathlib import Path

import polars as pl
import pytest

from ingest import frame, log, sealing, wire
from ingest.log import Log

ROOT = Path(__file__).parents[2]
SATURDAY = date(2026, 1, 31)
TABLES = ("T1", "T2")


def lines(day: int, hours: range, tables: tuple[str, ...] = TABLES, card: str = "9H") -> list[bytes]:
    """Two events an hour at each table; `seq` runs on from day to day."""
    return [
        (
            f'{{"at":"2026-01-{day:02d}T{hour:02d}:{half * 30:02d}:00Z","card":"{card}","face":"up",'
            f'"round":{hour + 1},"seq":{(day * 24 + hour) * 2 + half},"table":"{table}","to":"dealer","type":"card_dealt"}}'
        ).encode()
        for hour in hours
        for half in (0, 1)
        for table in tables
    ]


def append(opened: Log, contents: list[bytes]) -> log.Receipt:
    return opened.append(wire.decode(contents))


Answers = list[pl.DataFrame | list[str] | int]


def answers(opened: Log) -> Answers:
    """Everything a reader can ask by position, table and round."""
    return [
        opened.read(0, 10_000)[0],
        opened.read(17, 20)[0],
        *(opened.table_events(table) for table in TABLES),
        *(opened.round_events(table, 4) for table in TABLES),
        opened.tables(),
        opened.end(),
        opened.counts().events,
    ]


def same(one: Answers, other: Answers) -> bool:
    return all(
        mine.equals(yours) if isinstance(mine, pl.DataFrame) and isinstance(yours, pl.DataFrame) else mine == yours
        for mine, yours in zip(one, other, strict=True)
    )


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Log]:
    with sealing.open_log(tmp_path / "log") as new:
        append(new, lines(30, range(24)) + lines(31, range(24)))
        yield new


def test_a_gaming_day_begins_at_the_cutover() -> None:
    moments = pl.Series([datetime(2026, 1, 31, 9, 59, 59, 999_999), datetime(2026, 1, 31, 10)]).dt.replace_time_zone(
        "UTC"
    )
    assert pl.select(sealing.gaming_day(pl.lit(moments))).to_series().to_list() == [date(2026, 1, 30), SATURDAY]
    assert pl.select(sealing.gaming_day(pl.lit(moments), 0)).to_series().to_list() == [SATURDAY, SATURDAY]
    assert sealing.last_finished_day(datetime(2026, 1, 31, 9, 59, tzinfo=UTC)) == date(2026, 1, 29)
    assert sealing.last_finished_day(datetime(2026, 1, 31, 10, tzinfo=UTC)) == date(2026, 1, 30)


def test_a_sealed_log_answers_as_before(opened: Log) -> None:
    before = answers(opened)
    files = sealing.seal(opened, date(2026, 1, 30))
    assert [file.name for file in files] == ["2026-01-29.parquet", "2026-01-30.parquet"]
    assert opened.counts().sealed_days == 2
    assert opened.live_events("T1")["at"].min() == datetime(2026, 1, 31, 10, tzinfo=UTC)
    assert same(answers(opened), before)
    assert sealing.seal(opened, date(2026, 1, 30)) == []


def test_a_sealed_file_is_sorted_and_is_a_file_of_events(opened: Log) -> None:
    (_, file) = sealing.seal(opened, date(2026, 1, 30))
    sealed = pl.read_parquet(file)
    assert sealed.schema == log.SCHEMA
    assert sealed.equals(sealed.sort("table", "seq"))
    conformed, dead = frame.conform(sealed)
    assert dead == []
    assert conformed.equals(sealed.drop("position"))


def test_the_same_events_seal_to_the_same_bytes(tmp_path: Path, opened: Log) -> None:
    ours = sealing.seal(opened, SATURDAY)
    with sealing.open_log(tmp_path / "other") as other:
        for line in lines(30, range(24)) + lines(31, range(24)):
            append(other, [line])
        theirs = sealing.seal(other, SATURDAY)
    assert [file.read_bytes() for file in ours] == [file.read_bytes() for file in theirs]


def test_a_repeat_of_a_sealed_event_is_still_a_repeat(opened: Log) -> None:
    sealing.seal(opened, date(2026, 1, 30))
    before = answers(opened)
    receipt = append(opened, lines(30, range(24)) + lines(31, range(24)))
    assert (receipt.appended, receipt.repeated, receipt.conflicting) == (0, 192, 0)
    assert same(answers(opened), before)


def test_another_content_for_a_sealed_seq_is_kept_beside_it(opened: Log) -> None:
    sealing.seal(opened, date(2026, 1, 30))
    contested = lines(30, range(12, 13), ("T1",), card="AS")
    assert append(opened, contested).conflicting == 2
    assert append(opened, contested).repeated == 2
    before = answers(opened)
    assert opened.table_events("T1").filter(pl.col("seq") == 1464)["card"].to_list() == ["9H", "AS"]
    assert [file.name for file in sealing.seal(opened, date(2026, 1, 30))] == ["2026-01-30.2.parquet"]
    assert same(answers(opened), before)
    assert append(opened, contested).repeated == 2


def test_late_events_of_a_sealed_day_go_into_a_further_file(tmp_path: Path) -> None:
    with sealing.open_log(tmp_path) as opened:
        append(opened, lines(30, range(10, 12)) + lines(30, range(14, 20)))
        sealing.seal(opened, date(2026, 1, 30))
        assert append(opened, lines(30, range(12, 14))).appended == 8
        before = answers(opened)
        assert [file.name for file in sealing.seal(opened, date(2026, 1, 30))] == ["2026-01-30.2.parquet"]
        assert same(answers(opened), before)
        assert opened.counts().sealed_days == 1


def test_positions_go_on_after_everything_was_sealed(opened: Log) -> None:
    end = opened.end()
    sealing.seal(opened, SATURDAY)
    assert opened.live_tables() == []
    assert append(opened, lines(31, range(23, 24), ("T3",))).position == end + 2


class Killed(BaseException):
    """Stands for the process dying: nothing may catch it."""


@pytest.mark.parametrize("step", ["_named", "synced", "_record", "rename", "record's last statement"])
def test_a_sealing_cut_short_anywhere_loses_nothing_and_is_finished(
    opened: Log, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    before = answers(opened)

    def killed(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as cut:
        if step == "rename":
            cut.setattr(Path, "rename", killed)
        elif step == "synced":
            cut.setattr(log, "synced", killed)
        elif step == "record's last statement":
            cut.setattr(Log, "transaction", _dying(Log.transaction))
        else:
            cut.setattr(sealing, step, killed)
        with pytest.raises(Killed):
            sealing.seal(opened, SATURDAY)
    assert same(answers(opened), before)
    with sealing.open_log(opened.folder) as again:
        assert same(answers(again), before)
        sealing.seal(again, SATURDAY)
        assert same(answers(again), before)
        assert again.live_tables() == []
        assert {file.name for file in (again.folder / "sealed").iterdir()} == again.sealed_files()


def _dying(transaction: Callable[..., object]) -> Callable[..., object]:
    @contextmanager
    def cut_short(self: Log, kind: str = "immediate") -> Iterator[object]:
        with transaction(self, kind) as connection:  # type: ignore[attr-defined]
            yield connection
            if kind == "immediate":
                raise Killed

    return cut_short


SEALING = """
import sys
from datetime import date
from ingest import sealing
log = sealing.open_log(sys.argv[1])
print("open", flush=True)
sealing.seal(log, date(2026, 1, 31))
print("sealed", flush=True)
"""


def test_a_sealing_process_killed_at_random_loses_nothing(tmp_path: Path) -> None:
    chance = random.Random(4)
    for attempt in range(30 if os.environ.get("CATWALK_SOAK") else 2):
        folder = tmp_path / str(attempt)
        with sealing.open_log(folder) as opened:
            append(opened, lines(30, range(24)) + lines(31, range(24)))
            before = answers(opened)
        sealer = subprocess.Popen(
            [sys.executable, "-c", SEALING, str(folder)], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        assert sealer.stdout
        sealer.stdout.readline()
        time.sleep(chance.random() / 20)
        sealer.kill()
        sealer.communicate()
        with sealing.open_log(folder) as opened:
            assert same(answers(opened), before)
            sealing.seal(opened, SATURDAY)
            assert same(answers(opened), before)


def test_only_one_process_seals_at_a_time(opened: Log) -> None:
    with sealing._alone(opened) as alone:
        assert alone
        assert sealing.seal(opened, SATURDAY) == []
    assert len(sealing.seal(opened, SATURDAY)) == 3


def test_a_file_that_does_not_belong_to_the_log_is_named(tmp_path: Path, opened: Log) -> None:
    (file, *_) = sealing.seal(opened, SATURDAY)
    with sealing.open_log(tmp_path / "other") as other:
        (other.folder / "sealed" / file.name).write_bytes(file.read_bytes())
    with pytest.raises(sealing.Damaged, match=file.name):
        sealing.open_log(tmp_path / "other")
