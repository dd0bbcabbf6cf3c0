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

_LEDGER: Final = (*_LIFE, "round_started")

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
        from {reader.over("rounds", on, on)} where day = date '{on}' and "table" = ?
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

    known = (
        of.events.filter(kind.is_in(_LIFE))
        .group_by("deck")
        .agg(
            back=pl.col("back").drop_nulls().last(),
            packs=pl.col("packs").drop_nulls().last(),
            received=pl.when(kind == "deck_received").then("at").max(),
            removed=pl.when(kind == "deck_removed").then("at").max(),
            why_removed=pl.when(kind == "deck_removed").then("reason").drop_nulls().last(),
            shuffles=_times("deck_shuffled"),
            cuts=_times("deck_cut"),
            counts=_times("stub_counted"),
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


def ledger(of: Day, deck: str, seq: int) -> pl.DataFrame:
    """A deck from its arrival to its removal, around the round that began with `seq`.

    Arrival and removal have a line of their own, and so have the round, the shuffle and the cut before it, and the counts next to
    it; what lies between is added up.
    """
    events = of.events.unique("seq", keep="first").sort("seq").filter((pl.col("deck") == deck) & kind.is_in(_LEDGER))
    out = of.dealt.filter(pl.col("of_deck") == deck).group_by("round").agg(cards_out=pl.len().cast(pl.Int64))
    began = pl.when(kind == "round_started").then("round")
    lines = (
        events.with_columns(began=began, alone=pl.col("seq").is_in(_near(events, seq)))
        .join(out, left_on="began", right_on="round", how="left", maintain_order="left")
        .with_columns(line=(pl.col("alone") | pl.col("alone").shift(1, fill_value=True)).cum_sum())
    )
    return (
        lines.group_by("line", maintain_order=True)
        .agg(
            at=pl.col("at").first(),
            what=pl.when(pl.col("alone").first()).then(_said().first()).otherwise(_between()),
            rounds=_times("round_started"),
            shuffles=_times("deck_shuffled"),
            cuts=_times("deck_cut"),
            counts=_times("stub_counted"),
            cards_out=pl.col("cards_out").sum(),
            this=(pl.col("seq") == seq).any(),
        )
        .drop("line")
    )


def nothing_blank(ledger: pl.DataFrame) -> pl.DataFrame:
    """As a page shows it: a number that is nothing is not written."""
    number = pl.selectors.integer()
    return ledger.drop("this").with_columns(pl.when(number > 0).then(number).name.keep())


def _near(events: pl.DataFrame, seq: int) -> list[int]:
    """Of a deck's events those that tell most about one round, by their seq."""
    before, after = pl.col("seq") < seq, pl.col("seq") > seq
    last = [(kind == name) & before for name in ("deck_shuffled", "deck_cut", "stub_counted")]
    found = [events.filter(each)["seq"].max() for each in last]
    found.append(events.filter((kind == "stub_counted") & after)["seq"].min())
    found += events.filter(kind.is_in(["deck_received", "deck_removed"]))["seq"].to_list()
    return [seq, *(each for each in found if isinstance(each, int))]


def _said() -> pl.Expr:
    """What an event says of its deck, in the words of the notation."""
    packs = pl.when(pl.col("packs") > 1).then(pl.format(", {} packs", "packs")).otherwise(pl.lit(""))
    counted = pl.when(pl.col("counted").is_not_null()).then(pl.format(", {} counted", "counted")).otherwise(pl.lit(""))
    said = {
        "deck_received": pl.format("received, back {}{}", "back", packs),
        "deck_removed": pl.format("removed: {}", "reason"),
        "deck_shuffled": pl.format("shuffled {}{}", pl.col("method").cast(pl.String), counted),
        "deck_cut": pl.format("cut, {} cards", "cards"),
        "stub_counted": pl.format("stub counted: {} cards", "cards"),
        "round_started": pl.format("round {}, this one", "round"),
    }
    return pl.coalesce(pl.when(kind == name).then(words) for name, words in said.items())


def _between() -> pl.Expr:
    dealt = pl.col("round").filter(kind == "round_started")
    return (
        pl.when(dealt.len() == 0)
        .then(pl.lit("no round"))
        .when(dealt.len() == 1)
        .then(pl.format("round {}", dealt.first()))
        .otherwise(pl.format("rounds {} to {}", dealt.first(), dealt.last()))
    )


def _times(name: str) -> pl.Expr:
    return (kind == name).sum().cast(pl.Int64)


def cards_of(of: Day, deck: str, seq: int) -> pl.DataFrame:
    """The cards of the round that began with `seq`, in the order they came out: which of the deck since its last shuffle, and
    where to."""
    events = of.events.unique("seq", keep="first").sort("seq")
    shuffled = events.filter((kind == "deck_shuffled") & (pl.col("deck") == deck) & (pl.col("seq") < seq))["seq"].max()
    ended = events.filter((kind == "round_started") & (pl.col("seq") > seq))["seq"].min()
    out = (
        of.dealt.unique("seq", keep="first")
        .filter((pl.col("of_deck") == deck) & (pl.col("seq") > (shuffled or 0)) & (pl.col("seq") < (ended or 2**62)))
        .sort("seq")
        .with_row_index("place", offset=1)
        .filter(pl.col("seq") > seq)
    )
    told = events.select("seq", "type", "to", "seat", "hand", "face")
    to, hand = pl.col("to").cast(pl.String), pl.col("hand")
    return out.join(told, on="seq", how="left", maintain_order="left").select(
        pl.col("place").cast(pl.Int64),
        card=pl.col("card").map_elements(cards.sign, pl.String),
        to=pl.when(kind == "card_found_face_up")
        .then(pl.lit("found face up"))
        .when((to == "player") & (hand > 1))
        .then(pl.format("seat {} hand {}", "seat", hand))
        .when(to == "player")
        .then(pl.format("seat {}", "seat"))
        .otherwise(to.replace({"community": "board", "burn": "burnt"})),
        lay=pl.col("face").cast(pl.String),
        seq="seq",
    )


def alternation(of: Day) -> pl.DataFrame:
    """Which deck each round was dealt from."""
    return of.events.filter(kind == "round_started").select("round", "deck", "at").sort("at")


def counts(of: Day) -> pl.DataFrame:
    """Every count of a stub, with the cards that were out in the round it was counted after."""
    out = of.dealt.group_by("round").agg(cards_out=pl.len().cast(pl.Int64))
    played = of.events.filter(kind == "round_started")["deck"].unique()
    counted = (
        of.events.sort("seq")
        .with_columns(after=pl.col("round").forward_fill())
        .filter((kind == "stub_counted") & pl.col("deck").is_in(played.implode()))
    )
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
        # How far from even in standard deviations of chance: of a few rounds every share is far off, and means nothing.
        sigmas=pl.when(pl.lit(even) > 0).then((pl.col("times") - even) / pl.lit(even).sqrt()).otherwise(0.0),
    )


def unread(of: Day, deck: str | None) -> int:
    out = of.dealt if deck is None else of.dealt.filter(pl.col("of_deck") == deck)
    return out.filter(pl.col("card") == cards.UNREAD).height


def findings(reader: Reader, table: str, on: date) -> pl.DataFrame:
    """The findings about cards and their handling at a table on a day, whatever became of them."""
    found = queue(reader, Filter(Period(on, on), tables=(table,)))
    return found.filter(pl.col("code").str.contains("^(DECK|PROC)")).sort("at")
