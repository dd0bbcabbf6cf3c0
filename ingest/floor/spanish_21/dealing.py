"""A round of Spanish 21 from the first chip to the dealer's last card, with whatever goes wrong at an honest table."""

from random import Random

from ingest.floor.felt import BURN, DEALER, Fact, Round, dealt
from ingest.floor.spanish_21 import betting, deciding, luck
from ingest.floor.spanish_21.boxes import (
    READ_UNDER,
    Box,
    Hand,
    ShoeRound,
    is_blackjack,
    somebody_waits,
    stands,
    total,
)
from ingest.floor.spanish_21.drawing import burn, drawn, to_hand


def plan(round: Round, rng: Random) -> None:
    assert isinstance(round, ShoeRound)
    betting.bet(round, rng)
    missed = _missed(round, rng)
    if not round.mishap:
        luck.arrange(round, rng)
    _burn(round, rng)
    for place in _due(round, missed, rng):
        _deal(round, place, rng)
    round.hands = {seat: [] for seat, box in round.boxes.items() if box.first}
    if round.held[0]["card"][0] == "A":
        round.acting += betting.insure(round, rng)
    found = round.has_reader and round.held[0]["card"][0] in READ_UNDER and is_blackjack(round.held)
    if round.has_reader and not found:
        round.read_after = (round.acting or round.dealing)[-1]
    for box in round.boxes.values():
        if len(box.first) < 2:
            _dies(round, box, box.hands[0] if box.hands else Hand(1, []), rng)
        elif not found:
            deciding.play(round, box, rng)
    _deal_late(round, rng)
    _show(round, rng)
    round.stub = round.shoe.next(4) or [round.held[0]["card"]]


def _burn(round: ShoeRound, rng: Random) -> None:
    """The burned card comes out before any other; the bets may still be open then."""
    if not round.shoe.burn_due:
        return
    round.shoe.burn_due = False
    burned: list[Fact] = []
    burn(round, burned, rng)
    if rng.random() < 0.4:
        at = rng.randrange(len(round.wagering))
        round.wagering[at:at] = burned
    else:
        round.dealing += burned


def _missed(round: ShoeRound, rng: Random) -> int:
    """The box that the dealer passes over in this round; 0 where none."""
    if round.mishap not in ("box missed", "one card", "one card declined") or len(round.boxes) < 2:
        return 0
    return rng.choice(list(round.boxes))


def _due(round: ShoeRound, missed: int, rng: Random) -> list[int]:
    """One card to each box and one to the dealer, twice; a card that was passed over comes late (19:47-19.15(f), (h))."""
    seats = list(round.boxes)
    dealer_late = round.mishap == "dealer missed"
    if not missed:
        return [*seats, *seats, DEALER, DEALER] if dealer_late else [*seats, DEALER, *seats, DEALER]
    others = [seat for seat in seats if seat != missed]
    if round.mishap == "box missed":
        return [*others, DEALER, *others, DEALER]
    first, second = (seats, others) if rng.random() < 0.5 else (others, seats)
    order = [*first, DEALER, *second]
    if round.mishap == "one card declined":
        return [*order, DEALER]
    return [*order, missed, DEALER] if rng.random() < 0.5 else [*order, DEALER, missed]


def _deal(round: ShoeRound, place: int, rng: Random) -> None:
    if place == DEALER:
        fact = dealt(DEALER, drawn(round, round.dealing, rng), "down" if round.held else "up")
        round.held.append(fact)
        round.dealing.append(fact)
        return
    box = round.boxes[place]
    if not box.hands:
        box.hands.append(Hand(1, []))
    to_hand(round, round.dealing, box, box.hands[0], rng)
    box.first = list(box.hands[0].cards)


def _deal_late(round: ShoeRound, rng: Random) -> None:
    """A hit that was passed over, at the player's option: the card now, or his wager back (19:47-19.15(i))."""
    for box, hand in round.late:
        if rng.random() < 0.5:
            to_hand(round, round.acting, box, hand, rng)
        else:
            _dies(round, box, hand, rng)


def _dies(round: ShoeRound, box: Box, hand: Hand, rng: Random) -> None:
    """Called dead, and the wagers on it go back."""
    hand.dead = True
    dead = round.choice(box, hand, "dead", rng)
    round.acting.append(dead)
    for person in box.people:
        round.decided[box.seat, hand.number, "main", person.name] = dead


def _show(round: ShoeRound, rng: Random) -> None:
    """The hole card is turned; the dealer draws as he must, and not at all where nobody waits for it (19:47-19.12)."""
    round.showing.append({"type": "dealer_revealed"})
    if somebody_waits(round):
        while not stands(round):
            fact = dealt(DEALER, drawn(round, round.showing, rng), "up")
            round.held.append(fact)
            round.showing.append(fact)
        if round.mishap == "dealer drew on" and total(round.held) <= 21 and not is_blackjack(round.held):
            round.showing.append(dealt(BURN, drawn(round, round.showing, rng), "up"))
    if round.offered:
        round.showing.append(dealt(BURN, drawn(round, round.showing, rng), "up"))
