"""The simulated floor, audited by hand: a second reading of the law in plain Python that shares no line with `rules`."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from itertools import chain, combinations, groupby, pairwise

import msgspec
import pytest

from ingest.events import AnyEvent
from ingest.floor import CODES, Label, simulate
from rules.cards import DECK

Events = list[AnyEvent]
DECODER = msgspec.json.Decoder(AnyEvent)
ENCODER = msgspec.json.Encoder(order="sorted")


@cache
def floor(tables: int, rounds: int, seed: int, faults: float = 0.0) -> tuple[list[bytes], list[Label]]:
    shifts = list(simulate(tables, rounds, seed, faults))
    return [line for shift in shifts for line in shift.lines], [label for shift in shifts for label in shift.labels]


@cache
def events(tables: int, rounds: int, seed: int, faults: float = 0.0) -> Events:
    return [DECODER.decode(line) for line in floor(tables, rounds, seed, faults)[0]]


def by_table(every: Events) -> dict[str, Events]:
    tables: dict[str, Events] = defaultdict(list)
    for event in every:
        tables[event.table].append(event)
    return tables


def kind(event: AnyEvent) -> str:
    return str(event.__struct_config__.tag)


HONEST = (42, 60, 7)
LONG = (3, 900, 11)
FAULTY = (30, 90, 5, 0.5)
FEW_FAULTS = (16, 90, 8, 0.1)
CROWDED = (40, 60, 3, 0.3)


# The law once more, by hand

PAIR_PLUS = {"1": (0, 1, 4, 6, 30, 40), "2": (0, 1, 4, 6, 33, 35)}
ANTE_BONUS = {"1": (0, 0, 0, 1, 4, 5), "2": (0, 0, 0, 1, 5, 6)}
SIX_CARD = {  # trips, straight, flush, full house, quads, straight flush, royal
    "A": (5, 10, 20, 25, 50, 200, 1_000),
    "B": (5, 10, 15, 25, 50, 200, 1_000),
    "C": (8, 9, 15, 20, 100, 200, 1_000),
    "D": (7, 10, 15, 20, 100, 200, 1_000),
    "E": (5, 10, 15, 20, 50, 200, 1_000),
    "F": (5, 10, 15, 20, 50, 200, 1_000),
}


def ranks(hand: list[str]) -> list[int]:
    return sorted(("23456789TJQKA".index(card[0]) + 2 for card in hand), reverse=True)


@cache
def three(hand: tuple[str, ...]) -> tuple[int, ...]:
    """Category first (0 high card, 1 pair, 2 flush, 3 straight, 4 trips, 5 straight flush), then the cards that count."""
    values = ranks(list(hand))
    often = Counter(values).most_common()
    if len(often) == 1:
        return (4, *values)
    if len(often) == 2:
        return (1, often[0][0], often[1][0])
    suited = len({card[1] for card in hand}) == 1
    if values == [14, 3, 2]:
        values = [3, 2, 1]
    if values[0] - values[2] == 2:
        return (5 if suited else 3, *values)
    return (2 if suited else 0, *values)


def five(hand: tuple[str, ...]) -> int:
    """-1 below trips, else the place in a column of SIX_CARD."""
    values = ranks(list(hand))
    shape = sorted(Counter(values).values(), reverse=True)
    run = len(set(values)) == 5 and (values[0] - values[4] == 4 or values == [14, 5, 4, 3, 2])
    suited = len({card[1] for card in hand}) == 1 and len(set(values)) == 5
    if run and suited:
        return 6 if values[:2] == [14, 13] else 5
    if shape[0] == 4:
        return 4
    if shape == [3, 2]:
        return 3
    if suited:
        return 2
    if run:
        return 1
    return 0 if shape[0] >= 3 else -1


def six_card(hand: list[str], column: str, stake: int) -> int:
    best = max(five(each) for each in combinations(hand, 5))
    if best < 0:
        return -stake
    if best == 6 and column in "EF" and ranks(hand) == [14, 13, 12, 11, 10, 9] and len({card[1] for card in hand}) == 1:
        return 100_000_000 if column == "F" and hand[0][1] == "D" else 10_000_000
    return stake * SIX_CARD[column][best]


@dataclass
class Felt:
    """One round as the events show it."""

    number: int
    opening: AnyEvent
    events: Events
    stakes: dict[tuple[int, str], int] = field(default_factory=dict)
    plays: set[int] = field(default_factory=set)
    hands: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))
    findings: list[tuple[str, int | None, str | None, int]] = field(default_factory=list)

    def told(self, *kinds: str) -> Events:
        return [event for event in self.events if kind(event) in kinds]

    def column(self, wager: str) -> str:
        return str(self.opening.pay_tables.get(wager, "1"))

    @property
    def version(self) -> str:
        return str(self.opening.options.get("six_card_bonus_version", "i"))

    def owed(self, hands: dict[int, list[str]]) -> dict[tuple[int, str], int]:
        dealer = hands[0]
        owed = {}
        for (seat, wager), stake in self.stakes.items():
            mine, his = three(tuple(hands[seat])), three(tuple(dealer))
            better = (mine > his) - (mine < his)
            opens = his >= (0, 12)
            folded = (seat, "ante") in self.stakes and seat not in self.plays
            if wager == "ante":
                owed[seat, wager] = -stake if folded else stake if not opens else better * stake
                if not folded and mine[0] >= 3:
                    owed[seat, "ante_bonus"] = ANTE_BONUS[self.column("ante_bonus")][mine[0]] * stake
            elif wager == "play":
                owed[seat, wager] = better * stake if opens else 0
            elif wager == "pair_plus":
                pays = PAIR_PLUS[self.column(wager)][mine[0]]
                owed[seat, wager] = -stake if folded or not pays else pays * stake
            else:
                owed[seat, wager] = six_card([*hands[seat], *dealer], self.column(wager), stake)
        return owed


def audited(felt: Felt) -> Felt:
    void = bool(felt.told("round_voided"))
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


def _wagers(felt: Felt) -> None:
    stakes, closed = felt.stakes, False
    has_call = bool(felt.told("no_more_bets"))
    for event in felt.events:
        name = kind(event)
        if name == "no_more_bets":
            closed = True
        if name == "decision_made" and event.choice == "play":
            felt.plays.add(event.seat)
        if name not in ("wager_placed", "wager_changed"):
            continue
        spot = (event.seat, event.wager)
        before = stakes.get(spot, 0)
        now = before + event.amount if name == "wager_placed" else event.amount
        if closed and has_call and event.wager != "play":
            felt.findings.append(("BET01" if now > before else "BET02", *spot, abs(now - before)))
            now = max(now, before)
        stakes[spot] = now
    felt.stakes = stakes = {spot: stake for spot, stake in stakes.items() if stake}
    for (seat, wager), stake in stakes.items():
        if wager == "play" and (seat, "ante") not in stakes:
            felt.findings.append(("BET04", seat, wager, stake))
        elif wager == "play" and stake != stakes[seat, "ante"]:
            felt.findings.append(("BET03", seat, wager, stake))
        elif wager == "six_card_bonus":
            needs = {"pair_plus", "ante"} if felt.version == "ii" else {"pair_plus"}
            if any((seat, need) not in stakes for need in needs):
                felt.findings.append(("BET04", seat, wager, stake))


def _deal(felt: Felt, void: bool) -> tuple[str, int | None] | None:
    """The deal's own findings; answers with a void that was due and did not come, and the seat."""
    dealt = felt.told("card_dealt")
    turns = [event.seat or 0 for event in dealt]
    for event in dealt:
        felt.hands[event.seat or 0].append(event.card)
    seats = sorted({seat for seat, wager in felt.stakes if wager in ("ante", "pair_plus")})
    called_first = felt.told("no_more_bets", "card_dealt")
    if [kind(event) for event in called_first].count("no_more_bets") != 1 or called_first[0] in dealt:
        felt.findings.append(("DEAL03", None, None, 0))
    for at, event in enumerate(dealt):
        if event.card == "XX":
            felt.findings.append(("DECK02", event.seat, None, 0))
        elif event.card != "??" and event.card in [earlier.card for earlier in dealt[:at]]:
            felt.findings.append(("DECK01", event.seat, None, 0))
    gone = len(dealt) + len(felt.told("card_found_face_up"))
    for count in felt.told("stub_counted"):
        if count.cards + gone != 52 and not void:
            felt.findings.append(("DECK03", None, None, 0))
    if void:
        return None
    if len(felt.told("card_found_face_up")) > 1 or felt.told("device_failed"):
        return "VOID01", None
    wrong = [place for place in (*seats, 0) if turns.count(place) != 3]
    if wrong:
        return "DEAL01", wrong[0] or None
    packets = felt.opening.dealing == "automated_shoe"
    due = [place for place in (*seats, 0) for _ in range(3)] if packets else [*seats, 0] * 3
    if turns != due:
        first = next(at for at, place in enumerate(turns) if place != due[at])
        felt.findings.append(("DEAL02", turns[first] or None, None, 0))
    return None


def net(event: AnyEvent) -> int:
    if kind(event) == "settlement_corrected":
        return event.amount
    return {"paid": 1, "taken": -1, "returned": 0}[event.result] * event.amount


def _moved(felt: Felt) -> dict[tuple[int, str], Events]:
    moved: dict[tuple[int, str], Events] = defaultdict(list)
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
    hidden = [(place, at) for place in felt.hands for at, card in enumerate(felt.hands[place]) if card in ("??", "XX")]
    if not hidden:
        felt.findings += _mispaid(felt, felt.owed(felt.hands))
        return
    [(place, at)] = hidden
    possible = []
    for card in DECK:
        if all(card not in hand for hand in felt.hands.values()):
            hand = [*felt.hands[place][:at], card, *felt.hands[place][at + 1 :]]
            possible.append(felt.owed({**felt.hands, place: hand}))
    if felt.hands[place][at] == "??" and any(each != possible[0] for each in possible):
        felt.findings.append(("FEED06", place or None, None, 0))
    assert any(not _mispaid(felt, each) for each in possible), "settled as no card in that place would have it"


def _mispaid(felt: Felt, owed: dict[tuple[int, str], int]) -> list[tuple[str, int | None, str | None, int]]:
    found: list[tuple[str, int | None, str | None, int]] = []
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
            found.append(("PAY06", *spot, -owed[spot]) if spot[1] == "ante_bonus" else ("PAY07", *spot, 0))
        elif paid != owed[spot]:
            found.append((_mispaid_code(owed[spot], paid), *spot, paid - owed[spot]))
    return found


def _mispaid_code(owed: int, paid: int) -> str:
    if owed < 0:
        return "PAY03"
    if owed == 0:
        return "PAY05"
    if paid > owed:
        return "PAY01"
    return "PAY02" if paid > 0 else "PAY04"


def audit(every: Events) -> list[tuple[str, str, int | None, int | None, str | None, int]]:
    """Every wrong of a feed as (code, table, round, seat, wager, amount)."""
    findings = []
    for table, arrived in by_table(every).items():
        told = sorted(arrived, key=lambda event: event.seq)
        unsure: set[int | None] = set()
        for before, after in pairwise(told):
            number = before.round if after.round is None else after.round
            if after.seq > before.seq + 1:
                findings.append(("FEED01", table, number, None, None, 0))
                unsure |= {before.round, after.round}
            if after.seq == before.seq:
                findings.append(("FEED02", table, number, None, None, 0))
                unsure.add(number)
        felts, overdue = _rounds(table, told, unsure)
        findings += overdue
        for felt in felts:
            if felt.number not in unsure:
                findings += [(code, table, felt.number, *rest) for code, *rest in audited(felt).findings]
    return findings


def _rounds(table: str, told: Events, unsure: set[int | None]) -> tuple[list[Felt], list[tuple]]:
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
        if name == "round_ended" and uncounted == 5 and event.round not in unsure:
            overdue.append(("DECK04", table, event.round, None, None, 0))
    return felts, overdue


# Reproducible


def test_the_same_seed_gives_the_same_bytes():
    assert list(simulate(3, 60, 9, 0.2)) == list(simulate(3, 60, 9, 0.2))


def test_another_seed_gives_other_bytes():
    assert floor(2, 20, 1)[0] != floor(2, 20, 2)[0]


def test_a_table_deals_the_same_whatever_stands_beside_it():
    beside = [line for line in floor(*CROWDED)[0] if b'"T001"' in line]
    assert floor(1, *CROWDED[1:])[0] == beside
    assert floor(1, *CROWDED[1:])[1] == [label for label in floor(*CROWDED)[1] if label.table == "T001"]


def test_every_line_is_an_event_in_its_canonical_bytes():
    for arguments in (HONEST, FAULTY):
        for line, event in zip(floor(*arguments)[0], events(*arguments), strict=True):
            assert ENCODER.encode(event) == line


def test_an_unknown_game_is_refused():
    with pytest.raises(ValueError, match="no floor for the game 'faro'"):
        simulate(1, 1, 1, game="faro")


def test_a_floor_comes_in_blocks_and_ends_with_all_its_rounds():
    shifts = list(simulate(*CROWDED))
    assert len(shifts) > 1
    assert max(len(shift.lines) for shift in shifts) < 150_000
    last = {line.partition(b'"table":')[2][:6]: line for shift in shifts for line in shift.lines}
    assert len(last) == CROWDED[0]
    assert all(b"table_closed" in line for line in last.values())
    assert sum(len(shift.lines) for shift in shifts) == len(floor(*CROWDED)[0])


# Honest


@pytest.mark.parametrize("arguments", [HONEST, LONG])
def test_an_honest_floor_does_no_wrong(arguments):
    assert floor(*arguments)[1] == []
    assert audit(events(*arguments)) == []


@pytest.mark.parametrize("arguments", [HONEST, LONG])
def test_seqs_have_no_gap_and_time_never_runs_backwards(arguments):
    every = events(*arguments)
    assert all(earlier.at <= later.at for earlier, later in pairwise(every))
    for told in by_table(every).values():
        assert [event.seq for event in told] == list(range(1, len(told) + 1))


def test_tables_are_interleaved_as_on_a_real_floor():
    assert len({event.table for event in events(*HONEST)[10_000:11_000]}) > 20


def test_rounds_follow_each_other_and_carry_their_number():
    for told in by_table(events(*LONG)).values():
        numbers = [number for number, _ in groupby(event.round for event in told if event.round)]
        assert numbers == list(range(1, 901))
        for event in told:
            if kind(event) in ("deck_received", "deck_removed", "player_seated", "player_left", "dealer_assigned"):
                assert event.round is None


def test_a_round_takes_about_a_minute():
    for told in by_table(events(*HONEST)).values():
        starts = [event.at for event in told if kind(event) == "round_started"]
        lengths = sorted(later - earlier for earlier, later in pairwise(starts))
        assert timedelta(seconds=42) < lengths[len(lengths) // 2] < timedelta(seconds=65)


def test_only_seated_people_bet_and_a_named_player_is_the_one_who_sits_there():
    for told in by_table(events(*HONEST)).values():
        seated: dict[int, str] = {}
        for event in told:
            if kind(event) == "player_seated":
                assert event.seat not in seated
                seated[event.seat] = event.player
            elif kind(event) == "player_left":
                del seated[event.seat]
            elif kind(event) == "table_closed":
                assert not seated
            elif kind(event) in ("wager_placed", "wager_changed", "wager_settled", "settlement_corrected"):
                assert event.player in (None, seated[event.seat])


@pytest.mark.parametrize("arguments", [HONEST, LONG])
def test_decks_are_shuffled_cut_alternated_and_changed_in_time(arguments):
    for told in by_table(events(*arguments)).values():
        decks: dict[str, AnyEvent] = {}
        ready: dict[str, bool] = {}
        opening = last = None
        for event in told:
            name = kind(event)
            if name == "table_opened":
                opening, last = event, None
                assert not decks
                assert opening.dealing != "hand" or opening.shuffler != "none"
                assert opening.decks == 1 or opening.shuffler != "none"
            elif name == "deck_received":
                assert event.back not in {deck.back for deck in decks.values()}
                decks[event.deck] = event
            elif name == "deck_removed":
                hours = 4 if opening.dealing == "hand" else 8
                assert event.at - decks.pop(event.deck).at < timedelta(hours=hours)
                if last == event.deck:
                    last = "its successor"
            elif name == "deck_shuffled":
                assert (event.counted is not None) == (opening.shuffler == "counting")
                assert event.method != "automated" or opening.shuffler != "none"
                ready[event.deck] = event.method == "automated"
            elif name == "deck_cut":
                assert event.cards >= 10
                ready[event.deck] = True
            elif name == "round_started":
                assert ready.pop(event.deck)
                assert len(decks) == opening.decks
                if opening.decks == 2:
                    assert event.deck != last
                last = event.deck


def test_losers_are_collected_before_winners_are_paid_from_the_far_right():
    for told in by_table(events(*HONEST)).values():
        for _, round in groupby((event for event in told if event.round), key=lambda event: event.round):
            felt = list(round)
            if any(kind(event) == "settlement_corrected" for event in felt):
                continue
            settled = [(event.result != "taken", -event.seat) for event in felt if kind(event) == "wager_settled"]
            assert settled == sorted(settled)


def test_an_honest_floor_has_seen_every_term_method_and_column():
    openings = [event for event in (*events(*HONEST), *events(*LONG)) if kind(event) == "table_opened"]
    assert {each.edition for each in openings} == {"1998", "2000", "6-card-bonus"}
    assert {(each.dealing, each.shuffler, each.decks) for each in openings} == {
        ("manual_shoe", "none", 1),
        ("automated_shoe", "none", 1),
        *((dealing, shuffler, decks) for dealing in ("manual_shoe", "hand", "automated_shoe")
          for shuffler in ("automated", "counting") for decks in (1, 2)),
    }  # fmt: skip
    pairs = {(each.pay_tables.get("pair_plus", "1"), each.pay_tables.get("ante_bonus", "1")) for each in openings}
    assert pairs == {("1", "1"), ("2", "1"), ("2", "2")}
    assert {each.pay_tables.get("six_card_bonus") for each in openings} == {None, *"ABCDEF"}
    assert {each.options.get("six_card_bonus_version") for each in openings} == {None, "i", "ii"}
    assert len(openings) > 50


def test_an_honest_floor_has_seen_every_kind_of_event_bet_and_decision():
    every = [*events(*HONEST), *events(*LONG)]
    kinds = Counter(kind(event) for event in every)
    absent = {"community_revealed", "card_discarded"}
    assert {str(each.__struct_config__.tag) for each in AnyEvent.__args__} - set(kinds) == absent
    counts = [event for event in every if kind(event) == "stub_counted"]
    assert {event.round is None for event in counts} == {True, False}
    assert {event.source is None for event in every} == {True, False}
    assert {event.player is None for event in every if kind(event) == "wager_placed"} == {True, False}
    assert {event.method for event in every if kind(event) == "deck_shuffled"} == {"manual", "automated", "preshuffled"}
    assert {event.counted for event in every if kind(event) == "deck_shuffled"} > {None, 52}
    assert {event.device for event in every if kind(event) == "device_failed"} == {"shoe", "shuffler"}
    assert {event.at.microsecond == 0 for event in every} == {True, False}
    assert any(event.card == "??" for event in every if kind(event) == "card_dealt")
    assert any(event.amount == 0 for event in every if kind(event) == "wager_changed")

    bets, tables, decided = Counter(), Counter(), Counter()
    for told in by_table(every).values():
        for _, round in groupby((event for event in told if event.round), key=lambda event: event.round):
            felt = list(round)
            placed = defaultdict(set)
            for event in felt:
                if kind(event) == "wager_placed" and event.wager != "play":
                    placed[event.seat].add(event.wager)
            bets.update(frozenset(wagers) for wagers in placed.values())
            tables[len({event.seat for event in felt if kind(event) == "card_dealt" and event.seat})] += 1
            hands = defaultdict(list)
            for event in felt:
                if kind(event) == "card_dealt":
                    hands[event.seat].append(event.card)
                if kind(event) == "decision_made" and len(hands[event.seat]) == 3 and "??" not in hands[event.seat]:
                    decided[event.choice, three(tuple(hands[event.seat])) >= (0, 12, 6, 4)] += 1
    assert set(tables) == set(range(1, 8))
    assert len(bets) == 5
    assert len(decided) == 4
    assert decided["play", True] > 10 * decided["fold", True]


def test_what_goes_wrong_at_an_honest_table_is_handled_as_the_law_says():
    reasons = Counter()
    racked = wrong_counts = corrections = removed = 0
    for told in chain(by_table(events(*HONEST)).values(), by_table(events(*LONG)).values()):
        told.sort(key=lambda event: event.seq)
        for felt in _rounds("", told, set())[0]:
            voided = felt.told("round_voided")
            found = len(felt.told("card_found_face_up"))
            out = len(felt.told("card_dealt")) + found
            miscounted = any(event.cards + out != 52 for event in felt.told("stub_counted"))
            assert bool(voided) == bool(
                found > 1
                or miscounted
                or felt.told("device_failed", "card_exposed")
                or (out - found) % 3
                or len({sum(1 for _ in group) for _, group in groupby(sorted(
                    event.seat or 0 for event in felt.told("card_dealt")))}) > 1
            )  # fmt: skip
            reasons.update(event.reason for event in voided)
            racked += found == 1 and not voided
            wrong_counts += miscounted
            corrections += len(felt.told("settlement_corrected"))
        removed += sum(kind(event) == "deck_removed" and "count" in event.reason for event in told)
    assert len(reasons) >= 9
    assert racked > 3
    assert 0 < wrong_counts == removed
    assert corrections > 10


# With wrongs


def test_the_labels_are_what_an_audit_by_hand_finds_no_more_and_no_less():
    for arguments in (FAULTY, FEW_FAULTS):
        labels = floor(*arguments)[1]
        told = Counter(msgspec.structs.astuple(label) for label in labels)
        found = Counter(audit(events(*arguments)))
        assert found == told


def test_about_the_share_asked_for_has_one_wrong_and_no_round_two():
    labels = floor(*FAULTY)[1]
    assert len(labels) == pytest.approx(30 * 90 * 0.5, rel=0.1)
    rounds = Counter((label.table, label.round) for label in labels if label.round is not None)
    assert set(rounds.values()) == {1}


def test_every_code_is_planted_again_and_again():
    planted = Counter(label.code for label in (*floor(*FAULTY)[1], *floor(*CROWDED)[1]))
    assert set(planted) == set(CODES)
    assert min(planted.values()) >= 10


def test_a_code_is_planted_in_many_ways():
    labels = floor(*FAULTY)[1] + floor(*CROWDED)[1]
    wagers = defaultdict(set)
    signs = defaultdict(set)
    seats = defaultdict(set)
    for label in labels:
        wagers[label.code].add(label.wager)
        signs[label.code].add((label.amount > 0) - (label.amount < 0))
        seats[label.code].add(label.seat is None)
    assert wagers["PAY01"] >= {"ante", "play", "pair_plus"}
    assert wagers["PAY01"] | wagers["PAY02"] | wagers["PAY04"] >= {"six_card_bonus", "ante_bonus"}
    assert wagers["PAY03"] == wagers["PAY07"] == {"ante", "play", "pair_plus", "six_card_bonus"}
    assert wagers["BET01"] == wagers["BET02"] == {"ante", "pair_plus", "six_card_bonus"}
    assert wagers["BET04"] == {"play", "six_card_bonus"}
    assert wagers["PAY08"] >= {"ante", "play", "pair_plus", "ante_bonus"}
    assert signs["PAY03"] == signs["PAY05"] == signs["PAY08"] == {1, -1}
    assert signs["PAY09"] == {1, 0, -1}
    assert signs["DEAL01"] >= {1, -1}
    assert signs["VOID01"] >= {1, -1}
    for code in ("DEAL01", "DEAL02", "DECK01", "DECK02", "FEED06"):
        assert seats[code] == {True, False}
    for code in ("DECK03", "DECK04", "DEAL03", "VOID01", "FEED01", "FEED02"):
        assert seats[code] == {True}


def test_a_wrong_does_not_spoil_the_rounds_after_it():
    """The deck of an ignored miscount leaves the table, and the count that was left out is made up for."""
    labels = floor(*FAULTY)[1]
    told = by_table(events(*FAULTY))
    wrong = {(label.table, label.round) for label in labels}
    for label in labels:
        after = [event for event in told[label.table] if event.round == (label.round or 0) + 1]
        if label.code == "DECK03" and after:
            deck = next(
                event.deck for event in told[label.table] if event.round == label.round and hasattr(event, "deck")
            )
            assert deck not in {event.deck for event in after if kind(event) == "round_started"}
        if label.code == "DECK04" and after and (label.table, label.round + 1) not in wrong:
            assert any(kind(event) == "stub_counted" for event in told[label.table] if event.seq in range(
                after[0].seq, after[-1].seq))  # fmt: skip
