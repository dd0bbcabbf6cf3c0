"""The floor alone, on data that was prepared by the very pipeline it is for."""

import shutil
from datetime import timedelta

import rounds
from conftest import component, words, written

from catwalk.command import main
from dashboards.queries import casework
from dashboards.queries import floor as asks
from detectors.published import Reader


def test_every_table_has_a_tile_with_its_open_findings_and_what_is_at_stake(faulty, page):
    shown = {tile["table"]: tile for tile in component(page(faulty))["tiles"]}
    with Reader.open(faulty) as reader:
        found = reader.findings()
    assert set(shown) == {"T001", "T002"}
    for table, tile in shown.items():
        mine = found.filter(table=table)
        counts = dict(mine.group_by("severity").len().iter_rows())
        assert {each["severity"]: each["found"] for each in tile["open"]} == counts
        assert tile["stake"] == f"${mine['amount'].abs().sum() / 100:,.2f}"
        assert tile["game"] == "Three Card Poker"
        assert "round 30" in tile["round"]


def test_a_table_that_was_not_seen_is_never_all_clear(unseen, page):
    (tile,) = component(page(unseen))["tiles"]
    assert tile["open"] == []
    assert tile["audited"] == "part"
    assert tile["coverage"] == "partly audited: 3 of 3 rounds open"


def test_a_table_is_live_then_silent_and_closed_only_when_it_said_so(faulty, tmp_path):
    still_open = written(tmp_path, rounds.HOSTILE)
    with Reader.open(still_open) as reader:
        at = reader.last_event_at()
        assert [tile.state for tile in asks.tiles(reader, still_open, at + timedelta(seconds=9))] == ["live"]
        assert [tile.state for tile in asks.tiles(reader, still_open, at + timedelta(minutes=4))] == ["silent"]
    with Reader.open(faulty) as reader:
        assert {tile.state for tile in asks.tiles(reader, faulty, reader.last_event_at())} == {"closed"}


def test_the_table_with_the_most_critical_findings_is_first(faulty):
    with Reader.open(faulty) as reader:
        tiles = asks.tiles(reader, faulty, reader.last_event_at())
    assert [tile.open["critical"] for tile in tiles] == sorted((t.open["critical"] for t in tiles), reverse=True)


def test_the_ticker_has_the_newest_first_and_an_address_for_each(faulty, page):
    told = component(page(faulty))["ticker"]
    with Reader.open(faulty) as reader:
        newest = casework.queue(reader, casework.Filter()).head(len(told))
    assert [each["id"] for each in told] == newest["id"].to_list()
    assert all(each["href"] == f"findings?finding={each['id']}" for each in told)


def test_events_that_wait_in_the_log_are_told(clean, tmp_path, page):
    data = tmp_path / "data"
    shutil.copytree(clean, data)
    waiting = tmp_path / "one-more.jsonl"
    waiting.write_text('{"table":"T900","seq":1,"at":"2026-01-31T12:00:00Z","type":"table_closed"}\n')
    assert main(["ingest", str(waiting), "--data", str(data)]) == 0
    app = page(data)
    assert "1 events in the log are not audited yet" in words(app)
    tiles = {tile["table"]: tile for tile in component(app)["tiles"]}
    assert tiles["T900"]["coverage"] == "not audited: no round has come to its end"


def test_before_anything_is_published_every_page_says_how_to_begin(tmp_path, page):
    for address in ("", "findings", "hand", "audit", "decks", "health"):
        said = words(page(tmp_path, address))
        assert "Nothing was audited yet" in said
        assert "catwalk run" in said


def test_a_snapshot_that_cannot_be_read_is_said_so_without_a_traceback(clean, tmp_path, page):
    data = tmp_path / "data"
    shutil.copytree(clean, data)
    (data / "store" / "published.duckdb").write_bytes(b"noise" * 4000)
    said = words(page(data))
    assert "cannot be read" in said
    (data / "events.sqlite").unlink()
    assert "The log of this store is gone" in words(page(data, "health"))
    assert not (data / "events.sqlite").exists()
