"""The audit beside what a user would do instead, each contestant in its own process on the same sealed files.

`BENCH_EVENTS` says how large the floor is (10 million without it), `BENCH_GAME_EVENTS` that of each game alone,
`BENCH_LOOP_EVENTS` that of the plain loops, `BENCH_TIMES` how often each is run; the best time counts. The floors are dealt once,
into the cache.
"""

import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import polars as pl
from rich.console import Console
from rich.table import Table

from benchmarks import measuring
from benchmarks.dealing import Floor, dealt
from benchmarks.loop.rankers import RANKERS
from benchmarks.measuring import MIB, Run, watched
from ingest import files
from rules.games import GAMES

MILLION: Final = 1_000_000
EVENTS: Final = int(os.environ.get("BENCH_EVENTS", "10000000"))
GAME_EVENTS: Final = int(os.environ.get("BENCH_GAME_EVENTS", "2000000"))
LOOP_EVENTS: Final = int(os.environ.get("BENCH_LOOP_EVENTS", "400000"))
JSONL_EVENTS: Final = min(EVENTS, 2 * MILLION)
TIMES: Final = int(os.environ.get("BENCH_TIMES", "2"))
LOOP_WRONGS: Final = 0.01
RANKED: Final = {"ranking": 10 * MILLION, "ranking-phevaluator": MILLION // 2}
COMMAND: Final = "make bench"
SETTINGS: Final = ("BENCH_EVENTS", "BENCH_GAME_EVENTS", "BENCH_LOOP_EVENTS", "BENCH_TIMES")

console = Console(width=None if sys.stdout.isatty() else 140)


@dataclass(frozen=True, slots=True)
class Measured:
    events: int
    seconds: float
    processor: float
    peak: int

    @property
    def rate(self) -> float:
        return self.events / self.seconds

    @property
    def micros(self) -> float:
        """Of processor time an event, which a busy machine changes less."""
        return self.processor / self.events * 1e6


@dataclass(slots=True)
class Part:
    """A table of results, for the terminal and for the page."""

    title: str
    header: Sequence[str]
    rows: list[list[str]]

    def tell(self) -> None:
        table = Table(*self.header, title=self.title)
        for column in table.columns[1:]:
            column.justify = "right"
        for row in self.rows:
            table.add_row(*row)
        console.print(table)

    def lines(self) -> list[str]:
        return ["", f"**{self.title}**", "", *measuring.markdown(self.header, self.rows)]


def best(arguments: Sequence[str]) -> Run:
    return min((watched(arguments) for _ in range(TIMES)), key=lambda run: run.seconds)


def audited(floor: Floor, sources: Sequence[Path] | None = None) -> Measured:
    """`catwalk audit` to findings and settlements on the disk, held against the wrongs that were planted."""
    with tempfile.TemporaryDirectory(prefix="catwalk-bench-") as folder:
        out = [f"--{what}={Path(folder) / what}.parquet" for what in ("findings", "settlements")]
        run = best(["catwalk.command", "audit", *map(str, sources or floor.files), *out, "--json"])
        findings = pl.read_parquet(Path(folder) / "findings.parquet")
    figures = run.figures
    if figures["events"] != floor.events or figures["wagers"] != figures["derived"]:
        raise SystemExit(f"{floor.folder}: {figures} of {floor.events:,} events, all wagers of which can be derived")
    _compare(floor, ["code", "table", "round", "seat", "hand", "wager", "amount"], findings)
    return Measured(floor.events, run.seconds, run.processor, run.peak)


def _compare(floor: Floor, place: list[str], found: pl.DataFrame) -> None:
    planted = floor.labels.select(place).sort(place)
    told = found.select(pl.col(name).cast(planted.schema[name]) for name in place).sort(place)
    if not told.equals(planted):
        raise SystemExit(f"{floor.folder}: {told.height:,} wrongs found are not the {planted.height:,} planted")


def scanned(floor: Floor) -> Measured:
    return _without_its_start(floor, best(["benchmarks.contestant", "scan", *map(str, floor.files)]))


def looped(ranker: str, floor: Floor) -> Measured:
    run = best(["benchmarks.contestant", ranker, *map(str, floor.files)])
    place = ["table", "round", "seat", "hand", "wager", "amount"]
    _compare(floor, place, pl.DataFrame(run.figures["wrongs"], schema=place, orient="row"))
    return _without_its_start(floor, run)


def _without_its_start(floor: Floor, run: Run) -> Measured:
    """On a short floor the start of Python would weigh more than the work: theirs is left out, ours is not."""
    return Measured(floor.events, run.figures["seconds"], run.figures["processor"], run.peak)


# The tables


def contestants(floor: Floor, ours: Measured, loops: dict[str, Measured]) -> Part:
    scan = scanned(floor)
    rows = [
        ("catwalk audit, all detectors", ours),
        ("Polars: scan and group, no rules", scan),
        *((f"a loop with {name}, payouts only", loop) for name, loop in loops.items()),
    ]
    return Part(
        "Contestants, all four games",
        ("what", "events", "events a second", "the audit is", "seconds", "processor, µs an event", "memory, MiB"),
        [
            [
                name,
                f"{measured.events:,}",
                f"{measured.rate:,.0f}",
                f"{ours.rate / measured.rate:.2f} ×",
                f"{measured.seconds:,.1f}",
                f"{measured.micros:,.2f}",
                f"{measured.peak / MIB:,.0f}",
            ]
            for name, measured in rows
        ],
    )


def by_game() -> Part:
    rows = []
    for game in GAMES:
        ours = audited(dealt(GAME_EVENTS, game))
        loops = [looped(name, dealt(LOOP_EVENTS // 2, game, LOOP_WRONGS)) for name in RANKERS]
        ratios = [f"{ours.rate / loop.rate:.1f} × {loop.rate:,.0f}" for loop in loops]
        rows.append([game, f"{ours.events:,}", f"{ours.rate:,.0f}", *ratios])
    return Part(
        "Game by game", ("game", "events", "events a second", *(f"× the {name} loop" for name in RANKERS)), rows
    )


def growth(largest: Measured) -> Part:
    sizes = [size for size in (MILLION, 10 * MILLION, 100 * MILLION) if size < EVENTS]
    runs = [*(audited(dealt(size)) for size in sizes), largest]
    rows = []
    for before, run in zip([None, *runs], runs, strict=False):
        times = f"{run.events / before.events:.1f} × → {run.seconds / before.seconds:.1f} ×" if before else ""
        rows.append(
            [
                f"{run.events:,}",
                f"{run.seconds:,.1f}",
                f"{run.micros:,.2f}",
                f"{run.rate:,.0f}",
                times,
                f"{run.peak / MIB:,.0f}",
            ]
        )
    return Part(
        "Growth",
        ("events", "seconds", "processor, µs an event", "events a second", "events → seconds", "memory, MiB"),
        rows,
    )


def forms() -> Part:
    floor = dealt(JSONL_EVENTS)
    parquet = audited(floor)
    lines = audited(floor, [_lines(file) for file in floor.files])
    return Part(
        "The form of the input",
        ("form", "events", "events a second", "of Parquet's"),
        [
            [name, f"{run.events:,}", f"{run.rate:,.0f}", f"{run.rate / parquet.rate:.0%}"]
            for name, run in (("Parquet", parquet), ("JSON lines", lines))
        ],
    )


def _lines(file: Path) -> Path:
    """The same events as JSON lines, made once beside the file."""
    lines = file.with_suffix(".jsonl")
    if not lines.exists():
        files.write(lines, (chunk.frame for chunk in files.read([file])))
    return lines


def ranking() -> Part:
    rates = {}
    for name, hands in RANKED.items():
        runs = (watched(["benchmarks.contestant", name, str(hands)]) for _ in range(TIMES))
        rates[name] = hands / min(run.figures["seconds"] for run in runs)
    ours, theirs = rates.values()
    return Part(
        "The best five of seven cards",
        ("what", "hands a second", "ratio"),
        [
            ["rules/ranking.py, in bulk", f"{ours:,.0f}", f"{ours / theirs:.0f} ×"],
            ["phevaluator, one by one", f"{theirs:,.0f}", "1 ×"],
        ],
    )


def main() -> None:
    chosen = [f"{name}={os.environ[name]}" for name in SETTINGS if name in os.environ]
    floor, short = dealt(EVENTS), dealt(LOOP_EVENTS, wrongs=LOOP_WRONGS)
    console.print(f"{floor.events:,} events in {floor.folder}", highlight=False, soft_wrap=True)
    ours = audited(floor)
    audited(short)  # ours and the loops find the same wrongs on the same rounds
    loops = {name: looped(name, short) for name in RANKERS}
    startup = watched(["catwalk.command", "--help"]).seconds
    parts = []
    for part in (partial(contestants, floor, ours, loops), by_game, partial(growth, ours), forms, ranking):
        parts.append(part())
        parts[-1].tell()
    notes = [
        f"The audit is timed as a whole process, from the start of Python ({startup:.1f} s) to the last row on the disk;",
        "the others from when they are loaded.",
        f"Best of {TIMES}. {measuring.machine()}.",
    ]
    for note in notes:
        console.print(note, highlight=False, soft_wrap=True)
    command = " ".join([*chosen, COMMAND])
    measuring.write("casino-year", [f"`{command}`", *(line for part in parts for line in part.lines()), "", *notes])


if __name__ == "__main__":
    main()
