"""Decks, rulebook and health, each alone."""

import os

import polars as pl
import pytest
from conftest import frame_with, words

from catwalk.command import main
from dashboards.queries import decks as asks
from dashboards.queries import rulebook
from detectors.catalogue import CATALOGUE, STATISTICS
from detectors.published import Reader
from ingest.log import Log
from rules.games import GAMES


def a_day(data, table="T001"):
    with Reader.open(data) as reader:
        on = asks.table_days(reader, table)[0]
        return asks.day(reader, data, table, on), reader.rounds().filter(table=table)


def test_every_round_is_dealt_from_a_deck_that_has_a_life(faulty):
    day, rounds = a_day(faulty)
    lives = asks.lives(day)
    assert lives["rounds"].sum() == rounds.height
    assert set(lives["deck"]) == set(rounds["deck"])
    assert (lives["hours"] > 0).all()
    assert asks.alternation(day)["deck"].to_list() == rounds.sort("first_seq")["deck"].to_list()


def test_the_heat_map_counts_every_card_that_came_out(faulty):
    day, _ = a_day(faulty)
    with Log.open(faulty) as log:
        out = log.table_events("T001").filter(pl.col("type").cast(pl.String) == "card_dealt").unique("seq")
    heat = asks.heat(day, None)
    assert heat.height == 52
    assert heat["times"].sum() + asks.unread(day, None) >= out.height
    one = asks.lives(day)["deck"].item(0)
    assert asks.heat(day, one)["times"].sum() <= heat["times"].sum()


def test_counts_stand_beside_the_cards_that_were_out(faulty):
    day, _ = a_day(faulty)
    counts = asks.counts(day)
    assert counts.height
    assert counts.filter(pl.col("together") == 52).height


def test_the_decks_page_opens_on_the_table_and_day_of_its_address(faulty, page):
    app = page(faulty, "decks", table="T002")
    assert app.selectbox[0].value == "T002"
    lives = frame_with(app, "cards_out")
    assert all(deck.startswith("T002") for deck in lives["deck"])
    assert "Coverage, table T002" in words(app)


def test_the_rulebook_prints_the_lines_that_settle(page, clean):
    app = page(clean, "rulebook")
    game = next(iter(GAMES.values()))
    tables = [frame.value for frame in app.dataframe if "when" in frame.value.columns]
    wagers = game.wagers_of(game.editions[-1].name)
    assert [table["clause"].tolist() for table in tables] == [
        [ruling.clause for ruling in wager.rulings] for wager in wagers
    ]


def test_the_manual_has_every_detector(page, clean):
    app = page(clean, "rulebook", part="The detectors")
    labels = {expander.label.split()[0] for expander in app.expander}
    assert labels == {detector.code for detector in (*CATALOGUE, *STATISTICS)}


@pytest.mark.parametrize("statistic", STATISTICS, ids=lambda each: each.code)
def test_the_manual_tells_what_a_statistic_supposes_and_how_it_tests(statistic, page, clean):
    app = page(clean, "rulebook", part="The detectors", code=statistic.code)
    assert [expander.label for expander in app.expander] == [f"{statistic.code} {statistic.name} · advisory"]
    shown = words(app)
    assert statistic.hypothesis in shown
    assert statistic.test in shown
    assert "one honest period in 1,000" in shown


@pytest.mark.parametrize("game", list(GAMES))
def test_every_pay_table_has_its_columns_and_clauses(game):
    for edition in GAMES[game].editions:
        for wager in GAMES[game].wagers_of(edition.name):
            for table, prizes in rulebook.pay_tables(wager, edition):
                assert prizes.height == 1 or prizes["hand"].to_list()[-1] == "clause", table.wager


def test_health_tells_lag_dead_letters_with_their_bytes_and_the_last_self_check(tmp_path, page):
    events = tmp_path / "events.jsonl"
    events.write_bytes(
        b'{"table":"T1","seq":1,"at":"2026-01-31T12:00:00Z","type":"table_closed"}\nnot json <b>\xff\n{"seq":1}\n'
    )
    data = tmp_path / "data"
    assert main(["ingest", str(events), "--data", str(data)]) == 0
    assert main(["run", "--once", "--data", str(data)]) == 0
    assert main(["run", "--once", "--data", str(data)]) == 0
    app = page(data, "health")
    metrics = {metric.label: metric.value for metric in app.metric}
    assert (metrics["Lag"], metrics["Dead letters"], metrics["Log position"]) == ("0 events", "2", "1")
    letters = frame_with(app, "content")
    assert letters["content"].tolist() == ["not json <b>\\xff", '{"seq":1}']
    assert all(letters["reason"])
    assert "The store agrees with the log up to position 1." in words(app)


def test_health_says_when_the_pipeline_stands_still(tmp_path, page):
    events = tmp_path / "events.jsonl"
    line = '{{"table":"T1","seq":{},"at":"2026-01-31T12:00:00Z","type":"table_closed"}}\n'
    data = tmp_path / "data"
    for seq in (1, 2):
        events.write_text(line.format(seq))
        assert main(["ingest", str(events), "--data", str(data)]) == 0
        if seq == 1:
            assert main(["run", "--once", "--data", str(data)]) == 0
    app = page(data, "health")
    assert next(metric for metric in app.metric if metric.label == "Lag").value == "1 events"
    assert "not seem to run" not in words(app)
    published = data / "store" / "published.duckdb"
    os.utime(published, (published.stat().st_mtime - 60,) * 2)
    assert "1 events wait, and nothing was published for 1 min: the pipeline does not seem to run" in words(
        page(data, "health")
    )
