"""FEED: what the audit did not see, or saw twice."""

import polars as pl

from detectors.betting import clause_of
from detectors.evidence import Evidence
from detectors.finding import Tellings, tell
from replay.facts import gap_before
from replay.frames import before_in
from replay.hands import HAND
from replay.rounds import named_elsewhere
from rules import cards
from rules.games import GAMES

kind = pl.col("type")


def _new(evidence: Evidence) -> pl.LazyFrame:
    """The facts of this batch, each beside the round it or its predecessor names."""
    previous = pl.when(pl.col("tid") == pl.col("tid").shift()).then(pl.col("round").shift())
    return (
        evidence.facts.with_columns(round=pl.coalesce("round", previous))
        .filter(~pl.col("carried"))
        .drop("game")
        .join(evidence.openings.frame.lazy().select("opening", "game"), on="opening", how="left", maintain_order="left")
    )


def _record_clause() -> pl.Expr:
    """A hand that cannot be laid out again from the record is what the law will not have."""
    return clause_of(
        pl.col("game"), {game.name: game.record_clause for game in GAMES.values() if game.record_clause is not None}
    )


def events_missing(evidence: Evidence) -> Tellings:
    """Flags a gap in a table's sequence numbers.

    Why: what was not seen was not audited. The round it falls into is not derived; silence would pass for "all clear".

    Blind to: events missing before the first one seen of a table.
    """
    rows = _new(evidence).filter(gap_before)
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


def events_conflict(evidence: Evidence) -> Tellings:
    """Flags a sequence number that was sent with two contents.

    Why: a fact is sent once. Two versions of it mean a faulty gateway or somebody who rewrites what happened; both are kept.

    Blind to: an exact repeat, which changes nothing.
    """
    return (
        _new(evidence)
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


def clock_backwards(evidence: Evidence) -> Tellings:
    """Flags an event that says it was seen before the one that it follows.

    Why: order is the sequence number, never the clock; but a clock that runs back puts camera and record apart.

    Blind to: a clock that is wrong and steady.
    """
    facts = evidence.facts.with_columns(earlier=before_in("at", "tid"), previous=before_in("seq", "tid"))
    rows = (
        facts.filter(~pl.col("carried") & (pl.col("at") < pl.col("earlier")) & ~pl.col("disputed"))
        .drop("game")
        .join(evidence.openings.frame.lazy().select("opening", "game"), on="opening", how="left", maintain_order="left")
    )
    back = (pl.col("earlier") - pl.col("at")).dt.total_milliseconds()
    return tell(
        rows,
        "table",
        "round",
        dealer="dealer_now",
        seqs=pl.concat_list("previous", "seq"),
        clause=_record_clause(),
        message=pl.format("The clock went back by {} ms between seq {} and {}.", back, "previous", "seq"),
    )


def stray_event(evidence: Evidence) -> Tellings:
    """Flags events that name a round which has ended or never began, and those that the game has no place for: community cards
    without a board, a discard where nobody draws, or of a card that the player was never dealt.

    Why: a fact that fits nowhere was sent by mistake, or belongs to something that was not seen.

    Blind to: the rest of a round whose beginning was lost in a gap, which FEED01 tells, and a file that starts inside a round.
    """
    begins = pl.col("started_seq").is_null()
    headless = evidence.rounds.filter(begins & pl.col("gap_seq").is_null() & pl.col("disputed_seq").is_null())
    first = (
        evidence.inside.join(headless, on="rid", how="semi", maintain_order="left")
        .group_by("rid")
        .agg(after=pl.col("after").first(), seqs=pl.col("seq"))
    )
    # A shuffle or a count may carry the round's number too: a file that starts inside a round may start with one.
    goes_on = (pl.col("tid") == pl.col("tid").shift()) & (pl.col("round") == pl.col("round").shift())
    goes_on &= kind.shift() != "round_ended"
    starts_inside = evidence.facts.select(
        "tid", "seq", seen_before=pl.when(~goes_on.fill_null(False)).then(pl.col("after").fill_null(0)).forward_fill()
    ).filter(pl.col("seen_before") == 0)
    outside = (
        headless.join(first, on="rid", how="inner", maintain_order="left")
        .filter(pl.col("after") == pl.col("first_seq") - 1)
        .join(starts_inside, left_on=["tid", "first_seq"], right_on=["tid", "seq"], how="anti", maintain_order="left")
    )
    # What follows a gap may belong to a round whose start the gap hides.
    behind_a_gap = (
        evidence.facts.filter(gap_before)
        .select("tid", "round", gap="seq")
        .join(outside, on=["tid", "round"], how="inner")
    )
    outside = outside.join(
        behind_a_gap.filter(pl.col("gap") <= pl.col("first_seq")), on="rid", how="anti", maintain_order="left"
    )
    board = [game.name for game in GAMES.values() if game.community_cards]
    draws = [game.name for game in GAMES.values() if "draw" in game.choices]
    game = pl.col("game").cast(pl.String)
    misplaced = (
        ((kind == "card_dealt") & (pl.col("to") == "community") | (kind == "community_revealed")) & ~game.is_in(board)
    ) | ((kind == "card_discarded") & ~game.is_in(draws))
    may_be_misplaced = ["card_discarded", "community_revealed", "card_dealt"]
    inside = (
        evidence.inside.filter(kind.is_in(may_be_misplaced) & ((kind != "card_dealt") | (pl.col("to") == "community")))
        .drop("game", "reason")
        .join(
            evidence.rounds.filter(pl.col("reason").is_null() & pl.col("game").is_not_null()).select("rid", "game"),
            on="rid",
            how="inner",
            maintain_order="left",
        )
        .filter(misplaced)
    )
    return (
        tell(
            outside,
            "rid",
            "seqs",
            clause=_record_clause(),
            message=pl.format(
                "Events of round {} came outside it, from seq {} to {}.", "round", "first_seq", "last_seq"
            ),
        )
        + tell(
            inside,
            "rid",
            "seat",
            seqs=pl.concat_list("seq"),
            clause=_record_clause(),
            message=pl.format(
                "An event of the kind {} has no place in this game.", kind.cast(pl.String).str.replace_all("_", " ")
            ),
        )
        + _of_another_round(evidence)
        + _never_held(evidence, draws)
    )


def _of_another_round(evidence: Evidence) -> Tellings:
    """Events inside an open round that name another; told when the open one is decided."""
    open_then = evidence.rounds.filter(pl.col("started_seq").is_not_null()).select(
        "rid", "tid", "game", "first_seq", until=pl.coalesce("decided_seq", pl.lit(2**62))
    )
    strays = (
        evidence.facts.filter(named_elsewhere() & ~pl.col("disputed"))
        .select("tid", "round", "seq")
        .join_asof(open_then.sort("first_seq"), left_on="seq", right_on="first_seq", by="tid", check_sortedness=False)
        .filter(pl.col("seq") < pl.col("until"))
        .group_by("rid", "round", maintain_order=True)
        .agg(pl.col("game").first(), seqs=pl.col("seq"))
    )
    return tell(
        strays,
        "rid",
        "round",
        "seqs",
        clause=_record_clause(),
        message=pl.format(
            "Events of round {} came outside it, from seq {} to {}.",
            "round",
            pl.col("seqs").list.first(),
            pl.col("seqs").list.last(),
        ),
    )


def _never_held(evidence: Evidence, draws: list[str]) -> Tellings:
    """Discards of cards that nobody dealt to the seat. One that was not read when it was dealt may be any of them, and a hand of
    the wrong number is told as that."""
    rounds = evidence.rounds.filter(
        pl.col("reason").is_null() & pl.col("misdealt").is_null() & pl.col("game").cast(pl.String).is_in(draws)
    ).select("rid", "game")
    held = evidence.cards.filter((kind == "card_dealt") & (pl.col("to") == "player")).select("rid", "seat", "card")
    unread = held.filter(pl.col("card").is_in([cards.UNREAD, cards.JOKER])).select("rid", "seat")
    discards = (
        evidence.inside.filter((kind == "card_discarded") & (pl.col("card") != cards.UNREAD))
        .select("rid", "seat", "seq", "card")
        .join(rounds, on="rid", how="inner", maintain_order="left")
        .join(held, on=["rid", "seat", "card"], how="anti", maintain_order="left")
        .join(unread, on=["rid", "seat"], how="anti", maintain_order="left")
    )
    return tell(
        discards,
        "rid",
        "seat",
        seqs=pl.concat_list("seq"),
        clause=_record_clause(),
        message=pl.format("Seat {} is said to have discarded {}, which it was never dealt.", "seat", "card"),
    )


def round_unfinished(evidence: Evidence) -> Tellings:
    """Flags a round that began and was never seen to end.

    Why: its wagers cannot be judged, and a count of audited rounds must not pass over it.

    Blind to: rounds cut short by a gap in the feed, which FEED01 tells.
    """
    after_it = evidence.facts.select("tid", "after", cut_short=gap_before).filter("cut_short")
    rows = evidence.rounds.filter(
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


def card_unread(evidence: Evidence) -> Tellings:
    """Flags a card that the reader could not read, where a wager turned on it.

    Why: that wager is not audited. The answer is left open instead of guessed.

    Blind to: unread cards that could not have changed anything, which are left in peace.
    """
    turns_on = {
        whose: [(game.name, wager.name) for game in GAMES.values() for wager in game.wagers if whose in wager.turns_on]
        for whose in ("player", "community", "dealer")
    }
    flags = [f"{whose}_unread" for whose in turns_on]
    open_wagers = (
        evidence.wagers.filter(pl.col("owed").is_null() & pl.col("round_reason").is_null())
        .with_columns(law=pl.concat_str(pl.col("game").cast(pl.String), pl.lit(" "), "wager"))
        .join(
            evidence.seats.filter(pl.any_horizontal(flags)).select(*HAND, *flags).unique(HAND, keep="any"),
            on=list(HAND),
            how="left",
        )
        .cache()
    )
    unread = evidence.cards.filter((kind == "card_dealt") & (pl.col("card") == cards.UNREAD)).join(
        evidence.rounds.select("rid", "game"), on="rid", how="left", maintain_order="left"
    )
    mattered = []
    for whose, laws in turns_on.items():
        by = ["rid", "seat"] if whose == "player" else ["rid"]
        left_open = open_wagers.filter(pl.col(f"{whose}_unread") & pl.col("law").is_in([" ".join(law) for law in laws]))
        mattered.append(unread.filter(pl.col("to") == whose).join(left_open.select(by).unique(), on=by, how="semi"))
    whose_words = (
        pl.when(pl.col("to") == "player")
        .then(pl.format("seat {}", "seat"))
        .when(pl.col("to") == "dealer")
        .then(pl.lit("the dealer's hand"))
        .otherwise(pl.lit("the board"))
    )
    return tell(
        pl.concat(mattered),
        "rid",
        "seat",
        seqs=pl.concat_list("seq"),
        clause=_record_clause(),
        message=pl.format("A card of {} was not read, and a wager turned on it.", whose_words),
    )
