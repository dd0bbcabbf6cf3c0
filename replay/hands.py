"""The cards: who was dealt which, in what order, and how many."""

import polars as pl

kind = pl.col("type")


def dealt(acts: pl.DataFrame) -> pl.DataFrame:
    """Every card that left the shoe or deck in a round, in order."""
    return acts.filter(kind.is_in(["card_dealt", "card_found_face_up"])).select(
        "rid", "seq", "type", "to", "seat", "hand", "card", "face", "disputed"
    )


def _cards(names: list[str]) -> list[pl.Expr]:
    return [pl.col("card").get(place, null_on_oob=True).alias(name) for place, name in enumerate(names)]


def player_hands(cards: pl.DataFrame, size: int) -> pl.DataFrame:
    """One row a hand: its first `size` cards as p1, p2 …, how many there were, and its unread and foreign ones."""
    return (
        cards.filter((kind == "card_dealt") & (pl.col("to") == "player"))
        .group_by("rid", "seat", "hand", maintain_order=True)
        .agg(
            *_cards([f"p{place + 1}" for place in range(size)]),
            player_count=pl.len(),
            player_unread=(pl.col("card") == "??").any(),
            player_joker=(pl.col("card") == "XX").any(),
            player_seqs=pl.col("seq"),
        )
    )


def dealer_hands(cards: pl.DataFrame, size: int) -> pl.DataFrame:
    return (
        cards.filter((kind == "card_dealt") & (pl.col("to") == "dealer"))
        .group_by("rid", maintain_order=True)
        .agg(
            *_cards([f"d{place + 1}" for place in range(size)]),
            dealer_count=pl.len(),
            dealer_unread=(pl.col("card") == "??").any(),
            dealer_joker=(pl.col("card") == "XX").any(),
            dealer_seqs=pl.col("seq"),
        )
    )


def decisions(acts: pl.DataFrame) -> pl.DataFrame:
    """The last decision on each hand."""
    return (
        acts.filter(kind == "decision_made")
        .group_by("rid", "seat", "hand", maintain_order=True)
        .agg(choice=pl.col("choice").last())
    )
