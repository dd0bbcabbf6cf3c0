"""A hand in the words a player would use: `pair of kings`, `queen high`."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import polars as pl

from rules import cards, ranking
from rules import three_card_poker as tcp


def in_words(game: str, hand: Sequence[str]) -> str | None:
    """None where nothing can be said: a card unread, a joker, not the number of cards, or a game without such ranks."""
    if any(card not in cards.DECK for card in hand):
        return None
    return _three_cards(hand) if game == tcp.NAME and len(hand) == tcp.GAME.player_cards else None


def _three_cards(hand: Sequence[str]) -> str:
    codes = np.array([[cards.CODE[card]] for card in hand], np.uint8)
    value = pl.Series(ranking.three_card_values(codes))
    kind = tcp.HANDS[min(pl.select(ranking.three_card_category(pl.lit(value))).item(), len(tcp.HANDS) - 1)]
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
    }[kind]


def _top_of_straight(ranks: list[int]) -> int:
    """In A-2-3 the ace is low."""
    return ranks[1] if ranks[0] - ranks[1] > 1 else ranks[0]


def _rank(rank: int) -> str:
    return cards.RANK_WORDS[cards.RANKS[rank]]
