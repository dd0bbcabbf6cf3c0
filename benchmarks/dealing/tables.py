"""The tables of the floor: which game each deals, under which terms, from which device."""

import json
from dataclasses import dataclass, field
from typing import Final

import polars as pl

from rules.game import Game
from rules.games import GAMES

# Three Card Poker and Spanish 21 have three tables in ten each, the other two games two.
SHARES: Final = (
    "three-card-poker",
    "spanish-21",
    "heads-up-holdem",
    "three-card-poker",
    "spanish-21",
    "three-card-draw-poker",
    "three-card-poker",
    "spanish-21",
    "heads-up-holdem",
    "three-card-draw-poker",
)
# Dealing, shuffler, decks in rotation.
METHODS: Final = (
    ("manual_shoe", "none", 1),
    ("hand", "automated", 2),
    ("automated_shoe", "counting", 1),
    ("manual_shoe", "automated", 2),
    ("hand", "counting", 2),
    ("automated_shoe", "automated", 1),
)
SHOES: Final = (("manual_shoe", "none"), ("automated_shoe", "automated"), ("manual_shoe", "automated"))
PACKS: Final = (6, 8)
SEATS: Final = (6, 5, 6)
LIMITS: Final = ((500, 20_000), (1_000, 50_000), (1_500, 100_000), (2_500, 250_000))
CARD_HOURS: Final = {"manual_shoe": 8, "automated_shoe": 8, "hand": 4}


@dataclass(frozen=True, slots=True)
class Table:
    index: int
    game: Game
    edition: str
    pay_tables: dict[str, str]
    options: dict[str, str]
    dealing: str
    shuffler: str
    decks: int
    seats: int
    min_wager: int
    max_wager: int
    columns: dict[str, str] = field(repr=False)

    @property
    def name(self) -> str:
        return f"T{self.index + 1:03d}"

    @property
    def names_players(self) -> bool:
        """Whether its gateway names the player beside the seat."""
        return self.index % 3 == 0

    @property
    def in_rotation(self) -> int:
        return 1 if self.game.packs != (1,) else self.decks

    @property
    def opening(self) -> dict[str, str | int]:
        """The fields of its `table_opened`, as the event frame has them."""
        return {
            "game": self.game.name,
            "edition": self.edition,
            "pay_tables": _json(self.pay_tables),
            "options": _json(self.options),
            "dealing": self.dealing,
            "shuffler": self.shuffler,
            "decks": self.decks,
            "seats": self.seats,
            "min_wager": self.min_wager,
            "max_wager": self.max_wager,
        }


def _json(said: dict[str, str]) -> str:
    return json.dumps(said, sort_keys=True, separators=(",", ":"))


def tables(number: int, game: str | None = None) -> list[Table]:
    """So many tables of one game, or of all in their shares."""
    nth: dict[str, int] = {}
    made = []
    for index in range(number):
        name = game or SHARES[index % len(SHARES)]
        made.append(_table(index, GAMES[name], nth.setdefault(name, 0)))
        nth[name] += 1
    return made


def _table(index: int, game: Game, nth: int) -> Table:
    edition, pay_tables, options = TERMS[game.name](nth)
    low, high = LIMITS[nth % len(LIMITS)]
    if game.packs == (1,):
        dealing, shuffler, decks = METHODS[nth % len(METHODS)]
    else:
        (dealing, shuffler), decks = SHOES[nth % len(SHOES)], PACKS[nth % len(PACKS)]
    return Table(
        index=index,
        game=game,
        edition=edition,
        pay_tables=pay_tables,
        options=options,
        dealing=dealing,
        shuffler=shuffler,
        decks=decks,
        seats=min(SEATS[nth % len(SEATS)] + (game.max_seats == 7), game.max_seats),
        min_wager=low,
        max_wager=high,
        columns=dict(game.elect(edition, pay_tables, options).columns),
    )


def _three_card_poker(nth: int) -> tuple[str, dict[str, str], dict[str, str]]:
    if nth % 2:
        column = "ABCDEF"[nth // 2 % 6]
        version = "ii" if column in "EF" else "i"
        pay_tables = {"pair_plus": "1", "ante_bonus": "1", "six_card_bonus": column}
        return "6-card-bonus", pay_tables, {"six_card_bonus_version": version}
    column = "12"[nth // 2 % 2]
    return "2000", {"pair_plus": column, "ante_bonus": column}, {}


def _three_card_draw_poker(nth: int) -> tuple[str, dict[str, str], dict[str, str]]:
    return "13:69F-42", {"in_to_win_bonus": "123"[nth % 3], "first_3_bonus": "1234"[nth % 4]}, {}


def _heads_up_holdem(nth: int) -> tuple[str, dict[str, str], dict[str, str]]:
    pay_tables = {"odds": "1", "bad_beat": "12"[nth % 2], "trips_plus": "1234"[nth % 4], "pocket_bonus": "123"[nth % 3]}
    return "13:69F-39", pay_tables, {}


def _spanish_21(nth: int) -> tuple[str, dict[str, str], dict[str, str]]:
    hits_soft_17 = {"dealer_hits_soft_17": "true"} if nth % 4 == 3 else {}
    return "19:47-19", {"match_the_dealer": str(PACKS[nth % len(PACKS)])}, hits_soft_17


TERMS: Final = {
    "three-card-poker": _three_card_poker,
    "three-card-draw-poker": _three_card_draw_poker,
    "heads-up-holdem": _heads_up_holdem,
    "spanish-21": _spanish_21,
}


def elected(tables: list[Table], name: str) -> pl.Series:
    """The column that each table elected of a pay table; null where it does not offer that."""
    return pl.Series([table.columns.get(name) for table in tables], dtype=pl.String)
