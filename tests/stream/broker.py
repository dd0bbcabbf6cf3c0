"""A real Kafka broker for the tests and the benchmarks: Apache's own jars, one JVM in KRaft mode, no containers.

It listens in the open, behind a name and a password, and, if it is asked to, behind both and TLS.

The jars are fetched once by Maven into a cache outside the checkout, in a folder named by their version that is complete or
absent. A broker lives in a folder of its own on free ports and keeps what it acknowledged, however it is stopped.
"""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from kafka import KafkaAdminClient
from kafka.errors import KafkaError

VERSION: Final = "4.3.1"
LOGGER: Final = "2.24.3"
USER: Final = "surveillance"
PASSWORD: Final = "over-the-catwalk"
MECHANISM: Final = "SCRAM-SHA-512"
CACHE: Final = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "catwalk"

_POM: Final = f"""<project xmlns="http://maven.apache.org/POM/4.0.0">
<modelVersion>4.0.0</modelVersion><groupId>catwalk</groupId><artifactId>broker</artifactId><version>1</version>
<dependencies>
<dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>{VERSION}</version></dependency>
<dependency><groupId>org.apache.logging.log4j</groupId><artifactId>log4j-slf4j-impl</artifactId>
<version>{LOGGER}</version></dependency>
</dependencies></project>
"""
_LOG4J: Final = """Configuration:
  Appenders:
    File:
      name: file
      fileName: ${sys:broker.log}
      PatternLayout:
        pattern: "%d %p %c: %m%n"
  Loggers:
    Root:
      level: WARN
      AppenderRef:
        ref: file
"""


class Missing(Exception):
    """There can be no broker here; the message says what to install."""


def jars() -> Path:
    """The folder of Kafka's jars, fetched if they are not there yet."""
    folder = CACHE / f"kafka-{VERSION}"
    if folder.is_dir():
        return folder
    for needed, package in (("java", "openjdk-17-jre-headless"), ("mvn", "maven")):
        if shutil.which(needed) is None:
            raise Missing(f"a broker needs {needed}; install it with: apt-get install {package}")
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE, prefix=".kafka-") as draft:
        pom = Path(draft) / "pom.xml"
        pom.write_text(_POM)
        copied = Path(draft) / "jars"
        command = ["mvn", "-q", "-B", "-f", str(pom), "dependency:copy-dependencies", "-DincludeScope=runtime"]
        done = subprocess.run(
            [*command, f"-DoutputDirectory={copied}"], capture_output=True, text=True, check=False, timeout=600
        )
        if done.returncode:
            raise Missing(f"Maven could not fetch Kafka {VERSION}: {(done.stdout + done.stderr).strip()[-400:]}")
        with suppress(OSError):  # another process was faster, and its folder is as good
            copied.rename(folder)
    return folder


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def certificate(store: Path) -> Path:
    """A store with a key and its certificate, and beside it the certificate in PEM, for whoever is to trust it."""
    pem = store.with_suffix(".pem")
    name = ["-alias", "broker", "-keystore", str(store), "-storepass", PASSWORD]
    for command in (
        [
            "-genkeypair",
            "-keyalg",
            "EC",
            "-dname",
            "CN=catwalk",
            "-ext",
            "SAN=IP:127.0.0.1",
            "-storetype",
            "PKCS12",
            *name,
        ],
        ["-exportcert", "-rfc", "-file", str(pem), *name],
    ):
        subprocess.run(["keytool", *command], capture_output=True, check=True, timeout=120)
    return pem


class Broker:
    """One broker in one folder. `start`, `stop`, `kill` and `start` again, on the same port with the same data."""

    def __init__(self, folder: Path, heap: str = "512m", sealed: bool = False) -> None:
        self.folder = folder
        self.port, self._controller, self._guarded = free_port(), free_port(), free_port()
        self.servers = f"127.0.0.1:{self.port}"
        self.guarded_servers = f"127.0.0.1:{self._guarded}"
        self._heap = heap
        self._process: subprocess.Popen[bytes] | None = None
        self._jars = jars()
        folder.mkdir(parents=True, exist_ok=True)
        self._sealed = free_port() if sealed else None
        self.sealed_servers = f"127.0.0.1:{self._sealed}"
        self.certificate = certificate(folder / "broker.p12") if sealed else None
        self._settings = folder / "server.properties"
        self._settings.write_text(self._properties())
        (folder / "log4j2.yaml").write_text(_LOG4J)
        cluster = self._java("kafka.tools.StorageTool", "random-uuid").stdout.strip()
        known = f"{MECHANISM}=[name={USER},password={PASSWORD}]"
        self._java(
            *("kafka.tools.StorageTool", "format", "-t", cluster, "-c", str(self._settings)),
            *("--standalone", "--add-scram", known),
        )

    def _properties(self) -> str:
        outside = f"PLAINTEXT://{self.servers},GUARDED://{self.guarded_servers}"
        outside += f",SEALED://{self.sealed_servers}" if self._sealed else ""
        # A killed broker comes back when its old registration has expired: sooner here than after the usual 9 s.
        return f"""
process.roles=broker,controller
node.id=1
listeners={outside},CONTROLLER://127.0.0.1:{self._controller}
advertised.listeners={outside}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,GUARDED:SASL_PLAINTEXT,SEALED:SASL_SSL
{self._seal() if self._sealed else ""}
inter.broker.listener.name=PLAINTEXT
listener.name.guarded.sasl.enabled.mechanisms=PLAIN
listener.name.guarded.plain.sasl.jaas.config=\
  org.apache.kafka.common.security.plain.PlainLoginModule required user_{USER}="{PASSWORD}";
controller.listener.names=CONTROLLER
controller.quorum.bootstrap.servers=127.0.0.1:{self._controller}
log.dirs={self.folder / "data"}
auto.create.topics.enable=false
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=4
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
broker.session.timeout.ms=3000
broker.heartbeat.interval.ms=500
"""

    def _seal(self) -> str:
        return f"""
listener.name.sealed.sasl.enabled.mechanisms={MECHANISM}
listener.name.sealed.{MECHANISM.lower()}.sasl.jaas.config=\
  org.apache.kafka.common.security.scram.ScramLoginModule required;
listener.name.sealed.ssl.keystore.type=PKCS12
listener.name.sealed.ssl.keystore.location={self.folder / "broker.p12"}
listener.name.sealed.ssl.keystore.password={PASSWORD}
listener.name.sealed.ssl.key.password={PASSWORD}
"""

    def _command(self, main: str) -> list[str]:
        return [
            "java",
            f"-Xmx{self._heap}",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1" if main != "kafka.Kafka" else "-XX:+TieredCompilation",
            f"-Dlog4j2.configurationFile={self.folder / 'log4j2.yaml'}",
            f"-Dbroker.log={self.folder / 'broker.log'}",
            "-cp",
            f"{self._jars}/*",
            main,
        ]

    def _java(self, main: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*self._command(main), *arguments], capture_output=True, text=True, check=True, timeout=120
        )

    def start(self) -> None:
        with (self.folder / "console.log").open("ab") as console:
            self._process = subprocess.Popen(
                [*self._command("kafka.Kafka"), str(self._settings)], stdout=console, stderr=console
            )
        self._wait()

    def _wait(self) -> None:
        """The port answers before the broker serves, so a question is asked of it."""
        deadline = time.monotonic() + 90
        while time.monotonic() < deadline:
            if self._process is None or self._process.poll() is not None:
                break
            try:
                # Left to itself the client would look again only after half a minute.
                admin = KafkaAdminClient(
                    bootstrap_servers=self.servers, request_timeout_ms=5000, reconnect_backoff_max_ms=200
                )
                try:
                    admin.list_topics()
                finally:
                    admin.close()
            except (KafkaError, OSError):
                time.sleep(0.2)
                continue
            return
        raise RuntimeError(f"the broker did not start; see {self.folder}/console.log and broker.log")

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    def stop(self) -> None:
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            try:
                self._process.wait(30)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None
