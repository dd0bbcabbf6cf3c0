"""The chips move, in the order of the game; mistakes are put right."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from ingest.floor.felt import Bet, Fact, Round, main_wagers

CORRECTED: Final = 0.006
# When the chips that a fold costs are collected.
FORFEITS: Final = ("at the fold", "with the rest")


@dataclass(slots=True)
class Settlement:
    bet: Bet
    fact: Fact


def settled(round: Round, bet: Bet, net: int, rng: Random) -> Fact:
    """The fact of a wager settled for `net` cents to the player."""
    result = "paid" if net > 0 else "taken" if net < 0 else "returned"
    return round.on(bet, {"type": "wager_settled", "result": result, "amount": abs(net) or bet.stake}, rng)


def corrected(round: Round, bet: Bet, amount: int, rng: Random) -> Fact:
    return round.on(bet, {"type": "settlement_corrected", "amount": amount, "by": round.supervisor}, rng)


def honest(round: Round, rng: Random) -> list[Settlement]:
    """What the law owes, in the order it is settled. In a void round every stake goes back."""
    if round.voided:
        return [Settlement(bet, settled(round, bet, 0, rng)) for bet in far_right_first(round.bets)]
    moved = [bet for bet in round.play.succession(round.bets, rng) if bet.owed or not bet.bonus]
    return [Settlement(bet, settled(round, bet, bet.owed, rng)) for bet in moved]


def far_right_first(bets: Sequence[Bet]) -> list[Bet]:
    return sorted(bets, key=lambda bet: -bet.seat)


def losers_first(bets: Sequence[Bet], _: Random) -> list[Bet]:
    """Losing wagers are collected, then winners paid, both from the dealer's far right."""
    return sorted(bets, key=lambda bet: (bet.owed >= 0, -bet.seat))


def at_the_fold(round: Round, _: Random) -> None:
    """At some tables what a player loses by folding is collected in his turn."""
    if round.voided or round.wrong is not None or round.opening.customs["forfeits"] != "at the fold":
        return
    lost = [fact for fact in round.settling if _is_forfeited(round, fact)]
    round.settling = [fact for fact in round.settling if not any(fact is each for each in lost)]
    round.acting = [
        told
        for fact in round.acting
        for told in (fact, *(each for each in lost if fact.get("choice") == "fold" and fact["seat"] == each["seat"]))
    ]


def _is_forfeited(round: Round, fact: Fact) -> bool:
    """Whether these are the chips of a folder that were staked on his hand, whatever it was."""
    if fact["type"] != "wager_settled" or fact["result"] != "taken" or round.choices.get(fact["seat"]) != "fold":
        return False
    law, mains = round.law(fact["wager"]), main_wagers(round.opening)
    return law.name in mains or (law.equals is not None and law.equals.wager in mains)


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
