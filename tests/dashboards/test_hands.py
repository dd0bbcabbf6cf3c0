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
