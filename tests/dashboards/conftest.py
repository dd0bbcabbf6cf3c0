"""Data that the very pipeline made, a page by its address, and what a page says."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from catwalk.command import main
from ingest import notation, wire

sys.path.append(str(Path(__file__).parent))  # for `rounds`, which is no test itself

APP = str(Path(__file__).parents[2] / "dashboards" / "app.py")
Page = Callable[..., AppTest]


def audited(folder: Path, events: Path) -> Path:
    """A data folder in which these events were audited."""
    data = folder / "data"
    assert main(["ingest", str(events), "--data", str(data)]) == 0
    assert main(["run", "--once", "--data", str(data)]) == 0
    return data


def simulated(folder: Path, *asked: str) -> Path:
    events = folder / "events.jsonl"
    assert main(["simulate", "--seed", "8", *asked, "--game", "three-card-poker", "--out", str(events)]) == 0
    return audited(folder, events)


def written(folder: Path, text: str) -> Path:
    """A data folder from events in the notation."""
    folder.mkdir(exist_ok=True)
    events = folder / "events.jsonl"
    events.write_bytes(b"\n".join(wire.write(event) for event in notation.read_log(text)) + b"\n")
    return audited(folder, events)


@pytest.fixture(scope="session")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two tables with wrongs in every third round or so, some overpaid and some underpaid. Whoever changes it takes a copy."""
    asked = ("--tables", "2", "--rounds", "30", "--faults", "0.4", "--seed", "4")
    return simulated(tmp_path_factory.mktemp("faulty"), *asked)


@pytest.fixture(scope="session")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return simulated(tmp_path_factory.mktemp("clean"), "--tables", "1", "--rounds", "12")


@pytest.fixture(scope="session")
def unseen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table whose opening was not seen: nothing is known of its terms, and there are no findings."""
    folder = tmp_path_factory.mktemp("unseen")
    events = folder / "events.jsonl"
    asked = ["simulate", "--tables", "1", "--rounds", "3", "--seed", "2", "--game", "three-card-poker"]
    assert main([*asked, "--out", str(events)]) == 0
    lines = [json.loads(line) for line in events.read_text().splitlines()]
    events.write_text(
        "\n".join(json.dumps(line) for line in lines if line["seq"] > 1 and line["type"] != "table_opened")
    )
    return audited(folder, events)


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> Page:
    """The page with an address, on a data folder: `page(data, "hand", table="T001", round=3)`."""

    def shown(data: Path, address: str = "", **asked: object) -> AppTest:
        monkeypatch.setenv("CATWALK_DATA", str(data))
        app = AppTest.from_file(APP, default_timeout=120)
        # What a browser does with an address; AppTest itself finds only pages that are files.
        app._page_hash = calc_hash(address)
        for name, value in asked.items():
            app.query_params[name] = value if isinstance(value, list) else str(value)
        app.run()
        assert not app.exception, app.exception
        return app

    return shown


def words(app: AppTest) -> str:
    shown = [
        *app.title,
        *app.markdown,
        *app.caption,
        *app.text,
        *app.code,
        *app.info,
        *app.warning,
        *app.error,
        *app.success,
        *app.subheader,
    ]
    return "\n".join(str(each.value) for each in shown)


def component(app: AppTest) -> dict[str, object]:
    """What the page gave to the component on it."""
    (found,) = app.get("bidi_component")
    content: dict[str, object] = json.loads(found.proto.json)
    return content


def frame_with(app: AppTest, column: str) -> object:
    return next(each.value for each in app.dataframe if column in each.value.columns)
