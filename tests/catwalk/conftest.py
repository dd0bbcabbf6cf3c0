"""A small floor with planted wrongs, the command as a process, and the command as a call."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from catwalk.command import main

Run = Callable[..., subprocess.CompletedProcess[str]]
Call = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="session")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with events.jsonl and the labels of what was planted in it."""
    folder = tmp_path_factory.mktemp("floor")
    asked = ["simulate", "--tables", "3", "--rounds", "60", "--seed", "11", "--faults", "0.2"]
    assert main([*asked, "--out", str(folder / "events.jsonl"), "--labels", str(folder / "labels.jsonl")]) == 0
    return folder


@pytest.fixture
def events(floor: Path) -> Path:
    return floor / "events.jsonl"


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    """The command in this process: its exit status, what it printed and what it said on standard error."""
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.delenv("CATWALK_DATA", raising=False)

    def called(*arguments: object) -> tuple[int, str, str]:
        capsys.readouterr()
        status = main([str(each) for each in arguments])
        return status, *capsys.readouterr()

    return called


@pytest.fixture
def run() -> Run:
    """The command as a process of its own."""

    def ran(*arguments: object, **options: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "catwalk.command", *map(str, arguments)],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "CATWALK_DATA": ""},
            timeout=300,
            **options,  # type: ignore[call-overload]
        )

    return ran
