"""The games whose law is encoded. No game inherits from another."""

from typing import Final

from rules import three_card_poker
from rules.game import Game

GAMES: Final[dict[str, Game]] = {game.name: game for game in (three_card_poker.GAME,)}
