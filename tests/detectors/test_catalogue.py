"""The catalogue against the contract, and the manual against the catalogue."""

import re
from inspect import getdoc

import pytest

from detectors import manual
from detectors.catalogue import BY_CODE, CATALOGUE, Detector

# Code and name of every finding that the contract knows.
CONTRACT = {
    "PAY01": "overpaid",
    "PAY02": "underpaid",
    "PAY03": "loser-not-taken",
    "PAY04": "winner-taken",
    "PAY05": "push-moved",
    "PAY06": "bonus-missed",
    "PAY07": "wager-unsettled",
    "PAY08": "paid-for-nothing",
    "PAY09": "money-in-a-void-round",
    "BET01": "late-wager",
    "BET02": "wager-pulled",
    "BET03": "wrong-size",
    "BET04": "companion-missing",
    "BET05": "outside-limits",
    "BET06": "bettor-not-seated",
    "BET07": "crowded-box",
    "BET08": "wager-not-offered",
    "DEAL01": "wrong-card-count",
    "DEAL02": "card-out-of-turn",
    "DEAL03": "dealt-before-bets-closed",
    "DEAL04": "wrong-face",
    "DEAL05": "dealer-card-exposed",
    "DEAL06": "turned-card-played",
    "DEAL07": "impossible-decision",
    "DEAL08": "dealer-drew-wrong",
    "VOID01": "void-missing",
    "VOID02": "void-without-cause",
    "DECK01": "duplicate-card",
    "DECK02": "foreign-card",
    "DECK03": "stub-miscounted",
    "DECK04": "count-overdue",
    "DECK05": "decks-not-alternated",
    "DECK06": "cards-past-their-hours",
    "DECK07": "bad-deck-kept",
    "DECK08": "card-never-seen",
    "PROC01": "not-shuffled",
    "PROC02": "cut-wrong",
    "PROC03": "settled-out-of-order",
    "PROC04": "wrong-device",
    "FEED01": "events-missing",
    "FEED02": "events-conflict",
    "FEED03": "clock-backwards",
    "FEED04": "round-unfinished",
    "FEED05": "stray-event",
    "FEED06": "card-unread",
}
# `19:47-20.11(a)2i`, `13:69F-39.11(b)(5)`, `13:69F-2A.9(a)`: title, chapter, section, and any number of paragraphs. Where New
# Jersey's own text of Spanish 21 is not at hand, `58 Pa. Code 635a.12(b)`.
A_CLAUSE = re.compile(r"((19:4[67]|13:69[EF])-\d+[A-Z]?|58 Pa\. Code \d+[a-z]?)\.\d+[A-Z]?(\(\w+\)|\d+|[ivx]+)*")

every_detector = pytest.mark.parametrize("detector", CATALOGUE, ids=lambda detector: detector.code)


def test_a_code_is_used_once() -> None:
    assert len(BY_CODE) == len(CATALOGUE)


@every_detector
def test_code_and_name_are_the_contract_s(detector: Detector) -> None:
    if not detector.code.startswith("STAT"):
        assert detector.name == CONTRACT[detector.code]


@every_detector
def test_the_docstring_says_what_is_flagged_why_and_what_is_not_seen(detector: Detector) -> None:
    flags, why, blind_to = (getdoc(detector.says) or "").split("\n\n")
    assert flags.startswith("Flags ")
    assert why.startswith("Why: ")
    assert blind_to.startswith("Blind to: ")


@every_detector
def test_every_clause_is_a_clause(detector: Detector) -> None:
    assert all(A_CLAUSE.fullmatch(clause) for clause in detector.clauses)
    assert detector.clauses


@every_detector
def test_there_is_an_incident(detector: Detector) -> None:
    assert any(name.startswith(f"{detector.code}-") for name in manual.incidents())


@every_detector
def test_a_severity_has_a_meaning(detector: Detector) -> None:
    assert detector.severity in manual.SEVERITIES
    assert any(detector.code.startswith(family) for family in manual.FAMILIES)


@pytest.mark.parametrize("name", manual.pages())
def test_the_page_in_the_docs_is_what_the_code_says(name: str) -> None:
    written = (manual.FOLDER / name).read_text("utf-8")
    assert written == manual.pages()[name], "run `python -m detectors.manual`"


def test_the_docs_have_no_page_that_nothing_writes() -> None:
    assert {page.name for page in manual.FOLDER.glob("*.md")} == set(manual.pages())
