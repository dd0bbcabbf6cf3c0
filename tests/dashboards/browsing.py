"""What it takes to look at the pages in a real browser."""

import socket
import time
import urllib.error
import urllib.request

from playwright.sync_api import expect

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE = 60_000
expect.set_options(timeout=PATIENCE)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def answered(address: str) -> None:
    for _ in range(300):
        try:
            urllib.request.urlopen(address, timeout=5).read()
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.2)
        else:
            return
    raise AssertionError(f"{address} does not answer")
