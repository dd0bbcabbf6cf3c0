"""BET: who may wager what, and how much: limits, strangers, crowded boxes, wagers that the table does not offer."""

import json
from typing import Final

import polars as pl

from detectors.betting import clause_of
from detectors.evidence import Evidence
from detectors.finding import Tellings, dollars, tell
from replay.frames import place_in
from replay.rounds import Openings
from replay.wagers import SPOT
from rules import spanish_21
from rules.games import GAMES

lying, at_close = pl.col("lying"), pl.col("at_close")
title = pl.col("wager").str.replace_all("_", " ")
# The wagers that the posted limits bind where an opening says no more.
LIMITED: Final = ("ante", "main")


def _chips(evidence: Evidence) -> pl.LazyFrame:
    """Chips of whole rounds as they lay at "No more bets"; of a wager that came later, as it lies."""
    return evidence.wagers.filter(
        pl.col("round_reason").is_null() & ~pl.col("bonus") & (pl.col("stake") > 0)
    ).with_columns(
        before_deal=pl.col("before_deal").fill_null(pl.col("hand") == 1),
        chips=pl.when(at_close > 0).then(at_close).otherwise(lying),
    )


def _seen(evidence: Evidence) -> pl.LazyFrame:
    """Those that are put down before the deal."""
    return _chips(evidence).filter("before_deal")


def _limits(opened: Openings) -> pl.LazyFrame:
    """The least and the most of each limited wager, opening by opening."""
    rows = [
        (opening, wager, *bounds)
        for opening, least, most, said in opened.frame.select("opening", "min_wager", "max_wager", "limits").iter_rows()
        for wager, bounds in (dict.fromkeys(LIMITED, (least, most)) | (json.loads(said) if said else {})).items()
    ]
    schema = {"opening": pl.Int64, "wager": pl.String, "least": pl.Int64, "most": pl.Int64}
    return pl.LazyFrame(rows, schema=schema, orient="row")


def outside_limits(evidence: Evidence) -> Tellings:
    """Flags a wager below the posted minimum or above the posted maximum: Ante and Spanish 21's main, and whatever else the
    opening sets limits for.

    Why: the limits are what the house risks on one hand, and what the table was opened for.

    Blind to: chips that came or went after "No more bets", which are BET01 and BET02.
    """
    chips = pl.col("chips")
    rows = (
        _seen(evidence)
        .filter(pl.col("offered"))
        .join(_limits(evidence.openings), on=["opening", "wager"], how="inner", maintain_order="left")
        .filter((chips < pl.col("least")) | (chips > pl.col("most")))
    )
    bound = (
        pl.when(chips < pl.col("least"))
        .then(pl.format("below the minimum of {}", dollars(pl.col("least"))))
        .otherwise(pl.format("above the maximum of {}", dollars(pl.col("most"))))
    )
    return tell(
        rows,
        *SPOT,
        seqs=pl.concat_list("placed_seq"),
        amount=chips,
        clause=clause_of(pl.col("game"), {game.name: game.not_offered_clause for game in GAMES.values()}),
        message=pl.format("Seat {} {}: {} is {}.", "seat", title, dollars(chips), bound),
    )


def _sitting(evidence: Evidence, wagers: pl.LazyFrame) -> pl.LazyFrame:
    """Wagers beside who sat there when they were placed. Left out are those of a seat nobody was seen to take or leave, and
    those after a gap, which may hide it."""
    kind = pl.col("type")
    sittings = evidence.facts.filter(kind.is_in(["player_seated", "player_left"])).select(
        "tid", "seat", "seq", sitting="player", sat_seq="seq"
    )
    gaps = evidence.facts.filter(pl.col("seq") > pl.col("after") + 1).select("tid", "seq", gap_seq="seq")
    tables = evidence.rounds.select("rid", "tid")
    return (
        wagers.join(tables, on="rid", how="left", maintain_order="left")
        .with_columns(seq="placed_seq")
        .sort("seq")
        .join_asof(sittings.sort("seq"), on="seq", by=["tid", "seat"], check_sortedness=False)
        .join_asof(gaps.sort("seq"), on="seq", by="tid", check_sortedness=False)
        .filter(pl.col("sat_seq").is_not_null() & (pl.col("gap_seq").fill_null(0) < pl.col("sat_seq")))
    )


def bettor_not_seated(evidence: Evidence) -> Tellings:
    """Flags a wager at a poker seat by somebody who does not sit there.

    Why: only seated players may wager; a stranger's chips are how a second person plays a hand, or a hand plays two.

    Blind to: a seat that nobody was seen to take or leave, and seats after a gap. Spanish 21 lets others bet on a box.
    """
    clauses = {game.name: game.procedure.seated for game in GAMES.values() if game.procedure.seated is not None}
    placed = _chips(evidence).filter(pl.col("game").cast(pl.String).is_in(list(clauses)))
    # What a stranger adds in the round (a Play) goes with what he put down before it.
    before = pl.col("chips").filter("before_deal")
    strangers = (
        _sitting(evidence, placed)
        .filter(pl.col("player").is_null() | pl.col("sitting").is_null() | (pl.col("player") != pl.col("sitting")))
        .sort("placed_seq")
        .group_by("rid", "seat", "player", maintain_order=True)
        .agg(
            pl.col("hand", "wager", "game", "placed_seq", "sitting").first(),
            chips=pl.when(before.len() > 0).then(before.sum()).otherwise(pl.col("chips").sum()),
        )
    )
    who = pl.coalesce("player", pl.lit("somebody"))
    instead = (
        pl.when(pl.col("sitting").is_null())
        .then(pl.lit("nobody sits there"))
        .otherwise(pl.format("{} sits there", "sitting"))
    )
    return tell(
        strangers,
        *SPOT,
        seqs=pl.concat_list("placed_seq"),
        amount="chips",
        clause=clause_of(pl.col("game"), clauses),
        message=pl.format("Seat {}: {} wagered {} and {}.", "seat", who, dollars(pl.col("chips")), instead),
    )


def crowded_box(evidence: Evidence) -> Tellings:
    """Flags a fourth bettor on a box of Spanish 21, and a player on more boxes than the table permits.

    Why: who shares a box has a stake in another's decisions; the law draws the line at three, and at one box a player.

    Blind to: bettors whom nobody named.
    """
    game = spanish_21.GAME
    allowed = pl.LazyFrame(
        [
            (opening, int(terms.options["boxes_per_player"]))
            for opening, terms in evidence.openings.terms.items()
            if terms.game == game.name
        ],
        schema={"opening": pl.Int64, "boxes": pl.Int64},
        orient="row",
    )
    mains = (
        _seen(evidence)
        .filter((pl.col("game") == game.name) & (pl.col("wager") == "main"))
        .join(allowed, on="opening", how="inner", maintain_order="left")
        .sort("rid", "player", "placed_seq")
        .with_columns(box=pl.when(pl.col("player").is_not_null()).then(place_in("rid", "player") + 1))
        .sort("rid", "seat", "placed_seq")
        .with_columns(nth=place_in("rid", "seat") + 1)
    )
    crowd = pl.col("nth") > game.bettors_on_a_box
    rows = mains.filter(crowd | (pl.col("box") > pl.col("boxes")).fill_null(False))
    return tell(
        rows,
        *SPOT,
        seqs=pl.concat_list("placed_seq"),
        amount="chips",
        clause=pl.when(crowd).then(pl.lit(spanish_21.BETTORS)).otherwise(pl.lit(spanish_21.BOXES)),
        message=pl.when(crowd)
        .then(pl.format("Seat {}: {} bettors on one box, where {} may be.", "seat", "nth", game.bettors_on_a_box))
        .otherwise(
            pl.format(
                "Seat {}: {} wagers on {} boxes, where {} may be.",
                "seat",
                pl.col("player").fill_null(""),
                "box",
                "boxes",
            )
        ),
    )


def wager_not_offered(evidence: Evidence) -> Tellings:
    """Flags chips on a wager that the table does not offer: one the game does not know, one whose column was not elected, or a
    bonus that is paid without a stake.

    Why: nobody can say what it pays. It is owed its return.

    Blind to: tables whose opening was not seen or whose terms the law refuses.
    """
    chips = pl.when("bonus").then(pl.max_horizontal("lying", "at_close")).otherwise("stake")
    rows = (
        evidence.wagers.filter(pl.col("round_reason").is_null() & (pl.col("bonus") | ~pl.col("offered")))
        .with_columns(chips=chips)
        .filter(pl.col("chips") > 0)
    )
    return tell(
        rows,
        *SPOT,
        seqs=pl.concat_list("placed_seq"),
        amount="chips",
        clause=clause_of(pl.col("game"), {game.name: game.not_offered_clause for game in GAMES.values()}),
        message=pl.format(
            "Seat {} {}: {} on a wager that this table does not offer.", "seat", title, dollars(pl.col("chips"))
        ),
    )
