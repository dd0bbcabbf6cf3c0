"""The same events give the same answer, however they arrive: cut, repeated, interleaved, out of order."""

import random

import polars as pl
import pytest

from detectors import audit as auditing
from detectors.audit import audit, audits
from replay import facts, pieces
from rules.games import GAMES


@pytest.fixture(scope="module")
def floor_events(events_of):
    return events_of(tables=5, rounds=80, seed=11, faults=0.4)


@pytest.fixture(scope="module")
def whole(floor_events, all_rows):
    return all_rows([audit(facts.none(), floor_events, final=True)])


@pytest.mark.parametrize("seed", range(4))
def test_a_stream_cut_anywhere_and_resumed_gives_what_one_batch_gives(floor_events, whole, all_rows, seed):
    chance = random.Random(seed)
    cuts = sorted(chance.sample(range(1, floor_events.height), 12))
    parts = [
        floor_events.slice(start, stop - start)
        for start, stop in zip([0, *cuts], [*cuts, floor_events.height], strict=True)
    ]
    assert all_rows(list(audits(parts))) == whole


@pytest.mark.parametrize("game", GAMES)
def test_every_single_event_may_be_a_batch_of_its_own(events_of, all_rows, game):
    events = events_of(tables=1, rounds=3, seed=3, faults=0.5, game=game)
    # Two contents of one seq that do not come together are another matter: then the table is derived again.
    one_by_one = audits(events.partition_by("seq", maintain_order=True))
    assert all_rows(list(one_by_one)) == all_rows([audit(facts.none(), events, final=True)])


@pytest.mark.parametrize("cores", [2, 3, 50])
def test_tables_side_by_side_are_one_audit_to_the_row(floor_events, monkeypatch, cores):
    monkeypatch.setattr(auditing, "WORTH_CUTTING", 0)
    monkeypatch.setattr(auditing, "CORES", cores)
    pieces = [floor_events.sort("seq").slice(start, 4_000) for start in range(0, floor_events.height, 4_000)]
    apart = list(audits(pieces))
    monkeypatch.setattr(auditing, "CORES", 1)
    for one, other in zip(apart, audits(pieces), strict=True):
        for what in ("findings", "settlements", "rounds", "carry"):
            assert getattr(one, what).equals(getattr(other, what)), what
        assert one.events == other.events


def test_the_order_of_arrival_changes_nothing(floor_events, whole, all_rows):
    shuffled = floor_events.sample(fraction=1.0, shuffle=True, seed=5)
    assert all_rows([audit(facts.none(), shuffled, final=True)]) == whole


def test_repeats_change_nothing(floor_events, whole, all_rows):
    repeated = pl.concat([floor_events, floor_events.sample(fraction=0.3, seed=7), floor_events.head(50)])
    assert all_rows([audit(facts.none(), repeated, final=True)]) == whole


def test_a_table_is_derived_alone_as_it_is_among_others(floor_events, whole, all_rows):
    alone = [
        audit(facts.none(), table, final=True) for table in floor_events.partition_by("table", maintain_order=True)
    ]
    assert all_rows(alone) == whole


# A shoe of eight packs is carried whole.
@pytest.mark.parametrize(("game", "most"), [("three-card-poker", 250), ("spanish-21", 600)])
def test_what_is_carried_does_not_grow_with_the_shift(events_of, game, most):
    events = events_of(tables=1, rounds=400, seed=2, game=game)
    carried = [
        audited.carry.height
        for audited in audits(events.slice(start, 2_000) for start in range(0, events.height, 2_000))
    ]
    assert len(carried) > 5
    assert max(carried[2:]) < most


def test_disputed_contents_are_judged_by_content_not_by_arrival(floor_events, all_rows):
    settled = floor_events.filter(pl.col("type") == "wager_settled").head(1)
    other = settled.with_columns(amount=pl.col("amount") + 500)
    before = pl.concat([other, floor_events])
    after = pl.concat([floor_events, other])
    first = all_rows([audit(facts.none(), before, final=True)])
    assert first == all_rows([audit(facts.none(), after, final=True)])
    told = [row for row in first["findings"] if row["code"] == "FEED02" and settled["seq"][0] in row["seqs"]]
    assert len(told) == 1
    round_rows = [
        row
        for row in first["settlements"]
        if row["table"] == settled["table"][0] and row["round"] == settled["round"][0]
    ]
    assert round_rows
    assert all(row["owed"] is None and "two contents" in row["reason"] for row in round_rows)


def test_pieces_in_any_order_ascend_in_every_table(floor_events, whole, all_rows, monkeypatch):
    monkeypatch.setattr(pieces, "IN_MEMORY_ROWS", 2_000)
    monkeypatch.setattr(pieces, "PIECE_ROWS", 3_000)
    shuffled = floor_events.sample(fraction=1.0, shuffle=True, seed=9)
    for events in (floor_events, shuffled):
        chunks = [events.slice(start, 1_500) for start in range(0, events.height, 1_500)]
        cut = list(pieces.ascending(chunks))
        assert len(cut) > 1
        assert sum(piece.height for piece in cut) == events.height
        assert pieces.ascend(pl.concat([pieces.span(piece, number) for number, piece in enumerate(cut)]))
        assert all_rows(list(audits(cut))) == whole


def test_late_events_are_recognised(floor_events):
    carry = audit(facts.none(), floor_events.head(3_000), final=False).carry
    assert facts.late(carry, floor_events.slice(3_000, 500)).is_empty()
    assert facts.late(carry, floor_events.slice(2_900, 200)).height == 100


def test_files_whose_chunks_ascend_need_no_spool(floor_events, tmp_path, monkeypatch):
    monkeypatch.setattr(pieces, "CHUNK_ROWS", 1_000)
    ascending, backwards = (str(tmp_path / f"{name}.parquet") for name in ("ascending", "backwards"))
    once = floor_events.unique(["table", "seq"])
    once.sort("table", "seq").write_parquet(ascending)
    once.sort("seq", descending=True).write_parquet(backwards)
    assert pieces.files_in_order([ascending])
    assert not pieces.files_in_order([backwards])
    assert not pieces.files_in_order([ascending, ascending])
    assert not pieces.files_in_order([str(tmp_path / "missing.parquet")])
    assert not pieces.files_in_order(["events.jsonl"])
