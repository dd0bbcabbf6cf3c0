"""The floor day by day, as files in a cache outside the checkout: complete, or not there."""

import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Final

import polars as pl

from benchmarks.dealing import (
    felt,
    heads_up_holdem,
    owing,
    spanish_21,
    tables,
    three_card_draw_poker,
    three_card_poker,
)
from benchmarks.dealing.tables import Table
from ingest import files

PLAYS: Final[dict[str, felt.Play]] = {
    "three-card-poker": three_card_poker.play,
    "three-card-draw-poker": three_card_draw_poker.play,
    "heads-up-holdem": heads_up_holdem.play,
    "spanish-21": spanish_21.play,
}
TABLES: Final = 100
SEED: Final = 1
WRONGS: Final = 0.001
EVENTS_A_ROUND: Final = 33  # near enough to say how many tables a last day takes
LABELS, FIGURES = "labels.parquet", "figures.json"


@dataclass(frozen=True, slots=True)
class Floor:
    """What was dealt, and where it lies."""

    folder: Path
    events: int
    rounds: int
    tables: int
    wrongs: dict[str, int] = field(default_factory=dict)
    amount: int = 0

    @property
    def files(self) -> list[Path]:
        return sorted(self.folder.glob("20*.parquet"))

    @property
    def labels(self) -> pl.DataFrame:
        return pl.read_parquet(self.folder / LABELS)


def cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "catwalk-bench"


def dealt(
    events: int, game: str | None = None, wrongs: float = WRONGS, *, tables: int = TABLES, seed: int = SEED
) -> Floor:
    """A floor of about so many events, from the cache or dealt now; at most so many tables are open."""
    folder = cache() / f"{game or 'all-games'}-{events}-wrongs-{wrongs}-tables-{tables}-seed-{seed}-{_version()}"
    if not (folder / FIGURES).exists():
        shutil.rmtree(folder, ignore_errors=True)
        draft = folder.with_name(f".{folder.name}.{os.getpid()}")
        draft.mkdir(parents=True)
        try:
            _deal(draft, events, game, wrongs=wrongs, most=tables, seed=seed)
            draft.rename(folder)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    figures = json.loads((folder / FIGURES).read_text("utf-8"))
    return Floor(folder=folder, **figures)


def _version() -> str:
    """Of this package: what another version of it dealt is not the same floor."""
    sources = sorted(Path(__file__).parent.glob("*.py"))
    return hashlib.blake2b(b"".join(source.read_bytes() for source in sources), digest_size=4).hexdigest()


def _deal(folder: Path, events: int, game: str | None, *, wrongs: float, most: int, seed: int) -> None:
    dealt, rounds, number, opened = 0, 0, 0, 0
    seqs: dict[int, int] = {}
    labels: list[pl.DataFrame] = []
    while dealt < events:
        wanted = -(-(events - dealt) // (felt.ROUNDS * EVENTS_A_ROUND))
        floor = tables.tables(min(most, wanted), game)
        date = (felt.OPENS + timedelta(days=number)).date()
        dealt += files.write(
            folder / f"{date}.parquet", _day(number, floor, wrongs=wrongs, seed=seed, seqs=seqs, labels=labels)
        )
        rounds += len(floor) * felt.ROUNDS
        opened = max(opened, len(floor))
        number += 1
    wrong = pl.concat(labels) if labels else pl.DataFrame(schema=owing.LABELS)
    wrong.write_parquet(folder / LABELS)
    by_code = dict(wrong.group_by("code").len().sort("code").iter_rows())
    figures = Floor(folder, dealt, rounds, opened, by_code, int(wrong["amount"].sum()))
    told = {name: value for name, value in asdict(figures).items() if name != "folder"}
    (folder / FIGURES).write_text(json.dumps(told), "utf-8")


def _day(
    number: int, floor: list[Table], *, wrongs: float, seed: int, seqs: dict[int, int], labels: list[pl.DataFrame]
) -> Iterator[pl.DataFrame]:
    """Each table's events of the day, in the order of the tables."""
    found: dict[int, felt.Told] = {}
    for name, play in PLAYS.items():
        mine = [table for table in floor if table.game.name == name]
        if not mine:
            continue
        day = felt.day(number, mine, seed)
        felt.around(day)
        labels.append(play(day, wrongs))
        found |= {told.table.index: told for told in felt.told(day, seqs)}
    for index in sorted(found):
        yield found.pop(index).stamped


def honest_day(number: int) -> pl.DataFrame:
    """A gaming day of so many tables without any wrong, not on any disk."""
    return pl.concat(_day(0, tables.tables(number), wrongs=0.0, seed=SEED, seqs={}, labels=[]))
