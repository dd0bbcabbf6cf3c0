"""Wrongs planted with the money, once it is known what every wager is owed: PAY01 to PAY09."""

from collections.abc import Callable
from random import Random
from typing import Final

from ingest.floor.felt import Bet, Fact, Round, Wrong, bonuses, offered
from ingest.floor.settling import Settlement, corrected, settled
from rules.decision import tables_of

Money = list[Settlement]
Outcome = tuple[Wrong, list[Fact]]


def plant(code: str, round: Round, money: Money, rng: Random) -> Outcome:
    """The wrong of this code, or where the round offers no chance of it, of another. A rare chance is taken more often."""
    if round.voided:
        return _money_in_a_void_round(round, money, rng)
    codes = [each for each in WAYS if each != code]
    rng.shuffle(codes)
    codes.insert(0, code)
    if rng.random() < 0.5:
        codes[:0] = round.play.seldom
    for each in codes:
        outcome = WAYS[each](round, money, rng) if each in WAYS else None
        if outcome is not None:
            return outcome
    raise AssertionError("a stake can always be left lying")


def _other_prizes(round: Round, settlement: Settlement) -> list[int]:
    """What the wager would pay by another line or column of its pay table."""
    bet = settlement.bet
    tables = tables_of(round.law(bet.wager))
    prizes = {prize for table in tables for column in table.columns for prize in column.prizes.values()}
    return sorted(int(bet.stake * prize.odds) for prize in prizes if prize.fixed == 0)


def _as(money: Money, chosen: Settlement, *facts: Fact) -> list[Fact]:
    """All settlements, with these facts in place of the chosen one's."""
    told: list[Fact] = []
    for settlement in money:
        told += facts if settlement is chosen else (settlement.fact,)
    return told


def _moved(round: Round, money: Money, chosen: Settlement, net: int, rng: Random) -> list[Fact]:
    bet = chosen.bet
    return _as(money, chosen, settled(round, bet, net, rng))


def _then_corrected(round: Round, money: Money, chosen: Settlement, by: int, rng: Random) -> list[Fact]:
    bet = chosen.bet
    facts = [settlement.fact for settlement in money]
    at = next(at for at, settlement in enumerate(money) if settlement is chosen)
    facts.insert(rng.choice((at + 1, len(facts))), corrected(round, bet, by, rng))
    return facts


def _wrong(code: str, chosen: Settlement, amount: int) -> Wrong:
    return Wrong(code, chosen.bet.seat, chosen.bet.wager, amount)


def _one(money: Money, rng: Random) -> Settlement:
    """One of these, a seldom wager as likely as a common one."""
    wager = rng.choice(sorted({settlement.bet.wager for settlement in money}))
    return rng.choice([settlement for settlement in money if settlement.bet.wager == wager])


def _winners(money: Money) -> Money:
    return [settlement for settlement in money if settlement.bet.owed > 0]


def _losers(money: Money) -> Money:
    return [settlement for settlement in money if settlement.bet.owed < 0]


def _pushes(money: Money) -> Money:
    return [settlement for settlement in money if settlement.bet.owed == 0]


def _overpaid(round: Round, money: Money, rng: Random) -> Outcome | None:
    if not _winners(money):
        return None
    chosen = _one(_winners(money), rng)
    owed, stake = chosen.bet.owed, chosen.bet.stake
    sums = {owed + stake, owed * 2, owed + 500, owed * 10, *_other_prizes(round, chosen)}
    paid = rng.choice(sorted(each for each in sums if each > owed))
    wrong = _wrong("PAY01", chosen, paid - owed)
    way = rng.random()
    if way < 0.75:
        return wrong, _moved(round, money, chosen, paid, rng)
    if way < 0.9:
        return wrong, _then_corrected(round, money, chosen, paid - owed, rng)
    first = settled(round, chosen.bet, paid + stake, rng)
    taken_back = corrected(round, chosen.bet, -stake, rng)
    return wrong, _as(money, chosen, first, taken_back)


def _underpaid(round: Round, money: Money, rng: Random) -> Outcome | None:
    if not _winners(money):
        return None
    chosen = _one(_winners(money), rng)
    owed, stake = chosen.bet.owed, chosen.bet.stake
    sums = {owed - 100, owed // 2, owed - stake, *_other_prizes(round, chosen)}
    paid = rng.choice(sorted(each for each in sums if 0 < each < owed))
    wrong = _wrong("PAY02", chosen, paid - owed)
    if rng.random() < 0.8:
        return wrong, _moved(round, money, chosen, paid, rng)
    return wrong, _then_corrected(round, money, chosen, paid - owed, rng)


def _loser_not_taken(round: Round, money: Money, rng: Random) -> Outcome | None:
    if not _losers(money):
        return None
    chosen = _one(_losers(money), rng)
    owed, stake = chosen.bet.owed, chosen.bet.stake
    prizes = _other_prizes(round, chosen) or [stake]
    net = rng.choice((0, 0, stake, stake * 2, rng.choice(prizes), owed + 100, owed // 2, owed - 500, owed * 2))
    wrong = _wrong("PAY03", chosen, net - owed)
    if rng.random() < 0.8:
        return wrong, _moved(round, money, chosen, net, rng)
    return wrong, _then_corrected(round, money, chosen, net - owed, rng)


def _winner_taken(round: Round, money: Money, rng: Random) -> Outcome | None:
    winners = [settlement for settlement in _winners(money) if not settlement.bet.bonus]
    if not winners:
        return None
    chosen = _one(winners, rng)
    net = rng.choice((0, -chosen.bet.stake))
    return _wrong("PAY04", chosen, net - chosen.bet.owed), _moved(round, money, chosen, net, rng)


def _push_moved(round: Round, money: Money, rng: Random) -> Outcome | None:
    if not _pushes(money):
        return None
    chosen = rng.choice(_pushes(money))
    stake = chosen.bet.stake
    prizes = _other_prizes(round, chosen) or [stake]
    net = rng.choice((-stake, -stake, stake, stake, stake * 2, rng.choice(prizes)))
    wrong = _wrong("PAY05", chosen, net)
    if rng.random() < 0.85:
        return wrong, _moved(round, money, chosen, net, rng)
    return wrong, _then_corrected(round, money, chosen, net, rng)


def _bonus_missed(_: Round, money: Money, rng: Random) -> Outcome | None:
    bonuses = [settlement for settlement in money if settlement.bet.bonus]
    if not bonuses:
        return None
    chosen = rng.choice(bonuses)
    return _wrong("PAY06", chosen, -chosen.bet.owed), _as(money, chosen)


def _unsettled(_: Round, money: Money, rng: Random) -> Outcome | None:
    chosen = _one([settlement for settlement in money if not settlement.bet.bonus], rng)
    return _wrong("PAY07", chosen, 0), _as(money, chosen)


def _paid_for_nothing(round: Round, money: Money, rng: Random) -> Outcome | None:
    return rng.choice((_bonus_for_nothing, _nobodys_wager, _settled_twice))(round, money, rng)


def _slipped_in(money: Money, fact: Fact, rng: Random) -> list[Fact]:
    facts = [settlement.fact for settlement in money]
    facts.insert(rng.randrange(len(facts) + 1), fact)
    return facts


def _bonus_for_nothing(round: Round, money: Money, rng: Random) -> Outcome | None:
    owed = {(settlement.bet.seat, settlement.bet.wager) for settlement in money if settlement.bet.bonus}
    empty = [
        (seat, bonus)
        for bonus in bonuses(round.opening)
        for seat in round.seats
        if (seat, bonus.name) not in owed and round.starts_at(seat)
    ]
    if not empty:
        return None
    seat, bonus = rng.choice(empty)
    assert bonus.pay_table is not None
    odds, fixed = rng.choice(sorted((prize.odds, prize.fixed) for prize in bonus.pay_table.columns[0].prizes.values()))
    cents = int(odds * next(bet.stake for bet in round.bets if bet.seat == seat)) + fixed
    fact = settled(round, Bet(seat, bonus.name, 0), cents, rng)
    return Wrong("PAY08", seat, bonus.name, cents), _slipped_in(money, fact, rng)


def _nobodys_wager(round: Round, money: Money, rng: Random) -> Outcome | None:
    touched = {(fact["seat"], fact["wager"]) for fact in round.wagering if "wager" in fact}
    touched |= {(bet.seat, bet.wager) for bet in round.bets}
    empty = [
        (seat, wager.name)
        for seat in range(1, round.opening.seats + 1)
        for wager in offered(round.opening)
        if (seat, wager.name) not in touched
    ]
    if not empty:
        return None
    seat, wager = rng.choice(empty)
    cents = rng.choice((1, 1, 1, -1)) * rng.choice((500, 1_000, round.opening.min_wager))
    fact = settled(round, Bet(seat, wager, 0), cents, rng)
    return Wrong("PAY08", seat, wager, cents), _slipped_in(money, fact, rng)


def _settled_twice(round: Round, money: Money, rng: Random) -> Outcome | None:
    moved = [settlement for settlement in money if settlement.bet.owed]
    if not moved:
        return None
    chosen = _one(moved, rng)
    bet = chosen.bet
    again = rng.choice((bet.owed, bet.owed, bet.stake)) if bet.owed > 0 else bet.owed
    facts = [settlement.fact for settlement in money]
    at = next(at for at, settlement in enumerate(money) if settlement is chosen)
    facts.insert(rng.randrange(at + 1, len(facts) + 1), settled(round, bet, again, rng))
    return _wrong("PAY08", chosen, again), facts


def _money_in_a_void_round(round: Round, money: Money, rng: Random) -> Outcome:
    chosen = _one(money, rng)
    bet = chosen.bet
    way = rng.random()
    if way < 0.2:
        return _wrong("PAY09", chosen, 0), _as(money, chosen)
    if way < 0.35 and bonuses(round.opening) and round.starts_at(bet.seat):
        bonus = rng.choice(bonuses(round.opening)).name
        fact = settled(round, Bet(bet.seat, bonus, 0), bet.stake, rng)
        return Wrong("PAY09", bet.seat, bonus, bet.stake), _slipped_in(money, fact, rng)
    if way < 0.45:
        return _wrong("PAY09", chosen, bet.stake), _then_corrected(round, money, chosen, bet.stake, rng)
    net = -bet.stake if way < 0.75 else rng.choice((bet.stake, bet.stake * 2, 500))
    return _wrong("PAY09", chosen, net), _moved(round, money, chosen, net, rng)


WAYS: Final[dict[str, Callable[[Round, Money, Random], Outcome | None]]] = {
    "PAY01": _overpaid,
    "PAY02": _underpaid,
    "PAY03": _loser_not_taken,
    "PAY04": _winner_taken,
    "PAY05": _push_moved,
    "PAY06": _bonus_missed,
    "PAY07": _unsettled,
    "PAY08": _paid_for_nothing,
}
