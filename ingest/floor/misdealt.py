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


def _of_the_deal(*wrong: int) -> Wrong:
    """Told of the first seat among these hands."""
    seats = [where for where in wrong if where > 0]
    return Wrong("DEAL01", min(seats) if seats else None, amount=None)


def _player_misdealt(round: Round, rng: Random) -> Wrong | None:
    return _of_the_deal(irregular.miscounted(round, rng, round.seats).where)


def _dealer_or_board_misdealt(round: Round, rng: Random) -> Wrong | None:
    return _of_the_deal(irregular.miscounted(round, rng, [DEALER, COMMUNITY] if round.community else [DEALER]).where)


def _two_hands_misdealt(round: Round, rng: Random) -> Wrong | None:
    first = irregular.miscounted(round, rng, round.seats).where
    others = [where for where in (*round.seats, DEALER) if where != first]
    return _of_the_deal(first, irregular.miscounted(round, rng, others).where)


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


def _dealt_while_chips_moved(round: Round, rng: Random) -> Wrong | None:
    """The first cards are out before the last chips lie there."""
    many = rng.randint(1, min(3, len(round.dealing) - 1))
    at = rng.randrange(len(round.wagering) - 1)
    round.wagering[at:at] = round.dealing[:many]
    round.dealing = round.dealing[many:]
    return Wrong("DEAL03")


# A void that was due


def _exposed(round: Round) -> Wrong:
    # Where no remedy is codified it costs nothing that a void would have given back.
    voids = round.opening.law.remedies[Irregularity.DEALER_CARD_EXPOSED].voids
    return Wrong("DEAL05", amount=None if voids else 0)


def _seen_as_it_was_dealt(round: Round, rng: Random) -> Wrong | None:
    at = rng.choice([at for at, fact in enumerate(round.dealing) if place(fact) == DEALER])
    round.dealing.insert(at + 1, irregular.exposed(round.dealing[at]))
    return _exposed(round)


def _seen_between_turns(round: Round, rng: Random) -> Wrong | None:
    own = [fact for fact in round.dealing if place(fact) == DEALER]
    round.acting.insert(rng.choice(between_turns(round)), irregular.exposed(rng.choice(own)))
    return _exposed(round)


def _several_seen(round: Round, rng: Random) -> Wrong | None:
    """More than one of them, at once or one as it was dealt and another later."""
    own = [fact for fact in round.dealing if place(fact) == DEALER]
    first, *others = rng.sample(own, rng.randint(2, len(own)))
    at = rng.choice(between_turns(round))
    if rng.random() < 0.5:
        round.acting[at:at] = [irregular.exposed(fact) for fact in (first, *others)]
    else:
        round.acting[at:at] = [irregular.exposed(fact) for fact in others]
        dealt_at = next(at for at, fact in enumerate(round.dealing) if fact is first)
        round.dealing.insert(dealt_at + 1, irregular.exposed(first))
    return _exposed(round)


def _seen_and_not_read(round: Round, rng: Random) -> Wrong | None:
    """Somebody saw that it was shown, and not which card it was."""
    seen: Fact = {"type": "card_exposed", "to": "dealer", "card": cards.UNREAD}
    round.acting.insert(rng.choice(between_turns(round)), seen)
    return _exposed(round)


def _turned_cards_passed_over(round: Round, rng: Random) -> Wrong | None:
    one_voids = round.opening.law.remedies[Irregularity.ONE_CARD_FACE_UP].voids
    for _ in range(rng.choice((1, 1, 1, 2) if one_voids else (2, 2, 2, 3))):
        irregular.turn_up(round, rng)
    return Wrong("VOID01", amount=None)


def _turned_cards_together(round: Round, rng: Random) -> Wrong | None:
    """A packet of them, at one place of the deal."""
    at = rng.randrange(len(round.dealing))
    packet: list[Fact] = [
        {"type": "card_found_face_up", "card": round.stub.pop()} for _ in range(rng.choice((2, 2, 3)))
    ]
    round.dealing[at:at] = packet
    return Wrong("VOID01", amount=None)


def _jam_passed_over(round: Round, rng: Random) -> Wrong | None:
    if round.opening.dealing != "automated_shoe":
        return None
    failed: Fact = {"type": "device_failed", "device": "shoe", "fault": rng.choice(irregular.FAILURES)}
    mended: list[Fact] = [{"type": "device_removed", "device": "shoe"}, {"type": "device_installed", "device": "shoe"}]
    at = rng.randrange(len(round.dealing) + 1)
    round.dealing[at:at] = [failed, *(mended if rng.random() < 0.3 else ())]
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


def _found_in_the_deck(round: Round, card: str, first: int, rng: Random) -> bool:
    """In the rest of the deck a card is found face up that is this one: put in the rack, or the round void, as the law has it."""
    voids = round.opening.law.remedies[Irregularity.ONE_CARD_FACE_UP].voids
    if voids and round.count_due:
        return False
    at = rng.randint(first, len(round.dealing))
    round.stub.pop()  # in place of which it lay there
    found: Fact = {"type": "card_found_face_up", "card": card}
    round.dealing.insert(at, found)
    if voids:
        round.acting, round.dealing = [], round.dealing[: at + 1]
        irregular.void(round, rng.choice(irregular.REASONS[Irregularity.ONE_CARD_FACE_UP]))
    return True


def _dealt_and_found_again(round: Round, rng: Random) -> Wrong | None:
    """Its twin is in somebody's hand already."""
    twin = rng.randrange(len(round.dealing))
    if not _found_in_the_deck(round, round.dealing[twin]["card"], twin + 1, rng):
        return None
    return Wrong("DECK01")


def _joker(round: Round, rng: Random) -> Wrong | None:
    fact = rng.choice(round.cards)
    _told_as(round, fact, cards.JOKER)
    return Wrong("DECK02", seat_of(place(fact)))


def _joker_found(round: Round, rng: Random) -> Wrong | None:
    return Wrong("DECK02") if _found_in_the_deck(round, cards.JOKER, 1, rng) else None


def _joker_in_a_void_round(round: Round, rng: Random) -> Wrong | None:
    if round.count_due:
        return None
    irregular.voided(round, rng)
    return _joker(round, rng)


# The count. What is not the deck's number leads to the deck being taken away, or to DECK07 of the round after.


def _off(rng: Random) -> int:
    return rng.choice((-3, -2, -1, -1, 1, 1, 2))


def _miscount_ignored(round: Round, rng: Random) -> Wrong | None:
    round.counts = [_off(rng)]
    return Wrong("DECK03")


def _counted_again_and_ignored(round: Round, rng: Random) -> Wrong | None:
    """Whatever the first count was, the second is wrong, and nobody minds."""
    round.counts = [rng.choice((0, _off(rng))), _off(rng)]
    return Wrong("DECK03")


def _miscounted_after_the_round(round: Round, rng: Random) -> Wrong | None:
    """The chips have moved, and no void takes them back."""
    if not round.followed:
        return None
    round.counts_after = [_off(rng)]
    return Wrong("DECK03")


def _put_right_too_late(round: Round, rng: Random) -> Wrong | None:
    """The hands are settled on a wrong count, and one after them clears the deck."""
    if not round.followed:
        return None
    round.counts, round.counts_after = [_off(rng)], [0]
    return Wrong("DECK03")


WAYS: Final[dict[str, tuple[Way, ...]]] = {
    "DEAL01": (
        _player_misdealt,
        _player_misdealt,
        _dealer_or_board_misdealt,
        _two_hands_misdealt,
        _dealt_to_somebody_who_is_not_in,
    ),
    "DEAL02": (
        _swapped,
        _neighbours_swapped,
        _by_the_other_method,
        _wrong_way_round,
        _dealer_first,
        _community_last,
    ),
    "DEAL03": (_called_late, _never_called, _dealt_while_chips_moved),
    "DEAL05": (_seen_as_it_was_dealt, _seen_between_turns, _several_seen, _seen_and_not_read),
    "VOID01": (_turned_cards_passed_over, _turned_cards_together, _jam_passed_over),
    "DECK01": (_dealt_twice, _dealt_twice_to_one_hand, _dealt_and_found_again),
    "DECK02": (_joker, _joker_found, _joker_in_a_void_round),
    "DECK03": (_miscount_ignored, _counted_again_and_ignored, _miscounted_after_the_round, _put_right_too_late),
}
