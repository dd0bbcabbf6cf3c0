"""Where the command meets a person: the consoles, progress bars, and money, cards and untrusted text as they are printed."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn
from rich.style import Style
from rich.table import Table
from rich.text import Text

from rules import cards

SEVERITY_STYLES: Final = {"critical": "bold red", "major": "red", "minor": "yellow", "advisory": "cyan"}
SUIT_STYLES: Final = {"C": "green", "D": "blue", "H": "red", "S": "bold"}
_PIPED_WIDTH: Final = 160
_CONTROL: Final = dict.fromkeys((*range(32), 127, *range(128, 160)), "�")


class Misuse(Exception):
    """Something that was asked for and cannot be done; the message is the one line that says what to do instead."""


def out() -> Console:
    return _console(stderr=False)


def err() -> Console:
    return _console(stderr=True)


def _console(stderr: bool) -> Console:
    """What is printed holds text that came from a table: never markup, never links, never emoji codes."""
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() or "COLUMNS" in os.environ else _PIPED_WIDTH
    return Console(stderr=stderr, markup=False, emoji=False, highlight=False, width=width)


@contextmanager
def progress(what: str, total: int | None) -> Iterator["Bar"]:
    """A bar on standard error while something runs; nothing at all where nobody is watching."""
    console = err()
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn() if total is not None and total < 100_000 else TextColumn("{task.percentage:>3.0f}%"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as shown:
        yield Bar(shown, what, total)


class Bar:
    def __init__(self, shown: Progress, what: str, total: int | None) -> None:
        self._shown = shown
        self._task = shown.add_task(what, total=total)

    def advance(self, by: int) -> None:
        self._shown.advance(self._task, by)

    def reach(self, done: int, total: int) -> None:
        self._shown.update(self._task, completed=done, total=total)

    def now(self, what: str, total: int | None) -> None:
        self._shown.reset(self._task, description=what, total=total)


def printable(text: str) -> str:
    """Text from a table or file without what could move the cursor or colour the terminal."""
    return text.translate(_CONTROL)


def dollars(cents: int | None, *, signed: bool = False) -> str:
    """`1250` as `$12.50`; what is not known is a dash, never a zero."""
    if cents is None:
        return "–"
    sign = "-" if cents < 0 else "+" if signed and cents > 0 else ""
    return f"{sign}${abs(cents) // 100:,}.{abs(cents) % 100:02}"


def card(name: str) -> Text:
    """`TS` as 10♠ in the four colours that tell suits apart; a card nobody read is shown as just that."""
    if name == cards.UNREAD:
        return Text("unread", Style(reverse=True))
    if name == cards.JOKER:
        return Text("joker", "magenta")
    return Text(cards.sign(name), SUIT_STYLES[name[1]])


def severity(name: str) -> Text:
    return Text(name, SEVERITY_STYLES.get(name, ""))


def listing(*headings: str, title: str | None = None, right: tuple[str, ...] = ()) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", header_style="bold", box=None, pad_edge=False)
    for heading in headings:
        number = heading in right  # a number that is cut in two is another number
        table.add_column(heading, justify="right" if number else "left", overflow="fold", no_wrap=number)
    return table
