"""Hands in words."""

import pytest

from dashboards.hands import in_words


@pytest.mark.parametrize(
    ("cards", "words"),
    [
        ("QC 6D 4H", "queen high"),
        ("TC 6D 4H", "10 high"),
        ("KC KD 4H", "pair of kings"),
        ("4H AC AD", "pair of aces"),
        ("KC 9C 2C", "flush, king high"),
        ("AC 2D 3H", "straight to the 3"),
        ("AC KD QH", "straight to the ace"),
        ("7C 7D 7H", "three 7s"),
        ("AS KS QS", "straight flush to the ace"),
        ("AS 2S 3S", "straight flush to the 3"),
        ("QC 6D ??", None),
        ("QC 6D XX", None),
        ("QC 6D", None),
    ],
)
def test_three_cards_are_said_as_a_player_says_them(cards, words):
    assert in_words("three-card-poker", cards.split()) == words


def test_nothing_is_said_of_a_game_whose_ranks_are_not_encoded():
    assert in_words("whist", ["QC", "6D", "4H"]) is None


@pytest.mark.parametrize(
    ("game", "hand", "board", "words"),
    [
        ("three-card-draw-poker", "AS KS QS", "", "mini royal flush"),
        ("three-card-draw-poker", "9C 4D KH 9D", "", "pair of 9s"),
        ("heads-up-holdem", "KC 4D", "KD 4H 9S 2C 3D", "two pair, kings and 4s"),
        ("heads-up-holdem", "KC 4D", "QD JH TS 9C 3D", "straight to the king"),
        ("heads-up-holdem", "2C 2D", "2H AS AC 9C 3D", "full house, 2s over aces"),
        ("heads-up-holdem", "2C 7D", "9H JS AC KC 3D", "ace high"),
        ("heads-up-holdem", "AC KC", "QC JC TC 9D 3D", "royal flush"),
        ("heads-up-holdem", "AC 2D", "3H 4S 5C KC KD", "straight to the 5"),
        ("heads-up-holdem", "AC 2D", "3H 4S", None),
        ("spanish-21", "AC 7D", "", "soft 18"),
        ("spanish-21", "AC KD", "", "ace and ten, 21"),
        ("spanish-21", "AC 7D KD", "", "18"),
        ("spanish-21", "9C 7D KD", "", "bust with 26"),
    ],
)
def test_every_game_has_its_words(game, hand, board, words):
    assert in_words(game, hand.split(), board.split()) == words
