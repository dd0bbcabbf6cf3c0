"""A long audit by several processes gives what one process gives, and says so when one of them is gone."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from catwalk import auditing
from catwalk.command import main
from detectors import crew
from detectors.audit import audit
from detectors.crew import Crew, Lost, audits_of_parts
from ingest import files, frame
from replay import facts, pieces

DAY = 9_000


@pytest.fixture(scope="module")
def events(events_of) -> pl.DataFrame:
    return events_of(tables=6, rounds=90, seed=21, faults=0.4).sort("table", "seq")


@pytest.fixture(scope="module")
def whole(events, all_rows):
    return all_rows([audit(facts.none(), events, final=True)])


@pytest.fixture(scope="module")
def members() -> Iterator[Crew]:
    with Crew(2) as crew:
        yield crew


@pytest.fixture
def days(events, tmp_path: Path) -> list[str]:
    """The events as two sealed files: one table after another, and the second goes on where the first stopped."""
    half = pl.col("seq") <= pl.col("seq").max().over("table") // 2
    paths = [tmp_path / "1.parquet", tmp_path / "2.parquet"]
    for path, mine in zip(paths, (half, ~half), strict=True):
        files.write(path, [events.filter(mine)])
    return [str(path) for path in paths]


def test_parts_of_sealed_files_are_one_audit(days, whole, members, all_rows, monkeypatch):
    monkeypatch.setattr(pieces, "PART_ROWS", 2_500)
    parts = pieces.parts(days)
    assert parts is not None
    assert len(parts) > 8
    assert sum(part.rows for part in parts) == sum(
        files.read_part(part.file, part.start, part.rows)[0].height for part in parts
    )
    assert all_rows([done.audited for _, done in audits_of_parts(members, parts)]) == whole


def test_tables_that_are_mixed_in_a_file_make_no_parts(events, tmp_path):
    path = tmp_path / "mixed.parquet"
    files.write(path, [events.sort("at", "table", "seq")])
    assert pieces.parts([str(path)]) is None


def test_pieces_cut_between_tables_are_one_audit(events, whole, members, all_rows, monkeypatch):
    monkeypatch.setattr("detectors.audit.WORTH_CUTTING", 0)
    mixed = events.sort("seq", "table")
    cut = [mixed.slice(start, DAY) for start in range(0, mixed.height, DAY)]
    assert all_rows(list(crew.audits(members, cut))) == whole


def test_lines_are_decoded_by_all_of_them_and_stand_in_order(events, tmp_path, members, monkeypatch):
    monkeypatch.setattr(files, "_BLOCK_BYTES", 1 << 16)
    monkeypatch.setattr(files, "_FRAME_ROWS", 500)
    path = tmp_path / "events.jsonl"
    lines = frame.to_contents(events)
    path.write_bytes(b"\n".join([*lines[:700], b"no event", *lines[700:]]) + b"\n")
    chunks = list(files.read([path], members.each))
    assert pl.concat(chunk.frame for chunk in chunks).equals(events)
    assert [(letter.line, letter.file) for chunk in chunks for letter in chunk.dead] == [(701, str(path))]


@pytest.mark.parametrize("ending", ["parquet", "jsonl"])
def test_the_command_says_the_same_with_a_crew_and_without(events, tmp_path, capsys, monkeypatch, ending):
    path, found = tmp_path / f"events.{ending}", tmp_path / "findings.jsonl"
    files.write(path, [events])
    told = []
    for worth in (1, 10**9):
        monkeypatch.setattr(auditing, "WORTH_A_CREW", worth)
        assert main(["audit", str(path), "--json", "--findings", str(found)]) == 0
        told.append((capsys.readouterr().out, found.read_bytes()))
    assert told[0] == told[1]


def test_a_process_that_is_killed_is_missed():
    with Crew(1) as alone:
        (pid,) = [member.pid for member in alone._members]
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(Lost, match="ended too early"):
            alone.submit(files.read_part, "absent.parquet", 0, 1).result()


def test_a_file_that_is_damaged_is_told_as_that(tmp_path, members):
    path = tmp_path / "damaged.parquet"
    path.write_bytes(b"PAR1 and no more")
    with pytest.raises(files.Unreadable, match=r"damaged\.parquet"):
        members.submit(files.read_part, str(path), 0, 1).result()
