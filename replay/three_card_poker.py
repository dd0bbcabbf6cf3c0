"""Three Card Poker's seats as its rules ask for them: the cards, and whether the player stayed in."""

import polars as pl

from replay import hands
from replay.frames import collected
from replay.hands import HAND, Felt
from rules.three_card_poker import DEALER, GAME, PLAYER


def seats(felt: Felt) -> pl.DataFrame:
    """One row a (round, seat, hand) that wagered or was dealt a hand, with every fact its decision tables turn on."""
    players = hands.held(hands.dealt_to(felt.cards, "player"), HAND, PLAYER, "player")
    dealers = hands.held(hands.dealt_to(felt.cards, "dealer"), ["rid"], DEALER, "dealer")
    chose_play, chose_fold = pl.col("choice") == "play", pl.col("choice") == "fold"
    # Chips on Play and a fold in the same round contradict each other: which one holds is not for us to guess. A late wager that
    # was dealt no hand was never offered the choice.
    contradicted = chose_fold & (pl.col("play") > 0)
    folded = (
        pl.when(contradicted)
        .then(None)
        .when(chose_fold)
        .then(True)
        .when(chose_play)
        .then(False)
        .when(pl.col("player_count") > 0)
        .then(pl.col("play") == 0)
    )
    return (
        hands.seats(felt, GAME, players)
        .join(dealers, on="rid", how="left", maintain_order="left")
        .join(hands.decisions(felt.acts), on=list(HAND), how="left", maintain_order="left")
        .pipe(hands.counted, "player", "dealer")
        .with_columns(
            ante_placed=pl.col("ante") > 0,
            folded=folded,
            unclear=pl.when(contradicted).then(pl.lit("the player folded and has chips on Play")),
            wrong_count=hands.miscounted(GAME.player_cards),
            dealer_wrong=pl.col("dealer_count") != GAME.dealer_cards,
        )
        .pipe(collected)
        .pipe(GAME.hand_facts)
    )
