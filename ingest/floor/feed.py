"""Wrongs of the feed: an event lost on the way, one seq with two contents, a card the reader could not read."""

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from datetime import datetime, timedelta
from random import Random
from typing import Final

from ingest.floor.felt import BURN, COMMUNITY, DEALER, Fact, Round, Wrong, place, seat_of
from rules import cards

TRIES: Final = 3
_KEPT: Final = ("stub_counted", "deck_shuffled", "deck_cut")  # what the table goes on from

Owed = Callable[[Sequence[Round]], None]


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
    """Not an opening, not the first fact of the table, not a last one that nothing follows.

    Nor who sits where, in a game in which others bet on his box: his chips and theirs could not be told apart from then on.
    """
    stop = len(facts) if round.followed else len(facts) - 1
    kept = {"table_opened"}
    if round.opening.law.bettors_on_a_box > 1:
        kept |= {"player_seated", "player_left"}
    return [at for at in range(round.number == 1, stop) if facts[at]["type"] not in kept]


def broken_off(round: Round, facts: list[Fact]) -> list[Fact]:
    """What was told of a round that nobody saw end: all but its end, or no more than up to some moment after the count."""
    rng = Random(round.luck)
    first = 1 + max((at for at, fact in enumerate(facts) if fact["type"] in _KEPT), default=0)
    return facts[: rng.choice((len(facts) - 1, rng.randrange(first, len(facts)), first))]


def set_back(round: Round, facts: list[Fact]) -> int | None:
    """The clock jumps back for one fact, or until the round has ended. Answers the round of the fact at which it does."""
    rng = Random(round.luck)
    at = rng.randrange(1, len(facts))
    first = datetime.fromisoformat(facts[at]["at"])
    before = datetime.fromisoformat(facts[at - 1]["at"])
    by = first - before + timedelta(milliseconds=rng.choice((1, 250, 5_000, 240_000)))
    ends = next((place for place in range(at, len(facts)) if facts[place]["type"] == "round_ended"), at)
    for fact in facts[at : (ends if rng.random() < 0.4 else at) + 1]:
        moment = datetime.fromisoformat(fact["at"]) - by
        fact["at"] = moment.isoformat().removesuffix("+00:00") + "Z"
    return facts[at].get("round")


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
        other["card"] = next(card for card in (*round.stub, *cards.DECK) if card != other["card"])
    elif "choice" in other:
        other["choice"] = rng.choice([each for each in round.opening.law.choices if each != other["choice"]])
    else:
        other["source"] = "gateway-b"
    return at, other, rng.random() < 0.3


def unread(rounds: Sequence[Round], owed: Owed) -> None:
    """Makes one card of each round unreadable, one on which a wager turns: another card there would be owed otherwise.

    A round in which no wager turns on any of the cards tried keeps them all and is left to another wrong.
    """
    for round, fact, turns in _tried(rounds, owed, _not_out_elsewhere):
        if turns and round.wrong is None:
            fact["card"] = cards.UNREAD
            round.wrong = Wrong("FEED06", seat_of(place(fact)))


def unread_in_vain(rounds: Sequence[Round], owed: Owed) -> None:
    """Makes one card of each round unreadable, one on which nothing turns, if there is one among those tried."""
    done: set[int] = set()
    for round, fact, turns in _tried(rounds, owed, _not_seen_beside_it):
        if not turns and id(round) not in done:
            done.add(id(round))
            fact["card"] = cards.UNREAD


def _tried(
    rounds: Sequence[Round], owed: Owed, could_be: Callable[[Round, Fact], set[str]]
) -> list[tuple[Round, Fact, bool]]:
    """Some cards of each round, and whether any wager turns on them."""
    tried = [
        (round, fact, _with_any_other(round, fact, could_be(round, fact)))
        for round in rounds
        for fact in Random(round.luck).sample(round.cards, TRIES)
    ]
    owed([variant for _, _, variants in tried for variant in variants])
    return [
        (round, fact, len({tuple(bet.owed for bet in variant.bets) for variant in variants}) > 1)
        for round, fact, variants in tried
    ]


def _not_out_elsewhere(round: Round, fact: Fact) -> set[str]:
    return set(cards.DECK) - {other["card"] for other in round.cards if other is not fact}


def _not_seen_beside_it(round: Round, fact: Fact) -> set[str]:
    """Any card that is not in the same hand or among those that all share: what somebody knows who looks at one hand alone."""
    shared = {place(fact), DEALER, COMMUNITY}
    return set(cards.DECK) - {other["card"] for other in round.cards if other is not fact and place(other) in shared}


def _with_any_other(round: Round, fact: Fact, could_be: set[str]) -> list[Round]:
    """The round with each of these cards in this one's place. One that was discarded was read then, if not when it was dealt."""
    where, card = place(fact), fact["card"]
    if where == BURN or round.discards.get(where) == card:
        return []
    variants = []
    for other in sorted(could_be):
        variant = copy(round)
        variant.swap(where, card, other)
        if where > 0:  # nobody else's wagers turn on it
            variant.hands = {where: variant.hands[where]}
        variant.bets = [replace(bet) for bet in round.bets if not bet.bonus and bet.seat in variant.hands]
        variants.append(variant)
    return variants
