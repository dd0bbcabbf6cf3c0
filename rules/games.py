"""The games whose rounds can be derived. No game inherits from another."""

from typing import Final

from rules import heads_up_holdem, spanish_21, three_card_draw_poker, three_card_poker
from rules.game import Game

GAMES: Final[dict[str, Game]] = {
    game.name: game
    for game in (three_card_poker.GAME, three_card_draw_poker.GAME, heads_up_holdem.GAME, spanish_21.GAME)
}
