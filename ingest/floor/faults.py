"""Wrongs planted in a round before it is settled: with the wagers, the deal, the void that was due and the deck.

One wrong a round, and all else in it stays as the law has it. A way that does not fit the round answers None and changes
nothing. What can only be planted once it is known what is owed is left to `mispaid`, what happens to the feed to `feed`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from ingest.floor import irregular
from ingest.floor.felt import Bet, Fact, Round, Wrong, turn, turns
from rules import cards
from rules.decision import Wager

# A code's weight makes up for how seldom a round offers the chance of it.
WEIGHTS: Final = {
    "PAY01": 1,
    "PAY02": 1,
    "PAY03": 1,
    "PAY04": 1,
    "PAY05": 3,
    "PAY06": 1,
    "PAY07": 1,
    "PAY08": 1,
    "PAY09": 1,
    "BET01": 1,
    "BET02": 1,
    "BET03": 1,
    "BET04": 2,
    "DEAL01": 1,
    "DEAL02": 1,
    "DEAL03": 1,
    "VOID01": 1,
    "DECK01": 1,
    "DECK02": 1,
    "DECK03": 1,
    "DECK04": 10,
    "FEED01": 1,
    "FEED02": 1,
    "FEED06": 1,
}
CODES: Final = tuple(WEIGHTS)


@dataclass(slots=True)
class Memory:
    """The last rounds of a table that carry a wrong, so that no two wrongs hide each other."""

    last_wrong: int = -99
    last_feed_wrong: int = -99

    def note(self, round: Round) -> None:
        code = round.planned or (round.wrong.code if round.wrong else "")
        if code:
            self.last_wrong = round.number
        if code.startswith("FEED"):
            self.last_feed_wrong = round.number


@dataclass(frozen=True, slots=True)
class Situation:
    memory: Memory
    count_due: bool
    fifth_uncounted: bool  # four rounds of this opening went before without a count, and this one would be the fifth


Way = Callable[[Round, Random], Wrong | None]


def plan(round: Round, rng: Random, situation: Situation) -> None:
    """Plants one wrong in an honest round, or marks which one to plant when the round is settled or told."""
    for code in sorted(CODES, key=lambda code: -(rng.random() ** (1 / WEIGHTS[code]))):
        if _planted(code, round, rng, situation):
            return


def _planted(code: str, round: Round, rng: Random, situation: Situation) -> bool:
    if code in WAYS:
        round.wrong = rng.choice(WAYS[code])(round, rng)
        return round.wrong is not None
    if code == "DECK04":
        return _left_uncounted(round, situation)
    if code == "PAY09":
        if situation.count_due:
            return False
        irregular.voided(round, rng)
    # A gap after a wrong could hide it, or be told of the round before.
    if code == "FEED01" and situation.memory.last_wrong == round.number - 1:
        return False
    round.planned, round.luck = code, rng.getrandbits(64)
    return True


def _left_uncounted(round: Round, situation: Situation) -> bool:
    # What the feed lost in those five rounds could have been a count.
    if not situation.fifth_uncounted or round.number - situation.memory.last_feed_wrong <= 5:
        return False
    round.uncounted = True
    round.wrong = Wrong("DECK04")
    return True


# Wagers


def _law(round: Round, wager: str) -> Wager:
    return next(each for each in round.opening.law.wagers_of(round.opening.terms.edition) if each.name == wager)


def _placed_before_the_deal(round: Round) -> list[Bet]:
    return [bet for bet in round.bets if _law(round, bet.wager).before_deal]


def _free(round: Round) -> list[Bet]:
    """Wagers that no other of the same player leans on."""
    bets = _placed_before_the_deal(round)
    leant_on = {(bet.seat, need.wager) for bet in bets for need in _law(round, bet.wager).needs}
    return [bet for bet in bets if (bet.seat, bet.wager) not in leant_on]


def _withdraw(round: Round, seat: int, wager: str) -> None:
    round.wagering = [fact for fact in round.wagering if (fact.get("seat"), fact.get("wager")) != (seat, wager)]


def _decisions(round: Round) -> list[int]:
    """Where in the acting a fact can come between two players' turns."""
    return [at for at, fact in enumerate(round.acting) if fact["type"] == "decision_made"] + [len(round.acting)]


def _own_turn(round: Round, seat: int) -> int:
    """Where the seat decides; where the acting ends, for a seat with nothing to decide."""
    turns = (at for at, fact in enumerate(round.acting) if fact["type"] == "decision_made" and fact["seat"] == seat)
    return next(turns, len(round.acting))


def _slip_in(round: Round, fact: Fact, rng: Random) -> None:
    """Some time after "No more bets" and before the seat decides."""
    if rng.random() < 0.5:
        round.dealing.insert(rng.randrange(len(round.dealing) + 1), fact)
    else:
        turns = [at for at in _decisions(round) if at <= _own_turn(round, fact["seat"])]
        round.acting.insert(rng.choice(turns), fact)


def _placed_late(round: Round, rng: Random) -> Wrong | None:
    bets = _free(round)
    if not bets:
        return None
    bet = rng.choice(bets)
    _withdraw(round, bet.seat, bet.wager)
    fact = round.placed(bet.seat, bet.wager, bet.stake, rng)
    dealt_in = round.opening.law.dealt_in
    if any(other is not bet and other.seat == bet.seat and other.wager in dealt_in for other in round.bets):
        _slip_in(round, fact, rng)
    else:
        round.dealing.insert(0, fact)  # without these chips the seat would be dealt no cards
    return Wrong("BET01", bet.seat, bet.wager, bet.stake)


def _raised_late(round: Round, rng: Random) -> Wrong | None:
    bet = rng.choice(_placed_before_the_deal(round))
    more = rng.choice((500, bet.stake, bet.stake * 2))
    main = bet.wager == "ante"
    if main and bet.stake + more > round.opening.max_wager:
        return None
    before, bet.stake = bet.stake, bet.stake + more
    if rng.random() < 0.5:
        _slip_in(round, round.changed(bet.seat, bet.wager, bet.stake, rng), rng)
    else:
        _slip_in(round, round.placed(bet.seat, bet.wager, more, rng), rng)
    if main:
        _follow(round, bet, before)
    return Wrong("BET01", bet.seat, bet.wager, more)


def _follow(round: Round, bet: Bet, before: int) -> None:
    """A wager that must be as large as this one goes up with it."""
    for other in round.bets:
        equals = _law(round, other.wager).equals
        if other.seat == bet.seat and equals and equals.wager == bet.wager and other.stake == before:
            other.stake = bet.stake
            _chips_of(round, other)["amount"] = bet.stake


def _chips_of(round: Round, bet: Bet) -> Fact:
    return next(
        fact
        for fact in round.acting
        if fact["type"] == "wager_placed" and (fact["seat"], fact["wager"]) == (bet.seat, bet.wager)
    )


def _pulled(round: Round, rng: Random) -> Wrong | None:
    bets = _free(round)
    if not bets:
        return None
    bet = rng.choice(bets)
    left = rng.choice((0, 0, bet.stake // 2 // 100 * 100))
    fact = round.changed(bet.seat, bet.wager, left, rng)
    if bet.wager == "ante":  # once he has decided, so that the Play beside it was right when it was made
        round.acting.insert(rng.choice([at for at in _decisions(round) if at > _own_turn(round, bet.seat)]), fact)
    elif rng.random() < 0.4:
        round.dealing.insert(rng.randrange(len(round.dealing) + 1), fact)
    else:
        round.acting.insert(rng.choice(_decisions(round)), fact)
    return Wrong("BET02", bet.seat, bet.wager, bet.stake - left)


def _must_equal(round: Round) -> list[Bet]:
    return [bet for bet in round.bets if _law(round, bet.wager).equals]


def _wrong_size(round: Round, rng: Random) -> Wrong | None:
    bets = _must_equal(round)
    if not bets:
        return None
    bet = rng.choice(bets)
    bet.stake = rng.choice((bet.stake // 2, bet.stake * 2, bet.stake * 3, bet.stake + 500, bet.stake - 100))
    _chips_of(round, bet)["amount"] = bet.stake
    return Wrong("BET03", bet.seat, bet.wager, bet.stake)


def _topped_up(round: Round, rng: Random) -> Wrong | None:
    bets = _must_equal(round)
    if not bets:
        return None
    bet = rng.choice(bets)
    more = rng.choice((500, bet.stake))
    first = next(at for at, fact in enumerate(round.acting) if fact is _chips_of(round, bet))
    round.acting.insert(first + 1, round.placed(bet.seat, bet.wager, more, rng))
    bet.stake += more
    return Wrong("BET03", bet.seat, bet.wager, bet.stake)


def _wagers_at(round: Round, seat: int) -> set[str]:
    return {bet.wager for bet in round.bets if bet.seat == seat}


def _without_companion(round: Round, rng: Random) -> Wrong | None:
    """A 6 Card Bonus put down beside too little."""
    if "six_card_bonus" not in round.opening.pay_tables:
        return None
    needed = {"pair_plus"}
    if round.opening.terms.options["six_card_bonus_version"] == "ii":
        needed.add("ante")
    seats = [seat for seat in round.seats if not needed <= _wagers_at(round, seat)]
    if not seats:
        return None
    seat, stake = rng.choice(seats), rng.choice((500, 1_000))
    round.bets.append(Bet(seat, "six_card_bonus", stake))
    at = rng.randrange(len(round.wagering))
    round.wagering.insert(at, round.placed(seat, "six_card_bonus", stake, rng))
    return Wrong("BET04", seat, "six_card_bonus", stake)


def _companion_missing(round: Round, rng: Random) -> Wrong | None:
    """A 6 Card Bonus with an Ante beside it and no Pair Plus."""
    seats = [seat for seat in round.seats if {"ante", "pair_plus", "six_card_bonus"} <= _wagers_at(round, seat)]
    if not seats:
        return None
    seat = rng.choice(seats)
    _withdraw(round, seat, "pair_plus")
    round.bets = [bet for bet in round.bets if (bet.seat, bet.wager) != (seat, "pair_plus")]
    stake = next(bet.stake for bet in round.bets if (bet.seat, bet.wager) == (seat, "six_card_bonus"))
    return Wrong("BET04", seat, "six_card_bonus", stake)


def _play_without_ante(round: Round, rng: Random) -> Wrong | None:
    seats = [seat for seat in round.seats if "ante" not in _wagers_at(round, seat)]
    if not seats:
        return None
    seat, stake = rng.choice(seats), rng.choice((1, 2)) * round.opening.min_wager
    round.acting.insert(rng.choice(_decisions(round)), round.placed(seat, "play", stake, rng))
    round.bets.append(Bet(seat, "play", stake))
    return Wrong("BET04", seat, "play", stake)


# The deal


def _misdealt(round: Round, rng: Random) -> Wrong | None:
    wrong = {irregular.miscounted(round, rng, round.seats if rng.random() < 0.7 else [0])}
    if rng.random() < 0.15:
        others = [place for place in (*round.seats, 0) if place not in wrong]
        wrong.add(irregular.miscounted(round, rng, others))
    seats = [place for place in wrong if place]
    return Wrong("DEAL01", min(seats) if seats else None, amount=None)


def _reordered(round: Round, order: Sequence[int]) -> Wrong | None:
    """The same cards to the same hands in another order of turns."""
    due = [turn(fact) for fact in round.dealing]
    first = next((at for at, place in enumerate(due) if place != order[at]), None)
    if first is None:
        return None
    hands = {place: [fact for fact in round.dealing if turn(fact) == place] for place in set(due)}
    round.dealing = [hands[place].pop(0) for place in order]
    return Wrong("DEAL02", order[first] or None)


def _swapped(round: Round, rng: Random) -> Wrong | None:
    order = [turn(fact) for fact in round.dealing]
    first = rng.randrange(len(order))
    second = rng.choice([at for at in range(len(order)) if order[at] != order[first]])
    order[first], order[second] = order[second], order[first]
    return _reordered(round, order)


def _neighbours_swapped(round: Round, rng: Random) -> Wrong | None:
    order = [turn(fact) for fact in round.dealing]
    first = rng.choice([at for at in range(len(order) - 1) if order[at] != order[at + 1]])
    order[first], order[first + 1] = order[first + 1], order[first]
    return _reordered(round, order)


def _by_the_other_method(round: Round, _: Random) -> Wrong | None:
    law = round.opening.law
    order = law.deal[round.opening.dealing].order
    other = "packets" if order == "rotation" else "rotation"
    return _reordered(round, turns(other, round.seats, law.player_cards))


def _wrong_way_round(round: Round, _: Random) -> Wrong | None:
    law = round.opening.law
    order = law.deal[round.opening.dealing].order
    return _reordered(round, turns(order, round.seats[::-1], law.player_cards))


def _dealer_first(round: Round, _: Random) -> Wrong | None:
    order = [turn(fact) for fact in round.dealing]
    order.insert(0, order.pop(order.index(0)))
    return _reordered(round, order)


def _called_late(round: Round, rng: Random) -> Wrong | None:
    call = round.wagering.pop()
    round.dealing.insert(rng.choice((1, rng.randrange(1, len(round.dealing)), len(round.dealing))), call)
    return Wrong("DEAL03")


def _never_called(round: Round, _: Random) -> Wrong | None:
    round.wagering.pop()
    return Wrong("DEAL03")


def _turned_cards_passed_over(round: Round, rng: Random) -> Wrong | None:
    for _ in range(rng.choice((2, 2, 2, 3))):
        round.dealing.insert(rng.randrange(len(round.dealing)), irregular.found(round))
    return Wrong("VOID01", amount=None)


def _jam_passed_over(round: Round, rng: Random) -> Wrong | None:
    if round.opening.dealing != "automated_shoe":
        return None
    failed: Fact = {"type": "device_failed", "device": "shoe", "fault": rng.choice(irregular.FAILURES)}
    round.dealing.insert(rng.randrange(len(round.dealing) + 1), failed)
    return Wrong("VOID01", amount=None)


# The deck


def _card_again(round: Round, first: int, second: int) -> Wrong | None:
    """The second card is the first one again, unless a hand would come of it that no ranking knows."""
    again, copied = round.dealing[second], round.dealing[first]
    place, other = turn(again), turn(copied)
    hand = round.hands[place] if place else round.dealer
    after = [copied["card"] if card == again["card"] else card for card in hand]
    six_cards = {bet.seat for bet in round.bets if bet.wager == "six_card_bonus"}
    together = any({place, other} <= {seat, 0} for seat in six_cards)
    if together or (place == other and len({card[1] for card in after}) == 1):
        return None
    hand[:] = after
    again["card"] = copied["card"]
    return Wrong("DECK01", place or None)


def _dealt_twice(round: Round, rng: Random) -> Wrong | None:
    second = rng.randrange(1, len(round.dealing))
    return _card_again(round, rng.randrange(second), second)


def _dealt_twice_to_one_hand(round: Round, rng: Random) -> Wrong | None:
    place = rng.choice((*round.seats, 0))
    own = [at for at, fact in enumerate(round.dealing) if turn(fact) == place]
    first, second = sorted(rng.sample(own, 2))
    return _card_again(round, first, second)


def _joker(round: Round, rng: Random) -> Wrong | None:
    fact = rng.choice(round.dealing)
    fact["card"] = cards.JOKER
    return Wrong("DECK02", turn(fact) or None)


def _miscount_ignored(round: Round, rng: Random) -> Wrong | None:
    round.miscount = rng.choice((-3, -2, -1, -1, 1, 1, 2))
    return Wrong("DECK03")


WAYS: Final[dict[str, tuple[Way, ...]]] = {
    "BET01": (_placed_late, _raised_late),
    "BET02": (_pulled,),
    "BET03": (_wrong_size, _topped_up),
    "BET04": (_without_companion, _companion_missing, _play_without_ante),
    "DEAL01": (_misdealt,),
    "DEAL02": (_swapped, _neighbours_swapped, _by_the_other_method, _wrong_way_round, _dealer_first),
    "DEAL03": (_called_late, _never_called),
    "VOID01": (_turned_cards_passed_over, _jam_passed_over),
    "DECK01": (_dealt_twice, _dealt_twice_to_one_hand),
    "DECK02": (_joker,),
    "DECK03": (_miscount_ignored,),
}
