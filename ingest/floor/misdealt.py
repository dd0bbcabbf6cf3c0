"""Wrongs with the cards: the deal, the void that was due, and the deck itself."""

from collections.abc import Sequence
from copy import copy
from random import Random
from typing import Final

from ingest.floor import irregular
from ingest.floor.felt import (
    COMMUNITY,
    DEALER,
    Fact,
    Round,
    Way,
    Wrong,
    dealing_order,
    dealt,
    place,
    seat_of,
    turns,
)
from ingest.floor.misbet import between_turns
from rules import cards
from rules.game import Irregularity

# The deal


def _misdealt(round: Round, rng: Random) -> Wrong | None:
    shared = [DEALER, COMMUNITY] if round.community else [DEALER]
    wrong = {irregular.miscounted(round, rng, round.seats if rng.random() < 0.7 else shared).where}
    if rng.random() < 0.15:
        others = [where for where in (*round.seats, DEALER) if where not in wrong]
        wrong.add(irregular.miscounted(round, rng, others).where)
    seats = [where for where in wrong if where > 0]
    return Wrong("DEAL01", min(seats) if seats else None, amount=None)


def _dealt_to_somebody_who_is_not_in(round: Round, rng: Random) -> Wrong | None:
    out = [seat for seat in round.players if seat not in round.hands]
    if not out:
        return None
    seat = rng.choice(out)
    for _ in range(rng.choice((1, round.opening.law.player_cards))):
        round.dealing.append(dealt(seat, round.stub.pop()))
    return Wrong("DEAL01", seat, amount=None)


def _reordered(round: Round, order: Sequence[int]) -> Wrong | None:
    """The same cards to the same hands in another order of turns."""
    due = [place(fact) for fact in round.dealing]
    first = next((at for at, where in enumerate(due) if where != order[at]), None)
    if first is None:
        return None
    hands = {where: [fact for fact in round.dealing if place(fact) == where] for where in set(due)}
    round.dealing = [hands[where].pop(0) for where in order]
    return Wrong("DEAL02", seat_of(order[first]))


def _in_turn(round: Round) -> tuple[list[int], list[int]]:
    """Who was dealt each card: the community cards apart where they may as well come later, then all whose turn is fixed."""
    order = [place(fact) for fact in round.dealing]
    if len(round.opening.law.deal[round.opening.dealing].community) > 1:
        shared = order.count(COMMUNITY)
        return order[:shared], order[shared:]
    return [], order


def _swapped(round: Round, rng: Random) -> Wrong | None:
    shared, order = _in_turn(round)
    first = rng.randrange(len(order))
    second = rng.choice([at for at in range(len(order)) if order[at] != order[first]])
    order[first], order[second] = order[second], order[first]
    return _reordered(round, [*shared, *order])


def _neighbours_swapped(round: Round, rng: Random) -> Wrong | None:
    shared, order = _in_turn(round)
    first = rng.choice([at for at in range(len(order) - 1) if order[at] != order[at + 1]])
    order[first], order[first + 1] = order[first + 1], order[first]
    return _reordered(round, [*shared, *order])


def _hands_dealt(round: Round, order: str, seats: Sequence[int]) -> Wrong | None:
    shared = [place(fact) for fact in round.dealing].count(COMMUNITY)
    hands = turns(order, round.opening.law, round.opening.dealing, seats)
    return _reordered(round, [*[COMMUNITY] * shared, *hands])


def _by_the_other_method(round: Round, _: Random) -> Wrong | None:
    other = "packets" if dealing_order(round.opening) == "rotation" else "rotation"
    return _hands_dealt(round, other, round.seats)


def _wrong_way_round(round: Round, _: Random) -> Wrong | None:
    return _hands_dealt(round, dealing_order(round.opening), round.seats[::-1])


def _dealer_first(round: Round, _: Random) -> Wrong | None:
    shared, order = _in_turn(round)
    order.insert(0, order.pop(order.index(DEALER)))
    return _reordered(round, [*shared, *order])


def _community_last(round: Round, _: Random) -> Wrong | None:
    shared, order = _in_turn(round)
    hands = [where for where in order if where != COMMUNITY]
    return _reordered(round, [*shared, *hands, *[COMMUNITY] * (len(order) - len(hands))])


def _called_late(round: Round, rng: Random) -> Wrong | None:
    call = round.wagering.pop()
    round.dealing.insert(rng.choice((1, rng.randrange(1, len(round.dealing)), len(round.dealing))), call)
    return Wrong("DEAL03")


def _never_called(round: Round, _: Random) -> Wrong | None:
    round.wagering.pop()
    return Wrong("DEAL03")


# A void that was due


def _exposed_and_played_on(round: Round, rng: Random) -> Wrong | None:
    if rng.random() < 0.5:
        at = rng.choice([at for at, fact in enumerate(round.dealing) if place(fact) == DEALER])
        round.dealing.insert(at + 1, irregular.exposed(round.dealing[at]))
    else:
        own = [fact for fact in round.dealing if place(fact) == DEALER]
        round.acting.insert(rng.choice(between_turns(round)), irregular.exposed(rng.choice(own)))
    # Where no remedy is codified it costs nothing that a void would have given back.
    voids = round.opening.law.remedies[Irregularity.DEALER_CARD_EXPOSED].voids
    return Wrong("DEAL05", amount=None if voids else 0)


def _turned_cards_passed_over(round: Round, rng: Random) -> Wrong | None:
    one_voids = round.opening.law.remedies[Irregularity.ONE_CARD_FACE_UP].voids
    for _ in range(rng.choice((1, 1, 1, 2) if one_voids else (2, 2, 2, 3))):
        irregular.turn_up(round, rng)
    return Wrong("VOID01", amount=None)


def _jam_passed_over(round: Round, rng: Random) -> Wrong | None:
    if round.opening.dealing != "automated_shoe":
        return None
    failed: Fact = {"type": "device_failed", "device": "shoe", "fault": rng.choice(irregular.FAILURES)}
    round.dealing.insert(rng.randrange(len(round.dealing) + 1), failed)
    return Wrong("VOID01", amount=None)


# The deck


def _card_again(round: Round, first: Fact, second: Fact) -> Wrong | None:
    """The second card is the first one again, unless a hand would come of it that no ranking knows."""
    where, card, twin = place(second), second["card"], first["card"]
    after = copy(round)
    after.swap(where, card, twin)
    if any(_beyond_ranking(hand, flush, twin) for hand, flush in round.play.ranked(after)):
        return None
    round.swap(where, card, twin)
    _told_as(round, second, twin)
    return Wrong("DECK01", seat_of(where))


def _told_as(round: Round, fact: Fact, card: str) -> None:
    """The card of this fact, and of its discarding, is told as another."""
    for later in round.acting:
        if later["type"] == "card_discarded" and later["seat"] == place(fact) and later["card"] == fact["card"]:
            later["card"] = card
    fact["card"] = card


def _beyond_ranking(hand: Sequence[str], flush: int, twin: str) -> bool:
    """Whether a card that is there twice could count twice for a flush, or make a fifth of its rank."""
    if hand.count(twin) < 2:
        return False
    ranks = sum(card[0] == twin[0] for card in hand)
    suits = sum(card[1] == twin[1] for card in hand)
    return ranks > 4 or suits >= flush


def _dealt_twice(round: Round, rng: Random) -> Wrong | None:
    out = round.cards
    second = rng.randrange(1, len(out))
    return _card_again(round, out[rng.randrange(second)], out[second])


def _dealt_twice_to_one_hand(round: Round, rng: Random) -> Wrong | None:
    where = rng.choice((*round.seats, DEALER))
    first, second = sorted(rng.sample([fact for fact in round.cards if place(fact) == where], 2), key=round.cards.index)
    return _card_again(round, first, second)


def _joker(round: Round, rng: Random) -> Wrong | None:
    fact = rng.choice(round.cards)
    _told_as(round, fact, cards.JOKER)
    return Wrong("DECK02", seat_of(place(fact)))


def _miscount_ignored(round: Round, rng: Random) -> Wrong | None:
    round.miscount = rng.choice((-3, -2, -1, -1, 1, 1, 2))
    return Wrong("DECK03")


WAYS: Final[dict[str, tuple[Way, ...]]] = {
    "DEAL01": (_misdealt, _misdealt, _misdealt, _dealt_to_somebody_who_is_not_in),
    "DEAL02": (
        _swapped,
        _neighbours_swapped,
        _by_the_other_method,
        _wrong_way_round,
        _dealer_first,
        _community_last,
    ),
    "DEAL03": (_called_late, _never_called),
    "DEAL05": (_exposed_and_played_on,),
    "VOID01": (_turned_cards_passed_over, _jam_passed_over),
    "DECK01": (_dealt_twice, _dealt_twice_to_one_hand),
    "DECK02": (_joker,),
    "DECK03": (_miscount_ignored,),
}
