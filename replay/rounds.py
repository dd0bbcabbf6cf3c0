"""Facts to rounds: which facts make which round, under which terms, and whether all of it was seen.

A round is a run of facts with one round number, begun by `round_started`. The cut is local, so that a stream cut anywhere and
resumed gives the same rounds.
"""

from dataclasses import dataclass
from datetime import date
from typing import Final

import polars as pl

from ingest import events
from replay.facts import gap_before
from replay.frames import collected
from rules import terms as rules_terms
from rules.game import Irregularity, Terms
from rules.games import GAMES

kind = pl.col("type")

# What an opening says beside its terms.
_SAID: Final = ("dealing", "shuffler", "decks", "min_wager", "max_wager", "limits")
_WITHOUT_TENS: Final = [game.name for game in GAMES.values() if game.foreign]
_FOREIGN: Final = frozenset(card for game in GAMES.values() for card in game.foreign)


@dataclass(frozen=True, slots=True)
class Openings:
    """The `table_opened` facts in force, numbered, with the terms each one set."""

    frame: (
        pl.DataFrame
    )  # opening (its row), what it said of game, method, decks and limits, and why its terms are refused
    terms: dict[int, Terms]


def openings(facts: pl.LazyFrame) -> Openings:
    opened = collected(
        facts.filter(kind == "table_opened").select(
            "row", "at", "game", "edition", "pay_tables", "options", *_SAID, "disputed"
        )
    )
    known: dict[int, Terms] = {}
    reasons: list[str | None] = []
    read_already: dict[tuple[str, str, str | None, str | None, date, int], Terms | rules_terms.Unreadable] = {}
    # A Python loop over table openings, a handful a day.
    for row, disputed, *said in opened.select(
        "row", "disputed", "game", "edition", "pay_tables", "options", pl.col("at").dt.date(), "decks"
    ).iter_rows():
        key = (said[0], said[1], said[2], said[3], said[4], said[5])
        if key not in read_already:
            read_already[key] = rules_terms.read(*key[:5], packs=key[5])
        found = read_already[key]
        if disputed:
            reasons.append("the table's opening was sent with two contents")
        elif isinstance(found, Terms):
            known[row] = found
            reasons.append(None)
        else:
            reasons.append(found.reason)
    return Openings(
        opened.select(
            pl.col("row").cast(pl.Int64).alias("opening"),
            "game",
            "edition",
            *_SAID,
            pl.Series("terms_reason", reasons, pl.String),
        ),
        known,
    )


def with_context(facts: pl.LazyFrame) -> pl.LazyFrame:
    """Each fact beside what was last said of its table: `opening` (row of the table_opened in force), `dealer_now`.

    Filled forward over the whole frame at once; a marker on each table's first row keeps one table's state off the next.
    """
    first = pl.col("tid").is_first_distinct()
    row = pl.col("row").cast(pl.Int64)
    last_said = (
        pl.when(kind == "table_opened").then(row).when(kind == "table_closed").then(-1).when(first).then(-1)
    ).forward_fill()
    dealer = (
        pl.when(kind == "dealer_assigned").then(pl.col("dealer")).when(first).then(pl.lit("")).otherwise(None)
    ).forward_fill()
    shuffler_gone = (
        pl.when((kind == "device_removed") & (pl.col("device") == "shuffler"))
        .then(True)
        .when((kind == "table_opened") | (kind == "device_installed") & (pl.col("device") == "shuffler") | first)
        .then(False)
    ).forward_fill()
    return facts.with_columns(
        opening=pl.when(last_said >= 0).then(last_said),
        dealer_now=pl.when(dealer != "").then(dealer),
        shuffler_gone=shuffler_gone,
    )


def cut(facts: pl.LazyFrame) -> pl.LazyFrame:
    """The facts with `rid`, the number in this batch of the round that they belong to; null where that is none.

    Facts that only make sense inside a round cut the rounds, and `round_ended` closes one for good: what names the round later
    is a fragment of its own. A count or a shuffle that names an open round joins it. What names another round while one is open
    belongs to none, and the open one goes on.
    """
    tid, round = pl.col("tid"), pl.col("round")
    names_a_round = kind.is_in(events.ROUND_TYPES) & round.is_not_null()
    facts = facts.with_columns(_begun=_last_begun()).with_columns(_open=_open())
    cuts = names_a_round & ~((pl.col("_open") > 0) & (round != pl.col("_open")))
    # The last fact that cuts, this one included.
    of_tid, of_round, ended = (pl.when(cuts).then(what).forward_fill() for what in (tid, round, kind == "round_ended"))
    begins = (kind == "round_started") | (tid != of_tid.shift()) | (round != of_round.shift()) | ended.shift()
    belongs = (tid == of_tid) & (round == of_round) & (~ended | cuts) & (cuts | ~names_a_round)
    number = (cuts & begins.fill_null(True)).cum_sum() - 1
    return facts.with_columns(rid=pl.when(belongs).then(number).cast(pl.UInt32)).drop("_begun", "_open")


# Facts behind a gap, in dispute, or carried without their neighbours: what was open before them nobody can say.
_unsure = (pl.col("after") != pl.col("seq").shift()).fill_null(True) | gap_before | pl.col("disputed")
_unsure |= pl.col("tid") != pl.col("tid").shift()
_begins = (kind == "round_started") & ~pl.col("disputed")


def _last_begun() -> pl.Expr:
    """The round that began last; 0 where that is not known."""
    return pl.when(_begins).then(pl.col("round")).when(_unsure).then(0).forward_fill()


def _open() -> pl.Expr:
    """The round that began and has not ended; 0 where there is none or nobody can say."""
    ends = (kind == "round_ended") & (pl.col("round") == pl.col("_begun"))
    return pl.when(_begins).then(pl.col("round")).when(_unsure | ends).then(0).forward_fill()


def named_elsewhere() -> pl.Expr:
    """Facts that name another round than the one which is open."""
    return kind.is_in(events.ROUND_TYPES) & pl.col("round").is_not_null() & pl.col("rid").is_null()


def inside(facts: pl.LazyFrame) -> pl.LazyFrame:
    """The facts that belong to a round."""
    return facts.filter(pl.col("rid").is_not_null()).with_columns(pl.col("rid").set_sorted())


def _at(condition: pl.Expr) -> pl.Expr:
    return pl.when(condition).then(pl.col("seq"))


def _before_the_reveal(seq: str) -> pl.Expr:
    return pl.when(pl.col(seq) < pl.col("revealed_seq").fill_null(2**62)).then(seq)


def _with_turned_cards(rounds: pl.LazyFrame, inside: pl.LazyFrame) -> pl.LazyFrame:
    """How many cards were found face up, tens among them, and when the first and the second were."""
    ten = pl.col("card").is_in(list(_FOREIGN))

    def second(which: pl.Expr) -> pl.Expr:
        return pl.col("seq").filter(which).get(1, null_on_oob=True)

    turned = (
        inside.filter(kind == "card_found_face_up")
        .group_by("rid")
        .agg(
            face_up_cards=pl.len(),
            first_face_up_seq=pl.col("seq").first(),
            second_face_up_seq=second(pl.lit(True)),
            tens_found=ten.sum(),
            second_ten_seq=second(ten),
            second_other_seq=second(~ten),
        )
    )
    return rounds.join(turned, on="rid", how="left", maintain_order="left").with_columns(
        pl.col("face_up_cards", "tens_found").fill_null(0)
    )


def _with_marks(rounds: pl.LazyFrame, inside: pl.LazyFrame) -> pl.LazyFrame:
    """What happened once, or should have: when the round began and ended, when bets closed, what went wrong openly."""
    kinds = [
        "round_started",
        "round_ended",
        "no_more_bets",
        "dealer_revealed",
        "round_voided",
        "card_exposed",
        "device_failed",
    ]
    void, started = kind == "round_voided", kind == "round_started"
    marks = (
        inside.filter(kind.is_in(kinds))
        .with_columns(
            pl.col("rid").set_sorted(),
            deck=pl.when(started).then(pl.col("deck")),
            started_seq=_at(started),
            ended_seq=_at(kind == "round_ended"),
            bets_closed_seq=_at(kind == "no_more_bets"),
            revealed_seq=_at(kind == "dealer_revealed"),
            voided_seq=_at(void),
            void_reason=pl.when(void).then(pl.col("reason")),
            voided_by=pl.when(void).then(pl.col("by")),
            exposed_seq=_at((kind == "card_exposed") & (pl.col("to") == "dealer")),
            shoe_failed_seq=_at((kind == "device_failed") & (pl.col("device") == "shoe")),
        )
        .group_by("rid", maintain_order=True)
        .agg(
            pl.col("deck").max(),
            pl.col("started_seq", "ended_seq", "bets_closed_seq", "revealed_seq", "voided_seq").min(),
            pl.col("exposed_seq", "shoe_failed_seq").min(),
            pl.col("void_reason", "voided_by").first(ignore_nulls=True),
        )
    )
    return rounds.join(marks, on="rid", how="left", maintain_order="left")


def _with_cards_of_the_deal(rounds: pl.LazyFrame, inside: pl.LazyFrame) -> pl.LazyFrame:
    # A card is burned after the shuffle, before anybody's hand.
    of_a_hand = (pl.col("to") != "burn").fill_null(False)
    cards = (
        inside.filter(kind == "card_dealt")
        .with_columns(
            pl.col("rid").set_sorted(),
            first=_at(of_a_hand),
            up=_at((pl.col("to") == "dealer") & (pl.col("face") == "up")),
        )
        .group_by("rid", maintain_order=True)
        .agg(
            first_card_seq=pl.col("first").min(),
            last_card_seq=pl.col("seq").max(),
            dealer_up_seq=pl.col("up").min(),
        )
    )
    return rounds.join(cards, on="rid", how="left", maintain_order="left")


def _with_doubts(rounds: pl.LazyFrame, inside: pl.LazyFrame) -> pl.LazyFrame:
    """Whether what was seen of the round is all there was, and undisputed."""
    gap = gap_before.fill_null(False) & (kind != "round_started")
    doubts = (
        inside.filter(pl.col("disputed") | gap)
        .group_by("rid")
        .agg(disputed_seq=_at(pl.col("disputed")).min(), gap_seq=_at(gap).min())
    )
    return rounds.join(doubts, on="rid", how="left", maintain_order="left")


def rounds(facts: pl.LazyFrame, opened: Openings) -> pl.LazyFrame:
    """One row a round: when it began and ended, the deck and dealer, what irregularity befell it, and whether it is whole."""
    mine = inside(facts)
    found = (
        mine.group_by("rid", maintain_order=True)
        .agg(
            pl.col("tid", "table", "round", "opening", "dealer_now", "shuffler_gone").first(),
            first_seq=pl.col("seq").first(),
            first_at=pl.col("at").first(),
            last_seq=pl.col("seq").last(),
            last_at=pl.col("at").last(),
            last_row=pl.col("row").last(),
        )
        # Each asks only the facts that it is about, few of all.
        .pipe(_with_marks, mine)
        .pipe(_with_cards_of_the_deal, mine)
        .pipe(_with_doubts, mine)
    )
    found = _with_turned_cards(found, mine)
    same_table_next = pl.col("tid") == pl.col("tid").shift(-1)
    same_round = (pl.col("tid") == pl.col("tid").shift()) & (pl.col("round") == pl.col("round").shift())
    sure = pl.col("gap_seq").is_null() & pl.col("disputed_seq").is_null()
    found = found.with_columns(
        # Nothing but events that name a round which has ended: they are told, and are no round.
        after_its_end=(same_round & pl.col("started_seq").is_null() & sure).fill_null(False),
        next_seq=pl.when(same_table_next).then(pl.col("first_seq").shift(-1)),
        ended=pl.col("ended_seq").is_not_null(),
        voided=pl.col("voided_seq").is_not_null(),
    ).with_columns(decided_seq=pl.coalesce("ended_seq", "next_seq"))
    found = _with_gaps_of_other_facts(found, facts.filter(pl.col("rid").is_null()))
    found = found.join(opened.frame.lazy(), on="opening", how="left", maintain_order="left")
    # Where the packs hold no tens, one that is found is an irregularity of its own (19:47-19.15(b)).
    tens_apart = pl.col("game").cast(pl.String).is_in(_WITHOUT_TENS)
    found = found.with_columns(
        face_up_cards=pl.col("face_up_cards") - pl.when(tens_apart).then("tens_found").otherwise(0),
        tens_found=pl.when(tens_apart).then("tens_found").otherwise(0),
        second_face_up_seq=pl.when(tens_apart).then("second_other_seq").otherwise("second_face_up_seq"),
        second_ten_seq=pl.when(tens_apart).then("second_ten_seq"),
        exposed_seq=_before_the_reveal("exposed_seq"),
        dealer_up_seq=_before_the_reveal("dealer_up_seq"),
    ).drop("second_other_seq")
    return _with_reason(_with_void_cause(found))


def _with_gaps_of_other_facts(rounds: pl.LazyFrame, others: pl.LazyFrame) -> pl.LazyFrame:
    """A gap before a fact that belongs to no round (a player who left, say) breaks the round that was open then."""
    gaps = others.filter(gap_before).select("tid", gap=pl.col("seq"))
    broken = (
        gaps.sort("gap")
        .join_asof(
            rounds.select("rid", "tid", "first_seq", "ended_seq", "last_seq").sort("first_seq"),
            left_on="gap",
            right_on="first_seq",
            by="tid",
            check_sortedness=False,
        )
        .filter(pl.col("rid").is_not_null() & (pl.col("ended_seq").is_null() | (pl.col("gap") < pl.col("ended_seq"))))
        .group_by("rid")
        .agg(pl.col("gap").min())
    )
    return (
        rounds.join(broken, on="rid", how="left", maintain_order="left")
        .with_columns(gap_seq=pl.min_horizontal("gap_seq", "gap"))
        .drop("gap")
    )


def _where_it_voids(irregularity: Irregularity) -> tuple[pl.Expr, pl.Expr]:
    """Whether the round's game voids for this irregularity, and the clause that says so."""
    clauses = {
        name: game.remedies[irregularity].clause
        for name, game in GAMES.items()
        if irregularity in game.remedies and game.remedies[irregularity].voids
    }
    game = pl.col("game").cast(pl.String)
    return game.is_in(list(clauses)), game.replace_strict(clauses, default=None, return_dtype=pl.String)


def with_earlier_cause(rounds: pl.LazyFrame, irregularity: Irregularity, seq: pl.Expr) -> pl.LazyFrame:
    """`cause_seq`, `cause` and `cause_clause` of a void, if this irregularity is one and came before what stands there."""
    voids, clause = _where_it_voids(irregularity)
    earlier = voids & seq.is_not_null() & (seq < pl.col("cause_seq").fill_null(2**62))
    return rounds.with_columns(
        cause_seq=pl.when(earlier).then(seq).otherwise("cause_seq"),
        cause=pl.when(earlier).then(pl.lit(irregularity.value)).otherwise("cause"),
        cause_clause=pl.when(earlier).then(clause).otherwise("cause_clause"),
    )


def _with_void_cause(rounds: pl.LazyFrame) -> pl.LazyFrame:
    """The first irregularity whose remedy is a void. A wrong card count comes later: it needs the hands."""
    rounds = rounds.with_columns(
        cause_seq=pl.lit(None, pl.Int64), cause=pl.lit(None, pl.String), cause_clause=pl.lit(None, pl.String)
    )
    shoe = pl.when(pl.col("dealing") == "automated_shoe").then(pl.col("shoe_failed_seq"))
    for irregularity, seq in (
        (Irregularity.ONE_CARD_FACE_UP, pl.col("first_face_up_seq")),
        (Irregularity.MORE_CARDS_FACE_UP, pl.col("second_face_up_seq")),
        (Irregularity.MORE_TENS, pl.col("second_ten_seq")),
        (Irregularity.DEALER_CARD_EXPOSED, pl.min_horizontal("exposed_seq", "dealer_up_seq")),
        (Irregularity.SHOE_FAILED, shoe),
    ):
        rounds = with_earlier_cause(rounds, irregularity, seq)
    return rounds


def _with_reason(rounds: pl.LazyFrame) -> pl.LazyFrame:
    """Why the whole round cannot be derived; null where it can."""
    return rounds.with_columns(
        reason=pl.when(pl.col("started_seq").is_null())
        .then(pl.lit("the round's start was not seen"))
        .when(pl.col("gap_seq").is_not_null())
        .then(pl.format("events missing before seq {}", "gap_seq"))
        .when(pl.col("disputed_seq").is_not_null())
        .then(pl.format("seq {} was sent with two contents", "disputed_seq"))
        .when(~pl.col("ended"))
        .then(pl.lit("the round was not seen to its end"))
        .when(pl.col("opening").is_null())
        .then(pl.lit("the table's opening was not seen"))
        .otherwise(pl.col("terms_reason"))
    )
