"""What an honest floor has seen, game by game, within HONEST and LONG: every term, choice, hand, freedom and mishap."""

from collections import Counter, defaultdict
from functools import cache
from itertools import combinations

import pytest

from ingest.events import AnyEvent
from ingest.floor import GAMES
from tests.ingest.by_hand import LAWS, Events, Felt, audited, by_table, five, kind, place, pocket, rounds_of, three
from tests.ingest.floors import CROWDED, FAULTY, HONEST, LONG, events, floor

POKER = "three-card-poker"
DRAW = "three-card-draw-poker"
HOLDEM = "heads-up-holdem"


@cache
def felts(game: str) -> list[Felt]:
    tables = [*by_table(events(HONEST, game)).values(), *by_table(events(LONG, game)).values()]
    return [audited(felt) for told in tables for felt in rounds_of("", told)[0]]


def openings(game: str) -> Events:
    return [event for event in (*events(HONEST, game), *events(LONG, game)) if kind(event) == "table_opened"]


def played(game: str) -> list[Felt]:
    """Rounds that were played out with every card read."""
    return [
        felt
        for felt in felts(game)
        if not felt.told("round_voided") and not any("??" in hand for hand in felt.hands.values())
    ]


def test_there_is_breadth_to_be_seen_for_every_game():
    assert set(GAMES) == {POKER, DRAW, HOLDEM, "spanish-21"}  # whose breadth is in test_floor_spanish_21.py


def test_every_kind_of_event_is_told_where_the_game_has_it():
    every = {str(each.__struct_config__.tag) for each in AnyEvent.__args__}
    absent = {
        POKER: {"community_revealed", "card_discarded"},
        DRAW: {"community_revealed"},
        HOLDEM: {"card_discarded"},
    }
    for game, without in absent.items():
        told = {kind(event) for event in (*events(HONEST, game), *events(LONG, game))}
        assert every - told == without


@pytest.mark.parametrize(("game", "most"), [(POKER, 7), (DRAW, 6), (HOLDEM, 6)])
def test_tables_of_every_size_are_dealt(game, most):
    assert {len([seat for seat in felt.hands if isinstance(seat, int)]) for felt in played(game)} == set(
        range(1, most + 1)
    )


@pytest.mark.parametrize("game", LAWS)
def test_chips_come_in_two_moves_before_the_call_and_beside_a_decision(game):
    before, beside = Counter(), Counter()
    for at, felt in enumerate(felts(game)):
        for event in felt.told("wager_placed"):
            (beside if event.wager in felt.law.later else before)[at, event.seat, event.wager] += 1
    assert max(before.values()) == 2
    assert max(beside.values()) == 2


@pytest.mark.parametrize("game", LAWS)
def test_a_player_s_card_that_others_saw_stops_nothing(game):
    seen = [felt for felt in felts(game) if any(event.to == "player" for event in felt.told("card_exposed"))]
    assert seen
    assert not any(felt.told("round_voided") for felt in seen)


def at_the_end(felt: Felt) -> Events:
    """Settlements after the dealer's cards were shown, or the round was void."""
    shown = felt.told("dealer_revealed", "round_voided")[0]
    return [event for event in felt.told("wager_settled") if event.seq > shown.seq]


@pytest.mark.parametrize("game", [POKER, DRAW, HOLDEM])
def test_what_a_fold_costs_is_collected_at_the_fold_or_with_the_rest(game):
    when = Counter()
    for felt in played(game):
        early = [event for event in felt.told("wager_settled") if event not in at_the_end(felt)]
        assert {event.wager for event in early} <= {"ante", "odds"}
        assert {event.result for event in early} <= {"taken"}
        assert {felt.choices[event.seat] for event in early} <= {"fold"}
        when[bool(early)] += "fold" in felt.choices.values()
    assert set(when) == {True, False}


@pytest.mark.parametrize("game", [DRAW, HOLDEM])
def test_gateways_write_options_as_words_or_as_what_they_are(game):
    said = {type(value) for each in openings(game) for value in each.options.values()}
    assert said == ({str, bool} if game == DRAW else {str, bool, int})


# Three Card Poker


def test_poker_is_dealt_under_every_term():
    opened = openings(POKER)
    assert {each.edition for each in opened} == {"1998", "2000", "6-card-bonus"}
    pairs = {(each.pay_tables.get("pair_plus", "1"), each.pay_tables.get("ante_bonus", "1")) for each in opened}
    assert pairs == {("1", "1"), ("2", "1"), ("2", "2")}
    assert {each.pay_tables.get("six_card_bonus") for each in opened} == {None, *"ABCDEF"}
    assert {each.options.get("six_card_bonus_version") for each in opened} == {None, "i", "ii"}


def test_poker_losers_are_collected_before_winners_are_paid_from_the_far_right():
    for felt in felts(POKER):
        if not felt.told("settlement_corrected"):
            settled = [(event.result != "taken", -event.seat) for event in at_the_end(felt)]
            assert settled == sorted(settled)


def test_poker_players_bet_decide_and_hold_whatever_can_be():
    bets, decided, hands, six = Counter(), Counter(), Counter(), Counter()
    for felt in played(POKER):
        placed = defaultdict(set)
        for seat, wager in felt.stakes:
            if wager != "play":
                placed[seat].add(wager)
            if wager == "six_card_bonus":
                six[max(five(each)[0] for each in combinations((*felt.hands[seat], *felt.hands["dealer"]), 5))] += 1
        bets.update(frozenset(wagers) for wagers in placed.values())
        for seat, choice in felt.choices.items():
            worth = three(tuple(felt.hands[seat]))
            decided[choice, worth >= (0, 12, 6, 4)] += 1
            hands[worth[0]] += 1
    assert len(bets) == 5
    assert len(decided) == 4
    assert decided["play", True] > 10 * decided["fold", True]
    assert set(hands) == set(range(7))
    assert set(six) == set(range(10))
    assert any(len(felt.told("card_found_face_up")) == 1 for felt in played(POKER))


# Three Card Draw Poker


def test_draw_poker_is_dealt_under_every_term():
    opened = openings(DRAW)
    assert {each.edition for each in opened} == {"13:69F-42"}
    assert {each.pay_tables.get("in_to_win_bonus") for each in opened} == {None, *"123"}
    assert {each.pay_tables.get("first_3_bonus") for each in opened} == {None, *"1234"}
    assert {str(each.options.get("first3_dies_on_fold")).lower() for each in opened} == {"none", "false", "true"}
    assert {each.options.get("deal_order") for each in opened} == {None, "packets", "rotation"}
    assert {(each.dealing, each.options.get("deal_order", "packets")) for each in opened} == {
        ("manual_shoe", "packets"),
        ("manual_shoe", "rotation"),
        ("hand", "packets"),
        ("hand", "rotation"),
        ("automated_shoe", "packets"),
    }


def test_draw_poker_players_decide_once_from_the_first_seat_with_their_chips_beside_it():
    for felt in played(DRAW):
        decisions = felt.told("decision_made")
        assert [event.seat for event in decisions] == sorted(felt.choices)
        for decision in decisions:
            chips = felt.events[felt.events.index(decision) + 1]
            if decision.choice == "fold":
                assert kind(chips) != "wager_placed" or chips.seat != decision.seat
            else:
                assert (kind(chips), chips.seat, chips.wager) == ("wager_placed", decision.seat, decision.choice)


def _draw_timing(felt: Felt) -> str | None:
    """When the first of several draws was dealt."""
    drawers = [seat for seat, choice in felt.choices.items() if choice == "draw"]
    if not drawers or drawers[0] == max(felt.choices):
        return None
    order = [(kind(event), event.seat) for event in felt.events if hasattr(event, "seat")]
    next_decision = next(
        at
        for at, (name, seat) in enumerate(order)
        if name == "decision_made" and seat > drawers[0] and at > order.index(("decision_made", drawers[0]))
    )
    drawn = len(order) - 1 - order[::-1].index(("card_dealt", drawers[0]))
    if drawn < next_decision:
        return "at once"
    return "discards at once" if order.index(("card_discarded", drawers[0])) < next_decision else "after all"


def test_draw_poker_cards_are_changed_in_seat_order_at_once_or_after_all_have_decided():
    for felt in played(DRAW):
        drawers = [seat for seat, choice in felt.choices.items() if choice == "draw"]
        had: Counter[object] = Counter()
        draws = []
        for event in felt.told("card_dealt", "card_discarded"):
            if kind(event) == "card_discarded":
                assert event.card in felt.hands[event.seat][:3]
            else:
                had[place(event)] += 1
                draws += [event.seat] if event.to == "player" and had[place(event)] > 3 else []
        assert [event.seat for event in felt.told("card_discarded")] == drawers == draws
        assert all(event.face == "down" for event in felt.told("card_dealt"))
    assert {_draw_timing(felt) for felt in played(DRAW)} == {None, "at once", "discards at once", "after all"}


def test_draw_poker_stubs_are_counted_when_the_draws_are_out():
    counts = 0
    for felt in played(DRAW):
        for count in felt.told("stub_counted"):
            seats = sum(isinstance(each, int) for each in felt.hands)
            assert count.cards == 52 - 3 * seats - 4 - len(felt.discards)
            assert felt.events.index(count) > max(felt.events.index(event) for event in felt.told("card_dealt"))
            counts += 1
    assert counts > 200


def test_draw_poker_is_settled_player_by_player_from_the_far_right():
    order = {"first_3_bonus": 0, "ante": 1, "in_to_win": 2, "draw": 2, "in_to_win_bonus": 3}
    for felt in played(DRAW):
        if not felt.told("settlement_corrected"):
            settled = [(-event.seat, order[event.wager]) for event in at_the_end(felt)]
            assert settled == sorted(settled)


def test_draw_poker_players_choose_and_hold_whatever_can_be():
    hands, finals, kept_pairs, broken, folds, pushes, lost_bonus = Counter(), Counter(), 0, 0, Counter(), 0, 0
    for felt in played(DRAW):
        owed = felt.owed(felt.hands)
        for seat, choice in felt.choices.items():
            dealt = felt.hands[seat][:3]
            worth = three(tuple(dealt))
            hands[choice, worth[0]] += 1
            if choice == "draw":
                kept = [card for card in dealt if card != felt.discards[seat]]
                kept_pairs += kept[0][0] == kept[1][0]
                broken += worth[0] == 1 and kept[0][0] != kept[1][0]
                finals[three((*kept, felt.hands[seat][3]))[0]] += 1
            if choice == "fold" and (seat, "first_3_bonus") in owed:
                folds[owed[seat, "first_3_bonus"] > 0, worth[0] >= 1] += 1
            pushes += choice != "fold" and owed[seat, "ante"] == 0
            lost_bonus += owed.get((seat, "in_to_win_bonus"), 0) > 0 > owed[seat, "ante"]
    assert {category for choice, category in hands if choice == "in_to_win"} == set(range(7))
    assert {choice for choice, _ in hands} == {"in_to_win", "draw", "fold"}
    assert set(finals) == set(range(6)) | (set(finals) & {6})
    assert kept_pairs > 50
    assert broken > 5
    assert set(folds) == {(False, False), (False, True), (True, True)}  # dead at some tables, live at others
    assert pushes > 3
    assert lost_bonus > 3


def test_draw_poker_voids_for_one_turned_card_and_for_a_dealer_s_card_that_was_seen():
    exposed = [felt for felt in felts(DRAW) if any(event.to == "dealer" for event in felt.told("card_exposed"))]
    turned = [felt for felt in felts(DRAW) if felt.told("card_found_face_up")]
    assert exposed
    assert {len(felt.told("card_found_face_up")) for felt in turned} == {1, 2}
    assert all(felt.told("round_voided") for felt in (*exposed, *turned))


# Heads Up Hold'em


def test_holdem_is_dealt_under_every_term():
    opened = openings(HOLDEM)
    assert {each.edition for each in opened} == {"13:69F-39"}
    assert {each.pay_tables.get("odds") for each in opened} == {None, "1"}
    assert {each.pay_tables.get("bad_beat") for each in opened} == {None, "1", "2"}
    assert {each.pay_tables.get("trips_plus") for each in opened} == {None, *"1234"}
    assert {each.pay_tables.get("pocket_bonus") for each in opened} == {None, *"123"}
    assert {str(each.options.get("trips_plus_dies_on_fold")).lower() for each in opened} == {"none", "false", "true"}
    assert {str(each.options.get("burn", "0")) for each in opened} == {"0", "1", "2", "3"}


def test_holdem_streets_come_in_order_and_who_has_not_raised_decides_once_on_each():
    seen = Counter()
    for felt in played(HOLDEM):
        raised: set[int] = set()
        decided: list[tuple[int, int, str]] = []
        shown = 0
        for event in felt.events:
            if kind(event) == "community_revealed":
                shown = {"flop": 3, "river": 5}[event.street]
            elif kind(event) == "card_dealt" and event.to == "community" and event.face == "up":
                shown += 1
            elif kind(event) == "decision_made":
                decided.append((shown, event.seat, event.choice))
        seats = [seat for seat in sorted(felt.hands, key=str) if isinstance(seat, int)]
        for street in (0, 3, 5):
            now = [(seat, choice) for when, seat, choice in decided if when == street]
            assert [seat for seat, _ in now] == [seat for seat in seats if seat not in raised]
            assert {choice for _, choice in now} <= ({"raise", "fold"} if street == 5 else {"raise", "check"})
            raised |= {seat for seat, choice in now if choice == "raise"}
            for seat, choice in now:
                if choice == "raise":
                    seen[street, felt.stakes[seat, "raise"] // felt.stakes[seat, "ante"]] += 1
        assert shown == 5
    assert set(seen) == {(0, 1), (0, 2), (0, 3), (3, 1), (3, 2), (5, 1)}


def test_holdem_boards_come_as_the_method_says_and_burns_as_the_house_says():
    ways, burns = Counter(), Counter()
    for felt in played(HOLDEM):
        dealt = felt.told("card_dealt")
        first = place(dealt[0]) == "community"
        ways[felt.opening.dealing, first] += 1
        assert {event.face for event in dealt if event.to == "community"} == {"down" if first else "up"}
        assert {event.face for event in dealt if event.to != "community"} == {"down"}
        assert [event.street for event in felt.told("community_revealed")] == (["flop", "river"] if first else [])
        burnt = [at for at, event in enumerate(felt.events) if kind(event) == "card_dealt" and event.to == "burn"]
        assert len(burnt) == int(felt.opening.options.get("burn", "0"))
        burns[len(burnt), first] += 1
        for count in felt.told("stub_counted"):
            seats = sum(isinstance(each, int) for each in felt.hands)
            turned = len(felt.told("card_found_face_up"))
            assert count.cards == 52 - 2 * (seats + 1) - 5 - len(burnt) - turned
    assert set(ways) == {
        ("manual_shoe", False),
        ("manual_shoe", True),
        ("hand", False),
        ("hand", True),
        ("automated_shoe", True),
    }
    assert set(burns) == {(number, first) for number in range(4) for first in (True, False)}


def test_holdem_is_settled_player_by_player_from_the_far_right():
    for felt in played(HOLDEM):
        if not felt.told("settlement_corrected"):
            seats = [-event.seat for event in at_the_end(felt)]
            assert seats == sorted(seats)


def test_holdem_players_hold_win_lose_and_tie_with_whatever_can_be():
    hands, odds, pockets, folded, uneven, no_pair = Counter(), Counter(), Counter(), Counter(), 0, Counter()
    for felt in played(HOLDEM):
        owed = felt.owed(felt.hands)
        his = five((*felt.hands["dealer"], *felt.hands["community"]))
        for seat, choice in felt.choices.items():
            mine = five((*felt.hands[seat], *felt.hands["community"]))
            hands[mine[0]] += 1
            stands = (mine > his) - (mine < his)
            if choice == "fold":
                if (seat, "trips_plus") in owed and mine[0] >= 3:
                    folded[owed[seat, "trips_plus"] > 0] += 1
            else:
                odds[stands, mine[0] >= 4, felt.column("bad_beat")] += 1
                no_pair[his[0] == 0, stands] += 1
                uneven += stands > 0 and mine[0] == 5 and felt.stakes[seat, "odds"] % 2
            pockets[pocket(felt.hands[seat], "1", 1)] += 1
    assert set(hands) == set(range(10))
    assert set(odds) == {
        (stands, straight, column) for stands in (1, 0, -1) for straight in (True, False) for column in "12"
    }
    assert set(pockets) == {-1, 5, 10, 20, 30}
    assert set(folded) == {True, False}  # live at some tables, dead at others
    assert no_pair[True, 1] > 10
    assert no_pair[True, -1] > 3
    assert uneven > 0


# Wrongs of one game alone


def test_only_where_the_law_voids_for_it_does_an_exposed_dealer_card_cost_anything():
    amounts = {
        game: {label.amount for label in (*floor(FAULTY, game)[1], *floor(CROWDED, game)[1]) if label.code == "DEAL05"}
        for game in (POKER, DRAW, HOLDEM)
    }
    assert amounts[DRAW] == {0}
    assert len(amounts[POKER]) > 5
    assert len(amounts[HOLDEM]) > 5


def wrong_rounds(game: str, code: str) -> list[tuple[Felt, int | None]]:
    found = []
    for arguments in (FAULTY, CROWDED):
        labels = {(label.table, label.round): label.seat for label in floor(arguments, game)[1] if label.code == code}
        for table, told in by_table(events(arguments, game)).items():
            ordered = sorted(told, key=lambda event: event.seq)
            found += [
                (audited(felt), labels[table, felt.number])
                for felt in rounds_of(table, ordered)[0]
                if (table, felt.number) in labels
            ]
    return found


def test_draw_poker_misdeals_are_of_the_deal_the_dealer_and_the_draw():
    player, dealer = Counter(), Counter()
    for felt, seat in wrong_rounds(DRAW, "DEAL01"):
        if seat is None:
            dealer[len(felt.hands["dealer"])] += 1
        else:
            player[felt.choices.get(seat), len(felt.hands[seat])] += 1
    assert set(dealer) == {3, 5}
    assert set(player) >= {("in_to_win", 2), ("in_to_win", 4), ("fold", 2), ("fold", 4), ("draw", 3), ("draw", 5)}
    assert any(choice is None for choice, _ in player)  # dealt to somebody who is not in


def test_holdem_misdeals_are_of_a_hand_the_dealer_and_the_board():
    sizes = Counter(
        (len(felt.hands["community"]), len(felt.hands["dealer"])) for felt, _ in wrong_rounds(HOLDEM, "DEAL01")
    )
    assert set(sizes) >= {(5, 2), (4, 2), (6, 2), (5, 1), (5, 3)}


def test_holdem_raises_of_the_wrong_size_come_on_every_street():
    sizes = defaultdict(set)
    for felt, seat in wrong_rounds(HOLDEM, "BET03"):
        [(_, _, wager, amount)] = felt.findings
        if wager == "raise" and amount:
            sizes[felt.shown[seat]].add(amount / felt.stakes[seat, "ante"])
    assert set(sizes) == {0, 3, 5}
    assert sizes[3] & {3, 4, 5}
    assert sizes[5] & {2, 3, 4, 5}
    assert all(times not in (1, 2, 3) for times in sizes[0])


def test_draw_poker_plays_on_after_one_turned_card_and_holdem_only_after_two():
    turned = {
        game: {len(felt.told("card_found_face_up")) for felt, _ in wrong_rounds(game, "VOID01")} - {0}
        for game in (POKER, DRAW, HOLDEM)
    }
    assert turned == {POKER: {2, 3}, DRAW: {1, 2, 3}, HOLDEM: {2, 3}}


def test_unread_cards_that_matter_are_of_the_hand_the_draw_the_board_and_the_dealer():
    where = Counter()
    for game in (DRAW, HOLDEM):
        for felt, _ in wrong_rounds(game, "FEED06"):
            [(hand, at)] = [(hand, felt.hands[hand].index("??")) for hand in felt.hands if "??" in felt.hands[hand]]
            where[game, hand if isinstance(hand, str) else "draw" if at == 3 else "hand"] += 1
    assert set(where) == {
        (DRAW, "hand"),
        (DRAW, "draw"),
        (DRAW, "dealer"),
        (HOLDEM, "hand"),
        (HOLDEM, "community"),
        (HOLDEM, "dealer"),
    }


def test_unread_cards_that_matter_to_nobody_are_of_many_hands():
    whose = Counter()
    for game in (POKER, DRAW, HOLDEM):
        for felt in felts(game):
            unread = [place(event) for event in felt.told("card_dealt") if event.card == "??"]
            assert len(unread) <= 1
            whose.update((game, where if isinstance(where, str) else "hand") for where in unread)
    assert {(POKER, "hand"), (DRAW, "hand"), (HOLDEM, "hand"), (HOLDEM, "burn")} <= set(whose)
