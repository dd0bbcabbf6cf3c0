"""`catwalk show`: one round step by step, from the log or straight from a file."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import polars as pl
import typer
from rich.console import Console
from rich.text import Text

from catwalk.folders import DEFAULT, DataFolder, log_in
from catwalk.terminal import Misuse, card, dollars, listing, out, printable, progress, severity
from dashboards.story import Line, Story, stories
from ingest import files
from replay import pieces


def show(
    table: Annotated[str, typer.Argument(metavar="TABLE")],
    round: Annotated[int, typer.Argument(metavar="ROUND", min=1)],
    *,
    file: Annotated[
        list[str] | None, typer.Option(metavar="FILE", help="Events to take it from, instead of the log.")
    ] = None,
    data: DataFolder = DEFAULT,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object for a program.")] = False,
) -> None:
    """Show a round step by step: its events, the hands, and every wager with its clause."""
    source = ", ".join(file) if file else str(data)
    events = _from_files(file, table) if file else _from_log(data, table)
    told = stories(pieces.ascending(events), table, round)
    if not told:
        raise Misuse(f"table {table} has no round {round} in {source}")
    if as_json:
        # A number used twice is a fault of the gateway: the program gets both, as it gets one.
        typer.echo(json.dumps({"rounds": [asdict(each) for each in told]}, default=str, ensure_ascii=False))
        return
    console = out()
    for each in told:
        tell(each, console)


def _from_log(data: Path, table: str) -> Iterator[pl.DataFrame]:
    with log_in(data, made=False) as log:
        yield log.table_events(table).drop("position")


def _from_files(sources: list[str], table: str) -> Iterator[pl.DataFrame]:
    with progress("reading", files.size(sources) or None) as bar:
        for chunk in files.read(sources):
            bar.advance(chunk.size)
            yield chunk.frame.filter(pl.col("table") == table)


def tell(story: Story, console: Console) -> None:
    console.print(Text(f"Table {story.table}, round {story.round}", "bold"))
    facts = [story.title]
    facts += [f"edition {story.edition}"] if story.edition else []
    facts += [f"dealer {story.dealer}"] if story.dealer else []
    facts += [f"deck {story.deck}"] if story.deck else []
    console.print(printable(f"{', '.join(facts)}; began {story.began_at:%Y-%m-%d %H:%M:%S} UTC"))
    if story.voided:
        console.print("The round was declared void.", style="yellow")
    if story.incident:
        console.print(f"Incident: {printable(story.incident)}", style="yellow")
    if story.reason:
        console.print(f"Not all of it is derived: {printable(story.reason)}", style="yellow")
    console.print()
    for line in story.lines:
        console.print(_line(line), soft_wrap=True)
    console.print()
    console.print(_hands(story))
    console.print()
    console.print(_wagers(story))
    console.print(f"{story.derived} of {story.wagers} wagers derived", style="dim")
    console.print()
    if not story.findings:
        whole = story.derived == story.wagers and not story.reason
        console.print(
            "No findings." if whole else "No findings in what could be derived.", style="green" if whole else ""
        )
    for finding in story.findings:
        console.print(
            Text.assemble(
                (f"{finding.code} {finding.name} ", "bold"),
                severity(finding.severity),
                f"  {printable(finding.message)}",
                (f"  {finding.clause}" if finding.clause else "", "dim"),
            ),
            soft_wrap=True,
        )


def _line(line: Line) -> Text:
    before, shown, after = line.parts
    text = Text.assemble((f"{line.seq:>6}  {line.at:%H:%M:%S}  ", "dim"), printable(before))
    if shown is not None:
        text.append_text(card(shown)).append(printable(after))
    if line.remark:
        text.append(("  " if line.sentence else "") + line.remark, "bold yellow")
    return text


def _hands(story: Story) -> object:
    table = listing("hand", "cards", "makes", "decision")
    for held in story.holdings:
        cards_ = Text(" ").join(card(name) for name in held.cards)
        table.add_row(held.whose, cards_, held.words, printable(held.choice or ""))
    return table


def _wagers(story: Story) -> object:
    table = listing("seat", "wager", "stake", "owed", "paid", "clause", "because", right=("stake", "owed", "paid"))
    bettors: dict[int, set[str | None]] = {}
    for each in story.settlements:
        bettors.setdefault(each.seat, set()).add(each.player)
    for each in story.settlements:
        right = each.owed == each.paid
        whose = f" {printable(each.player or '')}" if len(bettors[each.seat]) > 1 else ""
        table.add_row(
            str(each.seat) + (f" hand {each.hand}" if each.hand > 1 else "") + whose,
            printable(each.wager),
            dollars(each.stake) if each.stake else "",
            Text("?" if each.owed is None else dollars(each.owed, signed=True)),
            Text(dollars(each.paid, signed=True), "" if right or each.owed is None else "bold red"),
            each.clause or "",
            printable(each.because),
        )
    return table
