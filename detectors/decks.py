"""DECK: the cards themselves, and the counting of them."""

import polars as pl

from detectors.betting import clause_of
from detectors.finding import tell
from replay.counts import LIMIT, without_count
from replay.derivation import Derivation
from replay.facts import last_seqs
from rules import cards
from rules.game import Irregularity
from rules.games import GAMES

kind = pl.col("type")


def _out(derivation: Derivation) -> pl.DataFrame:
    """Every card of the decided rounds, less those of a disputed seq: what it says is not certain."""
    games = derivation.rounds.select("rid", "game").filter(pl.col("game").is_in(list(GAMES)))
    return derivation.cards.filter(~pl.col("disputed")).join(games, on="rid", how="inner", maintain_order="left")


def _deck_clause() -> pl.Expr:
    return clause_of(pl.col("game"), {game.name: game.deck_clause for game in GAMES.values()})


def duplicate_card(derivation: Derivation) -> pl.DataFrame:
    """Flags a card that came out of one deck more often than the deck holds it.

    Why: a card switched or slipped in shows as a second copy. It does not change what was owed on the hands as they lay.

    Blind to: a copy that stayed in the stub, and unread cards.
    """
    seen = _out(derivation).filter(~pl.col("card").is_in([cards.UNREAD, cards.JOKER]))
    twice = seen.group_by("rid", "card").len().filter(pl.col("len") > 1)
    again = (
        seen.join(twice, on=["rid", "card"], how="semi", maintain_order="left")
        .with_columns(
            copy=pl.int_range(pl.len()).over("rid", "card"),
            before=pl.col("seq").shift().over("rid", "card"),
        )
        .filter(pl.col("copy") > 0)
    )
    return tell(
        again,
        "rid",
        "seat",
        seqs=pl.concat_list("before", "seq"),
        clause=_deck_clause(),
        message=pl.format("{} came out of one deck for the {} time.", "card", _ordinal(pl.col("copy") + 1)),
    )


def _ordinal(number: pl.Expr) -> pl.Expr:
    return (
        number.cast(pl.String)
        .replace_strict({"2": "second", "3": "third", "4": "fourth"}, default=None, return_dtype=pl.String)
        .fill_null(pl.format("{}th", number))
    )


def foreign_card(derivation: Derivation) -> pl.DataFrame:
    """Flags a card that the game's deck does not hold: a joker.

    Why: a deck with a card too many was not inspected, or is not the deck that was.

    Blind to: a foreign card that stayed in the stub, and unread cards.
    """
    return (
        _out(derivation)
        .filter(pl.col("card") == cards.JOKER)
        .pipe(
            tell,
            "rid",
            "seat",
            seqs=pl.concat_list("seq"),
            clause=_deck_clause(),
            message=pl.lit("A joker came out of a deck that holds none."),
        )
    )


def stub_miscounted(derivation: Derivation) -> pl.DataFrame:
    """Flags a count of the stub that, with the cards out, does not make the deck, and a table that ignored it.

    Why: a deck with a card missing or one too many was tampered with or miscounted; either way the law voids the hands and
    removes the deck.

    Blind to: a wrong count after which the round was declared void, which is the law kept; rounds with events missing; a count
    of the whole deck, which may have been taken after the cards went back.
    """
    seen_whole = pl.col("started_seq").is_not_null() & pl.col("gap_seq").is_null() & pl.col("disputed_seq").is_null()
    rounds = derivation.all_rounds.select(
        "rid",
        "tid",
        "first_seq",
        "ended_seq",
        "decided_seq",
        "voided",
        "game",
        round_deck="deck",
        known=seen_whole & pl.col("game").is_in(list(GAMES)),
    )
    facts = derivation.facts
    counts = (
        facts.filter((kind == "stub_counted") & ~pl.col("disputed"))
        .select("tid", "table", "seq", "deck", "cards", "carried", "round")
        .sort("seq")
        .join_asof(rounds.sort("first_seq"), left_on="seq", right_on="first_seq", by="tid", check_sortedness=False)
        .filter(pl.col("known") & (pl.col("deck") == pl.col("round_deck")))
    )
    read_before = last_seqs(facts.filter("carried")).rename({"seq": "read"})
    # A count inside the round waits for its end: a void may still put it right. One after the end is told at once.
    in_round = pl.col("ended_seq").is_null() | (pl.col("seq") < pl.col("ended_seq"))
    told_at = pl.when(in_round).then(pl.col("decided_seq")).otherwise(pl.col("seq"))
    counts = counts.join(read_before, on="table", how="left").filter(
        (told_at > pl.col("read").fill_null(0)).fill_null(derivation.final) & ~pl.col("voided")
    )
    if counts.is_empty():
        return counts.select("rid").with_columns(pl.lit(None).alias("seqs")).clear()
    counts = counts.with_row_index("count")
    pairs = counts.select("count", "rid", counted_at="seq")
    left_the_deck = derivation.inside.filter(kind.is_in(["card_dealt", "card_found_face_up"])).select("rid", "seq")
    out = (
        pairs.join(left_the_deck, on="rid", how="inner")
        .filter(pl.col("seq") < pl.col("counted_at"))
        .group_by("count")
        .agg(out=pl.len().cast(pl.Int64))
    )
    size = (
        pl.col("game")
        .cast(pl.String)
        .replace_strict({game.name: game.deck_size for game in GAMES.values()}, return_dtype=pl.Int64)
    )
    total = pl.col("cards").cast(pl.Int64) + pl.col("out").fill_null(0)
    return (
        counts.join(out, on="count", how="left")
        .filter((total != size) & (pl.col("cards") != size))
        .pipe(
            tell,
            "rid",
            seqs=pl.concat_list("seq"),
            clause=clause_of(
                pl.col("game"),
                {game.name: game.remedies[Irregularity.WRONG_STUB_COUNT].clause for game in GAMES.values()},
            ),
            message=pl.format(
                "The stub of deck {} was counted at {}; with {} cards out that makes {}, not {}.",
                "deck",
                "cards",
                pl.col("out").fill_null(0),
                total,
                size,
            ),
        )
    )


def count_overdue(derivation: Derivation) -> pl.DataFrame:
    """Flags the fifth round in a row that was dealt without anybody counting the stub.

    Why: the count every five rounds is how a missing or added card is noticed before it has been used for an evening.

    Blind to: counts hidden by a gap in the feed (the five begin anew behind it); exempt are tables with a shuffler that counts.
    """
    rounds = derivation.all_rounds
    uncounted = without_count(derivation.facts, rounds).filter(
        (pl.col("place") == LIMIT) & pl.col("game").is_in(list(GAMES))
    )
    read_before = last_seqs(derivation.facts.filter("carried")).rename({"seq": "read"})
    # A count may still come between this round and the next: the next round's start decides.
    overdue = uncounted.join(read_before, on="table", how="left").filter(
        (pl.col("next_seq") > pl.col("read").fill_null(0)).fill_null(derivation.final)
    )
    clause = pl.lit(None, pl.String)
    for game in GAMES.values():
        for method, deal in game.deal.items():
            here = (pl.col("game") == game.name) & (pl.col("dealing") == method)
            clause = pl.when(here).then(pl.lit(deal.count_clause)).otherwise(clause)
    return tell(
        overdue,
        "rid",
        seqs=pl.concat_list("first_card_seq"),
        clause=clause,
        message=pl.lit("The fifth round was dealt without a count of the stub."),
    )
