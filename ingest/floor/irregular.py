"""Things go wrong at an honest table too. Here they are handled as the law says: racked, voided, the stakes given back."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Final

from ingest.floor.felt import Fact, Round, dealt, turn
from rules.game import Irregularity

REASONS: Final = {
    Irregularity.MORE_CARDS_FACE_UP: ("two cards face up in the deck", "more than one card turned"),
    Irregularity.WRONG_CARD_COUNT: ("misdeal", "wrong number of cards", "a hand short of a card or with one too many"),
    Irregularity.DEALER_CARD_EXPOSED: ("dealer card exposed", "dealer's card seen before its time"),
    Irregularity.SHOE_FAILED: ("shoe jam", "the shoe failed"),
    Irregularity.WRONG_STUB_COUNT: ("stub count wrong", "the deck does not count to 52"),
}
FAILURES: Final = ("jam", "stopped", "incomplete")


def happens(round: Round, rng: Random, count_due: bool) -> None:
    """One irregularity, and the law's remedy. Where the stub is due for its count, none that would put the count off."""
    fitting = [kind for kind in _possible(round) if not (count_due and round.opening.law.remedies[kind].voids)]
    remedied(round, rng.choice([*fitting, Irregularity.WRONG_STUB_COUNT]), rng)


def voided(round: Round, rng: Random) -> None:
    """A round that the law voids after the deal began, for a wrong with the money to be planted in."""
    voiding = [kind for kind in _possible(round) if round.opening.law.remedies[kind].voids]
    remedied(round, rng.choice(voiding), rng)


def _possible(round: Round) -> list[Irregularity]:
    automated = round.opening.dealing == "automated_shoe"
    return [kind for kind in INCIDENTS if automated or kind is not Irregularity.SHOE_FAILED]


def remedied(round: Round, kind: Irregularity, rng: Random) -> None:
    if kind is Irregularity.WRONG_STUB_COUNT:
        round.miscount = rng.choice((-2, -1, -1, 1))
        round.acting = []
    else:
        INCIDENTS[kind](round, rng)
    if round.opening.law.remedies[kind].voids:
        _void(round, rng.choice(REASONS[kind]))


def _void(round: Round, reason: str) -> None:
    round.voided = True
    round.showing = [{"type": "round_voided", "reason": reason, "by": round.supervisor}]
    there = {
        (fact["seat"], fact["wager"]) for fact in (*round.wagering, *round.acting) if fact["type"] == "wager_placed"
    }
    round.bets = [bet for bet in round.bets if (bet.seat, bet.wager) in there]


def found(round: Round) -> Fact:
    return {"type": "card_found_face_up", "card": round.stub.pop()}


def _one_face_up(round: Round, rng: Random) -> None:
    round.dealing.insert(rng.randrange(len(round.dealing)), found(round))


def _two_face_up(round: Round, rng: Random) -> None:
    first = rng.randrange(1, len(round.dealing))
    second = rng.randrange(first, len(round.dealing))
    cards = round.dealing
    round.dealing = [*cards[:first], found(round), *cards[first:second], found(round)]
    round.acting = []


def _misdeal(round: Round, rng: Random) -> None:
    miscounted(round, rng, (*round.seats, *round.seats, 0))
    round.acting = _until(round, rng)


def miscounted(round: Round, rng: Random, places: Sequence[int]) -> int:
    """One hand of these gets a card too many or too few. Answers whose; 0 is the dealer."""
    place = rng.choice(places)
    at = rng.choice([at for at, fact in enumerate(round.dealing) if turn(fact) == place])
    if rng.random() < 0.5:
        round.dealing.insert(rng.choice((at + 1, len(round.dealing))), dealt(place, round.stub.pop()))
    else:
        del round.dealing[at]
    return place


def _exposed(round: Round, rng: Random) -> None:
    if rng.random() < 0.5:
        at = rng.choice([at for at, fact in enumerate(round.dealing) if fact["to"] == "dealer"])
        seen: Fact = {"type": "card_exposed", "to": "dealer", "card": round.dealing[at]["card"]}
        round.dealing = [*round.dealing[: at + 1], seen]
        round.acting = []
    else:
        seen = {"type": "card_exposed", "to": "dealer", "card": rng.choice(round.dealer)}
        round.acting = [*_until(round, rng), seen]


def _shoe_failed(round: Round, rng: Random) -> None:
    failed: Fact = {"type": "device_failed", "device": "shoe", "fault": rng.choice(FAILURES)}
    round.dealing = [*round.dealing[: rng.randrange(1, len(round.dealing))], failed]
    round.acting = []


def _until(round: Round, rng: Random) -> list[Fact]:
    """The decisions made before somebody noticed, never cut between a decision and its chips."""
    ends = [at for at, fact in enumerate(round.acting) if fact["type"] == "decision_made"]
    return round.acting[: rng.choice((0, 0, *ends, len(round.acting)))]


INCIDENTS: Final[dict[Irregularity, Callable[[Round, Random], None]]] = {
    Irregularity.ONE_CARD_FACE_UP: _one_face_up,
    Irregularity.MORE_CARDS_FACE_UP: _two_face_up,
    Irregularity.WRONG_CARD_COUNT: _misdeal,
    Irregularity.DEALER_CARD_EXPOSED: _exposed,
    Irregularity.SHOE_FAILED: _shoe_failed,
}
