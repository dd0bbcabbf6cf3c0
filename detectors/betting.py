"""BET: chips that should not lie where they lie. The payout follows the felt; the finding is the wager."""

import polars as pl

from detectors.finding import dollars, tell
from replay.derivation import Derivation
from rules.game import Game
from rules.games import GAMES

lying, at_close = pl.col("lying"), pl.col("at_close")
title = pl.col("wager").str.replace_all("_", " ")


def clause_of(game: pl.Expr, clauses: dict[str, str]) -> pl.Expr:
    """The clause that each row's own game cites."""
    return game.cast(pl.String).replace_strict(clauses, default=None, return_dtype=pl.String)


def _seen(derivation: Derivation) -> pl.DataFrame:
    """Spots of whole rounds, each beside the law's view of when its chips may move."""
    return derivation.wagers.filter(pl.col("round_reason").is_null() & ~pl.col("bonus"))


def _moved_late(derivation: Derivation, which: pl.Expr, chips: pl.Expr, how: str) -> pl.DataFrame:
    """Spots whose chips moved after "No more bets" though the law lets them move only before."""
    closed = pl.col("before_deal").fill_null(True) & pl.col("late_seq").is_not_null()
    return tell(
        _seen(derivation).filter(closed & which),
        "rid",
        "seat",
        "hand",
        "wager",
        "player",
        seqs=pl.concat_list("late_seq"),
        amount=chips,
        clause=clause_of(pl.col("game"), {game.name: game.late_clause for game in GAMES.values()}),
        message=pl.format('Seat {} {}: {} {} after "No more bets".', "seat", title, dollars(chips), pl.lit(how)),
    )


def late_wager(derivation: Derivation) -> pl.DataFrame:
    """Flags chips placed or added after the dealer announced "No more bets".

    Why: a bet made when cards are out is the oldest cheat at a table: past posting.

    Blind to: chips added and taken off again before the round ended, and wagers that the law lets come later (Play).
    """
    return _moved_late(derivation, lying > at_close, lying - at_close, "added")


def wager_pulled(derivation: Derivation) -> pl.DataFrame:
    """Flags chips lowered or withdrawn after the dealer announced "No more bets".

    Why: pulling back a bet that is going to lose is the mirror of past posting. The wager is owed as it lay at the announcement;
    a dealer who settles only what was left of it does no second wrong.

    Blind to: chips taken off and put back before the round ended, and chips taken off Play, which are BET03 where they are then
    not the Ante.
    """
    return _moved_late(derivation, lying < at_close, at_close - lying, "withdrawn")


def _equal_to(game: Game) -> pl.DataFrame:
    rows = [
        (game.name, wager.name, wager.equals.wager, wager.equals.clause)
        for wager in game.wagers
        if wager.equals is not None
    ]
    return pl.DataFrame(rows, schema=["game", "wager", "model", "size_clause"], orient="row")


def wrong_size(derivation: Derivation) -> pl.DataFrame:
    """Flags a wager that must equal another and does not: a Play that is not the Ante, or a player who stayed in without one.

    Why: a player who sees his cards and bets more than he may on a good hand, or less on a poor one, plays another game.

    Blind to: a wager whose model was itself moved after "No more bets", as long as it equals one of the two amounts.
    """
    sizes = pl.concat([_equal_to(game) for game in GAMES.values()]).with_columns(
        pl.col("game").cast(derivation.rounds.schema["game"])
    )
    seen = _seen(derivation)
    models = seen.select(
        "rid", "seat", "hand", "player", model="wager", model_lying="lying", model_at_close="at_close"
    ).filter((pl.col("model_lying") > 0) | (pl.col("model_at_close") > 0))
    rows = (
        seen.filter(lying > 0)
        .join(sizes, on=["game", "wager"], how="inner")
        .join(models, on=["rid", "seat", "hand", "player", "model"], how="inner", nulls_equal=True)
        .filter((lying != pl.col("model_lying")) & (lying != pl.col("model_at_close")))
        .pipe(
            tell,
            "rid",
            "seat",
            "hand",
            "wager",
            "player",
            seqs=pl.concat_list("moved_seq"),
            amount=lying,
            clause="size_clause",
            message=pl.format(
                "Seat {} {}: {} where the {} is {}.",
                "seat",
                title,
                dollars(lying),
                "model",
                dollars(pl.max_horizontal("model_lying", "model_at_close")),
            ),
        )
    )
    return pl.concat([rows, _stayed_without_chips(derivation)], how="diagonal_relaxed")


def _stayed_without_chips(derivation: Derivation) -> pl.DataFrame:
    """A decision to play with nothing on Play."""
    played = (pl.col("choice") == "play") & (pl.col("play") == 0) & (pl.col("ante") > 0)
    return (
        derivation.seats.filter((pl.col("game") == "three-card-poker") & played)
        .join(
            derivation.rounds.filter(pl.col("reason").is_null() & ~pl.col("voided")).select("rid", "last_seq"),
            on="rid",
            how="inner",
        )
        .pipe(
            tell,
            "rid",
            "seat",
            "hand",
            wager=pl.lit("play"),
            seqs=pl.col("player_seqs").fill_null(pl.concat_list("last_seq")),
            amount=pl.lit(0, pl.Int64),
            clause=pl.lit("19:47-20.10(b)"),
            message=pl.format("Seat {} play: the player stayed in with no chips on Play.", "seat"),
        )
    )


def companion_missing(derivation: Derivation) -> pl.DataFrame:
    """Flags a wager without the one it needs: a 6 Card Bonus without Pair Plus (version ii: or without an Ante), a Play
    without an Ante.

    Why: the price of a bonus wager is the wager it must lie beside; alone it is not offered.

    Blind to: a companion that was pulled after "No more bets", which is BET02.
    """
    needs = [
        (opening, wager.name, place, need.wager, need.clause)
        for opening, terms in derivation.openings.terms.items()
        for wager in GAMES[terms.game].wagers_of(terms.edition)
        for place, need in enumerate(wager.needs)
        if need.only_if is None or terms.options.get(need.only_if[0]) == need.only_if[1]
    ]
    needed = pl.DataFrame(
        needs,
        schema={
            "opening": pl.Int64,
            "wager": pl.String,
            "place": pl.Int64,
            "companion": pl.String,
            "need_clause": pl.String,
        },
        orient="row",
    )
    seen = _seen(derivation).filter(pl.col("stake") > 0)
    present = seen.select("rid", "seat", "hand", "player", companion="wager")
    spot = ["rid", "seat", "hand", "player"]
    return (
        seen.filter(pl.col("offered"))
        .join(needed, on=["opening", "wager"], how="inner")
        .join(present, on=[*spot, "companion"], how="anti", nulls_equal=True)
        .sort("place")
        .unique([*spot, "wager"], keep="first", maintain_order=True)
        .pipe(
            tell,
            "rid",
            "seat",
            "hand",
            "wager",
            "player",
            seqs=pl.concat_list("placed_seq"),
            amount="stake",
            clause="need_clause",
            message=pl.format(
                "Seat {} {}: {} placed without the {} it needs.",
                "seat",
                title,
                dollars(pl.col("stake")),
                pl.col("companion").str.replace_all("_", " "),
            ),
        )
    )
