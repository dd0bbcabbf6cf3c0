"""N.J.A.C. 19:47-19, clause by clause, and the figures that others published. Stakes and answers are cents, worked by hand."""

from datetime import date, timedelta
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

from rules import odds
from rules.cards import CARD, DECK, JOKER, UNREAD
from rules.decision import PAYS_BY_TABLE, Wager, settle
from rules.game import Irregularity, Refused, Remedy, edition_in_force
from rules.spanish_21 import (
    BONUS_HANDS,
    DOUBLE,
    ENVY,
    GAME,
    INSURANCE,
    LISTS,
    MAIN,
    MATCH_THE_DEALER,
    SUPER_BONUS,
    dealer_draws,
    dealer_stands,
    points,
    with_envy,
)

ORDINARY = "58 Pa. Code 635a.12(a)"
ORIGINAL_ONLY = "13:69F-2.11(d)"
PACK = [card for card in DECK if card[0] != "T"]
DECISIONS = ("doubled", "rescued", "surrendered", "split", "dead", "added_for_split")
OPTIONS = {"card_reader": True, "dealer_hits_soft_17": False}
WAGERS = {wager.name: wager for wager in GAME.wagers}
Row = dict[str, object]


def seat(player: str | None, dealer: str | None, first: str | None = None, **facts: object) -> Row:
    """One bettor on one hand; `first` are the box's first two cards where it was split."""
    return {
        "player_cards": None if player is None else player.split(),
        "first_cards": None if player is None else (first or player).split()[:2],
        "dealer_cards": None if dealer is None else dealer.split(),
        **dict.fromkeys(DECISIONS, False),
        **OPTIONS,
        "main_stake": 1000,
        **facts,
    }


def read(rows: list[Row]) -> pl.DataFrame:
    lists, flags = dict.fromkeys(LISTS, pl.List(pl.String)), dict.fromkeys((*DECISIONS, *OPTIONS), pl.Boolean)
    frame = pl.DataFrame(rows, schema_overrides={**lists, **flags, "main_stake": pl.Int64})
    return GAME.hand_facts(frame.with_columns(pl.col(*LISTS).cast(pl.List(CARD))))


def answers(facts: pl.DataFrame, wager: Wager, column: str = "1", stake: int = 1000) -> pl.DataFrame:
    elected = "6" if wager is MATCH_THE_DEALER and column == "1" else column
    return settle(facts.with_columns(stake=pl.lit(stake, pl.Int64), column=pl.lit(elected)), wager)


def ruled(
    wager: str, player: str | None, dealer: str | None, *, stake: int = 1000, column: str = "1", **facts: object
) -> tuple[int | None, str | None]:
    """What is owed on a wager in net cents, and by which clause."""
    settled = answers(read([seat(player, dealer, **facts)]), WAGERS[wager], column, stake)
    return settled.item(0, "owed"), settled.item(0, "clause")


# 19.12: what the dealer draws


@pytest.mark.parametrize(
    ("hard", "with_ace", "stands"),
    [(16, False, False), (17, False, True), (21, False, True), (6, True, False), (7, True, True), (16, True, False)],
    ids=["16", "17", "21", "soft 16", "soft 17", "an ace that counts one, 16"],
)
def test_19_47_19_12_b_the_dealer_draws_to_16_and_stands_on_17_hard_or_soft(hard, with_ace, stands):
    assert dealer_stands(hard, with_ace, hits_soft_17=False) is stands


def test_19_47_19_12_b_only_a_house_that_elected_it_draws_to_a_soft_17_and_to_no_other():
    hit = [
        (hard, with_ace)
        for hard in range(22)
        for with_ace in (True, False)
        if dealer_stands(hard, with_ace, False) != dealer_stands(hard, with_ace, True)
    ]
    assert hit == [(7, True)]


def drawn(*rows: Row) -> dict[str, object]:
    told = dealer_draws(read(list(rows)).with_columns(round=pl.lit(1)), ["round"]).row(0, named=True)
    return {wrong for wrong, was in told.items() if was is True} | {
        f"{wrong}?" for wrong, was in told.items() if was is None
    } - {"round"}


LIVE = "9C 9D"


@pytest.mark.parametrize(
    ("dealer", "told"),
    [
        ("KC 7D", set()),
        ("AC 6D", set()),
        ("KC 6D 2H", set()),
        ("KC 6D", {"stood_short"}),
        ("2C 3D 4H 5S", {"stood_short"}),
        ("KC 7D 2H", {"drew_on"}),
        ("AC 6D KH", {"drew_on"}),
        ("AC KD 2H", {"drew_on"}),
        ("KC 6D KH 2S", {"drew_on"}),
        ("KC ?? 5D", {"drew_on?"}),
        ("KC ??", {"stood_short?"}),
    ],
)
def test_19_47_19_12_b_a_dealer_who_draws_on_or_stands_short_is_told(dealer, told):
    assert drawn(seat(LIVE, dealer)) == told


def test_19_47_19_12_b_a_soft_17_is_drawn_to_where_the_house_elected_it():
    assert drawn(seat(LIVE, "AC 6D KH", dealer_hits_soft_17=True)) == set()
    assert drawn(seat(LIVE, "AC 6D", dealer_hits_soft_17=True)) == {"stood_short"}
    assert drawn(seat(LIVE, "AC 6D KH 5S", dealer_hits_soft_17=True)) == {"drew_on"}


DECIDED = {
    "bust": {"player": "KC 6D KH"},
    "surrendered": {"player": "KC 6D", "surrendered": True},
    "rescued": {"player": "KC 2D 4H", "doubled": True, "rescued": True},
    "blackjack": {"player": "AC KD"},
    "21": {"player": "KC 5D 6H"},
    "dead": {"player": "KC 5D", "dead": True},
    "not dealt": {"player": ""},
}


@pytest.mark.parametrize("hand", DECIDED)
def test_19_47_19_12_c_no_card_is_drawn_where_every_hand_is_decided(hand):
    assert drawn(seat(dealer="5C 6D", **DECIDED[hand])) == set()
    assert drawn(seat(dealer="5C 6D KH", **DECIDED[hand])) == {"drew_needlessly"}


@pytest.mark.parametrize("hand", DECIDED)
def test_19_47_19_12_c_one_hand_that_waits_is_enough_to_draw_for(hand):
    assert drawn(seat(dealer="5C 6D KH", **DECIDED[hand]), seat(LIVE, "5C 6D KH")) == set()
    assert drawn(seat(dealer="5C 6D", **DECIDED[hand]), seat(LIVE, "5C 6D")) == {"stood_short"}


def test_19_47_19_12_c_a_bettor_who_did_not_double_waits_though_another_rescued():
    rescued = seat("KC 2D 4H", "5C 6D KH", doubled=True, rescued=True)
    stays = seat("KC 2D 4H", "5C 6D KH", doubled=False, rescued=True)
    assert drawn(rescued, stays) == set()


def test_an_unread_card_of_the_one_hand_left_leaves_open_whether_a_draw_was_needed():
    assert drawn(seat("KC 6D ??", "5C 6D KH")) == {"drew_needlessly?"}
    assert drawn(seat("KC 6D ??", "5C 6D")) == {"stood_short?"}


# 19.13 and 19.14: several bettors, several boxes


def test_19_47_19_13_a_up_to_three_people_wager_on_a_box():
    assert GAME.bettors_on_a_box == 3


def test_19_47_19_13_d_a_bettor_who_did_not_double_keeps_his_bonus_and_one_who_did_has_none():
    five_cards = "2C 3D 4H 5S 7C"
    assert ruled("main", five_cards, "KC 9D", doubled=False) == (1500, "13:69F-19.5(f)")
    assert ruled("main", five_cards, "KC 9D", doubled=True) == (1000, "58 Pa. Code 635a.12(b)")
    assert ruled("double", five_cards, "KC 9D", doubled=True) == (1000, "58 Pa. Code 635a.12(b)")


def test_19_47_19_13_d_the_double_lies_beside_a_main_and_is_no_larger():
    assert [need.wager for need in DOUBLE.needs] == ["main"]
    assert (DOUBLE.at_most.wager, DOUBLE.at_most.part) == ("main", 1)
    assert not DOUBLE.before_deal


def test_19_47_19_13_e_a_bettor_who_rides_a_split_hand_has_his_original_wager_there():
    rides = ruled("main", "8C KD", "KC AD", split=True, card_reader=False, added_for_split=False)
    covers = ruled("main", "8C KD", "KC AD", split=True, card_reader=False, added_for_split=True)
    assert (rides, covers) == ((-1000, ORIGINAL_ONLY), (0, ORIGINAL_ONLY))


def test_19_47_19_13_f_insurance_is_up_to_half_of_the_bettors_own_main():
    assert (INSURANCE.at_most.wager, INSURANCE.at_most.part) == ("main", Fraction(1, 2))
    assert [(need.wager, need.clause) for need in INSURANCE.needs] == [("main", "19:47-19.13(f)")]


def test_19_47_19_14_one_box_a_player_unless_the_house_permits_more():
    (option,) = [option for option in GAME.options if option.name == "boxes_per_player"]
    assert (option.default, option.clause) == ("1", "19:47-19.14")


# The main wager


@pytest.mark.parametrize("dealer", ["AC KD", "KC AD", "KC 9D", "KC 6D KH", "5C 6D", "?? ??"])
@pytest.mark.parametrize("card_reader", [True, False])
def test_13_69e_1_10b_b_3_i_a_blackjack_pays_3_to_2_whatever_the_dealer_has(dealer, card_reader):
    for natural in ("AS KS", "JD AH"):
        assert ruled("main", natural, dealer, card_reader=card_reader) == (1500, "13:69E-1.10B(b)3i")


def test_13_69f_2b_1_a_split_ace_and_ten_is_21_and_no_blackjack():
    assert ruled("main", "AS KS", "KC 9D", split=True, first="AS AD") == (1000, ORDINARY)
    late = {"split": True, "card_reader": False}
    assert ruled("main", "AS KS", "KC AD", **late) == (1000, ORDINARY)


@pytest.mark.parametrize("dealer", ["KC 5D 6H", "7C 7D 7H", "KC 9D", "KC 6D KH"])
def test_58_pa_635a_12_a_a_players_21_always_wins(dealer):
    assert ruled("main", "KS 5S 6C", dealer) == (1000, ORDINARY)


def test_58_pa_635a_12_a_the_higher_total_is_paid_1_to_1_the_lower_loses_and_equal_ones_push():
    assert ruled("main", "KS 9S", "KC 8D") == (1000, ORDINARY)
    assert ruled("main", "KS 8S", "KC 9D") == (-1000, ORDINARY)
    assert ruled("main", "KS 8S", "9C 9D") == (0, ORDINARY)
    assert ruled("main", "AS 7S", "9C 9D") == (0, ORDINARY)
    assert ruled("main", "AS 7S KD", "9C 9D") == (0, ORDINARY)


def test_58_pa_635a_12_a_a_busted_dealer_pays_whoever_did_not_bust_first():
    assert ruled("main", "KS 2S", "KC 6D 6H") == (1000, ORDINARY)
    assert ruled("main", "KS 6S 6C", "KC 6D 6H") == (-1000, ORDINARY)
    assert ruled("double", "KS 6S 6C", "KC 6D 6H", doubled=True) == (-1000, ORDINARY)


BONUSES = [
    ("2C 3D 4H 5S 7C", 1500),
    ("AC 2D 3H 4S AD", 1500),  # soft 21
    ("2C 2D 3H 4S 4D 6C", 2000),
    ("2C 2D 2H 3S 3D 4C 5C", 3000),
    ("AC AD AH 2S 2D 2C 2H 3H 7S", 3000),
    ("6C 7D 8H", 1500),
    ("8C 6C 7D", 1500),
    ("8H 6H 7H", 2000),
    ("7S 8S 6S", 3000),
    ("7C 7D 7H", 1500),
    ("7S 7S 7D", 1500),
    ("7D 7D 7D", 2000),
    ("7S 7S 7S", 3000),
]


@pytest.mark.parametrize(("player", "owed"), BONUSES)
@pytest.mark.parametrize("split", [False, True])
@pytest.mark.parametrize("dealer", ["KC 9D", "9C 2D KH", "KC 6D KH"])
def test_13_69f_19_5_f_a_bonus_21_pays_by_its_cards_split_or_not_whatever_the_dealer_has(player, owed, split, dealer):
    assert ruled("main", player, dealer, split=split) == (owed, "13:69F-19.5(f)")


@pytest.mark.parametrize(("player", "_owed"), BONUSES)
def test_13_69e_1_10b_c_1_a_doubled_hand_has_no_bonus(player, _owed):
    assert ruled("main", player, "KC 9D", doubled=True) == (1000, "58 Pa. Code 635a.12(b)")
    assert ruled("double", player, "KC 9D", doubled=True) == (1000, "58 Pa. Code 635a.12(b)")


@pytest.mark.parametrize("player", ["5C 8D 8H", "6C 6D 9H", "KC 5S 6S", "6C 7C 7D AC", "2C 4D 7H 8S"])
def test_13_69f_19_5_f_other_21s_of_three_or_four_cards_pay_1_to_1(player):
    assert ruled("main", player, "KC 9D") == (1000, ORDINARY)


def test_13_69f_19_5_f_five_cards_that_are_no_21_have_no_bonus():
    assert ruled("main", "2C 3D 4H 5S 6C", "KC 9D") == (1000, ORDINARY)
    assert ruled("main", "2C 3D 4H 5S 8C", "KC 9D") == (-1000, ORDINARY)


def test_58_pa_635a_10_a_rescue_forfeits_the_main_and_returns_the_double():
    for dealer in ("KC 9D", "KC 6D KH", "KC AD"):
        facts = {"doubled": True, "rescued": True, "card_reader": False}
        assert ruled("main", "KS 2S 3D", dealer, **facts) == (-1000, "58 Pa. Code 635a.10")
        assert ruled("double", "KS 2S 3D", dealer, **facts) == (0, "58 Pa. Code 635a.10")


def test_58_pa_635a_10_a_busted_double_cannot_be_rescued():
    facts = {"doubled": True, "rescued": True}
    assert ruled("main", "KS 6S KD", "KC 6D KH", **facts) == (-1000, ORDINARY)
    assert ruled("double", "KS 6S KD", "KC 6D KH", **facts) == (-1000, ORDINARY)


def test_58_pa_635a_10_a_bettor_without_a_double_has_nothing_to_rescue_and_plays_on():
    assert ruled("main", "KS 2S 3D", "KC 6D KH", doubled=False, rescued=True) == (1000, ORDINARY)


def test_58_pa_635a_12_a_double_wins_loses_and_pushes_as_the_main():
    for player, dealer, owed in (("5S 6S 9D", "KC 9D", 1000), ("5S 6S 2D", "KC 9D", -1000), ("5S 6S 8D", "KC 9D", 0)):
        assert ruled("main", player, dealer, doubled=True) == (owed, ORDINARY)
        assert ruled("double", player, dealer, doubled=True, stake=1000) == (owed, ORDINARY)
    assert ruled("double", "5S 6S 2D", "KC 6D KH", doubled=True) == (1000, ORDINARY)


def test_a_double_on_a_blackjack_whose_card_never_came_wins_as_21():
    assert ruled("double", "AS KS", "KC 9D", doubled=True) == (1000, "58 Pa. Code 635a.12(b)")


def test_58_pa_635a_10_a_double_for_less_is_settled_on_what_lies_there():
    assert ruled("double", "5S 6S 9D", "KC 9D", doubled=True, stake=400) == (400, ORDINARY)


@pytest.mark.parametrize("dealer", ["KC 9D", "KC 6D KH", "KC 6D"])
def test_13_69f_2a_9_a_surrender_takes_half(dealer):
    assert ruled("main", "KS 6S", dealer, surrendered=True) == (-500, "13:69F-2A.9(a)")


@pytest.mark.parametrize(("card_reader", "clause"), [(True, ORDINARY), (False, "13:69F-2A.9(a)")])
def test_13_69f_2a_9_a_there_is_no_surrender_to_a_blackjack(card_reader, clause):
    assert ruled("main", "KS 6S", "KC AD", surrendered=True, card_reader=card_reader) == (-1000, clause)


def test_13_69f_2a_9_b_insurance_is_settled_apart_from_a_surrender():
    assert ruled("insurance", "KS 6S", "AC 9D", surrendered=True, stake=500) == (-500, "13:69E-1.10B(b)3iii")


# Dealer's blackjack against doubled and split money


@pytest.mark.parametrize("dealer", ["AC KD", "KC AD"])
def test_13_69f_2_11_d_found_late_a_blackjack_takes_the_original_wager_only(dealer):
    late = {"card_reader": False}
    assert ruled("main", "KS 9S", dealer, **late) == (-1000, ORIGINAL_ONLY)
    assert ruled("main", "5S 6S 9D", dealer, doubled=True, **late) == (-1000, ORIGINAL_ONLY)
    assert ruled("double", "5S 6S 9D", dealer, doubled=True, **late) == (0, ORIGINAL_ONLY)
    assert ruled("main", "8S 9D", dealer, split=True, **late) == (-1000, ORIGINAL_ONLY)
    assert ruled("main", "8D 9S", dealer, split=True, added_for_split=True, **late) == (0, ORIGINAL_ONLY)


def test_found_late_a_blackjack_comes_after_a_21_was_paid_and_a_bust_was_taken():
    late = {"card_reader": False}
    assert ruled("main", "KS 5S 6C", "AC KD", **late) == (1000, ORDINARY)
    assert ruled("main", "7S 7S 7S", "KC AD", **late) == (3000, "13:69F-19.5(f)")
    assert ruled("double", "5S 6S KD", "AC KD", doubled=True, **late) == (1000, "58 Pa. Code 635a.12(b)")
    assert ruled("main", "8S 6D KD", "AC KD", split=True, added_for_split=True, **late) == (-1000, ORDINARY)
    assert ruled("double", "8S 6D KD", "AC KD", doubled=True, **late) == (-1000, ORDINARY)


def test_found_by_the_reader_a_blackjack_ends_the_round_before_anybody_plays():
    assert ruled("main", "KS 9S", "AC KD") == (-1000, ORDINARY)
    assert ruled("main", "KS 5S 6C", "AC KD") == (-1000, ORDINARY)
    assert ruled("double", "5S 6S KD", "AC KD", doubled=True) == (0, ORIGINAL_ONLY)
    assert ruled("main", "8S KD", "AC KD", split=True, added_for_split=True) == (0, ORIGINAL_ONLY)


def test_a_dealers_21_of_three_cards_is_no_blackjack():
    assert ruled("main", "KS 9S", "5C 6D KH", card_reader=False) == (-1000, ORDINARY)
    assert ruled("double", "5S 6S 9D", "5C 6D KH", doubled=True, card_reader=False) == (-1000, ORDINARY)


# Insurance


@pytest.mark.parametrize("player", ["KS 9S", "AS KS", "KS 6S KD"])
def test_13_69e_1_10b_b_3_iii_insurance_pays_2_to_1_on_a_blackjack_under_an_ace(player):
    assert ruled("insurance", player, "AC KD", stake=500) == (1000, "13:69E-1.10B(b)3iii")
    assert ruled("insurance", player, "AC 9D", stake=500) == (-500, "13:69E-1.10B(b)3iii")


def test_13_69e_1_10b_b_3_iii_insurance_against_another_card_was_never_offered_and_is_returned():
    for dealer in ("KC AD", "9C 8D", "KC ??"):
        assert ruled("insurance", "KS 9S", dealer, stake=500) == (0, "13:69E-1.10B(b)3iii")


# Match the Dealer


@pytest.mark.parametrize(
    ("player", "to_one"),
    [
        ("KS 9D", {"6": 4, "8": 3}),
        ("9D KS", {"6": 4, "8": 3}),
        ("KS KH", {"6": 8, "8": 6}),
        ("KC 9D", {"6": 9, "8": 12}),
        ("KC KS", {"6": 13, "8": 15}),
        ("KC KC", {"6": 18, "8": 24}),
    ],
)
@pytest.mark.parametrize("packs", ["6", "8"])
def test_13_69e_1_10b_b_5_match_the_dealer_pays_for_each_of_the_first_two_cards(player, to_one, packs):
    owed = ruled("match_the_dealer", player, "KC 9S", stake=500, column=packs)
    assert owed == (500 * to_one[packs], "13:69E-1.10B(b)5")


@pytest.mark.parametrize("player", ["QC 9D", "JC QC", "9S 9C"])
def test_13_69e_1_10b_b_2_ii_only_the_up_card_and_only_its_rank_is_matched(player):
    assert ruled("match_the_dealer", player, "KC 9S", stake=500) == (-500, "13:69E-1.10B(b)2ii")


def test_13_69e_1_10b_b_2_ii_a_split_a_bust_or_a_blackjack_does_not_touch_it():
    split = ruled("match_the_dealer", "KS 2D", "KC 9S", first="KS KH", split=True)
    assert split == (8000, "13:69E-1.10B(b)5")
    assert ruled("match_the_dealer", "KS 6D KH", "KC 9S") == (4000, "13:69E-1.10B(b)5")
    assert ruled("match_the_dealer", "KS 6D", "KC AS") == (4000, "13:69E-1.10B(b)5")
    assert [need.wager for need in MATCH_THE_DEALER.needs] == ["main"]
    assert MATCH_THE_DEALER.before_deal


# Super Bonus and Envy


@pytest.mark.parametrize(
    ("stake", "owed"), [(499, 0), (500, 100_000), (1000, 100_000), (2499, 100_000), (2500, 500_000), (50_000, 500_000)]
)
@pytest.mark.parametrize("suit", "CDHS")
def test_13_69f_19_5_g_three_suited_sevens_against_a_seven_win_a_fixed_sum_by_the_bettors_own_stake(stake, owed, suit):
    sevens = f"7{suit} 7{suit} 7{suit}"
    assert ruled("super_bonus", sevens, "7D KC", stake=stake, main_stake=stake) == (owed, "13:69F-19.5(g)")


@pytest.mark.parametrize(
    "facts",
    [
        {"doubled": True},
        {"split": True},
        {"dead": True},
        {"player": "7S 7S 7D"},
        {"player": "6S 7S 8S"},
        {"player": "7S 7S"},
        {"player": "7S 7S 7S ??"},
        {"dealer": "8D 7C"},
    ],
)
def test_13_69e_1_10b_c_2_doubled_split_mixed_or_against_another_card_they_win_none(facts):
    assert ruled("super_bonus", **{"player": "7S 7S 7S", "dealer": "7D KC", **facts}) == (0, "13:69F-19.5(g)")


def test_the_bonuses_are_paid_without_a_stake_of_their_own():
    assert (SUPER_BONUS.bonus_on, ENVY.bonus_on) == ("main", "main")


WON = ("7S 7S 7S", "7D KC")
BESIDE = ("KS 9S", "7D KC")


def envied(*bettors: tuple[int, str | None, Row], hand: int = 1) -> list[int | None]:
    rows = [{"round": 1, "seat": box, "hand": hand, "player": player, **row} for box, player, row in bettors]
    facts = with_envy(read(rows), ["round"])
    return answers(facts, ENVY)["owed"].to_list()


def test_envy_pays_50_dollars_to_every_other_bettor_at_the_table():
    assert envied((1, "a", seat(*WON)), (2, "b", seat(*BESIDE)), (4, "c", seat(*BESIDE))) == [0, 5000, 5000]


def test_envy_is_paid_once_to_a_bettor_with_several_boxes():
    assert envied((4, "b", seat(*BESIDE)), (1, "a", seat(*WON)), (2, "b", seat(*BESIDE))) == [0, 0, 5000]


def test_envy_goes_to_nobody_on_the_winning_box_and_not_to_its_winner_on_another():
    both = [
        (1, "a", seat(*WON)),
        (1, "b", seat(*WON, main_stake=400)),
        (2, "a", seat(*BESIDE)),
        (3, "c", seat(*BESIDE)),
    ]
    assert envied(*both) == [0, 0, 0, 5000]


def test_there_is_no_envy_where_no_bettor_on_the_box_won_the_super_bonus():
    assert envied((1, "a", seat(*WON, main_stake=400)), (2, "b", seat(*BESIDE))) == [0, 0]
    assert envied((1, "a", seat(*WON, doubled=True)), (2, "b", seat(*BESIDE))) == [0, 0]
    assert envied((1, "a", seat(*BESIDE)), (2, "b", seat(*BESIDE))) == [0, 0]


def test_two_winners_envy_each_other():
    assert envied((1, "a", seat(*WON)), (2, "b", seat("7D 7D 7D", "7D KC"))) == [5000, 5000]


def test_envy_is_left_open_where_an_unread_card_or_bettor_leaves_it_open():
    assert envied((1, "a", seat("7S ?? 7S", "7D KC")), (2, "b", seat(*BESIDE))) == [0, None]
    assert envied((1, "a", seat(*WON)), (2, None, seat(*BESIDE))) == [0, None]


def test_envy_keeps_to_its_round():
    rows = [
        {"round": round, "seat": box, "hand": 1, "player": player, **row}
        for round, box, player, row in (
            (1, 1, "a", seat(*WON)),
            (1, 2, "b", seat(*BESIDE)),
            (2, 1, "a", seat(*BESIDE)),
            (2, 2, "b", seat(*BESIDE)),
        )
    ]
    assert answers(with_envy(read(rows), ["round"]), ENVY)["owed"].to_list() == [0, 5000, 0, 0]


# 19.15: irregularities


def test_19_47_19_15_h_a_hand_that_was_dealt_no_card_has_its_wagers_back():
    assert ruled("main", "", "KC 9D") == (0, "19:47-19.15(h)")
    assert ruled("double", "", "KC 9D", doubled=True) == (0, "19:47-19.15(h)")
    assert ruled("match_the_dealer", "", "KC 9D") == (0, "19:47-19.15(h)")


@pytest.mark.parametrize("dealer", ["KC 9D", "AC KD", "KC 6D KH", "?? ??"])
@pytest.mark.parametrize("player", ["KS", "AS KS", "KS 6D", "KS 6D KH"])
def test_19_47_19_15_i_a_dead_hand_has_its_wagers_back(player, dealer):
    assert ruled("main", player, dealer, dead=True) == (0, "19:47-19.15(i)")
    assert ruled("double", player, dealer, dead=True, doubled=True) == (0, "19:47-19.15(i)")


def test_19_47_19_15_h_a_hand_of_one_card_that_nobody_called_dead_is_left_open():
    assert ruled("main", "KS", "KC 9D") == (None, None)


def test_19_47_19_15_e_a_card_drawn_to_17_is_burned_and_the_17_stands():
    assert ruled("main", "KS 8D", "KC 7D KH") == (1000, ORDINARY)
    assert ruled("main", "KS 6D", "KC 7D KH") == (-1000, ORDINARY)
    assert ruled("main", "KS 8D", "AC 6D 3H") == (1000, ORDINARY)
    assert ruled("main", "KS 8D", "AC 6D 3H", dealer_hits_soft_17=True) == (-1000, ORDINARY)
    assert ruled("main", "KS 9D", "KC AD 5H", card_reader=False) == (-1000, ORIGINAL_ONLY)


LETTERS = {
    Irregularity.ONE_CARD_FACE_UP: (Remedy.RACK_THE_CARD, False, "(a)"),
    Irregularity.MORE_CARDS_FACE_UP: (Remedy.VOID, True, "(a)"),
    Irregularity.ONE_TEN: (Remedy.DESTROY_THE_TEN, False, "(b)"),
    Irregularity.MORE_TENS: (Remedy.VOID, True, "(b)"),
    Irregularity.DRAWN_UNSEEN: (Remedy.NEXT_CARD, False, "(c)"),
    Irregularity.DRAWN_EXPOSED: (Remedy.OFFER_THE_CARD, False, "(d)"),
    Irregularity.EXPOSED_AND_REFUSED: (Remedy.BURN_THE_CARD, False, "(d)"),
    Irregularity.DEALER_DREW_ON: (Remedy.BURN_THE_CARD, False, "(e)"),
    Irregularity.DEALER_MISSED: (Remedy.DEAL_OWN_LAST, False, "(f)"),
    Irregularity.SHOE_RAN_OUT: (Remedy.SHUFFLE_THE_RACK, False, "(g)"),
    Irregularity.NO_CARDS: (Remedy.DEAD_HAND, False, "(h)"),
    Irregularity.ONE_CARD: (Remedy.SECOND_CARD_LAST, False, "(h)"),
    Irregularity.HIT_MISSED: (Remedy.HIT_LATE_OR_DEAD, False, "(i)"),
    Irregularity.SHUFFLER_FAILED: (Remedy.RESHUFFLE, False, "(j)"),
    Irregularity.SHUFFLED_OTHERWISE: (Remedy.REMOVE_DEVICE, False, "(k)"),
    Irregularity.READ_AND_SHOWN: (Remedy.ALL_DEAD, True, "(l)1"),
    Irregularity.READ_UNSEEN: (Remedy.PLAY_ON, False, "(l)2"),
    Irregularity.READER_FAILED: (Remedy.NO_READER, False, "(m)"),
}


@pytest.mark.parametrize("irregularity", LETTERS)
def test_19_47_19_15_each_irregularity_has_its_own_remedy(irregularity):
    due = GAME.remedies[irregularity]
    assert (due.remedy, due.voids, due.clause.removeprefix("19:47-19.15")) == LETTERS[irregularity]


def test_19_47_19_15_names_no_other_irregularity():
    assert set(GAME.remedies) == set(LETTERS)


def test_19_47_19_15_b_the_packs_have_48_cards_and_no_tens():
    assert (GAME.deck_size, GAME.packs, GAME.deck_clause) == (48, (6, 8), "19:47-19.15(b)")
    assert sorted(set(DECK) - GAME.foreign) == sorted(PACK)
    assert len(PACK) == GAME.deck_size


def test_13_69e_1_10b_a_six_players_sit_at_the_table():
    assert GAME.max_seats == 6


# Odd cents


@pytest.mark.parametrize(
    ("player", "facts", "exact", "owed"),
    [
        ("AS KS", {}, Fraction(3, 2), 37),
        ("2C 3D 4H 5S 7C", {}, Fraction(3, 2), 37),
        ("KS 6S", {"surrendered": True}, Fraction(-1, 2), -13),
    ],
)
def test_odd_cents_stay_with_the_house(player, facts, exact, owed):
    assert ruled("main", player, "KC 9D", stake=25, **facts)[0] == owed
    assert 0 < 25 * exact - owed < 1


# Whole rounds, worked by hand


def test_a_blackjack_of_10_dollars_against_a_blackjack_wins_15():
    assert ruled("main", "AS KS", "AD KD")[0] == 1500


def test_three_sevens_of_spades_against_a_seven_win_30_and_1000_and_50_for_everybody_else():
    assert ruled("main", "7S 7S 7S", "7D KD")[0] == 3000
    assert ruled("super_bonus", "7S 7S 7S", "7D KD")[0] == 100_000
    assert envied((1, "a", seat(*WON)), (2, "b", seat(*BESIDE)), (3, "c", seat(*BESIDE))) == [0, 5000, 5000]


def test_suited_6_7_8_after_a_double_wins_10_and_10():
    facts = {"doubled": True}
    assert ruled("main", "6H 7H 8H", "KC 9D", **facts)[0] + ruled("double", "6H 7H 8H", "KC 9D", **facts)[0] == 2000


def test_20_insured_for_5_against_a_blackjack_comes_out_even():
    assert ruled("main", "KS QS", "AD KD")[0] + ruled("insurance", "KS QS", "AD KD", stake=500)[0] == 0


# The decision tables as a whole


def played(random: np.random.Generator) -> Row:
    """A hand hit at random and a dealer who keeps to his rule, with decisions of every kind."""
    shoe = iter(random.choice(PACK if random.random() < 0.7 else [c for c in PACK if c[0] in "A678K"], 40).tolist())
    doubled, split = bool(random.random() < 0.3), bool(random.random() < 0.3)
    player = [next(shoe) for _ in range(2)]
    while worth(player)[0] < 21 and random.random() < 0.6:
        player.append(next(shoe))
    hits_soft_17 = bool(random.random() < 0.3)
    dealer = [next(shoe) for _ in range(2)]
    while not dealer_stands(*hard(dealer), hits_soft_17) and hard(dealer)[0] <= 21:
        dealer.append(next(shoe))
    return seat(
        " ".join(player),
        " ".join(dealer),
        doubled=doubled,
        split=split,
        added_for_split=split and bool(random.random() < 0.5),
        rescued=doubled and bool(random.random() < 0.3),
        surrendered=len(player) == 2 and bool(random.random() < 0.2),
        dead=bool(random.random() < 0.03),
        card_reader=bool(random.random() < 0.5),
        dealer_hits_soft_17=hits_soft_17,
        main_stake=int(random.choice([400, 1000, 5000])),
    )


def hard(hand: list[str]) -> tuple[int, bool]:
    values = [{"A": 1, "J": 10, "Q": 10, "K": 10}.get(card[0]) or int(card[0]) for card in hand]
    return sum(values), 1 in values


def worth(hand: list[str]) -> tuple[int, bool]:
    """The total, and whether it is an ace and a ten-value card."""
    return points(*hard(hand)), len(hand) == 2 and points(*hard(hand)) == 21


def by_hand(row: Row) -> dict[str, Fraction]:
    """The law of main and double told once more, in plain steps: what each owes as a part of its stake."""
    player, dealer = row["player_cards"], row["dealer_cards"]
    assert isinstance(player, list)
    assert isinstance(dealer, list)
    if row["dead"]:
        return {"main": Fraction(0), "double": Fraction(0)}
    (mine, two_card_21), (his, blackjack) = worth(player), worth(dealer)
    original = Fraction(0) if row["added_for_split"] else Fraction(-1)
    double = Fraction(0)
    if two_card_21 and not row["split"]:
        main = Fraction(3, 2)
    elif blackjack and row["card_reader"]:
        main = original
    elif row["surrendered"]:
        main = Fraction(-1) if blackjack else Fraction(-1, 2)
    elif mine > 21:
        main = double = Fraction(-1)
    elif row["doubled"] and row["rescued"]:
        main = Fraction(-1)
    elif mine == 21:
        main, double = bonus(player) if not row["doubled"] else Fraction(1), Fraction(1)
    elif blackjack:
        main = original
    else:
        main = double = Fraction(1 if his > 21 or mine > his else -1 if mine < his else 0)
    return {"main": main, "double": double}


def bonus(player: list[str]) -> Fraction:
    ranks, suits = "".join(sorted(card[0] for card in player)), {card[1] for card in player}
    if len(player) >= 5:
        return {5: Fraction(3, 2), 6: Fraction(2)}.get(len(player), Fraction(3))
    if ranks in ("678", "777"):
        return Fraction(3, 2) if len(suits) > 1 else Fraction(3) if suits == {"S"} else Fraction(2)
    return Fraction(1)


@pytest.fixture(scope="module")
def rounds() -> list[Row]:
    random = np.random.default_rng(21)
    return [played(random) for _ in range(6000)]


def test_the_tables_agree_with_the_law_told_in_plain_steps(rounds):
    facts = read(rounds)
    told = [by_hand(row) for row in rounds]
    assert answers(facts, MAIN)["owed"].to_list() == [1000 * each["main"] for each in told]
    # A natural or a surrendered hand cannot have been doubled.
    could = [row["doubled"] and not row["surrendered"] and len(row["player_cards"]) > 2 for row in rounds]
    assert answers(facts.filter(could), DOUBLE)["owed"].to_list() == [
        1000 * each["double"] for each, doubled in zip(told, could, strict=True) if doubled
    ]


@pytest.fixture(scope="module")
def every_kind(rounds) -> pl.DataFrame:
    rare = [
        seat("", "KC 9D"),
        seat(*WON),
        seat(*WON, main_stake=2500),
        seat("KC KD", "KC 9D"),
        seat("KC KC", "KC 9D"),
        *(seat(player, "KC 9D") for player, _ in BONUSES),
    ]
    facts = read(rare + rounds)
    return facts.with_columns(envy_hand=pl.Series(np.arange(facts.height) % 2))


@pytest.mark.parametrize("wager", GAME.wagers, ids=lambda wager: wager.name)
def test_every_line_of_every_decision_table_decides_some_round(wager, every_kind):
    settled = answers(every_kind, wager)
    assert set(settled["line"]) == set(range(len(wager.rulings)))
    assert settled["owed"].null_count() == 0
    assert pl.select(wager.rulings[-1].condition.holds).item() is True


@pytest.mark.parametrize("wager", [wager for wager in GAME.wagers if wager.pay_table], ids=lambda wager: wager.name)
def test_a_column_prints_a_prize_for_exactly_the_hands_that_are_sent_to_it(wager, every_kind):
    (by_table,) = [index for index, ruling in enumerate(wager.rulings) if ruling.outcome == PAYS_BY_TABLE]
    for column in wager.pay_table.columns:
        sent = answers(every_kind, wager, column.name).filter(pl.col("line") == by_table)[wager.hand].unique()
        assert {wager.pay_table.hands[index] for index in sent} == set(column.prizes)
        assert column.editions == {"19:47-19"}
        assert column.source


def test_a_column_that_nobody_encoded_is_owed_nothing_and_not_guessed(every_kind):
    settled = answers(every_kind, MATCH_THE_DEALER, "7").filter(pl.col("line") == 1)
    assert settled.height > 0
    assert settled["owed"].null_count() == settled.height


# A card that nobody could read

SETTLED = (MAIN, DOUBLE, INSURANCE, MATCH_THE_DEALER, SUPER_BONUS)


def completions(row: Row, hand: str) -> list[Row]:
    dealt = row[hand]
    assert isinstance(dealt, list)
    place = dealt.index(UNREAD)
    filled = [{**row, hand: [*dealt[:place], card, *dealt[place + 1 :]]} for card in PACK]
    if hand == "player_cards" and place < 2 and not row["split"]:
        filled = [{**each, "first_cards": each["player_cards"][:2]} for each in filled]
    return filled


def with_one_unread(row: Row, hand: str, random: np.random.Generator) -> Row:
    dealt = row[hand]
    assert isinstance(dealt, list)
    place = int(random.integers(len(dealt)))
    unread = {**row, hand: [UNREAD if at == place else card for at, card in enumerate(dealt)]}
    if hand == "player_cards" and not row["split"]:
        unread["first_cards"] = unread["player_cards"][:2]
    return unread


@pytest.mark.parametrize("hand", ["player_cards", "dealer_cards"])
def test_one_unread_card_leaves_open_exactly_what_turns_on_it(rounds, hand):
    random = np.random.default_rng(len(hand))
    unread = [with_one_unread(row, hand, random) for row in rounds[:500]]
    every = read([each for row in unread for each in completions(row, hand)])
    of_row = pl.Series("row", np.repeat(np.arange(len(unread)), len(PACK)))
    unseen = read(unread)
    for wager in SETTLED:
        told = every.with_columns(of_row).pipe(answers, wager).group_by("row", maintain_order=True)
        agreed = told.agg(owed=pl.when(pl.col("owed").n_unique() == 1).then(pl.col("owed").first()))["owed"]
        assert answers(unseen, wager)["owed"].equals(agreed), wager.name


def test_with_an_unread_card_on_either_side_no_answer_is_given_that_the_true_cards_contradict(rounds):
    random = np.random.default_rng(7)
    unread = [
        with_one_unread(with_one_unread(row, "player_cards", random), "dealer_cards", random) for row in rounds[:2000]
    ]
    unread = [with_one_unread(row, "player_cards", random) for row in unread]
    seen, unseen = read(rounds[:2000]), read(unread)
    for wager in SETTLED:
        true, given = answers(seen, wager)["owed"], answers(unseen, wager)["owed"]
        answered = given.is_not_null()
        assert given.filter(answered).equals(true.filter(answered)), wager.name


@pytest.mark.parametrize(
    ("player", "dealer", "owed"),
    [
        ("KS ??", "KC 9D", None),
        ("KS 6D KH ??", "KC 9D", -1000),
        ("6S 7D ??", "KC 9D", None),
        ("9S 9D", "KC ??", None),
        ("2S 2D 8H", "KC 9D", -1000),
        ("KS KD", "8C ??", None),
        ("KS 7D", "KC 6D ??", None),
        ("KS 6D", "9C 9D ??", -1000),
        ("KS 5D 6H", "KC 6D ??", 1000),
        ("KS 5D 6H", "8C ??", 1000),
    ],
)
def test_an_unread_card_is_weighed_by_what_it_could_make_of_the_hand(player, dealer, owed):
    assert ruled("main", player, dealer)[0] == owed


@pytest.mark.parametrize(
    ("player", "hand"), [("6S 7D ??", "six_seven_eight_mixed"), ("7S 7S ??", None), ("6S ?? 8S", None)]
)
def test_two_cards_of_different_suits_tell_which_bonus_a_third_would_make(player, hand):
    facts = read([seat(player, "KC 9D")])
    assert facts.item(0, "bonus_21") is True
    assert facts.item(0, "bonus_hand") == (None if hand is None else BONUS_HANDS.index(hand))


def test_a_dealer_who_stood_short_leaves_open_what_the_next_card_would_have_decided():
    assert ruled("main", "KS 8D", "KC 6D")[0] is None
    assert ruled("main", "KS 6D KH", "KC 6D")[0] == -1000
    assert ruled("main", "AS KD", "KC 6D")[0] == 1500


@pytest.mark.parametrize(("player", "dealer"), [(None, "KC 9D"), ("KS 9D", None), ("KS 9D", ""), ("KS 9D", "KC")])
def test_cards_that_no_event_dealt_leave_the_answer_open(player, dealer):
    assert ruled("main", player, dealer) == (None, None)


def test_a_decision_that_nobody_saw_leaves_open_only_what_turns_on_it():
    assert ruled("main", "KS 9D", "KC 7D", doubled=None, rescued=None)[0] is None
    assert ruled("main", "KS 9D", "KC 7D", doubled=None)[0] == 1000
    assert ruled("main", "6H 7H 8H", "KC 7D", doubled=None)[0] is None
    assert ruled("main", "KS 9D 9C", "KC 7D", doubled=None, rescued=None)[0] == -1000
    assert ruled("main", "AS KD", "KC 7D", split=None)[0] is None
    assert ruled("main", "KS 9D", "KC AD", card_reader=None)[0] == -1000
    assert ruled("main", "KS 9D", "AC 6D", dealer_hits_soft_17=None)[0] is None


def test_a_joker_is_worth_no_more_than_a_card_nobody_read_and_a_ten_what_it_shows():
    joker, unread = (read([seat(f"KS 6D {card}", f"KC {card}")]) for card in (JOKER, UNREAD))
    for wager in SETTLED:
        assert answers(joker, wager)["owed"].equals(answers(unread, wager)["owed"]), wager.name
    assert ruled("main", "TS 9D", "KC 8D") == (1000, ORDINARY)


def test_no_rows_at_all_are_read_and_settled():
    facts = read([seat(LIVE, "KC 9D")]).clear().select(*LISTS, *DECISIONS, *OPTIONS, "main_stake")
    for wager in SETTLED:
        assert answers(GAME.hand_facts(facts), wager).height == 0


def test_no_cards_however_impossible_stop_the_law():
    random = np.random.default_rng(3)
    names = [*DECK, UNREAD, JOKER, None]
    rows = []
    for _ in range(300):
        player, dealer = (random.choice(names, random.integers(0, 14)).tolist() for _ in range(2))
        decided = {name: bool(random.random() < 0.3) for name in DECISIONS}
        rows.append(
            {**seat("", ""), **decided, "player_cards": player, "first_cards": player[:2], "dealer_cards": dealer}
        )
    for wager in SETTLED:
        assert answers(read(rows), wager)["owed"].dtype == pl.Int64


# The calendar and what the house may elect


def test_every_day_since_the_first_has_exactly_one_edition():
    day = date(2000, 2, 22)
    while day <= date(2030, 12, 31):
        assert edition_in_force(GAME, day).name == "19:47-19"
        day += timedelta(days=1)


def test_a_day_before_the_text_is_refused():
    with pytest.raises(Refused, match=r"no text encoded for 2000-02-21.*19:47-19"):
        edition_in_force(GAME, date(2000, 2, 21))


def test_a_table_that_elects_nothing_plays_by_the_defaults():
    terms = GAME.elect("19:47-19", {}, {})
    assert terms.columns == {"main": "1", "super_bonus": "1", "envy": "1"}
    assert terms.options == {
        "dealer_hits_soft_17": "false",
        "boxes_per_player": "1",
        "burn": "1",
        "card_reader": "true",
    }


@pytest.mark.parametrize("packs", ["6", "8"])
def test_match_the_dealer_is_offered_where_its_column_is_named(packs):
    assert GAME.elect("19:47-19", {"match_the_dealer": packs}, {}).columns["match_the_dealer"] == packs


def test_every_value_of_every_option_may_be_elected():
    for option in GAME.options:
        assert option.default in option.values
        for value in option.values:
            assert GAME.elect("19:47-19", {}, {option.name: value}).options[option.name] == value


@pytest.mark.parametrize(
    ("edition", "pay_tables", "options", "why"),
    [
        ("13:69F-19", {}, {}, r"no edition '13:69F-19'.*\(19:47-19\)"),
        ("19:47-19", {"match_the_dealer": "5"}, {}, r"no column '5'; it has 6, 8 \(13:69E-1\.10B\(b\)5\)"),
        ("19:47-19", {"main": "2"}, {}, r"no column '2'; it has 1 \(13:69F-19\.5\(f\)\)"),
        ("19:47-19", {"super_bonus": "2"}, {}, r"no column '2'; it has 1 \(13:69F-19\.5\(g\)\)"),
        ("19:47-19", {"insurance": "1"}, {}, r"no pay table for 'insurance' \(13:69E-1\.10B\(b\)\)"),
        ("19:47-19", {"pair_plus": "1"}, {}, r"no pay table for 'pair_plus'"),
        ("19:47-19", {}, {"dealer_hits_soft_17": "maybe"}, r"not 'maybe' \(19:47-19\.12\(b\)\)"),
        ("19:47-19", {}, {"boxes_per_player": "0"}, r"not '0' \(19:47-19\.14\)"),
        ("19:47-19", {}, {"burn": "2"}, r"not '2' \(19:47-19\.15\(g\)\)"),
        ("19:47-19", {}, {"card_reader": "yes"}, r"not 'yes' \(19:47-19\.15\(l\)\)"),
    ],
)
def test_what_the_law_does_not_offer_is_refused_with_its_clause(edition, pay_tables, options, why):
    with pytest.raises(Refused, match=why):
        GAME.elect(edition, pay_tables, options)


def test_every_wager_of_the_contract_and_no_other_is_offered():
    names = ["main", "double", "insurance", "match_the_dealer", "super_bonus", "envy"]
    assert [wager.name for wager in GAME.wagers_of("19:47-19")] == names


# Published odds


@pytest.fixture(scope="module")
def enumerated() -> dict[tuple[str, str], odds.WagerOdds]:
    return {(each.wager, each.column): each for each in odds.spanish_21.every_wager()}


@pytest.mark.parametrize(("packs", "chance"), [(6, Fraction(12, 287)), (8, Fraction(16, 383))])
def test_a_natural_is_as_rare_as_published(packs, chance):
    assert odds.spanish_21.natural(packs) == chance


@pytest.mark.parametrize(("packs", "edge"), [("6", Fraction(71, 287)), ("8", Fraction(95, 383))])
def test_insurance_keeps_its_published_edge(enumerated, packs, edge):
    assert enumerated["insurance", packs].edge == edge


@pytest.mark.parametrize(("packs", "percent"), [("6", "3.055481"), ("8", "2.985523")])
def test_match_the_dealer_keeps_its_published_edge(enumerated, packs, percent):
    assert f"{float(enumerated['match_the_dealer', packs].edge) * 100:.6f}" == percent


def test_match_the_dealer_of_six_packs_keeps_exactly_this():
    (six,) = [each for each in odds.spanish_21.every_wager() if (each.wager, each.column) == ("match_the_dealer", "6")]
    assert (six.edge, six.rounds) == (Fraction(114, 3731), 288 * 287 * 286)


ENDS = ("17", "18", "19", "20", "21", "bust")


@pytest.mark.parametrize(
    ("up", "chances"),
    [
        ("A", ("0.193344250", "0.194570378", "0.194243923", "0.194714534", "0.082746198", "0.140380717")),
        ("2", ("0.150296440", "0.143649367", "0.137872128", "0.130214030", "0.122816148", "0.315151887")),
        ("6", ("0.182598763", "0.112694009", "0.112975155", "0.106810219", "0.101316543", "0.383605311")),
        ("J", ("0.136355076", "0.136041614", "0.136398859", "0.314818717", "0.045204858", "0.231180876")),
    ],
)
def test_the_dealer_of_six_packs_ends_as_published(up, chances):
    ends = odds.spanish_21.dealer_ends(up, packs=6)
    assert sum(ends.values()) == 1
    assert {end: f"{float(chance):.9f}" for end, chance in ends.items()} == dict(zip(ENDS, chances, strict=True))


def test_a_dealer_who_hits_a_soft_17_ends_on_17_less_often():
    stands, hits = (odds.spanish_21.dealer_ends("6", packs=6, hits_soft_17=hits) for hits in (False, True))
    assert sum(hits.values()) == 1
    assert hits["17"] < stands["17"]
    assert hits["bust"] > stands["bust"]


def test_progress_rises_to_the_total_and_ends_there():
    told: list[tuple[int, int]] = []
    odds.spanish_21.every_wager(lambda done, total: told.append((done, total)))
    assert told == [(1, 2), (2, 2)]
