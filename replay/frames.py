"""Queries are put together lazily, so that only the columns that are asked for are moved, and run here, many at a time."""

import polars as pl


def collected(frame: pl.LazyFrame) -> pl.DataFrame:
    """In memory: the streaming engine costs more to start than most batches to run, and keeps no order by itself."""
    return frame.collect(engine="in-memory")


def all_collected(*frames: pl.LazyFrame) -> list[pl.DataFrame]:
    """What the frames have in common is worked out once."""
    return pl.collect_all(frames, engine="in-memory")
