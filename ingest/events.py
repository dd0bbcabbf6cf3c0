"""Every fact a table can send, as frozen structs. A fact says what was seen, never what it means.

The wire names are the contract's: the type of `CardDealt` is `card_dealt`, and a field is never renamed or reused.
"""

import re
from datetime import datetime
from typing import Annotated, Final, Literal, get_args

import msgspec
from msgspec import Meta, Struct

Id = Annotated[str, Meta(min_length=1, max_length=256)]
TableId = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{1,32}\Z")]
Ordinal = Annotated[int, Meta(ge=1, le=2**53 - 1)]
Seat = Annotated[int, Meta(ge=1, le=99)]
HandNumber = Annotated[int, Meta(ge=1, le=99)]
Moment = Annotated[datetime, Meta(tz=True)]
# Whole cents, capped so that no sum over a year and no product with a pay table can leave 64 bits.
Cents = Annotated[int, Meta(ge=0, le=10**12)]
SignedCents = Annotated[int, Meta(ge=-(10**12), le=10**12)]
Count = Annotated[int, Meta(ge=0, le=10_000)]
Text = Annotated[str, Meta(max_length=4096)]

# fmt: off
Card = Literal[
    "2C", "2D", "2H", "2S", "3C", "3D", "3H", "3S", "4C", "4D", "4H", "4S", "5C", "5D", "5H", "5S", "6C", "6D", "6H", "6S",
    "7C", "7D", "7H", "7S", "8C", "8D", "8H", "8S", "9C", "9D", "9H", "9S", "TC", "TD", "TH", "TS", "JC", "JD", "JH", "JS",
    "QC", "QD", "QH", "QS", "KC", "KD", "KH", "KS", "AC", "AD", "AH", "AS", "??", "XX",
]
# fmt: on
GameName = Literal["three-card-poker", "three-card-draw-poker", "heads-up-holdem", "spanish-21"]
Dealing = Literal["manual_shoe", "hand", "automated_shoe"]
Shuffler = Literal["none", "automated", "counting"]
ShuffleMethod = Literal["manual", "automated", "preshuffled"]
Device = Literal["shuffler", "shoe"]
Fault = Literal["jam", "stopped", "incomplete"]
Recipient = Literal["player", "dealer", "community", "burn"]
Face = Literal["up", "down"]
Street = Literal["flop", "river"]
Result = Literal["paid", "taken", "returned"]
# Whole numbers that every JSON reader holds exactly.
Whole = Annotated[int, Meta(ge=-(2**53) + 1, le=2**53 - 1)]
Column = str | Whole
Option = str | Whole | bool


def _wire_name(class_name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", class_name).lower()


class Event(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type", tag=_wire_name):
    table: TableId
    seq: Ordinal
    at: Moment
    round: Ordinal | None = None
    source: Id | None = None

    def __post_init__(self) -> None:
        offset = self.at.utcoffset()
        if offset:
            raise ValueError("`at` is not UTC")


class RoundEvent(Event, frozen=True, kw_only=True, omit_defaults=True, tag=_wire_name):
    """An event that only makes sense inside a round and so always names it."""

    round: Ordinal


# The table, its people and its cards


class TableOpened(Event, frozen=True, kw_only=True):
    game: GameName
    edition: Id
    pay_tables: dict[str, Column]
    dealing: Dealing
    shuffler: Shuffler
    decks: Annotated[int, Meta(ge=1, le=8)]
    seats: Seat
    min_wager: Cents
    max_wager: Cents
    options: dict[str, Option] = {}
    limits: dict[str, tuple[Cents, Cents]] = {}


class TableClosed(Event, frozen=True, kw_only=True):
    pass


class DealerAssigned(Event, frozen=True, kw_only=True):
    dealer: Id


class PlayerSeated(Event, frozen=True, kw_only=True):
    seat: Seat
    player: Id


class PlayerLeft(Event, frozen=True, kw_only=True):
    seat: Seat


class DeckReceived(Event, frozen=True, kw_only=True):
    deck: Id
    back: Id
    packs: Annotated[int, Meta(ge=1, le=99)] = 1


class DeckRemoved(Event, frozen=True, kw_only=True):
    deck: Id
    reason: Text


class DeckShuffled(Event, frozen=True, kw_only=True):
    deck: Id
    method: ShuffleMethod
    counted: Count | None = None


class DeckCut(Event, frozen=True, kw_only=True):
    deck: Id
    cards: Count


class StubCounted(Event, frozen=True, kw_only=True):
    deck: Id
    cards: Count


class DeviceFailed(Event, frozen=True, kw_only=True):
    device: Device
    fault: Fault


class DeviceRemoved(Event, frozen=True, kw_only=True):
    device: Device


class DeviceInstalled(Event, frozen=True, kw_only=True):
    device: Device


# The round


class RoundStarted(RoundEvent, frozen=True, kw_only=True):
    deck: Id


class WagerPlaced(RoundEvent, frozen=True, kw_only=True):
    seat: Seat
    wager: Id
    amount: Cents
    player: Id | None = None
    hand: HandNumber = 1


class WagerChanged(RoundEvent, frozen=True, kw_only=True):
    seat: Seat
    wager: Id
    amount: Cents
    player: Id | None = None
    hand: HandNumber = 1


class NoMoreBets(RoundEvent, frozen=True, kw_only=True):
    pass


class CardDealt(Event, frozen=True, kw_only=True):
    """A card burned after a shuffle may come before its round has begun; every other one names its round."""

    to: Recipient
    card: Card
    face: Face
    seat: Seat | None = None
    hand: HandNumber = 1

    def __post_init__(self) -> None:
        if self.at.utcoffset():
            raise ValueError("`at` is not UTC")
        if self.to == "player" and self.seat is None:
            raise ValueError("a card dealt to a player has no `seat`")
        if self.to != "burn" and self.round is None:
            raise ValueError("`round` is missing")


class CommunityRevealed(RoundEvent, frozen=True, kw_only=True):
    street: Street


class CardFoundFaceUp(RoundEvent, frozen=True, kw_only=True):
    card: Card


class CardExposed(RoundEvent, frozen=True, kw_only=True):
    to: Recipient
    card: Card
    seat: Seat | None = None


class DecisionMade(RoundEvent, frozen=True, kw_only=True):
    seat: Seat
    choice: Id
    hand: HandNumber = 1
    player: Id | None = None


class CardDiscarded(RoundEvent, frozen=True, kw_only=True):
    seat: Seat
    card: Card


class DealerRevealed(RoundEvent, frozen=True, kw_only=True):
    pass


class WagerSettled(RoundEvent, frozen=True, kw_only=True):
    seat: Seat
    wager: Id
    result: Result
    amount: Cents
    player: Id | None = None
    hand: HandNumber = 1


class SettlementCorrected(RoundEvent, frozen=True, kw_only=True):
    seat: Seat
    wager: Id
    amount: SignedCents
    by: Id
    player: Id | None = None
    hand: HandNumber = 1


class RoundVoided(RoundEvent, frozen=True, kw_only=True):
    reason: Text
    by: Id


class RoundEnded(RoundEvent, frozen=True, kw_only=True):
    pass


AnyEvent = (
    TableOpened
    | TableClosed
    | DealerAssigned
    | PlayerSeated
    | PlayerLeft
    | DeckReceived
    | DeckRemoved
    | DeckShuffled
    | DeckCut
    | StubCounted
    | DeviceFailed
    | DeviceRemoved
    | DeviceInstalled
    | RoundStarted
    | WagerPlaced
    | WagerChanged
    | NoMoreBets
    | CardDealt
    | CommunityRevealed
    | CardFoundFaceUp
    | CardExposed
    | DecisionMade
    | CardDiscarded
    | DealerRevealed
    | WagerSettled
    | SettlementCorrected
    | RoundVoided
    | RoundEnded
)

CLASSES: Final[dict[str, type[Event]]] = {_wire_name(kind.__name__): kind for kind in get_args(AnyEvent)}
TYPES: Final = tuple(CLASSES)
# What belongs to a round wherever it names one.
ROUND_TYPES: Final = tuple(name for name, kind in CLASSES.items() if issubclass(kind, RoundEvent | CardDealt))
FIELDS: Final = {
    name: frozenset(("type", *(field.encode_name for field in msgspec.structs.fields(kind))))
    for name, kind in CLASSES.items()
}
