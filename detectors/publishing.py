"""When the store is published: soon where rows were decided, seldom where only the position moved on."""

from collections.abc import Callable
from typing import Final

from detectors.store import Store

ROWS_SECONDS: Final = 0.2
POSITION_SECONDS: Final = 0.5


class Publisher:
    """A snapshot costs what the day weighs, so there is never one before it has been as long as the last one took."""

    def __init__(self, store: Store, clock: Callable[[], float]) -> None:
        self._store = store
        self._clock = clock
        self._rows, self._anything = False, True
        self._published_at = float("-inf")
        self._took = 0.0

    @property
    def up_to_date(self) -> bool:
        return not self._anything

    def changed(self, rows: bool) -> None:
        self._rows |= rows
        self._anything = True

    def publish_if_due(self) -> None:
        wanted = ROWS_SECONDS if self._rows else POSITION_SECONDS
        if self._clock() - self._published_at >= max(wanted, self._took):
            self.publish()

    def publish(self) -> None:
        if not self._anything:
            return
        began = self._clock()
        self._store.publish()
        self._rows, self._anything = False, False
        self._published_at = self._clock()
        self._took = self._published_at - began
