"""One round of Three Card Poker, put before the law."""

from collections.abc import Callable

import polars as pl
import pytest

from rules.decision import Wager, settle
from rules.three_card_poker import GAME

Ruled = Callable[..., tuple[int | None, str | None]]
CARDS = ("p1", "p2", "p3", "d1", "d2", "d3")


def wager_of(name: str, edition: str) -> Wager:
    (wager,) = [wager for wager in GAME.wagers_of(edition) if wager.name == name]
    return wager


@pytest.fixture(scope="session")
def ruled() -> Ruled:
    """What is owed on a wager in net cents, and by which clause."""

    def ruled(
        wager: str,
        player: str,
        dealer: str,
        *,
        stake: int = 1000,
        column: str | None = None,
        folded: bool | None = False,
        ante: bool = True,
        edition: str = "6-card-bonus",
    ) -> tuple[int | None, str | None]:
        dealt = pl.DataFrame([player.split() + dealer.split()], schema=dict.fromkeys(CARDS, pl.String), orient="row")
        facts = GAME.hand_facts(dealt).with_columns(
            stake=pl.lit(stake, pl.Int64),
            column=pl.lit(column, pl.String),
            folded=pl.lit(folded, pl.Boolean),
            ante_placed=pl.lit(ante),
        )
        settled = settle(facts, wager_of(wager, edition))
        return settled.item(0, "owed"), settled.item(0, "clause")

    return ruled
