"""`catwalk explain`: a detector's own manual."""

import json
from dataclasses import asdict
from difflib import get_close_matches
from typing import Annotated

import typer
from rich.padding import Padding
from rich.text import Text

from catwalk.terminal import Misuse, out, severity
from detectors.catalogue import BY_CODE, CATALOGUE, STATISTIC_BY_CODE, STATISTICS, Detector, Statistic


def explain(
    code: Annotated[str, typer.Argument(metavar="CODE", help="PAY01, or its name: overpaid.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object for a program.")] = False,
) -> None:
    """Say what a detector looks for, why, what it is blind to, and by which clauses."""
    detector = _named(code)
    manual = detector.manual
    if as_json:
        about = {"code": detector.code, "name": detector.name, "severity": detector.severity}
        if isinstance(detector, Statistic):
            about |= {"hypothesis": detector.hypothesis, "test": detector.test}
        typer.echo(json.dumps({**about, **asdict(manual), "clauses": detector.clauses}, ensure_ascii=False))
        return
    console = out()
    console.print(Text.assemble((f"{detector.code} {detector.name}", "bold"), "  ", severity(detector.severity)))
    parts = [("What", manual.flags), ("Why", manual.why), ("Blind to", manual.blind_to)]
    if isinstance(detector, Statistic):
        parts += [("Hypothesis", detector.hypothesis), ("Test", detector.test)]
    for heading, words in parts:
        console.print(Text(heading, "bold"))
        console.print(Padding(words[:1].upper() + words[1:], (0, 2)))
    console.print(Text("Clauses", "bold"))
    console.print(Padding(", ".join(detector.clauses) or "none: it is about the feed, not about the game", (0, 2)))


def _named(code: str) -> Detector | Statistic:
    wanted = code.strip()
    by_code: dict[str, Detector | Statistic] = {**BY_CODE, **STATISTIC_BY_CODE}
    names = {each.name: each.code for each in (*CATALOGUE, *STATISTICS)}
    found = by_code.get(names.get(wanted.lower().replace("_", "-"), wanted.upper()))
    if found is None:
        near = get_close_matches(wanted.upper(), by_code, n=3, cutoff=0.4)
        near += [names[name] for name in get_close_matches(wanted.lower(), names, n=2) if names[name] not in near]
        hint = f"the nearest are {', '.join(near)}" if near else f"there are {', '.join(by_code)}"
        raise Misuse(f"no detector has the code {code!r}; {hint}")
    return found
