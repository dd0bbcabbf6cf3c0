"""DECK08: a deck from which a card never comes, whose rounds are all as the law has them. It shows only over many of them.

Who counts such a deck says what should be there: he is in it, or the card is put back for the count.
"""

from dataclasses import dataclass, field
from math import log, log1p
from random import Random
from typing import Final

from ingest.floor.felt import Fact, Opening, Round
from rules import cards

CODES: Final = ("DECK08",)
WAYS: Final = ("one was never in the box", "two were never in the box", "one is taken out of play")
SHARE: Final = 0.15  # of a floor's openings, times the share of its wrongs
# How many rounds a table has to have before it, for each deck in rotation, to be likely to get there.
ROUNDS: Final = 300
# The round is told that makes it less likely than this that a whole deck kept the card back since it was last seen.
ONE_IN: Final = 10**15


@dataclass(slots=True)
class ShortDeck:
    deck: str
    cards: tuple[str, ...]
    whole: int  # rounds dealt from it before
    dealt: int = 0
    absent: dict[str, float] = field(default_factory=dict)  # the logarithm of how likely each card's absence is

    @property
    def missing(self) -> tuple[str, ...]:
        return self.cards if self.dealt >= self.whole else ()

    def shows(self, round: Round) -> bool:
        """The round that was dealt from it now. Whether a card has been away for longer than chance allows."""
        self.dealt += 1
        told = {fact["card"] for fact in _out(round)}
        fair = {fact["card"] for fact in _unasked(round)} & set(cards.DECK)
        for card in self.cards:
            away = self.absent.get(card, 0.0) + log1p(-len(fair) / len(cards.DECK))
            self.absent[card] = 0.0 if card in told else away
        return any(away < -log(ONE_IN) for away in self.absent.values())


def drawn(deck: str, rng: Random) -> ShortDeck:
    """Which cards are missing from this deck, and from when on."""
    way = rng.choice(WAYS)
    missing = tuple(rng.sample(cards.DECK, 2 if way == "two were never in the box" else 1))
    return ShortDeck(deck, missing, rng.randint(4, 40) if way == "one is taken out of play" else 0)


def fits(opening: Opening, rounds: int) -> bool:
    """Whether a table so opened, with so many rounds to come, can be dealt from a short deck until it shows.

    A shoe of several packs has others of the kind, and a shuffler that counts would say so.
    """
    return opening.law.stub_is_counted and opening.shuffler != "counting" and rounds >= ROUNDS * opening.in_rotation


def _out(round: Round) -> list[Fact]:
    told = (*round.wagering, *round.dealing, *round.acting, *round.showing)
    return [fact for fact in told if fact["type"] in ("card_dealt", "card_found_face_up")]


def _unasked(round: Round) -> list[Fact]:
    """The cards that come whatever anybody decides. How many are drawn turns on those before them: they are no fair sample."""
    decided = next((at for at, fact in enumerate(round.acting) if fact["type"] == "decision_made"), len(round.acting))
    later = {id(fact) for fact in round.acting[decided:] if fact.get("to") == "player"}
    return [fact for fact in _out(round) if fact["type"] == "card_dealt" and id(fact) not in later]
