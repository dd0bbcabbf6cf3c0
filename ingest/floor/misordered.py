"""Winners paid in another order than from the dealer's far right, or before all losers were collected where that is the law."""

from collections import defaultdict
from random import Random

from ingest.floor.felt import Fact, Round, Wrong
from ingest.floor.settling import Settlement, losers_first


def paid_out_of_order(round: Round, money: list[Settlement], rng: Random) -> tuple[Wrong, list[Fact]] | None:
    """The same payments in another order, and the first that was out of it; None where the order says nothing."""
    if round.play.succession is losers_first and rng.random() < 0.4 and (late := _loser_left(money, rng)):
        return late
    return _winners_out_of_order(money, rng)


def _loser_left(money: list[Settlement], rng: Random) -> tuple[Wrong, list[Fact]] | None:
    """A losing wager is collected after a winner was paid: the first such winner."""
    losers = [each for each in money if each.bet.owed < 0]
    winners = [each for each in money if each.bet.owed > 0]
    if not losers or not winners:
        return None
    late = rng.choice(losers)
    others = [each for each in money if each is not late]
    first = next(at for at, each in enumerate(others) if each.bet.owed > 0)
    others.insert(rng.choice((first + 1, rng.randint(first + 1, len(others)), len(others))), late)
    return Wrong("PROC03", others[first].bet.seat, others[first].bet.wager), [each.fact for each in others]


def _winners_out_of_order(money: list[Settlement], rng: Random) -> tuple[Wrong, list[Fact]] | None:
    seats: dict[str, list[int]] = defaultdict(list)
    for settlement in money:
        if settlement.bet.owed > 0:
            seats[settlement.bet.wager].append(settlement.bet.seat)
    chances = sorted(wager for wager, paid in seats.items() if len(set(paid)) > 1)
    if not chances:
        return None
    wager = rng.choice(chances)
    first, second = rng.sample(sorted(set(seats[wager])), 2)
    facts = rng.choice((_exchanged, _from_the_left, _put_off))(money, wager, max(first, second), min(first, second))
    last: dict[str, int] = {}
    winners = {id(settlement.fact): settlement.bet for settlement in money if settlement.bet.owed > 0}
    for fact in facts:
        bet = winners.get(id(fact))
        if bet is None:
            continue
        if last.get(bet.wager, bet.seat) < bet.seat:
            return Wrong("PROC03", bet.seat, bet.wager), facts
        last[bet.wager] = bet.seat
    return None


def _exchanged(money: list[Settlement], wager: str, right: int, left: int) -> list[Fact]:
    """The payments of one wager at two seats change places."""
    facts = [settlement.fact for settlement in money]
    ours = [at for at, each in enumerate(money) if each.bet.wager == wager and each.bet.owed > 0]
    at_right = next(at for at in ours if money[at].bet.seat == right)
    at_left = next(at for at in reversed(ours) if money[at].bet.seat == left)
    facts[at_right], facts[at_left] = facts[at_left], facts[at_right]
    return facts


def _from_the_left(money: list[Settlement], _: str, __: int, ___: int) -> list[Fact]:
    """All winners the wrong way round, where they were paid."""
    places = [at for at, each in enumerate(money) if each.bet.owed > 0]
    facts = [settlement.fact for settlement in money]
    for at, other in zip(places, sorted(places, key=lambda at: money[at].bet.seat), strict=True):
        facts[at] = money[other].fact
    return facts


def _put_off(money: list[Settlement], _: str, right: int, __: int) -> list[Fact]:
    """One seat is paid when all others have been."""
    late = [each.fact for each in money if each.bet.seat == right and each.bet.owed > 0]
    return [*(each.fact for each in money if not any(each.fact is fact for fact in late)), *late]
