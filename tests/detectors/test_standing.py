"""What waits, and for how long: events of a round for what decides it, events behind a gap for the missing ones."""

import math
import random

import polars as pl
import pytest

from detectors import standing
from detectors.audit import audit
from ingest import floor, frame
from replay import facts

KINDS = ("findings", "settlements", "rounds")


@pytest.fixture(scope="module")
def events() -> pl.DataFrame:
    """A floor with every second round wrong, all tables in turn, with positions as a log gives them."""
    shifts = floor.simulate(12, 6, 5, 0.5)
    every = pl.concat(frame.from_contents(shift.lines).sort("seq") for shift in shifts)
    turns = every.with_columns(turn=pl.int_range(pl.len()).over("table")).sort("turn", "table").drop("turn")
    return turns.select(pl.int_range(1, pl.len() + 1).alias("position"), pl.all())


def rows(parts: list[pl.DataFrame]) -> list[tuple[object, ...]]:
    return sorted(map(repr, (row for part in parts for row in part.iter_rows())))


def test_nothing_can_be_said_of_what_waits_for_its_round(events):
    """Wherever the events end for now, an audit of all of them finds nothing beyond what was said without those that wait."""
    chance = random.Random(3)
    stands, said, reached, waited = standing.none(), {kind: [] for kind in KINDS}, 0, 0
    while reached < events.height:
        step = events.slice(reached, chance.randrange(1, 150))
        reached += step.height
        due = standing.due(stands, step, 0.0, math.inf)
        result = standing.audited(stands.carry, due.ready, [])
        stands = standing.Standing(standing.carried_on(stands.carry, result), due.held)
        waited += due.held.height
        for kind in KINDS if result else ():
            said[kind].append(getattr(result, kind))
        if chance.random() < 0.3:
            behind_a_gap = stands.held.filter(pl.col("arrived").is_finite())["position"]
            seen = events[:reached].filter(~pl.col("position").is_in(behind_a_gap.implode()))
            whole = audit(facts.none(), seen.select(*frame.SCHEMA), final=False)
            assert {kind: rows(said[kind]) for kind in KINDS} == {kind: rows([getattr(whole, kind)]) for kind in KINDS}
    assert waited > events.height / 2


def of_one_table(events: pl.DataFrame) -> pl.DataFrame:
    return events.filter(pl.col("table") == events["table"].min()).sort("seq")


def test_a_round_under_way_is_held_and_its_end_releases_all_of_it(events):
    mine = of_one_table(events)
    end = mine.filter(pl.col("type") == "round_ended")["seq"].min()
    before, after = mine.filter(pl.col("seq") < end), mine.filter(pl.col("seq") == end)
    due = standing.due(standing.none(), before.head(before.height - 3), 0.0, 5.0)
    stands = standing.Standing(
        standing.carried_on(facts.none(), standing.audited(facts.none(), due.ready, [])), due.held
    )
    due = standing.due(stands, before.tail(3), 100.0, 5.0)
    assert (due.ready.height, due.held["arrived"].to_list()) == (0, [math.inf] * 3)
    due = standing.due(standing.Standing(stands.carry, due.held), after, 200.0, 5.0)
    assert (due.ready["seq"].to_list(), due.held.height) == ([end - 3, end - 2, end - 1, end], 0)


@pytest.mark.parametrize("what", ["a gap", "another content", "a clock that runs back", "a table that is asked for"])
def test_what_may_be_said_at_once_is_not_held(events, what):
    mine = of_one_table(events)
    end = mine.filter(pl.col("type") == "round_ended")["seq"].min()
    first = mine.filter(pl.col("seq") < end - 3)
    stands = standing.Standing(audit(facts.none(), first.select(*frame.SCHEMA), False).carry, standing.none().held)
    next_ = mine.filter(pl.col("seq").is_between(end - 3, end - 1))
    assert standing.due(stands, next_, 0.0, 5.0).ready.is_empty()
    at_once, now = frozenset(), 0.0
    if what == "a gap":
        next_ = next_.filter(pl.col("seq") != end - 2)
        held = standing.due(stands, next_, 0.0, 5.0).held
        stands, next_, now = standing.Standing(stands.carry, held), next_.clear(), 6.0
    elif what == "another content":
        next_ = pl.concat([next_, next_.tail(1).with_columns(source=pl.lit("another panel"))])
    elif what == "a clock that runs back":
        next_ = next_.with_columns(at=pl.col("at") - pl.duration(minutes=pl.int_range(pl.len())))
    else:
        at_once = frozenset(mine["table"].head(1))
    assert standing.due(stands, next_, now, 5.0, at_once).held.is_empty()
