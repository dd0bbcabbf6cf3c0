"""A hand in the words a player would use: `pair of kings`, `queen high`, `soft 18`."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Final

import numpy as np
import polars as pl

from rules import cards, heads_up_holdem, ranking, spanish_21, three_card_draw_poker, three_card_poker

# A mini royal has a name of its own only where a pay table names it.
_THREE_CARD_HANDS: Final = {
    three_card_poker.NAME: three_card_poker.HANDS,
    three_card_draw_poker.NAME: three_card_draw_poker.HANDS,
}


def in_words(game: str, hand: Sequence[str], board: Sequence[str] = ()) -> str | None:
    """None where nothing can be said: a card unread, a joker, not the number of cards, or a game without such ranks."""
    if any(card not in cards.DECK for card in (*hand, *board)):
        return None
    if game in _THREE_CARD_HANDS and len(hand) in (3, 4):
        return _three_cards(max(combinations(hand, 3), key=_three_card_value), _THREE_CARD_HANDS[game])
    if game == heads_up_holdem.NAME and len(hand) == 2 and len(board) == heads_up_holdem.GAME.community_cards:
        return _five_cards((*hand, *board))
    if game == spanish_21.NAME and len(hand) >= 2:
        return _points(hand)
    return None


def _codes(hand: Sequence[str]) -> ranking.Codes:
    return np.array([[cards.CODE[card]] for card in hand], np.uint8)


def _three_card_value(hand: Sequence[str]) -> int:
    return int(ranking.three_card_values(_codes(hand))[0])


def _three_cards(hand: Sequence[str], hands: Sequence[str]) -> str:
    value = pl.Series([_three_card_value(hand)], dtype=pl.UInt16)
    kind = hands[min(pl.select(ranking.three_card_category(pl.lit(value))).item(), len(hands) - 1)]
    ranks = sorted((cards.RANKS.index(card[0]) for card in hand), reverse=True)
    often = Counter(ranks).most_common(1)[0][0]
    highest = _rank(_top_of_straight(ranks) if "straight" in kind else ranks[0])
    return {
        "high_card": f"{highest} high",
        "pair": f"pair of {_rank(often)}s",
        "flush": f"flush, {highest} high",
        "straight": f"straight to the {highest}",
        "three_of_a_kind": f"three {_rank(often)}s",
        "straight_flush": f"straight flush to the {highest}",
        "mini_royal": "mini royal flush",
    }[kind]


def _five_cards(hand: Sequence[str]) -> str:
    """The best five of seven. A value's bits above 26 are its kind, the next 13 the ranks that make it, the last 13 the rest."""
    value = int(ranking.best_five(_codes(hand))[0])
    kind = ranking.FIVE_CARD_HANDS[value >> 26]
    made, rest = ([_rank(bit) for bit in range(12, -1, -1) if value >> shift >> bit & 1] for shift in (13, 0))
    top, second, *_ = [*made, *rest, "", ""]
    return {
        "high_card": f"{top} high",
        "pair": f"pair of {top}s",
        "two_pair": f"two pair, {top}s and {second}s",
        "three_of_a_kind": f"three {top}s",
        "straight": f"straight to the {top}",
        "flush": f"flush, {top} high",
        "full_house": f"full house, {top}s over {second}s",
        "four_of_a_kind": f"four {top}s",
        "straight_flush": f"straight flush to the {top}",
        "royal_flush": "royal flush",
    }[kind]


def _points(hand: Sequence[str]) -> str:
    values = [1 if card[0] == "A" else min(cards.RANKS.index(card[0]) + 2, 10) for card in hand]
    hard, with_ace = sum(values), 1 in values
    total = spanish_21.points(hard, with_ace)
    if len(hand) == 2 and total == 21:
        return "ace and ten, 21"
    if total > 21:
        return f"bust with {total}"
    return f"soft {total}" if total != hard else f"{total}"


def _top_of_straight(ranks: list[int]) -> int:
    """In A-2-3 the ace is low."""
    return ranks[1] if ranks[0] - ranks[1] > 1 else ranks[0]


def _rank(rank: int) -> str:
    return cards.RANK_WORDS[cards.RANKS[rank]]
