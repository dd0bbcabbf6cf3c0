"""The audit: events in, settlements, findings and rounds out, for a micro-batch and for a year alike."""

import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Final

import polars as pl

from detectors.catalogue import findings
from replay import facts
from replay.derivation import Derivation, derive

CORES: Final = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
# Below this, what a query costs to start is more than what cutting saves.
WORTH_CUTTING: Final = 100_000
_MOMENT: Final = pl.Datetime("us", "UTC")
SETTLEMENTS: Final[dict[str, pl.DataType]] = {
    "table": pl.String(),
    "round": pl.Int64(),
    "seat": pl.Int16(),
    "hand": pl.Int16(),
    "player": pl.String(),
    "wager": pl.String(),
    "stake": pl.Int64(),
    "owed": pl.Int64(),
    "paid": pl.Int64(),
    "clause": pl.String(),
    "reason": pl.String(),
}
ROUNDS: Final[dict[str, pl.DataType]] = {
    "table": pl.String(),
    "round": pl.Int64(),
    "game": pl.String(),
    "edition": pl.String(),
    "dealer": pl.String(),
    "deck": pl.String(),
    "first_seq": pl.Int64(),
    "last_seq": pl.Int64(),
    "began_at": _MOMENT,
    "ended_at": _MOMENT,
    "voided": pl.Boolean(),
    "incident": pl.String(),
    "wagers": pl.Int64(),
    "derived": pl.Int64(),
    "handle": pl.Int64(),
    "reason": pl.String(),
}


@dataclass(frozen=True, slots=True)
class Audited:
    """What one batch of events decided, and the facts to carry into the next."""

    findings: pl.DataFrame
    settlements: pl.DataFrame
    rounds: pl.DataFrame
    carry: pl.DataFrame
    events: int  # distinct ones: a repeat is not counted, a second content for a seq is


def audit(carry: pl.DataFrame, events: pl.DataFrame, final: bool) -> Audited:
    """`final`: nothing follows these events, so an open round is reported as unfinished."""
    return told(derive(carry, events, final))


def told(derivation: Derivation) -> Audited:
    """What a derivation comes to, with all that the catalogue has to say of it."""
    no_rounds = derivation.rounds.filter("after_its_end")["rid"].implode()
    return Audited(
        findings=findings(derivation),
        settlements=derivation.wagers.filter(~pl.col("rid").is_in(no_rounds)).select(*SETTLEMENTS),
        rounds=_rounds(derivation),
        carry=derivation.carry,
        events=int(derivation.facts.filter(~pl.col("carried"))["versions"].sum()),
    )


def audits(pieces: Iterable[pl.DataFrame]) -> Iterator[Audited]:
    """A long log in pieces that ascend in every table; the last piece closes what is still open."""
    carry = facts.none()
    with ThreadPoolExecutor(CORES) as threads:
        for piece, last in with_last(pieces):
            audited = _side_by_side(threads, carry, piece, final=last)
            carry = audited.carry
            yield audited
            del audited  # before the next one is made: two at once would be twice the memory


def derivations(pieces: Iterable[pl.DataFrame]) -> Iterator[Derivation]:
    """The same, as far as what was owed; nothing is found in it yet."""
    carry = facts.none()
    for piece, last in with_last(pieces):
        derivation = derive(carry, piece, final=last)
        carry = derivation.carry
        yield derivation
        del derivation


def with_last(pieces: Iterable[pl.DataFrame]) -> Iterator[tuple[pl.DataFrame, bool]]:
    waiting: pl.DataFrame | None = None
    for piece in pieces:
        if waiting is not None:
            yield waiting, False
        waiting = piece
    if waiting is not None:
        yield waiting, True


def _side_by_side(threads: ThreadPoolExecutor, carry: pl.DataFrame, events: pl.DataFrame, final: bool) -> Audited:
    """Tables have nothing to do with each other: as many at a time as there are cores, in the order of one audit of them all."""
    parts = apart(carry, events, CORES)
    if len(parts) == 1:
        return audit(carry, events, final)
    return joined(list(threads.map(lambda part: audit(part[0], part[1], final), parts)))


def joined(apart: list[Audited]) -> Audited:
    """What shares came to that were cut between tables, in the order of one audit of them all."""
    return Audited(
        **{
            name: pl.concat([getattr(each, name) for each in apart])
            for name in ("findings", "settlements", "rounds", "carry")
        },
        events=sum(each.events for each in apart),
    )


def apart(carry: pl.DataFrame, events: pl.DataFrame, shares: int) -> list[tuple[pl.DataFrame, pl.DataFrame]]:
    """Carry and events cut between tables into so many parts of about the same size."""
    if shares == 1 or events.height < WORTH_CUTTING:
        return [(carry, events)]
    tables = events.group_by("table").len().sort("table")
    share = tables["len"].cum_sum() * shares // (events.height + 1)
    lasts = tables.group_by(share=share, maintain_order=True).agg(pl.col("table").last())["table"].to_list()
    parts, after = [], None
    for last in [*lasts[:-1], None]:
        mine = pl.lit(True)
        if after is not None:
            mine &= pl.col("table") > after
        if last is not None:
            mine &= pl.col("table") <= last
        parts.append((carry.filter(mine), events.filter(mine)))
        after = last
    return parts


def _rounds(derivation: Derivation) -> pl.DataFrame:
    """One row a decided round: who dealt it, what was at stake, how much of it could be derived, and why not all of it."""
    wagers = derivation.wagers.group_by("rid").agg(
        wagers=pl.len().cast(pl.Int64),
        derived=pl.col("owed").is_not_null().sum().cast(pl.Int64),
        handle=pl.col("stake").sum(),
        unseen=pl.col("reason").first(ignore_nulls=True),
    )
    incident = (
        pl.when(pl.col("voided") & pl.col("cause").is_not_null())
        .then(pl.col("cause"))
        .when(pl.col("voided"))
        .then(pl.coalesce("void_reason", pl.lit("declared void")))
        .when(pl.col("face_up_cards") == 1)
        .then(pl.lit("one card found face up"))
        .when(pl.col("tens_found") == 1)
        .then(pl.lit("one 10 found in the shoe"))
    )
    return (
        derivation.rounds.filter(~pl.col("after_its_end"))
        .join(wagers, on="rid", how="left", maintain_order="left")
        .with_columns(
            pl.col("wagers", "derived", "handle").fill_null(0),
            dealer="dealer_now",
            began_at="first_at",
            ended_at="last_at",
            incident=incident,
            reason=pl.coalesce("reason", "unseen"),
        )
        .select(pl.col(name).cast(dtype) for name, dtype in ROUNDS.items())
    )


@dataclass(slots=True)
class Summary:
    """The audit in figures, added up batch by batch."""

    events: int = 0
    dead_letters: int = 0
    rounds: int = 0
    wagers: int = 0
    derived: int = 0
    amount: int = 0
    findings: dict[str, int] = field(default_factory=dict)

    def add(self, audited: Audited) -> None:
        self.events += audited.events
        self.rounds += audited.rounds.height
        self.wagers += audited.settlements.height
        self.derived += audited.settlements["owed"].count()
        self.amount += int(audited.findings["amount"].sum())
        for code, count in audited.findings.group_by("code").len().sort("code").iter_rows():
            self.findings[code] = self.findings.get(code, 0) + count
