"""What detectors look at: a derivation's frames, lazily, so that all that the catalogue asks of a batch runs as one."""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from replay import rounds
from replay.derivation import Derivation
from replay.frames import collected
from replay.rounds import Openings


@dataclass(frozen=True, slots=True)
class Evidence:
    """The frames of a Derivation by the same names. `inside` are the facts that belong to a round, `decisions` those of them
    that say what a player chose."""

    rounds: pl.LazyFrame
    wagers: pl.LazyFrame
    seats: pl.LazyFrame
    hands: Mapping[str, pl.LazyFrame]
    cards: pl.LazyFrame
    decisions: pl.LazyFrame
    facts: pl.LazyFrame
    inside: pl.LazyFrame
    all_rounds: pl.LazyFrame
    openings: Openings
    miscounts: pl.LazyFrame
    decks: pl.LazyFrame
    out_of_shoes: pl.LazyFrame
    absent: pl.LazyFrame
    final: bool


def _decisions(derivation: Derivation) -> pl.LazyFrame:
    made = rounds.inside(derivation.facts.lazy()).filter(pl.col("type") == "decision_made")
    return collected(made.select("rid", "seq", "seat", "hand", "choice", "player")).lazy()


def of(derivation: Derivation) -> Evidence:
    facts = derivation.facts.lazy()
    return Evidence(
        rounds=derivation.rounds.lazy(),
        wagers=derivation.wagers.lazy(),
        seats=derivation.seats.lazy(),
        hands={game: seats.lazy() for game, seats in derivation.hands.items()},
        cards=derivation.cards.lazy(),
        decisions=_decisions(derivation),
        facts=facts,
        inside=rounds.inside(facts),
        all_rounds=derivation.all_rounds.lazy(),
        openings=derivation.openings,
        miscounts=derivation.miscounts.lazy(),
        decks=derivation.decks.lazy(),
        out_of_shoes=derivation.out_of_shoes.lazy(),
        absent=derivation.absent.lazy(),
        final=derivation.final,
    )
