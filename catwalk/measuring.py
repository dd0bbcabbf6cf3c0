"""`catwalk quality`: floors whose wrongs are known, and how many of them the audit tells."""

import json
from typing import Annotated, Final

import typer

from catwalk.terminal import Bar, Misuse, listing, out, progress
from detectors.quality import Measured, Told, by_code, measured, planted
from detectors.statistics import rates
from ingest.floor import GAMES, LATE, codes

TABLES: Final = 10
SHARE: Final = 0.3  # of the lying floor's rounds
# A floor that makes up for the codes that came too seldom: short, so that much of it is tables being opened.
MORE: Final = (20, 40)
# And for those that show only after hundreds of rounds.
LATER: Final = (4, 700)
LYING: Final = 10  # honest periods for each in which somebody does what the statistics look for
MOST: Final = 60  # such floors of one game; a code that has not come often enough by then is shown as it is
FIGURES: Final = ("planted", "found", "missed", "invented", "recall", "precision", "placed", "amount", "clause")


def quality(
    *,
    rounds: Annotated[int, typer.Option(min=TABLES, metavar="N", help="Rounds a game, honest and lying each.")] = 2_000,
    wrongs: Annotated[
        int, typer.Option(min=0, metavar="N", help="Go on until every code was planted so often; 0: as it comes.")
    ] = 0,
    seed: Annotated[int, typer.Option(metavar="S", help="The same seed gives the same floors.")] = 1,
    periods: Annotated[
        int,
        typer.Option(
            min=0, metavar="N", help="The statistics instead, in so many honest periods and a tenth as many others."
        ),
    ] = 0,
    game: Annotated[str | None, typer.Option(metavar="G", help=f"Only this game: {', '.join(GAMES)}.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For a program.")] = False,
) -> None:
    """Measure the audit on simulated floors: what was planted, found, missed and invented, code by code."""
    if game is not None and game not in GAMES:
        raise Misuse(f"--game {game}: no such floor; there is one for {', '.join(GAMES)}")
    if periods:
        _statistics(periods, seed, as_json)
        return
    games = [game] if game is not None else list(GAMES)
    each = rounds // TABLES
    with progress("dealing and auditing", 2 * len(games) * each * TABLES) as bar:
        honest = [_audited(bar, name, each, seed, 0.0) for name in games]
        lying = [_audited(bar, name, each, seed, SHARE) for name in games]
        lying += _until(bar, games, wrongs, lying, seed)
    told = by_code(lying)
    if as_json:
        print(
            json.dumps(
                {"seed": seed, "honest": [_silence(one) for one in honest], "codes": [_row(each) for each in told]}
            )
        )
        return
    console = out()
    table = listing("code", *FIGURES, title="With wrongs planted", right=FIGURES)
    for line in told:
        row = _row(line)
        table.add_row(line.code, *(_said(row[name]) for name in FIGURES))
    console.print(table)
    console.print(
        "of those found, the share with: placed, the right seat and wager; amount, the right amount as well; clause, a clause of "
        "the code's own",
        style="dim",
    )
    console.print(f"{sum(one.rounds for one in lying):,} rounds with {planted(lying).total():,} wrongs", style="dim")
    silence = listing("game", "rounds", "findings", title="Honest", right=("rounds", "findings"))
    for one in honest:
        silence.add_row(one.game, f"{one.rounds:,}", f"{one.told:,}")
    console.print(silence)


def _statistics(periods: int, seed: int, as_json: bool) -> None:
    """How often each test alarms where nothing but chance rules, and how often it names who does what it looks for."""
    lying = -(-periods // LYING)
    with progress("drawing periods", periods + lying) as bar:
        alarmed = rates.alarmed(periods, seed, lambda: bar.advance(1))
        heard = rates.heard(lying, seed, lambda: bar.advance(1))
    if as_json:
        levels = [f"{level:g}" for level in rates.LEVELS]
        honest = [
            {"code": each.code, "comparisons": each.comparisons, "alarms": dict(zip(levels, each.shares, strict=True))}
            for each in alarmed
        ]
        done = [
            {"code": each.code, "does": each.does, "periods": each.periods, "recall": each.recall} for each in heard
        ]
        print(json.dumps({"seed": seed, "periods": periods, "honest": honest, "lying": done}))
        return
    console = out()
    levels = [f"at {level:.1%}" for level in rates.LEVELS]
    right = ("questions", *levels)
    table = listing("code", *right, title=f"Alarms in {periods:,} honest periods", right=right)
    for each in alarmed:
        table.add_row(each.code, f"{each.comparisons:,}", *(f"{share:.2%}" for share in each.shares))
    console.print(table)
    console.print("the share of periods in which a test has any alarm, asked at that rate", style="dim")
    title = f"Named in {lying:,} periods with one who does it, at {rates.LEVELS[-1]:.1%}"
    table = listing("code", "what is done", "recall", title=title, right=("recall",))
    for one in heard:
        table.add_row(one.code, one.does, f"{one.recall:.1%}")
    console.print(table)


def _audited(bar: Bar, name: str, rounds: int, seed: int, faults: float) -> Measured:
    measure, done = Measured(name), 0
    for measure in measured(name, TABLES, rounds, seed, faults):
        bar.advance(measure.rounds - done)
        done = measure.rounds
    return measure


def _until(bar: Bar, games: list[str], wrongs: int, lying: list[Measured], seed: int) -> list[Measured]:
    """More floors, game by game in turn, with only the codes that were planted too seldom."""
    more: list[Measured] = []
    possible = {name: set(codes(GAMES[name])) for name in games}
    every = set().union(*possible.values())
    for turn in range(MOST):
        for name in games:
            counts = planted([*lying, *more])
            short = {code for code in every if counts[code] < wrongs}
            if not short:
                return more
            bar.now(f"{len(short)} codes below {wrongs}", wrongs)
            bar.reach(min(counts[code] for code in short), wrongs)
            for here, floor in ((short - {*LATE}, MORE), (short & {*LATE}, LATER)):
                if here := here & possible[name]:
                    more += [*measured(name, *floor, seed + 1_000 + turn, 0.5, only=sorted(here))][-1:]
    return more


def _silence(honest: Measured) -> dict[str, str | int]:
    return {"game": honest.game, "rounds": honest.rounds, "findings": honest.told}


def _row(told: Told) -> dict[str, str | int | float | None]:
    return {
        "code": told.code,
        "planted": told.planted,
        "found": told.found,
        "missed": told.missed,
        "invented": told.invented,
        "recall": told.recall,
        "precision": told.precision,
        "placed": told.placed,
        "amount": told.amounts,
        "clause": told.clauses,
    }


def _said(figure: str | int | float | None) -> str:
    if figure is None:
        return "–"
    return f"{figure:.1%}" if isinstance(figure, float) else f"{figure:,}" if isinstance(figure, int) else figure
