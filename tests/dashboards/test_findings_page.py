"""The queue and the case of a finding, alone."""

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest
import rounds
from conftest import frame_with, words, written

from catwalk.command import main
from dashboards import findings, queries
from dashboards.queries import casework
from dashboards.queries.casework import Filter
from dashboards.queries.coverage import Period
from detectors.published import Reader
from ingest import cases
from ingest.log import Log

NOON = datetime(2026, 2, 1, 12, tzinfo=UTC)


@pytest.fixture
def mine(faulty, tmp_path) -> Path:
    """A copy to act in."""
    return Path(shutil.copytree(faulty, tmp_path / "data"))


def finding(data: Path, code: str = "PAY03") -> dict[str, object]:
    with Reader.open(data) as reader:
        id = reader.findings().filter(code=code)["id"].item(0)
        found = casework.finding(reader, id)
    assert found is not None
    return found


def followed(data: Path) -> None:
    assert main(["run", "--once", "--data", str(data)]) == 0


def test_counts_and_money_stand_beside_their_coverage(faulty, page):
    app = page(faulty, "findings")
    with Reader.open(faulty) as reader:
        covered, found = queries.coverage(reader), reader.findings()
    metrics = {metric.label: metric.value for metric in app.metric}
    assert metrics["Findings shown"] == f"{found.height:,}"
    lost = sum(amount for amount in found["amount"] if amount > 0)
    assert metrics["House lost"] == f"${lost / 100:,.2f}"
    assert metrics["Wagers derived"] == covered.share
    assert f"{covered.words}." in words(app)


def test_the_address_filters_and_the_filters_are_in_the_address(faulty, page):
    app = page(faulty, "findings", severity="critical")
    shown = frame_with(app, "message")
    assert {tuple(each) for each in shown["severity"]} == {("critical",)}
    first = shown["code"].iloc[0]
    app.multiselect(key="code").select(first).run()
    assert set(frame_with(app, "message")["code"]) == {first}
    assert app.query_params["severity"] == "critical"


@pytest.mark.parametrize(
    ("asked", "holds"),
    [
        (Filter(codes=("PAY01", "PAY03")), lambda row: row["code"] in ("PAY01", "PAY03")),
        (Filter(severities=("critical",)), lambda row: row["severity"] == "critical"),
        (Filter(tables=("T002",)), lambda row: row["table"] == "T002"),
        (Filter(statuses=("closed",)), lambda _: False),
        (Filter(), lambda _: True),
    ],
)
def test_each_filter_asks_for_what_it_says(faulty, asked, holds):
    with Reader.open(faulty) as reader:
        every = casework.queue(reader, Filter())
        found = casework.queue(reader, asked)
    assert found["id"].to_list() == [row["id"] for row in every.iter_rows(named=True) if holds(row)]


def test_dealer_and_period_filter_too(faulty):
    with Reader.open(faulty) as reader:
        every = casework.queue(reader, Filter())
        dealer, day = every["dealer"].drop_nulls().item(0), every["at"].dt.date().item(0)
        of_dealer = casework.queue(reader, Filter(dealers=(dealer,)))
        before = casework.queue(reader, Filter(Period(last=day.replace(year=2020))))
    assert set(of_dealer["dealer"]) == {dealer}
    assert 0 < of_dealer.height < every.height
    assert before.is_empty()


def test_a_picked_finding_tells_its_story_and_the_way_to_the_hand(faulty, page):
    found = finding(faulty)
    app = page(faulty, "findings", finding=found["id"])
    said = words(app)
    assert found["message"] in said
    assert f"clause {found['clause']}" in said
    assert "Nobody has acted on it yet" in said
    (link,) = [each for each in app.get("page_link") if "Open the hand" in each.proto.label]
    assert link.proto.query_string == f"table={found['table']}&round={found['round']}&finding={found['id']}"


def test_a_finding_of_another_log_is_said_to_be_gone(faulty, page):
    assert "no longer holds" in words(page(faulty, "findings", finding="0" * 32))


def test_all_clear_is_said_only_where_all_was_audited(clean, unseen, page):
    everything = ["new", "acknowledged", "assigned", "closed"]
    app = page(clean, "findings", status=everything, period="all")
    assert "Nothing differs from the law in 12 rounds" in words(app)
    assert "filtered out" in words(page(clean, "findings"))
    app = page(unseen, "findings", status=everything, period="all")
    assert not app.success
    assert "not all clear" in words(app)


def test_more_findings_than_a_table_holds_are_counted_and_said_to_be_more(faulty, page, monkeypatch):
    monkeypatch.setattr(findings, "MOST_ROWS", 3)
    app = page(faulty, "findings")
    with Reader.open(faulty) as reader:
        every = reader.findings().height
    assert len(frame_with(app, "message")) == 3
    assert f"The latest 3 of {every:,} findings" in words(app)
    assert next(metric for metric in app.metric if metric.label == "Findings shown").value == f"{every:,}"


# The case


def test_a_finding_is_acknowledged_assigned_noted_and_closed_from_the_page(mine, page):
    found = finding(mine)
    app = page(mine, "findings", finding=found["id"])
    assert not app.button
    app.text_input(key="desk_name").input("Ana  Ruiz").run()
    press(app, "Acknowledge")
    app.text_input[1].input("ben")
    press(app, "Assign")
    app.text_area[0].input("asked for camera 4")
    press(app, "Add note")
    assert "Case: assigned" in words(app)
    app.text_area[1].input("repaid at the table")
    press(app, "Close the finding")
    said = words(app)
    assert "Case: closed" in said
    assert "Ana Ruiz (unverified) closed it: corrected" in said
    with Log.open(mine) as log:
        facts = cases.read(log)
    assert facts["act"].to_list() == [
        "finding_acknowledged",
        "finding_assigned",
        "finding_noted",
        "finding_closed",
    ]
    assert facts["assignee"].to_list() == [None, "ben", None, None]
    assert not facts["verified"].any()
    followed(mine)
    with Reader.open(mine) as reader:
        row = casework.finding(reader, str(found["id"]))
        assert (row["status"], row["assignee"], row["disposition"], row["acts"]) == ("closed", "ben", "corrected", 4)
        assert casework.queue(reader, Filter(statuses=("closed",)))["id"].to_list() == [found["id"]]


def press(app, label: str) -> None:
    next(button for button in app.button if button.label == label).click()
    app.run()
    assert not app.exception


def test_nobody_acts_without_a_name(mine):
    with pytest.raises(casework.Refused, match="who you are"):
        casework.act(mine, finding(mine), "finding_acknowledged", "  ", NOON)


@pytest.mark.parametrize("written", [str, str.upper, lambda name: f" {name} "])
def test_the_subject_of_a_finding_cannot_close_it(mine, written):
    found = finding(mine)
    for whose in ("dealer", "player"):
        if found[whose]:
            with pytest.raises(casework.Refused, match="subject"):
                casework.act(mine, found, "finding_closed", written(found[whose]), NOON, disposition="no action")
    casework.act(mine, found, "finding_noted", written(found["dealer"]), NOON, note="I can explain")
    casework.act(mine, found, "finding_closed", "somebody else", NOON, disposition="no action")


def test_the_supervisor_whom_the_events_name_cannot_close_it(mine, tmp_path):
    data = written(tmp_path / "hostile", rounds.HOSTILE)
    with Log.open(data) as log:
        voided = log.table_events("T1").drop_nulls("by").row(0, named=True)
    about = {**finding(mine), "table": "T1", "seqs": [voided["seq"]], "dealer": None, "player": None}
    assert casework.subjects(data, about) == {voided["by"]}
    with pytest.raises(casework.Refused, match="subject"):
        casework.act(data, about, "finding_closed", voided["by"][:64], NOON, disposition="no action")


def test_the_page_says_why_it_was_not_closed(mine, page):
    found = finding(mine)
    app = page(mine, "findings", finding=found["id"])
    app.text_input(key="desk_name").input(str(found["dealer"])).run()
    press(app, "Close the finding")
    assert "nobody closes a finding about himself" in words(app)
    with Log.open(mine) as log:
        assert cases.read(log).is_empty()


def test_a_finding_that_is_withdrawn_still_shows_with_its_case(tmp_path, page):
    """A gap is told, acknowledged, and then the missing event comes late: nothing vanishes."""
    events = tmp_path / "events.jsonl"
    asked = ["simulate", "--tables", "1", "--rounds", "4", "--seed", "3", "--game", "three-card-poker"]
    assert main([*asked, "--out", str(events)]) == 0
    lines = events.read_text().splitlines()
    place = next(n for n, line in enumerate(lines) if json.loads(line).get("round") == 2 and "card_dealt" in line)
    late = tmp_path / "late.jsonl"
    late.write_text(lines.pop(place) + "\n")
    events.write_text("\n".join(lines) + "\n")
    data = tmp_path / "data"
    assert main(["ingest", str(events), "--data", str(data)]) == 0
    followed(data)
    found = finding(data, "FEED01")
    casework.act(data, found, "finding_acknowledged", "ana", NOON)
    assert main(["ingest", str(late), "--data", str(data)]) == 0
    followed(data)
    with Reader.open(data) as reader:
        assert found["id"] not in set(reader.findings()["id"])
        (row,) = casework.queue(reader, Filter(codes=("FEED01",))).iter_rows(named=True)
    assert (row["id"], row["withdrawn"], row["status"]) == (found["id"], True, "acknowledged")
    assert row["message"] == found["message"]
    said = words(page(data, "findings", finding=found["id"], period="all"))
    assert "no longer gives this finding" in said
    assert "ana (unverified) acknowledged it" in said


def test_a_closed_case_is_opened_again_with_a_reason(mine):
    found = finding(mine)
    casework.act(mine, found, "finding_closed", "ana", NOON, disposition="no action")
    casework.act(mine, found, "finding_reopened", "ben", NOON, note="new footage")
    with Reader.open(mine) as reader:
        acts = casework.history(reader, mine, str(found["id"]))
    assert casework.status(acts) == "new"
    assert casework.in_words(acts)[-1][1:] == ("ben (unverified) opened it again", "new footage")


def test_the_story_says_who_held_what_and_which_line_of_the_law_decides(mine, page):
    with Reader.open(mine) as reader:
        found = reader.findings().filter(pl.col("code").is_in(["PAY01", "PAY02", "PAY03"])).row(0, named=True)
    said = words(page(mine, "findings", finding=found["id"]))
    assert f"Seat {found['seat']} held " in said
    assert "The dealer held " in said
    assert f"on {found['wager'].replace('_', ' ')}. The law: " in said
    assert f"({found['clause']})." in said
