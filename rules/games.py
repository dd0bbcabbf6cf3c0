"""The games whose rounds can be derived. No game inherits from another.

A game is listed here together with its seats in `replay` and its odds in `rules/odds.py`; until then its module is law only.
"""

from typing import Final

from rules import three_card_poker
from rules.game import Game

GAMES: Final[dict[str, Game]] = {game.name: game for game in (three_card_poker.GAME,)}
