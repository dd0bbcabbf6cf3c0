"""A period in figures: what the tests ask for, counted up round by round and added up piece by piece.

Each frame is a few columns that say of what, and counts. They grow with the people, the decks and the days, not with
the events, so a year is held in memory where its rounds are not.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

import polars as pl

from detectors import payouts
from detectors.evidence import of
from detectors.statistics.cards import DEALT, PLACES, SEEN, cards_out, dealt_cards
from detectors.statistics.choices import CHOICES, choices
from replay.derivation import Derivation
from replay.frames import all_collected
from rules.games import GAMES

Keys = tuple[str, ...]
kind = pl.col("type")

# All that can be wrong with the money.
ERRORS: Final = (
    payouts.overpaid,
    payouts.underpaid,
    payouts.loser_not_taken,
    payouts.winner_taken,
    payouts.push_moved,
    payouts.bonus_missed,
    payouts.wager_unsettled,
    payouts.paid_for_nothing,
    payouts.money_in_a_void_round,
)
# Rounds with more wagers than this are alike in how much there is to get wrong.
MOST_WAGERS: Final = 12
# A supervisor's shift is not in the feed; a third of a day stands for it.
BLOCK: Final = "8h"

_GAME: Final = pl.Enum(list(GAMES))
# Of what each frame counts, and the type of it; every other column is a count.
KEYS: Final[Mapping[str, Mapping[str, pl.DataType]]] = {
    "rounds": {"dealer": pl.String(), "game": _GAME, "wagers": pl.Int64(), "voided": pl.Boolean()},
    "costs": {"dealer": pl.String(), "band": pl.Int64()},
    "shared": {"dealer": pl.String(), "player": pl.String(), "game": _GAME, "wagers": pl.Int64()},
    "overpaid": {"dealer": pl.String(), "player": pl.String(), "amount": pl.Int64()},
    "blocks": {"table": pl.String(), "game": _GAME, "block": pl.Datetime("us", "UTC")},
    "voids": {"table": pl.String(), "game": _GAME, "block": pl.Datetime("us", "UTC"), "by": pl.String()},
    "dealt": DEALT,
    "seen": SEEN,
    "places": PLACES,
    "choices": CHOICES,
}
COUNTS: Final[Mapping[str, Keys]] = {
    "rounds": ("rounds", "errors", "corrected", "costly", "cost"),
    "costs": ("rounds",),
    "shared": ("rounds", "favoured", "gain"),
    "overpaid": ("rounds",),
    "blocks": ("rounds", "voids"),
    "voids": ("voids", "uncaused"),
    "dealt": ("rounds",),
    "seen": ("rounds",),
    "places": ("rounds",),
    "choices": ("rounds",),
}


@dataclass(frozen=True, slots=True)
class Period:
    """The figures of a period, or of one piece of it.

    `rounds` by dealer and how much there was to settle; `costs` the rounds in which the house lost by an error, in
    bands that double; `shared` the rounds that a dealer and a player had together; `overpaid` their overpayments by
    amount; `blocks` and `voids` the rounds of a table in a third of a day, and who declared how many void; `dealt`,
    `seen` and `places` the cards of decks and shufflers; `choices` what players decided beside the dealer's card that
    they could not see.
    """

    rounds: pl.DataFrame
    costs: pl.DataFrame
    shared: pl.DataFrame
    overpaid: pl.DataFrame
    blocks: pl.DataFrame
    voids: pl.DataFrame
    dealt: pl.DataFrame
    seen: pl.DataFrame
    places: pl.DataFrame
    choices: pl.DataFrame
    underived: int = 0  # rounds that add nothing, because they could not be derived
    began_at: datetime | None = None
    ended_at: datetime | None = None


def of_frames(
    frames: Mapping[str, pl.DataFrame],
    underived: int = 0,
    began_at: datetime | None = None,
    ended_at: datetime | None = None,
) -> Period:
    """The frames that are given, in their types; what is not given is empty."""
    return Period(
        **{name: _typed(frames[name], name) if name in frames else pl.DataFrame(schema=schema(name)) for name in KEYS},
        underived=underived,
        began_at=began_at,
        ended_at=ended_at,
    )


def schema(name: str) -> dict[str, pl.DataType]:
    return {**KEYS[name], **dict.fromkeys(COUNTS[name], pl.Int64())}


def _typed(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    return frame.select(pl.col(column).cast(dtype) for column, dtype in schema(name).items())


def added(parts: list[Period]) -> Period:
    """One period out of its pieces, in whatever order they come."""
    began = [part.began_at for part in parts if part.began_at is not None]
    ended = [part.ended_at for part in parts if part.ended_at is not None]
    frames = {
        name: pl.concat([getattr(part, name) for part in parts])
        .group_by(*KEYS[name])
        .agg(pl.col(*COUNTS[name]).sum())
        .sort(*KEYS[name], nulls_last=True)
        for name in KEYS
    }
    underived = sum(part.underived for part in parts)
    return of_frames(frames, underived, min(began, default=None), max(ended, default=None))


@dataclass(slots=True)
class Gathering:
    """A period under way. Pieces are added up a few at a time: adding each to all before it would sort a year again and
    again."""

    parts: list[Period] = field(default_factory=list)

    def add(self, derivation: Derivation) -> None:
        self.parts.append(counted(derivation))
        if len(self.parts) > 16:
            self.parts = [added(self.parts)]

    def period(self) -> Period:
        return added(self.parts) if self.parts else of_frames({})


def counted(derivation: Derivation) -> Period:
    """What the rounds that were decided now add to the period. Rounds that could not be derived add nothing."""
    rounds = derived(derivation)
    wagers = settled(derivation)
    errors = payout_errors(derivation)
    frames = {
        **by_dealer(rounds, wagers, errors, corrections(derivation)),
        **by_pair(rounds, wagers, errors),
        **by_supervisor(rounds.with_columns(block=pl.col("first_at").dt.truncate(BLOCK))),
        **dealt_cards(cards_out(derivation)),
        "choices": choices(derivation),
    }
    times = derivation.rounds["first_at"]
    return of_frames(frames, derivation.rounds.height - rounds.height, times.min(), times.max())  # type: ignore[arg-type]


def derived(derivation: Derivation) -> pl.DataFrame:
    return derivation.rounds.filter(pl.col("reason").is_null() & pl.col("game").is_not_null()).select(
        *("rid", "tid", "table", "game", "voided", "cause", "voided_by", "first_at"), dealer="dealer_now"
    )


def settled(derivation: Derivation) -> pl.DataFrame:
    return derivation.wagers.filter(pl.col("owed").is_not_null() & ~pl.col("bonus")).select("rid", "player")


def corrections(derivation: Derivation) -> pl.DataFrame:
    return derivation.facts.filter(kind == "settlement_corrected").select("rid").unique("rid")


def payout_errors(derivation: Derivation) -> pl.DataFrame:
    """Every payout error, with what it cost the house."""
    evidence = of(derivation)
    told = [telling for each in ERRORS for telling in each(evidence)]
    found = all_collected(*(telling.asked for telling in told))
    rows = [telling.worded(each) for telling, each in zip(told, found, strict=True)]
    return pl.concat([each.select("rid", "player", "amount") for each in rows])


def by_supervisor(rounds: pl.DataFrame) -> dict[str, pl.DataFrame]:
    return {
        "blocks": rounds.group_by(*KEYS["blocks"]).agg(rounds=pl.len(), voids=pl.col("voided").sum()),
        "voids": rounds.filter(pl.col("voided_by").is_not_null())
        .rename({"voided_by": "by"})
        .group_by(*KEYS["voids"])
        .agg(voids=pl.len(), uncaused=pl.col("cause").is_null().sum()),
    }


def by_dealer(
    rounds: pl.DataFrame, wagers: pl.DataFrame, errors: pl.DataFrame, corrected: pl.DataFrame
) -> dict[str, pl.DataFrame]:
    """One mistake may show on every wager of a round, so it is rounds that are counted."""
    each = (
        rounds.filter(pl.col("dealer").is_not_null())
        .join(wagers.group_by("rid").agg(wagers=pl.len()), on="rid", how="left")
        .join(errors.group_by("rid").agg(pl.col("amount").sum(), wrong=pl.lit(True)), on="rid", how="left")
        .join(corrected.with_columns(corrected=pl.lit(True)), on="rid", how="left")
        .with_columns(
            pl.col("wagers").fill_null(0).clip(upper_bound=MOST_WAGERS),
            pl.col("wrong", "corrected").fill_null(False),
            pl.col("amount").fill_null(0),
        )
    )
    costly = pl.col("amount") > 0
    return {
        "rounds": each.group_by(*KEYS["rounds"]).agg(
            rounds=pl.len(),
            errors=(pl.col("wrong") | pl.col("corrected")).sum(),
            corrected=pl.col("corrected").sum(),
            costly=costly.sum(),
            cost=pl.col("amount").sum(),
        ),
        "costs": each.filter(costly)
        .group_by("dealer", band=pl.col("amount").log(2).floor().cast(pl.Int64))
        .agg(rounds=pl.len()),
    }


def by_pair(rounds: pl.DataFrame, wagers: pl.DataFrame, errors: pl.DataFrame) -> dict[str, pl.DataFrame]:
    dealt = rounds.filter(pl.col("dealer").is_not_null()).select("rid", "dealer", "game")
    favours = errors.filter((pl.col("amount") > 0) & pl.col("player").is_not_null())
    played = (
        wagers.filter(pl.col("player").is_not_null())
        .group_by("rid", "player")
        .agg(wagers=pl.len().clip(upper_bound=MOST_WAGERS))
        .join(dealt, on="rid", how="inner")
        .join(favours.group_by("rid", "player").agg(gain=pl.col("amount").sum()), on=["rid", "player"], how="left")
    )
    return {
        "shared": played.group_by(*KEYS["shared"]).agg(
            rounds=pl.len(), favoured=pl.col("gain").is_not_null().sum(), gain=pl.col("gain").fill_null(0).sum()
        ),
        "overpaid": favours.unique(["rid", "player", "amount"])
        .join(played.select("rid", "player", "dealer"), on=["rid", "player"], how="inner")
        .group_by(*KEYS["overpaid"])
        .agg(rounds=pl.len()),
    }
