"""The cards: names, codes and the Polars type they travel in."""

from typing import Final

import polars as pl

RANKS: Final = "23456789TJQKA"
SUITS: Final = "CDHS"
UNREAD: Final = "??"
JOKER: Final = "XX"

# A card's code is its place in this list: rank * 4 + suit, so a code is also an index into a lookup table.
DECK: Final = tuple(rank + suit for rank in RANKS for suit in SUITS)
NAMES: Final = (*DECK, UNREAD, JOKER)
CODE: Final = {name: code for code, name in enumerate(NAMES)}
UNREAD_CODE: Final = CODE[UNREAD]
JOKER_CODE: Final = CODE[JOKER]

CARD: Final = pl.Enum(NAMES)

RANK_WORDS: Final = {
    **{digit: digit for digit in "23456789"},
    "T": "10",
    "J": "jack",
    "Q": "queen",
    "K": "king",
    "A": "ace",
}
SUIT_SIGNS: Final = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}


def code(card: pl.Expr) -> pl.Expr:
    """The card's place in NAMES, ready to index a lookup table."""
    return card.cast(CARD).to_physical().cast(pl.Int32)


def sign(card: str) -> str:
    """A card as people write it: `10♠`, `A♥`; an unread one is `??`, a joker `joker`."""
    if card == UNREAD:
        return UNREAD
    if card == JOKER:
        return "joker"
    return ("10" if card[0] == "T" else card[0]) + SUIT_SIGNS[card[1]]
