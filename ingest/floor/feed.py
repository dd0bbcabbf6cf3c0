"""Wrongs of the feed: an event lost on the way, one seq with two contents, a card the reader could not read."""

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from random import Random
from typing import Final

from ingest.floor.felt import Fact, Round, Wrong, turn
from rules import cards

TRIES: Final = 3


def lost(round: Round, facts: list[Fact]) -> tuple[range, int | None]:
    """Which facts never arrive, and the round that the gap is told of: that of the fact after it, else before it."""
    rng = Random(round.luck)
    first, size = rng.choice(_losable(round, facts)), rng.choice((1, 1, 1, 1, 2, 3))
    gap = range(first, first + 1)
    while len(gap) < size and gap.stop in _losable(round, facts):
        gap = range(first, gap.stop + 1)
    after = facts[gap.stop].get("round") if gap.stop < len(facts) else None
    before = facts[first - 1].get("round") if first else round.number - 1
    return gap, before if after is None else after


def _losable(round: Round, facts: list[Fact]) -> list[int]:
    """Not an opening, not the first fact of the table, not a last one that nothing follows."""
    stop = len(facts) if round.followed else len(facts) - 1
    return [at for at in range(round.number == 1, stop) if facts[at]["type"] != "table_opened"]


def contradicted(round: Round, facts: list[Fact]) -> tuple[int, Fact, bool]:
    """A fact of the round, what else the gateway sent under its seq, and whether that came first."""
    rng = Random(round.luck)
    inside = [at for at, fact in enumerate(facts) if fact.get("round") and fact["type"] != "round_ended"]
    at = rng.choice(inside)
    other = copy(facts[at])
    if rng.random() < 0.15:  # a gateway that restarted and gave a number out again
        other = copy(facts[at + 1])
        other["seq"] = facts[at]["seq"]
    elif rng.random() < 0.15:
        other["source"] = "gateway-b"
    elif "amount" in other:
        other["amount"] += rng.choice((100, 500, 10_000))
    elif "card" in other:
        other["card"] = round.stub[0]
    elif "choice" in other:
        other["choice"] = "fold" if other["choice"] == "play" else "play"
    else:
        other["source"] = "gateway-b"
    return at, other, rng.random() < 0.3


def unread(rounds: Sequence[Round], owed: Callable[[Sequence[Round]], None]) -> None:
    """Makes one card of each round unreadable, one on which a wager turns: another card there would be owed otherwise.

    A round in which no wager turns on any of the cards tried keeps them all and is left to another wrong.
    """
    tried = [
        (round, fact, _with_any_other(round, fact))
        for round in rounds
        for fact in Random(round.luck).sample(round.dealing, TRIES)
    ]
    owed([variant for _, _, variants in tried for variant in variants])
    for round, fact, variants in tried:
        if round.wrong is None and len({tuple(bet.owed for bet in variant.bets) for variant in variants}) > 1:
            fact["card"] = cards.UNREAD
            round.wrong = Wrong("FEED06", turn(fact) or None)


def _with_any_other(round: Round, fact: Fact) -> list[Round]:
    """The round with each card in this one's place that is not out elsewhere."""
    place, card = turn(fact), fact["card"]
    out = {other["card"] for other in round.dealing if other is not fact}
    variants = []
    for could_be in cards.DECK:
        if could_be not in out:
            variant = copy(round)
            variant.bets = [replace(bet) for bet in round.bets if not bet.bonus]
            hand = [could_be if each == card else each for each in (round.hands[place] if place else round.dealer)]
            if place:
                variant.hands = {**round.hands, place: hand}
            else:
                variant.dealer = hand
            variants.append(variant)
    return variants
