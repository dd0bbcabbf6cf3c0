"""Pay tables as data: one TOML file per game, odds as printed, each column with its clause, editions and source."""

import re
import tomllib
from fractions import Fraction
from importlib.resources import files

from rules.decision import Column, PayTable, Prize


def prize(printed: str) -> Prize:
    """`"3 to 2"` or `"$100,000"` as printed."""
    if match := re.fullmatch(r"([\d,]+) to ([\d,]+)", printed):
        to, one = (int(number.replace(",", "")) for number in match.groups())
        return Prize(odds=Fraction(to, one))
    if match := re.fullmatch(r"\$([\d,]+)", printed):
        return Prize(fixed=int(match[1].replace(",", "")) * 100)
    raise ValueError(f"odds {printed!r} are neither 'X to Y' nor '$N'")


def pay_table(game: str, wager: str, hands: tuple[str, ...]) -> PayTable:
    """The pay table of one wager. A hand the ranking does not know is an error in the file, not a line to skip."""
    data = tomllib.loads(files("rules").joinpath(f"{game.replace('-', '_')}.toml").read_text("utf-8"))
    columns = []
    for name, column in data[wager].items():
        unknown = set(column["pays"]) - set(hands)
        if unknown:
            raise ValueError(
                f"{game}.toml: {wager}.{name} pays hands that the ranking does not have: {sorted(unknown)}"
            )
        columns.append(
            Column(
                name=name,
                clause=column["clause"],
                editions=frozenset(column["editions"]),
                prizes={hand: prize(printed) for hand, printed in column["pays"].items()},
                source=column["source"],
            )
        )
    return PayTable(wager=wager, hands=hands, columns=tuple(columns))
