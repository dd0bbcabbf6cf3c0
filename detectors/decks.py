"""DECK: the cards themselves, and the counting of them."""

from functools import reduce
from operator import or_

import polars as pl

from detectors.betting import clause_of
from detectors.dealing import stray_board_card
from detectors.evidence import Evidence
from detectors.finding import Tellings, tell
from replay import shoe, sightings
from replay.counts import COUNTED, LIMIT, without_count
from replay.facts import last_seqs
from replay.frames import before_in, place_in
from rules import cards, spanish_21
from rules.game import Irregularity
from rules.games import GAMES

kind = pl.col("type")


def _out(evidence: Evidence) -> pl.LazyFrame:
    """Every card of the decided rounds, less those of a disputed seq, of which nothing is certain, and those that fit nowhere."""
    games = evidence.rounds.select("rid", "game").filter(pl.col("game").is_in(list(GAMES)))
    return (
        evidence.cards.filter(~pl.col("disputed"))
        .join(games, on="rid", how="inner", maintain_order="left")
        .filter(~stray_board_card().fill_null(False))
    )


def _deck_clause() -> pl.Expr:
    return clause_of(pl.col("game"), {game.name: game.deck_clause for game in GAMES.values()})


def duplicate_card(evidence: Evidence) -> Tellings:
    """Flags a card that came out of one deck, or in Spanish 21 out of one shoe since its shuffle, more often than it holds it.

    Why: a card switched or slipped in shows as a copy too many. It does not change what was owed on the hands as they lay.

    Blind to: a copy that stayed in the stub or the shoe, and unread cards; what a gap in the feed hides may have been a shuffle,
    and a shoe is counted anew behind it.
    """
    return _twice_in_a_round(evidence) + _too_often_in_a_shoe(evidence)


def _twice_in_a_round(evidence: Evidence) -> Tellings:
    counted = pl.col("game").cast(pl.String).is_in(list(COUNTED))
    rid_and_card = pl.col("rid").cast(pl.Int64) * 64 + pl.col("card").to_physical()
    # A card that was found face up and dealt all the same is one card, and DEAL06.
    played = (kind == "card_found_face_up") & (kind.last().over("rid", "card") == "card_dealt")
    again = (
        _out(evidence)
        .filter(counted & ~pl.col("card").is_in([cards.UNREAD, cards.JOKER]))
        .filter(rid_and_card.is_duplicated())
        .filter(~played)
        .sort("rid", "card", maintain_order=True)
        .with_columns(copy=place_in("rid", "card"), before=before_in("seq", "rid", "card"))
        .filter(pl.col("copy") > 0)
        .sort("rid", "seq")
    )
    return tell(
        again,
        "rid",
        "seat",
        seqs=pl.concat_list("before", "seq"),
        clause=_deck_clause(),
        message=pl.format("{} came out of one deck for the {} time.", "card", _ordinal(pl.col("copy") + 1)),
    )


def _too_often_in_a_shoe(evidence: Evidence) -> Tellings:
    """Told as soon as the card is seen: what came out since the shuffle is all it takes."""
    again = evidence.out_of_shoes.filter((pl.col("copy") > pl.col("packs")) & ~pl.col("carried") & ~pl.col("again"))
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


def foreign_card(evidence: Evidence) -> Tellings:
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
    return tell(
        _out(evidence).filter(joker | ten),
        "rid",
        "seat",
        seqs=pl.concat_list("seq"),
        clause=_deck_clause(),
        message=pl.when(joker)
        .then(pl.lit("A joker came out of a deck that holds none."))
        .otherwise(pl.lit("A 10 was dealt from packs that hold none.")),
    )


def stub_miscounted(evidence: Evidence) -> Tellings:
    """Flags a count of the stub that, with the cards out, does not make the deck, and a table that ignored it.

    Why: a deck with a card missing or one too many was tampered with or miscounted; either way the law voids the hands and
    removes the deck.

    Blind to: a wrong count after which the round was declared void, which is the law kept, and one that was counted again before
    anybody acted on it, where the last count stands; rounds with events missing; a count of the whole deck, which may have been
    taken after the cards went back.
    """
    counts = evidence.miscounts.filter("stands")
    read_before = last_seqs(evidence.facts.filter("carried")).rename({"seq": "read"})
    # A count inside the round waits for its end, one after it for the next round: a void or a recount may still put it right.
    in_round = pl.col("ended_seq").is_null() | (pl.col("seq") < pl.col("ended_seq"))
    told_at = pl.when(in_round).then(pl.col("decided_seq")).otherwise(pl.col("next_seq"))
    return (
        counts.join(read_before, on="table", how="left", maintain_order="left")
        .filter((told_at > pl.col("read").fill_null(0)).fill_null(evidence.final) & ~pl.col("voided"))
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


def count_overdue(evidence: Evidence) -> Tellings:
    """Flags the fifth round in a row that was dealt without anybody counting the stub.

    Why: the count every five rounds is how a missing or added card is noticed before it has been used for an evening.

    Blind to: counts hidden by a gap in the feed (the five begin anew behind it); exempt are tables with a shuffler that counts.
    """
    rounds = evidence.all_rounds
    uncounted = without_count(evidence.facts, rounds).filter(
        (pl.col("place") == LIMIT) & pl.col("game").cast(pl.String).is_in(list(COUNTED))
    )
    read_before = last_seqs(evidence.facts.filter("carried")).rename({"seq": "read"})
    # A count may still come between this round and the next: the next round's start decides.
    overdue = uncounted.join(read_before, on="table", how="left").filter(
        (pl.col("next_seq") > pl.col("read").fill_null(0)).fill_null(evidence.final)
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


def card_never_seen(evidence: Evidence) -> Tellings:
    """Flags a card that has not come out of its deck for longer than chance allows, at the round that makes it less likely than
    one in 10^15 that a whole, shuffled deck kept it back so long.

    Why: a card that is never dealt is in a sleeve, on the floor or was never in the box, and whoever knows that plays
    against a deck that the others do not. Counting the stub finds it too, but only if somebody counts.

    Blind to: Spanish 21, whose shoe holds each card many times and is not shuffled between rounds. Rounds in which the
    deck was not shuffled add nothing; a gap in the feed, an event in dispute and a deck that comes or goes begin anew.
    A card that the reader never reads looks as absent as one that is gone: the deck has to be spread either way.
    """
    rows = (
        evidence.absent.group_by("rid")
        .agg(absent=pl.col("card").cast(pl.String).sort().str.join(", "), several=pl.len() > 1)
        .join(evidence.rounds.select("rid", "deck", "game", "started_seq"), on="rid", how="inner")
        .sort("rid")
    )
    return tell(
        rows,
        "rid",
        seqs=pl.concat_list("started_seq"),
        clause=_deck_clause(),
        message=pl.format(
            "{} {} not come out of deck {} for so long that a whole deck would do the same once in {} times, or less.",
            "absent",
            pl.when("several").then(pl.lit("have")).otherwise(pl.lit("has")),
            "deck",
            pl.lit(f"{sightings.ONE_IN:,}"),
        ),
    )
