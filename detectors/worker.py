"""The worker: a Faust app that takes events in batches, has its pit audit them, and says what came of it in one transaction.

Faust brings the messages and shares the partitions out among the workers. Where a partition goes on, its state says. A
transaction of a partition holds what was decided and, every few seconds, the state and the offset; its producer's name is the
partition's, so that a worker which lost the partition without knowing it is shut out by the broker itself.
"""

import asyncio
import logging
import os
import ssl
import time
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from typing import Final, cast

import faust
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.errors import KafkaError, ProducerFenced
from aiokafka.helpers import create_ssl_context
from faust.streams import Stream
from faust.transport.drivers import aiokafka as driver
from faust.types import TP, EventT, StreamT

from detectors import states, stretch
from detectors.pit import Pit, Sheet
from detectors.stretch import Mark
from ingest import records, topics
from ingest.records import Messages
from ingest.settings import Settings

FAILED: Final = 1
_IDLE_SECONDS: Final = 0.5
_MANY: Final = 4
# How often what Faust has buffered is looked at; a batch goes as soon as the one before it is done.
_GLANCE_SECONDS: Final = 0.05
_HOUR: Final = 3600.0
_FETCHED_BYTES: Final = 65_536
_FETCH_MS: Final = 100
_NO_MESSAGES: Final = Messages("", [], [], [], [])

logger = logging.getLogger("catwalk.worker")
# What it retries by itself is no news; what it cannot, comes back as an exception.
logging.getLogger("aiokafka").setLevel(logging.ERROR)
logging.getLogger("mode.timers").setLevel(logging.ERROR)


class Lost(Exception):
    """A partition has another owner."""


class Worker:
    """The partitions this process has: their pit, and a producer for each."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.topics = topics.names(settings)
        self.pit = Pit(settings)
        self.events = 0
        self._generation = -1
        self._producers: dict[int, AIOKafkaProducer] = {}
        self._stated: dict[int, tuple[int, float]] = {}  # by partition: the offset and time of its last state
        self._lock = asyncio.Lock()

    # Partitions come and go

    async def positions(self, partitions: Iterable[int], generation: int) -> dict[int, int]:
        """Where each partition goes on. In a new generation of the group all are taken over anew: another may have had them.

        Within one, nothing is taken over: what was given up or lost is on its way to another worker.
        """
        async with self._lock:
            if generation != self._generation:
                await self._drop(set(self.pit.partitions))
                await self._take_over(sorted(set(partitions)))
                self._generation = generation
            return self.offsets()

    async def _take_over(self, partitions: list[int]) -> None:
        # First the producers: from then on nobody else can write there, so what is read next is the last word.
        producers = [self._producer(number) for number in partitions]
        await asyncio.gather(*(producer.start() for producer in producers))
        self._producers = dict(zip(partitions, producers, strict=True))
        found = await asyncio.to_thread(states.last, self.settings, partitions)
        for number, each in found.items():
            if each.note:
                logger.warning("partition %s is derived again from its first event: %s", number, each.note)
            self.pit.take(number, each)
            self._stated[number] = (each.state.heading.next, time.monotonic())
        logger.info("has partitions %s", partitions)

    def _producer(self, partition: int) -> AIOKafkaProducer:
        return AIOKafkaProducer(
            **_aiokafka(self.settings),
            transactional_id=f"{self.settings.topic_prefix}{self.settings.group}-{partition}",
            acks="all",
            max_request_size=topics.LARGEST,
            linger_ms=0,
        )

    async def _drop(self, partitions: Iterable[int]) -> None:
        gone = [self._producers.pop(number) for number in partitions if number in self._producers]
        for number in partitions:
            self.pit.drop(number)
            self._stated.pop(number, None)
        for producer in gone:
            try:
                await asyncio.wait_for(producer.stop(), 10)
            except (TimeoutError, KafkaError):
                logger.warning("a producer could not be closed in time")

    async def give_up(self, partitions: Iterable[int]) -> None:
        """States the partitions, so that whoever has them next need read nothing again, and lets them go."""
        async with self._lock:
            mine = {number for number in partitions if number in self._producers}
            # Where another has it already, its state is the one that counts.
            await self._deliver({number: Sheet() for number in mine}, mine)
            await self._drop(mine)

    # Steps

    async def take(self, messages: Messages, generation: int) -> None:
        async with self._lock:
            if generation == self._generation:
                await self._step(messages)
                self.events += len(messages.offsets)

    async def idle(self) -> None:
        """What is due without a new message: events that have waited long enough, and states."""
        async with self._lock:
            if self.pit.partitions and (self.pit.waits() or self._due(self.offsets())):
                await self._step(_NO_MESSAGES)

    async def _step(self, messages: Messages) -> None:
        prepared = await asyncio.to_thread(self.pit.prepare, messages)
        self.pit.accept(prepared)
        due = self._due(self.offsets())
        sheets = {number: prepared.sheets.get(number, Sheet()) for number in {*prepared.sheets, *due}}
        lost = await self._deliver(sheets, due)
        if lost:
            # Either we were away too long, or Faust and the broker do not agree on whose it is. Joining anew settles both.
            raise Lost(f"partitions {lost} have gone to another worker")

    def offsets(self) -> dict[int, int]:
        return {number: known.next for number, known in self.pit.partitions.items()}

    def _due(self, offsets: Mapping[int, int]) -> set[int]:
        now = time.monotonic()
        return {
            number
            for number, (offset, at) in self._stated.items()
            if offsets.get(number, offset) != offset and self._turn(number, now) != self._turn(number, at)
        }

    def _turn(self, number: int, moment: float) -> int:
        """Partitions are stated in turn: all at once, findings would wait for it."""
        return int(moment / self.settings.state_seconds + number / self.settings.partitions)

    async def _deliver(self, sheets: Mapping[int, Sheet], stated: set[int]) -> list[int]:
        """The partitions that turn out to be no longer ours."""
        delivered = await asyncio.gather(
            *(self._transaction(number, sheet, number in stated) for number, sheet in sheets.items())
        )
        return [number for number, mine in zip(sheets, delivered, strict=True) if not mine]

    async def _transaction(self, number: int, sheet: Sheet, state: bool) -> bool:
        """False if the partition is no longer ours. Any other failure ends the worker: the state says where to go on."""
        producer = self._producers[number]
        try:
            await producer.begin_transaction()
            await self._send(producer, number, sheet)
            if state:
                await self._state(producer, number)
            await producer.commit_transaction()
        except ProducerFenced:
            return False
        return True

    async def _send(self, producer: AIOKafkaProducer, number: int, sheet: Sheet) -> None:
        for each in sheet.stretches:
            key = each.table.encode()
            await producer.send(self.topics.settlements, stretch.written(each), key, number)
            for found in each.findings:
                await producer.send(self.topics.findings, bytes(found), key, number)
        for letter in sheet.dead:
            await producer.send(self.topics.dead_letters, records.written_letter(letter), None, number)

    async def _state(self, producer: AIOKafkaProducer, number: int) -> None:
        state = self.pit.state(number)
        offset = state.heading.next
        if time.time() - state.heading.base_taken >= self.settings.base_hours * _HOUR:
            value, headers = states.written(state)
            at = await producer.send_and_wait(self.topics.states, value, states.BASE, number, headers=headers)
            self.pit.rebase(number, at.offset, time.time())
            state = self.pit.state(number)
        value, headers = states.written(state)
        await producer.send(self.topics.states, value, states.NOW, number, headers=headers)
        await producer.send(self.topics.settlements, stretch.written(Mark(offset)), None, number)
        await producer.send_offsets_to_transaction(
            {TopicPartition(self.topics.events, number): offset}, self.settings.group
        )
        self._stated[number] = (offset, time.monotonic())


# Faust


def options(settings: Settings) -> dict[str, object]:
    return {
        "broker": [f"kafka://{server}" for server in settings.servers.split(",")],
        "broker_credentials": _credentials(settings),
        "store": "memory://",
        "web_enabled": False,
        "topic_allow_declare": False,
        "topic_disable_leader": True,
        "topic_replication_factor": settings.replication,
        "consumer_auto_offset_reset": "earliest",
        "broker_commit_interval": 1.0,
        "broker_session_timeout": settings.session_seconds,
        "broker_heartbeat_interval": settings.session_seconds / 3,
        "broker_max_poll_records": settings.batch_events,
        "stream_buffer_maxsize": max(4096, settings.batch_events),
        "worker_redirect_stdouts": False,
    }


def app(settings: Settings, worker: Worker) -> faust.App:
    made = faust.App(settings.group, **options(settings))  # type: ignore[arg-type]
    cast(driver.Transport, made.transport).Consumer = _consumer(worker)  # type: ignore[misc]
    source = made.topic(
        worker.topics.events, key_type=bytes, value_type=bytes, key_serializer="raw", value_serializer="raw"
    )

    def behind(gathered: Iterable[EventT[bytes]]) -> bool:
        """Whether far more waits in the topic than was gathered. Larger batches are cheaper, and nobody waits for this one."""
        reached = {event.message.tp: int(event.message.offset) for event in gathered}
        return (
            sum(int(made.consumer.highwater(tp) or 0) - offset for tp, offset in reached.items())
            > settings.batch_events
        )

    async def audit(stream: StreamT[bytes]) -> None:
        # While a batch is audited the next is gathered. Faust takes it for handled then; where to go on is not Faust's to say.
        gathered = Gathered(_MANY * settings.batch_events)
        stepping = asyncio.create_task(_or_end(step_by_step(gathered)))
        try:
            within = min(_GLANCE_SECONDS, settings.batch_seconds)
            async for events in cast(Stream[bytes], stream).take_events(settings.batch_events, within=within):
                await gathered.add(events)
        finally:
            stepping.cancel()

    async def step_by_step(gathered: "Gathered") -> None:
        while True:
            began = await gathered.some()
            # What comes together is cheaper together; a busy worker has waited for long enough.
            await asyncio.sleep(began + settings.batch_seconds - time.monotonic())
            while behind(gathered.events) and await gathered.more(settings.batch_seconds):
                pass
            await worker.take(*_messages(worker, gathered.taken(), made.consumer_generation_id))

    async def look_after() -> None:
        await _or_end(worker.idle())

    async def revoked(_app: object, *partitions: set[TP], **_: object) -> None:
        (gone,) = partitions
        await _or_end(worker.give_up([each.partition for each in gone if each.topic == worker.topics.events]))

    async def stopping(_app: object, *_arguments: object, **_: object) -> None:
        await _or_end(worker.give_up(list(worker.pit.partitions)))

    made.agent(source, concurrency=1)(audit)
    made.timer(_IDLE_SECONDS)(look_after)
    made.on_partitions_revoked.connect(revoked)  # type: ignore[arg-type] # coroutines it awaits, and has no type for
    made.on_before_shutdown.connect(stopping)  # type: ignore[arg-type]
    return made


class Gathered:
    """Events on their way from Faust to the next step, up to a number beyond which Faust has to wait."""

    def __init__(self, most: int) -> None:
        self.events: list[EventT[bytes]] = []
        self._most = most
        self._since = 0.0
        self._came = asyncio.Event()
        self._room = asyncio.Event()

    async def add(self, events: Sequence[EventT[bytes]]) -> None:
        while len(self.events) >= self._most:
            self._room.clear()
            await self._room.wait()
        self._since = self._since if self.events else time.monotonic()
        self.events += events
        self._came.set()

    async def some(self) -> float:
        """Waits until there are any; when the first of them came."""
        while not self.events:
            self._came.clear()
            await self._came.wait()
        return self._since

    async def more(self, within: float) -> bool:
        """Waits for others, if there is room for them; whether they came."""
        if len(self.events) >= self._most:
            return False
        self._came.clear()
        try:
            await asyncio.wait_for(self._came.wait(), within)
        except TimeoutError:
            return False
        return True

    def taken(self) -> list[EventT[bytes]]:
        events, self.events = self.events, []
        self._room.set()
        return events


async def _or_end(step: Coroutine[None, None, None]) -> None:
    """Ends the process when a step fails. Faust would take its events for handled; a worker begun anew reads them again."""
    try:
        await step
    except asyncio.CancelledError:
        raise
    except BaseException:
        logger.exception("a step failed, so this worker ends; the next goes on from its last state")
        logging.shutdown()
        os._exit(FAILED)


def _messages(worker: Worker, events: Iterable[EventT[bytes]], generation: int) -> tuple[Messages, int]:
    """What was fetched since the partitions were shared out last; the rest lies in the topic still."""
    current = [event.message for event in events if event.message.generation_id == generation]
    return (
        Messages(
            worker.topics.events,
            [message.partition for message in current],
            [message.offset for message in current],
            [message.key for message in current],
            [message.value for message in current],
        ),
        generation,
    )


def _consumer(worker: Worker) -> type[driver.Consumer]:
    class Thread(driver.AIOKafkaConsumerThread):
        def _create_worker_consumer(self, transport: driver.Transport) -> AIOKafkaConsumer:
            made = super()._create_worker_consumer(transport)
            # Faust asks for this only where it makes the transactions itself. Events of a broken-off file are not in the log.
            made._isolation_level = "read_committed"
            # Not a question to the broker for every few events: that costs both sides more than the events do.
            made._fetch_min_bytes = _FETCHED_BYTES
            made._fetch_max_wait_ms = _FETCH_MS
            return made

    class Consumer(driver.Consumer):
        """Faust's consumer, but for the question where to go on: Faust's answer can be past a message in flight."""

        def _new_consumer_thread(self) -> Thread:
            return Thread(self, loop=self.loop, beacon=self.beacon)

        async def seek_to_committed(self) -> Mapping[TP, int]:
            mine = [tp.partition for tp in self.assignment() if tp.topic == worker.topics.events]
            found: dict[TP, int] = {}

            async def sought() -> None:
                positions = await worker.positions(mine, self.app.consumer_generation_id)
                found.update({TP(worker.topics.events, number): offset for number, offset in positions.items()})

            await _or_end(sought())
            await self.seek_wait(found)
            return found

        async def _commit(self, offsets: Mapping[TP, int]) -> bool:  # noqa: ARG002 - committed with the state instead
            return True

    return Consumer


def _aiokafka(settings: Settings) -> dict[str, object]:
    return {
        "bootstrap_servers": settings.servers.split(","),
        "security_protocol": settings.security_protocol,
        "ssl_context": _ssl(settings),
        "sasl_mechanism": settings.sasl_mechanism or "PLAIN",
        "sasl_plain_username": settings.sasl_username,
        "sasl_plain_password": settings.sasl_password,
    }


def _credentials(settings: Settings) -> faust.SSLCredentials | faust.SASLCredentials | None:
    context = _ssl(settings)
    if settings.security_protocol.startswith("SASL"):
        return faust.SASLCredentials(
            username=settings.sasl_username,
            password=settings.sasl_password,
            mechanism=settings.sasl_mechanism,
            ssl_context=context,
        )
    return None if context is None else faust.SSLCredentials(context)


def _ssl(settings: Settings) -> ssl.SSLContext | None:
    if not settings.security_protocol.endswith("SSL"):
        return None
    made: ssl.SSLContext = create_ssl_context(
        cafile=settings.ssl_cafile, certfile=settings.ssl_certfile, keyfile=settings.ssl_keyfile
    )
    return made
