"""What lies in the topics: events in their canonical bytes, and dead letters. Whoever reads a topic decodes it here."""

from collections.abc import Sequence
from typing import Final

import msgspec
import polars as pl
from kafka.consumer.fetcher import ConsumerRecord

from ingest import frame, log, wire
from ingest.wire import DeadLetter

# An event's position is its offset in its partition.
SCHEMA: Final = {**log.SCHEMA, "partition": pl.Int32()}

EMPTY: Final = "the message is empty"
_LETTERS: Final = msgspec.json.Decoder(DeadLetter)


class Messages(msgspec.Struct, frozen=True):
    """Messages of one topic, column by column."""

    topic: str
    partitions: Sequence[int]
    offsets: Sequence[int]
    keys: Sequence[bytes | None]
    values: Sequence[bytes | None]


def messages(topic: str, found: Sequence[ConsumerRecord]) -> Messages:
    return Messages(
        topic,
        [record.partition for record in found],
        [record.offset for record in found],
        [record.key for record in found],
        [record.value for record in found],
    )


class Read(msgspec.Struct, frozen=True):
    """The events with their places, and as the log takes them: with what is none, its topic and partition as the file, its
    offset as the line."""

    events: pl.DataFrame
    batch: wire.Batch

    @property
    def dead(self) -> list[DeadLetter]:
        return self.batch.dead


def read(messages: Messages) -> Read:
    values = [value or b"" for value in messages.values]
    batch = wire.decode(values)
    reasons = {letter.line - 1: letter for letter in batch.dead}
    if len(batch.contents) + len(reasons) < len(values):
        for row, value in enumerate(values):
            if not value or value.isspace():
                reasons[row] = DeadLetter(EMPTY, value)
    sound = [row for row in range(len(values)) if row not in reasons] if reasons else range(len(values))
    rows = pl.Series(sound, dtype=pl.UInt32)
    found = frame.from_contents(batch.contents, batch.extras).with_columns(
        pl.Series("position", messages.offsets, dtype=pl.Int64).gather(rows),
        pl.Series("partition", messages.partitions, dtype=pl.Int32).gather(rows),
        pl.Series("key", messages.keys, dtype=pl.Binary).gather(rows),
        row=rows,
    )
    strange = found.filter(pl.col("key").ne_missing(pl.col("table").cast(pl.Binary)))
    for row, table in strange.select("row", "table").iter_rows():
        told = f"the key is not the event's table, {table}"
        reasons[row] = DeadLetter(told, values[row])
    contents, extras = batch.contents, batch.extras
    if strange.height:
        known = ~found["row"].is_in(strange["row"].implode())
        contents = [each for each, one in zip(contents, known, strict=True) if one]
        extras = [each for each, one in zip(extras, known, strict=True) if one]
        found = found.filter(known)
    dead = [
        msgspec.structs.replace(
            letter, file=place(messages.topic, messages.partitions[row]), line=messages.offsets[row]
        )
        for row, letter in sorted(reasons.items())
    ]
    return Read(found.select(*SCHEMA), wire.Batch(contents, extras, dead))


def place(topic: str, partition: int) -> str:
    """`table-events/3`, where a file's name would stand."""
    return f"{topic}/{partition}"


def written_letter(letter: DeadLetter) -> bytes:
    """A dead letter as it lies in the topic: JSON, the content in base64, since it may be no text."""
    return msgspec.json.encode(letter)


def read_letter(content: bytes | None, topic: str, partition: int, offset: int) -> DeadLetter:
    """What lies among the dead letters, written by us or by anybody."""
    try:
        return _LETTERS.decode(content or b"")
    except (msgspec.DecodeError, UnicodeDecodeError):
        return DeadLetter("not written as a dead letter", content or b"", offset, place(topic, partition))
