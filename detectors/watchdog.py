"""The watchdog of a worker: ends the process when its lag stands still while events wait, for whoever runs it to start it anew.

A client can stop fetching without a word after its broker was restarted. It looks from a thread and with a connection of its
own, so that it sees what the worker's connection does not. A broker that does not answer is not the worker's fault.
"""

import logging
import os
import threading
import time
from collections.abc import Callable
from contextlib import closing
from typing import Final

from kafka import TopicPartition
from kafka.errors import KafkaError

from detectors.pit import Pit
from ingest import topics
from ingest.settings import Settings

STALLED: Final = 75

logger = logging.getLogger("catwalk.watchdog")


def _ended() -> None:
    logging.shutdown()
    os._exit(STALLED)


class Watchdog:
    def __init__(
        self,
        settings: Settings,
        partitions: int,
        pit: Pit,
        clock: Callable[[], float] = time.monotonic,
        ended: Callable[[], None] = _ended,
    ) -> None:
        self._settings = settings
        self._partitions = partitions
        self._pit = pit
        self._clock = clock
        self._ended = ended
        self._seen: tuple[object, ...] = ()
        self._since = clock()
        self._others: dict[TopicPartition, int] = {}

    def start(self) -> None:
        threading.Thread(target=self._run, name="watchdog", daemon=True).start()

    def _run(self) -> None:
        while True:
            time.sleep(self._settings.stall_seconds / 6)
            try:
                waiting = self._waiting()
            except KafkaError:
                waiting = None
            self.look(waiting)

    def look(self, waiting: int | None) -> None:
        """`waiting`: how many events are not read; None where nobody can tell."""
        progress = (self._pit.beats, *sorted((number, each.next) for number, each in self._pit.partitions.items()))
        if not waiting or progress != self._seen:
            self._seen, self._since = progress, self._clock()
            return
        if self._clock() - self._since >= self._settings.stall_seconds:
            logger.critical(
                "%s events wait and nothing was read for %.0f s; this worker ends to be started anew",
                waiting,
                self._clock() - self._since,
            )
            self._ended()

    def _waiting(self) -> int:
        """Of the partitions that are ours; while we have none, of all that nobody reads."""
        topic = topics.names(self._settings).events
        mine = {TopicPartition(topic, number): each.next for number, each in dict(self._pit.partitions).items()}
        with closing(topics.consumer(self._settings)) as reading:
            if not mine:
                committed = topics.stated(self._settings)
                # While the others move on, it is right to have none.
                self._pit.beats += committed != self._others
                self._others = committed
                every = [TopicPartition(topic, number) for number in range(self._partitions)]
                mine = {place: committed.get(place, 0) for place in every}
            return sum(topics.waiting(reading, mine).values())
