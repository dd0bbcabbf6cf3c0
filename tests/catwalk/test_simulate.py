"""`catwalk simulate`: the same seed gives the same bytes, in every form, with labels for what was planted."""

import json

import polars as pl
import pytest

from ingest import files

ASKED = ("simulate", "--tables", 2, "--rounds", 12)
LABEL = ["code", "table", "round", "seat", "wager", "amount"]


def test_the_same_seed_gives_the_same_bytes_and_another_one_others(call, tmp_path):
    written = []
    for name, seed in (("one", 5), ("two", 5), ("three", 6)):
        out, labels = tmp_path / f"{name}.jsonl", tmp_path / f"{name}.csv"
        status, printed, said = call(*ASKED, "--seed", seed, "--faults", 0.5, "--out", out, "--labels", labels)
        assert (status, said) == (0, "")
        assert "24 rounds at 2 tables" in printed
        written.append((out.read_bytes(), labels.read_bytes()))
    assert written[0] == written[1]
    assert written[0] != written[2]


@pytest.mark.parametrize("ending", ["jsonl.gz", "jsonl.zst", "parquet"])
def test_every_form_holds_the_same_events(call, tmp_path, ending):
    plain, packed = tmp_path / "floor.jsonl", tmp_path / f"floor.{ending}"
    for out in (plain, packed):
        assert call(*ASKED, "--seed", 5, "--out", out)[0] == 0
    frames = [pl.concat([chunk.frame for chunk in files.read([file])]) for file in (plain, packed)]
    assert frames[0].equals(frames[1])


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_a_label_says_code_place_and_amount(call, tmp_path, ending):
    labels = tmp_path / f"labels.{ending}"
    out = tmp_path / "floor.jsonl"
    assert call(*ASKED, "--seed", 5, "--faults", 0.5, "--out", out, "--labels", labels)[0] == 0
    if ending == "jsonl":
        rows = [json.loads(line) for line in labels.read_text().splitlines()]
        assert all(list(row) == LABEL for row in rows)
    else:
        read = pl.read_csv(labels) if ending == "csv" else pl.read_parquet(labels)
        assert read.columns == LABEL
        rows = read.rows()
    assert len(rows) > 3


def test_one_game_can_be_asked_for(call, tmp_path):
    out = tmp_path / "floor.jsonl"
    assert call(*ASKED, "--seed", 5, "--game", "three-card-poker", "--out", out)[0] == 0
    opened = [json.loads(line) for line in out.read_text().splitlines() if '"table_opened"' in line]
    assert {event["game"] for event in opened} == {"three-card-poker"}


def test_a_floor_without_faults_has_no_labels(call, tmp_path):
    labels = tmp_path / "labels.csv"
    assert call(*ASKED, "--seed", 5, "--out", tmp_path / "floor.jsonl", "--labels", labels)[0] == 0
    assert labels.read_text().split() == [",".join(LABEL)]
