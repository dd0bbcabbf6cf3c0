"""A real broker for all tests of this folder, and floors on it: topics of their own, workers and sinks as real processes."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from catwalk.command import main
from detectors import published
from detectors.published import NotPublished, Reader
from ingest import files, frame, settings, topics
from ingest.settings import Settings
from tests.stream.broker import Broker, Missing

FOLDER = Path(__file__).parent
COMMAND = (sys.executable, "-m", "catwalk.command")
PATIENCE = 180.0


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One process runs them all, whatever the others run meanwhile: there is one broker."""
    for item in items:
        if FOLDER in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("broker"))


def started(folder: Path, sealed: bool = False) -> Broker:
    try:
        made = Broker(folder, sealed=sealed)
    except Missing as missing:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(str(missing))
    made.start()
    return made


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    running = started(tmp_path_factory.mktemp("broker"), sealed=True)
    yield running
    running.stop()


@pytest.fixture
def own_broker(tmp_path: Path) -> Iterator[Broker]:
    """One that may be stopped."""
    running = started(tmp_path / "broker")
    yield running
    running.stop()


@pytest.fixture(scope="session")
def events(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A mixed floor of all games there are, with wrongs planted in it."""
    folder = tmp_path_factory.mktemp("floor")
    asked = ["simulate", "--tables", "8", "--rounds", "30", "--seed", "21", "--faults", "0.2"]
    assert main([*asked, "--out", str(folder / "events.jsonl"), "--labels", str(folder / "labels.jsonl")]) == 0
    return folder / "events.jsonl"


@pytest.fixture(scope="session")
def lines(events: Path) -> list[bytes]:
    return [line for chunk in files.read([events]) for line in frame.to_contents(chunk.frame)]


@pytest.fixture(scope="session")
def undisturbed(events: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What the pipeline on the embedded log makes of the floor."""
    return embedded([events], tmp_path_factory.mktemp("embedded"))


def embedded(sources: Sequence[Path], data: Path) -> bytes:
    assert main(["ingest", *map(str, sources), "--data", str(data)]) == 0
    assert main(["run", "--once", "--data", str(data)]) == 0
    return exported(data)


def exported(data: Path) -> bytes:
    with Reader.open(data) as reader:
        return published.export(reader)


class Floor:
    """Topics of its own on a broker, and the processes that work on them."""

    def __init__(self, broker: Broker, folder: Path, name: str) -> None:
        self.broker = broker
        self.data = folder / "data"
        self._logs = folder / "logs"
        self._logs.mkdir(parents=True)
        self._processes: list[subprocess.Popen[bytes]] = []
        self.environment = {
            "CATWALK_SERVERS": broker.servers,
            "CATWALK_TOPIC_PREFIX": f"{name}-",
            "CATWALK_GROUP": name,
            "CATWALK_PARTITIONS": "4",
            "CATWALK_PATIENCE_SECONDS": "1",
            "CATWALK_STATE_SECONDS": "1",
            "CATWALK_SESSION_SECONDS": "6",
            "CATWALK_STALL_SECONDS": "30",
        }

    @property
    def settings(self) -> Settings:
        return settings.read(environment=self.environment)

    def whole_environment(self) -> dict[str, str]:
        return {**os.environ, **self.environment}

    def made(self) -> "Floor":
        topics.make(self.settings)
        return self

    def _start(self, *arguments: str) -> subprocess.Popen[bytes]:
        log = (self._logs / f"{len(self._processes)}-{arguments[0]}.log").open("wb")
        with log:
            process = subprocess.Popen(
                [*COMMAND, *arguments],
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                env=self.whole_environment(),
            )
        self._processes.append(process)
        return process

    def worker(self) -> subprocess.Popen[bytes]:
        return self._start("worker")

    def sink(self) -> subprocess.Popen[bytes]:
        return self._start("sink", "--data", str(self.data))

    def ready(self, process: subprocess.Popen[bytes]) -> subprocess.Popen[bytes]:
        """A worker that has been given its partitions."""
        log = self._log_of(process)
        wait(lambda: b"has partitions" in log.read_bytes() or process.poll() is not None, f"{log} never had partitions")
        assert process.poll() is None, log.read_text()
        return process

    def _log_of(self, process: subprocess.Popen[bytes]) -> Path:
        return next(self._logs.glob(f"{self._processes.index(process)}-*.log"))

    def said(self, process: subprocess.Popen[bytes]) -> str:
        return self._log_of(process).read_text()

    def ingest(self, *sources: Path) -> None:
        done = subprocess.run(
            [*COMMAND, "ingest", "--kafka", *map(str, sources)],
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
            env=self.whole_environment(),
        )
        assert done.returncode == 0, done.stderr

    def lag(self) -> int:
        """What the workers have not stated as read."""
        chosen = self.settings
        places = topics.places(chosen)
        stated = topics.stated(chosen)
        with closing(topics.consumer(chosen)) as reading:
            return sum(topics.waiting(reading, {place: stated.get(place, 0) for place in places}).values())

    def settles(self, wanted: bytes, within: float = PATIENCE) -> None:
        """The store comes to hold just this, and no event waits: without help, however long it may take a busy machine."""
        deadline = time.monotonic() + within
        found = b""
        while time.monotonic() < deadline:
            try:
                found = exported(self.data)
            except NotPublished:
                found = b""
            if found == wanted and self.lag() == 0:
                return
            time.sleep(0.5)
        assert self.lag() == 0
        assert sorted(found.splitlines()) == sorted(wanted.splitlines())

    def end(self) -> None:
        for process in self._processes:
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
            process.wait()


def wait(until: Callable[[], bool], otherwise: str, within: float = PATIENCE) -> None:
    deadline = time.monotonic() + within
    while not until():
        assert time.monotonic() < deadline, otherwise
        time.sleep(0.1)


@pytest.fixture
def floor(broker: Broker, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Floor]:
    name = f"t{abs(hash(request.node.nodeid)) % 10**8}"
    made = Floor(broker, tmp_path, name).made()
    yield made
    made.end()


@pytest.fixture(scope="session")
def filled(
    broker: Broker, events: Path, undisturbed: bytes, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Floor]:
    """One through which all events went, from the file to the store. Nobody works on it any more; look, and leave it as it is."""
    made = Floor(broker, tmp_path_factory.mktemp("filled"), "filled").made()
    try:
        made.ingest(events)
        running = (made.worker(), made.sink())
        made.settles(undisturbed)
        for process in running:
            process.terminate()
        for process in running:
            assert process.wait(60) == 0, made.said(process)
        yield made
    finally:
        made.end()


@pytest.fixture
def copied(filled: Floor, tmp_path: Path) -> Iterator[Floor]:
    """The topics of the filled floor, and a folder like its own, to do with as one likes."""
    made = Floor(filled.broker, tmp_path, filled.settings.group)
    shutil.copytree(filled.data, made.data)
    yield made
    made.end()
