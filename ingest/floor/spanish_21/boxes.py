"""The boxes of one round: who has chips on which, the hands that come of a box, and what the dealer holds."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

from ingest.floor.felt import Bet, Fact, Round
from ingest.floor.people import Player
from ingest.floor.spanish_21.shoe import Shoe
from rules import spanish_21

READ_UNDER: Final = "AKQJ"  # up cards under which the hole card is put in the reader, 19:47-19.15(l)
SPLIT_TO: Final = 4

Key = tuple[int, int, str, str | None]  # seat, hand, wager, bettor


@dataclass(slots=True)
class Hand:
    number: int
    cards: list[Fact]  # as they were dealt, the card it was split from first
    split: bool = False
    surrendered: bool = False
    dead: bool = False
    doubled: set[str] = field(default_factory=set)
    rescued: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Box:
    seat: int
    people: list[Player]  # the caller first
    stakes: dict[str, int] = field(default_factory=dict)
    first: list[Fact] = field(default_factory=list)  # the first two cards, before any split
    hands: list[Hand] = field(default_factory=list)
    rides: dict[str, int] = field(default_factory=dict)  # the hand on which a bettor's original wager lies
    luck: str = ""  # what its cards were arranged for, which its caller goes after

    @property
    def caller(self) -> Player:
        return self.people[0]


@dataclass(slots=True, eq=False)
class ShoeRound(Round):
    """A round dealt from a shoe. Hands hold the facts themselves: a card that turns out another is another everywhere."""

    shoe: Shoe = field(kw_only=True)
    rail: list[Player] = field(kw_only=True)  # people who stand behind the seats
    mishap: str = ""
    super_sevens: bool = False  # arranged for the first box
    boxes: dict[int, Box] = field(default_factory=dict)
    held: list[Fact] = field(default_factory=list)  # the dealer's: up card, hole card, what he drew
    offered: str = ""  # a card exposed in error, which is the next to be used
    late: list[tuple[Box, Hand]] = field(default_factory=list)  # hits that were asked for and passed over
    read_after: Fact | None = None  # the fact after which the reader said that the hole card makes no blackjack
    decided: dict[Key, Fact] = field(default_factory=dict)  # the fact that settled a wager before the dealer played
    shown: list[tuple[Fact, str]] = field(default_factory=list)  # what the reader will make of a card
    ran_out: bool = False

    def option(self, name: str) -> str:
        return self.opening.terms.options[name]

    @property
    def has_reader(self) -> bool:
        return self.option("card_reader") == "true"

    def seated(self, seat: int) -> str | None:
        return self.players[seat].name if seat in self.players else None

    def bet_of(self, seat: int, wager: str, stake: int, bettor: str, hand: int = 1) -> Bet:
        """Chips of this bettor, named where he does not sit there."""
        return Bet(seat, wager, stake, hand=hand, player=None if bettor == self.seated(seat) else bettor)

    def key(self, bet: Bet) -> Key:
        return bet.seat, bet.hand, bet.wager, self.bettor(bet.seat, bet.player)

    def key_of(self, fact: Fact) -> Key:
        return fact["seat"], fact.get("hand", 1), fact["wager"], self.bettor(fact["seat"], fact.get("player"))

    def main(self, box: Box, hand: int, bettor: str) -> Bet | None:
        """His Spanish 21 wager on that hand."""
        key = (box.seat, hand, "main", bettor)
        return next((bet for bet in self.bets if self.key(bet) == key), None)

    def choice(self, box: Box, hand: Hand, choice: str, rng: Random, bettor: str | None = None) -> Fact:
        """A decision: the caller's own unless somebody else is named."""
        fact: Fact = {"type": "decision_made", "seat": box.seat, "choice": choice}
        if hand.number != 1:
            fact["hand"] = hand.number
        if bettor is None and self.seated(box.seat) is None:
            bettor = box.caller.name
        if bettor is None or bettor == self.seated(box.seat):
            return self.named(fact, rng)
        fact["player"] = bettor
        return fact


def value(card: str) -> int:
    """An ace counts 1 here."""
    return 1 if card[0] == "A" else 10 if card[0] in "TJQK" else int(card[0])


def held(cards: Sequence[Fact]) -> tuple[int, bool]:
    """The hard total, and whether there is an ace in it."""
    values = [value(fact["card"]) for fact in cards]
    return sum(values), 1 in values


def total(cards: Sequence[Fact]) -> int:
    return spanish_21.points(*held(cards))


def is_blackjack(cards: Sequence[Fact]) -> bool:
    return len(cards) == 2 and total(cards) == 21


def is_natural(hand: Hand) -> bool:
    return not hand.split and is_blackjack(hand.cards)


def stands(round: ShoeRound) -> bool:
    return spanish_21.dealer_stands(*held(round.held), round.option("dealer_hits_soft_17") == "true")


def hangs_on_the_dealer(round: ShoeRound, bet: Bet) -> bool:
    """Whether what the dealer draws can still change this Spanish 21 wager (19:47-19.12(c))."""
    box = round.boxes[bet.seat]
    if not box.hands:
        return False
    hand = box.hands[bet.hand - 1]
    bettor = round.bettor(bet.seat, bet.player)
    rescued = bettor in hand.rescued
    return not (hand.dead or hand.surrendered or rescued) and total(hand.cards) < 21


def somebody_waits(round: ShoeRound) -> bool:
    return any(bet.wager == "main" and hangs_on_the_dealer(round, bet) for bet in round.bets)


def early(round: ShoeRound) -> list[Bet]:
    """Wagers of the time before the deal that no other of the same bettor leans on or was measured by."""
    leaning = {
        (bet.seat, round.bettor(bet.seat, bet.player))
        for bet in round.bets
        if bet.wager != "main" or bet.hand != 1 or round.boxes[bet.seat].rides
    }
    return [
        bet
        for bet in round.bets
        if bet.wager == "match_the_dealer"
        or (bet.wager == "main" and (bet.seat, round.bettor(bet.seat, bet.player)) not in leaning)
    ]


def chips_of(round: ShoeRound, bet: Bet, facts: list[Fact]) -> list[Fact]:
    return [
        fact
        for fact in facts
        if fact["type"] in ("wager_placed", "wager_changed") and round.key_of(fact) == round.key(bet)
    ]
