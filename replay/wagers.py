"""The chips: what lay on each spot, what was there at "No more bets", and what was paid, taken and given back."""

from typing import Final

import polars as pl

from replay.facts import gap_before
from replay.frames import collected

kind = pl.col("type")

SPOT: Final = ("rid", "seat", "hand", "wager", "player")


def seated_players(acts: pl.LazyFrame, facts: pl.LazyFrame, shared: pl.Series) -> pl.LazyFrame:
    """Who a wager without a `player` belongs to, per round and seat: the seated player when the seat first wagered.

    Where no seating was seen, or events are missing since (`uncertain`), it is the only player named on that seat in the round;
    but in the rounds `shared`, where several may bet on one box, whoever is named may be somebody else.
    """
    named = pl.col("player").drop_nulls()
    first = (
        acts.filter(pl.col("wager").is_not_null())
        .group_by("rid", "seat", maintain_order=True)
        .agg(pl.col("tid", "seq").first(), only=pl.when(named.n_unique() == 1).then(named.first()))
    )
    sittings = facts.filter((kind == "player_seated") | (kind == "player_left")).select(
        "tid", "seat", "seq", sitting="player", sat_seq="seq"
    )
    gaps = facts.filter(gap_before).select("tid", "seq", gap_seq="seq")
    uncertain = (pl.col("gap_seq") >= pl.col("sat_seq")).fill_null(False)
    by_name = uncertain & ~pl.col("rid").is_in(shared.implode())
    return (
        first.sort("seq")
        .join_asof(sittings.sort("seq"), on="seq", by=["tid", "seat"], check_sortedness=False)
        .join_asof(gaps.sort("seq"), on="seq", by="tid", check_sortedness=False)
        .select(
            "rid",
            "seat",
            bettor=pl.when(by_name).then(pl.coalesce("only", "sitting")).otherwise(pl.coalesce("sitting", "only")),
            uncertain=uncertain,
        )
    )


def mistaken(placed: pl.LazyFrame, settled: pl.LazyFrame, seated: pl.LazyFrame) -> pl.LazyFrame:
    """Rounds in which a gap may hide who took a seat, and the same wager lies there for one player and is settled for another:
    they may well be one person. `rid`, `mistaken_seat`."""
    doubtful = seated.filter("uncertain").select("rid", "seat")
    spot = ["rid", "seat", "hand", "wager"]
    unsettled, unstaked = (
        one.join(doubtful, on=["rid", "seat"], how="semi")
        .join(other.select(SPOT), on=list(SPOT), how="anti", nulls_equal=True)
        .select(spot)
        for one, other in ((placed.filter(pl.col("lying") > 0), settled), (settled, placed))
    )
    return unsettled.join(unstaked, on=spot, how="semi").group_by("rid").agg(mistaken_seat=pl.col("seat").min())


def with_player(rows: pl.LazyFrame, seated: pl.LazyFrame) -> pl.LazyFrame:
    return (
        rows.join(seated.drop("uncertain"), on=["rid", "seat"], how="left", maintain_order="left")
        .with_columns(player=pl.coalesce("player", "bettor"))
        .drop("bettor")
    )


def stakes(acts: pl.LazyFrame, seated: pl.LazyFrame) -> pl.LazyFrame:
    """One row a spot: `lying` (the chips at the end), `at_close` (at "No more bets"), and the facts that put them there.

    A `wager_placed` adds, a `wager_changed` says what lies there now: so the chips are the last change and all placed since.
    """
    moves = with_player(
        acts.filter((kind == "wager_placed") | (kind == "wager_changed")).select(
            *SPOT, "seq", "type", "amount", before=pl.col("seq") < pl.col("bets_closed_seq").fill_null(2**62)
        ),
        seated,
    )
    changed = kind == "wager_changed"
    last_change = (
        moves.filter(changed)
        .group_by(SPOT)
        .agg(
            reset=pl.col("seq").max(),
            reset_before=pl.col("seq").filter("before").max(),
        )
    )
    moves = moves.join(last_change, on=list(SPOT), how="left", nulls_equal=True, maintain_order="left")
    counts = pl.col("seq") >= pl.col("reset").fill_null(0)
    counts_before = pl.col("before") & (pl.col("seq") >= pl.col("reset_before").fill_null(0))
    after = ~pl.col("before")
    return moves.group_by(SPOT, maintain_order=True).agg(
        lying=pl.when(counts).then(pl.col("amount")).otherwise(0).sum(),
        at_close=pl.when(counts_before).then(pl.col("amount")).otherwise(0).sum(),
        placed_seq=pl.col("seq").first(),
        moved_seq=pl.col("seq").last(),
        late_seq=pl.when(after).then(pl.col("seq")).max(),
    )


def settlements(acts: pl.LazyFrame, seated: pl.LazyFrame) -> pl.LazyFrame:
    """One row a spot that was settled or corrected: the sums each way and how often."""
    settled = kind == "wager_settled"
    rows = collected(
        with_player(
            acts.filter(settled | (kind == "settlement_corrected")).select(*SPOT, "seq", "type", "amount", "result"),
            seated,
        )
    )
    amount = pl.col("amount")

    def total(result: str) -> pl.Expr:
        return pl.when(settled & (pl.col("result") == result)).then(amount).otherwise(0).sum()

    sums = rows.group_by(SPOT, maintain_order=True).agg(
        given=total("paid"),
        taken=total("taken"),
        returned=total("returned"),
        was_returned=(settled & (pl.col("result") == "returned")).any(),
        returned_seq=pl.when(settled & (pl.col("result") == "returned")).then(pl.col("seq")).min(),
        times_settled=settled.sum(),
        result=pl.when(settled).then(pl.col("result")).first(ignore_nulls=True),
        corrected=pl.when(~settled).then(amount).otherwise(0).sum(),
        settled_seqs=pl.col("seq"),
    )
    # Few are given back and then taken.
    both = sums.lazy().filter(pl.col("was_returned") & (pl.col("taken") > 0)).select(*SPOT, "returned_seq")
    again = (
        rows.lazy()
        .filter(settled & (pl.col("result") == "taken"))
        .join(both, on=list(SPOT), how="inner", nulls_equal=True)
        .filter(pl.col("seq") > pl.col("returned_seq"))
        .group_by(SPOT)
        .agg(taken_again=amount.sum())
    )
    return (
        sums.lazy().drop("returned_seq").join(again, on=list(SPOT), how="left", nulls_equal=True, maintain_order="left")
    )
