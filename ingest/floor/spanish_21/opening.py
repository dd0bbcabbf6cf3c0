"""What a Spanish 21 table opens with."""

from random import Random
from typing import Final

from ingest.floor.felt import Opening
from ingest.floor.wagering import LIMITS, written
from rules.spanish_21 import EDITION, GAME

METHODS: Final = (
    ("manual_shoe", "none"),
    ("automated_shoe", "automated"),
    ("manual_shoe", "automated"),
    ("automated_shoe", "none"),
)
BOXES: Final = ("1", "2", "1", "3", "6")


def opening(rng: Random, nth: int) -> Opening:
    """The terms of the nth opening. Packs, methods and options take turns, so that a small floor has seen them all."""
    packs = GAME.packs[nth % 2]
    dealing, shuffler = METHODS[nth // 2 % len(METHODS)]
    options = {
        "dealer_hits_soft_17": "true" if nth % 3 == 1 else "false",
        "boxes_per_player": BOXES[nth % len(BOXES)],
        "burn": "0" if nth % 7 == 3 else "1",
        "card_reader": "false" if nth % 4 in (1, 2) else "true",
    }
    # A default may be left unsaid.
    default = {option.name: option.default for option in GAME.options}
    options = {name: said for name, said in options.items() if said != default[name] or rng.random() < 0.5}
    pay_tables = {"match_the_dealer": str(packs)} if rng.random() < 0.85 else {}
    low, high = rng.choice(LIMITS)
    return Opening(
        law=GAME,
        terms=GAME.elect(EDITION, pay_tables, options),
        pay_tables=pay_tables,
        options=written(options, rng),
        dealing=dealing,
        shuffler=shuffler,
        decks=packs,
        seats=rng.choice((5, 6, 6)),
        min_wager=low,
        max_wager=high,
    )
