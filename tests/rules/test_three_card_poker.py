"""N.J.A.C. 19:47-20, clause by clause. Stakes and answers are cents, worked by hand from the text."""

import pytest

from rules.game import Irregularity, Remedy
from rules.three_card_poker import ANTE, ANTE_BONUS, GAME, PAIR_PLUS, PLAY, SIX_CARD_BONUS

EDITIONS = ("1998", "2000", "6-card-bonus")
BELOW_QUEEN = "JC 9D 4H"
QUEEN_HIGH = "QC 8D 4H"


# 20.1, 20.2 and 20.6: the wagers


def test_19_47_20_1_the_ante_and_the_pair_plus_lie_before_the_cards_and_the_play_after_them():
    assert [wager.name for wager in GAME.wagers_of("2000") if wager.before_deal] == ["ante", "ante_bonus", "pair_plus"]
    assert not PLAY.before_deal


def test_19_47_20_2_a_the_game_is_played_with_one_deck_of_52():
    assert (GAME.deck_size, GAME.deck_clause) == (52, "19:47-20.2(a)")


def test_19_47_20_6_a_2_the_pair_plus_may_lie_alone():
    assert PAIR_PLUS.needs == ()
    assert PAIR_PLUS.equals is None


def test_19_47_20_6_a_3_the_ante_needs_no_other_wager_beside_it():
    assert ANTE.needs == ()
    assert ANTE.equals is None


def test_19_47_20_6_a_4_i_the_6_card_bonus_needs_a_pair_plus_in_either_version():
    assert ("pair_plus", None) in [(need.wager, need.only_if) for need in SIX_CARD_BONUS.needs]


def test_19_47_20_6_a_4_ii_version_ii_needs_an_ante_as_well():
    (need,) = [need for need in SIX_CARD_BONUS.needs if need.wager == "ante"]
    assert (need.only_if, need.clause) == (("six_card_bonus_version", "ii"), "19:47-20.6(a)4ii")


def test_19_47_20_6_d_no_wager_but_the_play_follows_no_more_bets():
    assert GAME.late_clause == "19:47-20.6(d)"
    assert [wager.name for wager in GAME.wagers_of("6-card-bonus") if not wager.before_deal] == ["play"]


# 20.7, 20.8 and 20.9: the deal


def test_19_47_20_7_c_a_hand_is_dealt_for_an_ante_or_a_pair_plus():
    assert GAME.dealt_in == ("ante", "pair_plus")
    assert (GAME.player_cards, GAME.dealer_cards) == (3, 3)


@pytest.mark.parametrize(
    ("method", "order", "order_clause", "bets_closed_clause", "count_clause"),
    [
        ("manual_shoe", "rotation", "19:47-20.7(c)", "19:47-20.7(b)", "19:47-20.7(e)"),
        ("hand", "rotation", "19:47-20.8(c)", "19:47-20.8(b)3", "19:47-20.8(e)"),
        ("automated_shoe", "packets", "19:47-20.9(c)", "19:47-20.9(b)2", "19:47-20.9(e)"),
    ],
)
def test_19_47_20_7_to_9_each_dealing_method_has_its_own_order_and_clauses(
    method, order, order_clause, bets_closed_clause, count_clause
):
    deal = GAME.deal[method]
    assert (deal.order, deal.order_clause) == (order, order_clause)
    assert (deal.bets_closed_clause, deal.count_clause) == (bets_closed_clause, count_clause)


def test_19_47_20_7_f_a_counting_shuffler_spares_the_count():
    assert GAME.count_exempt_clause == "19:47-20.7(f)"


# 20.10: Play or forfeit


def test_19_47_20_10_b_the_play_equals_the_ante():
    assert (PLAY.equals.wager, PLAY.equals.clause) == ("ante", "19:47-20.10(b)")
    assert [(need.wager, need.clause) for need in PLAY.needs] == [("ante", "19:47-20.10(b)")]


@pytest.mark.parametrize("edition", EDITIONS)
def test_19_47_20_10_b_a_folder_forfeits_the_ante(ruled, edition):
    assert ruled("ante", "QD 6C 3S", QUEEN_HIGH, folded=True, edition=edition) == (-1000, "19:47-20.10(b)")


def test_19_47_20_10_b_a_folder_forfeits_the_ante_even_where_the_dealer_does_not_qualify(ruled):
    assert ruled("ante", "AD AC AS", BELOW_QUEEN, folded=True) == (-1000, "19:47-20.10(b)")


@pytest.mark.parametrize("edition", ["1998", "2000"])
def test_19_47_20_10_b_a_folder_forfeits_the_pair_plus_with_the_ante(ruled, edition):
    folded_pair = ruled("pair_plus", "2D 2C 7S", QUEEN_HIGH, stake=500, column="1", folded=True, edition=edition)
    assert folded_pair == (-500, "19:47-20.10(b)")


def test_19_47_20_10_b_1_a_folder_forfeits_the_pair_plus_with_the_ante(ruled):
    folded_pair = ruled("pair_plus", "2D 2C 7S", QUEEN_HIGH, stake=500, column="1", folded=True)
    assert folded_pair == (-500, "19:47-20.10(b)1")


def test_19_47_20_10_b_1_a_folder_keeps_the_six_card_bonus(ruled):
    quads = ruled("six_card_bonus", "JC 7D 2H", "7S 7H 7C", stake=500, column="A", folded=True)
    assert quads == (25_000, "19:47-20.11(a)4")


@pytest.mark.parametrize("folded", [True, False, None])
def test_19_47_20_10_b_2_a_pair_plus_without_an_ante_is_never_forfeited(ruled, folded):
    pair = ruled("pair_plus", "2D 2C 7S", QUEEN_HIGH, stake=500, column="1", folded=folded, ante=False)
    assert pair == (500, "19:47-20.11(a)2")


@pytest.mark.parametrize("folded", [True, False, None])
def test_19_47_20_10_b_2_a_six_card_bonus_without_an_ante_is_never_forfeited(ruled, folded):
    trips = ruled("six_card_bonus", "2D 2C 7S", "2H 9D KC", stake=500, column="A", folded=folded, ante=False)
    assert trips == (2500, "19:47-20.11(a)4")


def test_19_47_20_10_c_losers_are_collected_before_winners_are_paid():
    assert GAME.settle_clause == "19:47-20.10(c)"


# 20.11(a)1: Ante and Play


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("player", ["2C 3D 5S", "JD 9C 4S", "JD TC 4S", "AD AC AS"])
def test_19_47_20_11_a_1_below_queen_high_the_ante_is_paid_and_the_play_returned_whatever_the_player_holds(
    ruled, player, edition
):
    assert ruled("ante", player, BELOW_QUEEN, edition=edition) == (1000, "19:47-20.11(a)1")
    assert ruled("play", player, BELOW_QUEEN, edition=edition) == (0, "19:47-20.11(a)1")


def test_19_47_20_11_a_1_the_lowest_queen_high_plays_and_the_highest_jack_high_does_not(ruled):
    assert ruled("ante", "5C 3D 2S", "QC 3H 2D") == (-1000, "19:47-20.11(a)1")
    assert ruled("ante", "5C 3D 2S", "JC TH 8D") == (1000, "19:47-20.11(a)1")


@pytest.mark.parametrize("dealer", ["2C 2D 3H", "9C 7C 2C", "3C 4D 5H", "AC 2D 3H", "2C 2D 2H"])
def test_19_47_20_11_a_1_a_hand_without_a_queen_that_ranks_above_queen_high_plays(ruled, dealer):
    assert ruled("play", "KS QS 9D", dealer) == (-1000, "19:47-20.11(a)1")


def test_19_47_20_11_a_1_the_higher_hand_is_paid_1_to_1_on_both(ruled):
    assert ruled("ante", "QD 9C 2S", QUEEN_HIGH) == (1000, "19:47-20.11(a)1")
    assert ruled("play", "QD 9C 2S", QUEEN_HIGH) == (1000, "19:47-20.11(a)1")


def test_19_47_20_11_a_1_the_lower_hand_loses_both(ruled):
    assert ruled("ante", "QD 8C 3S", QUEEN_HIGH) == (-1000, "19:47-20.11(a)1")
    assert ruled("play", "QD 8C 3S", QUEEN_HIGH) == (-1000, "19:47-20.11(a)1")


def test_19_47_20_11_a_1_equal_hands_push_and_suits_break_no_tie(ruled):
    assert ruled("ante", "QS 8S 4C", QUEEN_HIGH) == (0, "19:47-20.11(a)1")
    assert ruled("play", "QS 8S 4C", QUEEN_HIGH) == (0, "19:47-20.11(a)1")


# 20.11(a)2: Pair Plus


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize(
    ("player", "owed"),
    [
        ("2D 2C 7S", 500),
        ("2D 7D 9D", 2000),
        ("4D 5C 6S", 3000),
        ("AD 2C 3S", 3000),
        ("9D 9C 9S", 15_000),
        ("4D 5D 6D", 20_000),
        ("AD KD QD", 20_000),
        ("AD KC 9S", -500),
        ("AD KC 2S", -500),
    ],
)
def test_19_47_20_11_a_2_pair_plus_pays_1_4_6_30_40(ruled, player, owed, edition):
    answer = ruled("pair_plus", player, QUEEN_HIGH, stake=500, column="1", ante=False, edition=edition)
    assert answer == (owed, "19:47-20.11(a)2")


@pytest.mark.parametrize("edition", ["2000", "6-card-bonus"])
@pytest.mark.parametrize(
    ("player", "owed"),
    [
        ("2D 2C 7S", 500),
        ("2D 7D 9D", 2000),
        ("4D 5C 6S", 3000),
        ("9D 9C 9S", 16_500),
        ("4D 5D 6D", 17_500),
    ],
)
def test_19_47_20_11_a_2_i_the_alternative_pays_1_4_6_33_35(ruled, player, owed, edition):
    answer = ruled("pair_plus", player, QUEEN_HIGH, stake=500, column="2", ante=False, edition=edition)
    assert answer == (owed, "19:47-20.11(a)2i")


@pytest.mark.parametrize("dealer", [BELOW_QUEEN, QUEEN_HIGH, "AC AH AS"])
def test_19_47_20_1_pair_plus_is_paid_whatever_the_dealer_holds(ruled, dealer):
    assert ruled("pair_plus", "2D 2C 7S", dealer, stake=500, column="1") == (500, "19:47-20.11(a)2")


# 20.11(a)3: the Ante bonus


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize(
    ("player", "owed"),
    [
        ("4D 5C 6S", 1000),
        ("9D 9C 9S", 4000),
        ("4D 5D 6D", 5000),
        ("AD KD QD", 5000),
        ("2D 7D 9D", 0),
        ("AD AC KS", 0),
    ],
)
def test_19_47_20_11_a_3_the_ante_bonus_pays_1_4_5(ruled, player, owed, edition):
    assert ruled("ante_bonus", player, QUEEN_HIGH, column="1", edition=edition) == (owed, "19:47-20.11(a)3")


@pytest.mark.parametrize("edition", ["2000", "6-card-bonus"])
@pytest.mark.parametrize(("player", "owed"), [("4D 5C 6S", 1000), ("9D 9C 9S", 5000), ("4D 5D 6D", 6000)])
def test_19_47_20_11_a_3_i_the_alternative_pays_1_5_6(ruled, player, owed, edition):
    assert ruled("ante_bonus", player, QUEEN_HIGH, column="2", edition=edition) == (owed, "19:47-20.11(a)3i")


@pytest.mark.parametrize("dealer", [BELOW_QUEEN, QUEEN_HIGH, "4C 5H 6D", "AC AH AS"])
def test_19_47_20_11_a_3_the_ante_bonus_is_paid_whatever_the_dealer_holds(ruled, dealer):
    assert ruled("ante_bonus", "4D 5C 6S", dealer, column="1") == (1000, "19:47-20.11(a)3")


def test_19_47_20_11_a_3_the_ante_bonus_needs_a_play(ruled):
    assert ruled("ante_bonus", "4D 5D 6D", QUEEN_HIGH, column="1", folded=True) == (0, "19:47-20.11(a)3")


def test_19_47_20_11_a_3_the_ante_bonus_is_odds_on_the_ante():
    assert ANTE_BONUS.bonus_on == "ante"


# 20.11(a)4 and 20.12A: the 6 Card Bonus

SIX_CARDS = {
    "5-card royal flush": ("AS KS QS", "JS TS 9D"),
    "5-card straight flush": ("KS QS JS", "TS 9S AD"),
    "four-of-a-kind": ("7S 7D 2C", "7H 7C 2D"),
    "full house": ("7S 7D 2C", "7H 2H 2D"),
    "5-card flush": ("AS KS 9S", "4S 2S 2D"),
    "5-card straight": ("AS KD QC", "JH TS TD"),
    "wheel": ("AS 2D 3C", "4H 5S KD"),
    "three-of-a-kind": ("7S 7D 2C", "7H KS 4D"),
}
TO_ONE = {
    "A": (1000, 200, 50, 25, 20, 10, 10, 5),
    "B": (1000, 200, 50, 25, 15, 10, 10, 5),
    "C": (1000, 200, 100, 20, 15, 9, 9, 8),
    "D": (1000, 200, 100, 20, 15, 10, 10, 7),
    "E": (1000, 200, 50, 20, 15, 10, 10, 5),
    "F": (1000, 200, 50, 20, 15, 10, 10, 5),
}


@pytest.mark.parametrize("column", "ABCDEF")
@pytest.mark.parametrize("hand", SIX_CARDS)
def test_19_47_20_11_a_4_each_column_pays_what_it_prints(ruled, column, hand):
    to_one = dict(zip(SIX_CARDS, TO_ONE[column], strict=True))[hand]
    owed, clause = ruled("six_card_bonus", *SIX_CARDS[hand], stake=500, column=column)
    assert owed == 500 * to_one
    assert clause == ("19:47-20.11(a)4ii" if column in "EF" else "19:47-20.11(a)4")


@pytest.mark.parametrize("column", "ABCDEF")
@pytest.mark.parametrize(
    ("player", "dealer"),
    [("7S 7D 2C", "2H KS KD"), ("7S 7D 2C", "QH KS 4D"), ("AS QD 2C", "9H KS 4D"), ("QS KD AC", "2H 3S 7D")],
    ids=["two pairs", "pair", "high card", "Q-K-A-2-3 is no straight"],
)
def test_19_47_20_12a_a_six_cards_below_three_of_a_kind_lose(ruled, player, dealer, column):
    assert ruled("six_card_bonus", player, dealer, stake=500, column=column) == (-500, "19:47-20.12A(a)")


def test_19_47_20_12a_a_the_hand_may_be_made_of_the_dealers_cards_alone(ruled):
    assert ruled("six_card_bonus", "AS QD 2C", "8H 8S 8D", stake=500, column="A")[0] == 2500


@pytest.mark.parametrize("suit", "CDHS")
@pytest.mark.parametrize("column", "ABCD")
def test_19_47_20_11_a_4_a_six_card_royal_pays_as_the_five_card_royal_in_columns_a_to_d(ruled, suit, column):
    six = [rank + suit for rank in "AKQJT9"]
    owed, _ = ruled("six_card_bonus", " ".join(six[:3]), " ".join(six[3:]), stake=500, column=column)
    assert owed == 500_000


@pytest.mark.parametrize("stake", [500, 2500])
@pytest.mark.parametrize(
    ("column", "suit", "dollars"),
    [
        *(("E", suit, 100_000) for suit in "CDHS"),
        *(("F", suit, 100_000) for suit in "CHS"),
        ("F", "D", 1_000_000),
    ],
)
def test_19_47_20_11_a_4_ii_a_six_card_royal_wins_a_fixed_sum_whatever_the_stake(ruled, column, suit, dollars, stake):
    nine_first = [rank + suit for rank in "9KAJTQ"]
    answer = ruled("six_card_bonus", " ".join(nine_first[:3]), " ".join(nine_first[3:]), stake=stake, column=column)
    assert answer == (dollars * 100, "19:47-20.11(a)4ii")


@pytest.mark.parametrize(
    ("six", "to_one"),
    [("AD KD QD JD TD 9C", 1000), ("AD KD QD JD TD 8D", 1000), ("KD QD JD TD 9D 8D", 200)],
    ids=["nine of another suit", "eight for nine", "king-high"],
)
def test_19_47_20_12a_a_1_only_ace_to_nine_of_one_suit_is_a_six_card_royal(ruled, six, to_one):
    assert ruled("six_card_bonus", six[:8], six[9:], stake=500, column="F")[0] == 500 * to_one


def test_19_47_20_12a_c_only_the_highest_hand_is_paid(ruled):
    two_sets_of_three = ruled("six_card_bonus", "7S 7D 7C", "2H 2S 2D", stake=500, column="A")
    assert two_sets_of_three[0] == 12_500
    straight_and_flush = ruled("six_card_bonus", "4S 5S 6S", "7D 8S KS", stake=500, column="A")
    assert straight_and_flush[0] == 10_000


@pytest.mark.parametrize("folded", [True, False, None])
@pytest.mark.parametrize("ante", [True, False])
def test_19_47_20_12a_d_no_other_wager_has_a_bearing_on_it(ruled, folded, ante):
    assert (
        ruled("six_card_bonus", *SIX_CARDS["full house"], stake=500, column="B", folded=folded, ante=ante)[0] == 12_500
    )


@pytest.mark.parametrize("edition", ["1998", "2000"])
def test_19_47_20_12a_there_is_no_six_card_bonus_before_it_was_added(edition):
    assert "six_card_bonus" not in [wager.name for wager in GAME.wagers_of(edition)]


# 20.12: irregularities


REMEDIES = [
    (Irregularity.ONE_CARD_FACE_UP, Remedy.RACK_THE_CARD, False, "19:47-20.12(a)"),
    (Irregularity.MORE_CARDS_FACE_UP, Remedy.VOID, True, "19:47-20.12(a)"),
    (Irregularity.WRONG_CARD_COUNT, Remedy.VOID, True, "19:47-20.12(c)"),
    (Irregularity.DEALER_CARD_EXPOSED, Remedy.VOID, True, "19:47-20.12(d)"),
    (Irregularity.SHUFFLER_FAILED, Remedy.RESHUFFLE, False, "19:47-20.12(e)"),
    (Irregularity.SHOE_FAILED, Remedy.VOID, True, "19:47-20.12(f)"),
    (Irregularity.WRONG_STUB_COUNT, Remedy.VOID_AND_REMOVE, True, "19:47-20.7(e)2"),
    (Irregularity.WRONG_SHUFFLER_COUNT, Remedy.REMOVE_DECK, False, "19:47-20.7(f)"),
]


@pytest.mark.parametrize(("irregularity", "remedy", "voids", "clause"), REMEDIES)
def test_19_47_20_12_each_irregularity_has_its_own_remedy(irregularity, remedy, voids, clause):
    due = GAME.remedies[irregularity]
    assert (due.remedy, due.voids, due.clause) == (remedy, voids, clause)


def test_19_47_20_12_no_irregularity_is_without_a_remedy():
    assert set(GAME.remedies) == {irregularity for irregularity, *_ in REMEDIES}


# Whole rounds: Ante 10, Pair Plus 5, 6 Card Bonus 5


def test_a_folder_whose_jack_seven_deuce_meets_three_sevens_leaves_235_dollars_ahead(ruled):
    cards = ("JC 7D 2H", "7S 7H 7C")
    owed = {
        "ante": ruled("ante", *cards, folded=True)[0],
        "ante_bonus": ruled("ante_bonus", *cards, column="1", folded=True)[0],
        "pair_plus": ruled("pair_plus", *cards, stake=500, column="1", folded=True)[0],
        "six_card_bonus": ruled("six_card_bonus", *cards, stake=500, column="A", folded=True)[0],
    }
    assert owed == {"ante": -1000, "ante_bonus": 0, "pair_plus": -500, "six_card_bonus": 25_000}
    assert sum(owed.values()) == 23_500


def test_a_straight_against_an_unqualified_dealer_leaves_45_dollars_ahead(ruled):
    cards = ("5C 6D 7H", "JS 4C 2D")
    owed = {
        "ante": ruled("ante", *cards)[0],
        "play": ruled("play", *cards)[0],
        "ante_bonus": ruled("ante_bonus", *cards, column="1")[0],
        "pair_plus": ruled("pair_plus", *cards, stake=500, column="1")[0],
        "six_card_bonus": ruled("six_card_bonus", *cards, stake=500, column="A")[0],
    }
    assert owed == {"ante": 1000, "play": 0, "ante_bonus": 1000, "pair_plus": 3000, "six_card_bonus": -500}
    assert sum(owed.values()) == 4500


def test_a_straight_flush_that_loses_to_a_higher_one_still_has_its_bonus_and_its_side_wagers(ruled):
    cards = ("4D 5D 6D", "7S 8S 9S")
    assert ruled("ante", *cards)[0] == -1000
    assert ruled("play", *cards)[0] == -1000
    assert ruled("ante_bonus", *cards, column="2")[0] == 6000
    assert ruled("pair_plus", *cards, stake=500, column="2")[0] == 17_500
    assert ruled("six_card_bonus", *cards, stake=500, column="C")[0] == 4500
