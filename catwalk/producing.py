"""`catwalk ingest --kafka`: into the topic, and the settings that say where it is."""

from pathlib import Path
from typing import Annotated

import typer

from catwalk.terminal import out, progress
from ingest import files, settings
from ingest.producing import Producer
from ingest.settings import Settings

SettingsFile = Annotated[
    Path | None,
    typer.Option(
        "--settings", metavar="FILE", help="A TOML file; CATWALK_SETTINGS or ./catwalk.toml if none is named."
    ),
]


def read_settings(file: Path | None) -> Settings:
    return settings.read(file)


def produce(sources: list[str], chosen: Settings, rows: int, ack: bool) -> None:
    acknowledged = already = dead = 0
    total = files.size(sources)
    producer = Producer(chosen)
    with progress("ingesting", total or None) as bar:
        for delivered in producer.deliver(sources, rows):
            acknowledged += delivered.acknowledged
            already += delivered.already
            dead += delivered.dead
            bar.advance(delivered.size)
            if ack:
                print(f"acknowledged {acknowledged + already} events", flush=True)
    out().print(f"{acknowledged:,} acknowledged, {already:,} were there already, {dead:,} dead letters")
