"""`catwalk show`: a round as a person wants to see it, from a file and from the log."""

import json
from pathlib import Path

import pytest

WATCHED = ("T001", 7)


@pytest.fixture
def honest(call, tmp_path) -> Path:
    file = tmp_path / "honest.jsonl"
    assert call("simulate", "--tables", 1, "--rounds", 8, "--seed", 4, "--out", file)[0] == 0
    return file


def rewritten(file: Path, change) -> Path:
    """The file with its events of the watched round as `change` makes them: the events in place of each one."""
    out = file.with_name("rewritten.jsonl")
    lines = []
    for line in file.read_text().splitlines():
        event = json.loads(line)
        mine = (event["table"], event.get("round")) == WATCHED
        lines += [json.dumps(each) for each in (change(event) if mine else [event])]
    out.write_text("\n".join(lines) + "\n")
    return out


def test_a_round_is_shown_step_by_step_with_hands_wagers_and_clauses(call, honest):
    status, printed, said = call("show", *WATCHED, "--file", honest)
    assert (status, said) == (0, "")
    for word in ("Table T001, round 7", "no more bets", "dealer", "face", "makes", "owed", "because", "19:47-20"):
        assert word in printed
    assert any(sign in printed for sign in "♣♦♥♠")
    assert "No findings." in printed


def test_the_log_tells_the_same_as_the_file(call, honest, tmp_path):
    data = tmp_path / "data"
    assert call("ingest", honest, "--data", data)[0] == 0
    assert call("show", *WATCHED, "--data", data) == call("show", *WATCHED, "--file", honest)


def test_an_unread_card_is_shown_as_unread_and_its_wagers_as_open(call, honest):
    def unread(event):
        hidden = event["type"] == "card_dealt" and event["to"] == "dealer"
        return [event | {"card": "??"}] if hidden else [event]

    _, printed, _ = call("show", *WATCHED, "--file", rewritten(honest, unread))
    assert "unread" in printed
    assert "3 cards were not read" in printed
    assert "not derived: a card of the dealer's hand was not read" in " ".join(printed.split())
    assert "FEED06" in printed


def test_a_gap_and_a_contested_seq_are_marked_where_they_are(call, honest):
    def gap(event):
        return [] if event["type"] == "dealer_revealed" else [event]

    def contested(event):
        return [event, event | {"source": "gateway-b"}] if event["type"] == "no_more_bets" else [event]

    assert "1 event is missing here" in call("show", *WATCHED, "--file", rewritten(honest, gap))[1]
    printed = call("show", *WATCHED, "--file", rewritten(honest, contested))[1]
    assert printed.count("no more bets  sent with two contents") == 2
    assert "FEED02" in printed


def test_the_findings_of_the_round_stand_below_it(call, honest):
    def short_paid(event):
        taken = event["type"] == "wager_settled" and event["result"] == "taken"
        return [event | {"result": "returned"}] if taken else [event]

    _, printed, _ = call("show", *WATCHED, "--file", rewritten(honest, short_paid))
    assert "PAY03 loser-not-taken" in printed


def test_json_holds_the_whole_story(call, honest):
    (round_,) = json.loads(call("show", *WATCHED, "--file", honest, "--json")[1])["rounds"]
    assert (round_["table"], round_["round"]) == WATCHED
    assert round_["lines"][0]["sentence"].startswith("round 7 started")
    assert all({"stake", "owed", "paid", "clause", "because"} <= each.keys() for each in round_["settlements"])


@pytest.mark.parametrize(("table", "round_"), [("T001", 999), ("T999", 1), ("$(ls)", 1)])
def test_a_round_that_is_not_there_is_said_in_one_line(call, honest, table, round_):
    status, printed, said = call("show", table, round_, "--file", honest)
    assert (status, printed) == (2, "")
    assert said == f"catwalk: table {table} has no round {round_} in {honest}\n"
