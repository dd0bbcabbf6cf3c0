"""The vocabulary of the law: a wager's ordered decision table, in which the first line that holds decides.

Lines are Polars expressions, so the table that settles one round settles a hundred million. A fact that nobody saw is null;
a line whose condition is null may or may not hold, and then the table answers only if every line in question says the same.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import Final, TypeVar

import polars as pl

# Rows that are there, or a query that will give them.
Rows = TypeVar("Rows", pl.DataFrame, pl.LazyFrame)


@dataclass(frozen=True, slots=True, eq=False)
class Condition:
    """A question about a round in the words of the pit, and the expression that answers it: true, false or null (not seen)."""

    words: str
    holds: pl.Expr


@dataclass(frozen=True, slots=True)
class Outcome:
    """What becomes of a stake: `odds` times the stake, net to the player; None where the elected pay table says how much.

    `table` names that pay table where it is another than the wager's own.
    """

    words: str
    odds: Fraction | None
    table: str | None = None


LOSES: Final = Outcome("loses", Fraction(-1))
PUSHES: Final = Outcome("is returned", Fraction(0))
PAYS_NOTHING: Final = Outcome("pays nothing", Fraction(0))
PAYS_BY_TABLE: Final = Outcome("pays by the pay table", None)


def pays(to: int, one: int = 1) -> Outcome:
    return Outcome(f"pays {to} to {one}", Fraction(to, one))


def pays_by(table: str, words: str) -> Outcome:
    return Outcome(words, None, table)


OTHERWISE: Final = Condition("otherwise", pl.lit(True))


@dataclass(frozen=True, slots=True, eq=False)
class Ruling:
    condition: Condition
    outcome: Outcome
    clause: str


@dataclass(frozen=True, slots=True)
class Needs:
    """Another wager of the same player that must lie beside this one; `only_if` an option of the table has this value."""

    wager: str
    clause: str
    only_if: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Equals:
    """The wager that this one must be exactly as large as."""

    wager: str
    clause: str


@dataclass(frozen=True, slots=True)
class AtMost:
    """The wager that this one may be no more than a part of: a double up to its stake, insurance up to half of it."""

    wager: str
    part: Fraction
    clause: str


@dataclass(frozen=True, slots=True)
class Prize:
    """One cell of a pay table: odds on the stake, or a fixed sum in cents whatever the stake."""

    odds: Fraction = Fraction(0)
    fixed: int = 0

    @property
    def words(self) -> str:
        if self.fixed:
            return f"${self.fixed // 100:,}"
        return f"{self.odds.numerator:,} to {self.odds.denominator}"


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a pay table that the house may elect: a prize for each hand it names."""

    name: str
    clause: str
    editions: frozenset[str]
    prizes: Mapping[str, Prize]
    source: str


@dataclass(frozen=True, slots=True)
class PayTable:
    """All columns for one wager. `hands` are the names of the category codes that the game's ranking yields, lowest first."""

    wager: str
    hands: tuple[str, ...]
    columns: tuple[Column, ...]

    def column(self, name: str) -> Column | None:
        return next((column for column in self.columns if column.name == name), None)


@dataclass(frozen=True, slots=True, eq=False)
class Wager:
    """A wager or bonus and its law. `hand` names the category column that indexes the pay table.

    `other_tables` are those that single lines name in place of `pay_table`; the same hand indexes them.
    """

    name: str
    title: str
    rulings: tuple[Ruling, ...]
    bonus_on: str | None = None
    pay_table: PayTable | None = None
    hand: str | None = None
    before_deal: bool = True
    equals: Equals | None = None
    at_most: AtMost | None = None
    needs: tuple[Needs, ...] = ()
    editions: frozenset[str] = field(default_factory=frozenset)
    bonus_or_on: str | None = None  # where the wager that earns the bonus is one of two, the other one
    other_tables: tuple[PayTable, ...] = ()
    column_by_packs: bool = False  # its columns are the numbers of packs that the shoe may hold
    turns_on: frozenset[str] = frozenset(
        {"player", "community", "dealer"}
    )  # whose cards; no other unread one leaves it open


@dataclass(frozen=True, slots=True)
class _Tables:
    """A wager's lines flattened to arrays: what each line multiplies the stake by and which clause it cites."""

    numerator: pl.Series
    denominator: pl.Series
    fixed: pl.Series
    clause: pl.Series
    table: pl.Series  # which of `tables_of` a line leaves the odds to; null where it states them


def tables_of(wager: Wager) -> tuple[PayTable, ...]:
    """Its own pay table first, then the others that its lines name."""
    return (() if wager.pay_table is None else (wager.pay_table,)) + wager.other_tables


def table_of(wager: Wager, outcome: Outcome) -> PayTable | None:
    """The pay table that an outcome leaves the odds to; None where it states them."""
    if outcome.odds is not None:
        return None
    if outcome.table is None:
        return wager.pay_table
    return next(table for table in wager.other_tables if table.wager == outcome.table)


def _place_of_table(wager: Wager, outcome: Outcome) -> int | None:
    table = table_of(wager, outcome)
    return None if table is None else tables_of(wager).index(table)


@cache
def _flatten(wager: Wager) -> _Tables:
    """Lines first, then one slot for every (column, hand) of each pay table."""
    odds = [ruling.outcome.odds for ruling in wager.rulings]
    slots: list[tuple[Fraction, int, str]] = [
        (Fraction(0) if stated is None else stated, 0, ruling.clause)
        for stated, ruling in zip(odds, wager.rulings, strict=True)
    ]
    for table in tables_of(wager):
        for column in table.columns:
            for hand in table.hands:
                prize = column.prizes.get(hand, Prize())
                slots.append((prize.odds, prize.fixed, column.clause))
    return _Tables(
        numerator=pl.Series([o.numerator for o, _, _ in slots], dtype=pl.Int64),
        denominator=pl.Series([o.denominator for o, _, _ in slots], dtype=pl.Int64),
        fixed=pl.Series([f for _, f, _ in slots], dtype=pl.Int64),
        clause=pl.Series([c for _, _, c in slots], dtype=pl.String),
        table=pl.Series([_place_of_table(wager, ruling.outcome) for ruling in wager.rulings], dtype=pl.UInt8),
    )


@cache
def _first_open(wager: Wager) -> tuple[pl.Expr, pl.Expr]:
    """The first line that may decide, and the outcomes of all lines that may: a set of bits, one for each outcome."""
    outcomes = [(ruling.outcome.odds, ruling.outcome.table) for ruling in wager.rulings]
    line, still_open = pl.lit(None, pl.UInt16), pl.lit(0, pl.UInt16)
    for index, ruling in reversed(list(enumerate(wager.rulings))):
        holds = ruling.condition.holds
        outcome = pl.lit(1 << outcomes.index((ruling.outcome.odds, ruling.outcome.table)), pl.UInt16)
        line = pl.when(holds.fill_null(True)).then(pl.lit(index, pl.UInt16)).otherwise(line)
        still_open = pl.when(holds).then(outcome).otherwise(still_open | holds.is_null().cast(pl.UInt16) * outcome)
    return line, still_open


def _slot(wager: Wager, tables: _Tables) -> pl.Expr:
    """Where in the flattened arrays the answer stands: the line itself, or the pay table's cell it points to."""
    line = pl.col("line").cast(pl.Int32)
    if wager.pay_table is None or wager.hand is None:
        return line
    slot, first_cell = line, len(wager.rulings)
    of_line = pl.lit(tables.table).gather(line)
    for number, table in enumerate(tables_of(wager)):
        columns = pl.Enum([column.name for column in table.columns])
        elected = pl.col("column" if number == 0 else f"{table.wager}_column")
        column = elected.cast(columns, strict=False).to_physical().cast(pl.Int32)
        cell = first_cell + column * len(table.hands) + pl.col(wager.hand).cast(pl.Int32)
        slot = pl.when(of_line == number).then(cell).otherwise(slot)
        first_cell += len(table.columns) * len(table.hands)
    return slot


def settle(rows: Rows, wager: Wager) -> Rows:
    """What the law owes on each row, net cents to the player: adds `line`, `owed` and `clause`.

    `rows` has `stake` (what the odds multiply), `column` (the elected pay table; `bad_beat_column` for another one of that
    name) and the facts the conditions ask for.
    `owed` is null where the answer turns on a fact that is null.
    """
    tables = _flatten(wager)
    line, still_open = _first_open(wager)
    one_outcome = still_open & (still_open - 1) == 0
    at = pl.col("_slot")
    return (
        rows.with_columns(line=pl.when(one_outcome).then(line))
        .with_columns(_slot=_slot(wager, tables))
        .with_columns(
            owed=pl.col("stake") * pl.lit(tables.numerator).gather(at) // pl.lit(tables.denominator).gather(at)
            + pl.lit(tables.fixed).gather(at),
            clause=pl.lit(tables.clause).gather(at),
        )
        .drop("_slot")
    )
