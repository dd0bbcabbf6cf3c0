"""A card that nobody could read: the law answers exactly where every card it could have been gives the same answer.

Every completion is settled here, and the answers are laid beside the one that was given without knowing the card.
"""

from collections.abc import Iterator
from itertools import permutations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules import cards
from rules.decision import Wager, settle
from rules.three_card_poker import GAME, HANDS, SIX_CARD_HANDS

CARDS = ("p1", "p2", "p3", "d1", "d2", "d3")
ELECTED = {"pair_plus": "1", "ante_bonus": "2", "six_card_bonus": "F"}
WAGERS = GAME.wagers_of("6-card-bonus")
FEW_RANKS = [card for card in cards.DECK if card[0] in "79QK"]
FEW_SUITS = [card for card in cards.DECK if card[1] == "S" or card[0] in "89T"]


def answers(facts: pl.DataFrame, wager: Wager, column: str | None = None) -> pl.Series:
    elected = pl.lit(column or ELECTED.get(wager.name), pl.String)
    return settle(facts.with_columns(stake=pl.lit(500, pl.Int64), column=elected), wager).get_column("owed")


def completions(dealt: list[str | None]) -> list[list[str]]:
    left = [card for card in cards.DECK if card not in dealt]
    unread = [place for place, card in enumerate(dealt) if card == cards.UNREAD]
    return [
        [filling.get(place, card) for place, card in enumerate(dealt)]
        for chosen in permutations(left, len(unread))
        for filling in [dict(zip(unread, chosen, strict=True))]
    ]


def read(hands: list[list[str]], folded: bool | None = False, ante_placed: bool | None = True) -> pl.DataFrame:
    dealt = pl.DataFrame(hands, schema=dict.fromkeys(CARDS, cards.CARD), orient="row")
    decided = {"folded": pl.lit(folded, pl.Boolean), "ante_placed": pl.lit(ante_placed, pl.Boolean)}
    return GAME.hand_facts(dealt).with_columns(**decided)


def possible_and_given(
    dealt: list[str], folded: bool | None, ante_placed: bool, wagers: tuple[Wager, ...], column: str | None = None
) -> Iterator[tuple[str, set[int | None], int | None]]:
    """For each wager the answers of all completions, and the answer without them."""
    whole = read(completions(dealt), folded, ante_placed)
    every = whole if folded is not None else pl.concat(whole.with_columns(folded=pl.lit(f)) for f in (True, False))
    unseen = read([dealt], folded, ante_placed)
    for wager in wagers:
        yield wager.name, set(answers(every, wager, column)), answers(unseen, wager, column).item()


@st.composite
def rounds_with_unread_cards(draw: st.DrawFn, unread: int) -> tuple[list[str], bool | None, bool]:
    deck = draw(st.sampled_from((cards.DECK, FEW_RANKS, FEW_SUITS)))
    dealt = draw(st.lists(st.sampled_from(deck), min_size=6, max_size=6, unique=True))
    for place in draw(st.permutations(range(6)))[:unread]:
        dealt[place] = cards.UNREAD
    return dealt, draw(st.sampled_from((True, False, None))), draw(st.booleans())


@settings(max_examples=60, deadline=None)
@given(rounds_with_unread_cards(unread=1))
def test_one_unread_card_or_an_unseen_decision_leaves_open_exactly_what_turns_on_it(round):
    for wager, possible, answer in possible_and_given(*round, WAGERS):
        assert answer == (next(iter(possible)) if len(possible) == 1 else None), wager


@settings(max_examples=12, deadline=None)
@given(rounds_with_unread_cards(unread=2))
def test_with_two_unread_cards_no_answer_is_given_that_any_completion_contradicts(round):
    for wager, possible, answer in possible_and_given(*round, WAGERS):
        assert answer is None or possible == {answer}, wager


@settings(max_examples=12, deadline=None)
@given(st.integers(1, 2).flatmap(rounds_with_unread_cards))
def test_no_completion_is_worth_less_or_more_than_the_bounds(round):
    dealt, _, _ = round
    unseen = read([dealt]).row(0, named=True)
    every = read(completions(dealt))
    for worth in ("player", "dealer", "six"):
        assert unseen[f"{worth}_low"] <= every[f"{worth}_low"].min()
        assert unseen[f"{worth}_high"] >= every[f"{worth}_high"].max()


def test_three_unread_cards_leave_the_six_wholly_open():
    facts = read([["9C", "9D", "2H", *[cards.UNREAD] * 3]]).row(0, named=True)
    assert (facts["six_low"], facts["six_high"], facts["six_hand"]) == (0, len(SIX_CARD_HANDS) - 1, None)
    assert facts["player_hand"] == HANDS.index("pair")


@pytest.mark.parametrize("place", range(6))
@pytest.mark.parametrize("deck", [list(cards.DECK), FEW_RANKS, FEW_SUITS], ids=["52 cards", "4 ranks", "22 cards"])
def test_five_hundred_dealt_rounds_with_one_unread_card_are_answered_exactly(deck, place):
    random = np.random.default_rng([place, len(deck)])
    dealt = [random.permutation(deck)[:6].tolist() for _ in range(500)]
    for hand in dealt:
        hand[place] = cards.UNREAD
    of_round = pl.Series("round", np.repeat(np.arange(500), 47))
    every = read([hand for row in dealt for hand in completions(row)]).with_columns(of_round)
    unseen = read(dealt)
    for wager in WAGERS:
        told = every.select("round", owed=answers(every, wager)).group_by("round", maintain_order=True)
        agreed = told.agg(owed=pl.when(pl.col("owed").n_unique() == 1).then(pl.col("owed").first())).get_column("owed")
        assert answers(unseen, wager).equals(agreed), wager.name


def wager_named(name: str) -> Wager:
    return next(wager for wager in WAGERS if wager.name == name)


@pytest.mark.parametrize(
    ("wager", "dealt", "owed"),
    [
        ("ante", "2C 3D 5H JC 4D ??", None),
        ("ante", "AC AD AH JC 4D ??", 500),
        ("play", "AC AD AH JC 4D ??", None),
        ("play", "AC AD AH QC 4D ??", 500),
        ("ante", "2C 3D 5H QC 4D ??", -500),
        ("ante_bonus", "2C 9D ?? QC 4D 3H", 0),
        ("ante_bonus", "9C 9D ?? QC 4D 3H", None),
        ("pair_plus", "9C 9D ?? 9H 9S 3H", 500),
        ("pair_plus", "9C 9D ?? 9H 8S 3H", None),
        ("six_card_bonus", "2C 4D 7H 9S JC ??", -500),
        ("six_card_bonus", "2C 4D 7H 9S 9C ??", None),
        ("six_card_bonus", "7C 7D 7H 7S JC ??", 25_000),
    ],
)
def test_an_unread_card_is_weighed_against_the_five_that_were_read(wager, dealt, owed):
    ((_, possible, answer),) = possible_and_given(dealt.split(), False, True, (wager_named(wager),))
    assert answer == owed
    assert (len(possible) == 1) == (owed is not None)


@pytest.mark.parametrize(
    ("wager", "column", "dealt", "every_completion"),
    [
        ("six_card_bonus", "A", "AS KS QS JS TS ??", 500_000),
        ("six_card_bonus", "A", "7C 7D 7H 7S ?? ??", 25_000),
        ("pair_plus", "1", "9C 9D ?? 9H 9S ??", 500),
    ],
    ids=["royal that may be a six-card royal", "four of a kind beside two unread", "trips ruled out beside two unread"],
)
def test_three_rare_hands_stay_open_although_every_completion_agrees(wager, column, dealt, every_completion):
    ((_, possible, answer),) = possible_and_given(dealt.split(), False, True, (wager_named(wager),), column)
    assert possible == {every_completion}
    assert answer is None


@pytest.mark.parametrize("missing", CARDS)
@pytest.mark.parametrize("wager", WAGERS, ids=lambda wager: wager.name)
def test_a_card_that_no_event_dealt_leaves_open_what_is_settled_by_it(wager, missing):
    dealt = {"p1": "2C", "p2": "2D", "p3": "7H", "d1": "QS", "d2": "8C", "d3": "4D"}
    unseen = [*(dealt | {missing: None}).values()]
    asks = {"pair_plus": "p", "ante_bonus": "p"}.get(wager.name, "pd")
    told = answers(read([[*dealt.values()]]), wager).item()
    assert answers(read([unseen]), wager).item() == (None if missing[0] in asks else told)


def test_a_folder_loses_the_ante_whatever_was_not_read():
    blind = read([[cards.UNREAD] * 6], folded=True)
    assert answers(blind, wager_named("ante")).item() == -500
    assert answers(blind, wager_named("pair_plus")).item() == -500
    assert answers(blind, wager_named("ante_bonus")).item() == 0


def test_a_joker_is_worth_no_more_than_a_card_nobody_read():
    joker, unread = (read([["JC", "4D", "2H", "QS", "8C", card]]) for card in (cards.JOKER, cards.UNREAD))
    for wager in WAGERS:
        assert answers(joker, wager).equals(answers(unread, wager)), wager.name


def test_a_card_that_lies_twice_is_settled_by_what_lies_there():
    five_nines = read([["9C", "9D", "2H", "9C", "9H", "9S"]])
    assert answers(five_nines, wager_named("six_card_bonus")).item() == 25_000
    assert answers(five_nines, wager_named("ante")).item() == -500


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.sampled_from((*cards.NAMES, None)), min_size=6, max_size=6),
    st.sampled_from((True, False, None)),
    st.sampled_from((True, False, None)),
)
def test_no_cards_however_impossible_stop_the_law(dealt, folded, ante_placed):
    facts = read([dealt], folded, ante_placed)
    for wager in WAGERS:
        assert answers(facts, wager).dtype == pl.Int64
