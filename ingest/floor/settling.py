"""The chips move: losers are collected first, then winners paid from the dealer's far right; mistakes are put right."""

from dataclasses import dataclass
from random import Random
from typing import Final

from ingest.floor.felt import Bet, Fact, Round

CORRECTED: Final = 0.006


@dataclass(slots=True)
class Settlement:
    bet: Bet
    fact: Fact


def settled(round: Round, bet: Bet, net: int, rng: Random) -> Fact:
    """The fact of a wager settled for `net` cents to the player."""
    result = "paid" if net > 0 else "taken" if net < 0 else "returned"
    fact: Fact = {
        "type": "wager_settled",
        "seat": bet.seat,
        "wager": bet.wager,
        "result": result,
        "amount": abs(net) or bet.stake,
    }
    return round.named(fact, rng)


def corrected(round: Round, bet: Bet, amount: int, rng: Random) -> Fact:
    fact: Fact = {
        "type": "settlement_corrected",
        "seat": bet.seat,
        "wager": bet.wager,
        "amount": amount,
        "by": round.supervisor,
    }
    return round.named(fact, rng)


def honest(round: Round, rng: Random) -> list[Settlement]:
    """What the law owes, in the order it is settled. In a void round every stake goes back."""
    far_right_first = sorted(round.bets, key=lambda bet: -bet.seat)
    if round.voided:
        return [Settlement(bet, settled(round, bet, 0, rng)) for bet in far_right_first]
    losers = [bet for bet in far_right_first if bet.owed < 0]
    others = [bet for bet in far_right_first if bet.owed > 0 or (bet.owed == 0 and not bet.bonus)]
    return [Settlement(bet, settled(round, bet, bet.owed, rng)) for bet in (*losers, *others)]


def put_right(round: Round, settlements: list[Settlement], rng: Random) -> list[Fact]:
    """The settlements as facts, one of them wrong at first and corrected before the round ended."""
    slip = rng.choice(settlements)
    bet = slip.bet
    facts = [settlement.fact for settlement in settlements]
    moved = rng.choice([net for net in (-bet.stake, 0, bet.stake, bet.owed // 2, bet.owed * 2) if net != bet.owed])
    at = next(at for at, fact in enumerate(facts) if fact is slip.fact)
    if bet.bonus and moved <= 0:
        del facts[at]
        moved = 0
    else:
        facts[at] = settled(round, bet, moved, rng)
    where = rng.choice((at + 1, len(facts)))
    facts.insert(where, corrected(round, bet, bet.owed - moved, rng))
    return facts
