"""`catwalk quality`: floors whose wrongs are known, and how many of them the audit tells."""

import json
from typing import Annotated, Final

import typer

from catwalk.terminal import Misuse, listing, out, progress
from detectors.quality import Measured, Told, by_code, measured
from ingest.floor import GAMES

TABLES: Final = 10
SHARE: Final = 0.3  # of the lying floor's rounds


def quality(
    *,
    rounds: Annotated[int, typer.Option(min=TABLES, metavar="N", help="Rounds a game, honest and lying each.")] = 2_000,
    seed: Annotated[int, typer.Option(metavar="S", help="The same seed gives the same floors.")] = 1,
    game: Annotated[str | None, typer.Option(metavar="G", help=f"Only this game: {', '.join(GAMES)}.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For a program.")] = False,
) -> None:
    """Measure the audit on simulated floors: what was planted, found, missed and invented, code by code."""
    if game is not None and game not in GAMES:
        raise Misuse(f"--game {game}: no such floor; there is one for {', '.join(GAMES)}")
    games = [game] if game is not None else list(GAMES)
    each = rounds // TABLES
    with progress("dealing and auditing", 2 * len(games) * each * TABLES) as bar:

        def audited(name: str, faults: float) -> Measured:
            measure, done = Measured(name), 0
            for measure in measured(name, TABLES, each, seed, faults):
                bar.advance(measure.rounds - done)
                done = measure.rounds
            return measure

        honest = [audited(name, 0.0) for name in games]
        codes = by_code([audited(name, SHARE) for name in games])
    if as_json:
        print(
            json.dumps(
                {"seed": seed, "honest": [_silence(one) for one in honest], "codes": [_row(told) for told in codes]}
            )
        )
        return
    console = out()
    figures = ("planted", "found", "missed", "invented", "recall", "precision", "placed")
    table = listing("code", *figures, title="With wrongs planted", right=figures)
    for told in codes:
        row = _row(told)
        table.add_row(told.code, *(_said(row[name]) for name in figures))
    console.print(table)
    console.print("placed: of those found, the share with the right seat, wager and amount", style="dim")
    silence = listing("game", "rounds", "findings", title="Honest", right=("rounds", "findings"))
    for one in honest:
        silence.add_row(one.game, f"{one.rounds:,}", f"{len(one.findings):,}")
    console.print(silence)


def _silence(honest: Measured) -> dict[str, str | int]:
    return {"game": honest.game, "rounds": honest.rounds, "findings": len(honest.findings)}


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
    }


def _said(figure: str | int | float | None) -> str:
    if figure is None:
        return "–"
    return f"{figure:.1%}" if isinstance(figure, float) else f"{figure:,}" if isinstance(figure, int) else figure
