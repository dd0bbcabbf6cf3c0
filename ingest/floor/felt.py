"""What happens on one felt in one round: the facts in the order they will be sent, the hands, and what lies there.

A round is planned in phases, each a list of facts, so that an irregularity or a planted wrong is a small change to one
phase. Table, seq, time and round number are stamped on last.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TypedDict

from msgspec import Struct

from ingest.floor.people import Player
from rules.game import Game, Terms


class Fact(TypedDict, total=False):
    """One event as it goes over the wire. A fact with a default value leaves the field out, as canonical bytes do."""

    type: str
    table: str
    seq: int
    at: str
    round: int
    source: str
    seat: int
    player: str
    dealer: str
    wager: str
    amount: int
    result: str
    choice: str
    to: str
    card: str
    face: str
    deck: str
    back: str
    cards: int
    counted: int
    method: str
    device: str
    fault: str
    reason: str
    by: str
    game: str
    edition: str
    pay_tables: dict[str, str]
    dealing: str
    shuffler: str
    decks: int
    seats: int
    min_wager: int
    max_wager: int
    options: dict[str, str]


class Label(Struct, frozen=True):
    """A planted wrong. `amount` is what the house lost (+) or kept wrongly (-), or the chips in question."""

    code: str
    table: str
    round: int | None
    seat: int | None
    wager: str | None
    amount: int


@dataclass(frozen=True, slots=True, eq=False)
class Opening:
    """What a table is opened with."""

    law: Game
    terms: Terms
    pay_tables: Mapping[str, str]
    options: Mapping[str, str]
    dealing: str
    shuffler: str
    decks: int
    seats: int
    min_wager: int
    max_wager: int

    @property
    def fact(self) -> Fact:
        fact: Fact = {
            "type": "table_opened",
            "game": self.law.name,
            "edition": self.terms.edition,
            "pay_tables": dict(self.pay_tables),
            "dealing": self.dealing,
            "shuffler": self.shuffler,
            "decks": self.decks,
            "seats": self.seats,
            "min_wager": self.min_wager,
            "max_wager": self.max_wager,
        }
        if self.options:
            fact["options"] = dict(self.options)
        return fact


@dataclass(slots=True)
class Bet:
    """Chips that will be settled. A bonus has no chips of its own: its `stake` is the wager that the odds multiply."""

    seat: int
    wager: str
    stake: int
    bonus: bool = False
    owed: int = 0


@dataclass(slots=True)
class Wrong:
    """A wrong that was planted. Without an `amount` it is what the round paid the players, net."""

    code: str
    seat: int | None = None
    wager: str | None = None
    amount: int | None = 0


@dataclass(slots=True)
class Stretch:
    """Facts spread over a stretch of time, in microseconds since 1970."""

    starts: int
    ends: int
    facts: list[Fact]


@dataclass(slots=True, eq=False)
class Round:
    opening: Opening
    number: int
    deck: str
    supervisor: str
    players: dict[int, Player]
    naming: float  # how often the gateway names the player beside the seat
    before: list[Stretch]
    starts: int
    ends: int
    followed: bool  # by a fact of the next round's preparation, which belongs to no round

    # the cards as they really are, whatever the reader made of them
    hands: dict[int, list[str]] = field(default_factory=dict)
    dealer: list[str] = field(default_factory=list)
    stub: list[str] = field(default_factory=list)

    bets: list[Bet] = field(default_factory=list)
    played: set[int] = field(default_factory=set)

    wagering: list[Fact] = field(default_factory=list)
    dealing: list[Fact] = field(default_factory=list)
    counting: list[Fact] = field(default_factory=list)
    acting: list[Fact] = field(default_factory=list)
    showing: list[Fact] = field(default_factory=list)
    settling: list[Fact] = field(default_factory=list)

    after: list[Stretch] = field(default_factory=list)  # the closing, where this is the table's last round

    voided: bool = False
    miscount: int = 0
    uncounted: bool = False
    count_named: bool = True
    wrong: Wrong | None = None
    planned: str | None = None  # the code of a wrong that can only be planted when the round is settled or told
    luck: int = 0  # seeds how that wrong turns out, whatever other rounds are settled or told beside this one

    @property
    def seats(self) -> list[int]:
        """The seats that were dealt in, in the order of the deal."""
        return sorted(self.hands)

    @property
    def out(self) -> int:
        """How many cards have left the stub."""
        return sum(fact["type"] in ("card_dealt", "card_found_face_up") for fact in self.dealing)

    def bet(self, seat: int, wager: str) -> Bet | None:
        return next((bet for bet in self.bets if bet.seat == seat and bet.wager == wager), None)

    def named(self, fact: Fact, rng: Random) -> Fact:
        """The fact, with the seated player's name where this gateway says it."""
        if self.naming and rng.random() < self.naming and fact["seat"] in self.players:
            fact["player"] = self.players[fact["seat"]].name
        return fact

    def placed(self, seat: int, wager: str, amount: int, rng: Random) -> Fact:
        return self.named({"type": "wager_placed", "seat": seat, "wager": wager, "amount": amount}, rng)

    def changed(self, seat: int, wager: str, amount: int, rng: Random) -> Fact:
        return self.named({"type": "wager_changed", "seat": seat, "wager": wager, "amount": amount}, rng)

    def facts(self) -> list[Fact]:
        """Every fact from `round_started` to `round_ended`, with the round's number."""
        started: Fact = {"type": "round_started", "deck": self.deck}
        ended: Fact = {"type": "round_ended"}
        numbered = [
            [started],
            self.wagering,
            self.dealing,
            self.counting,
            self.acting,
            self.showing,
            self.settling,
            [ended],
        ]
        told: list[Fact] = []
        for phase in numbered:
            if phase is not self.counting or self.count_named:
                for fact in phase:
                    fact["round"] = self.number
            told += phase
        return told


def dealt(seat: int, card: str) -> Fact:
    """A card dealt face down; seat 0 is the dealer."""
    if seat:
        return {"type": "card_dealt", "to": "player", "seat": seat, "card": card, "face": "down"}
    return {"type": "card_dealt", "to": "dealer", "card": card, "face": "down"}


def turns(order: str, seats: Sequence[int], each: int) -> list[int]:
    """Who is due each card: `rotation` is one card each in turn, `packets` a whole hand at a time; 0 is the dealer."""
    places = [*seats, 0]
    return places * each if order == "rotation" else [place for place in places for _ in range(each)]


def turn(fact: Fact) -> int:
    return fact.get("seat", 0)
