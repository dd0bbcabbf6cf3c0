"""`catwalk statistics`: what it prints, for a person and for a program, and what it refuses."""

import json

import polars as pl
import pytest

from catwalk.command import main
from detectors.catalogue import STATISTIC_BY_CODE
from detectors.finding import SCHEMA


@pytest.fixture(scope="module")
def events(tmp_path_factory):
    """An honest floor of four tables, where a dealer has dealt to many."""
    file = tmp_path_factory.mktemp("period") / "events.jsonl"
    asked = ["simulate", "--tables", "4", "--rounds", "150", "--seed", "3", "--game", "three-card-poker"]
    assert main([*asked, "--out", str(file)]) == 0
    return file


def favoured(events, folder):
    """The same events, but one dealer's every winner of one player is paid a hundred dollars too much."""
    rows = [json.loads(line) for line in events.read_text().splitlines()]
    dealer, sits, shared = {}, {}, {}
    for row in rows:
        table = row["table"]
        if row["type"] == "dealer_assigned":
            dealer[table] = row["dealer"]
        elif row["type"] == "player_seated":
            sits[table, row["seat"]] = row["player"]
        elif row["type"] == "wager_settled" and (row["wager"], row["result"]) == ("ante", "paid"):
            player = row.get("player") or sits.get((table, row["seat"]))
            shared.setdefault((dealer[table], player), []).append(row)
    pair = max((each for each in shared if len(shared[each]) < 40), key=lambda each: len(shared[each]))
    for row in shared[pair]:
        row["amount"] += 10_000
    lying = folder / "lying.jsonl"
    lying.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return lying, pair


def test_a_person_is_told_the_hypotheses_the_rate_and_the_alarms(call, events, tmp_path):
    status, printed, said = call("statistics", events)
    assert (status, said) == (0, "")
    for code, statistic in STATISTIC_BY_CODE.items():
        assert code in printed
        assert statistic.name in printed
    assert "Nothing that chance does not explain." in printed
    assert "0.001" in printed
    lying, (dealer, player) = favoured(events, tmp_path)
    printed = call("statistics", lying)[1]
    assert f"STAT02 Dealer {dealer} erred in favour of player {player}" in " ".join(printed.split())


def test_a_program_gets_the_comparisons_and_the_alarms(call, events, tmp_path):
    lying, (dealer, player) = favoured(events, tmp_path)
    figures = json.loads(call("statistics", lying, "--json", "--alpha", "0.01")[1])
    assert figures["alpha"] == 0.01
    assert figures["rounds"] == 600
    assert figures["underived"] == 0
    affinity = figures["tests"]["STAT02"]
    assert affinity["comparisons"] > 1
    assert [(each["dealer"], each["player"]) for each in affinity["alarms"]] == [(dealer, player)]


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet"])
def test_alarms_are_written_as_findings(call, events, tmp_path, form):
    lying, pair = favoured(events, tmp_path)
    out = tmp_path / f"suspects.{form}"
    status, printed, _ = call("statistics", lying, "--findings", out)
    assert status == 0
    assert str(out) in printed.replace("\n", "")
    read = {"jsonl": pl.read_ndjson, "csv": pl.read_csv, "parquet": pl.read_parquet}[form](out)
    assert read.columns == list(SCHEMA)
    found = read.filter(pl.col("code") == "STAT02")
    assert found.select("dealer", "player").rows() == [pair]
    again = tmp_path / f"again.{form}"
    call("statistics", lying, "--findings", again)
    assert again.read_bytes() == out.read_bytes()


def test_a_period_without_rounds_is_not_called_clear(call, tmp_path):
    nothing = tmp_path / "nothing.jsonl"
    nothing.write_text("")
    status, printed, _ = call("statistics", nothing)
    assert status == 0
    assert "nothing was tested" in printed


@pytest.mark.parametrize("alpha", ["0", "1", "-1"])
def test_a_rate_that_is_none_is_refused(call, events, alpha):
    status, printed, said = call("statistics", events, "--alpha", alpha)
    assert (status, printed) == (2, "")
    assert "--alpha" in said


def test_events_are_not_written_over(call, events):
    status, _, said = call("statistics", events, "--findings", events)
    assert status == 2
    assert "another OUT" in said
