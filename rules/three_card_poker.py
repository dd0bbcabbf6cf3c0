"""Three Card Poker, N.J.A.C. 19:47-20: the law of the game in three editions.

`1998` is the oldest text, `2000` adds the second Pair Plus and Ante bonus columns, `6-card-bonus` adds that wager.
Where the texts are silent the ruling is the one every published analysis of the game agrees with: a tie pushes.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Final

import numpy as np
import numpy.typing as npt
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
from rules.game import (
    CardLife,
    Deal,
    Edition,
    Game,
    Irregularity,
    Option,
    Procedure,
    Refused,
    Remedied,
    Remedy,
    Terms,
    elected_options,
)
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
MISSING: Final = 255  # in place of a code: a card that no event dealt
BLOCK: Final = 1 << 13  # rounds with an unread card at a time; each is tried with 52 cards

# The lowest hand of its kind.
QUEEN_HIGH: Final = ranking.three_card_value("QC 3D 2H")
PAIR: Final = ranking.three_card_value("2C 2D 3H")
STRAIGHT: Final = ranking.three_card_value("AC 2D 3H")
SIX_CARD_TRIPS: Final = SIX_CARD_HANDS.index("three_of_a_kind")
HIGHEST_SIX: Final = len(SIX_CARD_HANDS) - 1

player_low, player_high = pl.col("player_low"), pl.col("player_high")
dealer_low, dealer_high = pl.col("dealer_low"), pl.col("dealer_high")
six_low, six_high = pl.col("six_low"), pl.col("six_high")


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
pair_or_better = Condition("the player holds a pair or better", _surely(player_low >= PAIR, player_high < PAIR))
straight_or_better = Condition(
    "the player made a Play wager and holds a straight or better",
    ~pl.col("folded") & _surely(player_low >= STRAIGHT, player_high < STRAIGHT),
)
six_card_hand = Condition(
    "the player's and the dealer's six cards make three of a kind or better",
    _surely(six_low >= SIX_CARD_TRIPS, six_high < SIX_CARD_TRIPS),
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
    turns_on=frozenset({"player"}),
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
    turns_on=frozenset({"player"}),
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


def _six_hand(hand: ranking.Codes) -> npt.NDArray[np.uint8]:
    """Index into SIX_CARD_HANDS: the best five of six, or the six-card royal that they are."""
    category = (ranking.best_five(hand) >> np.uint32(26)).astype(np.uint8)
    royal = np.flatnonzero(category == ranking.FIVE_CARD_HANDS.index("royal_flush"))
    ranks, suits = np.sort(hand[:, royal] >> 2, axis=0), hand[:, royal] & 3
    nine_to_ace = (ranks == np.arange(7, 13)[:, None]).all(axis=0)
    six_card = nine_to_ace & (suits == suits[0]).all(axis=0)
    category[royal[six_card]] = len(ranking.FIVE_CARD_HANDS) + suits[0, six_card]
    return category


def _one_unread(hand: ranking.Codes) -> dict[str, npt.NDArray[np.uint16]]:
    """The bounds where one card of six is unread: every card that lies nowhere else is tried in its place."""
    deck = np.arange(52, dtype=np.uint8)
    elsewhere = (hand[:, :, None] == deck).any(axis=0)
    tried = np.where(hand[:, :, None] < 52, hand[:, :, None], deck).reshape(6, -1)
    bounds = {}
    for name, value in (
        ("player", ranking.three_card_values(tried[:3])),
        ("dealer", ranking.three_card_values(tried[3:])),
        ("six", _six_hand(tried)),
    ):
        by_card = value.astype(np.uint16).reshape(elsewhere.shape)
        bounds[f"{name}_low"] = np.where(elsewhere, np.uint16(0xFFFF), by_card).min(axis=1)
        bounds[f"{name}_high"] = np.where(elsewhere, np.uint16(0), by_card).max(axis=1)
    return bounds


def hand_facts(hands: pl.DataFrame) -> pl.DataFrame:
    """Reads the cards `p1 p2 p3` and `d1 d2 d3` of each row.

    Adds what the player's, the dealer's and all six cards are worth at the least and at the most (`player_low`, `player_high`
    and so on), and the names of the hands, `player_hand` and `six_hand`: null where an unread card leaves them open.
    """
    codes = [cards.code(pl.col(name)).fill_null(MISSING).cast(pl.UInt8) for name in (*PLAYER, *DEALER)]
    hand = hands.select(codes).to_numpy().T
    missing = (hand == MISSING).any(axis=0)
    unread = ((hand >= 52) & ~missing).sum(axis=0)
    six = _six_hand(np.where(hand < 52, hand, 0)).astype(np.uint16)
    player_bounds = ranking.three_card_bounds(*(pl.col(name) for name in PLAYER))
    dealer_bounds = ranking.three_card_bounds(*(pl.col(name) for name in DEALER))
    bounds = hands.select(
        player_low=player_bounds[0],
        player_high=player_bounds[1],
        dealer_low=dealer_bounds[0],
        dealer_high=dealer_bounds[1],
        six_low=pl.Series(np.where(unread > 0, 0, six), dtype=pl.UInt16).set(pl.Series(missing), None),
        six_high=pl.Series(np.where(unread > 0, HIGHEST_SIX, six), dtype=pl.UInt16).set(pl.Series(missing), None),
    ).to_dict()
    one_unread = np.flatnonzero(unread == 1)
    for block in np.split(one_unread, range(BLOCK, one_unread.size, BLOCK)):
        for name, bound in _one_unread(hand[:, block]).items():
            bounds[name].scatter(block, bound)
    lowest, highest = (
        ranking.three_card_category(value).clip(upper_bound=HANDS.index("straight_flush"))
        for value in (player_low, player_high)
    )
    return hands.with_columns(**bounds).with_columns(
        player_hand=pl.when(lowest == highest).then(lowest),
        six_hand=pl.when(six_low == six_high).then(six_low.cast(pl.UInt8)),
    )


def elect(edition: str, pay_tables: Mapping[str, str], options: Mapping[str, str]) -> Terms:
    """The terms of a table, or Refused with the clause that does not offer them."""
    if edition not in ALL:
        raise Refused(f"Three Card Poker has no edition {edition!r}; it has {', '.join(sorted(ALL))}", "19:47-20")
    titles = {wager.name: wager.title for wager in GAME.wagers if wager.pay_table is not None}
    offered = {wager.name: wager.pay_table for wager in GAME.wagers_of(edition)}
    columns = {"pair_plus": "1", "ante_bonus": "1", **pay_tables}
    for name, elected in columns.items():
        if name not in titles:
            raise Refused(f"Three Card Poker has no pay table for {name!r}", "19:47-20.11(a)")
        table = offered.get(name)
        if table is None:
            raise Refused(f"edition {edition} does not offer the {titles[name]}", "19:47-20.12A(a)")
        column = table.column(elected)
        if column is None:
            names = ", ".join(each.name for each in table.columns)
            raise Refused(f"{titles[name]} has no column {elected!r}; it has {names}", "19:47-20.11(a)")
        if edition not in column.editions:
            raise Refused(f"{titles[name]} column {elected} is not in edition {edition}", column.clause)
    if columns["ante_bonus"] == "2" and columns["pair_plus"] != "2":
        raise Refused("the Ante bonus 1/5/6 goes only with Pair Plus 33/35", "19:47-20.11(a)3i")
    bonus_column = columns.get("six_card_bonus")
    only_version_ii = bonus_column in ("E", "F")
    chosen = elected_options(GAME, {"six_card_bonus_version": "ii" if only_version_ii else "i", **options})
    if chosen["six_card_bonus_version"] == "i" and only_version_ii:
        raise Refused(f"6 Card Bonus column {bonus_column} is offered only in version ii", "19:47-20.11(a)4ii")
    return Terms(NAME, edition, columns, chosen)


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
            "i: the 6 Card Bonus needs a Pair Plus wager; ii: it needs an Ante as well, and offers columns E and F",
        ),
    ),
    choices=("play", "fold"),
    staked={"play": "play"},
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
    record_clause="19:47-20.10(d)",
    # The hours of the text that took the place of 19:46-1.18, which is not at hand.
    card_life={
        "manual_shoe": CardLife(8, "13:69E-1.18(g)2"),
        "hand": CardLife(4, "13:69E-1.18(g)3"),
        "automated_shoe": CardLife(8, "13:69E-1.18(g)2"),
    },
    max_seats=7,
    procedure=Procedure(
        seated="19:47-20.6(e)",
        shuffled="19:47-20.5",
        cut="19:47-20.5",
        second_deck="19:47-20.2(b)",
        hand_dealt="19:47-20.8(b)1",
        device_removed="19:47-20.12(g)",
    ),
    hand_facts=hand_facts,
    elect=elect,
)
