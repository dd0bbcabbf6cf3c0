"""The ruling sheet of a round: what was found, what the law owed, who held what, what happened. For the file and for print.

A round with nothing wrong in it gets its certificate instead: what was checked and found right. Where something could not be
derived, the sheet says so in its title, and certifies nothing.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from html import escape
from importlib.resources import files
from typing import Final

from dashboards import wording
from dashboards.story import Story
from detectors.catalogue import CATALOGUE
from rules import cards

RULING: Final = "Ruling sheet"
CERTIFICATE: Final = "Certificate"
STATEMENT: Final = "Statement: not all of this round is derived"
Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Hand:
    whose: str
    cards: tuple[str, ...]
    makes: str
    decision: str


@dataclass(frozen=True, slots=True)
class Sheet:
    kind: str
    title: str
    facts: tuple[tuple[str, str], ...]
    findings: tuple[Row, ...]  # code and name, severity, clause, owed, paid, amount, message
    cases: tuple[str, ...]
    wagers: tuple[Row, ...]
    hands: tuple[Hand, ...]
    events: tuple[Row, ...]
    checked: tuple[str, ...]
    footer: str


FINDING_COLUMNS: Final = ("finding", "severity", "clause", "owed", "paid", "amount", "what happened")
WAGER_COLUMNS: Final = ("seat", "player", "wager", "stake", "owed", "paid", "clause", "because")
EVENT_COLUMNS: Final = ("seq", "time", "event")


def sheet(
    story: Story,
    findings: Sequence[Mapping[str, object]],
    acts: Sequence[tuple[datetime, str, str]],
    contents: Sequence[str],
    *,
    position: int,
    made_at: datetime,
) -> Sheet:
    """`contents`: the round's events as they stand in the log; their digest is on the sheet, so that they can be compared."""
    whole = story.derived == story.wagers and story.reason is None
    kind = RULING if findings else CERTIFICATE if whole else STATEMENT
    digest = hashlib.blake2b("\n".join(contents).encode(), digest_size=16).hexdigest()
    return Sheet(
        kind=kind,
        title=f"Table {story.table}, round {story.round}",
        facts=(
            ("Game", story.title + (f", edition {story.edition}" if story.edition else "")),
            ("Began", wording.stamp(story.began_at)),
            ("Dealer", story.dealer or "not seen"),
            ("Deck", story.deck or "not seen"),
            ("Derived", f"{story.derived} of {story.wagers} wagers" + (f"; {story.reason}" if story.reason else "")),
            *((("Void", story.incident or "declared void"),) if story.voided else ()),
            *((("Incident", story.incident),) if story.incident and not story.voided else ()),
        ),
        findings=tuple(_finding(each) for each in findings),
        cases=tuple(f"{wording.stamp(at)}  {did}" + (f": {note}" if note else "") for at, did, note in acts),
        wagers=tuple(
            (
                f"{each.seat}" + (f" hand {each.hand}" if each.hand > 1 else ""),
                each.player or "–",
                wording.plain(each.wager),
                wording.dollars(each.stake) if each.stake else "–",
                wording.dollars(each.owed, signed=True),
                wording.dollars(each.paid, signed=True),
                each.clause or "–",
                each.because,
            )
            for each in story.settlements
        ),
        hands=tuple(
            Hand(
                each.whose.capitalize(),
                each.cards,
                each.words,
                wording.plain(each.choice or ""),
            )
            for each in story.holdings
        ),
        events=tuple(
            (str(line.seq), f"{line.at:%H:%M:%S}", line.sentence + (f" [{line.remark}]" if line.remark else ""))
            for line in story.lines
        ),
        checked=tuple(f"{each.code} {each.name}" for each in CATALOGUE) if kind == CERTIFICATE else (),
        footer=f"{len(contents)} events, digest {digest}; log read to position {position:,}; made {wording.stamp(made_at)}",
    )


def _finding(row: Mapping[str, object]) -> Row:
    sums = (_cents(row["owed"]), _cents(row["paid"]), _cents(row["amount"]))
    return (
        f"{row['code']} {row['name']}",
        str(row["severity"]),
        str(row["clause"] or "–"),
        *(wording.dollars(each, signed=True) for each in sums),
        str(row["message"]),
    )


def _cents(value: object) -> int | None:
    return value if isinstance(value, int) else None


# As a page to print

_STYLE: Final = (files("dashboards") / "sheet.css").read_text("utf-8")


def as_html(sheet: Sheet) -> str:
    """A page that needs nothing but itself. Every word of a table's is escaped; there is no script on it."""
    parts = [f'<div class="kind">{escape(sheet.kind)}</div><h1>{escape(sheet.title)}</h1>']
    parts.append("<dl>" + "".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in sheet.facts) + "</dl>")
    if sheet.findings:
        parts.append("<h2>What was found</h2>")
        parts += [
            f'<p class="finding"><b>{escape(code)}</b> ({escape(severity)}), {escape(clause)}: {escape(message)}<br>'
            f"owed {escape(owed)}, paid {escape(paid)}, amount {escape(amount)}</p>"
            for code, severity, clause, owed, paid, amount, message in sheet.findings
        ]
    if sheet.cases:
        parts.append("<h2>What was done about it</h2>" + "".join(f"<p>{escape(each)}</p>" for each in sheet.cases))
    parts.append("<h2>What the law owed</h2>" + _html_table(WAGER_COLUMNS, sheet.wagers))
    parts.append("<h2>Who held what</h2>" + _html_hands(sheet.hands))
    if sheet.checked:
        parts.append(f"<h2>Checked and found right</h2><p>{escape(', '.join(sheet.checked))}</p>")
    parts.append("<h2>What happened</h2>" + _html_table(EVENT_COLUMNS, sheet.events))
    parts.append('<div class="sign"><div>Surveillance</div><div>Floor supervisor</div><div>Date</div></div>')
    parts.append(f"<footer>{escape(sheet.footer)}</footer>")
    head = f"<meta charset='utf-8'><title>{escape(sheet.kind)}: {escape(sheet.title)}</title><style>{_STYLE}</style>"
    return f"<!doctype html><html lang='en'><head>{head}</head><body>{''.join(parts)}</body></html>"


def _html_table(columns: Sequence[str], rows: Sequence[Row]) -> str:
    """Each cell has its column's name as its class, for the style to keep sums in one piece."""
    head = "".join(f'<th class="{each}">{escape(each)}</th>' for each in columns)
    cells = (
        "".join(f'<td class="{name}">{escape(each)}</td>' for name, each in zip(columns, row, strict=True))
        for row in rows
    )
    body = "".join(f"<tr>{row}</tr>" for row in cells)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _html_hands(hands: Sequence[Hand]) -> str:
    rows = "".join(
        f"<tr><td>{escape(each.whose)}</td><td>{''.join(_html_card(card) for card in each.cards)}</td>"
        f"<td>{escape(each.makes)}</td><td>{escape(each.decision)}</td></tr>"
        for each in hands
    )
    head = "<tr><th>hand</th><th>cards</th><th>makes</th><th>decision</th></tr>"
    return f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>"


def _html_card(card: str) -> str:
    kind = "unread" if card == cards.UNREAD else "red" if card[-1] in "DH" else ""
    return f'<span class="card {kind}">{escape(cards.sign(card))}</span>'
