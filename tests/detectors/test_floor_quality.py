"""Whole floors: an honest one has nothing to tell, and every planted wrong is told once, where it is, and nothing else is.

`CATWALK_SOAK=1` runs the long form: 100,000 honest rounds and some 9,000 wrongs a game.
"""

import os
from collections import Counter

import polars as pl
import pytest

from detectors.audit import Audited, audit
from ingest import floor
from ingest.floor import LATE, Label, codes
from ingest.frame import from_contents
from replay import facts

SOAK = os.environ.get("CATWALK_SOAK") == "1"
# tables, rounds a table; each with as many seeds
HONEST = (20, 500) if SOAK else (14, 180)
HONEST_SEEDS = range(1, 11 if SOAK else 2)
FAULTY = (30, 100)
SHARE = 0.3
FAULTY_SEEDS = range(101, 111 if SOAK else 102)

Wrong = tuple[str, str, int | None, int | None, str | None, int]


every_game = pytest.mark.parametrize("game", list(floor.GAMES))


def audited(tables: int, rounds: int, seed: int, faults: float, game: str) -> tuple[Audited, list[Label]]:
    shifts = list(floor.simulate(tables, rounds, seed, faults, game=game))
    contents = [line for shift in shifts for line in shift.lines]
    labels = [label for shift in shifts for label in shift.labels]
    return audit(facts.none(), from_contents(contents), final=True), labels


def told(audited: Audited) -> Counter[Wrong]:
    return Counter(audited.findings.select("code", "table", "round", "seat", "wager", "amount").iter_rows())


def planted(labels: list[Label]) -> Counter[Wrong]:
    return Counter((each.code, each.table, each.round, each.seat, each.wager, each.amount) for each in labels)


@every_game
@pytest.mark.parametrize("seed", HONEST_SEEDS)
def test_an_honest_floor_is_silent(seed: int, game: str) -> None:
    tables, rounds = HONEST
    honest, _ = audited(tables, rounds, seed, 0.0, game)
    assert honest.rounds.height == tables * rounds
    assert honest.findings.to_dicts() == []
    unseen = honest.settlements.filter(pl.col("owed").is_null())
    assert unseen.is_empty(), unseen


@every_game
@pytest.mark.parametrize("seed", FAULTY_SEEDS)
def test_every_planted_wrong_is_told_once_and_nothing_else_is(seed: int, game: str) -> None:
    faulty, labels = audited(*FAULTY, seed, SHARE, game)
    found, wrong = told(faulty), planted(labels)
    assert max(count for (_, _, number, *_), count in wrong.items() if number is not None) == 1
    assert {label.code for label in labels} == set(codes(floor.GAMES[game])) - {*LATE}
    assert {"missed": wrong - found, "invented": found - wrong} == {"missed": Counter(), "invented": Counter()}


@pytest.mark.parametrize("game", [game for game in floor.GAMES if set(LATE) & set(codes(floor.GAMES[game]))])
def test_a_card_that_never_comes_is_told_at_the_round_that_leaves_chance_no_room(game: str) -> None:
    shifts = list(floor.simulate(4, 700, 3, 0.5, game=game, only=LATE))
    faulty = audit(facts.none(), from_contents([line for shift in shifts for line in shift.lines]), final=True)
    wrong = planted([label for shift in shifts for label in shift.labels])
    assert told(faulty) == wrong
    assert wrong.total() > 4
