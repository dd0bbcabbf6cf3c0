"""N.J.A.C. 13:69F-39, clause by clause. Stakes and answers are cents, worked by hand from the text."""

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from fractions import Fraction
from itertools import combinations, permutations, product

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from phevaluator import evaluate_cards

from rules import cards, odds, ranking
from rules.decision import Wager, settle, table_of
from rules.game import Irregularity, Refused, Remedy, edition_in_force
from rules.heads_up_holdem import (
    ANTE,
    CARDS,
    GAME,
    HANDS,
    NAME,
    ODDS,
    POCKET_BONUS,
    POCKETS,
    RAISE,
    STANDINGS,
    TRIPS_PLUS,
)
from rules.odds import WagerOdds

SOAK = "CATWALK_SOAK" in os.environ
BY_NAME = {wager.name: wager for wager in GAME.wagers}
ELECTED = {"odds": "1", "trips_plus": "3", "pocket_bonus": "1"}
Owed = tuple[int | None, str | None]


def read(rows: list[list[str | None]], *, folded: bool | None = False, dies: bool = False) -> pl.DataFrame:
    dealt = pl.DataFrame(rows, schema=dict.fromkeys(CARDS, cards.CARD), orient="row")
    return GAME.hand_facts(dealt).with_columns(
        folded=pl.lit(folded, pl.Boolean), trips_plus_dies_on_fold=pl.lit(dies, pl.Boolean)
    )


def settled(
    facts: pl.DataFrame, wager: Wager, column: str | None = None, bad_beat: str = "1", stake: int = 1000
) -> pl.DataFrame:
    return settle(
        facts.with_columns(
            stake=pl.lit(stake, pl.Int64),
            column=pl.lit(column or ELECTED.get(wager.name), pl.String),
            bad_beat_column=pl.lit(bad_beat),
        ),
        wager,
    )


def owed(
    wager: str,
    player: str,
    board: str,
    dealer: str,
    *,
    stake: int = 1000,
    column: str | None = None,
    bad_beat: str = "1",
    folded: bool | None = False,
    dies: bool = False,
) -> Owed:
    """What is owed on a wager in net cents, and by which clause."""
    facts = read([f"{player} {board} {dealer}".split()], folded=folded, dies=dies)
    answer = settled(facts, BY_NAME[wager], column, bad_beat, stake)
    return answer.item(0, "owed"), answer.item(0, "clause")


# 39.1, 39.2 and 39.6: the wagers


def test_13_69f_39_1_every_wager_but_the_raise_lies_before_the_cards():
    assert [wager.name for wager in GAME.wagers if wager.before_deal] == ["ante", "odds", "trips_plus", "pocket_bonus"]
    assert not RAISE.before_deal


def test_13_69f_39_2_a_the_game_is_played_with_one_deck_of_52():
    assert (GAME.deck_size, GAME.deck_clause) == (52, "13:69F-39.2(a)")


def test_13_69e_1_13z_a_six_players_at_the_most():
    assert GAME.max_seats == 6


def test_13_69f_39_6_b_no_wager_follows_no_more_bets():
    assert GAME.late_clause == "13:69F-39.6(b)"


def test_13_69f_39_6_c_the_odds_equal_the_ante_and_neither_lies_without_the_other():
    assert (ODDS.equals.wager, ODDS.equals.clause) == ("ante", "13:69F-39.6(c)")
    assert [(need.wager, need.clause) for need in ODDS.needs] == [("ante", "13:69F-39.6(c)")]
    assert [(need.wager, need.clause) for need in ANTE.needs] == [("odds", "13:69F-39.6(c)")]


@pytest.mark.parametrize("wager", [TRIPS_PLUS, POCKET_BONUS], ids=lambda wager: wager.name)
def test_13_69f_39_10_b_a_side_wager_is_of_any_size_and_needs_an_ante(wager):
    assert wager.equals is None
    assert [(need.wager, need.clause) for need in wager.needs] == [("ante", "13:69F-39.10(b)")]


# 39.7, 39.8 and 39.9: the deal


def test_13_69f_39_10_b_a_hand_is_dealt_for_an_ante():
    assert GAME.dealt_in == ("ante",)
    assert (GAME.player_cards, GAME.community_cards, GAME.dealer_cards) == (2, 5, 2)


@pytest.mark.parametrize(
    ("method", "order", "clauses"),
    [
        ("manual_shoe", "rotation", ("13:69F-39.7(d)", "13:69F-39.7(b)", "13:69F-39.7(f)")),
        ("hand", "rotation", ("13:69F-39.8(c)", "13:69F-39.8(b)3", "13:69F-39.8(e)")),
        ("automated_shoe", "packets", ("13:69F-39.9(c)", "13:69F-39.9(b)2", "13:69F-39.9(e)")),
    ],
)
def test_13_69f_39_7_to_9_each_dealing_method_has_its_own_order_and_clauses(method, order, clauses):
    deal = GAME.deal[method]
    assert deal.order == order
    assert (deal.order_clause, deal.bets_closed_clause, deal.count_clause) == clauses


def test_13_69f_39_9_c_the_automated_shoe_gives_the_community_cards_first():
    deal = GAME.deal["automated_shoe"]
    assert (deal.community, deal.community_clause) == (("before_hands",), "13:69F-39.9(c)")


@pytest.mark.parametrize("method", ["manual_shoe", "hand"])
def test_13_69f_39_10_c_dealt_by_hand_the_community_cards_come_as_needed_or_face_down_before_the_hands(method):
    deal = GAME.deal[method]
    assert (deal.community, deal.community_clause) == (("by_street", "before_hands"), "13:69F-39.10(c)")


def test_13_69f_39_7_g_a_counting_shuffler_spares_the_count():
    assert GAME.count_exempt_clause == "13:69F-39.7(g)"


@pytest.mark.parametrize(
    ("method", "advised", "clause"),
    [
        ("manual_shoe", 8, "13:69E-1.18(g)2"),
        ("automated_shoe", 8, "13:69E-1.18(g)2"),
        ("hand", 4, "13:69E-1.18(g)3"),
    ],
)
def test_13_69e_1_18_g_cards_last_24_hours_and_the_hours_of_sibling_games_are_only_advised(method, advised, clause):
    life = GAME.card_life[method]
    assert (life.hours, life.clause) == (24, "13:69E-1.18(g)")
    assert (life.advised, life.advised_clause) == (advised, clause)


# 39.10: raise, check or fold


@pytest.mark.parametrize(
    ("street", "shown", "choices", "raises", "clause"),
    [
        ("pre_flop", 0, ("raise", "check"), (1, 2, 3), "13:69F-39.10(d)"),
        ("flop", 3, ("raise", "check"), (1, 2), "13:69F-39.10(f)"),
        ("river", 5, ("raise", "fold"), (1,), "13:69F-39.10(h)"),
    ],
)
def test_13_69f_39_10_d_f_h_each_street_has_its_choices_and_multiples_of_the_ante(
    street, shown, choices, raises, clause
):
    (found,) = [each for each in GAME.streets if each.name == street]
    assert (found.community_cards, found.choices) == (shown, choices)
    assert (found.raises, found.clause) == (raises, clause)


def test_13_69f_39_10_nobody_folds_before_the_river_and_nobody_checks_after_it():
    assert [street.name for street in GAME.streets] == ["pre_flop", "flop", "river"]
    assert [street.name for street in GAME.streets if "fold" in street.choices] == ["river"]
    assert {choice for street in GAME.streets for choice in street.choices} == set(GAME.choices)


def test_13_69f_39_10_d_the_raise_needs_an_ante_and_is_of_no_single_size():
    assert RAISE.equals is None
    assert [(need.wager, need.clause) for need in RAISE.needs] == [("ante", "13:69F-39.10(d)")]


FLUSH_BOARD = "KD 9D 4D 2D 7C"


@pytest.mark.parametrize("wager", ["ante", "odds"])
@pytest.mark.parametrize("dealer", ["QC JH", "KC KH"], ids=["without a pair", "three kings"])
def test_13_69f_39_10_h_a_folder_loses_the_ante_and_the_odds_whatever_the_hands(wager, dealer):
    assert owed(wager, "AD AC", FLUSH_BOARD, dealer, folded=True) == (-1000, "13:69F-39.10(h)")


def test_13_69f_39_10_h_a_folder_keeps_the_pocket_bonus():
    assert owed("pocket_bonus", "2C 2H", FLUSH_BOARD, "KC KH", folded=True) == (5000, "13:69F-39.11(i)")


def test_13_69f_39_10_h_a_folder_keeps_trips_plus_since_only_the_ante_and_the_odds_are_lost():
    board_trips = ("2C 3H", "9C 9D 9H KS QD", "KC KH")
    assert owed("trips_plus", *board_trips, folded=True) == (3000, "13:69F-39.11(g)")


def test_13_69f_39_10_h_trips_plus_dies_with_the_hand_where_the_house_says_so():
    board_trips = ("2C 3H", "9C 9D 9H KS QD", "KC KH")
    assert owed("trips_plus", *board_trips, folded=True, dies=True) == (-1000, "13:69F-39.10(h)")
    assert owed("trips_plus", *board_trips, folded=False, dies=True) == (3000, "13:69F-39.11(g)")


@pytest.mark.parametrize(
    ("player", "board", "dealer"),
    [
        ("2C 3H", "AC KC QC JC TC", "AD AH"),
        ("AC 3H", "KC QC JC TC 2D", "9C 2H"),
        ("AC KC", "QC JC TC 2D 3D", "2H 2S"),
    ],
    ids=["none", "one", "both"],
)
def test_13_69f_39_10_i_the_hand_is_made_of_any_number_of_hole_cards(player, board, dealer):
    assert read([f"{player} {board} {dealer}".split()]).item(0, "player_hand") == HANDS.index("royal_flush")


# 39.11(b): the Ante

NO_PAIR = "KD 9C 7H 4S 2D"
PAIRED = "KD KC 7H 4S 2D"


@pytest.mark.parametrize(
    ("player", "dealer"),
    [("QC JH", "AC 8H"), ("AC 8H", "QC JH"), ("AC QH", "AS QD"), ("KC 3H", "AC 8H"), ("9D 9H", "QC JH")],
    ids=["dealer higher", "player higher", "equal", "player a pair", "player trips"],
)
def test_13_69f_39_11_b_1_a_dealer_without_a_pair_returns_the_ante_whoever_is_higher(player, dealer):
    assert owed("ante", player, NO_PAIR, dealer) == (0, "13:69F-39.11(b)(1)")


def test_13_69f_39_11_b_1_all_other_wagers_stay_in_action():
    higher_dealer = ("QC JH", NO_PAIR, "AC 8H")
    assert owed("raise", *higher_dealer, stake=3000) == (-3000, "13:69F-39.11(e)")
    assert owed("odds", *higher_dealer) == (-1000, "13:69F-39.11(e)")
    straight = ("5C 6H", "8D 9C 7H KS 2D", "AC QH")
    assert owed("ante", *straight) == (0, "13:69F-39.11(b)(1)")
    assert owed("raise", *straight) == (1000, "13:69F-39.11(b)(5)")
    assert owed("odds", *straight) == (1000, "13:69F-39.11(b)(5)")


@pytest.mark.parametrize(("board", "dealer"), [(NO_PAIR, "2C 3H"), (PAIRED, "QC JH")], ids=["own pair", "board pair"])
def test_13_69f_39_11_b_2_any_pair_qualifies_and_a_higher_hand_is_paid_1_to_1(board, dealer):
    assert owed("ante", "AC AD", board, dealer) == (1000, "13:69F-39.11(b)(2)")


def test_13_69f_39_11_b_3_the_dealers_higher_hand_takes_the_ante():
    assert owed("ante", "QC JH", NO_PAIR, "2C 3H") == (-1000, "13:69F-39.11(b)(3)")
    assert owed("ante", "KC 3H", NO_PAIR, "KH AC") == (-1000, "13:69F-39.11(b)(3)")


def test_13_69f_39_11_b_4_equal_hands_push_and_suits_break_no_tie():
    assert owed("ante", "AC QH", PAIRED, "AS QD") == (0, "13:69F-39.11(b)(4)")
    assert owed("ante", "3C 3H", "KD KC QH QS AD", "JC JH") == (0, "13:69F-39.11(b)(4)")


# 39.11(b)(5) to (f): Raise and Odds

WINS = {
    "royal_flush": ("AC KC", "QC JC TC 2D 2H", "2S 2C"),
    "straight_flush": ("9C 8C", "7C 6C 5C 2D 2H", "2S AC"),
    "four_of_a_kind": ("9C 9D", "9H 9S 5C 2D 2H", "2S 2C"),
    "full_house": ("9C 9D", "9H 5S 5C 2D KH", "KS QC"),
    "flush": ("9C 3C", "7C 6C KC 2D 2H", "2S AH"),
    "straight": ("9C 8D", "7C 6H 5S 2D 2H", "2S AH"),
    "wheel": ("AC 3D", "4C 5H 2S KD KH", "2D AH"),
}
WON_TO_ONE = {
    "royal_flush": 500,
    "straight_flush": 50,
    "four_of_a_kind": 10,
    "full_house": 3,
    "flush": Fraction(3, 2),
    "straight": 1,
    "wheel": 1,
}


@pytest.mark.parametrize("bad_beat", ["1", "2"])
@pytest.mark.parametrize("hand", WINS)
def test_13_69f_39_11_b_5_a_win_with_a_straight_or_better_pays_the_odds_by_the_table(hand, bad_beat):
    assert owed("odds", *WINS[hand], bad_beat=bad_beat) == (1000 * WON_TO_ONE[hand], "13:69F-39.11(b)(5)")
    assert owed("raise", *WINS[hand], stake=3000) == (3000, "13:69F-39.11(b)(5)")


def test_13_69f_39_11_b_5_a_flush_is_paid_3_to_2_to_the_cent():
    assert owed("odds", *WINS["flush"], stake=500) == (750, "13:69F-39.11(b)(5)")
    assert owed("odds", *WINS["flush"], stake=2500) == (3750, "13:69F-39.11(b)(5)")


WON_LOW = {
    "three_of_a_kind": ("9C 9D", "9H 6S 5C 2D KH", "KS QC"),
    "two_pair": ("9C 6D", "9H 6S 5C 2D KH", "KS QC"),
    "pair": ("AC AD", "9H 6S 5C 2D KH", "KS QC"),
    "high_card": ("AC QD", "9H 6S 5C 2D KH", "AS JC"),
}


@pytest.mark.parametrize("hand", WON_LOW)
def test_13_69f_39_11_c_a_win_with_three_of_a_kind_or_less_pays_the_raise_and_returns_the_odds(hand):
    assert read([" ".join(WON_LOW[hand]).split()]).item(0, "player_hand") == HANDS.index(hand)
    assert owed("raise", *WON_LOW[hand], stake=3000) == (3000, "13:69F-39.11(c)")
    assert owed("odds", *WON_LOW[hand]) == (0, "13:69F-39.11(c)")


@pytest.mark.parametrize(
    "board",
    ["KD KC QH QS AD", "AC KC QC JC TC", "9C 8D 7H 6S 5D", "9C 9D 9H 9S AD"],
    ids=["two pairs", "royal flush", "straight", "four of a kind"],
)
def test_13_69f_39_11_d_a_copy_returns_both_even_with_a_straight_or_better(board):
    assert owed("raise", "2C 3H", board, "2D 3S", stake=3000) == (0, "13:69F-39.11(d)")
    assert owed("odds", "2C 3H", board, "2D 3S") == (0, "13:69F-39.11(d)")


@pytest.mark.parametrize("hand", WON_LOW)
def test_13_69f_39_11_e_a_loss_with_three_of_a_kind_or_less_loses_both(hand):
    player, board, _ = WON_LOW[hand]
    assert owed("raise", player, board, "KS KC", stake=3000) == (-3000, "13:69F-39.11(e)")
    assert owed("odds", player, board, "KS KC") == (-1000, "13:69F-39.11(e)")


BEATEN = {
    "straight_flush": ("5C 4C", "8C 7C 6C 2D 2H", "TC 9C"),
    "four_of_a_kind": ("9C 9D", "9H 9S KC KD 2H", "KS KH"),
    "full_house": ("9C 9D", "9H KS KC 2D 3H", "KD KH"),
    "flush": ("9C 3C", "7C 6C KC 2D 2H", "2S 2C"),
    "straight": ("4C 3D", "7C 6H 5S TD 2H", "9H 8S"),
    "wheel": ("AC 3D", "4C 5H 2S KD KH", "6D 3H"),
}
BEATEN_TO_ONE = {"1": (500, 25, 6, 5, 4, 4), "2": (500, 50, 10, 8, 5, 5)}


@pytest.mark.parametrize("column", ["1", "2"])
@pytest.mark.parametrize("hand", BEATEN)
def test_13_69f_39_11_f_a_loss_with_a_straight_or_better_pays_the_odds_by_the_bad_beat_table(hand, column):
    to_one = dict(zip(BEATEN, BEATEN_TO_ONE[column], strict=True))[hand]
    assert owed("odds", *BEATEN[hand], bad_beat=column) == (1000 * to_one, "13:69F-39.11(f)")
    assert owed("raise", *BEATEN[hand], stake=3000) == (-3000, "13:69F-39.11(f)")
    assert owed("ante", *BEATEN[hand]) == (-1000, "13:69F-39.11(b)(3)")


# 39.11(g): Trips Plus

TRIPS_PLUS_HANDS = {
    "royal_flush": ("AC KC", "QC JC TC 2D 2H"),
    "straight_flush": ("9C 8C", "7C 6C 5C 2D 2H"),
    "four_of_a_kind": ("9C 9D", "9H 9S 5C 2D 2H"),
    "full_house": ("9C 9D", "9H 5S 5C 2D KH"),
    "flush": ("9C 3C", "7C 6C KC 2D 2H"),
    "straight": ("9C 8D", "7C 6H 5S 2D 2H"),
    "three_of_a_kind": ("9C 9D", "9H 6S 5C 2D KH"),
}
TRIPS_PLUS_TO_ONE = {
    "1": (100, 40, 30, 9, 7, 4, 3),
    "2": (100, 40, 30, 8, 6, 5, 3),
    "3": (100, 40, 30, 8, 7, 4, 3),
    "4": (100, 40, 30, 7, 6, 5, 3),
}


@pytest.mark.parametrize("column", "1234")
@pytest.mark.parametrize("hand", TRIPS_PLUS_HANDS)
@pytest.mark.parametrize("dealer", ["AD AH", "3S 4H"], ids=["dealer high", "dealer low"])
def test_13_69f_39_11_g_each_column_pays_what_it_prints_whatever_the_dealer_holds(column, hand, dealer):
    to_one = dict(zip(TRIPS_PLUS_HANDS, TRIPS_PLUS_TO_ONE[column], strict=True))[hand]
    answer = owed("trips_plus", *TRIPS_PLUS_HANDS[hand], dealer, stake=500, column=column)
    assert answer == (500 * to_one, "13:69F-39.11(g)")


@pytest.mark.parametrize("column", "1234")
@pytest.mark.parametrize(
    "seven",
    [("9C 9D", "6H 6S KC KD 2H"), ("9C 9D", "6H 7S KC QD 2H"), ("AC KD", "QH 2S 3C 7D 9H")],
    ids=["three pairs", "pair", "Q-K-A-2-3 is no straight"],
)
def test_13_69f_39_11_g_seven_cards_below_three_of_a_kind_lose(column, seven):
    assert owed("trips_plus", *seven, "2C 3D", stake=500, column=column) == (-500, "13:69F-39.11(g)")


def test_13_69f_39_1_the_community_cards_alone_win_trips_plus():
    assert owed("trips_plus", "2C 3H", "9C 9D 9H KS QD", "KC KH", stake=500) == (1500, "13:69F-39.11(g)")


# 39.11(i): the Pocket Bonus

POCKET_HANDS = {
    "pair of aces": ["AC AD"],
    "ace-face suited": ["AC KC", "QD AD", "AS JS"],
    "ace-face unsuited": ["AC KD", "QD AH", "JS AD"],
    "pair": ["2C 2D", "KC KD", "TH TS"],
}
POCKET_TO_ONE = {"1": (30, 20, 10, 5), "2": (25, 20, 10, 5), "3": (30, 20, 10, 4)}


@pytest.mark.parametrize("column", "123")
@pytest.mark.parametrize(("kind", "player"), [(kind, two) for kind, each in POCKET_HANDS.items() for two in each])
def test_13_69f_39_11_i_each_column_pays_what_it_prints_and_a_pair_wins(column, kind, player):
    to_one = dict(zip(POCKET_HANDS, POCKET_TO_ONE[column], strict=True))[kind]
    answer = owed("pocket_bonus", player, "3C 4D 5H 6S 8C", "8D 8H", stake=500, column=column)
    assert answer == (500 * to_one, "13:69F-39.11(i)")


@pytest.mark.parametrize("player", ["AC TC", "KC QC", "KC JD", "AC 2C", "7C 2D"])
def test_13_69f_39_11_i_other_hole_cards_lose_whatever_the_board_makes_of_them(player):
    quads_or_flush = "AH AS AD KD KS" if player[0] == "A" else "3C 4C 5C 6C 8C"
    assert owed("pocket_bonus", player, quads_or_flush, "9D 9H", stake=500) == (-500, "13:69F-39.11(i)")


# 39.12: irregularities


REMEDIES = [
    (Irregularity.ONE_CARD_FACE_UP, Remedy.RACK_THE_CARD, False, "13:69F-39.12(a)"),
    (Irregularity.MORE_CARDS_FACE_UP, Remedy.VOID, True, "13:69F-39.12(a)"),
    (Irregularity.WRONG_CARD_COUNT, Remedy.VOID, True, "13:69F-39.12(c)"),
    (Irregularity.DEALER_CARD_EXPOSED, Remedy.VOID, True, "13:69F-39.12(d)"),
    (Irregularity.SHUFFLER_FAILED, Remedy.RESHUFFLE, False, "13:69F-39.12(e)"),
    (Irregularity.SHOE_FAILED, Remedy.VOID, True, "13:69F-39.12(f)"),
    (Irregularity.WRONG_STUB_COUNT, Remedy.VOID_AND_REMOVE, True, "13:69F-39.7(f)2"),
    (Irregularity.WRONG_SHUFFLER_COUNT, Remedy.REMOVE_DECK, False, "13:69F-39.7(g)"),
]


@pytest.mark.parametrize(("irregularity", "remedy", "voids", "clause"), REMEDIES)
def test_13_69f_39_12_each_irregularity_has_its_own_remedy(irregularity, remedy, voids, clause):
    due = GAME.remedies[irregularity]
    assert (due.remedy, due.voids, due.clause) == (remedy, voids, clause)


def test_13_69f_39_12_no_irregularity_is_without_a_remedy():
    assert set(GAME.remedies) == {irregularity for irregularity, *_ in REMEDIES}


# Whole rounds


def money(player: str, board: str, dealer: str, *, ante: int, times: int) -> dict[str, int | None]:
    stakes = {"ante": ante, "odds": ante, "raise": times * ante}
    return {wager: owed(wager, player, board, dealer, stake=stake)[0] for wager, stake in stakes.items()}


def test_ten_dollars_raised_three_times_against_higher_cards_without_a_pair_lose_40_dollars():
    assert money("QC JH", NO_PAIR, "AC 8H", ante=1000, times=3) == {"ante": 0, "odds": -1000, "raise": -3000}


def test_a_flush_that_loses_to_a_full_house_leaves_10_dollars_ahead():
    net = money("AC 3C", "7C 6C KC KD 2H", "KS 6H", ante=1000, times=3)
    assert net == {"ante": -1000, "odds": 5000, "raise": -3000}


def test_a_flush_that_beats_a_pair_on_five_dollars_leaves_27_50_ahead():
    net = money("AC 3C", "7C 6C KC JD 2H", "KS 9H", ante=500, times=3)
    assert net == {"ante": 500, "odds": 750, "raise": 1500}


def test_a_folder_with_a_pair_under_board_trips_loses_20_and_wins_80_dollars():
    cards_on_the_felt = ("2C 2H", "9C 9D 9H KS QD", "KC KH")
    net = {wager: owed(wager, *cards_on_the_felt, folded=True)[0] for wager in ("ante", "odds", "pocket_bonus")}
    assert net == {"ante": -1000, "odds": -1000, "pocket_bonus": 5000}
    assert owed("trips_plus", *cards_on_the_felt, folded=True, column="1") == (9000, "13:69F-39.11(g)")


# Exact enumeration against published figures


@pytest.fixture(scope="module")
def enumerated() -> dict[tuple[str, str], WagerOdds]:
    told: list[tuple[int, int]] = []
    found = odds.heads_up_holdem.side_wagers(lambda done, total: told.append((done, total)))
    assert told == sorted(told)
    assert told[-1][0] == told[-1][1]
    return {(each.wager, each.column): each for each in found}


def percent(edge: Fraction) -> str:
    return f"{float(edge) * 100:.6f}"


SEVEN_CARD_COUNTS = {
    "royal_flush": 4_324,
    "straight_flush": 37_260,
    "four_of_a_kind": 224_848,
    "full_house": 3_473_184,
    "flush": 4_047_644,
    "straight": 6_180_020,
    "three_of_a_kind": 6_461_620,
    "two_pair": 31_433_400,
    "pair": 58_627_800,
    "high_card": 23_294_460,
}
LOST = 31_433_400 + 58_627_800 + 23_294_460


def test_every_column_of_the_side_wagers_has_its_odds(enumerated):
    assert set(enumerated) == {*product(["trips_plus"], "1234"), *product(["pocket_bonus"], "123")}
    assert {each.game for each in enumerated.values()} == {NAME}


@pytest.mark.parametrize("column", "1234")
def test_trips_plus_is_hit_as_published_and_keeps_what_its_printed_column_leaves(enumerated, column):
    trips_plus = enumerated["trips_plus", column]
    won = sum(
        to_one * SEVEN_CARD_COUNTS[hand]
        for hand, to_one in zip(TRIPS_PLUS_HANDS, TRIPS_PLUS_TO_ONE[column], strict=True)
    )
    assert trips_plus.hands == SEVEN_CARD_COUNTS
    assert (trips_plus.rounds, trips_plus.net) == (133_784_560, won - LOST)


def test_trips_plus_table_3_keeps_its_published_edge(enumerated):
    assert enumerated["trips_plus", "3"].net == -4_463_500
    assert percent(enumerated["trips_plus", "3"].edge) == "3.336334"


@pytest.mark.parametrize(
    ("column", "net"),
    [
        ("1", -60),
        ("2", 25 * 6 + 20 * 12 + 10 * 36 + 5 * 72 - 1_200),
        ("3", 30 * 6 + 20 * 12 + 10 * 36 + 4 * 72 - 1_200),
    ],
)
def test_the_pocket_bonus_is_hit_as_published_and_keeps_what_its_column_leaves(enumerated, column, net):
    pocket = enumerated["pocket_bonus", column]
    assert pocket.hands == dict(zip(POCKETS, (1_200, 72, 36, 12, 6), strict=True))
    assert (pocket.rounds, pocket.net) == (1_326, net)


def test_the_pocket_bonus_table_1_keeps_its_published_edge(enumerated):
    assert percent(enumerated["pocket_bonus", "1"].edge) == "4.524887"


def every_royal_of_clubs() -> Iterator[ranking.Codes]:
    """Seven cards with the royal flush of clubs, the hole cards first, in every way to tell these from the board."""
    royal = [cards.CODE[rank + "C"] for rank in "AKQJT"]
    beside = np.array(list(combinations([code for code in range(52) if code not in royal], 2)), np.uint8).T
    seven = np.concatenate([np.repeat(np.array(royal, np.uint8)[:, None], beside.shape[1], axis=1), beside])
    for hole in combinations(range(7), 2):
        yield np.concatenate([seven[list(hole)], np.delete(seven, hole, axis=0)])


def test_a_royal_never_loses_and_copies_only_one_on_the_board():
    """Every dealer against every way to hold a royal of one suit, or, in the short form, against each twentieth."""
    pairs = np.array(list(combinations(range(52), 2)), np.uint8).T
    deck = pl.Series(cards.NAMES, dtype=cards.CARD)
    clauses: Counter[str] = Counter()
    for hands in every_royal_of_clubs():
        met = [
            np.concatenate([np.repeat(seven[:, None], 990, axis=1), pairs[:, ~np.isin(pairs, seven).any(axis=0)]])
            for seven in hands.T[:: 1 if SOAK else 20]
        ]
        codes = np.concatenate(met, axis=1)
        dealt = pl.DataFrame({name: deck.gather(row) for name, row in zip(CARDS, codes, strict=True)})
        facts = GAME.hand_facts(dealt).with_columns(folded=pl.lit(False))
        clauses.update(dict(settled(facts, ODDS).get_column("clause").value_counts().iter_rows()))
    sevens = 1_081 if SOAK else 55
    assert clauses == {"13:69F-39.11(b)(5)": 20 * sevens * 990, "13:69F-39.11(d)": sevens * 990}


def test_no_bad_beat_column_names_a_royal_flush():
    (bad_beat,) = ODDS.other_tables
    assert all("royal_flush" not in column.prizes for column in bad_beat.columns)


# Seven cards against an independent library


def a_million_sevens() -> np.ndarray:
    """Seven different cards in each row: drawn with repeats, and what holds one dropped."""
    drawn = np.random.default_rng(39).integers(0, 52, (1_600_000, 7), dtype=np.uint8)
    return drawn[(np.diff(np.sort(drawn, axis=1), axis=1) > 0).all(axis=1)][:1_000_000]


def test_seven_cards_rank_as_another_library_ranks_them_in_a_million_hands():
    hands = a_million_sevens()
    assert hands.shape == (1_000_000, 7)
    names = [card[0] + card[1].lower() for card in cards.DECK]
    # That library numbers the cards as ours does, and reads numbers three times as fast as names.
    assert all(
        evaluate_cards(*hand) == evaluate_cards(*(names[code] for code in hand)) for hand in hands[:2_000].tolist()
    )
    ours = ranking.best_five(hands.T)
    theirs = np.array([evaluate_cards(*hand) for hand in hands.tolist()])
    pairs = np.unique(np.stack([ours.astype(np.int64), -theirs]), axis=1)  # theirs counts downwards from the royal
    assert (np.diff(pairs[0]) > 0).all()
    assert (np.diff(pairs[1]) > 0).all()
    assert len({*pairs[0].tolist()}) == pairs.shape[1] > 4_000


# Decision tables, columns and the calendar


@pytest.fixture(scope="module")
def dealt() -> pl.DataFrame:
    """Rounds of every kind: dealt at random, and those above, in which rare hands meet."""
    random = np.random.default_rng(39)
    few_suits = [card for card in cards.DECK if card[1] in "CD"]
    rows: list[list[str | None]] = [random.permutation(cards.DECK)[:9].tolist() for _ in range(4_000)]
    rows += [random.permutation(few_suits)[:9].tolist() for _ in range(4_000)]
    rows += [" ".join(each).split() for each in (*WINS.values(), *WON_LOW.values(), *BEATEN.values())]
    rows += [f"{player} 3C 4D 5H 6S 8C 8D 8H".split() for each in POCKET_HANDS.values() for player in each]
    decisions = pl.DataFrame({"folded": [True, True, False], "trips_plus_dies_on_fold": [True, False, False]})
    return read(rows).drop("folded", "trips_plus_dies_on_fold").join(decisions, how="cross")


@pytest.mark.parametrize("wager", GAME.wagers, ids=lambda wager: wager.name)
def test_every_line_of_every_decision_table_decides_some_round(wager, dealt):
    answer = settled(dealt, wager)
    assert set(answer["line"]) == set(range(len(wager.rulings)))
    assert answer["owed"].null_count() == 0
    assert all(ruling.clause.startswith("13:69F-39.") for ruling in wager.rulings)
    assert pl.select(wager.rulings[-1].condition.holds).item() is True


@pytest.mark.parametrize("wager", [ODDS, TRIPS_PLUS, POCKET_BONUS], ids=lambda wager: wager.name)
def test_a_column_prints_a_prize_for_exactly_the_hands_that_are_sent_to_it(wager, dealt):
    for table in (wager.pay_table, *wager.other_tables):
        lines = [
            index
            for index, ruling in enumerate(wager.rulings)
            if ruling.outcome.odds is None and (ruling.outcome.table or wager.name) == table.wager
        ]
        sent = settled(dealt, wager).filter(pl.col("line").is_in(lines))[wager.hand].unique()
        for column in table.columns:
            assert {table.hands[index] for index in sent} == set(column.prizes)
            assert all(prize.odds > 0 for prize in column.prizes.values())
            assert column.editions == {"13:69F-39"}
            assert column.clause.startswith("13:69F-39.11(")
            assert column.source


def test_a_bad_beat_column_that_nobody_encoded_is_not_guessed(dealt):
    answer = settled(dealt.filter(~pl.col("folded")), ODDS, bad_beat="3")
    beaten = answer["line"] == len(ODDS.rulings) - 1
    assert beaten.any()
    assert answer["owed"].is_null().equals(beaten)


def test_every_day_since_the_first_has_its_text():
    day = GAME.editions[0].first_day
    while day <= date(2030, 12, 31):
        assert edition_in_force(GAME, day).name == "13:69F-39"
        day += timedelta(days=1)
    with pytest.raises(Refused, match=r"no text encoded for 2011-11-06.*13:69F-39"):
        edition_in_force(GAME, date(2011, 11, 6))


def test_a_table_that_elects_nothing_has_the_odds_and_no_side_wager():
    terms = GAME.elect("13:69F-39", {}, {})
    assert (terms.game, terms.edition) == ("heads-up-holdem", "13:69F-39")
    assert terms.columns == {"odds": "1", "bad_beat": "1"}
    assert terms.options == {"trips_plus_dies_on_fold": "false", "burn": "0"}


def test_every_combination_of_columns_and_options_that_the_law_prints_is_accepted():
    for bad_beat, trips_plus, pocket, dies, burn in product("12", "1234", "123", ("false", "true"), "0123"):
        columns = {"odds": "1", "bad_beat": bad_beat, "trips_plus": trips_plus, "pocket_bonus": pocket}
        options = {"trips_plus_dies_on_fold": dies, "burn": burn}
        terms = GAME.elect("13:69F-39", columns, options)
        assert (terms.columns, terms.options) == (columns, options)


@pytest.mark.parametrize(
    ("edition", "columns", "options", "clause"),
    [
        ("2000", {}, {}, "13:69F-39"),
        ("13:69F-39", {"ante": "1"}, {}, "13:69F-39.11"),
        ("13:69F-39", {"pair_plus": "1"}, {}, "13:69F-39.11"),
        ("13:69F-39", {"odds": "2"}, {}, "13:69F-39.11(b)(5)"),
        ("13:69F-39", {"bad_beat": "3"}, {}, "13:69F-39.11(f)"),
        ("13:69F-39", {"trips_plus": "5"}, {}, "13:69F-39.11(g)"),
        ("13:69F-39", {"pocket_bonus": "4"}, {}, "13:69F-39.11(i)"),
        ("13:69F-39", {}, {"trips_plus_dies_on_fold": "perhaps"}, "13:69F-39.10(h)"),
        ("13:69F-39", {}, {"burn": "-1"}, "13:69F-39.1"),
        ("13:69F-39", {}, {"burn": "4"}, "13:69F-39.1"),
    ],
)
def test_what_the_law_does_not_offer_is_refused_by_its_clause(edition, columns, options, clause):
    with pytest.raises(Refused) as refusal:
        GAME.elect(edition, columns, options)
    assert refusal.value.clause == clause
    assert clause in str(refusal.value)


# A card that nobody read

FEW_RANKS = [card for card in cards.DECK if card[0] in "79QKA"]
FEW_SUITS = [card for card in cards.DECK if card[1] == "S" or card[0] in "89"]


def completions(row: list[str]) -> list[list[str | None]]:
    left = [card for card in cards.DECK if card not in row]
    unread = [place for place, card in enumerate(row) if card == cards.UNREAD]
    return [
        [filling.get(place, card) for place, card in enumerate(row)]
        for chosen in permutations(left, len(unread))
        for filling in [dict(zip(unread, chosen, strict=True))]
    ]


@st.composite
def rounds_with_unread_cards(draw: st.DrawFn, unread: int) -> tuple[list[str], bool | None]:
    deck = draw(st.sampled_from((cards.DECK, FEW_RANKS, FEW_SUITS)))
    row = draw(st.lists(st.sampled_from(deck), min_size=9, max_size=9, unique=True))
    for place in draw(st.permutations(range(9)))[:unread]:
        row[place] = cards.UNREAD
    return row, draw(st.sampled_from((True, False, None)))


def possible_and_given(
    row: list[str], folded: bool | None = False, bad_beat: str = "1"
) -> dict[str, tuple[set[int | None], int | None]]:
    """For each wager the answers of all completions, and the answer without them."""
    whole = read(completions(row), folded=folded)
    every = whole if folded is not None else pl.concat(whole.with_columns(folded=pl.lit(f)) for f in (True, False))
    unseen = read([row], folded=folded)
    return {
        wager.name: (
            set(settled(every, wager, bad_beat=bad_beat)["owed"]),
            settled(unseen, wager, bad_beat=bad_beat)["owed"].item(),
        )
        for wager in GAME.wagers
    }


@settings(max_examples=40, deadline=None)
@given(rounds_with_unread_cards(unread=1))
def test_one_unread_card_or_an_unseen_decision_leaves_open_exactly_what_turns_on_it(round):
    for wager, (possible, answer) in possible_and_given(*round).items():
        assert answer == (next(iter(possible)) if len(possible) == 1 else None), wager


@settings(max_examples=10, deadline=None)
@given(rounds_with_unread_cards(unread=2))
def test_with_two_unread_cards_no_answer_is_given_that_any_completion_contradicts(round):
    for wager, (possible, answer) in possible_and_given(*round).items():
        assert answer is None or possible == {answer}, wager


@settings(max_examples=12, deadline=None)
@given(st.integers(1, 2).flatmap(rounds_with_unread_cards))
def test_no_completion_is_worth_less_or_more_than_the_bounds_or_stands_otherwise(round):
    row, _ = round
    unseen, every = read([row]).row(0, named=True), read(completions(row))
    for worth in ("player", "dealer", "pocket"):
        assert unseen[f"{worth}_low"] <= every[f"{worth}_low"].min()
        assert unseen[f"{worth}_high"] >= every[f"{worth}_high"].max()
    assert every["standing"].bitwise_or() & ~unseen["standing"] == 0


@pytest.mark.parametrize("place", range(9))
@pytest.mark.parametrize("deck", [list(cards.DECK), FEW_RANKS, FEW_SUITS], ids=["52 cards", "5 ranks", "21 cards"])
def test_two_hundred_dealt_rounds_with_one_unread_card_are_answered_exactly(deck, place):
    random = np.random.default_rng([place, len(deck)])
    rows = [random.permutation(deck)[:9].tolist() for _ in range(200)]
    for row in rows:
        row[place] = cards.UNREAD
    of_round = pl.Series("round", np.repeat(np.arange(200), 44))
    every = read([each for row in rows for each in completions(row)]).with_columns(of_round)
    unseen = read(rows)
    for wager in GAME.wagers:
        told = settled(every, wager).group_by("round", maintain_order=True)
        agreed = told.agg(owed=pl.when(pl.col("owed").n_unique() == 1).then(pl.col("owed").first())).get_column("owed")
        assert settled(unseen, wager)["owed"].equals(agreed), wager.name


@pytest.mark.parametrize(
    ("wager", "row", "answer"),
    [
        ("ante", "QC JH KD 9C 7H 4S 2D AC ??", None),
        ("ante", "KC KH AD AC 7H 4S 2D 5C ??", None),
        ("ante", "AC AH AD KC 7H 4S 2D KS ??", 1000),
        ("raise", "AC AH AD KC 7H 4S 2D ?? 9D", 1000),
        ("raise", "AC AH AD KC 7H 4S 2D ?? 3D", None),
        ("raise", "2C 3H KD KC 7H 4S 9D KH ??", -1000),
        ("odds", "AC AH AD KC 7H 4S 2D ?? 9C", 0),
        ("odds", "AC AH AD KC 7H 4S 2D QS ??", 0),
        ("odds", "9C 8D 7C 6H 5S 2D 2H 2S ??", None),
        ("odds", "9C 8D 7C 6H 5S 2D KH QS ??", 1000),
        ("trips_plus", "9C 9D 4H 6S KC 2D ?? AC AD", None),
        ("trips_plus", "9C 9D 4H 6S KC AD QS ?? ??", -1000),
        ("pocket_bonus", "2C ?? 2D 2H 2S KC KD AC AD", -1000),
        ("pocket_bonus", "2C ?? 2D 2H 7S KC KD AC AD", None),
        ("pocket_bonus", "AC ?? 2D 2H 7S KC KD 3C 4D", None),
    ],
)
def test_an_unread_card_is_weighed_against_the_eight_that_were_read(wager, row, answer):
    possible, told = possible_and_given(row.split())[wager]
    assert told == answer
    assert (len(possible) == 1) == (answer is not None)


def test_two_pay_tables_are_two_outcomes():
    """A straight that wins or loses with an unread card, in a table with no line between these two."""
    (won, beaten) = (ODDS.rulings[1], ODDS.rulings[-1])
    wager = replace(ODDS, rulings=(won, beaten))
    facts = read([["9C", "8D", "7C", "6H", "5S", "2D", "2H", "2S", "??"], [*WINS["straight"][0].split(), *["??"] * 7]])
    assert facts["player_hand"].to_list() == [HANDS.index("straight"), None]
    assert settled(facts, wager)["owed"].to_list() == [None, None]
    assert [table_of(wager, ruling.outcome).wager for ruling in wager.rulings] == ["odds", "bad_beat"]
    assert table_of(ANTE, ANTE.rulings[0].outcome) is None


def test_one_rare_hand_stays_open_although_both_tables_would_pay_it_the_same():
    """Kings full lose to four nines and are paid 10 to 1 by the bad beat table; a fourth king wins 10 to 1."""
    possible, answer = possible_and_given(["KC", "??", "KD", "KH", "9C", "9D", "2S", "9H", "9S"], bad_beat="2")["odds"]
    assert possible == {10_000}
    assert answer is None


@pytest.mark.parametrize("missing", CARDS)
@pytest.mark.parametrize("wager", GAME.wagers, ids=lambda wager: wager.name)
def test_a_card_that_no_event_dealt_leaves_open_what_is_settled_by_it(wager, missing):
    row = dict(zip(CARDS, ["AC", "AD", "AH", "KC", "7H", "4S", "2D", "KS", "QD"], strict=True))
    asks = {"trips_plus": "pc", "pocket_bonus": "p"}.get(wager.name, "pcd")
    told = settled(read([[*row.values()]]), wager)["owed"].item()
    unseen = settled(read([[*(row | {missing: None}).values()]]), wager)["owed"].item()
    assert unseen == (None if missing[0] in asks else told)


def test_an_unread_hole_card_is_tried_though_the_dealers_cards_were_not_dealt():
    facts = read([["AC", cards.UNREAD, "AD", "AH", "AS", "KC", "KD", None, None]])
    assert settled(facts, TRIPS_PLUS)["owed"].item() == 30_000
    assert settled(facts, ANTE)["owed"].item() is None


def test_a_folder_loses_the_ante_and_the_odds_whatever_was_not_read():
    blind = read([[cards.UNREAD] * 9, [None] * 9], folded=True, dies=True)
    for wager in (ANTE, ODDS, TRIPS_PLUS):
        assert settled(blind, wager)["owed"].to_list() == [-1000, -1000], wager.name


def test_an_unseen_fold_is_no_matter_to_what_outlives_it():
    row = [["2C", "2H", "9C", "9D", "9H", "KS", "QD", "KC", "KH"]]
    assert settled(read(row, folded=None), POCKET_BONUS)["owed"].item() == 5000
    assert settled(read(row, folded=None), TRIPS_PLUS)["owed"].item() == 8000
    assert settled(read(row, folded=None, dies=True), TRIPS_PLUS)["owed"].item() is None


def test_a_joker_is_worth_no_more_than_a_card_nobody_read():
    joker, unread = (read([["AC", "AD", "AH", "KC", "7H", "4S", "2D", "KS", card]]) for card in ("XX", "??"))
    for wager in GAME.wagers:
        assert settled(joker, wager)["owed"].equals(settled(unread, wager)["owed"]), wager.name


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.sampled_from((*cards.NAMES, None)), min_size=9, max_size=9),
    st.sampled_from((True, False, None)),
    st.booleans(),
)
@example(["2C", "2C", "2C", "2C", "2C", "2C", "??", "??", None], True, False)
def test_no_cards_however_impossible_stop_the_law(row, folded, dies):
    facts = read([row], folded=folded, dies=dies)
    for wager in GAME.wagers:
        assert settled(facts, wager)["owed"].dtype == pl.Int64


def test_no_rows_are_no_answers():
    for wager in GAME.wagers:
        assert settled(read([]), wager).is_empty()


def test_there_are_twelve_ways_for_two_hands_to_stand_to_each_other():
    assert len(set(STANDINGS)) == 12
