"""Rare hands, dealt more often than chance would: a small floor must have seen a royal flush paid and a full house beaten.

A stacked deck is as honest as any other. What is wanted are cards by place; everything else lies as it was shuffled.
"""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Final

from ingest.floor.felt import Round, place
from rules import cards

STACKED: Final = 0.02  # the share of rounds

Wanted = Mapping[int, Sequence[str]]


def stacked(stub: list[str], due: Sequence[int], wanted: Wanted) -> None:
    """Puts the cards wanted where those places will be dealt them; `due` says who gets each card off the end of the stub."""
    for where, hand in wanted.items():
        turns = [len(stub) - 1 - at for at, whose in enumerate(due) if whose == where]
        for at, card in zip(turns, hand, strict=False):
            if card in stub:
                stub[stub.index(card)] = stub[at]
            stub[at] = card


def exchanged(round: Round, where: int, card: str, other: str) -> None:
    """The card that was dealt there changes places with another that was not dealt."""
    fact = next(fact for fact in round.cards if place(fact) == where and fact["card"] == card)
    round.swap(where, card, other)
    fact["card"] = other
    if other in round.stub:
        round.stub[round.stub.index(other)] = card


def suited_run(rng: Random, length: int, tops: Sequence[int]) -> list[str]:
    """So many cards of a suit in a row, in any order, the highest of them one of these ranks."""
    suit, top = rng.choice(cards.SUITS), rng.choice(tops)
    run = [cards.RANKS[(top - 2 - down) % 13] + suit for down in range(length)]
    rng.shuffle(run)
    return run


def of_a_rank(rng: Random, number: int) -> list[str]:
    rank = rng.choice(cards.RANKS)
    return [rank + suit for suit in rng.sample(cards.SUITS, number)]


def alike(hand: Sequence[str]) -> list[str]:
    """The same ranks in the next suits."""
    return [card[0] + cards.SUITS[(cards.SUITS.index(card[1]) + 1) % 4] for card in hand]
