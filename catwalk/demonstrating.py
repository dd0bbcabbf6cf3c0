"""`catwalk demo`: a floor with known wrongs, from its first event to the pages."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Final

import polars as pl
import typer
from rich.console import Console

from catwalk import flooring
from catwalk.auditing import Tally, by_code
from catwalk.folders import log_in
from catwalk.living import follow, ingest
from catwalk.serving import serve
from catwalk.showing import show
from catwalk.simulating import simulate
from catwalk.terminal import Misuse, out
from dashboards import queries
from detectors.published import Reader

TABLES: Final = 6
ROUNDS: Final = 120
SEED: Final = 20
FAULTS: Final = 0.06
MARK: Final = "made-by-catwalk-demo"
KEY: Final = ("code", "table", "round")
SERVE: Final = "DEMO_SERVE"


def demo(
    data: Annotated[Path, typer.Option(metavar="DIR", help="Where the demo's data goes.")] = Path("demo-data"),
    port: Annotated[int, typer.Option(min=1, max=65535, metavar="N")] = 8501,
) -> None:
    """Simulate a floor with known wrongs, audit it, show what was found, and serve the pages."""
    console = out()
    _emptied(data)
    events, labels = data / "floor.jsonl", data / "planted.csv"
    _step(console, f"1. A floor: {TABLES} tables, {ROUNDS} rounds each, a wrong planted in some of them")
    simulate(to=events, tables=TABLES, rounds=ROUNDS, seed=SEED, faults=FAULTS, labels=labels)
    _step(console, "2. Its events into the log")
    ingest([str(events)], data)
    _step(console, "3. The pipeline reads the log to its end")
    follow(data, once=True, most=8)
    _step(console, "4. What was found beside what was planted")
    with Reader.open(data) as reader:
        found = reader.findings()
        covered = queries.coverage(reader)
    _compare(console, found, pl.read_csv(labels, schema_overrides={"round": pl.Int64}))
    console.print(f"Coverage: {covered.words}.")
    disputed = found.filter(pl.col("round").is_not_null() & pl.col("wager").is_not_null()).sort(
        pl.col("amount").abs(), descending=True
    )
    if disputed.height:
        table, round = disputed.row(0, named=True)["table"], disputed.row(0, named=True)["round"]
        _step(console, f"5. The round with the most at stake: catwalk show {table} {round} --data {data}")
        show(table, round, data=data)
    _step(console, "Where to look next")
    console.print(f"catwalk audit {events} --findings findings.csv --settlements settlements.parquet", soft_wrap=True)
    console.print("catwalk explain PAY01")
    console.print("catwalk rules three-card-poker --odds")
    console.print(f"catwalk dashboard --data {data}")
    if sys.stdout.isatty() and os.environ.get(SERVE, "1") != "0":
        # It stops when this process does, which Streamlit takes over.
        subprocess.Popen([sys.executable, "-m", "catwalk.flooring", str(data)], stdin=subprocess.DEVNULL)
        console.print(
            f"\nThe pages are at http://127.0.0.1:{port} until Ctrl-C, with {flooring.TABLES} more tables dealing live.",
            style="bold",
        )
        serve(data, port)


def _step(console: Console, words: str) -> None:
    console.print()
    console.print(words, style="bold cyan")


def _emptied(data: Path) -> None:
    """A fresh folder. One that the demo did not make itself is nobody's to empty."""
    if data.exists() and not (data / MARK).exists():
        raise Misuse(f"{data}: is there already and was not made by the demo; name another folder with --data")
    shutil.rmtree(data, ignore_errors=True)
    data.mkdir(parents=True)
    (data / MARK).touch()
    with log_in(data, made=True):
        pass


def _compare(console: Console, found: pl.DataFrame, planted: pl.DataFrame) -> None:
    tallies: dict[str, Tally] = {}
    for code, amount in found.select("code", "amount").iter_rows():
        tallies.setdefault(code, Tally()).add(code, amount)
    console.print(by_code(tallies))
    told = planted.join(found.select(KEY).unique(), on=KEY, how="semi", nulls_equal=True).height
    unplanned = found.join(planted.select(KEY), on=KEY, how="anti", nulls_equal=True).height
    console.print(
        f"Planted {planted.height}, found {told}; {unplanned} findings that nobody planted.",
        style="bold green" if told == planted.height and not unplanned else "bold red",
    )
