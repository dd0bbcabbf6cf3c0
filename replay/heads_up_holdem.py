"""Heads Up Hold'em's seats as its rules ask for them: hole cards, the cards all share, and who folded after the river."""

import polars as pl

from replay import hands
from replay.frames import collected
from replay.hands import HAND, Felt
from rules.heads_up_holdem import COMMUNITY, DEALER, GAME, PLAYER


def seats(felt: Felt) -> pl.DataFrame:
    """One row a (round, seat, hand) that wagered or was dealt a hand, with every fact its decision tables turn on."""
    players = hands.held(hands.dealt_to(felt.cards, "player"), HAND, PLAYER, "player")
    dealers = hands.held(hands.dealt_to(felt.cards, "dealer"), ["rid"], DEALER, "dealer")
    board = hands.held(hands.dealt_to(felt.cards, "community"), ["rid"], COMMUNITY, "community")
    raised, chose_fold = pl.col("raise") > 0, pl.col("choice") == "fold"
    contradicted = (chose_fold & raised).fill_null(False)
    undecided = ((pl.col("choice") == "check") & ~raised).fill_null(False)
    folded = (
        pl.when(contradicted | undecided)
        .then(None)
        .when(chose_fold)
        .then(True)
        .when((pl.col("choice") == "raise") | raised)
        .then(False)
        .when(pl.col("player_count") > 0)
        .then(True)
    )
    return (
        hands.seats(felt, GAME, players)
        .join(dealers, on="rid", how="left", maintain_order="left")
        .join(board, on="rid", how="left", maintain_order="left")
        .join(hands.decisions(felt.acts), on=list(HAND), how="left", maintain_order="left")
        .join(felt.rounds.lazy().select("rid", "trips_plus_dies_on_fold"), on="rid", how="left", maintain_order="left")
        .pipe(hands.counted, "player", "dealer", "community")
        .with_columns(
            folded=folded,
            unclear=pl.when(contradicted)
            .then(pl.lit("the player folded and has chips on Raise"))
            .when(undecided)
            .then(pl.lit("the player neither raised nor folded")),
            wrong_count=hands.miscounted(GAME.player_cards),
            dealer_wrong=pl.col("dealer_count") != GAME.dealer_cards,
            board_wrong=pl.col("community_count") != GAME.community_cards,
        )
        .pipe(collected)
        .pipe(GAME.hand_facts)
    )
