"""`catwalk rules`: the law of a game as it is in force, every line with its clause, and what each wager is worth."""

import json
from dataclasses import dataclass
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from catwalk.terminal import Misuse, dollars, listing, out, progress
from rules.decision import Column, Wager
from rules.game import Edition, Game
from rules.games import GAMES
from rules.odds import ODDS, WagerOdds

Page = dict[str, object]


def rules(
    game: Annotated[str, typer.Argument(metavar="GAME", help=f"One of {', '.join(GAMES)}.")],
    edition: Annotated[str | None, typer.Option(metavar="E", help="Which text; the newest, if not said.")] = None,
    odds: Annotated[bool, typer.Option("--odds", help="Work out the exact house edge of every wager.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object for a program.")] = False,
) -> None:
    """Print the wagers, decision tables and pay tables in force, each with its clause."""
    law = GAMES.get(game)
    if law is None:
        raise Misuse(f"no game {game!r} is audited; there is {', '.join(GAMES)}")
    text = _edition(law, edition)
    worth = _worth(law, text) if odds else None
    if as_json:
        typer.echo(json.dumps(_as_json(law, text, worth), ensure_ascii=False))
        return
    console = out()
    _tell(law, text, console)
    if worth is not None:
        _tell_odds(worth, console)


def _edition(law: Game, name: str | None) -> Edition:
    if name is None:
        # The newest text, which has every wager and column that there is.
        return law.editions[-1]
    found = law.edition(name)
    if found is None:
        raise Misuse(f"{law.title} has no edition {name!r}; it has {', '.join(each.name for each in law.editions)}")
    return found


@dataclass(frozen=True, slots=True)
class _Priced:
    wager: Wager
    columns: tuple[Column, ...]


def _priced(law: Game, edition: Edition) -> list[_Priced]:
    """The edition's wagers, each with the columns that the house may elect under it."""
    return [
        _Priced(
            wager,
            ()
            if wager.pay_table is None
            else tuple(column for column in wager.pay_table.columns if edition.name in column.editions),
        )
        for wager in law.wagers_of(edition.name)
    ]


def hand_words(name: str) -> str:
    """`six_card_royal_clubs` as people say it."""
    return name.replace("_", " ")


def _tell(law: Game, edition: Edition, console: Console) -> None:
    console.print(Text(f"{law.title}, edition {edition.name}", "bold"))
    console.print(f"In force from {edition.first_day}, {edition.clause}{_elective(edition)}")
    others = [each for each in law.editions if each is not edition]
    for other in others:
        console.print(f"  also: {other.name}, from {other.first_day}, {other.clause}{_elective(other)}", style="dim")
    for each in _priced(law, edition):
        console.print()
        _tell_wager(each, console)
    console.print()
    remedies = listing("irregularity", "remedy", "clause", title="Irregularities")
    for irregularity, remedied in law.remedies.items():
        remedies.add_row(irregularity.value, remedied.remedy.value, remedied.clause)
    console.print(remedies)
    if law.options:
        console.print()
        options = listing("option", "values", "default", "meaning", "clause", title="What the house may elect")
        for option in law.options:
            options.add_row(option.name, ", ".join(option.values), option.default, option.words, option.clause)
        console.print(options)


def _elective(edition: Edition) -> str:
    return ", where the house elects it" if edition.elective else ""


def _tell_wager(priced: _Priced, console: Console) -> None:
    wager = priced.wager
    console.print(Text.assemble((wager.title, "bold cyan"), f"  ({wager.name}){_standing(wager)}"))
    for need in wager.needs:
        condition = "" if need.only_if is None else f" where {need.only_if[0]} is {need.only_if[1]}"
        console.print(f"  needs the {hand_words(need.wager)} beside it{condition}  {need.clause}")
    if wager.equals is not None:
        console.print(f"  is exactly as large as the {hand_words(wager.equals.wager)}  {wager.equals.clause}")
    table = listing("", "when", "it", "clause")
    for number, ruling in enumerate(wager.rulings, 1):
        table.add_row(f"  {number}", ruling.condition.words, ruling.outcome.words, ruling.clause)
    console.print(table)
    if wager.pay_table is not None and priced.columns:
        pays = listing("  hand", *(f"column {column.name}" for column in priced.columns))
        for hand in reversed(wager.pay_table.hands):
            if any(hand in column.prizes for column in priced.columns):
                cells = (column.prizes[hand].words if hand in column.prizes else "–" for column in priced.columns)
                pays.add_row(f"  {hand_words(hand)}", *cells)
        pays.add_row("  clause", *(column.clause for column in priced.columns), style="dim")
        console.print(pays)


def _standing(wager: Wager) -> str:
    if wager.bonus_on is not None:
        return f", paid on the {hand_words(wager.bonus_on)} without a stake of its own"
    return "" if wager.before_deal else ", made after the deal"


def _worth(law: Game, edition: Edition) -> list[WagerOdds]:
    if law.name not in ODDS:
        raise Misuse(f"the odds of {law.title} are not worked out yet; there are those of {', '.join(ODDS)}")
    with progress("dealing every round", None) as bar:
        every = ODDS[law.name](bar.reach)
    offered = {each.wager.name: {column.name for column in each.columns} for each in _priced(law, edition)}
    # The Ante has no column of its own: it is worked out with each column of the bonus that is paid on it.
    for each in _priced(law, edition):
        if each.wager.bonus_on is not None:
            offered[each.wager.bonus_on] |= offered[each.wager.name]
    return [each for each in every if each.column in offered.get(each.wager, set())]


def _tell_odds(worth: list[WagerOdds], console: Console) -> None:
    console.print()
    table = listing(
        "wager", "column", "played", "house edge", "rounds", title="Exact house edges", right=("house edge", "rounds")
    )
    for each in worth:
        table.add_row(
            hand_words(each.wager), each.column, each.strategy or "", f"{float(each.edge):.4%}", f"{each.rounds:,}"
        )
    console.print(table)
    stakes = sorted({each.stake for each in worth})
    for stake in stakes:
        console.print(f"Where a prize is a fixed sum, the edge is that of a stake of {dollars(stake)}.", style="dim")


def _as_json(law: Game, edition: Edition, worth: list[WagerOdds] | None) -> Page:
    page: Page = {
        "game": law.name,
        "title": law.title,
        "edition": edition.name,
        "editions": [
            {
                "name": each.name,
                "first_day": each.first_day.isoformat(),
                "clause": each.clause,
                "elective": each.elective,
            }
            for each in law.editions
        ],
        "wagers": [_wager_json(each) for each in _priced(law, edition)],
        "remedies": [
            {"irregularity": irregularity.value, "remedy": remedied.remedy.value, "clause": remedied.clause}
            for irregularity, remedied in law.remedies.items()
        ],
        "options": [
            {
                "name": each.name,
                "values": each.values,
                "default": each.default,
                "words": each.words,
                "clause": each.clause,
            }
            for each in law.options
        ],
    }
    if worth is not None:
        page["odds"] = [
            {
                "wager": each.wager,
                "column": each.column,
                "strategy": each.strategy,
                "edge": str(each.edge),
                "rounds": each.rounds,
            }
            for each in worth
        ]
    return page


def _wager_json(priced: _Priced) -> Page:
    wager = priced.wager
    return {
        "wager": wager.name,
        "title": wager.title,
        "bonus_on": wager.bonus_on,
        "before_deal": wager.before_deal,
        "equals": None if wager.equals is None else {"wager": wager.equals.wager, "clause": wager.equals.clause},
        "needs": [{"wager": need.wager, "clause": need.clause, "only_if": need.only_if} for need in wager.needs],
        "rulings": [
            {"when": each.condition.words, "outcome": each.outcome.words, "clause": each.clause}
            for each in wager.rulings
        ],
        "columns": [
            {
                "name": column.name,
                "clause": column.clause,
                "source": column.source,
                "pays": {hand: prize.words for hand, prize in column.prizes.items()},
            }
            for column in priced.columns
        ],
    }
