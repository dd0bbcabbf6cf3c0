"""Files of events, read in bounded memory and written: `.jsonl`, `.jsonl.gz`, `.jsonl.zst`, `.parquet`; `-` is standard input."""

import gzip
import io
import itertools
import os
import sys
import zlib
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, Final, cast

import msgspec
import polars as pl
import pyarrow
import pyarrow.parquet
from msgspec import Struct

from ingest import frame, topic, wire
from ingest.wire import DeadLetter

STANDARD_INPUT: Final = "-"
CHUNK_ROWS: Final = 500_000
_BLOCK_BYTES: Final = 1 << 22
_FRAME_ROWS: Final = 65_536
_ROW_GROUP: Final = 250_000
_UTF8_MARK: Final = b"\xef\xbb\xbf"
_NEEDED: Final = ("table", "seq", "at", "type")


class Unreadable(Exception):
    """A file that cannot be read or written as events; the message names it and says what is wrong."""


class Chunk(Struct, frozen=True):
    """Some events of a file. `size` is how far this chunk moved through the file, in bytes on disk."""

    frame: pl.DataFrame
    dead: list[DeadLetter]
    size: int


def size(paths: Iterable[str | Path]) -> int:
    """Bytes on disk, the sum that the chunks' sizes run up to; standard input counts nothing."""
    return sum(_checked(path).stat().st_size for path in map(str, paths) if not _is_stream(path))


def read(paths: Iterable[str | Path]) -> Iterator[Chunk]:
    """Every event of the files, chunk by chunk. All paths are checked before the first is read."""
    listed = [str(path) for path in paths]
    for path in listed:
        if not _is_stream(path):
            _form(_checked(path))
    for path in listed:
        if path.startswith(topic.SCHEME):
            yield from _read_topic(path)
        elif path == STANDARD_INPUT:
            yield from _read_input(sys.stdin.buffer)
        elif _form(Path(path)) == "parquet":
            yield from _read_parquet(Path(path))
        else:
            yield from _read_lines(Path(path))


def _is_stream(path: str) -> bool:
    return path == STANDARD_INPUT or path.startswith(topic.SCHEME)


def _read_topic(address: str) -> Iterator[Chunk]:
    for events, dead in topic.read(address, CHUNK_ROWS):
        yield Chunk(events, dead, 0)


def _checked(path: str | Path) -> Path:
    file = Path(path)
    try:
        if file.is_dir():
            raise Unreadable(f"{path}: is a folder, not a file of events")
        with file.open("rb"):
            return file
    except FileNotFoundError:
        raise Unreadable(f"{path}: no such file") from None
    except (OSError, ValueError) as error:
        raise Unreadable(f"{path}: cannot be opened ({_said(error)})") from None


def _form(file: Path) -> str:
    match [ending.lower() for ending in file.suffixes[-2:]]:
        case [*_, ".parquet"]:
            return "parquet"
        case [*_, ".jsonl"]:
            return "plain"
        case [*_, ".gz"]:
            return "gzip"
        case [*_, ".zst"]:
            return "zstd"
    raise Unreadable(f"{file}: unknown ending; events are .jsonl, .jsonl.gz, .jsonl.zst or .parquet")


def _said(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


# JSON lines


def _read_lines(file: Path) -> Iterator[Chunk]:
    gathered = _Gathering(str(file))
    with file.open("rb") as raw:
        for lines in _lines(_blocks(file, raw)):
            gathered.add(lines)
            if gathered.rows >= CHUNK_ROWS:
                yield gathered.chunk(raw.tell())
    yield gathered.chunk(file.stat().st_size)


def _read_input(stream: BinaryIO) -> Iterator[Chunk]:
    """Standard input may be a live feed: whatever has come is handed on, without waiting for a chunk to fill."""
    gathered = _Gathering("standard input")
    arrivals = iter(lambda: cast(io.BufferedReader, stream).read1(_BLOCK_BYTES), b"")
    for lines in _lines(arrivals):
        gathered.add(lines)
        yield gathered.chunk(0)


def _blocks(file: Path, raw: BinaryIO) -> Iterator[bytes]:
    form = _form(file)
    stream: BinaryIO
    if form == "gzip":
        stream = cast(BinaryIO, gzip.GzipFile(fileobj=raw))
    elif form == "zstd":
        stream = pyarrow.CompressedInputStream(raw, "zstd")
    else:
        stream = raw
    while True:
        try:
            block = stream.read(_BLOCK_BYTES)
        except gzip.BadGzipFile as error:
            raise Unreadable(f"{file}: not gzip, or damaged ({_said(error)})") from None
        except EOFError:
            raise Unreadable(f"{file}: the gzip data ends too early; the file is cut off") from None
        except zlib.error as error:
            raise Unreadable(f"{file}: the gzip data is damaged ({error})") from None
        except OSError as error:
            kind = {"plain": "cannot be read", "gzip": "cannot be read"}.get(form, "not zstd, damaged or cut off")
            raise Unreadable(f"{file}: {kind} ({_said(error)})") from None
        if not block:
            return
        yield block


class _Lines(Struct, frozen=True):
    """A run of whole lines, or the start of one line that is too long to hold and its length."""

    first: int
    lines: list[bytes]
    overlong: int = 0


def _lines(blocks: Iterable[bytes]) -> Iterator[_Lines]:
    """Lines with their numbers. What is held of a line never grows past the limit, however long the line is."""
    number, rest, overlong = 1, b"", 0
    for each in blocks:
        block = each.removeprefix(_UTF8_MARK) if number == 1 and not rest and not overlong else each
        if overlong:
            end = block.find(b"\n")
            if end < 0:
                overlong += len(block)
                continue
            yield _Lines(number, [rest], overlong + end)
            number, rest, overlong, block = number + 1, b"", 0, block[end + 1 :]
        lines = (rest + block).split(b"\n")
        rest = lines.pop()
        if lines:
            yield _Lines(number, _unreturned(lines, block))
        number += len(lines)
        if len(rest) > wire.LINE_LIMIT:
            rest, overlong = rest[: wire.LINE_LIMIT], len(rest)
    if rest:
        yield _Lines(number, [rest] if overlong else _unreturned([rest], rest), overlong)


def _unreturned(lines: list[bytes], block: bytes) -> list[bytes]:
    return [line.removesuffix(b"\r") for line in lines] if b"\r" in block else lines


class _Gathering:
    """Lines on their way into a chunk. Frames are built often, so that few lines are held twice."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.rows = 0
        self._frames: list[pl.DataFrame] = []
        self._contents: list[bytes] = []
        self._extras: list[str | None] = []
        self._dead: list[DeadLetter] = []
        self._reached = 0

    def add(self, run: _Lines) -> None:
        if run.overlong:
            letter = wire.over_limit(run.lines[0], run.overlong)
            self._dead.append(msgspec.structs.replace(letter, line=run.first, file=self.file))
            return
        batch = wire.decode(run.lines, run.first)
        self._contents += batch.contents
        self._extras += batch.extras
        self._dead += [msgspec.structs.replace(letter, file=self.file) for letter in batch.dead]
        self.rows += len(batch.contents) + len(batch.dead)
        if len(self._contents) >= _FRAME_ROWS:
            self._build()

    def chunk(self, reached: int) -> Chunk:
        self._build()
        whole = pl.concat(self._frames) if self._frames else frame.empty()
        done = Chunk(whole, self._dead, reached - self._reached)
        self.rows, self._frames, self._dead, self._reached = 0, [], [], reached
        return done

    def _build(self) -> None:
        if self._contents:
            self._frames.append(frame.from_contents(self._contents, self._extras))
            self._contents, self._extras = [], []


# Parquet


def _read_parquet(file: Path) -> Iterator[Chunk]:
    scan, height = _scan(file)
    reached, on_disk = 0, file.stat().st_size
    if height == 0:
        yield Chunk(frame.empty(), [], on_disk)
    for start in range(0, height, CHUNK_ROWS):
        events, dead = _sliced(file, scan, start, CHUNK_ROWS)
        now = on_disk * min(start + CHUNK_ROWS, height) // height
        yield Chunk(events, dead, now - reached)
        reached = now


def read_part(path: str, start: int, rows: int) -> tuple[pl.DataFrame, list[DeadLetter]]:
    """The events of some rows of a Parquet file."""
    file = Path(path)
    return _sliced(file, _scan(file)[0], start, rows)


def parquet_rows(paths: Iterable[str]) -> int:
    """How many rows the files have, by their own word; none where one of them is no Parquet."""
    try:
        return sum(pyarrow.parquet.read_metadata(path).num_rows for path in paths if Path(path).suffix == ".parquet")
    except (OSError, pyarrow.ArrowException):
        return 0


def _scan(file: Path) -> tuple[pl.LazyFrame, int]:
    try:
        scan = pl.scan_parquet(file, glob=False)
        columns = scan.collect_schema().names()
        height: int = scan.select(pl.len()).collect().item()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise Unreadable(f"{file}: not Parquet, damaged or cut off ({_first_line(error)})") from None
    missing = [name for name in _NEEDED if name not in columns]
    if missing:
        raise Unreadable(f"{file}: has no column `{missing[0]}`, so its rows are no events")
    return scan, height


def _sliced(file: Path, scan: pl.LazyFrame, start: int, rows: int) -> tuple[pl.DataFrame, list[DeadLetter]]:
    try:
        # The streaming engine decodes a slice's row groups from the file's start.
        foreign = scan.drop(_unstated(file, start, rows)).slice(start, rows).collect(engine="in-memory")
    except (pl.exceptions.PolarsError, OSError) as error:
        raise Unreadable(f"{file}: damaged Parquet ({_first_line(error)})") from None
    events, dead = frame.conform(foreign, start + 1)
    return events, [msgspec.structs.replace(letter, file=str(file)) for letter in dead]


def _unstated(file: Path, start: int, rows: int) -> list[str]:
    """Columns that by the file's own word have no value in these rows: of the fields of an event most rows have few."""
    try:
        metadata = _metadata(file, file.stat().st_mtime_ns)
    except (OSError, pyarrow.ArrowException):
        return []  # then it is read, and reading says what is wrong
    groups, reached = [], 0
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        if reached < start + rows and start < reached + group.num_rows:
            groups.append(group)
        reached += group.num_rows
    if not groups:
        return []

    def empty(column: int) -> bool:
        found = (group.column(column) for group in groups)
        return all(
            each.statistics is not None
            and each.statistics.has_null_count
            and each.statistics.null_count == each.num_values
            for each in found
        )

    names = [groups[0].column(column).path_in_schema for column in range(metadata.num_columns)]
    return [name for column, name in enumerate(names) if name in frame.SCHEMA and name not in _NEEDED and empty(column)]


@lru_cache(maxsize=8)
def _metadata(file: Path, changed: int) -> pyarrow.parquet.FileMetaData:  # noqa: ARG001
    """Read once, as long as the file has not `changed` since."""
    return pyarrow.parquet.read_metadata(file)


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or ["no reason given"])[0]


# Writing


def write(path: str | Path, frames: Iterable[pl.DataFrame]) -> int:
    """Write event frames to one file by its ending, whole or not at all; how many events it holds."""
    file = Path(path)
    form = _form(file)
    unfinished = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        written = _write_parquet(unfinished, frames) if form == "parquet" else _write_lines(unfinished, form, frames)
        unfinished.replace(file)
    except OSError as error:
        raise Unreadable(f"{path}: cannot be written ({_said(error)})") from None
    finally:
        unfinished.unlink(missing_ok=True)
    return written


def _write_lines(file: Path, form: str, frames: Iterable[pl.DataFrame]) -> int:
    written = 0
    with file.open("wb") as raw:
        stream: BinaryIO
        if form == "gzip":
            # No name and no time in the header: the same events are the same bytes.
            stream = cast(BinaryIO, gzip.GzipFile(filename="", fileobj=raw, mode="wb", compresslevel=6, mtime=0))
        elif form == "zstd":
            stream = pyarrow.CompressedOutputStream(raw, "zstd")
        else:
            stream = raw
        with stream:
            for events in frames:
                if events.height:
                    stream.write(b"\n".join(frame.to_contents(events)) + b"\n")
                    written += events.height
    return written


def _write_parquet(file: Path, frames: Iterable[pl.DataFrame]) -> int:
    written = 0

    def counted() -> Iterator[pl.DataFrame]:
        nonlocal written
        for events in frames:
            written += events.height
            yield events.select(list(frame.SCHEMA))

    parts = counted()
    first = next(parts, frame.empty())
    schema = first.to_arrow().schema
    with pyarrow.parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        for events in itertools.chain((first,), parts):
            writer.write_table(events.to_arrow(), row_group_size=_ROW_GROUP)
    return written
