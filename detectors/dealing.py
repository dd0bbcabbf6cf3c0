"""DEAL: how the cards came out."""

from typing import Final

import polars as pl

from detectors.betting import clause_of
from detectors.evidence import Evidence
from detectors.finding import Tellings, dollars, tell
from replay.frames import goes_on, place_in
from replay.rounds import Openings
from rules import spanish_21
from rules.game import Irregularity
from rules.games import GAMES

kind = pl.col("type")

# In place of a seat, so that the dealer comes after every player, and the cards that all share after him.
_DEALER: Final = 32_000
_BOARD: Final = 32_001
# No round has as many cards.
_MOST: Final = 2**16
_recipient = (
    pl.when(pl.col("to") == "player")
    .then(pl.col("seat"))
    .when(pl.col("to") == "dealer")
    .then(_DEALER)
    .otherwise(_BOARD)
    .cast(pl.Int16)
)
_ORDER: Final = {
    "order": pl.String(),
    "order_clause": pl.String(),
    "dealer_last": pl.Boolean(),
    "board_may_come_first": pl.Boolean(),
    "board_may_follow": pl.Boolean(),
    "counted": pl.Boolean(),
}
# Where a wrong number of cards does not void the round, what is to be done about it.
_COUNT_CLAUSES: Final = {
    game.name: game.remedies[Irregularity.ONE_CARD].clause
    for game in GAMES.values()
    if Irregularity.ONE_CARD in game.remedies
}


def by_method(field: str) -> pl.Expr:
    """A field of the deal by the round's game and dealing method."""
    chosen = pl.lit(None, pl.String)
    for game in GAMES.values():
        for method, deal in game.deal.items():
            chosen = (
                pl.when((pl.col("game") == game.name) & (pl.col("dealing") == method))
                .then(pl.lit(getattr(deal, field)))
                .otherwise(chosen)
            )
    return chosen


def _deal_orders(opened: Openings) -> pl.LazyFrame:
    """How each opening's method deals: in which order, whether the dealer comes last, and where the shared cards belong."""
    rows = []
    for opening, dealing in opened.frame.select("opening", "dealing").iter_rows():
        terms = opened.terms.get(opening)
        deal = None if terms is None else GAMES[terms.game].deal.get(dealing)
        if terms is None or deal is None:
            continue
        rows.append(
            (
                opening,
                terms.options.get("deal_order", deal.order),
                deal.order_clause,
                deal.dealer_last,
                "before_hands" in deal.community,
                "by_street" in deal.community,
                GAMES[terms.game].stub_is_counted,
            )
        )
    return pl.LazyFrame(rows, schema={"opening": pl.Int64, **_ORDER}, orient="row")


def played_on(evidence: Evidence) -> pl.LazyFrame:
    """Whole rounds that the law voids and the table did not, with `moved`: what a void would have given back."""
    money = evidence.wagers.group_by("rid").agg(moved=pl.col("paid").sum())
    return (
        evidence.rounds.filter(pl.col("reason").is_null() & ~pl.col("voided") & pl.col("cause_clause").is_not_null())
        .join(money, on="rid", how="left", maintain_order="left")
        .with_columns(moved=pl.col("moved").fill_null(0))
    )


def cost(moved: pl.Expr) -> pl.Expr:
    """What playing on cost, in words."""
    return (
        pl.when(moved > 0)
        .then(pl.format("the house paid out {} that a void would have kept.", dollars(moved)))
        .when(moved < 0)
        .then(pl.format("the house kept {} that a void would have given back.", dollars(-moved)))
        .otherwise(pl.lit("what was won and lost came out even."))
    )


def wrong_card_count(evidence: Evidence) -> Tellings:
    """Flags a hand with too many or too few cards in a round that was played on instead of being void; in Spanish 21, which
    voids nothing for it, a hand with one card, or with another number than its decisions asked for.

    Why: one card more or less changes every hand after it. The law voids the round; the payouts that followed all hang on this
    one wrong and stand in its amount.

    Blind to: a misdeal that the table declared void, which is the law kept, and rounds with events missing.
    """
    void_due = played_on(evidence).filter(pl.col("cause") == Irregularity.WRONG_CARD_COUNT.value)
    stands = evidence.rounds.filter(
        pl.col("reason").is_null()
        & ~pl.col("voided")
        & pl.col("cause_clause").is_null()
        & pl.col("misdealt").is_not_null()
    )
    cards = pl.concat_list("first_card_seq", "last_card_seq")
    dealt = pl.format("{} was dealt {}", "misdealt", _cards_in_words(pl.col("misdealt_count")))
    return tell(
        void_due,
        "rid",
        seat="misdealt_seat",
        seqs=cards,
        amount="moved",
        clause="cause_clause",
        message=pl.format("{} and the round was played on; {}", dealt, cost(pl.col("moved"))),
    ) + tell(
        stands,
        "rid",
        seat="misdealt_seat",
        seqs=cards,
        amount=pl.lit(0, pl.Int64),
        clause=clause_of(pl.col("game"), _COUNT_CLAUSES),
        message=pl.format("{}, not the number it was due.", dealt),
    )


def _cards_in_words(number: pl.Expr) -> pl.Expr:
    return pl.when(number == 1).then(pl.lit("1 card")).otherwise(pl.format("{} cards", number))


def stray_board_card() -> pl.Expr:
    """A card dealt to the board of a game that has none: FEED05, and nobody's turn or face."""
    with_board = [game.name for game in GAMES.values() if game.community_cards]
    return (pl.col("to") == "community") & ~pl.col("game").cast(pl.String).is_in(with_board)


def _place_of_each(group: pl.Expr) -> pl.Expr:
    """The how-manieth row of its group each row is, from 0, wherever the others stand."""
    at = pl.int_range(pl.len())
    order = at.sort_by(group, maintain_order=True)
    sorted_ = group.gather(order)
    begins = (sorted_ != sorted_.shift()).fill_null(True)
    return (at - pl.when(begins).then(at).forward_fill()).gather(order.arg_sort())


def _opening_deal(evidence: Evidence) -> pl.LazyFrame:
    """The cards of the first deal of each round: what came before anybody decided; of a shoe game, everybody's first two."""
    decided = evidence.decisions.group_by("rid").agg(first_decision=pl.col("seq").min())
    first_two = (pl.col("nth") < 2) & (pl.col("hand").fill_null(1) == 1)
    before_decisions = pl.col("seq") < pl.col("first_decision").fill_null(2**62)
    rounds = evidence.rounds.filter(pl.col("reason").is_null() & ~pl.col("voided") & pl.col("misdealt").is_null())
    return (
        evidence.cards.filter((kind == "card_dealt") & pl.col("to").is_in(["player", "dealer", "community"]))
        .select("rid", "seq", "to", "seat", "hand", recipient=_recipient)
        .join(
            rounds.select("rid", "game", "opening")
            .join(_deal_orders(evidence.openings), on="opening", how="inner")
            .join(decided, on="rid", how="left"),
            on="rid",
            how="inner",
            maintain_order="left",
        )
        .filter(~stray_board_card())
        # One number to sort by, and one column: the rest stands in its order already.
        .with_columns(nth=_place_of_each(pl.col("rid").cast(pl.Int64) * 2**16 + pl.col("recipient")))
        .filter(pl.when("counted").then(before_decisions).otherwise(first_two))
        .with_columns(came=place_in("rid"))
        .cache()
    )


def _with_somebody_missed(cards: pl.LazyFrame) -> pl.LazyFrame:
    """Deals of a shoe game in which one box or the dealer was missed and served after the others, 19:47-19.15(f) and (h).

    Two passes, the dealer's up card between them. A box that was missed in either has its last card after everybody else's
    second; a dealer who missed himself has his after the players'. More than one box missed is no longer an accident.
    """
    came, seat, nth = pl.col("came"), pl.col("seat"), pl.col("nth")
    dealt = cards.filter(~pl.col("counted"))
    dealers = pl.col("recipient") == _DEALER
    up, hole = (pl.when(dealers & (nth == each)).then(came).max().over("rid") for each in (0, 1))
    last = pl.when(~dealers).then(came).max().over("rid")
    dealer_missed = up > last
    players = (
        dealt.with_columns(up=up, hole=hole, last=last, dealer_missed=dealer_missed)
        .filter(~dealers)
        .with_columns(second_pass=pl.when("dealer_missed").then(nth == 1).otherwise(came > pl.col("up")))
    )
    after_others = (seat <= seat.shift().over("rid")) | (came > pl.col("hole"))
    late = (came == pl.col("last")) & (nth == 1) & after_others
    in_time = players.filter(~late.fill_null(False))
    boxes = players.group_by("rid", "seat").agg(
        passes=pl.col("second_pass").n_unique(), missed_first=pl.col("second_pass").all(), served=pl.len()
    )
    missed = boxes.filter((pl.col("passes") < pl.col("served")) | pl.col("missed_first")).group_by("rid").len("missed")
    in_order = in_time.group_by("rid").agg(
        ascending=(seat > seat.shift().over("rid", "second_pass")).fill_null(True).all(),
        dealt_out=(pl.col("hole") > came).fill_null(True).all(),
        in_passes=(came.filter(~pl.col("second_pass")).max() < came.filter(pl.col("second_pass")).min()).fill_null(
            True
        ),
    )
    return (
        in_order.join(missed, on="rid", how="left")
        .filter(pl.col("ascending") & pl.col("in_passes") & pl.col("dealt_out") & (pl.col("missed").fill_null(0) <= 1))
        .select("rid")
    )


def card_out_of_turn(evidence: Evidence) -> Tellings:
    """Flags the first card that went to another hand than the dealing method prescribes, where every hand got its number.

    Why: the order of the deal decides who gets which card; a second's deal or a switched packet shows here.

    Blind to: rounds that were void or misdealt, a swap of two cards of the same hand, and in Spanish 21 a card that was missed
    and dealt after the others, which is the remedy.
    """
    cards = _opening_deal(evidence)
    board, dealer = pl.col("recipient") == _BOARD, pl.col("recipient") == _DEALER
    led_by = pl.when(~goes_on("rid")).then(pl.col("recipient")).forward_fill()
    board_first = (led_by == _BOARD) & pl.col("board_may_come_first")
    # Sorted by this, the cards are in the order that they were due.
    phase = (
        pl.when(board)
        .then(pl.when(board_first | ~pl.col("board_may_follow")).then(0).otherwise(3))
        .when(dealer & pl.col("dealer_last"))
        .then(2)
        .otherwise(1)
    )
    rotates = pl.col("order") == "rotation"
    nth, recipient = pl.col("nth").cast(pl.Int64), pl.col("recipient").cast(pl.Int64)
    turn = pl.when(rotates).then(nth * 2**16 + recipient).otherwise(recipient * _MOST + nth)
    due = cards.select(
        due=pl.col("recipient").sort_by((pl.col("rid").cast(pl.Int64) * 4 + phase) * (_MOST * 2**16) + turn)
    )
    # Both orders go through the rounds one after the other, so the cards that stand beside each other are of one round.
    out_of_turn = pl.concat([cards, due], how="horizontal").filter(pl.col("recipient") != pl.col("due")).cache()
    suspects = cards.join(out_of_turn.select("rid"), on="rid", how="semi", maintain_order="left")
    misplaced = out_of_turn.join(_with_somebody_missed(suspects), on="rid", how="anti", maintain_order="left").unique(
        "rid", keep="first", maintain_order=True
    )
    whose = (
        pl.when(pl.col("to") == "player")
        .then(pl.format("seat {}", "seat"))
        .when(pl.col("to") == "dealer")
        .then(pl.lit("the dealer"))
        .otherwise(pl.lit("the board"))
    )
    return tell(
        misplaced,
        "rid",
        "seat",
        seqs=pl.concat_list("seq"),
        clause="order_clause",
        message=pl.format("Card {} of the round went to {} out of turn.", pl.col("came") + 1, whose),
    )


def dealt_before_bets_closed(evidence: Evidence) -> Tellings:
    """Flags a round whose first card was dealt before "No more bets", or without it.

    Why: until the dealer announces it, nobody can say which bets were late.

    Blind to: rounds with events missing, where the announcement may be what is missing.
    """
    first, closed = pl.col("first_card_seq"), pl.col("bets_closed_seq")
    rows = evidence.rounds.filter(
        pl.col("reason").is_null() & first.is_not_null() & (closed.is_null() | (first < closed))
    )
    return tell(
        rows,
        "rid",
        seqs=pl.concat_list("first_card_seq"),
        clause=by_method("bets_closed_clause"),
        message=pl.when(closed.is_null())
        .then(pl.lit('Cards were dealt and "No more bets" was never announced.'))
        .otherwise(pl.lit('The first card was dealt before "No more bets".')),
    )


exposed_and_played_on = pl.col("cause") == Irregularity.DEALER_CARD_EXPOSED.value


def dealer_card_exposed(evidence: Evidence) -> Tellings:
    """Flags a dealer's card shown before its time in a round that was played on instead of being void; where the text names no
    remedy (Three Card Draw Poker, Spanish 21) it is only advised that somebody decide.

    Why: players who have seen a dealer's card decide with knowledge the game does not give them.

    Blind to: an exposure after which the round was declared void, which is the law kept; an exposure nobody reported.
    """
    rows = played_on(evidence).filter(exposed_and_played_on & (pl.col("cause_seq") == pl.col("exposed_seq")))
    let_stand = evidence.rounds.filter(
        pl.col("reason").is_null()
        & ~pl.col("voided")
        & pl.col("cause_clause").is_null()
        & pl.col("exposed_seq").is_not_null()
    )
    return tell(
        rows,
        "rid",
        seqs=pl.concat_list("cause_seq"),
        amount="moved",
        clause="cause_clause",
        message=pl.format("A dealer's card was exposed and the round was played on; {}", cost(pl.col("moved"))),
    ) + tell(
        let_stand,
        "rid",
        seqs=pl.concat_list("exposed_seq"),
        clause=clause_of(pl.col("game"), {game.name: game.void_clause for game in GAMES.values()}),
        severity=pl.lit("advisory"),
        message=pl.lit(
            "A dealer's card was exposed; the text names no remedy, and a supervisor should say whether it stands."
        ),
    )


def dealer_drew_wrong(evidence: Evidence) -> Tellings:
    """Flags a dealer of Spanish 21 who drew when he was bound to stand, stood when he was bound to draw, or drew though every
    hand was decided.

    Why: the drawing rule leaves the dealer no choice; a card more or less decides every hand on the table. A card drawn to a hand
    that stands counts for nobody; what hangs on a card that was not drawn is left open.

    Blind to: a hole card that was not read, and a card that was drawn in error and burned, which is the law kept.
    """
    hands = evidence.hands.get(spanish_21.NAME)
    if hands is None:
        return ()
    wrong = spanish_21.dealer_draws(hands.filter(pl.col("main_stake") > 0), ["rid"])
    drew_on, stood_short, needless = (
        pl.col(name).fill_null(False) for name in ("drew_on", "stood_short", "drew_needlessly")
    )
    last_card = (
        evidence.cards.filter((kind == "card_dealt") & (pl.col("to") == "dealer"))
        .group_by("rid")
        .agg(seqs=pl.col("seq").tail(1))
    )
    rows = (
        evidence.rounds.filter(pl.col("reason").is_null() & ~pl.col("voided") & pl.col("cause_clause").is_null())
        .select("rid")
        .join(wrong.filter(drew_on | stood_short | needless), on="rid", how="inner", maintain_order="left")
        .join(last_card, on="rid", how="left", maintain_order="left")
    )
    return tell(
        rows,
        "rid",
        "seqs",
        clause=pl.when(drew_on | stood_short)
        .then(pl.lit(spanish_21.STANDS_ON_17))
        .otherwise(pl.lit(spanish_21.NEEDLESS_DRAW)),
        severity=pl.when(~drew_on & ~stood_short).then(pl.lit("minor")),
        message=pl.when(drew_on)
        .then(pl.lit("The dealer drew a card to a hand that stands; it counts for nobody."))
        .when(stood_short)
        .then(pl.lit("The dealer stood on a hand that he has to draw to; what hung on it is not derived."))
        .otherwise(pl.lit("The dealer drew a card though every hand was decided.")),
    )


def void_missing(evidence: Evidence) -> Tellings:
    """Flags a round that the law voids for another irregularity than a misdeal or an exposed card, and the table played on.

    Why: cards found face up or a shoe that failed put the order of the deck in doubt; the law takes the whole round back, and
    every payout that followed hangs on this one wrong and stands in its amount.

    Blind to: an irregularity that nobody reported.
    """
    told_elsewhere = [Irregularity.WRONG_CARD_COUNT.value, Irregularity.DEALER_CARD_EXPOSED.value]
    rows = played_on(evidence).filter(~pl.col("cause").is_in(told_elsewhere))
    return tell(
        rows,
        "rid",
        seqs=pl.concat_list("cause_seq"),
        amount="moved",
        clause="cause_clause",
        message=pl.format("The round was played on after {}; {}", "cause", cost(pl.col("moved"))),
    )
