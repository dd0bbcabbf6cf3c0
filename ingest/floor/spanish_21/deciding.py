"""How a box is played: hit, stand, double, split, surrender and rescue, by its caller and the people behind him."""

from random import Random

from ingest.floor.felt import Fact
from ingest.floor.spanish_21.betting import put_down
from ingest.floor.spanish_21.boxes import SPLIT_TO, Box, Hand, ShoeRound, held, is_natural, total, value
from ingest.floor.spanish_21.drawing import drawn, to_hand


def play(round: ShoeRound, box: Box, rng: Random) -> None:
    """One box in its turn, its hands in theirs."""
    hand = box.hands[0]
    if is_natural(hand):
        last = round.acting[-1] if round.acting else round.dealing[-1]
        _decided(round, box, hand, last)
        return
    both_at_once, neighbour_next = rng.random() < 0.5, rng.random() < 0.3
    waiting = [hand]
    while waiting:
        hand = waiting.pop(0)
        if len(hand.cards) == 1:
            to_hand(round, round.acting, box, hand, rng)
        while (choice := _choice(round, box, hand, rng)) == "split":
            other = _split(round, box, hand, rng)
            waiting.insert(0 if neighbour_next else len(waiting), other)
            to_hand(round, round.acting, box, hand, rng)
            if both_at_once:
                to_hand(round, round.acting, box, other, rng)
        _finish(round, box, hand, choice, rng)


def _finish(round: ShoeRound, box: Box, hand: Hand, choice: str, rng: Random) -> None:
    """Everything after the last split of a hand."""
    while choice == "hit":
        round.acting.append(round.choice(box, hand, "hit", rng))
        if round.mishap == "hit missed" and not round.late:
            round.late.append((box, hand))
            return
        to_hand(round, round.acting, box, hand, rng)
        choice = _choice(round, box, hand, rng)
    if choice == "double":
        _double(round, box, hand, rng)
    elif choice == "surrender":
        hand.surrendered = True
        surrendered = round.choice(box, hand, "surrender", rng)
        round.acting.append(surrendered)
        # Without a reader a blackjack found later takes the other half too (13:69F-2A.9(a)).
        if round.has_reader or value(round.held[0]["card"]) not in (1, 10):
            _decided(round, box, hand, surrendered)
    elif choice == "stand":
        round.acting.append(round.choice(box, hand, "stand", rng))
        if round.mishap == "exposed" and not round.offered and not hand.split:
            _expose(round, box, rng)
    if choice != "surrender" and total(hand.cards) >= 21:
        _decided(round, box, hand, round.acting[-1])


def _expose(round: ShoeRound, box: Box, rng: Random) -> None:
    """A card pulled for a hand that had enough, and seen: it is the next to be used (19:47-19.15(d))."""
    round.mishap = "exposed, used"
    round.offered = drawn(round, round.acting, rng)
    round.acting.append({"type": "card_exposed", "to": "player", "seat": box.seat, "card": round.offered})


def _decided(round: ShoeRound, box: Box, hand: Hand, by: Fact, bettor: str | None = None) -> None:
    """Nothing that comes later changes these wagers: they may be settled from here on."""
    for wager in ("main", "double"):
        for name in [bettor] if bettor else [person.name for person in box.people]:
            round.decided.setdefault((box.seat, hand.number, wager, name), by)


# What the caller wants


def _choice(round: ShoeRound, box: Box, hand: Hand, rng: Random) -> str:
    """Empty where there is nothing left to choose."""
    now = total(hand.cards)
    if now >= 21:
        return rng.choice(("stand", "")) if now == 21 else ""
    if round.offered and rng.random() < 0.35 and not hand.split:
        return "stand"  # he refuses the card that lies there and gets no other
    if box.luck == "hits" or (box.luck == "splits" and _may_split(box, hand)):
        return box.luck.removesuffix("s")
    if rng.random() > box.caller.sense:
        return rng.choice(_open_to(box, hand))
    return _sensible(round, box, hand, rng)


def _may_split(box: Box, hand: Hand) -> bool:
    if len(hand.cards) != 2 or len(box.hands) >= SPLIT_TO:
        return False
    first, second = hand.cards
    return value(first["card"]) == value(second["card"])


def _open_to(box: Box, hand: Hand) -> list[str]:
    choices = ["hit", "stand", "double"]
    if _may_split(box, hand):
        choices += ["split", "split"]
    if len(hand.cards) == 2 and not hand.split:
        choices.append("surrender")
    return choices


def _sensible(round: ShoeRound, box: Box, hand: Hand, rng: Random) -> str:
    """Near enough to the published strategy."""
    now, (hard, ace) = total(hand.cards), held(hand.cards)
    soft = ace and hard + 10 == now
    up = value(round.held[0]["card"])
    weak = 2 <= up <= 6
    if _may_split(box, hand) and _splits(hand, weak, rng):
        return "split"
    if len(hand.cards) == 2 and not hand.split and not soft and up == 1 and now in (16, 17):
        return "surrender"
    if len(hand.cards) < 5 and _doubles(now, up, soft, rng):
        return "double"
    enough = 18 if soft else 17
    if weak and not soft and (len(hand.cards) < 4 or now > 15):  # else a bonus is near
        enough = 13
    return "stand" if now >= enough else "hit"


def _doubles(now: int, up: int, soft: bool, rng: Random) -> bool:
    if soft:
        return now in (16, 17, 18) and 4 <= up <= 6
    stiff = now in (14, 15, 16) and 2 <= up <= 6 and rng.random() < 0.03
    return stiff or (now in (10, 11) and up not in (1, 10))


def _splits(hand: Hand, weak: bool, rng: Random) -> bool:
    rank = hand.cards[0]["card"][0]
    if rank in "A8":
        return True
    if rank in "TJQK":
        return rng.random() < 0.03
    return rank in "23679" and (weak or rng.random() < 0.2)


# What it takes


def _split(round: ShoeRound, box: Box, hand: Hand, rng: Random) -> Hand:
    """The second card moves to the next unused hand, which each bettor covers unless he rides (19:47-19.13(e))."""
    round.acting.append(round.choice(box, hand, "split", rng))
    other = Hand(len(box.hands) + 1, [hand.cards.pop()], split=True)
    hand.split = True
    box.hands.append(other)
    for person in box.people:
        main = round.main(box, hand.number, person.name)
        if main is None:
            continue
        if person is box.caller or rng.random() < 0.5:
            covers = round.bet_of(box.seat, "main", main.stake, person.name, other.number)
            round.acting += put_down(round, covers, rng)
        elif rng.random() < 0.6 and _wagers(round, box, person.name) == 1:
            rides_on = rng.choice((hand, other, other))
            round.acting.append(round.choice(box, rides_on, "ride", rng, person.name))
            main.hand = box.rides[person.name] = rides_on.number
    return other


def _wagers(round: ShoeRound, box: Box, bettor: str) -> int:
    return sum(round.main(box, hand.number, bettor) is not None for hand in box.hands)


def _double(round: ShoeRound, box: Box, hand: Hand, rng: Random) -> None:
    """One more card for everybody on the hand; who doubled may take the double back, as long as it is not bust."""
    round.acting.append(round.choice(box, hand, "double", rng))
    joining = [person for person in box.people if person is box.caller or rng.random() < 0.6]
    for person in joining:
        main = round.main(box, hand.number, person.name)
        if main is None:
            continue
        stake = main.stake
        if rng.random() < 0.15:
            stake = max(1, stake // rng.choice((2, 3, 4)))
        hand.doubled.add(person.name)
        round.acting += put_down(round, round.bet_of(box.seat, "double", stake, person.name, hand.number), rng)
    to_hand(round, round.acting, box, hand, rng)
    if total(hand.cards) >= 21:
        return
    for person in joining:
        if person.name in hand.doubled and total(hand.cards) < 17 and rng.random() < 0.4:
            hand.rescued.add(person.name)
            own = None if person is box.caller else person.name
            rescued = round.choice(box, hand, "rescue", rng, own)
            round.acting.append(rescued)
            _decided(round, box, hand, rescued, person.name)
