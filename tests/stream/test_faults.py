"""Whatever is killed, paused, moved or restarted: afterwards the store is that of an undisturbed run, and no event waits."""

import os
import random
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

from kafka import KafkaAdminClient, KafkaProducer

from ingest import topics
from tests.stream.conftest import Floor, wait

SOAK = os.environ.get("CATWALK_SOAK") == "1"
KILLED_WORKERS = 200 if SOAK else 10
KILLED_SINKS = 50 if SOAK else 3
MOVES = 20 if SOAK else 1
PAUSES = 10 if SOAK else 1
RESTARTS = 10 if SOAK else 2


@contextmanager
def gateway(floor: Floor, lines: list[bytes], seconds: float) -> Iterator[threading.Thread]:
    """Somebody who produces the floor's events over some time, each acknowledged before the next batch."""
    stop = threading.Event()
    chosen = floor.settings
    topic = topics.names(chosen).events

    def produce() -> None:
        batches = 100
        with closing(KafkaProducer(**topics.client(chosen), acks="all", linger_ms=5)) as producer:
            for number in range(batches):
                part = lines[number * len(lines) // batches : (number + 1) * len(lines) // batches]
                sent = [
                    producer.send(topic, key=line.split(b'"table":"')[1].split(b'"')[0], value=line) for line in part
                ]
                for each in sent:
                    each.get(timeout=120)
                stop.wait(seconds / batches)

    running = threading.Thread(target=produce)
    running.start()
    try:
        yield running
    finally:
        stop.set()
        running.join(180)
        assert not running.is_alive()


def test_a_worker_killed_in_the_middle_of_rounds(floor, lines, undisturbed):
    chance = random.Random(31)
    floor.sink()
    with gateway(floor, lines, KILLED_WORKERS * 2.0):
        for _ in range(KILLED_WORKERS):
            worker = floor.ready(floor.worker())
            time.sleep(chance.uniform(0, 2))
            worker.kill()
            worker.wait()
    floor.worker()
    floor.settles(undisturbed)


def test_a_sink_killed_while_it_writes(floor, lines, undisturbed):
    chance = random.Random(32)
    floor.worker()
    with gateway(floor, lines, KILLED_SINKS * 4.0):
        for _ in range(KILLED_SINKS):
            sink = floor.sink()
            wait(floor.data.exists, "the sink never began")
            time.sleep(chance.uniform(1, 5))
            sink.kill()
            sink.wait()
    floor.sink()
    floor.settles(undisturbed)


def test_partitions_that_move_from_one_worker_to_another_and_back(floor, lines, undisturbed):
    floor.sink()
    first = floor.ready(floor.worker())
    with gateway(floor, lines, MOVES * 12.0):
        for _ in range(MOVES):
            second = floor.ready(floor.worker())
            time.sleep(1)
            first.terminate()
            assert first.wait(60) == 0, floor.said(first)
            time.sleep(1)
            first = floor.ready(floor.worker())
            second.kill()
            second.wait()
    floor.settles(undisturbed)


@contextmanager
def kept_running(floor: Floor, *verbs: str) -> Iterator[dict[str, subprocess.Popen[bytes]]]:
    """What a container's restart policy does: whatever ends is started anew."""
    running = {verb: getattr(floor, verb)() for verb in verbs}
    enough = threading.Event()

    def supervise() -> None:
        while not enough.wait(0.5):
            for verb, process in list(running.items()):
                if process.poll() is not None:
                    running[verb] = getattr(floor, verb)()

    supervisor = threading.Thread(target=supervise)
    supervisor.start()
    try:
        yield running
    finally:
        enough.set()
        supervisor.join()


def test_a_paused_worker_that_comes_back_after_its_partitions_went_to_another(floor, lines, undisturbed):
    floor.sink()
    with kept_running(floor, "worker") as running:
        floor.ready(running["worker"])
        with gateway(floor, lines, PAUSES * 16.0):
            for _ in range(PAUSES):
                time.sleep(2)
                paused = running["worker"]
                paused.send_signal(signal.SIGSTOP)
                other = floor.ready(floor.worker())
                time.sleep(3)
                paused.send_signal(signal.SIGCONT)
                time.sleep(3)
                other.kill()
                other.wait()
        floor.settles(undisturbed)


def test_a_group_that_was_deleted(floor, lines, undisturbed):
    floor.sink()
    worker = floor.ready(floor.worker())
    with gateway(floor, lines, 4.0):
        wait(lambda: bool(topics.stated(floor.settings)), "the worker never stated anything")
        worker.kill()
        worker.wait()
    group = floor.settings.group
    with closing(KafkaAdminClient(**topics.client(floor.settings))) as admin:

        def gone() -> bool:
            admin.delete_groups([group])
            return group not in [each["group_id"] for each in admin.list_groups()]

        wait(gone, "the group was never deleted")
    floor.worker()
    floor.settles(undisturbed)


def test_a_broker_restarted_under_load(own_broker, tmp_path, lines, undisturbed):
    floor = Floor(own_broker, tmp_path / "floor", "restarted").made()
    assert topics.stated(floor.settings) == {}  # though it was never asked for a group before
    try:
        with kept_running(floor, "worker", "sink"):
            with gateway(floor, lines, RESTARTS * 10.0):
                for number in range(RESTARTS):
                    time.sleep(5)
                    (own_broker.kill if number % 2 else own_broker.stop)()
                    time.sleep(1)
                    own_broker.start()
            floor.settles(undisturbed)
    finally:
        floor.end()
