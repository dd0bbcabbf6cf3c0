"""Three Card Poker, N.J.A.C. 19:47-20: the law of the game in three editions.

`1998` is the oldest text, `2000` adds the second Pair Plus and Ante bonus columns, `6-card-bonus` adds that wager.
Where the texts are silent the ruling is the one every published analysis of the game agrees with: a tie pushes.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Final

import numpy as np
import polars as pl

from rules import cards, ranking
from rules.decision import (
    LOSES,
    OTHERWISE,
    PAYS_BY_TABLE,
    PAYS_NOTHING,
    PUSHES,
    Condition,
    Equals,
    Needs,
    Ruling,
    Wager,
    pays,
)
from rules.game import Deal, Edition, Game, Irregularity, Option, Refused, Remedied, Remedy, Terms
from rules.paytables import pay_table

NAME: Final = "three-card-poker"
ALL: Final = frozenset({"1998", "2000", "6-card-bonus"})
WITH_SIX_CARD_BONUS: Final = frozenset({"6-card-bonus"})

# A mini royal is no rank of its own in this game: it pays as the straight flush it is.
HANDS: Final = ranking.THREE_CARD_HANDS[:-1]
SIX_CARD_ROYALS: Final = (
    "six_card_royal_clubs",
    "six_card_royal_diamonds",
    "six_card_royal_hearts",
    "six_card_royal_spades",
)
SIX_CARD_HANDS: Final = (*ranking.FIVE_CARD_HANDS, *SIX_CARD_ROYALS)
PLAYER: Final = ("p1", "p2", "p3")
DEALER: Final = ("d1", "d2", "d3")

QUEEN_HIGH: Final = ranking.three_card_value("QC 3D 2H")

player_low, player_high = pl.col("player_low"), pl.col("player_high")
dealer_low, dealer_high = pl.col("dealer_low"), pl.col("dealer_high")


def _surely(yes: pl.Expr, no: pl.Expr) -> pl.Expr:
    """True or false where the bounds decide it, null where an unread card leaves it open."""
    return pl.when(yes).then(True).when(no).then(False)


folded = Condition("the player made no Play wager", pl.col("folded"))
dealer_below_queen = Condition(
    "the dealer's hand is below queen high", _surely(dealer_high < QUEEN_HIGH, dealer_low >= QUEEN_HIGH)
)
player_higher = Condition(
    "the player's hand is higher than the dealer's", _surely(player_low > dealer_high, player_high <= dealer_low)
)
player_lower = Condition(
    "the player's hand is lower than the dealer's", _surely(player_high < dealer_low, player_low >= dealer_high)
)
tie = Condition("the hands are equal", pl.lit(True))
forfeited = Condition(
    "the player placed an Ante as well and made no Play wager", pl.col("ante_placed") & pl.col("folded")
)
pair_or_better = Condition("the player holds a pair or better", pl.col("player_hand") >= HANDS.index("pair"))
straight_or_better = Condition(
    "the player made a Play wager and holds a straight or better",
    ~pl.col("folded") & (pl.col("player_hand") >= HANDS.index("straight")),
)
six_card_hand = Condition(
    "the player's and the dealer's six cards make three of a kind or better",
    pl.col("six_hand") >= SIX_CARD_HANDS.index("three_of_a_kind"),
)

ANTE: Final = Wager(
    "ante",
    "Ante",
    (
        Ruling(folded, LOSES, "19:47-20.10(b)"),
        Ruling(dealer_below_queen, pays(1), "19:47-20.11(a)1"),
        Ruling(player_higher, pays(1), "19:47-20.11(a)1"),
        Ruling(player_lower, LOSES, "19:47-20.11(a)1"),
        Ruling(tie, PUSHES, "19:47-20.11(a)1"),
    ),
    editions=ALL,
)
PLAY: Final = Wager(
    "play",
    "Play",
    (
        Ruling(dealer_below_queen, PUSHES, "19:47-20.11(a)1"),
        Ruling(player_higher, pays(1), "19:47-20.11(a)1"),
        Ruling(player_lower, LOSES, "19:47-20.11(a)1"),
        Ruling(tie, PUSHES, "19:47-20.11(a)1"),
    ),
    before_deal=False,
    equals=Equals("ante", "19:47-20.10(b)"),
    needs=(Needs("ante", "19:47-20.10(b)"),),
    editions=ALL,
)
ANTE_BONUS: Final = Wager(
    "ante_bonus",
    "Ante bonus",
    (
        Ruling(straight_or_better, PAYS_BY_TABLE, "19:47-20.11(a)3"),
        Ruling(OTHERWISE, PAYS_NOTHING, "19:47-20.11(a)3"),
    ),
    bonus_on="ante",
    pay_table=pay_table(NAME, "ante_bonus", HANDS),
    hand="player_hand",
    editions=ALL,
)
PAIR_PLUS: Final = Wager(
    "pair_plus",
    "Pair Plus",
    (
        Ruling(forfeited, LOSES, "19:47-20.10(b)"),
        Ruling(pair_or_better, PAYS_BY_TABLE, "19:47-20.11(a)2"),
        Ruling(OTHERWISE, LOSES, "19:47-20.11(a)2"),
    ),
    pay_table=pay_table(NAME, "pair_plus", HANDS),
    hand="player_hand",
    editions=ALL - WITH_SIX_CARD_BONUS,
)
PAIR_PLUS_BESIDE_SIX_CARD_BONUS: Final = replace(
    PAIR_PLUS,
    rulings=(Ruling(forfeited, LOSES, "19:47-20.10(b)1"), *PAIR_PLUS.rulings[1:]),
    editions=WITH_SIX_CARD_BONUS,
)
SIX_CARD_BONUS: Final = Wager(
    "six_card_bonus",
    "6 Card Bonus",
    (
        Ruling(six_card_hand, PAYS_BY_TABLE, "19:47-20.12A(a)"),
        Ruling(OTHERWISE, LOSES, "19:47-20.12A(a)"),
    ),
    pay_table=pay_table(NAME, "six_card_bonus", SIX_CARD_HANDS),
    hand="six_hand",
    needs=(
        Needs("pair_plus", "19:47-20.6(a)4"),
        Needs("ante", "19:47-20.6(a)4ii", only_if=("six_card_bonus_version", "ii")),
    ),
    editions=WITH_SIX_CARD_BONUS,
)


def _six_hands(codes: pl.DataFrame) -> pl.Series:
    """Category of the best five of six, or which six-card royal it is; null where a card is unread or missing."""
    hand = np.stack([codes.get_column(name).fill_null(255).to_numpy() for name in codes.columns]).astype(np.uint8)
    seen = (hand < 52).all(axis=0)
    hand[:, ~seen] = 0
    category = (ranking.best_five(hand) >> np.uint32(26)).astype(np.uint8)
    ranks, suits = np.sort(hand >> 2, axis=0), hand & 3
    royal = (ranks == np.arange(7, 13, dtype=np.uint8)[:, None]).all(axis=0) & (suits == suits[0]).all(axis=0)
    category = np.where(royal, len(ranking.FIVE_CARD_HANDS) + suits[0], category).astype(np.uint8)
    return pl.Series(category).set(pl.Series(~seen), None)


def hand_facts(hands: pl.DataFrame) -> pl.DataFrame:
    """Reads the cards `p1 p2 p3` and `d1 d2 d3` of each row: adds the bounds, the categories and the six-card hand."""
    player = [pl.col(name) for name in PLAYER]
    dealer = [pl.col(name) for name in DEALER]
    low, high = ranking.three_card_bounds(*player)
    against_low, against_high = ranking.three_card_bounds(*dealer)
    category = ranking.three_card_category(*player)
    straight_flush = HANDS.index("straight_flush")
    read = hands.with_columns(
        player_low=low,
        player_high=high,
        dealer_low=against_low,
        dealer_high=against_high,
        player_hand=pl.min_horizontal(category, pl.lit(straight_flush, pl.UInt8)).cast(pl.UInt8),
    )
    codes = hands.select(cards.code(pl.col(name)).alias(name) for name in (*PLAYER, *DEALER))
    return read.with_columns(_six_hands(codes).alias("six_hand"))


def elect(edition: str, pay_tables: Mapping[str, str], options: Mapping[str, str]) -> Terms:
    """The terms of a table, or Refused with the clause that does not offer them."""
    if edition not in ALL:
        raise Refused(f"Three Card Poker has no edition {edition!r}; it has {', '.join(sorted(ALL))}", "19:47-20")
    tables = {wager.name: wager for wager in GAME.wagers if wager.pay_table is not None}
    columns = {"pair_plus": "1", "ante_bonus": "1", **pay_tables}
    for name, column in columns.items():
        wager = tables.get(name)
        if wager is None or wager.pay_table is None:
            raise Refused(f"Three Card Poker has no pay table for {name!r}", "19:47-20.11(a)")
        if edition not in wager.editions:
            raise Refused(f"edition {edition} does not offer the {wager.title}", "19:47-20.12A(a)")
        offered = wager.pay_table.column(column)
        if offered is None:
            names = ", ".join(each.name for each in wager.pay_table.columns)
            raise Refused(f"{wager.title} has no column {column!r}; it has {names}", "19:47-20.11(a)")
        if edition not in offered.editions:
            raise Refused(f"{wager.title} column {column} is not in edition {edition}", offered.clause)
    if columns["ante_bonus"] == "2" and columns["pair_plus"] != "2":
        raise Refused("the Ante bonus 1/5/6 goes only with Pair Plus 33/35", "19:47-20.11(a)3i")
    elected = dict(options)
    bonus_column = columns.get("six_card_bonus")
    version = elected.setdefault("six_card_bonus_version", "ii" if bonus_column in ("E", "F") else "i")
    if version not in ("i", "ii"):
        raise Refused(f"the 6 Card Bonus has versions i and ii, not {version!r}", "19:47-20.6(a)4")
    if version == "i" and bonus_column in ("E", "F"):
        raise Refused(f"6 Card Bonus column {bonus_column} is offered only in version ii", "19:47-20.11(a)4i")
    return Terms(NAME, edition, columns, elected)


GAME: Final = Game(
    name=NAME,
    title="Three Card Poker",
    editions=(
        Edition("1998", date(1998, 9, 8), "19:47-20"),
        Edition("2000", date(2000, 2, 22), "19:47-20.11(a)2i"),
        Edition("6-card-bonus", date(2000, 2, 22), "19:47-20.12A", elective=True),
    ),
    wagers=(ANTE, PLAY, ANTE_BONUS, PAIR_PLUS, PAIR_PLUS_BESIDE_SIX_CARD_BONUS, SIX_CARD_BONUS),
    options=(
        Option(
            "six_card_bonus_version",
            ("i", "ii"),
            "i",
            "19:47-20.6(a)4",
            "i: the 6 Card Bonus needs a Pair Plus wager; ii: it needs an Ante as well",
        ),
    ),
    choices=("play", "fold"),
    deck_size=52,
    player_cards=3,
    dealer_cards=3,
    dealt_in=("ante", "pair_plus"),
    deal={
        "manual_shoe": Deal("rotation", "19:47-20.7(c)", "19:47-20.7(b)", "19:47-20.7(e)"),
        "hand": Deal("rotation", "19:47-20.8(c)", "19:47-20.8(b)3", "19:47-20.8(e)"),
        "automated_shoe": Deal("packets", "19:47-20.9(c)", "19:47-20.9(b)2", "19:47-20.9(e)"),
    },
    remedies={
        Irregularity.ONE_CARD_FACE_UP: Remedied(Remedy.RACK_THE_CARD, "19:47-20.12(a)"),
        Irregularity.MORE_CARDS_FACE_UP: Remedied(Remedy.VOID, "19:47-20.12(a)"),
        Irregularity.WRONG_CARD_COUNT: Remedied(Remedy.VOID, "19:47-20.12(c)"),
        Irregularity.DEALER_CARD_EXPOSED: Remedied(Remedy.VOID, "19:47-20.12(d)"),
        Irregularity.SHUFFLER_FAILED: Remedied(Remedy.RESHUFFLE, "19:47-20.12(e)"),
        Irregularity.SHOE_FAILED: Remedied(Remedy.VOID, "19:47-20.12(f)"),
        Irregularity.WRONG_STUB_COUNT: Remedied(Remedy.VOID_AND_REMOVE, "19:47-20.7(e)2"),
        Irregularity.WRONG_SHUFFLER_COUNT: Remedied(Remedy.REMOVE_DECK, "19:47-20.7(f)"),
    },
    count_exempt_clause="19:47-20.7(f)",
    deck_clause="19:47-20.2(a)",
    late_clause="19:47-20.6(d)",
    settle_clause="19:47-20.10(c)",
    not_offered_clause="19:47-20.6(a)",
    void_clause="19:47-20.12",
    max_seats=7,
    hand_facts=hand_facts,
    elect=elect,
)
