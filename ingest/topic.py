"""A whole topic as if it were a file: `kafka://HOST:PORT/table-events`, from its first event to where it ends now."""

import itertools
import re
from collections.abc import Iterator
from contextlib import closing
from typing import Final

import polars as pl
from kafka import TopicPartition

from ingest import frame, records, settings, topics
from ingest.wire import DeadLetter

SCHEME: Final = "kafka://"
_ADDRESS: Final = re.compile(rf"{SCHEME}([^/\s]+)/([A-Za-z0-9._-]+)")


def read(address: str, rows: int) -> Iterator[tuple[pl.DataFrame, list[DeadLetter]]]:
    """Events and dead letters, about `rows` messages at a time. Who may read it, the settings say."""
    matched = _ADDRESS.fullmatch(address)
    if matched is None:
        raise topics.Refused(f"{address}: a topic is named {SCHEME}HOST:PORT/TOPIC")
    servers, topic = matched.groups()
    chosen = settings.read(servers=servers if ":" in servers else f"{servers}:9092")
    with topics.reached(chosen), closing(topics.consumer(chosen)) as reading:
        partitions = reading.partitions_for_topic(topic)
        if not partitions:
            raise topics.Refused(f"Kafka at {chosen.servers} has no topic {topic}")
        places = [TopicPartition(topic, number) for number in sorted(partitions)]
        every = topics.through(reading, reading.beginning_offsets(places))
        while part := list(itertools.islice(every, rows)):
            found = records.read(records.messages(topic, part))
            yield found.events.select(*frame.SCHEMA), found.dead
