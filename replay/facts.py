"""The facts in order: one row a (table, seq), with what came before it, whether it is disputed, and whether it was carried over.

Nothing here depends on the order of arrival: the same set of events always gives the same facts.
"""

from typing import Final

import polars as pl

from ingest import frame
from rules.decision import Rows

# What a derivation turns on; sources, colours and the like stay in the log.
_KEPT: Final = (
    *("table", "seq", "at", "type", "round", "seat", "hand", "player", "dealer"),
    *("wager", "amount", "result", "choice", "to", "card", "face", "street", "deck", "cards", "device", "reason", "by"),
    *("game", "edition", "dealing", "shuffler", "decks", "pay_tables", "options", "min_wager", "max_wager", "limits"),
    *("method", "counted", "back"),
)

# `after` is the seq of the event seen before this one (null for a table's first), so a gap stays visible on a fact that is
# carried into a later batch without its neighbours. `disputed` marks a seq that was sent with two contents or more: `versions`.
FACT: Final[dict[str, pl.DataType]] = {
    **{name: frame.SCHEMA[name] for name in _KEPT},
    "after": pl.Int64(),
    "disputed": pl.Boolean(),
    "versions": pl.UInt32(),
}
# A fact as it is carried. On the last round that was dealt from a deck stands how long each of its cards had not been seen.
SCHEMA: Final[dict[str, pl.DataType]] = {**FACT, "absences": pl.List(pl.Int64())}

gap_before = pl.col("after").is_not_null() & (pl.col("seq") > pl.col("after") + 1)


def none() -> pl.DataFrame:
    return pl.DataFrame(schema=SCHEMA)


def last_seqs(facts: Rows) -> Rows:
    """The last seq of each table."""
    return facts.group_by("table").agg(pl.col("seq").max())


def _ascends(events: pl.DataFrame) -> bool:
    """Whether the events stand in the order of table and seq already, none of them twice."""
    table, seq = pl.col("table"), pl.col("seq")
    follows = (table > table.shift()) | ((table == table.shift()) & (seq > seq.shift()))
    return bool(events.select(follows.fill_null(True).all()).item())


def _without_repeats(events: pl.DataFrame) -> pl.DataFrame:
    """Sorted by table and seq; one row a seq, `disputed` where a seq came with two contents.

    Which of two contents stands in the row is decided by the contents, never by which came first.
    """
    once = events.select(*_KEPT, disputed=pl.lit(False), versions=pl.lit(1, pl.UInt32))
    if _ascends(events):
        return once
    ordered = once.sort("table", "seq")
    same_as_previous = (pl.col("table") == pl.col("table").shift()) & (pl.col("seq") == pl.col("seq").shift())
    repeated = ordered.select(again=(same_as_previous | same_as_previous.shift(-1)).fill_null(False))["again"]
    if not repeated.any():
        return ordered
    # Only here does every column count: a repeat is the same in all of them.
    contents = (
        events.join(ordered.filter(repeated), on=["table", "seq"], how="semi").unique().sort(pl.all(), nulls_last=True)
    )
    each = contents.group_by("table", "seq", maintain_order=True).agg(
        pl.all().first(), disputed=pl.len() > 1, versions=pl.len()
    )
    return pl.concat([ordered.filter(~repeated), each.select(ordered.columns)]).sort("table", "seq")


def order(carry: pl.DataFrame, events: pl.DataFrame) -> pl.LazyFrame:
    """Carried facts and new events as one ordered frame, with `carried` and the table's number `tid`.

    Events at or before the last carried seq of their table are left out: what was decided is not decided again here.
    """
    fresh = _without_repeats(events).lazy()
    last: pl.Expr = pl.lit(None, pl.Int64)
    if carry.height:
        read = last_seqs(carry)
        last = pl.col("table").replace_strict(read["table"], read["seq"], default=None, return_dtype=pl.Int64)
        fresh = fresh.filter((pl.col("seq") > last).fill_null(True))
    new = fresh.with_columns(
        after=pl.when(pl.col("table") == pl.col("table").shift()).then(pl.col("seq").shift()).otherwise(last),
        carried=pl.lit(False),
    ).select(*FACT, "carried")
    if carry.height:
        carried = carry.lazy().select(*FACT).with_columns(carried=pl.lit(True))
        new = pl.concat([carried, new]).sort("table", "seq", maintain_order=True)
    return new.with_columns(tid=pl.col("table").rle_id()).with_row_index("row")


def late(carry: pl.DataFrame, events: pl.DataFrame) -> pl.DataFrame:
    """Events whose table has already been read past them: the table has to be derived again with them in place."""
    last = last_seqs(carry).rename({"seq": "_last"})
    return events.join(last, on="table", how="inner", maintain_order="left").filter(pl.col("seq") <= pl.col("_last"))
