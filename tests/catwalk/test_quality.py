"""`catwalk quality`: the page names the command that made its table, and the figures are those of the floors."""

import json
from pathlib import Path

import polars as pl
import pytest

from benchmarks.quality_page import page
from catwalk.command import MISUSED, OK, main
from detectors.audit import Audited
from detectors.catalogue import STATISTIC_BY_CODE
from detectors.quality import Measured, Told, by_code
from detectors.statistics.cheats import CHEATS
from ingest.floor import CODES, GAMES, Label, codes

PAGE = Path(__file__).parents[2] / "docs" / "quality.md"


def test_the_page_names_the_commands_and_the_seed_that_made_it():
    named: dict[str, str] = {}
    assert page(PAGE.read_text(), lambda command: named.setdefault(command, "")) == PAGE.read_text()
    assert list(named) == [
        "catwalk quality --rounds 1000 --wrongs 300 --seed 1",
        "catwalk quality --periods 1000 --seed 1",
    ]


def test_the_page_has_every_code_and_every_way_to_cheat():
    told = PAGE.read_text()
    assert all(f"\n{code} " in told for code in (*CODES, *STATISTIC_BY_CODE))
    assert all(cheat.does in told for cheat in CHEATS)


def test_the_page_is_written_by_what_its_commands_say():
    text = "a\n\n```\ncatwalk quality --seed 1\n```\n\n```\nold\n```\nb\n"
    assert page(text, lambda command: f"new of {command}  \n") == text.replace("old", "new of catwalk quality --seed 1")
    assert page(text, lambda _: None) == text


def test_the_statistics_are_measured_for_a_program(capsys: pytest.CaptureFixture[str]):
    assert main(["quality", "--periods", "2", "--json"]) == OK
    told = json.loads(capsys.readouterr().out)
    assert {each["code"] for each in told["honest"]} == {each["code"] for each in told["lying"]} == {*STATISTIC_BY_CODE}
    assert all(set(each["alarms"]) == {"0.05", "0.01", "0.001"} for each in told["honest"])


def test_a_label_is_found_missed_or_misplaced_and_what_nobody_planted_is_invented():
    measure = Measured("three-card-poker")
    for number in (1, 2, 3, 4):
        measure.plant(Label("PAY01", "T1", number, 2, "ante", 500))
    told = (("PAY01", 1, 2, 500), ("PAY01", 2, 3, 500), ("PAY01", 4, 2, 100), ("PAY02", 2, 3, -500))
    findings = pl.DataFrame(
        [(code, "T1", number, seat, "ante", amount, "19:47-20.11(a)1") for code, number, seat, amount in told],
        schema=["code", "table", "round", "seat", "wager", "amount", "clause"],
        orient="row",
    )
    nothing = pl.DataFrame()
    measure.add(Audited(findings, nothing, nothing, nothing, events=0))
    assert by_code([measure]) == [
        Told("PAY01", planted=4, found=3, missed=1, invented=0, right=2, exact=1, cited=3),
        Told("PAY02", planted=0, found=0, missed=0, invented=1, right=0, exact=0, cited=0),
    ]


def test_floors_are_dealt_until_every_code_was_planted_often_enough(capsys: pytest.CaptureFixture[str]):
    assert main(["quality", "--rounds", "20", "--wrongs", "3", "--game", "three-card-poker", "--json"]) == OK
    told = json.loads(capsys.readouterr().out)["codes"]
    assert {code["code"] for code in told} == set(codes(GAMES["three-card-poker"]))
    assert min(code["planted"] for code in told) >= 3
    assert {code["missed"] + code["invented"] for code in told} == {0}
    assert {code["amount"] for code in told} == {code["clause"] for code in told} == {1.0}


def test_a_small_floor_is_measured_for_a_program(capsys: pytest.CaptureFixture[str]):
    assert main(["quality", "--rounds", "40", "--seed", "3", "--game", "three-card-poker", "--json"]) == OK
    told = json.loads(capsys.readouterr().out)
    assert told["honest"] == [{"game": "three-card-poker", "rounds": 40, "findings": 0}]
    assert {code["missed"] + code["invented"] for code in told["codes"]} == {0}


def test_an_unknown_game_is_one_line(capsys: pytest.CaptureFixture[str]):
    assert main(["quality", "--game", "faro"]) == MISUSED
    assert "no such floor" in capsys.readouterr().err
