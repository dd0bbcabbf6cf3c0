"""Which cards came out, of which deck, and in which place: what a fair shuffle spreads evenly."""

from collections.abc import Mapping
from typing import Final

import polars as pl

from replay.counts import COUNTED
from replay.decks import NEVER
from replay.derivation import Derivation
from rules import cards

kind = pl.col("type")

_OF_A_DECK: Final[dict[str, pl.DataType]] = {"table": pl.String(), "deck": pl.String()}
DEALT: Final[Mapping[str, pl.DataType]] = {**_OF_A_DECK, "cards": pl.Int64()}
SEEN: Final[Mapping[str, pl.DataType]] = {**_OF_A_DECK, "card": cards.CARD}
PLACES: Final[Mapping[str, pl.DataType]] = {
    "table": pl.String(),
    "method": pl.Enum(["manual", "automated", "preshuffled"]),
    "place": pl.Int64(),
    "card": cards.CARD,
}


def cards_out(derivation: Derivation) -> pl.DataFrame:
    """The cards read of rounds dealt from a shuffled deck, each with its place since the shuffle."""
    shuffled = derivation.decks.filter(
        pl.col("game").cast(pl.String).is_in(list(COUNTED))
        & pl.col("reason").is_null()
        & (pl.col("deck_shuffled") > pl.col("before"))
        & (pl.col("deck_shuffled") != NEVER)
    ).select("rid", "table", "deck", "method")
    decided = derivation.facts.filter(kind == "decision_made").group_by("rid").agg(first_decision=pl.col("seq").min())
    # How many cards are drawn after a decision turns on the cards before it, and so on what is left: they are no fair sample.
    asked_for = (pl.col("to") == "player") & (pl.col("seq") > pl.col("first_decision")).fill_null(False)
    return (
        derivation.cards.filter(kind == "card_dealt")
        .join(shuffled, on="rid", how="inner", maintain_order="left")
        .join(decided, on="rid", how="left", maintain_order="left")
        .filter(~asked_for)
        .with_columns(place=pl.int_range(1, pl.len() + 1).over("rid"))
        .filter(~pl.col("disputed") & ~pl.col("card").is_in([cards.UNREAD, cards.JOKER]))
        .unique(["rid", "card"], keep="first", maintain_order=True)
    )


def dealt_cards(out: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """`dealt`: rounds of a deck by how many cards were read; `seen`: by card; `places`: by card and place since the
    shuffle."""
    return {
        "dealt": out.group_by("rid", "table", "deck").agg(cards=pl.len()).group_by(*DEALT).agg(rounds=pl.len()),
        "seen": out.group_by(*SEEN).agg(rounds=pl.len()),
        "places": out.filter(pl.col("method").is_not_null()).group_by(*PLACES).agg(rounds=pl.len()),
    }
