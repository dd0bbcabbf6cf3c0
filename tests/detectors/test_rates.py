"""How often the statistics alarm by chance, and whether they hear what they are there for, on rounds of the simulated floor.

`CATWALK_SOAK=1` measures the rates on a hundred times as many periods.
"""

import os

import numpy as np
import pytest

from detectors.catalogue import STATISTIC_BY_CODE
from detectors.statistics import honest, rates
from detectors.statistics.cheats import CHEATS
from detectors.statistics.honest import Pool
from detectors.statistics.period import KEYS

PERIODS = 2_000 if os.environ.get("CATWALK_SOAK") == "1" else 20
SEED = 7


def allowed(level: float) -> float:
    """What is at most seen of a share that is right, but for one time in some ten thousand."""
    return PERIODS * level + 4 * (PERIODS * level * (1 - level)) ** 0.5


@pytest.fixture(scope="module")
def pool() -> Pool:
    return honest.dealt(SEED)


def test_honest_periods_alarm_no_more_often_than_asked() -> None:
    done: list[None] = []
    told = rates.alarmed(PERIODS, SEED, lambda: done.append(None))
    assert len(done) == PERIODS
    assert {each.code for each in told} == set(STATISTIC_BY_CODE)
    for each in told:
        assert each.comparisons > 5, "nothing was asked"
        for level, alarms in zip(rates.LEVELS, each.alarms, strict=True):
            assert alarms <= allowed(level), each


@pytest.mark.parametrize("code", STATISTIC_BY_CODE)
def test_chance_moves_what_is_asked_and_leaves_what_was_dealt(code: str, pool: Pool) -> None:
    one, again, other = (honest.period(code, pool, np.random.default_rng(seed)) for seed in (1, 1, 2))
    asked = [name for name in KEYS if not getattr(one, name).is_empty()]
    assert all(getattr(one, name).equals(getattr(again, name)) for name in asked)
    assert not all(getattr(one, name).equals(getattr(other, name)) for name in asked)
    for name in set(asked) & {"rounds", "shared", "blocks", "dealt", "seen", "choices"}:
        assert getattr(one, name)["rounds"].sum() == getattr(other, name)["rounds"].sum()


@pytest.mark.parametrize("code", STATISTIC_BY_CODE)
def test_what_is_done_boldly_is_heard(code: str, pool: Pool) -> None:
    boldest = [cheat for cheat in CHEATS if cheat.code == code][-1]
    says = STATISTIC_BY_CODE[code].says
    # Asked less strictly than a period is, so that few periods are enough to see it.
    heard = sum(boldest.is_told(pool, np.random.default_rng([SEED, number]), says, 0.05) for number in range(10))
    assert heard >= 4, boldest.does
