"""A gaming day of the tables that deal one game, as arrays: who sits where, what was said and seen, in the order it was.

Every event has a key, its round's number times WIDTH plus its phase, and the frame is sorted by it once. A round is `n`, a place
in the arrays of the day: table by table, each with the same number of rounds.
"""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt
import polars as pl

from benchmarks.dealing.tables import CARD_HOURS, Table
from ingest import frame
from rules import cards

ROUNDS: Final = 1_424  # a table's, in a gaming day
PERIOD: Final = 58_000  # milliseconds from one round to the next
OPENS: Final = datetime(2026, 1, 5, 10, 10, tzinfo=UTC)  # just after the cutover of the gaming day
RELIEF: Final = 40  # rounds that a dealer stays
PEOPLE: Final = 12  # who come to a seat, by turns
BETS: Final = 0.92
COUNTED_EVERY: Final = 5
BACKS: Final = ("red", "blue")

# The phases of a round.
OPENED, REMOVED, RECEIVED, SHUFFLED, RELIEVED, LEFT, SEATED = 10, 20, 30, 50, 60, 70, 80
STARTED, PLACED, CLOSED, BOARD_FIRST, DEALT, ACTED = 100, 110, 200, 203, 210, 300
REVEALED, SETTLED, COUNTED, ENDED = 1_000, 1_100, 1_900, 1_990
GONE, TAKEN_AWAY, SHUT = 2_000, 2_010, 2_020
WIDTH: Final = 2_048

WAGERS: Final = pl.Enum(
    [
        *("ante", "play", "pair_plus", "six_card_bonus", "ante_bonus"),
        *("in_to_win", "draw", "first_3_bonus", "in_to_win_bonus"),
        *("odds", "raise", "trips_plus", "pocket_bonus"),
        *("main", "double", "insurance", "match_the_dealer", "super_bonus", "envy"),
    ]
)
CHOICES: Final = pl.Enum(
    [*("play", "fold", "in_to_win", "draw", "raise", "check"), *("hit", "stand", "double", "split", "surrender")]
)
# As the rows are gathered; what they become is the event frame's schema.
_GATHERED: Final = {**frame.SCHEMA, "wager": WAGERS, "choice": CHOICES, "deck": pl.Int32(), "player": pl.Int32()}

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Codes = npt.NDArray[np.uint8]
Column = npt.NDArray[np.integer] | pl.Series
Columns = dict[str, Column]
Cell = str | int | Column


class Rows:
    """Events as they are thought of, in any order. Those of one type with the same words are put together first."""

    def __init__(self) -> None:
        self._parts: dict[tuple[tuple[str, str | int], ...], list[Columns]] = {}

    def add(self, type: str, n: Ints, phase: int | Ints, **cells: Cell) -> None:
        if n.size:
            words = {name: cell for name, cell in cells.items() if isinstance(cell, str | int)}
            columns = {name: cell for name, cell in cells.items() if not isinstance(cell, str | int)}
            alike = (("type", type), *words.items(), *((name, "") for name in columns))
            self._parts.setdefault(alike, []).append({"key": n * WIDTH + phase, **columns})

    def in_order(self) -> pl.DataFrame:
        frames = []
        for alike, parts in self._parts.items():
            joined = {name: _joined(name, [part[name] for part in parts]) for name in parts[0]}
            words = (pl.lit(word, _GATHERED[name]).alias(name) for name, word in alike if name not in joined)
            frames.append(pl.DataFrame(joined).with_columns(*words))
        return pl.concat(frames, how="diagonal").sort("key")


def _joined(name: str, parts: list[Column]) -> pl.Series:
    if isinstance(parts[0], pl.Series):
        series = pl.concat([part for part in parts if isinstance(part, pl.Series)])
    else:
        series = pl.Series(np.concatenate(parts))
    if name == "card":
        return card_series(series)
    return series if name == "key" else series.cast(_GATHERED[name])


@dataclass(frozen=True, slots=True)
class Day:
    """Tables of one game through one gaming day. `sits` and `bets`: for each round and seat; `player`: who it is, as a number."""

    number: int
    tables: list[Table]
    rng: np.random.Generator
    seats: int
    sits: Bools
    bets: Bools
    player: npt.NDArray[np.int32]
    units: npt.NDArray[np.int16]
    rows: Rows = field(default_factory=Rows)

    @property
    def rounds(self) -> int:
        return len(self.tables) * ROUNDS

    def of_table(self, values: list[int] | list[bool]) -> Ints:
        """A value of each table, for each round."""
        return np.repeat(np.array(values, np.int64), ROUNDS)

    def where(self, values: list[bool]) -> Bools:
        return np.repeat(np.array(values, np.bool_), ROUNDS)

    @property
    def n(self) -> Ints:
        return np.arange(self.rounds)

    @property
    def k(self) -> Ints:
        """The how-manieth round of its day it is, from 0."""
        return np.tile(np.arange(ROUNDS), len(self.tables))

    @property
    def packets(self) -> Bools:
        """Where a whole hand is dealt at a time."""
        return self.where([table.game.deal[table.dealing].order == "packets" for table in self.tables])

    def main_stake(self, n: Ints, seat: Ints) -> Ints:
        low, high = (self.of_table([getattr(table, f"{end}_wager") for table in self.tables]) for end in ("min", "max"))
        stake: Ints = np.minimum(low[n] * self.units[n, seat], high[n])
        return stake


def day(number: int, tables: list[Table], seed: int) -> Day:
    game = tables[0].game
    rng = np.random.default_rng([seed, number, game.max_seats, game.deck_size, game.community_cards, tables[0].index])
    seats = max(table.seats for table in tables)
    sits, sitting = _sittings(tables, seats, rng)
    there = sits.reshape(len(tables) * ROUNDS, seats)
    bets = there & (rng.random(there.shape) < BETS)
    anchor = np.repeat([table.seats // 2 for table in tables], ROUNDS)
    bets[np.arange(len(bets)), anchor] = True
    person = (sitting + number * 5) % PEOPLE
    place = np.array([table.index for table in tables])[:, None, None] * 8 + np.arange(seats)
    player = (place * PEOPLE + person).astype(np.int32).reshape(there.shape)
    units = np.array([1, 1, 1, 2, 2, 3, 5, 10, 1, 2, 4, 1], np.int16)[person].reshape(there.shape)
    return Day(number, tables, rng, seats, there, bets, player, units)


def _sittings(tables: list[Table], seats: int, rng: np.random.Generator) -> tuple[Bools, Ints]:
    """For each table, round and seat: whether somebody sits there, and how many came before. One seat is never empty."""
    most = ROUNDS // 15
    shape = (len(tables), seats, most)
    stays, waits = rng.integers(15, 120, shape), rng.integers(10, 160, shape)
    anchors = np.array([table.seats // 2 for table in tables])
    waits[np.arange(len(tables)), anchors] = 0
    comes = np.cumsum(stays + waits, axis=2) - stays - np.where(np.arange(seats)[:, None] % 2, waits[:, :, :1], 0)
    comes = np.maximum(comes, 0)
    goes = comes + stays
    changes = np.zeros((2, len(tables), seats, ROUNDS + 1), np.int16)
    table, seat, _ = np.indices(shape)
    np.add.at(changes[0], (table, seat, np.minimum(comes, ROUNDS)), 1)
    np.add.at(changes[1], (table, seat, np.minimum(goes, ROUNDS)), 1)
    came, gone = np.cumsum(changes[:, :, :, :ROUNDS], axis=3, dtype=np.int64)
    exists = np.arange(seats) < np.array([each.seats for each in tables])[:, None]
    sits = (came > gone) & exists[:, :, None]
    return sits.transpose(0, 2, 1), came.transpose(0, 2, 1)


# What every game has around its rounds


def around(day: Day) -> None:
    """The table opened and closed, its people and its cards."""
    _opened(day)
    _people(day)
    if day.tables[0].game.stub_is_counted:
        _decks(day)


def _opened(day: Day) -> None:
    rows, first, last = day.rows, day.n[day.k == 0], day.n[day.k == ROUNDS - 1]
    opening = pl.DataFrame([table.opening for table in day.tables])
    rows.add("table_opened", first, OPENED, **opening.to_dict())
    rows.add("table_closed", last, SHUT)
    n = day.n[(day.k % RELIEF == 0)]
    index = day.of_table([table.index for table in day.tables])[n]
    dealer = index // 4 * 18 + (index + day.k[n] // RELIEF) % 6 + 6 * (day.k[n] * 3 // ROUNDS)
    rows.add("dealer_assigned", n, RELIEVED, dealer=pl.select(pl.format("d-{}", pl.Series(dealer))).to_series())
    rows.add("round_started", day.n, STARTED, deck=deck(day))
    rows.add("no_more_bets", day.n, CLOSED)
    rows.add("dealer_revealed", day.n, REVEALED)
    rows.add("round_ended", day.n, ENDED)


def _people(day: Day) -> None:
    shape = (len(day.tables), ROUNDS, day.seats)
    sits, player = day.sits.reshape(shape), day.player.reshape(shape)
    before = np.zeros_like(sits)
    before[:, 1:] = sits[:, :-1]
    other = np.zeros_like(sits)
    other[:, 1:] = player[:, 1:] != player[:, :-1]
    came = (sits & (~before | other)).reshape(day.sits.shape)
    left = (before & (~sits | other)).reshape(day.sits.shape)
    last = (sits & (np.arange(ROUNDS) == ROUNDS - 1)[:, None]).reshape(day.sits.shape)
    for type, mask, phase in (("player_left", left, LEFT), ("player_left", last, GONE)):
        n, seat = np.nonzero(mask)
        day.rows.add(type, n, phase + seat, seat=seat + 1)
    n, seat = np.nonzero(came)
    day.rows.add("player_seated", n, SEATED + seat, seat=seat + 1, player=day.player[n, seat])


def _life(table: Table) -> int:
    """How many rounds cards stay in play."""
    return CARD_HOURS[table.dealing] * 3_600_000 * 85 // 100 // PERIOD


def deck(day: Day) -> Ints:
    """The deck that each round is dealt from, by its number at the table."""
    if not day.tables[0].game.stub_is_counted:
        return np.full(day.rounds, day.number + 1)
    life, decks = (day.of_table(each) for each in ([_life(table) for table in day.tables], _in_rotation(day)))
    changed = -(-ROUNDS // life)
    numbers: Ints = day.number * changed * decks + day.k // life * decks + day.k % decks + 1
    return numbers


def _in_rotation(day: Day) -> list[int]:
    return [table.in_rotation for table in day.tables]


def _decks(day: Day) -> None:
    """Received, shuffled after every round, cut where no device shuffles, and changed before their hours are over."""
    k, rows = day.k, day.rows
    life, decks = (day.of_table(each) for each in ([_life(table) for table in day.tables], _in_rotation(day)))
    first = day.number * -(-ROUNDS // life) * decks + k // life * decks + 1
    fresh = day.n[k % life == 0]
    for slot in (0, 1):
        n = fresh[decks[fresh] > slot]
        rows.add("deck_received", n, RECEIVED + 4 * slot, deck=first[n] + slot, back=BACKS[slot], packs=1)
        shuffled(day, n, RECEIVED + 4 * slot + 1, first[n] + slot)
        worn = n[k[n] > 0]
        rows.add("deck_removed", worn, REMOVED + slot, deck=first[worn] + slot - decks[worn], reason="card change")
        last = day.n[(k == ROUNDS - 1) & (decks > slot)]
        rows.add("deck_removed", last, TAKEN_AWAY + slot, deck=first[last] + slot, reason="table closed")
    used = day.n[k % life != 0]
    shuffled(day, used, SHUFFLED, deck(day)[used - 1])


def shuffled(day: Day, n: Ints, phase: int, deck: Ints) -> None:
    by_hand, counting = (day.where([table.shuffler == kind for table in day.tables]) for kind in ("none", "counting"))
    rows = day.rows
    for mask, method, shown in (
        (by_hand, "manual", {}),
        (counting, "automated", {"counted": 52}),
        (~by_hand & ~counting, "automated", {}),
    ):
        mine = mask[n]
        rows.add("deck_shuffled", n[mine], phase, deck=deck[mine], method=method, **shown)
    mine = by_hand[n]
    cut = day.rng.integers(10, 43, int(mine.sum()))
    rows.add("deck_cut", n[mine], phase + 1, deck=deck[mine], cards=cut)


def stub_counted(day: Day, out: Ints) -> None:
    """`out`: how many cards each round took from the deck."""
    due = (day.k % COUNTED_EVERY == COUNTED_EVERY - 1) & ~day.where(
        [table.shuffler == "counting" for table in day.tables]
    )
    n = day.n[due]
    day.rows.add("stub_counted", n, COUNTED, deck=deck(day)[n], cards=day.tables[0].game.deck_size - out[n])


# Cards


def stubs(day: Day, wanted: int) -> Codes:
    """The first cards of a shuffled deck for each round, one row a card."""
    rounds = np.arange(day.rounds)
    deck = np.repeat(np.arange(52, dtype=np.uint8)[:, None], day.rounds, axis=1)
    for place in range(wanted):
        other = day.rng.integers(place, 52, day.rounds)
        drawn = deck[other, rounds]
        deck[other, rounds] = deck[place]
        deck[place] = drawn
    return deck[:wanted]


def card_series(codes: Codes | pl.Series) -> pl.Series:
    return pl.Series(codes).cat.to(cards.CARD)


def dealt(day: Day, n: Ints, phase: Ints | int, to: str, card: Codes, *, face: str = "down", **cells: Cell) -> None:
    day.rows.add("card_dealt", n, phase, to=to, card=card, face=face, **{"hand": 1, **cells})


def turn(day: Day, n: Ints, place: Ints | int, nth: int, hand: int) -> Ints:
    """When a card comes: one each in turn, or a whole hand at a time. `place`: the seat, and the dealer after the last."""
    return DEALT + np.where(day.packets[n], place * hand + nth, nth * (day.seats + 1) + place)


# Money


def placed(  # noqa: PLR0917 - as many as a wager has
    day: Day, n: Ints, seat: Ints, phase: Ints | int, wager: str, amount: Ints, *, hand: int = 1
) -> None:
    for mask, named in _named(day, n):
        cells = {"player": day.player[n[mask], seat[mask]]} if named else {}
        at = phase[mask] if isinstance(phase, np.ndarray) else phase
        day.rows.add(
            "wager_placed", n[mask], at, seat=seat[mask] + 1, wager=wager, amount=amount[mask], hand=hand, **cells
        )


def decided(day: Day, n: Ints, seat: Ints, phase: Ints | int, choice: str, *, hand: int = 1) -> None:
    day.rows.add("decision_made", n, phase, seat=seat + 1, choice=choice, hand=hand)


def _named(day: Day, n: Ints) -> tuple[tuple[Bools, bool], tuple[Bools, bool]]:
    named = day.where([table.names_players for table in day.tables])[n]
    return (named, True), (~named, False)


def settle(day: Day, settlements: pl.DataFrame, phase: pl.Expr) -> None:
    """`settlements`: `n`, `seat` from 0, `hand`, `wager`, `result` and `amount`, as the chips moved."""
    rows = settlements.with_columns(phase=SETTLED + phase)
    for mask, named in _named(day, rows["n"].to_numpy()):
        mine = rows.filter(mask)
        n, seat = mine["n"].to_numpy(), mine["seat"].to_numpy()
        cells = {"player": day.player[n, seat]} if named else {}
        day.rows.add(
            "wager_settled",
            n,
            mine["phase"].to_numpy(),
            seat=seat + 1,
            hand=mine["hand"],
            wager=mine["wager"],
            result=mine["result"],
            amount=mine["amount"],
            **cells,
        )


# The frame


class Play(Protocol):
    def __call__(self, day: Day, wrongs: float) -> pl.DataFrame: ...


@dataclass(frozen=True, slots=True)
class Told:
    """A table's events of a day. Only `stamped` are they as wide as the event frame."""

    table: Table
    opened: datetime
    after: int  # the seq
    rows: pl.DataFrame

    @property
    def stamped(self) -> pl.DataFrame:
        name = self.table.name
        stamped = self.rows.with_columns(
            table=pl.lit(name),
            seq=pl.int_range(pl.len()) + self.after + 1,
            at=pl.lit(self.opened, frame.SCHEMA["at"]) + pl.duration(milliseconds="ms"),
            deck=pl.format(f"{name}-{{}}", "deck"),
            player=pl.format("p-{}", "player"),
        )
        return stamped.select(
            (pl.col(name) if name in stamped.columns else pl.lit(None)).cast(dtype).alias(name)
            for name, dtype in frame.SCHEMA.items()
        )


def told(day: Day, seqs: dict[int, int]) -> list[Told]:
    """The day's events table by table; `seqs` holds each table's last and is moved on."""
    rows = day.rows.in_order().with_columns(n=pl.col("key") // WIDTH, phase=pl.col("key") % WIDTH)
    n = rows["n"].to_numpy()
    sizes = np.bincount(n, minlength=day.rounds)
    place = np.arange(n.size) - (np.cumsum(sizes) - sizes)[n]
    opened = OPENS + timedelta(days=day.number)
    rows = rows.with_columns(
        # Spread over the round, but for its last two seconds.
        ms=pl.Series(place * (PERIOD - 2_000) // sizes[n] + n % ROUNDS * PERIOD),
        round=pl.when(pl.col("phase").is_between(STARTED, ENDED)).then(pl.col("n") % ROUNDS + day.number * ROUNDS + 1),
    )
    bounds = np.searchsorted(n, np.arange(len(day.tables) + 1) * ROUNDS)
    found = []
    for table, start, stop in zip(day.tables, bounds[:-1], bounds[1:], strict=True):
        after = seqs.get(table.index, 0)
        seqs[table.index] = after + int(stop - start)
        late = timedelta(seconds=13 * table.index)
        found.append(Told(table, opened + late, after, rows.slice(start, stop - start)))
    return found
