"""Three Card Poker's seats as its rules ask for them: the cards, and whether the player stayed in."""

import polars as pl

from replay.hands import dealer_hands, decisions, player_hands
from rules.three_card_poker import GAME


def seats(acts: pl.DataFrame, cards: pl.DataFrame, stakes: pl.DataFrame) -> pl.DataFrame:
    """One row a (round, seat, hand) that wagered or was dealt a hand, with every fact its decision tables turn on."""
    chips = stakes.group_by("rid", "seat", "hand", maintain_order=True).agg(
        ante=pl.col("base").filter(pl.col("wager") == "ante").sum(),
        play=pl.col("base").filter(pl.col("wager") == "play").sum(),
        due_cards=(pl.col("wager").is_in(GAME.dealt_in) & (pl.col("at_close") > 0) & (pl.col("lying") > 0)).any(),
        has_chips=(pl.col("base") > 0).any(),
    )
    players = player_hands(cards, GAME.player_cards)
    key = ["rid", "seat", "hand"]
    chose_play, chose_fold = pl.col("choice") == "play", pl.col("choice") == "fold"
    # Chips on Play and a fold in the same round contradict each other: which one holds is not for us to guess. A late wager that
    # was dealt no hand was never offered the choice.
    folded = (
        pl.when(chose_fold & (pl.col("play") > 0))
        .then(None)
        .when(chose_fold)
        .then(True)
        .when(chose_play)
        .then(False)
        .when(pl.col("player_count") > 0)
        .then(pl.col("play") == 0)
    )
    return (
        chips.join(players, on=key, how="full", coalesce=True)
        .sort(key)
        .join(dealer_hands(cards, GAME.dealer_cards), on="rid", how="left", maintain_order="left")
        .join(decisions(acts), on=key, how="left", maintain_order="left")
        .with_columns(
            pl.col("ante", "play").fill_null(0),
            pl.col(
                "due_cards", "has_chips", "player_unread", "player_joker", "dealer_unread", "dealer_joker"
            ).fill_null(False),
            pl.col("player_count", "dealer_count").fill_null(0),
        )
        .with_columns(ante_placed=pl.col("ante") > 0, folded=folded)
        .pipe(GAME.hand_facts)
    )
