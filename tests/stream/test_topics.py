"""Topics are made on purpose, and refused when they are no longer as they were made."""

import json
import re
import signal
import subprocess
from contextlib import closing

import pytest
from kafka import KafkaAdminClient, KafkaProducer, TopicPartition
from kafka.admin import ConfigResource, ConfigResourceType

from catwalk.command import main
from ingest import topics
from tests.stream.conftest import COMMAND, Floor


@pytest.fixture
def told(floor, monkeypatch, capsys):
    """The command with the floor's settings: its exit status and what it said."""
    for name, value in floor.environment.items():
        monkeypatch.setenv(name, value)

    def call(*arguments: object) -> tuple[int, str]:
        capsys.readouterr()
        status = main([str(each) for each in arguments])
        printed = capsys.readouterr()
        return status, printed.out + printed.err

    return call


def committed(floor: Floor, kind: str) -> list[tuple[bytes | None, bytes]]:
    topic = getattr(topics.names(floor.settings), kind)
    places = [TopicPartition(topic, number) for number in range(4)]
    with closing(topics.consumer(floor.settings)) as reading:
        return [(record.key, record.value) for record in topics.through(reading, dict.fromkeys(places, 0))]


def test_init_makes_what_is_missing_and_nothing_twice(floor, told, monkeypatch):
    assert told("kafka", "init") == (0, "all topics are there\n")
    assert told("kafka", "check")[0] == 0
    monkeypatch.setenv("CATWALK_TOPIC_PREFIX", f"{floor.settings.group}-other-")
    status, said = told("kafka", "check")
    assert (status, said.count("\n")) == (2, 1)
    assert "`catwalk kafka init` makes the topics" in said
    assert told("kafka", "init")[1].count("made") == 6
    assert told("kafka", "check")[0] == 0


def test_what_everything_is_rebuilt_from_is_kept_for_ever(floor):
    names = topics.names(floor.settings)
    asked = [ConfigResource(ConfigResourceType.TOPIC, name) for name in names.partitioned]
    with closing(KafkaAdminClient(**topics.client(floor.settings))) as admin:
        found = {
            name: {key: each["value"] for key, each in configured.items()}
            for name, configured in admin.describe_configs(asked)["topic"].items()
        }
    assert [found[name]["retention.ms"] for name in (names.events, names.settlements)] == ["-1", "-1"]
    assert {found[name]["cleanup.policy"] for name in (names.events, names.settlements)} == {"delete"}
    assert found[names.states]["cleanup.policy"] == "compact"


def test_nothing_but_init_makes_topics(floor, told, monkeypatch, events):
    monkeypatch.setenv("CATWALK_TOPIC_PREFIX", f"{floor.settings.group}-none-")
    with closing(KafkaAdminClient(**topics.client(floor.settings))) as admin:
        before = set(admin.list_topics())
        for verb in (["status", "--kafka"], ["ingest", "--kafka", events], ["sink", "--once"], ["worker"]):
            assert told(*verb)[0] == 2
        assert set(admin.list_topics()) == before


def test_another_number_of_partitions_is_refused(floor, told, monkeypatch):
    monkeypatch.setenv("CATWALK_PARTITIONS", "5")
    status, said = told("kafka", "init")
    assert status == 2
    assert "was made with 4 partitions, and the settings say 5" in said
    monkeypatch.undo()
    with closing(KafkaAdminClient(**topics.client(floor.settings))) as admin:
        admin.create_partitions({topics.names(floor.settings).events: 6})
    for verb in ("worker", "sink"):
        done = subprocess.run(
            [*COMMAND, verb], capture_output=True, text=True, check=False, env=floor.whole_environment(), timeout=120
        )
        assert done.returncode == 2
        assert re.fullmatch(r"catwalk: [^\n]*was made with 4 partitions and has 6[^\n]*\n", done.stderr)


def test_a_topic_with_another_key_is_refused(floor, told, lines):
    with closing(KafkaProducer(**topics.client(floor.settings))) as producer:
        producer.send(topics.names(floor.settings).events, key=b"pit 7", value=lines[0]).get(timeout=60)
    status, said = told("kafka", "check")
    assert (status, said.count("\n")) == (2, 1)
    assert "events have to be keyed by their table" in said


# Ingest


def test_ingest_acknowledges_every_event_once_however_often_it_is_called(floor, told, events, lines):
    assert (
        told("ingest", "--kafka", events)[1] == f"{len(lines):,} acknowledged, 0 were there already, 0 dead letters\n"
    )
    assert (
        told("ingest", "--kafka", events)[1] == f"0 acknowledged, {len(lines):,} were there already, 0 dead letters\n"
    )
    found = committed(floor, "events")
    assert sorted(value for _, value in found) == sorted(lines)
    assert all(json.loads(value)["table"].encode() == key for key, value in found)


def test_ingest_that_was_killed_goes_on_without_doubling(floor, events, lines):
    acknowledged = 0
    for _ in range(3):
        process = subprocess.Popen(
            [*COMMAND, "ingest", "--kafka", "--ack", "--batch", "500", str(events)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=floor.whole_environment(),
        )
        for line in process.stdout:
            if line.startswith(b"acknowledged"):
                acknowledged = max(acknowledged, int(line.split()[1]))
            if acknowledged >= 1000:
                break
        process.send_signal(signal.SIGKILL)
        process.communicate()
        values = [value for _, value in committed(floor, "events")]
        assert len(values) == len(set(values))
        assert set(lines[:acknowledged]) <= set(values)
    floor.ingest(events)
    assert sorted(value for _, value in committed(floor, "events")) == sorted(lines)


def test_a_file_that_has_grown_goes_on_with_what_is_new_and_its_bad_lines_are_told_once(floor, told, lines, tmp_path):
    file = tmp_path / "growing.jsonl"
    file.write_bytes(b"\n".join([*lines[:100], b"{oops"]) + b"\n")
    assert told("ingest", "--kafka", file)[1] == "100 acknowledged, 0 were there already, 1 dead letters\n"
    with file.open("ab") as more:
        more.write(b"\n".join([*lines[100:150], b"no event"]) + b"\n")
    assert told("ingest", "--kafka", file)[1] == "50 acknowledged, 100 were there already, 1 dead letters\n"
    letters = [json.loads(value) for _, value in committed(floor, "dead_letters")]
    assert sorted((letter["line"], letter["file"]) for letter in letters) == [(101, str(file)), (152, str(file))]
    assert sorted(value for _, value in committed(floor, "events")) == sorted(lines[:150])


def test_another_file_that_begins_alike_is_not_taken_for_the_same(floor, told, lines, tmp_path):
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    one.write_bytes(b"\n".join(lines[:200]) + b"\n")
    two.write_bytes(b"\n".join([*lines[:50], *lines[250:400]]) + b"\n")
    told("ingest", "--kafka", one)
    assert told("ingest", "--kafka", two)[1].startswith("200 acknowledged, 0 were there already")
    assert {value for _, value in committed(floor, "events")} == {*lines[:200], *lines[250:400]}
