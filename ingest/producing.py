"""Into the topic: events from files or standard input, acknowledged batch by batch, each once however often a file is begun.

A batch of a file is one transaction, and how far the file has come is committed with it: as the offset of a group of the file's
own, beside a digest of all events up to there. A file that was broken off goes on after the last acknowledged batch; one that
has grown goes on with what is new; one that begins otherwise than it did is another file.
"""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Final, Self

import msgspec
from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from kafka.structs import OffsetAndMetadata
from msgspec import Struct

from ingest import files, frame, records, topics
from ingest.settings import Settings
from ingest.wire import DeadLetter

BATCH_ROWS: Final = 20_000


class Delivered(Struct, frozen=True):
    """What one batch came to, and how far it moved through the file in bytes."""

    acknowledged: int
    already: int
    dead: int
    size: int


class _Progress(Struct, frozen=True):
    """How many events of a file are in the topic, their digest, and the last line that became a dead letter."""

    events: int = 0
    digest: str = ""
    dead_line: int = 0


class _Noted(Struct, frozen=True):
    digest: str
    dead_line: int


class Producer:
    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._topics = topics.names(settings)
        topics.check(settings)

    def deliver(self, sources: Sequence[str], rows: int = BATCH_ROWS) -> Iterator[Delivered]:
        for source in sources:
            with topics.reached(self._settings):
                yield from self._file(source, rows)

    def _file(self, source: str, rows: int) -> Iterator[Delivered]:
        live = source == files.STANDARD_INPUT
        name = f"{self._settings.topic_prefix}{self._settings.group}-ingest-{'' if live else _first_event(source)}"
        done = _Progress() if live else self._verified(source, self._progress(name))
        digest = hashlib.blake2b(digest_size=16)
        reached = 0
        with _Delivery(self._settings, None if live else name) as delivery:
            for chunk in files.read([source]):
                contents = frame.to_contents(chunk.frame)
                tables = chunk.frame["table"].to_list()
                already = min(len(contents), max(0, done.events - reached))
                _add(digest, contents[:already])
                dead = [letter for letter in chunk.dead if letter.line > done.dead_line]
                reached += already
                size = chunk.size
                if already:
                    yield Delivered(0, already, 0, 0)
                for start in range(already, max(len(contents), already + bool(dead)), rows):
                    part = contents[start : start + rows]
                    _add(digest, part)
                    reached += len(part)
                    done = _Progress(reached, digest.hexdigest(), max([done.dead_line, *(each.line for each in dead)]))
                    delivery.send(tables[start : start + rows], part, dead, done)
                    yield Delivered(len(part), 0, len(dead), size)
                    dead, size = [], 0
                if size:
                    yield Delivered(0, 0, 0, size)

    def _progress(self, group: str) -> _Progress:
        with closing(
            KafkaConsumer(**topics.client(self._settings), group_id=group, enable_auto_commit=False)
        ) as reading:
            found = reading.committed(TopicPartition(self._topics.events, 0), metadata=True)
        if found is None or not found.metadata:
            return _Progress()
        noted = msgspec.json.decode(found.metadata, type=_Noted)
        return _Progress(found.offset, noted.digest, noted.dead_line)

    def _verified(self, source: str, progress: _Progress) -> _Progress:
        """The progress of a file that still begins with what was acknowledged of it; else none."""
        digest = hashlib.blake2b(digest_size=16)
        left = progress.events
        for chunk in files.read([source]) if left else ():
            contents = frame.to_contents(chunk.frame[:left])
            _add(digest, contents)
            left -= len(contents)
            if not left:
                break
        return progress if not left and digest.hexdigest() == progress.digest else _Progress()


def _first_event(source: str) -> str:
    """What a file is known by: its first event."""
    for chunk in files.read([source]):
        for content in frame.to_contents(chunk.frame[:1]):
            return hashlib.blake2b(content, digest_size=12).hexdigest()
    return "nothing"


def _add(digest: "hashlib.blake2b", contents: Sequence[bytes]) -> None:
    for content in contents:
        digest.update(content)
        digest.update(b"\n")


class _Delivery:
    """One producer. With a name it makes transactions, and a second one of that name, a file ingested twice at a time, shuts
    it out; standard input has none, since nobody can begin it again, and is acknowledged as soon as it may be."""

    def __init__(self, settings: Settings, name: str | None) -> None:
        self._name = name
        self._topics = topics.names(settings)
        # Idempotent, as it is by itself; crc32c is picked up by itself too.
        self._producer = KafkaProducer(
            **topics.client(settings),
            acks="all",
            transactional_id=name,
            linger_ms=5,
            batch_size=131_072,
            max_request_size=topics.LARGEST,
        )

    def __enter__(self) -> Self:
        if self._name is not None:
            self._producer.init_transactions()
        return self

    def __exit__(self, *_: object) -> None:
        # What was not committed is aborted by whoever comes next, or by the broker.
        self._producer.close(timeout=5)

    def send(
        self, tables: Sequence[str], contents: Sequence[bytes], dead: Sequence[DeadLetter], progress: _Progress
    ) -> None:
        """All of it is acknowledged when this returns."""
        if self._name is not None:
            self._producer.begin_transaction()
        sent = [
            *(
                self._producer.send(self._topics.events, key=table.encode(), value=content)
                for table, content in zip(tables, contents, strict=True)
            ),
            *(self._producer.send(self._topics.dead_letters, value=records.written_letter(each)) for each in dead),
        ]
        if self._name is None:
            self._producer.flush()
            for each in sent:
                each.get(timeout=0)
            return
        noted = msgspec.json.encode(_Noted(progress.digest, progress.dead_line)).decode()
        place = TopicPartition(self._topics.events, 0)
        self._producer.send_offsets_to_transaction({place: OffsetAndMetadata(progress.events, noted, -1)}, self._name)
        self._producer.commit_transaction()
