"""Floors that several tests look at, dealt once."""

from functools import cache

import msgspec

from ingest.events import AnyEvent
from ingest.floor import Label, simulate

# Tables, rounds a table, seed, share of rounds with a wrong.
HONEST = (42, 60, 7)
LONG = (3, 500, 11)
FAULTY = (30, 90, 5, 0.5)
FEW_FAULTS = (16, 60, 8, 0.1)
CROWDED = (40, 60, 3, 0.3)

_DECODER = msgspec.json.Decoder(AnyEvent)


@cache
def floor(
    arguments: tuple[int, int, int] | tuple[int, int, int, float], game: str | None
) -> tuple[list[bytes], list[Label]]:
    shifts = list(simulate(*arguments, game=game))
    return [line for shift in shifts for line in shift.lines], [label for shift in shifts for label in shift.labels]


@cache
def events(arguments: tuple[int, int, int] | tuple[int, int, int, float], game: str | None) -> list[AnyEvent]:
    return [_DECODER.decode(line) for line in floor(arguments, game)[0]]
