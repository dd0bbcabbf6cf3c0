"""The way of an operator through the pages, in a real browser, with the pipeline running beside it.

With CATWALK_SCREENSHOTS=1 a larger floor is dealt and the pictures of docs/images are taken again.
"""

import contextlib
import io
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import rounds
import shift
from browsing import FLAGS, PATIENCE, answered, free_port
from conftest import written
from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

from catwalk.command import main
from dashboards.queries import casework
from detectors.published import Reader
from ingest import cases, wire
from ingest.log import Log

PICTURES = Path(__file__).parents[2] / "docs" / "images"
TAKEN = os.environ.get("CATWALK_SCREENSHOTS") == "1"
LARGEST = 290_000
AHEAD = timedelta(minutes=15)


@dataclass
class Pages:
    address: str
    data: Path
    browser: Browser
    outside: list[str]

    def open(self, path: str = "", width: int = 1400, height: int = 1000) -> Page:
        page = self.browser.new_page(viewport={"width": width, "height": height})
        page.set_default_timeout(PATIENCE)
        own = (self.address, self.address.replace("http", "ws"), "data:", "blob:")
        page.on("request", lambda request: None if request.url.startswith(own) else self.outside.append(request.url))
        page.goto(f"{self.address}/{path}")
        return page


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        yield chromium
        chromium.close()


def command(*arguments: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "catwalk.command", *map(str, arguments)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def served(data: Path, browser: Browser) -> Iterator[Pages]:
    port = free_port()
    running = [command("run", "--data", data), command("dashboard", "--data", data, "--port", port)]
    outside: list[str] = []
    try:
        answered(f"http://127.0.0.1:{port}/_stcore/health")
        yield Pages(f"http://127.0.0.1:{port}", data, browser, outside)
    finally:
        for each in running:
            each.send_signal(signal.SIGTERM)
        for each in running:
            each.wait(timeout=60)
    assert outside == [], "a page asked for something outside"


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[Pages]:
    folder = tmp_path_factory.mktemp("floor")
    size = (12, 700, 5, 0.008) if TAKEN else (4, 90, 5, 0.08)
    events, data = folder / "events.jsonl", folder / "data"
    now = datetime.now(UTC)
    every = [(shift.seen(line), line) for line in shift.until(now + AHEAD, *size)]
    events.write_bytes(b"\n".join(line for at, line in every if at <= now) + b'\n{"type":"no event"}\nnoise\n')
    with contextlib.chdir(folder):  # a dead letter names its file as it was given, and a picture shows it
        assert main(["ingest", events.name, "--data", str(data)]) == 0
    assert main(["run", "--once", "--data", str(data)]) == 0
    ended = threading.Event()
    dealing = threading.Thread(target=dealt, args=(data, [each for each in every if each[0] > now], ended))
    dealing.start()
    try:
        yield from served(data, browser)
    finally:
        ended.set()
        dealing.join()


def dealt(data: Path, coming: list[tuple[datetime, bytes]], ended: threading.Event) -> None:
    """The tables go on dealing while the pages are looked at: what has happened by now goes into the log."""
    with Log.open(data) as log:
        while not ended.wait(1):
            now = datetime.now(UTC)
            log.append(wire.decode([line for at, line in coming if at <= now]))
            coming = [each for each in coming if each[0] > now]


def a_payout(data: Path) -> dict[str, object]:
    """The dearest payout error that was found, the kind a dispute is about."""
    with Reader.open(data) as reader:
        found = casework.queue(reader, casework.Filter(statuses=casework.OPEN))
    chosen = [row for row in found.iter_rows(named=True) if row["code"] in ("PAY01", "PAY02", "PAY03") and row["wager"]]
    return max(chosen, key=lambda row: abs(row["amount"]))


# Pictures, taken before anything is closed or sent that no floor has


def pictures() -> dict[str, str]:
    return {
        "floor": "",
        "findings": "findings?finding={finding}&period=all",
        "hand": "hand?table={table}&round={round}",
        "audit": "audit?by=dealer",
        "decks": "decks?table=T001",
        "rulebook": "rulebook",
        "health": "health",
    }


TALL = {"hand": 1960, "audit": 2120, "rulebook": 1150}
READY = {
    "floor": ".tile",
    "findings": "[data-testid=stDataFrame] canvas",
    "hand": ".felt-root .seat .card",
    "audit": ".stVegaLiteChart :is(canvas, svg)",
    "decks": ".stVegaLiteChart :is(canvas, svg)",
    "rulebook": "[data-testid=stDataFrame] canvas",
    "health": "[data-testid=stDataFrame] canvas",
}


@pytest.mark.parametrize("width", [1400, 2560] if TAKEN else [1400])
def test_every_page_is_pictured(floor: Pages, tmp_path: Path, width: int) -> None:
    found = a_payout(floor.data)
    asked = {"finding": found["id"], "table": found["table"], "round": found["round"]}
    for name, path in pictures().items():
        page = floor.open(path.format(**asked), width, TALL.get(name, 1000) if width == 1400 else 1440)
        page.wait_for_selector(READY[name])
        expect(page.locator("[data-testid=stSkeleton]")).to_have_count(0)
        expect(page.locator("[data-testid=stException]")).to_have_count(0)
        page.wait_for_timeout(4_000 if TAKEN else 300)
        folder = PICTURES if TAKEN and width == 1400 else tmp_path
        folder.mkdir(exist_ok=True)
        file = folder / f"{name}.png"
        drawn = Image.open(io.BytesIO(page.screenshot(full_page=True))).convert("RGB")
        drawn.save(file, optimize=True)
        if file.stat().st_size > LARGEST:
            drawn.quantize(256, Image.Quantize.MAXCOVERAGE).save(file, optimize=True)
        assert file.stat().st_size <= LARGEST
        if TAKEN and width > 1400:
            drawn.save(f"/tmp/{name}-{width}.png")
        overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert overflow <= 0, f"{name} is wider than the window"
        page.close()


# The way of an operator


def test_from_the_floor_to_the_finding_to_the_hand_to_the_sheet_and_closed(floor: Pages) -> None:
    found = a_payout(floor.data)
    page = floor.open()
    tile = page.locator(f".tile[data-table='{found['table']}']")
    expect(tile).to_be_visible()
    tile.click()
    expect(page).to_have_url(re.compile(r"/findings\?.*tables="))
    page.goto(f"{floor.address}/findings?finding={found['id']}&period=all")
    expect(page.get_by_text(str(found["message"])).first).to_be_visible()

    page.get_by_role("link", name="Open the hand").click()
    expect(page).to_have_url(re.compile(r"/hand\?"))
    where = page.locator(".felt-root .where")
    expect(where).to_contain_text("step ")
    expect(page.locator(".spot.wrong").first).to_be_visible()
    said = where.inner_text()
    page.locator(".felt-root .table").click()
    page.keyboard.press("ArrowLeft")
    expect(where).not_to_have_text(said)
    before, of = map(int, re.findall(r"\d+", where.inner_text())[:2])
    page.keyboard.press("Home")
    expect(where).to_contain_text(f"step 1 of {of}")
    expect(page.locator(".felt-root .card")).to_have_count(0)
    page.keyboard.press("End")
    expect(where).to_contain_text(f"step {of} of {of}")
    assert before < of
    assert page.locator(".felt-root .card").count() >= 6
    expect(page).to_have_url(re.compile(rf"step={of}\b"))

    expect(page.get_by_role("button", name="Ruling sheet (PDF)")).to_be_visible()
    for form, start in (("HTML", b"<!doctype html>"), ("PDF", b"%PDF")):
        with page.expect_download() as download:
            page.get_by_role("button", name=f"Ruling sheet ({form})").click()
        assert download.value.path().read_bytes().startswith(start)

    page.get_by_role("link", name="The finding and its case").first.click()
    expect(page).to_have_url(re.compile(r"/findings\?"))
    page.get_by_placeholder("your name or badge").fill("Ana Ruiz")
    page.get_by_placeholder("your name or badge").press("Enter")
    page.get_by_role("tab", name="Close").click()
    page.get_by_label("What settled it").fill("Repaid at the table; dealer told.")
    page.get_by_role("button", name="Close the finding").click()
    expect(page.get_by_text("Case: closed")).to_be_visible()
    expect(page.get_by_text("Ana Ruiz (unverified) closed it: corrected")).to_be_visible()
    with Log.open(floor.data) as log:
        facts = cases.read(log)
    assert facts.select("finding", "act", "who").row(-1) == (found["id"], "finding_closed", "Ana Ruiz")
    page.close()


def test_a_finding_appears_without_a_reload_and_names_that_would_do_harm_do_none(floor: Pages, tmp_path: Path) -> None:
    """A table that opens while one looks, and sends scripts, styles and Markdown as the names of its people."""
    page = floor.open()
    expect(page.locator(".tile").first).to_be_visible()
    page.evaluate("window.neverLeft = true")
    now = datetime.now(UTC)
    text = rounds.HOSTILE.replace("2026-01-31 12:00:00", f"{now:%Y-%m-%d %H:%M:%S}").replace("T1 #1", "LIVE1 #1")
    written(tmp_path, text)
    assert main(["ingest", str(tmp_path / "events.jsonl"), "--data", str(floor.data)]) == 0
    expect(page.locator(".tile[data-table='LIVE1']")).to_be_visible()
    expect(page.locator(".ticker a", has_text="LIVE1").first).to_be_visible()
    assert page.evaluate("window.neverLeft") is True
    assert page.evaluate("window.hacked") is None
    found = page.locator(".ticker a", has_text="LIVE1").first.get_attribute("data-finding")
    page.close()
    for path in (f"findings?finding={found}", "hand?table=LIVE1&round=2", "hand?table=LIVE1&round=1"):
        page = floor.open(path)
        page.wait_for_selector("[data-testid=stDataFrame] canvas")
        assert page.evaluate("window.hacked") is None
        assert page.locator("img[src='x'], img[src*='evil']").count() == 0
        if path.endswith("round=1"):
            expect(page.locator(".seat .who", has_text=rounds.NAMES[0])).to_be_visible()
        page.close()
