"""PAY: what was paid, taken or left lying against what the law owed."""

import polars as pl

from detectors.betting import clause_of
from detectors.evidence import Evidence
from detectors.finding import Tellings, dollars, tell
from replay.hands import HAND
from replay.wagers import SPOT
from rules.games import GAMES

owed, paid, stake, lying = pl.col("owed"), pl.col("paid"), pl.col("stake"), pl.col("lying")
settled = pl.col("times_settled") > 0
settled_twice = (pl.col("times_settled") > 1) & (paid != owed)
winning, losing = owed > 0, owed < 0
# A bonus has no stake; chips that somebody put on it all the same (BET08) go back.
staked = ~pl.col("bonus") | (lying > 0)
pushing = (owed == 0) & (pl.max_horizontal(stake, lying) > 0) & staked
nothing_there = (owed == 0) & (pl.max_horizontal(stake, lying) == 0)
only_corrected = pl.col("bonus") & ~settled & (pl.col("corrected") != 0)
title = pl.col("wager").str.replace_all("_", " ")

# Chips pulled after "No more bets" are owed as they lay then. A dealer who can only settle what is left of them does no second
# wrong: the pulling is told, once.
pulled = pl.col("before_deal").fill_null(True) & pl.col("late_seq").is_not_null() & (lying < pl.col("at_close"))
settled_what_was_left = pulled & (settled | (lying == 0)) & (paid * stake == owed * lying)


def _fair(evidence: Evidence) -> pl.LazyFrame:
    """Wagers of rounds that the law let stand and that could be derived."""
    return evidence.wagers.filter(
        owed.is_not_null()
        & ~pl.col("voided")
        & pl.col("cause_clause").is_null()
        & ~settled_what_was_left.fill_null(False)
    )


def _told(rows: pl.LazyFrame, message: pl.Expr, amount: pl.Expr | None = None) -> Tellings:
    return tell(
        rows,
        *SPOT,
        "owed",
        "paid",
        "clause",
        seqs=pl.coalesce("settled_seqs", pl.concat_list("placed_seq")),
        amount=paid - owed if amount is None else amount,
        message=message,
    )


def overpaid(evidence: Evidence) -> Tellings:
    """Flags a winning wager or bonus that was paid more than the law owes.

    Why: it is the house's money, and the commonest way a dealer's mistake, or a dealer's friend, costs it.

    Blind to: a wager that turned on an unread card, a round with events missing, and an overpayment taken back by
    `settlement_corrected` before the round ended.
    """
    rows = _fair(evidence).filter(winning & (settled | only_corrected) & ~settled_twice & (paid > owed))
    return _told(rows, pl.format("Seat {} {}: paid {}, owed {}.", "seat", title, dollars(paid), dollars(owed)))


def underpaid(evidence: Evidence) -> Tellings:
    """Flags a winning wager or bonus that was paid, but less than the law owes.

    Why: the player is owed the difference, and the regulator counts it against the house.

    Blind to: a wager that turned on an unread card, a round with events missing, and a shortfall made good by
    `settlement_corrected` before the round ended.
    """
    paid_short = (settled & (pl.col("result") == "paid")) | only_corrected
    rows = _fair(evidence).filter(winning & paid_short & ~settled_twice & (paid < owed))
    return _told(rows, pl.format("Seat {} {}: paid {}, owed {}.", "seat", title, dollars(paid), dollars(owed)))


def loser_not_taken(evidence: Evidence) -> Tellings:
    """Flags a losing wager that was paid, returned, or collected for more or less than its stake.

    Why: a loser left or paid is money given away; one collected for too much is money taken from a player.

    Blind to: a losing wager with no settlement at all, which is PAY07.
    """
    rows = _fair(evidence).filter(losing & settled & ~settled_twice & (paid != owed))
    done = (
        pl.when(paid > 0)
        .then(pl.format("paid {}", dollars(paid)))
        .when(paid == 0)
        .then(pl.lit("returned"))
        .otherwise(pl.format("taken for {}", dollars(-paid)))
    )
    return _told(rows, pl.format("Seat {} {}: a losing wager of {} was {}.", "seat", title, dollars(-owed), done))


def winner_taken(evidence: Evidence) -> Tellings:
    """Flags a winning wager that was taken, or given back without its winnings.

    Why: the player lost money that the law gave him; it is the dispute most likely to reach the regulator.

    Blind to: a winning wager with no settlement at all, which is PAY07 (a bonus: PAY06).
    """
    rows = _fair(evidence).filter(winning & settled & ~settled_twice & (paid < owed) & (pl.col("result") != "paid"))
    done = pl.when(pl.col("result") == "taken").then(pl.lit("taken")).otherwise(pl.lit("only returned"))
    return _told(rows, pl.format("Seat {} {}: a winner owed {} was {}.", "seat", title, dollars(owed), done))


def push_moved(evidence: Evidence) -> Tellings:
    """Flags a push that was paid or taken instead of given back.

    Why: a tie or a wager the law returns belongs to its player, no more and no less.

    Blind to: a push whose chips simply stayed where they were, which is PAY07.
    """
    not_offered = clause_of(pl.col("game"), {game.name: game.not_offered_clause for game in GAMES.values()})
    rows = (
        _fair(evidence)
        .filter(pushing & settled & ~settled_twice & (paid != owed))
        .with_columns(clause=pl.when("bonus").then(not_offered).otherwise("clause"))
    )
    done = pl.when(paid > 0).then(pl.lit("paid")).otherwise(pl.lit("taken for"))
    return _told(
        rows,
        pl.format("Seat {} {}: a wager that should be returned was {} {}.", "seat", title, done, dollars(paid.abs())),
    )


def bonus_missed(evidence: Evidence) -> Tellings:
    """Flags a bonus that the hand earned and nobody paid.

    Why: a bonus has no chips of its own on the felt to remind the dealer, so it is the payment most easily forgotten.

    Blind to: a bonus paid short, which is PAY02, and a hand with an unread card.
    """
    missed = _fair(evidence).filter(pl.col("bonus") & winning & ~settled & ~only_corrected).cache()
    cards = evidence.seats.join(missed.select(HAND), on=list(HAND), how="semi").select(*HAND, "player_seqs")
    rows = missed.join(cards.unique(HAND, keep="any"), on=list(HAND), how="left", maintain_order="left").with_columns(
        settled_seqs=pl.coalesce("settled_seqs", "player_seqs")
    )
    return _told(rows, pl.format("Seat {} {}: {} owed and not paid.", "seat", title, dollars(owed)))


def wager_unsettled(evidence: Evidence) -> Tellings:
    """Flags a stake that was neither paid, taken nor returned when the round ended.

    Why: chips left lying are settled by whoever reaches for them first.

    Blind to: a round whose end, or part of whose feed, was not seen.
    """
    rows = _fair(evidence).filter(staked & (lying > 0) & ~settled & ((paid != owed) | (owed == 0)))
    return _told(
        rows,
        pl.format("Seat {} {}: {} still lay there when the round ended.", "seat", title, dollars(lying)),
        pl.lit(0, pl.Int64),
    )


def paid_for_nothing(evidence: Evidence) -> Tellings:
    """Flags a settlement of a wager that nobody made, of a bonus that nobody earned, or a second one of the same wager.

    Why: paying twice, or paying a spot with no chips on it, is how money leaves a table without a hand to show for it.

    Blind to: a second settlement that brings the total to exactly what was owed.
    """
    fair = _fair(evidence)
    twice = fair.filter(settled_twice)
    nothing = fair.filter(nothing_there & (pl.col("times_settled") <= 1) & (paid != 0))
    moved = pl.format(
        "Seat {} {}: settled {} times, {} moved where {} was owed.",
        "seat",
        title,
        "times_settled",
        dollars(paid),
        dollars(owed),
    )
    return _told(twice, moved) + _told(
        nothing, pl.format("Seat {} {}: {} moved with nothing owed there.", "seat", title, dollars(paid))
    )


def money_in_a_void_round(evidence: Evidence) -> Tellings:
    """Flags anything but the stakes going back in a round that was declared void.

    Why: a void undoes the round for everybody; a payment that stays made, or a stake that stays taken, does not.

    Blind to: a void round with events missing.
    """
    kept = ~settled & (lying > 0)
    rows = evidence.wagers.filter(owed.is_not_null() & pl.col("voided") & ((paid != 0) | kept))
    done = (
        pl.when(paid > 0)
        .then(pl.format("{} paid", dollars(paid)))
        .when(paid < 0)
        .then(pl.format("{} kept", dollars(-paid)))
        .otherwise(pl.format("the stake of {} not returned", dollars(pl.max_horizontal(stake, lying))))
    )
    return _told(rows, pl.format("Seat {} {}: {} in a void round.", "seat", title, done))
