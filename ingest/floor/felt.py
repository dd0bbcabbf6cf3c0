"""What happens on one felt in one round: the facts in the order they will be sent, the hands, and what lies there.

A round is planned in phases, each a list of facts, so that an irregularity or a planted wrong is a small change to one
phase. Table, seq, time and round number are stamped on last.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Final, TypedDict

from msgspec import Struct

from ingest.floor.people import Player
from rules import cards
from rules.decision import Wager
from rules.game import Game, Street, Terms

# Where a card goes: a seat by its number, or one of these.
DEALER: Final = 0
COMMUNITY: Final = -1
BURN: Final = -2
_SHARED: Final = {"dealer": DEALER, "community": COMMUNITY, "burn": BURN}
_NAMES: Final = {place: name for name, place in _SHARED.items()}


Option = str | int | bool  # as a gateway may write it


class Fact(TypedDict, total=False):
    """One event as it goes over the wire. A fact with a default value leaves the field out, as canonical bytes do."""

    type: str
    table: str
    seq: int
    at: str
    round: int
    source: str
    seat: int
    hand: int
    player: str
    dealer: str
    wager: str
    amount: int
    result: str
    choice: str
    to: str
    card: str
    face: str
    street: str
    deck: str
    back: str
    packs: int
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
    options: dict[str, Option]


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
    options: Mapping[str, Option]
    dealing: str
    shuffler: str
    decks: int
    seats: int
    min_wager: int
    max_wager: int
    customs: Mapping[str, str] = field(default_factory=dict)  # what crews do one way or another and no fact says

    @property
    def in_rotation(self) -> int:
        """How many decks take turns; the packs of a shoe are one."""
        return 1 if self.law.packs != (1,) else self.decks

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
    """Chips that will be settled. A bonus has no chips of its own: its `stake` is the wager that the odds multiply.

    `player` is named where he is not the one who sits there; `hand` is one of several only after a split.
    """

    seat: int
    wager: str
    stake: int
    bonus: bool = False
    owed: int = 0
    hand: int = 1
    player: str | None = None
    offered: bool = True  # else it goes back, whatever was dealt


@dataclass(slots=True)
class Wrong:
    """A wrong that was planted. Without an `amount` it is what the round paid the players, net."""

    code: str
    seat: int | None = None
    wager: str | None = None
    amount: int | None = 0
    rounds_ago: int = 0  # it is told of a round before the one it came with
    of_no_round: bool = False  # it is told of the table between two rounds


Way = Callable[["Round", Random], Wrong | None]


@dataclass(frozen=True, slots=True, eq=False)
class Play:
    """A game as the floor plays it."""

    law: Game
    opening: Callable[[Random, int], Opening]
    plan: Callable[["Round", Random], None]
    owed: Callable[[Sequence["Round"]], None]
    succession: Callable[[Sequence[Bet], Random], list[Bet]]  # a round's bets in the order they are settled
    # All cards that are ranked as one hand, and how many of a suit make a flush of them.
    ranked: Callable[["Round"], Iterable[tuple[Sequence[str], int]]]
    ways: Mapping[str, tuple[Way, ...]] = field(default_factory=dict)  # wrongs that take another form in this game
    seldom: tuple[str, ...] = ("PAY06",)  # wrongs with the money that few rounds offer the chance of
    # What gives a round the chance of a wrong that it would hardly ever offer.
    chances: Mapping[str, Callable[["Round", Random], None]] = field(default_factory=dict)
    weights: Mapping[str, int] = field(default_factory=dict)  # of wrongs that this game seldom offers the chance of
    # What a game does its own way, where it does.
    voided: Callable[["Round", Random], None] | None = None  # an irregularity that voids the round
    misread: Callable[[Sequence["Round"]], None] | None = None  # cards that the reader makes something else of
    at_once: Callable[["Round", Random], None] | None = None  # chips that move before the round's end


@dataclass(slots=True)
class Stretch:
    """Facts spread over a stretch of time, in microseconds since 1970."""

    starts: int
    ends: int
    facts: list[Fact]


@dataclass(slots=True, eq=False)
class Round:
    play: Play
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

    missing: tuple[str, ...] = ()  # from its deck

    # the cards as they really are, whatever the reader made of them
    hands: dict[int, list[str]] = field(default_factory=dict)
    dealer: list[str] = field(default_factory=list)
    community: list[str] = field(default_factory=list)
    discards: dict[int, str] = field(default_factory=dict)
    draws: dict[int, str] = field(default_factory=dict)
    stub: list[str] = field(default_factory=list)

    bets: list[Bet] = field(default_factory=list)
    choices: dict[int, str] = field(default_factory=dict)  # each seat's last
    raised_on: dict[int, Street] = field(default_factory=dict)

    wagering: list[Fact] = field(default_factory=list)
    dealing: list[Fact] = field(default_factory=list)
    counting: list[Fact] = field(default_factory=list)
    acting: list[Fact] = field(default_factory=list)
    showing: list[Fact] = field(default_factory=list)
    settling: list[Fact] = field(default_factory=list)

    after: list[Stretch] = field(default_factory=list)  # the closing, where this is the table's last round

    voided: bool = False
    counted_last: bool = False  # the stub is dealt from until all have decided
    blurred: bool = False  # the reader misses a card, if there is one that matters to nobody
    counts: list[int] = field(default_factory=list)  # of the stub in the round, each by how much it is off
    counts_after: list[int] = field(default_factory=list)  # and after its end
    count_due: bool = False  # the stub has to be counted in this round
    uncounted: bool = False
    neglected: int = 0  # rounds after it that will not be counted either
    count_named: bool = True
    stood_up: int = 0  # the seat of somebody who left it before the round and plays all the same
    wrong: Wrong | None = None
    kept_bad: bool = False  # the stub was counted wrong, and the deck will stay all the same
    opens: bool = False  # the first of an opening
    planned: str | None = None  # the code of a wrong that can only be planted when the round is settled or told
    luck: int = 0  # seeds how that wrong turns out, whatever other rounds are settled or told beside this one

    @property
    def pack(self) -> Sequence[str]:
        """What there is to be dealt."""
        return [card for card in cards.DECK if card not in self.missing] if self.missing else cards.DECK

    @property
    def seats(self) -> list[int]:
        """The seats that were dealt in, in the order of the deal."""
        return sorted(self.hands)

    @property
    def out(self) -> int:
        """How many cards have left the stub. One that was found face up and dealt all the same left it once."""
        board = self.opening.law.community_cards  # a card for one that is not there never left the stub
        turned: set[str] = set()
        out = 0
        for fact in (*self.wagering, *self.dealing, *self.acting, *self.showing):
            if fact["type"] == "card_found_face_up":
                turned.add(fact["card"])
                out += 1
            elif fact["type"] == "card_dealt" and (board or fact["to"] != "community"):
                out += fact["card"] not in turned
        return out

    @property
    def miscount(self) -> int:
        """By how much the last count of it is off."""
        return (0, *self.counts, *self.counts_after)[-1]

    @property
    def cards(self) -> list[Fact]:
        """Every card dealt, in the order it came."""
        return [fact for fact in (*self.dealing, *self.acting) if fact["type"] == "card_dealt"]

    def swap(self, where: int, card: str, other: str) -> None:
        """The card that lies there is another one."""
        if where == DEALER:
            self.dealer = [other if each == card else each for each in self.dealer]
        elif where == COMMUNITY:
            self.community = [other if each == card else each for each in self.community]
        elif self.draws.get(where) == card:
            self.draws = {**self.draws, where: other}
        elif where > 0:
            self.hands = {**self.hands, where: [other if each == card else each for each in self.hands[where]]}
            if self.discards.get(where) == card:
                self.discards = {**self.discards, where: other}

    def law(self, wager: str) -> Wager:
        return wager_law(self.opening, wager)

    def bettor(self, seat: int, player: str | None) -> str | None:
        """Whose chips: the one who is named, else the one who sits there."""
        if player is None and seat in self.players:
            return self.players[seat].name
        return player

    def starts_at(self, seat: int) -> bool:
        """Whether somebody sits there who has no chips before that seat: what he gets once a round is laid down there."""
        name = self.bettor(seat, None)
        own = [bet.seat for bet in self.bets if self.bettor(bet.seat, bet.player) == name]
        return name is not None and min(own, default=seat) == seat

    def lies_where(self, bet: Bet, fact: Fact) -> bool:
        """Whether the fact is one of this bet's chips."""
        return (bet.seat, bet.wager, bet.hand, self.bettor(bet.seat, bet.player)) == (
            fact.get("seat"),
            fact.get("wager"),
            fact.get("hand", 1),
            self.bettor(fact.get("seat", 0), fact.get("player")),
        )

    def named(self, fact: Fact, rng: Random) -> Fact:
        """The fact, with the seated player's name where this gateway says it."""
        if self.naming and rng.random() < self.naming and fact["seat"] in self.players:
            fact["player"] = self.players[fact["seat"]].name
        return fact

    def on(self, bet: Bet, fact: Fact, rng: Random) -> Fact:
        """The fact, said of this bet's hand and bettor."""
        fact["seat"] = bet.seat
        fact["wager"] = bet.wager
        if bet.hand != 1:
            fact["hand"] = bet.hand
        if bet.player is None:
            return self.named(fact, rng)
        fact["player"] = bet.player
        return fact

    def placed(self, bet: Bet, amount: int, rng: Random) -> Fact:
        return self.on(bet, {"type": "wager_placed", "amount": amount}, rng)

    def changed(self, bet: Bet, amount: int, rng: Random) -> Fact:
        return self.on(bet, {"type": "wager_changed", "amount": amount}, rng)

    def facts(self) -> list[Fact]:
        """Every fact from `round_started` to `round_ended`, with the round's number."""
        started: Fact = {"type": "round_started", "deck": self.deck}
        ended: Fact = {"type": "round_ended"}
        table = [self.acting, self.counting] if self.counted_last else [self.counting, self.acting]
        numbered = [
            [started],
            self.wagering,
            self.dealing,
            *table,
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


def dealt(place: int, card: str, face: str = "down") -> Fact:
    if place > 0:
        return {"type": "card_dealt", "to": "player", "seat": place, "card": card, "face": face}
    return {"type": "card_dealt", "to": _NAMES[place], "card": card, "face": face}


def deal(round: Round, due: Sequence[int]) -> None:
    """Cards off the top of the stub to each place in turn, face down."""
    for where in due:
        card = round.stub.pop()
        if where > 0:
            round.hands.setdefault(where, []).append(card)
        else:
            (round.dealer if where == DEALER else round.community).append(card)
        round.dealing.append(dealt(where, card))


def place(fact: Fact) -> int:
    """Where a card went."""
    return fact["seat"] if fact["to"] == "player" else _SHARED[fact["to"]]


def seat_of(place: int) -> int | None:
    """The seat that a finding about a card names: none for the dealer's and those that all share."""
    return place if place > 0 else None


def turns(order: str, law: Game, dealing: str, seats: Sequence[int]) -> list[int]:
    """Who is due each card: `rotation` is one card each in turn, `packets` a whole hand at a time."""
    if order == "packets":
        players = [seat for seat in seats for _ in range(law.player_cards)]
    elif law.deal[dealing].dealer_last:
        players = [*seats] * law.player_cards
    else:
        return [*seats, DEALER] * law.player_cards
    return [*players, *[DEALER] * law.dealer_cards]


def dealing_order(opening: Opening) -> str:
    """As the table elected it where the law leaves a choice, else as the method has it."""
    return opening.terms.options.get("deal_order", opening.law.deal[opening.dealing].order)


def wager_law(opening: Opening, wager: str) -> Wager:
    return _wagers(opening.law, opening.terms.edition)[wager]


@cache
def _wagers(law: Game, edition: str) -> dict[str, Wager]:
    return {wager.name: wager for wager in law.wagers_of(edition)}


def is_offered(opening: Opening, wager: Wager) -> bool:
    return wager.pay_table is None or wager.name in opening.terms.columns


def offered(opening: Opening) -> list[Wager]:
    """The wagers with a stake that this table takes."""
    wagers = _wagers(opening.law, opening.terms.edition).values()
    return [wager for wager in wagers if wager.bonus_on is None and is_offered(opening, wager)]


def bonuses(opening: Opening) -> list[Wager]:
    """What this table pays without a stake."""
    wagers = _wagers(opening.law, opening.terms.edition).values()
    return [wager for wager in wagers if wager.bonus_on is not None and is_offered(opening, wager)]


def needed(opening: Opening, wager: Wager) -> list[str]:
    """What must lie beside this wager under the table's options."""
    options = opening.terms.options
    return [need.wager for need in wager.needs if need.only_if is None or options[need.only_if[0]] == need.only_if[1]]


def main_wagers(opening: Opening) -> set[str]:
    """The wagers that one made after the deal leans on."""
    return {name for wager in offered(opening) if not wager.before_deal for name in needed(opening, wager)}
