"""What the law owes on every bet of many rounds, asked of the decision tables in one frame a game."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import polars as pl

from ingest.floor.felt import Bet, Round, bonuses
from rules import cards
from rules.decision import Wager, settle
from rules.game import Game

Hand = tuple[Round, int]  # a round and a seat that was dealt in


@dataclass(slots=True)
class _Lying:
    """All bets under one law: where their hands stand in the frame, and the rounds whose columns are elected."""

    rows: list[int] = field(default_factory=list)
    rounds: list[Round] = field(default_factory=list)
    bets: list[Bet] = field(default_factory=list)

    def elected(self, table: str) -> pl.Series:
        return pl.Series([round.opening.terms.columns.get(table) for round in self.rounds], dtype=pl.String)


def owe(law: Game, rounds: Sequence[Round], laid_out: Callable[[list[Hand]], pl.DataFrame]) -> None:
    """Fills in what every bet of every round is owed; adds the bonuses that go with them.

    `laid_out` answers the cards and choices of each hand as the law's `hand_facts` reads them. Chips of somebody who was dealt no
    hand, since what would have dealt him in is missing, go back.
    """
    hands = [(round, seat) for round in rounds for seat in round.hands]
    if not hands:
        return
    lying: dict[Wager, _Lying] = {}
    first = 0
    for round in rounds:
        row = {seat: first + place for place, seat in enumerate(round.hands)}
        first += len(row)
        round.bets += _bonus_bets(round)
        for bet in round.bets:
            if bet.seat not in row or not bet.offered:
                bet.owed = 0
                continue
            ruling = round.law(bet.wager)
            under = lying.get(ruling)
            if under is None:
                under = lying[ruling] = _Lying()
            under.rows.append(row[bet.seat])
            under.rounds.append(round)
            under.bets.append(bet)
    facts = law.hand_facts(laid_out(hands))
    for wager, under in lying.items():
        rows = facts[under.rows].with_columns(
            stake=pl.Series([bet.stake for bet in under.bets], dtype=pl.Int64),
            column=under.elected(wager.name),
            **{f"{table.wager}_column": under.elected(table.wager) for table in wager.other_tables},
        )
        for bet, cents in zip(under.bets, settle(rows, wager).get_column("owed").to_list(), strict=True):
            bet.owed = cents


def _bonus_bets(round: Round) -> list[Bet]:
    """A bonus for each wager that may earn it; the law says whether it did."""
    return [
        Bet(bet.seat, bonus.name, bet.stake, bonus=True, player=bet.player)
        for bonus in bonuses(round.opening)
        for bet in round.bets
        if bet.wager in (bonus.bonus_on, bonus.bonus_or_on) and bet.seat in round.hands
    ]


def columns_of(names: Sequence[str], held: Sequence[str | None]) -> dict[str, pl.Series]:
    """Cards told hand by hand, as one column for each name."""
    card = pl.Series(held, dtype=cards.CARD)
    return {name: card.gather_every(len(names), at) for at, name in enumerate(names)}
