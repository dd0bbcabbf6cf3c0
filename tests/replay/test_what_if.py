"""What would have been owed under other terms: what an audit says of tables that were opened so, and nothing else changed."""

import json
import random
from dataclasses import replace
from datetime import date

import polars as pl
import pytest

from detectors.audit import audit
from replay import facts
from replay.derivation import Derivation, derive
from replay.what_if import (
    DERIVED,
    DIFFERENCES,
    NOT_OFFERED,
    OFFERED,
    OTHERWISE,
    UNDERIVED,
    Fit,
    Unfit,
    beside,
    change,
    compared,
    supposed_opening,
    totals,
    under_other_terms,
)

ANSWER = ["table", "round", "seat", "hand", "player", "wager"]
COLUMN_2 = ["pay_tables.pair_plus=2", "pay_tables.ante_bonus=2"]
DAY = date(2026, 1, 5)


def opening(**said: str | int | None) -> dict[str, str | int | None]:
    usual = {"game": "three-card-poker", "edition": "2000", "pay_tables": '{"pair_plus":"1"}', "options": "{}"}
    return {**usual, "dealing": "hand", "decks": 1, **said}


def differences(events: pl.DataFrame, *said: str, cuts: tuple[int, ...] = ()) -> tuple[pl.DataFrame, Fit]:
    fit = Fit()
    ends = (*cuts, events.height)
    parts = [events.slice(start, stop - start) for start, stop in zip((0, *cuts), ends, strict=True)]
    rows = [rows for _, rows in beside(parts, [change(each) for each in said], fit)]
    return pl.concat(rows).filter(pl.col("change").is_not_null()), fit


@pytest.fixture(scope="module")
def events(events_of):
    """Three Card Poker in all its editions, with wrongs: what was paid is no matter here, unread cards and gaps are."""
    return events_of(tables=6, rounds=60, seed=8, faults=0.2, game="three-card-poker")


# A change


@pytest.mark.parametrize(
    ("said", "key", "value"),
    [
        ("pay_tables.pair_plus=2", "pay_tables.pair_plus", "2"),
        (" pay_tables.pair_plus = 2 ", "pay_tables.pair_plus", "2"),
        ("pay_tables.six_card_bonus=", "pay_tables.six_card_bonus", ""),
        ("options.six_card_bonus_version=ii", "options.six_card_bonus_version", "ii"),
        ("edition=1998", "edition", "1998"),
        ("dealing=hand", "dealing", "hand"),
        ("decks=2", "decks", "2"),
    ],
)
def test_a_change_is_read_from_its_key_and_value(said, key, value):
    assert (change(said).key, change(said).value) == (key, value)


@pytest.mark.parametrize(
    "said",
    [
        "",
        "edition",
        "=1998",
        "pay_tables=2",
        "pay_tables.=2",
        "edition.x=1998",
        "game=spanish-21",
        "seats=3",
        "felt=green",
    ],
)
def test_what_is_no_change_of_terms_is_refused_with_the_keys_there_are(said):
    with pytest.raises(Unfit, match=r"say KEY=VALUE, where KEY is one of edition, .*pay_tables\.NAME"):
        change(said)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("pay_tables.tip=1", "Three Card Poker has no pay table tip"),
        ("options.felt=green", "Three Card Poker has no option felt"),
        ("edition=1066", "Three Card Poker has no edition 1066"),
        ("edition=", "Three Card Poker has no edition"),
        ("dealing=drone", "Three Card Poker has no dealing drone"),
        ("decks=many", "Three Card Poker has no decks many"),
    ],
)
def test_what_no_game_knows_is_refused_before_anything_is_read(said, why):
    with pytest.raises(Unfit, match=why):
        change(said)


# An opening


def test_an_opening_takes_the_changes_that_its_game_knows():
    supposed, reasons = supposed_opening(
        opening(), DAY, [change("pay_tables.pair_plus=2"), change("dealing=manual_shoe")]
    )
    assert json.loads(str(supposed["pay_tables"])) == {"pair_plus": "2"}
    assert supposed["dealing"] == "manual_shoe"
    assert reasons == []


@pytest.mark.parametrize("said", ['{"pair_plus":"2"}', '{"pair_plus":2}'])
def test_an_opening_that_says_so_already_stays_as_it_is(said):
    already = opening(pay_tables=said)
    assert supposed_opening(already, DAY, [change("pay_tables.pair_plus=2")]) == (already, [])


def test_the_column_that_is_in_force_unsaid_is_said_already():
    unsaid = opening(pay_tables="{}")
    assert supposed_opening(unsaid, DAY, [change("pay_tables.pair_plus=1")]) == (unsaid, [])


def test_terms_that_the_law_refuses_change_nothing_and_name_the_clause():
    refused, reasons = supposed_opening(opening(edition="1998"), DAY, [change("pay_tables.pair_plus=2")])
    assert refused == opening(edition="1998")
    assert reasons == ["terms refused: Pair Plus column 2 is not in edition 1998 (19:47-20.11(a)2i)"]


def test_an_edition_of_a_later_day_is_refused():
    _, reasons = supposed_opening(opening(edition="1998"), date(1999, 1, 1), [change("edition=2000")])
    assert reasons == ["terms refused: edition 2000 is in force from 2000-02-22 (19:47-20.11(a)2i)"]


def test_an_empty_value_takes_a_name_back():
    said = opening(edition="6-card-bonus", pay_tables='{"pair_plus":"1","six_card_bonus":"A"}')
    supposed, _ = supposed_opening(said, DAY, [change("pay_tables.six_card_bonus=")])
    assert json.loads(str(supposed["pay_tables"])) == {"pair_plus": "1"}


def test_every_opening_is_counted_once_though_it_came_twice(events):
    openings = events.filter(pl.col("type") == "table_opened").select("table", "seq").n_unique()
    counts = []
    for some in (events, pl.concat([events, events])):
        fit = Fit()
        under_other_terms(some, [change("pay_tables.pair_plus=2")], fit)
        assert fit.changed + fit.already + fit.left.total() == openings
        counts.append((fit.changed, fit.already, fit.left))
    assert counts[0] == counts[1]
    assert counts[0][0] > 0
    assert counts[0][2] == {
        "terms refused: Pair Plus column 2 is not in edition 1998 (19:47-20.11(a)2i)": counts[0][2].total()
    }


def test_nothing_but_openings_is_changed(events):
    changed = under_other_terms(events, [change("pay_tables.pair_plus=2")], Fit())
    others = pl.col("type") != "table_opened"
    assert changed.filter(others).equals(events.filter(others))
    assert changed.drop("pay_tables").equals(events.drop("pay_tables"))
    assert changed.schema == events.schema


# What differs


def opened_so(events: pl.DataFrame, columns: dict[str, str]) -> pl.DataFrame:
    """The events with other pay tables written by hand into every opening of the one edition that has them all."""
    told = pl.col("pay_tables").map_elements(
        lambda said: json.dumps(json.loads(said) | columns), return_dtype=pl.String
    )
    newest = (pl.col("type") == "table_opened") & (pl.col("edition") == "6-card-bonus")
    return events.with_columns(pay_tables=pl.when(newest).then(told).otherwise("pay_tables"))


def test_it_says_what_an_audit_says_of_tables_that_were_opened_so(events):
    rows, fit = differences(events, *COLUMN_2, "pay_tables.six_card_bonus=C")
    assert fit.changed > 0
    assert any("does not offer the 6 Card Bonus (19:47-20.12A(a))" in reason for reason in fit.left)
    now, then = (
        audit(facts.none(), some, final=True).settlements
        for some in (events, opened_so(events, {"pair_plus": "2", "ante_bonus": "2", "six_card_bonus": "C"}))
    )
    both = now.join(then, on=ANSWER, how="full", coalesce=True, nulls_equal=True, suffix="_then")
    owed, owed_then = pl.col("owed").fill_null(0), pl.col("owed_then").fill_null(0)
    expected = both.filter((owed != owed_then) & pl.col("reason").is_null()).select(
        *ANSWER, owed=owed, owed_then=owed_then
    )
    assert rows.height > 3
    assert set(rows["change"]) == {OTHERWISE}
    assert rows.select(expected.columns).sort(ANSWER).equals(expected.sort(ANSWER))
    assert rows["difference"].equals((rows["owed_then"] - rows["owed"]).alias("difference"))


@pytest.mark.parametrize("seed", range(3))
def test_events_cut_anywhere_differ_as_the_whole_does(events, seed):
    said = ("pay_tables.six_card_bonus=C", *COLUMN_2)
    whole, fit = differences(events, *said)
    assert whole.height > 3
    cuts = tuple(sorted(random.Random(seed).sample(range(1, events.height), 9)))
    parts, fit_of_parts = differences(events, *said, cuts=cuts)
    assert parts.sort(ANSWER).equals(whole.sort(ANSWER))
    assert (fit_of_parts.changed, fit_of_parts.already, fit_of_parts.left) == (fit.changed, fit.already, fit.left)


def test_terms_that_nothing_owed_turns_on_differ_in_nothing(events):
    rows, fit = differences(events, "decks=2")
    assert rows.is_empty()
    assert fit.changed > 0


def test_a_shoe_that_failed_voids_nothing_that_is_dealt_from_the_hand(events):
    rows, _ = differences(events, "dealing=hand")
    assert set(rows["clause"]) <= {"19:47-20.12(f)"}
    assert set(rows["owed"]) <= {0}


def test_a_table_whose_terms_are_refused_differs_in_nothing(events):
    rows, fit = differences(events, "pay_tables.pair_plus=2")
    old = events.filter((pl.col("type") == "table_opened") & (pl.col("edition") == "1998"))["table"].unique()
    assert fit.left.total() > 0
    assert not set(rows["table"]) & set(old) - set(
        events.filter((pl.col("type") == "table_opened") & (pl.col("edition") != "1998"))["table"]
    )


def test_a_wager_that_is_no_longer_offered_is_told_apart_and_is_no_money(events):
    rows, _ = differences(events, "pay_tables.six_card_bonus=")
    assert set(rows["change"]) == {NOT_OFFERED}
    assert set(rows["wager"]) == {"six_card_bonus"}
    assert rows["difference"].null_count() == rows.height
    assert set(rows["owed_then"]) == {0}
    assert set(rows["clause_then"]) == {"19:47-20.6(a)"}
    summed = totals(rows)
    assert summed.select(pl.col("wagers", "differ", "owed", "owed_then").sum()).row(0) == (0, 0, 0, 0)
    assert summed["not_offered"].sum() == rows.height


def test_a_wager_that_is_offered_only_then_is_told_apart(events):
    without = under_other_terms(events, [change("pay_tables.six_card_bonus=")], Fit())
    rows, _ = differences(without, "pay_tables.six_card_bonus=A")
    assert set(rows["change"]) == {OFFERED}
    assert rows["difference"].null_count() == rows.height


def test_a_table_that_was_opened_against_the_law_is_derived_only_then(events):
    unlawful = events.with_columns(
        pay_tables=pl.when(pl.col("type") == "table_opened").then(pl.lit('{"ante_bonus":"2","pair_plus":"1"}'))
    )
    rows, _ = differences(unlawful, "pay_tables.ante_bonus=1")
    assert rows["owed"].null_count() == rows.height
    assert set(rows["change"]) == {DERIVED}
    assert rows["difference"].null_count() == rows.height
    assert set(rows["reason"].str.slice(0, 13)) == {"terms refused"}


@pytest.fixture(scope="module")
def derivation(events) -> Derivation:
    return derive(facts.none(), events, final=True)


def test_what_cannot_be_derived_then_is_told_with_its_reason_and_is_no_money(derivation):
    unseen = derivation.wagers.with_columns(
        owed=pl.lit(None, pl.Int64), clause=pl.lit(None, pl.String), reason=pl.lit("a card was not read")
    )
    rows = compared(derivation, replace(derivation, wagers=unseen))
    derived = derivation.wagers["owed"].count()
    assert (rows["change"] == UNDERIVED).sum() == derived
    assert rows["difference"].null_count() == rows.height
    assert totals(rows)["owed_then"].sum() == 0


def test_a_bonus_that_only_one_side_has_a_row_for_is_owed_nothing_on_the_other(derivation):
    bonus = pl.col("wager") == "ante_bonus"
    without = replace(derivation, wagers=derivation.wagers.filter(~bonus))
    rows = compared(derivation, without).filter(pl.col("change").is_not_null())
    assert set(rows["wager"]) == {"ante_bonus"}
    assert set(rows["owed_then"]) == {0}
    back = compared(without, derivation).filter(pl.col("change").is_not_null())
    assert back["difference"].sum() == -rows["difference"].sum() > 0


def test_every_row_is_whole(derivation):
    rows = compared(derivation, derivation)
    assert rows.schema == pl.Schema(DIFFERENCES)
    assert rows.height == derivation.wagers.height
    assert rows["change"].null_count() == rows.height


# The other games


@pytest.mark.parametrize(
    ("game", "said", "wagers"),
    [
        ("three-card-draw-poker", "pay_tables.first_3_bonus=3", {"first_3_bonus"}),
        ("heads-up-holdem", "pay_tables.bad_beat=2", {"odds"}),
        ("heads-up-holdem", "pay_tables.trips_plus=4", {"trips_plus"}),
        ("spanish-21", "options.dealer_hits_soft_17=true", {"main", "double"}),
    ],
)
def test_every_game_is_derived_under_other_terms(events_of, game, said, wagers):
    events = events_of(tables=2, rounds=150, seed=5, game=game)
    fit = Fit()
    ((derivation, rows),) = beside([events], [change(said)], fit)
    differing = rows.filter(pl.col("change").is_not_null())
    assert fit.changed + fit.already > 0
    assert set(differing["wager"]) <= wagers
    assert set(differing["game"]) <= {game}
    assert rows.height >= derivation.wagers.height


def test_a_change_that_only_some_games_know_leaves_the_others_as_they_are(events_of):
    games = ("three-card-poker", "three-card-draw-poker")
    parts = [events_of(tables=1, rounds=20, seed=3, game=game) for game in games]
    events = pl.concat(
        part.with_columns(table=pl.format("{}-{}", pl.lit(game), "table"))
        for game, part in zip(games, parts, strict=True)
    )
    rows, fit = differences(events, "pay_tables.first_3_bonus=4")
    assert fit.left["Three Card Poker has no pay table first_3_bonus"] > 0
    assert fit.changed + fit.already > 0
    assert set(rows["game"]) <= {"three-card-draw-poker"}
