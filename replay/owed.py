"""What the law owes on every spot and bonus: each game's decision tables laid beside its seats."""

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from typing import Final

import polars as pl

from replay.facts import SCHEMA as FRAME
from replay.frames import collected
from replay.rounds import Openings
from replay.wagers import spot_of_bonus, told
from rules.decision import Wager, settle, table_of, tables_of
from rules.games import GAMES

ANSWER: Final[dict[str, pl.DataType]] = {
    "line": pl.UInt16(),
    "owed": pl.Int64(),
    "clause": pl.String(),
    "column": pl.String(),
    "cell": pl.UInt8(),
}
# What a seat says of why an answer is open.
OPEN: Final[dict[str, pl.DataType]] = {
    "player_count": pl.UInt32(),
    **{f"{whose}_{what}": pl.Boolean() for whose in ("player", "dealer", "community") for what in ("unread", "joker")},
    "unclear": pl.String(),
    "player_seqs": pl.List(pl.Int64()),
}

# Pay tables that single lines of a wager name in place of its own.
_OTHERS: Final = sorted({table.wager for game in GAMES.values() for each in game.wagers for table in each.other_tables})


def by_game(values: Mapping[str, str]) -> pl.Expr:
    """What each row's own game says."""
    names = pl.Series([values.get(name) for name in FRAME["game"].categories], dtype=pl.String)  # type: ignore[attr-defined]
    return pl.lit(names).gather(pl.col("game").to_physical())


def _columns(opened: Openings) -> pl.DataFrame:
    """For each opening and wager of its edition: the elected column, those of the other tables, and whether it is offered."""
    rows = [
        (
            opening,
            wager.name,
            terms.columns.get(wager.name),
            wager.pay_table is None or wager.name in terms.columns,
            *(terms.columns.get(other) for other in _OTHERS),
        )
        for opening, terms in opened.terms.items()
        for wager in GAMES[terms.game].wagers_of(terms.edition)
    ]
    return pl.DataFrame(
        rows,
        schema={
            "opening": pl.Int64,
            "wager": pl.String,
            "column": pl.String,
            "offered": pl.Boolean,
            **{f"{other}_column": pl.String for other in _OTHERS},
        },
        orient="row",
    )


def _with_bonuses(spots: pl.LazyFrame, names: pl.DataFrame, played: Iterable[str]) -> pl.LazyFrame:
    """Adds the rows of what is paid without a stake of its own: one for every spot that could earn it."""
    parts, paid_without_stake = [], pl.lit(False)
    for game in (GAMES[name] for name in played):
        for wager in {each.name: each for each in game.wagers if each.bonus_on is not None}.values():
            mine = pl.col("game") == game.name
            earning = (
                spots.filter(mine & pl.col("wager").is_in([wager.bonus_on, wager.bonus_or_on]) & (pl.col("base") > 0))
                .select("game", "edition", "opening", spot=spot_of_bonus(wager.name, names), earning="base")
                .group_by("spot", maintain_order=True)
                .agg(pl.col("game", "edition", "opening").first(), pl.col("earning").max())
            )
            moved = (mine & (pl.col("wager") == wager.name)).fill_null(False)
            parts.append(
                spots.filter(moved)
                .drop("base")
                .join(earning, on="spot", how="full", coalesce=True)
                .with_columns(
                    *(pl.coalesce(name, f"{name}_right") for name in ("game", "edition", "opening")),
                    base=pl.col("earning").fill_null(0),
                    bonus=pl.lit(True),
                    before_deal=pl.lit(None, pl.Boolean),
                )
                .drop("earning", "game_right", "edition_right", "opening_right")
                .pipe(told, names)
            )
            paid_without_stake |= moved
    staked = spots.filter(~paid_without_stake).with_columns(bonus=pl.lit(False))
    return pl.concat([staked, *parts], how="diagonal").with_columns(
        pl.col("lying", "at_close", "given", "taken", "returned", "corrected", "times_settled", "paid").fill_null(0),
        pl.col("was_returned").fill_null(False),
    )


# What a decision table is asked about; the rest is owed its return.
_by_table = (pl.col("offered") & (pl.col("stake") > 0)).fill_null(False)


def _settled(rows: pl.LazyFrame, wager: Wager) -> pl.LazyFrame:
    """The answers of one decision table, with the pay table's cell that the line points to: which hand in which column."""
    answered = settle(rows, wager)
    cell, column = pl.lit(None, pl.UInt8), pl.col("column")
    if wager.hand is not None:
        cell = pl.col(wager.hand).cast(pl.UInt8)
    for table in tables_of(wager)[1:]:
        lines = [place for place, each in enumerate(wager.rulings) if table_of(wager, each.outcome) is table]
        column = pl.when(pl.col("line").is_in(lines)).then(pl.col(f"{table.wager}_column")).otherwise(column)
    return answered.with_columns(cell=cell, column=column)


@dataclass(frozen=True, slots=True)
class _Ruled:
    """What the seats say of each row `at`, and the answer of its wager's decision table where it has one."""

    said: pl.LazyFrame
    answers: pl.LazyFrame


def _ruled(rows: pl.DataFrame, seats: Mapping[str, tuple[pl.DataFrame, tuple[str, ...]]]) -> _Ruled:
    """Only what a table turns on is laid before it, and only its answers come back."""
    answers, said = [], []
    for name, (hands, by) in seats.items():
        asked = sorted({*_asked(GAMES[name].wagers), *OPEN, *by} & set(hands.columns))
        turned = ("at", "wager", "edition", "offered", "stake", "column", *(f"{other}_column" for other in _OTHERS))
        mine = collected(
            rows.lazy()
            .filter(pl.col("game") == name)
            .select(*turned, *by)
            .join(hands.lazy().select(asked), on=list(by), how="left", nulls_equal=True, maintain_order="left")
        )
        said.append(_typed(mine.lazy(), {"at": pl.UInt32(), **OPEN}, mine.columns))
        lying = set(mine["wager"].unique())
        for wager in GAMES[name].wagers:
            if wager.name in lying:
                his = (pl.col("wager") == wager.name) & pl.col("edition").is_in(list(wager.editions)) & _by_table
                ruled = _settled(mine.lazy().filter(his), wager)
                answers.append(_typed(ruled, {"at": pl.UInt32(), **ANSWER}, ("at", *ANSWER)))
    return _Ruled(
        *(
            pl.concat([pl.LazyFrame(schema={"at": pl.UInt32(), **schema}), *parts])
            for parts, schema in ((said, OPEN), (answers, ANSWER))
        )
    )


def _typed(part: pl.LazyFrame, wanted: Mapping[str, pl.DataType], has: Container[str]) -> pl.LazyFrame:
    """The part in these columns, null where it has none."""
    return part.select(
        (pl.col(name) if name in has else pl.lit(None)).cast(dtype).alias(name) for name, dtype in wanted.items()
    )


@cache
def _asked(wagers: tuple[Wager, ...]) -> frozenset[str]:
    """The facts of a seat that the decision tables turn on."""
    conditions = (ruling.condition.holds for wager in wagers for ruling in wager.rulings)
    hands = (wager.hand for wager in wagers if wager.hand is not None)
    return frozenset({*hands, *(name for holds in conditions for name in holds.meta.root_names())})


def owed(
    spots: pl.DataFrame,
    names: pl.DataFrame,
    seats: Mapping[str, tuple[pl.DataFrame, tuple[str, ...]]],
    due: pl.DataFrame,
    opened: Openings,
) -> pl.LazyFrame:
    """One row a wager or bonus: stake, owed, paid, clause, and the reason where nothing can be said."""
    rows = collected(
        _with_bonuses(spots.lazy(), names, seats)
        .join(_columns(opened).lazy(), on=["opening", "wager"], how="left")
        .join(
            due.lazy().select("rid", "table", "round", "voided", "cause_clause", round_reason="reason"),
            on="rid",
            how="left",
        )
        .rename({"base": "stake"})
        .with_columns(pl.col("offered").fill_null(False))
        .with_row_index("at")
    )
    ruled = _ruled(rows, seats)
    by_table = _by_table & pl.col("game").is_not_null()
    not_offered, nothing_there, void_clause = (
        by_game({game.name: clause(game) for game in GAMES.values()})
        for clause in (attrgetter(f"{what}_clause") for what in ("not_offered", "settle", "void"))
    )
    void = pl.col("voided") | pl.col("cause_clause").is_not_null()
    whole = pl.col("round_reason").is_null()
    unseen = pl.col("owed").is_null()
    return (
        rows.lazy()
        .rename({"column": "elected"})
        .join(ruled.answers, on="at", how="left")
        .with_columns(
            line=pl.when(whole & ~void).then("line"),
            column=pl.coalesce("column", "elected"),
            owed=pl.when(whole & (void | ~by_table)).then(0).when(whole).then("owed"),
        )
        # Of a bonus that nobody earned and nobody paid there is nothing to say.
        .filter(
            ~pl.col("bonus") | unseen | (pl.col("owed") != 0) | (pl.col("times_settled") > 0) | (pl.col("paid") != 0)
        )
        .with_columns(
            clause=pl.when(unseen)
            .then(None)
            .when(void)
            .then(pl.coalesce("cause_clause", void_clause))
            .when(by_table)
            .then("clause")
            .when(pl.col("stake") > 0)
            .then(not_offered)
            .otherwise(nothing_there),
            stake=pl.when("bonus").then(0).otherwise("stake"),
        )
        .join(ruled.said, on="at", how="left")
        .with_columns(reason=pl.when(~whole).then("round_reason").when(unseen).then(_reason_for_one_wager()))
        .sort("spot")
        .drop("at", "spot", "name", "elected")
    )


def _reason_for_one_wager() -> pl.Expr:
    hands = {"player": "the player's hand", "dealer": "the dealer's hand", "community": "the board"}
    no_cards = "no cards were dealt"
    reasons = [(pl.col("player_count").fill_null(0) == 0, no_cards)]
    for what, words in (("joker", "a joker lies in {}"), ("unread", "a card of {} was not read")):
        reasons.extend((pl.col(f"{whose}_{what}"), words.format(hand)) for whose, hand in hands.items())
    # Numbers first, words last: nearly every row has no use for any.
    which = pl.coalesce(pl.when(holds).then(pl.lit(number, pl.UInt8)) for number, (holds, _) in enumerate(reasons))
    words_of = pl.lit(pl.Series([words for _, words in reasons]))
    return pl.coalesce(words_of.gather(which), pl.col("unclear"), pl.lit(no_cards))
