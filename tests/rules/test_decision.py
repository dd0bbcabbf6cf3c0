"""The vocabulary: the first line that holds decides, and an unseen fact is an answer only where it makes no difference."""

from fractions import Fraction

import polars as pl
import pytest

from rules.cards import sign
from rules.decision import LOSES, OTHERWISE, PUSHES, Condition, Outcome, Prize, Ruling, Wager, pays, settle
from rules.paytables import pay_table, prize

first = Condition("first", pl.col("first"))
second = Condition("second", pl.col("second"))


def owed(*rulings: Ruling, stake: int = 1000, **facts: bool | None) -> tuple[int | None, str | None]:
    row = pl.DataFrame({"stake": [stake], "column": [None], **{name: [fact] for name, fact in facts.items()}})
    row = row.with_columns(pl.col(name).cast(pl.Boolean) for name in facts)
    settled = settle(row, Wager("wager", "Wager", rulings))
    return settled.item(0, "owed"), settled.item(0, "clause")


TABLE = (Ruling(first, LOSES, "(a)"), Ruling(second, pays(3, 2), "(b)"), Ruling(OTHERWISE, LOSES, "(c)"))


@pytest.mark.parametrize(
    ("facts", "answer"),
    [
        ({"first": True, "second": True}, (-1000, "(a)")),
        ({"first": False, "second": True}, (1500, "(b)")),
        ({"first": False, "second": False}, (-1000, "(c)")),
    ],
)
def test_the_first_line_that_holds_decides_and_is_cited(facts, answer):
    assert owed(*TABLE, **facts) == answer


@pytest.mark.parametrize(
    ("facts", "answer"),
    [
        ({"first": True, "second": None}, (-1000, "(a)")),
        ({"first": None, "second": True}, (None, None)),
        ({"first": False, "second": None}, (None, None)),
        ({"first": None, "second": None}, (None, None)),
    ],
)
def test_an_unseen_fact_leaves_the_answer_open_where_lines_differ(facts, answer):
    assert owed(*TABLE, **facts) == answer


def test_an_unseen_fact_is_no_matter_where_the_lines_still_open_say_the_same_though_another_stands_between():
    assert owed(*TABLE, first=None, second=False) == (-1000, "(a)")


def test_a_table_whose_lines_all_fail_owes_nothing_it_can_name():
    assert owed(Ruling(first, LOSES, "(a)"), first=False) == (None, None)


def test_odds_are_fractions_and_money_is_whole_cents():
    assert owed(Ruling(OTHERWISE, pays(3, 2), "(a)"), stake=500) == (750, "(a)")
    assert pays(3, 2) == Outcome("pays 3 to 2", Fraction(3, 2))
    assert owed(Ruling(OTHERWISE, PUSHES, "(a)"), stake=500) == (0, "(a)")


@pytest.mark.parametrize(
    ("printed", "read"),
    [
        ("1 to 1", Prize(odds=Fraction(1))),
        ("3 to 2", Prize(odds=Fraction(3, 2))),
        ("1,000 to 1", Prize(odds=Fraction(1000))),
        ("$1,000,000", Prize(fixed=100_000_000)),
    ],
)
def test_odds_are_read_as_printed_and_printed_as_read(printed, read):
    assert prize(printed) == read
    assert read.words == printed


@pytest.mark.parametrize("printed", ["1:1", "one to one", "", "1 to 1 ", "1.5 to 1", "100,000"])
def test_odds_that_are_not_printed_so_are_refused(printed):
    with pytest.raises(ValueError, match="are neither"):
        prize(printed)


def test_a_pay_table_that_pays_an_unknown_hand_is_refused():
    with pytest.raises(
        ValueError, match=r"pair_plus\.1 pays hands that the ranking does not have: \['straight_flush'\]"
    ):
        pay_table("three-card-poker", "pair_plus", ("high_card", "pair", "flush", "straight", "three_of_a_kind"))


@pytest.mark.parametrize(
    ("card", "written"), [("TS", "10♠"), ("AH", "A♥"), ("2C", "2♣"), ("??", "??"), ("XX", "joker")]
)
def test_cards_are_written_as_people_write_them(card, written):
    assert sign(card) == written
