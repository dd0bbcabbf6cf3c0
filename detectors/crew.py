"""A long audit by as many processes as there are cores.

Tables have nothing to do with each other, so the files are cut between them, and each process reads and audits its own part of
a file on one thread: that many processes get more done than that many threads, which wait for each other in Python and
inside Polars. Carries come back with the results and go out again with the next part of the same tables.
"""

import os
import pickle
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Final

import polars as pl

from detectors.audit import CORES, Audited, audit
from ingest import files, frame
from ingest.wire import DeadLetter
from replay import facts
from replay.pieces import Part

# Freed memory is kept a while for the next query, which is about to ask for as much.
_KEEP_MEMORY: Final = "dirty_decay_ms:30000,muzzy_decay_ms:30000"


class Lost(Exception):
    """A process of the crew was ended from outside."""


@dataclass(frozen=True, slots=True)
class Share:
    """What one process is to do: audit a part of a file beside what is carried of its tables; the last share has no part."""

    part: Part | None
    carry: pl.DataFrame


@dataclass(frozen=True, slots=True)
class Done:
    audited: Audited
    dead: list[DeadLetter]


def audits(parts: Iterable[Part], members: int = CORES) -> Iterator[tuple[Part | None, Done]]:
    """The audit of all parts in their order, and at last of what was still open when they ended."""
    carry = facts.none()
    waiting: deque[tuple[Part, Future[Done]]] = deque()
    with _Crew(members) as crew:
        for part in parts:
            tables = set(part.tables)
            while waiting and (len(waiting) > members or any(tables.intersection(each.tables) for each, _ in waiting)):
                carry, done = _taken(carry, *waiting.popleft())
                yield done
            waiting.append((part, crew.submit(Share(part, carry.filter(pl.col("table").is_in(part.tables))))))
        while waiting:
            carry, done = _taken(carry, *waiting.popleft())
            yield done
        yield None, crew.submit(Share(None, carry)).result()


def _taken(carry: pl.DataFrame, part: Part, future: Future[Done]) -> tuple[pl.DataFrame, tuple[Part, Done]]:
    done = future.result()
    others = carry.filter(~pl.col("table").is_in(part.tables))
    return pl.concat([others, done.audited.carry]).sort("table", "seq"), (part, done)


class _Crew:
    def __init__(self, members: int) -> None:
        settings = {**os.environ, "POLARS_MAX_THREADS": "1", "_RJEM_MALLOC_CONF": _KEEP_MEMORY}
        command = [sys.executable, "-c", "from detectors.crew import member; member()"]
        self._members = [
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=settings)
            for _ in range(members)
        ]
        self._free: SimpleQueue[subprocess.Popen[bytes]] = SimpleQueue()
        for member in self._members:
            self._free.put(member)
        self._threads = ThreadPoolExecutor(members)

    def submit(self, share: Share) -> Future[Done]:
        return self._threads.submit(self._sent, share)

    def _sent(self, share: Share) -> Done:
        member = self._free.get()
        assert member.stdin is not None
        assert member.stdout is not None
        try:
            pickle.dump(share, member.stdin, pickle.HIGHEST_PROTOCOL)
            member.stdin.flush()
            answer = pickle.load(member.stdout)
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):
            raise Lost(
                f"a process of the audit ended too early (status {member.wait()}); was there enough memory?"
            ) from None
        finally:
            self._free.put(member)
        if isinstance(answer, Exception):
            raise answer
        assert isinstance(answer, Done)
        return answer

    def __enter__(self) -> "_Crew":
        return self

    def __exit__(self, *_: object) -> None:
        # A member whose input is closed ends by itself; one that is at work need not finish what nobody waits for.
        for member in self._members:
            member.kill()
        self._threads.shutdown(cancel_futures=True)
        for member in self._members:
            member.communicate()


def member() -> None:
    """One process of the crew: shares in, answers out, until nobody sends any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started it is told, and ends it
    # What a library prints is no answer: answers have a descriptor of their own.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    while True:
        try:
            share = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        try:
            answer: Done | Exception = _done(share)
        except files.Unreadable as refusal:
            answer = refusal
        pickle.dump(answer, answers, pickle.HIGHEST_PROTOCOL)
        answers.flush()


def _done(share: Share) -> Done:
    if share.part is None:
        return Done(audit(share.carry, frame.empty(), final=True), [])
    events, dead = files.read_part(share.part.file, share.part.start, share.part.rows)
    return Done(audit(share.carry, events, final=False), dead)
