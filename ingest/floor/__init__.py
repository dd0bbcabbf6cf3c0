"""A simulated floor: tables that deal, pay and err as real ones do, reproducible from a seed.

An honest floor keeps the law, also where something goes wrong at a table. With `faults`, a share of the rounds has one
wrong planted in it, and a label says which. The rounds are dealt here; what they are owed comes from `rules`.
"""

from ingest.floor.faults import CODES, LATE, codes
from ingest.floor.felt import Label
from ingest.floor.shift import GAMES, Shift, simulate

__all__ = ["CODES", "GAMES", "LATE", "Label", "Shift", "codes", "simulate"]
