"""Wrongs as they are done at a table with a shoe: with late and oversized chips, the deal, the dealer's drawing and the cards.

Money and feed go wrong here as in any other game.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from random import Random
from typing import Final

from ingest.floor.felt import BURN, DEALER, Bet, Fact, Round, Way, Wrong, dealt, place, seat_of
from ingest.floor.spanish_21 import misplayed
from ingest.floor.spanish_21.boxes import (
    Box,
    ShoeRound,
    chips_of,
    early,
    is_blackjack,
    somebody_waits,
    stands,
    total,
    value,
)
from ingest.floor.spanish_21.irregular import found, holds_more
from ingest.floor.wagering import CHIP
from rules import cards

_Way = Callable[[ShoeRound, Random], Wrong | None]


def _way(way: _Way) -> Way:
    def planted(round: Round, rng: Random) -> Wrong | None:
        assert isinstance(round, ShoeRound)
        return way(round, rng)

    return planted


def _wrong(code: str, bet: Bet, amount: int) -> Wrong:
    return Wrong(code, bet.seat, bet.wager, amount)


# Wagers


def _slip_in(round: ShoeRound, fact: Fact, rng: Random) -> None:
    """Some time after "No more bets" and before the box is played."""
    played = [at for at, each in enumerate(round.acting) if each.get("seat") == fact["seat"]]
    until = min([*played, len(round.acting)])
    if rng.random() < 0.5:
        round.dealing.insert(rng.randrange(len(round.dealing) + 1), fact)
    else:
        round.acting.insert(rng.randint(0, until), fact)


def _placed_late(round: ShoeRound, rng: Random) -> Wrong | None:
    bets = early(round)
    if not bets:
        return None
    bet = rng.choice(bets)
    gone = {id(fact) for fact in chips_of(round, bet, round.wagering)}
    round.wagering = [fact for fact in round.wagering if id(fact) not in gone]
    fact = round.placed(bet, bet.stake, rng)
    if bet.wager == "main" and len(round.boxes[bet.seat].people) == 1:
        round.dealing.insert(0, fact)  # without these chips the box would be dealt no cards
    else:
        _slip_in(round, fact, rng)
    return _wrong("BET01", bet, bet.stake)


def _raised_late(round: ShoeRound, rng: Random) -> Wrong | None:
    bets = early(round)
    if not bets:
        return None
    bet = rng.choice(bets)
    more = rng.choice((CHIP, bet.stake, 2 * bet.stake))
    if bet.wager == "main" and bet.stake + more > round.opening.max_wager:
        return None
    bet.stake += more
    way = round.changed(bet, bet.stake, rng) if rng.random() < 0.5 else round.placed(bet, more, rng)
    _slip_in(round, way, rng)
    return _wrong("BET01", bet, more)


def _behind_a_box_late(round: ShoeRound, rng: Random) -> Wrong | None:
    """Somebody who had no chips in the round puts some behind a box when the cards come."""
    boxes = [box for box in misplayed.room_behind(round) if len(box.people) < 3]
    if not boxes:
        return None
    bet = misplayed.behind(round, rng.choice(boxes), misplayed.somebody(rng), rng)
    _slip_in(round, round.placed(bet, bet.stake, rng), rng)
    return _wrong("BET01", bet, bet.stake)


def _lowered(round: ShoeRound, rng: Random) -> Wrong | None:
    return _taken_off(round, round.acting, 2, rng)


def _withdrawn(round: ShoeRound, rng: Random) -> Wrong | None:
    return _taken_off(round, round.acting, 0, rng)


def _taken_off_after_the_show(round: ShoeRound, rng: Random) -> Wrong | None:
    """Once the dealer's cards lie there."""
    return _taken_off(round, round.showing, rng.choice((0, 2)), rng)


def _taken_off(round: ShoeRound, facts: list[Fact], part: int, rng: Random) -> Wrong | None:
    """Of some chips this part is left, or nothing."""
    bets = early(round)
    if not bets:
        return None
    bet = rng.choice(bets)
    left = bet.stake // part if part else 0
    turns = [at for at, fact in enumerate(facts) if fact["type"] == "decision_made"]
    facts.insert(rng.choice((*turns, len(facts))), round.changed(bet, left, rng))
    return _wrong("BET02", bet, bet.stake - left)


def _too_much(round: ShoeRound, bet: Bet, most: int, added: bool, rng: Random) -> Wrong:
    """Chips beyond what the wager may be: put down so, or added to those that lie there."""
    chips = chips_of(round, bet, round.acting)
    more = rng.choice((1, CHIP, most, 2 * most)) + most - bet.stake
    if not added:
        chips[-1]["amount"] += more
    else:
        at = next(at for at, fact in enumerate(round.acting) if fact is chips[-1])
        round.acting.insert(at + 1, round.placed(bet, more, rng))
    bet.stake += more
    return _wrong("BET03", bet, bet.stake)


def _double_above_the_stake(round: ShoeRound, rng: Random, added: bool = False) -> Wrong | None:
    doubles = [bet for bet in round.bets if bet.wager == "double"]
    if not doubles:
        return None
    bet = rng.choice(doubles)
    box = round.boxes[bet.seat]
    return _too_much(round, bet, box.stakes[round.bettor(bet.seat, bet.player) or ""], added, rng)


def _added_to_a_double(round: ShoeRound, rng: Random) -> Wrong | None:
    return _double_above_the_stake(round, rng, added=True)


def _insured_above_half(round: ShoeRound, rng: Random, added: bool = False) -> Wrong | None:
    insured = [bet for bet in round.bets if bet.wager == "insurance"]
    if not insured:
        return None
    bet = rng.choice(insured)
    stake = round.boxes[bet.seat].stakes[round.bettor(bet.seat, bet.player) or ""]
    return _too_much(round, bet, stake // 2, added, rng)


def _added_to_an_insurance(round: ShoeRound, rng: Random) -> Wrong | None:
    return _insured_above_half(round, rng, added=True)


def _stranger(round: ShoeRound, box: Box, rng: Random) -> str | None:
    """Somebody who has no wager in the round and finds room on the box."""
    betting = {person.name for each in round.boxes.values() for person in each.people}
    people = [person.name for person in (*round.rail, *round.players.values()) if person.name not in betting]
    return rng.choice(people) if people and len(box.people) < 3 else None


def _chips_alone(round: ShoeRound, model: Bet, rng: Random) -> Bet | None:
    """Chips like these of somebody who has no other on the box."""
    stranger = _stranger(round, round.boxes[model.seat], rng)
    if stranger is None:
        return None
    bet = round.bet_of(model.seat, model.wager, model.stake, stranger, model.hand)
    round.bets.append(bet)
    return bet


def _match_alone(round: ShoeRound, rng: Random) -> Wrong | None:
    if "match_the_dealer" not in round.opening.pay_tables:
        return None
    seat = rng.choice(list(round.boxes))
    bet = _chips_alone(round, Bet(seat, "match_the_dealer", rng.choice((CHIP, 2 * CHIP))), rng)
    if bet is None:
        return None
    round.wagering.insert(rng.randrange(len(round.wagering)), round.placed(bet, bet.stake, rng))
    return _wrong("BET04", bet, bet.stake)


def _beside(round: ShoeRound, wager: str, rng: Random) -> Wrong | None:
    """Chips of somebody without a Spanish 21 wager beside those of somebody who has one."""
    lying = [bet for bet in round.bets if bet.wager == wager]
    if not lying or not somebody_waits(round):  # a dealer who draws nothing leaves his double open
        return None
    model = rng.choice(lying)
    bet = _chips_alone(round, model, rng)
    if bet is None:
        return None
    if wager == "double":
        round.boxes[bet.seat].hands[bet.hand - 1].doubled.add(bet.player or "")
    chips = chips_of(round, model, round.acting)
    at = next(at for at, fact in enumerate(round.acting) if fact is chips[-1])
    round.acting.insert(at + 1, round.placed(bet, bet.stake, rng))
    return _wrong("BET04", bet, bet.stake)


def _double_alone(round: ShoeRound, rng: Random) -> Wrong | None:
    return _beside(round, "double", rng)


def _insurance_alone(round: ShoeRound, rng: Random) -> Wrong | None:
    return _beside(round, "insurance", rng)


# The deal


def _reordered(round: ShoeRound, order: list[int]) -> Wrong | None:
    """The same cards to the same hands in another order of turns."""
    cards_dealt = [at for at, fact in enumerate(round.dealing) if _is_of_the_deal(fact)]
    due = [place(round.dealing[at]) for at in cards_dealt]
    first = next((at for at, where in enumerate(due) if where != order[at]), None)
    if first is None or round.ran_out:
        return None
    hands: dict[int, list[Fact]] = {}
    for at in cards_dealt:
        hands.setdefault(place(round.dealing[at]), []).append(round.dealing[at])
    for at, where in zip(cards_dealt, order, strict=True):
        round.dealing[at] = hands[where].pop(0)
    return Wrong("DEAL02", seat_of(order[first]))


def _is_of_the_deal(fact: Fact) -> bool:
    return fact["type"] == "card_dealt" and place(fact) != BURN


def _wrong_way_round(round: ShoeRound, _: Random) -> Wrong | None:
    seats = list(round.boxes)[::-1]
    return _reordered(round, [*seats, DEALER, *seats, DEALER])


def _two_to_each(round: ShoeRound, _: Random) -> Wrong | None:
    seats = list(round.boxes)
    # To a single box it is what a dealer does who forgot his own first card, 19:47-19.15(f).
    return _reordered(round, [seat for seat in (*seats, DEALER) for _ in range(2)]) if len(seats) > 1 else None


def _dealer_first(round: ShoeRound, _: Random) -> Wrong | None:
    seats = list(round.boxes)
    # With a single box it could be that one that was forgotten at first, 19:47-19.15(h).
    return _reordered(round, [DEALER, *seats, *seats, DEALER]) if len(seats) > 1 else None


def _neighbours_swapped(round: ShoeRound, rng: Random) -> Wrong | None:
    """In the first round of cards: in the second a box may get its card last by law, 19:47-19.15(h)."""
    seats = list(round.boxes)
    if len(seats) < 2:
        return None
    at = rng.randrange(len(seats) - 1)
    swapped = [*seats[:at], seats[at + 1], seats[at], *seats[at + 2 :]]
    return _reordered(round, [*swapped, DEALER, *seats, DEALER])


def _two_to_the_first(round: ShoeRound, _: Random) -> Wrong | None:
    first, *others = round.boxes
    return _reordered(round, [first, first, *others, DEALER, *others, DEALER]) if others else None


def _called_late(round: ShoeRound, rng: Random) -> Wrong | None:
    call = round.wagering.pop()
    first = next(at for at, fact in enumerate(round.dealing) if _is_of_the_deal(fact))
    last = len(round.dealing)
    round.dealing.insert(rng.choice((first + 1, rng.randint(first + 1, last), last)), call)
    return Wrong("DEAL03")


def _never_called(round: ShoeRound, _: Random) -> Wrong | None:
    round.wagering.pop()
    return Wrong("DEAL03")


def _dealt_while_chips_moved(round: ShoeRound, rng: Random) -> Wrong | None:
    """The first card is out before the last chips lie there."""
    first = next(at for at, fact in enumerate(round.dealing) if _is_of_the_deal(fact)) + 1
    burned = (at for at, fact in enumerate(round.wagering) if fact["type"] == "card_dealt")
    after = max(burned, default=-1) + 1
    at = rng.randrange(after, len(round.wagering))
    round.wagering[at:at] = round.dealing[:first]
    round.dealing = round.dealing[first:]
    return Wrong("DEAL03")


def _drew_on(round: ShoeRound, rng: Random) -> Wrong | None:
    if (
        not somebody_waits(round)
        or not stands(round)
        or total(round.held) > 21
        or is_blackjack(round.held)
        or not holds_more(round)
    ):
        return None
    for _ in range(rng.choice((1, 1, 1, 2))):
        fact = dealt(DEALER, round.shoe.draw(), "up")
        round.held.append(fact)
        round.showing.append(fact)
    return Wrong("DEAL08")


def _stood_short(round: ShoeRound, rng: Random) -> Wrong | None:
    if len(round.held) == 2 or round.ran_out:
        return None
    for _ in range(rng.choice((1, len(round.held) - 2))):
        fact = round.held.pop()
        round.showing = [each for each in round.showing if each is not fact]
        round.shoe.put_back(fact["card"])
    return Wrong("DEAL08")


def _drew_for_nobody(round: ShoeRound, _: Random) -> Wrong | None:
    """Every hand is decided, and the dealer draws all the same (19:47-19.12(c))."""
    if somebody_waits(round) or stands(round) or is_blackjack(round.held) or not holds_more(round):
        return None
    fact = dealt(DEALER, round.shoe.draw(), "up")
    round.held.append(fact)
    round.showing.append(fact)
    return Wrong("DEAL08")


def _passed_over(kind: str) -> _Way:
    def planted(round: ShoeRound, rng: Random) -> Wrong | None:
        if not holds_more(round):
            return None
        for _ in range(rng.choice((2, 2, 2, 3))):
            facts = rng.choice((round.dealing, round.dealing, round.acting or round.dealing))
            facts.insert(rng.randrange(len(facts)), found(round, kind, rng))
        return Wrong("VOID01", amount=None)

    return planted


def _passed_over_at_the_end(round: ShoeRound, rng: Random) -> Wrong | None:
    """One in the deal, and another when the dealer's cards were shown."""
    if not holds_more(round):
        return None
    kind = rng.choice(("two face up", "two tens"))
    round.dealing.insert(rng.randrange(1, len(round.dealing) + 1), found(round, kind, rng))
    round.showing.insert(rng.randrange(len(round.showing) + 1), found(round, kind, rng))
    return Wrong("VOID01", amount=None)


# The cards


def _in_play(round: ShoeRound) -> list[Fact]:
    return [*round.held, *(fact for box in round.boxes.values() for hand in box.hands for fact in hand.cards)]


def _one_too_many(round: ShoeRound, rng: Random) -> Wrong | None:
    """In place of a card that counts as much comes one of which there are no more in the shoe."""
    if not round.shoe.sure or round.ran_out:
        return None
    spent = round.shoe.exhausted()
    chances = [(fact, card) for fact in _in_play(round) for card in spent if value(fact["card"]) == value(card)]
    if not chances:
        return None
    fact, card = rng.choice(chances)
    round.shoe.put_back(fact["card"])
    fact["card"] = card
    return Wrong("DECK01", seat_of(place(fact)))


def _one_too_many_found(round: ShoeRound, rng: Random) -> Wrong | None:
    """A card of which there are no more in the shoe is found turned in it, and put in the rack."""
    spent = round.shoe.exhausted()
    if not spent or not round.shoe.sure or round.ran_out:
        return None
    round.dealing.append({"type": "card_found_face_up", "card": rng.choice(spent)})
    return Wrong("DECK01")


def _beside_the_last(round: ShoeRound, rng: Random) -> Wrong | None:
    """All there are of a card have come out, the last of them in this round, and one more comes in place of another card."""
    if not round.shoe.sure or round.ran_out:
        return None
    lying = Counter(fact["card"] for fact in _in_play(round))
    last = [card for card in sorted(lying) if round.shoe.told[card] + lying[card] == round.shoe.packs]
    chances = [
        (fact, card)
        for fact in _in_play(round)
        for card in last
        if fact["card"] != card and value(fact["card"]) == value(card)
    ]
    if not chances:
        return None
    fact, card = rng.choice(chances)
    round.shoe.put_back(fact["card"])
    fact["card"] = card
    of_kind = {id(each) for each in _in_play(round) if each["card"] == card}
    return Wrong("DECK01", seat_of(place([each for each in _told(round) if id(each) in of_kind][-1])))


def _told(round: ShoeRound) -> list[Fact]:
    return [*round.wagering, *round.dealing, *round.acting, *round.showing]


def _joker_found(round: ShoeRound, rng: Random) -> Wrong | None:
    facts = rng.choice((round.dealing, round.acting or round.dealing))
    facts.insert(rng.randrange(1, len(facts) + 1), {"type": "card_found_face_up", "card": cards.JOKER})
    return Wrong("DECK02")


def _ten(round: ShoeRound, rng: Random) -> Wrong | None:
    """A 10 in place of a face card: it counts the same, but the hole card is read under no 10."""
    facts = [fact for fact in _in_play(round) if value(fact["card"]) == 10]
    if is_blackjack(round.held):
        facts = [fact for fact in facts if place(fact) != DEALER]
    if not facts or round.ran_out:
        return None
    fact = rng.choice(facts)
    round.shoe.put_back(fact["card"])
    fact["card"] = "T" + rng.choice(cards.SUITS)
    return Wrong("DECK02", seat_of(place(fact)))


def _joker(round: ShoeRound, rng: Random) -> Wrong | None:
    fact = rng.choice(_in_play(round))
    round.shown.append((fact, cards.JOKER))
    return Wrong("DECK02", seat_of(place(fact)))


_WAYS: Final[Mapping[str, tuple[_Way, ...]]] = {
    "BET01": (_placed_late, _raised_late, _behind_a_box_late),
    "BET02": (_lowered, _withdrawn, _taken_off_after_the_show),
    "BET03": (_double_above_the_stake, _added_to_a_double, _insured_above_half, _added_to_an_insurance),
    "BET04": (_match_alone, _double_alone, _insurance_alone),
    "DEAL02": (_wrong_way_round, _two_to_each, _dealer_first, _neighbours_swapped, _two_to_the_first),
    "DEAL03": (_called_late, _never_called, _dealt_while_chips_moved),
    "DEAL08": (_drew_on, _stood_short, _drew_for_nobody),
    "VOID01": (_passed_over("two face up"), _passed_over("two tens"), _passed_over_at_the_end),
    "DECK01": (_one_too_many, _beside_the_last, _one_too_many_found),
    "DECK02": (_ten, _joker, _joker_found),
}
WAYS: Final[Mapping[str, tuple[Way, ...]]] = {
    code: tuple(map(_way, ways)) for code, ways in {**_WAYS, **misplayed.WAYS}.items()
}
WEIGHTS: Final[Mapping[str, int]] = {"DECK01": 12, "BET03": 4, "BET04": 2, "DEAL08": 2}
