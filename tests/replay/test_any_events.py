"""No sequence of events raises, and none is judged differently live than in a batch."""

import os
from datetime import UTC, datetime, timedelta
from typing import get_args

import msgspec
import polars as pl
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from detectors.audit import audit, audits
from ingest import events, frame
from replay import facts

SOAK = os.environ.get("CATWALK_SOAK") == "1"
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture]

WAGERS = ["ante", "play", "pair_plus", "six_card_bonus", "ante_bonus", "lucky_ladies"]
FIELDS = {
    "seat": st.integers(1, 3),
    "hand": st.just(1),
    "player": st.sampled_from(["p1", "p2"]),
    "dealer": st.sampled_from(["d1", "d2"]),
    "wager": st.sampled_from(WAGERS),
    "amount": st.sampled_from([0, 500, 1_000, 1_500, 40_000]),
    "result": st.sampled_from(get_args(events.Result)),
    "choice": st.sampled_from(["play", "fold", "hit"]),
    "to": st.sampled_from(get_args(events.Recipient)),
    "card": st.sampled_from(["AS", "KS", "QS", "2C", "2D", "TH", "??", "XX"]),
    "face": st.sampled_from(get_args(events.Face)),
    "street": st.sampled_from(get_args(events.Street)),
    "deck": st.sampled_from(["red", "blue"]),
    "back": st.sampled_from(["red", "blue"]),
    "packs": st.just(1),
    "cards": st.integers(0, 52),
    "counted": st.sampled_from([None, 51, 52]),
    "method": st.sampled_from(get_args(events.ShuffleMethod)),
    "device": st.sampled_from(get_args(events.Device)),
    "fault": st.sampled_from(get_args(events.Fault)),
    "reason": st.sampled_from(["", "misdeal", "{}"]),
    "by": st.just("supervisor-1"),
    "game": st.sampled_from([*["three-card-poker"] * 4, *get_args(events.GameName)]),
    "edition": st.sampled_from(["1998", "2000", "6-card-bonus", "1887"]),
    "dealing": st.sampled_from(get_args(events.Dealing)),
    "shuffler": st.sampled_from(get_args(events.Shuffler)),
    "decks": st.integers(1, 2),
    "seats": st.just(7),
    "min_wager": st.just(500),
    "max_wager": st.just(100_000),
    "pay_tables": st.sampled_from([{}, {"pair_plus": "1"}, {"pair_plus": 2, "ante_bonus": 2}, {"nonsense": "9"}]),
    "options": st.sampled_from([{}, {"six_card_bonus_version": "ii"}, {"six_card_bonus_version": 7}]),
    "limits": st.just({}),
    "source": st.sampled_from([None, "felt"]),
}


# What makes rounds comes often enough to make some.
OFTEN = {
    "card_dealt": 30,
    "wager_placed": 15,
    "wager_settled": 12,
    "decision_made": 6,
    "round_ended": 5,
    "round_started": 4,
    "no_more_bets": 4,
    "wager_changed": 4,
    "stub_counted": 4,
    "table_opened": 3,
}
KINDS = [name for name in events.TYPES for _ in range(OFTEN.get(name, 1))]


@st.composite
def logs(draw: st.DrawFn) -> list[events.Event]:
    """Mostly ascending seqs of two tables, with gaps, repeats and rounds that come and go."""
    sent = []
    length_of_round = draw(st.sampled_from([3, 6, 20]))
    for place in range(draw(st.integers(0, 60))):
        said_type = draw(st.sampled_from(KINDS))
        kind = events.CLASSES[said_type]
        seq = draw(st.integers(1, 70)) if draw(st.integers(0, 3)) == 0 else place + 1
        said = {
            "table": draw(st.sampled_from(["T1", "T1", "T2"])),
            "seq": seq,
            "at": NOON + timedelta(seconds=draw(st.integers(0, 60))),
        }
        if said_type in events.ROUND_TYPES or draw(st.booleans()):
            said["round"] = 1 + seq // length_of_round + (draw(st.integers(0, 20)) == 0)
        for field in msgspec.structs.fields(kind):
            if field.name not in said and field.name != "round":
                said[field.name] = draw(FIELDS[field.name])
        sent.append(kind(**said))
    return sent


def answer(batches):
    heard = list(batches)
    return [
        sorted(repr(sorted(row.items())) for batch in heard for row in getattr(batch, kind).to_dicts())
        for kind in ("findings", "settlements", "rounds")
    ]


def in_seq_order(log: pl.DataFrame) -> pl.DataFrame:
    return log.sort("seq", maintain_order=True)


@settings(max_examples=400 if SOAK else 25, deadline=None, suppress_health_check=SLOW, derandomize=not SOAK)
@given(logs(), st.integers(0, 70), st.integers(0, 70))
def test_any_events_are_answered_and_the_same_in_three_parts(sent, one_cut, other_cut):
    log = in_seq_order(frame.from_events(sent))
    whole = audit(facts.none(), log, final=True)
    first, second = sorted((one_cut, other_cut))
    seq = pl.col("seq")
    parts = [log.filter(seq <= first), log.filter(seq > first, seq <= second), log.filter(seq > second)]
    assert answer(audits(parts)) == answer([whole])
    underived = whole.settlements.filter(pl.col("owed").is_null())
    assert underived["reason"].null_count() == 0
    derived = whole.settlements.filter(pl.col("owed").is_not_null())
    assert derived["clause"].null_count() == 0
    assert derived["reason"].null_count() == derived.height


CHANGES = {
    "another seq": {"seq": pl.col("seq") + 1},
    "another amount": {"amount": pl.col("amount") * 7 + 3},
    "an unread card": {"card": pl.lit("??", frame.SCHEMA["card"])},
    "another round": {"round": pl.col("round") + 1},
    "another seat": {"seat": pl.col("seat") + 1},
    "a void": {"type": pl.lit("round_voided", frame.SCHEMA["type"]), "reason": pl.lit("none"), "by": pl.lit("s")},
}
MANGLES = ("dropped", "repeated", *CHANGES)


def mangled(log: pl.DataFrame, how: str, place: int) -> pl.DataFrame:
    row = log.slice(place % log.height, 1)
    if how == "repeated":
        return pl.concat([log, row])
    rest = pl.concat([log.head(place % log.height), log.slice(place % log.height + 1)])
    return rest if how == "dropped" else pl.concat([rest, row.with_columns(**CHANGES[how])])


@settings(max_examples=300 if SOAK else 20, deadline=None, suppress_health_check=SLOW, derandomize=not SOAK)
@given(
    st.lists(st.tuples(st.sampled_from(MANGLES), st.integers(0, 10_000)), min_size=1, max_size=6),
    st.floats(0.1, 0.9),
)
def test_a_mangled_shift_is_answered_and_the_same_in_two_halves(events_of, mangles, cut):
    log = events_of(tables=2, rounds=8, seed=21)
    for how, place in mangles:
        log = mangled(log, how, place)
    log = in_seq_order(log)
    bound = int(log["seq"].max() * cut)
    whole = audit(facts.none(), log, final=True)
    halves = audits([log.filter(pl.col("seq") <= bound), log.filter(pl.col("seq") > bound)])
    assert answer(halves) == answer([whole])
