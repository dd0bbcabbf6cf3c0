"""What goes wrong in a shoe at an honest table and is handled as 19:47-19.15 has it; some of it voids the round."""

from random import Random
from typing import Final

from ingest.floor.felt import Fact, Round
from ingest.floor.spanish_21.boxes import Key, ShoeRound
from rules import cards

IRREGULAR: Final = 0.04
# Handled as the round is dealt.
IN_THE_DEAL: Final = (
    "dealer missed",
    "box missed",
    "one card",
    "one card declined",
    "hit missed",
    "exposed",
    "dealer drew on",
)
# Cards that turn up where they should not.
TURNED_UP: Final = ("one face up", "two face up", "one ten", "two tens")
REASONS: Final = {
    "two face up": ("two cards face up in the shoe", "more than one card turned"),
    "two tens": ("two tens in the shoe", "more than one 10 found"),
}


def mishap(rng: Random) -> str:
    return rng.choice((*IN_THE_DEAL, *TURNED_UP)) if rng.random() < IRREGULAR else ""


def turned_up(round: ShoeRound, rng: Random) -> None:
    """A card found face up goes to the rack, a 10 off the table; more than one of either voids the round (a), (b)."""
    if round.mishap in REASONS:
        void(round, round.mishap, rng)
    elif round.mishap in TURNED_UP and holds_more(round):
        facts = rng.choice((round.dealing, round.acting or round.dealing))
        facts.insert(rng.randrange(1, len(facts) + 1), found(round, round.mishap, rng))


def holds_more(round: ShoeRound) -> bool:
    """Whether the shoe that the round was dealt from has cards left; one shuffled since is another."""
    return not round.ran_out and round.shoe.left > 4


def found(round: ShoeRound, kind: str, rng: Random) -> Fact:
    ten = kind.endswith(("ten", "tens"))  # which is no card of the shoe's own
    return {"type": "card_found_face_up", "card": "T" + rng.choice(cards.SUITS) if ten else round.shoe.draw()}


def voided(round: Round, rng: Random) -> None:
    assert isinstance(round, ShoeRound)
    void(round, rng.choice(list(REASONS)), rng)


def void(round: ShoeRound, kind: str, rng: Random) -> None:
    """The second card ends the round wherever it has come to; every stake on the felt goes back, the shoe is shuffled."""
    if not holds_more(round):
        kind = "two tens"
    facts = until(round, rng)
    first = rng.randrange(1, len(facts) + 1)
    round.dealing = [*facts[:first], found(round, kind, rng), *facts[first:], found(round, kind, rng)]
    declare_void(round, rng.choice(REASONS[kind]))


def declare_void(round: ShoeRound, reason: str) -> None:
    """The round ends with what is told of it in the deal."""
    round.acting = []
    round.showing = [{"type": "round_voided", "reason": reason, "by": round.supervisor}]
    round.voided = True
    round.shoe.worn = True
    _leave_what_lies_there(round)


def until(round: ShoeRound, rng: Random) -> list[Fact]:
    """The round up to the moment when somebody noticed, before anybody named the hand that he rides."""
    facts = [*round.dealing, *round.acting]
    rides = [at for at, fact in enumerate(facts) if fact.get("choice") == "ride"]
    most = min([*rides, len(facts)])
    return facts[: rng.choice((rng.randint(1, most), min(most, len(round.dealing)), most))]


def _leave_what_lies_there(round: ShoeRound) -> None:
    """The bets of a round that ended early: those whose chips had come by then."""
    lies: dict[Key, int] = {}
    for fact in (*round.wagering, *round.dealing):
        if fact["type"] in ("wager_placed", "wager_changed"):
            key = round.key_of(fact)
            lies[key] = fact["amount"] + (lies.get(key, 0) if fact["type"] == "wager_placed" else 0)
    for bet in round.bets:
        if bet.wager == "main" and round.boxes[bet.seat].rides.get(round.key(bet)[3] or "") == bet.hand:
            bet.hand = 1
        bet.stake = lies.get(round.key(bet), 0)
    round.bets = [bet for bet in round.bets if bet.stake]
