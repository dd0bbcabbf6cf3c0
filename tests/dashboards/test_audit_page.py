"""The audit of a period, alone: what it adds up is what the rows add up to."""

import io
from datetime import date
from urllib.parse import parse_qs, urlparse

import polars as pl
import pytest
from conftest import frame_with, words

from dashboards import paper
from dashboards.queries import audit as asks
from dashboards.queries import casework, supposing
from dashboards.queries.audit import GROUPINGS, Scope
from dashboards.queries.coverage import Period, reasons_not_derived, seen
from detectors.published import Reader
from detectors.statistics.chance import allowed


def test_rounds_handle_errors_and_cost_are_those_of_the_rows(faulty):
    with Reader.open(faulty) as reader:
        rounds, found = reader.rounds(), reader.findings().filter(~pl.col("code").str.starts_with("FEED"))
        by_dealer = asks.grouped(reader, Scope(), "dealer")
    for row in by_dealer.iter_rows(named=True):
        dealt, wrong = rounds.filter(dealer=row["name"]), found.filter(dealer=row["name"])
        assert row["rounds"] == dealt.height
        assert row["handle"] == dealt["handle"].sum()
        assert row["errors"] == wrong.height
        assert row["lost"] - row["kept"] == wrong["amount"].sum()


@pytest.mark.parametrize("by", GROUPINGS)
def test_every_grouping_counts_every_round_and_every_error_once(faulty, by):
    with Reader.open(faulty) as reader:
        rounds = reader.rounds().height
        errors = reader.findings().filter(~pl.col("code").str.starts_with("FEED")).height
        rows = asks.grouped(reader, Scope(), by)
    assert rows["errors"].sum() == errors
    assert rows["rounds"].sum() == rounds if by != "code" else set(rows["rounds"]) == {rounds}


def test_the_surely_worst_is_first_and_bounds_enclose_the_rate(faulty):
    with Reader.open(faulty) as reader:
        rows = asks.grouped(reader, Scope(), "dealer")
    assert rows["low"].to_list() == sorted(rows["low"], reverse=True)
    assert rows.select((pl.col("low") <= pl.col("per_1000")) & (pl.col("per_1000") <= pl.col("high"))).to_series().all()


@pytest.mark.parametrize(
    ("errors", "low", "high"),
    # Exact limits of a Poisson count at 95 %: tables of Garwood's intervals.
    [(0, 0.0, 3.69), (1, 0.03, 5.57), (10, 4.80, 18.39), (50, 37.11, 65.92)],
)
def test_the_interval_is_that_of_a_count(errors, low, high):
    found = pl.select(low=asks._low(pl.lit(float(errors))), high=asks._high(pl.lit(float(errors)))).row(0)
    assert found == pytest.approx((low, high), abs=0.08)


def test_scope_narrows_rounds_and_errors_alike(faulty):
    with Reader.open(faulty) as reader:
        first, last = seen(reader).days
        mine = asks.grouped(reader, Scope(Period(first, last), tables=("T001",), games=("three-card-poker",)), "table")
        none = asks.grouped(reader, Scope(Period(last.replace(year=2030), None)), "table")
        rounds = reader.rounds().filter(table="T001").height
    assert mine["name"].to_list() == ["T001"]
    assert mine["rounds"].item() == rounds
    assert none.is_empty()


def test_a_day_beyond_its_limits_is_marked():
    days = pl.DataFrame(
        {
            "name": [f"2026-01-{day:02d}" for day in range(1, 21)],
            "rounds": [1000] * 20,
            "errors": [4] * 19 + [40],
            "per_1000": [4.0] * 19 + [40.0],
            "lost": [100] * 20,
            "kept": [0] * 20,
        }
    )
    chart = asks.control_chart(days)
    assert chart.filter("outside")["name"].to_list() == ["2026-01-20"]


def test_the_page_shows_the_grouping_of_its_address_beside_the_coverage(faulty, page):
    app = page(faulty, "audit", by="table")
    shown = frame_with(app, "errors per 1,000 rounds")
    assert set(shown["table"]) == {"T001", "T002"}
    with Reader.open(faulty) as reader:
        covered = asks.covered(asks.grouped(reader, Scope(), "day"))
    assert covered.words in words(app)


def test_what_was_not_derived_is_beside_the_counts_with_its_reason(unseen, page):
    app = page(unseen, "audit")
    assert "3 not at all" in words(app)
    with Reader.open(unseen) as reader:
        reasons = reasons_not_derived(reader)
    assert reasons["reason"].to_list() == ["the table's opening was not seen"]
    assert reasons["not_at_all"].to_list() == [3]


def test_exports_hold_exactly_what_is_shown(faulty, page):
    app = page(faulty, "audit", by="code")
    shown = frame_with(app, "errors per 1,000 rounds")
    with Reader.open(faulty) as reader:
        table = asks.shown(asks.grouped(reader, Scope(), "code"), "code")
    assert [str(each) for each in shown["code"]] == table["code"].to_list()
    buffer = io.BytesIO()
    table.write_parquet(buffer)
    assert pl.read_parquet(buffer.getvalue()).equals(table)
    assert pl.read_csv(table.write_csv().encode()).height == table.height
    rows = [tuple(str(cell) for cell in row) for row in table.iter_rows()]
    assert paper.listing("Audit", ["all"], table.columns, rows, "end").startswith(b"%PDF")
    labels = {button.proto.label for button in app.get("download_button")}
    assert labels == {"CSV", "Parquet", "PDF"}


def test_other_terms_are_supposed_for_what_is_in_scope(faulty, page):
    app = page(faulty, "audit", suppose="pay_tables.ante_bonus=2")
    said = words(app)
    assert "openings" in said
    with Reader.open(faulty) as reader:
        both = supposing.supposed(reader, faulty, Scope(), supposing.read("pay_tables.ante_bonus=2"))
        one = supposing.supposed(reader, faulty, Scope(tables=("T001",)), supposing.read("pay_tables.ante_bonus=2"))
    assert both.changed + both.already + len(both.left) >= 2
    assert one.changed + one.already + len(one.left) >= 1
    assert set(both.by_wager["wager"]) <= {"ante_bonus"}
    assert both.difference == both.by_wager["difference"].sum()


def test_terms_that_no_game_knows_are_refused_in_words(faulty, page):
    assert "no change of terms" in words(page(faulty, "audit", suppose="nonsense"))


def test_more_rounds_than_a_page_should_derive_are_left_to_the_command(faulty, page, monkeypatch):
    monkeypatch.setattr(supposing, "MOST_ROUNDS", 5)
    assert "ask the command" in words(page(faulty, "audit", suppose="pay_tables.ante_bonus=2"))


def test_an_error_of_a_table_that_changed_games_has_the_game_of_its_round(faulty):
    with Reader.open(faulty) as reader:
        rounds = reader.rounds().select("table", "round", of_round="game")
        dealt = asks._tallied(reader, Scope(), [("day", "table", "game")])["day", "table", "game"]
        twice = pl.concat([dealt, dealt.with_columns(game=pl.lit("spanish-21"))])
        by_day, by_round = asks._errors(reader, Scope(), dealt), asks._errors(reader, Scope(), twice)
    assert by_day["game"].null_count() == 0
    of_rounds = by_round.drop_nulls("round").join(rounds, on=["table", "round"], how="left")
    assert of_rounds["game"].drop_nulls().len() > 5
    assert of_rounds["game"].to_list() == of_rounds["of_round"].to_list()


def test_a_year_is_read_once_for_its_rounds_and_once_for_its_errors(faulty, monkeypatch):
    asked = []
    sql = Reader.sql
    monkeypatch.setattr(Reader, "sql", lambda self, query, values=None: asked.append(query) or sql(self, query, values))
    with Reader.open(faulty) as reader:
        found = asks.added_up(reader, Scope())
    assert len([query for query in asked if "current_" in query]) == 2
    with Reader.open(faulty) as reader:
        assert found.reasons.equals(reasons_not_derived(reader))


def work(**of: int) -> pl.DataFrame:
    return pl.DataFrame(
        {"dealer": list(of), "game": "spanish-21", "rounds": list(of.values()), "rounds_not": 0},
        schema_overrides={"game": pl.String},
    )


def mistakes(**of: int) -> pl.DataFrame:
    rows = [(dealer, f"T-{dealer}", number, "PAY01") for dealer, many in of.items() for number in range(many)]
    found = pl.DataFrame(rows, schema=["dealer", "table", "round", "code"], orient="row")
    return found.with_columns(game=pl.lit("spanish-21"))


def test_a_dealer_beyond_what_chance_allows_is_marked_and_one_of_few_rounds_is_not():
    # On this floor 10 rounds in 1,000 are wrong. Twice that is telling in 10,000 rounds, and nothing in 100.
    dealt = work(steady=100_000, wrong=10_000, new=100)
    chart = asks.dealers_chart(dealt, mistakes(steady=1_000, wrong=200, new=2))
    assert chart.filter("beyond")["dealer"].to_list() == ["wrong"]
    assert chart["wrong"].sum() == pytest.approx(chart["expected"].sum())
    # One mistake that shows on two wagers of a round is one mistake, and chips in a feed that broke are none.
    twice = mistakes(steady=1_000, wrong=200, new=2)
    fed = twice.with_columns(code=pl.lit("DEAL01"), round=pl.col("round") + 10**6)
    assert asks.dealers_chart(dealt, pl.concat([twice, twice, fed])).equals(chart)


def test_a_dealer_is_compared_with_those_who_deal_the_same_game():
    hard = work(two=20_000, three=20_000).with_columns(game=pl.lit("heads-up-holdem"))
    often = mistakes(two=800, three=800).with_columns(game=pl.lit("heads-up-holdem"))
    chart = asks.dealers_chart(pl.concat([work(one=20_000), hard]), pl.concat([mistakes(one=20), often]))
    assert not chart["beyond"].any()


@pytest.mark.parametrize(
    ("expected", "level", "fewest", "most"),
    # Tables of Poisson's distribution.
    [(0.0, 0.01, 0, 0), (1.0, 0.02, 0, 3), (5.0, 0.05, 2, 9), (10.0, 0.025, 4, 17), (100.0, 0.001, 71, 132)],
)
def test_chance_allows_what_the_tables_say(expected, level, fewest, most):
    assert allowed(expected, level) == (fewest, most)


def test_the_page_has_the_dealers_with_their_coverage(faulty, page):
    app = page(faulty, "audit")
    assert "first question of STAT01" in words(app)
    with Reader.open(faulty) as reader:
        dealers = asks.added_up(reader, Scope()).dealers
        rounds = reader.rounds().filter(pl.col("dealer").is_not_null())
        paid_wrong = reader.findings().filter(pl.col("code").str.starts_with("PAY")).unique(["table", "round"])
    assert dealers["rounds"].sum() <= rounds.height
    assert dealers["wrong"].sum() == paid_wrong.height


def test_a_group_that_is_picked_leads_to_the_findings_behind_its_errors(faulty, page):
    app = page(faulty, "audit", by="dealer")
    assert "Pick a dealer for the findings behind its errors." in words(app)
    worst = frame_with(app, "dealer").iloc[0]
    app.session_state["groups-dealer"] = {"selection": {"rows": [0], "columns": [], "cells": []}}
    app.run()
    assert not app.exception
    (way,) = app.get("link_button")
    asked = parse_qs(urlparse(way.proto.url).query)
    assert asked["dealers"] == [worst["dealer"]]
    (first, last, statuses) = (asked["from"][0], asked["to"][0], asked["status"])
    with Reader.open(faulty) as reader:
        period = Period(date.fromisoformat(first), date.fromisoformat(last))
        found = casework.queue(
            reader, casework.Filter(period, dealers=(worst["dealer"],), statuses=tuple(statuses))
        ).filter(~pl.col("code").str.starts_with("FEED"))
    assert found.height == worst["errors"]
