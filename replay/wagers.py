"""The chips: what lay on each spot, what was there at "No more bets", and what was paid, taken and given back."""

from dataclasses import dataclass
from typing import Final

import polars as pl

from replay.facts import gap_before
from rules.games import GAMES

kind = pl.col("type")

SPOT: Final = ("rid", "seat", "hand", "wager", "player")
_MOVES: Final = ("wager_placed", "wager_changed", "wager_settled", "settlement_corrected")
# In a spot's number there is room for as many: seats and hands go to 99, and a batch has fewer rows than there are names.
_SEATS: Final = 2**7
_NAMES: Final = 2**24
_BONUSES: Final = pl.DataFrame(
    {"wager": sorted({each.name for game in GAMES.values() for each in game.wagers if each.bonus_on is not None})}
)


def moves(acts: pl.LazyFrame) -> pl.LazyFrame:
    """Every fact that put chips on a spot, changed them or moved them off it, in order."""
    return acts.filter(kind.is_in(_MOVES)).select(
        "tid",
        *SPOT,
        *("seq", "type", "amount", "result"),
        before=pl.col("seq") < pl.col("bets_closed_seq").fill_null(2**62),
        box=_box(),
    )


def _box() -> pl.Expr:
    """Round and seat as one number, in their order."""
    return pl.col("rid").cast(pl.UInt64) * _SEATS + pl.col("seat").cast(pl.UInt64)


def seated_players(moves: pl.LazyFrame, facts: pl.LazyFrame, shared: pl.Series) -> pl.LazyFrame:
    """Who a wager without a `player` belongs to, per round and seat: the seated player when the seat first wagered.

    Where no seating was seen, or events are missing since (`uncertain`), it is the only player named on that seat in the round;
    but in the rounds `shared`, where several may bet on one box, whoever is named may be somebody else.
    """
    named = pl.col("player")
    first = (
        moves.group_by("box", maintain_order=True)
        .agg(pl.col("rid", "seat", "tid", "seq").first(), one=named.min(), other=named.max())
        .with_columns(only=pl.when(pl.col("one") == pl.col("other")).then("one"))
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
            "box",
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
        rows.join(seated.select("rid", "seat", "bettor"), on=["rid", "seat"], how="left", maintain_order="left")
        .with_columns(player=pl.coalesce("player", "bettor"))
        .drop("bettor")
    )


@dataclass(frozen=True, slots=True)
class Moved:
    """The moves of a batch, each with its `player` and the number of its `spot`, in the order of spots, and on each in its own.

    Spots are told apart and put in order by one number, where five columns cost ten times as much; `names` says which wager
    and player the lowest bits stand for.
    """

    placed: pl.DataFrame
    settled: pl.DataFrame
    names: pl.DataFrame


def moved(moves: pl.DataFrame, seated: pl.DataFrame) -> Moved:
    rows = moves.join(seated.select("box", "bettor"), on="box", how="left", maintain_order="left").with_columns(
        player=pl.coalesce("player", "bettor")
    )
    named = rows.select("wager", "player").unique()
    # What is paid without a stake lies on a spot of its own, whether or not anybody paid it.
    bonuses = named.select(pl.col("player").unique()).join(_BONUSES, how="cross").select("wager", "player")
    names = pl.concat([named, bonuses]).unique().sort("wager", "player", nulls_last=True).with_row_index("name")
    rows = (
        rows.join(names, on=["wager", "player"], how="left", nulls_equal=True, maintain_order="left")
        .with_columns(spot=_spot())
        .select("spot", "seq", "type", "amount", "result", "before")
        .sort("spot", maintain_order=True)
    )
    of_stakes = kind.is_in(["wager_placed", "wager_changed"])
    return Moved(rows.filter(of_stakes), rows.filter(~of_stakes), names)


def _spot() -> pl.Expr:
    """Round, seat, hand, wager and player as one number, in their order."""
    return (_box() * _SEATS + pl.col("hand").cast(pl.UInt64)) * _NAMES + pl.col("name").cast(pl.UInt64)


def told(spots: pl.LazyFrame, names: pl.DataFrame) -> pl.LazyFrame:
    """The spots with what their numbers stand for: SPOT."""
    spot, at, name = pl.col("spot"), pl.col("spot") // _NAMES, pl.col("name")
    return spots.with_columns(
        rid=(at // _SEATS**2).cast(pl.UInt32),
        seat=(at // _SEATS % _SEATS).cast(pl.Int16),
        hand=(at % _SEATS).cast(pl.Int16),
        name=(spot % _NAMES).cast(pl.UInt32),
    ).with_columns(wager=pl.lit(names["wager"]).gather(name), player=pl.lit(names["player"]).gather(name))


def spot_of_bonus(bonus: str, names: pl.DataFrame) -> pl.Expr:
    """The number of the spot on which this bonus is paid to the same player and hand."""
    same_player = names.filter(pl.col("wager") == bonus).select("player", to="name")
    to = names.join(same_player, on="player", how="left", nulls_equal=True, maintain_order="left")["to"]
    return pl.col("spot") - pl.col("name") + pl.lit(to).gather(pl.col("name"))


def numbered(spots: pl.LazyFrame) -> pl.LazyFrame:
    """The inverse of `told`, where some of it changed."""
    return spots.with_columns(spot=_spot()).drop(*SPOT, "name")


def stakes(placed: pl.LazyFrame) -> pl.LazyFrame:
    """One row a spot: `lying` (the chips at the end), `at_close` (at "No more bets"), and the facts that put them there.

    A `wager_placed` adds, a `wager_changed` says what lies there now: so the chips are the last change and all placed since.
    """
    seq, changed = pl.col("seq"), kind == "wager_changed"
    last_change = placed.filter(changed).group_by("spot").agg(reset=seq.max(), reset_before=seq.filter("before").max())
    counts = seq >= pl.col("reset").fill_null(0)
    counts_before = pl.col("before") & (seq >= pl.col("reset_before").fill_null(0))
    return (
        placed.join(last_change, on="spot", how="left", maintain_order="left")
        .with_columns(
            pl.col("spot").set_sorted(),
            lies=pl.when(counts).then(pl.col("amount")).otherwise(0),
            lay_at_close=pl.when(counts_before).then(pl.col("amount")).otherwise(0),
            late=pl.when(~pl.col("before")).then(seq),
        )
        .group_by("spot", maintain_order=True)
        .agg(
            lying=pl.col("lies").sum(),
            at_close=pl.col("lay_at_close").sum(),
            placed_seq=seq.first(),
            moved_seq=seq.last(),
            late_seq=pl.col("late").max(),
        )
    )


def settlements(settled: pl.LazyFrame) -> pl.LazyFrame:
    """One row a spot that was settled or corrected: the sums each way and how often."""
    by_dealer, amount, seq = kind == "wager_settled", pl.col("amount"), pl.col("seq")

    def moved(result: str) -> pl.Expr:
        return by_dealer & (pl.col("result") == result)

    sums = (
        settled.with_columns(
            pl.col("spot").set_sorted(),
            **{result: pl.when(moved(result)).then(amount).otherwise(0) for result in ("paid", "taken", "returned")},
            returned_at=pl.when(moved("returned")).then(seq),
            settled=by_dealer,
            said=pl.when(by_dealer).then(pl.col("result")),
            corrected=pl.when(~by_dealer).then(amount).otherwise(0),
        )
        .group_by("spot", maintain_order=True)
        .agg(
            given=pl.col("paid").sum(),
            taken=pl.col("taken").sum(),
            returned=pl.col("returned").sum(),
            returned_seq=pl.col("returned_at").min(),
            times_settled=pl.col("settled").sum(),
            result=pl.col("said").first(ignore_nulls=True),
            corrected=pl.col("corrected").sum(),
            settled_seqs=seq,
        )
        .with_columns(was_returned=pl.col("returned_seq").is_not_null())
        .cache()
    )
    # Few are given back and then taken.
    both = sums.filter(pl.col("was_returned") & (pl.col("taken") > 0)).select("spot", "returned_seq")
    again = (
        settled.filter(moved("taken"))
        .join(both, on="spot", how="inner")
        .filter(seq > pl.col("returned_seq"))
        .group_by("spot")
        .agg(taken_again=amount.sum())
    )
    return sums.drop("returned_seq").join(again, on="spot", how="left", maintain_order="left")
