"""Three Card Poker: queen-six-four or better plays, most of the time."""

from typing import Final

import numpy as np
import polars as pl

from benchmarks.dealing import felt, owing
from benchmarks.dealing.felt import Day
from rules import ranking
from rules.three_card_poker import DEALER, GAME, PLAYER

QUEEN_SIX_FOUR: Final = ranking.three_card_value("QC 6D 4H")
SENSE: Final = 0.97


def play(day: Day, wrongs: float) -> pl.DataFrame:
    """The rounds of a day; the wrongs in them."""
    rng = day.rng
    stubs = felt.stubs(day, 3 * (day.seats + 1))
    n, seat = np.nonzero(day.bets)
    hand = np.stack([stubs[3 * seat + nth, n] for nth in range(3)])
    dealer = stubs[3 * day.seats :]

    likes = rng.random(n.size)
    main = day.main_stake(n, seat)
    ante = np.where(likes < 0.04, 0, main)
    pair_plus = np.where((likes < 0.5) | (ante == 0), np.maximum(500, main // 2 // 500 * 500), 0)
    offers = day.where(["six_card_bonus" in table.columns for table in day.tables])
    only_with_ante = day.where([table.options.get("six_card_bonus_version") == "ii" for table in day.tables])
    may = offers[n] & (pair_plus > 0) & ((ante > 0) | ~only_with_ante[n])
    six_card_bonus = np.where(may & (rng.random(n.size) < 0.4), 500, 0)
    wanders = rng.random(n.size) > SENSE
    sensible = ranking.three_card_values(hand) >= QUEEN_SIX_FOUR
    plays = (ante > 0) & np.where(wanders, rng.random(n.size) < 0.5, sensible)

    for place, (wager, chips) in enumerate(
        (("ante", ante), ("pair_plus", pair_plus), ("six_card_bonus", six_card_bonus))
    ):
        lies = chips > 0
        felt.placed(day, n[lies], seat[lies], felt.PLACED + seat[lies] * 4 + place, wager, chips[lies])
    for nth in range(3):
        felt.dealt(day, n, felt.turn(day, n, seat, nth, 3), "player", hand[nth], seat=seat + 1)
        felt.dealt(day, day.n, felt.turn(day, day.n, day.seats, nth, 3), "dealer", dealer[nth])
    for mask, choice in ((plays, "play"), ((ante > 0) & ~plays, "fold")):
        felt.decided(day, n[mask], seat[mask], felt.ACTED + seat[mask] * 4, choice)
    felt.placed(day, n[plays], seat[plays], felt.ACTED + seat[plays] * 4 + 1, "play", ante[plays])
    felt.stub_counted(day, 3 * (day.bets.sum(axis=1) + 1))

    facts = GAME.hand_facts(
        pl.DataFrame(
            {
                "n": n,
                "seat": seat,
                **{name: felt.card_series(hand[nth]) for nth, name in enumerate(PLAYER)},
                **{name: felt.card_series(dealer[nth, n]) for nth, name in enumerate(DEALER)},
                "folded": ~plays,
                "ante_placed": ante > 0,
            }
        ).with_columns(hand=pl.lit(1))
    )
    stakes = {
        "ante": ante,
        "play": np.where(plays, ante, 0),
        "pair_plus": pair_plus,
        "six_card_bonus": six_card_bonus,
    }
    settled, wrong = owing.moved(day, owing.owing(day, facts, stakes), wrongs)
    # Losing wagers are collected, then winners paid, both from the dealer's far right (19:47-20.10(c)).
    order = (day.seats - 1 - pl.col("seat")) * 8 + pl.col("wager").to_physical()
    felt.settle(day, settled, order + (pl.col("owed") >= 0).cast(pl.Int64) * 128)
    return wrong
