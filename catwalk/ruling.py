"""`catwalk rules`: the law of a game as it is in force, every line with its clause, and what each wager is worth."""

import json
from typing import Annotated

import typer
from rich.console import Console
from rich.padding import Padding

from catwalk import rulebook
from catwalk.terminal import Misuse, dollars, listing, out, progress
from rules.decision import tables_of
from rules.game import Edition, Game
from rules.games import GAMES
from rules.odds import HOW_PLAYED, ODDS, PACKS, WagerOdds


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
        page = rulebook.page(law, text)
        if worth is not None:
            page["odds"] = [_odds_page(each) for each in worth]
        typer.echo(json.dumps(page, ensure_ascii=False))
        return
    console = out()
    rulebook.tell(law, text, console)
    if worth is not None:
        _tell_odds(law, worth, console)


def _edition(law: Game, name: str | None) -> Edition:
    if name is None:
        # The newest text, which has every wager and column that there is.
        return law.editions[-1]
    found = law.edition(name)
    if found is None:
        raise Misuse(f"{law.title} has no edition {name!r}; it has {', '.join(each.name for each in law.editions)}")
    return found


def _worth(law: Game, edition: Edition) -> list[WagerOdds]:
    """The odds in every column that the house may elect under this text."""
    with progress("counting every round", None) as bar:
        every = ODDS[law.name](bar.reach)
    offered = {
        (table.wager, column.name)
        for wager in law.wagers_of(edition.name)
        for table in tables_of(wager)
        for column in rulebook.columns_of(table, edition)
    }
    return [each for each in every if each.table == PACKS or (each.table, each.column) in offered]


def _tell_odds(law: Game, worth: list[WagerOdds], console: Console) -> None:
    titles = {wager.name: wager.title for wager in law.wagers}
    console.print()
    table = listing(
        "wager", "column", "played", "house edge", "rounds", title="Exact house edges", right=("house edge", "rounds")
    )
    for each in worth:
        table.add_row(
            titles[each.wager], _column(each), each.strategy or "", f"{float(each.edge):.4%}", f"{each.rounds:,}"
        )
    console.print(table)
    notes = [f"{name}: {words}" for name, words in HOW_PLAYED.items() if any(each.strategy == name for each in worth)]
    if any(each.wager == "ante" for each in worth):
        notes.append("The edge of the Ante is that of all wagers that are made with it, as a part of the Ante.")
    if any((each.table, each.column) in _with_fixed_sums(law) for each in worth):
        stakes = ", ".join(dollars(stake) for stake in sorted({each.stake for each in worth}))
        notes.append(f"Where a prize is a fixed sum, the edge is that of a stake of {stakes}.")
    for note in notes:
        console.print(Padding(note, (0, 0, 0, 2), style="dim"))


def _with_fixed_sums(law: Game) -> set[tuple[str, str]]:
    """The columns that pay a sum in dollars for some hand."""
    return {
        (table.wager, column.name)
        for wager in law.wagers
        for table in tables_of(wager)
        for column in table.columns
        if any(prize.fixed for prize in column.prizes.values())
    }


def _column(each: WagerOdds) -> str:
    if each.table == PACKS:
        return f"{each.column} packs"
    return each.column if each.table == each.wager else f"{rulebook.in_words(each.table)} {each.column}"


def _odds_page(each: WagerOdds) -> rulebook.Page:
    return {
        "wager": each.wager,
        "table": each.table,
        "column": each.column,
        "strategy": each.strategy,
        "edge": str(each.edge),
        "rounds": each.rounds,
        "stake": each.stake,
    }
