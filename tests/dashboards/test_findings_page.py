"""The findings page alone, on data that was prepared by the very pipeline it is for."""

import json
import os
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from catwalk.command import main
from dashboards import queries
from detectors.published import Reader

APP = str(Path(__file__).parents[2] / "dashboards" / "app.py")


def prepared(folder: Path, *faults: str) -> Path:
    events, data = folder / "events.jsonl", folder / "data"
    assert main(["simulate", "--tables", "2", "--rounds", "30", "--seed", "8", *faults, "--out", str(events)]) == 0
    assert main(["ingest", str(events), "--data", str(data)]) == 0
    assert main(["run", "--once", "--data", str(data)]) == 0
    return data


@pytest.fixture(scope="session")
def faulty(tmp_path_factory) -> Path:
    return prepared(tmp_path_factory.mktemp("faulty"), "--faults", "0.4")


def page(data: Path, monkeypatch: pytest.MonkeyPatch, picked: str | None = None) -> AppTest:
    monkeypatch.setenv("CATWALK_DATA", str(data))
    app = AppTest.from_file(APP, default_timeout=60)
    if picked:
        app.query_params["finding"] = picked
    app.run()
    assert not app.exception
    return app


def words(app: AppTest) -> str:
    shown = [*app.markdown, *app.caption, *app.text, *app.code, *app.info, *app.warning, *app.success, *app.subheader]
    return "\n".join(str(each.value) for each in shown)


def test_counts_stand_beside_their_coverage(faulty, monkeypatch):
    app = page(faulty, monkeypatch)
    with Reader.open(faulty) as reader:
        severities, covered = queries.severities(reader), queries.coverage(reader)
    metrics = {metric.label: metric.value for metric in app.metric}
    assert {name.capitalize(): f"{count:,}" for name, count in severities.items()}.items() <= metrics.items()
    assert metrics["Wagers derived"] == covered.share
    assert f"Coverage: {covered.words}." in words(app)


def test_the_table_is_filtered_by_severity(faulty, monkeypatch):
    app = page(faulty, monkeypatch)
    whole = app.dataframe[0].value.shape[0]
    app.multiselect[0].select("critical").run()
    shown = app.dataframe[0].value
    assert 0 < shown.shape[0] < whole
    assert set(shown["severity"]) == {"critical"}


def test_a_picked_finding_tells_its_story(faulty, monkeypatch):
    with Reader.open(faulty) as reader:
        found = reader.findings().filter(code="PAY03").row(0, named=True)
    app = page(faulty, monkeypatch, found["id"])
    said = words(app)
    assert found["message"] in said
    assert f"Table {found['table']}, round {found['round']}" in said
    assert f"round {found['round']} started" in said
    assert any(sign in said for sign in "♣♦♥♠")
    clauses = [frame.value["clause"].tolist() for frame in app.dataframe if "because" in frame.value.columns]
    assert any(found["clause"] in each for each in clauses)


def test_a_finding_that_no_longer_holds_is_said_to_be_gone(faulty, monkeypatch):
    assert "no longer holds" in words(page(faulty, monkeypatch, "0" * 32))


def test_before_anything_is_published_the_page_says_how_to_begin(tmp_path, monkeypatch):
    said = words(page(tmp_path, monkeypatch))
    assert "Nothing was audited yet" in said
    assert "catwalk run" in said


def test_all_clear_is_said_only_where_all_was_audited(tmp_path, monkeypatch):
    said = words(page(prepared(tmp_path), monkeypatch))
    assert "Nothing differs from the law in 60 rounds" in said


def test_without_findings_an_unread_round_is_not_all_clear(tmp_path, monkeypatch):
    data, events = tmp_path / "data", tmp_path / "events.jsonl"
    asked = ["simulate", "--tables", "1", "--rounds", "3", "--seed", "2", "--out", str(events)]
    assert main(asked) == 0
    lines = [json.loads(line) for line in events.read_text().splitlines()]
    # Without its opening nothing is known of the table's terms.
    events.write_text(
        "\n".join(json.dumps(line) for line in lines if line["seq"] > 1 and line["type"] != "table_opened")
    )
    assert main(["ingest", str(events), "--data", str(data)]) == 0
    assert main(["run", "--once", "--data", str(data)]) == 0
    app = page(data, monkeypatch)
    assert not app.success
    assert "not all clear" in words(app)


def test_events_that_wait_in_the_log_are_told(faulty, tmp_path, monkeypatch):
    waiting = tmp_path / "one-more.jsonl"
    waiting.write_text('{"table":"T900","seq":1,"at":"2026-01-31T12:00:00Z","type":"table_closed"}\n')
    assert main(["ingest", str(waiting), "--data", str(faulty)]) == 0
    try:
        assert "1 events in the log are not audited yet" in words(page(faulty, monkeypatch))
    finally:
        assert main(["run", "--once", "--data", str(faulty)]) == 0


def test_text_from_a_table_is_never_read_as_markdown(faulty, monkeypatch):
    """A message goes through st.text, a table or a code block; Markdown is for our own words."""
    with Reader.open(faulty) as reader:
        found = reader.findings().filter(code="PAY03").row(0, named=True)
    app = page(faulty, monkeypatch, found["id"])
    assert not any(found["message"] in str(each.value) for each in app.markdown)
    source = "".join(
        (Path(APP).parent / name).read_text() for name in os.listdir(Path(APP).parent) if name.endswith(".py")
    )
    assert "unsafe_allow" + "_html" not in source
