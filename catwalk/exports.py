"""Rows written out as they come, by the ending of the file's name: whole under that name or not there at all."""

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Final, Protocol, Self

import polars as pl
import pyarrow.parquet

from catwalk.terminal import Misuse

FORMS: Final = (".jsonl", ".csv", ".parquet")
_MOMENT: Final = "%Y-%m-%dT%H:%M:%S%.6fZ"

Schema = Mapping[str, pl.DataType]


class _Writer(Protocol):
    def add(self, rows: pl.DataFrame) -> None: ...

    def end(self) -> None: ...


def _spelled(schema: Schema, *, lists_as_text: bool) -> list[pl.Expr]:
    """Times as RFC 3339; lists joined by spaces where the form has no lists."""
    spelled = []
    for name, dtype in schema.items():
        if isinstance(dtype, pl.Datetime):
            spelled.append(pl.col(name).dt.strftime(_MOMENT))
        elif isinstance(dtype, pl.List) and lists_as_text:
            spelled.append(pl.col(name).cast(pl.List(pl.String)).list.join(" "))
        else:
            spelled.append(pl.col(name))
    return spelled


class _Lines:
    def __init__(self, stream: BinaryIO, schema: Schema) -> None:
        self._stream = stream
        self._spelled = _spelled(schema, lists_as_text=False)

    def add(self, rows: pl.DataFrame) -> None:
        rows.select(self._spelled).write_ndjson(self._stream)

    def end(self) -> None:
        pass


class _Csv:
    def __init__(self, stream: BinaryIO, schema: Schema) -> None:
        self._stream = stream
        self._spelled = _spelled(schema, lists_as_text=True)
        pl.DataFrame(schema=list(schema)).write_csv(stream)

    def add(self, rows: pl.DataFrame) -> None:
        rows.select(self._spelled).write_csv(self._stream, include_header=False)

    def end(self) -> None:
        pass


class _Parquet:
    def __init__(self, stream: BinaryIO, schema: Schema) -> None:
        self._schema = pl.DataFrame(schema=schema).to_arrow().schema
        self._writer = pyarrow.parquet.ParquetWriter(stream, self._schema, compression="zstd")

    def add(self, rows: pl.DataFrame) -> None:
        if rows.height:
            self._writer.write_table(rows.to_arrow().cast(self._schema))

    def end(self) -> None:
        self._writer.close()


_WRITERS: Final[Mapping[str, Callable[[BinaryIO, Schema], _Writer]]] = {
    ".jsonl": _Lines,
    ".csv": _Csv,
    ".parquet": _Parquet,
}


def checked(path: str | Path, what: str) -> Path:
    """The file that rows can be written to, or Misuse: told before anything is read, not after an hour."""
    file = Path(path)
    if file.suffix.lower() not in FORMS:
        raise Misuse(f"{path}: unknown ending; {what} are written as {', '.join(FORMS)}")
    if file.is_dir():
        raise Misuse(f"{path}: is a folder, not a file to write {what} to")
    if not file.parent.is_dir():
        raise Misuse(f"{path}: there is no folder {file.parent} to write {what} to")
    return file


class Export:
    """A file under way. It appears under its own name on `finish`; anything else leaves what was there before."""

    def __init__(self, file: Path, schema: Schema) -> None:
        self._file = file
        self._unfinished = file.with_name(f".{file.name}.{os.getpid()}")
        self._schema = schema
        try:
            self._stream = self._unfinished.open("wb")
        except OSError as error:
            raise Misuse(f"{file}: cannot be written ({error.strerror})") from None
        self._writer = _WRITERS[file.suffix.lower()](self._stream, schema)

    def add(self, rows: pl.DataFrame) -> None:
        self._writer.add(rows.select(pl.col(name).cast(dtype) for name, dtype in self._schema.items()))

    def finish(self) -> None:
        self._writer.end()
        self._stream.flush()
        os.fsync(self._stream.fileno())
        self._unfinished.replace(self._file)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):  # what is thrown away may be incomplete
            self._writer.end()
            self._stream.close()
        self._unfinished.unlink(missing_ok=True)


def write(path: Path, schema: Schema, frames: Iterable[pl.DataFrame]) -> None:
    with Export(path, schema) as export:
        for rows in frames:
            export.add(rows)
        export.finish()
