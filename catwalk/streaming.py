"""`catwalk kafka`, `catwalk worker` and `catwalk sink`: the floor on Kafka."""

import asyncio
import logging
import sys
import threading
from contextlib import closing
from enum import StrEnum
from typing import Annotated

import typer

from catwalk.folders import DEFAULT, DataFolder, log_in
from catwalk.living import stopped_by_signals
from catwalk.producing import SettingsFile, read_settings
from catwalk.terminal import out, printable
from detectors import sink as sinking
from detectors.sink import Sink
from detectors.store import Store
from ingest import topics


class Action(StrEnum):
    init = "init"
    check = "check"


def kafka(
    action: Annotated[
        Action, typer.Argument(help="init: make the topics. check: see that they are as they were made.")
    ],
    settings: SettingsFile = None,
) -> None:
    """Make the topics, or check them."""
    chosen = read_settings(settings)
    if action is Action.init:
        made = topics.make(chosen)
        for name in made:
            out().print(f"made {name}")
        if not made:
            out().print("all topics are there")
    else:
        charter = topics.check(chosen)
        out().print(f"{charter.partitions} partitions, keyed by {charter.key}: as they were made")


def worker(settings: SettingsFile = None) -> None:
    """Audit the partitions of the topic that fall to this worker; start more for more tables."""
    # Faust takes a while to import, and only this verb needs it.
    import faust  # noqa: PLC0415

    from detectors import worker as working  # noqa: PLC0415
    from detectors.watchdog import Watchdog  # noqa: PLC0415

    chosen = read_settings(settings)
    charter = topics.check(chosen)
    _log()
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    mine = working.Worker(chosen)
    Watchdog(chosen, charter.partitions, mine.pit).start()
    running = faust.Worker(
        working.app(chosen, mine), loglevel="WARNING", override_logging=False, redirect_stdouts=False, loop=loop
    )
    # It ends the process itself, with the status that Faust chooses for why it stopped.
    running.execute_from_commandline()


def sink(
    data: DataFolder = DEFAULT,
    once: Annotated[bool, typer.Option("--once", help="Read the topics to their ends and stop.")] = False,
    settings: SettingsFile = None,
) -> None:
    """Keep the store and the archive of events from what the topics say; one for each data folder."""
    chosen = read_settings(settings)
    partitions = topics.check(chosen).partitions
    _log()
    stop = threading.Event()
    with log_in(data, made=True) as archive, stopped_by_signals(stop):
        agrees = sinking.disagreement(chosen, partitions, archive)
        with Store.open(data, archive, agrees) as store:
            if store.report.rebuilt:
                out().print(printable(store.report.sentence), style="yellow")
            with topics.reached(chosen), closing(Sink(chosen, partitions, archive, store)) as filled:
                filled.run(stop, once)


def _log() -> None:
    logging.basicConfig(stream=sys.stderr, format="%(asctime)s %(levelname)s %(name)s: %(message)s", level="WARNING")
    logging.getLogger("catwalk").setLevel("INFO")
