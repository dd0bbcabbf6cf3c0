"""Wrongs in the play: cards the wrong way up, turned cards that were used, decisions nobody could make, voids for nothing."""

from copy import copy
from itertools import pairwise
from random import Random
from typing import Final

from ingest.floor import irregular
from ingest.floor.felt import COMMUNITY, DEALER, Fact, Round, Way, Wrong, place, seat_of
from ingest.floor.misbet import between_turns
from rules.game import Irregularity

CHIPS: Final = ("wager_placed", "wager_changed")
NO_CAUSE: Final = ("player's request", "dispute at the table", "wrong payout feared", "dealer's error")
KNOWN_ELSEWHERE: Final = ("hit", "stand", "double", "surrender")


# Faces


def _turn(fact: Fact) -> None:
    fact["face"] = "down" if fact["face"] == "up" else "up"


def _player_card_turned(round: Round, rng: Random) -> Wrong | None:
    seat = rng.choice(round.seats)
    own = [fact for fact in round.cards if place(fact) == seat]
    for fact in rng.sample(own, rng.choice((1, 1, len(own)))):
        _turn(fact)
    return Wrong("DEAL04", seat)


def _dealer_card_turned(round: Round, rng: Random) -> Wrong | None:
    own = [fact for fact in round.cards if place(fact) == DEALER]
    for fact in rng.sample(own, rng.choice((1, 1, len(own)))):
        _turn(fact)
    voids = round.opening.law.remedies[Irregularity.DEALER_CARD_EXPOSED].voids
    return Wrong("DEAL04", amount=None if voids else 0)


def _board_card_turned(round: Round, rng: Random) -> Wrong | None:
    board = [fact for fact in round.cards if place(fact) == COMMUNITY]
    if not board:
        return None
    for fact in rng.sample(board, rng.choice((1, 1, 2))):
        _turn(fact)
    return Wrong("DEAL04")


# Turned cards


def _to_be_dealt(round: Round, rng: Random) -> Fact | None:
    """A card of somebody's hand or the board that a turned card is to be, where one turned card is put in the rack."""
    if round.opening.law.remedies[Irregularity.ONE_CARD_FACE_UP].voids:
        return None
    where = rng.choice([*round.seats, DEALER, *([COMMUNITY] if round.community else [])])
    return rng.choice([fact for fact in round.cards if place(fact) == where])


def _found(round: Round, fact: Fact, ahead: int) -> Wrong:
    """Found face up so many facts before it is dealt all the same."""
    phase = next(phase for phase in (round.dealing, round.acting) if any(each is fact for each in phase))
    at = next(at for at, each in enumerate(phase) if each is fact)
    phase.insert(max(0, at - ahead), {"type": "card_found_face_up", "card": fact["card"]})
    return Wrong("DEAL06", seat_of(place(fact)))


def _turned_and_dealt_at_once(round: Round, rng: Random) -> Wrong | None:
    fact = _to_be_dealt(round, rng)
    return None if fact is None else _found(round, fact, 0)


def _turned_some_cards_before(round: Round, rng: Random) -> Wrong | None:
    fact = _to_be_dealt(round, rng)
    return None if fact is None else _found(round, fact, rng.choice((1, 2, 3)))


def _turned_before_the_deal(round: Round, rng: Random) -> Wrong | None:
    """Seen in the mouth of the shoe before any card was out, now and then while the bets were open."""
    fact = _to_be_dealt(round, rng)
    if fact is None:
        return None
    found: Fact = {"type": "card_found_face_up", "card": fact["card"]}
    if rng.random() < 0.7:
        round.dealing.insert(0, found)
    else:
        round.wagering.insert(rng.randrange(len(round.wagering)), found)
    return Wrong("DEAL06", seat_of(place(fact)))


def _dealt_as_it_lay(round: Round, rng: Random) -> Wrong | None:
    """Found face up, and dealt to a player face up."""
    fact = _to_be_dealt(round, rng)
    if fact is None or place(fact) <= 0:
        return None
    fact["face"] = "up"
    return _found(round, fact, 0)


# Decisions


def _decisions(round: Round) -> list[int]:
    return [at for at, fact in enumerate(round.acting) if fact["type"] == "decision_made"]


def _turn_ends(round: Round, at: int) -> int:
    """Where the decision and the chips beside it are told."""
    seat, after = round.acting[at]["seat"], at + 1
    while after < len(round.acting) and round.acting[after]["type"] in CHIPS and round.acting[after]["seat"] == seat:
        after += 1
    return after


def _said_again(round: Round, rng: Random) -> Wrong | None:
    at = rng.choice(_decisions(round) or [-1])
    if at < 0:
        return None
    again = copy(round.acting[at])
    round.acting.insert(rng.choice((_turn_ends(round, at), len(round.acting))), again)
    return Wrong("DEAL07", again["seat"])


def _out_of_turn(round: Round, rng: Random) -> Wrong | None:
    """Two players in a row decide the other way round."""
    decisions = _decisions(round)
    chances = [
        (first, second)
        for first, second in pairwise(decisions)
        if _turn_ends(round, first) == second and round.acting[first]["seat"] < round.acting[second]["seat"]
    ]
    if not chances:
        return None
    first, second = rng.choice(chances)
    ends = _turn_ends(round, second)
    round.acting[first:ends] = [*round.acting[second:ends], *round.acting[first:second]]
    return Wrong("DEAL07", round.acting[first]["seat"])


def _nothing_to_decide(round: Round, rng: Random) -> Wrong | None:
    """By somebody who has no hand to decide on, or whose wagers leave him nothing to decide."""
    idle = [seat for seat in round.players if seat not in round.choices]
    if not idle:
        return None
    seat = rng.choice(idle)
    said: Fact = {"type": "decision_made", "seat": seat, "choice": round.opening.law.choices[-1]}
    round.acting.insert(rng.choice(between_turns(round)), said)
    return Wrong("DEAL07", seat)


def _after_the_dealer_s_cards(round: Round, rng: Random) -> Wrong | None:
    folds = [at for at in _decisions(round) if round.acting[at]["choice"] == "fold"]
    if not folds:
        return None
    late = round.acting.pop(rng.choice(folds))
    round.showing.append(late)
    return Wrong("DEAL07", late["seat"])


def _of_another_game(round: Round, rng: Random) -> Wrong | None:
    """A word that this game does not know, before the player's own."""
    decisions = _decisions(round)
    if not decisions:
        return None
    at = rng.choice(decisions)
    seat = round.acting[at]["seat"]
    round.acting.insert(at, {"type": "decision_made", "seat": seat, "choice": rng.choice(KNOWN_ELSEWHERE)})
    return Wrong("DEAL07", seat)


def _in_the_wrong_street(round: Round, rng: Random) -> Wrong | None:
    """A check of somebody who has raised, once the next cards lie there; or on the river, where none is open."""
    last = [at for at in _decisions(round) if round.acting[at]["choice"] in ("raise", "fold")]
    if not last or "check" not in round.opening.law.choices:
        return None
    at = rng.choice(last)
    seat = round.acting[at]["seat"]
    said: Fact = {"type": "decision_made", "seat": seat, "choice": "check"}
    if round.acting[at]["choice"] == "fold":
        round.acting.insert(at, said)
    else:
        round.acting.append(said)
    return Wrong("DEAL07", seat)


# Voids


def _void_for_nothing(round: Round, rng: Random) -> Wrong | None:
    if round.discards:
        round.acting = []  # a draw card that had not come yet could be what it was for
    irregular.noticed(round, rng)
    irregular.void(round, rng.choice(NO_CAUSE))
    return Wrong("VOID02")


def _void_for_a_card_that_is_racked(round: Round, rng: Random) -> Wrong | None:
    """One card face up, where the law has it put in the rack and the round played on."""
    if round.opening.law.remedies[Irregularity.ONE_CARD_FACE_UP].voids:
        return None
    irregular.turn_up(round, rng)
    irregular.void(round, rng.choice(irregular.REASONS[Irregularity.ONE_CARD_FACE_UP]))
    return Wrong("VOID02")


def _void_after_the_show(round: Round, rng: Random) -> Wrong | None:
    """The dealer's cards were seen, and somebody did not like them."""
    shown = round.showing
    irregular.void(round, rng.choice(NO_CAUSE))
    round.showing = [*shown, *round.showing]
    return Wrong("VOID02")


WAYS: Final[dict[str, tuple[Way, ...]]] = {
    "DEAL04": (_player_card_turned, _dealer_card_turned, _board_card_turned),
    "DEAL06": (_turned_and_dealt_at_once, _turned_some_cards_before, _turned_before_the_deal, _dealt_as_it_lay),
    "DEAL07": (
        _said_again,
        _out_of_turn,
        _nothing_to_decide,
        _after_the_dealer_s_cards,
        _of_another_game,
        _in_the_wrong_street,
    ),
    "VOID02": (_void_for_nothing, _void_for_a_card_that_is_racked, _void_after_the_show),
}
