from collections.abc import Callable

import polars as pl
import pytest

from detectors.audit import Audited
from ingest import floor, frame

Floor = Callable[..., pl.DataFrame]


@pytest.fixture(scope="session")
def events_of() -> Floor:
    """A simulated floor as an event frame, dealt once for each set of arguments."""
    dealt: dict[tuple[object, ...], pl.DataFrame] = {}

    def events(tables: int, rounds: int, seed: int, faults: float = 0.0, game: str | None = None) -> pl.DataFrame:
        key = (tables, rounds, seed, faults, game)
        if key not in dealt:
            lines = [line for shift in floor.simulate(*key[:3], faults=faults, game=game) for line in shift.lines]
            dealt[key] = frame.from_contents(lines)
        return dealt[key]

    return events


def rows(audited: list[Audited]) -> dict[str, list[dict[str, object]]]:
    """Everything the batches said, in an order that does not depend on how they were cut."""
    return {
        kind: sorted(
            (row for batch in audited for row in getattr(batch, kind).to_dicts()),
            key=lambda row: repr(sorted(row.items())),
        )
        for kind in ("findings", "settlements", "rounds")
    }


@pytest.fixture(scope="session")
def all_rows() -> Callable[[list[Audited]], dict[str, list[dict[str, object]]]]:
    return rows
