"""What must survive from one batch to the next: a few facts of each table, never a second data model.

Carried are the last facts that set the table (terms, dealer, seats, decks, devices), everything from the last decided round on
(so an open round resumes whole), the first cards of the rounds since the stub was last counted, and the cards that are out of a
shoe which lasts through many rounds, and a round with a wrong count until its deck is gone or used again.
"""

from typing import Final

import polars as pl

from replay import shoe
from replay.counts import LIMIT, without_count
from replay.decks import of_one_colour
from replay.facts import FACT, gap_before
from replay.frames import collected
from replay.rounds import Openings, inside

kind = pl.col("type")
# Facts that set the table, its people, decks and devices.
_SETS: Final = [
    *("table_opened", "table_closed", "dealer_assigned", "player_seated", "player_left"),
    *("deck_received", "deck_removed", "deck_shuffled", "deck_cut", "stub_counted", "round_started"),
    *("device_failed", "device_removed", "device_installed"),
]


def carried(
    facts: pl.DataFrame, rounds: pl.DataFrame, opened: Openings, miscounts: pl.LazyFrame, out_of_shoes: pl.LazyFrame
) -> pl.DataFrame:
    everything = facts.lazy()
    kept = collected(
        pl.concat(
            [
                *_last_words(facts, rounds),
                _of_one_colour(everything, opened),
                _since_the_count(everything, rounds),
                _miscounted(everything, rounds, miscounts),
                shoe.carried(everything, out_of_shoes, opened),
            ]
        )
        .unique()
        .sort("row")
    )
    # Facts are numbered as they stand in their frame.
    return facts.select(*FACT)[kept["row"]]


def _last_words(facts: pl.DataFrame, rounds: pl.DataFrame) -> list[pl.LazyFrame]:
    """Everything since the last decided round of each table, and of what came before it the last word on each matter: that was in
    force when the round began."""
    decided = pl.col("decided_seq").is_not_null()
    last_decided = rounds.group_by("tid").agg(
        since=pl.coalesce(pl.when(decided).then(pl.col("first_seq")).max(), pl.col("first_seq").min())
    )
    # Tables are numbered from 0 as they stand in the facts.
    tables = facts["tid"].rle().struct.unnest().select(tid="value", last=pl.col("len").cum_sum() - 1)
    since = tables.join(last_decided, on="tid", how="left", maintain_order="left")["since"]
    rows = (
        facts.lazy()
        .select("row", "tid", "seq", "type", "seat", "deck", "device", gap=gap_before.fill_null(False))
        .with_columns(_from=pl.lit(since).gather(pl.col("tid")))
        .filter(kind.is_in(_SETS) | pl.col("gap") | (pl.col("seq") >= pl.col("_from")))
        .cache()
    )
    everything_since = rows.filter(pl.col("seq") >= pl.col("_from")).select("row")
    before = rows.filter(pl.col("_from").is_null() | (pl.col("seq") < pl.col("_from"))).cache()

    def last_of(types: list[str], *of: str) -> pl.LazyFrame:
        return before.filter(kind.is_in(types)).group_by("tid", *of).agg(pl.col("row").max()).select("row")

    decks = before.filter(kind.is_in(["deck_received", "deck_removed", "deck_shuffled", "deck_cut", "stub_counted"]))
    gone = (
        decks.group_by("tid", "deck")
        .agg(
            received=pl.when(kind == "deck_received").then(pl.col("seq")).max(),
            removed=pl.when(kind == "deck_removed").then(pl.col("seq")).max(),
        )
        .filter(pl.col("removed") > pl.col("received").fill_null(0))
    )
    of_decks = (
        decks.join(gone, on=["tid", "deck"], how="anti")
        .group_by("tid", "deck", "type")
        .agg(pl.col("row").max())
        .select("row")
    )
    return [
        everything_since,
        tables.lazy().select(row="last"),
        last_of(["table_opened"]),
        last_of(["table_closed"]),
        last_of(["stub_counted"]),
        last_of(["dealer_assigned"]),
        before.filter("gap").group_by("tid").agg(pl.col("row").max()).select("row"),
        last_of(["player_seated", "player_left"], "seat"),
        last_of(["device_failed", "device_removed", "device_installed"], "device", "type"),
        of_decks,
        last_of(["round_started"], "deck"),
    ]


def _since_the_count(facts: pl.LazyFrame, rounds: pl.DataFrame) -> pl.LazyFrame:
    """Start and first card of the dealt rounds since each table's last count: enough to go on counting them."""
    uncounted = without_count(facts, rounds.lazy())
    current = collected(
        uncounted.filter(
            (pl.col("run") == pl.col("run").max().over("tid"))
            & (pl.col("place") <= LIMIT)
            & pl.col("decided_seq").is_not_null()
        ).select("rid", "first_seq", "first_card_seq")
    )
    uncounted_now = pl.lit(rounds["rid"].is_in(current["rid"].implode())).gather(pl.col("rid"))
    return (
        inside(facts)
        .select("row", "rid", "seq")
        .filter(uncounted_now)
        .join(current.lazy(), on="rid", how="inner", maintain_order="left")
        .filter((pl.col("seq") == pl.col("first_seq")) | (pl.col("seq") == pl.col("first_card_seq")))
        .select("row")
    )


def _of_one_colour(facts: pl.LazyFrame, opened: Openings) -> pl.LazyFrame:
    """The two decks of one colour that were told of in the opening in force, though they may be gone: once is enough."""
    told = of_one_colour(facts, opened)
    current = told.filter(pl.col("opening") == pl.col("opening").max().over("tid")).cache()
    came = pl.concat([current.select("tid", "deck", "row"), current.select("tid", deck="other", row="came_row")])
    gone = facts.filter(kind == "deck_removed").join(came, on=["tid", "deck"], how="semi")
    return pl.concat([came.select("row"), gone.select("row")])


def _miscounted(facts: pl.LazyFrame, rounds: pl.DataFrame, miscounts: pl.LazyFrame) -> pl.LazyFrame:
    """The rounds with a wrong count whose deck has not been dealt from since, in a round that is decided: it may be."""
    bad = miscounts.filter("last").select("rid", "tid", "deck", "seq")
    decided = pl.col("decided_seq").is_not_null()
    started = rounds.lazy().filter(decided).select("tid", "deck", again="started_seq")
    used = bad.join(started, on=["tid", "deck"], how="inner").filter(pl.col("again") > pl.col("seq"))
    waiting = bad.join(used, on=["rid", "seq"], how="anti")
    return pl.concat(
        [
            inside(facts).join(waiting.select("rid"), on="rid", how="semi").select("row"),
            facts.select("row", "tid", "seq").join(waiting, on=["tid", "seq"], how="semi").select("row"),
        ]
    )
