"""How a table is set up and what people put down before "No more bets", in whatever poker game it deals."""

from random import Random
from typing import Final

from ingest.floor.felt import Bet, Fact, Option, Round, offered

# Dealing method, shuffler, decks. A hand-dealt game needs a shuffler (19:47-20.8(b)1, 13:69F-42.8(b)1, 13:69F-39.8(b)1), and so
# does a second deck (19:47-20.2(b), 13:69F-42.2(b), 13:69F-39.2(b)).
METHODS: Final = (
    ("manual_shoe", "none", 1),
    ("hand", "automated", 2),
    ("automated_shoe", "counting", 1),
    ("manual_shoe", "automated", 1),
    ("hand", "counting", 2),
    ("automated_shoe", "automated", 2),
    ("manual_shoe", "counting", 2),
    ("hand", "automated", 1),
    ("automated_shoe", "none", 1),
    ("manual_shoe", "automated", 2),
    ("hand", "counting", 1),
    ("automated_shoe", "counting", 2),
    ("manual_shoe", "counting", 1),
    ("automated_shoe", "automated", 1),
)
LIMITS: Final = ((500, 20_000), (1_000, 50_000), (1_500, 100_000), (2_500, 250_000), (10_000, 500_000))
CHIP: Final = 500  # the smallest that people bet with

Chips = dict[str, int]  # by wager


def written(options: dict[str, str], rng: Random) -> dict[str, Option]:
    """As one gateway or another writes them: words, or true and numbers."""
    if rng.random() < 0.3:
        return dict(options)
    truth = {"true": True, "false": False}
    return {name: int(said) if said.isdigit() else truth.get(said, said) for name, said in options.items()}


def betting(round: Round, rng: Random) -> list[int]:
    """Who is in this round. Now and then somebody sits one out, never all of them."""
    seated = sorted(round.players)
    return [seat for seat in seated if rng.random() > 0.06] or [rng.choice(seated)]


def main_stake(round: Round, seat: int, rng: Random) -> int:
    low, high = round.opening.min_wager, round.opening.max_wager
    return min(high, low * round.players[seat].units + (low if rng.random() < 0.2 else 0))


def side_stake(main: int, rng: Random) -> int:
    return max(CHIP, main // rng.choice((1, 1, 2, 5)) // CHIP * CHIP)


def placed(round: Round, chips: dict[int, Chips], rng: Random) -> None:
    """The chips of each seat put down in any order and, by some, thought better of before "No more bets"."""
    round.bets = [Bet(seat, wager, stake) for seat in chips for wager, stake in chips[seat].items()]
    moves: list[list[Fact]] = []
    order = list(chips)
    if rng.random() < 0.4:
        rng.shuffle(order)
    for seat in order:
        fidgets = round.players[seat].fidgets
        for wager, stake in chips[seat].items():
            bet = Bet(seat, wager, stake)
            moves.append(in_two(round, bet, rng) if rng.random() < fidgets else [round.placed(bet, stake, rng)])
        if rng.random() < fidgets / 4:
            moves.append(_thought_better_of(round, seat, chips[seat], rng))
    idle = [seat for seat in sorted(round.players) if seat not in chips and rng.random() < round.players[seat].fidgets]
    moves += [_thought_better_of(round, seat, {}, rng) for seat in idle]
    first = [fact for move in moves for fact in move[:1]]
    later = [fact for move in moves for fact in move[1:]]
    round.wagering = [*first, *later, {"type": "no_more_bets"}]


def _thought_better_of(round: Round, seat: int, chips: Chips, rng: Random) -> list[Fact]:
    """Chips put down where the seat has none in the end, and taken back."""
    others = [wager.name for wager in offered(round.opening) if wager.before_deal and wager.name not in chips]
    if not others:
        return []
    bet = Bet(seat, rng.choice(others), CHIP)
    return [round.placed(bet, CHIP, rng), round.changed(bet, 0, rng)]


def in_two(round: Round, bet: Bet, rng: Random) -> list[Fact]:
    stake = bet.stake
    if rng.random() < 0.4 and stake > CHIP:
        part = rng.randrange(CHIP, stake, CHIP)
        return [round.placed(bet, part, rng), round.placed(bet, stake - part, rng)]
    other = rng.choice((stake + CHIP, stake * 2, max(CHIP, stake // 2)))
    return [round.placed(bet, other, rng), round.changed(bet, stake, rng)]


def decided(round: Round, bet: Bet, choice: str, rng: Random) -> None:
    """A decision and, beside it, the chips that it takes; now and then they come in two moves."""
    round.acting.append({"type": "decision_made", "seat": bet.seat, "choice": choice})
    round.choices[bet.seat] = choice
    if not bet.stake:
        return
    round.bets.append(bet)
    if bet.stake > CHIP and rng.random() < round.players[bet.seat].fidgets / 4:
        part = rng.randrange(CHIP, bet.stake, CHIP)
        round.acting += [round.placed(bet, part, rng), round.placed(bet, bet.stake - part, rng)]
    else:
        round.acting.append(round.placed(bet, bet.stake, rng))
