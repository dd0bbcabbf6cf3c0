"""The floor dealt in bulk is honest but for the payouts that it says are wrong."""

from pathlib import Path

import polars as pl
import pytest

from benchmarks.dealing import dealt
from benchmarks.dealing.floor import PLAYS
from detectors.audit import audits
from ingest import files
from rules.games import GAMES

PLACE = ["code", "table", "round", "seat", "hand", "wager", "amount"]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def test_every_game_is_dealt() -> None:
    assert PLAYS.keys() == GAMES.keys()


@pytest.mark.parametrize("game", GAMES)
def test_the_audit_finds_the_wrongs_that_were_planted_and_nothing_else(game: str) -> None:
    floor = dealt(1, game, wrongs=0.02)
    found = list(audits(chunk.frame for chunk in files.read(floor.files)))
    findings = pl.concat(each.findings for each in found).select(
        pl.col(name).cast(floor.labels.schema[name]) for name in PLACE
    )
    assert floor.labels.height > 10
    assert findings.sort(PLACE).equals(floor.labels.select(PLACE).sort(PLACE))
    assert sum(each.settlements["owed"].null_count() for each in found) == 0
    assert sum(each.rounds.height for each in found) == floor.rounds


def test_the_same_seed_deals_the_same_events(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = dealt(1, "spanish-21")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "elsewhere"))
    again = dealt(1, "spanish-21")
    assert first.folder != again.folder
    assert pl.read_parquet(first.files).equals(pl.read_parquet(again.files))


def test_what_is_in_the_cache_is_not_dealt_again() -> None:
    first = dealt(1, "three-card-poker")
    before = [file.stat().st_mtime_ns for file in first.files]
    assert dealt(1, "three-card-poker") == first
    assert [file.stat().st_mtime_ns for file in first.files] == before
