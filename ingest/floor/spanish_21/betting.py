"""Who bets on which box, what they put down before the deal, and who insures."""

from collections import Counter
from random import Random
from typing import Final

from ingest.floor.felt import Bet, Fact
from ingest.floor.people import Player
from ingest.floor.spanish_21.boxes import Box, ShoeRound
from ingest.floor.wagering import CHIP, in_two
from rules.spanish_21 import GAME

ODD_CENTS: Final = (1, 25, 50, 99)  # a coupon or a half dollar among the chips


def bet(round: ShoeRound, rng: Random) -> None:
    """The boxes of the round and everything that was put down on them up to "No more bets"."""
    round.boxes = {seat: Box(seat, people) for seat, people in sorted(_people(round, rng).items())}
    moves: list[list[Fact]] = []
    for box in round.boxes.values():
        for person in box.people:
            moves += _chips(round, box, person, rng)
        if round.seated(box.seat) is None:
            # Nobody sits there: the one with the highest wager calls the decisions, 19:47-19.13(b).
            box.people.sort(key=lambda person: -box.stakes[person.name])
    if rng.random() < 0.4:
        rng.shuffle(moves)
    first = [fact for move in moves for fact in move[:1]]
    later = [fact for move in moves for fact in move[1:]]
    round.wagering = [*first, *later, {"type": "no_more_bets"}]


def _people(round: ShoeRound, rng: Random) -> dict[int, list[Player]]:
    """One to three on a box, whoever sits there first; nobody on more boxes than the house permits (19:47-19.13, 19.14)."""
    boxes = {seat: [player] for seat, player in sorted(round.players.items()) if rng.random() > 0.06}
    if not boxes:
        seat = rng.choice(sorted(round.players))
        boxes = {seat: [round.players[seat]]}
    permitted = int(round.option("boxes_per_player"))
    on = Counter(people[0].name for people in boxes.values())
    if permitted > 1:
        for seat in range(1, round.opening.seats + 1):
            if seat not in round.players and rng.random() < 0.2:
                willing = [player for player in round.players.values() if on[player.name] < permitted]
                if willing:
                    boxes[seat] = [rng.choice(willing)]
                    on[boxes[seat][0].name] += 1
    for people in boxes.values():
        while len(people) < (GAME.bettors_on_a_box or 1) and rng.random() < 0.16:
            there = {person.name for person in people}
            behind = [
                person
                for person in (*round.rail, *round.players.values())
                if on[person.name] < permitted and person.name not in there
            ]
            if not behind:
                break
            people.append(rng.choice(behind))
            on[people[-1].name] += 1
    return boxes


def _chips(round: ShoeRound, box: Box, person: Player, rng: Random) -> list[list[Fact]]:
    low, high = round.opening.min_wager, round.opening.max_wager
    stake = low * person.units + (low if rng.random() < 0.2 else 0)
    if rng.random() < 0.04:
        stake += rng.choice(ODD_CENTS)
    stake = box.stakes[person.name] = min(high, stake)
    bets = [round.bet_of(box.seat, "main", stake, person.name)]
    if "match_the_dealer" in round.opening.pay_tables and rng.random() < person.side_bets:
        side = rng.choice((CHIP, CHIP, 2 * CHIP, max(CHIP, stake // CHIP * CHIP)))
        bets.append(round.bet_of(box.seat, "match_the_dealer", side, person.name))
    round.bets += bets
    moves = [
        in_two(round, bet, rng) if rng.random() < person.fidgets else [round.placed(bet, bet.stake, rng)]
        for bet in bets
    ]
    if len(bets) == 1 and "match_the_dealer" in round.opening.pay_tables and rng.random() < person.fidgets / 2:
        thought = round.bet_of(box.seat, "match_the_dealer", CHIP, person.name)
        moves.append([round.placed(thought, CHIP, rng), round.changed(thought, 0, rng)])
    return moves


def put_down(round: ShoeRound, bet: Bet, rng: Random) -> list[Fact]:
    """Chips that come after the deal, now and then in two moves."""
    round.bets.append(bet)
    if bet.stake > CHIP and rng.random() < 0.04:
        part = rng.randrange(CHIP, bet.stake, CHIP)
        return [round.placed(bet, part, rng), round.placed(bet, bet.stake - part, rng)]
    return [round.placed(bet, bet.stake, rng)]


def insure(round: ShoeRound, rng: Random) -> list[Fact]:
    """Under an ace everybody with a wager may insure it for up to a half, each as he likes (19:47-19.13(f))."""
    facts: list[Fact] = []
    for box in round.boxes.values():
        for person in box.people:
            most = box.stakes[person.name] // 2
            if len(box.first) == 2 and most and rng.random() < 0.3:
                stake = rng.choice((most, most, most, max(1, most // 2), max(1, most - rng.randrange(100))))
                facts += put_down(round, round.bet_of(box.seat, "insurance", stake, person.name), rng)
    return facts
