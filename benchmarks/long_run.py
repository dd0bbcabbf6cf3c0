"""A floor too long for `make bench`, audited to its end, with what the audit held in memory all the way.

`BENCH_EVENTS` says how long it is; without it 300 million events.
"""

import os
import sys
import tempfile
from pathlib import Path
from typing import Final

from rich.console import Console

from benchmarks import measuring
from benchmarks.dealing import dealt
from benchmarks.measuring import MIB, Run, watched

EVENTS: Final = int(os.environ.get("BENCH_EVENTS", "300000000"))
POINTS: Final = 20
BARS: Final = "▁▂▃▄▅▆▇█"

console = Console(width=None if sys.stdout.isatty() else 140)


def curve(run: Run) -> list[tuple[float, int]]:
    """The most that was held in each of so many stretches of the time."""
    stretch = run.seconds / POINTS
    return [
        (
            (place + 1) * stretch,
            max((held for at, held in run.memory if place * stretch <= at < (place + 1) * stretch), default=0),
        )
        for place in range(POINTS)
    ]


def drawn(points: list[tuple[float, int]]) -> str:
    most = max(held for _, held in points)
    return "".join(BARS[held * (len(BARS) - 1) // most] for _, held in points)


def main() -> None:
    floor = dealt(EVENTS)
    console.print(f"{floor.events:,} events in {floor.folder}", highlight=False, soft_wrap=True)
    with tempfile.TemporaryDirectory(prefix="catwalk-bench-") as folder:
        out = [f"--{what}={Path(folder) / what}.parquet" for what in ("findings", "settlements")]
        run = watched(["catwalk.command", "audit", *map(str, floor.files), *out, "--json"])
    figures = run.figures
    if figures["findings"] != floor.wrongs or figures["derived"] != figures["wagers"]:
        raise SystemExit(f"{figures} of a floor with {floor.wrongs}, all of which can be derived")
    points = curve(run)
    events, rounds, wagers = (f"{figures[name]:,}" for name in ("events", "rounds", "wagers"))
    told = [
        f"{events} events, {rounds} rounds and {wagers} wagers of {floor.tables} tables in {run.seconds:,.0f} s "
        f"({run.processor:,.0f} s of processor time): {figures['events'] / run.seconds:,.0f} events a second.",
        f"All {sum(floor.wrongs.values()):,} wrongs found, nothing else. At most {run.peak / MIB:,.0f} MiB of memory:",
    ]
    for line in (*told, drawn(points), measuring.machine()):
        console.print(line, highlight=False, soft_wrap=True)
    rows = [[f"{at:,.0f}", f"{held / MIB:,.0f}"] for at, held in points]
    setting = [f"BENCH_EVENTS={os.environ['BENCH_EVENTS']}"] if "BENCH_EVENTS" in os.environ else []
    command = " ".join([*setting, "make bench-long"])
    measuring.write(
        "long-run",
        [
            f"`{command}`",
            "",
            *told,
            "",
            f"`{drawn(points)}`",
            "",
            *measuring.markdown(("until second", "at most MiB"), rows),
            "",
            f"{measuring.machine()}.",
        ],
    )


if __name__ == "__main__":
    main()
