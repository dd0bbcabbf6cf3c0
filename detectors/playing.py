"""DEAL: what was done with the cards once they were out: faces, turned cards, and decisions that nobody could make."""

from functools import reduce
from operator import or_
from typing import Final

import polars as pl

from detectors.betting import clause_of, community_shown, streets_unknown
from detectors.dealing import by_method, cost, exposed_and_played_on, played_on, stray_board_card
from detectors.finding import tell
from replay.derivation import Derivation
from rules import cards, spanish_21
from rules.games import GAMES

kind = pl.col("type")

_POKER: Final = [name for name in GAMES if name != spanish_21.NAME]
# Which clause says who decides when.
DECISIONS: Final = {
    "three-card-poker": "19:47-20.10(b)",
    "three-card-draw-poker": "13:69F-42.10(f)",
    "heads-up-holdem": "13:69F-39.10(d)",
    "spanish-21": "19:47-19.13(b)",
}
# After these a hand of Spanish 21 has nothing more to decide; a double may still be rescued, or said to stand.
_LAST_WORDS: Final = ["stand", "surrender", "rescue", "dead"]
_AFTER_A_DOUBLE: Final = ["rescue", "stand", "dead"]


def _standing(derivation: Derivation) -> pl.DataFrame:
    """Whole rounds that were not void."""
    return derivation.rounds.filter(pl.col("reason").is_null() & ~pl.col("voided"))


def _faces(derivation: Derivation) -> pl.DataFrame:
    """Every card dealt to a hand or the board, with `due`: the face it should show, null where either will do."""
    decided = derivation.inside.filter(kind == "decision_made").group_by("rid").agg(decision=pl.col("seq").min())
    revealed = derivation.inside.filter(kind == "community_revealed").group_by("rid").agg(turned_over=pl.len() > 0)
    cards = (
        derivation.cards.filter((kind == "card_dealt") & (pl.col("to") != "burn"))
        .join(
            _standing(derivation).select("rid", "game", "cause_seq", "revealed_seq"),
            on="rid",
            how="inner",
            maintain_order="left",
        )
        .filter(~stray_board_card())
        .join(decided, on="rid", how="left", maintain_order="left")
        .join(revealed, on="rid", how="left", maintain_order="left")
        .with_columns(nth=pl.int_range(pl.len()).over("rid", "to", "seat", "hand"))
    )
    shoe_game = pl.col("game") == spanish_21.NAME
    first_two = pl.col("nth") < 2
    one_is_up = (first_two & (pl.col("face") == "up")).sum().over("rid", "to") == 1
    of_shoe_game = (
        pl.when((pl.col("to") == "player") & first_two)
        .then(pl.lit("up"))
        # The hole card is down; where both of the dealer's first two are up, it is the second that should not be.
        .when((pl.col("to") == "dealer") & first_two & ~one_is_up)
        .then(pl.when(pl.col("nth") == 0).then(pl.lit("up")).otherwise(pl.lit("down")))
    )
    board = (
        pl.when(pl.col("seq") < pl.col("decision").fill_null(2**62))
        .then(pl.lit("down"))
        .when(~pl.col("turned_over").fill_null(False))
        .then(pl.lit("up"))
    )
    due = pl.when(shoe_game).then(of_shoe_game).when(pl.col("to") == "community").then(board).otherwise(pl.lit("down"))
    return cards.with_columns(due=due)


def wrong_face(derivation: Derivation) -> pl.DataFrame:
    """Flags a card dealt face up that was due face down, or down that was due up. Where the game voids a round for a dealer's
    card that was seen, and it was played on, that is in the clause and the amount.

    Why: a card that lies the wrong way tells what it should not, or hides what everybody may see.

    Blind to: rounds that were void, burned cards, and the card of a double in Spanish 21, which lies either way.
    """
    wrong = (
        _faces(derivation)
        .filter(pl.col("due").is_not_null() & (pl.col("face").cast(pl.String) != pl.col("due")))
        .group_by("rid", "to", "seat", maintain_order=True)
        .agg(seqs=pl.col("seq"), due=pl.col("due").first())
    )
    exposed = played_on(derivation).filter(exposed_and_played_on & (pl.col("cause_seq") == pl.col("dealer_up_seq")))
    void_due = exposed.select("rid", "moved", "cause_clause", to=pl.lit("dealer"))
    # A dealer's card that a later exposure or an earlier void explains is not told again.
    told_by_void = derivation.rounds.filter(pl.col("cause_clause").is_not_null()).select("rid", to=pl.lit("dealer"))
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
        .join(derivation.rounds.select("rid", "game", "dealing"), on="rid", how="left", maintain_order="left")
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


def turned_card_played(derivation: Derivation) -> pl.DataFrame:
    """Flags a card that was found face up in the deck and then dealt to a hand in the same round.

    Why: everybody has seen it. The law puts it in the rack; whoever is dealt it plays with open cards.

    Blind to: rounds that were void or should have been, and Spanish 21, where the packs hold others like it.
    """
    clauses = {name: game.void_clause + "(a)" for name, game in GAMES.items() if name in _POKER}
    standing = _standing(derivation).filter(pl.col("cause_clause").is_null()).select("rid", "game")
    found = derivation.cards.filter(kind == "card_found_face_up").select("rid", "card", found="seq")
    rows = (
        derivation.cards.filter((kind == "card_dealt") & (pl.col("to") != "burn"))
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


def _decisions(derivation: Derivation) -> pl.DataFrame:
    """The decisions of rounds that stand, in order: the how-manieth of its hand, what came before it, and how much lay open."""
    rounds = _standing(derivation).filter(pl.col("cause_clause").is_null()).select("rid", "game", "revealed_seq")
    made = (
        derivation.inside.filter(kind == "decision_made")
        .select("rid", "seq", "seat", "hand", "choice", "player")
        .join(rounds, on="rid", how="inner", maintain_order="left")
        .with_columns(
            nth=pl.int_range(pl.len()).over("rid", "seat", "hand"),
            before=pl.col("choice").shift().over("rid", "seat", "hand"),
        )
        .sort("seq")
    )
    return (
        made.join_asof(community_shown(derivation), on="seq", by="rid", check_sortedness=False)
        .join(
            streets_unknown(derivation).with_columns(no_street=pl.lit(True)),
            on="rid",
            how="left",
            maintain_order="left",
        )
        .with_columns(pl.col("shown").fill_null(0), pl.col("no_street").fill_null(False))
    )


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
    again = (pl.col("shown") == pl.col("shown").shift().over("rid", "seat", "hand")) | pl.col("before").is_in(
        ["raise", "fold"]
    )
    return in_streets & ~pl.col("no_street") & (~open_ | again.fill_null(False))


def _not_open_in_a_shoe_game() -> pl.Expr:
    choice, before = pl.col("choice"), pl.col("before")
    said = {word: (choice == word).cum_sum().over("rid", "seat", "hand") > 0 for word in ("double",)}
    split = ((choice == "split").cum_sum().over("rid", "seat") > 0).fill_null(False)
    # Each bettor of a box rescues his own double.
    aside = choice.is_in(["dead", "ride"]) | (choice == "rescue") & (before == "rescue")
    after_the_last = before.is_in(_LAST_WORDS) | (before == "double") & ~choice.is_in(_AFTER_A_DOUBLE)
    surrender = (choice == "surrender") & ((pl.col("nth") > 0) | (pl.col("hand") > 1) | split)
    rescue = (choice == "rescue") & ~said["double"]
    return (pl.col("game") == spanish_21.NAME) & (~aside & after_the_last.fill_null(False) | surrender | rescue)


def _split_of_unequal_cards(derivation: Derivation) -> pl.DataFrame:
    """Splits of Spanish 21 that divide cards of different value, or make a fifth hand: the decision's seq."""
    hands = derivation.hands.get(spanish_21.NAME)
    if hands is None:
        return pl.DataFrame(schema={"rid": pl.UInt32, "seq": pl.Int64})
    first = (
        hands.filter(pl.col("player_count") > 0)
        .select("rid", "seat", "hand", card=pl.col("player_cards").list.first().cast(pl.String))
        .unique(["rid", "seat", "hand"])
        .with_columns(value=pl.col("card").str.head(1).replace(["T", "J", "Q", "K"], "10"))
        .filter(~pl.col("card").is_in([cards.UNREAD, cards.JOKER]))
        .drop("card")
    )
    splits = (
        derivation.inside.filter((kind == "decision_made") & (pl.col("choice") == "split"))
        .select("rid", "seat", "hand", "seq")
        .with_columns(made=(pl.int_range(pl.len()).over("rid", "seat") + 2).cast(pl.Int16))
    )
    return (
        splits.join(first, on=["rid", "seat", "hand"], how="left")
        .join(first.rename({"hand": "made", "value": "moved"}), on=["rid", "seat", "made"], how="left")
        .filter((pl.col("made") > 4) | (pl.col("value") != pl.col("moved")))
        .select("rid", "seq")
    )


def _without_a_hand(derivation: Derivation) -> pl.DataFrame:
    """Poker seats and whether they have nothing to decide: no Ante, and no chips that would be told as a wager without its
    companion. A seat that is not among them had neither chips nor cards."""
    parts = [
        hands.select(
            "rid",
            "seat",
            "hand",
            nothing_to_decide=(pl.col("ante") == 0)
            & reduce(or_, (pl.col(wager) == 0 for wager in GAMES[name].staked.values())),
        )
        for name, hands in derivation.hands.items()
        if "ante" in hands.columns
    ]
    schema = {"rid": pl.UInt32, "seat": pl.Int16, "hand": pl.Int16, "nothing_to_decide": pl.Boolean}
    return pl.concat([pl.DataFrame(schema=schema), *parts])


def _out_of_turn(made: pl.DataFrame) -> pl.DataFrame:
    """The first decision of a round, or of a street, that came before that of a player who sits before."""
    first = made.filter(~pl.col("choice").is_in(["dead", "ride"])).unique(
        ["rid", "shown", "seat"], keep="first", maintain_order=True
    )
    turns = ["rid", "shown"]
    came = first.with_columns(place=pl.int_range(pl.len()).over(turns))
    due = came.sort("rid", "shown", "seat").select("rid", "shown", due="seat", place=pl.int_range(pl.len()).over(turns))
    return (
        came.join(due, on=["rid", "shown", "place"], how="left", maintain_order="left")
        .filter(pl.col("seat") != pl.col("due"))
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


def impossible_decision(derivation: Derivation) -> pl.DataFrame:
    """Flags a decision that was not open to the hand: twice, after the last word, in the wrong street, by who has none to make,
    on the wrong cards, contradicted by the chips, after the dealer's cards were shown; and one out of turn.

    Why: who decides late, twice or out of turn decides with knowledge that the game does not give him.

    Blind to: void rounds; the order of hands within a split box; a card asked for by a hand that is over 21 already; the street
    where the board lay open before anybody decided. The order is only advised where no clause sets it.
    """
    decided = _decisions(derivation)
    if decided.is_empty():
        return decided
    made = (
        decided.join(_without_a_hand(derivation), on=["rid", "seat", "hand"], how="left", maintain_order="left")
        .join(
            derivation.seats.filter(pl.col("unclear").str.contains("chips").fill_null(False))
            .select("rid", "seat", "hand", "unclear")
            .unique(["rid", "seat", "hand"]),
            on=["rid", "seat", "hand"],
            how="left",
            maintain_order="left",
        )
        .join(
            _split_of_unequal_cards(derivation).with_columns(unequal=pl.lit(True)),
            on=["rid", "seq"],
            how="left",
            maintain_order="left",
        )
    )
    poker = pl.col("game").cast(pl.String).is_in(_POKER)
    one_decision = pl.col("game").cast(pl.String).is_in([name for name in _POKER if not GAMES[name].streets])
    reasons = (
        (_unknown(), pl.format("chose {}, which the game does not know", "choice")),
        (one_decision & (pl.col("nth") > 0), pl.format("chose {} after it had chosen {}", "choice", "before")),
        (_not_open_in_its_street(), pl.format("chose {}, which was not open to it then", "choice")),
        (_not_open_in_a_shoe_game(), pl.format("chose {}, which was not open to it then", "choice")),
        (pl.col("unequal").fill_null(False), pl.lit("split cards of different value, or made a fifth hand")),
        (
            poker & pl.col("nothing_to_decide").fill_null(True),
            pl.format("chose {} and has nothing to decide", "choice"),
        ),
        (pl.col("seq") > pl.col("revealed_seq"), pl.format("chose {} after the dealer's cards were shown", "choice")),
        (pl.col("unclear").is_not_null(), pl.col("unclear")),
    )
    why = pl.coalesce(pl.when(holds.fill_null(False)).then(words) for holds, words in reasons)
    wrong = (
        made.rechunk()
        .with_columns(why=why)
        .filter(pl.col("why").is_not_null())
        .unique(["rid", "seat", "hand"], keep="first", maintain_order=True)
    )
    in_turn = made.join(wrong, on=["rid", "seat"], how="anti", maintain_order="left")
    advised = (
        pl.col("game").cast(pl.String).is_in([game.name for game in GAMES.values() if not game.settle_order_binds])
    )
    out_of_turn = _out_of_turn(in_turn.rechunk()).with_columns(severity=pl.when(advised).then(pl.lit("advisory")))
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


def void_without_cause(derivation: Derivation) -> pl.DataFrame:
    """Flags a round that was declared void though nothing that voids it was seen.

    Why: a void takes back what somebody had won. Declared at will, it is a way to choose which hands count.

    Blind to: a deal that was broken off before every hand had its cards, a device that failed, a card that was exposed in a game
    whose text is silent on it, and a card reader's mishap that the reason names.
    """
    other_causes = derivation.inside.filter(kind.is_in(["device_failed", "card_exposed"])).select("rid").unique()
    miscounted = derivation.miscounts.filter("stands").select("rid").unique()
    by_reader = (pl.col("game") == spanish_21.NAME) & pl.col("void_reason").str.to_lowercase().str.contains("reader")
    rows = (
        derivation.rounds.filter(
            pl.col("reason").is_null()
            & pl.col("voided")
            & pl.col("cause_clause").is_null()
            & pl.col("misdealt").is_null()
            & ~by_reader.fill_null(False)
            & pl.col("first_card_seq").is_not_null()
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
