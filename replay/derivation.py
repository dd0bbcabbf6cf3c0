"""The derivation: what the law owed on every wager of every round that is decided, beside what was paid.

`derive` is the only way from facts to answers. It takes what was carried over, the new events, and gives the answers that the
new events decide and what to carry on: a micro-batch of the live floor and a year of it go through the same lines.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

import polars as pl

from replay import facts as ordered
from replay import heads_up_holdem, shoe, spanish_21, three_card_draw_poker, three_card_poker
from replay.carry import carried
from replay.counts import miscounts
from replay.decks import decks
from replay.frames import all_collected, collected
from replay.hands import HAND, Felt, dealt
from replay.owed import owed
from replay.rounds import Openings, cut, inside, openings, rounds, with_context, with_earlier_cause
from replay.sightings import noted, sightings
from replay.wagers import mistaken, moved, moves, numbered, seated_players, settlements, stakes, told
from rules.game import Irregularity
from rules.games import GAMES


@dataclass(frozen=True, slots=True)
class Seating:
    """How a game's seats are read from the felt, and what makes one row of them."""

    seats: Callable[[Felt], pl.DataFrame]
    by: tuple[str, ...] = HAND


SEATS: Final = {
    "three-card-poker": Seating(three_card_poker.seats),
    "three-card-draw-poker": Seating(three_card_draw_poker.seats),
    "heads-up-holdem": Seating(heads_up_holdem.seats),
    "spanish-21": Seating(spanish_21.seats, spanish_21.BETTOR),
}
# Games in which several may bet on one box.
SHARED: Final = [game.name for game in GAMES.values() if game.bettors_on_a_box > 1]
# What every game says of a seat; the rest is between its seats and its decision tables.
SEAT: Final[dict[str, pl.DataType]] = {
    "rid": pl.UInt32(),
    "seat": pl.Int16(),
    "hand": pl.Int16(),
    "player": pl.String(),
    "choice": pl.String(),
    "folded": pl.Boolean(),
    "unclear": pl.String(),
    "due_cards": pl.Boolean(),
    "wrong_count": pl.Boolean(),
    "held": pl.UInt32(),
    "dealer_wrong": pl.Boolean(),
    "board_wrong": pl.Boolean(),
    "player_count": pl.UInt32(),
    "dealer_count": pl.UInt32(),
    "community_count": pl.UInt32(),
    **{f"{whose}_{what}": pl.Boolean() for whose in ("player", "dealer", "community") for what in ("unread", "joker")},
    "player_seqs": pl.List(pl.Int64()),
}


@dataclass(frozen=True, slots=True)
class Derivation:
    """What one batch decided.

    `rounds` are those decided now; `all_rounds` also holds the carried and the open ones, for what looks across rounds.
    `facts` and `cards` are the evidence they rest on; `hands` are each game's seats with all that its law asks for;
    `decks` are the rounds beside the last word on their deck, `miscounts` the counts that do not make one, `out_of_shoes`
    the ledger of the shoes, `absent` the cards that have not been seen for too long.
    """

    rounds: pl.DataFrame
    wagers: pl.DataFrame
    seats: pl.DataFrame
    hands: Mapping[str, pl.DataFrame]
    cards: pl.DataFrame
    facts: pl.DataFrame
    all_rounds: pl.DataFrame
    openings: Openings
    miscounts: pl.DataFrame
    decks: pl.DataFrame
    out_of_shoes: pl.DataFrame
    absent: pl.DataFrame
    carry: pl.DataFrame
    final: bool


def derive(carry: pl.DataFrame, events: pl.DataFrame, final: bool) -> Derivation:
    """`final`: nothing follows, so an open round is reported as unfinished instead of waiting for its end."""
    facts = collected(cut(with_context(ordered.order(carry, events))))
    opened = openings(facts.lazy())
    every = collected(rounds(facts.lazy(), opened))
    due = _due(every, ordered.last_seqs(carry), final)
    acts = _acts(facts.lazy(), every, due)
    cards, seated, spots, names, due = _felt(acts, facts.lazy(), due)
    hands = _hands(Felt(acts, cards.lazy(), spots.lazy(), seated.lazy(), _with_options(due, opened)))
    seats = collected(_seats(hands))
    due, wrong_counts = all_collected(_with_misdeals(due.lazy(), seats.lazy()), miscounts(facts.lazy(), every.lazy()))
    wagers, last_words, out_of_shoes = all_collected(
        owed(spots, names, {name: (hand, SEATS[name].by) for name, hand in hands.items()}, due, opened),
        decks(due.lazy(), facts.lazy()),
        shoe.ledger(facts.lazy(), opened),
    )
    to_carry = carried(facts, every, opened, wrong_counts.lazy(), out_of_shoes.lazy())
    seen = sightings(carry, due, last_words, cards, acts)
    return Derivation(
        rounds=due,
        wagers=wagers,
        seats=seats,
        hands=hands,
        cards=cards,
        facts=facts,
        all_rounds=every,
        openings=opened,
        miscounts=wrong_counts,
        decks=last_words,
        out_of_shoes=out_of_shoes,
        absent=seen.absent,
        carry=noted(to_carry, seen.notes),
        final=final,
    )


def _due(every: pl.DataFrame, read: pl.DataFrame, final: bool) -> pl.DataFrame:
    """The rounds that the events since `read`, the last seq of each table, decide."""
    decided_now = pl.col("decided_seq") > pl.col("_read").fill_null(0)
    if final:
        decided_now = decided_now.fill_null(True)
    before = read.rename({"seq": "_read"})
    return every.join(before, on="table", how="left", maintain_order="left").filter(decided_now).drop("_read")


def _acts(facts: pl.LazyFrame, every: pl.DataFrame, due: pl.DataFrame) -> pl.LazyFrame:
    """The facts of the rounds that are due, each beside the round's "No more bets"."""
    acts = inside(facts)
    if due.height < every.height:
        # Rounds are numbered from 0 as they stand in their frame, so the number is the place to look at.
        is_due = every["rid"].is_in(due["rid"].implode())
        acts = acts.filter(pl.lit(is_due).gather(pl.col("rid")))
    return acts.with_columns(bets_closed_seq=pl.lit(every["bets_closed_seq"]).gather(pl.col("rid")))


def _felt(
    acts: pl.LazyFrame, facts: pl.LazyFrame, due: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Cards, who sat where, the spots with chips on them, their names, and the rounds, less those in which a gap leaves a seat in
    doubt."""
    shared = due["rid"].filter(due["game"].cast(pl.String).is_in(SHARED))
    cards, made = all_collected(dealt(acts), moves(acts))
    seated = collected(seated_players(made.lazy(), facts, shared))
    every = moved(made, seated)
    placed, settled = all_collected(stakes(every.placed.lazy()), settlements(every.settled.lazy()))
    if (due["game"] == "spanish-21").any():
        placed, settled = _laid(placed, settled, every.names, acts, due)
    spots = collected(_spots(placed.lazy(), settled.lazy(), every.names, due.lazy()))
    if seated["uncertain"].any():
        lay, moved_ = (told(each.lazy(), every.names) for each in (placed, settled))
        due = collected(_with_mistaken_seats(due.lazy(), mistaken(lay, moved_, seated.lazy())))
    return cards, seated, spots, every.names, due


def _laid(
    placed: pl.DataFrame, settled: pl.DataFrame, names: pl.DataFrame, acts: pl.LazyFrame, due: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Spanish 21's split hands and shared boxes may have chips laid down elsewhere than they were bet."""
    mine = due.filter(pl.col("game") == "spanish-21").lazy().select("rid")
    rides = collected(spanish_21.rides(acts.join(mine, on="rid", how="semi", maintain_order="left")))
    if rides.is_empty() and not (names["wager"] == "envy").any():
        return placed, settled
    laid = spanish_21.laid(told(placed.lazy(), names), told(settled.lazy(), names), rides.lazy())
    placed, settled = all_collected(*(numbered(each) for each in laid))
    return placed, settled


def _with_mistaken_seats(due: pl.LazyFrame, mistaken: pl.LazyFrame) -> pl.LazyFrame:
    unknown = pl.format("events are missing, and who sat at seat {} is not known", "mistaken_seat")
    return (
        due.join(mistaken, on="rid", how="left", maintain_order="left")
        .with_columns(reason=pl.coalesce("reason", pl.when(pl.col("mistaken_seat").is_not_null()).then(unknown)))
        .drop("mistaken_seat")
    )


def _with_options(due: pl.DataFrame, opened: Openings) -> pl.DataFrame:
    """Each round beside what its table elected, for every option that is a yes or a no."""
    switches = sorted(
        {option.name for game in GAMES.values() for option in game.options if set(option.values) == {"true", "false"}}
    )
    elected = pl.DataFrame(
        [
            (opening, *(None if (said := terms.options.get(name)) is None else said == "true" for name in switches))
            for opening, terms in opened.terms.items()
        ],
        schema={"opening": pl.Int64, **dict.fromkeys(switches, pl.Boolean)},
        orient="row",
    )
    return due.select("rid", "game", "opening").join(elected, on="opening", how="left", maintain_order="left")


def _spots(placed: pl.LazyFrame, settled: pl.LazyFrame, names: pl.DataFrame, due: pl.LazyFrame) -> pl.LazyFrame:
    """Every spot that chips were put on or moved from. `base` is what the law settles on: a late wager as it lay, a pulled one
    as it was at "No more bets"."""
    before_deal = _before_deal().lazy()
    spots = (
        placed.join(settled, on="spot", how="full", coalesce=True)
        .sort("spot")
        .pipe(told, names)
        .join(
            due.select("rid", "game", "edition", "opening", called=pl.col("bets_closed_seq").is_not_null()),
            on="rid",
            how="left",
            maintain_order="left",
        )
    )
    lying, at_close = pl.col("lying"), pl.col("at_close")
    chips = ["lying", "at_close", "given", "taken", "taken_again", "returned", "corrected", "times_settled"]
    return (
        spots.join(before_deal, on=["game", "wager"], how="left", maintain_order="left")
        .with_columns(pl.col(chips).fill_null(0), pl.col("was_returned").fill_null(False))
        .with_columns(
            # A split hand's stake comes when the hand does, but for one that rides on it and lay there at "No more bets".
            before_deal=pl.col("before_deal") & ((pl.col("hand") == 1) | (at_close > 0) & pl.col("called"))
        )
        .drop("called")
        .with_columns(
            base=pl.when(pl.col("before_deal").fill_null(True))
            .then(pl.max_horizontal(lying, at_close))
            .otherwise(lying)
        )
        .with_columns(paid=_net())
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


@cache
def _before_deal() -> pl.DataFrame:
    """For each game and wager, whether it is put down before the deal."""
    rows = {
        (game.name, wager.name): wager.before_deal
        for game in GAMES.values()
        for wager in game.wagers
        if wager.bonus_on is None
    }
    return pl.DataFrame(
        [(*key, before) for key, before in rows.items()],
        schema={"game": ordered.SCHEMA["game"], "wager": pl.String(), "before_deal": pl.Boolean()},
        orient="row",
    )


def _hands(felt: Felt) -> dict[str, pl.DataFrame]:
    """The seats of each game that was played."""
    played = sorted(name for name in felt.rounds["game"].unique().cast(pl.String).to_list() if name in GAMES)
    if len(played) == 1 and felt.rounds["game"].null_count() == 0:
        return {name: SEATS[name].seats(felt) for name in played}
    found = {}
    for name in played:
        mine = felt.rounds.filter(pl.col("game") == name)
        only = mine.lazy().select("rid")
        acts, cards, spots, seated = (
            frame.join(only, on="rid", how="semi", maintain_order="left")
            for frame in (felt.acts, felt.cards, felt.spots, felt.seated)
        )
        found[name] = SEATS[name].seats(Felt(acts, cards, spots, seated, mine))
    return found


def _seats(hands: Mapping[str, pl.DataFrame]) -> pl.LazyFrame:
    """All games' seats, each with what every game says of one."""
    parts = [
        hand.lazy().select(
            *(
                (pl.col(name) if name in hand.columns else pl.lit(None)).cast(dtype).alias(name)
                for name, dtype in SEAT.items()
            ),
            game=pl.lit(game, ordered.SCHEMA["game"]),
        )
        for game, hand in hands.items()
    ]
    return pl.concat([pl.LazyFrame(schema={**SEAT, "game": ordered.SCHEMA["game"]}), *parts])


def _with_misdeals(due: pl.LazyFrame, seats: pl.LazyFrame) -> pl.LazyFrame:
    """Adds the first hand with a wrong number of cards, `misdealt_seat` and whose it is, and the void it is a cause of."""
    wrong = pl.col("wrong_count").fill_null(False)
    dealer, board = pl.col("dealer_wrong").fill_null(False), pl.col("board_wrong").fill_null(False)
    count = pl.coalesce("held", "player_count")
    seat = pl.when(wrong).then(pl.col("seat")).min()
    misdealt = (
        seats.filter(wrong | dealer | board)
        .group_by("rid")
        .agg(
            misdealt_seat=seat,
            misdealt=pl.when(wrong.any())
            .then(pl.format("Seat {}", seat))
            .when(dealer.any())
            .then(pl.lit("The dealer"))
            .otherwise(pl.lit("The board")),
            misdealt_count=pl.when(wrong.any())
            .then(count.filter(wrong).sort_by(pl.col("seat").filter(wrong)).first())
            .when(dealer.any())
            .then(pl.col("dealer_count").first())
            .otherwise(pl.col("community_count").first()),
        )
    )
    # A round in which no card was dealt at all was not misdealt, it was not dealt.
    found = due.join(misdealt, on="rid", how="left", maintain_order="left")
    undealt = pl.col("first_card_seq").is_null()
    # Nor is a board whose next street had not come when the round was declared void.
    streets = [street.community_cards for game in GAMES.values() for street in game.streets]
    to_come = pl.col("voided") & (pl.col("misdealt") == "The board") & pl.col("misdealt_count").is_in(streets)
    found = found.with_columns(
        pl.when(~undealt & ~to_come.fill_null(False))
        .then(pl.col("misdealt", "misdealt_seat", "misdealt_count"))
        .name.keep()
    )
    # A deal that was broken off for another cause leaves short hands behind; the void is for that cause.
    broken_off = pl.col("voided") & pl.col("cause_seq").is_not_null()
    seq = pl.when(pl.col("misdealt").is_not_null() & ~broken_off).then(pl.col("last_card_seq"))
    return with_earlier_cause(found, Irregularity.WRONG_CARD_COUNT, seq)
