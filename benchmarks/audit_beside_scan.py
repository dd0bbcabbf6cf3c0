"""The audit beside the least anybody could do with the same file: scan it and group cards and wagers by round and seat.

Both run side by side in one process on the same events; the ratio is what counts, rates on a busy machine mean little.
"""

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import polars as pl
from rich.console import Console
from rich.table import Table

from detectors.audit import audits
from ingest import files, floor, frame
from replay import pieces

TABLES, ROUNDS, SEED, TIMES = 10, 1_000, 1, 3


def scan_and_group(file: Path) -> int:
    seat = ["table", "round", "seat"]
    events = pl.scan_parquet(file)
    cards = events.filter(pl.col("type") == "card_dealt").group_by(seat).agg(pl.col("card"))
    wagers = events.filter(pl.col("type") == "wager_placed").group_by(*seat, "wager").agg(pl.col("amount").sum())
    return cards.collect().height + wagers.collect().height


def audit(file: Path) -> int:
    chunks = (chunk.frame for chunk in files.read([file]))
    return sum(
        batch.settlements.height for batch in audits(pieces.ascending(chunks, pieces.files_in_order([str(file)])))
    )


def best_of(run: Callable[[Path], int], file: Path) -> float:
    seconds = []
    for _ in range(TIMES):
        began = time.perf_counter()
        run(file)
        seconds.append(time.perf_counter() - began)
    return min(seconds)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "floor.parquet"
        events = files.write(file, (frame.from_contents(shift.lines) for shift in floor.simulate(TABLES, ROUNDS, SEED)))
        scanned, audited = best_of(scan_and_group, file), best_of(audit, file)
    table = Table("what", "events a second", "times the scan", title=f"{events:,} events of Three Card Poker")
    table.add_row("scan and group, no rules", f"{events / scanned:,.0f}", "1.0")
    table.add_row("catwalk audit, all detectors", f"{events / audited:,.0f}", f"{audited / scanned:.1f}")
    console = Console()
    console.print(table)
    console.print(f"{os.cpu_count()} cores, Polars {pl.__version__}, best of {TIMES}")


if __name__ == "__main__":
    main()
