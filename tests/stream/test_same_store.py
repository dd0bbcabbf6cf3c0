"""Worker and sink on a real broker give the store that the embedded pipeline gives, to the byte of an ordered export."""

import json
import random
import re
from contextlib import closing

import pytest
from kafka import KafkaProducer, TopicPartition

from catwalk.command import main
from ingest import topics
from ingest.log import Log
from tests.stream.conftest import Floor, embedded, exported


def test_a_mixed_floor_gives_the_same_store(filled, undisturbed):
    assert exported(filled.data) == undisturbed


def test_findings_and_settlements_in_the_topics_are_those_of_the_batch_audit(filled, events, tmp_path, capsys):
    floor = filled
    address = f"kafka://{floor.broker.servers}/{topics.names(floor.settings).events}"
    found, settled = tmp_path / "findings.jsonl", tmp_path / "settlements.jsonl"
    assert main(["audit", address, "--findings", str(found), "--settlements", str(settled)]) == 0
    of_file = tmp_path / "of-the-file.jsonl"
    assert main(["audit", str(events), "--findings", str(of_file)]) == 0
    wanted = {json.loads(line)["id"] for line in found.read_text().splitlines()}
    assert wanted == {json.loads(line)["id"] for line in of_file.read_text().splitlines()}
    wagers = {_settlement(json.loads(line)) for line in settled.read_text().splitlines()}
    stretches = [json.loads(value) for value in values(floor, "settlements")]
    assert {json.loads(value)["id"] for value in values(floor, "findings")} == wanted
    assert {_settlement(row) for each in stretches for row in each.get("settlements", ())} == wagers
    capsys.readouterr()


def _settlement(row: dict[str, object]) -> str:
    return json.dumps(row, sort_keys=True)


def values(floor, kind: str) -> list[bytes]:
    chosen = floor.settings
    topic = getattr(topics.names(chosen), kind)
    places = [TopicPartition(topic, number) for number in range(chosen.partitions)]
    with closing(topics.consumer(chosen)) as reading:
        return [record.value for record in topics.through(reading, dict.fromkeys(places, 0))]


def test_duplicates_interleaving_late_events_and_poison_change_nothing_else(floor, lines, tmp_path):
    """Everything at once, in an order of chance: a third of the events twice, some far out of order, some no events."""
    chance = random.Random(7)
    sent = _disordered(lines, chance)
    poison = [b"{oops", b"", b'{"type":"card_eaten"}', b"\xff\xfe", b'{"table":"T1","seq":0}'] * 4
    clean = tmp_path / "clean.jsonl"
    clean.write_bytes(b"\n".join(sorted(set(sent))) + b"\n")
    wanted = embedded([clean], tmp_path / "embedded")
    floor.worker()
    floor.sink()
    topic = topics.names(floor.settings).events
    with closing(KafkaProducer(**topics.client(floor.settings), acks="all")) as producer:
        for number, line in enumerate(sent):
            producer.send(topic, key=_table(line), value=line)
            if number % 100 == 0 and poison:
                producer.send(topic, key=b"T1", value=poison.pop())
        for bad in poison:
            producer.send(topic, key=b"T1", value=bad)
        producer.send(topic, key=b"another table", value=lines[0])
        producer.flush()
    floor.settles(wanted)
    with Log.open(floor.data) as archive:
        letters = archive.dead_letters()
        assert archive.counts().events == len(set(sent))
    assert len(letters) == 21
    assert {letter.file.partition("/")[0] for letter in letters} == {topic}
    assert sum("key is not the event's table" in letter.reason for letter in letters) == 1
    assert len({json.loads(value)["line"] for value in values(floor, "dead_letters")}) == 21 or (
        len(set(values(floor, "dead_letters"))) == 21
    )


def _disordered(lines: list[bytes], chance: random.Random) -> list[bytes]:
    placed = [(place + chance.choice([0] * 50 + [30] * 5 + [2000]), line) for place, line in enumerate(lines)]
    repeated = [(place + chance.randrange(500), line) for place, line in placed if chance.random() < 0.3]
    return [line for _, line in sorted(placed + repeated, key=lambda each: each[0])]


def _table(line: bytes) -> bytes:
    found = re.search(rb'"table":"([^"]+)"', line)
    assert found is not None
    return found[1]


def test_a_worker_stops_when_asked_and_the_next_goes_on_where_it_was(floor, events, undisturbed):
    floor.ingest(events)
    first = floor.ready(floor.worker())
    first.terminate()
    assert first.wait(60) == 0, floor.said(first)
    floor.worker()
    floor.sink()
    floor.settles(undisturbed)


def test_the_sink_fills_an_empty_folder_from_the_topics_alone(copied, undisturbed, tmp_path):
    copied.data = tmp_path / "anew"
    copied.sink()
    copied.settles(undisturbed)


@pytest.fixture
def asked(monkeypatch, capsys):
    """What `catwalk status` says of a floor."""

    def ask(floor: Floor, *arguments: str) -> str:
        for name, value in floor.environment.items():
            monkeypatch.setenv(name, value)
        assert main(["status", *arguments, "--data", str(floor.data)]) == 0
        return capsys.readouterr().out

    return ask


def test_status_says_how_much_waits_before_anybody_came(floor, events, asked):
    floor.ingest(events)
    before = json.loads(asked(floor, "--kafka", "--json"))
    # Transactions leave marks of their own in a partition, which are only told from events where they are few.
    assert 0 <= before["lag"] - len(events.read_bytes().splitlines()) <= 4
    assert before["store"] is None


def test_status_says_how_far_everything_has_come(filled, asked):
    after = json.loads(asked(filled, "--kafka", "--json"))
    assert (after["lag"], after["store"]["waiting"], after["dead_letters"]) == (0, 0, 0)
    assert len(after["tables"]) == 8
    assert [each["lag"] for each in after["partitions"]] == [0, 0, 0, 0]
    assert "0 events wait" in asked(filled)


def test_verbs_without_a_broker_say_so_in_one_line(monkeypatch, capfd):
    monkeypatch.setenv("CATWALK_SERVERS", "127.0.0.1:1")
    monkeypatch.setattr(topics, "ATTEMPT_MS", 500)
    for verb in (["kafka", "init"], ["status", "--kafka"], ["audit", "kafka://127.0.0.1:1/table-events"]):
        assert main(verb) == 2
        assert re.fullmatch(r"catwalk: Kafka at 127\.0\.0\.1:1: [^\n]+\n", capfd.readouterr().err)
