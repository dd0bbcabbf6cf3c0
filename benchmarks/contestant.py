"""One contestant in a process of its own: `python -m benchmarks.contestant NAME FILE…` prints what it did as one JSON object.

`scan`: the least anybody could do with the files, cards and wagers grouped by round and seat, no rules. `pokerkit` and
`phevaluator`: the plain loop. `ranking` and `ranking-phevaluator`: the best five of seven cards, so many hands. The time
it takes to start Python and load the libraries is not counted.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np
import phevaluator
import polars as pl

from benchmarks.loop.rankers import RANKERS
from benchmarks.loop.rounds import rounds
from benchmarks.loop.settling import wrongs
from rules import ranking

Figures = dict[str, float | int | list[object]]


def scan_and_group(files: list[Path]) -> Figures:
    """A gaming day at a time, as the files are: no round goes beyond its day."""
    seat = ["table", "round", "seat"]
    rows = 0
    for file in files:
        events = pl.scan_parquet(file, glob=False)
        cards = events.filter(pl.col("type") == "card_dealt").group_by(seat).agg(pl.col("card"))
        wagers = events.filter(pl.col("type") == "wager_placed").group_by(*seat, "wager").agg(pl.col("amount").sum())
        rows += cards.collect().height + wagers.collect().height
    return {"rows": rows}


def looped(ranker: str) -> Callable[[list[Path]], Figures]:
    def loop(files: list[Path]) -> Figures:
        chosen = RANKERS[ranker]()
        found = [wrong for file in files for round in rounds(file) for wrong in wrongs(round, chosen)]
        return {"wrongs": [list(wrong) for wrong in sorted(found)]}

    return loop


def _sevens(hands: int) -> ranking.Codes:
    return np.random.default_rng(1).random((hands, 52), np.float32).argpartition(7)[:, :7].T.astype(np.uint8)


def rank_in_bulk(sizes: list[Path]) -> Figures:
    few = _sevens(200_000)
    ranking.best_five(few)  # its tables are made when they are first asked for
    hands = np.tile(few, int(str(sizes[0])) // few.shape[1])
    return {"seconds": _timed(lambda: ranking.best_five(hands))}


def rank_one_by_one(sizes: list[Path]) -> Figures:
    hands = _sevens(int(str(sizes[0]))).T.tolist()
    return {"seconds": _timed(lambda: [phevaluator.evaluate_cards(*hand) for hand in hands])}


def _timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


CONTESTANTS: Final[dict[str, Callable[[list[Path]], Figures]]] = {
    "scan": scan_and_group,
    **{name: looped(name) for name in RANKERS},
    "ranking": rank_in_bulk,
    "ranking-phevaluator": rank_one_by_one,
}


if __name__ == "__main__":
    name_, *paths = sys.argv[1:]
    began_, before_ = time.perf_counter(), time.process_time()
    figures_ = CONTESTANTS[name_]([Path(path) for path in paths])
    took_ = {"seconds": time.perf_counter() - began_, "processor": time.process_time() - before_}
    print(json.dumps({**took_, **figures_}))
