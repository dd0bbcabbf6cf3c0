"""Wrongs between rounds: what is left undone with the decks and devices, and shows in the round that is dealt from them.

A way answers what it leaves undone at a table, or None where the table gives no chance of it.
"""

from dataclasses import replace
from random import Random
from typing import Final

from ingest.floor.felt import Fact, Opening

CODES: Final = ("DECK05", "DECK06", "DECK07", "PROC01", "PROC02", "PROC04")
SHARE: Final = 0.14  # of the wrongs of a floor

# By name, the code that each is told as.
WAYS: Final = {
    "the shuffle is left out": "PROC01",
    "shuffled when the first card is out": "PROC01",
    "a new deck is not shuffled": "PROC01",
    "the cut is left out": "PROC02",
    "too few cards are cut": "PROC02",
    "cut before the shuffle": "PROC02",
    "the same deck again": "DECK05",
    "replaced by a deck of the other's colour": "DECK05",
    "kept through a pause": "DECK06",
    "kept waiting": "DECK06",
    "the shuffler's number passed over": "DECK07",
    "a new deck of a wrong number": "DECK07",
    "void declared and the deck kept": "DECK07",
}
AT_THE_OPENING: Final = {
    "opened with a deck not shuffled": "PROC01",
    "opened with a deck not cut": "PROC02",
    "opened with two decks of one colour": "DECK05",
    "opened long before the first round": "DECK06",
    "dealt from the hand without a shuffler": "PROC04",
    "a second deck without a shuffler": "PROC04",
    "the old devices still there": "PROC04",
}
OF_NO_ROUND: Final = (
    "replaced by a deck of the other's colour",
    "opened with two decks of one colour",
    *(way for way, code in AT_THE_OPENING.items() if code == "PROC04"),
)
CUTS: Final = tuple(way for way, code in WAYS.items() if code == "PROC02")


def unshuffled(facts: list[Fact], deck: str) -> list[Fact]:
    """As though nobody had shuffled or cut this deck."""
    return [fact for fact in facts if fact.get("deck") != deck or fact["type"] not in ("deck_shuffled", "deck_cut")]


def wrongly_cut(facts: list[Fact], deck: str, way: str, rng: Random) -> list[Fact]:
    """The deck's cut left out, too small, or before its shuffle."""
    at = next(at for at, fact in enumerate(facts) if fact["type"] == "deck_cut" and fact["deck"] == deck)
    cut = facts[at]
    others = [*facts[:at], *facts[at + 1 :]]
    if way == "too few cards are cut":
        cut["cards"] = rng.randint(1, 9)
        return facts
    if way == "cut before the shuffle":
        first = next(at for at, fact in enumerate(facts) if fact["type"] == "deck_shuffled" and fact["deck"] == deck)
        others.insert(first, cut)
    return others


def openings(law_opening: Opening, way: str, rng: Random) -> list[Opening]:
    """The table as it is opened against the law; where a device stays on, the opening that it stays from as well."""
    if way != "the old devices still there":
        return [replace(law_opening, shuffler="none")]
    dealing, shuffler = rng.choice(
        (("automated_shoe", "none"), ("manual_shoe", "automated"), ("automated_shoe", "automated"))
    )
    one_deck = law_opening.decks if law_opening.law.packs != (1,) else 1
    return [
        replace(law_opening, dealing=dealing, shuffler=shuffler, decks=one_deck),
        replace(law_opening, dealing="manual_shoe", shuffler="none", decks=one_deck),
    ]


def fits_opening(opening: Opening, way: str) -> bool:
    """Whether a table may be opened wrongly in this way."""
    procedure = opening.law.procedure
    return {
        "opened with a deck not shuffled": True,
        "opened with a deck not cut": procedure.cut is not None and opening.shuffler != "counting",
        "opened with two decks of one colour": opening.in_rotation == 2,
        "opened long before the first round": opening.in_rotation == 1,
        "dealt from the hand without a shuffler": procedure.hand_dealt is not None and opening.dealing == "hand",
        "a second deck without a shuffler": procedure.second_deck is not None
        and opening.in_rotation == 2
        and opening.dealing != "hand",
        "the old devices still there": procedure.device_removed is not None,
    }[way]
