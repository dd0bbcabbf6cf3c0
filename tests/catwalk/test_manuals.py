"""`catwalk explain` and `catwalk rules`: the manual and the law, as they are in force."""

import json

import pytest

from detectors.catalogue import BY_CODE
from rules.games import GAMES
from rules.odds import ODDS

EDITIONS = [(game.name, edition.name) for game in GAMES.values() for edition in game.editions]


@pytest.mark.parametrize("code", BY_CODE)
def test_every_detector_explains_itself(call, code):
    status, printed, said = call("explain", code)
    assert (status, said) == (0, "")
    for part in (code, BY_CODE[code].name, BY_CODE[code].severity, "What", "Why", "Blind to", "Clauses"):
        assert part in printed
    about = json.loads(call("explain", code.lower(), "--json")[1])
    assert about["code"] == code
    assert about["clauses"] == list(BY_CODE[code].clauses)


def test_a_detector_answers_to_its_name(call):
    assert "PAY01" in call("explain", "overpaid")[1]


@pytest.mark.parametrize(("game", "edition"), EDITIONS)
def test_every_edition_prints_every_line_with_its_clause(call, game, edition):
    status, printed, said = call("rules", game, "--edition", edition)
    assert (status, said) == (0, "")
    unwrapped = " ".join(printed.split())
    page = json.loads(call("rules", game, "--edition", edition, "--json")[1])
    assert page["edition"] == edition
    assert {wager["wager"] for wager in page["wagers"]} == {each.name for each in GAMES[game].wagers_of(edition)}
    for wager in GAMES[game].wagers_of(edition):
        assert wager.title in unwrapped
        assert all(ruling.clause in unwrapped for ruling in wager.rulings)
    for column in (column for wager in page["wagers"] for column in wager["columns"]):
        assert column["clause"] in unwrapped
        assert all(prize in unwrapped for prize in column["pays"].values())
    for remedied in GAMES[game].remedies.values():
        assert remedied.clause in unwrapped


def test_the_edition_is_the_newest_if_none_is_named(call):
    assert json.loads(call("rules", "three-card-poker", "--json")[1])["edition"] == "6-card-bonus"


def test_odds_are_worked_out_exactly(call):
    assert "three-card-poker" in ODDS
    status, printed, said = call("rules", "three-card-poker", "--odds", "--json")
    assert (status, said) == (0, "")
    odds = json.loads(printed)["odds"]
    pair_plus = next(each for each in odds if each["wager"] == "pair_plus" and each["column"] == "1")
    # Pair Plus at 40/30/6/4/1 keeps 128/5525 of every stake.
    assert pair_plus["edge"] == "128/5525"
