"""What each wager is worth, by exact enumeration through the very decision tables that settle a round.

A program's own tests cannot tell that it has the law wrong; figures that others published can, and this is what is laid beside
them. Hands that differ only by the names of their suits are looked at once and counted as often as they occur.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, combinations_with_replacement
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl

from rules import cards, ranking
from rules import heads_up_holdem as huh
from rules import spanish_21 as s21
from rules import three_card_draw_poker as draw_poker
from rules import three_card_poker as tcp
from rules.decision import Column, Wager, settle
from rules.game import Game

Progress = Callable[[int, int], None]
Counts = npt.NDArray[np.int64]

STAKE: Final = 500  # cents; the edge turns on it only where a prize is a fixed sum
CHUNK: Final = 200_000
rounds = pl.col("rounds")


@dataclass(frozen=True, slots=True)
class WagerOdds:
    """A wager under one column and one way to play, over every round that can be dealt.

    `lines`: how many rounds each line of the decision table decided. `hands`: how many held each hand and were not folded.
    `net`: what all rounds together owe the player, in stakes of `stake` cents.
    """

    game: str
    wager: str
    column: str
    strategy: str | None
    stake: int
    rounds: int
    lines: Mapping[str, int]
    hands: Mapping[str, int]
    net: Fraction

    @property
    def edge(self) -> Fraction:
        """The part of the stake that the house keeps in the long run."""
        return -self.net / self.rounds


def columns_of(wager: Wager) -> tuple[Column, ...]:
    return () if wager.pay_table is None else wager.pay_table.columns


def unwatched(_done: int, _total: int) -> None:
    pass


def hands_up_to_suits(size: int) -> tuple[ranking.Codes, Counts]:
    """One hand in each column for all that differ only by the names of their suits, and how many these are.

    A hand all of one suit is listed once for each suit, since a pay table may name it.
    """
    hands, alike = [], []
    for shape in combinations_with_replacement(range(size, -1, -1), 4):
        if sum(shape) != size:
            continue
        held = [np.array(list(combinations(range(13), n)), np.uint8) for n in shape]
        which = np.indices([len(ranks) for ranks in held], np.int32).reshape(4, -1)
        for suit in (1, 2, 3):
            if shape[suit] == shape[suit - 1]:
                which = which[:, which[suit] <= which[suit - 1]]
        hand = np.concatenate([held[suit][which[suit]].T * 4 + suit for suit in range(4)]).astype(np.uint8)
        if shape[0] == size:
            hands += [hand + np.uint8(suit) for suit in range(4)]
            alike += [np.ones(hand.shape[1], np.int64)] * 4
        else:
            hands.append(hand)
            alike.append(_ways_to_name_the_suits(shape, which))
    return np.concatenate(hands, axis=1), np.concatenate(alike)


def _ways_to_name_the_suits(shape: tuple[int, ...], which: npt.NDArray[np.int32]) -> Counts:
    """24, but suits that hold the same ranks (they stand side by side) can change places unnoticed."""
    run = np.ones(which.shape[1], np.int64)
    unnoticed = run
    for suit in (1, 2, 3):
        same = (which[suit] == which[suit - 1]) & (shape[suit] == shape[suit - 1])
        run = np.where(same, run + 1, 1)
        unnoticed = unnoticed * run
    return 24 // unnoticed


def _read(game: Game, names: tuple[str, ...], hands: ranking.Codes, counts: Counts) -> pl.DataFrame:
    """The facts that the game reads from the cards, and in how many rounds they are these."""
    deck = pl.Series(cards.NAMES, dtype=cards.CARD)
    dealt = pl.DataFrame({name: deck.gather(codes) for name, codes in zip(names, hands, strict=True)})
    facts = game.hand_facts(dealt).drop(names).with_columns(rounds=pl.Series(counts))
    return facts.group_by(pl.exclude("rounds")).agg(rounds.sum())


def _settled(facts: pl.DataFrame, wager: Wager, column: str | None, stake: int) -> pl.DataFrame:
    settled = settle(facts.with_columns(stake=pl.lit(stake, pl.Int64), column=pl.lit(column, pl.String)), wager)
    if settled.get_column("owed").has_nulls():
        raise ValueError(f"{wager.title}: its decision table leaves a round open although every card was read")
    return settled


def _owed(settled: pl.DataFrame) -> int:
    return int(settled.select((pl.col("owed") * rounds).sum()).item())


def _counted(rows: pl.DataFrame, by: str, words: Sequence[str]) -> dict[str, int]:
    counted = dict(rows.group_by(by).agg(rounds.sum()).iter_rows())
    return {word: counted.get(index, 0) for index, word in enumerate(words)}


def _lines(settled: pl.DataFrame, wager: Wager) -> dict[str, int]:
    return _counted(settled, "line", [ruling.condition.words for ruling in wager.rulings])


# Three Card Poker

TCP_CARDS: Final = (*tcp.PLAYER, *tcp.DEALER)
TCP_FOLDS: Final = {
    "play Q-6-4 or better": pl.col("player_low") < ranking.three_card_value("QC 6D 4H"),
    "always play": pl.lit(False),
}


def _player_against_dealer(players: ranking.Codes, alike: Counts, progress: Progress) -> tuple[ranking.Codes, Counts]:
    """Six cards for each pair of values that a player and the dealer can hold at once, and in how many rounds they do."""
    dealers = np.array(list(combinations(range(52), 3)), np.uint8).T
    player_value, dealer_value = ranking.three_card_values(players), ranking.three_card_values(dealers)
    bit = np.uint64(1) << np.arange(52, dtype=np.uint64)
    player_bits, dealer_bits = bit[players].sum(axis=0), bit[dealers].sum(axis=0)
    values = int(dealer_value.max()) + 1
    counts = np.zeros((values, values), np.int64)
    player_at, dealer_at = np.zeros((2, values, values), np.int32)
    for player, value in enumerate(player_value):
        apart = np.flatnonzero(dealer_bits & player_bits[player] == 0)
        counts[value] += alike[player] * np.bincount(dealer_value[apart], minlength=values)
        player_at[value, dealer_value[apart]] = player
        dealer_at[value, dealer_value[apart]] = apart
        progress(player + 1, len(alike))
    met = counts > 0
    return np.concatenate([players[:, player_at[met]], dealers[:, dealer_at[met]]]), counts[met]


def _ante_and_play(facts: pl.DataFrame, strategy: str, stake: int) -> list[WagerOdds]:
    """The Ante with its Play and its bonus, in each column of the bonus; `net` is in Antes."""
    decided = facts.with_columns(folded=TCP_FOLDS[strategy], ante_placed=pl.lit(True))
    played = decided.filter(~pl.col("folded"))
    ante = _settled(decided, tcp.ANTE, None, stake)
    owed = _owed(ante) + _owed(_settled(played, tcp.PLAY, None, stake))
    return [
        WagerOdds(
            game=tcp.NAME,
            wager="ante",
            column=column.name,
            strategy=strategy,
            stake=stake,
            rounds=int(facts.get_column("rounds").sum()),
            lines=_lines(ante, tcp.ANTE),
            hands=_counted(played, "player_hand", tcp.HANDS),
            net=Fraction(owed + _owed(_settled(decided, tcp.ANTE_BONUS, column.name, stake)), stake),
        )
        for column in columns_of(tcp.ANTE_BONUS)
    ]


def _side_wager(
    facts: pl.DataFrame, wager: Wager, hand: str, hands: Sequence[str], stake: int, *, game: str = tcp.NAME
) -> list[WagerOdds]:
    """A wager that waits for no decision of the player, in each column."""
    undecided = facts.with_columns(folded=pl.lit(False), ante_placed=pl.lit(False))
    found = []
    for column in columns_of(wager):
        settled = _settled(undecided, wager, column.name, stake)
        found.append(
            WagerOdds(
                game=game,
                wager=wager.name,
                column=column.name,
                strategy=None,
                stake=stake,
                rounds=int(facts.get_column("rounds").sum()),
                lines=_lines(settled, wager),
                hands=_counted(settled, hand, hands),
                net=Fraction(_owed(settled), stake),
            )
        )
    return found


def three_card_poker(progress: Progress = unwatched, stake: int = STAKE) -> list[WagerOdds]:
    """Pair Plus, Ante and Play by two strategies, and the 6 Card Bonus, each in all its columns."""
    three, three_alike = hands_up_to_suits(3)
    six, six_alike = hands_up_to_suits(6)
    total = three.shape[1] + six.shape[1]

    no_dealer = np.full_like(three, cards.UNREAD_CODE)
    alone = _read(tcp.GAME, TCP_CARDS, np.concatenate([three, no_dealer]), three_alike)
    found = _side_wager(alone, tcp.PAIR_PLUS, "player_hand", tcp.HANDS, stake)

    against, met = _player_against_dealer(three, three_alike, lambda done, _: progress(done, total))
    heads_up = _read(tcp.GAME, TCP_CARDS, against, met)
    for strategy in TCP_FOLDS:
        found += _ante_and_play(heads_up, strategy, stake)

    six_facts = []
    for start in range(0, six.shape[1], CHUNK):
        chunk = slice(start, start + CHUNK)
        facts = _read(tcp.GAME, TCP_CARDS, six[:, chunk], six_alike[chunk])
        six_facts.append(facts.group_by("six_low", "six_high", "six_hand").agg(rounds.sum()))
        progress(min(three.shape[1] + chunk.stop, total), total)
    together = pl.concat(six_facts)
    return found + _side_wager(together, tcp.SIX_CARD_BONUS, "six_hand", tcp.SIX_CARD_HANDS, stake)


# Heads Up Hold'em


def _dealt_to_the_player(names: tuple[str, ...], hands: ranking.Codes, counts: Counts) -> pl.DataFrame:
    """What the game reads from these cards where no other card was dealt, and in how many rounds."""
    deck, undealt = pl.Series(cards.NAMES, dtype=cards.CARD), pl.lit(None, cards.CARD)
    dealt = pl.DataFrame({name: deck.gather(codes) for name, codes in zip(names, hands, strict=True)})
    others = {name: undealt for name in huh.CARDS if name not in names}
    facts = huh.hand_facts(dealt.with_columns(**others)).with_columns(
        rounds=pl.Series(counts), trips_plus_dies_on_fold=pl.lit(False)
    )
    return facts.group_by(pl.exclude("rounds", *huh.CARDS)).agg(rounds.sum())


def heads_up_holdem(progress: Progress = unwatched, stake: int = STAKE) -> list[WagerOdds]:
    """The Pocket Bonus over every two cards and Trips Plus over every seven, each in all its columns."""
    two, two_alike = hands_up_to_suits(2)
    pocket = _dealt_to_the_player(huh.PLAYER, two, two_alike)
    found = _side_wager(pocket, huh.POCKET_BONUS, "pocket_hand", huh.POCKETS, stake, game=huh.NAME)
    seven, seven_alike = hands_up_to_suits(7)
    total = seven.shape[1]
    parts = []
    for start in range(0, total, CHUNK):
        chunk = slice(start, start + CHUNK)
        facts = _dealt_to_the_player((*huh.PLAYER, *huh.COMMUNITY), seven[:, chunk], seven_alike[chunk])
        by_value = facts.group_by("player_low", "player_high", "player_hand", "trips_plus_dies_on_fold")
        parts.append(by_value.agg(rounds.sum()))
        progress(min(chunk.stop, total), total)
    return found + _side_wager(pl.concat(parts), huh.TRIPS_PLUS, "player_hand", huh.HANDS, stake, game=huh.NAME)


# Spanish 21

# One card for each point value; the jack stands for every ten-value card.
S21_OF_VALUE: Final = {value: rank + "S" for value, rank in enumerate("A23456789J", start=1)}


def _s21_read(hits_soft_17: bool = False, **hands: pl.Series) -> pl.DataFrame:
    """What the game reads from these lists of cards where nobody doubled, split or gave up; a list not named was not seen."""
    lists = pl.List(cards.CARD)
    return s21.hand_facts(
        pl.DataFrame({name: of.cast(lists) for name, of in hands.items()}).with_columns(
            *(pl.lit(None, lists).alias(name) for name in s21.LISTS if name not in hands),
            split=pl.lit(False),
            dealer_hits_soft_17=pl.lit(hits_soft_17),
            main_stake=pl.lit(None, pl.Int64),
        )
    )


def _s21_lists(*places: Counts) -> pl.Series:
    """One list a round, of the cards whose places in the pack stand side by side."""
    pack = pl.Series(_s21_pack(), dtype=cards.CARD)
    return pl.select(pl.concat_list(pack.gather(place) for place in places)).to_series()


def _s21_pack() -> list[str]:
    return [card for card in cards.DECK if card not in s21.GAME.foreign]


def _s21_odds(facts: pl.DataFrame, wager: Wager, packs: int, hand: str | None, stake: int) -> WagerOdds:
    column = str(packs) if wager.pay_table is not None else None
    settled = _settled(facts, wager, column, stake)
    return WagerOdds(
        game=s21.NAME,
        wager=wager.name,
        column=str(packs),
        strategy=None,
        stake=stake,
        rounds=int(facts.get_column("rounds").sum()),
        lines=_lines(settled, wager),
        hands={} if hand is None else _counted(settled, hand, s21.MATCH_HANDS),
        net=Fraction(_owed(settled), stake),
    )


def spanish_21(progress: Progress = unwatched, stake: int = STAKE) -> list[WagerOdds]:
    """Insurance against an ace from a fresh shoe, and Match the Dealer; `column` is the number of packs."""
    size = s21.GAME.deck_size
    up, first, second = np.indices((size, size, size)).reshape(3, -1)
    matches = _s21_read(first_cards=_s21_lists(first, second), dealer_cards=_s21_lists(up))
    hole = np.arange(size)
    ace = np.full(size, _s21_pack().index("AS"))
    ace_up = _s21_read(dealer_cards=_s21_lists(ace, hole))
    found = []
    for done, packs in enumerate(s21.GAME.packs, start=1):
        insured = ace_up.with_columns(rounds=pl.Series(packs - (hole == ace)))
        found.append(_s21_odds(insured, s21.INSURANCE, packs, None, stake))
        ways = packs * (packs - (first == up)) * (packs - (second == up).astype(np.int64) - (second == first))
        met = matches.with_columns(rounds=pl.Series(ways))
        found.append(_s21_odds(met, s21.MATCH_THE_DEALER, packs, "match_hand", stake))
        progress(done, len(s21.GAME.packs))
    return found


def spanish_21_natural(packs: int) -> Fraction:
    """How often the first two cards of a fresh shoe are a blackjack."""
    one, other = np.indices((s21.GAME.deck_size, s21.GAME.deck_size)).reshape(2, -1)
    ways = packs * (packs - (one == other))
    natural = _s21_read(player_cards=_s21_lists(one, other)).get_column("player_natural").to_numpy()
    return Fraction(int(ways[natural].sum()), int(ways.sum()))


def spanish_21_dealer(up: str, packs: int, hits_soft_17: bool = False) -> dict[str, Fraction]:
    """How often the dealer ends on each total, or busts: a fresh shoe less the up card `A23456789J`, given no blackjack."""
    shoe = [0] + [4 * packs] * 9 + [12 * packs]
    first = "A23456789J".index(up) + 1
    shoe[first] -= 1
    hands: list[list[str]] = []
    ways: list[Fraction] = []

    def draw(hand: list[int], chance: Fraction) -> None:
        hard = sum(hand)
        if hard > 21 or (len(hand) > 1 and s21.dealer_stands(hard, 1 in hand, hits_soft_17)):
            hands.append([S21_OF_VALUE[value] for value in hand])
            ways.append(chance)
            return
        total = sum(shoe)
        for value in range(1, 11):
            if shoe[value]:
                left, shoe[value] = shoe[value], shoe[value] - 1
                draw([*hand, value], chance * Fraction(left, total))
                shoe[value] = left

    draw([first], Fraction(1))
    facts = _s21_read(hits_soft_17, dealer_cards=pl.Series(hands))
    ends = facts.select(
        pl.when("dealer_blackjack")
        .then(pl.lit("blackjack"))
        .when("dealer_busts")
        .then(pl.lit("bust"))
        .when(~pl.col("dealer_drew_on") & ~pl.col("dealer_short") & (pl.col("dealer_low") == pl.col("dealer_high")))
        .then(pl.col("dealer_low").cast(pl.String))
    ).to_series()
    found: dict[str, Fraction] = {}
    for end, chance in zip(ends, ways, strict=True):
        found[end] = found.get(end, Fraction(0)) + chance
    no_blackjack = 1 - found.pop("blackjack", Fraction(0))
    return {end: chance / no_blackjack for end, chance in found.items()}


# Three Card Draw Poker

ALWAYS_IN_TO_WIN: Final = "always In To Win"
BEST_PLAY: Final = "best play"
DEALERS_OF_49: Final = 211_876
DEALERS_OF_48: Final = 194_580
# A round is the player's three cards, the card he would draw and the dealer's four: this many for each dealer of 49.
ROUNDS_UNDRAWN: Final = 49 * DEALERS_OF_48 // DEALERS_OF_49


class _Dealers:
    """How many of the dealer's hands are worth no more than a value, where some cards are known to lie elsewhere.

    Counted by inclusion and exclusion: all hands, less those that hold one of the cards, and those with two of them again.
    """

    def __init__(self) -> None:
        fours = np.array(list(combinations(range(52), 4)), np.uint8).T
        value, _ = ranking.best_three_range(fours)
        self._of_four = np.zeros((52,) * 4, np.uint16)
        self._of_four[tuple(fours)] = value
        self._place, self._up_to = [], []
        for size in range(4):
            sets = list(combinations(range(52), size))
            place = np.zeros((52,) * size, np.int32)
            for number, chosen in enumerate(sets):
                place[chosen] = number
            held = np.zeros((len(sets), int(value.max()) + 1), np.int32)
            for some in combinations(fours, size):
                np.add.at(held, (place[some], value), 1)
            self._place.append(place)
            self._up_to.append(held.cumsum(axis=1, dtype=np.int32))

    def up_to(self, value: npt.NDArray[np.uint16], known: ranking.Codes) -> Counts:
        """For each value and the three or four cards below it in `known`."""
        known = np.sort(known, axis=0)
        count = np.zeros(value.shape, np.int64)
        for size, (place, up_to) in enumerate(zip(self._place, self._up_to, strict=True)):
            for some in combinations(known, size):
                count += (-1) ** size * up_to[place[some], value].astype(np.int64)
        if len(known) == 4:
            count += self._of_four[tuple(known)] <= value
        return count


@dataclass(frozen=True, slots=True)
class Way:
    """One way to play each hand, and where it leads: `value` (next card, hand) against so many dealers below, level and above.

    Rows are the card that is drawn; where none is, there is one row. Every dealer stands for `weight` rounds.
    """

    choice: str
    value: npt.NDArray[np.uint16]
    below: Counts
    level: Counts
    above: Counts
    weight: int

    def net(self, bonus: Counts) -> Counts:
        """What each hand is owed in Antes over all rounds: Ante and wager on both, and the bonus of its value."""
        dealers = self.below + self.level + self.above
        owed = 2 * self.below - 2 * self.above + bonus[self.value] * dealers
        net: Counts = self.weight * owed.sum(axis=0)
        return net


def draw_poker_ways(hands: ranking.Codes) -> list[Way]:
    """In To Win, and the draw with each of the three cards discarded."""
    dealers = _Dealers()

    def way(choice: str, value: npt.NDArray[np.uint16], known: ranking.Codes, of: int, weight: int) -> Way:
        up_to, below = dealers.up_to(value, known), dealers.up_to(value - np.uint16(1), known)
        return Way(choice, value, below, up_to - below, of - up_to, weight)

    stand = ranking.three_card_values(hands)[None]
    found = [way("in_to_win", stand, hands[:, None], DEALERS_OF_49, ROUNDS_UNDRAWN)]
    apart = np.array([np.setdiff1d(np.arange(52), hand) for hand in hands.T], np.uint8).T
    known = np.stack([*(np.broadcast_to(card, apart.shape) for card in hands), apart])
    for one, other in draw_poker.KEPT:
        drawn = ranking.three_card_values(np.stack([known[one], known[other], apart]))
        found.append(way("draw", drawn, known, DEALERS_OF_48, 1))
    return found


def _met(way: Way, chosen: npt.NDArray[np.bool_], alike: Counts) -> pl.DataFrame:
    """The rounds of the hands that are played this way, by the player's value and a dealer's just below, level or above."""
    parts = [
        pl.DataFrame(
            {
                "player_low": way.value[:, chosen].ravel(),
                "dealer_low": (way.value[:, chosen].astype(np.int32) + apart).ravel(),
                "rounds": (dealers[:, chosen] * alike[chosen] * way.weight).ravel(),
            }
        )
        for apart, dealers in ((-1, way.below), (0, way.level), (1, way.above))
    ]
    return pl.concat(parts).filter(rounds > 0).with_columns(folded=pl.lit(False), drew=pl.lit(way.choice == "draw"))


def _draw_poker_ante(plays: Sequence[pl.DataFrame], column: Column, strategy: str, stake: int) -> WagerOdds:
    """The Ante with its In To Win or Draw and the bonus of this column; `net` is in Antes."""
    played = (
        pl.concat(plays)
        .group_by(pl.exclude("rounds"))
        .agg(rounds.sum())
        .with_columns(
            player_high=pl.col("player_low"),
            dealer_high=pl.col("dealer_low"),
            player_hand=ranking.three_card_category(pl.col("player_low")),
        )
    )
    ante = _settled(played, draw_poker.ANTE, None, stake)
    stayed = played.filter(~pl.col("folded"))
    owed = _owed(ante) + _owed(_settled(played, draw_poker.IN_TO_WIN_BONUS, column.name, stake))
    for wager, drew in ((draw_poker.IN_TO_WIN, False), (draw_poker.DRAW, True)):
        owed += _owed(_settled(stayed.filter(pl.col("drew") == drew), wager, None, stake))
    return WagerOdds(
        game=draw_poker.NAME,
        wager="ante",
        column=column.name,
        strategy=strategy,
        stake=stake,
        rounds=int(played.get_column("rounds").sum()),
        lines=_lines(ante, draw_poker.ANTE),
        hands=_counted(stayed, "player_hand", draw_poker.HANDS),
        net=Fraction(owed, stake),
    )


def best_draw_poker_plays(column: str) -> tuple[ranking.Codes, Counts, Counts]:
    """Hands up to their suits, how many each stands for, and the play that is worth most to the Ante with this bonus column.

    A play is 0 In To Win, 1 to 3 a draw for the first to third card, 4 a fold.
    """
    hands, alike = hands_up_to_suits(3)
    return hands, alike, _best(draw_poker_ways(hands), column)


def _best(ways: Sequence[Way], column: str) -> Counts:
    values = np.arange(int(max(way.value.max() for way in ways)) + 1, dtype=np.uint16)
    facts = pl.DataFrame({"player_low": values, "player_high": values}).with_columns(
        folded=pl.lit(False),
        drew=pl.lit(False),
        player_hand=ranking.three_card_category(pl.col("player_low")),
    )
    bonus = _settled(facts, draw_poker.IN_TO_WIN_BONUS, column, 1).get_column("owed").to_numpy()
    nets = [way.net(bonus) for way in ways]
    folded = np.full_like(nets[0], -ROUNDS_UNDRAWN * DEALERS_OF_49)
    best: Counts = np.stack([*nets, folded]).argmax(axis=0)
    return best


def three_card_draw_poker(progress: Progress = unwatched, stake: int = STAKE) -> list[WagerOdds]:
    """The First 3 Bonus of a player who never draws, and the Ante by two strategies, each in all its columns."""
    hands, alike = hands_up_to_suits(3)
    dealt = np.concatenate([hands, np.full((6, hands.shape[1]), cards.UNREAD_CODE, np.uint8)])
    deck = pl.Series(cards.NAMES, dtype=cards.CARD)
    seen = pl.DataFrame({name: deck.gather(codes) for name, codes in zip(draw_poker.CARDS, dealt, strict=True)})
    alone = draw_poker.hand_facts(seen.with_columns(choice=pl.lit("in_to_win"))).with_columns(
        rounds=pl.Series(alike), first3_dies_on_fold=pl.lit(False)
    )
    found = _side_wager(alone, draw_poker.FIRST_3_BONUS, "first_3_hand", draw_poker.HANDS, stake, game=draw_poker.NAME)
    columns = columns_of(draw_poker.IN_TO_WIN_BONUS)
    total = 1 + len(columns)
    ways = draw_poker_ways(hands)
    progress(1, total)
    everyone = np.ones(alike.shape, np.bool_)
    for done, column in enumerate(columns, start=2):
        found.append(_draw_poker_ante([_met(ways[0], everyone, alike)], column, ALWAYS_IN_TO_WIN, stake))
        best = _best(ways, column.name)
        plays = [_met(way, best == play, alike) for play, way in enumerate(ways)]
        plays.append(_met(ways[0], best == len(ways), alike).with_columns(folded=pl.lit(True)))
        found.append(_draw_poker_ante(plays, column, BEST_PLAY, stake))
        progress(done, total)
    return found


ODDS: Final[Mapping[str, Callable[[Progress], list[WagerOdds]]]] = {tcp.NAME: three_card_poker}
