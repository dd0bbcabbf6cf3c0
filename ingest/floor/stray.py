"""Facts that fit nowhere: of a round that has ended, or that the game has no place for."""

from copy import copy
from random import Random
from typing import Final

from ingest.floor.felt import Fact, Round, Way, Wrong
from rules import cards


def _after_its_round(round: Round, rng: Random) -> Wrong | None:
    """Something of the round before is told once that has ended."""
    if round.number == 1 or round.opens:
        return None
    seat = rng.choice(sorted(round.players))
    kinds: tuple[Fact, ...] = (
        {"type": "wager_settled", "seat": seat, "wager": round.bets[0].wager, "result": "paid", "amount": 500},
        {"type": "decision_made", "seat": seat, "choice": round.opening.law.choices[0]},
        {"type": "card_dealt", "to": "dealer", "card": cards.UNREAD, "face": "up"},
        {"type": "no_more_bets"},
    )
    facts = round.before[-1].facts
    at = rng.randint(0, len(facts))
    for fact in rng.sample(kinds, rng.choice((1, 1, 2))):
        told = copy(fact)
        told["round"] = round.number - 1
        facts.insert(at, told)
    return Wrong("FEED05", rounds_ago=1)


def _slip_in(round: Round, fact: Fact, rng: Random) -> None:
    """After the deal and before the dealer's cards are shown, between two facts of no player's turn."""
    round.acting.append(fact) if rng.random() < 0.5 else round.dealing.append(fact)


def _board_in_a_game_without_one(round: Round, rng: Random) -> Wrong | None:
    if round.opening.law.community_cards:
        return None
    fact: Fact = {"type": "community_revealed", "street": rng.choice(("flop", "river"))}
    _slip_in(round, fact, rng)
    return Wrong("FEED05")


def _card_for_a_board_that_is_not_there(round: Round, rng: Random) -> Wrong | None:
    """One that lies in a hand, or one that nobody has seen."""
    if round.opening.law.community_cards:
        return None
    card = rng.choice((rng.choice(round.cards)["card"], rng.choice(round.stub)))
    _slip_in(round, {"type": "card_dealt", "to": "community", "card": card, "face": "up"}, rng)
    return Wrong("FEED05")


def _discard_in_a_game_without_draws(round: Round, rng: Random) -> Wrong | None:
    if "draw" in round.opening.law.choices:
        return None
    fact = rng.choice([fact for fact in round.dealing if fact["type"] == "card_dealt" and fact["to"] == "player"])
    _slip_in(round, {"type": "card_discarded", "seat": fact["seat"], "card": fact["card"]}, rng)
    return Wrong("FEED05", fact["seat"])


def _discarded_what_he_never_held(round: Round, rng: Random) -> Wrong | None:
    discards = [fact for fact in round.acting if fact["type"] == "card_discarded"]
    if not discards:
        return None
    fact = rng.choice(discards)
    fact["card"] = rng.choice(round.stub)
    return Wrong("FEED05", fact["seat"])


WAYS: Final[dict[str, tuple[Way, ...]]] = {
    "FEED05": (
        _after_its_round,
        _board_in_a_game_without_one,
        _card_for_a_board_that_is_not_there,
        _discard_in_a_game_without_draws,
        _discarded_what_he_never_held,
    ),
}
