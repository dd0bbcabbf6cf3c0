"""Events of any size in any order, cut into pieces that ascend in every table, in bounded memory.

One piece is one call of `derive`; what crosses from piece to piece is the carry. Events that fit into memory are one piece.
More than that is spooled to sorted runs on disk and, where a table's runs overlap, read back in windows of tables and seqs.
"""

import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
import polars as pl

from ingest.files import CHUNK_ROWS

PIECE_ROWS: Final = 500_000
IN_MEMORY_ROWS: Final = 500_000
# What one of several processes takes at a time.
PART_ROWS: Final = 400_000
_ROW_GROUP: Final = 50_000


def ascending(chunks: Iterable[pl.DataFrame], in_order: bool = False) -> Iterator[pl.DataFrame]:
    """The events of all chunks; each piece continues every table where the pieces before it stopped.

    `in_order`: the chunks are known to do so already, and are passed on as they come.
    """
    if in_order:
        yield from chunks
        return
    held: list[pl.DataFrame] = []
    rows = 0
    source = iter(chunks)
    for chunk in source:
        held.append(chunk)
        rows += chunk.height
        if rows > IN_MEMORY_ROWS:
            break
    else:
        if held:
            yield pl.concat(held)
        return
    with tempfile.TemporaryDirectory(prefix="catwalk-") as folder:
        yield from _spooled(_chained(held, source), Path(folder))


def ahead(chunks: Iterator[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """The chunks, each read while the one before it is worked on."""
    with ThreadPoolExecutor(1) as reader:
        following = reader.submit(next, chunks, None)
        while (chunk := following.result()) is not None:
            following = reader.submit(next, chunks, None)
            yield chunk


def _chained(held: list[pl.DataFrame], source: Iterator[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    while held:
        yield held.pop(0)
    yield from source


def _spooled(chunks: Iterator[pl.DataFrame], folder: Path) -> Iterator[pl.DataFrame]:
    spans = []
    for number, chunk in enumerate(chunks):
        chunk.sort("table", "seq").write_parquet(
            folder / f"{number:06}.parquet", compression="lz4", row_group_size=_ROW_GROUP
        )
        spans.append(span(chunk, number))
    every = pl.concat(spans)
    if ascend(every):
        for number in range(len(spans)):
            yield pl.read_parquet(folder / f"{number:06}.parquet")
    else:
        yield from _windows(every, folder)


def span(chunk: pl.DataFrame, number: int) -> pl.DataFrame:
    """Which seqs of which tables a chunk holds."""
    return chunk.group_by("table").agg(
        first=pl.col("seq").min(), last=pl.col("seq").max(), rows=pl.len().cast(pl.Int64), number=pl.lit(number)
    )


@dataclass(frozen=True, slots=True)
class Part:
    """Rows of a Parquet file, cut where one table's events end and another's begin, or inside a table with very many."""

    file: str
    start: int
    rows: int
    tables: tuple[str, ...]


def files_in_order(sources: Iterable[str]) -> bool:
    """Whether the files are Parquet whose chunks, as they will be read, ascend in every table."""
    spans = _spans(sources)
    return spans is not None and not spans.is_empty() and ascend(spans)


def parts(sources: Iterable[str]) -> list[Part] | None:
    """Files of Parquet in which tables stand one after another, cut between them; None for any others."""
    spans: list[pl.DataFrame] = []
    read = 0
    for source in sources:
        found = _standing_together(source, read)
        if found is None:
            return None
        spans.append(found)
        read += found.height
    if read == 0 or not ascend(pl.concat(spans)):
        return None
    return _packed(pl.concat(spans))


def _packed(spans: pl.DataFrame) -> list[Part]:
    packed: list[Part] = []
    # A Python loop over tables, a few hundred in a day.
    for file, start, rows, table in spans.select("file", "start", "rows", "table").iter_rows():
        last = packed[-1] if packed else None
        if last is not None and last.file == file and last.rows + rows <= PART_ROWS:
            packed[-1] = replace(last, rows=last.rows + rows, tables=(*last.tables, table))
        else:
            packed.append(Part(file, start, rows, (table,)))
    return packed


def _standing_together(source: str, number: int) -> pl.DataFrame | None:
    """Where each table's events stand in the file, those of a very long one in several stretches, numbered from `number`; None
    where tables are mixed, or it is no Parquet file of events."""
    events = _scanned(source)
    if events is None:
        return None
    try:
        read = events.collect()
    except (pl.exceptions.PolarsError, OSError):
        return None  # reading it will say what is wrong
    runs = read["table"].rle().struct.unnest()
    if read["seq"].null_count() or runs["value"].n_unique() < runs.height:
        return None
    starts = [
        (table, at, min(PART_ROWS, start + length - at))
        for table, start, length in zip(runs["value"], runs["len"].cum_sum() - runs["len"], runs["len"], strict=True)
        for at in range(start, start + length, PART_ROWS)
    ]
    spans = pl.DataFrame(starts, schema={"table": pl.String, "start": pl.Int64, "rows": pl.Int64}, orient="row")
    seqs, cuts = read["seq"].to_numpy(), spans["start"].to_numpy()
    return spans.with_columns(
        number=pl.int_range(number, number + spans.height, dtype=pl.Int64),
        file=pl.lit(source),
        first=pl.Series(np.minimum.reduceat(seqs, cuts) if spans.height else [], dtype=pl.Int64),
        last=pl.Series(np.maximum.reduceat(seqs, cuts) if spans.height else [], dtype=pl.Int64),
    )


def _scanned(source: str) -> pl.LazyFrame | None:
    """Table and seq of every row of a Parquet file; None for other files. All else is not looked at."""
    if not source.endswith(".parquet"):
        return None
    try:
        scan = pl.scan_parquet(source, glob=False)
        schema = scan.collect_schema()
    except (pl.exceptions.PolarsError, OSError):
        return None
    if schema.get("table") != pl.String() or not schema.get("seq", pl.Null()).is_integer():
        return None
    return scan.select("table", pl.col("seq").cast(pl.Int64))


def _spans(sources: Iterable[str]) -> pl.DataFrame | None:
    """Which seqs of which tables stand where, chunk by chunk; None where a source is no Parquet file of events."""
    spans: list[pl.DataFrame] = []
    read = 0
    for source in sources:
        events = _scanned(source)
        if events is None:
            return None
        chunk = pl.col("row").cast(pl.Int64) // CHUNK_ROWS + pl.lit(read, pl.Int64)
        try:
            spans.append(
                events.with_row_index("row")
                .group_by("table", number=chunk)
                .agg(first=pl.col("seq").min(), last=pl.col("seq").max())
                .collect()
            )
        except (pl.exceptions.PolarsError, OSError):
            return None  # reading it will say what is wrong
        read += int(spans[-1]["number"].max() or 0) + 1  # type: ignore[arg-type]
    return pl.concat(spans) if spans else None


def ascend(spans: pl.DataFrame) -> bool:
    """Whether every table's chunks follow one another without overlap."""
    ordered = spans.sort("table", "number")
    overlaps = ordered.filter(
        (pl.col("table") == pl.col("table").shift()) & (pl.col("first") <= pl.col("last").shift())
    )
    return overlaps.is_empty()


def _windows(spans: pl.DataFrame, folder: Path) -> Iterator[pl.DataFrame]:
    """Windows of about PIECE_ROWS: several whole tables at once, or one large table in slices of its seqs."""
    runs = pl.scan_parquet(folder / "*.parquet")
    tables = (
        spans.group_by("table").agg(pl.col("first").min(), pl.col("last").max(), pl.col("rows").sum()).sort("table")
    )
    # A Python loop over tables, a few hundred.
    together: list[str] = []
    gathered = 0
    for table, first, last, rows in tables.iter_rows():
        if rows > PIECE_ROWS:
            step = max(1, (last - first + 1) * PIECE_ROWS // rows)
            for start in range(first, last + 1, step):
                yield runs.filter(
                    (pl.col("table") == table) & (pl.col("seq") >= start) & (pl.col("seq") < start + step)
                ).collect()
            continue
        if gathered + rows > PIECE_ROWS and together:
            yield runs.filter(pl.col("table").is_in(together)).collect()
            together, gathered = [], 0
        together.append(table)
        gathered += rows
    if together:
        yield runs.filter(pl.col("table").is_in(together)).collect()
