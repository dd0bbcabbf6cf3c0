"""Three Card Draw Poker as it is played: three cards that a player keeps, changes one of or throws away; four to the dealer."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from random import Random
from typing import Final

import polars as pl

from ingest.floor import wagering, worth
from ingest.floor.felt import DEALER, Bet, Fact, Opening, Play, Round, deal, dealing_order, dealt, turns
from ingest.floor.owing import Hand, columns_of, owe
from ingest.floor.settling import FORFEITS, at_the_fold
from ingest.floor.stacking import STACKED, alike, exchanged, of_a_rank, stacked, suited_run
from ingest.floor.wagering import LIMITS, METHODS, written
from rules import cards, ranking
from rules.three_card_draw_poker import CARDS, CHOICES, EDITION, GAME

# A card is changed in the player's turn, or when all have decided, in seat order; 13:69F-42.10(f)3 leaves it open.
DRAWS: Final = ("at once", "discards at once", "after all")
FIRST_3_COLUMNS: Final = (None, "1", "2", "3", "4")
SEATS: Final = (3, 4, 5, 6, 6)
SPARE: Final = 8  # cards off the top of the stub that a round may need beyond the deal and the draws

SIXES: Final = ranking.three_card_value("6C 6D 2H")
PAIR: Final = ranking.three_card_value("2C 2D 3H")
QUEEN_HIGH: Final = ranking.three_card_value("QC 3D 2H")
KING_HIGH: Final = ranking.three_card_value("KC 3D 2H")

# What is settled first at a player's turn: the First 3 Bonus, then the hand against the dealer's, then the bonus
# (13:69F-42.10(h)2 to 7, 8 to 13).
PLACES: Final = {"first_3_bonus": 0, "ante": 1, "in_to_win": 2, "draw": 2, "in_to_win_bonus": 3}


def opening(rng: Random, nth: int) -> Opening:
    """The terms of the nth opening: methods, columns and options take turns, so that a small floor has seen them all."""
    dealing, shuffler, decks = METHODS[nth % len(METHODS)]
    pay_tables = {"in_to_win_bonus": "123"[nth % 3]}
    if pay_tables["in_to_win_bonus"] == "1" and rng.random() < 0.3:
        del pay_tables["in_to_win_bonus"]  # the column that is in force where none is elected
    first_3 = FIRST_3_COLUMNS[nth % len(FIRST_3_COLUMNS)]
    if first_3 is not None:
        pay_tables["first_3_bonus"] = first_3
    options: dict[str, str] = {}
    dies = rng.choice(("false", "true"))
    if dies == "true" or rng.random() < 0.5:
        options["first3_dies_on_fold"] = dies
    # An automated shoe gives out packets.
    order = "packets" if dealing == "automated_shoe" else rng.choice(("packets", "rotation"))
    if order == "rotation" or rng.random() < 0.3:
        options["deal_order"] = order
    low, high = rng.choice(LIMITS)
    return Opening(
        law=GAME,
        terms=GAME.elect(EDITION, pay_tables, options),
        pay_tables=pay_tables,
        options=written(options, rng),
        dealing=dealing,
        shuffler=shuffler,
        decks=decks,
        seats=rng.choice(SEATS),
        min_wager=low,
        max_wager=high,
        customs={"draws": rng.choice(DRAWS), "forfeits": rng.choice(FORFEITS)},
    )


def plan(round: Round, rng: Random) -> None:
    """An honest round without incident, up to the dealer's cards being turned over."""
    seats = wagering.betting(round, rng)
    chips = {seat: _chips(round, seat, rng) for seat in seats}
    wagering.placed(round, chips, rng)
    due = turns(dealing_order(round.opening), GAME, round.opening.dealing, seats)
    round.stub = rng.sample(round.pack, len(due) + len(seats) + SPARE)
    if rng.random() < STACKED and not round.missing:
        stacked(round.stub, due, _rarity(rng.choice(seats), rng))
    deal(round, due)
    round.counted_last = True
    later: list[Fact] = []
    for seat in seats:
        choice, discard = _decision(round.hands[seat], round.players[seat].sense, rng)
        stake = 0 if choice == "fold" else chips[seat]["ante"]
        wagering.decided(round, Bet(seat, choice, stake), choice, rng)
        if choice == "draw":
            discarded, drawn = _changed(round, seat, discard)
            custom = round.opening.customs["draws"]
            (later if custom == "after all" else round.acting).append(discarded)
            (round.acting if custom == "at once" else later).append(drawn)
    round.acting += later
    round.showing = [{"type": "dealer_revealed"}]


def _rarity(seat: int, rng: Random) -> dict[int, list[str]]:
    """A straight flush, a mini royal, three of a kind, or the dealer with as good a hand as the player."""
    kind = rng.randrange(4)
    if kind < 2:
        return {seat: suited_run(rng, 3, (14,) if kind else range(3, 15))}
    if kind == 2:
        return {seat: of_a_rank(rng, 3)}
    hand = rng.sample(cards.DECK, 3)
    return {seat: hand, DEALER: alike(hand)}


def _final(round: Round, seat: int) -> list[str]:
    """The hand that plays against the dealer's."""
    hand = list(round.hands[seat])
    if seat in round.draws:
        hand.remove(round.discards[seat])
        hand.append(round.draws[seat])
    return hand


def _tied(round: Round, rng: Random) -> None:
    """The dealer's cards become as good as those of somebody who stayed in, where that can be: what else seldom happens."""
    staying = [seat for seat, choice in round.choices.items() if choice != "fold"]
    if not staying:
        return
    final = _final(round, rng.choice(staying))
    out = {fact["card"] for fact in round.cards}
    others = [[card[0] + suit for suit in cards.SUITS if card[0] + suit not in out] for card in final]
    if len({card[0] for card in final}) < 3 or not all(others):
        return
    same = [rng.choice(free) for free in others]
    best = max(worth.of_three(three) for three in combinations([*same, round.dealer[3]], 3))
    if best == worth.of_three(final):
        for card, other in zip(round.dealer[:3], same, strict=True):
            exchanged(round, DEALER, card, other)


def _chips(round: Round, seat: int, rng: Random) -> wagering.Chips:
    stake = wagering.main_stake(round, seat, rng)
    chips = {"ante": stake}
    if "first_3_bonus" in round.opening.pay_tables and rng.random() < round.players[seat].side_bets:
        chips["first_3_bonus"] = wagering.side_stake(stake, rng)
    return chips


def _changed(round: Round, seat: int, discard: str) -> tuple[Fact, Fact]:
    drawn = round.stub.pop()
    round.discards[seat] = discard
    round.draws[seat] = drawn
    return {"type": "card_discarded", "seat": seat, "card": discard}, dealt(seat, drawn)


def _decision(hand: Sequence[str], sense: float, rng: Random) -> tuple[str, str]:
    """What the player does, and the card that he throws away if he draws."""
    if rng.random() > sense:
        return rng.choice(CHOICES), rng.choice(hand)
    value = worth.of_three(hand)
    odd = _odd_one_out(hand)
    if value >= SIXES or (value >= PAIR and rng.random() < 0.7):
        return "in_to_win", odd
    if value >= PAIR or (value >= QUEEN_HIGH and _promising(hand, odd)):
        return "draw", odd
    return ("draw" if value >= KING_HIGH else "fold"), odd


def _odd_one_out(hand: Sequence[str]) -> str:
    """The kicker of a pair, the one of another suit, or the lowest."""
    ranks, suits = Counter(card[0] for card in hand), Counter(card[1] for card in hand)
    single = ranks if len(ranks) == 2 else suits if len(suits) == 2 else Counter()
    alone = [card for card in hand if single[card[0]] == 1 or single[card[1]] == 1]
    return alone[0] if alone else min(hand, key=worth.rank)


def _promising(hand: Sequence[str], odd: str) -> bool:
    """Two cards that are of a suit or next to each other."""
    first, second = (card for card in hand if card != odd)
    return first[1] == second[1] or abs(worth.rank(first) - worth.rank(second)) == 1


def _laid_out(hands: list[Hand]) -> pl.DataFrame:
    held = [
        card
        for round, seat in hands
        for card in (*round.hands[seat], round.discards.get(seat), round.draws.get(seat), *round.dealer)
    ]
    return pl.DataFrame(
        {
            **columns_of(CARDS, held),
            "choice": [round.choices.get(seat) for round, seat in hands],
            "first3_dies_on_fold": [round.opening.terms.options["first3_dies_on_fold"] == "true" for round, _ in hands],
        }
    )


def _owed(rounds: Sequence[Round]) -> None:
    owe(GAME, rounds, _laid_out)


def _succession(bets: Sequence[Bet], _: Random) -> list[Bet]:
    """Player by player from the dealer's far right (13:69F-42.10(h))."""
    return sorted(bets, key=lambda bet: (-bet.seat, PLACES.get(bet.wager, 4)))


def _ranked(round: Round) -> Iterator[tuple[Sequence[str], int]]:
    yield round.dealer, 3
    for seat, hand in round.hands.items():
        yield hand, 3
        if seat in round.draws:
            yield _final(round, seat), 3


# Where the dealer always plays, only equal hands push.
PLAY: Final = Play(
    GAME,
    opening,
    plan,
    _owed,
    _succession,
    _ranked,
    seldom=("PAY05", "PAY06"),
    chances={"PAY05": _tied},
    at_once=at_the_fold,
)
