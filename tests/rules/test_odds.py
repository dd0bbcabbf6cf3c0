"""Exact enumeration through the decision tables against figures that others published.

Where no figure was published for a column, the expected one is worked from the published hand counts in plain sight.
"""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import polars as pl
import pytest

from rules import odds
from rules.cards import DECK, UNREAD
from rules.decision import Column, settle
from rules.games import GAMES
from rules.odds import WagerOdds
from rules.paytables import prize
from rules.three_card_poker import GAME, PAIR_PLUS

Q64 = "play Q-6-4 or better"
DEALS = 407_170_400
SIX_CARD_DEALS = 20_358_520


@pytest.fixture(scope="module")
def enumerated() -> dict[tuple[str, str, str | None], WagerOdds]:
    found = odds.ODDS["three-card-poker"](odds.unwatched)
    return {(each.wager, each.column, each.strategy): each for each in found}


def percent(edge: Fraction) -> str:
    return f"{float(edge) * 100:.6f}"


def test_every_game_has_its_odds():
    assert set(odds.ODDS) >= set(GAMES)


def test_every_column_of_every_wager_has_its_odds(enumerated):
    assert set(enumerated) == {
        *(("pair_plus", column, None) for column in "12"),
        *(("ante", column, strategy) for column in "12" for strategy in (Q64, "always play")),
        *(("six_card_bonus", column, None) for column in "ABCDEF"),
    }


def test_pair_plus_pays_the_published_hands(enumerated):
    assert enumerated["pair_plus", "1", None].hands == {
        "straight_flush": 48,
        "three_of_a_kind": 52,
        "straight": 720,
        "flush": 1_096,
        "pair": 3_744,
        "high_card": 16_440,
    }


@pytest.mark.parametrize(
    ("column", "net", "edge"),
    [
        ("1", -512, "2.316742"),
        ("2", 1 * 3744 + 4 * 1096 + 6 * 720 + 33 * 52 + 35 * 48 - 16_440, "2.696833"),
    ],
)
def test_pair_plus_keeps_its_published_edge(enumerated, column, net, edge):
    pair_plus = enumerated["pair_plus", column, None]
    assert (pair_plus.rounds, pair_plus.net, percent(pair_plus.edge)) == (22_100, net, edge)


def test_a_pair_plus_that_pays_three_on_a_flush_has_the_published_edge_of_that_table():
    assert PAIR_PLUS.pay_table is not None
    printed = {"pair": 1, "flush": 3, "straight": 6, "three_of_a_kind": 30, "straight_flush": 40}
    prizes = {hand: prize(f"{to} to 1") for hand, to in printed.items()}
    control = Column("control", "no clause", frozenset({"2000"}), prizes, "not in the rulebook")
    wager = replace(PAIR_PLUS, pay_table=replace(PAIR_PLUS.pay_table, columns=(control,)))
    hands = pl.DataFrame(list(combinations(DECK, 3)), schema=["p1", "p2", "p3"], orient="row")
    unread = {name: pl.lit(UNREAD) for name in ("d1", "d2", "d3")}
    settled = settle(
        GAME.hand_facts(hands.with_columns(**unread)).with_columns(
            stake=pl.lit(1, pl.Int64), column=pl.lit("control"), folded=pl.lit(False), ante_placed=pl.lit(False)
        ),
        wager,
    )
    assert settled.height == 22_100
    assert settled["owed"].sum() == -1_608
    assert percent(Fraction(1_608, 22_100)) == "7.276018"


ENDS = ("folded", "not qualified", "won", "tied", "lost")


@pytest.mark.parametrize(
    ("strategy", "ends"),
    [
        (Q64, (132_652_800, 85_493_652, 97_354_684, 267_648, 91_401_616)),
        ("always play", (0, 123_809_280, 97_417_516, 279_840, 185_663_764)),
    ],
)
@pytest.mark.parametrize("column", ["1", "2"])
def test_ante_and_play_end_as_published(enumerated, column, strategy, ends):
    ante = enumerated["ante", column, strategy]
    rounds = dict(zip(ENDS, ends, strict=True))
    assert ante.rounds == DEALS
    assert ante.lines == {
        "the player made no Play wager": rounds["folded"],
        "the dealer's hand is below queen high": rounds["not qualified"],
        "the player's hand is higher than the dealer's": rounds["won"],
        "the player's hand is lower than the dealer's": rounds["lost"],
        "the hands are equal": rounds["tied"],
    }


@pytest.mark.parametrize("strategy", [Q64, "always play"])
def test_the_ante_bonus_is_hit_as_published(enumerated, strategy):
    hands = enumerated["ante", "1", strategy].hands
    assert hands["straight"] == 13_265_280
    assert hands["three_of_a_kind"] == 958_048
    assert hands["straight_flush"] == 884_352


@pytest.mark.parametrize(
    ("column", "strategy", "net", "edge"),
    [
        ("1", Q64, -13_733_780, "3.372981"),
        ("1", "always play", -31_163_984, "7.653794"),
        # One more on three of a kind and on a straight flush.
        ("2", Q64, -13_733_780 + 958_048 + 884_352, "2.920492"),
        ("2", "always play", -31_163_984 + 958_048 + 884_352, "7.201305"),
    ],
)
def test_ante_and_play_keep_their_published_edge(enumerated, column, strategy, net, edge):
    ante = enumerated["ante", column, strategy]
    assert (ante.net, percent(ante.edge)) == (net, edge)


@pytest.mark.parametrize("column", "ABCDEF")
def test_the_6_card_bonus_is_hit_as_published(enumerated, column):
    hands = enumerated["six_card_bonus", column, None].hands
    assert hands == {
        **{f"six_card_royal_{suit}": 1 for suit in ("clubs", "diamonds", "hearts", "spades")},
        "royal_flush": 188 - 4,
        "straight_flush": 1_656,
        "four_of_a_kind": 14_664,
        "full_house": 165_984,
        "flush": 205_792,
        "straight": 361_620,
        "three_of_a_kind": 732_160,
        "two_pair": 2_532_816,
        "pair": 9_730_740,
        "high_card": 6_612_900,
    }
    assert sum(hands.values()) == SIX_CARD_DEALS


PAID = {"quads": 14_664, "full house": 165_984, "flush": 205_792, "straight": 361_620, "trips": 732_160}
PAID_ALIKE = 1000 * 184 + 200 * 1_656  # royals and straight flushes
LOST = 2_532_816 + 9_730_740 + 6_612_900


@pytest.mark.parametrize(
    ("column", "to_one", "six_card_royals"),
    [
        ("A", (50, 25, 20, 10, 5), 4 * 1000),
        ("B", (50, 25, 15, 10, 5), 4 * 1000),
        ("C", (100, 20, 15, 9, 8), 4 * 1000),
        ("D", (100, 20, 15, 10, 7), 4 * 1000),
        # $100,000 is 20,000 times $5, $1,000,000 is 200,000 times.
        ("E", (50, 20, 15, 10, 5), 4 * 20_000),
        ("F", (50, 20, 15, 10, 5), 3 * 20_000 + 200_000),
    ],
)
def test_the_6_card_bonus_keeps_what_its_printed_column_leaves_of_5_dollars(
    enumerated, column, to_one, six_card_royals
):
    won = sum(odds_on * times for odds_on, times in zip(to_one, PAID.values(), strict=True))
    bonus = enumerated["six_card_bonus", column, None]
    assert (bonus.stake, bonus.net) == (500, won + six_card_royals + PAID_ALIKE - LOST)


def test_column_a_of_the_6_card_bonus_has_the_published_edge(enumerated):
    column_a = enumerated["six_card_bonus", "A", None]
    assert (column_a.net, percent(column_a.edge)) == (-2_081_616, "10.224790")


def test_only_a_fixed_prize_makes_the_edge_turn_on_the_stake(enumerated):
    for each in odds.three_card_poker.every_wager(stake=2500):
        at_5_dollars = enumerated[each.wager, each.column, each.strategy]
        if (each.wager, each.column) in {("six_card_bonus", "E"), ("six_card_bonus", "F")}:
            assert each.edge > at_5_dollars.edge
        else:
            assert each.net == at_5_dollars.net


def test_progress_rises_to_the_total_and_ends_there():
    told: list[tuple[int, int]] = []
    odds.three_card_poker.every_wager(lambda done, total: told.append((done, total)))
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert {total for _, total in told} == {told[-1][0]}


@pytest.mark.parametrize(
    ("size", "classes", "one_suited", "hands"), [(3, 1_755, 286, 22_100), (5, 134_459, 1_287, 2_598_960)]
)
def test_hands_up_to_suits_are_as_many_as_published_and_stand_for_all(size, classes, one_suited, hands):
    hand, alike = odds.hands_up_to_suits(size)
    assert hand.shape == (size, classes + 3 * one_suited)  # hands of one suit are listed four times
    assert alike.sum() == hands
    assert (np.diff(np.sort(hand, axis=0).astype(int), axis=0) > 0).all()
