"""DEAL: what was done with the cards once they were out: faces, turned cards, and decisions that nobody could make."""

from functools import reduce
from operator import or_
from typing import Final

import polars as pl

from detectors.betting import clause_of, community_shown, streets_unknown
from detectors.dealing import by_method, cost, exposed_and_played_on, played_on, stray_board_card
from detectors.evidence import Evidence
from detectors.finding import Tellings, tell
from replay.facts import SCHEMA as FRAME
from replay.frames import before_in, goes_on, place_in
from replay.hands import HAND, hand_number
from rules import cards, spanish_21
from rules.games import GAMES

kind = pl.col("type")

_TO: Final = FRAME["to"]
_POKER: Final = [name for name in GAMES if name != spanish_21.NAME]
# Which clause says who decides when.
DECISIONS: Final = {
    "three-card-poker": "19:47-20.10(b)",
    "three-card-draw-poker": "13:69F-42.10(f)",
    "heads-up-holdem": "13:69F-39.10(d)",
    "spanish-21": "19:47-19.13(b)",
}
_IN_STREETS: Final = [game.name for game in GAMES.values() if game.streets]
# A hand of a round as one number.
_PLACE: Final = "place"
# After these a hand of Spanish 21 has nothing more to decide; a double may still be rescued, or said to stand.
_LAST_WORDS: Final = ["stand", "surrender", "rescue", "dead"]
_AFTER_A_DOUBLE: Final = ["rescue", "stand", "dead"]


def _standing(evidence: Evidence) -> pl.LazyFrame:
    """Whole rounds that were not void."""
    return evidence.rounds.filter(pl.col("reason").is_null() & ~pl.col("voided"))


def _dealt_up(evidence: Evidence) -> pl.LazyFrame:
    """Cards of a poker hand, the dealer's or a player's, that came face up: all of them are due face down.

    A player's that was found face up in the deck before lies as it was found, and is told of as that.
    """
    turned = (
        evidence.cards.filter(kind == "card_found_face_up")
        .group_by("rid", "card")
        .agg(found=pl.col("seq").min())
        .with_columns(to=pl.lit("player", _TO))
    )
    return (
        evidence.cards.filter((kind == "card_dealt") & pl.col("to").is_in(["player", "dealer"]))
        .filter(pl.col("face") == "up")
        .join(turned, on=["rid", "card", "to"], how="left", maintain_order="left")
        .filter(~(pl.col("found") < pl.col("seq")).fill_null(False))
        .join(_standing(evidence).filter(pl.col("game") != spanish_21.NAME), on="rid", how="semi")
        .with_columns(due=pl.lit("down"))
    )


def _board_faces(evidence: Evidence) -> pl.LazyFrame:
    """Shared cards that lie the wrong way: down before anybody has decided, and up from then on, unless they are turned over."""
    decided = evidence.decisions.group_by("rid").agg(decision=pl.col("seq").min())
    revealed = evidence.inside.filter(kind == "community_revealed").select("rid", turned_over=pl.lit(True)).unique()
    board = (
        pl.when(pl.col("seq") < pl.col("decision").fill_null(2**62))
        .then(pl.lit("down"))
        .when(~pl.col("turned_over").fill_null(False))
        .then(pl.lit("up"))
    )
    return (
        evidence.cards.filter((kind == "card_dealt") & (pl.col("to") == "community"))
        .join(_standing(evidence).select("rid", "game"), on="rid", how="inner", maintain_order="left")
        .filter(~stray_board_card())
        .join(decided, on="rid", how="left", maintain_order="left")
        .join(revealed, on="rid", how="left", maintain_order="left")
        .with_columns(due=board)
        .filter(pl.col("face").cast(pl.String) != pl.col("due"))
    )


def _shoe_faces(evidence: Evidence) -> pl.LazyFrame:
    """Cards of a shoe game that lie the wrong way: up, but for the hole card; what a player draws lies either way."""
    hand = ("rid", "to", "seat", "hand")
    first_two = (
        evidence.cards.filter((kind == "card_dealt") & pl.col("to").is_in(["player", "dealer"]))
        .join(_standing(evidence).filter(pl.col("game") == spanish_21.NAME), on="rid", how="semi")
        .sort(*hand, "seq")
        .with_columns(nth=place_in(*hand))
        # A hand that came of a split has its first card already; what it is dealt second may be that of a double.
        .filter(pl.col("nth") < pl.when(pl.col("hand") > 1).then(1).otherwise(2))
        .cache()
    )
    of_dealer = pl.col("to") == "dealer"
    # Where both of the dealer's first two are up, it is the second that should not be.
    one_is_up = first_two.filter(of_dealer & (pl.col("face") == "up")).group_by("rid").len().filter(pl.col("len") == 1)
    due = pl.when(of_dealer & (pl.col("nth") == 1)).then(pl.lit("down")).otherwise(pl.lit("up"))
    return (
        first_two.with_columns(due=due)
        .filter(pl.col("face").cast(pl.String) != pl.col("due"))
        .join(one_is_up.with_columns(to=pl.lit("dealer", _TO)), on=["rid", "to"], how="anti")
    )


def wrong_face(evidence: Evidence) -> Tellings:
    """Flags a card dealt face up that was due face down, or down that was due up. Where the game voids a round for a dealer's
    card that was seen, and it was played on, that is in the clause and the amount.

    Why: a card that lies the wrong way tells what it should not, or hides what everybody may see.

    Blind to: rounds that were void, burned cards, the card of a double in Spanish 21, which lies either way, and a player's card
    that was found face up in the deck and dealt as it lay, which is DEAL06.
    """
    faces = [_dealt_up(evidence), _board_faces(evidence)]
    if spanish_21.NAME in evidence.hands:
        faces.append(_shoe_faces(evidence))
    wrong = (
        pl.concat([each.select("rid", "seq", "to", "seat", "due") for each in faces])
        .sort("rid", "seq")
        .group_by("rid", "to", "seat", maintain_order=True)
        .agg(seqs=pl.col("seq"), due=pl.col("due").first())
    )
    exposed = played_on(evidence).filter(exposed_and_played_on & (pl.col("cause_seq") == pl.col("dealer_up_seq")))
    void_due = exposed.select("rid", "moved", "cause_clause", to=pl.lit("dealer"))
    # A dealer's card that a later exposure or an earlier void explains is not told again.
    told_by_void = evidence.rounds.filter(pl.col("cause_clause").is_not_null()).select("rid", to=pl.lit("dealer"))
    whose = (
        pl.when(pl.col("to") == "player")
        .then(pl.format("seat {}", "seat"))
        .when(pl.col("to") == "dealer")
        .then(pl.lit("the dealer"))
        .otherwise(pl.lit("the board"))
    )
    rows = (
        wrong.with_columns(pl.col("to").cast(pl.String))
        .join(void_due, on=["rid", "to"], how="left", maintain_order="left")
        .join(
            told_by_void.join(void_due, on=["rid", "to"], how="anti"),
            on=["rid", "to"],
            how="anti",
            maintain_order="left",
        )
        .join(evidence.rounds.select("rid", "game", "dealing"), on="rid", how="left", maintain_order="left")
    )
    other = pl.when(pl.col("due") == "down").then(pl.lit("up")).otherwise(pl.lit("down"))
    what = pl.format("A card of {} was dealt face {} and was due face {}", whose, other, "due")
    return tell(
        rows,
        "rid",
        "seat",
        "seqs",
        amount=pl.col("moved").fill_null(0),
        clause=pl.coalesce("cause_clause", by_method("order_clause")),
        message=pl.when(pl.col("moved").is_null())
        .then(pl.format("{}.", what))
        .otherwise(pl.format("{}; the round was played on and {}", what, cost(pl.col("moved").fill_null(0)))),
    )


def turned_card_played(evidence: Evidence) -> Tellings:
    """Flags a card that was found face up in the deck and then dealt to a hand in the same round.

    Why: everybody has seen it. The law puts it in the rack; whoever is dealt it plays with open cards.

    Blind to: rounds that were void or should have been, and Spanish 21, where the packs hold others like it.
    """
    clauses = {name: game.void_clause + "(a)" for name, game in GAMES.items() if name in _POKER}
    standing = _standing(evidence).filter(pl.col("cause_clause").is_null()).select("rid", "game")
    found = evidence.cards.filter(kind == "card_found_face_up").select("rid", "card", found="seq")
    rows = (
        evidence.cards.filter((kind == "card_dealt") & (pl.col("to") != "burn"))
        .join(found, on=["rid", "card"], how="inner", maintain_order="left")
        .filter(pl.col("seq") > pl.col("found"))
        .unique(["rid", "found"], keep="first", maintain_order=True)
        .join(standing, on="rid", how="inner", maintain_order="left")
        .filter(pl.col("game").cast(pl.String).is_in(_POKER))
    )
    return tell(
        rows,
        "rid",
        "seat",
        seqs=pl.concat_list("found", "seq"),
        clause=clause_of(pl.col("game"), clauses),
        message=pl.format("{} was found face up and dealt all the same.", "card"),
    )


def _decisions(evidence: Evidence) -> pl.LazyFrame:
    """The decisions of rounds that stand, hand by hand: whether it is the hand's first, what came before it, and how much of
    the board lay open."""
    rounds = _standing(evidence).filter(pl.col("cause_clause").is_null()).select("rid", "game", "revealed_seq")
    made = evidence.decisions.join(rounds, on="rid", how="inner", maintain_order="left").cache()
    in_streets, in_shoes = (pl.col("game").cast(pl.String).is_in(names) for names in (_IN_STREETS, [spanish_21.NAME]))
    parts = [made.filter(~in_streets & ~in_shoes)]
    if not evidence.hands.keys().isdisjoint(_IN_STREETS):
        parts.append(_with_streets(made.filter(in_streets), evidence))
    if spanish_21.NAME in evidence.hands:
        parts.append(_with_first_words(made.filter(in_shoes)))
    schema = {"shown": pl.Int64(), "no_street": pl.Boolean(), "first_double": pl.Int64(), "first_split": pl.Int64()}
    same_street = goes_on("rid", "shown")
    return (
        # Each round stands in one part whole, in its order.
        pl.concat([*parts, pl.LazyFrame(schema=schema)], how="diagonal")
        .with_columns(pl.col("shown").fill_null(0), pl.col("no_street").fill_null(False))
        .with_columns(goes_back=same_street & (pl.col("seat") < pl.col("seat").shift()), **{_PLACE: hand_number()})
        .sort(_PLACE, "seq")
        .with_columns(
            again=goes_on(_PLACE), before=before_in("choice", _PLACE), shown_before=before_in("shown", _PLACE)
        )
    )


def _with_streets(made: pl.LazyFrame, evidence: Evidence) -> pl.LazyFrame:
    """How many cards of the board lay open at each decision; `no_street` where nobody can say."""
    unknown = streets_unknown(evidence).with_columns(no_street=pl.lit(True))
    return (
        made.sort("seq")
        .join_asof(community_shown(evidence), on="seq", by="rid", check_sortedness=False)
        .join(unknown, on="rid", how="left", maintain_order="left")
        .sort("rid", "seq")
    )


def _with_first_words(made: pl.LazyFrame) -> pl.LazyFrame:
    """When the hand was first doubled, and the box first split."""
    for word, group in (("double", list(HAND)), ("split", ["rid", "seat"])):
        said = made.filter(pl.col("choice") == word).group_by(group).agg(pl.col("seq").min().alias(f"first_{word}"))
        made = made.join(said, on=group, how="left", maintain_order="left")
    return made


def _unknown() -> pl.Expr:
    known = reduce(
        or_, ((pl.col("game") == game.name) & pl.col("choice").is_in(list(game.choices)) for game in GAMES.values())
    )
    return ~known


def _not_open_in_its_street() -> pl.Expr:
    """Hold'em: the choices of a street are open once, to who has neither raised nor folded."""
    streets = [(game.name, street) for game in GAMES.values() for street in game.streets]
    open_ = reduce(
        or_,
        (
            (pl.col("game") == name)
            & (pl.col("shown") == street.community_cards)
            & pl.col("choice").is_in(list(street.choices))
            for name, street in streets
        ),
    )
    in_streets = pl.col("game").cast(pl.String).is_in([name for name, _ in streets])
    again = (pl.col("shown") == pl.col("shown_before")) | pl.col("before").is_in(["raise", "fold"])
    return in_streets & ~pl.col("no_street") & (~open_ | again.fill_null(False))


def _not_open_in_a_shoe_game() -> pl.Expr:
    choice, before = pl.col("choice"), pl.col("before")
    doubled, split = ((pl.col("seq") >= pl.col(first)).fill_null(False) for first in ("first_double", "first_split"))
    # Each bettor of a box rescues his own double.
    aside = choice.is_in(["dead", "ride"]) | (choice == "rescue") & (before == "rescue")
    after_the_last = before.is_in(_LAST_WORDS) | (before == "double") & ~choice.is_in(_AFTER_A_DOUBLE)
    surrender = (choice == "surrender") & (pl.col("again") | (pl.col("hand") > 1) | split)
    rescue = (choice == "rescue") & ~doubled
    return (pl.col("game") == spanish_21.NAME) & (~aside & after_the_last.fill_null(False) | surrender | rescue)


def _split_of_unequal_cards(evidence: Evidence) -> pl.LazyFrame:
    """Splits of Spanish 21 that divide cards of different value, or make a fifth hand: the decision's seq."""
    hands = evidence.hands.get(spanish_21.NAME)
    if hands is None:
        return pl.LazyFrame(schema={"rid": pl.UInt32, "seq": pl.Int64})
    first = (
        hands.filter(pl.col("player_count") > 0)
        .select("rid", "seat", "hand", card=pl.col("player_cards").list.first().cast(pl.String))
        .unique(["rid", "seat", "hand"])
        .with_columns(value=pl.col("card").str.head(1).replace(["T", "J", "Q", "K"], "10"))
        .filter(~pl.col("card").is_in([cards.UNREAD, cards.JOKER]))
        .drop("card")
    )
    splits = (
        evidence.decisions.filter(pl.col("choice") == "split")
        .select("rid", "seat", "hand", "seq")
        .sort("rid", "seat", "seq")
        .with_columns(made=(place_in("rid", "seat") + 2).cast(pl.Int16))
    )
    return (
        splits.join(first, on=["rid", "seat", "hand"], how="left")
        .join(first.rename({"hand": "made", "value": "moved"}), on=["rid", "seat", "made"], how="left")
        .filter((pl.col("made") > 4) | (pl.col("value") != pl.col("moved")))
        .select("rid", "seq")
    )


def _on_a_hand_over_21(evidence: Evidence) -> pl.LazyFrame:
    """Cards and chips asked for, and doubles taken back, by a hand of Spanish 21 that is over 21 already: the decision's seq.
    Aces and unread cards count 1; a box that was split is left aside, whose cards have moved."""
    hands = evidence.hands.get(spanish_21.NAME)
    if hands is None:
        return pl.LazyFrame(schema={"rid": pl.UInt32, "seq": pl.Int64})
    split = evidence.decisions.filter(pl.col("choice") == "split").select("rid", "seat")
    busts = hands.filter("player_busts").select(*HAND).unique().join(split, on=["rid", "seat"], how="anti")
    rank = pl.col("card").cast(pl.String).str.head(1)
    points = rank.replace({"A": "1", "T": "10", "J": "10", "Q": "10", "K": "10", "?": "1", "X": "1"}).cast(pl.Int64)
    totals = (
        evidence.cards.filter((kind == "card_dealt") & (pl.col("to") == "player"))
        .join(busts, on=list(HAND), how="semi")
        .sort(*HAND, "seq")
        .select(*HAND, "seq", total=points.cum_sum().over(*HAND))
    )
    return (
        evidence.decisions.filter(pl.col("choice").is_in(["hit", "double", "surrender", "rescue"]))
        .join(busts, on=list(HAND), how="semi")
        .sort("seq")
        .join_asof(totals.sort("seq"), on="seq", by=list(HAND), check_sortedness=False)
        .filter(pl.col("total") > 21)
        .select("rid", "seq")
    )


def _without_a_hand(evidence: Evidence) -> pl.LazyFrame:
    """Poker seats and whether they have nothing to decide: no Ante, and no chips that would be told as a wager without its
    companion. A seat that is not among them had neither chips nor cards."""
    parts = [
        hands.select(
            hand_number().alias(_PLACE),
            nothing_to_decide=(pl.col("ante") == 0)
            & reduce(or_, (pl.col(wager) == 0 for wager in GAMES[name].staked.values())),
        )
        for name, hands in evidence.hands.items()
        if name in _POKER
    ]
    schema = {_PLACE: pl.UInt64, "nothing_to_decide": pl.Boolean}
    return pl.concat([pl.LazyFrame(schema=schema), *parts])


def _out_of_turn(made: pl.LazyFrame, wrong: pl.LazyFrame) -> pl.LazyFrame:
    """The first decision of a round, or of a street, that came before that of a player who sits before. Seats that have a wrong
    one are left aside."""
    # Where no decision comes after that of a player who sits further on, none is out of turn.
    doubtful = made.join(made.filter("goes_back").select("rid"), on="rid", how="semi", maintain_order="left")
    came = (
        doubtful.join(wrong, on=["rid", "seat"], how="anti", maintain_order="left")
        .filter(~pl.col("choice").is_in(["dead", "ride"]))
        .sort("rid", "seq")
    )
    came = came.unique(["rid", "shown", "seat"], keep="first", maintain_order=True).sort("rid", "shown", "seq").cache()
    # Both orders go through the streets one after the other, so the seats that stand beside each other are of one street.
    due = came.sort("rid", "shown", "seat").select(due="seat")
    return (
        pl.concat([came, due], how="horizontal")
        .filter(pl.col("seat") != pl.col("due"))
        .sort("rid", "seq")
        .unique("rid", keep="first", maintain_order=True)
        .with_columns(why=pl.format("chose {} before it was the turn", "choice"))
    )


def _decision_clause() -> pl.Expr:
    """The game's own; in hold'em that of the street in which it was made."""
    clause = clause_of(pl.col("game"), DECISIONS)
    for game in GAMES.values():
        for street in game.streets:
            reached = (pl.col("game") == game.name) & (pl.col("shown") >= street.community_cards)
            clause = pl.when(reached).then(pl.lit(street.clause)).otherwise(clause)
    return clause


def impossible_decision(evidence: Evidence) -> Tellings:
    """Flags a decision that was not open to the hand: twice, after the last word, in the wrong street, by who has none to make,
    on the wrong cards, contradicted by the chips, after the dealer's cards were shown; and one out of turn.

    Why: who decides late, twice or out of turn decides with knowledge that the game does not give him.

    Blind to: void rounds; the order of hands within a split box; what a split hand asks for that is over 21 already; the street
    where the board lay open before anybody decided. The order is only advised where no clause sets it.
    """
    decided = _decisions(evidence)
    made = (
        decided.join(_without_a_hand(evidence), on=_PLACE, how="left", maintain_order="left")
        .join(
            evidence.seats.filter(pl.col("unclear").str.contains("chips").fill_null(False))
            .select(hand_number().alias(_PLACE), "unclear")
            .unique(_PLACE),
            on=_PLACE,
            how="left",
            maintain_order="left",
        )
        .join(
            _split_of_unequal_cards(evidence).with_columns(unequal=pl.lit(True)),
            on=["rid", "seq"],
            how="left",
            maintain_order="left",
        )
        .join(
            _on_a_hand_over_21(evidence).unique().with_columns(over_21=pl.lit(True)),
            on=["rid", "seq"],
            how="left",
            maintain_order="left",
        )
        .cache()
    )
    poker = pl.col("game").cast(pl.String).is_in(_POKER)
    one_decision = pl.col("game").cast(pl.String).is_in([name for name in _POKER if not GAMES[name].streets])
    reasons = (
        (_unknown(), pl.format("chose {}, which the game does not know", "choice")),
        (one_decision & (pl.col("again")), pl.format("chose {} after it had chosen {}", "choice", "before")),
        (_not_open_in_its_street(), pl.format("chose {}, which was not open to it then", "choice")),
        (_not_open_in_a_shoe_game(), pl.format("chose {}, which was not open to it then", "choice")),
        (pl.col("over_21").fill_null(False), pl.format("chose {} with a hand over 21", "choice")),
        (pl.col("unequal").fill_null(False), pl.lit("split cards of different value, or made a fifth hand")),
        (
            poker & pl.col("nothing_to_decide").fill_null(True),
            pl.format("chose {} and has nothing to decide", "choice"),
        ),
        (pl.col("seq") > pl.col("revealed_seq"), pl.format("chose {} after the dealer's cards were shown", "choice")),
        (pl.col("unclear").is_not_null(), pl.col("unclear")),
    )
    wrong = (
        made.with_columns(holds.fill_null(False).alias(f"wrong_{number}") for number, (holds, _) in enumerate(reasons))
        .filter(pl.any_horizontal(f"wrong_{number}" for number in range(len(reasons))))
        .unique(_PLACE, keep="first", maintain_order=True)
        .with_columns(
            why=pl.coalesce(pl.when(f"wrong_{number}").then(words) for number, (_, words) in enumerate(reasons))
        )
        .cache()
    )
    advised = (
        pl.col("game").cast(pl.String).is_in([game.name for game in GAMES.values() if not game.settle_order_binds])
    )
    out_of_turn = _out_of_turn(made, wrong).with_columns(severity=pl.when(advised).then(pl.lit("advisory")))
    return tell(
        pl.concat([wrong, out_of_turn], how="diagonal_relaxed"),
        "rid",
        "seat",
        "hand",
        "player",
        "severity",
        seqs=pl.concat_list("seq"),
        clause=_decision_clause(),
        message=pl.format("Seat {} {}.", "seat", "why"),
    )


def void_without_cause(evidence: Evidence) -> Tellings:
    """Flags a round that was declared void though nothing that voids it was seen.

    Why: a void takes back what somebody had won. Declared at will, it is a way to choose which hands count.

    Blind to: a deal that was broken off before every hand had its cards, a device that failed, a card that was exposed in a game
    whose text is silent on it, and a card reader's mishap that the reason names.
    """
    other_causes = evidence.inside.filter(kind.is_in(["device_failed", "card_exposed"])).select("rid").unique()
    miscounted = evidence.miscounts.filter("stands").select("rid").unique()
    by_reader = (pl.col("game") == spanish_21.NAME) & pl.col("void_reason").str.to_lowercase().str.contains("reader")
    rows = (
        evidence.rounds.filter(
            pl.col("reason").is_null()
            & pl.col("voided")
            & pl.col("cause_clause").is_null()
            & pl.col("misdealt").is_null()
            & ~by_reader.fill_null(False)
        )
        .join(other_causes, on="rid", how="anti", maintain_order="left")
        .join(miscounted, on="rid", how="anti", maintain_order="left")
    )
    return tell(
        rows,
        "rid",
        seqs=pl.concat_list("voided_seq"),
        clause=clause_of(pl.col("game"), {game.name: game.void_clause for game in GAMES.values()}),
        message=pl.format(
            "The round was declared void by {} and nothing that voids it was seen.",
            pl.col("voided_by").fill_null("somebody"),
        ),
    )
