"""The data folder: the log that is the truth, and the store that is derived from it."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Final

import typer

from catwalk.terminal import Misuse
from detectors.storefile import Busy
from ingest import sealing
from ingest.log import DATABASE, Log

DEFAULT: Final = Path("catwalk-data")
DataFolder = Annotated[
    Path, typer.Option("--data", envvar="CATWALK_DATA", metavar="DIR", help="The folder of the log and the store.")
]


@contextmanager
def log_in(data: Path, *, made: bool) -> Iterator[Log]:
    """The folder's log; `made` if there is none yet, else that is told."""
    if not made and not (data / DATABASE).exists():
        raise Misuse(f"{data}: there is no log here; `catwalk ingest FILE --data {data}` makes one")
    try:
        with sealing.open_log(data) as log:
            yield log
    except sqlite3.DatabaseError as error:
        raise Misuse(f"{data / DATABASE}: is no log that can be used ({error})") from error
    except (NotADirectoryError, FileExistsError, PermissionError) as error:
        raise Misuse(f"{error.filename}: cannot hold a log ({error.strerror})") from None
    except Busy as error:
        raise Misuse(str(error)) from None
