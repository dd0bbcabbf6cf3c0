"""Causes silence their consequences, and nothing else does: each case is one honest round with a line or two changed.

An edit is `line >> what stands there instead`; with nothing behind the arrow the line is gone, and `(lost)` before it means that
it happened and never arrived. A line `= …` is told: the code, the seat, the wager, and the amount where there is one.
"""

import re
from functools import cache

import msgspec
import polars as pl
import pytest

from detectors.audit import audit
from ingest import frame, notation
from replay import facts

# Seat 1's aces and seat 4's king high both beat the dealer's queen high; seat 4's Pair Plus loses.
ROUND = """\
T1 #1 2026-01-31 20:00:00: table opened for three-card-poker, edition 6-card-bonus, dealt by manual_shoe, shuffler none, \
decks 1, seats 7, wagers 5.00 to 500.00, pay tables ante_bonus=1 pair_plus=1 six_card_bonus=A
dealer D07 assigned
seat 1 taken by P11
seat 4 taken by P41
deck R1 received, back red
deck R1 shuffled manual
deck R1 cut, cards 20
round 1 started with deck R1
seat 1 bet 10.00 on ante
seat 4 bet 10.00 on ante
seat 4 bet 5.00 on pair_plus
no more bets
seat 1 dealt AH face down
seat 4 dealt KH face down
dealer dealt QS face down
seat 1 dealt AC face down
seat 4 dealt TC face down
dealer dealt 9D face down
seat 1 dealt 5D face down
seat 4 dealt 6D face down
dealer dealt 3C face down
seat 1 chose play
seat 1 bet 10.00 on play
seat 4 chose play
seat 4 bet 10.00 on play
dealer revealed
seat 4 pair_plus taken 5.00
seat 4 ante paid 10.00
seat 4 play paid 10.00
seat 1 ante paid 10.00
seat 1 play paid 10.00
round 1 ended
"""

BOTH_TOLD = {
    "overpaid at one seat, a late wager at another": """
        seat 1 ante paid 10.00 >> seat 1 ante paid 50.00
        seat 4 chose play >> seat 4 bet 5.00 on pair_plus; seat 4 chose play
        seat 4 pair_plus taken 5.00 >> seat 4 pair_plus taken 10.00
        = BET01 seat 4 pair_plus 5.00
        = PAY01 seat 1 ante 40.00
    """,
    "a late wager, and paid on more than lay there": """
        seat 1 chose play >> seat 1 bet 5.00 on pair_plus; seat 1 chose play
        seat 1 play paid 10.00 >> seat 1 play paid 10.00; seat 1 pair_plus paid 20.00
        = BET01 seat 1 pair_plus 5.00
        = PAY01 seat 1 pair_plus 15.00
    """,
    "a Play of the wrong size at one seat, a loser returned at another": """
        seat 1 bet 10.00 on play >> seat 1 bet 20.00 on play
        seat 1 play paid 10.00 >> seat 1 play paid 20.00
        seat 4 pair_plus taken 5.00 >> seat 4 pair_plus returned 5.00
        = BET03 seat 1 play 20.00
        = PAY03 seat 4 pair_plus 5.00
    """,
    "a wager pulled at one seat, a winner taken at another": """
        seat 4 chose play >> seat 4 changed pair_plus to 0.00; seat 4 chose play
        seat 4 pair_plus taken 5.00 >>
        seat 1 ante paid 10.00 >> seat 1 ante taken 10.00
        = BET02 seat 4 pair_plus 5.00
        = PAY04 seat 1 ante -20.00
    """,
    "two wrong payouts at two seats": """
        seat 1 ante paid 10.00 >> seat 1 ante paid 15.00
        seat 4 ante paid 10.00 >> seat 4 ante paid 5.00
        = PAY02 seat 4 ante -5.00
        = PAY01 seat 1 ante 5.00
    """,
    "two wrong payouts at one seat": """
        seat 1 ante paid 10.00 >> seat 1 ante paid 15.00
        seat 1 play paid 10.00 >>
        = PAY07 seat 1 play
        = PAY01 seat 1 ante 5.00
    """,
    "a card out of turn, and an underpaid wager": """
        seat 1 dealt AH face down >> seat 4 dealt KH face down
        seat 4 dealt KH face down >> seat 1 dealt AH face down
        seat 1 ante paid 10.00 >> seat 1 ante paid 5.00
        = DEAL02 seat 4
        = PAY02 seat 1 ante -5.00
    """,
    "no announcement, and a bonus for nothing": """
        no more bets >>
        seat 1 play paid 10.00 >> seat 1 play paid 10.00; seat 1 ante_bonus paid 10.00
        = DEAL03
        = PAY08 seat 1 ante_bonus 10.00
    """,
    "a duplicate card, and an overpaid wager": """
        dealer dealt 3C face down >> dealer dealt AC face down
        seat 4 ante paid 10.00 >> seat 4 ante taken 10.00
        seat 4 play paid 10.00 >> seat 4 play taken 10.00
        seat 1 play paid 10.00 >> seat 1 play paid 30.00
        = DECK01
        = PAY01 seat 1 play 20.00
    """,
    "a wrong count ignored, and an overpaid wager": """
        seat 1 chose play >> deck R1 stub counted, cards 42; seat 1 chose play
        seat 1 play paid 10.00 >> seat 1 play paid 30.00
        = DECK03
        = PAY01 seat 1 play 20.00
    """,
    "a misdeal played on, and a late wager": """
        dealer dealt 3C face down >> dealer dealt 3C face down; seat 4 dealt 2S face down
        seat 1 chose play >> seat 1 changed ante to 20.00; seat 1 chose play
        = DEAL01 seat 4 35.00
        = BET01 seat 1 ante 10.00
    """,
    "a void round with money in it, and a late wager": """
        dealer dealt 3C face down >> seat 1 bet 5.00 on pair_plus; dealer dealt 3C face down; dealer dealt 2S face down
        seat 1 chose play >> round voided by S02, reason "misdeal"; seat 1 pair_plus returned 5.00
        seat 4 chose play >>
        seat 1 bet 10.00 on play >>
        seat 4 bet 10.00 on play >>
        dealer revealed >>
        seat 1 play paid 10.00 >>
        seat 4 play paid 10.00 >>
        seat 1 ante paid 10.00 >> seat 1 ante returned 10.00
        seat 4 ante paid 10.00 >> seat 4 ante returned 10.00
        = BET01 seat 1 pair_plus 5.00
        = PAY09 seat 4 pair_plus -5.00
    """,
    "an unread card at one seat, and an overpaid wager at the other": """
        seat 4 dealt 6D face down >> seat 4 dealt ?? face down
        seat 1 ante paid 10.00 >> seat 1 ante paid 15.00
        = FEED06 seat 4
        = PAY01 seat 1 ante 5.00
    """,
    "events missing, and a duplicate card all the same": """
        dealer dealt 3C face down >> dealer dealt AC face down
        seat 4 pair_plus taken 5.00 >> (lost) seat 4 pair_plus taken 5.00
        = DECK01
        = FEED01
    """,
    "two gaps": """
        seat 1 bet 10.00 on ante >> (lost) seat 1 bet 10.00 on ante
        dealer revealed >> (lost) dealer revealed
        = FEED01
        = FEED01
    """,
}

# What a round looks like that ended in a void before anybody decided; a case's own edits come first.
DECLARED_VOID = """
    seat 1 chose play >>
    seat 1 bet 10.00 on play >>
    seat 4 chose play >>
    seat 4 bet 10.00 on play >>
    dealer revealed >> round voided by S02, reason "as the law says"
    seat 4 pair_plus taken 5.00 >> seat 4 pair_plus returned 5.00
    seat 4 ante paid 10.00 >> seat 4 ante returned 10.00
    seat 4 play paid 10.00 >>
    seat 1 ante paid 10.00 >> seat 1 ante returned 10.00
    seat 1 play paid 10.00 >>
"""

ONE_TOLD = {
    "the round as it stands": """
    """,
    # A missing void explains the payouts after it.
    "a misdeal played on, whatever was paid": """
        dealer dealt 3C face down >> dealer dealt 3C face down; seat 4 dealt 2S face down
        seat 1 ante paid 10.00 >> seat 1 ante paid 90.00
        seat 4 ante paid 10.00 >> seat 4 ante taken 10.00
        seat 1 play paid 10.00 >>
        = DEAL01 seat 4 85.00
    """,
    "a dealer's card exposed and played on, whatever was paid": """
        seat 1 chose play >> 9D exposed at dealer; seat 1 chose play
        seat 1 ante paid 10.00 >> seat 1 ante paid 90.00
        = DEAL05 115.00
    """,
    "two cards face up and played on, whatever was paid": """
        seat 1 dealt 5D face down >> 2S found face up; 2H found face up; seat 1 dealt 5D face down
        seat 1 ante paid 10.00 >> seat 1 ante paid 90.00
        = VOID01 115.00
    """,
    "two cards face up, then a misdeal: one void is missing": """
        seat 1 dealt 5D face down >> 2S found face up; 2H found face up; seat 1 dealt 5D face down
        dealer dealt 3C face down >>
        = VOID01 35.00
    """,
    "a misdeal, then an exposed card: one void is missing": """
        dealer dealt 3C face down >>
        seat 1 chose play >> 9D exposed at dealer; seat 1 chose play
        = DEAL01 35.00
    """,
    "a misdealt hand is not also out of turn": """
        seat 1 dealt AC face down >> seat 4 dealt TC face down
        seat 4 dealt TC face down >> seat 4 dealt 2S face down
        = DEAL01 seat 1 35.00
    """,
    # A void that was declared explains what went before it.
    "a misdeal declared void": """
        dealer dealt 3C face down >>
        declared void
    """,
    "an exposed card declared void": """
        dealer dealt 3C face down >> dealer dealt 3C face down; 3C exposed at dealer
        declared void
    """,
    "a wrong count declared void": """
        dealer dealt 3C face down >> dealer dealt 3C face down; deck R1 stub counted, cards 42
        declared void
    """,
    # A gap explains what seems absent.
    "a lost settlement": """
        seat 1 ante paid 10.00 >> (lost) seat 1 ante paid 10.00
        = FEED01
    """,
    "a lost announcement": """
        no more bets >> (lost) no more bets
        = FEED01
    """,
    "a lost wager": """
        seat 1 bet 10.00 on ante >> (lost) seat 1 bet 10.00 on ante
        = FEED01
    """,
    "a lost card": """
        seat 4 dealt TC face down >> (lost) seat 4 dealt TC face down
        = FEED01
    """,
    "a lost decision, and its chips": """
        seat 1 chose play >> (lost) seat 1 chose play
        seat 1 bet 10.00 on play >> (lost) seat 1 bet 10.00 on play
        = FEED01
    """,
    "a lost start": """
        round 1 started with deck R1 >> (lost) round 1 started with deck R1
        = FEED01
    """,
    "a lost end": """
        round 1 ended >> (lost) round 1 ended; seat 1 left
        = FEED01
    """,
    # So do two contents, an end that was not seen, and a card that was not read.
    "one seq with two contents": """
        seat 1 bet 10.00 on ante >> seat 1 bet 10.00 on ante; #9: seat 1 bet 90.00 on ante
        = FEED02
    """,
    "a round that was not seen to its end": """
        seat 1 play paid 10.00 >>
        round 1 ended >>
        = FEED04
    """,
    "an unread card, and the wager that turned on it": """
        seat 1 dealt 5D face down >> seat 1 dealt ?? face down
        seat 1 bet 10.00 on ante >> seat 1 bet 10.00 on ante; seat 1 bet 5.00 on pair_plus
        seat 1 ante paid 10.00 >> seat 1 ante paid 10.00; seat 1 pair_plus paid 150.00
        = FEED06 seat 1
    """,
    "a joker, and the wagers that turned on it": """
        dealer dealt 3C face down >> dealer dealt XX face down
        seat 4 ante paid 10.00 >> seat 4 ante paid 90.00
        = DECK02
    """,
    "a duplicate card, and hands paid as they lie": """
        dealer dealt 3C face down >> dealer dealt 5D face down
        = DECK01
    """,
    # The payout follows the felt.
    "a wager put down when the cards were out, and dealt none": """
        seat 4 taken by P41 >> seat 4 taken by P41; seat 6 taken by P61
        dealer revealed >> seat 6 bet 10.00 on ante; dealer revealed
        seat 4 pair_plus taken 5.00 >> seat 4 pair_plus taken 5.00; seat 6 ante returned 10.00
        = BET01 seat 6 ante 10.00
    """,
    "a late wager, paid as it lies": """
        seat 1 chose play >> seat 1 bet 5.00 on pair_plus; seat 1 chose play
        seat 1 play paid 10.00 >> seat 1 play paid 10.00; seat 1 pair_plus paid 5.00
        = BET01 seat 1 pair_plus 5.00
    """,
    "an Ante raised late, and the Play with it": """
        seat 1 chose play >> seat 1 changed ante to 20.00; seat 1 chose play
        seat 1 bet 10.00 on play >> seat 1 bet 20.00 on play
        seat 1 ante paid 10.00 >> seat 1 ante paid 20.00
        seat 1 play paid 10.00 >> seat 1 play paid 20.00
        = BET01 seat 1 ante 10.00
    """,
    "an Ante raised late, and the Play as it was": """
        seat 1 chose play >> seat 1 changed ante to 20.00; seat 1 chose play
        seat 1 ante paid 10.00 >> seat 1 ante paid 20.00
        = BET01 seat 1 ante 10.00
    """,
    "chips touched after the announcement and left as they were": """
        seat 1 chose play >> seat 1 changed ante to 10.00; seat 1 chose play
    """,
    "a Play of the wrong size, paid as it lies": """
        seat 1 bet 10.00 on play >> seat 1 bet 5.00 on play
        seat 1 play paid 10.00 >> seat 1 play paid 5.00
        = BET03 seat 1 play 5.00
    """,
    "a Play without an Ante, paid as it lies": """
        seat 1 bet 10.00 on ante >> seat 1 bet 5.00 on pair_plus
        seat 1 chose play >>
        seat 1 ante paid 10.00 >> seat 1 pair_plus paid 5.00
        = BET04 seat 1 play 10.00
    """,
    "a 6 Card Bonus without Pair Plus, collected as it lies": """
        seat 1 bet 10.00 on ante >> seat 1 bet 10.00 on ante; seat 1 bet 5.00 on six_card_bonus
        seat 4 pair_plus taken 5.00 >> seat 4 pair_plus taken 5.00; seat 1 six_card_bonus taken 5.00
        = BET04 seat 1 six_card_bonus 5.00
    """,
    "a pulled wager, settled as it was": """
        seat 4 chose play >> seat 4 changed pair_plus to 0.00; seat 4 chose play
        = BET02 seat 4 pair_plus 5.00
    """,
    "a pulled wager, and nothing there to settle": """
        seat 4 chose play >> seat 4 changed pair_plus to 0.00; seat 4 chose play
        seat 4 pair_plus taken 5.00 >>
        = BET02 seat 4 pair_plus 5.00
    """,
    "a pulled Ante, and what was left of it paid": """
        dealer revealed >> seat 1 changed ante to 5.00; dealer revealed
        seat 1 ante paid 10.00 >> seat 1 ante paid 5.00
        = BET02 seat 1 ante 5.00
    """,
    "a pulled wager in a void round, and nothing there to return": """
        dealer dealt 3C face down >> seat 4 changed pair_plus to 0.00
        seat 4 pair_plus taken 5.00 >>
        declared void
        = BET02 seat 4 pair_plus 5.00
    """,
    "a wager put down when a card was out and the betting still open": """
        no more bets >>
        seat 4 dealt KH face down >> seat 1 bet 5.00 on pair_plus; no more bets; seat 4 dealt KH face down
        seat 1 play paid 10.00 >> seat 1 play paid 10.00; seat 1 pair_plus paid 5.00
        = DEAL03
    """,
    # A settlement is judged once.
    "a loser given back and then taken after all lost its stake, no more": """
        seat 4 pair_plus taken 5.00 >> seat 4 pair_plus returned 5.00; seat 4 pair_plus taken 5.00
    """,
    "a wager settled twice is not also overpaid": """
        seat 1 play paid 10.00 >> seat 1 play paid 10.00; seat 1 play paid 10.00
        = PAY08 seat 1 play 10.00
    """,
    "a wager neither settled nor put right is unsettled, not underpaid": """
        seat 1 play paid 10.00 >>
        = PAY07 seat 1 play
    """,
    # A bonus may come as a correction alone. Seat 1 holds a straight here, which earns 10.00.
    "a bonus never paid": """
        seat 1 dealt AC face down >> seat 1 dealt KC face down
        seat 1 dealt 5D face down >> seat 1 dealt QD face down
        round 1 ended >> round 1 ended
        = PAY06 seat 1 ante_bonus -10.00
    """,
    "a bonus paid by a correction alone": """
        seat 1 dealt AC face down >> seat 1 dealt KC face down
        seat 1 dealt 5D face down >> seat 1 dealt QD face down
        round 1 ended >> seat 1 ante_bonus corrected +10.00 by S02; round 1 ended
    """,
    "a bonus paid short by a correction alone": """
        seat 1 dealt AC face down >> seat 1 dealt KC face down
        seat 1 dealt 5D face down >> seat 1 dealt QD face down
        round 1 ended >> seat 1 ante_bonus corrected +4.00 by S02; round 1 ended
        = PAY02 seat 1 ante_bonus -6.00
    """,
    "a bonus paid too much by a correction alone": """
        seat 1 dealt AC face down >> seat 1 dealt KC face down
        seat 1 dealt 5D face down >> seat 1 dealt QD face down
        round 1 ended >> seat 1 ante_bonus corrected +50.00 by S02; round 1 ended
        = PAY01 seat 1 ante_bonus 40.00
    """,
}

CASES = {**BOTH_TOLD, **ONE_TOLD}
TABLES = {name: f"case-{place}" for place, name in enumerate(CASES)}


def edits(case: str) -> dict[str, str]:
    pairs = dict(re.findall(r"^ *(.+?) >> ?(.*)$", case, re.MULTILINE))
    return edits(DECLARED_VOID) | pairs if "declared void\n" in case else pairs


def expected(case: str) -> list[str]:
    return re.findall(r"^ *= (.+)$", case, re.MULTILINE)


def changed(text: str, instead: dict[str, str]) -> list[str]:
    """The lines with every edit made. An edit that finds no line is a mistake of the case."""
    lines = text.splitlines()
    assert instead.keys() <= set(lines), instead.keys() - set(lines)
    return [new for line in lines for new in instead.get(line, line).split("; ") if new]


def events(lines: list[str], table: str) -> pl.DataFrame:
    arrived = [not line.startswith("(lost) ") for line in lines]
    seen = notation.read_log("\n".join(line.removeprefix("(lost) ") for line in lines))
    return frame.from_events(
        msgspec.structs.replace(event, table=table) for event, here in zip(seen, arrived, strict=True) if here
    )


def told(found: pl.DataFrame) -> list[str]:
    return [
        " ".join(
            part
            for part in (
                row["code"],
                f"seat {row['seat']}" if row["seat"] else "",
                row["wager"],
                notation.money(row["amount"]) if row["amount"] else "",
            )
            if part
        )
        for row in found.iter_rows(named=True)
    ]


@cache
def findings() -> pl.DataFrame:
    floor = pl.concat(events(changed(ROUND, edits(case)), TABLES[name]) for name, case in CASES.items())
    return audit(facts.none(), floor, final=True).findings


@pytest.mark.parametrize("name", BOTH_TOLD)
def test_two_wrongs_in_one_round_are_both_told(name: str) -> None:
    assert sorted(told(findings().filter(table=TABLES[name]))) == sorted(expected(BOTH_TOLD[name]))
    assert len(expected(BOTH_TOLD[name])) == 2


@pytest.mark.parametrize("name", ONE_TOLD)
def test_a_cause_is_told_and_its_consequences_are_not(name: str) -> None:
    assert told(findings().filter(table=TABLES[name])) == expected(ONE_TOLD[name])
    assert len(expected(ONE_TOLD[name])) <= 1


def rounds(count: int) -> list[str]:
    """So many honest rounds of one player in which nobody counts the stub."""
    opening, _, rest = ROUND.partition("round 1 started")
    body = [line for line in ("round 1 started" + rest).splitlines() if "seat 4" not in line]
    shuffle = ["deck R1 shuffled manual", "deck R1 cut, cards 20"]
    return opening.splitlines() + [
        line.replace("round 1", f"round {number}") for number in range(1, count + 1) for line in (*body, *shuffle)
    ]


CUT = "deck R1 cut, cards 20"
GAPS = {
    "between rounds 4 and 5": ((CUT, 4), 1, ["FEED01", "DECK04"]),
    "between rounds 5 and 6": ((CUT, 5), 1, ["FEED01"]),
    "from the end of round 4 into round 5": ((CUT, 4), 2, ["FEED01"]),
}


@pytest.mark.parametrize("gap", GAPS)
def test_the_five_rounds_to_a_count_begin_anew_behind_a_gap(gap: str) -> None:
    """What was lost may have been a count of the round before, and of the round whose start was lost with it."""
    (line, nth), size, expected = GAPS[gap]
    nine = rounds(9)
    first = [at for at, each in enumerate(nine) if each == line][nth]
    lost = [f"(lost) {each}" if first <= at < first + size else each for at, each in enumerate(nine)]
    assert told(audit(facts.none(), events(lost, "T1"), final=True).findings) == expected


def test_the_fifth_round_without_a_count_is_told_once() -> None:
    assert told(audit(facts.none(), events(rounds(9), "T1"), final=True).findings) == ["DECK04"]
