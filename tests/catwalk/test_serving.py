"""`catwalk dashboard` and the container files: the pages answer, and compose starts what exists."""

import shlex
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import msgspec
import pytest
import yaml

from catwalk.command import app
from ingest.settings import Settings
from tests.stream.broker import VERSION

ROOT = Path(__file__).parents[2]
VERBS = {each.callback.__name__ for each in app.registered_commands if each.callback}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_the_pages_answer_and_stop_with_the_command(tmp_path):
    port = free_port()
    served = subprocess.Popen(
        [sys.executable, "-m", "catwalk.command", "dashboard", "--data", str(tmp_path), "--port", str(port)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    try:
        assert answer(f"http://127.0.0.1:{port}/_stcore/health") == b"ok"
        assert b"<html" in answer(f"http://127.0.0.1:{port}/")
    finally:
        served.terminate()
        served.communicate(timeout=30)


def answer(address: str) -> bytes:
    deadline = time.monotonic() + 60
    while True:
        try:
            with urllib.request.urlopen(address, timeout=5) as response:
                return bytes(response.read())
        except (urllib.error.URLError, ConnectionError):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)


@pytest.fixture(scope="module")
def compose():
    return yaml.safe_load((ROOT / "docker-compose.yml").read_text())


OURS = ["pipeline", "dashboard", "topics", "worker", "sink", "kafka-dashboard"]


@pytest.mark.parametrize("service", OURS)
def test_every_service_of_ours_is_a_verb_in_one_of_the_two_ways(compose, service):
    described = compose["services"][service]
    known = {"image", "build", "restart", "init", "volumes", "command", "healthcheck", "stop_grace_period"}
    assert described.keys() <= known | {"ports", "depends_on", "profiles", "environment"}
    assert described["command"][0] in VERBS
    assert described["profiles"] in (["embedded"], ["kafka"])
    of_kafka = service in ("topics", "worker", "sink")
    assert (described.get("environment", {}).get("CATWALK_SERVERS") == "kafka:9092") == of_kafka
    for needed in described.get("depends_on", {}):
        assert compose["services"][needed]["profiles"] == described["profiles"]


def test_every_setting_that_compose_names_is_one(compose):
    named = {name for each in compose["services"].values() for name in each.get("environment", {})}
    settings_ = {f"CATWALK_{field.name.upper()}" for field in msgspec.structs.fields(Settings)}
    assert {name for name in named if name.startswith("CATWALK_")} <= settings_


def test_the_broker_of_compose_is_the_official_one_with_a_volume_and_makes_no_topics_by_accident(compose):
    broker = compose["services"]["kafka"]
    assert broker["image"] == f"apache/kafka:{VERSION}"
    assert broker["environment"]["KAFKA_AUTO_CREATE_TOPICS_ENABLE"] == "false"
    (volume,) = broker["volumes"]
    name, mounted = volume.split(":")
    assert name in compose["volumes"]
    assert broker["environment"]["KAFKA_LOG_DIRS"] == mounted


@pytest.mark.parametrize("service", ["pipeline", "dashboard", "sink", "kafka-dashboard"])
def test_every_service_on_the_volume_has_a_health_check(compose, service):
    described = compose["services"][service]
    assert described["healthcheck"].keys() == {"test", "interval", "timeout", "retries", "start_period"}
    (volume,) = described["volumes"]
    name, mounted = volume.split(":")
    assert name in compose["volumes"]
    assert f"ENV CATWALK_DATA={mounted}" in (ROOT / "Dockerfile").read_text()


def test_compose_opens_the_pages_to_this_machine_only(compose):
    ports = [port for each in compose["services"].values() for port in each.get("ports", ())]
    assert len(ports) == 2
    assert all(port.startswith("127.0.0.1:") for port in ports)
    assert compose["services"].keys() == {*OURS, "kafka"}


def test_the_image_copies_what_there_is_and_runs_as_nobody_special():
    lines = [shlex.split(line) for line in (ROOT / "Dockerfile").read_text().splitlines() if line.startswith("COPY")]
    for _, *sources, _ in lines:
        assert all((ROOT / source).exists() for source in sources)
    text = (ROOT / "Dockerfile").read_text()
    assert "USER catwalk" in text
    assert 'ENTRYPOINT ["catwalk"]' in text
