"""Where a broker asks for name and password, behind TLS or not, every client shows them, and says so where they are wrong."""

import json
import re
import subprocess

import pytest

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


def test_what_the_broker_refuses_is_said_in_one_line(broker, tmp_path, events):
    """Two of the verbs a mistake: all begin alike, and each waits as long as a broker may take to come up."""
    floor = Floor(broker, tmp_path, "refused")
    floor.environment |= settings_of(broker, "SASL_SSL")
    password = {"CATWALK_SASL_PASSWORD": "guessed"}
    stranger = {"CATWALK_SSL_CAFILE": str(certificate(tmp_path / "another.p12"))}
    for mistake, verbs, why in (
        (password, (["kafka", "init"], ["worker"]), "it refuses `sasl_username` with `sasl_password`[^\n]*"),
        (
            stranger,
            (["ingest", "--kafka", events], ["sink", "--data", floor.data]),
            "no TLS by [^\n]*`ssl_cafile`: [^\n]+",
        ),
    ):
        for verb in verbs:
            done = called(floor, *verb, **mistake)
            assert done.returncode == 2
            assert re.fullmatch(rf"catwalk: Kafka at {re.escape(broker.sealed_servers)}: {why}\n", done.stderr), verb
