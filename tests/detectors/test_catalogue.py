"""The catalogue against the contract, and the manual against the catalogue."""

import re
from inspect import getdoc

import pytest

from detectors import manual
from detectors.catalogue import BY_CODE, CATALOGUE, STATISTIC_BY_CODE, STATISTICS, Detector, Statistic

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
    # The contract lists these by their subject.
    "STAT01": "dealer-error-rate",
    "STAT02": "dealer-player-affinity",
    "STAT03": "equal-repeated-overpayments",
    "STAT04": "voids-per-supervisor",
    "STAT05": "card-distribution",
    "STAT06": "hole-card-play",
}
# `19:47-20.11(a)2i`, `13:69F-39.11(b)(5)`, `13:69F-2A.9(a)`: title, chapter, section, and any number of paragraphs. Where New
# Jersey's own text of Spanish 21 is not at hand, `58 Pa. Code 635a.12(b)`.
A_CLAUSE = re.compile(r"((19:4[67]|13:69[EF])-\d+[A-Z]?|58 Pa\. Code \d+[a-z]?)\.\d+[A-Z]?(\(\w+\)|\d+|[ivx]+)*")

every_code = pytest.mark.parametrize("detector", [*CATALOGUE, *STATISTICS], ids=lambda detector: detector.code)
every_detector = pytest.mark.parametrize("detector", CATALOGUE, ids=lambda detector: detector.code)
every_statistic = pytest.mark.parametrize("statistic", STATISTICS, ids=lambda statistic: statistic.code)


def test_a_code_is_used_once() -> None:
    assert len({**BY_CODE, **STATISTIC_BY_CODE}) == len(CATALOGUE) + len(STATISTICS)


@every_code
def test_code_and_name_are_the_contract_s(detector: Detector | Statistic) -> None:
    assert detector.name == CONTRACT[detector.code]


@every_statistic
def test_a_statistic_is_no_part_of_an_audit(statistic: Statistic) -> None:
    assert statistic.code not in BY_CODE


@every_statistic
def test_a_statistic_says_what_holds_on_an_honest_floor_and_how_it_asks(statistic: Statistic) -> None:
    assert statistic.hypothesis.endswith(".")
    assert "one question a " in statistic.test or "questions a " in statistic.test


@every_code
def test_the_docstring_says_what_is_flagged_why_and_what_is_not_seen(detector: Detector | Statistic) -> None:
    flags, why, blind_to = (getdoc(detector.says) or "").split("\n\n")
    assert flags.startswith("Flags ")
    assert why.startswith("Why: ")
    assert blind_to.startswith("Blind to: ")


@every_code
def test_every_clause_is_a_clause(detector: Detector | Statistic) -> None:
    assert all(A_CLAUSE.fullmatch(clause) for clause in detector.clauses)
    assert detector.clauses


@every_detector
def test_there_is_an_incident(detector: Detector) -> None:
    assert any(name.startswith(f"{detector.code}-") for name in manual.incidents())


@every_code
def test_a_severity_has_a_meaning(detector: Detector | Statistic) -> None:
    assert detector.severity in manual.SEVERITIES
    assert any(detector.code.startswith(family) for family in manual.FAMILIES)


@pytest.mark.parametrize("name", manual.pages())
def test_the_page_in_the_docs_is_what_the_code_says(name: str) -> None:
    written = (manual.FOLDER / name).read_text("utf-8")
    assert written == manual.pages()[name], "run `python -m detectors.manual`"


def test_the_docs_have_no_page_that_nothing_writes() -> None:
    assert {page.name for page in manual.FOLDER.glob("*.md")} == set(manual.pages())
