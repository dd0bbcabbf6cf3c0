import gzip
import io
import sys
from pathlib import Path

import polars as pl
import pyarrow
import pytest

from ingest import files, frame, wire

GOLDEN = Path(__file__).parent / "golden" / "events.jsonl"
LINES = GOLDEN.read_bytes().splitlines()
EVENTS = frame.from_contents(LINES)
ENDINGS = [".jsonl", ".jsonl.gz", ".jsonl.zst", ".zst", ".parquet"]


def read_all(*paths: Path | str) -> tuple[pl.DataFrame, list[wire.DeadLetter]]:
    chunks = list(files.read(paths))
    return pl.concat([chunk.frame for chunk in chunks]), [letter for chunk in chunks for letter in chunk.dead]


def zstd(data: bytes) -> bytes:
    return bytes(pyarrow.compress(data, "zstd"))


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_was_written_is_read(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"events{ending}"
    assert files.write(path, [EVENTS.head(20), frame.empty(), EVENTS.tail(-20)]) == len(LINES)
    events, dead = read_all(path)
    assert dead == []
    assert events.equals(EVENTS)
    assert sum(chunk.size for chunk in files.read([path])) == files.size([path]) == path.stat().st_size
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_same_events_are_the_same_file(tmp_path: Path, ending: str) -> None:
    one, two = tmp_path / f"one{ending}", tmp_path / f"two{ending}"
    files.write(one, [EVENTS])
    files.write(two, [EVENTS])
    assert one.read_bytes() == two.read_bytes()


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_file_without_events_is_read(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"events{ending}"
    assert files.write(path, []) == 0
    events, dead = read_all(path)
    assert (events.height, dead) == (0, [])


def test_lines_are_read_across_blocks_marks_returns_and_a_missing_last_newline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + b"\r\n".join([*LINES, b"", b"{", LINES[0]]))
    for size in (7, 100, 1000, 1 << 22):
        monkeypatch.setattr(files, "_BLOCK_BYTES", size)
        events, dead = read_all(path)
        assert frame.to_contents(events) == [*LINES, LINES[0]]
        assert [(letter.file, letter.line, letter.content) for letter in dead] == [(str(path), len(LINES) + 2, b"{")]


def test_chunks_are_bounded_and_hold_everything_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "CHUNK_ROWS", 20)
    monkeypatch.setattr(files, "_BLOCK_BYTES", 512)
    for ending in (".jsonl", ".parquet"):
        path = tmp_path / f"events{ending}"
        files.write(path, [EVENTS])
        chunks = list(files.read([path]))
        assert [chunk.frame.height for chunk in chunks[:2]] != [len(LINES), 0]
        assert max(chunk.frame.height for chunk in chunks) < 30
        assert pl.concat([chunk.frame for chunk in chunks]).equals(EVENTS)
        assert sum(chunk.size for chunk in chunks) == path.stat().st_size


@pytest.mark.parametrize("tail", [b"\n" + LINES[0], b""])
def test_a_giant_line_is_one_dead_letter_and_is_never_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tail: bytes
) -> None:
    monkeypatch.setattr(files, "_BLOCK_BYTES", 10_000)
    path = tmp_path / "events.jsonl"
    giant = b"x" * 1_000_000
    path.write_bytes(LINES[0] + b"\n" + giant + tail)
    with path.open("rb") as raw:
        held = [len(line) for run in files._lines(files._blocks(path, raw)) for line in run.lines]
    assert max(held) == wire.LINE_LIMIT
    events, dead = read_all(path)
    assert frame.to_contents(events) == [LINES[0]] * (2 if tail else 1)
    assert [(letter.line, letter.content) for letter in dead] == [(2, giant[: wire.LINE_LIMIT])]
    assert dead[0].reason == "the line is over 64 KiB: 1,000,000 bytes, the first 65,536 kept"


def test_standard_input_is_read_as_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(GOLDEN.read_bytes() + b"{\n")))
    events, dead = read_all("-")
    assert events.equals(EVENTS)
    assert [(letter.file, letter.line) for letter in dead] == [("standard input", len(LINES) + 1)]


def test_several_files_are_read_one_after_the_other(tmp_path: Path) -> None:
    paths = [tmp_path / "a.jsonl", tmp_path / "b.parquet", tmp_path / "c.jsonl.gz"]
    for path in paths:
        files.write(path, [EVENTS])
    assert read_all(*paths)[0].equals(pl.concat([EVENTS] * 3))


def test_foreign_parquet_with_bad_rows_gives_its_events_and_its_dead_letters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "CHUNK_ROWS", 20)
    bad = pl.int_range(pl.len()).is_in([4, 45])
    foreign = EVENTS.with_columns(pl.col(pl.Enum).cast(pl.String), pl.when(~bad).then("seq").alias("seq"))
    path = tmp_path / "foreign.parquet"
    foreign.write_parquet(path)
    events, dead = read_all(path)
    assert events.equals(EVENTS.filter(~bad))
    assert [(letter.file, letter.line, letter.reason) for letter in dead] == [
        (str(path), 5, "`seq` is missing"),
        (str(path), 46, "`seq` is missing"),
    ]


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("absent.jsonl", None, "no such file"),
        ("events.csv", b"table,seq", "unknown ending"),
        ("events", b"{}", "unknown ending"),
        ("events.jsonl.gz", b"not gzip at all", "not gzip"),
        ("events.jsonl.gz", gzip.compress(GOLDEN.read_bytes(), mtime=0)[:-20], "cut off"),
        ("events.jsonl.gz", gzip.compress(b"x" * 99, mtime=0)[:10] + b"\xff" * 30, "damaged"),
        ("events.jsonl.zst", b"not zstd at all", "not zstd"),
        ("events.jsonl.zst", zstd(GOLDEN.read_bytes())[:-20], "cut off"),
        ("events.parquet", b"not parquet at all", "not Parquet"),
        ("events.parquet", b"", "not Parquet"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_unreadable_file_is_named_with_what_is_wrong(
    tmp_path: Path, name: str, data: bytes | None, said: str
) -> None:
    path = tmp_path / name
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(files.Unreadable) as failure:
        list(files.read([path]))
    assert str(failure.value).startswith(f"{path}: ")
    assert said in str(failure.value)
    assert "\n" not in str(failure.value)


def test_a_folder_is_no_file_of_events(tmp_path: Path) -> None:
    with pytest.raises(files.Unreadable, match="is a folder"):
        list(files.read([tmp_path]))


def test_parquet_of_something_else_is_named(tmp_path: Path) -> None:
    path = tmp_path / "other.parquet"
    pl.DataFrame({"table": ["T1"], "price": [3]}).write_parquet(path)
    with pytest.raises(files.Unreadable, match="has no column `seq`"):
        list(files.read([path]))


def test_a_bad_path_is_told_before_any_file_is_read(tmp_path: Path) -> None:
    with pytest.raises(files.Unreadable, match=r"absent\.jsonl: no such file"):
        next(files.read([GOLDEN, tmp_path / "absent.jsonl"]))


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(files.Unreadable, match="cannot be written"):
        files.write(tmp_path / "no" / "such" / "folder.jsonl", [EVENTS])
