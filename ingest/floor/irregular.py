"""Things go wrong at an honest table too. Here they are handled as the law says: racked, voided, the stakes given back."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from ingest.floor.felt import COMMUNITY, DEALER, Fact, Round, dealt, place
from rules import cards
from rules.game import Irregularity, Remedy

REASONS: Final = {
    Irregularity.ONE_CARD_FACE_UP: ("a card face up in the deck", "a turned card"),
    Irregularity.MORE_CARDS_FACE_UP: ("two cards face up in the deck", "more than one card turned"),
    Irregularity.WRONG_CARD_COUNT: ("misdeal", "wrong number of cards", "a hand short of a card or with one too many"),
    Irregularity.DEALER_CARD_EXPOSED: ("dealer card exposed", "dealer's card seen before its time"),
    Irregularity.SHOE_FAILED: ("shoe jam", "the shoe failed"),
    Irregularity.WRONG_STUB_COUNT: ("stub count wrong", "the deck does not count to 52"),
}
FAILURES: Final = ("jam", "stopped", "incomplete")


def happens(round: Round, rng: Random, count_due: bool) -> None:
    """One irregularity, and the law's remedy. Where the stub is due for its count, none that would put the count off."""
    if rng.random() < 0.1:
        _player_shows_a_card(round, rng)
        return
    fitting = [kind for kind in _possible(round) if not (count_due and _voids(round, kind))]
    remedied(round, rng.choice([*fitting, Irregularity.WRONG_STUB_COUNT]), rng)
    if round.voided and rng.random() < 0.1:
        rng.choice(round.cards)["card"] = cards.UNREAD


def voided(round: Round, rng: Random) -> None:
    """A round that is voided after the deal began, for a wrong with the money to be planted in."""
    remedied(round, rng.choice([kind for kind in _possible(round) if _voids(round, kind)]), rng)


def _voids(round: Round, kind: Irregularity) -> bool:
    """Whether the round ends here. Where the text names no remedy a careful supervisor voids it, as sibling games do."""
    remedied = round.opening.law.remedies[kind]
    return remedied.voids or remedied.remedy is Remedy.SUPERVISOR_DECIDES


def _possible(round: Round) -> list[Irregularity]:
    automated = round.opening.dealing == "automated_shoe"
    known = round.opening.law.remedies
    return [kind for kind in INCIDENTS if kind in known and (automated or kind is not Irregularity.SHOE_FAILED)]


def remedied(round: Round, kind: Irregularity, rng: Random) -> None:
    voids = _voids(round, kind)
    if kind is Irregularity.WRONG_STUB_COUNT:
        round.counts = [rng.choice((-2, -1, -1, 1))]
        if not round.counted_last:
            round.acting = []
    else:
        INCIDENTS[kind](round, rng, voids)
    if voids:
        void(round, rng.choice(REASONS[kind]))


def void(round: Round, reason: str) -> None:
    round.voided = True
    round.showing = [{"type": "round_voided", "reason": reason, "by": round.supervisor}]
    there = [fact for fact in (*round.wagering, *round.acting) if fact["type"] == "wager_placed"]
    round.bets = [bet for bet in round.bets if any(round.lies_where(bet, fact) for fact in there)]


def _cut(round: Round, at: int) -> None:
    """What was planned after so many facts of the deal and the play does not happen."""
    dealing = len(round.dealing)
    round.acting = round.acting[: max(0, at - dealing)]
    round.dealing = round.dealing[:at]


def _slip_in(round: Round, at: int, fact: Fact) -> None:
    dealing = len(round.dealing)
    if at < dealing:
        round.dealing.insert(at, fact)
    else:
        round.acting.insert(at - dealing, fact)


def turn_up(round: Round, rng: Random, first: int = 0) -> int:
    """A card is found face up where another was to be dealt, in the deal more often than after it. Answers where play goes on."""
    line = round.dealing if rng.random() < 0.7 else [*round.dealing, *round.acting]
    at = rng.choice([at for at, fact in enumerate(line) if fact["type"] == "card_dealt" and at >= first])
    _slip_in(round, at, {"type": "card_found_face_up", "card": round.stub.pop()})
    return at + 1


def _one_face_up(round: Round, rng: Random, voids: bool) -> None:
    after = turn_up(round, rng, first=int(voids))
    if voids:
        _cut(round, after)


def _two_face_up(round: Round, rng: Random, _: bool) -> None:
    first, second = turn_up(round, rng, first=1), turn_up(round, rng, first=1)
    _cut(round, max(first + (second <= first), second))


def _misdeal(round: Round, rng: Random, _: bool) -> None:
    shared = [DEALER, COMMUNITY] if round.community else [DEALER]
    miscount = miscounted(round, rng, (*round.seats, *round.seats, *shared))
    noticed(round, rng, miscount.acted)


@dataclass(frozen=True, slots=True)
class Miscount:
    where: int
    acted: int = 0  # how much of the acting it takes until the wrong number shows


def miscounted(round: Round, rng: Random, places: Sequence[int]) -> Miscount:
    """One hand of these gets a card too many or too few."""
    where = rng.choice(places)
    fact = rng.choice([fact for fact in round.cards if place(fact) == where])
    at = next((at for at, each in enumerate(round.dealing) if each is fact), None)
    too_many = rng.random() < 0.5
    if at is not None:
        if too_many:
            extra = dealt(where, round.stub.pop(), fact["face"])
            round.dealing.insert(rng.choice((at + 1, len(round.dealing))), extra)
        else:
            del round.dealing[at]
        return Miscount(where)
    at = next(at for at, each in enumerate(round.acting) if each is fact)
    if too_many:
        round.acting.insert(at + 1, dealt(where, round.stub.pop(), fact["face"]))
        return Miscount(where, at + 2)
    del round.acting[at]
    return Miscount(where, at)


def exposed(fact: Fact) -> Fact:
    """The card of this fact is shown by accident before its time."""
    seen: Fact = {"type": "card_exposed", "to": fact["to"], "card": fact["card"]}
    if "seat" in fact:
        seen["seat"] = fact["seat"]
    return seen


def _dealer_card_exposed(round: Round, rng: Random, _: bool) -> None:
    at = rng.choice([at for at, fact in enumerate(round.dealing) if place(fact) == DEALER])
    seen = exposed(round.dealing[at])
    if rng.random() < 0.5:
        round.dealing.insert(at + 1, seen)
        _cut(round, at + 2)
    else:
        noticed(round, rng)
        round.acting.append(seen)


def _player_shows_a_card(round: Round, rng: Random) -> None:
    """No text has a remedy for a player's card that others saw: the round goes on."""
    fact = rng.choice([fact for fact in round.dealing if place(fact) > 0])
    if rng.random() < 0.5:
        at = next(at for at, each in enumerate(round.dealing) if each is fact)
        round.dealing.insert(at + 1, exposed(fact))
    else:
        round.acting.insert(rng.choice(_pauses(round)), exposed(fact))


def _shoe_failed(round: Round, rng: Random, _: bool) -> None:
    at = rng.randrange(1, len(round.dealing))
    round.dealing.insert(at, {"type": "device_failed", "device": "shoe", "fault": rng.choice(FAILURES)})
    _cut(round, at + 1)


def _pauses(round: Round) -> list[int]:
    """Where in the acting somebody's turn begins, and its end: never between a decision and its chips."""
    turns = [at for at, fact in enumerate(round.acting) if fact["type"] == "decision_made"]
    return [*turns, len(round.acting)]


def noticed(round: Round, rng: Random, acted: int = 0) -> None:
    """The decisions made before somebody noticed, after so much had happened."""
    pauses = [at for at in _pauses(round) if at >= acted]
    round.acting = round.acting[: rng.choice((pauses[0], *pauses))]


INCIDENTS: Final[dict[Irregularity, Callable[[Round, Random, bool], None]]] = {
    Irregularity.ONE_CARD_FACE_UP: _one_face_up,
    Irregularity.MORE_CARDS_FACE_UP: _two_face_up,
    Irregularity.WRONG_CARD_COUNT: _misdeal,
    Irregularity.DEALER_CARD_EXPOSED: _dealer_card_exposed,
    Irregularity.SHOE_FAILED: _shoe_failed,
}
