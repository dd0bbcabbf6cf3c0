"""The derivation: what the law owed on every wager of every round that is decided, beside what was paid.

`derive` is the only way from facts to answers. It takes what was carried over, the new events, and gives the answers that the
new events decide and what to carry on: a micro-batch of the live floor and a year of it go through the same lines.
"""

from dataclasses import dataclass
from typing import Final

import polars as pl

from replay import facts as ordered
from replay import three_card_poker
from replay.carry import carried
from replay.hands import dealt
from replay.rounds import Openings, cut, openings, rounds, with_context, with_earlier_cause
from replay.wagers import SPOT, seated_players, settlements, stakes
from rules.decision import settle
from rules.game import Irregularity
from rules.games import GAMES

SEATS: Final = {"three-card-poker": three_card_poker.seats}


@dataclass(frozen=True, slots=True)
class Derivation:
    """What one batch decided.

    `rounds` are those decided now; `all_rounds` also holds the carried and the open ones, for what looks across rounds.
    `facts`, `inside` and `cards` are the evidence they rest on.
    """

    rounds: pl.DataFrame
    wagers: pl.DataFrame
    seats: pl.DataFrame
    cards: pl.DataFrame
    facts: pl.DataFrame
    inside: pl.DataFrame
    all_rounds: pl.DataFrame
    openings: Openings
    carry: pl.DataFrame
    final: bool


def derive(carry: pl.DataFrame, events: pl.DataFrame, final: bool) -> Derivation:
    """`final`: nothing follows, so an open round is reported as unfinished instead of waiting for its end."""
    facts = with_context(ordered.order(carry, events))
    opened = openings(facts)
    inside = cut(facts)
    every = rounds(inside, facts, opened)
    read_before = ordered.last_seqs(carry).rename({"seq": "_read"})
    decided_now = pl.col("decided_seq") > pl.col("_read").fill_null(0)
    if final:
        decided_now = decided_now.fill_null(True)
    due = every.join(read_before, on="table", how="left", maintain_order="left").filter(decided_now).drop("_read")
    acts = inside.join(due.select("rid", "bets_closed_seq"), on="rid", how="inner", maintain_order="left")
    seated = seated_players(acts, facts)
    cards = dealt(acts)
    spots = _spots(stakes(acts, seated), settlements(acts, seated), due)
    seats = _seats(acts, cards, spots, due)
    due = _with_misdeals(due, seats)
    return Derivation(
        rounds=due,
        wagers=_owed(spots, seats, due, opened),
        seats=seats,
        cards=cards,
        facts=facts,
        inside=inside,
        all_rounds=every,
        openings=opened,
        carry=carried(facts, every),
        final=final,
    )


def _spots(placed: pl.DataFrame, settled: pl.DataFrame, due: pl.DataFrame) -> pl.DataFrame:
    """Every spot that chips were put on or moved from. `base` is what the law settles on: a late wager as it lay, a pulled one
    as it was at "No more bets"."""
    before_deal = _wager_law("before_deal")
    spots = placed.join(settled, on=list(SPOT), how="full", coalesce=True, nulls_equal=True).join(
        due.select("rid", "game", "edition", "opening"), on="rid", how="left"
    )
    lying, at_close = pl.col("lying"), pl.col("at_close")
    chips = ["lying", "at_close", "given", "taken", "taken_again", "returned", "corrected", "times_settled"]
    return (
        spots.join(before_deal, on=["game", "wager"], how="left")
        .with_columns(pl.col(chips).fill_null(0), pl.col("was_returned").fill_null(False))
        .with_columns(
            base=pl.when(pl.col("before_deal").fill_null(True))
            .then(pl.max_horizontal(lying, at_close))
            .otherwise(lying)
        )
        .with_columns(paid=_net())
        .sort("rid", "seat", "hand", "wager", "player", nulls_last=True)
    )


def _net() -> pl.Expr:
    """Net cents that really moved to the player. Chips given back are measured against the stake they came from; for a pulled
    wager that is either what lay there at "No more bets" or what was left of it."""
    returned = pl.col("returned")
    stake = pl.when(returned == pl.col("lying")).then(pl.col("lying")).otherwise(pl.col("base"))
    return (
        pl.when(pl.col("was_returned"))
        .then(pl.col("given") + returned - stake - pl.col("taken_again"))
        .otherwise(pl.col("given") - pl.col("taken"))
    ) + pl.col("corrected")


def _wager_law(field: str) -> pl.DataFrame:
    """One field of each wager's law as a small frame to join: game, wager, value."""
    rows = {
        (game.name, wager.name): getattr(wager, field)
        for game in GAMES.values()
        for wager in game.wagers
        if wager.bonus_on is None
    }
    return pl.DataFrame(
        {
            "game": [game for game, _ in rows],
            "wager": [wager for _, wager in rows],
            field: list(rows.values()),
        }
    ).with_columns(pl.col("game").cast(ordered.SCHEMA["game"]))


def _seats(acts: pl.DataFrame, cards: pl.DataFrame, spots: pl.DataFrame, due: pl.DataFrame) -> pl.DataFrame:
    parts = []
    for name, seats in SEATS.items():
        mine = due.filter(pl.col("game") == name).select("rid")
        parts.append(
            seats(
                acts.join(mine, on="rid", how="semi", maintain_order="left"),
                cards.join(mine, on="rid", how="semi", maintain_order="left"),
                spots.join(mine, on="rid", how="semi", maintain_order="left"),
            ).with_columns(game=pl.lit(name, ordered.SCHEMA["game"]))
        )
    return pl.concat(parts, how="diagonal")


def _with_misdeals(due: pl.DataFrame, seats: pl.DataFrame) -> pl.DataFrame:
    """Adds the first hand with a wrong number of cards: `misdealt_seat` (0 is the dealer), and the void it is a cause of."""
    sizes = {name: game.player_cards for name, game in GAMES.items()}
    dealer_sizes = {name: game.dealer_cards for name, game in GAMES.items()}
    game = pl.col("game").cast(pl.String)
    size = game.replace_strict(sizes, default=None, return_dtype=pl.UInt32)
    dealer_size = game.replace_strict(dealer_sizes, default=None, return_dtype=pl.UInt32)
    # Chips that came after "No more bets" or went away may or may not have been dealt in; a seat without any may not.
    wrong = (
        pl.when("due_cards")
        .then(pl.col("player_count") != size)
        .when("has_chips")
        .then((pl.col("player_count") != 0) & (pl.col("player_count") != size))
        .otherwise(pl.col("player_count") != 0)
    )
    hands = seats.with_columns(wrong=wrong, dealer_wrong=pl.col("dealer_count") != dealer_size)
    misdealt = hands.group_by("rid").agg(
        misdealt_seat=pl.coalesce(
            pl.when("wrong").then(pl.col("seat")).min(), pl.when("dealer_wrong").then(pl.lit(0, pl.Int16)).min()
        ),
        misdealt_count=pl.coalesce(
            pl.when("wrong").then(pl.col("player_count")).first(ignore_nulls=True),
            pl.when("dealer_wrong").then(pl.col("dealer_count")).first(ignore_nulls=True),
        ),
    )
    # A round in which no card was dealt at all was not misdealt, it was not dealt.
    found = due.join(misdealt, on="rid", how="left", maintain_order="left")
    undealt = pl.col("first_card_seq").is_null()
    found = found.with_columns(pl.when(~undealt).then(pl.col("misdealt_seat", "misdealt_count")).name.keep())
    # A deal that was broken off for another cause leaves short hands behind; the void is for that cause.
    broken_off = pl.col("voided") & pl.col("cause_seq").is_not_null()
    seq = pl.when(pl.col("misdealt_seat").is_not_null() & ~broken_off).then(pl.col("last_card_seq"))
    return with_earlier_cause(found, Irregularity.WRONG_CARD_COUNT, seq)


def _columns(opened: Openings) -> pl.DataFrame:
    """For each opening and wager of its edition: the elected column, and whether the wager is offered at all."""
    rows = [
        (opening, wager.name, terms.columns.get(wager.name), wager.pay_table is None or wager.name in terms.columns)
        for opening, terms in opened.terms.items()
        for wager in GAMES[terms.game].wagers_of(terms.edition)
    ]
    return pl.DataFrame(
        rows,
        schema={"opening": pl.Int64, "wager": pl.String, "column": pl.String, "offered": pl.Boolean},
        orient="row",
    )


def _with_bonuses(spots: pl.DataFrame) -> pl.DataFrame:
    """Adds the rows of what is paid without a stake of its own: one for every spot that could earn it."""
    parts = [spots.with_columns(bonus=pl.lit(False))]
    paired = ["rid", "seat", "hand", "player"]
    for game in GAMES.values():
        for wager in {each.name: each for each in game.wagers if each.bonus_on is not None}.values():
            mine = pl.col("game") == game.name
            earning = spots.filter(mine & (pl.col("wager") == wager.bonus_on) & (pl.col("base") > 0)).select(
                *paired, "game", "edition", "opening", earning="base"
            )
            settled = spots.filter(mine & (pl.col("wager") == wager.name))
            moved = settled.drop("game", "edition", "opening", "wager", "base", "before_deal")
            also = settled.select(*paired, "game", "edition", "opening")
            known = pl.concat([earning.drop("earning"), also]).unique()
            bonus = (
                known.join(earning.select(*paired, "earning"), on=paired, how="left", nulls_equal=True)
                .join(moved, on=paired, how="left", nulls_equal=True)
                .with_columns(
                    wager=pl.lit(wager.name),
                    base=pl.col("earning").fill_null(0),
                    bonus=pl.lit(True),
                )
                .drop("earning")
            )
            parts[0] = parts[0].filter(~(mine & (pl.col("wager") == wager.name)).fill_null(False))
            parts.append(bonus)
    return pl.concat(parts, how="diagonal_relaxed").with_columns(
        pl.col("lying", "at_close", "given", "taken", "returned", "corrected", "times_settled", "paid").fill_null(0),
        pl.col("was_returned").fill_null(False),
    )


def _owed(spots: pl.DataFrame, seats: pl.DataFrame, due: pl.DataFrame, opened: Openings) -> pl.DataFrame:
    """One row a wager or bonus: stake, owed, paid, clause, and the reason where nothing can be said."""
    rows = (
        _with_bonuses(spots)
        .join(_columns(opened), on=["opening", "wager"], how="left")
        .join(seats.drop("game"), on=["rid", "seat", "hand"], how="left")
        .join(
            due.select("rid", "table", "round", "voided", "cause_clause", round_reason="reason"), on="rid", how="left"
        )
        .rename({"base": "stake"})
        .with_columns(pl.col("offered").fill_null(False))
    )
    settled = []
    remaining = rows
    for game in GAMES.values():
        for wager in game.wagers:
            mine = (
                (pl.col("game") == game.name)
                & pl.col("edition").is_in(list(wager.editions))
                & (pl.col("wager") == wager.name)
                & pl.col("offered")
                & (pl.col("stake") > 0)
            ).fill_null(False)
            settled.append(settle(remaining.filter(mine), wager))
            remaining = remaining.filter(~mine)
    not_offered, nothing_there = (
        pl.col("game").cast(pl.String).replace_strict(clauses, default=None, return_dtype=pl.String)
        for clauses in (
            {game.name: game.not_offered_clause for game in GAMES.values()},
            {game.name: game.settle_clause for game in GAMES.values()},
        )
    )
    settled.append(
        remaining.with_columns(
            line=pl.lit(None, pl.UInt16),
            owed=pl.lit(0, pl.Int64),
            clause=pl.when(pl.col("stake") > 0).then(not_offered).otherwise(nothing_there),
        )
    )
    void_clause = (
        pl.col("game")
        .cast(pl.String)
        .replace_strict({game.name: game.void_clause for game in GAMES.values()}, default=None, return_dtype=pl.String)
    )
    void = pl.col("voided") | pl.col("cause_clause").is_not_null()
    whole = pl.col("round_reason").is_null()
    owed = pl.concat(settled, how="diagonal_relaxed").with_columns(
        line=pl.when(whole & ~void).then("line"),
        owed=pl.when(whole & void).then(0).when(whole).then("owed"),
        clause=pl.when(whole & void).then(pl.coalesce("cause_clause", void_clause)).when(whole).then("clause"),
    )
    unseen = pl.col("owed").is_null()
    return (
        owed.with_columns(
            reason=pl.when(~whole).then("round_reason").when(unseen).then(_reason_for_one_wager()),
            stake=pl.when("bonus").then(0).otherwise("stake"),
        )
        .filter(
            ~pl.col("bonus") | unseen | (pl.col("owed") != 0) | (pl.col("times_settled") > 0) | (pl.col("paid") != 0)
        )
        .sort("rid", "seat", "hand", "wager", "player", nulls_last=True)
    )


def _reason_for_one_wager() -> pl.Expr:
    return (
        pl.when(pl.col("player_count").fill_null(0) == 0)
        .then(pl.lit("no cards were dealt"))
        .when("player_joker")
        .then(pl.lit("a joker lies in the player's hand"))
        .when("dealer_joker")
        .then(pl.lit("a joker lies in the dealer's hand"))
        .when("player_unread")
        .then(pl.lit("a card of the player's hand was not read"))
        .when("dealer_unread")
        .then(pl.lit("a card of the dealer's hand was not read"))
        .when(pl.col("folded").is_null())
        .then(pl.lit("the player folded and has chips on Play"))
        .otherwise(pl.lit("no cards were dealt"))
    )
