"""What would have been owed under other terms: the same facts, but for what `table_opened` said, through the same derivation.

A supposition is a change to the opening of a table, made before anything is derived. Openings that it does not fit, because the
game has no such pay table, option or edition or because the law refuses the terms, stay as they were, and it is told why.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Final

import polars as pl

from ingest import frame
from replay import facts
from replay.derivation import Derivation, derive
from rules import terms as rules_terms
from rules.decision import tables_of
from rules.game import Game, Terms
from rules.games import GAMES

MAPS: Final = ("pay_tables", "options")
KEYS: Final = ("edition", "dealing", "decks", *(f"{each}.NAME" for each in MAPS))
_SAID: Final = ("game", "edition", "pay_tables", "options", "dealing", "decks")

Opening = dict[str, str | int | None]


class Unfit(ValueError):
    """A change that no game knows, or that is no change at all."""


@dataclass(frozen=True, slots=True)
class Change:
    """`edition=1998`, `pay_tables.pair_plus=2`, `options.burn=0`; an empty value takes a name back as if it had not been said."""

    field: str
    name: str | None
    value: str

    @property
    def key(self) -> str:
        return self.field if self.name is None else f"{self.field}.{self.name}"


def change(said: str) -> Change:
    """`pay_tables.pair_plus=2` read; Unfit where no game could be opened so."""
    key, equals, value = (part.strip() for part in said.partition("="))
    where, dot, name = key.partition(".")
    if not equals or not (name if where in MAPS else key in KEYS and not dot):
        raise Unfit(f"{said!r} is no change of terms; say KEY=VALUE, where KEY is one of {', '.join(KEYS)}")
    asked = Change(where, name or None, value)
    reasons = [unfit(game, asked) for game in GAMES.values()]
    if None not in reasons:
        raise Unfit(f"{said!r} fits no game: {'; '.join(filter(None, reasons))}")
    return asked


def unfit(game: Game, asked: Change) -> str | None:
    """Why this game has no such thing to change; None where it has. Whether the law offers the value is asked later."""
    if asked.field == "pay_tables":
        known = {table.wager for wager in game.wagers for table in tables_of(wager)}
        return None if asked.name in known else f"{game.title} has no pay table {asked.name}"
    if asked.field == "options":
        known = {option.name for option in game.options}
        return None if asked.name in known else f"{game.title} has no option {asked.name}"
    offered = {
        "edition": [edition.name for edition in game.editions],
        "dealing": list(game.deal),
        # A shoe of several packs, or one deck and perhaps a second to alternate with.
        "decks": [str(packs) for packs in (game.packs if game.packs != (1,) else (1, 2))],
    }[asked.field]
    return None if asked.value in offered else f"{game.title} has no {asked.field} {asked.value}"


@dataclass(slots=True)
class Fit:
    """How many openings the changes fitted, how many were like that already, and why others were left as they are."""

    changed: int = 0
    already: int = 0
    left: Counter[str] = field(default_factory=Counter)

    @property
    def fits(self) -> bool:
        return self.changed + self.already > 0


def under_other_terms(events: pl.DataFrame, changes: Sequence[Change], fit: Fit) -> pl.DataFrame:
    """The events with every opening changed that the changes fit; `fit` counts what became of them."""
    opened = (
        events.with_row_index("_row")
        .filter(pl.col("type") == "table_opened")
        .select("_row", "table", "seq", *_SAID, day=pl.col("at").dt.date())
    )
    counted: set[tuple[str, int]] = set()
    rows: list[Opening] = []
    # A Python loop over table openings, a handful a day.
    for row in opened.iter_rows(named=True):
        place, day = (row["table"], row["seq"]), row["day"]
        said: Opening = {name: row[name] for name in _SAID}
        supposed, reasons = supposed_opening(said, day, changes)
        rows.append({"_row": row["_row"], **supposed})
        if place in counted:
            continue  # the same fact delivered twice, or with a second content
        counted.add(place)
        fit.left.update(reasons)
        fit.changed += supposed != said
        fit.already += supposed == said and not reasons
    if not rows:
        return events
    new = pl.DataFrame(rows, schema={"_row": pl.UInt32, **{name: frame.SCHEMA[name] for name in _SAID}}, orient="row")
    return events.with_columns(
        events.get_column(name).scatter(new["_row"], new[name]) for name in _SAID if name != "game"
    )


def supposed_opening(said: Opening, day: date, changes: Sequence[Change]) -> tuple[Opening, list[str]]:
    """The opening with the changes that its game knows, and the reasons why others were not made.

    Terms that the law refuses change nothing: then the opening is as it was.
    """
    game = GAMES.get(str(said["game"]))
    if game is None:
        return said, [f"rounds of {said['game']} are not derived yet"]
    fitting = [each for each in changes if unfit(game, each) is None]
    reasons = [reason for each in changes if (reason := unfit(game, each)) is not None]
    supposed = said
    for each in fitting:
        supposed = supposed | {each.field: _changed(supposed[each.field], each)}
    elected = _elected(supposed, day)
    if fitting and not isinstance(elected, Terms):
        return said, [*reasons, elected.reason]
    same = elected == _elected(said, day) and all(supposed[name] == said[name] for name in ("dealing", "decks"))
    return said if same else supposed, reasons


def _elected(opening: Opening, day: date) -> Terms | rules_terms.Unreadable:
    pay_tables, options = (None if opening[name] is None else str(opening[name]) for name in MAPS)
    packs = None if opening["decks"] is None else int(opening["decks"])
    return rules_terms.read(str(opening["game"]), str(opening["edition"]), pay_tables, options, day, packs=packs)


def _changed(said: str | int | None, asked: Change) -> str | int | None:
    if asked.name is None:
        return int(asked.value) if asked.field == "decks" else asked.value
    named = json.loads(str(said)) if said else {}
    others = {name: value for name, value in named.items() if name != asked.name}
    changed = others | {asked.name: asked.value} if asked.value else others
    return json.dumps(changed, sort_keys=True, separators=(",", ":"))


# What differs

OTHERWISE, NOT_OFFERED, OFFERED, UNDERIVED, DERIVED = (
    "owed otherwise",
    "not offered then",
    "offered only then",
    "not derived then",
    "derived only then",
)
DIFFERENCES: Final[dict[str, pl.DataType]] = {
    "table": pl.String(),
    "round": pl.Int64(),
    "seat": pl.Int16(),
    "hand": pl.Int16(),
    "player": pl.String(),
    "game": pl.String(),
    "wager": pl.String(),
    "stake": pl.Int64(),
    "owed": pl.Int64(),
    "owed_then": pl.Int64(),
    "difference": pl.Int64(),
    "change": pl.String(),
    "clause": pl.String(),
    "clause_then": pl.String(),
    "reason": pl.String(),
    "reason_then": pl.String(),
}
_WAGER: Final = ["rid", "table", "round", "seat", "hand", "player", "wager"]
_ANSWER: Final = ("owed", "clause", "reason")


def beside(
    pieces: Iterable[pl.DataFrame], changes: Sequence[Change], fit: Fit
) -> Iterator[tuple[Derivation, pl.DataFrame]]:
    """Each piece derived as it was, and every wager of it beside what it would have been owed: see `compared`.

    The two derivations carry on each its own facts, so a piece is all that memory holds.
    """
    carry, carry_then = facts.none(), facts.none()
    waiting: pl.DataFrame | None = None

    def both(piece: pl.DataFrame, final: bool) -> tuple[Derivation, Derivation]:
        return derive(carry, piece, final), derive(carry_then, under_other_terms(piece, changes, fit), final)

    for piece in pieces:
        if waiting is not None:
            now, then = both(waiting, final=False)
            carry, carry_then = now.carry, then.carry
            yield now, compared(now, then)
        waiting = piece
    if waiting is not None:
        now, then = both(waiting, final=True)
        yield now, compared(now, then)


def compared(now: Derivation, then: Derivation) -> pl.DataFrame:
    """One row a wager of either derivation, with `change`: null where the answer is the same.

    A bonus that is owed nothing has no row of its own, so a row that only one of the two has is owed nothing in the other.
    """
    seen = pl.lit(True)
    left = now.wagers.select(*_WAGER, "stake", *_ANSWER, _now=seen)
    right = then.wagers.select(
        *_WAGER, stake_then="stake", **{f"{name}_then": pl.col(name) for name in _ANSWER}, _then=seen
    )
    not_offered = {game.name: game.not_offered_clause for game in GAMES.values()}
    refuses = pl.col("game").replace_strict(not_offered, default=None, return_dtype=pl.String)
    offered, offered_then = ((pl.col(clause) != refuses).fill_null(True) for clause in ("clause", "clause_then"))
    known, known_then = pl.col("owed").is_not_null(), pl.col("owed_then").is_not_null()
    answers = (
        pl.when(known & ~known_then)
        .then(pl.lit(UNDERIVED))
        .when(~known & known_then)
        .then(pl.lit(DERIVED))
        .when(offered & ~offered_then)
        .then(pl.lit(NOT_OFFERED))
        .when(~offered & offered_then)
        .then(pl.lit(OFFERED))
        .when(pl.col("owed") != pl.col("owed_then"))
        .then(pl.lit(OTHERWISE))
    )
    return (
        left.join(right, on=_WAGER, how="full", coalesce=True, nulls_equal=True)
        .join(now.rounds.select("rid", pl.col("game").cast(pl.String)), on="rid", how="left")
        .sort(_WAGER, nulls_last=True)
        .with_columns(
            stake=pl.coalesce("stake", "stake_then"),
            owed=pl.when("_now").then("owed").otherwise(0),
            owed_then=pl.when("_then").then("owed_then").otherwise(0),
        )
        .with_columns(change=answers)
        .with_columns(
            difference=pl.when(pl.col("change") == OTHERWISE).then(pl.col("owed_then") - pl.col("owed")),
        )
        .select(pl.col(name).cast(dtype) for name, dtype in DIFFERENCES.items())
    )


def totals(rows: pl.DataFrame) -> pl.DataFrame:
    """By game, table and wager: the wagers derived both ways and what they were owed; what is no money is counted apart."""
    change = pl.col("change")
    money = (change.is_null() & pl.col("owed").is_not_null()) | (change == OTHERWISE)
    return rows.group_by("game", "table", "wager").agg(
        wagers=money.sum().cast(pl.Int64),
        differ=(change == OTHERWISE).sum().cast(pl.Int64),
        owed=pl.when(money).then(pl.col("owed")).sum(),
        owed_then=pl.when(money).then(pl.col("owed_then")).sum(),
        **{
            name: (change == kind).sum().cast(pl.Int64)
            for name, kind in (
                ("not_offered", NOT_OFFERED),
                ("offered", OFFERED),
                ("underived", UNDERIVED),
                ("derived", DERIVED),
            )
        },
    )
