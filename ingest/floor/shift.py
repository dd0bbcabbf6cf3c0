"""The floor through the hours: every table's rounds planned, settled in bulk, stamped and told in the order of time."""

import gc
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import accumulate, pairwise
from random import Random
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

from ingest.floor import (
    feed,
    heads_up_holdem,
    misordered,
    mispaid,
    settling,
    spanish_21,
    three_card_draw_poker,
    three_card_poker,
)
from ingest.floor.felt import Fact, Label, Play, Round, Stretch, Wrong
from ingest.floor.spanish_21.table import ShoeTable
from ingest.floor.table import SECOND, Table

GAMES: Final[dict[str, Play]] = {
    play.law.name: play
    for play in (three_card_poker.PLAY, three_card_draw_poker.PLAY, heads_up_holdem.PLAY, spanish_21.PLAY)
}
START: Final = datetime(2026, 1, 5, 16, tzinfo=UTC)
BLOCK: Final = 2_000
ROUND: Final = 55 * SECOND
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_ENCODER: Final = msgspec.json.Encoder(order="sorted")
SOURCES: Final = {
    "card_dealt": "shoe",
    "card_found_face_up": "shoe",
    "wager_placed": "felt",
    "wager_changed": "felt",
    "wager_settled": "felt",
    "deck_shuffled": "shuffler",
    "stub_counted": "panel",
    "round_voided": "panel",
    "settlement_corrected": "panel",
    "decision_made": "camera-2",
}


@dataclass(frozen=True, slots=True)
class Shift:
    """A stretch of the floor's time: events as canonical lines in the order they were seen, and the wrongs planted."""

    lines: list[bytes]
    labels: list[Label]


def simulate(
    tables: int,
    rounds: int,
    seed: int,
    faults: float = 0.0,
    *,
    game: str | None = None,
    start: datetime = START,
    only: Collection[str] = (),
) -> Iterator[Shift]:
    """`tables` tables that deal `rounds` rounds each; a share `faults` of the rounds has one wrong planted in it, of the codes in
    `only` where any are named and the round gives the chance.

    The same arguments always give the same bytes. Memory holds about BLOCK rounds, however long the floor is open.
    """
    if game is not None and game not in GAMES:
        raise ValueError(f"no floor for the game {game!r}; there is one for {', '.join(GAMES)}")
    if not 0 <= faults <= 1:
        raise ValueError(f"faults is the share of rounds with a wrong in it, 0 to 1, not {faults}")
    plays = list(GAMES.values()) if game is None else [GAMES[game]]
    opens = (start - _EPOCH) // timedelta(microseconds=1)
    floor = []
    for index in range(tables):
        play, nth = plays[index % len(plays)], index // len(plays)
        table = ShoeTable if play is spanish_21.PLAY else Table
        floor.append(table(seed, index, play, nth=nth, rounds=rounds, start=opens, wrongs=faults, only=only))
    return _shifts(floor, opens)


def _shifts(floor: list[Table], opens: int) -> Iterator[Shift]:
    horizon = opens
    waiting = _Told([], [])
    labels: list[Label] = []
    while open_tables := [table for table in floor if table.number < table.rounds]:
        horizon += max(ROUND, BLOCK * ROUND // len(open_tables))
        with _no_collection():
            dealt = [(table, list(table.until(horizon))) for table in open_tables]
            for play in GAMES.values():
                _settle(play, [(table, rounds) for table, rounds in dealt if table.play is play])
            for table, rounds in dealt:
                told = _told(table, rounds, labels)
                waiting.moments += told.moments
                waiting.lines += told.lines
            del dealt
        shift, waiting = waiting.parted(horizon)
        if shift.lines:
            yield Shift(shift.lines, labels)
            labels = []
    if waiting.lines:
        yield Shift(waiting.lines, labels)


@dataclass(slots=True)
class _Told:
    """Lines and, beside them, when they were seen."""

    moments: list[int]
    lines: list[bytes]

    def parted(self, horizon: int) -> tuple["_Told", "_Told"]:
        """In the order of time: what was seen before the horizon, and the rest."""
        # Stable: events of one table are already in the order of their seq.
        order = np.argsort(np.array(self.moments, np.int64), kind="stable").tolist()
        moments = [self.moments[at] for at in order]
        lines = [self.lines[at] for at in order]
        over = bisect_left(moments, horizon)
        return _Told(moments[:over], lines[:over]), _Told(moments[over:], lines[over:])


@contextmanager
def _no_collection() -> Iterator[None]:
    """A block is some hundred thousand small dicts and no cycle; looking for cycles in it took a third of the time."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _settle(play: Play, dealt: Sequence[tuple[Table, list[Round]]]) -> None:
    """What is owed, from the rules, in one frame; then the chips move."""
    hands = [(round, table.settling) for table, rounds in dealt for round in rounds]
    play.owed([round for round, _ in hands if not round.voided])
    if play.misread:
        play.misread([round for round, _ in hands])
    else:
        feed.unread([round for round, _ in hands if round.planned == "FEED06"], play.owed)
        feed.unread_in_vain([round for round, _ in hands if round.blurred], play.owed)
    for round, rng in hands:
        _settled(round, rng)
        if play.at_once:
            play.at_once(round, rng)


def _settled(round: Round, rng: Random) -> None:
    money = settling.honest(round, rng)
    planned = round.planned or ""
    if planned == "PROC03" and (paid := misordered.paid_out_of_order(round, money, rng)):
        round.wrong, round.settling = paid
        return
    if planned == "PROC03" or planned.startswith("PAY") or (planned == "FEED06" and round.wrong is None):
        round.wrong, round.settling = mispaid.plant(planned, round, money, rng)
    elif round.wrong is None and not round.voided and rng.random() < settling.CORRECTED:
        round.settling = settling.put_right(round, money, rng)
    else:
        round.settling = [settlement.fact for settlement in money]


def _told(table: Table, rounds: list[Round], labels: list[Label]) -> _Told:
    """The rounds and what went between them, stamped with table, seq and time; their labels are added to `labels`."""
    if not rounds:
        return _Told([], [])
    units = [(*round.before, Stretch(round.starts, round.ends, _facts(round)), *round.after) for round in rounds]
    stretches = [stretch for unit in units for stretch in unit]
    facts = [fact for stretch in stretches for fact in stretch.facts]
    moments = _moments(stretches, table)
    sources = SOURCES if table.habits.sources else {}
    for seq, (fact, at) in enumerate(zip(facts, _texts(moments), strict=True), table.seq + 1):
        fact["table"] = table.name
        fact["seq"] = seq
        fact["at"] = at
        if sources and fact["type"] in sources:
            fact["source"] = sources[fact["type"]]
    table.seq += len(facts)
    told = _Told(moments.tolist(), _ENCODER.encode_lines(facts).splitlines())
    starts = accumulate((sum(len(stretch.facts) for stretch in unit) for unit in units), initial=0)
    spans = list(zip(rounds, pairwise(starts), strict=True))
    # From the last round backwards, so that a fact lost or doubled shifts no place that is still to be looked up.
    labelled = [_labelled(table, round, facts[start:stop], told, start) for round, (start, stop) in reversed(spans)]
    labels += [label for label in reversed(labelled) if label is not None]
    return told


def _facts(round: Round) -> list[Fact]:
    facts = round.facts()
    if round.planned == "FEED04":
        round.wrong = Wrong("FEED04")
        return feed.broken_off(round, facts)
    return facts


def _labelled(table: Table, round: Round, facts: list[Fact], told: _Told, start: int) -> Label | None:
    """The label of the round's wrong, which is planted now if it is one of the feed."""
    number: int | None = round.number
    if round.planned == "FEED01":
        gap, number = feed.lost(round, facts)
        lost = slice(start + gap.start, start + gap.stop)
        del told.moments[lost], told.lines[lost]
        round.wrong = Wrong("FEED01")
    elif round.planned == "FEED02":
        at, other, came_first = feed.contradicted(round, facts)
        place = start + at if came_first else start + at + 1
        told.moments.insert(place, told.moments[start + at])
        told.lines.insert(place, _ENCODER.encode(other))
        round.wrong = Wrong("FEED02")
    elif round.planned == "FEED03":
        number = feed.set_back(round, facts)
        for place, fact in enumerate(facts):
            told.lines[start + place] = _ENCODER.encode(fact)
        round.wrong = Wrong("FEED03")
    wrong = round.wrong
    if wrong is None:
        return None
    number = None if wrong.of_no_round or number is None else number - wrong.rounds_ago
    amount = sum(bet.owed for bet in round.bets) if wrong.amount is None else wrong.amount
    return Label(wrong.code, table.name, number, wrong.seat, wrong.wager, amount)


def _moments(stretches: list[Stretch], table: Table) -> npt.NDArray[np.int64]:
    """When each fact was seen, in microseconds since 1970: spread over its stretch, as finely as the table's clock tells."""
    sizes = np.array([len(stretch.facts) for stretch in stretches])
    starts = np.array([stretch.starts for stretch in stretches])
    lengths = np.array([stretch.ends - stretch.starts for stretch in stretches])
    place = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    share = (place + table.ticks.random(len(place))) / np.repeat(sizes, sizes)
    moments: npt.NDArray[np.int64] = np.repeat(starts, sizes) + (share * np.repeat(lengths, sizes)).astype(np.int64)
    return moments - moments % table.habits.precision


def _texts(moments: npt.NDArray[np.int64]) -> list[str]:
    """Canonical times: six digits of a second, or none at all."""
    texts: list[str] = np.datetime_as_string(moments.view("datetime64[us]"), unit="us").tolist()
    return [text.removesuffix(".000000") + "Z" for text in texts]
