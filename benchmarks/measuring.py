"""A command run and watched from outside: how long it took, and what it held in memory while it did."""

import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import psutil

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = ROOT / "docs" / "performance.md"
LOOK_SECONDS: Final = 0.05
MIB: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Run:
    seconds: float
    processor: float  # seconds of it, of all cores
    output: str
    memory: list[tuple[float, int]]  # seconds since it began, and bytes

    @property
    def peak(self) -> int:
        return max(bytes for _, bytes in self.memory)

    @property
    def figures(self) -> dict[str, Any]:
        figures: dict[str, Any] = json.loads(self.output)
        return figures


def watched(arguments: Sequence[str]) -> Run:
    """Runs `python -m` with these arguments to its end."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    began, before = time.perf_counter(), _processor()
    with (
        tempfile.TemporaryFile("w+") as printed,
        subprocess.Popen([sys.executable, "-m", *arguments], cwd=ROOT, env=environment, stdout=printed) as process,
    ):
        memory = _watch(process, began)
        process.wait()
        seconds = time.perf_counter() - began
        printed.seek(0)
        output = printed.read()
    if process.returncode:
        raise SystemExit(f"{' '.join(arguments[:3])} …: ended with {process.returncode}")
    return Run(seconds, _processor() - before, output, memory)


def _processor() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _watch(process: "subprocess.Popen[bytes]", began: float) -> list[tuple[float, int]]:
    """What the process holds in memory, and those that it started."""
    memory = [(0.0, 0)]
    with suppress(psutil.NoSuchProcess):
        child = psutil.Process(process.pid)
        while process.poll() is None:
            memory.append((time.perf_counter() - began, _held(child) + sum(map(_held, child.children(recursive=True)))))
            time.sleep(LOOK_SECONDS)
    return memory


def _held(process: psutil.Process) -> int:
    try:
        held: int = process.memory_info().rss
    except psutil.NoSuchProcess:
        held = 0  # gone since it was counted
    return held


def machine() -> str:
    """On what it was measured."""
    parts = [f"{name} {version(name)}" for name in ("polars", "duckdb", "numpy", "pokerkit", "phevaluator")]
    load = os.getloadavg()[0]
    memory = psutil.virtual_memory().total / (1 << 30)
    return (
        f"{os.cpu_count()} cores, {memory:.0f} GiB, {platform.machine()}, Python {platform.python_version()}, "
        f"{', '.join(parts)}; load when it ended {load:.1f}"
    )


def write(name: str, lines: Sequence[str], page: Path = PAGE) -> None:
    """Puts the lines between the markers of that name; all else on the page is written by hand."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    text = page.read_text("utf-8")
    before, found, rest = text.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise SystemExit(f"{page}: has no markers {begin} and {end}")
    page.write_text("\n".join([before + begin, *lines, end + after]), "utf-8")


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [_line(header), _line(["---", *["---:"] * (len(header) - 1)]), *(_line(row) for row in rows)]


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
