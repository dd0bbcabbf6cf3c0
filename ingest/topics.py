"""The topics of a floor on Kafka: their names, how they are made, and that they are still as they were made.

They are made by `catwalk kafka init` and never by accident. A table's events lie in one partition because their key is the
table and the number of partitions never changes; a charter, written when they were made, says so, and whoever starts compares.
"""

import logging
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Final

import msgspec
from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import NewTopic
from kafka.consumer.fetcher import ConsumerRecord
from kafka.errors import CoordinatorNotAvailableError, KafkaError, NotCoordinatorError, SaslAuthenticationFailedError
from msgspec import Struct

from ingest import wire
from ingest.settings import Settings

# It finds its own tasks slow on a busy machine.
logging.getLogger("kafka.net.selector").setLevel(logging.ERROR)

VERSION: Final = 1
KEY: Final = "table"
_CHARTER_KEY: Final = b"charter"
_DAY_MS: Final = 86_400_000
_MEBIBYTE: Final = 1 << 20
# A table's stretch and a partition's state are one message each, and may be large after a long absence.
LARGEST: Final = 32 * _MEBIBYTE
ATTEMPT_MS: Final = 10_000
_MARKS: Final = 1000
_HANDSHAKE: Final = "Handshake failed: "


class Refused(Exception):
    """Topics that cannot be used, or a broker that does not answer; the message says what to do."""


class Charter(Struct, frozen=True):
    """How the topics were made."""

    partitions: int
    key: str = KEY
    version: int = VERSION


@dataclass(frozen=True, slots=True)
class Topics:
    events: str
    settlements: str
    findings: str
    dead_letters: str
    states: str
    charter: str

    @property
    def partitioned(self) -> tuple[str, ...]:
        """Those in which everything of one table lies in the partition of the same number."""
        return self.events, self.settlements, self.findings, self.dead_letters, self.states


def names(settings: Settings) -> Topics:
    prefix = settings.topic_prefix
    kinds = ("table-events", "settlements", "findings", "dead-letters", "table-states", "charter")
    return Topics(*(prefix + kind for kind in kinds))


# Clients


def client(settings: Settings) -> dict[str, str | int | list[str] | None]:
    """What every client of kafka-python is told."""
    return {
        "bootstrap_servers": settings.servers.split(","),
        "bootstrap_timeout_ms": ATTEMPT_MS,
        # A broker that comes back is found again within seconds, not within half a minute.
        "reconnect_backoff_max_ms": 1000,
        **security(settings),
    }


def security(settings: Settings) -> dict[str, str | int | list[str] | None]:
    return {
        "security_protocol": settings.security_protocol,
        "sasl_mechanism": settings.sasl_mechanism,
        "sasl_plain_username": settings.sasl_username,
        "sasl_plain_password": settings.sasl_password,
        "ssl_cafile": settings.ssl_cafile,
        "ssl_certfile": settings.ssl_certfile,
        "ssl_keyfile": settings.ssl_keyfile,
    }


class _Refusals(logging.Handler):
    """What the broker had against us. The client tells only its log, tries again, and in the end that it could not connect."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.told: str | None = None

    def emit(self, record: logging.LogRecord) -> None:
        for each in record.args if isinstance(record.args, tuple) else ():
            if isinstance(each, SaslAuthenticationFailedError):
                self.told = "it refuses `sasl_username` with `sasl_password` by this `sasl_mechanism`"
            elif isinstance(each, KafkaError) and (said := str(each)).find(_HANDSHAKE) >= 0:
                why = said.partition(_HANDSHAKE)[2].partition(" (_ssl")[0]
                self.told = f"no TLS by `security_protocol` and `ssl_cafile`: {why}"


@contextmanager
def reached(settings: Settings) -> Iterator[None]:
    """Kafka's own complaints in one line."""
    refusals = _Refusals()
    logger = logging.getLogger("kafka.net.manager")
    logger.addHandler(refusals)
    try:
        yield
    except KafkaError as error:
        said = (str(error).splitlines() or [type(error).__name__])[0]
        raise Refused(f"Kafka at {settings.servers}: {refusals.told or said}") from None
    finally:
        logger.removeHandler(refusals)


def consumer(settings: Settings, fetched: int = LARGEST) -> KafkaConsumer:
    """A reader of whatever it is assigned, which joins no group and sees nothing that was not committed.

    `fetched`: how many bytes of a partition it asks for at a time; it gets at least what was written as one.
    """
    return KafkaConsumer(
        **client(settings),
        group_id=None,
        enable_auto_commit=False,
        auto_offset_reset="earliest",
        isolation_level="read_committed",
        max_partition_fetch_bytes=fetched,
        fetch_max_bytes=2 * LARGEST,
        fetch_max_wait_ms=100,
    )


# Making them


def configurations(settings: Settings) -> Mapping[str, Mapping[str, str]]:
    topics = names(settings)
    forever = {"cleanup.policy": "delete", "retention.ms": "-1", "retention.bytes": "-1"}
    days = settings.retention_days
    passing = {**forever, "retention.ms": str(days * _DAY_MS) if days else "-1"}
    large = {"max.message.bytes": str(LARGEST)}
    compacted = {"cleanup.policy": "compact", "segment.bytes": str(64 * _MEBIBYTE), "min.cleanable.dirty.ratio": "0.1"}
    return {
        topics.events: forever,
        topics.settlements: {**forever, **large},
        topics.findings: passing,
        topics.dead_letters: {**passing, **large},
        topics.states: {**compacted, **large},
        topics.charter: compacted,
    }


def make(settings: Settings) -> list[str]:
    """Makes the topics that are missing; their names. Those that are there have to be as the settings say."""
    topics = names(settings)
    with reached(settings), closing(KafkaAdminClient(**client(settings))) as admin:
        there = _partitions(admin, topics)
        charter = _charter(settings) if topics.charter in there else None
        if charter is not None:
            _compare(topics, there, charter)
            if charter.partitions != settings.partitions:
                raise Refused(
                    f"{topics.events} was made with {charter.partitions} partitions, and the settings say "
                    f"{settings.partitions}; tables would move between partitions. Set `partitions` to {charter.partitions}"
                )
        elif not _unused(settings, there):
            raise Refused(
                f"{', '.join(sorted(there))}: there already, and not made by `catwalk kafka init`; "
                "name another `topic_prefix`, or delete them"
            )
        missing = [name for name in (*topics.partitioned, topics.charter) if name not in there]
        new = [
            NewTopic(
                name,
                1 if name == topics.charter else settings.partitions,
                settings.replication,
                topic_configs=dict(configurations(settings)[name]),
            )
            for name in missing
        ]
        if new:
            admin.create_topics(new, wait_for_metadata=True)
    if charter is None:
        _write_charter(settings)
    return missing


def _unused(settings: Settings, there: Mapping[str, int]) -> bool:
    """Topics without a charter that hold nothing: making them was broken off, and goes on."""
    places = [TopicPartition(name, number) for name, count in there.items() for number in range(count)]
    if any(count != settings.partitions for name, count in there.items() if name != names(settings).charter):
        return False
    with closing(consumer(settings)) as reading:
        return not places or not any(reading.end_offsets(places).values())


def _write_charter(settings: Settings) -> None:
    """Last of all, so that there is a charter only where there are all topics."""
    with reached(settings), closing(KafkaProducer(**client(settings), acks="all")) as producer:
        content = msgspec.json.encode(Charter(settings.partitions))
        producer.send(names(settings).charter, key=_CHARTER_KEY, value=content).get(timeout=30)


def _partitions(admin: KafkaAdminClient, topics: Topics) -> dict[str, int]:
    """How many partitions each of the topics has that are there."""
    wanted = sorted({*admin.list_topics()} & {*topics.partitioned, topics.charter})
    return {found["name"]: len(found["partitions"]) for found in (admin.describe_topics(wanted) if wanted else [])}


def _charter(settings: Settings) -> Charter | None:
    place = TopicPartition(names(settings).charter, 0)
    with closing(consumer(settings)) as reading:
        last = None
        for record in through(reading, {place: 0}):
            last = record.value if record.key == _CHARTER_KEY else last
    return None if last is None else msgspec.json.decode(last, type=Charter)


def _compare(topics: Topics, there: Mapping[str, int], charter: Charter) -> None:
    if (charter.key, charter.version) != (KEY, VERSION):
        raise Refused(
            f"{topics.events} was made with key `{charter.key}` in version {charter.version} of the topics; "
            f"this catwalk reads key `{KEY}` in version {VERSION}"
        )
    for name in topics.partitioned:
        if there.get(name, charter.partitions) != charter.partitions:
            raise Refused(
                f"{name} was made with {charter.partitions} partitions and has {there[name]}; tables have moved between "
                "partitions. Make new topics (another `topic_prefix`) and ingest the events into them"
            )


# Using them


def check(settings: Settings) -> Charter:
    """The charter of topics that are as they were made; else why they cannot be used."""
    topics = names(settings)
    with reached(settings), closing(KafkaAdminClient(**client(settings))) as admin:
        there = _partitions(admin, topics)
    with reached(settings):
        charter = _charter(settings) if topics.charter in there else None
        missing = [name for name in topics.partitioned if name not in there]
        if charter is None or missing:
            raise Refused(
                f"Kafka at {settings.servers} has no topic {(missing or [topics.charter])[0]}; "
                "`catwalk kafka init` makes the topics"
            )
        _compare(topics, there, charter)
        _first_key(settings, charter)
    return charter


def _first_key(settings: Settings, charter: Charter) -> None:
    """The first event of the topic has its table for a key; a topic that somebody keys otherwise is refused at once."""
    topic = names(settings).events
    places = [TopicPartition(topic, number) for number in range(charter.partitions)]
    with closing(consumer(settings)) as reading:
        begins, ends = reading.beginning_offsets(places), reading.end_offsets(places)
        place = next((place for place in places if begins[place] < ends[place]), None)
        if place is None:
            return
        for record in through(reading, {place: begins[place]}, {place: begins[place] + 1}):
            event = wire.read(record.value or b"")
            if isinstance(event, wire.Accepted) and record.key != event.event.table.encode():
                raise Refused(
                    f"{topic}: its first event has the key {record.key!r} and is of table {event.event.table}; "
                    "events have to be keyed by their table"
                )


def places(settings: Settings) -> list[TopicPartition]:
    """The partitions of the events."""
    return [TopicPartition(names(settings).events, number) for number in range(settings.partitions)]


def stated(settings: Settings) -> dict[TopicPartition, int]:
    """The offsets that the workers' group has stated. A broker that was asked for a group for the first time has to make a place
    for groups first."""
    deadline = time.monotonic() + ATTEMPT_MS / 1000
    with closing(KafkaAdminClient(**client(settings))) as admin:
        while True:
            try:
                found = admin.list_group_offsets(settings.group).get(settings.group, {})
            except (CoordinatorNotAvailableError, NotCoordinatorError):
                if time.monotonic() >= deadline:
                    raise
                time.sleep(0.2)
            else:
                return {place: each.offset for place, each in found.items()}


def waiting(reading: KafkaConsumer, positions: Mapping[TopicPartition, int]) -> dict[TopicPartition, int]:
    """How many records lie after these offsets. A few last offsets may be nothing but marks that end transactions."""
    ends = reading.end_offsets(list(positions))
    lags = {place: max(0, ends[place] - offset) for place, offset in positions.items()}
    short = {place: positions[place] for place, lag in lags.items() if 0 < lag <= _MARKS}
    if short:
        lags |= dict.fromkeys(short, 0)
        for record in through(reading, short, ends):
            lags[TopicPartition(record.topic, record.partition)] += 1
    return lags


def through(
    reading: KafkaConsumer,
    begins: Mapping[TopicPartition, int],
    ends: Mapping[TopicPartition, int] | None = None,
) -> Iterator[ConsumerRecord]:
    """The records from these offsets up to those, or to where the partitions end now; transactions' own marks are passed over."""
    ends = ends or reading.end_offsets(list(begins))
    reading.assign(list(begins))
    for place, offset in begins.items():
        reading.seek(place, offset)
    open_ = {place for place in begins if begins[place] < ends[place]}
    # One that was read to its end before stays paused, even if it is assigned anew.
    reading.resume(*begins)
    reading.pause(*(set(begins) - open_))
    while open_:
        for place, records in reading.poll(timeout_ms=500, max_records=20_000).items():
            yield from (record for record in records if record.offset < ends[place])
        done = {place for place in open_ if reading.position(place) >= ends[place]}
        if done:
            reading.pause(*done)
            open_ -= done
