"""The felt after each event of a round: where every card and chip lay. Drawn from the events alone, whatever the game.

A fold over the facts of one round; nothing here knows a rule. What a card is and which way it lies is what the shoe and the
panels said, and a card that nobody read stays unread.
"""

from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from datetime import datetime
from typing import Final, TypedDict

from ingest import events, notation
from ingest.events import AnyEvent

FLOP: Final = 3


class Card(TypedDict):
    card: str
    down: bool
    mark: str  # exposed, discarded, or nothing


class Spot(TypedDict):
    """Chips of one bettor on one wager of one hand. `said`: how it was settled, `moved`: the cents that went."""

    hand: int
    wager: str
    player: str
    lying: int
    said: str
    moved: int


class Hand(TypedDict):
    hand: int
    cards: list[Card]
    choices: list[str]


class Seat(TypedDict):
    seat: int
    player: str
    hands: list[Hand]
    spots: list[Spot]
    discards: list[Card]


class Felt(TypedDict):
    """Everything that lies on the table."""

    seats: dict[str, Seat]
    dealer: list[Card]
    community: list[Card]
    burn: list[Card]
    rack: list[Card]
    closed: bool
    voided: str
    ended: bool


class Step(TypedDict):
    seq: int
    time: str
    type: str
    said: str
    seat: int
    felt: Felt


def bare(seated: Mapping[int, str]) -> Felt:
    """The felt before a round, with who sits where."""
    felt: Felt = {
        "seats": {},
        "dealer": [],
        "community": [],
        "burn": [],
        "rack": [],
        "closed": False,
        "voided": "",
        "ended": False,
    }
    for seat, player in seated.items():
        _seat(felt, seat)["player"] = player
    return felt


def steps(facts: Iterable[AnyEvent], seated: Mapping[int, str]) -> Iterator[Step]:
    felt = bare(seated)
    for fact in facts:
        felt = after(felt, fact)
        yield {
            "seq": fact.seq,
            "time": _time(fact.at),
            "type": fact.__struct_config__.tag if isinstance(fact.__struct_config__.tag, str) else "",
            "said": notation.sentence(fact),
            "seat": getattr(fact, "seat", None) or 0,
            "felt": felt,
        }


def _time(at: datetime) -> str:
    return at.strftime("%H:%M:%S")


def after(felt: Felt, fact: AnyEvent) -> Felt:
    """The felt once this was seen."""
    now = deepcopy(felt)
    match fact:
        case events.PlayerSeated():
            _seat(now, fact.seat)["player"] = fact.player
        case events.PlayerLeft():
            _seat(now, fact.seat)["player"] = ""
        case events.WagerPlaced():
            _spot(now, fact)["lying"] += fact.amount
        case events.WagerChanged():
            _spot(now, fact)["lying"] = fact.amount
        case events.NoMoreBets():
            now["closed"] = True
        case events.WagerSettled() | events.SettlementCorrected():
            _settle(now, fact)
        case events.RoundVoided():
            now["voided"] = fact.reason
        case events.RoundEnded():
            now["ended"] = True
        case _:
            _move_cards(now, fact)
    return now


def _move_cards(now: Felt, fact: AnyEvent) -> None:
    match fact:
        case events.CardDealt():
            _place_of(now, fact.to, fact.seat, fact.hand).append(
                {"card": fact.card, "down": fact.face == "down", "mark": ""}
            )
        case events.CardFoundFaceUp():
            now["rack"].append({"card": fact.card, "down": False, "mark": ""})
        case events.CardExposed():
            _mark_exposed(now, fact)
        case events.CardDiscarded():
            _discard(now, fact)
        case events.DecisionMade():
            _hand(now, fact.seat, fact.hand)["choices"].append(fact.choice)
            if fact.choice == "split":
                _split(now, fact.seat, fact.hand)
        case events.DealerRevealed():
            _turn(now["dealer"])
        case events.CommunityRevealed():
            _turn(now["community"][:FLOP] if fact.street == "flop" else now["community"])
        case _:
            pass  # decks, devices and people between rounds leave the felt as it is


def _seat(felt: Felt, seat: int) -> Seat:
    empty: Seat = {"seat": seat, "player": "", "hands": [], "spots": [], "discards": []}
    return felt["seats"].setdefault(str(seat), empty)


def _hand(felt: Felt, seat: int, number: int) -> Hand:
    hands = _seat(felt, seat)["hands"]
    for hand in hands:
        if hand["hand"] == number:
            return hand
    made: Hand = {"hand": number, "cards": [], "choices": []}
    hands.append(made)
    hands.sort(key=lambda hand: hand["hand"])
    return made


def _spot(
    felt: Felt, fact: events.WagerPlaced | events.WagerChanged | events.WagerSettled | events.SettlementCorrected
) -> Spot:
    seat = _seat(felt, fact.seat)
    player = fact.player or seat["player"]
    there = [spot for spot in seat["spots"] if (spot["hand"], spot["wager"]) == (fact.hand, fact.wager)]
    for spot in there:
        if spot["player"] == player:
            return spot
    # Nobody was seen to sit down, and the chips of one bettor alone lie there: they are the ones that are meant.
    if not player and len(there) == 1:
        return there[0]
    made: Spot = {
        "hand": fact.hand,
        "wager": fact.wager,
        "player": player,
        "lying": 0,
        "said": "",
        "moved": 0,
    }
    seat["spots"].append(made)
    seat["spots"].sort(key=lambda spot: spot["hand"])
    return made


def _settle(felt: Felt, fact: events.WagerSettled | events.SettlementCorrected) -> None:
    spot = _spot(felt, fact)
    said = fact.result if isinstance(fact, events.WagerSettled) else "corrected"
    spot["said"] = f"{spot['said']}, {said}" if spot["said"] else said
    spot["moved"] += -fact.amount if said == "taken" else 0 if said == "returned" else fact.amount
    if said in ("taken", "returned"):
        spot["lying"] = max(0, spot["lying"] - fact.amount)


def _place_of(felt: Felt, to: str, seat: int | None, hand: int) -> list[Card]:
    if to == "player" and seat is not None:
        return _hand(felt, seat, hand)["cards"]
    return {"dealer": felt["dealer"], "community": felt["community"]}.get(to, felt["burn"])


def _mark_exposed(felt: Felt, fact: events.CardExposed) -> None:
    """The card as it lies there; one that does not lie there yet is told by the event's own line."""
    lying = _place_of(felt, fact.to, fact.seat, 1)
    for card in lying:
        if card["card"] == fact.card:
            card["mark"] = "exposed"


def _discard(felt: Felt, fact: events.CardDiscarded) -> None:
    for hand in _seat(felt, fact.seat)["hands"]:
        for place, card in enumerate(hand["cards"]):
            if card["card"] == fact.card:
                del hand["cards"][place]
                _seat(felt, fact.seat)["discards"].append({**card, "mark": "discarded"})
                return
    _seat(felt, fact.seat)["discards"].append({"card": fact.card, "down": True, "mark": "discarded"})


def _split(felt: Felt, seat: int, number: int) -> None:
    """The second card goes to the next unused hand number."""
    cards = _hand(felt, seat, number)["cards"]
    unused = max(hand["hand"] for hand in _seat(felt, seat)["hands"]) + 1
    if len(cards) > 1:
        _hand(felt, seat, unused)["cards"].append(cards.pop(1))


def _turn(cards: list[Card]) -> None:
    for card in cards:
        card["down"] = False
