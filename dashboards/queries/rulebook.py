"""The law as it is encoded and the detectors as they are: the same lines that settle a round."""

from collections.abc import Sequence

import polars as pl

from detectors.catalogue import CATALOGUE, STATISTICS, Detector, Statistic
from detectors.manual import FAMILIES
from detectors.statistics.verdict import ALPHA
from rules.decision import Column, PayTable, Wager, tables_of
from rules.game import Edition, Game
from rules.odds import ODDS, unwatched


def editions(game: Game) -> pl.DataFrame:
    rows = [(each.name, each.first_day.isoformat(), each.clause, each.elective) for each in game.editions]
    schema = {"edition": pl.String, "in force from": pl.String, "clause": pl.String, "elective": pl.Boolean}
    return pl.DataFrame(rows, schema=schema, orient="row")


def rulings(wager: Wager) -> pl.DataFrame:
    """The decision table: the first line that holds decides."""
    rows = [
        (number, each.condition.words, each.outcome.words, each.clause) for number, each in enumerate(wager.rulings, 1)
    ]
    schema = {"line": pl.Int64, "when": pl.String, "it": pl.String, "clause": pl.String}
    return pl.DataFrame(rows, schema=schema, orient="row")


def columns_of(table: PayTable, edition: Edition) -> list[Column]:
    """The columns that the house may elect under an edition."""
    return [column for column in table.columns if edition.name in column.editions]


def pay_tables(wager: Wager, edition: Edition) -> list[tuple[PayTable, pl.DataFrame]]:
    """Each pay table of the wager with its columns side by side, the best hand first, the clause last."""
    return [(table, _prizes(table, columns_of(table, edition))) for table in tables_of(wager)]


def _prizes(table: PayTable, columns: Sequence[Column]) -> pl.DataFrame:
    hands = [hand for hand in reversed(table.hands) if any(hand in column.prizes for column in columns)]
    cells = {
        f"column {column.name}": [
            *(column.prizes[hand].words if hand in column.prizes else "–" for hand in hands),
            column.clause,
        ]
        for column in columns
    }
    return pl.DataFrame({"hand": [*(hand.replace("_", " ") for hand in hands), "clause"], **cells})


def remedies(game: Game) -> pl.DataFrame:
    rows = [(each.value, remedied.clause, remedied.remedy.value) for each, remedied in game.remedies.items()]
    return pl.DataFrame(
        rows, schema={"irregularity": pl.String, "clause": pl.String, "remedy": pl.String}, orient="row"
    )


def options(game: Game) -> pl.DataFrame:
    rows = [(each.name, ", ".join(each.values), each.default, each.clause, each.words) for each in game.options]
    schema = dict.fromkeys(("option", "values", "default", "clause", "meaning"), pl.String)
    return pl.DataFrame(rows, schema=schema, orient="row")


def needs(wager: Wager) -> list[str]:
    """What must lie beside the wager, or how large it has to be, each with its clause."""
    said = [f"needs the {each.wager.replace('_', ' ')} beside it ({each.clause})" for each in wager.needs]
    if wager.equals is not None:
        said.append(f"exactly as large as the {wager.equals.wager.replace('_', ' ')} ({wager.equals.clause})")
    if wager.bonus_on is not None:
        said.append(f"paid on the {wager.bonus_on.replace('_', ' ')}, without a stake of its own")
    return said


def has_odds(game: Game) -> bool:
    return game.name in ODDS


def odds(game: Game) -> pl.DataFrame:
    """The exact house edge of every wager and column: every deal counted, which takes some seconds."""
    rows = [
        (each.wager.replace("_", " "), each.column, each.strategy or "", 100 * float(each.edge), each.rounds)
        for each in ODDS[game.name](unwatched)
    ]
    schema = {
        "wager": pl.String,
        "column": pl.String,
        "played": pl.String,
        "house edge %": pl.Float64,
        "rounds": pl.Int64,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


def families() -> dict[str, list[Detector | Statistic]]:
    """The detectors by family, with the family's words; the tests over a period are a family too."""
    found = {
        f"{family}: {words}": [each for each in (*CATALOGUE, *STATISTICS) if each.code.startswith(family)]
        for family, words in FAMILIES.items()
    }
    return {words: detectors for words, detectors in found.items() if detectors}


def codes() -> list[str]:
    return sorted(each.code for each in (*CATALOGUE, *STATISTICS))


def tested(statistic: Statistic) -> str:
    """What a statistic supposes of an honest floor, how it asks, and how often chance alone answers."""
    return (
        f"**Supposed:** {statistic.hypothesis}\n\n**Test:** {statistic.test}. At most one honest period in {1 / ALPHA:,.0f} "
        "has a finding of it, of all its questions together."
    )
