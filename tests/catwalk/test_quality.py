"""`catwalk quality`: the page names the command that made its table, and the figures are those of the floors."""

import json
from pathlib import Path

import pytest

from catwalk.command import MISUSED, OK, main
from detectors.quality import Measured, Told, by_code
from ingest.floor import Label

PAGE = Path(__file__).parents[2] / "docs" / "quality.md"


def test_the_page_names_the_command_and_the_seed_that_made_it():
    assert "catwalk quality --rounds 1000 --seed 1" in PAGE.read_text()


def test_a_label_is_found_missed_or_misplaced_and_what_nobody_planted_is_invented():
    measure = Measured(
        "three-card-poker",
        labels=[Label("PAY01", "T1", number, 2, "ante", 500) for number in (1, 2, 3)],
        findings=[
            ("PAY01", "T1", 1, 2, "ante", 500),
            ("PAY01", "T1", 2, 3, "ante", 500),
            ("PAY02", "T1", 2, 3, "ante", -500),
        ],
    )
    assert by_code([measure]) == [
        Told("PAY01", planted=3, found=2, missed=1, invented=0, exact=1),
        Told("PAY02", planted=0, found=0, missed=0, invented=1, exact=0),
    ]


def test_a_small_floor_is_measured_for_a_program(capsys: pytest.CaptureFixture[str]):
    assert main(["quality", "--rounds", "40", "--seed", "3", "--game", "three-card-poker", "--json"]) == OK
    told = json.loads(capsys.readouterr().out)
    assert told["honest"] == [{"game": "three-card-poker", "rounds": 40, "findings": 0}]
    assert {code["missed"] + code["invented"] for code in told["codes"]} == {0}


def test_an_unknown_game_is_one_line(capsys: pytest.CaptureFixture[str]):
    assert main(["quality", "--game", "faro"]) == MISUSED
    assert "no such floor" in capsys.readouterr().err
