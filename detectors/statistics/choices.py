"""What a player decided, beside a card of the dealer's that he could not see.

Whoever plays by his own cards decides alike whatever the dealer holds. For each decision there are dealer's cards that
would tell a player who saw them to stay in, and cards that would tell him not to. How many of the unseen cards are of
the first kind follows from what he may see: decisions for which that number is the same are of one stratum, and in a
stratum the dealer's card is a coin that lands alike for all of them, whatever strategy he follows. So whether he stayed
in has nothing to do with it, unless he saw it.
"""

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Final

import polars as pl

from replay.derivation import Derivation
from rules import cards, heads_up_holdem, ranking, three_card_poker

kind = pl.col("type")
_HAND: Final = ["rid", "seat", "hand"]

CHOICES: Final[Mapping[str, pl.DataType]] = {
    "game": pl.String(),
    "street": pl.String(),
    "player": pl.String(),
    "card": pl.Int64(),  # which of the dealer's, as they were dealt
    "stay_cards": pl.Int64(),  # of those unseen, how many would tell him to stay in
    "told_to": pl.Boolean(),  # whether the dealer's was one of them
    "stayed": pl.Boolean(),
}

_JACK, _QUEEN, _KING, _ACE = (cards.RANKS.index(rank) for rank in "JQKA")
# Who sees one card of the dealer's stays in with anything against a jack or less, and else with this or better.
_LEAST: Final = {
    _QUEEN: ranking.three_card_value("QC 9D 2H"),
    _KING: ranking.three_card_value("KC 9D 2H"),
    _ACE: ranking.three_card_value("AC 9D 2H"),
}
_STREETS: Final = ("pre_flop", "flop", "river")


def choices(derivation: Derivation) -> pl.DataFrame:
    told = [
        of_game(decided)
        for game, of_game in ((three_card_poker.NAME, of_three_cards), (heads_up_holdem.NAME, of_hold_em))
        if (decided := made_in_the_dark(derivation, game)) is not None
    ]
    every = pl.concat(told) if told else pl.DataFrame(schema=CHOICES)
    return every.group_by(*CHOICES).agg(rounds=pl.len().cast(pl.Int64))


def made_in_the_dark(derivation: Derivation, game: str) -> pl.DataFrame | None:
    """Each decision in rounds where nobody was shown a card he should not see: the hand, whose it is, and the
    how-manieth it is.

    Who plays two hands has seen both, and is left out.
    """
    hands = derivation.hands.get(game)
    if hands is None or hands.is_empty():
        return None
    shown = derivation.facts.filter(kind == "card_exposed").select("rid")
    dark = (
        derivation.rounds.filter(
            (pl.col("game") == game)
            & pl.col("reason").is_null()
            & ~pl.col("voided")
            & pl.col("cause").is_null()
            & pl.col("dealer_up_seq").is_null()
        )
        .join(shown, on="rid", how="anti")
        .select("rid", "revealed_seq")
    )
    antes = derivation.wagers.filter(pl.col("wager") == "ante").select(*_HAND, "player").drop_nulls().unique(_HAND)
    alone = antes.filter(pl.len().over("rid", "player") == 1)
    made = (
        derivation.facts.filter((kind == "decision_made") & ~pl.col("disputed"))
        .select(*_HAND, "seq", "choice")
        .with_columns(place=pl.int_range(pl.len()).over(_HAND))
        .join(dark, on="rid", how="inner")
        .filter(pl.col("seq") < pl.col("revealed_seq").fill_null(2**62))
        .drop("seq", "revealed_seq")
    )
    legible = ~(pl.col("player_unread") | pl.col("player_joker") | pl.col("dealer_unread") | pl.col("dealer_joker"))
    whole = ~(pl.col("wrong_count") | pl.col("dealer_wrong"))
    return (
        hands.drop("choice")
        .filter((legible & whole).fill_null(False))
        .join(alone, on=_HAND, how="inner")
        .join(made, on=_HAND, how="inner")
    )


def _rank(card: str) -> pl.Expr:
    return cards.code(pl.col(card)) // len(cards.SUITS)


def _count(ranks: Sequence[str], condition: pl.Expr | int) -> pl.Expr:
    """How many of the cards are of this rank."""
    return pl.sum_horizontal((pl.col(rank) == condition).cast(pl.Int64) for rank in ranks)


def _told(rows: pl.DataFrame, game: str, dealer: Sequence[str], told_to: pl.Expr) -> pl.DataFrame:
    """One row for each of the dealer's cards; `told_to` is said of its rank, `seen`."""
    return (
        rows.unpivot(
            [f"{card}_rank" for card in dealer],
            index=["street", "player", "stay_cards", "stayed", *_kept(rows)],
            variable_name="card",
            value_name="seen",
        )
        .with_columns(
            game=pl.lit(game),
            card=pl.col("card").replace_strict({f"{card}_rank": place for place, card in enumerate(dealer, 1)}),
            told_to=told_to,
        )
        .select(pl.col(name).cast(dtype) for name, dtype in CHOICES.items())
    )


def _kept(rows: pl.DataFrame) -> list[str]:
    """What `told_to` may ask for."""
    return [name for name in rows.columns if name.startswith("own_") or name.startswith("board_")]


def of_three_cards(decided: pl.DataFrame) -> pl.DataFrame:
    """Play or fold, beside each card of the dealer's: would who saw it play this hand?"""
    player, dealer = three_card_poker.PLAYER, three_card_poker.DEALER
    own = [f"{card}_rank" for card in player]
    value = pl.col("own_value")
    rows = (
        decided.filter((pl.col("place") == 0) & pl.col("choice").is_in(["play", "fold"]))
        .with_columns(
            *(_rank(card).alias(f"{card}_rank") for card in (*player, *dealer)),
            street=pl.lit("deal"),
            stayed=pl.col("choice") == "play",
            own_value=pl.col("player_low"),
        )
        .with_columns(
            stay_cards=4 * (_JACK + 1)
            - pl.sum_horizontal((pl.col(rank) <= _JACK).cast(pl.Int64) for rank in own)
            + pl.sum_horizontal(
                pl.when(value >= least).then(4 - _count(own, rank)).otherwise(0) for rank, least in _LEAST.items()
            )
        )
    )
    seen = pl.col("seen")
    told_to = (seen <= _JACK) | reduce(or_, ((seen == rank) & (value >= least) for rank, least in _LEAST.items()))
    return _told(rows, three_card_poker.NAME, dealer, told_to)


def of_hold_em(decided: pl.DataFrame) -> pl.DataFrame:
    """Raise or not, beside each card of the dealer's: before the flop, is it no higher than his own; after it, does it pair no
    card of the board?"""
    player, dealer = heads_up_holdem.PLAYER, heads_up_holdem.DEALER
    board = heads_up_holdem.COMMUNITY
    legible = ~(pl.col("community_unread") | pl.col("community_joker") | pl.col("board_wrong"))
    rows = decided.filter(
        (pl.col("place") < len(_STREETS)) & pl.col("choice").is_in(["raise", "check", "fold"]) & legible
    ).with_columns(
        *(_rank(card).alias(f"own_{card}") for card in player),
        *(_rank(card).alias(f"board_{card}") for card in board),
        *(_rank(card).alias(f"{card}_rank") for card in dealer),
        street=pl.col("place").replace_strict(dict(enumerate(_STREETS)), return_dtype=pl.String),
        stayed=pl.col("choice") == "raise",
    )
    own = [f"own_{card}" for card in player]
    seen = pl.col("seen")
    told = []
    for street, shown in zip(_STREETS, heads_up_holdem.GAME.streets, strict=True):
        lying = [f"board_{card}" for card in board[: shown.community_cards]]
        here = rows.filter(pl.col("street") == street)
        if lying:
            # Each rank on the board once, at the first card of it: how many of it nobody has seen.
            pairing = pl.sum_horizontal(
                pl.when(~_any_is(lying[:at], pl.col(card))).then(4 - _count([*lying, *own], pl.col(card))).otherwise(0)
                for at, card in enumerate(lying)
            )
            stay_cards = 52 - len(lying) - len(own) - pairing
            told_to = ~_any_is(lying, seen)
        else:
            highest = pl.max_horizontal(own)
            stay_cards = 4 * (highest + 1) - len(own)
            told_to = seen <= highest
        told.append(_told(here.with_columns(stay_cards=stay_cards), heads_up_holdem.NAME, dealer, told_to))
    return pl.concat(told)


def _any_is(ranks: Sequence[str], rank: pl.Expr) -> pl.Expr:
    return pl.any_horizontal(pl.lit(False), *(pl.col(each) == rank for each in ranks))
