"""The shoe: six or eight packs of real cards. What was dealt is out until the shoe is shuffled again."""

from collections import Counter
from collections.abc import Mapping
from random import Random
from typing import Final

from rules import cards
from rules.spanish_21 import GAME

PACK: Final = tuple(card for card in cards.DECK if card not in GAME.foreign)


class Shoe:
    def __init__(self, packs: int, rng: Random) -> None:
        self.packs = packs
        self.rng = rng
        self.burn_due = False
        self.cut_card = 0  # how many cards lie behind it
        self.worn = False  # out of the ordinary: shuffled again before the next round
        self.told: Counter[str] = Counter()  # how often each card was told of in a hand since the shuffle
        self.sure = False  # whether the feed told of every card since then
        self._cards: list[str] = []  # the top is the last
        self._rack: list[str] = []
        self._felt: list[str] = []

    @property
    def left(self) -> int:
        return len(self._cards)

    @property
    def is_due(self) -> bool:
        """The cut card came out, or the law wants the cards shuffled before they are used again."""
        return self.worn or self.left <= self.cut_card

    def shuffle(self) -> None:
        self._cards = [*PACK] * self.packs
        self.rng.shuffle(self._cards)
        self._rack, self._felt = [], []
        size = len(self._cards)
        # Now and then the cut card is put so deep that the shoe will not last the round in which it comes.
        deep = self.rng.random() < 0.06
        self.cut_card = self.rng.randint(2, 9) if deep else int(size * self.rng.uniform(0.2, 0.32))
        self.burn_due, self.worn, self.sure = True, False, True
        self.told.clear()

    def shuffle_the_rack(self) -> None:
        """19:47-19.15(g): what lies on the felt stays out."""
        self._cards, self._rack = self._rack, []
        self.rng.shuffle(self._cards)
        self.cut_card = self.left // 4
        self.worn = self.rng.random() < 0.7
        self.sure = False
        self.told.clear()

    def draw(self) -> str:
        card = self._cards.pop()
        self._felt.append(card)
        return card

    def put_back(self, card: str) -> None:
        """It never came out: it lies somewhere further down."""
        self._felt.remove(card)
        self._cards.insert(self.rng.randrange(len(self._cards) + 1), card)

    def clear_the_felt(self) -> None:
        self._rack += self._felt
        self._felt = []

    def exhausted(self) -> list[str]:
        """The cards of which the feed has told as many as there are."""
        return [card for card in PACK if self.told[card] >= self.packs]

    def next(self, count: int) -> list[str]:
        return self._cards[-count:]

    def arrange(self, wanted: Mapping[int, str]) -> bool:
        """Luck: these cards come at these places from the top. False where the shoe does not hold them any more."""
        placed: set[int] = set()
        for place, card in wanted.items():
            at = len(self._cards) - 1 - place
            found = [i for i, each in enumerate(self._cards) if each == card and i not in placed]
            if at < 0 or not found:
                return False
            self._cards[at], self._cards[found[0]] = self._cards[found[0]], self._cards[at]
            placed.add(at)
        return True
