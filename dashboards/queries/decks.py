"""The cards of a table on a gaming day: each deck's life, its counts, which was in play when, and how often each card came."""

from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final

import polars as pl

from dashboards.queries.casework import Filter, queue
from dashboards.queries.coverage import Period
from detectors.published import Reader
from ingest.log import Log
from rules import cards
from rules.games import GAMES

# How far before the day's first round its decks may have been brought, in events.
_BEFORE: Final = 2_000
_LIFE: Final = ("deck_received", "deck_removed", "deck_shuffled", "deck_cut", "stub_counted")

kind = pl.col("type").cast(pl.String)


def table_days(reader: Reader, table: str) -> list[date]:
    """The gaming days on which a table dealt, the latest first."""
    found = reader.sql('select distinct day from current_tallies where "table" = ? order by day desc', [table])
    return found.to_series().to_list()


@dataclass(frozen=True, slots=True)
class Day:
    """A table's gaming day: all its events, and the cards that its games are played with."""

    events: pl.DataFrame
    cards: tuple[str, ...]

    @property
    def dealt(self) -> pl.DataFrame:
        """The cards that came out, each with the deck of its round."""
        started = (
            self.events.filter(kind == "round_started").select("round", of_deck="deck").unique("round", keep="first")
        )
        out = self.events.filter(kind.is_in(["card_dealt", "card_found_face_up"])).select("round", "card", "at", "seq")
        return out.join(started, on="round", how="left").with_columns(pl.col("card").cast(pl.String))


def day(reader: Reader, data: Path, table: str, on: date) -> Day | None:
    """None where the table dealt no round on that day."""
    first, last, games = reader.sql(
        f"""
        select min(first_seq), max(last_seq), list(distinct game)
        from current_rounds where day = date '{on}' and "table" = ?
        """,
        [table],
    ).row(0)
    if first is None:
        return None
    with Log.open(data) as log:
        events = log.table_events(table, max(1, first - _BEFORE), last + _BEFORE)
    began = events.filter(pl.col("seq") == first)["at"].item(0)
    # What was brought before the first round of the day belongs to it only if it came after the last round of the day before.
    earlier = events.filter((kind == "round_ended") & (pl.col("seq") < first))["seq"].max()
    ended = events.filter((kind == "round_started") & (pl.col("seq") > last))["seq"].min()
    mine = events.filter(
        (pl.col("seq") > (earlier or 0)) & (pl.col("seq") < (ended or 2**62))
        | kind.is_in(_LIFE) & (pl.col("at") < began)
    )
    return Day(mine, _played_with(games))


def _played_with(games: list[str | None]) -> tuple[str, ...]:
    """The cards that at least one of the games has: Spanish 21 is played without tens."""
    known = [GAMES[name].foreign for name in games if name in GAMES]
    foreign = frozenset.intersection(*known) if known else frozenset()
    return tuple(card for card in cards.DECK if card not in foreign)


def lives(of: Day) -> pl.DataFrame:
    """One row a deck that was in play or brought: when it came and went, its rounds, shuffles, cuts and counts, and its hours."""
    played = (
        of.events.filter(kind == "round_started")
        .group_by("deck")
        .agg(
            rounds=pl.len(),
            first_round=pl.col("round").first(),
            last_round=pl.col("round").last(),
            first_dealt=pl.col("at").min(),
            last_dealt=pl.col("at").max(),
        )
    )

    def times(name: str) -> pl.Expr:
        return (kind == name).sum().cast(pl.Int64)

    known = (
        of.events.filter(kind.is_in(_LIFE))
        .group_by("deck")
        .agg(
            back=pl.col("back").drop_nulls().last(),
            packs=pl.col("packs").drop_nulls().last(),
            received=pl.when(kind == "deck_received").then("at").max(),
            removed=pl.when(kind == "deck_removed").then("at").max(),
            why_removed=pl.when(kind == "deck_removed").then("reason").drop_nulls().last(),
            shuffles=times("deck_shuffled"),
            cuts=times("deck_cut"),
            counts=times("stub_counted"),
            last_count=pl.when(kind == "stub_counted").then("cards").drop_nulls().last(),
        )
    )
    out = of.dealt.group_by(deck="of_deck").agg(
        cards_out=pl.len(), unread=(pl.col("card") == cards.UNREAD).sum().cast(pl.Int64)
    )
    lifetime = pl.coalesce("removed", "last_dealt") - pl.coalesce("received", "first_dealt")
    return (
        played.join(known, on="deck", how="full", coalesce=True)
        .join(out, on="deck", how="left")
        .with_columns(hours=(lifetime.dt.total_minutes() / 60).round(1))
        .filter(pl.col("rounds").is_not_null())
        .select(
            *(
                "deck",
                "back",
                "packs",
                "received",
                "removed",
                "why_removed",
                "hours",
                "rounds",
                "first_round",
                "last_round",
            ),
            *("shuffles", "cuts", "counts", "last_count", "cards_out", "unread"),
        )
        .sort("first_round")
    )


def alternation(of: Day) -> pl.DataFrame:
    """Which deck each round was dealt from."""
    return of.events.filter(kind == "round_started").select("round", "deck", "at").sort("at")


def counts(of: Day) -> pl.DataFrame:
    """Every count of a stub, with the cards that were out in the round it was counted after."""
    out = of.dealt.group_by("round").agg(cards_out=pl.len().cast(pl.Int64))
    counted = of.events.sort("seq").with_columns(after=pl.col("round").forward_fill()).filter(kind == "stub_counted")
    return counted.join(out, left_on="after", right_on="round", how="left").select(
        "at",
        "deck",
        after_round="after",
        stub="cards",
        cards_out="cards_out",
        together=pl.col("cards") + pl.col("cards_out"),
    )


def heat(of: Day, deck: str | None) -> pl.DataFrame:
    """How often each card came out of a deck, or of all, beside how often it would at an even hand."""
    out = of.dealt if deck is None else of.dealt.filter(pl.col("of_deck") == deck)
    seen = out.filter(pl.col("card").is_in(of.cards)).group_by("card").agg(times=pl.len().cast(pl.Int64))
    every = (
        pl.DataFrame({"card": of.cards}).join(seen, on="card", how="left").with_columns(pl.col("times").fill_null(0))
    )
    even = every["times"].sum() / len(of.cards)
    return every.with_columns(
        rank=pl.col("card").str.head(1).replace("T", "10"),
        suit=pl.col("card").str.tail(1).replace_strict(cards.SUIT_SIGNS),
        even=pl.lit(round(even, 1)),
        share=pl.when(pl.lit(even) > 0).then(pl.col("times") / even * 100 - 100).otherwise(0.0),
    )


def unread(of: Day, deck: str | None) -> int:
    out = of.dealt if deck is None else of.dealt.filter(pl.col("of_deck") == deck)
    return out.filter(pl.col("card") == cards.UNREAD).height


def findings(reader: Reader, table: str, on: date) -> pl.DataFrame:
    """The findings about cards and their handling at a table on a day, whatever became of them."""
    found = queue(reader, Filter(Period(on, on), tables=(table,)))
    return found.filter(pl.col("code").str.contains("^(DECK|PROC)")).sort("at")
