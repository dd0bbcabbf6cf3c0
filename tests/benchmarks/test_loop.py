"""The loops that are measured beside the audit do honest work: they find what it finds."""

from pathlib import Path

import pytest

from benchmarks.dealing import dealt
from benchmarks.loop.rankers import RANKERS
from benchmarks.loop.rounds import rounds
from benchmarks.loop.settling import SETTLED, wrongs
from rules.games import GAMES


def test_every_game_is_settled() -> None:
    assert SETTLED.keys() == GAMES.keys()


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("ranker", RANKERS)
def test_a_loop_finds_the_wrongs_that_were_planted_and_nothing_else(
    game: str, ranker: str, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(_shared(tmp_path_factory)))
    floor = dealt(1, game, wrongs=0.02)
    planted = floor.labels.select("table", "round", "seat", "hand", "wager", "amount").rows()
    chosen = RANKERS[ranker]()
    found = [wrong for file in floor.files for round in rounds(file) for wrong in wrongs(round, chosen)]
    assert sorted(found) == sorted(planted)


def _shared(factory: pytest.TempPathFactory) -> Path:
    shared = factory.getbasetemp() / "floors"
    shared.mkdir(exist_ok=True)
    return shared
