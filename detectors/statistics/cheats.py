"""Honest periods with one person in them who does what a test looks for, to see how much of it the test hears."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

import polars as pl

from detectors.statistics import honest
from detectors.statistics.cards import dealt_cards
from detectors.statistics.choices import CHOICES, of_three_cards
from detectors.statistics.honest import Draw, Frames, Pool
from detectors.statistics.period import added, by_dealer, by_pair, by_supervisor, of_frames
from detectors.statistics.verdict import Test
from rules import three_card_poker

EXTRA: Final = 2_500
FREE: Final = (500, 1_000, 1_500, 2_000, 2_500, 5_000)  # what a favour comes to where it is not always the same
LONG: Final = 100  # rounds that somebody has to be there for


@dataclass(frozen=True, slots=True)
class Planted:
    """The figures of the period, and what an alarm says of whoever did it."""

    frames: Frames
    dealer: str | None = None
    player: str | None = None
    table: str | None = None
    words: str = ""

    def is_told(self, alarms: pl.DataFrame) -> bool:
        said = pl.lit(True)
        for name in ("dealer", "player", "table"):
            who = getattr(self, name)
            if who is not None:
                said &= (pl.col(name) == who).fill_null(False)
        return not alarms.filter(said & pl.col("message").str.contains(self.words, literal=True)).is_empty()


@dataclass(frozen=True, slots=True)
class Cheat:
    code: str
    does: str
    plants: Callable[[Pool, Draw], Planted]

    def is_told(self, pool: Pool, draw: Draw, says: Test, alpha: float) -> bool:
        planted = self.plants(pool, draw)
        return planted.is_told(says(added([of_frames(planted.frames)]), alpha).alarms)


def _one(rows: pl.DataFrame, draw: Draw) -> tuple[object, ...]:
    return rows.row(int(draw.integers(0, rows.height)))


def _some(rows: pl.DataFrame, share: float, draw: Draw) -> pl.DataFrame:
    return rows.filter(pl.Series(draw.random(rows.height) < share))


def erring(times: int, pool: Pool, draw: Draw) -> Planted:
    errors, corrected = honest.errors_of_dealers(pool, draw)
    rate = errors["rid"].n_unique() / pool.rounds.height
    busy = pool.rounds.drop_nulls("dealer").group_by("dealer").len().filter(pl.col("len") >= LONG).sort("dealer")
    dealer = str(_one(busy, draw)[0])
    his = pool.rounds.filter((pl.col("dealer") == dealer) & ~pl.col("rid").is_in(errors["rid"].implode()))
    extra = _some(his, rate * (times - 1), draw).select(
        "rid", player=pl.lit(None, pl.String), amount=pl.lit(EXTRA, errors.schema["amount"])
    )
    frames = by_dealer(
        pool.rounds.drop("wagers"), pool.wagers, pl.concat([errors, extra], how="diagonal_relaxed"), corrected
    )
    return Planted(frames, dealer=dealer)


def favouring(share: float, sums: tuple[int, ...], pool: Pool, draw: Draw) -> Planted:
    """One who has sat with several dealers, for some rounds with this one."""
    errors = honest.favours_of_dealers(pool, draw)
    played = honest.played(pool)
    pairs = (
        played.group_by("dealer", "player")
        .len()
        .filter((pl.len().over("player") > 1) & pl.col("len").is_between(LONG // 5, LONG // 2))
        .sort("dealer", "player")
    )
    dealer, player = map(str, _one(pairs, draw)[:2])
    given = _some(played.filter((pl.col("dealer") == dealer) & (pl.col("player") == player)), share, draw)
    amounts = pl.Series(draw.choice(sums, given.height), dtype=errors.schema["amount"])
    extra = given.select("rid", "player", amount=amounts)
    frames = by_pair(pool.rounds.drop("wagers"), pool.wagers, pl.concat([errors, extra], how="diagonal_relaxed"))
    return Planted(frames, dealer=dealer, player=player)


def voiding(share: float, pool: Pool, draw: Draw) -> Planted:
    rounds = honest.voids(pool, draw)
    supervisor = str(_one(rounds.group_by("duty").len().filter(pl.col("len") >= LONG).sort("duty"), draw)[0])
    his = _some(rounds.filter(pl.col("duty") == supervisor), share, draw)["rid"]
    taken = pl.col("rid").is_in(his.implode())
    lying = rounds.with_columns(
        voided=pl.col("voided") | taken, voided_by=pl.when(taken).then("duty").otherwise("voided_by")
    )
    return Planted(by_supervisor(lying), words=f"Supervisor {supervisor} ")


def holding_out(pool: Pool, draw: Draw) -> Planted:
    """One card never comes from a deck."""
    out = honest.other_cards(pool, draw)
    decks = out.group_by("table", "deck").agg(rounds=pl.col("rid").n_unique()).sort("rounds", "table", "deck")
    table, deck = map(str, _one(decks.filter(pl.col("rounds") >= LONG), draw)[:2])
    card = out["card"][int(draw.integers(0, out.height))]
    lying = out.filter(~((pl.col("table") == table) & (pl.col("deck") == deck) & (pl.col("card") == card)))
    return Planted(dealt_cards(lying), table=table, words=f"the {card} came from deck {deck}")


def bringing(share: float, pool: Pool, draw: Draw) -> Planted:
    """In some rounds of a table the ace of spades is the first card, and what was the first lies where it was."""
    out = honest.other_cards(pool, draw)
    tables = out.filter(pl.col("method").is_not_null()).select("table").unique().sort("table")
    table = str(_one(tables, draw)[0])
    rids = _some(out.filter(pl.col("table") == table).select("rid").unique(maintain_order=True), share, draw)["rid"]
    first = pl.col("card").filter(pl.col("place") == 1).first().over("rid")
    ace = pl.lit("AS", out.schema["card"])
    lying = out.with_columns(
        card=pl.when(pl.col("rid").is_in(rids.implode()) & first.is_not_null())
        .then(pl.when(pl.col("place") == 1).then(ace).when(pl.col("card") == ace).then(first).otherwise("card"))
        .otherwise("card")
    )
    return Planted(dealt_cards(lying), table=table, words="the AS came as card 1 ")


def peeking(share: float, pool: Pool, draw: Draw) -> Planted:
    """A player of Three Card Poker sees the dealer's first card in some rounds, and plays by it."""
    decided = honest.other_dealers_hands(pool, draw)
    told = of_three_cards(decided[three_card_poker.NAME])
    regulars = told.filter(pl.col("card") == 1).group_by("player").len().filter(pl.col("len") >= LONG // 2)
    player = str(_one(regulars.sort("player"), draw)[0])
    sees = (pl.col("player") == player) & (pl.col("card") == 1) & pl.Series(draw.random(told.height) < share)
    lying = told.with_columns(stayed=pl.when(sees).then("told_to").otherwise("stayed"))
    frames = {"choices": lying.group_by(*CHOICES).agg(rounds=pl.len().cast(pl.Int64))}
    return Planted(frames, player=player, words="the dealer's card 1,")


CHEATS: Final = (
    Cheat("STAT01", "a dealer errs three times as often as the floor", partial(erring, 3)),
    Cheat("STAT01", "a dealer errs five times as often", partial(erring, 5)),
    Cheat("STAT02", "a dealer favours a player in one of ten of their 20 to 50 rounds", partial(favouring, 0.1, FREE)),
    Cheat("STAT02", "in three of ten", partial(favouring, 0.3, FREE)),
    Cheat("STAT03", "the same $25 in two of ten of their 20 to 50 rounds", partial(favouring, 0.2, (EXTRA,))),
    Cheat("STAT03", "in five of ten", partial(favouring, 0.5, (EXTRA,))),
    Cheat("STAT04", "a supervisor voids one round of fifty for nothing", partial(voiding, 0.02)),
    Cheat("STAT04", "one of ten", partial(voiding, 0.1)),
    Cheat("STAT05", "a card is held out of a deck for 100 rounds or more", holding_out),
    Cheat("STAT05", "a card is brought to the first place in one round of ten", partial(bringing, 0.1)),
    Cheat("STAT05", "in one of five", partial(bringing, 0.2)),
    Cheat("STAT06", "a player plays by the dealer's first card in half of his rounds", partial(peeking, 0.5)),
    Cheat("STAT06", "in all of them", partial(peeking, 1.0)),
)
