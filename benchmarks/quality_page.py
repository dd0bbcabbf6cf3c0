"""Writes the tables of docs/quality.md anew: each by the command that stands above it.

`python -m benchmarks.quality_page` runs all of them, `… --periods` those that have this word. For a longer run change the
command in the page first.
"""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

PAGE: Final = Path(__file__).parents[1] / "docs" / "quality.md"
WIDTH: Final = "150"  # so that no line of a table is broken
_MADE: Final = re.compile(r"```\n(?P<command>catwalk quality [^\n]*)\n```\n\n```\n(?P<told>.*?)```\n", re.DOTALL)


def page(text: str, told: Callable[[str], str | None]) -> str:
    """The page with what each command told, where it told anything."""

    def made(found: re.Match[str]) -> str:
        command = found["command"]
        lines = (told(command) or found["told"]).rstrip().splitlines()
        rows = "".join(f"{line.rstrip()}\n" for line in lines)
        return f"```\n{command}\n```\n\n```\n{rows}```\n"

    return _MADE.sub(made, text)


def _run(command: str) -> str:
    catwalk = Path(sys.executable).parent / "catwalk"
    print(command, file=sys.stderr)
    done = subprocess.run(
        [str(catwalk), *command.split()[1:]],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "COLUMNS": WIDTH},
    )
    return done.stdout


def main() -> None:
    words = sys.argv[1:]
    PAGE.write_text(
        page(PAGE.read_text(), lambda command: _run(command) if set(words) <= set(command.split()) else None)
    )


if __name__ == "__main__":
    main()
