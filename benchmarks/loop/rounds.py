"""Rounds gathered from a file of events, one event after another."""

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import polars as pl

COLUMNS: Final = (
    *("table", "type", "round", "seat", "hand", "wager", "amount", "result", "choice", "to", "card"),
    *("game", "pay_tables", "options"),
)

Spot = tuple[int, int, str]  # seat, hand, wager


@dataclass(slots=True)
class Terms:
    game: str
    columns: dict[str, str]
    options: dict[str, str]


@dataclass(slots=True)
class Round:
    table: str
    number: int
    terms: Terms
    hands: dict[tuple[int, int], list[str]] = field(default_factory=lambda: defaultdict(list))
    first_two: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))
    dealer: list[str] = field(default_factory=list)
    board: list[str] = field(default_factory=list)
    stakes: dict[Spot, int] = field(default_factory=dict)
    moved: dict[Spot, int] = field(default_factory=dict)
    choices: dict[tuple[int, int], list[str]] = field(default_factory=lambda: defaultdict(list))
    discards: dict[int, str] = field(default_factory=dict)


def rounds(file: Path) -> Iterator[Round]:
    terms: dict[str, Terms] = {}
    events = pl.read_parquet(file, columns=list(COLUMNS))
    current: Round | None = None
    for row in events.iter_rows():
        table, type, number, seat, hand, wager, amount, result, choice, to, card, game, pay_tables, options = row
        if type == "table_opened":
            terms[table] = Terms(game, json.loads(pay_tables), json.loads(options))
        elif type == "round_started":
            current = Round(table, number, terms[table])
        elif current is None:
            continue
        elif type == "card_dealt":
            _dealt(current, to, seat, hand, card)
        elif type == "wager_placed":
            current.stakes[seat, hand, wager] = amount
        elif type == "decision_made":
            current.choices[seat, hand].append(choice)
            if choice == "split":
                current.hands[seat, 2].append(current.hands[seat, 1].pop())
        elif type == "card_discarded":
            current.discards[seat] = card
        elif type == "wager_settled":
            current.moved[seat, hand, wager] = {"paid": amount, "taken": -amount, "returned": 0}[result]
        elif type == "round_ended":
            yield current
            current = None


def _dealt(round: Round, to: str, seat: int, hand: int, card: str) -> None:
    if to == "player":
        round.hands[seat, hand].append(card)
        if len(round.first_two[seat]) < 2:
            round.first_two[seat].append(card)
    elif to == "dealer":
        round.dealer.append(card)
    elif to == "community":
        round.board.append(card)
