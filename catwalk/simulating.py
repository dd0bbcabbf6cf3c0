"""`catwalk simulate`: a floor that keeps the law, or one with known wrongs planted in it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final

import msgspec
import polars as pl
import typer

from catwalk import exports
from catwalk.terminal import Misuse, out, progress
from ingest import files, frame
from ingest.floor import GAMES, Label
from ingest.floor import simulate as floor

LABELS: Final[dict[str, pl.DataType]] = {
    "code": pl.String(),
    "table": pl.String(),
    "round": pl.Int64(),
    "seat": pl.Int16(),
    "wager": pl.String(),
    "amount": pl.Int64(),
}


def simulate(
    *,
    to: Annotated[Path, typer.Option("--out", metavar="FILE", help="Events: .jsonl, .jsonl.gz, .jsonl.zst, .parquet.")],
    tables: Annotated[int, typer.Option(min=1, metavar="N", help="How many tables.")] = 4,
    rounds: Annotated[int, typer.Option(min=1, metavar="N", help="How many rounds each of them deals.")] = 100,
    seed: Annotated[int, typer.Option(metavar="S", help="The same seed gives the same bytes.")] = 1,
    faults: Annotated[
        float, typer.Option(min=0, max=1, metavar="RATE", help="The share of rounds with one wrong planted in each.")
    ] = 0.0,
    labels: Annotated[
        Path | None, typer.Option(metavar="FILE", help="What was planted where: .jsonl, .csv or .parquet.")
    ] = None,
    game: Annotated[str | None, typer.Option(metavar="G", help=f"Only this game: {', '.join(GAMES)}.")] = None,
) -> None:
    """Deal a floor's worth of rounds into a file, honest or with labelled wrongs."""
    if game is not None and game not in GAMES:
        raise Misuse(f"--game {game}: no such floor; there is one for {', '.join(GAMES)}")
    if not to.parent.is_dir():
        raise Misuse(f"{to}: there is no folder {to.parent} to write events to")
    planted: list[Label] = []
    labelled = None if labels is None else exports.checked(labels, "labels")
    if labelled is not None and labelled.resolve() == to.resolve():
        raise Misuse(f"{to}: events and labels cannot be written to one file")
    with progress("dealing", tables * rounds) as bar:

        def shifts() -> Iterator[pl.DataFrame]:
            for shift in floor(tables, rounds, seed, faults, game=game):
                planted.extend(shift.labels)
                ended = sum(b'"type":"round_ended"' in line for line in shift.lines)
                bar.advance(ended)
                yield frame.from_contents(shift.lines)

        events = files.write(to, shifts())
    if labelled is not None:
        exports.write(labelled, LABELS, [label_rows(planted)])
    console = out()
    console.print(
        f"{events:,} events of {tables * rounds:,} rounds at {_count(tables, 'table')} in {to}", soft_wrap=True
    )
    if faults or labelled is not None:
        where = "" if labelled is None else f", labelled in {labelled}"
        console.print(f"{_count(len(planted), 'wrong')} planted{where}", soft_wrap=True)
    console.print(f"Audit it: catwalk audit {to}", style="dim", soft_wrap=True)


def label_rows(labels: list[Label]) -> pl.DataFrame:
    return pl.DataFrame([msgspec.structs.asdict(label) for label in labels], schema=LABELS)


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"
