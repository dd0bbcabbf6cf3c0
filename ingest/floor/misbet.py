"""Wrongs with the wagers: late, pulled, of the wrong size, without the one they need."""

from collections.abc import Sequence
from random import Random
from typing import Final

from ingest.floor.felt import Bet, Fact, Round, Way, Wrong, main_wagers, needed, offered


def before_the_deal(round: Round) -> list[Bet]:
    return [bet for bet in round.bets if round.law(bet.wager).before_deal]


def after_the_deal(round: Round) -> list[Bet]:
    return [bet for bet in round.bets if not round.law(bet.wager).before_deal]


def _free(round: Round) -> list[Bet]:
    """Wagers that no other of the same player leans on."""
    bets = before_the_deal(round)
    leant_on = {(bet.seat, name) for bet in bets for name in needed(round.opening, round.law(bet.wager))}
    return [bet for bet in bets if (bet.seat, bet.wager) not in leant_on]


def wagers_at(round: Round, seat: int) -> dict[str, Bet]:
    return {bet.wager: bet for bet in round.bets if bet.seat == seat}


def withdraw(round: Round, bet: Bet) -> None:
    """As though nobody had ever touched these chips."""
    round.wagering = [fact for fact in round.wagering if not round.lies_where(bet, fact)]
    round.acting = [fact for fact in round.acting if not round.lies_where(bet, fact)]


def restake(round: Round, bet: Bet, stake: int) -> None:
    """As though the chips had been put down in one move, and so many."""
    for phase in (round.wagering, round.acting):
        own = [at for at, fact in enumerate(phase) if round.lies_where(bet, fact)]
        if own:
            phase[own[0]]["type"] = "wager_placed"
            phase[own[0]]["amount"] = stake
            for at in reversed(own[1:]):
                del phase[at]
    bet.stake = stake


def between_turns(round: Round) -> list[int]:
    """Where in the acting a fact can come between two players' turns."""
    return [at for at, fact in enumerate(round.acting) if fact["type"] == "decision_made"] + [len(round.acting)]


def _own_turns(round: Round, seat: int) -> list[int]:
    """Where the seat decides."""
    return [at for at, fact in enumerate(round.acting) if fact["type"] == "decision_made" and fact["seat"] == seat]


def _slip_in(round: Round, fact: Fact, rng: Random) -> None:
    """Some time after "No more bets" and before the seat decides."""
    if rng.random() < 0.5:
        round.dealing.insert(rng.randrange(len(round.dealing) + 1), fact)
    else:
        own = _own_turns(round, fact["seat"])
        round.acting.insert(rng.choice([at for at in between_turns(round) if not own or at <= own[0]]), fact)


# Late and pulled


def _placed_late(round: Round, rng: Random) -> Wrong | None:
    bets = _free(round)
    if not bets:
        return None
    bet = rng.choice(bets)
    withdraw(round, bet)
    fact = round.placed(bet, bet.stake, rng)
    dealt_in = round.opening.law.dealt_in
    if any(other is not bet and other.seat == bet.seat and other.wager in dealt_in for other in round.bets):
        _slip_in(round, fact, rng)
    else:
        round.dealing.insert(0, fact)  # without these chips the seat would be dealt no cards
    return Wrong("BET01", bet.seat, bet.wager, bet.stake)


def _raised_late(round: Round, rng: Random) -> Wrong | None:
    bet = rng.choice(before_the_deal(round))
    more = rng.choice((500, bet.stake, bet.stake * 2))
    main = bet.wager in main_wagers(round.opening)
    if main and bet.stake + more > round.opening.max_wager:
        return None
    before, bet.stake = bet.stake, bet.stake + more
    if rng.random() < 0.5:
        _slip_in(round, round.changed(bet, bet.stake, rng), rng)
    else:
        _slip_in(round, round.placed(bet, more, rng), rng)
    if main:
        _follow(round, bet, before)
    return Wrong("BET01", bet.seat, bet.wager, more)


def _added_after_the_show(round: Round, rng: Random) -> Wrong | None:
    """Chips on a wager that leans on nothing, put down or added when the dealer's cards lie there."""
    bets = [
        bet
        for bet in _free(round)
        if round.choices.get(bet.seat) != "fold" and bet.wager not in main_wagers(round.opening)
    ]
    if not bets:
        return None
    bet = rng.choice(bets)
    more = rng.choice((500, bet.stake))
    bet.stake += more
    fact = round.changed(bet, bet.stake, rng) if rng.random() < 0.5 else round.placed(bet, more, rng)
    round.showing.append(fact)
    return Wrong("BET01", bet.seat, bet.wager, more)


def _follow(round: Round, bet: Bet, before: int) -> None:
    """Who decides after his wager went up bets by what lies there."""
    for other in after_the_deal(round):
        if other.seat == bet.seat and bet.wager in needed(round.opening, round.law(other.wager)):
            restake(round, other, other.stake // before * bet.stake)


def _lowered(round: Round, rng: Random) -> Wrong | None:
    bet = rng.choice(before_the_deal(round))
    left = rng.choice((bet.stake // 2 // 100 * 100, bet.stake - 500))
    return _taken_off(round, bet, left, rng) if left > 0 else None


def _withdrawn(round: Round, rng: Random) -> Wrong | None:
    return _taken_off(round, rng.choice(before_the_deal(round)), 0, rng)


def _taken_off(round: Round, bet: Bet, left: int, rng: Random) -> Wrong | None:
    fact = round.changed(bet, left, rng)
    own = _own_turns(round, bet.seat)
    if bet.wager in main_wagers(
        round.opening
    ):  # once he has decided, so that what he then bet was right when he bet it
        if not own:
            return None
        round.acting.insert(rng.choice([at for at in between_turns(round) if at > own[-1]]), fact)
    elif rng.random() < 0.4:
        round.dealing.insert(rng.randrange(len(round.dealing) + 1), fact)
    else:
        round.acting.insert(rng.choice(between_turns(round)), fact)
    return Wrong("BET02", bet.seat, bet.wager, bet.stake - left)


def _taken_off_after_the_show(round: Round, rng: Random) -> Wrong | None:
    """He has seen the dealer's cards."""
    bet = rng.choice(before_the_deal(round))
    left = rng.choice((0, bet.stake // 2 // 100 * 100))
    round.showing.append(round.changed(bet, left, rng))
    return Wrong("BET02", bet.seat, bet.wager, bet.stake - left)


def _taken_off_bit_by_bit(round: Round, rng: Random) -> Wrong | None:
    bet = rng.choice(before_the_deal(round))
    half = bet.stake // 2 // 100 * 100
    if half <= 0:
        return None
    left = rng.choice((0, half // 2 // 100 * 100))
    round.showing.append(round.changed(bet, half, rng))
    round.showing.append(round.changed(bet, left, rng))
    return Wrong("BET02", bet.seat, bet.wager, bet.stake - left)


# Of the wrong size


def _allowed(round: Round, bet: Bet) -> set[int]:
    """The only amounts that this wager may have; none where it is free."""
    law, beside = round.law(bet.wager), wagers_at(round, bet.seat)
    if law.equals:
        return {beside[law.equals.wager].stake}
    if law.before_deal or bet.seat not in round.raised_on:
        return set()
    main = beside[law.needs[0].wager].stake
    return {main * times for times in round.raised_on[bet.seat].raises}


def _bound(round: Round, bets: Sequence[Bet]) -> list[Bet]:
    return [bet for bet in bets if _allowed(round, bet)]


def _wrong_size(round: Round, rng: Random) -> Wrong | None:
    bets = _bound(round, round.bets)
    if not bets:
        return None
    bet = rng.choice(bets)
    allowed = _allowed(round, bet)
    one = min(allowed)
    multiples = {one * times for times in range(2, 6)} - allowed
    others = {one // 2, one * 3 // 2, one - 100, *(each + 500 for each in allowed)} - allowed
    restake(round, bet, rng.choice(sorted(size for size in rng.choice((multiples, others)) if size > 0)))
    return Wrong("BET03", bet.seat, bet.wager, bet.stake)


def _topped_up(round: Round, rng: Random) -> Wrong | None:
    bets = _bound(round, after_the_deal(round))
    if not bets:
        return None
    bet = rng.choice(bets)
    more = rng.choice((500, bet.stake, max(_allowed(round, bet))))
    if bet.stake + more in _allowed(round, bet):
        return None
    last = max(at for at, fact in enumerate(round.acting) if round.lies_where(bet, fact))
    round.acting.insert(last + 1, round.placed(bet, more, rng))
    bet.stake += more
    return Wrong("BET03", bet.seat, bet.wager, bet.stake)


def _stayed_in_without_chips(round: Round, rng: Random) -> Wrong | None:
    bets = after_the_deal(round)
    if not bets:
        return None
    bet = rng.choice(bets)
    withdraw(round, bet)
    round.bets = [other for other in round.bets if other is not bet]
    return Wrong("BET03", bet.seat, bet.wager, 0)


# Without the one they need


def _put_down_alone(round: Round, rng: Random) -> Wrong | None:
    """A wager beside too little, at a seat that is in the round or by somebody who sits it out."""
    wagers = [
        wager
        for wager in offered(round.opening)
        if wager.before_deal and wager.name not in round.opening.law.dealt_in and needed(round.opening, wager)
    ]
    chances = [
        Bet(seat, wager.name, rng.choice((500, 1_000)))
        for wager in wagers
        for seat in round.players
        if wager.name not in wagers_at(round, seat)
        and not set(needed(round.opening, wager)) <= set(wagers_at(round, seat))
    ]
    if not chances:
        return None
    bet = rng.choice(chances)
    withdraw(round, bet)
    round.bets.append(bet)
    round.wagering.insert(rng.randrange(len(round.wagering)), round.placed(bet, bet.stake, rng))
    return Wrong("BET04", bet.seat, bet.wager, bet.stake)


def _companion_left_out(round: Round, rng: Random) -> Wrong | None:
    """Of two wagers that belong together the one that the other leans on, and nothing else does, is not there."""
    chances = []
    for bet in before_the_deal(round):
        beside = wagers_at(round, bet.seat)
        for name in needed(round.opening, round.law(bet.wager)):
            leaning = [each for each in beside if name in needed(round.opening, round.law(each))]
            dealt_in = (set(beside) - {name}) & set(round.opening.law.dealt_in)
            if name in beside and leaning == [bet.wager] and dealt_in:
                chances.append((bet, beside[name]))
    if not chances:
        return None
    bet, companion = rng.choice(chances)
    withdraw(round, companion)
    round.bets = [other for other in round.bets if other is not companion]
    if any(companion.wager in needed(round.opening, round.law(later)) for later in round.opening.law.staked.values()):
        # Who has no Ante has nothing to decide.
        round.acting = [
            fact for fact in round.acting if (fact["type"], fact.get("seat")) != ("decision_made", companion.seat)
        ]
    return Wrong("BET04", bet.seat, bet.wager, bet.stake)


def _later_without_its_main(round: Round, rng: Random) -> Wrong | None:
    """Chips where only somebody who is in the round may put them."""
    chances = [
        Bet(seat, wager.name, rng.choice((1, 2)) * round.opening.min_wager)
        for wager in offered(round.opening)
        if not wager.before_deal
        for seat in round.players
        if not set(needed(round.opening, wager)) & set(wagers_at(round, seat))
    ]
    if not chances:
        return None
    bet = rng.choice(chances)
    round.acting.insert(rng.choice(between_turns(round)), round.placed(bet, bet.stake, rng))
    round.bets.append(bet)
    return Wrong("BET04", bet.seat, bet.wager, bet.stake)


WAYS: Final[dict[str, tuple[Way, ...]]] = {
    "BET01": (_placed_late, _raised_late, _added_after_the_show),
    "BET02": (_lowered, _withdrawn, _taken_off_after_the_show, _taken_off_bit_by_bit),
    "BET03": (_wrong_size, _topped_up, _stayed_in_without_chips),
    # Who sits a round out gives the chance of two of them, which few rounds do.
    "BET04": (*[_put_down_alone] * 3, *[_later_without_its_main] * 3, _companion_left_out),
}
