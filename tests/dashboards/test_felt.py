"""The felt is what the events laid on it, whatever the game."""

import json

import rounds

from dashboards.felt import Felt, Step, steps
from ingest import events, notation


def drawn(text: str) -> list[Step]:
    every = notation.read_log(text)
    start = next(place for place, event in enumerate(every) if isinstance(event, events.RoundStarted))
    seated = {event.seat: event.player for event in every[:start] if isinstance(event, events.PlayerSeated)}
    return list(steps(every[start:], seated))


def after(text: str, said: str) -> Felt:
    return next(step["felt"] for step in reversed(drawn(text)) if step["said"] == said)


def names(cards: list) -> str:
    return " ".join(card["card"] + ("'" if card["down"] else "") for card in cards)


def hands(felt: Felt, seat: int) -> dict[int, str]:
    return {hand["hand"]: names(hand["cards"]) for hand in felt["seats"][str(seat)]["hands"]}


def spots(felt: Felt, seat: int) -> list[tuple]:
    return [
        (spot["hand"], spot["wager"], spot["player"], spot["lying"], spot["said"], spot["moved"])
        for spot in felt["seats"][str(seat)]["spots"]
    ]


def test_a_board_is_turned_street_by_street():
    down = after(rounds.HOLDEM, "seat 5 chose check")
    assert names(after(rounds.HOLDEM, "community dealt 3C face down")["community"]) == "9C' 9D' 4S' JH' 3C'"
    assert names(after(rounds.HOLDEM, "flop revealed")["community"]) == "9C 9D 4S JH' 3C'"
    assert names(after(rounds.HOLDEM, "river revealed")["community"]) == "9C 9D 4S JH 3C"
    assert names(down["burn"]) == "2C'"
    assert names(down["dealer"]) == "KD' KC'"
    assert names(after(rounds.HOLDEM, "dealer revealed")["dealer"]) == "KD KC"


def test_a_card_nobody_read_stays_unread():
    assert hands(after(rounds.HOLDEM, "round 1 ended"), 5) == {1: "??' 7D'"}


def test_chips_lie_until_they_are_taken_and_winnings_stand_beside_them():
    felt = after(rounds.HOLDEM, "round 1 ended")
    assert (1, "ante", "p-5", 0, "taken", -1000) in spots(felt, 5)
    assert (1, "trips_plus", "p-5", 500, "", 0) in spots(felt, 5)
    assert (1, "raise", "p-2", 3000, "paid", 3000) in spots(felt, 2)


def test_a_box_is_split_to_four_hands_with_three_bettors_on_it():
    felt = after(rounds.SPANISH, "round 1 ended")
    assert hands(felt, 3) == {1: "8H 3H 9S", 2: "8S KD", 3: "8C 2S", 4: "8D AC"}
    assert {spot[2] for spot in spots(felt, 3)} == {"p-3", "p-8", "p-9"}
    assert (1, "main", "p-9", 0, "taken", -1500) in spots(felt, 3)
    assert (2, "main", "p-3", 0, "returned", 0) in spots(felt, 3)
    assert (4, "main", "p-3", 2500, "", 0) in spots(felt, 3)
    assert felt["seats"]["3"]["hands"][0]["choices"] == ["split", "double"]


def test_discards_turned_cards_and_exposures_are_marked():
    felt = after(rounds.DRAW, "round 1 ended")
    assert hands(felt, 1) == {1: "QH' 5S' QD'"}
    assert names(felt["seats"]["1"]["discards"]) == "2H'"
    assert names(felt["rack"]) == "8D XX"
    assert felt["dealer"] == [{"card": "KD", "down": True, "mark": "exposed"}]
    assert felt["voided"] == "a joker in the deck"
    assert felt["ended"]


def test_a_step_does_not_change_the_steps_before_it():
    first = drawn(rounds.SPANISH)[0]["felt"]
    assert first["burn"] == []
    assert first["seats"]["3"]["spots"] == []


def test_every_step_is_plain_data_for_the_browser():
    for text in (rounds.HOLDEM, rounds.SPANISH, rounds.DRAW):
        every = drawn(text)
        assert json.loads(json.dumps(every)) == every


def test_chips_of_a_bettor_nobody_saw_sit_down_are_settled_where_they_lie():
    """The bet names its player, the payout only the seat: they are one spot."""
    text = rounds.HOLDEM.replace("seat 5 taken by p-5\n", "").replace(
        "seat 5 bet 10.00 on ante", "seat 5 bet 10.00 on ante for p-5"
    )
    assert [spot for spot in spots(after(text, "round 1 ended"), 5) if spot[1] == "ante"] == [
        (1, "ante", "p-5", 0, "taken", -1000)
    ]
