"""The games audited by hand: a second reading of the law in plain Python that shares no line with `rules`."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations, pairwise

from ingest.events import AnyEvent
from rules.cards import DECK

Events = list[AnyEvent]
Place = int | str  # a seat, "dealer", "community" or "burn"
Hands = dict[Place, list[str]]
Spot = tuple[int, str]
Finding = tuple[str, int | None, str | None, int]


# The wrongs that are judged here; the others are held against the detectors (tests/detectors/test_floor_quality.py).
JUDGED = {
    *(f"PAY0{number}" for number in range(1, 10)),
    *("BET01", "BET02", "BET03", "BET04", "DEAL01", "DEAL02", "DEAL03", "DEAL05", "VOID01"),
    *("DECK01", "DECK02", "DECK03", "DECK04", "FEED01", "FEED02", "FEED06"),
}


def kind(event: AnyEvent) -> str:
    return str(event.__struct_config__.tag)


def by_table(every: Events) -> dict[str, Events]:
    tables: dict[str, Events] = defaultdict(list)
    for event in every:
        tables[event.table].append(event)
    return tables


def place(event: AnyEvent) -> Place:
    return event.seat if event.to == "player" else event.to


def ranks(hand: tuple[str, ...]) -> list[int]:
    return sorted(("23456789TJQKA".index(card[0]) + 2 for card in hand), reverse=True)


@cache
def three(hand: tuple[str, ...]) -> tuple[int, ...]:
    """0 high card, 1 pair, 2 flush, 3 straight, 4 three of a kind, 5 straight flush, 6 mini royal; then the cards that count."""
    values = ranks(hand)
    often = Counter(values).most_common()
    if len(often) == 1:
        return (4, *values)
    if len(often) == 2:
        return (1, often[0][0], often[1][0])
    suited = len({card[1] for card in hand}) == 1
    if values == [14, 3, 2]:
        values = [3, 2, 1]
    if values[0] - values[2] == 2:
        return ((6 if values[0] == 14 else 5) if suited else 3, *values)
    return (2 if suited else 0, *values)


def run(values: set[int]) -> int:
    """The top of the highest five in a row, the ace low as well; 0 where there is none."""
    low = values | ({1} if 14 in values else set())
    return max((top for top in range(5, 15) if {top - each for each in range(5)} <= low), default=0)


@cache
def five(cards: tuple[str, ...]) -> tuple[int, ...]:  # noqa: PLR0911 - one line a kind of hand
    """The best five of five to seven: 0 high card, 1 pair, 2 two pairs, 3 trips, 4 straight, 5 flush, 6 full house, 7 quads,
    8 straight flush, 9 royal; then the cards that count."""
    by_suit: dict[str, set[int]] = defaultdict(set)
    for card in cards:
        by_suit[card[1]] |= set(ranks((card,)))
    suited = max(by_suit.values(), key=len)
    values = ranks(cards)
    often = Counter(values)
    groups = sorted(often, key=lambda value: (often[value], value), reverse=True)
    rest = [value for value in groups if value != groups[0]]
    if len(suited) >= 5 and run(suited):
        return (9 if run(suited) == 14 else 8, run(suited))
    if often[groups[0]] == 4:
        return (7, groups[0], max(rest))
    if often[groups[0]] == 3 and often[groups[1]] >= 2:
        return (6, groups[0], max(value for value in rest if often[value] >= 2))
    if len(suited) >= 5:
        return (5, *sorted(suited, reverse=True)[:5])
    if run(set(values)):
        return (4, run(set(values)))
    if often[groups[0]] == 3:
        return (3, groups[0], *sorted(rest, reverse=True)[:2])
    if often[groups[0]] == 2 and often[groups[1]] == 2:
        return (2, *groups[:2], max(value for value in values if value not in groups[:2]))
    if often[groups[0]] == 2:
        return (1, groups[0], *sorted(rest, reverse=True)[:3])
    return (0, *values[:5])


@dataclass(frozen=True)
class Law:
    """A game as a person at the rail knows it."""

    later: frozenset[str]  # wagers made after the deal
    dealt_in: frozenset[str]
    equal: dict[str, str]
    needs: Callable[[AnyEvent], dict[str, set[str]]]
    cards: int
    dealer_cards: int
    community: int
    turned: int  # how many cards face up void the round
    exposure_voids: bool
    bonus: str | None
    stays: frozenset[str]  # choices that take chips on the wager of that name
    owed: Callable[["Felt", Hands], Iterator[tuple[Spot, int]]]
    raises: dict[int, set[int]] = field(default_factory=dict)  # by community cards shown: what times the Ante


@dataclass
class Felt:
    """One round as the events show it."""

    number: int
    opening: AnyEvent
    events: Events
    stakes: dict[Spot, int] = field(default_factory=dict)  # what is settled: the most that lay there after the call
    lying: dict[Spot, int] = field(default_factory=dict)
    at_call: dict[Spot, int] = field(default_factory=dict)
    choices: dict[int, str] = field(default_factory=dict)
    shown: dict[int, int] = field(
        default_factory=dict
    )  # community cards that lie open when the seat decides for the last time
    hands: Hands = field(default_factory=lambda: defaultdict(list))
    discards: dict[int, str] = field(default_factory=dict)
    counted_after: Events = field(default_factory=list)  # its stub, when it was over
    findings: list[Finding] = field(default_factory=list)

    @property
    def law(self) -> Law:
        return LAWS[self.opening.game]

    def told(self, *kinds: str) -> Events:
        return [event for event in self.events if kind(event) in kinds]

    def column(self, wager: str) -> str:
        return str(self.opening.pay_tables.get(wager, "1"))

    def option(self, name: str) -> bool:
        return str(self.opening.options.get(name, "false")).lower() == "true"

    def owed(self, hands: Hands) -> dict[Spot, int]:
        in_hand = {spot: stake for spot, stake in self.stakes.items() if hands.get(spot[0])}
        # Nothing to settle the others by: those chips go back.
        return dict.fromkeys(self.stakes.keys() - in_hand.keys(), 0) | dict(self.law.owed(self, hands))


# Three Card Poker

PAIR_PLUS = {"1": (0, 1, 4, 6, 30, 40, 40), "2": (0, 1, 4, 6, 33, 35, 35)}
ANTE_BONUS = {"1": (0, 0, 0, 1, 4, 5, 5), "2": (0, 0, 0, 1, 5, 6, 6)}
SIX_CARD = {  # trips, straight, flush, full house, quads, straight flush, royal
    "A": (5, 10, 20, 25, 50, 200, 1_000),
    "B": (5, 10, 15, 25, 50, 200, 1_000),
    "C": (8, 9, 15, 20, 100, 200, 1_000),
    "D": (7, 10, 15, 20, 100, 200, 1_000),
    "E": (5, 10, 15, 20, 50, 200, 1_000),
    "F": (5, 10, 15, 20, 50, 200, 1_000),
}


def six_card(hand: list[str], column: str, stake: int) -> int:
    best = max(five(each) for each in combinations(hand, 5))[0]
    if best < 3:
        return -stake
    whole = ranks(tuple(hand)) == [14, 13, 12, 11, 10, 9] and len({card[1] for card in hand}) == 1
    if whole and column in "EF":
        return 100_000_000 if column == "F" and hand[0][1] == "D" else 10_000_000
    return stake * SIX_CARD[column][best - 3]


def sign(left: tuple[int, ...], right: tuple[int, ...]) -> int:
    return (left > right) - (left < right)


def three_card_poker(felt: Felt, hands: Hands) -> Iterator[tuple[Spot, int]]:
    dealer = hands["dealer"]
    for (seat, wager), stake in felt.stakes.items():
        if not hands.get(seat):
            continue
        # A mini royal is no rank of its own here.
        mine, his = ((min(worth[0], 5), *worth[1:]) for worth in (three(tuple(hands[seat])), three(tuple(dealer))))
        better, opens = sign(mine, his), his >= (0, 12)
        folded = (seat, "ante") in felt.stakes and felt.choices.get(seat) != "play"
        spot = (seat, wager)
        if wager == "ante":
            yield spot, -stake if folded else stake if not opens else better * stake
            if not folded and mine[0] >= 3:
                yield (seat, "ante_bonus"), ANTE_BONUS[felt.column("ante_bonus")][mine[0]] * stake
        elif wager == "play":
            yield spot, better * stake if opens else 0
        elif wager == "pair_plus":
            pays = PAIR_PLUS[felt.column(wager)][mine[0]]
            yield spot, -stake if folded or not pays else pays * stake
        else:
            yield spot, six_card([*hands[seat], *dealer], felt.column(wager), stake)


def needs_in_three_card_poker(opening: AnyEvent) -> dict[str, set[str]]:
    version_ii = opening.options.get("six_card_bonus_version") == "ii"
    return {"play": {"ante"}, "six_card_bonus": {"pair_plus", "ante"} if version_ii else {"pair_plus"}}


# Three Card Draw Poker

IN_TO_WIN_BONUS = {"1": (0, 0, 0, 1, 5, 10, 20), "2": (0, 0, 0, 1, 4, 10, 20), "3": (0, 0, 0, 1, 5, 6, 20)}
FIRST_3 = {
    "1": (0, 1, 3, 6, 30, 50, 200),
    "2": (0, 1, 3, 6, 30, 60, 100),
    "3": (0, 1, 3, 7, 30, 40, 150),
    "4": (0, 1, 3, 6, 30, 40, 60),
}


def three_card_draw_poker(felt: Felt, hands: Hands) -> Iterator[tuple[Spot, int]]:
    his = max(three(each) for each in combinations(hands["dealer"], 3))
    for (seat, wager), stake in felt.stakes.items():
        if not hands.get(seat):
            continue
        dealt, choice = hands[seat][:3], felt.choices[seat]
        kept = list(dealt)
        if choice == "draw":
            kept.remove(felt.discards[seat])
        final = three((*kept, *(hands[seat][3:] if choice == "draw" else ())))
        better = sign(final, his)
        if wager == "ante":
            yield (seat, wager), -stake if choice == "fold" else better * stake
        elif wager in ("in_to_win", "draw"):
            yield (seat, wager), better * stake
            if final[0] >= 3:
                yield (seat, "in_to_win_bonus"), IN_TO_WIN_BONUS[felt.column("in_to_win_bonus")][final[0]] * stake
        elif choice == "draw":
            yield (seat, wager), stake if kept[0][0] == kept[1][0] else -stake
        else:
            pays = FIRST_3[felt.column(wager)][three(tuple(dealt))[0]]
            dies = choice == "fold" and felt.option("first3_dies_on_fold")
            yield (seat, wager), -stake if dies or not pays else pays * stake


# Heads Up Hold'em

BAD_BEAT = {"1": (4, 5, 6, 25, 500), "2": (5, 8, 10, 50, 500)}  # from a straight up
TRIPS_PLUS = {  # from trips up
    "1": (3, 4, 7, 9, 30, 40, 100),
    "2": (3, 5, 6, 8, 30, 40, 100),
    "3": (3, 4, 7, 8, 30, 40, 100),
    "4": (3, 5, 6, 7, 30, 40, 100),
}
POCKET = {"1": (5, 10, 20, 30), "2": (5, 10, 20, 25), "3": (4, 10, 20, 30)}  # pair, ace-face, suited, aces


def odds_won(category: int, stake: int) -> int:
    """A flush pays 3 to 2, and a half cent stays with the house."""
    return stake * 3 // 2 if category == 5 else stake * {4: 1, 6: 3, 7: 10, 8: 50, 9: 500}[category]


def pocket(two: list[str], column: str, stake: int) -> int:
    high, low = ranks(tuple(two))
    pays = POCKET[column]
    if high == low:
        return stake * pays[3 if high == 14 else 0]
    if high == 14 and low >= 11:
        return stake * pays[2 if two[0][1] == two[1][1] else 1]
    return -stake


def heads_up_holdem(felt: Felt, hands: Hands) -> Iterator[tuple[Spot, int]]:
    board = hands["community"]
    for (seat, wager), stake in felt.stakes.items():
        if not hands.get(seat):
            continue
        mine, his = five((*hands[seat], *board)), five((*hands["dealer"], *board))
        better, straight = sign(mine, his), mine[0] >= 4
        folded = felt.choices.get(seat) == "fold"
        spot = (seat, wager)
        if wager == "pocket_bonus":
            yield spot, pocket(hands[seat], felt.column(wager), stake)
        elif wager == "trips_plus":
            dies = folded and felt.option("trips_plus_dies_on_fold")
            wins = mine[0] >= 3 and not dies
            yield spot, stake * TRIPS_PLUS[felt.column(wager)][mine[0] - 3] if wins else -stake
        elif folded:
            yield spot, -stake
        elif wager == "ante":
            yield spot, better * stake if his[0] >= 1 else 0
        elif wager == "raise":
            yield spot, better * stake
        elif better > 0 and straight:
            yield spot, odds_won(mine[0], stake)
        elif better >= 0:
            yield spot, 0
        else:
            yield spot, stake * BAD_BEAT[felt.column("bad_beat")][mine[0] - 4] if straight else -stake


LAWS = {
    "three-card-poker": Law(
        later=frozenset({"play"}),
        dealt_in=frozenset({"ante", "pair_plus"}),
        equal={"play": "ante"},
        needs=needs_in_three_card_poker,
        cards=3,
        dealer_cards=3,
        community=0,
        turned=2,
        exposure_voids=True,
        bonus="ante_bonus",
        stays=frozenset({"play"}),
        owed=three_card_poker,
    ),
    "three-card-draw-poker": Law(
        later=frozenset({"in_to_win", "draw"}),
        dealt_in=frozenset({"ante"}),
        equal={"in_to_win": "ante", "draw": "ante"},
        needs=lambda _: {"in_to_win": {"ante"}, "draw": {"ante"}, "first_3_bonus": {"ante"}},
        cards=3,
        dealer_cards=4,
        community=0,
        turned=1,
        exposure_voids=False,
        bonus="in_to_win_bonus",
        stays=frozenset({"in_to_win", "draw"}),
        owed=three_card_draw_poker,
    ),
    "heads-up-holdem": Law(
        later=frozenset({"raise"}),
        dealt_in=frozenset({"ante"}),
        equal={"odds": "ante"},
        needs=lambda _: {
            "ante": {"odds"},
            "odds": {"ante"},
            "raise": {"ante"},
            "trips_plus": {"ante"},
            "pocket_bonus": {"ante"},
        },
        cards=2,
        dealer_cards=2,
        community=5,
        turned=2,
        exposure_voids=True,
        bonus=None,
        stays=frozenset({"raise"}),
        owed=heads_up_holdem,
        raises={0: {1, 2, 3}, 3: {1, 2}, 5: {1}},
    ),
}


# The audit


def audited(felt: Felt) -> Felt:
    void = bool(felt.told("round_voided"))
    _decisions(felt)
    _wagers(felt)
    broken = _deal(felt, void)
    if void:
        _void(felt)
    elif broken:
        moved = sum(map(net, felt.told("wager_settled", "settlement_corrected")))
        felt.findings.append((*broken, None, moved))
    else:
        _payments(felt)
    return felt


def _decisions(felt: Felt) -> None:
    for event in felt.told("card_discarded"):
        felt.discards[event.seat] = event.card
    turns: Counter[int] = Counter()
    for event in felt.told("decision_made"):
        felt.choices[event.seat], felt.shown[event.seat] = event.choice, (0, 3, 5)[turns[event.seat]]
        turns[event.seat] += 1


def _wagers(felt: Felt) -> None:
    law, lying = felt.law, felt.lying
    has_call = bool(felt.told("no_more_bets"))
    closed = False
    late: Counter[Spot] = Counter()
    for event in felt.events:
        name = kind(event)
        if name == "no_more_bets":
            closed, felt.at_call = True, dict(lying)
        if name not in ("wager_placed", "wager_changed"):
            continue
        spot = (event.seat, event.wager)
        before = lying.get(spot, 0)
        lying[spot] = before + event.amount if name == "wager_placed" else event.amount
        most = felt.stakes.get(spot, 0)
        if closed and has_call and event.wager not in law.later:
            late[spot] += lying[spot] - before
            felt.stakes[spot] = max(most, lying[spot])
        else:
            felt.stakes[spot] = lying[spot]
    for spot, chips in late.items():
        felt.findings.append(("BET01" if chips > 0 else "BET02", *spot, abs(chips)))
    felt.stakes = {spot: stake for spot, stake in felt.stakes.items() if stake}
    needs = law.needs(felt.opening)
    for seat, wager in felt.stakes:
        if any((seat, need) not in felt.stakes for need in needs.get(wager, ())):
            felt.findings.append(("BET04", seat, wager, felt.stakes[seat, wager]))
        elif not _sized(felt, seat, wager):
            felt.findings.append(("BET03", seat, wager, lying[seat, wager]))
    for seat, choice in sorted(felt.choices.items()):
        if choice in law.stays and (seat, choice) not in felt.stakes:
            felt.findings.append(("BET03", seat, choice, 0))


def _sized(felt: Felt, seat: int, wager: str) -> bool:
    """Whether the chips are as many as they must be, counted before a late move or after it."""

    def sizes(name: str) -> set[int]:
        return {felt.lying[seat, name], felt.at_call.get((seat, name), felt.lying[seat, name])} - {0}

    if wager in felt.law.equal:
        return bool(sizes(wager) & sizes(felt.law.equal[wager]))
    if wager == "raise":
        times = felt.law.raises[felt.shown[seat]]
        return bool(sizes(wager) & {ante * each for ante in sizes("ante") for each in times})
    return True


def _deal(felt: Felt, void: bool) -> tuple[str, int | None] | None:
    """The deal's own findings; answers with a void that was due and did not come, and the seat."""
    law, dealt = felt.law, felt.told("card_dealt")
    for event in dealt:
        felt.hands[place(event)].append(event.card)
    called_first = felt.told("no_more_bets", "card_dealt")
    if [kind(event) for event in called_first].count("no_more_bets") != 1 or called_first[0] in dealt:
        felt.findings.append(("DEAL03", None, None, 0))
    _twins(felt, dealt)
    _counts(felt, void)
    if void:
        return None
    if len(felt.told("card_found_face_up")) >= law.turned or felt.told("device_failed"):
        return "VOID01", None
    if any(event.to == "dealer" for event in felt.told("card_exposed")):
        if law.exposure_voids:
            return "DEAL05", None
        felt.findings.append(("DEAL05", None, None, 0))
    wrong = _misdealt(felt)
    if wrong:
        return "DEAL01", wrong[0] if isinstance(wrong[0], int) else None
    turns, due = _turns(felt)
    if turns != due:
        first = next(turn for turn, should_be in zip(turns, due, strict=True) if turn != should_be)
        felt.findings.append(("DEAL02", first if isinstance(first, int) else None, None, 0))
    return None


def _twins(felt: Felt, dealt: Events) -> None:
    for at, event in enumerate(dealt):
        if event.card == "XX":
            felt.findings.append(("DECK02", event.seat, None, 0))
        elif event.card != "??" and event.card in [earlier.card for earlier in dealt[:at]]:
            felt.findings.append(("DECK01", event.seat, None, 0))
    for event in felt.told("card_found_face_up"):
        if event.card in ["XX", *(each.card for each in dealt if each.seq < event.seq)]:
            felt.findings.append(("DECK02" if event.card == "XX" else "DECK01", None, None, 0))


def _counts(felt: Felt, void: bool) -> None:
    """The last count in the round counts, and the last after its end."""
    for counts in (felt.told("stub_counted"), felt.counted_after):
        for count in [] if void else counts[-1:]:
            gone = sum(event.seq < count.seq for event in felt.told("card_dealt", "card_found_face_up"))
            if count.cards + gone != 52:
                felt.findings.append(("DECK03", None, None, 0))


def _in(felt: Felt) -> list[int]:
    return sorted({seat for seat, wager in felt.stakes if wager in felt.law.dealt_in})


def _misdealt(felt: Felt) -> list[Place]:
    """Who has too many cards or too few: seats first, from the first."""
    law, seats = felt.law, _in(felt)
    wrong: list[Place] = []
    for seat in sorted({*seats, *(each for each in felt.hands if isinstance(each, int))}):
        due = law.cards + (felt.choices.get(seat) == "draw") if seat in seats else 0
        if len(felt.hands[seat]) != due:
            wrong.append(seat)
    if len(felt.hands["dealer"]) != law.dealer_cards:
        wrong.append("dealer")
    if len(felt.hands["community"]) != law.community:
        wrong.append("community")
    return wrong


def _turns(felt: Felt) -> tuple[list[Place], list[Place]]:
    """Who was dealt each card, burns and draws left out, and who should have been."""
    law, opening, seats = felt.law, felt.opening, _in(felt)
    drawn = {seat for seat, choice in felt.choices.items() if choice == "draw"}
    turns: list[Place] = []
    had: Counter[Place] = Counter()
    for event in felt.told("card_dealt"):
        had[place(event)] += 1
        if event.to != "burn" and not (place(event) in drawn and had[place(event)] > law.cards):
            turns.append(place(event))
    board: list[Place] = ["community"] * law.community
    packet: list[Place] = [seat for seat in seats for _ in range(law.cards)]
    if opening.game == "three-card-draw-poker":
        rotation = opening.options.get("deal_order") == "rotation"
        return turns, [*(seats * law.cards if rotation else packet), *["dealer"] * law.dealer_cards]
    hands = packet + ["dealer"] * law.dealer_cards
    if opening.dealing != "automated_shoe":
        hands = [*seats, "dealer"] * law.cards
    board_first = opening.dealing == "automated_shoe" or turns[0] == "community"
    return turns, board + hands if board_first else hands + board


def net(event: AnyEvent) -> int:
    if kind(event) == "settlement_corrected":
        return event.amount
    return {"paid": 1, "taken": -1, "returned": 0}[event.result] * event.amount


def _moved(felt: Felt) -> dict[Spot, Events]:
    moved: dict[Spot, Events] = defaultdict(list)
    for event in felt.told("wager_settled", "settlement_corrected"):
        moved[event.seat, event.wager].append(event)
    return moved


def _void(felt: Felt) -> None:
    moved = _moved(felt)
    for spot in {*felt.stakes, *moved}:
        back = [("wager_settled", "returned", felt.stakes.get(spot))]
        if [(kind(event), getattr(event, "result", ""), event.amount) for event in moved[spot]] != back:
            felt.findings.append(("PAY09", *spot, sum(map(net, moved[spot]))))


def _payments(felt: Felt) -> None:
    hidden = [(where, at) for where in felt.hands for at, card in enumerate(felt.hands[where]) if card in ("??", "XX")]
    if not hidden:
        felt.findings += _mispaid(felt, felt.owed(felt.hands))
        return
    [(where, at)] = hidden
    possible = [felt.owed(hands) for hands in _could_be(felt, where, at)]
    if felt.hands[where][at] == "??" and any(each != possible[0] for each in possible):
        felt.findings.append(("FEED06", where if isinstance(where, int) else None, None, 0))
    assert any(not _mispaid(felt, each) for each in possible), "settled as no card in that place would have it"


def _could_be(felt: Felt, where: Place, at: int) -> Iterator[Hands]:
    """The hands with every card in that place that lies nowhere else. A card that was discarded plays no part."""
    hand, discard = felt.hands[where], felt.discards.get(where)
    seen = {card for other in felt.hands.values() for card in other}
    if discard == hand[at]:
        yield felt.hands
    elif discard is not None and discard not in hand:
        yield {**felt.hands, where: [*hand[:at], discard, *hand[at + 1 :]]}
    else:
        for card in DECK:
            if card not in seen:
                yield {**felt.hands, where: [*hand[:at], card, *hand[at + 1 :]]}


def _mispaid(felt: Felt, owed: dict[Spot, int]) -> list[Finding]:
    found: list[Finding] = []
    moved = _moved(felt)
    for spot in sorted({*owed, *moved}):
        settled = [event for event in moved[spot] if kind(event) == "wager_settled"]
        paid = sum(map(net, moved[spot]))
        if any(event.amount != felt.stakes.get(spot) for event in settled if event.result == "returned"):
            found.append(("a stake returned in part", *spot, 0))
        if spot not in owed:
            found.append(("PAY08", *spot, paid))
        elif len(settled) > 1:
            found.append(("PAY08", *spot, net(settled[1])))
        elif not moved[spot]:
            found.append(("PAY06", *spot, -owed[spot]) if spot[1] == felt.law.bonus else ("PAY07", *spot, 0))
        elif paid != owed[spot]:
            found.append((mispaid_code(owed[spot], paid), *spot, paid - owed[spot]))
    return found


def mispaid_code(owed: int, paid: int) -> str:
    if owed < 0:
        return "PAY03"
    if owed == 0:
        return "PAY05"
    if paid > owed:
        return "PAY01"
    return "PAY02" if paid > 0 else "PAY04"


def audit(
    every: Events, left_out: Collection[tuple[str, int | None]] = ()
) -> list[tuple[str, str, int | None, int | None, str | None, int]]:
    """Every wrong of a feed as (code, table, round, seat, wager, amount), but for the rounds left out."""
    findings = []
    for table, arrived in by_table(every).items():
        told = sorted(arrived, key=lambda event: event.seq)
        unsure: set[int | None] = {number for where, number in left_out if where == table}
        for before, after in pairwise(told):
            number = before.round if after.round is None else after.round
            if after.seq > before.seq + 1:
                findings.append(("FEED01", table, number, None, None, 0))
                unsure |= {before.round, after.round}
            if after.seq == before.seq:
                findings.append(("FEED02", table, number, None, None, 0))
                unsure.add(number)
        felts, overdue = rounds_of(table, told, unsure)
        findings += overdue
        for felt in felts:
            if felt.number not in unsure:
                findings += [(code, table, felt.number, *rest) for code, *rest in audited(felt).findings]
    return findings


def rounds_of(
    table: str, told: Events, unsure: set[int | None] = frozenset()
) -> tuple[list[Felt], list[tuple[str, str, int | None, int | None, str | None, int]]]:
    """The rounds, and those that were the fifth without a count."""
    felts: list[Felt] = []
    overdue = []
    opening = None
    uncounted = 0
    last_seq = 0
    for event in told:
        if event.seq > last_seq + 1 and last_seq:
            uncounted = -99 if uncounted else 0  # what was lost may have been a count
        last_seq = event.seq
        name = kind(event)
        if name == "table_opened":
            opening = event
        if event.round is not None and (not felts or event.round != felts[-1].number):
            felts.append(Felt(event.round, opening, []))
            uncounted = uncounted + 1 if opening.shuffler != "counting" else 0
        if name == "stub_counted":
            uncounted = 0
        if felts and (event.round is not None or not felts[-1].events or kind(felts[-1].events[-1]) != "round_ended"):
            felts[-1].events.append(event)
        elif felts and name == "stub_counted":
            felts[-1].counted_after.append(event)
        if name == "round_ended" and uncounted == 5 and event.round not in unsure:
            overdue.append(("DECK04", table, event.round, None, None, 0))
    return felts, overdue
