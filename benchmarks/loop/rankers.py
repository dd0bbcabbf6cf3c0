"""Hands ranked by a library: three cards, and the best five of six or seven."""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any, Final, Protocol

import phevaluator
import pokerkit

RANKS: Final = "23456789TJQKA"
LABELS: Final = {
    "High card": "high_card",
    "One pair": "pair",
    "Two pair": "two_pair",
    "Three of a kind": "three_of_a_kind",
    "Straight": "straight",
    "Flush": "flush",
    "Full house": "full_house",
    "Four of a kind": "four_of_a_kind",
    "Straight flush": "straight_flush",
}
# The worst rank of its kind in phevaluator's order, in which 1 is the best.
WORST: Final = (
    (1, "royal_flush"),
    (10, "straight_flush"),
    (166, "four_of_a_kind"),
    (322, "full_house"),
    (1599, "flush"),
    (1609, "straight"),
    (2467, "three_of_a_kind"),
    (3325, "two_pair"),
    (6185, "pair"),
)

Ranked = tuple[Any, str]  # what compares, and the name of the hand


class Ranker(Protocol):
    def three(self, hand: Sequence[str]) -> Ranked: ...

    def best_five(self, hand: Sequence[str]) -> Ranked: ...


class PokerKit:
    """Its three-card hand is that of Rhode Island Hold'em, which ranks as these games do."""

    def three(self, hand: Sequence[str]) -> Ranked:
        ranked = pokerkit.RhodeIslandHoldemHand(_written(hand))
        return ranked, LABELS[ranked.entry.label]

    def best_five(self, hand: Sequence[str]) -> Ranked:
        ranked = pokerkit.StandardHighHand.from_game(_written(hand))
        name = LABELS[ranked.entry.label]
        royal = name == "straight_flush" and {card.rank for card in ranked.cards} >= {"A", "K"}
        return ranked, "royal_flush" if royal else name


def _written(hand: Sequence[str]) -> str:
    return "".join(card[0] + card[1].lower() for card in hand)


class Phevaluator:
    """It ranks five to seven cards; three are ranked here."""

    def three(self, hand: Sequence[str]) -> Ranked:
        return _three(tuple(hand))

    def best_five(self, hand: Sequence[str]) -> Ranked:
        rank = phevaluator.evaluate_cards(*hand)
        return -rank, next((name for worst, name in WORST if rank <= worst), "high_card")


@cache
def _three(hand: tuple[str, ...]) -> Ranked:
    values = sorted((RANKS.index(card[0]) for card in hand), reverse=True)
    often = Counter(values).most_common()
    suited = len({card[1] for card in hand}) == 1
    if len(often) == 1:
        return (4, *values), "three_of_a_kind"
    if len(often) == 2:
        return (1, often[0][0], often[1][0]), "pair"
    if values == [12, 1, 0]:
        values = [1, 0, -1]
    if values[0] - values[2] == 2:
        return ((5, *values), "straight_flush") if suited else ((3, *values), "straight")
    return ((2, *values), "flush") if suited else ((0, *values), "high_card")


RANKERS: Final[dict[str, type[Ranker]]] = {"pokerkit": PokerKit, "phevaluator": Phevaluator}
