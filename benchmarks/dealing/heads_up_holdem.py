"""Heads Up Hold'em: three Antes on a strong pocket, two on a pair with the flop, one on a pair with the board, else a fold."""

from typing import Final

import numpy as np
import polars as pl

from benchmarks.dealing import felt, owing
from benchmarks.dealing.felt import Bools, Codes, Day
from rules.heads_up_holdem import COMMUNITY, DEALER, GAME, PLAYER

ACE, KING, QUEEN = 12, 11, 10
STREET: Final = 128  # phases
TURNED: Final = 100
PLACES: Final = {"trips_plus": 0, "ante": 1, "odds": 2, "raise": 3, "pocket_bonus": 4}


def play(day: Day, wrongs: float) -> pl.DataFrame:
    """The rounds of a day; the wrongs in them."""
    rng = day.rng
    stubs = felt.stubs(day, 2 * day.seats + 7)
    n, seat = np.nonzero(day.bets)
    pocket = np.stack([stubs[2 * seat + nth, n] for nth in range(2)])
    dealer, board = stubs[2 * day.seats : 2 * day.seats + 2], stubs[2 * day.seats + 2 :]

    ante = day.main_stake(n, seat)
    trips_plus, pocket_bonus = (
        np.where(rng.random(n.size) < share, np.maximum(500, ante // 2 // 500 * 500), 0) for share in (0.35, 0.25)
    )
    for place, (wager, chips) in enumerate(
        (("ante", ante), ("odds", ante), ("trips_plus", trips_plus), ("pocket_bonus", pocket_bonus))
    ):
        lies = chips > 0
        felt.placed(day, n[lies], seat[lies], felt.PLACED + seat[lies] * 4 + place, wager, chips[lies])

    for nth in range(2):
        felt.dealt(day, n, felt.turn(day, n, seat, nth, 2), "player", pocket[nth], seat=seat + 1)
        felt.dealt(day, day.n, felt.turn(day, day.n, day.seats, nth, 2), "dealer", dealer[nth])
    _board(day, board)

    wants = (_strong(pocket), _paired(pocket, board[:3, n]), _paired(pocket, board[:, n]))
    waits = np.ones(n.size, np.bool_)
    raised = np.zeros(n.size, np.int64)
    for street, (times, wish) in enumerate(zip((3, 2, 1), wants, strict=True)):
        wanders = rng.random(n.size) > 0.98
        raises = waits & np.where(wanders, rng.random(n.size) < 0.4, wish)
        phase = felt.ACTED + street * STREET + seat * 4
        other = waits & ~raises
        felt.decided(day, n[raises], seat[raises], phase[raises], "raise")
        felt.placed(day, n[raises], seat[raises], phase[raises] + 1, "raise", ante[raises] * times)
        felt.decided(day, n[other], seat[other], phase[other], "check" if times > 1 else "fold")
        raised += np.where(raises, ante * times, 0)
        waits = other
    felt.stub_counted(day, 2 * (day.bets.sum(axis=1) + 1) + 5)

    facts = GAME.hand_facts(
        pl.DataFrame(
            {
                "n": n,
                "seat": seat,
                **{name: felt.card_series(pocket[nth]) for nth, name in enumerate(PLAYER)},
                **{name: felt.card_series(board[nth, n]) for nth, name in enumerate(COMMUNITY)},
                **{name: felt.card_series(dealer[nth, n]) for nth, name in enumerate(DEALER)},
                "folded": waits,
            }
        ).with_columns(hand=pl.lit(1), trips_plus_dies_on_fold=pl.lit(False))
    )
    stakes = {"ante": ante, "odds": ante, "raise": raised, "trips_plus": trips_plus, "pocket_bonus": pocket_bonus}
    settled, wrong = owing.moved(day, owing.owing(day, facts, stakes), wrongs)
    turn = pl.col("wager").replace_strict(PLACES, return_dtype=pl.Int64)
    felt.settle(day, settled, (day.seats - 1 - pl.col("seat")) * 8 + turn)
    return wrong


def _board(day: Day, board: Codes) -> None:
    """An automated shoe gives the board first and face down; else it is dealt up, street by street."""
    shoe = day.where([table.dealing == "automated_shoe" for table in day.tables])
    first, later = day.n[shoe], day.n[~shoe]
    streets = (("flop", felt.ACTED + TURNED, (0, 1, 2)), ("river", felt.ACTED + STREET + TURNED, (3, 4)))
    for street, phase, places in streets:
        day.rows.add("community_revealed", first, phase, street=street)
        for place in places:
            felt.dealt(day, first, felt.BOARD_FIRST + place, "community", board[place, first])
            felt.dealt(day, later, phase + place, "community", board[place, later], face="up")


def _strong(pocket: Codes) -> Bools:
    low, high = np.sort(pocket >> 2, axis=0)
    fair = (high == KING) & (low >= 3) | (high == QUEEN) & (low >= 6)
    strong: Bools = (low == high) & (low > 0) | (high == ACE) | fair
    return strong


def _paired(pocket: Codes, board: Codes) -> Bools:
    one, other = pocket >> 2
    ranks = board >> 2
    paired: Bools = (one == other) | (ranks == one).any(axis=0) | (ranks == other).any(axis=0)
    return paired
