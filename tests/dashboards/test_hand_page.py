"""The hand alone: looked up, drawn, derived again, and put on paper."""

from datetime import timedelta
from pathlib import Path

import polars as pl
import pytest
import rounds
from conftest import APP, component, frame_with, words, written

from dashboards import paper
from dashboards.queries import decks
from dashboards.queries import hand as asks
from dashboards.sheet import CERTIFICATE, RULING, STATEMENT, as_html, sheet
from detectors.published import Reader
from ingest.log import Log


def a_finding(data, code="PAY03"):
    with Reader.open(data) as reader:
        return reader.findings().filter(code=code).row(0, named=True)


def papers(data, table, number, findings=()):
    with Reader.open(data) as reader:
        rows = asks.rounds_of(reader, table, number)
        (story,) = asks.round_stories(data, table, number, rows)
        contents = asks.contents(asks.events_of(data, table, number, rows))
        return sheet(story, findings, [], contents, position=reader.position(), made_at=story.began_at)


def test_a_round_is_drawn_from_its_first_event_to_its_last_with_its_wrong_marked(faulty, page):
    found = a_finding(faulty)
    app = page(faulty, "hand", table=found["table"], round=found["round"])
    drawn = component(app)
    assert drawn["steps"][0]["type"] == "round_started"
    assert drawn["steps"][-1]["type"] == "round_ended"
    assert set(found["seqs"]) <= set(drawn["wrongSeqs"])
    assert {"seat": found["seat"], "wager": found["wager"]}.items() <= drawn["wrongs"][0].items()
    assert drawn["steps"][drawn["at"]]["seq"] in drawn["wrongSeqs"]
    assert found["message"] in words(app)


def test_every_wager_has_its_line_and_clause(faulty, page):
    found = a_finding(faulty)
    wagers = frame_with(page(faulty, "hand", table=found["table"], round=found["round"]), "because")
    row = wagers[(wagers["seat"] == found["seat"]) & (wagers["wager"] == found["wager"].replace("_", " "))].iloc[0]
    assert row["clause"] == found["clause"]
    assert float(row["differs"]) == (found["paid"] - found["owed"]) / 100
    assert row["because"]


def test_a_step_in_the_address_is_the_step_that_is_shown(faulty, page):
    assert component(page(faulty, "hand", table="T001", round=2, step=4))["at"] == 3


def test_the_rounds_before_and_after_are_a_click_away(faulty, page):
    app = page(faulty, "hand", table="T001", round=7)
    ways = [link.proto.query_string for link in app.get("page_link") if link.proto.label.startswith("Round")]
    assert ways == ["table=T001&round=6", "table=T001&round=8"]


def test_a_round_is_found_by_its_time(faulty):
    with Reader.open(faulty) as reader:
        row = asks.rounds_of(reader, "T002", 9).row(0, named=True)
        assert asks.round_at(reader, "T002", row["began_at"] + timedelta(seconds=5)) == 9
        assert asks.round_at(reader, "T002", row["began_at"] - timedelta(days=9)) is None
        assert asks.latest_round(reader, "T002") == 30


@pytest.mark.parametrize("table", ["T001", "T002"])
def test_the_ledger_accounts_for_every_round_of_the_deck_and_every_card_of_the_round(faulty, table):
    with Reader.open(faulty) as reader:
        dealt = reader.sql(f"select * from current_rounds where \"table\" = '{table}' order by first_seq")
        for row in dealt[::7].iter_rows(named=True):
            day = decks.day(reader, faulty, table, row["day"])
            ledger = decks.ledger(day, row["deck"], row["first_seq"])
            life = decks.lives(day).filter(deck=row["deck"]).row(0, named=True)
            assert ledger["what"].item(0).startswith("received")
            assert ledger["at"].is_sorted()
            for name in ("rounds", "shuffles", "cuts", "counts"):
                assert ledger[name].sum() == life[name], name
            this = ledger.filter("this")
            assert this["what"].to_list() == [f"round {row['round']}, this one"]
            out = decks.cards_of(day, row["deck"], row["first_seq"])
            assert out["seq"].is_between(row["first_seq"], row["last_seq"]).all()
            assert out.height == this["cards_out"].item()
            with Log.open(faulty) as log:
                events = log.table_events(table, row["first_seq"], row["last_seq"]).unique("seq")
            dealt_to_dealer = (pl.col("type").cast(pl.String) == "card_dealt") & (
                pl.col("to").cast(pl.String) == "dealer"
            )
            assert out.filter(to="dealer").height == events.filter(dealt_to_dealer).height
    assert ledger.height < 14


def test_the_deck_of_a_round_is_followed_on_its_page(faulty, page):
    app = page(faulty, "hand", table="T001", round=9)
    ledger = frame_with(app, "shuffles")
    assert "round 9, this one" in list(ledger["what"])
    assert ledger["what"].iloc[0].startswith("received, back")
    cards_out = frame_with(app, "place")
    assert cards_out["place"].iloc[0] == 1
    assert {"dealer"} <= set(cards_out["to"])


def test_a_round_that_never_was_is_said_so(faulty, page):
    assert "no such round" in words(page(faulty, "hand", table="T001", round=999))
    assert "no such round" in words(page(faulty, "hand", table="NOBODY", round=1))


def test_the_story_reads_on_until_it_agrees_with_the_store(faulty, monkeypatch):
    monkeypatch.setattr(asks, "_REACHES", (3, None))
    with Reader.open(faulty) as reader:
        rows = asks.rounds_of(reader, "T001", 20)
        (story,) = asks.round_stories(faulty, "T001", 20, rows)
        row = rows.row(0, named=True)
    assert (story.wagers, story.derived, story.dealer) == (row["wagers"], row["derived"], row["dealer"])


@pytest.mark.parametrize("game", [rounds.HOLDEM, rounds.SPANISH, rounds.DRAW], ids=["hold'em", "spanish 21", "draw"])
def test_rounds_of_every_game_are_drawn_and_printed(tmp_path, page, game):
    data = written(tmp_path, game)
    table = game.split()[0]
    app = page(data, "hand", table=table, round=1)
    assert component(app)["steps"][-1]["felt"]["ended"]
    assert paper.ruling(papers(data, table, 1)).startswith(b"%PDF")


# On paper


def test_a_clean_round_gets_its_certificate(clean, page):
    app = page(clean, "hand", table="T001", round=3)
    assert "Nothing differs from the law in this round" in words(app)
    made = papers(clean, "T001", 3)
    assert made.kind == CERTIFICATE
    assert any(each.startswith("PAY01") for each in made.checked)
    assert "Certificate" in as_html(made)


def test_what_was_not_derived_gets_no_certificate(unseen, page):
    app = page(unseen, "hand", table="T001", round=2)
    assert not app.success
    assert "no certificate" in words(app)
    made = papers(unseen, "T001", 2)
    assert made.kind == STATEMENT
    assert made.checked == ()


def test_a_ruling_sheet_has_finding_clause_wagers_events_and_a_digest(faulty):
    found = a_finding(faulty)
    made = papers(faulty, found["table"], found["round"], [found])
    page = as_html(made)
    assert made.kind == RULING
    for part in (found["code"], found["clause"], f"Table {found['table']}, round {found['round']}", "digest"):
        assert part in page
    assert len(made.events) > 20
    assert paper.ruling(made).startswith(b"%PDF")


def test_names_and_reasons_cannot_put_anything_into_a_sheet(tmp_path):
    data = written(tmp_path, rounds.HOSTILE)
    with Reader.open(data) as reader:
        found = reader.findings().filter(round=1).rows(named=True)
    for number in (1, 2):
        made = papers(data, "T1", number, found)
        page = as_html(made)
        assert "<script" not in page
        assert "<img" not in page
        assert page.count("</style>") == 1
        assert "&lt;script&gt;" in page
        assert paper.ruling(made).startswith(b"%PDF")


def test_names_and_reasons_are_never_read_as_markdown(tmp_path, page):
    data = written(tmp_path, rounds.HOSTILE)
    found = a_finding(data, "PAY01")
    for address, asked in (
        ("findings", {"finding": found["id"], "period": "all"}),
        ("hand", {"table": "T1", "round": 1}),
        ("hand", {"table": "T1", "round": 2}),
        ("audit", {"by": "dealer"}),
        ("decks", {}),
        ("health", {}),
        ("", {}),
    ):
        app = page(data, address, **asked)
        marked = [*app.markdown, *app.caption, *app.title, *app.subheader, *app.info, *app.warning, *app.success]
        said = "\n".join(str(each.value) for each in marked)
        assert not any(name in said for name in rounds.NAMES)


def test_no_page_turns_markup_on():
    source = "".join(file.read_text() for file in Path(APP).parent.rglob("*.py"))
    scripts = "".join(file.read_text() for file in Path(APP).parent.glob("*.js"))
    assert "unsafe_allow" + "_html" not in source
    assert "innerHTML" not in scripts
    assert "insertAdjacent" not in scripts


def test_who_sat_down_long_ago_still_sits_there(faulty, monkeypatch):
    monkeypatch.setattr(asks, "_REACHES", (10, 20, None))
    with Log.open(faulty) as log:
        events = log.table_events("T001")
    sat = events.filter(pl.col("type") == "player_seated").row(0, named=True)
    left = events.filter((pl.col("type") == "player_left") & (pl.col("seat") == sat["seat"]))
    until = left["seq"].min() or events["seq"].max()
    assert asks.seated_before(faulty, "T001", until)[sat["seat"]] == sat["player"]
