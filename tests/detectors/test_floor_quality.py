"""Whole floors: an honest one has nothing to tell, and every planted wrong is told once, where it is, and nothing else is.

`CATWALK_SOAK=1` runs the long form: 100,000 honest rounds and 10,000 wrongs.
"""

import os
from collections import Counter

import polars as pl
import pytest

from detectors.audit import Audited, audit
from ingest import floor
from ingest.floor import CODES, Label
from ingest.frame import from_contents
from replay import facts

SOAK = os.environ.get("CATWALK_SOAK") == "1"
# tables, rounds a table; each with as many seeds
HONEST = (20, 500)
HONEST_SEEDS = range(1, 11 if SOAK else 3)
FAULTY = (20, 500)
SHARE = 0.1
FAULTY_SEEDS = range(101, 111 if SOAK else 102)

Wrong = tuple[str, str, int | None, int | None, str | None, int]


def audited(tables: int, rounds: int, seed: int, faults: float) -> tuple[Audited, list[Label]]:
    shifts = list(floor.simulate(tables, rounds, seed, faults))
    contents = [line for shift in shifts for line in shift.lines]
    labels = [label for shift in shifts for label in shift.labels]
    return audit(facts.none(), from_contents(contents), final=True), labels


def told(audited: Audited) -> Counter[Wrong]:
    return Counter(audited.findings.select("code", "table", "round", "seat", "wager", "amount").iter_rows())


def planted(labels: list[Label]) -> Counter[Wrong]:
    return Counter((each.code, each.table, each.round, each.seat, each.wager, each.amount) for each in labels)


@pytest.mark.parametrize("seed", HONEST_SEEDS)
def test_an_honest_floor_is_silent(seed: int) -> None:
    tables, rounds = HONEST
    honest, _ = audited(tables, rounds, seed, 0.0)
    assert honest.rounds.height == tables * rounds
    assert honest.findings.to_dicts() == []
    unseen = honest.settlements.filter(pl.col("owed").is_null())
    assert unseen.is_empty(), unseen


@pytest.mark.parametrize("seed", FAULTY_SEEDS)
def test_every_planted_wrong_is_told_once_and_nothing_else_is(seed: int) -> None:
    faulty, labels = audited(*FAULTY, seed, SHARE)
    found, wrong = told(faulty), planted(labels)
    assert max(wrong.values()) == 1
    assert {label.code for label in labels} == set(CODES)
    assert {"missed": wrong - found, "invented": found - wrong} == {"missed": Counter(), "invented": Counter()}
