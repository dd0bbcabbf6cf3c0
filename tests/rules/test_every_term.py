"""Every game, edition, wager, line, column, option, remedy and deal: each is there once, and each cites its clause."""

import re
from dataclasses import fields
from itertools import product

import polars as pl
import pytest

from rules import heads_up_holdem, odds, spanish_21, three_card_draw_poker, three_card_poker
from rules.decision import PayTable, Wager, table_of, tables_of
from rules.game import Game, Irregularity, Refused, Terms
from rules.games import GAMES

EVERY = [module.GAME for module in (three_card_poker, three_card_draw_poker, heads_up_holdem, spanish_21)]
WAGERS = [
    (game, edition.name, wager) for game in EVERY for edition in game.editions for wager in game.wagers_of(edition.name)
]
COLUMNS = [
    (game, edition, table, column)
    for game, edition, wager in WAGERS
    for table in tables_of(wager)
    for column in table.columns
]
OPTIONS = [(game, option) for game in EVERY for option in game.options]
CLAUSE = re.compile(
    r"(19:47-\d+|13:69[EF]-\d+[A-Z]?|58 Pa\. Code \d+[a-z]?)(\.\d+[A-Z]?(\([a-z]+\)|\(\d+\)|\d+|[ivx]+)*)?"
)


def titled(value: object) -> str | None:
    return value if isinstance(value, str) else getattr(value, "name", getattr(value, "wager", None))


def is_clause(text: str | None) -> bool:
    return text is not None and CLAUSE.fullmatch(text) is not None


def in_force(terms: Terms, game: Game, wager: str) -> list[Wager]:
    return [each for each in game.wagers_of(terms.edition) if each.name == wager]


def with_companions(game: Game, table: PayTable, column: str) -> dict[str, str]:
    """The columns to elect with this one: an Ante bonus 1/5/6 goes only with Pair Plus 33/35."""
    beside = {"pair_plus": "2"} if (game.name, table.wager, column) == ("three-card-poker", "ante_bonus", "2") else {}
    return {table.wager: column, **beside}


def test_the_games_are_four_and_all_that_is_derived_is_among_them():
    assert len({game.name for game in EVERY}) == 4
    assert all(any(game is each for each in EVERY) for game in GAMES.values())
    assert set(odds.ODDS) == {game.name for game in EVERY}


@pytest.mark.parametrize("game", EVERY, ids=titled)
def test_every_clause_that_a_game_names_is_one(game):
    named = {field.name: getattr(game, field.name) for field in fields(game) if field.name.endswith("_clause")}
    assert len(named) >= 7
    assert {name for name, clause in named.items() if not is_clause(clause)} <= {"record_clause"}
    assert game.record_clause is None or is_clause(game.record_clause)
    assert all(is_clause(edition.clause) for edition in game.editions)


@pytest.mark.parametrize(("game", "edition", "wager"), WAGERS, ids=titled)
def test_exactly_one_decision_table_is_in_force_for_a_wager_of_an_edition(game, edition, wager):
    assert in_force(game.elect(edition, {}, {}), game, wager.name) == [wager]
    assert wager.rulings
    assert all(is_clause(ruling.clause) for ruling in wager.rulings)
    assert all(ruling.condition.words and ruling.outcome.words for ruling in wager.rulings)
    assert pl.select(wager.rulings[-1].condition.holds).item() is True


@pytest.mark.parametrize(("game", "edition", "wager"), WAGERS, ids=titled)
def test_a_line_that_leaves_the_odds_to_a_table_has_one(game, edition, wager):
    by_table = [ruling.outcome for ruling in wager.rulings if ruling.outcome.odds is None]
    assert {table_of(wager, outcome).wager for outcome in by_table} == {table.wager for table in tables_of(wager)}
    assert (wager.hand is not None) == bool(by_table)
    assert edition in {each.name for each in game.editions}


@pytest.mark.parametrize(("game", "edition", "wager"), WAGERS, ids=titled)
def test_what_a_wager_leans_on_is_a_wager_of_the_same_edition_and_says_by_which_clause(game, edition, wager):
    names = {each.name for each in game.wagers_of(edition)}
    leaning = [*wager.needs, *(each for each in (wager.equals, wager.at_most) if each is not None)]
    assert all(each.wager in names and is_clause(each.clause) for each in leaning)
    assert {wager.bonus_on, wager.bonus_or_on} - {None} <= names
    values = {option.name: option.values for option in game.options}
    assert all(need.only_if[1] in values[need.only_if[0]] for need in wager.needs if need.only_if is not None)


@pytest.mark.parametrize(("game", "edition", "table", "column"), COLUMNS, ids=titled)
def test_a_column_is_printed_once_and_can_be_elected_exactly_where_its_edition_has_it(game, edition, table, column):
    assert [each for each in table.columns if each.name == column.name] == [column]
    assert is_clause(column.clause)
    assert column.source
    assert column.prizes
    assert all(prize.odds > 0 or prize.fixed > 0 for prize in column.prizes.values())
    assert set(column.prizes) <= set(table.hands)
    elected = with_companions(game, table, column.name)
    if edition in column.editions:
        assert game.elect(edition, elected, {}).columns[table.wager] == column.name
    else:
        with pytest.raises(Refused) as refusal:
            game.elect(edition, elected, {})
        assert is_clause(refusal.value.clause)


@pytest.mark.parametrize("game", EVERY, ids=titled)
def test_a_table_that_elects_nothing_plays_by_one_column_and_one_value_of_each(game):
    for edition in game.editions:
        terms = game.elect(edition.name, {}, {})
        tables = {table.wager: table for wager in game.wagers_of(edition.name) for table in tables_of(wager)}
        assert all(edition.name in tables[name].column(column).editions for name, column in terms.columns.items())
        assert terms.options == {option.name: option.default for option in game.options}


@pytest.mark.parametrize("game", EVERY, ids=titled)
def test_a_column_or_edition_that_nobody_printed_is_refused_by_a_clause(game):
    tables = {table.wager for wager in game.wagers for table in tables_of(wager)}
    asked = [("1066", {}), *product([game.editions[-1].name], [{name: "Z"} for name in (*tables, "tip")])]
    for edition, columns in asked:
        with pytest.raises(Refused) as refusal:
            game.elect(edition, columns, {})
        assert is_clause(refusal.value.clause)


@pytest.mark.parametrize(("game", "option"), OPTIONS, ids=titled)
def test_every_value_of_an_option_can_be_elected_and_no_other(game, option):
    assert option.default in option.values
    assert len(set(option.values)) == len(option.values) >= 2
    assert is_clause(option.clause)
    assert option.words
    for edition in game.editions:
        for value in option.values:
            assert game.elect(edition.name, {}, {option.name: value}).options[option.name] == value
        with pytest.raises(Refused) as refusal:
            game.elect(edition.name, {}, {option.name: "perhaps"})
        assert refusal.value.clause == option.clause


@pytest.mark.parametrize("game", EVERY, ids=titled)
def test_an_option_that_the_law_does_not_know_makes_no_table_unauditable(game):
    for edition in game.editions:
        terms = game.elect(edition.name, {}, {"felt": "green"})
        assert {name: terms.options[name] for name in terms.options if name != "felt"} == {
            option.name: option.default for option in game.options
        }


@pytest.mark.parametrize("game", EVERY, ids=titled)
def test_every_irregularity_has_its_remedy_and_clause(game):
    assert all(is_clause(remedied.clause) for remedied in game.remedies.values())
    assert {Irregularity.ONE_CARD_FACE_UP, Irregularity.MORE_CARDS_FACE_UP} <= set(game.remedies)
    assert any(remedied.voids for remedied in game.remedies.values())


def test_an_irregularity_that_no_game_remedies_is_not_in_the_list():
    assert {each for game in EVERY for each in game.remedies} == set(Irregularity)


@pytest.mark.parametrize("game", EVERY, ids=titled)
def test_every_way_to_deal_has_its_clauses_and_its_cards_their_hours(game):
    assert game.deal
    for deal in game.deal.values():
        assert all(is_clause(each) for each in (deal.order_clause, deal.bets_closed_clause, deal.count_clause))
        assert bool(deal.community) == bool(game.community_cards)
        assert not deal.community or is_clause(deal.community_clause)
    assert set(game.card_life) == set(game.deal)
    for life in game.card_life.values():
        assert life.hours > 0
        assert is_clause(life.clause)
        assert life.advised is None or (life.advised < life.hours and is_clause(life.advised_clause))


@pytest.mark.parametrize("game", EVERY, ids=titled)
def test_every_street_says_what_may_be_chosen_and_by_which_clause(game):
    assert bool(game.streets) == bool(game.community_cards)
    for street in game.streets:
        assert is_clause(street.clause)
        assert set(street.choices) <= set(game.choices)
        assert list(street.raises) == list(range(1, len(street.raises) + 1))


def test_13_69e_1_18_g_the_cards_of_three_card_poker_last_8_hours_in_a_shoe_and_4_in_the_hand():
    hours = {method: (life.hours, life.clause) for method, life in three_card_poker.GAME.card_life.items()}
    assert hours == {
        "manual_shoe": (8, "13:69E-1.18(g)2"),
        "hand": (4, "13:69E-1.18(g)3"),
        "automated_shoe": (8, "13:69E-1.18(g)2"),
    }
