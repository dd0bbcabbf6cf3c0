"""The rim: versions, help, usage, and faults of our own."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import catwalk
from catwalk.command import app

VERBS = [
    *("audit", "simulate", "ingest", "run", "kafka", "worker", "sink", "status"),
    *("show", "explain", "rules", "statistics", "quality", "dashboard", "demo"),
]


def test_it_says_its_version(call):
    assert call("--version") == (0, f"catwalk {catwalk.__version__}\n", "")


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help(call, verb):
    status, printed, said = call(verb, "--help")
    assert (status, said) == (0, "")
    assert f"catwalk {verb}" in printed or "Usage" in printed


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "no verb given"),
        (["fly"], "No such command 'fly'"),
        (["--fly"], "No such option"),
        (["simulate"], "Missing option '--out'"),
        (["simulate", "--tables", "0", "--out", "x.jsonl"], "--tables"),
        (["simulate", "--tables", "many", "--out", "x.jsonl"], "--tables"),
        (["simulate", "--faults", "2", "--out", "x.jsonl"], "--faults"),
        (["simulate", "--game", "whist", "--out", "x.jsonl"], "whist"),
        (["simulate", "--out", "x.txt"], "unknown ending"),
        (["simulate", "--out", "nowhere/x.jsonl"], "no folder"),
        (["simulate", "--out", "x.jsonl", "--labels", "l.txt"], "unknown ending"),
        (["simulate", "--out", "x.jsonl", "--labels", "x.jsonl"], "one file"),
        (["explain"], "Missing argument"),
        (["explain", "PAY99"], "nearest are PAY0"),
        (["explain", "overpayed"], "PAY01"),
        (["rules", "whist"], "no game 'whist' is audited"),
        (["rules", "three-card-poker", "--edition", "1066"], "no edition '1066'"),
        (["show", "T001"], "Missing argument"),
        (["show", "T001", "one"], "ROUND"),
        (["show", "T001", "0"], "ROUND"),
        (["show", "T001", "1"], "there is no log here"),
        (["show", "T001", "1", "--file", "nowhere.jsonl"], "no such file"),
        (["ingest"], "Missing argument"),
        (["ingest", "nowhere.jsonl"], "no such file"),
        (["dashboard", "--port", "0"], "--port"),
    ],
)
def test_bad_usage_is_one_line_and_status_2(call, tmp_path, monkeypatch, arguments, complaint):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CATWALK_DATA", raising=False)
    status, printed, said = call(*arguments)
    assert (status, printed) == (2, "")
    assert complaint in said
    assert re.fullmatch(r"catwalk: [^\n]+\n", said)
    assert not list(tmp_path.glob("*.jsonl"))


def test_a_fault_of_our_own_is_one_line_and_the_rest_is_in_a_file(call):
    def stumble() -> None:
        raise RuntimeError("of a kind\nnobody thought of")

    app.command()(stumble)
    try:
        status, printed, said = call("stumble")
    finally:
        app.registered_commands = [each for each in app.registered_commands if each.callback is not stumble]
    assert (status, printed) == (1, "")
    assert re.fullmatch(r"catwalk: a fault of catwalk's own, RuntimeError: of a kind \(all of it in .+\)\n", said)
    report = said.rsplit(" in ", 1)[1].rstrip(")\n")
    assert "nobody thought of" in Path(report).read_text()


def test_a_reader_that_has_read_enough_is_no_error():
    piped = subprocess.run(
        f"{sys.executable} -m catwalk.command rules three-card-poker --json | head -c 10",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert piped.stderr == ""


def test_every_verb_of_the_app_is_tested_here():
    assert [each.callback.__name__ for each in app.registered_commands] == VERBS
