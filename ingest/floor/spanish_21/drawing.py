"""A card out of the shoe. When the shoe is empty the discard rack is shuffled and cut, and the round goes on."""

from random import Random

from ingest.floor.felt import BURN, Fact, dealt
from ingest.floor.spanish_21.boxes import Box, Hand, ShoeRound
from rules import cards


def drawn(round: ShoeRound, phase: list[Fact], rng: Random) -> str:
    """The next card: one that was exposed in error before any other."""
    if round.offered:
        card, round.offered = round.offered, ""
        return card
    if not round.shoe.left:
        round.ran_out = True
        round.shoe.shuffle_the_rack()
        automated = round.opening.shuffler == "automated" and rng.random() < 0.5
        phase.append({"type": "deck_shuffled", "deck": round.deck, "method": "automated" if automated else "manual"})
        phase.append({"type": "deck_cut", "deck": round.deck, "cards": rng.randint(10, round.shoe.left // 2)})
        burn(round, phase, rng)
    return round.shoe.draw()


def burn(round: ShoeRound, phase: list[Fact], rng: Random) -> None:
    """The first card after a shuffle, which the reader may or may not have seen."""
    for _ in range(int(round.option("burn"))):
        card = round.shoe.draw()
        phase.append(dealt(BURN, card if rng.random() < 0.5 else cards.UNREAD))


def to_hand(round: ShoeRound, phase: list[Fact], box: Box, hand: Hand, rng: Random) -> None:
    fact = dealt(box.seat, drawn(round, phase, rng), "up")
    if hand.number != 1:
        fact["hand"] = hand.number
    hand.cards.append(fact)
    phase.append(fact)
