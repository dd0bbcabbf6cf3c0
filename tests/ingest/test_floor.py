"""The simulated floor, whatever it deals: reproducible, honest where it says so, and wrong only where a label says so."""

from collections import Counter, defaultdict
from datetime import timedelta
from fractions import Fraction
from itertools import chain, groupby, pairwise

import msgspec
import pytest

from ingest.events import AnyEvent
from ingest.floor import CODES, GAMES, LATE, codes, lapses, simulate
from ingest.floor.faults import WAYS
from tests.ingest.by_hand import DECK, JUDGED, LAWS, audit, by_table, kind, rounds_of
from tests.ingest.floors import CROWDED, FAULTY, FEW_FAULTS, HONEST, LONG, events, floor

ENCODER = msgspec.json.Encoder(order="sorted")
every_game = pytest.mark.parametrize("game", LAWS)


# Reproducible


def test_the_same_seed_gives_the_same_bytes():
    assert list(simulate(6, 40, 9, 0.2)) == list(simulate(6, 40, 9, 0.2))


def test_another_seed_gives_other_bytes():
    assert floor((2, 20, 1), None)[0] != floor((2, 20, 2), None)[0]


def test_all_games_are_dealt_in_turn_unless_one_is_asked_for():
    def dealt(game: str | None) -> list[str]:
        opened = {event.table: event.game for event in events((7, 3, 1), game) if kind(event) == "table_opened"}
        return [opened[table] for table in sorted(opened)]

    assert dealt(None) == (list(GAMES) * 3)[:7]
    for game in GAMES:
        assert dealt(game) == [game] * 7


@every_game
def test_a_table_deals_the_same_whatever_stands_beside_it(game):
    beside = [line for line in floor(CROWDED, game)[0] if b'"T001"' in line]
    alone = (1, *CROWDED[1:])
    assert floor(alone, game)[0] == beside
    assert floor(alone, game)[1] == [label for label in floor(CROWDED, game)[1] if label.table == "T001"]


@every_game
def test_every_line_is_an_event_in_its_canonical_bytes(game):
    for arguments in (HONEST, FAULTY):
        for line, event in zip(floor(arguments, game)[0], events(arguments, game), strict=True):
            assert ENCODER.encode(event) == line


def test_an_unknown_game_is_refused():
    with pytest.raises(ValueError, match="no floor for the game 'faro'"):
        simulate(1, 1, 1, game="faro")


@every_game
def test_a_floor_comes_in_blocks_and_ends_with_all_its_rounds(game):
    shifts = list(simulate(*CROWDED, game=game))
    assert len(shifts) > 1
    assert max(len(shift.lines) for shift in shifts) < 180_000
    last = {line.partition(b'"table":')[2][:6]: line for shift in shifts for line in shift.lines}
    assert len(last) == CROWDED[0]
    assert all(b"table_closed" in line for line in last.values())
    assert sum(len(shift.lines) for shift in shifts) == len(floor(CROWDED, game)[0])


# Honest


@every_game
@pytest.mark.parametrize("arguments", [HONEST, LONG])
def test_an_honest_floor_does_no_wrong(arguments, game):
    assert floor(arguments, game)[1] == []
    assert audit(events(arguments, game)) == []


@every_game
@pytest.mark.parametrize("arguments", [HONEST, LONG])
def test_seqs_have_no_gap_and_time_never_runs_backwards(arguments, game):
    every = events(arguments, game)
    assert all(earlier.at <= later.at for earlier, later in pairwise(every))
    for told in by_table(every).values():
        assert [event.seq for event in told] == list(range(1, len(told) + 1))


def test_tables_are_interleaved_as_on_a_real_floor():
    assert len({event.table for event in events(HONEST, "three-card-poker")[10_000:11_000]}) > 20


@every_game
def test_rounds_follow_each_other_and_carry_their_number(game):
    for told in by_table(events(LONG, game)).values():
        numbers = [number for number, _ in groupby(event.round for event in told if event.round)]
        assert numbers == list(range(1, LONG[1] + 1))
        for event in told:
            if kind(event) in ("deck_received", "deck_removed", "player_seated", "player_left", "dealer_assigned"):
                assert event.round is None


@every_game
def test_a_round_takes_about_a_minute(game):
    for told in by_table(events(HONEST, game)).values():
        starts = [event.at for event in told if kind(event) == "round_started"]
        lengths = sorted(later - earlier for earlier, later in pairwise(starts))
        assert timedelta(seconds=42) < lengths[len(lengths) // 2] < timedelta(seconds=65)


@every_game
def test_only_seated_people_bet_and_a_named_player_is_the_one_who_sits_there(game):
    for told in by_table(events(HONEST, game)).values():
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


# How long cards may stay, in a shoe and in the hand.
HOURS = {"three-card-poker": (8, 4), "three-card-draw-poker": (8, 4), "heads-up-holdem": (24, 24)}


@every_game
@pytest.mark.parametrize("arguments", [HONEST, LONG])
def test_decks_are_shuffled_cut_alternated_and_changed_in_time(arguments, game):
    for told in by_table(events(arguments, game)).values():
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
                hours = HOURS[game][opening.dealing == "hand"]
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


@every_game
def test_a_count_between_rounds_makes_the_deck_with_the_cards_of_the_last_one(game):
    counts = 0
    for told in by_table(events(HONEST, game)).values():
        out = 0
        for event in told:
            if kind(event) == "round_started":
                out = 0
            out += kind(event) in ("card_dealt", "card_found_face_up")
            if kind(event) == "stub_counted" and event.round is None and event.cards + out != 52:
                assert any(kind(each) == "deck_removed" and each.deck == event.deck for each in told)
            counts += kind(event) == "stub_counted" and event.round is None
    assert counts > 50


@every_game
def test_an_honest_floor_has_seen_every_method_of_dealing_shuffling_and_telling(game):
    every = [*events(HONEST, game), *events(LONG, game)]
    openings = [event for event in every if kind(event) == "table_opened"]
    assert {(each.dealing, each.shuffler, each.decks) for each in openings} == {
        ("manual_shoe", "none", 1),
        ("automated_shoe", "none", 1),
        *((dealing, shuffler, decks) for dealing in ("manual_shoe", "hand", "automated_shoe")
          for shuffler in ("automated", "counting") for decks in (1, 2)),
    }  # fmt: skip
    assert len(openings) > 45
    counts = [event for event in every if kind(event) == "stub_counted"]
    assert {event.round is None for event in counts} == {True, False}
    assert {event.source is None for event in every} == {True, False}
    assert {event.player is None for event in every if kind(event) == "wager_placed"} == {True, False}
    assert {event.method for event in every if kind(event) == "deck_shuffled"} == {"manual", "automated", "preshuffled"}
    assert {event.device for event in every if kind(event) == "device_failed"} == {"shoe", "shuffler"}
    assert {event.at.microsecond == 0 for event in every} == {True, False}
    assert any(event.amount == 0 for event in every if kind(event) == "wager_changed")
    assert any(event.card == "??" for event in every if kind(event) == "card_dealt")


def test_a_counting_shuffler_shows_a_wrong_number_now_and_then_and_that_deck_leaves_at_once():
    shown = Counter()
    for game in LAWS:
        for told in by_table(events(HONEST, game)).values():
            for event, after in pairwise(told):
                if kind(event) == "deck_shuffled" and event.counted not in (None, 52):
                    assert (kind(after), after.deck) == ("deck_removed", event.deck)
                    shown[event.counted] += 1
    assert set(shown) == {51, 53}


MISDEALT = ("misdeal", "wrong number of cards", "a hand short of a card or with one too many")


@every_game
def test_what_goes_wrong_at_an_honest_table_is_handled_as_the_law_says(game):
    law = LAWS[game]
    reasons: Counter[str] = Counter()
    wrong_counts = corrections = removed = 0
    for told in chain(by_table(events(HONEST, game)).values(), by_table(events(LONG, game)).values()):
        told.sort(key=lambda event: event.seq)
        for felt in rounds_of("", told)[0]:
            voided = felt.told("round_voided")
            out = sum(kind(event) in ("card_dealt", "card_found_face_up") for event in felt.events)
            miscounted = any(event.cards + out != 52 for event in felt.told("stub_counted"))
            seen = any(event.to == "dealer" for event in felt.told("card_exposed"))
            turned = len(felt.told("card_found_face_up"))
            must = turned >= law.turned or miscounted or felt.told("device_failed") or seen
            assert not must or voided
            assert not voided or must or set(MISDEALT) & {event.reason for event in voided}
            reasons.update(event.reason for event in voided)
            wrong_counts += miscounted
            corrections += len(felt.told("settlement_corrected"))
        removed += sum(kind(event) == "deck_removed" and "count" in event.reason for event in told)
    assert len(reasons) >= 9
    assert 0 < wrong_counts == removed
    assert corrections > 10


# With wrongs


@every_game
@pytest.mark.parametrize("arguments", [FAULTY, FEW_FAULTS])
def test_the_labels_are_what_an_audit_by_hand_finds_no_more_and_no_less(arguments, game):
    labels = floor(arguments, game)[1]
    elsewhere = {(label.table, label.round) for label in labels if label.code not in JUDGED}
    told = Counter(msgspec.structs.astuple(label) for label in labels if (label.table, label.round) not in elsewhere)
    found = [finding for finding in audit(events(arguments, game), elsewhere) if finding[1:3] not in elsewhere]
    assert Counter(found) == told


@every_game
def test_about_the_share_asked_for_has_one_wrong_and_no_round_two(game):
    labels = floor(FAULTY, game)[1]
    assert len(labels) == pytest.approx(30 * 90 * 0.5, rel=0.1)
    rounds = Counter((label.table, label.round) for label in labels if label.round is not None)
    assert set(rounds.values()) == {1}


def test_a_wrong_is_planted_in_three_ways_at_least():
    """Those with the money, with the order of the chips and of the feed take their ways from what the round offers."""
    for play in GAMES.values():
        ways = {code: set(play.ways.get(code) or WAYS.get(code, ())) for code in codes(play)}
        of_the_round = {code: found for code, found in ways.items() if found}
        assert {code for code, found in of_the_round.items() if len(found) < 3} == set()
        assert {code[:4] for code in set(ways) - set(of_the_round)} <= {"PAY0", "FEED", "PROC", "DECK"}
    between = Counter([*lapses.WAYS.values(), *lapses.AT_THE_OPENING.values()])
    assert set(between) == set(lapses.CODES)
    assert min(between.values()) >= 3


def test_a_game_has_every_code_but_those_that_its_law_leaves_no_room_for():
    never = {game: set(CODES) - set(codes(play)) for game, play in GAMES.items()}
    assert never == {
        # A dealer draws, and a box is shared, in a shoe game only.
        "three-card-poker": {"DEAL08", "BET07"},
        "three-card-draw-poker": {"DEAL08", "BET07", "DEAL06"},  # one turned card voids the round
        "heads-up-holdem": {"DEAL08", "BET07", "PAY06"},  # there is no bonus without a stake
        # Hands of any size, an up card, a shoe nobody counts, bettors behind the seats, many cards of a kind.
        # Nor does a text at hand cut it or have a second one beside it.
        "spanish-21": {
            "DEAL01",
            "DEAL05",
            "DECK03",
            "DECK04",
            "DECK05",
            "DECK07",
            "DECK08",
            "PROC02",
            "BET06",
            "DEAL06",
        },
    }


@every_game
def test_every_code_of_a_game_is_planted_again_and_again(game):
    planted = Counter(label.code for label in (*floor(FAULTY, game)[1], *floor(CROWDED, game)[1]))
    assert set(planted) == set(codes(GAMES[game])) - {*LATE}
    assert min(planted.values()) >= 10


@every_game
def test_a_deck_that_keeps_a_card_back_is_told_when_chance_does_not_explain_it_any_more(game):
    """By the exact chance of each round, deck by deck, in fractions."""
    shifts = list(simulate(4, 700, 3, 0.5, game=game, only=LATE))
    labels = {(label.table, label.round) for shift in shifts for label in shift.labels}
    lines = b"\n".join(line for shift in shifts for line in shift.lines)
    found = set()
    for table, told in by_table(msgspec.json.Decoder(AnyEvent).decode_lines(lines)).items():
        away: dict[tuple[str, str], Fraction] = {}
        for felt in rounds_of(table, told)[0]:
            deck = felt.told("round_started")[0].deck
            decided = next((event.seq for event in felt.told("decision_made")), felt.events[-1].seq)
            out = felt.told("card_dealt", "card_found_face_up")
            fair = {
                event.card
                for event in felt.told("card_dealt")
                if event.card != "??" and (event.to != "player" or event.seq < decided)
            }
            for card in set(DECK):
                before = away.get((deck, card), Fraction(1))
                seen = card in {event.card for event in out}
                away[deck, card] = Fraction(1) if seen else before * Fraction(52 - len(fair), 52)
                if before >= Fraction(1, 10**15) > away[deck, card]:
                    found.add((table, felt.number))
    assert found == labels
    assert len(labels) > 4


@every_game
def test_a_code_is_planted_in_many_ways(game):
    law = LAWS[game]
    wagers, signs, seats = defaultdict(set), defaultdict(set), defaultdict(set)
    for label in (*floor(FAULTY, game)[1], *floor(CROWDED, game)[1]):
        wagers[label.code].add(label.wager)
        signs[label.code].add((label.amount > 0) - (label.amount < 0))
        seats[label.code].add(label.seat is None)
    placed = {event.wager for event in events(HONEST, game) if kind(event) == "wager_placed"}
    assert wagers["PAY07"] == wagers["PAY03"] == placed
    assert wagers["PAY08"] >= placed | ({law.bonus} if law.bonus else set())
    assert wagers["PAY01"] | wagers["PAY02"] | wagers["PAY04"] >= placed
    assert wagers["BET01"] == wagers["BET02"] == placed - law.later
    assert wagers["BET03"] == set(law.equal) | law.later
    opening = next(event for event in events(HONEST, game) if kind(event) == "table_opened")
    assert wagers["BET04"] == set(law.needs(opening))
    assert signs["BET03"] == {1, 0}
    assert signs["PAY03"] == signs["PAY05"] == signs["PAY08"] == {1, -1}
    assert signs["PAY09"] == {1, 0, -1}
    assert signs["DEAL01"] >= {1, -1}
    assert signs["VOID01"] >= {1, -1}
    for code in ("DEAL01", "DEAL02", "DECK01", "DECK02", "FEED06"):
        assert seats[code] == {True, False}
    for code in ("DECK03", "DECK04", "DEAL03", "VOID01", "FEED01", "FEED02"):
        assert seats[code] == {True}


@every_game
def test_a_wrong_does_not_spoil_the_rounds_after_it(game):
    """The deck of an ignored miscount leaves the table, is told of again or counted again, and the count that was left out
    is made up for."""
    labels = floor(FAULTY, game)[1]
    told = by_table(events(FAULTY, game))
    wrong = {(label.table, label.round) for label in labels}
    for label in labels:
        after = [event for event in told[label.table] if event.round == (label.round or 0) + 1]
        soon = [event for event in told[label.table] if 0 < (event.round or 0) - (label.round or 0) <= 5]
        kept = {("DECK07", label.table, (label.round or 0) + later) for later in (1, 2)}
        if label.code == "DECK03" and after and not kept & {(each.code, each.table, each.round) for each in labels}:
            deck = next(
                event.deck for event in told[label.table] if event.round == label.round and hasattr(event, "deck")
            )
            between = [event for event in told[label.table] if after[0].seq > event.seq > after[0].seq - 12]
            recounted = any(kind(event) == "stub_counted" and event.round is None for event in between)
            assert recounted or deck not in {event.deck for event in after if kind(event) == "round_started"}
        if label.code == "DECK04" and not wrong & {(label.table, label.round + later) for later in range(1, 6)}:
            counted = [event for event in told[label.table] if kind(event) == "stub_counted" and soon]
            assert len({each.round for each in soon}) < 5 or any(event.seq > soon[0].seq for event in counted)
