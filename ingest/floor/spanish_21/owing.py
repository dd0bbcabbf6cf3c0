"""What the law owes on every wager of a block of rounds, in one frame; and the cards that the reader missed."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

import polars as pl

from ingest.floor.felt import Bet, Fact, Round, Wrong, place, seat_of
from ingest.floor.spanish_21.boxes import Box, Hand, ShoeRound, total
from rules import cards
from rules.decision import Wager, settle
from rules.spanish_21 import ENVY, GAME, LISTS, SUPER_BONUS, hand_facts, with_envy

LAWS: Final = {wager.name: wager for wager in GAME.wagers}
TRIES: Final = 4
_CARDS: Final = pl.List(cards.CARD)
_NOBODY: Final = Hand(1, [])


@dataclass(slots=True)
class _Rows:
    """One line a wager, as columns."""

    bets: list[Bet] = field(default_factory=list)
    cells: list[tuple[object, ...]] = field(default_factory=list)

    def add(self, round: ShoeRound, number: int) -> None:
        dealer = _written(round.held)
        reader, soft = round.has_reader, round.option("dealer_hits_soft_17") == "true"
        for bet in round.bets:
            if bet.bonus or not bet.offered:
                continue
            box = round.boxes[bet.seat]
            hand = box.hands[bet.hand - 1] if box.hands else _NOBODY
            bettor = round.bettor(bet.seat, bet.player)
            self.bets.append(bet)
            self.cells.append(
                (
                    number,
                    bet.seat,
                    bet.hand,
                    bettor,
                    bet.wager,
                    bet.stake,
                    round.opening.terms.columns.get(bet.wager),
                    _written(hand.cards),
                    _written(box.first),
                    dealer,
                    hand.split,
                    bettor in hand.doubled,
                    bettor in hand.rescued,
                    hand.surrendered,
                    hand.dead or not box.hands,
                    _covers_a_split(box, bet, bettor),
                    reader,
                    soft,
                )
            )

    def frame(self) -> pl.DataFrame:
        laid_out = pl.DataFrame(self.cells, schema=_SCHEMA, orient="row").with_row_index("place")
        lists = pl.col(LISTS).str.extract_all("..").cast(_CARDS)
        return hand_facts(laid_out.with_columns(lists, main_stake=pl.col("stake")))


_SCHEMA: Final[dict[str, pl.DataType]] = {
    "round": pl.Int64(),
    "seat": pl.Int16(),
    "hand": pl.Int16(),
    "player": pl.String(),
    "wager": pl.String(),
    "stake": pl.Int64(),
    "column": pl.String(),
    "player_cards": pl.String(),
    "first_cards": pl.String(),
    "dealer_cards": pl.String(),
    "split": pl.Boolean(),
    "doubled": pl.Boolean(),
    "rescued": pl.Boolean(),
    "surrendered": pl.Boolean(),
    "dead": pl.Boolean(),
    "added_for_split": pl.Boolean(),
    "card_reader": pl.Boolean(),
    "dealer_hits_soft_17": pl.Boolean(),
}


def _written(hand: Sequence[Fact]) -> str:
    """A hand as one word; a list of lists takes the frame a third of the floor's time to build."""
    return "".join(fact["card"] for fact in hand)


def _covers_a_split(box: Box, bet: Bet, bettor: str | None) -> bool:
    return bet.wager == "main" and bet.hand != 1 and box.rides.get(bettor or "") != bet.hand


def _settled(rows: pl.DataFrame, wager: Wager) -> list[int | None]:
    return settle(rows, wager).get_column("owed").to_list()


def _mains(frame: pl.DataFrame) -> pl.DataFrame:
    return with_envy(frame.filter(pl.col("wager") == "main"), ["round"]).with_columns(column=pl.lit("1"))


def owed(rounds: Sequence[Round]) -> None:
    """Fills in what every bet of every round is owed, and adds the bonuses that were won."""
    if not rounds:
        return
    dealt = [round for round in rounds if isinstance(round, ShoeRound)]
    rows = _Rows()
    for number, round in enumerate(dealt):
        rows.add(round, number)
    frame = rows.frame()
    of = [dealt[number] for number in frame.get_column("round").to_list()]
    for (name,), lying in frame.group_by("wager", maintain_order=True):
        for at, cents in zip(lying.get_column("place").to_list(), _settled(lying, LAWS[str(name)]), strict=True):
            rows.bets[at].owed = _as_it_looked(of[at], rows.bets[at]) if cents is None else cents
    mains = _mains(frame)
    for bonus in (SUPER_BONUS, ENVY):
        for at, cents in zip(mains.get_column("place").to_list(), _settled(mains, bonus), strict=True):
            if cents:
                main = rows.bets[at]
                of[at].bets.append(
                    Bet(main.seat, bonus.name, main.stake, bonus=True, owed=cents, hand=main.hand, player=main.player)
                )


def _as_it_looked(round: ShoeRound, bet: Bet) -> int:
    """The law has no answer, since the dealer stood when he was bound to draw: the pit pays by what lies there."""
    hand = round.boxes[bet.seat].hands[bet.hand - 1]
    mine, his = total(hand.cards), total(round.held)
    return bet.stake * ((mine > his) - (mine < his))


# The reader


def misread(rounds: Sequence[Round]) -> None:
    """Cards that the reader could not read, on which a wager turns or none, as was planned; and what it took others for."""
    dealt = [round for round in rounds if isinstance(round, ShoeRound)]
    for round in dealt:
        for fact, shown in round.shown:
            fact["card"] = shown
    for round, fact in _first(
        _unread([round for round in dealt if round.planned == "FEED06"], _of_one_kind), turns=True
    ):
        fact["card"] = cards.UNREAD
        round.wrong = Wrong("FEED06", seat_of(place(fact)))
    in_vain = [round for round in dealt if round.blurred and not round.voided]
    for _, fact in _first(_unread(in_vain, _of_any_kind), turns=False):
        fact["card"] = cards.UNREAD


_Tried = tuple[ShoeRound, Fact, bool]


def _first(tried: Iterable[_Tried], *, turns: bool) -> list[tuple[ShoeRound, Fact]]:
    """The first card of each round on which a wager turns, or the first on which none does."""
    found: dict[int, tuple[ShoeRound, Fact]] = {}
    for round, fact, turned in tried:
        if turned == turns:
            found.setdefault(id(round), (round, fact))
    return list(found.values())


def _of_any_kind(round: ShoeRound) -> list[Fact]:
    facts = [*round.held, *(fact for box in round.boxes.values() for hand in box.hands for fact in hand.cards)]
    return Random(round.luck).sample(facts, min(TRIES, len(facts)))


def _of_one_kind(round: ShoeRound) -> list[Fact]:
    """The dealer's first two or what he drew, a box's first two or what was drawn to it; where none matters, of any kind."""
    rng = Random(round.luck)
    first = [fact for box in round.boxes.values() for fact in box.first]
    of_boxes = [fact for box in round.boxes.values() for hand in box.hands for fact in hand.cards]
    drawn = [fact for fact in of_boxes if not any(fact is each for each in first)]
    kinds = [kind for kind in (round.held[:2], round.held[2:], first, drawn) if kind]
    chosen = rng.choice(kinds)
    return [*rng.sample(chosen, min(TRIES, len(chosen))), *_of_any_kind(round)]


def _unread(rounds: Sequence[ShoeRound], some: Callable[[ShoeRound], list[Fact]]) -> list[_Tried]:
    """Some cards of each round, and whether the law has no answer to some wager without them."""
    rows = _Rows()
    tried: list[tuple[ShoeRound, Fact]] = []
    for round in rounds:
        for fact in some(round):
            card, fact["card"] = fact["card"], cards.UNREAD
            rows.add(round, len(tried))
            fact["card"] = card
            tried.append((round, fact))
    if not tried:
        return []
    frame = rows.frame()
    turned: set[int] = set()
    for law, lying in _laws(frame):
        open_end = pl.Series(_settled(lying, law), dtype=pl.Int64).is_null()
        turned |= set(lying.filter(open_end).get_column("round").to_list())
    return [(round, fact, at in turned) for at, (round, fact) in enumerate(tried)]


def _laws(frame: pl.DataFrame) -> Iterable[tuple[Wager, pl.DataFrame]]:
    for (name,), lying in frame.group_by("wager", maintain_order=True):
        yield LAWS[str(name)], lying
    mains = _mains(frame)
    yield SUPER_BONUS, mains
    yield ENVY, mains
