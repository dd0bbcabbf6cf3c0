"""FEED: what the audit did not see, or saw twice."""

import polars as pl

from detectors.betting import clause_of
from detectors.finding import tell
from replay.derivation import Derivation
from replay.facts import gap_before
from rules import cards
from rules.games import GAMES

kind = pl.col("type")


def _new(derivation: Derivation) -> pl.DataFrame:
    """The facts of this batch, each beside the round it or its predecessor names."""
    previous = pl.when(pl.col("tid") == pl.col("tid").shift()).then(pl.col("round").shift())
    return (
        derivation.facts.with_columns(round=pl.coalesce("round", previous))
        .filter(~pl.col("carried"))
        .drop("game")
        .join(derivation.openings.frame.select("opening", "game"), on="opening", how="left", maintain_order="left")
    )


def _record_clause() -> pl.Expr:
    """A hand that cannot be laid out again from the record is what the law will not have."""
    return clause_of(
        pl.col("game"), {game.name: game.record_clause for game in GAMES.values() if game.record_clause is not None}
    )


def events_missing(derivation: Derivation) -> pl.DataFrame:
    """Flags a gap in a table's sequence numbers.

    Why: what was not seen was not audited. The round it falls into is not derived; silence would pass for "all clear".

    Blind to: events missing before the first one seen of a table.
    """
    rows = _new(derivation).filter(gap_before)
    missing = pl.col("seq") - pl.col("after") - 1
    return tell(
        rows,
        "table",
        "round",
        dealer="dealer_now",
        seqs=pl.concat_list("after", "seq"),
        clause=_record_clause(),
        message=pl.format("{} missing between seq {} and {}.", _events(missing), "after", "seq"),
    )


def _events(number: pl.Expr) -> pl.Expr:
    return pl.when(number == 1).then(pl.lit("1 event is")).otherwise(pl.format("{} events are", number))


def events_conflict(derivation: Derivation) -> pl.DataFrame:
    """Flags a sequence number that was sent with two contents.

    Why: a fact is sent once. Two versions of it mean a faulty gateway or somebody who rewrites what happened; both are kept.

    Blind to: an exact repeat, which changes nothing.
    """
    return (
        _new(derivation)
        .filter(pl.col("disputed"))
        .pipe(
            tell,
            "table",
            "round",
            dealer="dealer_now",
            seqs=pl.concat_list("seq"),
            clause=_record_clause(),
            message=pl.format("Seq {} was sent with two contents; neither is taken as true.", "seq"),
        )
    )


def round_unfinished(derivation: Derivation) -> pl.DataFrame:
    """Flags a round that began and was never seen to end.

    Why: its wagers cannot be judged, and a count of audited rounds must not pass over it.

    Blind to: rounds cut short by a gap in the feed, which FEED01 tells.
    """
    after_it = derivation.facts.select("tid", "after", cut_short=gap_before).filter("cut_short")
    rows = derivation.rounds.filter(
        pl.col("started_seq").is_not_null()
        & ~pl.col("ended")
        & pl.col("gap_seq").is_null()
        & pl.col("disputed_seq").is_null()
    ).join(after_it, left_on=["tid", "last_seq"], right_on=["tid", "after"], how="anti")
    return tell(
        rows,
        "rid",
        seqs=pl.concat_list("first_seq", "last_seq"),
        clause=_record_clause(),
        message=pl.lit("The round was not seen to its end; its wagers are not derived."),
    )


def card_unread(derivation: Derivation) -> pl.DataFrame:
    """Flags a card that the reader could not read, where a wager turned on it.

    Why: that wager is not audited. The answer is left open instead of guessed.

    Blind to: unread cards that could not have changed anything, which are left in peace.
    """
    player_only = [wager.name for game in GAMES.values() for wager in game.wagers if wager.hand == "player_hand"]
    open_wagers = derivation.wagers.filter(pl.col("owed").is_null() & pl.col("round_reason").is_null())
    by_player = open_wagers.filter("player_unread").select("rid", "seat").unique()
    by_dealer = open_wagers.filter(pl.col("dealer_unread") & ~pl.col("wager").is_in(player_only)).select("rid").unique()
    unread = derivation.cards.filter((kind == "card_dealt") & (pl.col("card") == cards.UNREAD)).join(
        derivation.rounds.select("rid", "game"), on="rid", how="left", maintain_order="left"
    )
    mattered = pl.concat(
        [
            unread.filter(pl.col("to") == "player").join(by_player, on=["rid", "seat"], how="semi"),
            unread.filter(pl.col("to") == "dealer").join(by_dealer, on="rid", how="semi"),
        ]
    )
    whose = pl.when(pl.col("seat").is_null()).then(pl.lit("the dealer's hand")).otherwise(pl.format("seat {}", "seat"))
    return tell(
        mattered,
        "rid",
        "seat",
        seqs=pl.concat_list("seq"),
        clause=_record_clause(),
        message=pl.format("A card of {} was not read, and a wager turned on it.", whose),
    )
