import os
import random
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from ingest import frame, wire
from ingest.log import DATABASE, Log

ROOT = Path(__file__).parents[2]
LINES = (Path(__file__).parent / "golden" / "events.jsonl").read_bytes().splitlines()


def batch(*lines: bytes, dead: tuple[wire.DeadLetter, ...] = ()) -> wire.Batch:
    decoded = wire.decode(lines)
    return wire.Batch(decoded.contents, decoded.extras, [*decoded.dead, *dead])


def bets(table: str, seqs: range) -> list[bytes]:
    return [
        f'{{"at":"2026-01-31T12:00:00Z","round":1,"seq":{seq},"table":"{table}","type":"no_more_bets"}}'.encode()
        for seq in seqs
    ]


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    with Log.open(tmp_path / "log") as opened:
        yield opened


def test_what_was_appended_is_read_in_order(log: Log) -> None:
    receipt = log.append(batch(*LINES))
    assert (receipt.appended, receipt.repeated, receipt.conflicting, receipt.dead) == (len(LINES), 0, 0, 0)
    events, position = log.read(0, 1_000)
    assert frame.to_contents(events.drop("position")) == LINES
    assert events["position"].to_list() == list(range(1, len(LINES) + 1))
    assert position == receipt.position == log.end() == len(LINES)


def test_reading_in_pieces_is_reading_at_once(log: Log) -> None:
    log.append(batch(*LINES))
    pieces, position = [], 0
    while True:
        piece, position = log.read(position, 7)
        if piece.is_empty():
            break
        pieces.append(piece)
    assert max(piece.height for piece in pieces) == 7
    assert pl.concat(pieces).equals(log.read(0, 1_000)[0])


def test_a_new_log_is_empty(log: Log) -> None:
    events, position = log.read(0, 10)
    assert (events.height, position, log.end(), log.tables(), log.counts().events) == (0, 0, 0, [], 0)
    assert log.append(wire.Batch()).position == 0


def test_a_repeat_changes_nothing_however_it_is_spelled(log: Log) -> None:
    log.append(batch(*LINES))
    receipt = log.append(batch(*(line.replace(b":", b": ", 1) + b" " for line in LINES), *LINES))
    assert (receipt.appended, receipt.repeated, receipt.conflicting) == (0, 2 * len(LINES), 0)
    assert log.counts().events == log.end() == len(LINES)


def test_a_batch_of_old_and_new_stores_the_new(log: Log) -> None:
    log.append(batch(*LINES[:10]))
    receipt = log.append(batch(*LINES))
    assert (receipt.appended, receipt.repeated) == (len(LINES) - 10, 10)
    assert frame.to_contents(log.read(0, 1_000)[0].drop("position")) == LINES


def test_a_second_content_for_a_seq_is_kept_beside_the_first(log: Log) -> None:
    first, second = bets("T1", range(1, 2))[0], bets("T1", range(1, 2))[0].replace(b"12:00:00", b"12:00:01")
    third = first[:-1] + b',"x":1}'
    assert log.append(batch(first, second)).conflicting == 1
    assert log.append(batch(second, third, first)).conflicting == 1
    assert log.append(batch(third, second, first)).repeated == 3
    assert frame.to_contents(log.table_events("T1").drop("position")) == [first, second, third]


def test_unknown_fields_come_back(log: Log) -> None:
    line = bets("T1", range(1, 2))[0][:-1] + b',"x":[1.50,"\\ud800"]}'
    log.append(batch(line))
    events, _ = log.read(0, 10)
    assert frame.to_contents(events.drop("position")) == [line]


def test_dead_letters_are_kept_once_with_reason_bytes_and_place(log: Log) -> None:
    letters = (
        wire.DeadLetter("broken JSON", b"{", 3, "a.jsonl"),
        wire.DeadLetter("broken JSON", b"{", 4, "a.jsonl"),
        wire.DeadLetter("not UTF-8", b"\xff", 3, "b.jsonl"),
    )
    assert log.append(batch(dead=letters)).dead == 3
    assert log.append(batch(*LINES, dead=letters)).dead == 0
    assert log.dead_letters() == list(letters)
    assert log.counts().dead == 3


def test_a_table_and_a_round_are_found(log: Log) -> None:
    log.append(batch(*reversed(LINES)))
    everything, _ = log.read(0, 1_000)
    assert log.tables() == ["T1", "T2", "T3", "T4"]
    assert log.table_events("T1").equals(everything.filter(pl.col("table") == "T1").sort("seq"))
    assert log.round_events("T4", 9).equals(
        everything.filter(pl.col("table") == "T4", pl.col("round") == 9).sort("seq")
    )
    assert log.round_events("T4", 10).is_empty()
    assert log.table_events("T9").is_empty()


def test_a_frame_from_a_file_is_appended_like_its_lines(log: Log) -> None:
    log.append(frame.to_batch(frame.from_contents(LINES)))
    assert log.append(batch(*LINES)).repeated == len(LINES)


def test_a_batch_that_fails_leaves_nothing(log: Log) -> None:
    unfit = wire.Batch([*bets("T1", range(1, 50))], [None] * 49, [wire.DeadLetter("no file", b"", 1, None)])  # type: ignore[arg-type]
    with pytest.raises(sqlite3.IntegrityError):
        log.append(unfit)
    assert (log.end(), log.counts().events) == (0, 0)
    log.append(batch(*LINES))
    assert log.end() == len(LINES)


def test_a_reader_is_not_kept_waiting_by_a_writer_and_sees_whole_batches(tmp_path: Path) -> None:
    with Log.open(tmp_path) as writer, Log.open(tmp_path) as reader:
        writer.append(batch(*bets("T1", range(1, 11))))
        with writer.transaction() as connection:
            connection.execute("delete from event")
            assert reader.read(0, 100)[1] == 10
            assert reader.counts().events == 10
            connection.execute("rollback")
            connection.execute("begin")
        assert reader.read(0, 100)[1] == 10


# Processes

APPENDING = """
import sys
from ingest import wire
from ingest.log import Log
folder, table, first, batches, size = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])
with Log.open(folder) as log:
    for number in range(first, first + batches):
        lines = [
            f'{{"at":"2026-01-31T12:00:00Z","round":{number + 1},"seq":{number * size + n},"table":"{table}",'
            f'"type":"no_more_bets"}}'.encode()
            for n in range(1, size + 1)
        ]
        log.append(wire.decode(lines))
        print(number, flush=True)
"""


def appending(folder: Path, table: str, first: int, batches: int, size: int = 40) -> "subprocess.Popen[str]":
    arguments = [sys.executable, "-c", APPENDING, str(folder), table, str(first), str(batches), str(size)]
    return subprocess.Popen(arguments, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def test_every_acknowledged_batch_is_in_the_log_whole_after_kill_9(tmp_path: Path) -> None:
    chance = random.Random(9)
    first, acknowledged = 0, set()
    for _ in range(70 if os.environ.get("CATWALK_SOAK") else 5):
        writer = appending(tmp_path, "T1", first, 1_000_000)
        assert writer.stdout
        acknowledged.add(int(writer.stdout.readline()))
        time.sleep(chance.random() / 10)
        writer.kill()
        told, _ = writer.communicate()
        # The last word may be half said; what has no newline was never acknowledged.
        acknowledged.update(int(number) for number in told.split("\n")[:-1])
        with Log.open(tmp_path) as log:
            stored = log.table_events("T1")
            batches = stored.group_by(number=pl.col("round") - 1).len()
            assert set(batches["len"]) == {40}
            assert acknowledged <= set(batches["number"])
            assert stored["seq"].is_unique().all()
            assert log.counts().events == stored.height
            first = batches.height


def test_two_processes_may_open_a_new_log_at_once(tmp_path: Path) -> None:
    writers = [appending(tmp_path / "new", f"T{number}", 0, 5) for number in range(3)]
    for writer in writers:
        told, _ = writer.communicate()
        assert (writer.returncode, told.split()) == (0, [str(number) for number in range(5)])
    with Log.open(tmp_path / "new") as log:
        assert log.counts().events == log.end() == 3 * 5 * 40
        assert {file.name for file in (tmp_path / "new").iterdir() if not file.name.startswith(DATABASE)} == {"sealed"}


def test_a_reader_beside_a_writer_sees_every_event_once_and_in_order(tmp_path: Path) -> None:
    writer = appending(tmp_path, "T1", 0, 100)
    assert writer.stdout
    writer.stdout.readline()
    seen, position = [], 0
    with Log.open(tmp_path) as log:
        done = False
        while not done:
            # Asked before reading: a writer that was done by then has nothing more to come.
            done = writer.poll() is not None
            events, position = log.read(position, 333)
            while events.height:
                seen += events["seq"].to_list()
                events, position = log.read(position, 333)
    assert seen == list(range(1, 4_001))
    writer.communicate()
