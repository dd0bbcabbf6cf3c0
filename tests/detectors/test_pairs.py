"""Two wrongs in one round that have nothing to do with each other are both told, and nothing else is.

Each game has its wrongs by whose they are: one seat's, the other's, the table's. Every wrong is laid beside every one of another
owner, where no line is changed by both. The notation of a case is that of `test_silence`.
"""

from functools import cache
from itertools import combinations

import polars as pl
import pytest

from detectors.audit import audit
from replay import facts
from tests.detectors.test_silence import GAMES, changed, edits, events, expected, told

WRONGS = {
    "three-card-poker": {
        "seat 1": (
            """
            seat 1 ante paid 10.00 >> seat 1 ante paid 50.00
            = PAY01 seat 1 ante 40.00
            """,
            """
            seat 1 play paid 10.00 >>
            = PAY07 seat 1 play
            """,
            """
            seat 1 bet 10.00 on play >> seat 1 bet 20.00 on play
            seat 1 play paid 10.00 >> seat 1 play paid 20.00
            = BET03 seat 1 play 20.00
            """,
            """
            seat 1 bet 10.00 on ante >> seat 1 bet 10.00 on ante; seat 1 bet 5.00 on ante_bonus
            round 1 ended >> seat 1 ante_bonus returned 5.00; round 1 ended
            = BET08 seat 1 ante_bonus 5.00
            """,
            """
            seat 1 bet 10.00 on ante >> seat 1 bet 10.00 on ante for P99
            seat 1 bet 10.00 on play >> seat 1 bet 10.00 on play for P99
            seat 1 ante paid 10.00 >> seat 1 ante paid 10.00 for P99
            seat 1 play paid 10.00 >> seat 1 play paid 10.00 for P99
            = BET06 seat 1 ante 10.00
            """,
            """
            seat 1 dealt AC face down >> seat 1 dealt AC face up
            = DEAL04 seat 1
            """,
            """
            seat 1 dealt 5D face down >> 5D found face up; seat 1 dealt 5D face down
            = DEAL06 seat 1
            """,
        ),
        "seat 4": (
            """
            seat 4 pair_plus taken 5.00 >> seat 4 pair_plus returned 5.00
            = PAY03 seat 4 pair_plus 5.00
            """,
            """
            seat 4 ante paid 10.00 >> seat 4 ante paid 5.00
            = PAY02 seat 4 ante -5.00
            """,
            """
            seat 4 chose play >> seat 4 bet 5.00 on pair_plus; seat 4 chose play
            seat 4 pair_plus taken 5.00 >> seat 4 pair_plus taken 10.00
            = BET01 seat 4 pair_plus 5.00
            """,
            """
            seat 4 bet 10.00 on play >> seat 4 bet 10.00 on play; seat 4 chose play
            = DEAL07 seat 4
            """,
            """
            seat 4 play paid 10.00 >> seat 4 play paid 10.00; seat 4 six_card_bonus paid 25.00
            = PAY08 seat 4 six_card_bonus 25.00
            """,
        ),
        "cut": (
            """
            deck R1 cut, cards 20 >> deck R1 cut, cards 9
            = PROC02
            """,
        ),
        "count": (
            """
            dealer revealed >> deck R1 stub counted, cards 42; dealer revealed
            = DECK03
            """,
        ),
        "clock": (
            """
            seat 1 chose play >> T1 2026-01-31 19:00:00: seat 1 chose play
            = FEED03
            """,
        ),
        "feed": (
            """
            dealer dealt 9D face down >> dealer dealt 9D face down; community dealt 2H face up
            = FEED05
            """,
        ),
        "cards": (
            """
            dealer dealt 3C face down >> dealer dealt 6D face down
            = DECK01
            """,
        ),
    },
    "heads-up-holdem": {
        "seat 1": (
            """
            seat 1 raise paid 30.00 >> seat 1 raise paid 60.00
            = PAY01 seat 1 raise 30.00
            """,
            """
            seat 1 bet 10.00 on odds >> seat 1 bet 5.00 on odds
            seat 1 odds returned 10.00 >> seat 1 odds returned 5.00
            = BET03 seat 1 odds 5.00
            """,
            """
            seat 1 dealt KC face down >> seat 1 dealt KC face up
            = DEAL04 seat 1
            """,
        ),
        "seat 4": (
            """
            seat 4 odds returned 10.00 >> seat 4 odds taken 10.00
            = PAY05 seat 4 odds -10.00
            """,
            """
            seat 4 bet 20.00 on raise >> seat 4 bet 30.00 on raise
            seat 4 raise paid 20.00 >> seat 4 raise paid 30.00
            = BET03 seat 4 raise 30.00
            """,
            """
            seat 4 ante paid 10.00 >>
            = PAY07 seat 4 ante
            """,
        ),
        "cut": (
            """
            deck R1 cut, cards 20 >>
            = PROC02
            """,
        ),
        "count": (
            """
            dealer revealed >> deck R1 stub counted, cards 40; dealer revealed
            = DECK03
            """,
        ),
        "announcement": (
            """
            no more bets >>
            = DEAL03
            """,
        ),
    },
    "spanish-21": {
        "seat 1": (
            """
            seat 1 main paid 10.00 >> seat 1 main paid 5.00
            = PAY02 seat 1 main -5.00
            """,
            """
            seat 1 bet 10.00 on main >> seat 1 bet 2.00 on main
            seat 1 main paid 10.00 >> seat 1 main paid 2.00
            = BET05 seat 1 main 2.00
            """,
            """
            seat 1 chose stand >> seat 1 chose stand; seat 1 chose stand
            = DEAL07 seat 1
            """,
        ),
        "seat 3": (
            """
            seat 3 main paid 10.00 >> seat 3 main taken 10.00
            = PAY04 seat 3 main -20.00
            """,
            """
            seat 3 bet 10.00 on double >> seat 3 bet 15.00 on double
            seat 3 double paid 10.00 >> seat 3 double paid 15.00
            = BET03 seat 3 double 15.00
            """,
            """
            seat 3 dealt 6C face up >> seat 3 dealt 6C face down
            = DEAL04 seat 3
            """,
        ),
        "dealer": (
            """
            dealer revealed >> dealer revealed; dealer dealt 4H face up
            = DEAL08
            """,
        ),
        "shoe": (
            """
            deck S1 shuffled manual >>
            = PROC01
            """,
        ),
        "feed": (
            """
            dealer dealt 9D face up >> dealer dealt 9D face up; community dealt 2H face up
            = FEED05
            """,
        ),
    },
}


def pairs() -> dict[str, tuple[str, str, str]]:
    """By the two lines that are told: the game and the two cases."""
    found = {}
    for game, owners in WRONGS.items():
        every = [(owner, case) for owner, cases in owners.items() for case in cases]
        for (owner, case), (other, second) in combinations(every, 2):
            if owner != other and not edits(case).keys() & edits(second).keys():
                found[f"{game}: {expected(case)[0]}, {expected(second)[0]}"] = (game, case, second)
    return found


PAIRS = pairs()
TABLES = {name: f"pair-{place}" for place, name in enumerate(PAIRS)}


@cache
def findings() -> pl.DataFrame:
    floor = pl.concat(
        events(changed(GAMES[game], edits(case) | edits(second)), TABLES[name])
        for name, (game, case, second) in PAIRS.items()
    )
    return audit(facts.none(), floor, final=True).findings


def test_there_are_many_pairs_and_they_join_every_family() -> None:
    families = {
        tuple(sorted(expected(each)[0].split()[0].rstrip("0123456789") for each in cases))
        for _, *cases in PAIRS.values()
    }
    assert len(PAIRS) > 100
    assert len(families) > 15


@pytest.mark.parametrize("name", PAIRS)
def test_both_are_told_and_nothing_else_is(name: str) -> None:
    _, case, second = PAIRS[name]
    assert sorted(told(findings().filter(table=TABLES[name]))) == sorted(expected(case) + expected(second))
