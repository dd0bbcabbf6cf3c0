"""`catwalk audit`: files of events in, findings and settlements out, and the whole of it in figures."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Final

import polars as pl
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from catwalk import exports, supposing
from catwalk.supposing import Supposition
from catwalk.terminal import Bar, Misuse, dollars, listing, out, printable, progress, severity
from detectors import crew
from detectors.audit import SETTLEMENTS, Audited, Summary, audits
from detectors.catalogue import BY_CODE
from detectors.finding import SCHEMA as FINDINGS
from ingest import files
from ingest.wire import DeadLetter
from replay import pieces
from replay.pieces import Part
from replay.what_if import DIFFERENCES

SHOWN: Final = 5
# So many rows take longer to audit than processes to start.
CREW_ROWS: Final = 1_000_000
# Of a BET finding the amount is the chips in question; nobody has lost or kept them yet.
IN_QUESTION: Final = "BET"

amount = pl.col("amount")
_RANK: Final = {"critical": 0, "major": 1, "minor": 2, "advisory": 3}


@dataclass(slots=True)
class Tally:
    """What a code came to: how often, what the house lost, what it kept wrongly, and what chips are in question."""

    count: int = 0
    lost: int = 0
    kept: int = 0
    question: int = 0

    def add(self, code: str, amount: int) -> None:
        self.count += 1
        if code.startswith(IN_QUESTION):
            self.question += amount
        elif amount > 0:
            self.lost += amount
        else:
            self.kept -= amount


@dataclass(slots=True)
class Report:
    """The audit as it is told to a person."""

    summary: Summary = field(default_factory=Summary)
    by_code: dict[str, Tally] = field(default_factory=dict)
    underived: Counter[str] = field(default_factory=Counter)
    first: list[dict[str, str | int | None]] = field(default_factory=list)
    dead: list[DeadLetter] = field(default_factory=list)

    def add(self, audited: Audited) -> None:
        self.summary.add(audited)
        for code, cents in audited.findings.select("code", "amount").iter_rows():
            self.by_code.setdefault(code, Tally()).add(code, cents)
        # "events missing before seq 812" and "… seq 90" are one reason.
        reasons = (
            audited.settlements.filter(pl.col("owed").is_null())
            .group_by(reason=pl.col("reason").str.replace_all(r"\bseq \d+", "seq …"))
            .len()
        )
        self.underived.update(dict(reasons.iter_rows()))
        self.first = self._gravest(audited.findings)

    def _gravest(self, findings: pl.DataFrame) -> list[dict[str, str | int | None]]:
        wanted = findings.select("code", "severity", "table", "round", "message", rank=_rank(), size=amount.abs()).sort(
            "rank", "size", "table", "round", descending=[False, True, False, False], nulls_last=True
        )
        known = [*self.first, *wanted.head(SHOWN).iter_rows(named=True)]
        return sorted(known, key=lambda row: (row["rank"], -int(row["size"] or 0)))[:SHOWN]

    def bury(self, dead: Iterable[DeadLetter]) -> None:
        for letter in dead:
            self.summary.dead_letters += 1
            if len(self.dead) < SHOWN:
                self.dead.append(letter)


def _rank() -> pl.Expr:
    return pl.col("severity").replace_strict(_RANK, default=len(_RANK), return_dtype=pl.Int64)


def audit(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE…", help="Events: .jsonl, .jsonl.gz, .jsonl.zst, .parquet or kafka://HOST:PORT/TOPIC."
        ),
    ],
    *,
    findings: Annotated[
        Path | None, typer.Option(metavar="OUT", help="Write the findings here: .jsonl, .csv or .parquet.")
    ] = None,
    settlements: Annotated[
        Path | None, typer.Option(metavar="OUT", help="Write what every wager was owed and paid here.")
    ] = None,
    what_if: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="Say what would have been owed if the tables had been opened so."),
    ] = None,
    what_if_out: Annotated[
        Path | None, typer.Option(metavar="OUT", help="Write every wager that the what-if changes here.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object for a program.")] = False,
) -> None:
    """Derive every round of the files again and say what differs from the law."""
    supposed = Supposition(what_if) if what_if else None
    if supposed is None and what_if_out is not None:
        raise Misuse("--what-if-out: there is no --what-if KEY=VALUE whose differences it could hold")
    outputs = {"findings": findings, "settlements": settlements, "differences": what_if_out}
    refuse_to_overwrite(sources, *outputs.values())
    report = Report()
    schemas = {"findings": FINDINGS, "settlements": SETTLEMENTS, "differences": DIFFERENCES}
    with ExitStack() as stack:
        wanted = {
            what: stack.enter_context(exports.Export(exports.checked(path, what), schemas[what]))
            for what, path in outputs.items()
            if path is not None
        }
        for audited in audited_files(sources, report, supposed):
            for what, export in wanted.items():
                export.add(supposed.rows if supposed and what == "differences" else getattr(audited, what))
        if supposed is not None:
            supposed.check()
        for export in wanted.values():
            export.finish()
    if as_json:
        figures = asdict(report.summary)
        figures["findings"] = dict(sorted(report.summary.findings.items()))
        if supposed is not None:
            figures["what_if"] = supposing.figures(supposed)
        typer.echo(json.dumps(figures))
        return
    tell(report, out())
    if supposed is not None:
        supposing.tell(supposed, out())
    _where_next(report, sources, outputs)


def refuse_to_overwrite(sources: list[str], *outputs: Path | None) -> None:
    wanted = [path.resolve() for path in outputs if path is not None]
    if len(set(wanted)) < len(wanted):
        raise Misuse(f"{wanted[0].name}: two outputs cannot be written to one file")
    for source in sources:
        if Path(source).resolve() in wanted:
            raise Misuse(f"{source}: is read as events and cannot be written over; name another OUT")


def audited_files(sources: list[str], report: Report, supposed: Supposition | None = None) -> Iterator[Audited]:
    """The audit of the files piece by piece, added up in `report` on the way, and beside it in `supposed`."""
    with progress("reading", files.size(sources) or None) as bar:
        if supposed is not None:
            audited_ = supposed.audits(pieces_of(sources, report, bar))
        elif (parts := _worth_a_crew(sources)) is not None:
            audited_ = _by_a_crew(parts, report, bar)
        else:
            audited_ = audits(pieces_of(sources, report, bar))
        for audited in audited_:
            report.add(audited)
            yield audited


def _worth_a_crew(sources: list[str]) -> list[Part] | None:
    """The parts of files that are long enough for processes to be started for them."""
    if files.parquet_rows(sources) < CREW_ROWS:
        return None
    return pieces.parts(sources)


def _by_a_crew(parts: list[Part], report: Report, bar: Bar) -> Iterator[Audited]:
    bar.now("auditing", sum(part.rows for part in parts))
    for part, done in crew.audits(parts):
        report.bury(done.dead)
        bar.advance(0 if part is None else part.rows)
        yield done.audited


def pieces_of(sources: list[str], report: Report, bar: Bar) -> Iterator[pl.DataFrame]:
    """The events of the files in pieces that ascend in every table; what is no event is buried in `report`."""
    read = _Read()
    in_order = pieces.files_in_order(sources)
    parts = pieces.ascending(pieces.ahead(_frames(sources, report, bar, read)), in_order)
    return parts if in_order else _auditing(parts, bar, read)


@dataclass(slots=True)
class _Read:
    rows: int = 0


def _frames(sources: list[str], report: Report, bar: Bar, read: _Read) -> Iterator[pl.DataFrame]:
    for chunk in files.read(sources):
        report.bury(chunk.dead)
        read.rows += chunk.frame.height
        bar.advance(chunk.size)
        yield chunk.frame


def _auditing(parts: Iterator[pl.DataFrame], bar: Bar, read: _Read) -> Iterator[pl.DataFrame]:
    """The pieces, of which the first comes when all files are read."""
    for number, piece in enumerate(parts):
        if number == 0:
            bar.now("auditing", read.rows)
        yield piece
        bar.advance(piece.height)


def tell(report: Report, console: Console) -> None:
    summary = report.summary
    figures = listing("what", "how many", right=("how many",))
    figures.show_header = False
    for name, value in (
        ("events", f"{summary.events:,}"),
        ("dead letters", f"{summary.dead_letters:,}"),
        ("rounds", f"{summary.rounds:,}"),
        ("wagers", f"{summary.wagers:,}"),
        ("derived", f"{summary.derived:,} ({coverage(summary.derived, summary.wagers)})"),
    ):
        figures.add_row(name, value)
    console.print(figures)
    for reason, count in report.underived.most_common(SHOWN):
        console.print(f"  not derived: {count:,} – {printable(reason)}", style="dim")
    console.print()
    if report.by_code:
        console.print(by_code(report.by_code))
        console.print()
        for row in report.first:
            console.print(told(row))
    elif summary.wagers and summary.derived == summary.wagers:
        console.print("Nothing differs from the law.", style="green")
    elif not summary.rounds:
        console.print("No round in these events, so nothing was audited.", style="yellow")
    else:
        console.print(
            f"No findings; {summary.wagers - summary.derived:,} of {summary.wagers:,} wagers could not be derived."
        )
    if report.dead:
        console.print()
        console.print(f"Dead letters: {summary.dead_letters:,}", style="bold")
        for letter in report.dead:
            console.print(f"  {printable(letter.file)}:{letter.line}: {printable(letter.reason)}", soft_wrap=True)
        if summary.dead_letters > len(report.dead):
            console.print(f"  and {summary.dead_letters - len(report.dead):,} more", style="dim")


def coverage(derived: int, wagers: int) -> str:
    """Rounded down: 100 % is said of nothing less than all."""
    return "no wagers" if wagers == 0 else f"{derived * 1000 // wagers / 10:.1f} %"


def by_code(tallies: dict[str, Tally]) -> Table:
    """One line a code, the gravest first."""
    right = ("count", "house lost", "kept wrongly", "in question")
    table = listing("code", "name", "severity", *right, right=right)
    for code in sorted(tallies, key=lambda code: (_RANK[BY_CODE[code].severity], code)):
        tally, detector = tallies[code], BY_CODE[code]
        money = (dollars(sum_) if sum_ else "" for sum_ in (tally.lost, tally.kept, tally.question))
        table.add_row(code, detector.name, severity(detector.severity), f"{tally.count:,}", *money)
    every = Tally(*(sum(getattr(tally, name) for tally in tallies.values()) for name in Tally.__slots__))
    table.add_section()
    table.add_row(
        "",
        "all",
        "",
        f"{every.count:,}",
        dollars(every.lost),
        dollars(every.kept),
        dollars(every.question),
        style="bold",
    )
    return table


def told(row: dict[str, str | int | None]) -> Text:
    where = f"{row['table']}" + ("" if row["round"] is None else f" round {row['round']}")
    return Text.assemble(
        f"{row['code']} ", severity(str(row["severity"])), f"  {where}: {printable(str(row['message']))}"
    )


def _where_next(report: Report, sources: list[str], outputs: Mapping[str, Path | None]) -> None:
    console = out()
    console.print()
    for what, path in outputs.items():
        if path is not None:
            console.print(f"The {what} are in {path}", soft_wrap=True)
    in_a_round = next((row for row in report.first if row["round"] is not None), None)
    if in_a_round is not None:
        files_ = " ".join(f"--file {source}" for source in sources)
        console.print(
            f"The round: catwalk show {in_a_round['table']} {in_a_round['round']} {files_}", style="dim", soft_wrap=True
        )
        console.print(f"What it looks for: catwalk explain {in_a_round['code']}", style="dim")
    if report.first and outputs["findings"] is None:
        console.print("All of them: --findings OUT.csv", style="dim")
