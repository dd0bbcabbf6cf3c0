"""The Spanish 21 floor, audited by hand: hands rebuilt from the events, and the law read once more without `rules`."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby, pairwise

import msgspec
import pytest

from ingest.events import AnyEvent
from ingest.floor import GAMES, Label, codes, simulate
from tests.ingest import floors
from tests.ingest.by_hand import JUDGED, kind, mispaid_code, net

Events = list[AnyEvent]
Spot = tuple[int, int, str, str | None]  # seat, hand, wager, bettor
Finding = tuple[str, int | None, str | None, int]
DECODER = msgspec.json.Decoder(AnyEvent)
ENCODER = msgspec.json.Encoder(order="sorted")
GAME = "spanish-21"
PACK = [rank + suit for rank in "23456789JQKA" for suit in "CDHS"]
OPTIONS = {"dealer_hits_soft_17": "false", "boxes_per_player": "1", "burn": "1", "card_reader": "true"}

HONEST = (24, 150, 7)
LONG = (4, 800, 11)
FAULTY = (24, 120, 5, 0.5)
FEW_FAULTS = (12, 200, 8, 0.1)


def floor(*arguments: float) -> tuple[list[bytes], list[Label]]:
    return floors.floor(arguments, GAME)


def events(*arguments: float) -> Events:
    return floors.events(arguments, GAME)


def by_table(every: Events) -> dict[str, Events]:
    tables: dict[str, Events] = defaultdict(list)
    for event in sorted(every, key=lambda event: event.seq):
        tables[event.table].append(event)
    return tables


# The law once more, by hand


def value(card: str) -> int:
    return 1 if card[0] == "A" else 10 if card[0] in "TJQK" else int(card[0])


def total(hand: list[str]) -> int:
    hard = sum(map(value, hand))
    return hard + 10 if hard <= 11 and any(card[0] == "A" for card in hand) else hard


def is_soft(hand: list[str]) -> bool:
    return total(hand) != sum(map(value, hand))


def bonus_21(hand: list[str]) -> tuple[int, int]:
    """What a 21 that was not doubled pays."""
    if len(hand) >= 5:
        return {5: (3, 2), 6: (2, 1)}.get(len(hand), (3, 1))
    if len(hand) == 3 and sorted(card[0] for card in hand) in (["6", "7", "8"], ["7", "7", "7"]):
        suits = {card[1] for card in hand}
        return (3, 2) if len(suits) > 1 else (3, 1) if suits == {"S"} else (2, 1)
    return 1, 1


@dataclass
class Dealer:
    """His hand as the drawing rule has it: a card drawn to a hand that stands is burned."""

    up: str
    blackjack: bool
    total: int
    drew: bool
    drew_on: bool
    short: bool


def dealer(cards: list[str], hits_soft_17: bool) -> Dealer:
    hand, rest = list(cards[:2]), list(cards[2:])
    blackjack = total(hand) == 21
    while rest and (total(hand) < 17 or (total(hand) == 17 and is_soft(hand) and hits_soft_17)):
        hand.append(rest.pop(0))
    short = total(hand) < 17 or (total(hand) == 17 and is_soft(hand) and hits_soft_17)
    return Dealer(cards[0], blackjack, total(hand), len(cards) > 2, bool(rest), short)


def match(first: list[str], up: str, packs: int) -> int:
    suited, unsuited = (9, 4) if packs == 6 else (12, 3)
    return sum(suited if card == up else unsuited for card in first if card[0] == up[0])


@dataclass
class Felt:
    """One round as the events show it."""

    number: int
    opening: AnyEvent
    seated: dict[int, str]
    told_before: Counter[str] | None  # cards since the shuffle; None where that is not known
    events: Events = field(default_factory=list)

    stakes: dict[Spot, int] = field(default_factory=dict)
    original: dict[tuple[int, str | None], int] = field(default_factory=dict)  # the hand of a bettor's first main
    first: dict[int, list[str]] = field(default_factory=dict)
    hands: dict[tuple[int, int], list[str]] = field(default_factory=dict)
    split: set[tuple[int, int]] = field(default_factory=set)
    surrendered: set[tuple[int, int]] = field(default_factory=set)
    dead: set[tuple[int, int]] = field(default_factory=set)
    rescued: set[tuple[int, int, str | None]] = field(default_factory=set)
    dealt: list[str] = field(default_factory=list)  # to the dealer
    order: list[int] = field(default_factory=list)  # of the first cards; 0 is the dealer
    findings: list[Finding] = field(default_factory=list)

    def told(self, *kinds: str) -> Events:
        return [event for event in self.events if kind(event) in kinds]

    def option(self, name: str) -> str:
        return str(self.opening.options.get(name, OPTIONS[name])).lower()

    def bettor(self, event: AnyEvent) -> str | None:
        return event.player or self.seated.get(event.seat)

    def spot(self, event: AnyEvent) -> Spot:
        return event.seat, event.hand, event.wager, self.bettor(event)

    def doubled(self, seat: int, hand: int, bettor: str | None) -> bool:
        return (seat, hand, "double", bettor) in self.stakes

    def is_decided(self, seat: int, hand: int, bettor: str | None) -> bool:
        place, cards = (seat, hand), self.hands.get((seat, hand), [])
        rescued = (seat, hand, bettor) in self.rescued and self.doubled(seat, hand, bettor)
        return not cards or place in self.surrendered | self.dead or rescued or total(cards) >= 21

    def owed(self) -> dict[Spot, int | None]:
        his = dealer(self.dealt, self.option("dealer_hits_soft_17") == "true")
        owed: dict[Spot, int | None] = {}
        for spot, stake in self.stakes.items():
            seat, _, wager, _ = spot
            if wager == "insurance":
                owed[spot] = 0 if his.up[0] != "A" else 2 * stake if his.blackjack else -stake
            elif wager == "match_the_dealer":
                first = self.first.get(seat, [])
                pays = match(first, his.up, self.opening.decks)
                owed[spot] = 0 if len(first) < 2 else pays * stake or -stake
            else:
                owed[spot] = self.owed_on_hand(spot, stake, his)
        return owed | self.bonuses(his)

    def owed_on_hand(self, spot: Spot, stake: int, his: Dealer) -> int | None:  # noqa: PLR0911
        seat, hand, wager, bettor = spot
        cards, main = self.hands.get((seat, hand), []), wager == "main"
        added = main and hand != self.original[seat, bettor]
        doubled = self.doubled(seat, hand, bettor)
        if not cards or (seat, hand) in self.dead:
            return 0
        if main and len(cards) == 2 and total(cards) == 21 and (seat, hand) not in self.split:
            return stake * 3 // 2
        if his.blackjack and self.option("card_reader") == "true":
            return -stake if main and not added else 0
        if (seat, hand) in self.surrendered:
            return -stake if his.blackjack else -((stake + 1) // 2)
        if total(cards) > 21:
            return -stake
        if doubled and (seat, hand, bettor) in self.rescued:
            return -stake if main else 0
        if total(cards) == 21:
            to, one = bonus_21(cards) if main and not doubled else (1, 1)
            return stake * to // one
        if his.blackjack:
            return -stake if main and not added else 0
        if his.short:
            return None
        if his.total > 21:
            return stake
        return stake * ((total(cards) > his.total) - (total(cards) < his.total))

    def bonuses(self, his: Dealer) -> dict[Spot, int | None]:
        owed: dict[Spot, int | None] = {}
        mains = {spot: stake for spot, stake in self.stakes.items() if spot[2] == "main"}
        won = set()
        for (seat, hand, _, bettor), stake in mains.items():
            cards = self.hands.get((seat, hand), [])
            sevens = len(cards) == 3 and len(set(cards)) == 1 and cards[0][0] == his.up[0] == "7"
            place = (seat, hand)
            if sevens and stake >= 500 and place not in self.split | self.dead and not self.doubled(*place, bettor):
                won.add(seat)
                owed[seat, hand, "super_bonus", bettor] = 500_000 if stake >= 2_500 else 100_000
        for bettor in {spot[3] for spot in mains}:
            own = sorted(spot for spot in mains if spot[3] == bettor)
            if won - {spot[0] for spot in own}:
                owed[own[0][0], own[0][1], "envy", bettor] = 5_000
        return owed


def audited(felt: Felt) -> list[Finding]:
    _wagers(felt)
    _cards(felt)
    void = bool(felt.told("round_voided"))
    if void:
        _void(felt)
        return felt.findings
    _sizes(felt)
    _deal(felt)
    turned = [event.card for event in felt.told("card_found_face_up")]
    tens = sum(card[0] == "T" for card in turned)
    if max(tens, len(turned) - tens) > 1:
        felt.findings.append(("VOID01", None, None, sum(map(net, felt.told("wager_settled", "settlement_corrected")))))
    else:
        _payments(felt)
    return felt.findings


def _wagers(felt: Felt) -> None:
    closed = not felt.told("no_more_bets")
    is_open = closed
    for event in felt.events:
        name = kind(event)
        if name == "no_more_bets":
            closed = True
        if name == "decision_made" and event.choice == "ride":
            _rides(felt, event)
        if name not in ("wager_placed", "wager_changed"):
            continue
        spot = felt.spot(event)
        seat, hand, wager, bettor = spot
        before = felt.stakes.get(spot, 0)
        now = before + event.amount if name == "wager_placed" else event.amount
        before_the_deal = wager == "match_the_dealer" or (wager == "main" and hand == 1)
        if closed and not is_open and before_the_deal:
            felt.findings.append(("BET01" if now > before else "BET02", seat, wager, abs(now - before)))
            now = max(now, before)
        felt.stakes[spot] = now
        if wager == "main":
            felt.original.setdefault((seat, bettor), 1)
    felt.stakes = {spot: stake for spot, stake in felt.stakes.items() if stake}


def _rides(felt: Felt, event: AnyEvent) -> None:
    bettor = felt.bettor(event)
    was = felt.original[event.seat, bettor]
    stake = felt.stakes.pop((event.seat, was, "main", bettor))
    felt.stakes[event.seat, event.hand, "main", bettor] = stake
    felt.original[event.seat, bettor] = event.hand


def _sizes(felt: Felt) -> None:
    for (seat, hand, wager, bettor), stake in felt.stakes.items():
        if wager == "main":
            continue
        lies_on = hand if wager == "double" else felt.original.get((seat, bettor), 1)
        main = felt.stakes.get((seat, lies_on, "main", bettor))
        if main is None:
            felt.findings.append(("BET04", seat, wager, stake))
        elif (wager == "double" and stake > main) or (wager == "insurance" and 2 * stake > main):
            felt.findings.append(("BET03", seat, wager, stake))


def _cards(felt: Felt) -> None:
    """Rebuilds every hand: a split moves the second card to the next unused hand."""
    deciding = False
    for event in felt.events:
        name = kind(event)
        if name == "decision_made":
            place = (event.seat, event.hand)
            deciding = deciding or event.choice != "dead"
            if event.choice == "split":
                other = (event.seat, 1 + max(hand for seat, hand in felt.hands if seat == event.seat))
                felt.hands[other] = [felt.hands[place].pop(1)]
                felt.split |= {place, other}
            elif event.choice == "surrender":
                felt.surrendered.add(place)
            elif event.choice == "dead":
                felt.dead.add(place)
            elif event.choice == "rescue":
                felt.rescued.add((*place, felt.bettor(event)))
        if name == "card_dealt" and event.to == "dealer":
            felt.dealt.append(event.card)
        if name == "card_dealt" and event.to == "player":
            felt.hands.setdefault((event.seat, event.hand), []).append(event.card)
            if len(felt.first.setdefault(event.seat, [])) < 2:
                felt.first[event.seat].append(event.card)
        if name == "card_dealt" and event.to in ("dealer", "player") and not deciding and event.face == "up":
            felt.order.append(event.seat or 0)
        elif name == "card_dealt" and event.to == "dealer" and event.face == "down":
            felt.order.append(0)
    if felt.told("dealer_revealed") and not deciding:
        felt.order = felt.order[: len(felt.order) - (len(felt.dealt) - 2)]


def _lawful_orders(felt: Felt, seats: list[int]) -> Iterator[list[int]]:
    yield [*seats, 0, *seats, 0]
    yield [*seats, *seats, 0, 0]
    for missed in seats:
        others = [seat for seat in seats if seat != missed]
        if (missed, 1) in felt.dead:
            yield [*others, 0, *others, 0]
            yield [*seats, 0, *others, 0]
            yield [*others, 0, *seats, 0]
        for first, second in ((seats, others), (others, seats)):
            yield [*first, 0, *second, missed, 0]
            yield [*first, 0, *second, 0, missed]


def _deal(felt: Felt) -> None:
    first = [event for event in felt.events if kind(event) == "no_more_bets" or is_played(event)]
    if not felt.told("no_more_bets") or is_played(first[0]):
        felt.findings.append(("DEAL03", None, None, 0))
    seats = sorted({seat for seat, _, wager, _ in felt.stakes if wager == "main"})
    if felt.order not in list(_lawful_orders(felt, seats)):
        due = [*seats, 0, *seats, 0]
        wrong = next(at for at, place in enumerate(felt.order) if place != due[at])
        felt.findings.append(("DEAL02", felt.order[wrong] or None, None, 0))
    seen = None if felt.told_before is None else felt.told_before.copy()
    for event in felt.events:
        if kind(event) == "deck_shuffled" and seen is not None:
            seen.clear()
        found = kind(event) == "card_found_face_up"
        if not is_played(event) and not found:
            continue
        if event.card == "XX" or (event.card[0] == "T" and not found):
            felt.findings.append(("DECK02", None if found else event.seat, None, 0))
        elif event.card[0] == "T":
            continue
        elif seen is not None and event.card != "??":
            seen[event.card] += 1
            if seen[event.card] > felt.opening.decks:
                felt.findings.append(("DECK01", None if found else event.seat, None, 0))
    if not {"??", "XX"} & set(felt.dealt):
        his = dealer(felt.dealt, felt.option("dealer_hits_soft_17") == "true")
        waits = not all(
            felt.is_decided(seat, hand, bettor)
            for seat, hand, wager, bettor in felt.stakes
            if wager == "main" and not {"??", "XX"} & set(felt.hands.get((seat, hand), []))
        )
        hidden = any({"??", "XX"} & set(cards) for cards in felt.hands.values())
        needless = his.drew and not waits and not hidden
        if his.drew_on or needless or (his.short and waits and not his.blackjack and not _over_at_once(felt, his)):
            felt.findings.append(("DEAL08", None, None, 0))


def _over_at_once(felt: Felt, his: Dealer) -> bool:
    return his.blackjack and felt.option("card_reader") == "true"


def is_played(event: AnyEvent) -> bool:
    return kind(event) == "card_dealt" and event.to in ("player", "dealer")


def _moved(felt: Felt) -> dict[Spot, Events]:
    moved: dict[Spot, Events] = defaultdict(list)
    for event in felt.told("wager_settled", "settlement_corrected"):
        moved[felt.spot(event)].append(event)
    return moved


def _void(felt: Felt) -> None:
    moved = _moved(felt)
    for spot in {*felt.stakes, *moved}:
        back = [("wager_settled", "returned", felt.stakes.get(spot))]
        if [(kind(event), getattr(event, "result", ""), event.amount) for event in moved[spot]] != back:
            felt.findings.append(("PAY09", spot[0], spot[2], sum(map(net, moved[spot]))))


def _payments(felt: Felt) -> None:
    hidden = [
        (hand, at)
        for hand in (felt.dealt, *felt.hands.values())
        for at, card in enumerate(hand)
        if card in ("??", "XX")
    ]
    if not hidden:
        felt.findings += _mispaid(felt, felt.owed())
        return
    [(hand, at)] = hidden
    shown = hand[at]
    first = [(cards, cards.index(shown)) for cards in felt.first.values() if shown in cards]
    possible = []
    for card in PACK:
        for cards, place in [(hand, at), *first]:
            cards[place] = card
        possible.append(felt.owed())
    if shown == "??" and any(each != possible[0] or None in each.values() for each in possible):
        seats = [seat for (seat, _), cards in felt.hands.items() if cards is hand]
        felt.findings.append(("FEED06", seats[0] if seats else None, None, 0))
    assert any(not _mispaid(felt, each) for each in possible), "settled as no card in that place would have it"


def _mispaid(felt: Felt, owed: dict[Spot, int | None]) -> list[Finding]:
    found: list[Finding] = []
    moved = _moved(felt)
    for spot in {*owed, *moved}:
        seat, _, wager, _ = spot
        settled = [event for event in moved[spot] if kind(event) == "wager_settled"]
        paid = sum(map(net, moved[spot]))
        due = owed.get(spot)
        if any(event.amount != felt.stakes.get(spot) for event in settled if event.result == "returned"):
            found.append(("a stake returned in part", seat, wager, 0))
        if spot not in owed:
            found.append(("PAY08", seat, wager, paid))
        elif len(settled) > 1:
            found.append(("PAY08", seat, wager, net(settled[1])))
        elif not moved[spot]:
            bonus = wager in ("super_bonus", "envy")
            found.append(("PAY06", seat, wager, -(due or 0)) if bonus else ("PAY07", seat, wager, 0))
        elif due is not None and paid != due:
            found.append((mispaid_code(due, paid), seat, wager, paid - due))
    return found


def felts(told: Events, unsure: set[int | None]) -> list[Felt]:
    """The rounds of one table, each with who sat where and the cards that had come since the shuffle."""
    rounds: list[Felt] = []
    opening = None
    seated: dict[int, str] = {}
    seen: Counter[str] | None = None
    last = told[0].seq - 1
    for event in told:
        name = kind(event)
        if event.seq != last + 1 or event.round in unsure:
            seen = None
        last = event.seq
        if name == "table_opened":
            opening, seated = event, {}
        elif name == "player_seated":
            seated[event.seat] = event.player
        elif name == "player_left":
            del seated[event.seat]
        elif name == "deck_shuffled" and event.round is None:
            seen = Counter()
        if event.round is None:
            continue
        if not rounds or rounds[-1].number != event.round:
            rounds.append(Felt(event.round, opening, dict(seated), None if seen is None else seen.copy()))
        rounds[-1].events.append(event)
        if name == "deck_shuffled" and seen is not None:
            seen = Counter()
        if seen is not None and is_played(event):
            seen[event.card] += 1
    return rounds


def unsure_rounds(told: Events) -> tuple[set[int | None], list[tuple[str, int | None]]]:
    unsure: set[int | None] = set()
    found = []
    for before, after in pairwise(told):
        number = before.round if after.round is None else after.round
        if after.seq > before.seq + 1:
            found.append(("FEED01", number))
            unsure |= {before.round, after.round}
        if after.seq == before.seq:
            found.append(("FEED02", number))
            unsure.add(number)
    return unsure - {None}, found


def audit(every: Events, left_out: Collection[tuple[str, int | None]] = ()) -> list[tuple]:
    """Every wrong of a feed as (code, table, round, seat, wager, amount), but for the rounds left out."""
    findings = []
    for table, told in by_table(every).items():
        unsure, broken = unsure_rounds(told)
        findings += [(code, table, number, None, None, 0) for code, number in broken]
        for felt in felts(told, unsure):
            if felt.number not in unsure and (table, felt.number) not in left_out:
                findings += [(code, table, felt.number, *rest) for code, *rest in audited(felt)]
    return findings


@cache
def rounds_of(*arguments: float) -> list[Felt]:
    every = []
    for told in by_table(events(*arguments)).values():
        unsure, _ = unsure_rounds(told)
        for felt in felts(told, unsure):
            if felt.number not in unsure:
                _wagers(felt)
                _cards(felt)
                every.append(felt)
    return every


# Honest


@pytest.mark.parametrize("arguments", [HONEST, LONG])
def test_an_honest_floor_does_no_wrong(arguments):
    assert floor(*arguments)[1] == []
    assert audit(events(*arguments)) == []


# With wrongs


@pytest.mark.parametrize("arguments", [FAULTY, FEW_FAULTS])
def test_the_labels_are_what_an_audit_by_hand_finds_no_more_and_no_less(arguments):
    labels = floor(*arguments)[1]
    elsewhere = {(label.table, label.round) for label in labels if label.code not in {*JUDGED, "DEAL08"}}
    told = Counter(msgspec.structs.astuple(label) for label in labels if (label.table, label.round) not in elsewhere)
    found = Counter(finding for finding in audit(events(*arguments), elsewhere) if finding[1:3] not in elsewhere)
    assert {"missed": told - found, "invented": found - told} == {"missed": Counter(), "invented": Counter()}


def test_about_the_share_asked_for_has_one_wrong_and_no_round_two():
    labels = floor(*FAULTY)[1]
    assert len(labels) == pytest.approx(FAULTY[0] * FAULTY[1] * FAULTY[3], rel=0.1)
    rounds = Counter((label.table, label.round) for label in labels if label.round is not None)
    assert set(rounds.values()) == {1}


def test_every_code_is_planted_again_and_again():
    planted = Counter(label.code for label in (*floor(*FAULTY)[1], *floor(*FEW_FAULTS)[1]))
    assert set(planted) == set(codes(GAMES[GAME]))
    assert set(planted) >= {f"PAY0{number}" for number in range(1, 10)} | {"DEAL08", "DECK01", "DECK02"}
    assert not {"DEAL01", "DEAL05", "DECK03", "DECK04"} & set(planted)
    assert min(planted.values()) >= 10


def test_a_code_is_planted_in_many_ways():
    wagers, signs, seats = defaultdict(set), defaultdict(set), defaultdict(set)
    for label in floor(*FAULTY)[1] + floor(*FEW_FAULTS)[1]:
        wagers[label.code].add(label.wager)
        signs[label.code].add((label.amount > 0) - (label.amount < 0))
        seats[label.code].add(label.seat is None)
    stakes = {"main", "double", "insurance", "match_the_dealer"}
    assert wagers["PAY03"] == stakes
    assert wagers["PAY07"] >= stakes - {"insurance"}
    assert wagers["PAY01"] | wagers["PAY02"] | wagers["PAY04"] >= stakes - {
        "insurance"
    }  # few rounds insure against a blackjack
    assert wagers["PAY05"] >= {"main", "double"}
    assert wagers["PAY06"] == {"super_bonus", "envy"}
    assert wagers["PAY08"] >= stakes | {"super_bonus", "envy"}
    assert wagers["PAY09"] >= stakes - {"insurance"}
    assert wagers["BET01"] == wagers["BET02"] == {"main", "match_the_dealer"}
    assert wagers["BET03"] == {"double", "insurance"}
    assert wagers["BET04"] == {"double", "insurance", "match_the_dealer"}
    assert signs["PAY03"] == signs["PAY05"] == signs["PAY08"] == {1, -1}
    assert signs["PAY09"] == {1, 0, -1}
    assert signs["VOID01"] >= {1, -1}
    for code in ("DEAL02", "DECK01", "DECK02", "FEED06"):
        assert seats[code] == {True, False}
    for code in ("DEAL03", "DEAL08", "VOID01", "FEED01", "FEED02"):
        assert seats[code] == {True}


def test_wrongs_are_done_to_split_hands_and_to_bettors_who_do_not_sit_there():
    """The label names seat and wager; the wager itself may lie on any hand of the box, and be anybody's."""
    hands, strangers = set(), Counter()
    wrong = {(label.table, label.round): label for label in floor(*FAULTY)[1] if label.code.startswith("PAY")}
    for table, told in by_table(events(*FAULTY)).items():
        for felt in felts(told, set()):
            label = wrong.get((table, felt.number))
            if label is None or felt.told("round_voided"):
                continue
            _wagers(felt)
            _cards(felt)
            owed, moved = felt.owed(), _moved(felt)
            for spot in {*owed, *moved}:
                if sum(map(net, moved[spot])) != owed.get(spot, 0):
                    hands.add(spot[1])
                    strangers[spot[3] == felt.seated.get(spot[0])] += 1
    assert len(hands) >= 3
    assert min(strangers.values()) >= 10


def test_a_ten_a_joker_and_a_card_too_many_are_dealt_and_a_stranger_has_no_wager_of_his_own():
    dealt = Counter(event.card[0] for event in events(*FAULTY) if is_played(event))
    assert dealt["T"] >= 5
    assert dealt["X"] >= 5
    assert any(label.code == "DECK01" and label.seat for label in floor(*FAULTY)[1])


def test_the_dealer_errs_both_ways_and_draws_for_nobody():
    erred = Counter()
    wrong = {(label.table, label.round) for label in floor(*FAULTY)[1] if label.code == "DEAL08"}
    for table, told in by_table(events(*FAULTY)).items():
        for felt in felts(told, set()):
            if (table, felt.number) in wrong:
                _cards(felt)
                his = dealer(felt.dealt, felt.option("dealer_hits_soft_17") == "true")
                erred[his.drew_on, his.short] += 1
    assert set(erred) == {(True, False), (False, True), (False, False)}


# The wire


def test_the_same_seed_gives_the_same_bytes():
    assert list(simulate(3, 60, 9, 0.3, game=GAME)) == list(simulate(3, 60, 9, 0.3, game=GAME))
    assert floor(2, 20, 1)[0] != floor(2, 20, 2)[0]


def test_a_table_deals_the_same_whatever_stands_beside_it():
    beside = [line for line in floor(*FAULTY)[0] if b'"T001"' in line]
    assert floor(1, *FAULTY[1:])[0] == beside
    assert floor(1, *FAULTY[1:])[1] == [label for label in floor(*FAULTY)[1] if label.table == "T001"]


def test_the_mixed_floor_deals_it_too():
    lines = [line for shift in simulate(len(GAMES), 5, 3) for line in shift.lines]
    opened = [DECODER.decode(line) for line in lines if b'"table_opened"' in line]
    assert {event.game for event in opened} == set(GAMES)
    assert GAME in GAMES


def test_every_line_is_an_event_in_its_canonical_bytes():
    for arguments in (HONEST, FAULTY):
        for line, event in zip(floor(*arguments)[0], events(*arguments), strict=True):
            assert ENCODER.encode(event) == line


@pytest.mark.parametrize("arguments", [HONEST, LONG])
def test_seqs_have_no_gap_and_time_never_runs_backwards(arguments):
    every = events(*arguments)
    assert all(earlier.at <= later.at for earlier, later in pairwise(every))
    for told in by_table(every).values():
        assert [event.seq for event in told] == list(range(1, len(told) + 1))
        numbers = [number for number, _ in groupby(event.round for event in told if event.round)]
        assert numbers == list(range(1, arguments[1] + 1))


# The shoe


def shoes(told: Events) -> Iterator[tuple[AnyEvent, Events]]:
    """The opening and the events from one shuffle to the next."""
    opening, opened, since = None, None, []
    for event in told:
        if kind(event) == "table_opened":
            opened = event
        if kind(event) == "deck_shuffled":
            if since:
                yield opening, since
            opening, since = opened, []
        if since or kind(event) == "deck_shuffled":
            since.append(event)
    yield opening, since


def out(event: AnyEvent) -> bool:
    return kind(event) in ("card_dealt", "card_found_face_up")


@pytest.mark.parametrize("arguments", [HONEST, LONG])
def test_no_card_comes_out_more_often_than_the_packs_hold_it(arguments):
    for told in by_table(events(*arguments)).values():
        packs, seen = 0, Counter()
        for event in told:
            if kind(event) == "deck_received":
                assert event.packs in (6, 8)
                packs = event.packs
            elif kind(event) == "deck_shuffled":
                seen.clear()
            elif out(event) and event.card != "??" and event.card[0] != "T":
                seen[event.card] += 1
                assert seen[event.card] <= packs
                assert event.card in PACK


@pytest.mark.parametrize("arguments", [HONEST, LONG])
def test_a_shoe_lasts_until_about_a_quarter_is_left(arguments):
    left = Counter()
    for told in by_table(events(*arguments)).values():
        shuffles = list(shoes(told))
        for opening, since in shuffles[:-1]:
            size = opening.decks * 48
            gone = sum(out(event) and event.card[0] != "T" for event in since)
            assert gone <= size
            ended_early = {"round_voided", "table_closed"} & {kind(event) for event in since}
            if not ended_early and since[0].round is None:
                left[round(10 * (size - gone) / size)] += 1
    assert sum(left[tenth] for tenth in (1, 2, 3)) > 0.85 * left.total()
    assert left[0] > 0  # the cut card was put too deep
    assert max(left) <= 3


def test_all_cards_of_a_shoe_that_ran_out_were_dealt_and_the_round_goes_on_with_the_rack():
    ran_out = 0
    for told in (*by_table(events(*HONEST)).values(), *by_table(events(*LONG)).values()):
        for (opening, since), (_, after) in pairwise(shoes(told)):
            if after[0].round is None:
                continue
            ran_out += 1
            felt = [event for event in since if event.round == after[0].round and out(event)]
            gone = [event for event in since if out(event) and not event.card.startswith("T")]
            assert since[0].round is not None or len(gone) == opening.decks * 48
            assert kind(after[1]) == "deck_cut"
            burned = kind(after[2]) == "card_dealt" and after[2].to == "burn"
            assert burned == (str(opening.options.get("burn", 1)) == "1")
            assert sum(map(out, after)) <= opening.decks * 48 - len(felt)
    assert ran_out >= 2


@pytest.mark.parametrize("arguments", [HONEST, LONG])
def test_the_first_card_after_a_shuffle_is_burned_where_the_house_burns(arguments):
    before_the_call = Counter()
    for told in by_table(events(*arguments)).values():
        for opening, since in shoes(told):
            first = [event for event in since if kind(event) in ("card_dealt", "no_more_bets", "card_found_face_up")]
            cards = [event for event in first if kind(event) != "no_more_bets"]
            if not cards:
                continue
            burns = [
                event for event in cards if kind(event) == "card_dealt" and event.to == "burn" and event.face == "down"
            ]
            assert len(burns) == int(opening.options.get("burn", 1))
            if burns:
                assert burns[0] is cards[0]
                before_the_call[first[0] is burns[0]] += since[0].round is None
                assert kind(since[1]) == "deck_cut"
                assert since[1].cards >= 10
    assert set(before_the_call) == {True, False}


def test_a_void_round_is_followed_by_a_shuffle():
    voids = 0
    for told in (*by_table(events(*HONEST)).values(), *by_table(events(*LONG)).values()):
        for at, event in enumerate(told):
            if kind(event) == "round_voided":
                after = next(
                    kind(later)
                    for later in told[at:]
                    if kind(later) in ("deck_shuffled", "round_started", "table_closed")
                )
                assert after != "round_started"
                voids += 1
    assert voids >= 10


# What an honest floor has seen


def test_every_term_option_and_way_of_writing_it():
    openings = [event for event in (*events(*HONEST), *events(*LONG)) if kind(event) == "table_opened"]
    assert {event.edition for event in openings} == {"19:47-19"}
    assert {(event.decks, event.pay_tables.get("match_the_dealer")) for event in openings} == {
        (6, None), (6, "6"), (8, None), (8, "8")
    }  # fmt: skip
    assert {(event.dealing, event.shuffler) for event in openings} == {
        (dealing, shuffler) for dealing in ("manual_shoe", "automated_shoe") for shuffler in ("none", "automated")
    }
    assert {event.seats for event in openings} <= {5, 6}
    said = {name: {event.options.get(name) for event in openings} for name in OPTIONS}
    assert said["dealer_hits_soft_17"] == {None, "true", "false"} | {True, False}
    assert said["card_reader"] == {None, "true", "false"} | {True, False}
    assert said["burn"] >= {None, 0, 1}
    assert said["boxes_per_player"] >= {None, 1, 2, 3, 6}


def test_every_choice_number_of_hands_of_bettors_and_of_cards():
    every = [*rounds_of(*HONEST), *rounds_of(*LONG)]
    choices = Counter(event.choice for felt in every for event in felt.told("decision_made"))
    assert set(choices) == {"hit", "stand", "double", "split", "surrender", "rescue", "dead", "ride"}
    hands, bettors, sizes, boxes = Counter(), Counter(), Counter(), Counter()
    for felt in every:
        hands.update(Counter(seat for seat, _ in felt.hands).values())
        people = {(seat, bettor) for seat, _, wager, bettor in felt.stakes if wager == "main"}
        bettors.update(Counter(seat for seat, _ in people).values())
        boxes.update(Counter(bettor for _, bettor in people).values())
        sizes.update(map(len, felt.hands.values()))
    assert set(hands) == {1, 2, 3, 4}
    assert set(bettors) == {1, 2, 3}
    assert set(sizes) >= set(range(2, 8))
    assert set(boxes) >= {1, 2, 3}


def test_bettors_double_alone_or_together_for_less_and_rescue_each_for_himself():
    joined, less, rescues, after_split, cards = Counter(), Counter(), Counter(), Counter(), Counter()
    for felt in (*rounds_of(*HONEST), *rounds_of(*LONG)):
        doubled = defaultdict(set)
        for (seat, hand, wager, bettor), stake in felt.stakes.items():
            if wager == "double":
                doubled[seat, hand].add(bettor)
                less[stake < felt.stakes[seat, hand, "main", bettor]] += 1
        for place, who in doubled.items():
            mains = {bettor for *spot, wager, bettor in felt.stakes if tuple(spot) == place and wager == "main"}
            joined[who == mains] += len(mains) > 1
            after_split[place in felt.split] += 1
            cards[len(felt.hands[place])] += 1
            rescued = {bettor for *spot, bettor in felt.rescued if tuple(spot) == place}
            rescues[len(rescued), rescued == who] += 1
    assert min(joined[True], joined[False], less[True], less[False], after_split[True]) > 10
    assert set(cards) >= {3, 4, 5}
    assert {count for count, _ in rescues} >= {0, 1, 2}
    assert rescues[1, False] > 0


def test_who_does_not_cover_a_split_hand_rides_and_may_name_the_hand():
    rides = Counter()
    for felt in (*rounds_of(*HONEST), *rounds_of(*LONG)):
        for event in felt.told("decision_made"):
            if event.choice == "ride":
                bettor = felt.bettor(event)
                rides[event.hand != 1] += 1
                settled = [
                    each for each in felt.told("wager_settled") if each.seat == event.seat and each.wager == "main"
                ]
                assert felt.original[event.seat, bettor] in {
                    each.hand for each in settled if felt.bettor(each) == bettor
                }
        mains = {spot for spot in felt.stakes if spot[2] == "main"}
        for seat in {seat for seat, _ in felt.split}:
            hands = {hand for at, hand in felt.hands if at == seat}
            for bettor in {spot[3] for spot in mains if spot[0] == seat}:
                rides["covers all"] += all((seat, hand, "main", bettor) in mains for hand in hands)
                rides["not all"] += not all((seat, hand, "main", bettor) in mains for hand in hands)
    assert min(rides[True], rides[False], rides["covers all"], rides["not all"]) > 5


def test_every_bonus_hand_match_and_way_to_win_or_lose():
    paid = Counter()
    for felt in (*rounds_of(*HONEST), *rounds_of(*LONG), *rounds_of(*FEW_FAULTS), *rounds_of(*FAULTY)):
        for cards in felt.hands.values():
            if total([card for card in cards if card not in ("??", "XX")]) == 21 and not {"??", "XX"} & set(cards):
                paid[
                    bonus_21(cards), len(cards) if len(cards) >= 5 else "".join(sorted(card[0] for card in cards))
                ] += 1
        for event in felt.told("wager_settled"):
            paid[event.wager, event.result] += 1
            if event.wager == "match_the_dealer" and event.result == "paid":
                stake = felt.stakes.get(felt.spot(event))
                paid["match", felt.opening.decks, event.amount / stake if stake else 0] += 1
    for shape in ("678", "777"):
        for odds in ((3, 2), (2, 1), (3, 1)):
            assert paid[odds, shape]
    assert paid[(3, 2), 5]
    assert paid[(2, 1), 6]
    assert paid[(3, 1), 7]
    assert paid["super_bonus", "paid"]
    assert paid["envy", "paid"]
    assert all(paid["match", 6, odds] for odds in (4, 8, 9, 13, 18))
    assert all(paid["match", 8, odds] for odds in (3, 6, 12, 15, 24))
    for wager in ("main", "double", "insurance", "match_the_dealer"):
        assert all(paid[wager, result] for result in ("paid", "taken"))


def test_a_super_bonus_is_envied_once_by_every_other_bettor_and_by_nobody_on_the_box():
    won = 0
    for felt in (*rounds_of(*HONEST), *rounds_of(*LONG)):
        settled = felt.told("wager_settled")
        boxes = {event.seat for event in settled if event.wager == "super_bonus"}
        envious = Counter(felt.bettor(event) for event in settled if event.wager == "envy")
        if boxes and not felt.told("settlement_corrected"):
            won += 1
            people = {(seat, bettor) for seat, _, wager, bettor in felt.stakes if wager == "main"}
            on_the_box = {bettor for seat, bettor in people if seat in boxes}
            assert envious == Counter({bettor for _, bettor in people} - on_the_box)
    assert won >= 2


def test_a_dealers_blackjack_ends_the_round_at_once_with_a_reader_and_takes_original_wagers_only_without():
    found = Counter()
    for felt in (*rounds_of(*HONEST), *rounds_of(*LONG)):
        if felt.told("round_voided") or "??" in felt.dealt or total(felt.dealt[:2]) != 21:
            continue
        reader = felt.option("card_reader") == "true"
        choices = {event.choice for event in felt.told("decision_made")} - {"dead"}
        assert not (reader and choices)
        added = [spot for spot in felt.stakes if spot[2] == "double" or (spot[2] == "main" and spot[1] > 1)]
        found[reader, felt.dealt[0][0] == "A", bool(added)] += 1
        assert len(felt.dealt) == 2
    assert found[True, True, False]
    assert found[True, False, False]
    assert found[False, True, True] + found[False, False, True] > 3


def test_insurance_is_each_bettors_own_choice_under_an_ace_before_anybody_decides():
    insured = Counter()
    for felt in (*rounds_of(*HONEST), *rounds_of(*LONG)):
        facts = [event for event in felt.events if kind(event) in ("decision_made", "wager_placed")]
        placed = [event for event in facts if kind(event) == "wager_placed" and event.wager == "insurance"]
        if not placed:
            continue
        assert felt.dealt[0][0] == "A"
        decided = [at for at, event in enumerate(facts) if kind(event) == "decision_made" and event.choice != "dead"]
        assert all(facts.index(event) < min([*decided, len(facts)]) for event in placed)
        for event in placed:
            seat, _, _, bettor = felt.spot(event)
            stake, main = felt.stakes[felt.spot(event)], felt.stakes[seat, felt.original[seat, bettor], "main", bettor]
            assert 0 < 2 * stake <= main
            insured[stake == main // 2, bettor == felt.seated.get(seat)] += 1
    assert len(insured) == 4


def test_decisions_are_open_to_the_hand_and_come_in_turn():
    for felt in (*rounds_of(*HONEST), *rounds_of(*LONG)):
        hands: dict[tuple[int, int], list[str]] = {}
        seats, split = [], set()
        for event in felt.events:
            if kind(event) == "card_dealt" and event.to == "player":
                hands.setdefault((event.seat, event.hand), []).append(event.card)
            if kind(event) != "decision_made" or event.choice in ("dead", "ride"):
                continue
            cards = hands[event.seat, event.hand]
            if not seats or seats[-1] != event.seat:
                seats.append(event.seat)
            assert "??" in cards or total(cards) <= (21 if event.choice == "stand" else 20)
            if event.choice == "split":
                first, second = cards
                assert "??" in cards or value(first) == value(second)
                hands[event.seat, len([1 for seat, _ in hands if seat == event.seat]) + 1] = [cards.pop()]
                split.add(event.seat)
            if event.choice == "surrender":
                assert len(cards) == 2
                assert event.seat not in split
        assert seats == sorted(seats)


@pytest.mark.parametrize("arguments", [HONEST, LONG])
def test_wagers_keep_to_the_limits_and_boxes_to_their_people(arguments):
    for felt in rounds_of(*arguments):
        people = defaultdict(set)
        for (seat, hand, wager, bettor), stake in felt.stakes.items():
            assert bettor is not None
            if wager == "main" and hand == felt.original[seat, bettor]:
                assert felt.opening.min_wager <= stake <= felt.opening.max_wager
                people[seat].add(bettor)
            elif wager == "main":
                original = felt.stakes.get((seat, felt.original[seat, bettor], "main", bettor))
                assert stake == original
        for seat, bettors in people.items():
            assert len(bettors) <= 3
            assert seat not in felt.seated or felt.seated[seat] in bettors
        boxes = Counter(bettor for bettors in people.values() for bettor in bettors)
        assert max(boxes.values()) <= int(felt.option("boxes_per_player"))


def test_the_dealer_draws_nothing_where_nobody_waits_for_it():
    idle = Counter()
    for felt in (*rounds_of(*HONEST), *rounds_of(*LONG)):
        cards = [card for hand in (felt.dealt, *felt.hands.values()) for card in hand]
        if felt.told("round_voided") or "??" in cards:
            continue
        his = dealer(felt.dealt, felt.option("dealer_hits_soft_17") == "true")
        waits = not all(felt.is_decided(*spot[:2], spot[3]) for spot in felt.stakes if spot[2] == "main")
        assert waits or not his.drew
        assert len(felt.told("dealer_revealed")) == 1
        idle[waits, his.total < 17] += 1
    assert idle[False, True] > 10
    assert not idle[True, True]


def test_everything_that_goes_wrong_at_an_honest_table_is_handled_as_the_law_says():
    seen = Counter()
    for felt in (*rounds_of(*HONEST), *rounds_of(*LONG)):
        turned = [event.card for event in felt.told("card_found_face_up")]
        tens = [card for card in turned if card[0] == "T"]
        void = bool(felt.told("round_voided"))
        assert void == (max(len(tens), len(turned) - len(tens)) > 1)
        seen[f"{len(turned)} turned, {len(tens)} tens"] += 1
        if void:
            continue
        seats = sorted({seat for seat, _, wager, _ in felt.stakes if wager == "main"})
        late = felt.order != [*seats, 0, *seats, 0]
        seen["the dealer's own late"] += felt.order == [*seats, *seats, 0, 0]
        for place in felt.dead:
            seen[f"dead with {min(2, len(felt.hands.get(place, [])))} cards"] += 1
            back = [event for event in felt.told("wager_settled") if (event.seat, event.hand) == place]
            mains = [event for event in back if event.wager == "main"]
            assert felt.told("settlement_corrected") or {event.result for event in mains} == {"returned"}
        seen["second card last"] += late and not felt.dead and len(felt.order) == 2 * len(seats) + 2 > 4
        burned = [event for event in felt.told("card_dealt") if event.to == "burn" and event.face == "up"]
        exposed = felt.told("card_exposed")
        seen["burned though the dealer stood"] += bool(burned) and not exposed
        seen["exposed and burned"] += bool(burned) and bool(exposed)
        seen["exposed and used"] += bool(exposed) and not burned
        for event, after in pairwise(event for event in felt.events if kind(event) in ("decision_made", "card_dealt")):
            seen["hit passed over"] += kind(event) == "decision_made" == kind(after) and event.choice == "hit"
        seen["unread and nobody cares"] += any("??" in hand for hand in (felt.dealt, *felt.hands.values()))
        seen["corrected"] += bool(felt.told("settlement_corrected"))
    for event in (*events(*HONEST), *events(*LONG)):
        seen["jam"] += kind(event) == "device_failed" and event.round is None
    expected = (
        "1 turned, 0 tens", "2 turned, 0 tens", "1 turned, 1 tens", "2 turned, 2 tens", "the dealer's own late",
        "dead with 0 cards", "dead with 1 cards", "dead with 2 cards", "second card last", "burned though the dealer stood",
        "exposed and burned", "exposed and used", "hit passed over", "unread and nobody cares", "corrected", "jam",
    )  # fmt: skip
    assert {name: seen[name] for name in expected if not seen[name]} == {}


def test_wagers_are_settled_at_once_or_at_the_end():
    when = Counter()
    for felt in (*rounds_of(*HONEST), *rounds_of(*LONG)):
        shown = False
        for event in felt.events:
            shown = shown or kind(event) == "dealer_revealed"
            if kind(event) == "wager_settled":
                when[event.wager, shown] += 1
    for wager in ("main", "double", "insurance", "match_the_dealer"):
        assert when[wager, True] > 5
        assert when[wager, False] > 5


def test_names_are_given_or_not_and_chips_put_down_in_more_moves_than_one():
    every = [*rounds_of(*HONEST), *rounds_of(*LONG)]
    named = Counter(
        (kind(event), event.player is None)
        for felt in every
        for event in felt.told("wager_placed", "wager_settled", "decision_made")
    )
    assert len(named) == 6
    again = Counter()
    for felt in every:
        placed = Counter(felt.spot(event) for event in felt.told("wager_placed"))
        again.update(spot[2] for spot, count in placed.items() if count > 1)
        again["changed"] += bool(felt.told("wager_changed"))
        again["not seated anywhere"] += any(bettor not in felt.seated.values() for *_, bettor in felt.stakes)
        again["seated elsewhere"] += any(
            felt.seated.get(seat) != bettor and bettor in felt.seated.values() for seat, *_, bettor in felt.stakes
        )
        again["nobody sits there"] += any(seat not in felt.seated for seat, *_ in felt.stakes)
        again["odd cents"] += any(stake % 2 for stake in felt.stakes.values())
    for name in ("main", "match_the_dealer", "double", "insurance", "changed", "not seated anywhere", "seated elsewhere",
                 "nobody sits there", "odd cents"):  # fmt: skip
        assert again[name] > 5, name
