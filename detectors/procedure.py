"""PROC: the order of settling, and the devices that a table is opened with."""

from typing import Final

import polars as pl

from detectors.betting import clause_of
from detectors.evidence import Evidence
from detectors.finding import Tellings, tell
from replay.facts import gap_before
from replay.frames import before_in
from rules import three_card_poker
from rules.games import GAMES

kind = pl.col("type")
# Where the text has all losing wagers collected before any winner is paid (19:47-20.10(c)).
_LOSERS_FIRST: Final = [three_card_poker.NAME]


def settled_out_of_order(evidence: Evidence) -> Tellings:
    """Flags a winner paid before one farther to the dealer's right, wager by wager; and in Three Card Poker, where all losing
    wagers are collected first, one paid while a losing wager still lay there. Once a round, where the order was first broken.

    Why: paying from the far right while every hand lies open is what lets a camera follow each payout.

    Blind to: the order in which losers are collected; payouts of different wagers among each other; what was paid before the
    dealer's cards were shown. It is only advised where no clause sets the order.
    """
    # A loser that was paid, and a payout put right, are out of line for another reason.
    at_once = (pl.col("times_settled") == 1) & (pl.col("corrected") == 0)
    settled = (
        evidence.wagers.filter(at_once & ~pl.col("voided") & pl.col("cause_clause").is_null())
        .select("rid", "seat", "wager", "game", "owed", "paid", "result", seq=pl.col("settled_seqs").list.first())
        .join(evidence.rounds.select("rid", "revealed_seq"), on="rid", how="inner", maintain_order="left")
        .filter(pl.col("seq") > pl.col("revealed_seq"))
        .sort("rid", "seq")
        .cache()
    )
    winners = settled.filter((pl.col("owed") > 0) & (pl.col("result") == "paid"))
    after_one_to_the_left = (
        winners.sort("rid", "wager", "seq")
        .with_columns(before=before_in("seat", "rid", "wager"))
        .filter(pl.col("before") < pl.col("seat"))
    )
    last_loser = (
        settled.filter((pl.col("owed") < 0) & (pl.col("paid") == pl.col("owed")))
        .filter(pl.col("game").cast(pl.String).is_in(_LOSERS_FIRST))
        .group_by("rid", maintain_order=True)
        .agg(pl.col("seq", "seat").last().name.prefix("loser_"))
    )
    before_a_loser = winners.join(last_loser, on="rid", how="inner", maintain_order="left").filter(
        pl.col("seq") < pl.col("loser_seq")
    )
    paid = (
        pl.concat([before_a_loser, after_one_to_the_left], how="diagonal")
        .sort("rid", "seq", maintain_order=True)
        .unique("rid", keep="first", maintain_order=True)
    )
    advised = (
        pl.col("game").cast(pl.String).is_in([game.name for game in GAMES.values() if not game.settle_order_binds])
    )
    return tell(
        paid,
        "rid",
        "seat",
        "wager",
        seqs=pl.concat_list("seq", "loser_seq").list.drop_nulls(),
        severity=pl.when(advised).then(pl.lit("advisory")),
        clause=clause_of(pl.col("game"), {game.name: game.settle_clause for game in GAMES.values()}),
        message=pl.when(pl.col("loser_seq").is_not_null())
        .then(pl.format("Seat {} was paid before the losing wager of seat {} was collected.", "seat", "loser_seat"))
        .otherwise(pl.format("Seat {} was paid after seat {}, which sits to its left.", "seat", "before")),
    )


def wrong_device(evidence: Evidence) -> Tellings:
    """Flags a table opened to deal from the hand or with a second deck and no shuffler, and one that changed its method with the
    old device still there.

    Why: each of the methods rests on a device that does what the dealer is not trusted to do; without it, or with two, nobody can
    say how the cards came out.

    Blind to: a device that a gap in the feed may have taken away, and manual shuffles after a device failed.
    """
    opened = (
        evidence.facts.filter(kind == "table_opened")
        .select("tid", "table", "round", "seq", "carried", "dealer_now", "game", "dealing", "shuffler", "decks")
        .with_columns(pl.col("game", "dealing", "shuffler").cast(pl.String))
    )
    opened = opened.with_columns(
        pl.col("dealing", "shuffler", "seq").shift().over("tid").name.prefix("was_"),
    )
    back = evidence.facts.filter(kind == "device_installed").select("tid", "device", "seq", back="seq")
    gone = (
        evidence.facts.filter(kind == "device_removed")
        .select("tid", "device", "seq", away="seq")
        .sort("seq")
        .join_asof(back.sort("seq"), on="seq", by=["tid", "device"], strategy="forward", check_sortedness=False)
    )
    hidden = evidence.facts.filter(gap_before | pl.col("disputed")).select(
        "tid", away="seq", back=pl.lit(None, pl.Int64)
    )
    still_there = []
    for device, was, now in (
        ("shoe", pl.col("was_dealing") == "automated_shoe", pl.col("dealing") == "automated_shoe"),
        ("shuffler", pl.col("was_shuffler") != "none", pl.col("shuffler") != "none"),
    ):
        away = pl.concat([gone.filter(pl.col("device") == device).select("tid", "away", "back"), hidden])
        changed = opened.filter((was & ~now).fill_null(False))
        excused = (
            changed.join(away, on="tid", how="inner")
            .filter((pl.col("away") > pl.col("was_seq")) & (pl.col("away") <= pl.col("seq")))
            .filter((pl.col("back") > pl.col("seq")).fill_null(True))
            .select("tid", "seq")
        )
        still_there.append(
            changed.join(excused, on=["tid", "seq"], how="anti", maintain_order="left").select(
                "tid", "seq", **{f"{device}_there": pl.lit(True)}
            )
        )
    for each in still_there:
        opened = opened.join(each, on=["tid", "seq"], how="left", maintain_order="left")
    no_shuffler = pl.col("shuffler") == "none"
    by_hand, two, removed = (
        {game.name: clause for game in GAMES.values() if (clause := getattr(game.procedure, name)) is not None}
        for name in ("hand_dealt", "second_deck", "device_removed")
    )
    reasons = (
        (
            no_shuffler & (pl.col("dealing") == "hand") & pl.col("game").is_in(list(by_hand)),
            clause_of(pl.col("game"), by_hand),
            "The table is dealt from the hand and has no shuffler.",
        ),
        (
            no_shuffler & (pl.col("decks") == 2) & pl.col("game").is_in(list(two)),
            clause_of(pl.col("game"), two),
            "The table has a second deck and no shuffler.",
        ),
        (
            pl.col("shoe_there").fill_null(False) & pl.col("game").is_in(list(removed)),
            clause_of(pl.col("game"), removed),
            "The method of dealing was changed with the automated shoe still at the table.",
        ),
        (
            pl.col("shuffler_there").fill_null(False) & pl.col("game").is_in(list(removed)),
            clause_of(pl.col("game"), removed),
            "The method of shuffling was changed with the shuffler still at the table.",
        ),
    )
    message = pl.coalesce(pl.when(holds).then(pl.lit(words)) for holds, _, words in reasons)
    clause = pl.coalesce(pl.when(holds).then(clause) for holds, clause, _ in reasons)
    return tell(
        opened.filter(~pl.col("carried"))
        .with_columns(message=message, clause=clause)
        .filter(pl.col("message").is_not_null()),
        "table",
        "round",
        "clause",
        "message",
        dealer="dealer_now",
        seqs=pl.concat_list("seq"),
    )
