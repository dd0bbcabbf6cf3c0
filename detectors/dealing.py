"""DEAL: how the cards came out."""

import polars as pl

from detectors.finding import dollars, tell
from replay.derivation import Derivation
from rules.game import Irregularity
from rules.games import GAMES

kind = pl.col("type")


def _by_method(field: str) -> pl.Expr:
    """A field of the deal by the round's game and dealing method."""
    chosen = pl.lit(None, pl.String)
    for game in GAMES.values():
        for method, deal in game.deal.items():
            chosen = (
                pl.when((pl.col("game") == game.name) & (pl.col("dealing") == method))
                .then(pl.lit(getattr(deal, field)))
                .otherwise(chosen)
            )
    return chosen


def played_on(derivation: Derivation) -> pl.DataFrame:
    """Whole rounds that the law voids and the table did not, with `moved`: what a void would have given back."""
    money = derivation.wagers.group_by("rid").agg(moved=pl.col("paid").sum())
    return (
        derivation.rounds.filter(pl.col("reason").is_null() & ~pl.col("voided") & pl.col("cause_clause").is_not_null())
        .join(money, on="rid", how="left", maintain_order="left")
        .with_columns(moved=pl.col("moved").fill_null(0))
    )


def _cost() -> pl.Expr:
    """What playing on cost, in words."""
    moved = pl.col("moved")
    return (
        pl.when(moved > 0)
        .then(pl.format("the house paid out {} that a void would have kept.", dollars(moved)))
        .when(moved < 0)
        .then(pl.format("the house kept {} that a void would have given back.", dollars(-moved)))
        .otherwise(pl.lit("what was won and lost came out even."))
    )


def wrong_card_count(derivation: Derivation) -> pl.DataFrame:
    """Flags a hand with too many or too few cards in a round that was played on instead of being void.

    Why: one card more or less changes every hand after it. The law voids the round; the payouts that followed all hang on this
    one wrong and stand in its amount.

    Blind to: a misdeal that the table declared void, which is the law kept, and rounds with events missing.
    """
    rows = played_on(derivation).filter(pl.col("cause") == Irregularity.WRONG_CARD_COUNT.value)
    who = (
        pl.when(pl.col("misdealt_seat") == 0)
        .then(pl.lit("The dealer"))
        .otherwise(pl.format("Seat {}", "misdealt_seat"))
    )
    return tell(
        rows,
        "rid",
        seat=pl.when(pl.col("misdealt_seat") > 0).then("misdealt_seat"),
        seqs=pl.concat_list("first_card_seq", "last_card_seq"),
        amount="moved",
        clause="cause_clause",
        message=pl.format(
            "{} was dealt {} cards and the round was played on; {}",
            who,
            "misdealt_count",
            _cost(),
        ),
    )


def card_out_of_turn(derivation: Derivation) -> pl.DataFrame:
    """Flags the first card that went to another hand than the dealing method prescribes, where every hand got its number.

    Why: the order of the deal decides who gets which card; a second's deal or a switched packet shows here.

    Blind to: rounds that were void or misdealt, and a swap of two cards of the same hand.
    """
    rounds = derivation.rounds.filter(
        pl.col("reason").is_null() & ~pl.col("voided") & pl.col("misdealt_seat").is_null()
    ).select("rid", order=_by_method("order"), clause=_by_method("order_clause"))
    dealer_last = pl.col("seat").fill_null(32_000)
    cards = (
        derivation.cards.filter((kind == "card_dealt") & pl.col("to").is_in(["player", "dealer"]))
        .join(rounds, on="rid", how="inner", maintain_order="left")
        .with_columns(recipient=dealer_last, came=pl.int_range(pl.len()).over("rid"))
    )
    hands = cards.select("rid", "recipient").unique().sort("rid", "recipient")
    hands = hands.with_columns(turn=pl.int_range(pl.len()).over("rid"), hands=pl.len().over("rid"))
    expected = (
        pl.when(pl.col("order") == "rotation")
        .then(pl.col("nth") * pl.col("hands") + pl.col("turn"))
        .otherwise(pl.col("turn") * pl.col("size") + pl.col("nth"))
    )
    misplaced = (
        cards.with_columns(nth=pl.int_range(pl.len()).over("rid", "recipient"), size=pl.len().over("rid", "recipient"))
        .join(hands, on=["rid", "recipient"], how="left", maintain_order="left")
        .filter(pl.col("came") != expected)
        .unique("rid", keep="first", maintain_order=True)
    )
    whose = pl.when(pl.col("seat").is_null()).then(pl.lit("the dealer")).otherwise(pl.format("seat {}", "seat"))
    return tell(
        misplaced,
        "rid",
        "seat",
        seqs=pl.concat_list("seq"),
        clause="clause",
        message=pl.format("Card {} of the round went to {} out of turn.", pl.col("came") + 1, whose),
    )


def dealt_before_bets_closed(derivation: Derivation) -> pl.DataFrame:
    """Flags a round whose first card was dealt before "No more bets", or without it.

    Why: until the dealer announces it, nobody can say which bets were late.

    Blind to: rounds with events missing, where the announcement may be what is missing.
    """
    first, closed = pl.col("first_card_seq"), pl.col("bets_closed_seq")
    rows = derivation.rounds.filter(
        pl.col("reason").is_null() & first.is_not_null() & (closed.is_null() | (first < closed))
    )
    return tell(
        rows,
        "rid",
        seqs=pl.concat_list("first_card_seq"),
        clause=_by_method("bets_closed_clause"),
        message=pl.when(closed.is_null())
        .then(pl.lit('Cards were dealt and "No more bets" was never announced.'))
        .otherwise(pl.lit('The first card was dealt before "No more bets".')),
    )


def dealer_card_exposed(derivation: Derivation) -> pl.DataFrame:
    """Flags a dealer's card shown before its time in a round that was played on instead of being void.

    Why: players who have seen a dealer's card decide with knowledge the game does not give them.

    Blind to: an exposure after which the round was declared void, which is the law kept; an exposure nobody reported.
    """
    rows = played_on(derivation).filter(pl.col("cause") == Irregularity.DEALER_CARD_EXPOSED.value)
    return tell(
        rows,
        "rid",
        seqs=pl.concat_list("cause_seq"),
        amount="moved",
        clause="cause_clause",
        message=pl.format("A dealer's card was exposed and the round was played on; {}", _cost()),
    )


def void_missing(derivation: Derivation) -> pl.DataFrame:
    """Flags a round that the law voids for another irregularity than a misdeal or an exposed card, and the table played on.

    Why: cards found face up or a shoe that failed put the order of the deck in doubt; the law takes the whole round back, and
    every payout that followed hangs on this one wrong and stands in its amount.

    Blind to: an irregularity that nobody reported.
    """
    told_elsewhere = [Irregularity.WRONG_CARD_COUNT.value, Irregularity.DEALER_CARD_EXPOSED.value]
    rows = played_on(derivation).filter(~pl.col("cause").is_in(told_elsewhere))
    return tell(
        rows,
        "rid",
        seqs=pl.concat_list("cause_seq"),
        amount="moved",
        clause="cause_clause",
        message=pl.format("The round was played on after {}; {}", "cause", _cost()),
    )
