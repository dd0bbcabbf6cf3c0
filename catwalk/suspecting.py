"""`catwalk statistics`: a period in files of events, and what chance does not explain in it."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from catwalk import exports
from catwalk.auditing import Report, pieces_of, refuse_to_overwrite
from catwalk.terminal import Misuse, listing, out, printable, progress
from detectors.audit import derivations
from detectors.catalogue import STATISTICS
from detectors.finding import SCHEMA as FINDINGS
from detectors.statistics.period import Gathering, Period
from detectors.statistics.verdict import ALPHA, Verdict
from ingest import files


def statistics(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE…",
            help="Events of the period: .jsonl, .jsonl.gz, .jsonl.zst, .parquet or kafka://HOST:PORT/TOPIC.",
        ),
    ],
    *,
    findings: Annotated[
        Path | None, typer.Option(metavar="OUT", help="Write the alarms as findings here: .jsonl, .csv or .parquet.")
    ] = None,
    alpha: Annotated[
        float,
        typer.Option(metavar="RATE", help="False alarms: the share of honest periods in which a test may have any."),
    ] = ALPHA,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object for a program.")] = False,
) -> None:
    """Say what shows only over many rounds: error rates, favours, voids, shuffles and hole-card play that chance does
    not explain."""
    if not 0 < alpha < 1:
        raise Misuse(f"--alpha {alpha}: is a share of honest periods, between 0 and 1, such as 0.001")
    refuse_to_overwrite(sources, findings)
    file = exports.checked(findings, "findings") if findings is not None else None
    report = Report()
    period = _period(sources, report)
    verdicts = {each.code: each.says(period, alpha) for each in STATISTICS}
    if file is not None:
        exports.write(file, FINDINGS, (each.findings(verdicts[each.code], period) for each in STATISTICS))
    if as_json:
        typer.echo(json.dumps(_figures(period, verdicts, alpha, report)))
        return
    _tell(period, verdicts, alpha, report, out())
    if file is not None:
        out().print(f"The findings are in {file}", soft_wrap=True)


def _period(sources: list[str], report: Report) -> Period:
    gathering = Gathering()
    with progress("reading", files.size(sources) or None) as bar:
        for derivation in derivations(pieces_of(sources, report, bar)):
            gathering.add(derivation)
    return gathering.period()


def _figures(period: Period, verdicts: Mapping[str, Verdict], alpha: float, report: Report) -> dict[str, object]:
    return {
        "began_at": period.began_at.isoformat() if period.began_at else None,
        "ended_at": period.ended_at.isoformat() if period.ended_at else None,
        "rounds": int(period.blocks["rounds"].sum()),
        "underived": period.underived,
        "dead_letters": report.summary.dead_letters,
        "alpha": alpha,
        "tests": {
            each.code: {
                "name": each.name,
                "hypothesis": each.hypothesis,
                "comparisons": verdicts[each.code].comparisons,
                "alarms": verdicts[each.code].alarms.to_dicts(),
            }
            for each in STATISTICS
        },
    }


def _tell(period: Period, verdicts: Mapping[str, Verdict], alpha: float, report: Report, console: Console) -> None:
    rounds = int(period.blocks["rounds"].sum())
    if not rounds:
        console.print("No round in these events could be derived, so nothing was tested.", style="yellow")
        return
    console.print(f"{rounds:,} rounds from {period.began_at:%Y-%m-%d %H:%M} to {period.ended_at:%Y-%m-%d %H:%M} UTC")
    if period.underived:
        console.print(f"{period.underived:,} more could not be derived, and count for nothing", style="yellow")
    if report.summary.dead_letters:
        console.print(f"{report.summary.dead_letters:,} dead letters are not among them", style="yellow")
    right = ("comparisons", "false alarms", "alarms")
    table = listing("code", "name", "on an honest floor", *right, right=right)
    for each in STATISTICS:
        verdict = verdicts[each.code]
        alarms = verdict.alarms.height
        asked = verdict.comparisons
        table.add_row(
            *(each.code, each.name, each.hypothesis, f"{asked:,}", f"{alpha:g}" if asked else "–", f"{alarms:,}"),
            style="bold" if alarms else "",
        )
    console.print()
    console.print(table)
    console.print(
        "false alarms: the share of honest periods in which a test has any, all its comparisons together", style="dim"
    )
    for each in STATISTICS:
        for message in verdicts[each.code].alarms["message"]:
            console.print()
            console.print(f"{each.code} {printable(message)}")
    if all(verdict.alarms.is_empty() for verdict in verdicts.values()):
        console.print()
        console.print("Nothing that chance does not explain.", style="green")
    else:
        console.print()
        console.print(
            "An alarm is a reason to look, not a proof: catwalk explain CODE says what each is blind to.", style="dim"
        )
