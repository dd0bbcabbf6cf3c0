"""Spanish 21, N.J.A.C. 19:47-19: settlement, the dealer's drawing rule, and what becomes of irregularities.

The text at hand begins at 19.12(b). What it leaves out is completed from 13:69E-1.10B (the layout and sign of this game),
13:69F-2.11, 2A.9 and 2B.1 (splits, surrender and blackjack in the sibling games) and 58 Pa. Code 635a; each line cites its own.
No text rounds. Odd cents, in a 3 to 2 on an odd stake or the half of one, stay with the house: what is paid is rounded
down to the cent, what is taken is rounded up.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl

from rules import cards
from rules.decision import (
    LOSES,
    OTHERWISE,
    PAYS_BY_TABLE,
    PAYS_NOTHING,
    PUSHES,
    AtMost,
    Condition,
    Needs,
    Outcome,
    Rows,
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

NAME: Final = "spanish-21"
EDITION: Final = "19:47-19"
ALL: Final = frozenset({EDITION})

LISTS: Final = ("player_cards", "first_cards", "dealer_cards")
BONUS_HANDS: Final = (
    "five_cards",
    "six_cards",
    "seven_cards_or_more",
    "six_seven_eight_mixed",
    "six_seven_eight_suited",
    "six_seven_eight_spades",
    "three_sevens_mixed",
    "three_sevens_suited",
    "three_sevens_spades",
)
SUPER_STAKES: Final = ("below_5_dollars", "from_5_dollars", "from_25_dollars")
ENVY_HANDS: Final = ("not_envied", "envied")
# A card that matches the up card in rank counts 1, one that matches it in rank and suit 3, so that sums tell the pairs apart.
MATCHES: Final = {
    0: "no_match",
    1: "one_unsuited",
    2: "two_unsuited",
    3: "one_suited",
    4: "one_suited_one_unsuited",
    6: "two_suited",
}
MATCH_HANDS: Final = tuple(MATCHES.values())

SPADES: Final = cards.SUITS.index("S")
SIX, SEVEN, EIGHT, ACE = (cards.RANKS.index(rank) for rank in "678A")

Mask = npt.NDArray[np.uint64]
Codes = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.bool_]

# A hand's points as a set of bits: bit 0..31 its hard total without an ace, bit 32..63 its hard total with one. Several bits
# are several totals that an unread card leaves possible.
_NO_ACE: Final = np.uint64(0xFFFF_FFFF)
_OVER_21: Final = np.uint64(0xFFC0_0000_FFC0_0000)
_START: Final = np.uint64(1)
_BLACKJACK: Final = np.uint64(1 << 32 + 11)
_21: Final = np.uint64(1 << 21)

NO_CARD: Final = 255
ANY_VALUE: Final = 11  # in place of a point value: a card that nobody read
_VALUES: Final = np.array(
    [{"A": 1}.get(name[0], min(cards.RANKS.index(name[0]) + 2, 10)) for name in cards.DECK]
    + [ANY_VALUE] * (256 - len(cards.DECK)),
    np.uint8,
)


def points(hard: int, with_ace: bool) -> int:
    """The best total of a hand: an ace counts 11 where that does not bust it."""
    return hard + 10 if with_ace and hard <= 11 else hard


def dealer_stands(hard: int, with_ace: bool, hits_soft_17: bool) -> bool:
    """19:47-19.12(b): the dealer draws to 16 and stands on 17, soft or hard; a house that elected it draws to a soft 17."""
    soft_17 = with_ace and hard == 7
    return points(hard, with_ace) >= 17 and not (soft_17 and hits_soft_17)


def _standing(hits_soft_17: bool) -> np.uint64:
    stands = [
        1 << 32 * with_ace + hard
        for with_ace in (False, True)
        for hard in range(22)
        if dealer_stands(hard, with_ace, hits_soft_17)
    ]
    return np.uint64(sum(stands))


_STANDS: Final = np.array([_standing(False), _standing(True)])


def _plus(states: Mask, values: Codes) -> Mask:
    """The totals after one more card of a known value; 0 is no card."""
    with_ace = (states & _NO_ACE) << np.uint64(33) | (states & ~_NO_ACE) << np.uint64(1)
    return np.where(values == 1, with_ace, states << values.astype(np.uint64))


def _drawn(states: Mask, values: Codes) -> Mask:
    """The totals after one more card, which may be unread; a value of 0 is no card."""
    after = _plus(states, values)
    unread = np.flatnonzero(values == ANY_VALUE)
    if unread.size:
        each = [_plus(states[unread], np.full(unread.size, value, np.uint8)) for value in range(1, 11)]
        after[unread] = np.bitwise_or.reduce(each)
    return after


def _totals(states: Mask) -> Mask:
    """The set of totals up to 21 as bits 0..21."""
    hard, with_ace = states & _NO_ACE, states >> np.uint64(32)
    soft = with_ace & np.uint64((1 << 12) - 1)
    totals: Mask = (hard | soft << np.uint64(10) | with_ace & ~np.uint64((1 << 12) - 1)) & np.uint64((1 << 22) - 1)
    return totals


def _lowest(totals: Mask) -> npt.NDArray[np.int64]:
    return _highest(totals & (~totals + np.uint64(1)))


def _highest(totals: Mask) -> npt.NDArray[np.int64]:
    _, exponent = np.frexp(totals.astype(np.float64))
    return exponent.astype(np.int64) - 1


@dataclass(frozen=True, slots=True)
class _Hands:
    """A column of card lists as a matrix of codes, one row a place in the hand; NO_CARD beyond the end."""

    codes: Codes
    size: npt.NDArray[np.int64]
    seen: Flags  # false where there is no list at all

    @property
    def values(self) -> Codes:
        return np.where(self.codes == NO_CARD, 0, _VALUES[self.codes]).astype(np.uint8)


def _hands(rows: pl.DataFrame, column: str, places: int) -> _Hands:
    hand = pl.col(column)
    size = rows.select(hand.list.len().fill_null(0).cast(pl.Int64)).to_series()
    longest = max(places, int(size.to_numpy().max(initial=0)))
    codes = rows.select(
        cards.code(hand.list.get(place, null_on_oob=True))
        .fill_null(pl.when(hand.list.len() > place).then(cards.UNREAD_CODE).otherwise(NO_CARD))
        .fill_null(NO_CARD)
        .cast(pl.UInt8)
        .alias(str(place))
        for place in range(longest)
    )
    matrix = codes.to_numpy().T if rows.height else np.empty((longest, 0), np.uint8)
    return _Hands(matrix, size.to_numpy(), rows.select(hand.is_not_null()).to_series().to_numpy())


def _told(yes: Flags, no: Flags, known: Flags) -> pl.Series:
    """True or false where it is decided, null where an unread card leaves it open or there is no list of cards."""
    return pl.Series(yes).set(pl.Series(~known | ~(yes | no)), None)


def _player_facts(hand: _Hands, split: pl.Series) -> dict[str, pl.Series]:
    values, codes, size = hand.values, hand.codes, hand.size
    states, busts = np.full(size.shape, _START), np.zeros(size.shape, np.bool_)
    for value in values:
        states = _drawn(states, value)
        busts |= states & _OVER_21 != 0
        states &= ~_OVER_21
    totals = _totals(states)
    dealt = hand.seen & (size >= 2)

    # Split, an ace and a ten count 21 and no more.
    first, second = values[0], values[1]
    ace_and_ten = ((first == 1) & (second == 10)) | ((first == 10) & (second == 1))
    could = (
        np.isin(first, (1, 10, ANY_VALUE)) & np.isin(second, (1, 10, ANY_VALUE)) & ((first != second) | (first > 10))
    )
    two = size == 2
    natural = _told(two & ace_and_ten, ~(two & could), dealt) & ~split
    below = totals & ~_21
    bonus, bonus_hand = _bonus(codes, size, dealt)
    return {
        "undealt": pl.Series(size == 0).set(pl.Series(~hand.seen), None),
        "player_natural": natural,
        "player_busts": _told(busts & (totals == 0), ~busts, dealt),
        "player_21": _told((totals & _21 != 0) & (below == 0), totals & _21 == 0, dealt),
        "player_low": pl.Series(_lowest(below)).set(pl.Series(~dealt), None),
        "player_high": pl.Series(_highest(below)).set(pl.Series(~dealt), None),
        "bonus_21": bonus,
        "bonus_hand": bonus_hand,
    }


def _bonus(codes: Codes, size: npt.NDArray[np.int64], dealt: Flags) -> tuple[pl.Series, pl.Series]:
    """Whether a 21 is one of the bonus hands, and which."""
    three = codes[:3]
    read = three < 52
    ranks, suits = three >> 2, three & 3
    unread = (~read).sum(axis=0)
    six_to_eight = (read & (ranks >= SIX) & (ranks <= EIGHT)).sum(axis=0) + unread == 3
    repeated = np.zeros_like(six_to_eight)
    for one, other in ((0, 1), (0, 2), (1, 2)):
        repeated |= read[one] & read[other] & (ranks[one] == ranks[other])
    straight = six_to_eight & ~repeated
    sevens = ((ranks == SEVEN) | ~read).all(axis=0)
    # Where two of three were read the 21 tells the rank of the third, not its suit.
    of_three = (size == 3) & (straight | sevens)
    long = size >= 5
    bonus = _told(long | of_three & (unread <= 1), ~long & ~of_three, dealt)

    low = np.where(read, suits, 9).min(axis=0)
    high = np.where(read, suits, 0).max(axis=0)
    suited = np.where(low == SPADES, 2, 1)
    by_suit = np.where(low != high, 0, suited)
    which = np.where(long, np.clip(size, 5, 7) - 5, np.where(sevens, 6, 3) + by_suit)
    settled = long | of_three & ((unread == 0) | (unread == 1) & (low != high))
    return bonus, pl.Series(which.astype(np.uint8)).set(pl.Series(~(settled & dealt)), None)


def _dealer_facts(hand: _Hands, hits_soft_17: pl.Series) -> dict[str, pl.Series]:
    """By the drawing rule alone. A card drawn to a hand that stands is burned, 19.15(e); one not drawn could have been any."""
    stands = _STANDS[hits_soft_17.fill_null(False).cast(pl.UInt8).to_numpy()]
    known = hand.seen & hits_soft_17.is_not_null().to_numpy()
    size = hand.size
    live = np.full(size.shape, _START)
    totals = np.zeros(size.shape, np.uint64)
    blackjack, busts, drew_on, may_have_drawn_on = np.zeros((4, *size.shape), np.bool_)

    for place, value in enumerate(hand.values):
        # The first two cards were dealt whether or not anybody saw them.
        values = np.where((place < 2) & (value == 0), ANY_VALUE, value).astype(np.uint8)
        last = place == size - 1
        drew_on |= last & (live == 0)
        may_have_drawn_on |= last & (blackjack | busts | (totals != 0))
        states = _drawn(live, values)
        if place == 1:
            blackjack = states & _BLACKJACK != 0
            states &= ~_BLACKJACK
        busts |= states & _OVER_21 != 0
        states &= ~_OVER_21
        totals |= _totals(states & stands)
        live = states & ~stands
    short, may_be_short = (totals == 0) & ~busts & ~blackjack, live != 0
    open_end = np.flatnonzero(may_be_short)
    while open_end.size:
        states = _drawn(live[open_end], np.full(open_end.size, ANY_VALUE, np.uint8))
        busts[open_end] |= states & _OVER_21 != 0
        states &= ~_OVER_21
        totals[open_end] |= _totals(states & stands[open_end])
        live[open_end] = states & ~stands[open_end]
        open_end = open_end[live[open_end] != 0]

    two = known & (size >= 2)
    first = hand.codes[0]
    up_known = hand.seen & (size >= 1) & (first < 52)
    return {
        "up_ace": pl.Series(first >> 2 == ACE).set(pl.Series(~up_known), None),
        "dealer_blackjack": _told(blackjack & (totals == 0) & ~busts, ~blackjack, hand.seen),
        "dealer_busts": _told(busts & (totals == 0), ~busts, known),
        "dealer_low": pl.Series(_lowest(totals)).set(pl.Series(~known), None),
        "dealer_high": pl.Series(_highest(totals)).set(pl.Series(~known), None),
        "dealer_drew_on": _told(drew_on, ~may_have_drawn_on, two),
        "dealer_short": _told(short, ~may_be_short, two),
        "dealer_drew": pl.Series(size > 2).set(pl.Series(~hand.seen), None),
    }


def _match(first_two: _Hands, dealer: _Hands) -> pl.Series:
    """Index into MATCH_HANDS: each of the first two cards against the up card."""
    up, pair = dealer.codes[0], first_two.codes[:2]
    points = np.where(pair >> 2 == up >> 2, np.where(pair == up, 3, 1), 0).sum(axis=0)
    which = np.searchsorted(np.array(list(MATCHES)), points).astype(np.uint8)
    read = (pair < 52).all(axis=0) & (up < 52)
    return pl.Series(which).set(pl.Series(~read), None)


def _super_sevens(player: _Hands, dealer: _Hands) -> pl.Series:
    """Three sevens of one suit against a seven: the cards alone."""
    four = np.concatenate([player.codes[:3], dealer.codes[:1]])
    read = four < 52
    other_rank = (read & (four >> 2 != SEVEN)).any(axis=0)
    suits = four[:3] & 3
    other_suit = np.where(read[:3], suits, 9).min(axis=0) < np.where(read[:3], suits, 0).max(axis=0)
    no = (player.size != 3) | other_rank | other_suit
    return _told(~no & read.all(axis=0), no, player.seen & (dealer.size >= 1))


def hand_facts(hands: pl.DataFrame) -> pl.DataFrame:
    """Reads the cards of each row, one row a bettor on a hand. Lists of cards are in the order they were dealt.

    `player_cards`: the hand's own, the card it was split from first. `first_cards`: the box's first two, before any split.
    `dealer_cards`: the up card first, then the hole card, then what was drawn. A list that nobody can vouch for is null; an
    empty one says that no card was dealt. Also read: `split`, `main_stake`, and the options `dealer_hits_soft_17` as true or
    false. The decision tables ask for `doubled` and `rescued` (by this bettor), `surrendered`, `dead`, `added_for_split`
    (this main covers a split hand, it is not the one placed before the deal) and `card_reader`.

    A ten counts what it shows; a joker is a card that nobody read.
    """
    split = hands.select(pl.col("split").cast(pl.Boolean)).to_series()
    hits_soft_17 = hands.select(pl.col("dealer_hits_soft_17").cast(pl.Boolean)).to_series()
    player, dealer = _hands(hands, "player_cards", 3), _hands(hands, "dealer_cards", 2)
    first_two = _hands(hands, "first_cards", 2)
    stake = pl.col("main_stake")
    return hands.with_columns(
        **_player_facts(player, split),
        **_dealer_facts(dealer, hits_soft_17),
        match_hand=_match(first_two, dealer),
        box_undealt=pl.Series(first_two.size < 2).set(pl.Series(~first_two.seen), None),
        super_sevens=_super_sevens(player, dealer),
        super_stake=(stake >= 500).cast(pl.UInt8) + (stake >= 2500).cast(pl.UInt8),
    )


# Conditions

fact = pl.col


def _surely(yes: pl.Expr, no: pl.Expr) -> pl.Expr:
    return pl.when(yes).then(True).when(no).then(False)


undealt = Condition("no card was dealt to the hand", fact("undealt"))
dead = Condition("the hand was called dead", fact("dead"))
natural = Condition("the player has a blackjack: an ace and a ten-value card, not split", fact("player_natural"))
found_at_once = fact("card_reader") & fact("dealer_blackjack")
added_found_at_once = Condition(
    "the card reader found the dealer's blackjack and the stake covers a split", found_at_once & fact("added_for_split")
)
reader_found_blackjack = Condition("the card reader found the dealer's blackjack", found_at_once)
surrendered_to_blackjack = Condition(
    "the player surrendered and the dealer has a blackjack", fact("surrendered") & fact("dealer_blackjack")
)
surrendered = Condition("the player surrendered", fact("surrendered"))
busts = Condition("the player's hand is over 21", fact("player_busts"))
rescued = Condition("the player doubled and rescued the double", fact("doubled") & fact("rescued"))
rescued_double = Condition("the player rescued the double", fact("rescued"))
bonus_21 = Condition(
    "the player did not double and has a bonus 21", ~fact("doubled") & fact("player_21") & fact("bonus_21")
)
doubled_21 = Condition("the player doubled and has 21", fact("doubled") & fact("player_21"))
has_21 = Condition("the player has 21", fact("player_21"))
added_found_late = Condition(
    "the dealer has a blackjack and the stake covers a split", fact("dealer_blackjack") & fact("added_for_split")
)
dealer_blackjack = Condition("the dealer has a blackjack", fact("dealer_blackjack"))
dealer_busts = Condition("the dealer's hand is over 21", fact("dealer_busts"))
player_higher = Condition(
    "the player's total is higher than the dealer's",
    _surely(fact("player_low") > fact("dealer_high"), fact("player_high") <= fact("dealer_low")),
)
player_lower = Condition(
    "the player's total is lower than the dealer's",
    _surely(fact("player_high") < fact("dealer_low"), fact("player_low") >= fact("dealer_high")),
)
tie = Condition("the totals are equal", pl.lit(True))
no_ace_up = Condition("the dealer's up card is no ace", ~fact("up_ace"))
box_undealt = Condition("the box was not dealt two cards", fact("box_undealt"))
some_match = Condition("a card of the first two matches the dealer's up card", fact("match_hand") > 0)
super_bonus_won = fact("super_sevens") & ~fact("split") & ~fact("doubled") & ~fact("dead") & (fact("main_stake") >= 500)
super_sevens = Condition(
    "the player holds three sevens of one suit, not doubled and not split, against a seven, on a stake of $5 or more",
    super_bonus_won,
)
envied_by_law = Condition("a super bonus was won on a box on which the player has no wager", fact("envy_hand") > 0)

LOSES_HALF: Final = Outcome("loses one half", Fraction(-1, 2))
ORDINARY: Final = "58 Pa. Code 635a.12(a)"
ORIGINAL_ONLY: Final = "13:69F-2.11(d)"

MAIN: Final = Wager(
    "main",
    "Spanish 21 wager",
    (
        Ruling(undealt, PUSHES, "19:47-19.15(h)"),
        Ruling(dead, PUSHES, "19:47-19.15(i)"),
        Ruling(natural, pays(3, 2), "13:69E-1.10B(b)3i"),
        Ruling(added_found_at_once, PUSHES, ORIGINAL_ONLY),
        Ruling(reader_found_blackjack, LOSES, ORDINARY),
        Ruling(surrendered_to_blackjack, LOSES, "13:69F-2A.9(a)"),
        Ruling(surrendered, LOSES_HALF, "13:69F-2A.9(a)"),
        Ruling(busts, LOSES, ORDINARY),
        Ruling(rescued, LOSES, "58 Pa. Code 635a.10"),
        Ruling(bonus_21, PAYS_BY_TABLE, "13:69F-19.5(f)"),
        Ruling(doubled_21, pays(1), "58 Pa. Code 635a.12(b)"),
        Ruling(has_21, pays(1), ORDINARY),
        Ruling(added_found_late, PUSHES, ORIGINAL_ONLY),
        Ruling(dealer_blackjack, LOSES, ORIGINAL_ONLY),
        Ruling(dealer_busts, pays(1), ORDINARY),
        Ruling(player_higher, pays(1), ORDINARY),
        Ruling(player_lower, LOSES, ORDINARY),
        Ruling(tie, PUSHES, ORDINARY),
    ),
    pay_table=pay_table(NAME, "main", BONUS_HANDS),
    hand="bonus_hand",
    editions=ALL,
)
DOUBLE: Final = Wager(
    "double",
    "Double Down",
    (
        Ruling(undealt, PUSHES, "19:47-19.15(h)"),
        Ruling(dead, PUSHES, "19:47-19.15(i)"),
        Ruling(reader_found_blackjack, PUSHES, ORIGINAL_ONLY),
        Ruling(busts, LOSES, ORDINARY),
        Ruling(rescued_double, PUSHES, "58 Pa. Code 635a.10"),
        Ruling(has_21, pays(1), "58 Pa. Code 635a.12(b)"),
        Ruling(dealer_blackjack, PUSHES, ORIGINAL_ONLY),
        Ruling(dealer_busts, pays(1), ORDINARY),
        Ruling(player_higher, pays(1), ORDINARY),
        Ruling(player_lower, LOSES, ORDINARY),
        Ruling(tie, PUSHES, ORDINARY),
    ),
    before_deal=False,
    at_most=AtMost("main", Fraction(1), "58 Pa. Code 635a.10"),
    needs=(Needs("main", "19:47-19.13(d)"),),
    editions=ALL,
)
INSURANCE: Final = Wager(
    "insurance",
    "Insurance",
    (
        Ruling(no_ace_up, PUSHES, "13:69E-1.10B(b)3iii"),
        Ruling(dealer_blackjack, pays(2), "13:69E-1.10B(b)3iii"),
        Ruling(OTHERWISE, LOSES, "13:69E-1.10B(b)3iii"),
    ),
    before_deal=False,
    at_most=AtMost("main", Fraction(1, 2), "13:69E-1.10B(b)3iii"),
    needs=(Needs("main", "19:47-19.13(f)"),),
    turns_on=frozenset({"dealer"}),
    editions=ALL,
)
MATCH_THE_DEALER: Final = Wager(
    "match_the_dealer",
    "Match the Dealer",
    (
        Ruling(box_undealt, PUSHES, "19:47-19.15(h)"),
        Ruling(some_match, PAYS_BY_TABLE, "13:69E-1.10B(b)5"),
        Ruling(OTHERWISE, LOSES, "13:69E-1.10B(b)2ii"),
    ),
    pay_table=pay_table(NAME, "match_the_dealer", MATCH_HANDS),
    hand="match_hand",
    column_by_packs=True,
    needs=(Needs("main", "13:69E-1.10B(b)2ii"),),
    editions=ALL,
)
SUPER_BONUS: Final = Wager(
    "super_bonus",
    "Super Bonus",
    (
        Ruling(super_sevens, PAYS_BY_TABLE, "13:69F-19.5(g)"),
        Ruling(OTHERWISE, PAYS_NOTHING, "13:69F-19.5(g)"),
    ),
    bonus_on="main",
    pay_table=pay_table(NAME, "super_bonus", SUPER_STAKES),
    hand="super_stake",
    editions=ALL,
)
ENVY: Final = Wager(
    "envy",
    "Envy Bonus",
    (
        Ruling(envied_by_law, PAYS_BY_TABLE, "13:69F-19.5(g)"),
        Ruling(OTHERWISE, PAYS_NOTHING, "13:69F-19.5(g)"),
    ),
    bonus_on="main",
    pay_table=pay_table(NAME, "envy", ENVY_HANDS),
    hand="envy_hand",
    editions=ALL,
)


def with_envy(rows: Rows, round: Sequence[str]) -> Rows:
    """Adds `envy_hand`: 1 where a super bonus was won on a box that this bettor has no wager on, once for each bettor a round.

    `rows` are all mains of the rounds that the columns `round` name, with `seat`, `hand`, `player`, what `hand_facts` adds and
    the decisions. A bettor with several boxes or hands is paid on the first of them.
    """
    by: list[str] = list(round)
    numbered = rows.with_row_index("_row").with_columns(_won=super_bonus_won)
    boxes = numbered.group_by(*by, seat_won="seat").agg(_won=pl.col("_won").any(ignore_nulls=False))
    boxes = boxes.filter(pl.col("_won").fill_null(True))
    own = numbered.select(*by, "player", seat_won="seat").unique()
    elsewhere = (
        numbered.select("_row", *by, "player")
        .join(boxes, on=by, nulls_equal=True)
        .join(own, on=[*by, "player", "seat_won"], how="anti")
        .group_by("_row")
        .agg(_envied=pl.when(pl.col("player").first().is_not_null()).then(pl.col("_won").any(ignore_nulls=False)))
        .with_columns(_elsewhere=pl.lit(True))
    )
    first = pl.col("_row") == pl.col("_row").sort_by("seat", "hand").first().over(*by, "player")
    told = pl.when(first & pl.col("_elsewhere")).then(pl.col("_envied").cast(pl.UInt8)).otherwise(pl.lit(0, pl.UInt8))
    return (
        numbered.join(elsewhere, on="_row", how="left", maintain_order="left")
        .with_columns(_elsewhere=pl.col("_elsewhere").fill_null(False))
        .with_columns(envy_hand=told)
        .drop("_row", "_won", "_envied", "_elsewhere")
    )


# What the dealer draws

BETTORS: Final = "19:47-19.13(a)"
BOXES: Final = "19:47-19.14"
STANDS_ON_17: Final = "19:47-19.12(b)"
NEEDLESS_DRAW: Final = "19:47-19.12(c)"
# The hands that nothing the dealer draws can change.
decided = (
    fact("undealt")
    | fact("dead")
    | fact("player_natural")
    | fact("surrendered")
    | fact("player_busts")
    | (fact("doubled") & fact("rescued"))
    | fact("player_21")
)


def dealer_draws(rows: Rows, round: Sequence[str]) -> Rows:
    """One line a round: did the dealer draw as he must? True where he did the wrong named, null where it cannot be told.

    `drew_on`: a card to a hand that stands, 19.12(b); it is burned, 19.15(e). `stood_short`: no card to a hand that must draw
    while somebody's wager hung on it, 19.12(b). `drew_needlessly`: a card though every hand was decided, 19.12(c).
    """
    return (
        rows.group_by(*round, maintain_order=True)
        .agg(
            drew_on=pl.col("dealer_drew_on").first(),
            _short=pl.col("dealer_short").first(),
            _drew=pl.col("dealer_drew").first(),
            _all_decided=decided.all(ignore_nulls=False),
        )
        .with_columns(
            stood_short=pl.col("_short") & ~pl.col("_all_decided"),
            drew_needlessly=pl.col("_drew") & pl.col("_all_decided"),
        )
        .drop("_short", "_drew", "_all_decided")
    )


# 19.15: irregularities

REMEDIES: Final[Mapping[Irregularity, Remedied]] = {
    Irregularity.ONE_CARD_FACE_UP: Remedied(Remedy.RACK_THE_CARD, "19:47-19.15(a)"),
    Irregularity.MORE_CARDS_FACE_UP: Remedied(Remedy.VOID, "19:47-19.15(a)"),
    Irregularity.ONE_TEN: Remedied(Remedy.DESTROY_THE_TEN, "19:47-19.15(b)"),
    Irregularity.MORE_TENS: Remedied(Remedy.VOID, "19:47-19.15(b)"),
    Irregularity.DRAWN_UNSEEN: Remedied(Remedy.NEXT_CARD, "19:47-19.15(c)"),
    Irregularity.DRAWN_EXPOSED: Remedied(Remedy.OFFER_THE_CARD, "19:47-19.15(d)"),
    Irregularity.EXPOSED_AND_REFUSED: Remedied(Remedy.BURN_THE_CARD, "19:47-19.15(d)"),
    Irregularity.DEALER_DREW_ON: Remedied(Remedy.BURN_THE_CARD, "19:47-19.15(e)"),
    Irregularity.DEALER_MISSED: Remedied(Remedy.DEAL_OWN_LAST, "19:47-19.15(f)"),
    Irregularity.SHOE_RAN_OUT: Remedied(Remedy.SHUFFLE_THE_RACK, "19:47-19.15(g)"),
    Irregularity.NO_CARDS: Remedied(Remedy.DEAD_HAND, "19:47-19.15(h)"),
    Irregularity.ONE_CARD: Remedied(Remedy.SECOND_CARD_LAST, "19:47-19.15(h)"),
    Irregularity.HIT_MISSED: Remedied(Remedy.HIT_LATE_OR_DEAD, "19:47-19.15(i)"),
    Irregularity.SHUFFLER_FAILED: Remedied(Remedy.RESHUFFLE, "19:47-19.15(j)"),
    Irregularity.SHUFFLED_OTHERWISE: Remedied(Remedy.REMOVE_DEVICE, "19:47-19.15(k)"),
    Irregularity.READ_AND_SHOWN: Remedied(Remedy.ALL_DEAD, "19:47-19.15(l)1"),
    Irregularity.READ_UNSEEN: Remedied(Remedy.PLAY_ON, "19:47-19.15(l)2"),
    Irregularity.READER_FAILED: Remedied(Remedy.NO_READER, "19:47-19.15(m)"),
}


def elect(edition: str, pay_tables: Mapping[str, str], options: Mapping[str, str]) -> Terms:
    """The terms of a table, or Refused with the clause that does not offer them."""
    if edition != EDITION:
        raise Refused(f"Spanish 21 has no edition {edition!r}; it has {EDITION}", EDITION)
    columns = {"main": "1", "super_bonus": "1", "envy": "1", **pay_tables}
    offered = {wager.name: wager for wager in GAME.wagers}
    for name, elected in columns.items():
        wager = offered.get(name)
        if wager is None or wager.pay_table is None:
            raise Refused(f"Spanish 21 has no pay table for {name!r}", "13:69E-1.10B(b)")
        if wager.pay_table.column(elected) is None:
            names = ", ".join(each.name for each in wager.pay_table.columns)
            raise Refused(f"{wager.title} has no column {elected!r}; it has {names}", wager.pay_table.columns[0].clause)
    return Terms(NAME, edition, columns, elected_options(GAME, options))


_SHOE: Final = Deal("rotation", "19:47-19.15(f)", "13:69F-2.3(a)", "19:47-19.15")

GAME: Final = Game(
    name=NAME,
    title="Spanish 21",
    # The day that the compilation which prints the text is known to have been in force; an earlier one is not guessed.
    editions=(Edition(EDITION, date(2000, 2, 22), EDITION),),
    wagers=(MAIN, DOUBLE, INSURANCE, MATCH_THE_DEALER, SUPER_BONUS, ENVY),
    options=(
        Option("dealer_hits_soft_17", ("false", "true"), "false", "19:47-19.12(b)", "the dealer draws to a soft 17"),
        Option(
            "boxes_per_player",
            ("1", "2", "3", "4", "5", "6"),
            "1",
            "19:47-19.14",
            "on how many boxes one player may wager",
        ),
        Option("burn", ("1", "0"), "1", "19:47-19.15(g)", "how many cards are burned after a shuffle"),
        Option(
            "card_reader",
            ("true", "false"),
            "true",
            "19:47-19.15(l)",
            "true: a reader shows the dealer's blackjack before anybody plays; false: it is found after all have played",
        ),
    ),
    choices=("hit", "stand", "double", "split", "surrender", "rescue", "dead", "ride"),
    staked={"double": "double"},
    deck_size=48,
    player_cards=2,
    dealer_cards=2,
    dealt_in=("main",),
    deal={"manual_shoe": _SHOE, "automated_shoe": _SHOE},
    remedies=REMEDIES,
    count_exempt_clause="19:47-19.15",
    deck_clause="19:47-19.15(b)",
    late_clause="13:69F-2.3(a)",
    settle_clause="13:69F-19.7(h)",
    not_offered_clause="13:69E-1.10B(b)2",
    void_clause="19:47-19.15",
    max_seats=6,
    # Whether and how a new shoe is cut is in no text at hand.
    procedure=Procedure(shuffled="19:47-19.15(g)", shuffled_every_round=False, device_removed="19:47-19.15(k)"),
    hand_facts=hand_facts,
    elect=elect,
    packs=(6, 8),
    foreign=frozenset("T" + suit for suit in cards.SUITS),
    stub_is_counted=False,
    bettors_on_a_box=3,
    card_life={method: CardLife(24, "13:69E-1.18(g)") for method in ("manual_shoe", "automated_shoe")},
    settle_order_binds=False,
)
