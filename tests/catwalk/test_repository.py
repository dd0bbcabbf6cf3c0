"""What a newcomer is told at the door is true: the commands exist, the folders exist, the scripts run."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from catwalk.command import app

ROOT = Path(__file__).parents[2]
PAGES = ("README.md", "ARCHITECTURE.md", "CHANGELOG.md")
TARGETS = ("setup", "demo", "test", "check", "bench", "soak", "clean")


@pytest.mark.parametrize("page", PAGES)
def test_every_command_on_a_page_is_a_verb_or_a_target(page):
    text = (ROOT / page).read_text()
    verbs = {each.callback.__name__ for each in app.registered_commands if each.callback}
    assert set(re.findall(r"`catwalk (\w+)", text)) <= verbs
    assert set(re.findall(r"`make (\w+)", text)) <= set(TARGETS)
    assert set(re.findall(r"^(?:\$ )?catwalk (\w+)", text, re.MULTILINE)) <= verbs


@pytest.mark.parametrize("page", PAGES)
def test_every_file_that_a_page_names_is_there(page):
    text = (ROOT / page).read_text()
    named = re.findall(r"`((?:rules|ingest|replay|detectors|dashboards|catwalk|tests|docs|scripts)/[\w./-]*)`", text)
    named += re.findall(r"\]\(((?!http)[^)#]+)\)", text)
    assert not [path for path in named if not (ROOT / path).exists()]


@pytest.mark.parametrize("target", TARGETS)
def test_make_knows_every_target(target):
    done = subprocess.run(["make", "-n", target], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("script", [".ci/run", "scripts/python", "scripts/test-needs"])
def test_scripts_can_be_run_and_stop_at_the_first_fault(script):
    assert os.access(ROOT / script, os.X_OK)
    text = (ROOT / script).read_text()
    assert text.startswith("#!/usr/bin/env bash\n")
    assert "set -euo pipefail" in text


def test_the_lock_names_no_host_and_pins_all_by_digest():
    lock = (ROOT / "requirements.lock").read_text()
    assert "://" not in lock
    assert all("==" in line for line in lock.splitlines() if line and not line.startswith((" ", "#")))
    assert lock.count("==") <= lock.count("--hash=sha256:")
