"""Three Card Draw Poker, N.J.A.C. 13:69F-42: three cards to the player, the best three of four to the dealer.

The player folds, plays the three cards (In To Win) or changes one of them unseen (Draw). Where the text is silent: equal ranks
tie, A-2-3 is the lowest straight, and a First 3 Bonus that a folder left under his cards is settled by those cards.
"""

from collections.abc import Mapping
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

NAME: Final = "three-card-draw-poker"
EDITION: Final = "13:69F-42"
ALL: Final = frozenset({EDITION})
HANDS: Final = ranking.THREE_CARD_HANDS
CHOICES: Final = ("in_to_win", "draw", "fold")

PLAYER: Final = ("p1", "p2", "p3")
DEALER: Final = ("d1", "d2", "d3", "d4")
CARDS: Final = (*PLAYER, "discard", "drawn", *DEALER)
MISSING: Final = 255  # in place of a code: a card that no event dealt
BLOCK: Final = 1 << 13  # rounds with an unread card at a time; each is tried with 52 cards
KEPT: Final = ((1, 2), (0, 2), (0, 1))  # the places that are left when the first, second or third card is discarded

# The lowest hand of its kind.
PAIR: Final = ranking.three_card_value("2C 2D 3H")
STRAIGHT: Final = ranking.three_card_value("AC 2D 3H")
PAIR_HAND: Final = HANDS.index("pair")

folded, drew = pl.col("folded"), pl.col("drew")
in_to_win = ~folded & ~drew
player_low, player_high = pl.col("player_low"), pl.col("player_high")
dealer_low, dealer_high = pl.col("dealer_low"), pl.col("dealer_high")
dealt_low, dealt_high = pl.col("dealt_low"), pl.col("dealt_high")
kept_pair = pl.col("kept_pair")


def _surely(yes: pl.Expr, no: pl.Expr) -> pl.Expr:
    """True or false where the bounds decide it, null where an unread card leaves it open."""
    return pl.when(yes).then(True).when(no).then(False)


higher = _surely(player_low > dealer_high, player_high <= dealer_low)
lower = _surely(player_high < dealer_low, player_low >= dealer_high)
straight_or_better = _surely(player_low >= STRAIGHT, player_high < STRAIGHT)
dealt_a_pair = _surely(dealt_low >= PAIR, dealt_high < PAIR)

player_folded = Condition("the player folded", folded)
player_higher = Condition("the player's hand is higher than the dealer's best three", higher)
player_lower = Condition("the player's hand is lower than the dealer's best three", lower)
tie = Condition("the hands are equal", pl.lit(True))

ANTE: Final = Wager(
    "ante",
    "Ante",
    (
        Ruling(player_folded, LOSES, "13:69F-42.10(f)1"),
        Ruling(
            Condition("In To Win, and the player's hand is higher", in_to_win & higher), pays(1), "13:69F-42.10(h)4"
        ),
        Ruling(Condition("In To Win, and the player's hand is lower", in_to_win & lower), LOSES, "13:69F-42.10(h)5"),
        Ruling(
            Condition("In To Win, and the hands are equal", in_to_win & ~higher & ~lower), PUSHES, "13:69F-42.10(h)6"
        ),
        # Who neither folded nor played the three cards drew.
        Ruling(Condition("Draw, and the player's hand is higher", higher), pays(1), "13:69F-42.10(h)10"),
        Ruling(Condition("Draw, and the player's hand is lower", lower), LOSES, "13:69F-42.10(h)11"),
        Ruling(Condition("Draw, and the hands are equal", pl.lit(True)), PUSHES, "13:69F-42.10(h)12"),
    ),
    editions=ALL,
)
IN_TO_WIN: Final = Wager(
    "in_to_win",
    "In To Win",
    (
        Ruling(player_higher, pays(1), "13:69F-42.10(h)4"),
        Ruling(player_lower, LOSES, "13:69F-42.10(h)5"),
        Ruling(tie, PUSHES, "13:69F-42.10(h)6"),
    ),
    before_deal=False,
    equals=Equals("ante", "13:69F-42.10(f)2"),
    needs=(Needs("ante", "13:69F-42.10(f)2"),),
    editions=ALL,
)
DRAW: Final = Wager(
    "draw",
    "Draw",
    (
        Ruling(player_higher, pays(1), "13:69F-42.10(h)10"),
        Ruling(player_lower, LOSES, "13:69F-42.10(h)11"),
        Ruling(tie, PUSHES, "13:69F-42.10(h)12"),
    ),
    before_deal=False,
    equals=Equals("ante", "13:69F-42.10(f)3"),
    needs=(Needs("ante", "13:69F-42.10(f)3"),),
    editions=ALL,
)
IN_TO_WIN_BONUS: Final = Wager(
    "in_to_win_bonus",
    "In To Win/Draw Bonus",
    (
        Ruling(
            Condition("In To Win with a straight or higher", in_to_win & straight_or_better),
            PAYS_BY_TABLE,
            "13:69F-42.10(h)7",
        ),
        Ruling(
            Condition("Draw, and the final hand is a straight or higher", ~folded & straight_or_better),
            PAYS_BY_TABLE,
            "13:69F-42.10(h)13",
        ),
        Ruling(OTHERWISE, PAYS_NOTHING, "13:69F-42.11(c)"),
    ),
    bonus_on="in_to_win",
    bonus_or_on="draw",
    pay_table=pay_table(NAME, "in_to_win_bonus", HANDS),
    hand="player_hand",
    turns_on=frozenset({"player"}),
    editions=ALL,
)
FIRST_3_BONUS: Final = Wager(
    "first_3_bonus",
    "First 3 Bonus",
    (
        Ruling(
            Condition(
                "the player folded at a table where the wager dies with the hand",
                folded & pl.col("first3_dies_on_fold"),
            ),
            LOSES,
            "13:69F-42.10(f)1",
        ),
        Ruling(
            Condition("the player folded a pair or higher", folded & dealt_a_pair), PAYS_BY_TABLE, "13:69F-42.10(f)1"
        ),
        Ruling(
            Condition("In To Win with a pair or higher", in_to_win & dealt_a_pair), PAYS_BY_TABLE, "13:69F-42.10(h)2"
        ),
        Ruling(Condition("Draw, and the two cards kept are a pair", kept_pair), PAYS_BY_TABLE, "13:69F-42.10(h)8"),
        Ruling(Condition("Draw, and the two cards kept are no pair", drew), LOSES, "13:69F-42.10(h)8"),
        Ruling(OTHERWISE, LOSES, "13:69F-42.11(d)"),
    ),
    pay_table=pay_table(NAME, "first_3_bonus", HANDS),
    hand="first_3_hand",
    needs=(Needs("ante", "13:69F-42.10(a)"),),
    turns_on=frozenset({"player"}),
    editions=ALL,
)


def _discard_laid_back(player: ranking.Codes, discard: ranking.Codes) -> ranking.Codes:
    """A discard that was read shows which card the player was dealt where nobody read it.

    Two unread cards are as good as each other; of an unread and a missing one it is laid in the unread place, which leaves open
    whatever turns on the missing one.
    """
    shown = (discard < 52) & (player != discard).all(axis=0)
    laid = player.copy()
    for blank in (cards.UNREAD_CODE, MISSING):
        for place in range(3):
            fits = shown & (laid[place] == blank)
            laid[place] = np.where(fits, discard, laid[place])
            shown &= ~fits
    return laid


def _worth(
    player: ranking.Codes, drawn: ranking.Codes, dealer: ranking.Codes, gone: npt.NDArray[np.bool_]
) -> dict[str, npt.NDArray[np.uint16]]:
    """What the three cards dealt, those after the draw, the two kept and the dealer's best three can be worth at the least and at
    the most. `gone`: for each of the three places whether its card may be the discard. A pair kept is 1, none is 0.
    """
    draw_low = np.full(drawn.shape, 0xFFFF, np.uint16)
    draw_high = np.zeros(drawn.shape, np.uint16)
    kept_low, kept_high = np.ones_like(draw_low), np.zeros_like(draw_low)
    for place, (one, other) in enumerate(KEPT):
        low, high = ranking.three_card_range(np.stack([player[one], player[other], drawn]))
        draw_low = np.where(gone[place], np.minimum(draw_low, low), draw_low)
        draw_high = np.where(gone[place], np.maximum(draw_high, high), draw_high)
        both_read = (player[one] < 52) & (player[other] < 52)
        same_rank = player[one] >> 2 == player[other] >> 2
        kept_low = np.where(gone[place], kept_low & (both_read & same_rank), kept_low).astype(np.uint16)
        kept_high = np.where(gone[place], kept_high | (~both_read | same_rank), kept_high).astype(np.uint16)
    dealt_low, dealt_high = ranking.three_card_range(player)
    dealer_low, dealer_high = ranking.best_three_range(dealer)
    return {
        "dealt_low": dealt_low,
        "dealt_high": dealt_high,
        "draw_low": draw_low,
        "draw_high": draw_high,
        "kept_low": kept_low,
        "kept_high": kept_high,
        "dealer_low": dealer_low,
        "dealer_high": dealer_high,
    }


def _one_unread(hand: ranking.Codes, gone: npt.NDArray[np.bool_]) -> dict[str, npt.NDArray[np.uint16]]:
    """The same where one card is unread: every card that lies nowhere else is tried in its place."""
    deck = np.arange(52, dtype=np.uint8)
    elsewhere = (hand[:, :, None] == deck).any(axis=0)
    tried = np.where(hand[:, :, None] == cards.UNREAD_CODE, deck, hand[:, :, None]).reshape(len(hand), -1)
    worth = _worth(tried[:3], tried[3], tried[4:], np.repeat(gone, 52, axis=1))
    bounds = {}
    for name, value in worth.items():
        by_card = value.reshape(elsewhere.shape)
        if name.endswith("_low"):
            bounds[name] = np.where(elsewhere, np.uint16(0xFFFF), by_card).min(axis=1)
        else:
            bounds[name] = np.where(elsewhere, np.uint16(0), by_card).max(axis=1)
    return bounds


def hand_facts(hands: pl.DataFrame) -> pl.DataFrame:
    """Reads the cards `p1 p2 p3` as dealt, `discard` and `drawn` (null if none), `d1 d2 d3 d4`, and the `choice` of each row.

    Adds `folded` and `drew`; what the three cards dealt, the player's final hand and the dealer's best three are worth at the
    least and at the most (`dealt_low`, `dealt_high`, `player_low` and so on); whether the two cards kept are a pair,
    `kept_pair`; and the hands that the pay tables are asked for, `player_hand` and `first_3_hand`. What an unread card or an
    unseen discard or choice leaves open is null, and so is what a missing card or a discard the player never held leaves open.
    """
    codes = [cards.code(pl.col(name)).fill_null(MISSING).cast(pl.UInt8) for name in CARDS]
    table = hands.select(codes).to_numpy().T
    table = np.where(table == cards.JOKER_CODE, np.uint8(cards.UNREAD_CODE), table)
    choice = hands.get_column("choice").cast(pl.String)
    decided = choice.is_in(CHOICES)
    chose_draw = (decided & (choice == "draw")).fill_null(False).to_numpy()
    unsure = ~decided.fill_null(False).to_numpy()
    may_draw = chose_draw | unsure

    discard = np.where(may_draw, table[3], np.uint8(MISSING))
    drawn = np.where(may_draw, table[4], np.uint8(MISSING))
    player, dealer = _discard_laid_back(table[:3], discard), table[5:]
    gone = (discard >= 52) | (player == discard)

    worth = _worth(player, drawn, dealer, gone)
    lying = np.concatenate([player, drawn[None], dealer])
    one_unread = np.flatnonzero((lying == cards.UNREAD_CODE).sum(axis=0) == 1)
    for block in np.split(one_unread, range(BLOCK, one_unread.size, BLOCK)):
        for name, bound in _one_unread(lying[:, block], gone[:, block]).items():
            worth[name][block] = bound

    lost = player == MISSING
    dealt_lost, dealer_lost = lost.any(axis=0), (dealer == MISSING).any(axis=0)
    kept_lost = ~gone.any(axis=0)
    for place, (one, other) in enumerate(KEPT):
        kept_lost |= gone[place] & (lost[one] | lost[other])
    draw_lost = kept_lost | (drawn == MISSING)
    worth["player_low"], worth["player_high"] = (
        np.where(
            chose_draw,
            worth[f"draw_{end}"],
            np.where(unsure, either(worth[f"dealt_{end}"], worth[f"draw_{end}"]), worth[f"dealt_{end}"]),
        )
        for end, either in (("low", np.minimum), ("high", np.maximum))
    )
    player_lost = np.where(chose_draw, draw_lost, np.where(unsure, dealt_lost | draw_lost, dealt_lost))

    # Nobody kept a pair who changed no card.
    worth["kept_low"][~may_draw] = worth["kept_high"][~may_draw] = 0
    unknown = {"dealt": dealt_lost, "player": player_lost, "dealer": dealer_lost, "kept": kept_lost & may_draw}
    bounds = {
        f"{name}_{end}": pl.Series(worth[f"{name}_{end}"]).set(pl.Series(nothing), None)
        for name, nothing in unknown.items()
        for end in ("low", "high")
    }
    return (
        hands.with_columns(
            folded=pl.Series(decided & (choice == "fold")).set(pl.Series(unsure), None),
            drew=pl.Series(decided & (choice == "draw")).set(pl.Series(unsure), None),
            **bounds,
        )
        .with_columns(
            kept_pair=pl.when(pl.col("kept_low") == pl.col("kept_high")).then(pl.col("kept_low") == 1),
            player_hand=_one_hand(player_low, player_high),
            first_3_hand=_one_hand(dealt_low, dealt_high),
        )
        .with_columns(first_3_hand=_first_3_hand())
        .drop("kept_low", "kept_high")
    )


def _one_hand(low: pl.Expr, high: pl.Expr) -> pl.Expr:
    """The index into HANDS where both bounds are the same kind of hand."""
    lowest, highest = ranking.three_card_category(low), ranking.three_card_category(high)
    return pl.when(lowest == highest).then(lowest)


def _first_3_hand() -> pl.Expr:
    """What the First 3 Bonus is paid for: the cards dealt, but after a draw a kept pair and nothing else."""
    dealt = pl.col("first_3_hand")
    pair = pl.lit(PAIR_HAND, pl.UInt8)
    return pl.when(~drew).then(dealt).when(kept_pair & (drew | (dealt == pair))).then(pair)


def elect(edition: str, pay_tables: Mapping[str, str], options: Mapping[str, str]) -> Terms:
    """The terms of a table, or Refused with the clause that does not offer them."""
    if edition not in ALL:
        raise Refused(f"Three Card Draw Poker has no edition {edition!r}; it has {EDITION}", "13:69F-42")
    tables = {wager.name: (wager.title, wager.pay_table) for wager in GAME.wagers if wager.pay_table is not None}
    columns = {"in_to_win_bonus": "1", **pay_tables}
    for name, elected in columns.items():
        if name not in tables:
            raise Refused(f"Three Card Draw Poker has no pay table for {name!r}", "13:69F-42.11")
        title, table = tables[name]
        if table.column(elected) is None:
            names = ", ".join(each.name for each in table.columns)
            raise Refused(f"the {title} has no column {elected!r}; it has {names}", table.columns[0].clause)
    return Terms(NAME, edition, columns, elected_options(GAME, options))


GAME: Final = Game(
    name=NAME,
    title="Three Card Draw Poker",
    # The text is undated. Its chapter, 13:69F, took the place of 19:47 in the Register of 7 November 2011, so no table was
    # dealt under it before that day.
    editions=(Edition(EDITION, date(2011, 11, 7), "13:69F-42"),),
    wagers=(ANTE, IN_TO_WIN, DRAW, IN_TO_WIN_BONUS, FIRST_3_BONUS),
    options=(
        Option(
            "first3_dies_on_fold",
            ("false", "true"),
            "false",
            "13:69F-42.10(f)1",
            "false: a folder's First 3 Bonus stays under his cards and is settled by them; true: it is lost with the Ante",
        ),
        Option(
            "deal_order",
            ("packets", "rotation"),
            "packets",
            "13:69F-42.10(a)",
            "packets: each player's three cards at once; rotation: one card each, three times. The dealer's four come last",
        ),
    ),
    choices=CHOICES,
    staked={"in_to_win": "in_to_win", "draw": "draw"},
    deck_size=52,
    player_cards=3,
    dealer_cards=4,
    dealt_in=("ante",),
    deal={
        "manual_shoe": Deal("packets", "13:69F-42.7(d)", "13:69F-42.7(b)", "13:69F-42.7(e)", dealer_last=True),
        # 42.8 has no count of its own; dealt from the hand, the stub is counted by the clause of the shoe.
        "hand": Deal(
            "packets", "13:69F-42.8(c)", "13:69F-42.8(b)3", "13:69F-42.7(e)", dealer_last=True, count_advisory=True
        ),
        "automated_shoe": Deal("packets", "13:69F-42.9(c)", "13:69F-42.9(b)2", "13:69F-42.9(d)", dealer_last=True),
    },
    remedies={
        # One card is enough here: this text has no clause that lets the game go on without it.
        Irregularity.ONE_CARD_FACE_UP: Remedied(Remedy.VOID, "13:69F-42.12(a)"),
        Irregularity.MORE_CARDS_FACE_UP: Remedied(Remedy.VOID, "13:69F-42.12(a)"),
        Irregularity.WRONG_CARD_COUNT: Remedied(Remedy.VOID, "13:69F-42.12(b)"),
        Irregularity.DEALER_CARD_EXPOSED: Remedied(Remedy.SUPERVISOR_DECIDES, "13:69F-42.12"),
        Irregularity.SHUFFLER_FAILED: Remedied(Remedy.RESHUFFLE, "13:69F-42.12(c)"),
        Irregularity.SHOE_FAILED: Remedied(Remedy.VOID, "13:69F-42.12(d)"),
        Irregularity.WRONG_STUB_COUNT: Remedied(Remedy.VOID_AND_REMOVE, "13:69F-42.7(e)2"),
        Irregularity.WRONG_SHUFFLER_COUNT: Remedied(Remedy.REMOVE_DECK, "13:69F-42.7(f)"),
    },
    count_exempt_clause="13:69F-42.7(f)",
    deck_clause="13:69F-42.2(a)",
    late_clause="13:69F-42.6(b)",
    settle_clause="13:69F-42.10(h)",
    not_offered_clause="13:69F-42.1",
    void_clause="13:69F-42.12",
    max_seats=6,
    procedure=Procedure(
        seated="13:69F-42.6(c)",
        shuffled="13:69F-42.4(a)",
        cut="13:69F-42.4(c)1",
        second_deck="13:69F-42.2(b)",
        hand_dealt="13:69F-42.8(b)1",
    ),
    hand_facts=hand_facts,
    elect=elect,
    record_clause="13:69F-42.10(i)",
    card_life={
        "manual_shoe": CardLife(8, "13:69E-1.18(g)2"),
        "hand": CardLife(4, "13:69E-1.18(g)3"),
        "automated_shoe": CardLife(8, "13:69E-1.18(g)2"),
    },
)
