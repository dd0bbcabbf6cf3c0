"""`catwalk explain` and `catwalk rules`: the manual and the law, as they are in force."""

import json
from collections.abc import Iterator

import pytest

from detectors.catalogue import BY_CODE, STATISTIC_BY_CODE
from rules.decision import tables_of
from rules.game import Game
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


@pytest.mark.parametrize("code", STATISTIC_BY_CODE)
def test_every_statistic_explains_itself(call, code):
    statistic = STATISTIC_BY_CODE[code]
    status, printed, said = call("explain", code)
    assert (status, said) == (0, "")
    for part in (code, statistic.name, "What", "Why", "Blind to", "Hypothesis", "Test", "Clauses"):
        assert part in printed
    about = json.loads(call("explain", statistic.name, "--json")[1])
    assert (about["code"], about["hypothesis"]) == (code, statistic.hypothesis)


def test_a_detector_answers_to_its_name(call):
    assert "PAY01" in call("explain", "overpaid")[1]


def cited(law: Game, edition: str) -> Iterator[str]:
    """Every clause that the game's page has to name."""
    yield from (law.deck_clause, law.late_clause, law.settle_clause, law.void_clause)
    for method, deal in law.deal.items():
        yield from (deal.order_clause, deal.bets_closed_clause, law.card_life[method].clause)
        yield from filter(None, (deal.community_clause, law.card_life[method].advised_clause))
        if law.stub_is_counted:
            yield from (deal.count_clause, law.count_exempt_clause)
    yield from (each.clause for each in (*law.streets, *law.options, *law.remedies.values(), *law.editions))
    for wager in law.wagers_of(edition):
        yield from (each.clause for each in (*wager.rulings, *wager.needs))
        yield from (each.clause for each in (wager.equals, wager.at_most) if each is not None)
        for table in tables_of(wager):
            yield from (column.clause for column in table.columns if edition in column.editions)


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize(("game", "edition"), EDITIONS)
def test_every_edition_prints_every_line_with_its_clause(call, monkeypatch, game, edition, width):
    monkeypatch.setenv("COLUMNS", str(width))
    status, printed, said = call("rules", game, "--edition", edition)
    law = GAMES[game]
    assert (status, said) == (0, "")
    assert max(len(line) for line in printed.splitlines()) <= width
    assert {clause for clause in cited(law, edition) if clause not in printed} == set()
    for wager in law.wagers_of(edition):
        assert wager.title in printed
        for table in tables_of(wager):
            columns = [column for column in table.columns if edition in column.editions]
            prizes = {prize.words for column in columns for prize in column.prizes.values()}
            assert {words for words in prizes if words not in printed} == set()
    for option in law.options:
        assert f"{option.name}  " in printed
        assert f"{option.default} (default)" in printed


@pytest.mark.parametrize(("game", "edition"), EDITIONS)
def test_a_program_gets_every_line_with_its_clause(call, game, edition):
    law = GAMES[game]
    page = json.loads(call("rules", game, "--edition", edition, "--json")[1])
    assert (page["game"], page["edition"]) == (game, edition)
    assert {wager["wager"] for wager in page["wagers"]} == {each.name for each in law.wagers_of(edition)}
    named = json.dumps(page)
    assert {clause for clause in cited(law, edition) if f'"{clause}"' not in named} == set()
    for wager, told in zip(law.wagers_of(edition), page["wagers"], strict=True):
        tables = {wager.name: told["columns"], **told["other_tables"]}
        for table in tables_of(wager):
            columns = [column for column in table.columns if edition in column.editions]
            assert [column["name"] for column in tables[table.wager]] == [column.name for column in columns]
            assert all(column["pays"] and column["clause"] and column["source"] for column in tables[table.wager])


def test_columns_that_do_not_fit_side_by_side_are_printed_below_one_another(call, monkeypatch):
    headings = []
    for width in (80, 160):
        monkeypatch.setenv("COLUMNS", str(width))
        lines = call("rules", "three-card-poker")[1].splitlines()
        headings.append([line.split()[1:] for line in lines if line.split()[:1] == ["column"] and "A" in line.split()])
    assert headings == [[["A", "B", "C", "D"]], [["A", "B", "C", "D", "E", "F"]]]


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


def test_odds_that_turn_on_the_packs_say_so(call):
    status, printed, _ = call("rules", "spanish-21", "--odds", "--json")
    assert status == 0
    edges = {(each["wager"], each["table"], each["column"]): each["edge"] for each in json.loads(printed)["odds"]}
    assert edges["insurance", "packs", "6"] == "71/287"
    assert edges["insurance", "packs", "8"] == "95/383"
    assert edges["match_the_dealer", "match_the_dealer", "6"] == "114/3731"
    assert "8 packs" in call("rules", "spanish-21", "--odds")[1]


def test_odds_are_those_of_the_columns_that_the_edition_has(call):
    told = json.loads(call("rules", "three-card-poker", "--edition", "1998", "--odds", "--json")[1])["odds"]
    assert {(each["wager"], each["table"], each["column"]) for each in told} == {
        ("pair_plus", "pair_plus", "1"),
        ("ante", "ante_bonus", "1"),
    }
