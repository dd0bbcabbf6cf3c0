"""A long audit by as many processes as there are cores.

Tables have nothing to do with each other, so events are cut between them, and each process audits its share on one thread: that
many processes get more done than that many threads, which wait for each other in Python and inside Polars. Carries come back
with the results and go out again with the next share of the same tables.

The processes are started here and not by a library, because Polars has to be told of its threads before it is loaded.
"""

import os
import pickle
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Final, ParamSpec, TypeVar

import polars as pl

from detectors.audit import CORES, Audited, apart, audit, joined, with_last
from ingest import files, frame
from ingest.wire import DeadLetter
from replay import facts
from replay.pieces import Part

Asked = ParamSpec("Asked")
Item = TypeVar("Item")
Answer = TypeVar("Answer")

# Freed memory is kept a while for the next query, which is about to ask for as much.
_KEEP_MEMORY: Final = "dirty_decay_ms:30000,muzzy_decay_ms:30000"


class Lost(Exception):
    """A process of the crew was ended from outside."""


@dataclass(frozen=True, slots=True)
class Done:
    audited: Audited
    dead: list[DeadLetter]


class Crew:
    """So many processes, each of which does one job at a time and is told of the next when it has answered."""

    def __init__(self, members: int = CORES) -> None:
        settings = {**os.environ, "POLARS_MAX_THREADS": "1", "_RJEM_MALLOC_CONF": _KEEP_MEMORY}
        command = [sys.executable, "-c", "from detectors.crew import member; member()"]
        self.size = members
        self._members = [
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=settings)
            for _ in range(members)
        ]
        self._free: SimpleQueue[subprocess.Popen[bytes]] = SimpleQueue()
        for member in self._members:
            self._free.put(member)
        self._threads = ThreadPoolExecutor(members)

    def submit(self, job: Callable[Asked, Answer], *asked: Asked.args, **_: Asked.kwargs) -> Future[Answer]:
        """A job that another process finds by its name."""
        return self._threads.submit(self._answer, job, asked)

    def each(self, job: Callable[[Item], Answer], items: Iterable[Item]) -> Iterator[Answer]:
        """The job done on every item, in order; no more are at hand than the crew has use for."""
        waiting: deque[Future[Answer]] = deque()
        for item in items:
            if len(waiting) > self.size:
                yield waiting.popleft().result()
            waiting.append(self.submit(job, item))
        while waiting:
            yield waiting.popleft().result()

    def _answer(self, job: Callable[..., Answer], asked: tuple[object, ...]) -> Answer:
        member = self._free.get()
        assert member.stdin is not None
        assert member.stdout is not None
        try:
            pickle.dump((job, asked), member.stdin, pickle.HIGHEST_PROTOCOL)
            member.stdin.flush()
            refusal, answer = pickle.load(member.stdout)
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):
            raise Lost(
                f"a process of the audit ended too early (status {member.wait()}); was there enough memory?"
            ) from None
        finally:
            self._free.put(member)
        if refusal is not None:
            raise refusal
        found: Answer = answer
        return found

    def __enter__(self) -> "Crew":
        return self

    def __exit__(self, *_: object) -> None:
        # What is at work need not finish what nobody waits for.
        for member in self._members:
            member.kill()
        self._threads.shutdown(cancel_futures=True)
        for member in self._members:
            member.communicate()


def member() -> None:
    """One process of the crew: jobs in, answers out, until nobody sends any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started it is told, and ends it
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # and where that one is gone, there is nobody to answer
    # What a library prints is no answer: answers have a descriptor of their own.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    while True:
        try:
            job, asked = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        refusal = answer = None
        try:
            answer = job(*asked)
        except files.Unreadable as unreadable:
            refusal = unreadable
        pickle.dump((refusal, answer), answers, pickle.HIGHEST_PROTOCOL)
        answers.flush()


def audits_of_parts(crew: Crew, parts: Iterable[Part]) -> Iterator[tuple[Part | None, Done]]:
    """The audit of all parts in their order, and at last of what was still open when they ended."""
    carry = facts.none()
    waiting: deque[tuple[Part, Future[Done]]] = deque()

    def taken() -> tuple[Part, Done]:
        nonlocal carry
        part, future = waiting.popleft()
        done = future.result()
        others = carry.filter(~pl.col("table").is_in(part.tables))
        carry = pl.concat([others, done.audited.carry]).sort("table", "seq")
        return part, done

    for part in parts:
        tables = set(part.tables)
        while waiting and (len(waiting) > crew.size or any(tables.intersection(each.tables) for each, _ in waiting)):
            yield taken()
        waiting.append((part, crew.submit(_of_part, part, carry.filter(pl.col("table").is_in(part.tables)))))
    while waiting:
        yield taken()
    yield None, Done(audit(carry, frame.empty(), final=True), [])


def _of_part(part: Part, carry: pl.DataFrame) -> Done:
    events, dead = files.read_part(part.file, part.start, part.rows)
    return Done(audit(carry, events, final=False), dead)


def audits(crew: Crew, pieces: Iterable[pl.DataFrame]) -> Iterator[Audited]:
    """The audit of pieces that ascend in every table, each cut between tables; the last one closes what is still open."""
    carry = facts.none()
    for piece, last in with_last(pieces):
        shares = [
            crew.submit(_of_events, known, frame.stated(events), last)
            for known, events in apart(carry, piece, crew.size)
        ]
        audited = joined([share.result() for share in shares])
        carry = audited.carry
        yield audited
        del audited  # before the next one is made: two at once would be twice the memory


def _of_events(carry: pl.DataFrame, stated: pl.DataFrame, final: bool) -> Audited:
    return audit(carry, frame.whole([stated]), final)
