"""Honest periods by the thousand: rounds of the simulated floor whose labels are drawn again as chance would have drawn them.

A floor is dealt and derived once. What a test asks is then made chance's doing: its errors and voids fall on other rounds, its
cards become other cards, the dealer is dealt other hands. Everything else stays as it was dealt: who sat where, who dealt how
long, who plays how. So a period costs a few milliseconds, and whatever is alarming in it is chance.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl

from detectors.audit import derivations
from detectors.statistics.cards import cards_out, dealt_cards
from detectors.statistics.choices import CHOICES, made_in_the_dark, of_hold_em, of_three_cards
from detectors.statistics.period import (
    MOST_WAGERS,
    Period,
    added,
    by_dealer,
    by_pair,
    by_supervisor,
    corrections,
    derived,
    of_frames,
    payout_errors,
    settled,
)
from ingest import floor
from ingest.frame import from_contents
from rules import cards, heads_up_holdem, three_card_poker

TABLES: Final = 12
ROUNDS: Final = 250
# What a crew gets wrong, whoever is on duty: in so many of the rounds.
ERRING: Final = 0.12
ERRORS: Final = ("PAY01", "PAY02", "PAY03", "PAY04", "PAY09", "VOID02")
SUPERVISORS: Final = 9
WATCH: Final = 50  # rounds of a table that stand for a third of a day

Draw = np.random.Generator
Frames = Mapping[str, pl.DataFrame]
_SEEN: Final = {
    three_card_poker.NAME: (three_card_poker.PLAYER, three_card_poker.DEALER, ()),
    heads_up_holdem.NAME: (heads_up_holdem.PLAYER, heads_up_holdem.DEALER, heads_up_holdem.COMMUNITY),
}
_ASKED: Final = {three_card_poker.NAME: of_three_cards, heads_up_holdem.NAME: of_hold_em}


@dataclass(frozen=True, slots=True)
class Pool:
    """Rounds as they were dealt. `rounds` has the strata of the tests beside each: `wagers`, and `block`."""

    rounds: pl.DataFrame
    wagers: pl.DataFrame
    errors: pl.DataFrame
    corrected: pl.DataFrame
    cards: pl.DataFrame
    decided: Mapping[str, pl.DataFrame]


def dealt(seed: int, tables: int = TABLES, rounds: int = ROUNDS) -> Pool:
    """A floor on which everybody errs alike."""
    lines = [line for shift in floor.simulate(tables, rounds, seed, ERRING, only=ERRORS) for line in shift.lines]
    [derivation] = derivations([from_contents(lines)])
    wagers = settled(derivation)
    to_settle = wagers.group_by("rid").agg(wagers=pl.len().clip(upper_bound=MOST_WAGERS))
    thirds = pl.duration(hours=8 * (pl.int_range(pl.len()).over("table") // WATCH))
    return Pool(
        rounds=derived(derivation)
        .join(to_settle, on="rid", how="left")
        .with_columns(pl.col("wagers").fill_null(0))
        .sort("rid")
        .with_columns(block=pl.lit(datetime(2026, 1, 5, tzinfo=UTC), pl.Datetime("us", "UTC")) + thirds),
        wagers=wagers.sort("rid", "player", nulls_last=True),
        errors=payout_errors(derivation).sort("rid", "player", "amount", nulls_last=True),
        corrected=corrections(derivation).sort("rid"),
        cards=cards_out(derivation).sort("rid", "place"),
        decided={
            game: decided.sort("rid", "seat", "hand", "place")
            for game in _SEEN
            if (decided := made_in_the_dark(derivation, game)) is not None
        },
    )


def exchanged(rows: pl.DataFrame, within: Sequence[str], what: Sequence[str], draw: Draw) -> pl.DataFrame:
    """Each row's `what` beside that of another row of its stratum, drawn blindly: as `other_…`."""
    keyed = rows.with_columns(pl.Series("drawn", draw.random(rows.height)))
    others = keyed.sort(*within, "drawn").select(pl.col(name).alias(f"other_{name}") for name in what)
    return pl.concat([rows.sort(*within, maintain_order=True).select(*what), others], how="horizontal")


def errors_of_dealers(pool: Pool, draw: Draw) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Errors and corrections on other rounds of the game with as many wagers."""
    other = exchanged(pool.rounds, ["game", "wagers"], ["rid"], draw)
    moved = (
        each.join(other, on="rid", how="inner", maintain_order="left").drop("rid").rename({"other_rid": "rid"})
        for each in (pool.errors, pool.corrected)
    )
    errors, corrected = moved
    return errors, corrected


def favours_of_dealers(pool: Pool, draw: Draw) -> pl.DataFrame:
    """Errors at other players' rounds with the dealer, of the game and as many wagers of the player's."""
    rows = played(pool)
    other = exchanged(rows, ["dealer", "game", "wagers"], ["rid", "player"], draw)
    return (
        pool.errors.filter(pl.col("player").is_not_null())
        .join(other, on=["rid", "player"], how="inner", maintain_order="left")
        .select(rid="other_rid", player="other_player", amount="amount")
    )


def played(pool: Pool) -> pl.DataFrame:
    return (
        pool.wagers.filter(pl.col("player").is_not_null())
        .group_by("rid", "player", maintain_order=True)
        .agg(wagers=pl.len().clip(upper_bound=MOST_WAGERS))
        .join(pool.rounds.select("rid", "dealer", "game"), on="rid", how="inner", maintain_order="left")
        .filter(pl.col("dealer").is_not_null())
    )


def voids(pool: Pool, draw: Draw) -> pl.DataFrame:
    """Voids on other rounds of the game, declared by whoever is on duty there: one for a third of a day, now and then
    relieved in it."""
    other = exchanged(pool.rounds.select("rid", "game", "voided", "cause"), ["game"], ["rid", "voided", "cause"], draw)
    falls = other.select("rid", voided="other_voided", cause="other_cause")
    watches = pool.rounds.select("table", "block").unique(maintain_order=True)
    on_duty = watches.with_columns(
        first=pl.Series(draw.integers(0, SUPERVISORS, watches.height)),
        second=pl.Series(draw.integers(0, SUPERVISORS, watches.height)),
        relieved=pl.Series(np.where(draw.random(watches.height) < 0.4, draw.integers(0, WATCH, watches.height), WATCH)),
    )
    return (
        pool.rounds.drop("voided", "cause", "voided_by")
        .join(falls, on="rid", how="left", maintain_order="left")
        .join(on_duty, on=["table", "block"], how="left", maintain_order="left")
        .with_columns(place=pl.int_range(pl.len()).over("table", "block"))
        .with_columns(
            duty=pl.format("s-{}", pl.when(pl.col("place") < pl.col("relieved")).then("first").otherwise("second"))
        )
        .with_columns(voided_by=pl.when("voided").then("duty"))
    )


def other_cards(pool: Pool, draw: Draw) -> pl.DataFrame:
    """Every round's cards are as many others, as though the deck had been shuffled otherwise."""
    at = pool.cards["rid"].rank("dense").to_numpy().astype(np.int64) - 1
    codes = pool.cards.select(cards.code(pl.col("card")))["card"].to_numpy()
    decks = draw.permuted(np.tile(np.arange(52), (int(at.max(initial=-1)) + 1, 1)), axis=1)
    return pool.cards.with_columns(card=_cards(decks[at, codes]))


def other_dealers_hands(pool: Pool, draw: Draw) -> dict[str, pl.DataFrame]:
    """The decisions as they were made, against a dealer who is dealt his cards again out of what nobody held."""
    found = {}
    for game, decided in pool.decided.items():
        players, dealer, board = _SEEN[game]
        held = decided.unpivot([*players, *board], index="rid", value_name="card").select(
            "rid", code=cards.code(pl.col("card"))
        )
        rids = decided.select(pl.col("rid").unique(maintain_order=True))
        keys = draw.random((rids.height, 52))
        at = held.join(rids.with_row_index("at"), on="rid", how="left", maintain_order="left")["at"].to_numpy()
        keys[at, held["code"].to_numpy()] = 2.0
        drawn = np.argsort(keys, axis=1)[:, : len(dealer)]
        again = rids.with_columns(_cards(drawn[:, place]).alias(name) for place, name in enumerate(dealer))
        found[game] = decided.drop(dealer).join(again, on="rid", how="left", maintain_order="left")
    return found


def _cards(codes: npt.NDArray[np.int64]) -> pl.Series:
    return pl.Series(codes.astype(np.uint8)).replace_strict(dict(enumerate(cards.DECK)), return_dtype=cards.CARD)


def choices(decided: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    told = pl.concat([_ASKED[game](rows) for game, rows in decided.items()])
    return told.group_by(*CHOICES).agg(rounds=pl.len().cast(pl.Int64))


def frames_of(code: str, pool: Pool, draw: Draw) -> Frames:
    """What the test of this code asks for, of a period in which nothing but chance had a hand in it."""
    if code == "STAT01":
        return by_dealer(pool.rounds.drop("wagers"), pool.wagers, *errors_of_dealers(pool, draw))
    if code in ("STAT02", "STAT03"):
        return by_pair(pool.rounds.drop("wagers"), pool.wagers, favours_of_dealers(pool, draw))
    if code == "STAT04":
        return by_supervisor(voids(pool, draw))
    if code == "STAT05":
        return dealt_cards(other_cards(pool, draw))
    return {"choices": choices(other_dealers_hands(pool, draw))}


def period(code: str, pool: Pool, draw: Draw) -> Period:
    return added([of_frames(frames_of(code, pool, draw))])
