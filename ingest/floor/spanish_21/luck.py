"""Luck: hands that come once in a hundred thousand rounds come a little more often here, with the cards of the shoe."""

from random import Random
from typing import Final

from ingest.floor.spanish_21.boxes import ShoeRound

LUCKY: Final = 0.03
SUITS: Final = "CDHS"
# What the first box gets, the first two and then in the order they are drawn; `hits` and `splits` are what its caller goes after.
# A small letter is the suit of the round, a star any suit at all.
HANDS: Final = (
    ("hits", "7x 7x 7x", "7*", 1),
    ("hits", "7* 7* 7*", "", 1),
    ("hits", "7x 7x 7x", "", 1),
    ("hits", "7S 7S 7S", "", 1),
    ("hits", "6x 7x 8x", "", 1),
    ("hits", "8S 6S 7S", "", 1),
    ("hits", "7* 8* 6*", "", 1),
    ("hits", "2* 3* 4* 5* 7*", "", 1),
    ("hits", "A* 2* 3* 2* 4* 9*", "", 1),
    ("hits", "2* 3* 2* 4* 3* 2* 5*", "", 1),
    ("hits", "A* 2* A* 2* 3* A* 2* 9*", "", 1),
    ("splits", "A* A* A* A* K* Q* J* K*", "", 1),
    ("splits", "8* 8* 8* 8* 3* 2* 3* 2*", "", 2),
    ("splits", "K* Q* J* K* 2* 3* A* A*", "", 1),
    ("splits", "A* A* K* J*", "K*", 1),
    ("", "A* K*", "A*", 1),
    ("", "9* 2*", "A* K*", 2),
    ("", "8* 3*", "K* A*", 1),
    ("", "Kx Kx", "Kx", 1),
    ("", "9x 9*", "9x", 1),
)


def arrange(round: ShoeRound, rng: Random) -> None:
    """Now and then the cards on top of the shoe are such that the first box, or the dealer, gets a hand worth seeing."""
    if not round.super_sevens and rng.random() >= LUCKY:
        return
    weights = [weight for *_, weight in HANDS]
    goes_after, hand, dealers, _ = HANDS[0] if round.super_sevens else rng.choices(HANDS, weights)[0]
    suit = rng.choice(SUITS)
    named = [_named(card, suit, rng) for card in hand.split()]
    up = [_named(card, suit, rng) for card in dealers.split()]
    boxes = len(round.boxes)
    burned = int(round.option("burn")) if round.shoe.burn_due else 0
    at = [0, boxes + 1, *range(2 * boxes + 2, 2 * boxes + len(hand.split()))]
    wanted = dict(zip(at, named, strict=True)) | dict(zip((boxes, 2 * boxes + 1), up, strict=False))
    if round.shoe.arrange({burned + place: card for place, card in wanted.items()}):
        next(iter(round.boxes.values())).luck = goes_after


def _named(card: str, suit: str, rng: Random) -> str:
    rank, told = card[0], card[1]
    return rank + (suit if told == "x" else rng.choice(SUITS) if told == "*" else told)
