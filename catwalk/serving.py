"""`catwalk dashboard`: the pages, served by Streamlit from what the pipeline published."""

import os
import sys
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Final

import typer

from catwalk.folders import DEFAULT, DataFolder

SETTINGS: Final = {
    "browser.gatherUsageStats": "false",
    "client.showErrorDetails": "none",  # a fault of ours goes to the terminal, not onto the wall
    "client.toolbarMode": "minimal",
    "global.developmentMode": "false",
    "server.fileWatcherType": "none",
    "server.headless": "true",
    "theme.base": "dark",
    "theme.primaryColor": "#c9a227",
    "theme.backgroundColor": "#101412",
    "theme.secondaryBackgroundColor": "#1a211d",
}


def dashboard(
    data: DataFolder = DEFAULT,
    port: Annotated[int, typer.Option(min=1, max=65535, metavar="N")] = 8501,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="127.0.0.1: this machine only.")] = "127.0.0.1",
) -> None:
    """Serve the pages."""
    serve(data, port, host)


def serve(data: Path, port: int = 8501, host: str = "127.0.0.1") -> None:
    """Streamlit takes this process over, so that a signal to it is a signal to the pages."""
    arguments = [sys.executable, "-m", "streamlit", "run", str(files("dashboards") / "app.py")]
    settings = {**SETTINGS, "server.port": str(port), "server.address": host}
    arguments += [f"--{name}={value}" for name, value in settings.items()]
    os.environ["CATWALK_DATA"] = str(data.resolve())
    sys.stdout.flush()
    os.execv(sys.executable, arguments)
