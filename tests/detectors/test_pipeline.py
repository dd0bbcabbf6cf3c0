import os
import random
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from shutil import rmtree

import msgspec
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from detectors.audit import audit
from detectors.pipeline import Pipeline
from detectors.published import ORDER, Reader, export
from detectors.store import Store
from detectors.storefile import Busy
from ingest import floor, frame, wire
from ingest.log import Log
from replay import facts

SOAK = "CATWALK_SOAK" in os.environ
# A quarter of an hour before the gaming day ends, so that the floor deals through the change of day.
EVENING = datetime(2026, 1, 5, 9, 45, tzinfo=UTC)
NEXT_DAY = datetime(2026, 1, 5, 13, tzinfo=UTC)
THIRD_DAY = NEXT_DAY + timedelta(days=1)


@cache
def floor_lines(tables: int = 3, rounds: int = 30, seed: int = 1, faults: float = 0.3) -> tuple[bytes, ...]:
    shifts = floor.simulate(tables=tables, rounds=rounds, seed=seed, faults=faults, start=EVENING)
    return tuple(line for shift in shifts for line in shift.lines)


@contextmanager
def pipeline(log: Log, patience: float = 0.0, **rim: object) -> Iterator[Pipeline]:
    with Store.open(log.folder, log) as store:
        yield Pipeline(log, store, patience, **rim)  # type: ignore[arg-type]


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    with Log.open(tmp_path) as opened:
        yield opened


def append(log: Log, lines: Sequence[bytes]) -> None:
    log.append(wire.decode(lines))


def pieces(lines: Sequence[bytes], number: int, rng: random.Random) -> list[Sequence[bytes]]:
    cuts = sorted(rng.sample(range(1, len(lines)), number - 1))
    return [lines[start:stop] for start, stop in zip([0, *cuts], [*cuts, len(lines)], strict=True)]


def assert_equals_batch(live: Pipeline) -> None:
    events, _ = live.log.read(0, 10**9)
    batch = audit(facts.none(), events.select(*frame.SCHEMA), final=False)
    assert_frame_equal(live.store.rows.findings(), batch.findings.sort(ORDER["findings"]))
    assert_frame_equal(live.store.rows.settlements(), batch.settlements.sort(ORDER["settlements"], nulls_last=True))
    rounds = batch.rounds.with_columns(pl.col("game").cast(pl.String))
    assert_frame_equal(live.store.rows.rounds(), rounds.sort(ORDER["rounds"]))


def number(line: bytes) -> tuple[str, int]:
    fact = msgspec.json.decode(line)
    return fact["table"], fact["seq"]


def codes(live: Pipeline) -> list[str]:
    return sorted(live.store.rows.findings()["code"])


class Clock:
    def __init__(self) -> None:
        self.time = 100.0

    def __call__(self) -> float:
        return self.time


@pytest.mark.parametrize("seed", range(30 if SOAK else 2))
def test_live_equals_batch_in_any_pieces_any_order_and_with_restarts_and_sealings(log: Log, seed: int) -> None:
    rng = random.Random(seed)
    lines = list(floor_lines(seed=seed))
    # Most come nearly in order, some are repeated, a few come much later than the rest.
    lines += rng.sample(lines, 40)
    when = {place: place + rng.choice((0, 0, 0, rng.uniform(0, 20), rng.uniform(0, 20))) for place in range(len(lines))}
    for place in rng.sample(range(len(lines)), 6):
        when[place] = rng.uniform(place, len(lines))
    lines = [lines[place] for place in sorted(when, key=when.__getitem__)]
    waiting = pieces(lines, 7, rng)
    while waiting:
        with pipeline(log, rng.choice((0.0, 60.0))) as live:
            for _ in range(min(len(waiting), rng.randint(1, 4))):
                append(log, waiting.pop(0))
                live.step()
                if rng.random() < 0.3:
                    live.seal_finished_days(rng.choice((NEXT_DAY, THIRD_DAY, THIRD_DAY + timedelta(days=seed))))
    with pipeline(log) as live:
        live.finish()
        assert_equals_batch(live)


def test_a_repeat_changes_nothing(log: Log) -> None:
    lines = floor_lines(1, 4)
    append(log, lines)
    with pipeline(log) as live:
        live.step()
        before = export(live.store.rows)
        append(log, lines)
        assert live.step().read == 0
        assert export(live.store.rows) == before


def test_replay_from_zero_gives_the_same_bytes(log: Log) -> None:
    lines = floor_lines(2, 12)
    with pipeline(log) as live:
        for piece in pieces(lines, 3, random.Random(4)):
            append(log, piece)
            live.step()
        first = export(live.store.rows)
    rmtree(log.folder / "store")
    with pipeline(log) as live:
        live.step()
        assert export(live.store.rows) == first


def test_what_follows_a_gap_waits_for_the_missing_event(log: Log) -> None:
    lines, clock = floor_lines(1, 6, faults=0.0), Clock()
    with pipeline(log, patience=5.0, clock=clock) as live:
        append(log, lines[:50] + lines[51:])
        assert live.step().held == len(lines) - 51
        clock.time += 4
        append(log, lines[50:51])
        progress = live.step()
        assert (progress.held, progress.derived_again) == (0, ())
        assert_equals_batch(live)


def test_what_waits_outlives_a_restart(log: Log) -> None:
    lines = floor_lines(1, 6, faults=0.0)
    append(log, lines[:50] + lines[51:])
    with pipeline(log, patience=60.0) as live:
        live.step()
    append(log, lines[50:51])
    with pipeline(log, patience=60.0) as live:
        assert live.step().held == 0
        assert_equals_batch(live)


def test_a_gap_is_told_after_patience_and_taken_back_when_the_event_comes(log: Log) -> None:
    lines, clock = floor_lines(1, 6, faults=0.0), Clock()
    with pipeline(log, patience=5.0, clock=clock) as live:
        append(log, lines[:50] + lines[51:])
        live.step()
        assert codes(live) == []
        clock.time += 5
        assert live.step().held == 0
        assert codes(live) == ["FEED01"]
        assert_equals_batch(live)
        append(log, lines[50:51])
        assert live.step().derived_again == (number(lines[50])[0],)
        assert codes(live) == []
        assert_equals_batch(live)
        # It was said, and stays on record.
        assert live.store.rows.sql("select code from store.findings")["code"].to_list() == ["FEED01"]


def test_a_second_content_of_a_seq_is_told_whenever_it_comes(log: Log) -> None:
    lines = floor_lines(2, 5, faults=0.0)
    place = next(place for place, line in enumerate(lines) if b"wager_settled" in line)
    fact = msgspec.json.decode(lines[place])
    other = msgspec.json.encode(fact | {"amount": fact["amount"] + 100})
    with pipeline(log) as live:
        append(log, lines)
        live.step()
        append(log, [other])
        assert live.step().derived_again == (fact["table"],)
        assert "FEED02" in codes(live)
        assert_equals_batch(live)


def test_an_event_late_for_a_sealed_day_replaces_the_sealed_rows_of_its_table(log: Log) -> None:
    lines = floor_lines(2, 30)
    early = next(place for place, line in enumerate(lines) if b"wager_settled" in line)
    late = len(lines) - 40
    with pipeline(log) as live:
        append(log, lines[:early] + lines[early + 1 : -300])
        live.step()
        assert live.seal_finished_days(NEXT_DAY)
        append(log, lines[-300:late] + lines[late + 1 :])
        live.step()
        append(log, [lines[early]])
        live.step()
        assert_equals_batch(live)
        # What is late again now goes on from the table's first event, not from the sealing.
        append(log, [lines[late]])
        live.step()
        assert_equals_batch(live)
        live.seal_finished_days(THIRD_DAY)
        assert_equals_batch(live)
        with Reader.open(log.folder) as reader:
            assert export(reader) == export(live.store.rows)


def test_a_day_with_a_round_at_hand_is_not_sealed_until_the_table_is_abandoned(log: Log) -> None:
    lines = floor_lines(1, 30, faults=0.0)
    rounds = [msgspec.json.decode(line).get("round") for line in lines]
    with pipeline(log) as live:
        append(log, lines[: rounds.index(3) + 5])
        live.step()
        heard = live.store.state.last_event_at
        assert heard is not None
        assert live.seal_finished_days(heard + timedelta(minutes=30)) == []
        assert live.seal_finished_days(heard + timedelta(hours=2)) != []
        append(log, lines[rounds.index(3) + 5 :])
        live.step()
        assert_equals_batch(live)


def test_a_run_of_once_ends_at_the_end_of_the_log_and_publishes_it(log: Log) -> None:
    append(log, floor_lines(1, 4))
    with pipeline(log, now=lambda: EVENING) as live:
        live.run(threading.Event(), once=True)
        with Reader.open(log.folder) as reader:
            assert reader.position() == log.end()
            assert export(reader) == export(live.store.rows)


def test_a_run_stops_when_told_and_leaves_all_it_read_published(log: Log) -> None:
    append(log, floor_lines(1, 4))
    stop = threading.Event()
    with pipeline(log, now=lambda: EVENING) as live:
        step = live.step
        live.step = lambda: (step(), stop.set())[0]  # type: ignore[func-returns-value,method-assign]
        live.run(stop)
    with Reader.open(log.folder) as reader:
        assert reader.position() == log.end()


def test_a_second_pipeline_on_the_same_folder_is_refused(log: Log) -> None:
    with pipeline(log), pytest.raises(Busy, match="another pipeline is writing this store"):
        Store.open(log.folder, log)
    with pipeline(log) as live:
        assert live.step().read == 0
