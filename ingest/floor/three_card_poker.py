"""Three Card Poker as it is played: what a table opens with, what people bet and decide, and what the law then owes."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from random import Random
from typing import Final

import polars as pl

from ingest.floor.felt import Bet, Fact, Opening, Round, dealt, turns
from ingest.floor.people import Player
from rules import cards, ranking
from rules.decision import Wager, settle
from rules.three_card_poker import DEALER, GAME, PLAYER

EDITIONS: Final = ("1998", "2000", "6-card-bonus")
# A hand-dealt game needs a shuffler (19:47-20.8(b)1), and so does a second deck (19:47-20.2(b)).
METHODS: Final = (
    ("manual_shoe", "none", 1),
    ("hand", "automated", 2),
    ("automated_shoe", "counting", 1),
    ("manual_shoe", "automated", 1),
    ("hand", "counting", 2),
    ("automated_shoe", "automated", 2),
    ("manual_shoe", "counting", 2),
    ("hand", "automated", 1),
    ("automated_shoe", "none", 1),
    ("manual_shoe", "automated", 2),
    ("hand", "counting", 1),
    ("automated_shoe", "counting", 2),
    ("manual_shoe", "counting", 1),
    ("automated_shoe", "automated", 1),
)
# The Ante bonus 1/5/6 goes only with Pair Plus 33/35 (19:47-20.11(a)3i).
COLUMNS: Final = (("1", "1"), ("2", "2"), ("2", "1"))
LIMITS: Final = ((500, 20_000), (1_000, 50_000), (1_500, 100_000), (2_500, 250_000), (10_000, 500_000))
QUEEN_SIX_FOUR: Final = ranking.three_card_value("QC 6D 4H")
HAND_CARDS: Final = 3
SPARE: Final = 6  # cards off the top of the stub that a round may need beyond the deal


def opening(rng: Random, nth: int) -> Opening:
    """The terms of the nth opening. Editions, methods and columns take turns, so that a small floor has seen them all."""
    edition = EDITIONS[nth % 3]
    dealing, shuffler, decks = METHODS[nth % len(METHODS)]
    pair_plus, ante_bonus = ("1", "1") if edition == "1998" else COLUMNS[nth // 3 % 3]
    pay_tables = {"pair_plus": pair_plus, "ante_bonus": ante_bonus}
    if pair_plus == ante_bonus == "1" and rng.random() < 0.2:
        del pay_tables["ante_bonus"]  # the column that is in force where none is elected
    options: dict[str, str] = {}
    if edition == "6-card-bonus" and rng.random() < 0.95:
        column = "ABCDEF"[nth // 3 % 6]
        pay_tables["six_card_bonus"] = column
        version = "ii" if column in "EF" else rng.choice(("i", "ii"))
        if version == "ii" or rng.random() < 0.7:
            options["six_card_bonus_version"] = version
    low, high = rng.choice(LIMITS)
    return Opening(
        law=GAME,
        terms=GAME.elect(edition, pay_tables, options),
        pay_tables=pay_tables,
        options=options,
        dealing=dealing,
        shuffler=shuffler,
        decks=decks,
        seats=rng.choice((5, 6, 7, 7)),
        min_wager=low,
        max_wager=high,
    )


def plan(round: Round, rng: Random) -> None:
    """An honest round without incident, up to the dealer's cards being turned over."""
    seated = sorted(round.players)
    betting = [seat for seat in seated if rng.random() > 0.06] or [rng.choice(seated)]
    chips = {seat: _chips(round, round.players[seat], rng) for seat in betting}
    round.bets = [Bet(seat, wager, stake) for seat in betting for wager, stake in chips[seat].items()]
    round.wagering = _wagering(round, chips, rng)
    deck = rng.sample(cards.DECK, HAND_CARDS * (len(betting) + 1) + SPARE)
    round.hands = {seat: [] for seat in betting}
    for place in turns(GAME.deal[round.opening.dealing].order, betting, HAND_CARDS):
        card = deck.pop()
        (round.hands[place] if place else round.dealer).append(card)
        round.dealing.append(dealt(place, card))
    round.stub = deck
    for seat in betting:
        ante = chips[seat].get("ante")
        if ante:
            _decide(round, seat, ante, rng)
    round.showing = [{"type": "dealer_revealed"}]


def _chips(round: Round, player: Player, rng: Random) -> dict[str, int]:
    low, high = round.opening.min_wager, round.opening.max_wager
    stake = min(high, low * player.units + (low if rng.random() < 0.2 else 0))
    side = max(500, stake // rng.choice((1, 1, 2, 5)) // 500 * 500)
    likes = rng.random()
    if likes > player.side_bets:
        return {"ante": stake}
    chips = {"pair_plus": side} if likes < 0.12 else {"ante": stake, "pair_plus": side}
    if "six_card_bonus" in round.opening.pay_tables and rng.random() < player.side_bets:
        version = round.opening.terms.options["six_card_bonus_version"]
        if "ante" in chips or version == "i":
            chips["six_card_bonus"] = rng.choice((500, 500, 1_000, 2_500))
    return chips


def _wagering(round: Round, chips: dict[int, dict[str, int]], rng: Random) -> list[Fact]:
    """Chips put down in any order and, by some, thought better of before "No more bets"."""
    facts: list[Fact] = []
    second_thoughts: list[Fact] = []
    order = list(chips)
    if rng.random() < 0.4:
        rng.shuffle(order)
    for seat in order:
        fidgets = round.players[seat].fidgets
        for wager, stake in chips[seat].items():
            if fidgets and rng.random() < fidgets:
                first, later = _in_two_moves(round, seat, wager, stake, rng)
                facts.append(first)
                second_thoughts.append(later)
            else:
                facts.append(round.placed(seat, wager, stake, rng))
        if fidgets and rng.random() < fidgets / 4 and "pair_plus" not in chips[seat]:
            facts.append(round.placed(seat, "pair_plus", 500, rng))
            second_thoughts.append(round.changed(seat, "pair_plus", 0, rng))
    return [*facts, *second_thoughts, {"type": "no_more_bets"}]


def _in_two_moves(round: Round, seat: int, wager: str, stake: int, rng: Random) -> tuple[Fact, Fact]:
    if rng.random() < 0.4 and stake >= 1_000:
        part = rng.randrange(500, stake, 500)
        return round.placed(seat, wager, part, rng), round.placed(seat, wager, stake - part, rng)
    other = rng.choice((stake + 500, stake * 2, max(500, stake // 2)))
    return round.placed(seat, wager, other, rng), round.changed(seat, wager, stake, rng)


def _decide(round: Round, seat: int, ante: int, rng: Random) -> None:
    plays = _worth(round.hands[seat]) >= QUEEN_SIX_FOUR
    if rng.random() > round.players[seat].sense:
        plays = rng.random() < 0.5
    round.acting.append({"type": "decision_made", "seat": seat, "choice": "play" if plays else "fold"})
    if plays:
        round.acting.append(round.placed(seat, "play", ante, rng))
        round.bets.append(Bet(seat, "play", ante))
        round.played.add(seat)


@cache
def _worths() -> list[int]:
    """The value of every ordered three cards: what a player sees in his hand."""
    every = pl.DataFrame(list(product(range(52), repeat=3)), schema=list(PLAYER), orient="row")
    named = every.select(
        pl.lit(pl.Series(cards.DECK, dtype=cards.CARD)).gather(pl.col(name)).alias(name) for name in PLAYER
    )
    value, _ = ranking.three_card_bounds(*(pl.col(name) for name in PLAYER))
    return named.select(value.alias("value")).get_column("value").to_list()


def _worth(hand: Sequence[str]) -> int:
    first, second, third = (cards.CODE[card] for card in hand)
    return _worths()[(first * 52 + second) * 52 + third]


@dataclass(slots=True)
class _Lying:
    """All bets under one law: where their hands stand in the frame, and the column elected for them."""

    rows: list[int] = field(default_factory=list)
    columns: list[str | None] = field(default_factory=list)
    bets: list[Bet] = field(default_factory=list)


def owed(rounds: Sequence[Round]) -> None:
    """Fills in what every bet of every round is owed, in one frame; adds the bonuses that go with them."""
    if not rounds:
        return
    rulings = {(edition, wager.name): wager for wager in GAME.wagers for edition in wager.editions}
    held: list[str] = []
    folded: list[bool] = []
    ante_placed: list[bool] = []
    lying: dict[Wager, _Lying] = {}
    for round in rounds:
        antes = {bet.seat: bet.stake for bet in round.bets if bet.wager == "ante"}
        round.bets += [Bet(seat, "ante_bonus", antes[seat], bonus=True) for seat in sorted(round.played & set(antes))]
        row = {}
        for seat, hand in round.hands.items():
            row[seat] = len(folded)
            held += hand
            held += round.dealer
            folded.append(seat not in round.played)
            ante_placed.append(seat in antes)
        terms = round.opening.terms
        for bet in round.bets:
            ruling = rulings[terms.edition, bet.wager]
            under = lying.get(ruling)
            if under is None:
                under = lying[ruling] = _Lying()
            under.rows.append(row[bet.seat])
            under.columns.append(terms.columns.get(bet.wager))
            under.bets.append(bet)
    card = pl.Series(held, dtype=cards.CARD)
    hands = pl.DataFrame({name: card.gather_every(6, at) for at, name in enumerate((*PLAYER, *DEALER))})
    facts = GAME.hand_facts(hands.with_columns(folded=pl.Series(folded), ante_placed=pl.Series(ante_placed)))
    for wager, under in lying.items():
        rows = facts[under.rows].with_columns(
            stake=pl.Series([bet.stake for bet in under.bets], dtype=pl.Int64),
            column=pl.Series(under.columns, dtype=pl.String),
        )
        for bet, cents in zip(under.bets, settle(rows, wager).get_column("owed").to_list(), strict=True):
            bet.owed = cents
