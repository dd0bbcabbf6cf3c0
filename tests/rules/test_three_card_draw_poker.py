"""N.J.A.C. 13:69F-42, clause by clause. Stakes and answers are cents, worked by hand from the text."""

from collections import Counter
from datetime import date, timedelta
from itertools import combinations, permutations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules import cards, odds, ranking
from rules.decision import PAYS_BY_TABLE, Wager, settle
from rules.game import Irregularity, Refused, Remedy, edition_in_force
from rules.three_card_draw_poker import (
    ANTE,
    CARDS,
    DEALER,
    DRAW,
    FIRST_3_BONUS,
    GAME,
    HANDS,
    IN_TO_WIN,
    IN_TO_WIN_BONUS,
    PLAYER,
)

EDITION = "13:69F-42"
ACE_HIGH = "AC 9D 7H 2S"
PAIR = "8C 8D 5H 2S"
UNREAD = cards.UNREAD
CHOICES = ("in_to_win", "draw", "fold")
BY_COLUMN = [
    (wager, column) for wager in GAME.wagers if wager.pay_table is not None for column in wager.pay_table.columns
]


def titled(value: object) -> str | None:
    return getattr(value, "name", None)


def read(rounds: list[dict[str, str | None]], dies: bool | None = False) -> pl.DataFrame:
    schema = {**dict.fromkeys(CARDS, cards.CARD), "choice": pl.String}
    rows = pl.DataFrame([{name: round.get(name) for name in schema} for round in rounds], schema=schema)
    return GAME.hand_facts(rows).with_columns(first3_dies_on_fold=pl.lit(dies, pl.Boolean))


def a_round(
    player: str, dealer: str, choice: str | None, discard: str | None = None, drawn: str | None = None
) -> dict[str, str | None]:
    dealt = zip((*PLAYER, *DEALER), (*player.split(), *dealer.split()), strict=True)
    return {**dict(dealt), "choice": choice, "discard": discard, "drawn": drawn}


def answers(facts: pl.DataFrame, wager: Wager, column: str = "1", stake: int = 500) -> pl.Series:
    return settle(facts.with_columns(stake=pl.lit(stake, pl.Int64), column=pl.lit(column)), wager).get_column("owed")


def ruled(
    wager: Wager, facts: pl.DataFrame, *, stake: int = 1000, column: str | None = None
) -> tuple[int | None, str | None]:
    settled = settle(
        facts.with_columns(stake=pl.lit(stake, pl.Int64), column=pl.lit(column, pl.String)),
        wager,
    )
    return settled.item(0, "owed"), settled.item(0, "clause")


def in_to_win(player: str, dealer: str = ACE_HIGH) -> pl.DataFrame:
    return read([a_round(player, dealer, "in_to_win")])


def drew(player: str, discard: str, drawn: str, dealer: str = ACE_HIGH) -> pl.DataFrame:
    return read([a_round(player, dealer, "draw", discard, drawn)])


def folded(player: str, dealer: str = ACE_HIGH, *, dies: bool = False) -> pl.DataFrame:
    return read([a_round(player, dealer, "fold")], dies)


# 42.1, 42.2 and 42.6: the wagers


def test_42_1_the_ante_and_the_first_3_lie_before_the_cards_and_in_to_win_and_draw_after_them():
    assert [wager.name for wager in GAME.wagers if wager.bonus_on is None and wager.before_deal] == [
        "ante",
        "first_3_bonus",
    ]
    assert [wager.name for wager in GAME.wagers if not wager.before_deal] == ["in_to_win", "draw"]


def test_42_1_the_bonus_has_no_stake_of_its_own_and_is_paid_on_whichever_of_the_two_wagers_lies():
    assert (IN_TO_WIN_BONUS.bonus_on, IN_TO_WIN_BONUS.bonus_or_on) == ("in_to_win", "draw")


def test_42_1_the_first_3_bonus_may_be_of_any_size():
    assert FIRST_3_BONUS.equals is None


def test_42_2_a_the_game_is_played_with_one_deck_of_52():
    assert (GAME.deck_size, GAME.deck_clause) == (52, "13:69F-42.2(a)")


def test_42_6_b_only_in_to_win_and_draw_follow_no_more_bets():
    assert GAME.late_clause == "13:69F-42.6(b)"
    assert ANTE.before_deal
    assert FIRST_3_BONUS.before_deal


def test_69e_1_13bb_a_at_most_six_play():
    assert GAME.max_seats == 6


@pytest.mark.parametrize(
    ("method", "hours", "clause"),
    [
        ("manual_shoe", 8, "13:69E-1.18(g)2"),
        ("automated_shoe", 8, "13:69E-1.18(g)2"),
        ("hand", 4, "13:69E-1.18(g)3"),
    ],
)
def test_69e_1_18_g_cards_are_changed_after_eight_hours_in_a_shoe_and_four_in_the_hand(method, hours, clause):
    assert (GAME.card_life[method].hours, GAME.card_life[method].clause) == (hours, clause)


# 42.5: the ranking

RISING = (
    "2C 3D 5H",
    "AC KD JH",
    "2C 2D 3H",
    "AC AD KH",
    "2C 3C 5C",
    "AC KC JC",
    "AC 2D 3H",
    "2C 3D 4H",
    "AC KD QH",
    "2C 2D 2H",
    "AC AD AH",
    "AC 2C 3C",
    "2C 3C 4C",
    "KC QC JC",
    "AC KC QC",
)


def test_42_5_hands_rank_from_high_card_to_mini_royal_and_a_2_3_is_the_lowest_straight():
    values = [ranking.three_card_value(hand) for hand in RISING]
    assert values == sorted(set(values))


def test_42_5_a_the_ace_is_low_only_with_a_two_and_the_king_does_not_go_round():
    king_ace_two = in_to_win("KC AD 2H", "3C 5D 7H 9S").row(0, named=True)
    assert HANDS[king_ace_two["player_hand"]] == "high_card"


@pytest.mark.parametrize("suit", cards.SUITS)
def test_42_5_b_1_ace_king_queen_of_one_suit_is_a_mini_royal_above_every_straight_flush(suit):
    royal = " ".join(rank + suit for rank in "QAK")
    other = "CD"[suit == "C"]
    facts = in_to_win(royal, " ".join(rank + other for rank in "KQJ9"))
    assert HANDS[facts.item(0, "player_hand")] == "mini_royal"
    assert ruled(ANTE, facts) == (1000, "13:69F-42.10(h)4")


# 42.7, 42.8 and 42.9: the deal


@pytest.mark.parametrize(
    ("method", "order_clause", "bets_closed_clause", "count_clause", "advisory"),
    [
        ("manual_shoe", "13:69F-42.7(d)", "13:69F-42.7(b)", "13:69F-42.7(e)", False),
        ("hand", "13:69F-42.8(c)", "13:69F-42.8(b)3", "13:69F-42.7(e)", True),
        ("automated_shoe", "13:69F-42.9(c)", "13:69F-42.9(b)2", "13:69F-42.9(d)", False),
    ],
)
def test_42_7_to_9_each_dealing_method_has_its_own_clauses_and_only_the_hand_no_count(
    method, order_clause, bets_closed_clause, count_clause, advisory
):
    deal = GAME.deal[method]
    assert (deal.order, deal.order_clause) == ("packets", order_clause)
    assert (deal.bets_closed_clause, deal.count_clause, deal.count_advisory) == (
        bets_closed_clause,
        count_clause,
        advisory,
    )


def test_42_7_f_a_counting_shuffler_spares_the_count():
    assert GAME.count_exempt_clause == "13:69F-42.7(f)"


def test_42_10_a_three_cards_are_dealt_for_an_ante_and_for_nothing_else():
    assert (GAME.dealt_in, GAME.player_cards) == (("ante",), 3)
    assert [(need.wager, need.clause) for need in FIRST_3_BONUS.needs] == [("ante", "13:69F-42.10(a)")]


def test_42_10_b_the_dealers_four_cards_come_after_all_players_cards():
    assert GAME.dealer_cards == 4
    assert all(deal.dealer_last for deal in GAME.deal.values())


# 42.10(f): fold, In To Win or Draw


def test_42_10_f_there_are_three_choices():
    assert GAME.choices == CHOICES


@pytest.mark.parametrize("player", ["2C 3D 7S", "9C 9D 9S"])
def test_42_10_f_1_a_folder_relinquishes_the_ante_whatever_he_holds(player):
    assert ruled(ANTE, folded(player)) == (-1000, "13:69F-42.10(f)1")


def test_42_10_f_1_a_folder_without_a_first_3_has_no_bonus_even_on_a_mini_royal():
    assert ruled(IN_TO_WIN_BONUS, folded("AD KD QD"), column="1") == (0, "13:69F-42.11(c)")


def test_42_10_f_1_a_folders_first_3_stays_under_his_cards_and_is_paid_by_them():
    assert ruled(FIRST_3_BONUS, folded("2C 2D 7S"), stake=500, column="1") == (500, "13:69F-42.11(d)")
    assert ruled(FIRST_3_BONUS, folded("4D 5D 6D"), stake=500, column="2") == (30_000, "13:69F-42.11(d)")
    assert ruled(FIRST_3_BONUS, folded("2C 3D 7S"), stake=500, column="1") == (-500, "13:69F-42.11(d)")


@pytest.mark.parametrize("player", ["2C 2D 7S", "AD KD QD", "2C 3D 7S"])
def test_42_10_f_1_where_the_house_lets_it_die_a_folders_first_3_is_lost(player):
    answer = ruled(FIRST_3_BONUS, folded(player, dies=True), stake=500, column="1")
    assert answer == (-500, "13:69F-42.10(f)1")


@pytest.mark.parametrize("choice", ["in_to_win", "draw"])
def test_42_10_f_1_nobody_but_a_folder_loses_a_first_3_where_it_dies_on_a_fold(choice):
    facts = read([a_round("2C 2D 7S", ACE_HIGH, choice, "7S", "KH")], dies=True)
    assert ruled(FIRST_3_BONUS, facts, stake=500, column="1") == (500, "13:69F-42.11(d)")


def test_42_10_f_2_in_to_win_equals_the_ante():
    assert (IN_TO_WIN.equals.wager, IN_TO_WIN.equals.clause) == ("ante", "13:69F-42.10(f)2")
    assert [(need.wager, need.clause) for need in IN_TO_WIN.needs] == [("ante", "13:69F-42.10(f)2")]


def test_42_10_f_3_draw_equals_the_ante():
    assert (DRAW.equals.wager, DRAW.equals.clause) == ("ante", "13:69F-42.10(f)3")
    assert [(need.wager, need.clause) for need in DRAW.needs] == [("ante", "13:69F-42.10(f)3")]


@pytest.mark.parametrize(("discard", "hand"), [("2C", "pair"), ("9D", "high_card"), ("9S", "high_card")])
def test_42_10_f_3_the_final_hand_is_the_two_cards_kept_and_the_draw_card(discard, hand):
    facts = drew("2C 9D 9S", discard, "KH")
    assert HANDS[facts.item(0, "player_hand")] == hand


# 42.10(g): the dealer's best three of four


@pytest.mark.parametrize(
    ("dealer", "hand"),
    [
        ("AC KC QC 2D", "mini_royal"),
        ("2D QC AC KC", "mini_royal"),
        ("AC KC 3D QC", "mini_royal"),
        ("AC 2C 3C 4C", "straight_flush"),
        ("9C 9D 9H 9S", "three_of_a_kind"),
        ("4C 5D 6H 6S", "straight"),
        ("AC KD QH 2S", "straight"),
        ("2C 7C 9C 9D", "flush"),
        ("8C 8D 5H 5S", "pair"),
        ("AC KD JH 2S", "high_card"),
    ],
)
def test_42_10_g_the_dealer_plays_the_best_three_of_four(dealer, hand):
    facts = in_to_win("2H 3S 7D", dealer).row(0, named=True)
    assert facts["dealer_low"] == facts["dealer_high"]
    (category,) = pl.select(ranking.three_card_category(pl.lit(facts["dealer_low"]))).to_series()
    assert HANDS[category] == hand


def test_42_10_g_the_unused_card_breaks_no_tie():
    assert ruled(ANTE, in_to_win("AD 9C 7S", "AC 9D 7H 6S")) == (0, "13:69F-42.10(h)6")


def test_42_10_g_with_two_pairs_the_higher_one_plays_with_the_other_pairs_card():
    assert ruled(ANTE, in_to_win("8H 8S 5C", "8C 8D 5H 5S")) == (0, "13:69F-42.10(h)6")
    assert ruled(ANTE, in_to_win("8H 8S 6C", "8C 8D 5H 5S")) == (1000, "13:69F-42.10(h)4")


def test_69e_1_13bb_b_2_the_dealer_always_qualifies():
    assert ruled(ANTE, in_to_win("2D 3C 5S", "2C 3D 4S 6H")) == (-1000, "13:69F-42.10(h)5")
    assert ruled(ANTE, in_to_win("KD 3C 5S", "2C 4D 7S 8H")) == (1000, "13:69F-42.10(h)4")


# 42.10(h)1-7: In To Win


def test_42_10_h_settling_starts_at_the_dealers_right():
    assert GAME.settle_clause == "13:69F-42.10(h)"
    assert GAME.settle_order_binds


@pytest.mark.parametrize(
    ("player", "to_one"),
    [
        ("2D 2C 7S", 1),
        ("2D 7D 9D", 3),
        ("4D 5C 6S", 6),
        ("AD 2C 3S", 6),
        ("9D 9C 9S", 30),
        ("4D 5D 6D", 50),
        ("AD 2D 3D", 50),
        ("AD KD QD", 200),
    ],
)
def test_42_10_h_2_first_3_is_paid_on_a_pair_or_higher_of_the_three_cards(player, to_one):
    assert ruled(FIRST_3_BONUS, in_to_win(player), stake=500, column="1") == (500 * to_one, "13:69F-42.11(d)")


@pytest.mark.parametrize("player", ["AD KC JS", "2D 3C 5S", "AD KC 2S"])
def test_42_10_h_2_first_3_below_a_pair_is_collected(player):
    assert ruled(FIRST_3_BONUS, in_to_win(player), stake=500, column="1") == (-500, "13:69F-42.11(d)")


@pytest.mark.parametrize("wager", [ANTE, IN_TO_WIN], ids=titled)
@pytest.mark.parametrize(
    ("player", "owed", "clause"),
    [
        ("AD 9C 8S", 1000, "13:69F-42.10(h)4"),
        ("AD 9C 6S", -1000, "13:69F-42.10(h)5"),
        ("AD 9C 7S", 0, "13:69F-42.10(h)6"),
    ],
    ids=["higher", "lower", "equal"],
)
def test_42_10_h_4_to_6_in_to_win_the_higher_hand_wins_the_lower_loses_and_equal_ones_push(wager, player, owed, clause):
    assert ruled(wager, in_to_win(player)) == (owed, clause)


@pytest.mark.parametrize("dealer", [ACE_HIGH, "4C 5H 6D 2C", "AC AH AS 2C"], ids=["won", "tied", "lost"])
def test_42_10_h_7_the_bonus_is_paid_whatever_the_dealer_holds(dealer):
    assert ruled(IN_TO_WIN_BONUS, in_to_win("4D 5C 6S", dealer), column="1") == (1000, "13:69F-42.11(c)")


@pytest.mark.parametrize("player", ["2D 7D 9D", "AD AC KS", "AD KC JS"])
def test_42_10_h_7_below_a_straight_there_is_no_bonus(player):
    assert ruled(IN_TO_WIN_BONUS, in_to_win(player), column="1") == (0, "13:69F-42.11(c)")


# 42.10(h)8-13: Draw


@pytest.mark.parametrize("column", "1234")
@pytest.mark.parametrize(
    ("player", "discard"), [("2D 2C 7S", "7S"), ("9D 9C 9S", "9C"), ("7S 2D 2C", "7S"), ("2D 7S 2C", "7S")]
)
def test_42_10_h_8_after_a_draw_first_3_pays_a_kept_pair_1_to_1_and_no_more(player, discard, column):
    assert ruled(FIRST_3_BONUS, drew(player, discard, "KH"), stake=500, column=column) == (500, "13:69F-42.11(d)")


@pytest.mark.parametrize(
    ("player", "discard"),
    [("2D 7D 9D", "2D"), ("4D 5C 6S", "4D"), ("4D 5D 6D", "6D"), ("AD KD QD", "QD"), ("AS 2S 2H", "2H")],
    ids=["flush", "straight", "straight flush", "mini royal", "broken pair"],
)
def test_42_10_h_8_after_a_draw_any_two_cards_but_a_pair_lose_the_first_3_whatever_was_dealt(player, discard):
    assert ruled(FIRST_3_BONUS, drew(player, discard, "KH"), stake=500, column="1") == (-500, "13:69F-42.10(h)8")


def test_42_10_h_8_the_draw_card_makes_no_first_3():
    assert ruled(FIRST_3_BONUS, drew("2D 7C 9S", "9S", "7H"), stake=500, column="1")[0] == -500


@pytest.mark.parametrize("wager", [ANTE, DRAW], ids=titled)
@pytest.mark.parametrize(
    ("drawn", "owed", "clause"),
    [
        ("8S", 1000, "13:69F-42.10(h)10"),
        ("6S", -1000, "13:69F-42.10(h)11"),
        ("7S", 0, "13:69F-42.10(h)12"),
    ],
    ids=["higher", "lower", "equal"],
)
def test_42_10_h_10_to_12_after_a_draw_the_higher_hand_wins_the_lower_loses_and_equal_ones_push(
    wager, drawn, owed, clause
):
    assert ruled(wager, drew("AD 9C 3S", "3S", drawn)) == (owed, clause)


@pytest.mark.parametrize("dealer", [ACE_HIGH, "4C 5H 6D 2C", "AC AH AS 2C"], ids=["won", "tied", "lost"])
def test_42_10_h_13_the_bonus_is_paid_on_the_final_hand_whatever_the_dealer_holds(dealer):
    assert ruled(IN_TO_WIN_BONUS, drew("4D 5C KS", "KS", "6S", dealer), column="1") == (1000, "13:69F-42.11(c)")


def test_42_10_h_13_a_straight_that_was_broken_has_no_bonus():
    assert ruled(IN_TO_WIN_BONUS, drew("4D 5D 6S", "6S", "KC"), column="1") == (0, "13:69F-42.11(c)")


def test_42_10_i_every_hand_can_be_laid_out_again():
    assert GAME.record_clause == "13:69F-42.10(i)"


# 42.11: the pay tables

BONUS_HANDS = {
    "straight": "4D 5C 6S",
    "three of a kind": "6D 6C 6S",
    "straight flush": "4D 5D 6D",
    "mini royal": "AD KD QD",
}
BONUS_TO_ONE = {"1": (1, 5, 10, 20), "2": (1, 4, 10, 20), "3": (1, 5, 6, 20)}
FIRST_3_HANDS = {"pair": "6D 6C KS", "flush": "2D 7D 9D", **BONUS_HANDS}
FIRST_3_TO_ONE = {
    "1": (1, 3, 6, 30, 50, 200),
    "2": (1, 3, 6, 30, 60, 100),
    "3": (1, 3, 7, 30, 40, 150),
    "4": (1, 3, 6, 30, 40, 60),
}


@pytest.mark.parametrize("wager", [ANTE, IN_TO_WIN, DRAW], ids=titled)
def test_42_11_b_ante_in_to_win_and_draw_win_1_to_1(wager):
    facts = drew("9C 9D KS", "KS", "2H") if wager is DRAW else in_to_win("9C 9D KS")
    assert ruled(wager, facts, stake=1500)[0] == 1500


@pytest.mark.parametrize("column", "123")
@pytest.mark.parametrize("hand", BONUS_HANDS)
def test_42_11_c_each_column_of_the_bonus_pays_what_it_prints(column, hand):
    to_one = dict(zip(BONUS_HANDS, BONUS_TO_ONE[column], strict=True))[hand]
    assert ruled(IN_TO_WIN_BONUS, in_to_win(BONUS_HANDS[hand]), column=column) == (1000 * to_one, "13:69F-42.11(c)")
    one, two, three = BONUS_HANDS[hand].split()
    facts = drew(f"{one} {two} 8H", "8H", three)
    assert ruled(IN_TO_WIN_BONUS, facts, column=column) == (1000 * to_one, "13:69F-42.11(c)")


@pytest.mark.parametrize("column", "1234")
@pytest.mark.parametrize("hand", FIRST_3_HANDS)
def test_42_11_d_each_column_of_first_3_pays_what_it_prints(column, hand):
    to_one = dict(zip(FIRST_3_HANDS, FIRST_3_TO_ONE[column], strict=True))[hand]
    for facts in (in_to_win(FIRST_3_HANDS[hand]), folded(FIRST_3_HANDS[hand])):
        assert ruled(FIRST_3_BONUS, facts, stake=500, column=column) == (500 * to_one, "13:69F-42.11(d)")


# 42.12: irregularities


@pytest.mark.parametrize(
    ("irregularity", "remedy", "voids", "clause"),
    [
        (Irregularity.ONE_CARD_FACE_UP, Remedy.VOID, True, "13:69F-42.12(a)"),
        (Irregularity.MORE_CARDS_FACE_UP, Remedy.VOID, True, "13:69F-42.12(a)"),
        (Irregularity.WRONG_CARD_COUNT, Remedy.VOID, True, "13:69F-42.12(b)"),
        (Irregularity.DEALER_CARD_EXPOSED, Remedy.SUPERVISOR_DECIDES, False, "13:69F-42.12"),
        (Irregularity.SHUFFLER_FAILED, Remedy.RESHUFFLE, False, "13:69F-42.12(c)"),
        (Irregularity.SHOE_FAILED, Remedy.VOID, True, "13:69F-42.12(d)"),
        (Irregularity.WRONG_STUB_COUNT, Remedy.VOID_AND_REMOVE, True, "13:69F-42.7(e)2"),
        (Irregularity.WRONG_SHUFFLER_COUNT, Remedy.REMOVE_DECK, False, "13:69F-42.7(f)"),
    ],
)
def test_42_12_each_irregularity_has_its_own_remedy_and_one_card_face_up_is_enough_to_void(
    irregularity, remedy, voids, clause
):
    due = GAME.remedies[irregularity]
    assert (due.remedy, due.voids, due.clause) == (remedy, voids, clause)


# Whole rounds: Ante 10, First 3 5, both by their first columns


def settled_round(facts: pl.DataFrame, played: Wager | None) -> dict[str, int | None]:
    wagers = [ANTE, FIRST_3_BONUS, *([] if played is None else [played, IN_TO_WIN_BONUS])]
    return {
        wager.name: ruled(wager, facts, stake=500 if wager is FIRST_3_BONUS else 1000, column="1")[0]
        for wager in wagers
    }


def test_three_nines_in_to_win_against_a_pair_leave_220_dollars_ahead():
    owed = settled_round(in_to_win("9C 9D 9S", PAIR), IN_TO_WIN)
    assert owed == {"ante": 1000, "first_3_bonus": 15_000, "in_to_win": 1000, "in_to_win_bonus": 5000}
    assert sum(owed.values()) == 22_000


def test_two_of_three_nines_and_a_drawn_king_against_ace_high_leave_25_dollars_ahead():
    owed = settled_round(drew("9C 9S 9H", "9H", "KD"), DRAW)
    assert owed == {"ante": 1000, "first_3_bonus": 500, "draw": 1000, "in_to_win_bonus": 0}
    assert sum(owed.values()) == 2500


def test_a_folded_pair_of_twos_leaves_5_dollars_behind():
    owed = settled_round(folded("2C 2D 7S"), None)
    assert owed == {"ante": -1000, "first_3_bonus": 500}
    assert sum(owed.values()) == -500


def test_a_straight_flush_drawn_to_that_loses_to_a_mini_royal_keeps_only_its_bonus():
    owed = settled_round(drew("4D 5D KC", "KC", "6D", "AS KS QS 2H"), DRAW)
    assert owed == {"ante": -1000, "first_3_bonus": -500, "draw": -1000, "in_to_win_bonus": 10_000}


# Every hand, against published counts

THREES = np.array(list(combinations(range(52), 3)), np.uint8).T
COUNTS = {
    "mini_royal": 4,
    "straight_flush": 44,
    "three_of_a_kind": 52,
    "straight": 720,
    "flush": 1_096,
    "pair": 3_744,
    "high_card": 16_440,
}


def named(codes: np.ndarray) -> pl.Series:
    return pl.Series(cards.NAMES, dtype=cards.CARD).gather(codes)


@pytest.fixture(scope="module")
def every_three() -> pl.DataFrame:
    """Each of the 22,100 hands by each choice but the draw, against a dealer whose cards nobody read."""
    hands = pl.DataFrame({name: named(codes) for name, codes in zip(PLAYER, THREES, strict=True)})
    nothing = {name: pl.lit(None, cards.CARD) for name in ("discard", "drawn")}
    unread = {name: pl.lit(UNREAD, cards.CARD) for name in DEALER}
    choices = pl.DataFrame({"choice": ["in_to_win", "fold"]})
    return GAME.hand_facts(hands.with_columns(**nothing, **unread).join(choices, how="cross")).with_columns(
        first3_dies_on_fold=pl.lit(False)
    )


@pytest.mark.parametrize("choice", ["in_to_win", "fold"])
def test_the_first_3_is_hit_as_published(every_three, choice):
    held = every_three.filter(pl.col("choice") == choice)["first_3_hand"]
    assert {HANDS[index]: count for index, count in Counter(held).items()} == COUNTS


@pytest.mark.parametrize("choice", ["in_to_win", "fold"])
@pytest.mark.parametrize(
    ("column", "net"),
    [
        ("1", 3744 + 3 * 1096 + 6 * 720 + 30 * 52 + 50 * 44 + 200 * 4 - 16_440),
        ("2", -488),
        ("3", 3744 + 3 * 1096 + 7 * 720 + 30 * 52 + 40 * 44 + 150 * 4 - 16_440),
        ("4", 3744 + 3 * 1096 + 6 * 720 + 30 * 52 + 40 * 44 + 60 * 4 - 16_440),
    ],
)
def test_the_first_3_keeps_its_published_edge_in_every_column(every_three, column, net, choice):
    owed = answers(every_three.filter(pl.col("choice") == choice), FIRST_3_BONUS, column, stake=1)
    assert (owed.len(), owed.null_count(), owed.sum()) == (22_100, 0, net)


@pytest.mark.parametrize(
    ("column", "net"),
    [
        ("1", 720 + 5 * 52 + 10 * 44 + 20 * 4),
        ("2", 720 + 4 * 52 + 10 * 44 + 20 * 4),
        ("3", 720 + 5 * 52 + 6 * 44 + 20 * 4),
    ],
)
def test_the_bonus_pays_over_all_hands_what_its_printed_column_says(every_three, column, net):
    owed = answers(every_three.filter(pl.col("choice") == "in_to_win"), IN_TO_WIN_BONUS, column, stake=1)
    assert (owed.len(), owed.null_count(), owed.sum()) == (22_100, 0, net)


def test_a_first_3_that_is_always_drawn_to_wins_only_on_kept_pairs():
    """Whoever keeps a pair where there is one wins 3,744 and 52 times, whatever was dealt beside them, and loses all others."""
    ranks = THREES >> 2
    place = np.where(ranks[0] == ranks[1], 2, np.where(ranks[1] == ranks[2], 0, 1))
    hands = pl.DataFrame({name: named(codes) for name, codes in zip(PLAYER, THREES, strict=True)}).with_columns(
        discard=named(THREES[place, np.arange(THREES.shape[1])]),
        drawn=pl.lit(UNREAD, cards.CARD),
        choice=pl.lit("draw"),
        **{name: pl.lit(UNREAD, cards.CARD) for name in DEALER},
    )
    facts = GAME.hand_facts(hands).with_columns(first3_dies_on_fold=pl.lit(False))
    for column in "1234":
        assert answers(facts, FIRST_3_BONUS, column, stake=1).sum() == 3_796 - (22_100 - 3_796)


def test_the_dealers_best_three_of_four_have_the_published_counts():
    fours = np.array(list(combinations(range(52), 4)), np.uint8).T
    shown = dict(zip(DEALER, map(named, fours), strict=True))
    blank = {name: pl.lit(None, cards.CARD) for name in (*PLAYER, "discard", "drawn")}
    facts = GAME.hand_facts(pl.DataFrame(shown).with_columns(**blank, choice=pl.lit("fold")))
    assert facts["dealer_low"].equals(facts["dealer_high"].alias("dealer_low"))
    category = facts.select(ranking.three_card_category(pl.col("dealer_low"))).to_series()
    assert {HANDS[index]: count for index, count in Counter(category).items()} == {
        "mini_royal": 196,
        "straight_flush": 2_308 - 196,
        "three_of_a_kind": 2_509,
        "straight": 29_052,
        "flush": 41_376,
        "pair": 71_856,
        "high_card": 123_624,
    }
    assert category.len() == 270_725


# Every round: the player's three cards, the next card and the dealer's four

ROUNDS = 22_100 * 49 * 194_580
ALWAYS, BEST = "always In To Win", "best play"


@pytest.fixture(scope="module")
def enumerated() -> dict[tuple[str, str, str | None], odds.WagerOdds]:
    told: list[tuple[int, int]] = []
    found = odds.three_card_draw_poker.every_wager(lambda done, total: told.append((done, total)))
    assert [done for done, _ in told] == list(range(1, told[-1][1] + 1))
    return {(each.wager, each.column, each.strategy): each for each in found}


def test_every_column_of_every_wager_has_its_odds(enumerated):
    assert set(enumerated) == {
        *(("first_3_bonus", column, None) for column in "1234"),
        *(("ante", column, strategy) for column in "123" for strategy in (ALWAYS, BEST)),
    }


def test_the_first_3_of_a_player_who_never_draws_has_the_published_edge(enumerated):
    first_3 = enumerated["first_3_bonus", "2", None]
    assert (first_3.rounds, first_3.net, f"{float(first_3.edge):.6%}") == (22_100, -488, "2.208145%")


@pytest.mark.parametrize("column", "123")
def test_in_to_win_with_every_hand_is_won_and_lost_alike_in_every_column_and_adds_the_printed_bonus(enumerated, column):
    ante = enumerated["ante", column, ALWAYS]
    won, lost, tied = (
        ante.lines[f"In To Win, and {end}"]
        for end in ("the player's hand is higher", "the player's hand is lower", "the hands are equal")
    )
    assert ante.rounds == won + lost + tied == ROUNDS
    assert ante.hands == {hand: count * 49 * 194_580 for hand, count in COUNTS.items()}
    straight, trips, straight_flush, mini_royal = BONUS_TO_ONE[column]
    bonus = straight * 720 + trips * 52 + straight_flush * 44 + mini_royal * 4
    assert ante.net == 2 * (won - lost) + bonus * 49 * 194_580


def test_the_best_play_draws_to_every_pair_and_breaks_24_of_3744():
    hands, alike, play = odds.three_card_draw_poker.best_plays("1")
    ranks = np.sort(hands >> 2, axis=0)
    pair = (ranks[0] == ranks[1]) != (ranks[1] == ranks[2])
    assert alike[pair].sum() == 3_744
    assert set(play[pair].tolist()) <= {1, 2, 3}
    gone = hands[np.clip(play - 1, 0, 2), np.arange(play.size)] >> 2
    broken = pair & (gone == ranks[1])
    assert alike[broken].sum() == 24
    assert {tuple(ranks[:, index]) for index in np.flatnonzero(broken)} == {(0, 0, 12), (1, 1, 12)}


def test_the_best_play_leaves_the_house_an_edge_in_every_column_and_always_in_to_win_a_greater_one(enumerated):
    edges = {column: enumerated["ante", column, BEST].edge for column in "123"}
    assert {column: f"{float(edge):.6%}" for column, edge in edges.items()} == {
        "1": "1.041848%",
        "2": "1.964186%",
        "3": "3.201786%",
    }
    assert all(edge < enumerated["ante", column, ALWAYS].edge for column, edge in edges.items())


def test_dealers_are_counted_as_if_every_one_were_dealt():
    hands = [[cards.CODE[card] for card in hand.split()] for hand in ("AC 2C 2D", "4S 5S 6S")]
    ways = odds.three_card_draw_poker.ways_to_play(np.array(hands, np.uint8).T)
    for number, hand in enumerate(hands):
        rest = np.setdiff1d(np.arange(52), hand)
        _assert_counted(ways[0], number, 0, hand, rest)
        next_card = 7 * (number + 1)
        for way, (one, other) in zip(ways[1:], ((1, 2), (0, 2), (0, 1)), strict=True):
            final = [hand[one], hand[other], int(rest[next_card])]
            _assert_counted(way, number, next_card, final, np.delete(rest, next_card))


def _assert_counted(
    way: odds.three_card_draw_poker.Way, number: int, next_card: int, final: list[int], left: np.ndarray
) -> None:
    (value,) = ranking.three_card_values(np.array(final, np.uint8)[:, None]).tolist()
    best, _ = ranking.best_three_range(np.array(list(combinations(left, 4)), np.uint8).T)
    counted = [int(counts[next_card, number]) for counts in (way.value, way.below, way.level, way.above)]
    assert counted == [value, *(int(beside.sum()) for beside in (best < value, best == value, best > value))]


# The decision tables


@pytest.fixture(scope="module")
def dealt() -> pl.DataFrame:
    """Rounds of every kind: all hands by all choices against random dealers, and ties."""
    random = np.random.default_rng(42)
    rest = np.stack([random.permutation(52)[:12] for _ in range(THREES.shape[1])])
    free = np.stack([[card for card in row if card not in hand][:5] for row, hand in zip(rest, THREES.T, strict=True)])
    names = {name: named(codes) for name, codes in zip(PLAYER, THREES, strict=True)}
    others = {name: named(codes) for name, codes in zip((*DEALER, "drawn"), free.T, strict=True)}
    discards = pl.DataFrame({"choice": [*CHOICES, "draw", "draw"], "place": [0, 0, 0, 1, 2]})
    ways = pl.DataFrame(names | others).join(discards, how="cross")
    ways = ways.with_columns(
        discard=pl.when(pl.col("choice") == "draw").then(
            pl.when(pl.col("place") == 0).then("p1").when(pl.col("place") == 1).then("p2").otherwise("p3")
        ),
        drawn=pl.when(pl.col("choice") == "draw").then("drawn"),
    ).drop("place")
    dies = pl.DataFrame({"first3_dies_on_fold": [False, True]})
    return GAME.hand_facts(ways).join(dies, how="cross").with_columns(stake=pl.lit(100, pl.Int64))


@pytest.mark.parametrize("wager", GAME.wagers, ids=titled)
def test_every_line_of_every_decision_table_decides_some_round_and_none_is_left_open(wager, dealt):
    played = dealt.filter(pl.col("choice") == wager.name) if wager in (IN_TO_WIN, DRAW) else dealt
    settled = settle(played.with_columns(column=pl.lit("1")), wager)
    assert settled["owed"].null_count() == 0
    assert set(settled["line"]) == set(range(len(wager.rulings)))


@pytest.mark.parametrize("wager", GAME.wagers, ids=titled)
def test_every_line_cites_a_clause_and_the_last_one_always_holds(wager):
    assert wager.editions == {EDITION}
    assert all(ruling.clause.startswith("13:69F-42.") for ruling in wager.rulings)
    assert pl.select(wager.rulings[-1].condition.holds).item() is True


@pytest.mark.parametrize(("wager", "column"), BY_COLUMN, ids=titled)
def test_a_column_prints_a_prize_for_exactly_the_hands_that_are_sent_to_it(wager, column, dealt):
    by_table = [index for index, ruling in enumerate(wager.rulings) if ruling.outcome == PAYS_BY_TABLE]
    settled = settle(dealt.with_columns(column=pl.lit(column.name)), wager)
    sent = settled.filter(pl.col("line").is_in(by_table))[wager.hand].unique()
    assert {wager.pay_table.hands[index] for index in sent} == set(column.prizes)
    assert column.editions == {EDITION}
    assert column.source


def test_a_column_that_nobody_encoded_is_owed_nothing_and_not_guessed(dealt):
    for wager in (IN_TO_WIN_BONUS, FIRST_3_BONUS):
        by_table = [index for index, ruling in enumerate(wager.rulings) if ruling.outcome == PAYS_BY_TABLE]
        settled = settle(dealt.with_columns(column=pl.lit("5")), wager).filter(pl.col("line").is_in(by_table))
        assert settled.height > 0
        assert settled["owed"].null_count() == settled.height


# The calendar, and what the house may elect


def test_every_day_since_the_chapter_began_has_this_text_and_no_earlier_day_has_one():
    day = date(2011, 11, 7)
    while day <= date(2030, 12, 31):
        assert edition_in_force(GAME, day).name == EDITION
        day += timedelta(days=1)
    with pytest.raises(Refused, match=r"no text encoded for 2011-11-06.*13:69F-42"):
        edition_in_force(GAME, date(2011, 11, 6))


def test_a_table_that_elects_nothing_has_no_first_3_and_the_first_column_of_the_bonus():
    terms = GAME.elect(EDITION, {}, {})
    assert (terms.game, terms.edition) == ("three-card-draw-poker", EDITION)
    assert terms.columns == {"in_to_win_bonus": "1"}
    assert terms.options == {"first3_dies_on_fold": "false", "deal_order": "packets"}


@pytest.mark.parametrize("bonus", "123")
@pytest.mark.parametrize("first_3", "1234")
def test_42_11_every_column_of_the_one_goes_with_every_column_of_the_other(bonus, first_3):
    columns = {"in_to_win_bonus": bonus, "first_3_bonus": first_3}
    assert GAME.elect(EDITION, columns, {}).columns == columns


@pytest.mark.parametrize("option", GAME.options, ids=titled)
def test_the_house_may_elect_every_value_of_an_option(option):
    assert option.default == option.values[0]
    for value in option.values:
        assert GAME.elect(EDITION, {}, {option.name: value}).options[option.name] == value


@pytest.mark.parametrize(
    ("edition", "columns", "options", "clause"),
    [
        ("2000", {}, {}, "13:69F-42"),
        ("13:69F-39", {}, {}, "13:69F-42"),
        (EDITION, {"ante": "1"}, {}, "13:69F-42.11"),
        (EDITION, {"pair_plus": "1"}, {}, "13:69F-42.11"),
        (EDITION, {"in_to_win_bonus": "4"}, {}, "13:69F-42.11(c)"),
        (EDITION, {"first_3_bonus": "5"}, {}, "13:69F-42.11(d)"),
        (EDITION, {"first_3_bonus": "A"}, {}, "13:69F-42.11(d)"),
        (EDITION, {}, {"first3_dies_on_fold": "perhaps"}, "13:69F-42.10(f)1"),
        (EDITION, {}, {"deal_order": "dealer first"}, "13:69F-42.10(a)"),
    ],
)
def test_what_the_law_does_not_offer_is_refused_by_its_clause(edition, columns, options, clause):
    with pytest.raises(Refused) as refusal:
        GAME.elect(edition, columns, options)
    assert refusal.value.clause == clause
    assert clause in str(refusal.value)


# Cards that nobody read, and events that are missing. Every completion is settled here beside the answer given without it.

FEW_RANKS = [card for card in cards.DECK if card[0] in "79QK"]
FEW_SUITS = [card for card in cards.DECK if card[1] == "S" or card[0] in "89T"]


def completions(round: dict[str, str | None]) -> list[dict[str, str | None]]:
    """Every round this one may have been: unread cards filled in, an unseen discard or choice made in every way."""
    drawing = [round["choice"]] if round["choice"] is not None else list(CHOICES)
    places = [name for name in (*PLAYER, "drawn", *DEALER) if round[name] == UNREAD]
    left = [card for card in cards.DECK if card not in round.values()]
    found = []
    for filling in permutations(left, len(places)):
        filled = round | dict(zip(places, filling, strict=True))
        for choice in drawing:
            if choice != "draw":
                found.append(filled | {"choice": choice, "discard": None, "drawn": None})
            elif round["discard"] in (None, UNREAD):
                found += [filled | {"choice": choice, "discard": filled[name]} for name in PLAYER]
            else:
                found.append(filled | {"choice": choice})
    return found


@st.composite
def rounds_not_wholly_seen(draw: st.DrawFn, unread: int, choices: tuple[str | None, ...]) -> dict[str, str | None]:
    deck = draw(st.sampled_from((cards.DECK, FEW_RANKS, FEW_SUITS)))
    dealt = draw(st.lists(st.sampled_from(deck), min_size=8, max_size=8, unique=True))
    choice = draw(st.sampled_from(choices))
    round: dict[str, str | None] = dict(zip((*PLAYER, *DEALER, "drawn"), dealt, strict=True))
    round |= {"choice": choice, "discard": draw(st.sampled_from(dealt[:3]))}
    if choice in ("in_to_win", "fold"):
        round |= {"discard": None, "drawn": None}
    elif draw(st.booleans()):
        round["discard"] = draw(st.sampled_from((UNREAD, None)))
    places = [name for name in (*PLAYER, "drawn", *DEALER) if round[name] is not None]
    for name in draw(st.permutations(places))[:unread]:
        # A discard that was read shows the card it was dealt as.
        if round["discard"] != round[name]:
            round[name] = UNREAD
    return round


@settings(max_examples=60, deadline=None)
@given(rounds_not_wholly_seen(1, (*CHOICES, "draw", None)), st.booleans())
def test_one_unread_card_an_unseen_discard_or_choice_leave_open_exactly_what_turns_on_them(round, dies):
    every, unseen = read(completions(round), dies), read([round], dies)
    for wager in GAME.wagers:
        possible = set(answers(every, wager))
        expected = possible.pop() if len(possible) == 1 else None
        assert answers(unseen, wager).item() == expected, wager.name


@settings(max_examples=12, deadline=None)
@given(rounds_not_wholly_seen(2, (*CHOICES, "draw")))
def test_with_two_unread_cards_no_answer_is_given_that_any_completion_contradicts(round):
    every, unseen = read(completions(round)), read([round])
    for wager in GAME.wagers:
        answer = answers(unseen, wager).item()
        assert answer is None or set(answers(every, wager)) == {answer}, wager.name


@pytest.mark.parametrize("place", [*PLAYER, "drawn", *DEALER])
def test_three_hundred_draws_with_one_unread_card_are_answered_exactly(place):
    random = np.random.default_rng((*PLAYER, "drawn", *DEALER).index(place))
    rounds, every, of_round = [], [], []
    for number in range(300):
        deck = list(cards.DECK) if number % 2 else FEW_SUITS
        dealt = dict(zip((*PLAYER, "drawn", *DEALER), random.permutation(deck)[:8].tolist(), strict=True))
        discard = next(name for name in ("p2", "p3") if name != place)
        round = {**dealt, "choice": "draw", "discard": dealt[discard], place: UNREAD}
        rounds.append(round)
        filled = completions(round)
        every += filled
        of_round += [number] * len(filled)
    whole, unseen = read(every), read(rounds)
    for wager in GAME.wagers:
        told = pl.DataFrame({"round": of_round, "owed": answers(whole, wager)}).group_by("round", maintain_order=True)
        agreed = told.agg(owed=pl.when(pl.col("owed").n_unique() == 1).then(pl.col("owed").first()))["owed"]
        assert answers(unseen, wager).equals(agreed), wager.name


@pytest.mark.parametrize("place", PLAYER)
def test_a_discard_that_was_read_shows_the_card_that_was_not_read_when_it_was_dealt(place):
    seen = a_round("9C 9D KS", ACE_HIGH, "draw", "KS", "2H")
    order = [name for name in PLAYER if name != place]
    unread = seen | {order[0]: "9C", order[1]: "9D", place: UNREAD}
    for wager in (ANTE, DRAW, IN_TO_WIN_BONUS, FIRST_3_BONUS):
        assert answers(read([unread]), wager).item() == answers(read([seen]), wager).item() is not None


def test_of_two_unread_cards_the_discard_shows_one_and_the_other_stays_open():
    facts = read([a_round(f"9C {UNREAD} {UNREAD}", ACE_HIGH, "draw", "KS", "9H")])
    assert answers(facts, ANTE).item() == 500  # a pair of nines at the least
    assert answers(facts, FIRST_3_BONUS).item() is None


def test_a_discard_that_the_player_never_held_leaves_open_what_was_kept():
    facts = read([a_round("9C 9D KS", ACE_HIGH, "draw", "4C", "2H")])
    assert [answers(facts, wager).item() for wager in (ANTE, DRAW, FIRST_3_BONUS)] == [None] * 3


SEEN = a_round("9C 9D KS", ACE_HIGH, "draw", "KS", "2H")
ASKS = {"first_3_bonus": ("p1", "p2"), "in_to_win_bonus": ("p1", "p2", "drawn")}


@pytest.mark.parametrize("missing", ["p1", "p2", "drawn", *DEALER])
@pytest.mark.parametrize("wager", [ANTE, DRAW, IN_TO_WIN_BONUS, FIRST_3_BONUS], ids=titled)
def test_a_card_that_no_event_dealt_leaves_open_what_is_settled_by_it(wager, missing):
    asked = missing in ASKS.get(wager.name, (missing,))
    told = answers(read([SEEN]), wager).item()
    assert answers(read([SEEN | {missing: None}]), wager).item() == (None if asked else told)


@pytest.mark.parametrize("missing", [*PLAYER, *DEALER])
def test_a_folder_loses_the_ante_whatever_is_missing_and_his_first_3_asks_for_his_own_cards(missing):
    facts = read([a_round("2C 2D 7S", ACE_HIGH, "fold") | {missing: None}])
    assert answers(facts, ANTE).item() == -500
    assert answers(facts, FIRST_3_BONUS).item() == (None if missing in PLAYER else 500)


def test_a_draw_whose_discard_nobody_saw_is_settled_where_every_discard_says_the_same():
    facts = read([a_round("9C 9D 9S", ACE_HIGH, "draw", None, "2H"), a_round("9C 9D KS", ACE_HIGH, "draw", None, "2H")])
    assert answers(facts, FIRST_3_BONUS).to_list() == [500, None]
    assert answers(facts, ANTE).to_list() == [500, None]


@pytest.mark.parametrize("choice", [None, "raise", ""])
def test_a_choice_that_was_not_seen_or_that_the_game_does_not_have_is_not_guessed(choice):
    facts = read([a_round("9C 9D KS", ACE_HIGH, choice), a_round("2C 3D 5S", ACE_HIGH, choice, "5S", "4H")])
    assert facts["folded"].to_list() == facts["drew"].to_list() == [None, None]
    assert answers(facts, ANTE).to_list() == [None, None]
    assert answers(facts, FIRST_3_BONUS).to_list() == [None, -500]


def test_where_the_hand_loses_however_it_was_played_an_unseen_choice_does_not_matter():
    facts = read([a_round("2C 3D 5S", "AC AD AH 2S", None, "2C", "9H")])
    assert answers(facts, ANTE).item() == -500


def test_a_joker_is_worth_no_more_than_a_card_nobody_read():
    for place in (*PLAYER[:2], "drawn", "discard", *DEALER):
        joker, unread = (read([SEEN | {place: card}]) for card in (cards.JOKER, UNREAD))
        for wager in GAME.wagers:
            assert answers(joker, wager).equals(answers(unread, wager)), (place, wager.name)


@settings(max_examples=25, deadline=None)
@given(
    st.fixed_dictionaries({name: st.sampled_from((*cards.NAMES, None)) for name in CARDS}),
    st.sampled_from((*CHOICES, None)),
    st.sampled_from((True, False, None)),
)
def test_no_cards_however_impossible_stop_the_law(dealt, choice, dies):
    facts = read([{**dealt, "choice": choice}], dies)
    for wager in GAME.wagers:
        assert answers(facts, wager).dtype == pl.Int64


def test_no_rounds_at_all_are_no_trouble():
    assert read([]).height == 0
