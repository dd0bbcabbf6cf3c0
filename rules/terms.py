"""A table's opening read as terms: which game, edition, columns and options, or why the law does not offer them."""

import json
from dataclasses import dataclass
from datetime import date

from rules.game import Game, Refused, Terms
from rules.games import GAMES


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Why no round under this opening can be derived."""

    reason: str


def _words(mapping: str | None) -> dict[str, str]:
    """`{"pair_plus": 1, "card_reader": true}` as text values, however the gateway typed them."""
    values = json.loads(mapping) if mapping else {}
    return {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in values.items()
        if value is not None
    }


def read(
    game: str, edition: str, pay_tables: str | None, options: str | None, day: date, *, packs: int | None = None
) -> Terms | Unreadable:
    """The terms of a table opened on `day`. An older edition may still be dealt; one that is not yet in force may not.

    Where a column goes by the packs in the shoe, another than the shoe's own is refused.
    """
    known = GAMES.get(game)
    if known is None:
        return Unreadable(f"no law of {game} is encoded")
    named = known.edition(edition)
    if named is not None and day < named.first_day:
        return Unreadable(f"terms refused: edition {edition} is in force from {named.first_day} ({named.clause})")
    try:
        elected = known.elect(edition, _words(pay_tables), _words(options))
        _by_packs(known, elected, packs)
    except Refused as refusal:
        return Unreadable(f"terms refused: {refusal}")
    return elected


def _by_packs(game: Game, elected: Terms, packs: int | None) -> None:
    for wager in game.wagers_of(elected.edition):
        column = elected.columns.get(wager.name)
        if packs and wager.column_by_packs and column not in (None, str(packs)) and wager.pay_table:
            clause = wager.pay_table.columns[0].clause
            raise Refused(f"{wager.title} is paid by column {column}, and the shoe holds {packs} packs", clause)
