"""The shoe of Spanish 21: it lasts through many rounds, so what came out of it is counted from one shuffle to the next."""

from typing import Final

import polars as pl

from replay.facts import gap_before
from replay.frames import place_in
from replay.rounds import Openings, named_elsewhere
from rules import cards
from rules.spanish_21 import GAME

kind = pl.col("type")

# A shoe that nobody ever shuffles would be counted for ever: this many copies of a card beyond the packs are told, no more.
MOST_TOO_MANY: Final = 8


def _in_play(facts: pl.LazyFrame) -> pl.LazyFrame:
    """The facts with `deck_in_play`, the shoe that the last round was dealt from."""
    first = pl.col("tid").is_first_distinct()
    deck = (
        pl.when(kind == "round_started").then(pl.col("deck")).when(first).then(pl.lit("")).otherwise(None)
    ).forward_fill()
    return facts.with_columns(deck_in_play=pl.when(deck != "").then(deck))


def _shoes(facts: pl.LazyFrame) -> pl.LazyFrame:
    """The facts with `shoe`, the number of the shuffle that they follow.

    A shoe begins with a shuffle, with a round from another shoe, with a table's opening, and behind a gap or an event in dispute,
    which may hide one.
    """
    held = _in_play(facts)
    before = pl.col("deck_in_play").shift()
    same_table = pl.col("tid") == pl.col("tid").shift()
    shuffled = (kind == "deck_shuffled") & ((pl.col("deck") == before) | before.is_null())
    changed = (kind == "round_started") & (pl.col("deck") != before)
    hidden = gap_before.fill_null(False) | pl.col("disputed")
    begins = (kind == "table_opened") | hidden | shuffled | changed | ~same_table
    return held.with_columns(
        shoe=begins.fill_null(True).cum_sum(), shuffled_now=shuffled.fill_null(False), between=_between_rounds(hidden)
    )


def _between_rounds(hidden: pl.Expr) -> pl.Expr:
    """Whether a round has ended and no other begun: a card told then came out of no shoe. Behind a gap nobody can say."""
    return (
        pl.when(kind == "round_ended")
        .then(True)
        .when((kind == "round_started") | hidden | pl.col("tid").is_first_distinct())
        .then(False)
        .forward_fill()
        .fill_null(False)
    )


def ledger(facts: pl.LazyFrame, opened: Openings) -> pl.LazyFrame:
    """Every card that left a shoe, with `copy`, the how-manieth of its kind it is since the shuffle.

    In a round that was shuffled in, the rack went back and the felt did not (19:47-19.15(g)): the cards lying on it are out of
    the new shoe as well. There they stand `again`, to be counted but not told twice.
    """
    tables = opened.frame.lazy().filter((pl.col("game") == GAME.name) & pl.col("terms_reason").is_null())
    mine = facts.drop("game", "decks").join(
        tables.select("opening", packs=pl.col("decks").cast(pl.Int64)), on="opening", how="inner", maintain_order="left"
    )
    told = _shoes(mine).cache()
    columns = ["row", "tid", "table", "round", "seq", "seat", "card", "carried", "dealer_now", "packs", "shoe"]
    out = (
        told.filter(
            kind.is_in(["card_dealt", "card_found_face_up"])
            & ~pl.col("disputed")
            & ~pl.col("card").is_in([cards.UNREAD, cards.JOKER, *GAME.foreign])
            & (~pl.col("between") | pl.col("round").is_null())  # one burned before its round
            & (pl.col("to") != "community").fill_null(True)  # there is no board
            & ~named_elsewhere()
        )
        .select(columns)
        .cache()
    )
    in_round = told.filter(pl.col("shuffled_now") & pl.col("round").is_not_null()).select(
        "tid", "round", "shoe", shuffled_at="seq"
    )
    still_lying = (
        out.drop("shoe")
        .join(in_round, on=["tid", "round"], how="inner")
        .filter(pl.col("seq") < pl.col("shuffled_at"))
        .select(columns)
    )
    return (
        pl.concat([out.with_columns(again=pl.lit(False)), still_lying.with_columns(again=pl.lit(True))])
        # Shoes are numbered through all tables.
        .with_columns(kind_of_card=pl.col("shoe").cast(pl.Int64) * 64 + pl.col("card").to_physical())
        .sort("kind_of_card", "seq")
        .with_columns(copy=place_in("kind_of_card") + 1)
        .drop("kind_of_card")
        .filter(pl.col("copy") <= pl.col("packs") + MOST_TOO_MANY)
        .sort("shoe", "seq")
    )


def carried(facts: pl.LazyFrame, counted: pl.LazyFrame, opened: Openings) -> pl.LazyFrame:
    """The rows of the cards that came out of the shoe in play, with what its beginning is known by, and the last round's end, so
    that a card told after it is known for one that came out of no shoe."""
    in_play = counted.group_by("tid").agg(pl.col("shoe").max())
    current = counted.join(in_play, on=["tid", "shoe"], how="semi").select("row")
    mine = opened.frame.lazy().filter(pl.col("game") == GAME.name)
    ended = (
        facts.filter(kind == "round_ended")
        .join(mine, on="opening", how="semi")
        .group_by("tid")
        .agg(pl.col("row").max())
    )
    return pl.concat([current, ended.select("row")])
