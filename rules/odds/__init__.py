"""What each wager is worth, by exact enumeration through the very decision tables that settle a round: a module per game."""

from collections.abc import Callable, Mapping
from typing import Final

from rules.odds import heads_up_holdem, spanish_21, three_card_draw_poker, three_card_poker
from rules.odds.counting import PACKS, Progress, WagerOdds, hands_up_to_suits, unwatched
from rules.odds.holdem_play import SIMPLE_PLAY, SIMPLE_PLAY_IN_WORDS

__all__ = ["HOW_PLAYED", "ODDS", "PACKS", "Progress", "WagerOdds", "hands_up_to_suits", "unwatched"]

ODDS: Final[Mapping[str, Callable[[Progress], list[WagerOdds]]]] = {
    "three-card-poker": three_card_poker.every_wager,
    "three-card-draw-poker": three_card_draw_poker.every_wager,
    "heads-up-holdem": heads_up_holdem.every_wager,
    "spanish-21": spanish_21.every_wager,
}

# Ways to play whose name does not say how.
HOW_PLAYED: Final[Mapping[str, str]] = {
    "best play": "what is worth most with each hand, searched for through all that can follow",
    SIMPLE_PLAY: SIMPLE_PLAY_IN_WORDS,
}
