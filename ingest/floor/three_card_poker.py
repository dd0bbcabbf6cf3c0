"""Three Card Poker as it is played: what a table opens with, what people bet and decide, and what the law then owes."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Final

import polars as pl

from ingest.floor import wagering, worth
from ingest.floor.felt import DEALER as DEALT_TO_DEALER
from ingest.floor.felt import Bet, Opening, Play, Round, deal, turns
from ingest.floor.owing import Hand, columns_of, owe
from ingest.floor.settling import FORFEITS, at_the_fold, losers_first
from ingest.floor.stacking import STACKED, alike, of_a_rank, stacked, suited_run
from ingest.floor.wagering import LIMITS, METHODS, written
from rules import cards, ranking
from rules.three_card_poker import DEALER, GAME, PLAYER

EDITIONS: Final = ("1998", "2000", "6-card-bonus")
# The Ante bonus 1/5/6 goes only with Pair Plus 33/35 (19:47-20.11(a)3i).
COLUMNS: Final = (("1", "1"), ("2", "2"), ("2", "1"))
QUEEN_SIX_FOUR: Final = ranking.three_card_value("QC 6D 4H")
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
        options=written(options, rng),
        dealing=dealing,
        shuffler=shuffler,
        decks=decks,
        seats=rng.choice((5, 6, 7, 7)),
        min_wager=low,
        max_wager=high,
        # As each player acts in the youngest text (19:47-20.10(b)3), after all of them in the others.
        customs={"forfeits": rng.choice(FORFEITS) if edition == "6-card-bonus" else "with the rest"},
    )


def plan(round: Round, rng: Random) -> None:
    """An honest round without incident, up to the dealer's cards being turned over."""
    seats = wagering.betting(round, rng)
    chips = {seat: _chips(round, seat, rng) for seat in seats}
    wagering.placed(round, chips, rng)
    dealing = round.opening.dealing
    due = turns(GAME.deal[dealing].order, GAME, dealing, seats)
    round.stub = rng.sample(round.pack, len(due) + SPARE)
    if rng.random() < STACKED and not round.missing:
        six_cards = [seat for seat in seats if "six_card_bonus" in chips[seat]]
        stacked(round.stub, due, _rarity(rng.choice(six_cards or seats), rng))
    deal(round, due)
    for seat in seats:
        ante = chips[seat].get("ante")
        if ante:
            plays = worth.of_three(round.hands[seat]) >= QUEEN_SIX_FOUR
            if rng.random() > round.players[seat].sense:
                plays = rng.random() < 0.5
            wagering.decided(round, Bet(seat, "play", ante if plays else 0), "play" if plays else "fold", rng)
    round.showing = [{"type": "dealer_revealed"}]


def _rarity(seat: int, rng: Random) -> dict[int, list[str]]:
    """A straight flush, three of a kind, equal hands, or a run of six or a fourth of a rank that the dealer's cards complete."""
    kind = rng.randrange(5)
    if kind == 0:
        return {seat: suited_run(rng, 3, range(3, 15))}
    if kind == 1:
        return {seat: of_a_rank(rng, 3)}
    if kind == 2:
        hand = rng.sample(cards.DECK, 3)
        return {seat: hand, DEALT_TO_DEALER: alike(hand)}
    six = suited_run(rng, 6, (14, 14, 13, 9)) if kind == 3 else [*of_a_rank(rng, 4), *rng.sample(cards.DECK, 2)]
    return {seat: six[:3], DEALT_TO_DEALER: six[3:]}


def _chips(round: Round, seat: int, rng: Random) -> wagering.Chips:
    stake = wagering.main_stake(round, seat, rng)
    side = wagering.side_stake(stake, rng)
    side_bets = round.players[seat].side_bets
    likes = rng.random()
    if likes > side_bets:
        return {"ante": stake}
    chips = {"pair_plus": side} if likes < 0.12 else {"ante": stake, "pair_plus": side}
    if "six_card_bonus" in round.opening.pay_tables and rng.random() < side_bets:
        version = round.opening.terms.options["six_card_bonus_version"]
        if "ante" in chips or version == "i":
            chips["six_card_bonus"] = rng.choice((500, 500, 1_000, 2_500))
    return chips


def _laid_out(hands: list[Hand]) -> pl.DataFrame:
    held = [card for round, seat in hands for card in (*round.hands[seat], *round.dealer)]
    return pl.DataFrame(
        {
            **columns_of((*PLAYER, *DEALER), held),
            "folded": [round.choices.get(seat) != "play" for round, seat in hands],
            "ante_placed": [
                any(bet.seat == seat and bet.wager == "ante" for bet in round.bets) for round, seat in hands
            ],
        }
    )


def _owed(rounds: Sequence[Round]) -> None:
    owe(GAME, rounds, _laid_out)


def _ranked(round: Round) -> Iterator[tuple[Sequence[str], int]]:
    yield round.dealer, 3
    for seat, hand in round.hands.items():
        yield hand, 3
        if any(bet.seat == seat and bet.wager == "six_card_bonus" for bet in round.bets):
            yield (*hand, *round.dealer), 5


PLAY: Final = Play(GAME, opening, plan, _owed, losers_first, _ranked, at_once=at_the_fold)
