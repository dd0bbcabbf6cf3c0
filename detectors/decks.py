"""DECK: the cards themselves, and the counting of them."""

from functools import reduce
from operator import or_

import polars as pl

from detectors.betting import clause_of
from detectors.dealing import stray_board_card
from detectors.finding import tell
from replay import shoe
from replay.counts import COUNTED, LIMIT, without_count
from replay.derivation import Derivation
from replay.facts import last_seqs
from rules import cards, spanish_21
from rules.game import Irregularity
from rules.games import GAMES

kind = pl.col("type")


def _out(derivation: Derivation) -> pl.DataFrame:
    """Every card of the decided rounds, less those of a disputed seq, of which nothing is certain, and those that fit nowhere."""
    games = derivation.rounds.select("rid", "game").filter(pl.col("game").is_in(list(GAMES)))
    return (
        derivation.cards.filter(~pl.col("disputed"))
        .join(games, on="rid", how="inner", maintain_order="left")
        .filter(~stray_board_card().fill_null(False))
    )


def _deck_clause() -> pl.Expr:
    return clause_of(pl.col("game"), {game.name: game.deck_clause for game in GAMES.values()})


def duplicate_card(derivation: Derivation) -> pl.DataFrame:
    """Flags a card that came out of one deck, or in Spanish 21 out of one shoe since its shuffle, more often than it holds it.

    Why: a card switched or slipped in shows as a copy too many. It does not change what was owed on the hands as they lay.

    Blind to: a copy that stayed in the stub or the shoe, and unread cards; what a gap in the feed hides may have been a shuffle,
    and a shoe is counted anew behind it.
    """
    return pl.concat([_twice_in_a_round(derivation), _too_often_in_a_shoe(derivation)], how="diagonal_relaxed")


def _twice_in_a_round(derivation: Derivation) -> pl.DataFrame:
    counted = pl.col("game").cast(pl.String).is_in(list(COUNTED))
    # A card that was found face up and dealt all the same is one card, and DEAL06.
    played = (kind == "card_found_face_up") & (kind.last().over("rid", "card") == "card_dealt")
    seen = _out(derivation).filter(counted & ~pl.col("card").is_in([cards.UNREAD, cards.JOKER])).filter(~played)
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


def _too_often_in_a_shoe(derivation: Derivation) -> pl.DataFrame:
    """Told as soon as the card is seen: what came out since the shuffle is all it takes."""
    if (derivation.openings.frame["game"] != spanish_21.NAME).all():
        return derivation.rounds.select("rid").clear()
    ledger = shoe.ledger(derivation.facts, derivation.openings)
    again = ledger.filter((pl.col("copy") > pl.col("packs")) & ~pl.col("carried") & ~pl.col("again"))
    return tell(
        again.with_columns(game=pl.lit(spanish_21.NAME)),
        "table",
        "round",
        "seat",
        dealer="dealer_now",
        seqs=pl.concat_list("seq"),
        clause=_deck_clause(),
        message=pl.format(
            "{} came out of a shoe of {} packs for the {} time since the shuffle.",
            "card",
            "packs",
            _ordinal(pl.col("copy")),
        ),
    )


def _ordinal(number: pl.Expr) -> pl.Expr:
    return (
        number.cast(pl.String)
        .replace_strict({"2": "second", "3": "third", "4": "fourth"}, default=None, return_dtype=pl.String)
        .fill_null(pl.format("{}th", number))
    )


def foreign_card(derivation: Derivation) -> pl.DataFrame:
    """Flags a card that the game's deck does not hold: a joker, in Spanish 21 a ten that was dealt.

    Why: a deck with a card too many was not inspected, or is not the deck that was.

    Blind to: a foreign card that stayed in the stub, unread cards, and a ten of Spanish 21 that was found and taken out of the
    shoe, which is the law kept.
    """
    joker = pl.col("card") == cards.JOKER
    ten = reduce(
        or_,
        (
            (pl.col("game") == game.name) & pl.col("card").is_in(list(game.foreign)) & (kind == "card_dealt")
            for game in GAMES.values()
            if game.foreign
        ),
    )
    return (
        _out(derivation)
        .filter(joker | ten)
        .pipe(
            tell,
            "rid",
            "seat",
            seqs=pl.concat_list("seq"),
            clause=_deck_clause(),
            message=pl.when(joker)
            .then(pl.lit("A joker came out of a deck that holds none."))
            .otherwise(pl.lit("A 10 was dealt from packs that hold none.")),
        )
    )


def stub_miscounted(derivation: Derivation) -> pl.DataFrame:
    """Flags a count of the stub that, with the cards out, does not make the deck, and a table that ignored it.

    Why: a deck with a card missing or one too many was tampered with or miscounted; either way the law voids the hands and
    removes the deck.

    Blind to: a wrong count after which the round was declared void, which is the law kept, and one that was counted again before
    anybody acted on it, where the last count stands; rounds with events missing; a count of the whole deck, which may have been
    taken after the cards went back.
    """
    counts = derivation.miscounts.filter("stands")
    read_before = last_seqs(derivation.facts.filter("carried")).rename({"seq": "read"})
    # A count inside the round waits for its end, one after it for the next round: a void or a recount may still put it right.
    in_round = pl.col("ended_seq").is_null() | (pl.col("seq") < pl.col("ended_seq"))
    told_at = pl.when(in_round).then(pl.col("decided_seq")).otherwise(pl.col("next_seq"))
    return (
        counts.join(read_before, on="table", how="left", maintain_order="left")
        .filter((told_at > pl.col("read").fill_null(0)).fill_null(derivation.final) & ~pl.col("voided"))
        .pipe(
            tell,
            "rid",
            seqs=pl.concat_list("seq"),
            clause=clause_of(
                pl.col("game"),
                {game.name: game.remedies[Irregularity.WRONG_STUB_COUNT].clause for game in COUNTED.values()},
            ),
            message=pl.format(
                "The stub of deck {} was counted at {}; with {} cards out that makes {}, not {}.",
                "deck",
                "cards",
                "out",
                "total",
                "size",
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
        (pl.col("place") == LIMIT) & pl.col("game").cast(pl.String).is_in(list(COUNTED))
    )
    read_before = last_seqs(derivation.facts.filter("carried")).rename({"seq": "read"})
    # A count may still come between this round and the next: the next round's start decides.
    overdue = uncounted.join(read_before, on="table", how="left").filter(
        (pl.col("next_seq") > pl.col("read").fill_null(0)).fill_null(derivation.final)
    )
    clause, severity = pl.lit(None, pl.String), pl.lit(None, pl.String)
    for game in COUNTED.values():
        for method, deal in game.deal.items():
            here = (pl.col("game") == game.name) & (pl.col("dealing") == method)
            clause = pl.when(here).then(pl.lit(deal.count_clause)).otherwise(clause)
            if deal.count_advisory:
                severity = pl.when(here).then(pl.lit("advisory")).otherwise(severity)
    return tell(
        overdue,
        "rid",
        seqs=pl.concat_list("first_card_seq"),
        clause=clause,
        severity=severity,
        message=pl.lit("The fifth round was dealt without a count of the stub."),
    )
