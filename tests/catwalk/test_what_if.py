"""`catwalk audit --what-if`: what would have been owed under other terms."""

import json
from pathlib import Path

import polars as pl
import pytest

from catwalk.command import main

PAIR_PLUS = ("--what-if", "pay_tables.pair_plus=2")
SIX_CARD_BONUS = ("--what-if", "pay_tables.six_card_bonus=C")
SUMS = ("wagers", "differ", "owed", "owed_then", "difference")


@pytest.fixture(scope="module")
def events(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three Card Poker in all its editions."""
    file = tmp_path_factory.mktemp("poker") / "events.jsonl"
    asked = ["simulate", "--game", "three-card-poker", "--tables", "6", "--rounds", "40", "--seed", "8"]
    assert main([*asked, "--out", str(file)]) == 0
    return file


@pytest.fixture
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_audit_itself_says_what_it_says_without(call, events, tmp_path):
    findings, settlements = tmp_path / "f.jsonl", tmp_path / "s.jsonl"
    alone = json.loads(call("audit", events, "--json", "--findings", findings, "--settlements", settlements)[1])
    before = findings.read_bytes(), settlements.read_bytes()
    out = ("--findings", findings, "--settlements", settlements)
    status, printed, said = call("audit", events, "--json", *SIX_CARD_BONUS, *out)
    figures = json.loads(printed)
    supposed = figures.pop("what_if")
    assert (status, said) == (0, "")
    assert figures == alone
    assert (findings.read_bytes(), settlements.read_bytes()) == before
    assert supposed["changes"] == {"pay_tables.six_card_bonus": "C"}


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_the_figures_are_the_sums_of_what_is_written_round_by_round(call, events, tmp_path, form):
    out = tmp_path / f"differences.{form}"
    status, printed, _ = call("audit", events, "--json", *SIX_CARD_BONUS, "--what-if-out", out)
    assert status == 0
    read = {"csv": pl.read_csv, "jsonl": pl.read_ndjson, "parquet": pl.read_parquet}[form]
    rows = read(out)
    supposed = json.loads(printed)["what_if"]
    total = supposed["total"]
    assert rows.height == total["differ"] > 0
    assert rows["difference"].sum() == total["difference"] == total["owed_then"] - total["owed"]
    for each in ("by_wager", "by_table"):
        assert all(sum(row[name] for row in supposed[each]) == supposed["total"][name] for name in SUMS)
    by_table = {row["table"]: row["difference"] for row in supposed["by_table"]}
    assert by_table == dict(rows.group_by("table").agg(pl.col("difference").sum()).iter_rows())
    assert {row["game"] for row in supposed["by_wager"]} == {"three-card-poker"}


def test_a_person_is_told_what_differs_and_which_openings_were_left_and_why(call, events):
    status, printed, said = call("audit", events, *SIX_CARD_BONUS)
    assert (status, said) == (0, "")
    unwrapped = " ".join(printed.split())
    for words in (
        "If the terms had been pay_tables.six_card_bonus = C",
        "openings changed: ",
        " – terms refused: edition 2000 does not offer the 6 Card Bonus (19:47-20.12A(a))",
        "owed now owed then difference",
        "Three Card Poker six_card_bonus",
        "net to the players",
    ):
        assert words in unwrapped


def test_what_is_no_longer_offered_is_said_apart_from_the_money(call, events):
    printed = " ".join(call("audit", events, "--what-if", "pay_tables.six_card_bonus=")[1].split())
    assert "not offered under these terms and owed their return" in printed
    assert "in none of these sums" in printed
    total = json.loads(call("audit", events, "--what-if", "pay_tables.six_card_bonus=", "--json")[1])["what_if"][
        "total"
    ]
    assert total["not_offered"] > 0
    assert (total["differ"], total["difference"]) == (0, 0)


def test_terms_that_nothing_owed_turns_on_differ_in_nothing(call, events):
    status, printed, _ = call("audit", events, "--what-if", "decks=1")
    assert status == 0
    assert "Nothing would have been owed differently." in printed


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--what-if", "pair_plus"), "say KEY=VALUE, where KEY is one of edition, dealing, decks, pay_tables.NAME"),
        (("--what-if", "pay_tables.tip=1"), "Three Card Poker has no pay table tip"),
        (("--what-if", "pay_tables.pair_plus=9"), "Pair Plus has no column '9'; it has 1, 2 (19:47-20.11(a))"),
        ((*PAIR_PLUS, "--what-if", "pay_tables.pair_plus=1"), "pay_tables.pair_plus: is supposed twice"),
        (("--what-if-out", "d.csv"), "there is no --what-if"),
        ((*PAIR_PLUS, "--what-if-out", "d.xlsx"), "unknown ending; differences are written as"),
        ((*PAIR_PLUS, "--what-if-out", "f.csv", "--findings", "f.csv"), "to one file"),
    ],
)
def test_what_cannot_be_supposed_is_said_in_one_line_and_nothing_is_left_behind(
    call, events, empty_folder, arguments, complaint
):
    status, printed, said = call("audit", events, *arguments)
    assert (status, printed) == (2, "")
    assert complaint in said
    assert said.count("\n") == 1
    assert list(empty_folder.iterdir()) == []


def test_without_an_opening_there_are_no_terms_to_change(call, tmp_path):
    closed = tmp_path / "closed.jsonl"
    closed.write_text('{"table":"T1","seq":1,"at":"2026-01-31T12:00:03Z","type":"table_closed"}\n')
    status, _, said = call("audit", closed, *PAIR_PLUS, "--what-if-out", tmp_path / "d.csv")
    assert status == 2
    assert "no opening of a table was seen" in said
    assert list(tmp_path.iterdir()) == [closed]
