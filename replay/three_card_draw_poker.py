"""Three Card Draw Poker's seats as its rules ask for them: the cards dealt, the one changed, and what the player chose."""

from functools import reduce
from operator import or_

import polars as pl

from replay import hands
from replay.frames import collected
from replay.hands import HAND, Felt, kind
from rules.three_card_draw_poker import DEALER, GAME, PLAYER


def seats(felt: Felt) -> pl.DataFrame:
    """One row a (round, seat, hand) that wagered or was dealt a hand, with every fact its decision tables turn on."""
    decided = hands.decisions(felt.acts)
    to_players = hands.dealt_to(felt.cards, "player").join(decided, on=list(HAND), how="left", maintain_order="left")
    # A card that comes after the seat's own decision is a draw, whether at once or when all have decided.
    drawn = (pl.col("seq") > pl.col("decided_seq")).fill_null(False)
    draws = (
        to_players.filter(drawn)
        .group_by(HAND)
        .agg(drawn=pl.col("card").first(), draws=pl.len(), draw_unread=(pl.col("card") == "??").any())
    )
    discards = (
        felt.acts.filter(kind == "card_discarded")
        .group_by("rid", "seat", maintain_order=True)
        .agg(discard=pl.col("card").first(), discards=pl.len())
    )
    dealers = hands.held(hands.dealt_to(felt.cards, "dealer"), ["rid"], DEALER, "dealer")
    players = hands.held(to_players.filter(~drawn), HAND, PLAYER, "player")
    return (
        hands.seats(felt, GAME, players)
        .join(dealers, on="rid", how="left", maintain_order="left")
        .join(decided, on=list(HAND), how="left", maintain_order="left")
        .join(draws, on=list(HAND), how="left", maintain_order="left")
        .join(discards, on=["rid", "seat"], how="left", maintain_order="left")
        .join(felt.rounds.lazy().select("rid", "first3_dies_on_fold"), on="rid", how="left", maintain_order="left")
        .pipe(hands.counted, "player", "dealer")
        .with_columns(pl.col("draws", "discards").fill_null(0))
        .with_columns(said=pl.col("choice"), choice=_choice(), unclear=_unclear())
        .with_columns(
            player_unread=pl.col("player_unread") | pl.col("draw_unread").fill_null(False),
            wrong_count=_miscounted(),
            held=pl.col("player_count") + pl.col("draws") - pl.col("discards"),
            dealer_wrong=pl.col("dealer_count") != GAME.dealer_cards,
        )
        .pipe(collected)
        .pipe(GAME.hand_facts)
        .with_columns(choice="said")
    )


def _contradicted() -> pl.Expr:
    """Chips on another spot than the one the player chose."""
    others = [
        (pl.col("choice") == choice) & (pl.col(wager) > 0)
        for choice in GAME.choices
        for wager in GAME.staked.values()
        if GAME.staked.get(choice) != wager
    ]
    return reduce(or_, others).fill_null(False)


def _choice() -> pl.Expr:
    """What the player chose; where nobody said, what his chips say. Null where the two contradict each other."""
    in_to_win, draw = pl.col("in_to_win") > 0, pl.col("draw") > 0
    by_chips = (
        pl.when(in_to_win & ~draw)
        .then(pl.lit("in_to_win"))
        .when(draw & ~in_to_win)
        .then(pl.lit("draw"))
        .when(~draw & ~in_to_win & (pl.col("player_count") > 0))
        .then(pl.lit("fold"))
    )
    return pl.when(~_contradicted()).then(pl.coalesce("choice", by_chips))


def _unclear() -> pl.Expr:
    return pl.when(_contradicted()).then(
        pl.format("the player chose {} and has chips elsewhere", pl.col("choice").str.replace_all("_", " "))
    )


def _miscounted() -> pl.Expr:
    """Three cards dealt; after a draw two of them kept and one drawn."""
    drew = (pl.col("choice") == "draw").fill_null(False).cast(pl.UInt32)
    changed = (pl.col("draws") != drew) | (pl.col("discards") != drew)
    return hands.miscounted(GAME.player_cards) | (pl.col("player_count") == GAME.player_cards) & changed
