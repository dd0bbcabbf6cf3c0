"""`catwalk audit`: what scripts outside rely on, and what happens to whatever else they may hand it."""

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from catwalk.command import main
from ingest import files

SETTLEMENT = ["table", "round", "seat", "hand", "player", "wager", "stake", "owed", "paid", "clause", "reason"]
SOAK = os.environ.get("CATWALK_SOAK") == "1"


def read(file: Path) -> pl.DataFrame:
    if file.suffix == ".parquet":
        return pl.read_parquet(file)
    if file.suffix == ".csv":
        return pl.read_csv(file, infer_schema=False)
    return pl.read_ndjson(file, infer_schema_length=None)


def rows(file: Path) -> list[dict]:
    return [json.loads(line) for line in file.read_text().splitlines()]


# What it says


def test_json_has_the_figures_and_nothing_else_is_printed(call, events):
    status, printed, said = call("audit", events, "--json")
    figures = json.loads(printed)
    assert (status, said) == (0, "")
    assert {"events", "dead_letters", "rounds", "wagers", "derived", "findings", "amount"} <= figures.keys()
    assert figures["rounds"] == 180
    assert 0 < figures["derived"] <= figures["wagers"]
    assert all(isinstance(count, int) for count in figures["findings"].values())


def test_every_planted_wrong_is_found_and_nothing_else(call, floor, events, tmp_path):
    found = tmp_path / "findings.jsonl"
    assert call("audit", events, "--findings", found)[0] == 0
    told, planted = (
        sorted((row["code"], row["table"], row["round"] or 0) for row in rows(said))
        for said in (found, floor / "labels.jsonl")
    )
    assert told == planted


def test_a_person_is_told_what_was_found_and_where_to_look(call, events):
    status, printed, said = call("audit", events)
    assert (status, said) == (0, "")
    for word in (
        "events",
        "dead letters",
        "derived",
        "%",
        "house lost",
        "kept wrongly",
        "catwalk show",
        "catwalk explain",
    ):
        assert word in printed


def test_an_honest_floor_differs_nowhere_from_the_law(call, tmp_path):
    honest = tmp_path / "honest.jsonl"
    call("simulate", "--tables", 1, "--rounds", 10, "--seed", 3, "--out", honest)
    status, printed, _ = call("audit", honest)
    assert status == 0
    assert "Nothing differs from the law." in printed


def test_the_same_file_gives_the_same_bytes(call, events, tmp_path):
    for form in ("jsonl", "csv", "parquet"):
        bytes_ = []
        for turn in ("one", "two"):
            findings, settlements = tmp_path / f"{turn}-f.{form}", tmp_path / f"{turn}-s.{form}"
            assert call("audit", events, "--findings", findings, "--settlements", settlements)[0] == 0
            bytes_.append((findings.read_bytes(), settlements.read_bytes()))
        assert bytes_[0] == bytes_[1]


# What it writes


@pytest.fixture(scope="session")
def written(floor, tmp_path_factory):
    folder = tmp_path_factory.mktemp("written")
    for form in ("jsonl", "csv", "parquet"):
        out = ["--findings", str(folder / f"f.{form}"), "--settlements", str(folder / f"s.{form}")]
        assert main(["audit", str(floor / "events.jsonl"), *out]) == 0
    return folder


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet"])
def test_settlements_have_the_columns_of_the_contract(written, form):
    settled = read(written / f"s.{form}")
    assert settled.columns == SETTLEMENT
    assert settled.height == read(written / "s.parquet").height > 0


def test_the_three_forms_say_the_same(written):
    for kind in ("f", "s"):
        exact = read(written / f"{kind}.parquet")
        text = exact.with_columns(
            pl.col(pl.List(pl.Int64)).cast(pl.List(pl.String)).list.join(" "),
            pl.col(pl.Datetime).dt.strftime("%Y-%m-%dT%H:%M:%S%.6fZ"),
        ).cast(pl.String)
        from_lines = read(written / f"{kind}.jsonl")
        from_lines = from_lines.with_columns(pl.col(pl.List(pl.Int64)).cast(pl.List(pl.String)).list.join(" "))
        assert from_lines.select(text.columns).cast(pl.String).equals(text)
        assert read(written / f"{kind}.csv").equals(text)


def test_a_finding_in_json_has_its_seqs_as_a_list_and_its_time_as_rfc_3339(written):
    row = rows(written / "f.jsonl")[0]
    assert all(isinstance(seq, int) for seq in row["seqs"])
    assert row["at"].endswith("Z")
    assert "T" in row["at"]


def test_owed_is_null_and_a_reason_stands_in_its_place(written):
    settled = read(written / "s.parquet")
    assert settled.filter(pl.col("owed").is_null() != pl.col("reason").is_not_null()).is_empty()


# What it reads


def test_however_the_events_are_packed_the_findings_are_the_same(call, events, tmp_path):
    lines = events.read_bytes().splitlines(keepends=True)
    middle = len(lines) // 2
    first, second = tmp_path / "first.jsonl.gz", tmp_path / "second.jsonl"
    first.write_bytes(gzip.compress(b"".join(lines[middle:])))
    second.write_bytes(b"".join(reversed(lines[:middle])))
    packed = tmp_path / "whole.parquet"
    zstd = tmp_path / "whole.jsonl.zst"
    files.write(packed, [chunk.frame for chunk in files.read([events])])
    files.write(zstd, [chunk.frame for chunk in files.read([events])])
    told = []
    for number, sources in enumerate(([events], [first, second], [packed], [zstd], [events, packed])):
        found = tmp_path / f"{number}.jsonl"
        assert call("audit", *sources, "--findings", found)[0] == 0
        told.append(sorted(found.read_text().splitlines()))
    assert all(each == told[0] for each in told)


def test_lines_that_are_no_events_are_counted_with_file_line_and_reason(call, events, tmp_path):
    broken = tmp_path / "broken.jsonl"
    first, *rest = events.read_text().splitlines(keepends=True)
    broken.write_text(first + "{oops\n\n" + '{"type":"rain_fell"}\n' + "".join(rest) + '{"cut')
    status, printed, said = call("audit", broken)
    assert (status, said) == (0, "")
    assert f"{broken}:2: broken JSON" in printed
    assert f"{broken}:4: unknown type" in printed
    status, printed, _ = call("audit", broken, "--json")
    assert json.loads(printed)["dead_letters"] == 3
    whole = json.loads(call("audit", events, "--json")[1])
    assert json.loads(printed)["findings"] == whole["findings"]


def test_binary_junk_is_dead_letters_and_no_crash(call, tmp_path):
    junk = tmp_path / "junk.jsonl"
    junk.write_bytes(bytes(range(256)) * 2000)
    status, printed, said = call("audit", junk, "--json")
    assert (status, said) == (0, "")
    assert json.loads(printed)["dead_letters"] > 0


def test_an_empty_file_is_no_events_and_not_all_clear(call, tmp_path):
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    out = tmp_path / "out.csv"
    status, printed, said = call("audit", empty, "--settlements", out)
    assert (status, said) == (0, "")
    assert "nothing was audited" in printed
    assert "Nothing differs" not in printed
    assert out.read_text().split() == [",".join(SETTLEMENT)]


def test_what_a_table_sent_cannot_steer_the_terminal(call, events, tmp_path):
    sneaky = tmp_path / "sneaky.jsonl"
    sneaky.write_text(events.read_text() + '{"type":"\\u001b[2J[bold red]gone"}\n{"type":"a\\u009b31m"}\n')
    _, printed, _ = call("audit", sneaky)
    assert "\x1b" not in printed
    assert "\x9b" not in printed
    assert "[bold red]gone" in printed


# What it refuses: status 2, one line, and nothing left behind


REFUSED = {
    "no such file": ["nowhere.jsonl"],
    "is a folder": ["folder.jsonl"],
    "unknown ending": ["events.txt"],
    "noending": ["noending"],
    "cut off": ["cut.jsonl.gz"],
    "not gzip": ["fake.jsonl.gz"],
    "not zstd": ["fake.jsonl.zst"],
    "not Parquet": ["fake.parquet"],
    "no column": ["strange.parquet"],
    "Missing argument": [],
    "No such option": ["good.jsonl", "--finding", "x"],
    "requires an argument": ["good.jsonl", "--findings"],
    ".xlsx: unknown ending": ["good.jsonl", "--findings", "f.xlsx"],
    "there is no folder": ["good.jsonl", "--settlements", "nowhere/s.csv"],
    "is a folder, not a file to write": ["good.jsonl", "--settlements", "folder.jsonl"],
    "cannot be written over": ["good.jsonl", "--findings", "good.jsonl"],
    "to one file": ["good.jsonl", "--findings", "o.csv", "--settlements", "o.csv"],
}


@pytest.fixture
def bad_files(tmp_path: Path) -> Path:
    (tmp_path / "folder.jsonl").mkdir()
    for name in ("good.jsonl", "events.txt", "noending"):
        (tmp_path / name).touch()
    (tmp_path / "cut.jsonl.gz").write_bytes(gzip.compress(os.urandom(5000))[:2000])
    for name in ("fake.jsonl.gz", "fake.jsonl.zst", "fake.parquet"):
        (tmp_path / name).write_text("plain")
    pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "strange.parquet")
    return tmp_path


@pytest.mark.parametrize("complaint", REFUSED)
def test_what_cannot_be_done_is_said_in_one_line(call, bad_files, monkeypatch, complaint):
    monkeypatch.chdir(bad_files)
    before = sorted(bad_files.iterdir())
    status, printed, said = call("audit", *REFUSED[complaint])
    assert (status, printed) == (2, "")
    assert complaint in said
    assert said.startswith("catwalk: ")
    assert said.count("\n") == 1
    assert sorted(bad_files.iterdir()) == before


def test_an_unreadable_file_leaves_what_was_written_before(call, events, tmp_path):
    out = tmp_path / "findings.csv"
    out.write_text("yesterday's")
    cut = tmp_path / "cut.jsonl.gz"
    cut.write_bytes(gzip.compress(events.read_bytes())[:-500])
    status, _, said = call("audit", events, cut, "--findings", out)
    assert status == 2
    assert "cut off" in said
    assert out.read_text() == "yesterday's"
    assert sorted(tmp_path.iterdir()) == sorted([out, cut])


# As a process


def test_as_a_process_it_keeps_its_streams_and_status_apart(run, events, tmp_path):
    done = run("audit", events, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["rounds"] == 180
    refused = run("audit", tmp_path / "nowhere.jsonl")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == f"catwalk: {tmp_path / 'nowhere.jsonl'}: no such file\n"


SMALL_PIECES = """
import resource, sys
from ingest import files
from replay import pieces
if sys.argv.pop(1) == "small":
    files.CHUNK_ROWS = pieces.PIECE_ROWS = pieces.IN_MEMORY_ROWS = 15_000
from catwalk.command import main
status = main(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, file=sys.stderr)
sys.exit(status)
"""


def peak_megabytes(pieces: str, source: Path, out: Path) -> int:
    done = subprocess.run(
        [sys.executable, "-c", SMALL_PIECES, pieces, "audit", source, "--settlements", out, "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    return int(done.stderr)


def test_memory_is_that_of_a_piece_however_long_the_file(call, tmp_path):
    short, long = (tmp_path / f"{name}.parquet" for name in ("short", "long"))
    pieces = "small"
    rounds = (150, 900)
    if SOAK:
        pieces, rounds = "real", (6_000, 36_000)
    for file, count in zip((short, long), rounds, strict=True):
        call("simulate", "--tables", 6, "--rounds", count, "--seed", 9, "--out", file)
    peaks = [peak_megabytes(pieces, file, tmp_path / "s.parquet") for file in (short, long)]
    assert peaks[1] < peaks[0] * 1.5, f"{peaks} MB for six times the events"
