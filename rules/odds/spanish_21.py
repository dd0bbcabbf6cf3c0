"""Spanish 21: insurance, Match the Dealer, naturals, and where the dealer ends."""

from fractions import Fraction
from typing import Final

import numpy as np
import polars as pl

from rules import cards
from rules import spanish_21 as s21
from rules.decision import Wager
from rules.odds.counting import (
    PACKS,
    STAKE,
    Counts,
    Progress,
    WagerOdds,
    deciding_lines,
    owed_in_all,
    settled_by,
    tally,
    unwatched,
)

# One card for each point value; the jack stands for every ten-value card.
OF_VALUE: Final = {value: rank + "S" for value, rank in enumerate("A23456789J", start=1)}


def _read(hits_soft_17: bool = False, **hands: pl.Series) -> pl.DataFrame:
    """What the game reads from these lists of cards where nobody doubled, split or gave up; a list not named was not seen."""
    lists = pl.List(cards.CARD)
    return s21.hand_facts(
        pl.DataFrame({name: of.cast(lists) for name, of in hands.items()}).with_columns(
            *(pl.lit(None, lists).alias(name) for name in s21.LISTS if name not in hands),
            split=pl.lit(False),
            dealer_hits_soft_17=pl.lit(hits_soft_17),
            main_stake=pl.lit(None, pl.Int64),
        )
    )


def _lists(*places: Counts) -> pl.Series:
    """One list a round, of the cards whose places in the pack stand side by side."""
    pack = pl.Series(_pack(), dtype=cards.CARD)
    return pl.select(pl.concat_list(pack.gather(place) for place in places)).to_series()


def _pack() -> list[str]:
    return [card for card in cards.DECK if card not in s21.GAME.foreign]


def _odds(facts: pl.DataFrame, wager: Wager, packs: int, hand: str | None, stake: int) -> WagerOdds:
    column = str(packs) if wager.pay_table is not None else None
    settled = settled_by(facts, wager, column, stake)
    return WagerOdds(
        game=s21.NAME,
        wager=wager.name,
        table=PACKS if wager.pay_table is None else wager.name,
        column=str(packs),
        strategy=None,
        stake=stake,
        rounds=int(facts.get_column("rounds").sum()),
        lines=deciding_lines(settled, wager),
        hands={} if hand is None else tally(settled, hand, s21.MATCH_HANDS),
        net=Fraction(owed_in_all(settled), stake),
    )


def every_wager(progress: Progress = unwatched, stake: int = STAKE) -> list[WagerOdds]:
    """Insurance against an ace from a fresh shoe, and Match the Dealer; `column` is the number of packs."""
    size = s21.GAME.deck_size
    up, first, second = np.indices((size, size, size)).reshape(3, -1)
    matches = _read(first_cards=_lists(first, second), dealer_cards=_lists(up))
    hole = np.arange(size)
    ace = np.full(size, _pack().index("AS"))
    ace_up = _read(dealer_cards=_lists(ace, hole))
    found = []
    for done, packs in enumerate(s21.GAME.packs, start=1):
        insured = ace_up.with_columns(rounds=pl.Series(packs - (hole == ace)))
        found.append(_odds(insured, s21.INSURANCE, packs, None, stake))
        ways = packs * (packs - (first == up)) * (packs - (second == up).astype(np.int64) - (second == first))
        met = matches.with_columns(rounds=pl.Series(ways))
        found.append(_odds(met, s21.MATCH_THE_DEALER, packs, "match_hand", stake))
        progress(done, len(s21.GAME.packs))
    return found


def natural(packs: int) -> Fraction:
    """How often the first two cards of a fresh shoe are a blackjack."""
    one, other = np.indices((s21.GAME.deck_size, s21.GAME.deck_size)).reshape(2, -1)
    ways = packs * (packs - (one == other))
    naturals = _read(player_cards=_lists(one, other)).get_column("player_natural").to_numpy()
    return Fraction(int(ways[naturals].sum()), int(ways.sum()))


def dealer_ends(up: str, packs: int, hits_soft_17: bool = False) -> dict[str, Fraction]:
    """How often the dealer ends on each total, or busts: a fresh shoe less the up card `A23456789J`, given no blackjack."""
    shoe = [0] + [4 * packs] * 9 + [12 * packs]
    first = "A23456789J".index(up) + 1
    shoe[first] -= 1
    hands: list[list[str]] = []
    ways: list[Fraction] = []

    def draw(hand: list[int], chance: Fraction) -> None:
        hard = sum(hand)
        if hard > 21 or (len(hand) > 1 and s21.dealer_stands(hard, 1 in hand, hits_soft_17)):
            hands.append([OF_VALUE[value] for value in hand])
            ways.append(chance)
            return
        total = sum(shoe)
        for value in range(1, 11):
            if shoe[value]:
                left, shoe[value] = shoe[value], shoe[value] - 1
                draw([*hand, value], chance * Fraction(left, total))
                shoe[value] = left

    draw([first], Fraction(1))
    facts = _read(hits_soft_17, dealer_cards=pl.Series(hands))
    ends = facts.select(
        pl.when("dealer_blackjack")
        .then(pl.lit("blackjack"))
        .when("dealer_busts")
        .then(pl.lit("bust"))
        .when(~pl.col("dealer_drew_on") & ~pl.col("dealer_short") & (pl.col("dealer_low") == pl.col("dealer_high")))
        .then(pl.col("dealer_low").cast(pl.String))
    ).to_series()
    found: dict[str, Fraction] = {}
    for end, chance in zip(ends, ways, strict=True):
        found[end] = found.get(end, Fraction(0)) + chance
    no_blackjack = 1 - found.pop("blackjack", Fraction(0))
    return {end: chance / no_blackjack for end, chance in found.items()}
