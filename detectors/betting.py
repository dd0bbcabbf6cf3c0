"""BET: chips that should not lie where they lie. The payout follows the felt; the finding is the wager."""

from fractions import Fraction
from functools import cache, reduce
from operator import or_

import polars as pl

from detectors.evidence import Evidence
from detectors.finding import Tellings, dollars, tell
from replay.facts import SCHEMA as FRAME
from replay.frames import place_in
from replay.wagers import SPOT
from rules.game import Game
from rules.games import GAMES

lying, at_close = pl.col("lying"), pl.col("at_close")
title = pl.col("wager").str.replace_all("_", " ")


def clause_of(game: pl.Expr, clauses: dict[str, str]) -> pl.Expr:
    """The clause that each row's own game cites."""
    return game.cast(pl.String).replace_strict(clauses, default=None, return_dtype=pl.String)


def _seen(evidence: Evidence) -> pl.LazyFrame:
    """Spots of whole rounds, each beside the law's view of when its chips may move."""
    return evidence.wagers.filter(pl.col("round_reason").is_null() & ~pl.col("bonus"))


def _moved_late(evidence: Evidence, which: pl.Expr, chips: pl.Expr, how: str) -> Tellings:
    """Spots whose chips moved after "No more bets" though the law lets them move only before. A wager that the table does not
    offer has no time at all: it is BET08."""
    closed = pl.col("before_deal").fill_null(True) & pl.col("late_seq").is_not_null() & pl.col("offered")
    return tell(
        _seen(evidence).filter(closed & which),
        *SPOT,
        seqs=pl.concat_list("late_seq"),
        amount=chips,
        clause=clause_of(pl.col("game"), {game.name: game.late_clause for game in GAMES.values()}),
        message=pl.format('Seat {} {}: {} {} after "No more bets".', "seat", title, dollars(chips), pl.lit(how)),
    )


def late_wager(evidence: Evidence) -> Tellings:
    """Flags chips placed or added after the dealer announced "No more bets".

    Why: a bet made when cards are out is the oldest cheat at a table: past posting.

    Blind to: chips added and taken off again before the round ended, and wagers that the law lets come later (Play).
    """
    return _moved_late(evidence, lying > at_close, lying - at_close, "added")


def wager_pulled(evidence: Evidence) -> Tellings:
    """Flags chips lowered or withdrawn after the dealer announced "No more bets".

    Why: pulling back a bet that is going to lose is the mirror of past posting. The wager is owed as it lay at the announcement;
    a dealer who settles only what was left of it does no second wrong.

    Blind to: chips taken off and put back before the round ended, and chips taken off Play, which are BET03 where they are then
    not the Ante.
    """
    return _moved_late(evidence, lying < at_close, at_close - lying, "withdrawn")


@cache
def _sizes() -> pl.DataFrame:
    """For each wager that must be as large as another, or no larger than a part of it: which one, which part and the clause."""
    rows = [
        (game.name, wager.name, rule.wager, exact, part.numerator, part.denominator, rule.clause)
        for game in GAMES.values()
        for wager in game.wagers
        for rule, exact, part in (
            (wager.equals, True, Fraction(1)),
            (wager.at_most, False, Fraction(1) if wager.at_most is None else wager.at_most.part),
        )
        if rule is not None
    ]
    schema: dict[str, pl.DataType] = {
        "game": FRAME["game"],
        "wager": pl.String(),
        "model": pl.String(),
        "exact": pl.Boolean(),
        "part": pl.Int64(),
        "of": pl.Int64(),
        "size_clause": pl.String(),
    }
    return pl.DataFrame(rows, schema=schema, orient="row").unique(maintain_order=True)


def _beside_models(wagers: pl.LazyFrame, seen: pl.LazyFrame) -> pl.LazyFrame:
    """Wagers beside the one that sets their size: on the same hand or, of a hand that came of a split, on the bettor's first."""
    box = ["rid", "seat", "player", "model"]
    models = seen.filter(
        pl.col("wager").is_in(_sizes()["model"].unique().implode()) & ((lying > 0) | (at_close > 0))
    ).select(*box[:-1], "hand", model="wager", model_lying="lying", model_at_close="at_close")
    beside = wagers.join(models, on=[*box, "hand"], how="left", nulls_equal=True, maintain_order="left")
    alone = pl.col("model_lying").is_null()
    first = models.sort("hand").join(wagers.filter(pl.col("hand") > 1), on=["rid", "seat"], how="semi")
    of_a_split = (
        beside.filter(alone & (pl.col("hand") > 1))
        .drop("model_lying", "model_at_close")
        .join(
            first.unique(box, keep="first", maintain_order=True).drop("hand"),
            on=box,
            how="inner",
            nulls_equal=True,
            maintain_order="left",
        )
    )
    return pl.concat([beside.filter(~alone), of_a_split])


def wrong_size(evidence: Evidence) -> Tellings:
    """Flags a wager of a size that the law does not allow: one that must equal another and does not (a Play, In To Win, Draw or
    Odds that is not the Ante), a Raise of no multiple that its street allows, a Double above its stake, an Insurance above
    half of it, and a player who stayed in without putting chips down.

    Why: a player who sees his cards and bets more than he may on a good hand, or less on a poor one, plays another game.

    Blind to: a wager whose model was itself moved after "No more bets", as long as it equals one of the two amounts.
    """
    seen = _seen(evidence)
    sized = _beside_models(seen.filter(lying > 0).join(_sizes().lazy(), on=["game", "wager"], how="inner"), seen)
    now, before = (pl.col(name) * pl.col("part") // pl.col("of") for name in ("model_lying", "model_at_close"))
    # Chips that were right at "No more bets" and moved since are late or pulled, and told as that.
    was_right = pl.col("before_deal") & ((at_close == now) | (at_close == before))
    wrong = (
        pl.when("exact")
        .then((lying != now) & (lying != before) & ~was_right.fill_null(False))
        .otherwise(lying > pl.max_horizontal(now, before))
    )
    rows = tell(
        sized.filter(wrong),
        *SPOT,
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
    return rows + _raised_by_no_multiple(evidence, seen) + _stayed_without_chips(evidence)


def _first_decisions(evidence: Evidence) -> pl.LazyFrame:
    return evidence.decisions.group_by("rid").agg(decision=pl.col("seq").min())


def _board(evidence: Evidence) -> pl.LazyFrame:
    """The shared cards as they were dealt, each beside the round's first decision."""
    return evidence.cards.filter((pl.col("type") == "card_dealt") & (pl.col("to") == "community")).join(
        _first_decisions(evidence), on="rid", how="left", maintain_order="left"
    )


def _turned_over(evidence: Evidence) -> pl.LazyFrame:
    return evidence.inside.filter(pl.col("type") == "community_revealed")


def streets_unknown(evidence: Evidence) -> pl.LazyFrame:
    """Rounds whose board lay open before anybody decided, with no word of its streets: which one it was nobody can say. The
    board is DEAL04."""
    too_soon = (pl.col("face") == "up") & (pl.col("seq") < pl.col("decision"))
    return _board(evidence).filter(too_soon).join(_turned_over(evidence), on="rid", how="anti").select("rid").unique()


def community_shown(evidence: Evidence) -> pl.LazyFrame:
    """How many of the shared cards had come, street by street, from which event on.

    A street is laid after a decision, face up or (which is DEAL04) face down, or it is turned over where the board came first.
    """
    turned_over = _turned_over(evidence)
    up = (
        _board(evidence)
        .filter(pl.col("seq") > pl.col("decision"))
        .join(turned_over, on="rid", how="anti", maintain_order="left")
        .select("rid", "seq", shown=place_in("rid") + 1)
    )
    revealed = turned_over.select(
        "rid",
        "seq",
        shown=pl.col("street").cast(pl.String).replace_strict({"flop": 3, "river": 5}, return_dtype=pl.Int64),
    )
    return pl.concat([up, revealed]).sort("seq")


def _raised_by_no_multiple(evidence: Evidence, seen: pl.LazyFrame) -> Tellings:
    """A Raise is a multiple of the Ante, and how many times it may be turns on the street it was made in."""
    if not any(GAMES[name].streets for name in evidence.hands):
        return ()
    allowed = pl.LazyFrame(
        [
            (game.name, street.community_cards, street.raises, street.clause)
            for game in GAMES.values()
            for street in game.streets
        ],
        schema={"game": FRAME["game"], "from": pl.Int64, "raises": pl.List(pl.Int64), "street_clause": pl.String},
        orient="row",
    ).sort("from")
    raises = (
        seen.filter((pl.col("wager") == "raise") & (lying > 0))
        .join(streets_unknown(evidence), on="rid", how="anti", maintain_order="left")
        .with_columns(model=pl.lit("ante"))
    )
    in_street = (
        raises.sort("placed_seq")
        .join_asof(
            community_shown(evidence),
            left_on="placed_seq",
            right_on="seq",
            by="rid",
            check_sortedness=False,
        )
        .with_columns(pl.col("shown").fill_null(0))
        .sort("shown")
        .join_asof(allowed, left_on="shown", right_on="from", by="game", check_sortedness=False)
    )
    allowed_now = (
        pl.col("raises").list.eval(pl.element()).list.contains(lying // pl.col(ante)) & (lying % pl.col(ante) == 0)
        for ante in ("model_lying", "model_at_close")
    )
    fits = reduce(or_, (each.fill_null(False) for each in allowed_now))
    return (
        _beside_models(in_street, seen)
        .filter(~fits)
        .sort("rid", "seat")
        .pipe(
            tell,
            *SPOT,
            seqs=pl.concat_list("moved_seq"),
            amount=lying,
            clause="street_clause",
            message=pl.format(
                "Seat {} raise: {} is no multiple of the ante of {} that may be raised then.",
                "seat",
                dollars(lying),
                dollars(pl.max_horizontal("model_lying", "model_at_close")),
            ),
        )
    )


def _stayed_without_chips(evidence: Evidence) -> Tellings:
    """A decision that puts chips down, and none of the player's on the wager it names."""
    stays = [
        (game.name, choice, wager, _size_clause(game, wager))
        for game in GAMES.values()
        for choice, wager in game.staked.items()
    ]
    named = pl.LazyFrame(
        stays,
        schema={"game": FRAME["game"], "choice": pl.String, "wager": pl.String, "size_clause": pl.String},
        orient="row",
    )
    chips = evidence.wagers.filter(pl.col("stake") > 0).select("rid", "seat", "hand", "wager").unique()
    return (
        # Chips that contradict the decision are DEAL07.
        evidence.seats.filter(pl.col("due_cards") & pl.col("unclear").is_null())
        .join(named, on=["game", "choice"], how="inner", maintain_order="left")
        .join(chips, on=["rid", "seat", "hand", "wager"], how="anti")
        .unique(["rid", "seat", "hand"], keep="first", maintain_order=True)
        .join(
            evidence.rounds.filter(
                pl.col("reason").is_null() & ~pl.col("voided") & pl.col("cause_clause").is_null()
            ).select("rid", "last_seq"),
            on="rid",
            how="inner",
        )
        .pipe(
            tell,
            "rid",
            "seat",
            "hand",
            "wager",
            seqs=pl.col("player_seqs").fill_null(pl.concat_list("last_seq")),
            amount=pl.lit(0, pl.Int64),
            clause="size_clause",
            message=pl.format("Seat {} {}: the player stayed in with no chips there.", "seat", title),
        )
    )


def _size_clause(game: Game, name: str) -> str | None:
    wager = next(each for each in game.wagers if each.name == name)
    if wager.equals is not None:
        return wager.equals.clause
    if wager.at_most is not None:
        return wager.at_most.clause
    return game.streets[-1].clause if game.streets else None


def companion_missing(evidence: Evidence) -> Tellings:
    """Flags a wager without the one it needs: a 6 Card Bonus without Pair Plus (version ii: or without an Ante), a Play, Raise,
    Draw or bonus wager without an Ante, an Ante without Odds, a Double, Insurance or Match the Dealer without a stake.

    Why: the price of a bonus wager is the wager it must lie beside; alone it is not offered.

    Blind to: a companion that was pulled after "No more bets", which is BET02.
    """
    needs = [
        (opening, wager.name, place, need.wager, need.clause)
        for opening, terms in evidence.openings.terms.items()
        for wager in GAMES[terms.game].wagers_of(terms.edition)
        for place, need in enumerate(wager.needs)
        if need.only_if is None or terms.options.get(need.only_if[0]) == need.only_if[1]
    ]
    needed = pl.LazyFrame(
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
    seen = _seen(evidence).filter(pl.col("stake") > 0)
    # On whichever hand: a wager that rides on a split hand leaves the insurance and the match where they were. A poker seat has
    # one hand, whoever put the chips down; a stranger among them is BET06.
    shared = pl.col("game").cast(pl.String).is_in([game.name for game in GAMES.values() if game.bettors_on_a_box > 1])
    seen = seen.with_columns(bettor=pl.when(shared).then("player"))
    present = seen.select("rid", "seat", "bettor", companion="wager").unique()
    spot = ["rid", "seat", "hand", "player"]
    return (
        seen.filter(pl.col("offered"))
        .join(needed, on=["opening", "wager"], how="inner")
        .join(present, on=["rid", "seat", "bettor", "companion"], how="anti", nulls_equal=True)
        .sort("place")
        .unique([*spot, "wager"], keep="first", maintain_order=True)
        .pipe(
            tell,
            *SPOT,
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
