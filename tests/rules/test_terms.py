"""Editions, columns and elections: no day without a text and none with two, nothing paid that no column prints."""

from datetime import date, timedelta
from itertools import product

import numpy as np
import polars as pl
import pytest

from rules import odds, terms
from rules.cards import DECK, NAMES
from rules.decision import PAYS_BY_TABLE, settle
from rules.game import Refused, Terms, edition_in_force
from rules.games import GAMES
from rules.three_card_poker import DEALER, GAME, PLAYER, SIX_CARD_HANDS

EDITIONS = [(game, edition.name) for game in GAMES.values() for edition in game.editions]
# Lines and columns of Three Card Poker; those of the others stand with their games, and test_every_term walks all four.
TABLES = [(GAME, edition.name, wager) for edition in GAME.editions for wager in GAME.wagers_of(edition.name)]
BY_COLUMN = [
    (wager, column) for wager in GAME.wagers if wager.pay_table is not None for column in wager.pay_table.columns
]


def titled(value: object) -> str | None:
    return getattr(value, "name", None)


# The calendar


@pytest.mark.parametrize("game", GAMES.values(), ids=titled)
def test_every_day_since_the_first_has_exactly_one_edition_that_nobody_need_elect(game):
    changes = [edition for edition in game.editions if not edition.elective]
    day, last = min(edition.first_day for edition in changes), date(2030, 12, 31)
    while day <= last:
        latest = max(edition.first_day for edition in changes if edition.first_day <= day)
        assert [edition_in_force(game, day)] == [edition for edition in changes if edition.first_day == latest]
        day += timedelta(days=1)


@pytest.mark.parametrize(
    ("day", "edition"),
    [
        (date(1998, 9, 8), "1998"),
        (date(2000, 2, 21), "1998"),
        (date(2000, 2, 22), "2000"),
        (date(2030, 12, 31), "2000"),
    ],
)
def test_three_card_poker_is_dealt_under_the_text_of_the_day(day, edition):
    assert edition_in_force(GAME, day).name == edition


def test_a_day_before_the_first_text_is_refused():
    with pytest.raises(Refused, match=r"no text encoded for 1998-09-07.*19:47-20"):
        edition_in_force(GAME, date(1998, 9, 7))


def test_the_6_card_bonus_is_in_force_only_where_the_house_elects_it():
    assert [edition.name for edition in GAME.editions if edition.elective] == ["6-card-bonus"]


# Decision tables


@pytest.mark.parametrize(("game", "edition"), EDITIONS, ids=titled)
def test_a_wager_has_exactly_one_decision_table_in_an_edition(game, edition):
    names = [wager.name for wager in game.wagers_of(edition)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("edition", "wagers"),
    [
        ("1998", {"ante", "play", "ante_bonus", "pair_plus"}),
        ("2000", {"ante", "play", "ante_bonus", "pair_plus"}),
        ("6-card-bonus", {"ante", "play", "ante_bonus", "pair_plus", "six_card_bonus"}),
    ],
)
def test_an_edition_of_three_card_poker_has_these_wagers(edition, wagers):
    assert {wager.name for wager in GAME.wagers_of(edition)} == wagers


@pytest.mark.parametrize(("game", "edition", "wager"), TABLES, ids=titled)
def test_every_line_cites_a_clause_and_the_last_one_always_holds(game, edition, wager):
    assert edition in wager.editions
    assert all(ruling.clause.startswith(game.editions[0].clause + ".") for ruling in wager.rulings)
    assert pl.select(wager.rulings[-1].condition.holds).item() is True


def test_a_clause_of_a_later_text_is_not_cited_in_an_earlier_edition():
    for edition in ("1998", "2000"):
        for wager in GAME.wagers_of(edition):
            cited = {ruling.clause for ruling in wager.rulings}
            assert not {clause for clause in cited if "20.10(b)1" in clause or "20.12A" in clause or "(a)4" in clause}


@pytest.fixture(scope="module")
def dealt() -> pl.DataFrame:
    """Rounds of every kind: all from the straight flush up, every twentieth of the commoner ones."""
    in_suits, _ = odds.hands_up_to_suits(6)
    hands = np.random.default_rng(20).permuted(in_suits, axis=0)
    facts = GAME.hand_facts(
        pl.DataFrame(
            {name: pl.Series(NAMES).gather(codes) for name, codes in zip((*PLAYER, *DEALER), hands, strict=True)}
        )
    )
    rare = facts["six_hand"] >= SIX_CARD_HANDS.index("straight_flush")
    some = pl.Series(np.arange(facts.height) % 20 == 0)
    decisions = pl.DataFrame({"folded": [True, False, False], "ante_placed": [True, True, False]})
    return facts.filter(rare | some).join(decisions, how="cross").with_columns(stake=pl.lit(100, pl.Int64))


@pytest.mark.parametrize(("game", "edition", "wager"), TABLES, ids=titled)
def test_every_line_of_every_decision_table_decides_some_round(game, edition, wager, dealt):
    assert wager in game.wagers_of(edition)
    column = None if wager.pay_table is None else wager.pay_table.columns[0].name
    settled = settle(dealt.with_columns(column=pl.lit(column, pl.String)), wager)
    assert set(settled["line"]) == set(range(len(wager.rulings)))


@pytest.mark.parametrize(("wager", "column"), BY_COLUMN, ids=titled)
def test_a_column_prints_a_prize_for_exactly_the_hands_that_are_sent_to_it(wager, column, dealt):
    assert wager.pay_table is not None
    by_table = [index for index, ruling in enumerate(wager.rulings) if ruling.outcome == PAYS_BY_TABLE]
    settled = settle(dealt.with_columns(column=pl.lit(column.name)), wager)
    sent = settled.filter(pl.col("line").is_in(by_table))[wager.hand].unique()
    assert {wager.pay_table.hands[index] for index in sent} == set(column.prizes)
    assert all(prize.odds > 0 or prize.fixed > 0 for prize in column.prizes.values())


@pytest.mark.parametrize(("wager", "column"), BY_COLUMN, ids=titled)
def test_a_column_is_offered_only_in_editions_that_have_its_wager(wager, column):
    having = {edition for other in GAME.wagers if other.name == wager.name for edition in other.editions}
    assert column.editions <= having
    assert column.clause.startswith("19:47-20.11(a)")
    assert column.source


def test_a_column_that_nobody_encoded_is_owed_nothing_and_not_guessed(dealt):
    for wager in GAME.wagers:
        if wager.pay_table is not None:
            by_table = [index for index, ruling in enumerate(wager.rulings) if ruling.outcome == PAYS_BY_TABLE]
            settled = settle(dealt.with_columns(column=pl.lit("Z")), wager).filter(pl.col("line").is_in(by_table))
            assert settled.height > 0
            assert settled["owed"].null_count() == settled.height


# What the house may elect


@pytest.mark.parametrize("edition", ["1998", "2000", "6-card-bonus"])
def test_a_table_that_elects_nothing_plays_by_the_first_columns(edition):
    terms = GAME.elect(edition, {}, {})
    assert (terms.game, terms.edition) == ("three-card-poker", edition)
    assert terms.columns == {"pair_plus": "1", "ante_bonus": "1"}


@pytest.mark.parametrize("column", "EF")
def test_19_47_20_11_a_4_ii_columns_e_and_f_mean_version_ii_where_none_is_named(column):
    terms = GAME.elect("6-card-bonus", {"six_card_bonus": column}, {})
    assert terms.options["six_card_bonus_version"] == "ii"


@pytest.mark.parametrize("column", "ABCD")
def test_19_47_20_11_a_4_columns_a_to_d_go_with_either_version_and_mean_i_where_none_is_named(column):
    elected = {"six_card_bonus": column}
    assert GAME.elect("6-card-bonus", elected, {}).options["six_card_bonus_version"] == "i"
    for version in ("i", "ii"):
        terms = GAME.elect("6-card-bonus", elected, {"six_card_bonus_version": version})
        assert terms.options["six_card_bonus_version"] == version


def test_the_default_of_every_option_is_one_of_its_values():
    assert all(option.default in option.values for game in GAMES.values() for option in game.options)


@pytest.mark.parametrize(
    ("edition", "columns", "options", "clause"),
    [
        ("1997", {}, {}, "19:47-20"),
        ("2000", {"ante": "1"}, {}, "19:47-20.11(a)"),
        ("2000", {"first_3_bonus": "1"}, {}, "19:47-20.11(a)"),
        ("2000", {"pair_plus": "3"}, {}, "19:47-20.11(a)"),
        ("6-card-bonus", {"six_card_bonus": "G"}, {}, "19:47-20.11(a)"),
        ("1998", {"pair_plus": "2"}, {}, "19:47-20.11(a)2i"),
        ("1998", {"pair_plus": "2", "ante_bonus": "2"}, {}, "19:47-20.11(a)2i"),
        ("1998", {"ante_bonus": "2"}, {}, "19:47-20.11(a)3i"),
        ("2000", {"ante_bonus": "2"}, {}, "19:47-20.11(a)3i"),
        ("6-card-bonus", {"pair_plus": "1", "ante_bonus": "2"}, {}, "19:47-20.11(a)3i"),
        ("1998", {"six_card_bonus": "A"}, {}, "19:47-20.12A(a)"),
        ("2000", {"six_card_bonus": "A"}, {}, "19:47-20.12A(a)"),
        ("6-card-bonus", {"six_card_bonus": "E"}, {"six_card_bonus_version": "i"}, "19:47-20.11(a)4ii"),
        ("6-card-bonus", {"six_card_bonus": "F"}, {"six_card_bonus_version": "i"}, "19:47-20.11(a)4ii"),
        ("6-card-bonus", {"six_card_bonus": "A"}, {"six_card_bonus_version": "iii"}, "19:47-20.6(a)4"),
    ],
)
def test_what_the_law_does_not_offer_is_refused_by_its_clause(edition, columns, options, clause):
    with pytest.raises(Refused) as refusal:
        GAME.elect(edition, columns, options)
    assert refusal.value.clause == clause
    assert clause in str(refusal.value)


@pytest.mark.parametrize("edition", ["1998", "2000", "6-card-bonus"])
def test_of_all_combinations_exactly_those_the_law_offers_are_accepted(edition):
    for pair_plus, ante_bonus, bonus, version in product("12", "12", ("", *"ABCDEF"), ("", "i", "ii")):
        columns = {"pair_plus": pair_plus, "ante_bonus": ante_bonus, **({"six_card_bonus": bonus} if bonus else {})}
        options = {"six_card_bonus_version": version} if version else {}
        lawful = (
            (edition != "1998" or (pair_plus, ante_bonus) == ("1", "1"))
            and (ante_bonus == "1" or pair_plus == "2")
            and (not bonus or edition == "6-card-bonus")
            and not (bonus in ("E", "F") and version == "i")
        )
        if lawful:
            assert GAME.elect(edition, columns, options).columns == columns
        else:
            with pytest.raises(Refused, match=r"\(19:47-20\."):
                GAME.elect(edition, columns, options)


def test_a_pack_is_52_different_cards():
    assert len(set(DECK)) == 52


def test_an_opening_before_its_edition_was_in_force_is_refused_with_the_clause():
    refused = terms.read("three-card-poker", "2000", '{"pair_plus": "2"}', None, date(2000, 2, 21))
    assert refused == terms.Unreadable("terms refused: edition 2000 is in force from 2000-02-22 (19:47-20.11(a)2i)")
    assert isinstance(terms.read("three-card-poker", "2000", '{"pair_plus": 2}', None, date(2000, 2, 22)), Terms)


@pytest.mark.parametrize("packs", [6, 8])
def test_match_the_dealer_is_paid_by_the_packs_in_the_shoe(packs):
    own, other = (
        terms.read("spanish-21", "19:47-19", f'{{"match_the_dealer": "{column}"}}', None, date(2026, 1, 1), packs=packs)
        for column in (packs, 14 - packs)
    )
    assert isinstance(own, Terms)
    assert other == terms.Unreadable(
        f"terms refused: Match the Dealer is paid by column {14 - packs}, and the shoe holds {packs} packs "
        "(13:69E-1.10B(b)5)"
    )
    assert isinstance(terms.read("spanish-21", "19:47-19", None, None, date(2026, 1, 1), packs=packs), Terms)


def test_an_older_edition_may_still_be_dealt():
    assert isinstance(terms.read("three-card-poker", "1998", None, None, date(2026, 1, 1)), Terms)


def test_a_game_that_is_not_listed_gives_the_reason():
    answer = terms.read("pai-gow", "13:69F-11", None, None, date(2026, 1, 1))
    assert answer == terms.Unreadable("no law of pai-gow is encoded")
