"""What an audit costs in queries and Python calls, which no machine's mood changes: a loop over rounds cannot creep in unseen."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from types import FrameType

import polars as pl

from benchmarks.dealing import honest_day
from detectors.audit import Audited, audit
from replay import facts

TABLES, MORE_TABLES = 10, 30  # all four games
ROUNDS, MORE_ROUNDS = 150, 600  # enough for every wager to lie somewhere
# A loop makes one call a round at the very least. Hand ranking works through its hands in blocks, which is far less.
A_ROUND = 0.25
Work = Callable[[pl.DataFrame], object]


@dataclass(slots=True)
class Cost:
    queries: int = 0
    calls: int = 0

    def note(self, _: FrameType, event: str, called: object) -> None:
        if event in ("call", "c_call"):
            self.calls += 1
        # Where every query of Polars ends, eager ones too.
        if event == "c_call" and getattr(called, "__name__", "") in ("collect", "collect_all"):
            self.queries += 1


def audited(events: pl.DataFrame) -> Audited:
    return audit(facts.none(), events, final=False)


@cache
def floor(tables: int, rounds: int) -> pl.DataFrame:
    day = honest_day(tables)
    last = day.filter((pl.col("type") == "round_ended") & (pl.col("round") == rounds)).select("table", last="seq")
    return day.join(last, on="table", maintain_order="left").filter(pl.col("seq") <= pl.col("last")).drop("last")


@cache
def cost(tables: int, rounds: int, work: Work) -> Cost:
    events = floor(tables, rounds)
    work(events)  # what is made once is made now
    spent = Cost()
    before = sys.getprofile()
    sys.setprofile(spent.note)
    try:
        work(events)
    finally:
        sys.setprofile(before)
    return spent


def calls_a_round(work: Work) -> float:
    more = cost(TABLES, MORE_ROUNDS, work).calls - cost(TABLES, ROUNDS, work).calls
    return more / (TABLES * (MORE_ROUNDS - ROUNDS))


def test_more_rounds_take_no_more_queries() -> None:
    assert cost(TABLES, ROUNDS, audited).queries > 0
    assert cost(TABLES, MORE_ROUNDS, audited).queries == cost(TABLES, ROUNDS, audited).queries


def test_more_tables_take_no_more_queries() -> None:
    assert cost(MORE_TABLES, ROUNDS, audited).queries == cost(TABLES, ROUNDS, audited).queries


def test_python_is_not_called_round_by_round() -> None:
    assert calls_a_round(audited) < A_ROUND


def test_no_fact_is_carried_for_every_round() -> None:
    few, many = (audited(floor(TABLES, rounds)).carry.height for rounds in (ROUNDS, MORE_ROUNDS))
    assert many < few * 1.5


def looping_over_rounds(events: pl.DataFrame) -> int:
    return sum(len(row) for row in audited(events).rounds.iter_rows())


def asking_table_by_table(events: pl.DataFrame) -> None:
    for table in events["table"].unique():
        events.filter(pl.col("table") == table)
    audited(events)


def test_a_loop_over_rounds_would_be_seen() -> None:
    assert calls_a_round(looping_over_rounds) > A_ROUND


def test_a_query_for_each_table_would_be_seen() -> None:
    few, many = (cost(tables, ROUNDS, asking_table_by_table).queries for tables in (TABLES, MORE_TABLES))
    assert many == few + MORE_TABLES - TABLES
