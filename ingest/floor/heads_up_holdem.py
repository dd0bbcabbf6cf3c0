"""Heads Up Hold'em as it is played: two cards to each, five that all share, and one raise that a player makes now or later."""

from collections.abc import Iterator, Sequence
from itertools import chain
from random import Random
from typing import Final

import polars as pl

from ingest.floor import wagering, worth
from ingest.floor.felt import BURN, COMMUNITY, Bet, Opening, Play, Round, deal, dealing_order, dealt, turns
from ingest.floor.felt import DEALER as DEALT_TO_DEALER
from ingest.floor.owing import Hand, columns_of, owe
from ingest.floor.settling import FORFEITS, at_the_fold
from ingest.floor.stacking import STACKED, of_a_rank, stacked, suited_run
from ingest.floor.wagering import LIMITS, METHODS, written
from rules.game import Street
from rules.heads_up_holdem import COMMUNITY as BOARD
from rules.heads_up_holdem import DEALER, EDITION, GAME, PLAYER

TRIPS_PLUS_COLUMNS: Final = ("1", "2", "3", "4", None)
POCKET_COLUMNS: Final = ("1", "2", "3", None)
# How many cards are burnt before the flop, the turn and the river; the text never asks for one (13:69F-39.1).
BURNS: Final = {
    "0": ((0, 0, 0),),
    "1": ((1, 0, 0), (0, 1, 0)),
    "2": ((1, 1, 0), (1, 0, 1), (2, 0, 0)),
    "3": ((1, 1, 1), (1, 2, 0), (3, 0, 0)),
}
# The player's two cards, the board, the dealer's two.
RARITIES: Final = (
    ("8C8D", "8H8SKCKD2D", "KHKS"),  # four of a kind beaten
    ("4C5C", "6C7C8CJHQS", "9CTC"),  # a straight flush beaten
    ("4C4D", "4HKCKDKH9S", "KS5D"),  # a full house beaten by four of a kind
    ("2C3C", "7C9CJC3DQH", "ACQC"),  # a flush beaten
    ("4D5C", "6D7H8HKSAC", "9HTC"),  # a straight beaten
    ("ACAD", "3C7DTHQH9S", "KCKD"),  # two aces
    ("ACKC", "2C7DJH9S5H", "4S4D"),  # an ace and a face of one suit
    ("2C3D", "4D7HTSQCKH", "5S6D"),  # a dealer without a pair
)
SEATS: Final = (3, 4, 5, 6, 6)
SPARE: Final = 8  # cards off the top of the stub that a round may need beyond what it deals
ODD_CENTS: Final = (1, 25, 33, 75, 99)  # so that odds of 3 to 2 do not come out even


def opening(rng: Random, nth: int) -> Opening:
    """The terms of the nth opening: methods, columns and options take turns, so that a small floor has seen them all."""
    dealing, shuffler, decks = METHODS[nth % len(METHODS)]
    pay_tables = {"odds": "1", "bad_beat": "12"[nth // 2 % 2]}
    for name in ("odds", "bad_beat"):
        if pay_tables[name] == "1" and rng.random() < 0.4:
            del pay_tables[name]  # the column that is in force where none is elected
    trips_plus = TRIPS_PLUS_COLUMNS[nth % len(TRIPS_PLUS_COLUMNS)]
    if trips_plus is not None:
        pay_tables["trips_plus"] = trips_plus
    pocket_bonus = POCKET_COLUMNS[nth // 3 % len(POCKET_COLUMNS)]
    if pocket_bonus is not None:
        pay_tables["pocket_bonus"] = pocket_bonus
    options: dict[str, str] = {}
    dies = rng.choice(("false", "true"))
    if dies == "true" or rng.random() < 0.5:
        options["trips_plus_dies_on_fold"] = dies
    burn = rng.choice(("0", "0", "1", "2", "3"))
    if burn != "0" or rng.random() < 0.3:
        options["burn"] = burn
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
        customs={
            "community": rng.choice(GAME.deal[dealing].community),
            "burns": "".join(map(str, rng.choice(BURNS[burn]))),
            "counts": rng.choice(("after the deal", "last")),
            "forfeits": rng.choice(FORFEITS),
        },
    )


def plan(round: Round, rng: Random) -> None:
    """An honest round without incident, up to the dealer's cards being turned over."""
    seats = wagering.betting(round, rng)
    chips = {seat: _chips(round, seat, rng) for seat in seats}
    wagering.placed(round, chips, rng)
    customs = round.opening.customs
    first = customs["community"] == "before_hands"
    due = turns(dealing_order(round.opening), GAME, round.opening.dealing, seats)
    board = [COMMUNITY] * GAME.community_cards
    round.stub = rng.sample(round.pack, len(due) + len(board) + SPARE)
    if rng.random() < STACKED and not round.missing:
        stacked(
            round.stub,
            [*board, *due] if first else [*due, *chain(*_streets(round).values())],
            _rarity(rng.choice(seats), rng),
        )
    deal(round, [*board, *due] if first else due)
    round.counted_last = not first or customs["burns"] != "000" or customs["counts"] == "last"
    for street in GAME.streets:
        _shown(round, street)
        for seat in seats:
            if seat not in round.raised_on:
                _decide(round, seat, street, chips[seat]["ante"], rng)
    round.showing = [{"type": "dealer_revealed"}]


def _chips(round: Round, seat: int, rng: Random) -> wagering.Chips:
    stake = wagering.main_stake(round, seat, rng)
    if rng.random() < 0.06 and stake < round.opening.max_wager:
        stake += rng.choice(ODD_CENTS)
    chips = {"ante": stake, "odds": stake}
    for side in ("trips_plus", "pocket_bonus"):
        if side in round.opening.pay_tables and rng.random() < round.players[seat].side_bets:
            chips[side] = wagering.side_stake(stake, rng)
    return chips


def _streets(round: Round) -> dict[str, list[int]]:
    """Where each card of a street goes, burns among them."""
    before_flop, before_turn, before_river = ([BURN] * int(number) for number in round.opening.customs["burns"])
    return {
        "pre_flop": [],
        "flop": [*before_flop, *[COMMUNITY] * 3],
        "river": [*before_turn, COMMUNITY, *before_river, COMMUNITY],
    }


def _rarity(seat: int, rng: Random) -> dict[int, list[str]]:
    """A hand that is seldom dealt or, more seldom still, beaten. What is not named lies as it was shuffled."""
    kind = rng.randrange(len(RARITIES) + 5)
    if kind < len(RARITIES):
        mine, board, his = map(_named, RARITIES[kind])
        return {seat: mine, COMMUNITY: rng.sample(board, len(board)), DEALT_TO_DEALER: his}
    if kind == len(RARITIES):
        return {COMMUNITY: suited_run(rng, 5, (14,))}
    if kind == len(RARITIES) + 1:
        return {COMMUNITY: of_a_rank(rng, 3)}
    five = suited_run(rng, 5, (14,) if kind % 2 else range(5, 15))
    return {seat: five[:2], COMMUNITY: five[2:]}


def _named(hand: str) -> list[str]:
    return [hand[at : at + 2] for at in range(0, len(hand), 2)]


def _shown(round: Round, street: Street) -> None:
    """The cards of a street: dealt face up as it comes, or turned over where they already lie there."""
    lying = round.opening.customs["community"] == "before_hands"
    for where in _streets(round)[street.name]:
        if where == BURN:
            round.acting.append(dealt(BURN, round.stub.pop()))
        elif not lying:
            card = round.stub.pop()
            round.community.append(card)
            round.acting.append(dealt(COMMUNITY, card, "up"))
    if lying and street.community_cards:
        round.acting.append({"type": "community_revealed", "street": street.name})


def _decide(round: Round, seat: int, street: Street, ante: int, rng: Random) -> None:
    seen = round.community[: street.community_cards]
    stays = STRENGTH[street.name](round.hands[seat], seen)
    times = max(street.raises)
    if rng.random() > round.players[seat].sense:
        stays = rng.random() < 0.4
        times = rng.choice(street.raises)
    choice = street.choices[0] if stays else street.choices[1]
    wagering.decided(round, Bet(seat, "raise", ante * times if stays else 0), choice, rng)
    if stays:
        round.raised_on[seat] = street


def _strong_pocket(pocket: Sequence[str], _: Sequence[str]) -> bool:
    """Worth three Antes before anything else is seen: a pair, an ace, a king or queen with a fair card."""
    low, high = sorted(map(worth.rank, pocket))
    suited = pocket[0][1] == pocket[1][1]
    least = {14: 2, 13: 5, 12: 8, 11: 10}.get(high, 99)
    return (low == high and high > 2) or low >= least - (2 if suited else 0)


def _made_on_the_flop(pocket: Sequence[str], flop: Sequence[str]) -> bool:
    """A pair with a card of his own, or four to a flush."""
    return _paired(pocket, flop) or any(
        sum(card[1] == own[1] for card in (*pocket, *flop)) >= 4 and worth.rank(own) >= 10 for own in pocket
    )


def _worth_a_last_ante(pocket: Sequence[str], board: Sequence[str]) -> bool:
    """A pair of his own, or a board that is as good as a pair and a fair card beside it."""
    if _paired(pocket, board) or any(sum(card[1] == own[1] for card in (*pocket, *board)) >= 5 for own in pocket):
        return True
    ranks = [worth.rank(card) for card in board]
    return len(set(ranks)) < len(ranks) and max(map(worth.rank, pocket)) >= 12


def _paired(pocket: Sequence[str], board: Sequence[str]) -> bool:
    ranks = {card[0] for card in board}
    return pocket[0][0] == pocket[1][0] or any(own[0] in ranks for own in pocket)


STRENGTH: Final = {"pre_flop": _strong_pocket, "flop": _made_on_the_flop, "river": _worth_a_last_ante}


def _laid_out(hands: list[Hand]) -> pl.DataFrame:
    held = [card for round, seat in hands for card in (*round.hands[seat], *round.community, *round.dealer)]
    return pl.DataFrame(
        {
            **columns_of((*PLAYER, *BOARD, *DEALER), held),
            "folded": [round.choices.get(seat) == "fold" for round, seat in hands],
            "trips_plus_dies_on_fold": [
                round.opening.terms.options["trips_plus_dies_on_fold"] == "true" for round, _ in hands
            ],
        }
    )


def _owed(rounds: Sequence[Round]) -> None:
    owe(GAME, rounds, _laid_out)


def _succession(bets: Sequence[Bet], rng: Random) -> list[Bet]:
    """Player by player from the dealer's far right, though no clause says so; Trips Plus first or last (13:69F-39.11(h))."""
    places = {"trips_plus": rng.choice((0, 5)), "ante": 1, "odds": 2, "raise": 3, "pocket_bonus": 4}
    return sorted(bets, key=lambda bet: (-bet.seat, places.get(bet.wager, 6)))


def _ranked(round: Round) -> Iterator[tuple[Sequence[str], int]]:
    for hand in (round.dealer, *round.hands.values()):
        yield (*hand, *round.community), 5


PLAY: Final = Play(GAME, opening, plan, _owed, _succession, _ranked, weights={"BET04": 5}, at_once=at_the_fold)
