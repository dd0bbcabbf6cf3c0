"""Where a broker asks for name and password, behind TLS or not, every client shows them, and says so where they are wrong."""

import json
import re
import subprocess

import pytest

from catwalk.command import main
from ingest import topics
from tests.stream.broker import MECHANISM, PASSWORD, USER, certificate
from tests.stream.conftest import COMMAND, Floor


def called(floor: Floor, *arguments: object, **other: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=180,
        env=floor.whole_environment() | other,
    )


def settings_of(broker, protocol: str) -> dict[str, str]:
    shown = {"CATWALK_SASL_USERNAME": USER, "CATWALK_SASL_PASSWORD": PASSWORD, "CATWALK_SECURITY_PROTOCOL": protocol}
    if protocol == "SASL_PLAINTEXT":
        return shown | {"CATWALK_SERVERS": broker.guarded_servers, "CATWALK_SASL_MECHANISM": "PLAIN"}
    sealed = {"CATWALK_SERVERS": broker.sealed_servers, "CATWALK_SASL_MECHANISM": MECHANISM}
    return shown | sealed | {"CATWALK_SSL_CAFILE": str(broker.certificate)}


@pytest.mark.parametrize("protocol", ["SASL_PLAINTEXT", "SASL_SSL"])
def test_every_client_goes_through(broker, tmp_path, events, undisturbed, protocol):
    floor = Floor(broker, tmp_path, protocol.lower())
    floor.environment |= settings_of(broker, protocol)
    try:
        assert called(floor, "kafka", "init").stdout.count("made") == 6
        floor.ingest(events)
        floor.worker()
        floor.sink()
        floor.settles(undisturbed)
        told = called(floor, "status", "--kafka", "--json", "--data", floor.data)
        assert (told.returncode, json.loads(told.stdout)["lag"]) == (0, 0)
    finally:
        floor.end()


MISTAKES = {
    "a password": (
        {"CATWALK_SASL_PASSWORD": "guessed"},
        ("kafka init", "worker"),
        r"it refuses `sasl_username` with `sasl_password` by this `sasl_mechanism`",
    ),
    "an authority": (
        {"CATWALK_SSL_CAFILE": "another.pem"},
        ("ingest --kafka", "sink", "status --kafka"),
        r"no TLS by `security_protocol` and `ssl_cafile`: [^\n]*certificate verify failed[^\n]*",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_what_the_broker_refuses_is_said_in_one_line(  # noqa: PLR0917 - as many as it asks fixtures for
    broker, events, tmp_path, monkeypatch, capfd, mistake
):
    """Each of the verbs once: they all ask for the topics first."""
    wrong, verbs, why = MISTAKES[mistake]
    certificate(tmp_path / "another.p12")
    monkeypatch.chdir(tmp_path)
    for name, value in (settings_of(broker, "SASL_SSL") | wrong).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(topics, "ATTEMPT_MS", 4000)
    for verb in verbs:
        assert main([*verb.split(), *([str(events)] if verb.startswith("ingest") else [])]) == 2
        said = capfd.readouterr().err
        assert re.fullmatch(rf"catwalk: Kafka at {re.escape(broker.sealed_servers)}: {why}\n", said), (verb, said)
