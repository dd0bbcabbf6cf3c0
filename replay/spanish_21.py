"""Spanish 21's seats as its rules ask for them: one row a bettor on a hand, hands rebuilt through their splits.

A split moves the second card of a hand to the next unused hand number. So a hand holds its first card and all that were dealt
to it since it was last split, and the card that moved is the last one dealt to the hand that was split.
"""

from typing import Final

import polars as pl

from replay import hands
from replay.frames import collected, goes_on, place_in
from replay.hands import HAND, Felt, kind
from replay.wagers import with_player
from rules import cards as names
from rules.spanish_21 import GAME, with_envy

BOX: Final = ("rid", "seat")
BETTOR: Final = (*HAND, "player")

choice = pl.col("choice")


def laid(placed: pl.LazyFrame, settled: pl.LazyFrame, rides: pl.LazyFrame) -> tuple[pl.LazyFrame, pl.LazyFrame]:
    """Stakes and settlements on the hand they belong to: a wager on the split hand that its bettor named to ride on
    (19:47-19.13(e)), an envy bonus on the first hand of who receives it."""
    placed = _ridden(placed, rides)
    return placed, _at_home(_ridden(settled, rides), placed)


def rides(acts: pl.LazyFrame) -> pl.LazyFrame:
    """Which split hand a bettor named to ride on."""
    return (
        acts.filter((kind == "decision_made") & (choice == "ride") & pl.col("player").is_not_null())
        .group_by("rid", "seat", "player", maintain_order=True)
        .agg(ridden=pl.col("hand").last())
    )


def _ridden(spots: pl.LazyFrame, rides: pl.LazyFrame) -> pl.LazyFrame:
    """A bettor who has a stake of his own on that hand rides on nothing."""
    covered = spots.filter(pl.col("wager") == "main").select("rid", "seat", "player", ridden="hand")
    moving = rides.join(covered, on=["rid", "seat", "player", "ridden"], how="anti").with_columns(
        hand=pl.lit(1, pl.Int16), wager=pl.lit("main")
    )
    return (
        spots.join(moving, on=["rid", "seat", "hand", "player", "wager"], how="left", maintain_order="left")
        .with_columns(hand=pl.coalesce("ridden", "hand"))
        .drop("ridden")
    )


def _at_home(spots: pl.LazyFrame, placed: pl.LazyFrame) -> pl.LazyFrame:
    """Each bettor has one envy bonus a round; on which of his boxes it was laid down does not matter."""
    envy = pl.col("wager") == "envy"
    first = (
        placed.filter((pl.col("wager") == "main") & (pl.col("lying") > 0))
        .sort("seat", "hand")
        .group_by("rid", "player", maintain_order=True)
        .agg(home_seat=pl.col("seat").first(), home_hand=pl.col("hand").first())
    )
    return (
        spots.join(first, on=["rid", "player"], how="left", maintain_order="left", nulls_equal=True)
        .with_columns(
            seat=pl.when(envy).then(pl.coalesce("home_seat", "seat")).otherwise("seat"),
            hand=pl.when(envy).then(pl.coalesce("home_hand", "hand")).otherwise("hand"),
        )
        .drop("home_seat", "home_hand")
    )


def seats(felt: Felt) -> pl.DataFrame:
    """One row a bettor on a hand, or a hand that was dealt cards without any, with every fact the decision tables turn on."""
    splits = _splits(felt)
    boxes = _hands(felt, splits).join(_acts(felt, splits), on=list(HAND), how="full", coalesce=True)
    bettors = _bettors(felt).cache()
    first_cards = (
        hands.dealt_to(felt.cards, "player")
        .filter(pl.col("hand") == 1)
        .group_by(BOX, maintain_order=True)
        .agg(first_cards=pl.col("card").head(2))
    )
    nothing = pl.lit([], pl.List(names.CARD))
    rows = (
        bettors.join(boxes, on=list(HAND), how="full", coalesce=True)
        .join(first_cards, on=list(BOX), how="left")
        .join(_dealers(felt), on="rid", how="left")
        .join(felt.rounds.lazy().select("rid", "dealer_hits_soft_17", "card_reader"), on="rid", how="left")
        .join(_rescues(felt, bettors), on=list(BETTOR), how="left", nulls_equal=True)
        .join(
            rides(felt.acts).select("rid", "seat", "player", hand="ridden", rides=pl.lit(True)),
            on=list(BETTOR),
            how="left",
        )
        .sort(BETTOR, nulls_last=True)
        .pipe(hands.counted, "player", "dealer")
        .with_columns(
            pl.col("player_cards", "first_cards", "dealer_cards").fill_null(nothing),
            pl.col("main_stake", "double_stake", "asked").fill_null(0),
            pl.col("surrendered", "dead", "rescued", "rides", "was_split", "due_cards").fill_null(False),
        )
        .with_columns(
            split=pl.col("was_split") | (pl.col("hand") > 1),
            doubled=pl.col("double_stake") > 0,
            added_for_split=(pl.col("hand") > 1) & ~pl.col("rides"),
            folded=pl.lit(False),
            unclear=pl.when(pl.col("player_count") == 1).then(pl.lit("the hand has only one card")),
        )
        .with_columns(wrong_count=_miscounted(), dealer_wrong=pl.col("dealer_count") < GAME.dealer_cards)
        .pipe(collected)
        .pipe(GAME.hand_facts)
        .with_columns(
            unclear=pl.coalesce(
                "unclear", pl.when("dealer_short").then(pl.lit("the dealer stood on a hand that he has to draw to"))
            )
        )
    )
    return _with_envy(rows)


def _splits(felt: Felt) -> pl.LazyFrame:
    """Each split: the hand it divides, the hand it makes, and the card that moves there."""
    split = felt.acts.filter((kind == "decision_made") & (choice == "split")).select(*HAND, "seq").sort("seq")
    dealt = hands.dealt_to(felt.cards, "player").select(*HAND, "card", "seq", moved_seq="seq").sort("seq")
    return (
        split.join_asof(dealt, on="seq", by=list(HAND), check_sortedness=False)
        # Said twice, by the caller and by another bettor of the box, it is one split.
        .unique([*HAND, "moved_seq"], keep="first", maintain_order=True)
        .filter(pl.col("moved_seq").is_not_null())
        .sort("rid", "seat", "seq")
        .with_columns(made=(place_in("rid", "seat") + 2).cast(pl.Int16))
        .cache()
    )


def _last_split(splits: pl.LazyFrame) -> pl.LazyFrame:
    return splits.group_by(HAND).agg(last_split=pl.col("seq").max())


def _hands(felt: Felt, splits: pl.LazyFrame) -> pl.LazyFrame:
    """The cards of each hand as they lie in the end, the one it was split from first."""
    dealt = hands.dealt_to(felt.cards, "player").select(*HAND, "seq", "card")
    since = pl.col("seq") > pl.col("last_split").fill_null(0)
    first_of_the_box = (pl.col("hand") == 1) & ~goes_on(*HAND)
    own = (
        dealt.join(_last_split(splits), on=list(HAND), how="left", maintain_order="left")
        .sort(*HAND, "seq")
        .filter(since | first_of_the_box)
    )
    moved = splits.select("rid", "seat", "card", hand="made", seq="moved_seq", last_split=pl.lit(None, pl.Int64))
    card = pl.col("card")
    return (
        pl.concat([own, moved.select(*HAND, "seq", "card", "last_split")])
        .sort(*HAND, "seq")
        .group_by(HAND, maintain_order=True)
        .agg(
            player_cards=card,
            player_count=pl.len(),
            player_unread=(card == names.UNREAD).any(),
            player_joker=(card == names.JOKER).any(),
            player_seqs=pl.col("seq"),
            was_split=pl.col("last_split").is_not_null().any(),
        )
    )


def _acts(felt: Felt, splits: pl.LazyFrame) -> pl.LazyFrame:
    """What was decided on each hand, and how many cards were asked for since it was last split."""
    since = pl.col("seq") > pl.col("last_split").fill_null(0)
    return (
        felt.acts.filter(kind == "decision_made")
        .join(_last_split(splits), on=list(HAND), how="left", maintain_order="left")
        .group_by(HAND, maintain_order=True)
        .agg(
            choice=choice.filter(choice != "ride").last(),
            surrendered=(choice == "surrender").any(),
            dead=(choice == "dead").any(),
            asked=(since & (choice == "hit")).sum() + (since & (choice == "double")).any().cast(pl.UInt32),
        )
    )


def _bettors(felt: Felt) -> pl.LazyFrame:
    wager, base = pl.col("wager"), pl.col("base")
    return felt.spots.group_by(BETTOR, maintain_order=True).agg(
        main_stake=base.filter(wager == "main").sum(),
        double_stake=base.filter(wager == "double").sum(),
        due_cards=((wager == "main") & (pl.col("at_close") > 0) & (pl.col("lying") > 0)).any(),
    )


def _rescues(felt: Felt, bettors: pl.LazyFrame) -> pl.LazyFrame:
    """Who took back his double: the one who is named or sits there; all who doubled, where that is none of them."""
    said = with_player(
        felt.acts.filter((kind == "decision_made") & (choice == "rescue")).select(*BETTOR), felt.seated
    ).unique(maintain_order=True)
    doubled = bettors.filter(pl.col("double_stake") > 0).select(BETTOR)
    his_own = said.join(doubled, on=list(BETTOR), how="semi", nulls_equal=True)
    nobodys = said.join(doubled, on=list(BETTOR), how="anti", nulls_equal=True).select(HAND).unique()
    for_all = doubled.join(nobodys, on=list(HAND), how="semi")
    return pl.concat([his_own, for_all]).unique().with_columns(rescued=pl.lit(True))


def _dealers(felt: Felt) -> pl.LazyFrame:
    """The dealer's cards, the up card first though the hole card may have come before it."""
    up = pl.col("up")
    cards = hands.dealt_to(felt.cards, "dealer").with_columns(place=place_in("rid"), up=pl.col("face") == "up")
    # Down and then up: the two change places.
    then_up = (pl.col("place") == 0) & ~up & up.shift(-1) & (pl.col("rid") == pl.col("rid").shift(-1))
    after_down = (pl.col("place") == 1) & up & ~up.shift()
    hole_first = (then_up | after_down).fill_null(False)
    card = pl.col("card")
    return (
        cards.with_columns(place=pl.when(hole_first).then(1 - pl.col("place")).otherwise("place"))
        .sort("rid", "place")
        .group_by("rid", maintain_order=True)
        .agg(
            dealer_cards=card,
            dealer_count=pl.len(),
            dealer_unread=(card == names.UNREAD).any(),
            dealer_joker=(card == names.JOKER).any(),
            dealer_seqs=pl.col("seq"),
        )
    )


def _miscounted() -> pl.Expr:
    """Fewer than two cards on a hand that is not dead, or another number than was asked for.

    The second card of a split hand comes by itself at one table and is asked for at another. Where nobody's decisions on a hand
    were seen, nobody can say how many cards it was due; a box without any card is out of the round, 19:47-19.15(h).
    """
    count, asked = pl.col("player_count"), pl.col("asked")
    due = asked + GAME.player_cards
    as_asked = (count == due) | (pl.col("split") & (count == due - 1) & (asked > 0))
    decided = pl.col("choice").is_not_null()
    return ~pl.col("dead") & ((count == 1) | (decided & (count > 1) & ~as_asked))


def _with_envy(rows: pl.DataFrame) -> pl.DataFrame:
    staked = pl.col("main_stake") > 0
    envied = with_envy(rows.filter(staked), ["rid"]).select(*BETTOR, "envy_hand")
    return rows.join(envied, on=list(BETTOR), how="left", nulls_equal=True, maintain_order="left").with_columns(
        pl.when(staked).then("envy_hand").otherwise(pl.lit(0, pl.UInt8)).alias("envy_hand")
    )
