"""`catwalk audit --what-if`: what would have been owed under other terms, told to a person and to a program."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

import polars as pl
from rich.console import Console
from rich.table import Table

from catwalk.terminal import Misuse, dollars, listing, printable
from detectors.audit import Audited, told
from replay.what_if import DIFFERENCES, Change, Fit, Unfit, beside, change, totals
from rules.games import GAMES

SHOWN: Final = 20
Figures = dict[str, object]

_SUMS: Final = ("wagers", "differ", "owed", "owed_then")
_APART: Final = {
    "not_offered": "not offered under these terms and owed their return",
    "offered": "offered only under these terms",
    "underived": "not derived under these terms",
    "derived": "derived only under these terms",
}


class Supposition:
    """Other terms, and what they come to: added up piece by piece as the files are audited."""

    def __init__(self, said: list[str]) -> None:
        try:
            self.changes: list[Change] = [change(each) for each in said]
        except Unfit as refusal:
            raise Misuse(f"--what-if {refusal}") from None
        keys = Counter(each.key for each in self.changes)
        twice = [key for key, times in keys.items() if times > 1]
        if twice:
            raise Misuse(f"--what-if {twice[0]}: is supposed twice; say it once")
        self.fit = Fit()
        self.rows = pl.DataFrame(schema=DIFFERENCES)
        self.reasons: Counter[str] = Counter()
        self._sums = totals(self.rows)

    def audits(self, pieces: Iterable[pl.DataFrame]) -> Iterator[Audited]:
        """The audit of the pieces as they are; `rows` then holds what differs in the piece that was audited last."""
        for derivation, compared in beside(pieces, self.changes, self.fit):
            self.rows = compared.filter(pl.col("change").is_not_null())
            # "events missing before seq 812" and "… seq 90" are one reason.
            reasons = self.rows.filter(pl.col("owed_then").is_null()).group_by(
                pl.col("reason_then").str.replace_all(r"\bseq \d+", "seq …")
            )
            self.reasons.update(dict(reasons.len().iter_rows()))
            self._sums = _summed(pl.concat([self._sums, totals(compared)]), "game", "table", "wager")
            yield told(derivation)

    def check(self) -> None:
        """Misuse where the changes fitted no opening at all."""
        if not self.fit.fits:
            reasons = "; ".join(f"{reason} (openings: {count:,})" for reason, count in self.fit.left.most_common())
            raise Misuse(f"--what-if fits no table: {reasons or 'no opening of a table was seen'}")

    @property
    def by_table(self) -> pl.DataFrame:
        """The tables and wagers that differ, those with the most money first."""
        differs = pl.any_horizontal(pl.col("differ", *_APART) > 0)
        return (
            self._sums.filter(differs)
            .with_columns(difference=pl.col("owed_then") - pl.col("owed"))
            .sort(pl.col("difference").abs(), "table", "wager", descending=[True, False, False])
        )

    @property
    def by_wager(self) -> pl.DataFrame:
        tables = self.by_table.group_by("game", "wager").agg(tables=pl.len().cast(pl.Int64))
        summed = _summed(self.by_table.select(self._sums.columns), "game", "wager")
        return (
            summed.join(tables, on=["game", "wager"])
            .with_columns(difference=pl.col("owed_then") - pl.col("owed"))
            .sort("game", "wager")
        )


def _summed(parts: pl.DataFrame, *by: str) -> pl.DataFrame:
    return parts.group_by(by).agg(pl.col(*_SUMS, *_APART).sum())


def tell(supposed: Supposition, console: Console) -> None:
    fit = supposed.fit
    console.print()
    terms = ", ".join(f"{each.key} = {each.value or '(not said)'}" for each in supposed.changes)
    console.print(f"If the terms had been {printable(terms)}", style="bold")
    console.print(f"  openings changed: {fit.changed:,}; that said so already: {fit.already:,}")
    for reason, count in fit.left.most_common():
        console.print(f"  left as they are: {count:,} – {printable(reason)}", style="dim")
    by_wager, by_table = supposed.by_wager, supposed.by_table
    if by_table.is_empty():
        console.print("Nothing would have been owed differently.", style="green")
        return
    console.print()
    console.print(_by_wager(by_wager))
    console.print("  Sums are net to the players: what the house would have paid more has a plus.", style="dim")
    _tell_apart(supposed, by_wager, console)
    with_money = by_table.filter(pl.col("differ") > 0)
    if with_money.height:
        console.print()
        console.print(_by_table(with_money.head(SHOWN)))
    if with_money.height > SHOWN:
        console.print(f"  and {with_money.height - SHOWN:,} more: --json has them all", style="dim")


_MONEY: Final = ("owed now", "owed then", "difference")
_COUNTS: Final = ("wagers", "differ")


def _sums(row: dict[str, int]) -> tuple[str, ...]:
    counts = (f"{row[name]:,}" for name in _COUNTS)
    return (*counts, *(dollars(row[name], signed=True) for name in ("owed", "owed_then", "difference")))


def _by_wager(rows: pl.DataFrame) -> Table:
    """One line a wager of a game, and one for all. Sums are net to the players."""
    table = listing("game", "wager", "tables", *_COUNTS, *_MONEY, right=("tables", *_COUNTS, *_MONEY))
    for row in rows.iter_rows(named=True):
        table.add_row(GAMES[row["game"]].title, row["wager"], f"{row['tables']:,}", *_sums(row))
    every = rows.select(pl.col(*_SUMS, "difference").sum()).row(0, named=True)
    table.add_section()
    table.add_row("all", "", "", *_sums(every), style="bold")
    return table


def _by_table(rows: pl.DataFrame) -> Table:
    table = listing("table", "wager", *_COUNTS, *_MONEY, right=(*_COUNTS, *_MONEY))
    for row in rows.iter_rows(named=True):
        table.add_row(printable(row["table"]), row["wager"], *_sums(row))
    return table


def _tell_apart(supposed: Supposition, by_wager: pl.DataFrame, console: Console) -> None:
    """What is no money either way: it stands in none of the sums."""
    for name, words in _APART.items():
        some = by_wager.filter(pl.col(name) > 0)
        if some.height:
            each = ", ".join(f"{wager} {count:,}" for wager, count in some.select("wager", name).iter_rows())
            console.print(f"  {words}: {some[name].sum():,} ({each}), in none of these sums", style="yellow")
    for reason, count in supposed.reasons.most_common(SHOWN):
        console.print(f"    not derived: {count:,} – {printable(reason)}", style="dim")


def figures(supposed: Supposition) -> Figures:
    every = supposed.by_table.select(pl.col(*_SUMS, "difference", *_APART).sum()).row(0, named=True)
    return {
        "changes": {each.key: each.value for each in supposed.changes},
        "openings": {
            "changed": supposed.fit.changed,
            "already": supposed.fit.already,
            "left": [{"reason": reason, "openings": count} for reason, count in supposed.fit.left.most_common()],
        },
        "total": every,
        "by_wager": supposed.by_wager.to_dicts(),
        "by_table": supposed.by_table.to_dicts(),
        "underived": dict(supposed.reasons.most_common()),
    }
