"""Heads Up Hold'em, N.J.A.C. 13:69F-39: the law of the game.

The player and the dealer each make the best five of their two cards and the five that all share. Where the text contradicts
itself: a dealer without a pair returns the Ante even where he holds the higher cards, and a pair wins the Pocket Bonus, as
published returns have it; Trips Plus outlives a fold unless the house says otherwise, since only the Ante and the Odds are lost.
"""

from collections.abc import Iterator, Mapping
from datetime import date
from itertools import product
from typing import Final, Literal

import numpy as np
import numpy.typing as npt
import polars as pl

from rules import cards, ranking
from rules.decision import (
    LOSES,
    OTHERWISE,
    PAYS_BY_TABLE,
    PUSHES,
    Condition,
    Equals,
    Needs,
    PayTable,
    Ruling,
    Wager,
    pays,
    pays_by,
    tables_of,
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
    Street,
    Terms,
    elected_options,
)
from rules.paytables import pay_table

NAME: Final = "heads-up-holdem"
EDITION: Final = "13:69F-39"
ONLY: Final = frozenset({EDITION})

HANDS: Final = ranking.FIVE_CARD_HANDS
POCKETS: Final = ("nothing", "pair", "ace_face_unsuited", "ace_face_suited", "pair_of_aces")
PLAYER: Final = ("p1", "p2")
COMMUNITY: Final = ("c1", "c2", "c3", "c4", "c5")
DEALER: Final = ("d1", "d2")
CARDS: Final = (*PLAYER, *COMMUNITY, *DEALER)
MISSING: Final = 255  # in place of a code: a card that no event dealt
BLOCK: Final = 1 << 12  # rounds with an unread card at a time; each is tried with 52 cards

# The lowest value of its kind: the category stands above bit 26.
PAIR, TRIPS, STRAIGHT, ROYAL = (
    HANDS.index(hand) << 26 for hand in ("pair", "three_of_a_kind", "straight", "royal_flush")
)

Bits = npt.NDArray[np.uint16]
Bools = npt.NDArray[np.bool_]

# How the player's and the dealer's hand can stand to each other, as far as any wager asks. One bit for each, so that a set of
# them tells what an unread card leaves possible: taken one by one, "he may have lost" and "he may have a straight" would not
# tell whether he may have lost with one.
Against = Literal["lower", "equal", "higher"]
AGAINST: Final[tuple[Against, ...]] = ("lower", "equal", "higher")
STANDINGS: Final = tuple(
    product((False, True), (False, True), AGAINST)
)  # dealer qualifies, player has a straight, against


def _standings(*against: Against, qualified: bool | None = None, straight: bool | None = None) -> int:
    return sum(
        1 << bit
        for bit, (qualifies, has_straight, stands) in enumerate(STANDINGS)
        if stands in against and qualified in (None, qualifies) and straight in (None, has_straight)
    )


def _surely(yes: pl.Expr, no: pl.Expr) -> pl.Expr:
    """True or false where what was seen decides it, null where an unread card leaves it open."""
    return pl.when(yes).then(True).when(no).then(False)


def _stand(words: str, standings: int) -> Condition:
    among, others = pl.lit(standings, pl.UInt16), pl.lit(~standings & 0xFFFF, pl.UInt16)
    standing = pl.col("standing")
    return Condition(words, _surely(standing & others == 0, standing & among == 0))


player_low, player_high = pl.col("player_low"), pl.col("player_high")

# A line is asked only where those above it fail, so it may take their rounds in. Where it does, an unread card that leaves
# open which of two lines with the same outcome decides leaves nothing open.
folded = Condition("the player folded after the river", pl.col("folded"))
forfeited = Condition(
    "the player folded after the river and the house lets Trips Plus die with the hand",
    pl.col("folded") & pl.col("trips_plus_dies_on_fold"),
)
dealer_without_a_pair = _stand(
    "the dealer's hand is below a pair", _standings("lower", "equal", "higher", qualified=False)
)
beats_a_qualified_dealer = _stand(
    "the dealer qualifies and the player's hand beats the dealer's", _standings("higher", qualified=True)
)
beaten_by_a_qualified_dealer = _stand(
    "the dealer qualifies and the dealer's hand beats the player's", _standings("lower", qualified=True)
)
tie = Condition("the hands are equal", pl.lit(True))
wins_with_a_straight = _stand(
    "the player's hand beats the dealer's and is a straight or better", _standings("higher", straight=True)
)
wins = _stand("the player's hand beats the dealer's and is three of a kind or less", _standings("higher"))
raise_ties = _stand("the hands are equal", _standings("equal"))
odds_tie = _stand("the hands are equal", _standings("equal", "higher"))
loses_without_a_straight = _stand(
    "the dealer's hand beats the player's, which is three of a kind or less", _standings("lower", straight=False)
)
loses_with_a_straight = Condition("the dealer's hand beats the player's, which is a straight or better", pl.lit(True))
trips_or_better = Condition(
    "the player's two cards and the community cards make three of a kind or better",
    _surely(player_low >= TRIPS, player_high < TRIPS),
)
pocket_pays = Condition(
    "the player's two cards are a pair, or an ace with a king, queen or jack",
    _surely(pl.col("pocket_low") > 0, pl.col("pocket_high") == 0),
)

ANTE: Final = Wager(
    "ante",
    "Ante",
    (
        Ruling(folded, LOSES, "13:69F-39.10(h)"),
        Ruling(dealer_without_a_pair, PUSHES, "13:69F-39.11(b)(1)"),
        Ruling(beats_a_qualified_dealer, pays(1), "13:69F-39.11(b)(2)"),
        Ruling(beaten_by_a_qualified_dealer, LOSES, "13:69F-39.11(b)(3)"),
        Ruling(tie, PUSHES, "13:69F-39.11(b)(4)"),
    ),
    needs=(Needs("odds", "13:69F-39.6(c)"),),
    editions=ONLY,
)
ODDS: Final = Wager(
    "odds",
    "Odds",
    (
        Ruling(folded, LOSES, "13:69F-39.10(h)"),
        Ruling(wins_with_a_straight, PAYS_BY_TABLE, "13:69F-39.11(b)(5)"),
        Ruling(wins, PUSHES, "13:69F-39.11(c)"),
        Ruling(odds_tie, PUSHES, "13:69F-39.11(d)"),
        Ruling(loses_without_a_straight, LOSES, "13:69F-39.11(e)"),
        Ruling(loses_with_a_straight, pays_by("bad_beat", "pays by the Bad Beat Bonus table"), "13:69F-39.11(f)"),
    ),
    pay_table=pay_table(NAME, "odds", HANDS),
    other_tables=(pay_table(NAME, "bad_beat", HANDS),),
    hand="player_hand",
    equals=Equals("ante", "13:69F-39.6(c)"),
    needs=(Needs("ante", "13:69F-39.6(c)"),),
    editions=ONLY,
)
RAISE: Final = Wager(
    "raise",
    "Raise",
    (
        Ruling(wins_with_a_straight, pays(1), "13:69F-39.11(b)(5)"),
        Ruling(wins, pays(1), "13:69F-39.11(c)"),
        Ruling(raise_ties, PUSHES, "13:69F-39.11(d)"),
        Ruling(loses_without_a_straight, LOSES, "13:69F-39.11(e)"),
        Ruling(loses_with_a_straight, LOSES, "13:69F-39.11(f)"),
    ),
    before_deal=False,
    needs=(Needs("ante", "13:69F-39.10(d)"),),
    editions=ONLY,
)
TRIPS_PLUS: Final = Wager(
    "trips_plus",
    "Trips Plus",
    (
        Ruling(forfeited, LOSES, "13:69F-39.10(h)"),
        Ruling(trips_or_better, PAYS_BY_TABLE, "13:69F-39.11(g)"),
        Ruling(OTHERWISE, LOSES, "13:69F-39.11(g)"),
    ),
    pay_table=pay_table(NAME, "trips_plus", HANDS),
    hand="player_hand",
    needs=(Needs("ante", "13:69F-39.10(b)"),),
    turns_on=frozenset({"player", "community"}),
    editions=ONLY,
)
POCKET_BONUS: Final = Wager(
    "pocket_bonus",
    "Pocket Bonus",
    (
        Ruling(pocket_pays, PAYS_BY_TABLE, "13:69F-39.11(i)"),
        Ruling(OTHERWISE, LOSES, "13:69F-39.11(i)"),
    ),
    pay_table=pay_table(NAME, "pocket_bonus", POCKETS),
    hand="pocket_hand",
    needs=(Needs("ante", "13:69F-39.10(b)"),),
    turns_on=frozenset({"player"}),
    editions=ONLY,
)


def _pocket(two: ranking.Codes) -> npt.NDArray[np.uint8]:
    """Index into POCKETS of the two cards in each column."""
    low, high = np.sort(two >> 2, axis=0)
    pair, ace, face = low == high, high == cards.RANKS.index("A"), low >= cards.RANKS.index("J")
    suited = two[0] & 3 == two[1] & 3
    return np.select([pair & ace, pair, ace & face & suited, ace & face], [4, 1, 3, 2], default=0).astype(np.uint8)


def _standing(player: ranking.Values, dealer: ranking.Values) -> Bits:
    """The one bit of STANDINGS that holds."""
    against = (player >= dealer).astype(np.uint16) + (player > dealer)
    return np.uint16(1) << against + np.uint16(3) * (player >= STRAIGHT) + np.uint16(6) * (dealer >= PAIR)


def _standing_between(
    player: tuple[ranking.Values, ranking.Values], dealer: tuple[ranking.Values, ranking.Values]
) -> Bits:
    """Every bit of STANDINGS that holds for some value of each between its lowest and its highest."""
    may_be = {
        "lower": player[0] < dealer[1],
        "equal": (player[0] <= dealer[1]) & (dealer[0] <= player[1]),
        "higher": player[1] > dealer[0],
    }
    straight = {True: player[1] >= STRAIGHT, False: player[0] < STRAIGHT}
    qualified = {True: dealer[1] >= PAIR, False: dealer[0] < PAIR}
    bits = np.zeros(player[0].shape, np.uint16)
    for bit, (qualifies, has_straight, against) in enumerate(STANDINGS):
        bits |= (qualified[qualifies] & straight[has_straight] & may_be[against]).astype(np.uint16) << np.uint16(bit)
    return bits


def _unread(hand: ranking.Codes) -> npt.NDArray[np.int64]:
    """How many cards of each column were dealt and not read."""
    counts: npt.NDArray[np.int64] = ((hand >= 52) & (hand != MISSING)).sum(axis=0)
    return counts


def _bounds(seven: ranking.Codes) -> tuple[ranking.Values, ranking.Values]:
    """The lowest and the highest value of seven cards, as far as can be told without trying: more cards make no hand worse."""
    unread = _unread(seven)
    low = ranking.best_five(np.where(seven < 52, seven, 0))
    low[unread > 1] = 0
    five_read = np.flatnonzero((unread == 2) & ((seven < 52).sum(axis=0) == 5))
    low[five_read] = ranking.best_five(np.sort(seven[:, five_read], axis=0)[:5])
    return low, np.where(unread > 0, np.uint32(ROYAL), low)


def _blocks(rows: Bools) -> Iterator[npt.NDArray[np.int64]]:
    found = np.flatnonzero(rows)
    yield from np.split(found, range(BLOCK, found.size, BLOCK))


def _with_each_card(hand: ranking.Codes) -> tuple[ranking.Codes, Bools]:
    """Each column 52 times, with every card in turn where one was not read; and which of these cards lie nowhere else."""
    deck = np.arange(52, dtype=np.uint8)
    free = ~(hand[:, :, None] == deck).any(axis=0)
    tried = np.where(hand[:, :, None] < 52, hand[:, :, None], deck)
    return tried.reshape(hand.shape[0], -1), free


def _range(
    by_card: ranking.Values | npt.NDArray[np.uint8], free: Bools
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
    values = by_card.astype(np.uint32).reshape(free.shape)
    return np.where(free, values, np.uint32(0xFFFFFFFF)).min(axis=1), np.where(free, values, np.uint32(0)).max(axis=1)


def _worth(hand: ranking.Codes) -> dict[str, npt.NDArray[np.uint32] | Bits]:
    """The bounds of both hands and all ways they can stand to each other; a missing card counts as any card here."""
    player, dealer = _bounds(hand[:7]), _bounds(hand[2:])
    standing = _standing(player[0], dealer[0])
    unread, player_unread, dealer_unread = _unread(hand), _unread(hand[:7]), _unread(hand[2:])
    for block in _blocks((player_unread == 1) | (dealer_unread == 1)):
        tried, free = _with_each_card(hand[:, block])
        player_tried, dealer_tried = ranking.best_five(tried[:7]), ranking.best_five(tried[2:])
        for bounds, values, alone in ((player, player_tried, player_unread), (dealer, dealer_tried, dealer_unread)):
            exact = alone[block] == 1
            for bound, best in zip(bounds, _range(values, free), strict=True):
                bound[block[exact]] = best[exact]
        by_card = _standing(player_tried, dealer_tried).reshape(free.shape)
        standing[block] = np.bitwise_or.reduce(np.where(free, by_card, np.uint16(0)), axis=1)
    several = np.flatnonzero(unread > 1)
    standing[several] = _standing_between(
        (player[0][several], player[1][several]), (dealer[0][several], dealer[1][several])
    )
    return {
        "player_low": player[0],
        "player_high": player[1],
        "dealer_low": dealer[0],
        "dealer_high": dealer[1],
        "standing": standing,
    }


def _pocket_worth(hand: ranking.Codes) -> dict[str, npt.NDArray[np.uint32]]:
    unread = _unread(hand[:2])
    low = _pocket(np.where(hand[:2] < 52, hand[:2], 0)).astype(np.uint32)
    high = np.where(unread > 0, np.uint32(len(POCKETS) - 1), low)
    low[unread > 0] = 0
    for block in _blocks(unread == 1):
        tried, free = _with_each_card(hand[:, block])
        low[block], high[block] = _range(_pocket(tried[:2]), free)
    return {"pocket_low": low, "pocket_high": high}


def hand_facts(hands: pl.DataFrame) -> pl.DataFrame:
    """Reads the cards `p1 p2`, `c1` to `c5` and `d1 d2` of each row; null is a card that no event dealt.

    Adds what the player's and the dealer's best five and the player's two cards are worth at the least and at the most
    (`player_low`, `player_high` and so on), the ways in which the hands can stand to each other (`standing`, a set of bits of
    STANDINGS), and the names of the hands, `player_hand`, `dealer_hand` and `pocket_hand`: null where a card leaves them open.
    """
    codes = [cards.code(pl.col(name)).fill_null(MISSING).cast(pl.UInt8) for name in CARDS]
    hand = hands.select(codes).to_numpy().T
    missing = hand == MISSING
    no_player, no_dealer, no_pocket = missing[:7].any(axis=0), missing[2:].any(axis=0), missing[:2].any(axis=0)
    unseen = {"player": no_player, "dealer": no_dealer, "standing": no_player | no_dealer, "pocket": no_pocket}
    facts = {
        name: pl.Series(worth).set(pl.Series(unseen[name.split("_")[0]]), None)
        for name, worth in (_worth(hand) | _pocket_worth(hand)).items()
    }

    def named(who: str, shift: int) -> pl.Expr:
        lowest, highest = pl.col(f"{who}_low") // (1 << shift), pl.col(f"{who}_high") // (1 << shift)
        return pl.when(lowest == highest).then(lowest.cast(pl.UInt8))

    return hands.with_columns(**facts).with_columns(
        player_hand=named("player", 26), dealer_hand=named("dealer", 26), pocket_hand=named("pocket", 0)
    )


def _pay_tables() -> dict[str, PayTable]:
    """Every table that the house elects a column of, by its name. The Bad Beat Bonus is one, though it is no wager."""
    return {table.wager: table for wager in GAME.wagers for table in tables_of(wager)}


def elect(edition: str, pay_tables: Mapping[str, str], options: Mapping[str, str]) -> Terms:
    """The terms of a table, or Refused with the clause that does not offer them."""
    if edition != EDITION:
        raise Refused(f"Heads Up Hold'em has no edition {edition!r}; it has {EDITION}", EDITION)
    known = _pay_tables()
    columns = {"odds": "1", "bad_beat": "1", **pay_tables}
    for name, elected in columns.items():
        if name not in known:
            raise Refused(f"Heads Up Hold'em has no pay table for {name!r}", "13:69F-39.11")
        table = known[name]
        if table.column(elected) is None:
            names = ", ".join(each.name for each in table.columns)
            raise Refused(f"{name} has no column {elected!r}; it has {names}", table.columns[0].clause)
    return Terms(NAME, edition, columns, elected_options(GAME, options))


GAME: Final = Game(
    name=NAME,
    title="Heads Up Hold'em",
    # The text carries no date. The chapter that it is a part of was adopted on this day; no table played by it earlier.
    editions=(Edition(EDITION, date(2011, 11, 7), "13:69F-39"),),
    wagers=(ANTE, ODDS, RAISE, TRIPS_PLUS, POCKET_BONUS),
    options=(
        Option(
            "trips_plus_dies_on_fold",
            ("false", "true"),
            "false",
            "13:69F-39.10(h)",
            "true: a folder loses Trips Plus too; the text saves the Pocket Bonus by name, and takes only the Ante and the Odds",
        ),
        Option(
            "burn",
            ("0", "1", "2", "3"),
            "0",
            "13:69F-39.1",
            "cards burnt in a round: the text says what a burn is and never asks for one",
        ),
    ),
    choices=("raise", "check", "fold"),
    staked={"raise": "raise"},
    deck_size=52,
    player_cards=2,
    dealer_cards=2,
    community_cards=5,
    dealt_in=("ante",),
    deal={
        "manual_shoe": Deal(
            "rotation",
            "13:69F-39.7(d)",
            "13:69F-39.7(b)",
            "13:69F-39.7(f)",
            community=("by_street", "before_hands"),
            community_clause="13:69F-39.10(c)",
        ),
        "hand": Deal(
            "rotation",
            "13:69F-39.8(c)",
            "13:69F-39.8(b)3",
            "13:69F-39.8(e)",
            community=("by_street", "before_hands"),
            community_clause="13:69F-39.10(c)",
        ),
        "automated_shoe": Deal(
            "packets",
            "13:69F-39.9(c)",
            "13:69F-39.9(b)2",
            "13:69F-39.9(e)",
            community=("before_hands",),
            community_clause="13:69F-39.9(c)",
        ),
    },
    streets=(
        Street("pre_flop", 0, ("raise", "check"), (1, 2, 3), "13:69F-39.10(d)"),
        Street("flop", 3, ("raise", "check"), (1, 2), "13:69F-39.10(f)"),
        Street("river", 5, ("raise", "fold"), (1,), "13:69F-39.10(h)"),
    ),
    remedies={
        Irregularity.ONE_CARD_FACE_UP: Remedied(Remedy.RACK_THE_CARD, "13:69F-39.12(a)"),
        Irregularity.MORE_CARDS_FACE_UP: Remedied(Remedy.VOID, "13:69F-39.12(a)"),
        # (c) names the players' hands; the dealer's and the board void too, since 39.7(f)2 counts them as misdealt.
        Irregularity.WRONG_CARD_COUNT: Remedied(Remedy.VOID, "13:69F-39.12(c)"),
        Irregularity.DEALER_CARD_EXPOSED: Remedied(Remedy.VOID, "13:69F-39.12(d)"),
        Irregularity.SHUFFLER_FAILED: Remedied(Remedy.RESHUFFLE, "13:69F-39.12(e)"),
        Irregularity.SHOE_FAILED: Remedied(Remedy.VOID, "13:69F-39.12(f)"),
        Irregularity.WRONG_STUB_COUNT: Remedied(Remedy.VOID_AND_REMOVE, "13:69F-39.7(f)2"),
        Irregularity.WRONG_SHUFFLER_COUNT: Remedied(Remedy.REMOVE_DECK, "13:69F-39.7(g)"),
    },
    count_exempt_clause="13:69F-39.7(g)",
    deck_clause="13:69F-39.2(a)",
    late_clause="13:69F-39.6(b)",
    settle_clause="13:69F-39.11(b)",
    settle_order_binds=False,
    not_offered_clause="13:69F-39.6(a)",
    void_clause="13:69F-39.12",
    # The shorter hours of its sibling games do not name this one: below 24 it is no violation.
    card_life={
        "manual_shoe": CardLife(24, "13:69E-1.18(g)", 8, "13:69E-1.18(g)2"),
        "hand": CardLife(24, "13:69E-1.18(g)", 4, "13:69E-1.18(g)3"),
        "automated_shoe": CardLife(24, "13:69E-1.18(g)", 8, "13:69E-1.18(g)2"),
    },
    max_seats=6,
    procedure=Procedure(
        seated="13:69F-39.6(e)",
        shuffled="13:69F-39.4(a)",
        cut="13:69F-39.4(c)1",
        second_deck="13:69F-39.2(b)",
        hand_dealt="13:69F-39.8(b)1",
        device_removed="13:69F-39.12(g)",
    ),
    hand_facts=hand_facts,
    elect=elect,
)
