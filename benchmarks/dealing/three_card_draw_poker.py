"""Three Card Draw Poker: a good pair plays, a fair hand draws to its two best cards, the rest folds."""

from typing import Final

import numpy as np
import polars as pl

from benchmarks.dealing import felt, owing
from benchmarks.dealing.felt import CHOICES, Day
from rules import ranking
from rules.three_card_draw_poker import DEALER, GAME, PLAYER

SIXES: Final = ranking.three_card_value("6C 6D 2H")
KING_HIGH: Final = ranking.three_card_value("KC 3D 2H")
# What is settled first at a player's turn (13:69F-42.10(h)).
PLACES: Final = {"first_3_bonus": 0, "ante": 1, "in_to_win": 2, "draw": 2, "in_to_win_bonus": 3}


def play(day: Day, wrongs: float) -> pl.DataFrame:
    """The rounds of a day; the wrongs in them."""
    rng = day.rng
    stubs = felt.stubs(day, 4 * day.seats + 4)
    n, seat = np.nonzero(day.bets)
    hand = np.stack([stubs[3 * seat + nth, n] for nth in range(3)])
    dealer = stubs[3 * day.seats : 3 * day.seats + 4]
    drawn = stubs[3 * day.seats + 4 + seat, n]

    ante = day.main_stake(n, seat)
    first_3 = np.where(rng.random(n.size) < 0.4, np.maximum(500, ante // 2 // 500 * 500), 0)
    value = ranking.three_card_values(hand)
    wanders = rng.random(n.size) > 0.98
    plays = np.where(wanders, rng.random(n.size) < 0.3, value >= SIXES)
    draws = ~plays & np.where(wanders, rng.random(n.size) < 0.5, value >= KING_HIGH)
    folds = ~plays & ~draws
    ranks = hand >> 2
    # The card that is not of the pair, or else the lowest.
    alone = np.stack([(ranks[one] == ranks[other]) for one, other in ((1, 2), (0, 2), (0, 1))])
    gone = np.where(alone.any(axis=0), alone.argmax(axis=0), ranks.argmin(axis=0))
    discard = hand[gone, np.arange(n.size)]

    felt.placed(day, n, seat, felt.PLACED + seat * 4, "ante", ante)
    lies = first_3 > 0
    felt.placed(day, n[lies], seat[lies], felt.PLACED + seat[lies] * 4 + 1, "first_3_bonus", first_3[lies])
    for nth in range(3):
        felt.dealt(day, n, felt.turn(day, n, seat, nth, 3), "player", hand[nth], seat=seat + 1)
    for nth in range(4):
        felt.dealt(day, day.n, felt.DEALT + 3 * day.seats + nth, "dealer", dealer[nth])
    for mask, choice in ((plays, "in_to_win"), (draws, "draw"), (folds, "fold")):
        felt.decided(day, n[mask], seat[mask], felt.ACTED + seat[mask] * 8, choice)
        if choice != "fold":
            felt.placed(day, n[mask], seat[mask], felt.ACTED + seat[mask] * 8 + 1, choice, ante[mask])
    d, s = n[draws], seat[draws]
    day.rows.add("card_discarded", d, felt.ACTED + s * 8 + 2, seat=s + 1, card=discard[draws])
    felt.dealt(day, d, felt.ACTED + s * 8 + 3, "player", drawn[draws], seat=s + 1)
    felt.stub_counted(day, 3 * day.bets.sum(axis=1) + 4 + np.bincount(d, minlength=day.rounds))

    facts = GAME.hand_facts(
        pl.DataFrame(
            {
                "n": n,
                "seat": seat,
                **{name: felt.card_series(hand[nth]) for nth, name in enumerate(PLAYER)},
                "discard": felt.card_series(discard).set(pl.Series(~draws), None),
                "drawn": felt.card_series(drawn).set(pl.Series(~draws), None),
                **{name: felt.card_series(dealer[nth, n]) for nth, name in enumerate(DEALER)},
                "choice": pl.Series(np.select([plays, draws], ["in_to_win", "draw"], "fold")).cast(CHOICES),
            }
        ).with_columns(hand=pl.lit(1), first3_dies_on_fold=pl.lit(False))
    )
    stakes = {
        "ante": ante,
        "in_to_win": np.where(plays, ante, 0),
        "draw": np.where(draws, ante, 0),
        "first_3_bonus": first_3,
    }
    settled, wrong = owing.moved(day, owing.owing(day, facts, stakes), wrongs)
    place = pl.col("wager").replace_strict(PLACES, return_dtype=pl.Int64)
    felt.settle(day, settled, (day.seats - 1 - pl.col("seat")) * 8 + place)
    return wrong
