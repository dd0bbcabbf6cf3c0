"""Queries are put together lazily, so that only the columns that are asked for are moved, and run here, many at a time.

A query that is read twice says `.cache()`: Polars finds by itself that two are the same only where they are simple.
"""

from functools import reduce
from operator import and_

import polars as pl


def collected(frame: pl.LazyFrame) -> pl.DataFrame:
    """In memory: the streaming engine costs more to start than most batches to run, and keeps no order by itself."""
    return frame.collect(engine="in-memory")


def all_collected(*frames: pl.LazyFrame) -> list[pl.DataFrame]:
    """Side by side, on all cores."""
    return pl.collect_all(frames, engine="in-memory")


# Windows over groups whose rows stand together, such as the facts of a round: a look at the row before, instead of a hash of
# all groups, which took twenty times as long.


def goes_on(*group: str) -> pl.Expr:
    """Whether the row before belongs to the same group."""
    return reduce(and_, (pl.col(name).eq_missing(pl.col(name).shift()) for name in group)) & (
        pl.int_range(pl.len()) > 0
    )


def place_in(*group: str) -> pl.Expr:
    """The how-manieth row of its group it is, from 0."""
    at = pl.int_range(pl.len())
    return at - pl.when(~goes_on(*group)).then(at).forward_fill()


def before_in(what: str, *group: str) -> pl.Expr:
    """The same of the row before, null for the first of a group."""
    return pl.when(goes_on(*group)).then(pl.col(what).shift())
