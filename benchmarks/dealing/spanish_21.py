"""Spanish 21: every shoe is dealt for the same number of rounds, so that all shoes of a day are played side by side.

What a card means hangs on those before it, box by box. The boxes are therefore played one after another, each in all shoes at
once. Aces and eights are split, once.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl

from benchmarks.dealing import felt, owing
from benchmarks.dealing.felt import ROUNDS, Bools, Codes, Day, Ints
from rules import cards
from rules.spanish_21 import GAME, with_envy

LASTS: Final = {6: 9, 8: 12}  # rounds, by packs: two thirds of the shoe at a full table
PACK: Final = np.array([code for code in range(52) if code >> 2 != 8], np.uint8)  # no tens
VALUE: Final = np.array([1 if code >> 2 == 12 else min((code >> 2) + 2, 10) for code in range(52)], np.int64)
ACE_RANK, EIGHT_RANK = 12, 6
MOST: Final = 14  # cards of a hand
NO_CARD: Final = 255
BOX, HAND, STEP = 104, 52, 3  # phases
DREW: Final = felt.REVEALED + 1
PLACES: Final = {"match_the_dealer": 0, "main": 1, "double": 2, "insurance": 3, "super_bonus": 4, "envy": 5}


@dataclass(slots=True)
class Shoes:
    """Shoes side by side, each with the place of its next card."""

    cards: Codes
    at: Ints

    def draw(self, lanes: Ints) -> Codes:
        drawn: Codes = self.cards[lanes, self.at[lanes]]
        self.at[lanes] += 1
        return drawn


@dataclass(slots=True)
class Hands:
    """The hands of one box, or the dealer's, in every shoe."""

    cards: Codes
    size: Ints
    hard: Ints
    ace: Bools

    @classmethod
    def none(cls, lanes: int) -> "Hands":
        nothing = np.zeros(lanes, np.int64)
        return cls(np.full((MOST, lanes), NO_CARD, np.uint8), nothing, nothing.copy(), np.zeros(lanes, np.bool_))

    def take(self, lanes: Ints, card: Codes) -> None:
        self.cards[self.size[lanes], lanes] = card
        self.size[lanes] += 1
        value = VALUE[card]
        self.hard[lanes] += value
        self.ace[lanes] |= value == 1

    def give_up(self, lanes: Ints) -> Codes:
        """The second card leaves the hand."""
        card: Codes = self.cards[1, lanes]
        self.cards[1, lanes] = NO_CARD
        self.size[lanes] = 1
        first = VALUE[self.cards[0, lanes]]
        self.hard[lanes], self.ace[lanes] = first, first == 1
        return card

    @property
    def soft(self) -> Bools:
        return self.ace & (self.hard <= 11)

    @property
    def total(self) -> Ints:
        return self.hard + 10 * self.soft


def play(day: Day, wrongs: float) -> pl.DataFrame:
    """The rounds of a day; the wrongs in them."""
    _tended(day)
    parts = []
    for packs, lasts in LASTS.items():
        tables = np.flatnonzero([table.decks == packs for table in day.tables])
        if tables.size:
            parts += _played(day, tables, packs, lasts)
    facts = _facts(day, pl.concat(parts))
    stakes = {name: facts[f"{name}_stake"].to_numpy() for name in ("main", "double", "match_the_dealer")}
    stakes["insurance"] = np.zeros(facts.height, np.int64)
    settled, wrong = owing.moved(day, owing.owing(day, facts, stakes), wrongs)
    place = pl.col("wager").replace_strict(PLACES, return_dtype=pl.Int64)
    felt.settle(day, settled, (day.seats - 1 - pl.col("seat")) * 16 + (pl.col("hand") - 1) * 8 + place)
    return wrong


def _lasts(day: Day) -> Ints:
    return day.of_table([LASTS[table.decks] for table in day.tables])


def _tended(day: Day) -> None:
    """The shoe comes with the day, and is shuffled and cut each time it has been dealt down."""
    packs, deck = day.of_table([table.decks for table in day.tables]), felt.deck(day)
    first, last = day.n[day.k == 0], day.n[day.k == ROUNDS - 1]
    day.rows.add("deck_received", first, felt.RECEIVED, deck=deck[first], back="red", packs=packs[first])
    day.rows.add("deck_removed", last, felt.TAKEN_AWAY, deck=deck[last], reason="table closed")
    due = day.n[day.k % _lasts(day) == 0]
    by_hand = day.where([table.shuffler == "none" for table in day.tables])[due]
    for mask, method in ((by_hand, "manual"), (~by_hand, "automated")):
        day.rows.add("deck_shuffled", due[mask], felt.SHUFFLED, deck=deck[due[mask]], method=method)
    cut = day.rng.integers(20, 200, due.size)
    day.rows.add("deck_cut", due, felt.SHUFFLED + 1, deck=deck[due], cards=cut)


def _played(day: Day, tables: npt.NDArray[np.intp], packs: int, lasts: int) -> list[pl.DataFrame]:
    """All shoes of these tables, round by round; what each hand came to."""
    a_table = -(-ROUNDS // lasts)
    lanes = tables.size * a_table
    packed = day.rng.permuted(np.tile(np.tile(PACK, packs), (lanes, 1)), axis=1)
    shoes = Shoes(packed, np.zeros(lanes, np.int64))
    table = np.repeat(tables, a_table)
    starts = np.tile(np.arange(a_table) * lasts, tables.size)
    hits_soft_17 = np.array([table.options.get("dealer_hits_soft_17") == "true" for table in day.tables])[table]
    found = []
    for nth in range(lasts):
        k = starts + nth
        open_ = np.flatnonzero(k < ROUNDS)
        n = np.where(k < ROUNDS, table * ROUNDS + k, 0)
        if nth == 0:
            felt.dealt(day, n[open_], felt.BOARD_FIRST, "burn", shoes.draw(open_))
        found += Round(day, shoes, n, open_, hits_soft_17).played()
    return found


@dataclass(slots=True)
class Played:
    """A hand of a box: its number, the shoes it is played in, what it holds and what was done with it."""

    number: int
    lanes: Ints
    held: Hands
    doubled: Bools
    surrendered: Bools
    stake: Ints
    match: Ints


@dataclass(frozen=True, slots=True)
class Round:
    """A round in all shoes at once: `n` says which of the day it is in each, `open_` in which shoes there is one."""

    day: Day
    shoes: Shoes
    n: Ints
    open_: Ints
    hits_soft_17: Bools

    def played(self) -> list[pl.DataFrame]:
        """What each hand came to."""
        day, n, open_ = self.day, self.n, self.open_
        betting = [open_[day.bets[n[open_], seat]] for seat in range(day.seats)]
        boxes = [self._wagered(seat, mine) for seat, mine in enumerate(betting)]
        dealer = Hands.none(n.size)
        for nth in range(2):
            phase = felt.DEALT + nth * (day.seats + 1)
            for seat, box in enumerate(boxes):
                self._hit(seat, box, box.lanes, phase + seat)
            card = self.shoes.draw(open_)
            dealer.take(open_, card)
            felt.dealt(day, n[open_], phase + day.seats, "dealer", card, face="down" if nth else "up")
        first_two = [box.held.cards[:2].copy() for box in boxes]
        blackjack = (dealer.size == 2) & (dealer.total == 21)
        up = VALUE[np.where(dealer.cards[0] == NO_CARD, 0, dealer.cards[0])]
        found, waits = [], np.zeros(n.size, np.bool_)
        for seat, box in enumerate(boxes):
            natural = box.held.total == 21
            other = self._decided(seat, box, box.lanes[~(blackjack | natural)[box.lanes]], up)
            split = np.zeros(n.size, np.bool_)
            split[other.lanes] = True
            for hand in (box, other):
                waits[hand.lanes] |= (~hand.surrendered & (hand.held.total < 21))[hand.lanes]
                found.append((seat, hand, split))
        self._draw(dealer, np.flatnonzero(waits & ~blackjack))
        return [_row(n, seat, hand, split, first_two[seat], dealer) for seat, hand, split in found]

    def _wagered(self, seat: int, mine: Ints) -> Played:
        day, n = self.day, self.n
        seats, none = np.full(n.size, seat), np.zeros(n.size, np.bool_)
        stake, match = day.main_stake(n, seats), np.zeros(n.size, np.int64)
        likes = mine[day.rng.random(mine.size) < 0.3]
        match[likes] = 500
        felt.placed(day, n[mine], seats[mine], felt.PLACED + seat * 4, "main", stake[mine])
        felt.placed(day, n[likes], seats[likes], felt.PLACED + seat * 4 + 1, "match_the_dealer", match[likes])
        return Played(1, mine, Hands.none(n.size), none, none.copy(), stake, match)

    def _hit(self, seat: int, hand: Played, lanes: Ints, phase: int) -> None:
        card = self.shoes.draw(lanes)
        hand.held.take(lanes, card)
        seats = np.full(lanes.size, seat + 1)
        felt.dealt(self.day, self.n[lanes], phase, "player", card, face="up", seat=seats, hand=hand.number)

    def _decided(self, seat: int, box: Played, lanes: Ints, up: Ints) -> Played:
        """The box played to its end; the second hand of where it was split."""
        day, n, phase = self.day, self.n, felt.ACTED + seat * BOX
        ranks = box.held.cards[:2, lanes] >> 2
        splits = lanes[(ranks[0] == ranks[1]) & ((ranks[0] == ACE_RANK) | (ranks[0] == EIGHT_RANK))]
        seats, none = np.full(splits.size, seat), np.zeros(n.size, np.bool_)
        felt.decided(day, n[splits], seats, phase, "split")
        felt.placed(day, n[splits], seats, phase + 1, "main", box.stake[splits], hand=2)
        other = Played(2, splits, Hands.none(n.size), none, none.copy(), box.stake, np.zeros_like(box.match))
        other.held.take(splits, box.held.give_up(splits))
        for hand, start, mine in ((box, phase, lanes), (other, phase + HAND, splits)):
            self._hit(seat, hand, splits, start + 2)
            may_give_up = np.ones(n.size, np.bool_)
            may_give_up[splits] = False
            self._choose(seat, hand, mine, start + STEP, np.where(may_give_up, up, -up))
        return other

    def _choose(self, seat: int, hand: Played, lanes: Ints, phase: int, up: Ints) -> None:
        """Hit, stand, double or surrender, until nobody has anything left to choose; `up` is negative after a split."""
        day, n, held = self.day, self.n, hand.held
        choosing = lanes[held.total[lanes] < 21]
        while choosing.size:
            now, soft, theirs = held.total[choosing], held.soft[choosing], np.abs(up[choosing])
            two = held.size[choosing] == 2
            weak = (theirs >= 2) & (theirs <= 6)
            gives_up = two & (up[choosing] == 1) & ~soft & ((now == 16) | (now == 17))
            doubles = ~gives_up & two & ~soft & ((now == 10) | (now == 11)) & (theirs != 1) & (theirs != 10)
            enough = np.where(soft, 18, np.where(weak, 13, 17))
            stands = ~gives_up & ~doubles & ((now >= enough) | (held.size[choosing] >= MOST - 1))
            hits = ~gives_up & ~doubles & ~stands
            for mask, choice in ((gives_up, "surrender"), (doubles, "double"), (stands, "stand"), (hits, "hit")):
                mine = choosing[mask]
                seats = np.full(mine.size, seat)
                felt.decided(day, n[mine], seats, phase, choice, hand=hand.number)
                if choice == "double":
                    felt.placed(day, n[mine], seats, phase + 1, "double", hand.stake[mine], hand=hand.number)
                if choice in ("double", "hit"):
                    self._hit(seat, hand, mine, phase + 2)
            hand.surrendered[choosing[gives_up]] = True
            hand.doubled[choosing[doubles]] = True
            choosing = choosing[hits]
            choosing = choosing[held.total[choosing] < 21]
            phase += STEP

    def _draw(self, dealer: Hands, lanes: Ints) -> None:
        phase = DREW
        while lanes.size:
            soft_17 = dealer.soft[lanes] & (dealer.total[lanes] == 17) & self.hits_soft_17[lanes]
            lanes = lanes[(dealer.total[lanes] < 17) | soft_17]
            card = self.shoes.draw(lanes)
            dealer.take(lanes, card)
            felt.dealt(self.day, self.n[lanes], phase, "dealer", card, face="up")
            phase += 1


def _row(n: Ints, seat: int, hand: Played, split: Bools, first_two: Codes, dealer: Hands) -> pl.DataFrame:  # noqa: PLR0917
    rows = hand.lanes
    held = {
        **{f"p{place}": hand.held.cards[place, rows] for place in range(MOST)},
        **{f"d{place}": dealer.cards[place, rows] for place in range(MOST)},
        **{f"f{place}": first_two[place, rows] for place in range(2)},
    }
    return pl.DataFrame(
        {
            "n": n[rows],
            "seat": np.full(rows.size, seat),
            "hand": np.full(rows.size, hand.number),
            **held,
            "split": split[rows],
            "doubled": hand.doubled[rows],
            "surrendered": hand.surrendered[rows],
            "main_stake": hand.stake[rows],
            "double_stake": np.where(hand.doubled[rows], hand.stake[rows], 0),
            "match_the_dealer_stake": hand.match[rows],
        }
    )


def _facts(day: Day, rows: pl.DataFrame) -> pl.DataFrame:
    """A bettor on a hand each, as the decision tables ask for it."""

    def held(letter: str, places: int) -> pl.Expr:
        names = [f"{letter}{place}" for place in range(places)]
        return pl.concat_list(
            pl.when(pl.col(name) != NO_CARD).then(pl.col(name)).cat.to(cards.CARD) for name in names
        ).list.drop_nulls()

    soft_17 = pl.Series([table.options.get("dealer_hits_soft_17") == "true" for table in day.tables])
    facts = rows.select(
        *("n", "seat", "hand", "split", "doubled", "surrendered"),
        *("main_stake", "double_stake", "match_the_dealer_stake"),
        player_cards=held("p", MOST),
        dealer_cards=held("d", MOST),
        first_cards=held("f", 2),
        rescued=pl.lit(False),
        dead=pl.lit(False),
        card_reader=pl.lit(True),
        added_for_split=pl.col("hand") > 1,
        dealer_hits_soft_17=pl.lit(soft_17).gather(pl.col("n") // ROUNDS),
        player=pl.format("{}", "seat"),
    )
    return with_envy(GAME.hand_facts(facts), ["n"])
