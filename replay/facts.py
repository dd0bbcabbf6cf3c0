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


def _runs(tables: pl.Series) -> pl.DataFrame:
    """The tables as they stand: `table`, `start` and `rows` of every run of one."""
    runs = tables.rle().struct.unnest()
    return runs.select(table="value", start=pl.col("len").cum_sum() - pl.col("len"), rows="len")


def _ascends(events: pl.DataFrame) -> bool:
    """Whether the events stand in the order of table and seq already, none of them twice."""
    runs = _runs(events["table"])
    goes_back = (events["seq"] <= events["seq"].shift()).arg_true()
    tables_ascend: bool = runs.select((pl.col("table") > pl.col("table").shift()).all()).item()
    return tables_ascend and bool(goes_back.is_in(runs["start"].implode()).all())


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


def _unread(events: pl.DataFrame, read: pl.DataFrame) -> pl.DataFrame:
    """The events beyond what was read of their table, with `after`."""
    runs = _runs(events["table"]).join(read, on="table", how="left", maintain_order="left")
    first = events["seq"].gather(runs["start"])
    if (first <= runs["seq"]).any():
        last = pl.col("table").replace_strict(read["table"], read["seq"], default=None, return_dtype=pl.Int64)
        return _unread(events.filter((pl.col("seq") > last).fill_null(True)), read)
    after = events["seq"].shift().scatter(runs["start"], runs["seq"])
    return events.with_columns(after=after)


def _continued(carried: pl.DataFrame, new: pl.DataFrame) -> pl.DataFrame:
    """Each table's carried facts and then its new ones. Laid down piece by piece: to sort what stands in order already cost more
    than all that comes after it."""
    pieces = [
        (table, place, facts.slice(start, rows))
        for place, facts in enumerate((carried, new))
        for table, start, rows in _runs(facts["table"]).iter_rows()
    ]
    return pl.concat([piece for *_, piece in sorted(pieces, key=lambda piece: piece[:2])], rechunk=True)


def order(carry: pl.DataFrame, events: pl.DataFrame) -> pl.LazyFrame:
    """Carried facts and new events as one ordered frame, with `carried` and the table's number `tid`.

    Events at or before the last carried seq of their table are left out: what was decided is not decided again here.
    """
    facts = _unread(_without_repeats(events), last_seqs(carry)).select(*FACT, carried=pl.lit(False))
    if carry.height:
        known = carry.select(*FACT, carried=pl.lit(True)).sort("table", "seq", maintain_order=True)
        facts = _continued(known, facts)
    return facts.lazy().with_columns(tid=pl.col("table").rle_id()).with_row_index("row")


def late(carry: pl.DataFrame, events: pl.DataFrame) -> pl.DataFrame:
    """Events whose table has already been read past them: the table has to be derived again with them in place."""
    last = last_seqs(carry).rename({"seq": "_last"})
    return events.join(last, on="table", how="inner", maintain_order="left").filter(pl.col("seq") <= pl.col("_last"))
