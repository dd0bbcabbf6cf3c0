"""Heads Up Hold'em over every deal of a board, a player's and a dealer's two cards: counted, never sampled.

The short form lays some boards beside deals that are dealt one by one; the long form counts all of them and compares with what
others published.
"""

import os
from itertools import combinations

import numpy as np
import polars as pl
import pytest

from rules import cards, ranking
from rules import heads_up_holdem as huh
from rules.decision import settle
from rules.odds import heads_up_holdem as odds
from rules.odds import holdem_play, unwatched
from rules.odds.counting import hands_up_to_suits
from rules.odds.showdowns import FLOPS, HOLDINGS, OPPONENTS, alike_flops, showdowns

SOAK = "CATWALK_SOAK" in os.environ
DEALS = 2_781_381_002_400
BOARDS = ("AC KC QC JC 9D", "7C 7D 7H 2S 9C", "2C 5D 9H JS KC", "AC KC QC JC TC", "8C 8D 3H 3S KC")


def codes(names: str) -> list[int]:
    return [cards.CODE[name] for name in names.split()]


def board_of(names: str) -> np.ndarray:
    return np.array(codes(names), np.uint8)[:, None]


def every_deal(board: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Nine cards, player, board and dealer, for every deal on this board; and which of the 1,081 holdings the player has."""
    left = [code for code in range(52) if code not in board]
    holdings = np.array(list(combinations(left, 2)), np.uint8).T
    bits = (np.uint64(1) << holdings.astype(np.uint64)).sum(axis=0)
    player, dealer = np.nonzero(bits[:, None] & bits == 0)
    shared = np.repeat(board, player.size, axis=1)
    return np.concatenate([holdings[:, player], shared, holdings[:, dealer]]), player


@pytest.mark.parametrize("names", BOARDS)
def test_opponents_are_counted_as_if_every_one_were_dealt(names):
    board = board_of(names)
    dealt, player = every_deal(board)
    own, theirs = ranking.best_five(dealt[:7]), ranking.best_five(dealt[2:])
    stands = np.where(own < theirs, 0, np.where(own == theirs, 1, 2)) + 3 * (theirs >= huh.PAIR)
    shown = showdowns(board, np.ones(1, np.int64), huh.PAIR)
    assert dealt.shape == (9, 1_081 * OPPONENTS)
    for standing in range(6):
        expected = np.bincount(player[stands == standing], minlength=1_081)
        assert shown.against[standing, 0].tolist() == expected.tolist()


@pytest.mark.parametrize("names", BOARDS)
@pytest.mark.parametrize("bad_beat", ["1", "2"])
def test_a_board_is_worth_what_the_law_owes_on_every_deal_of_it(names, bad_beat):
    """Every deal of the board read by the game itself and settled one by one, raised 3 times; and the same counted."""
    board = board_of(names)
    dealt, _ = every_deal(board)
    deck = pl.Series(cards.NAMES, dtype=cards.CARD)
    rows = pl.DataFrame({name: deck.gather(row) for name, row in zip(huh.CARDS, dealt, strict=True)})
    facts = huh.hand_facts(rows).with_columns(
        folded=pl.lit(False), stake=pl.lit(500, pl.Int64), column=pl.lit("1"), bad_beat_column=pl.lit(bad_beat)
    )
    ante, on_odds = (settle(facts, wager)["owed"].sum() for wager in (huh.ANTE, huh.ODDS))
    raised = settle(facts.with_columns(stake=pl.lit(1500, pl.Int64)), huh.RAISE)["owed"].sum()
    (ends,) = holdem_play.played(board, np.ones(1, np.int64), [holdem_play.always_before_the_flop()], unwatched)
    counted = odds.ante_odds_and_raise(ends, bad_beat, holdem_play.ALWAYS_BEFORE_THE_FLOP, 500)
    assert counted.rounds == 10 * 1_081 * OPPONENTS
    assert counted.net * 500 == 10 * (ante + on_odds + raised)


def test_flops_that_differ_only_by_the_names_of_their_suits_are_as_many_as_published():
    number, told_by = alike_flops()
    assert told_by.size == 169
    flop, holding = ((np.uint64(1) << sets.astype(np.uint64)).sum(axis=0) for sets in (FLOPS, HOLDINGS))
    apart = flop[:, None] & holding == 0
    assert apart.sum() == 1_326 * 19_600
    assert np.unique(number[apart]).size == 1_286_792


def test_renaming_the_suits_renames_neither_a_flop_nor_a_way_to_play_it():
    number, _ = alike_flops()
    place = {tuple(flop): at for at, flop in enumerate(FLOPS.T.tolist())}
    held = {tuple(two): at for at, two in enumerate(HOLDINGS.T.tolist())}

    def number_of(holding: str, flop: str) -> int:
        return int(number[place[tuple(sorted(codes(flop)))], held[tuple(sorted(codes(holding)))]])

    assert number_of("AC KC", "2C 7D 9H") == number_of("AS KS", "2S 7H 9C")
    assert number_of("AC KD", "2C 7D 9H") == number_of("AH KC", "2H 7C 9S")
    assert number_of("AC KC", "2C 7D 9H") != number_of("AC KC", "2D 7C 9H")
    assert number_of("AC KD", "2C 7D 9H") != number_of("AC KD", "2D 7C 9H")


@pytest.mark.parametrize("holding", ["2C 2D", "AC 2D", "KC 5D", "KC 2C", "QC 8D", "QC 6C", "JC TD", "JC 8C"])
def test_simple_play_raises_three_times_before_the_flop_with_these(holding):
    assert raises_before_the_flop(holding)


@pytest.mark.parametrize("holding", ["KC 4D", "QC 7D", "QC 5C", "JC 9D", "JC 7C", "TC 9C", "3C 2D"])
def test_simple_play_checks_before_the_flop_with_these(holding):
    assert not raises_before_the_flop(holding)


def raises_before_the_flop(holding: str) -> bool:
    held = {tuple(two): at for at, two in enumerate(HOLDINGS.T.tolist())}
    return bool(holdem_play.simple_play().before[held[tuple(sorted(codes(holding)))]])


@pytest.mark.parametrize(
    ("holding", "board", "times"),
    [
        ("9C 4D", "9H 7S 2D KC 3H", 2),
        ("9C 4D", "8H 7S 2D KC 9H", 1),
        ("9C 4D", "8H 7S 2D KC 3H", 0),
        ("9C 4D", "7H 7S 2D KC 7C", 0),
        ("9C 8D", "7H 6S 5D KC KH", 2),
        ("9C 8D", "7H 6S 2D KC 5H", 1),
        ("9C 8D", "AH KH QH JH TH", 0),
    ],
)
def test_simple_play_raises_with_a_pair_or_better_of_its_own(holding, board, times):
    five = board_of(board)
    shown = showdowns(five, np.ones(1, np.int64), huh.PAIR)
    (at,) = [
        place for place, held in enumerate(shown.holding[0]) if set(HOLDINGS[:, held].tolist()) == set(codes(holding))
    ]
    play = holdem_play.simple_play()
    number, _ = alike_flops()
    first_flop = number[shown.flops[0, 0], shown.holding[0, at]]
    flopped = bool(play.flop[first_flop])
    assert not play.before[shown.holding[0, at]]
    assert (2 if flopped else int(play.river(shown)[0, at])) == times


def test_a_raise_that_is_always_made_wins_as_often_as_it_loses():
    """Neither side chose anything, so the two hands change places: the Raise nets nothing, whenever it is made."""
    boards, alike = hands_up_to_suits(5)
    some = slice(None, None, 1_000)
    plays = [holdem_play.always_before_the_flop(), holdem_play.always_after_the_river()]
    early, late = holdem_play.played(boards[:, some], alike[some], plays, unwatched)
    assert early.drop("times").equals(late.drop("times"))
    assert set(early["times"]) == {3}
    assert set(late["times"]) == {1}
    by_outcome = {
        against: early.filter(
            (pl.col("standing") & sum(1 << bit for bit, each in enumerate(huh.STANDINGS) if each[2] == against)) > 0
        )["rounds"].sum()
        for against in huh.AGAINST
    }
    assert by_outcome["lower"] == by_outcome["higher"]
    assert sum(by_outcome.values()) == 10 * 1_081 * 990 * int(alike[some].sum())


def test_progress_of_the_main_wagers_rises_to_the_total_and_ends_there():
    told: list[tuple[int, int]] = []
    boards, alike = hands_up_to_suits(5)
    odds.main_wagers(boards[:, ::4_000], alike[::4_000], lambda done, total: told.append((done, total)), 500)
    assert told == sorted(told)
    assert told[-1][0] == told[-1][1]


# Every deal


@pytest.fixture(scope="module")
def counted() -> dict[tuple[str, str], odds.WagerOdds]:
    boards, alike = hands_up_to_suits(5)
    return {(each.column, each.strategy): each for each in odds.main_wagers(boards, alike, unwatched, 500)}


in_full = pytest.mark.skipif(not SOAK, reason="long; CATWALK_SOAK=1 runs it")


@in_full
@pytest.mark.parametrize(("bad_beat", "edge"), [("1", "4.553207"), ("2", "2.358423")])
def test_the_best_play_leaves_the_house_its_published_edge(counted, bad_beat, edge):
    best = counted[bad_beat, holdem_play.BEST_PLAY]
    assert best.rounds == 10 * DEALS
    assert f"{float(best.edge) * 100:.6f}" == edge


@in_full
def test_every_way_to_play_ends_as_counted(counted):
    ends = {strategy: tuple(counted["1", strategy].lines.values()) for _, strategy in counted}
    never_folded = (0, 4_842_918_234_000, 9_381_416_590_520, 12_574_985_736_920, 1_014_489_462_560)
    assert ends == {
        holdem_play.ALWAYS_BEFORE_THE_FLOP: never_folded,
        holdem_play.ALWAYS_AFTER_THE_RIVER: never_folded,
        holdem_play.SIMPLE_PLAY: (
            *(7_843_535_223_480, 3_755_428_846_800, 8_738_530_331_080),
            *(6_898_556_161_148, 577_759_461_492),
        ),
        holdem_play.BEST_PLAY: (
            *(5_499_618_791_040, 3_916_585_969_176, 9_193_297_000_920),
            *(8_354_409_665_444, 849_898_597_420),
        ),
    }


@in_full
@pytest.mark.parametrize(
    ("bad_beat", "always", "simple"), [("1", "35.591865", "9.614940"), ("2", "33.397081", "7.547232")]
)
def test_the_other_ways_to_play_leave_it_more(counted, bad_beat, always, simple):
    edges = {
        strategy: f"{float(each.edge) * 100:.6f}" for (column, strategy), each in counted.items() if column == bad_beat
    }
    assert edges[holdem_play.ALWAYS_BEFORE_THE_FLOP] == edges[holdem_play.ALWAYS_AFTER_THE_RIVER] == always
    assert edges[holdem_play.SIMPLE_PLAY] == simple


@in_full
def test_a_royal_loses_in_none_of_all_deals():
    boards, alike = hands_up_to_suits(5)
    (ends,) = holdem_play.played(boards, alike, [holdem_play.always_before_the_flop()], unwatched)
    assert ends["rounds"].sum() == 10 * DEALS
    royals = ends.filter(pl.col("player_hand") == huh.HANDS.index("royal_flush"))
    loses = sum(1 << bit for bit, standing in enumerate(huh.STANDINGS) if standing[2] == "lower")
    assert royals.filter(pl.col("standing") & loses > 0).is_empty()
    # Seven cards can be told apart into two and five in 21 ways; 4 boards are a royal themselves, and the hands then tie.
    assert royals["rounds"].sum() == 10 * 4_324 * 21 * 990
    ties = sum(1 << bit for bit, standing in enumerate(huh.STANDINGS) if standing[2] == "equal")
    assert royals.filter(pl.col("standing") & ties > 0)["rounds"].sum() == 10 * 4 * 1_081 * 990
