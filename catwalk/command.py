"""The command: its verbs, and the rim where every error becomes one line that says what to do."""

import os
import sys
import tempfile
import traceback
from collections.abc import Sequence
from typing import Annotated, Final

import typer

import catwalk
from catwalk.auditing import audit
from catwalk.demonstrating import demo
from catwalk.explaining import explain
from catwalk.living import ingest, run
from catwalk.measuring import quality
from catwalk.ruling import rules
from catwalk.serving import dashboard
from catwalk.showing import show
from catwalk.simulating import simulate
from catwalk.status import status
from catwalk.streaming import kafka, sink, worker
from catwalk.suspecting import statistics
from catwalk.terminal import Misuse, printable
from detectors.crew import Lost
from ingest.files import Unreadable
from ingest.settings import Mistaken
from ingest.topics import Refused

OK: Final = 0
BROKEN: Final = 1
MISUSED: Final = 2
INTERRUPTED: Final = 130

app = typer.Typer(
    name="catwalk",
    help="Audit casino table games: every round derived again from its events, every finding with its clause.",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for verb in (
    *(audit, simulate, ingest, run, kafka, worker, sink, status),
    *(show, explain, rules, statistics, quality, dashboard, demo),
):
    app.command()(verb)


@app.callback(invoke_without_command=True)
def _frame(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        typer.echo(f"catwalk {catwalk.__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        verbs = ", ".join(command.callback.__name__ for command in app.registered_commands if command.callback)
        raise Misuse(f"no verb given; one of {verbs} (catwalk --help)")


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status: 0 done, 2 asked for what cannot be done, 1 a fault of ours, 130 interrupted."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without ♠ shows a question mark, not a traceback
    try:
        status = app(arguments, standalone_mode=False)
        sys.stdout.flush()
        return int(status or OK)
    except (Misuse, Unreadable, Mistaken, Refused) as refusal:
        return _say(str(refusal), MISUSED)
    except typer.TyperException as misuse:
        return _say(_usage(misuse), MISUSED)
    except BrokenPipeError:
        # Whoever read the output has read enough. Python would complain once more when it closes standard output.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except (KeyboardInterrupt, typer.Abort):
        return _say("interrupted", INTERRUPTED)
    except Exception as error:  # noqa: BLE001 - the outermost rim: a user gets one line, the traceback goes to a file
        return _say(str(error) if isinstance(error, Lost) else _report(error), BROKEN)


def _say(line: str, status: int) -> int:
    print(f"catwalk: {printable(' '.join(line.split()))}", file=sys.stderr)
    return status


def _usage(misuse: typer.TyperException) -> str:
    """Typer's complaint on one line, with the page that says how it is done."""
    context = getattr(misuse, "ctx", None)
    page = "" if context is None else f" ({context.command_path} --help)"
    message = misuse.format_message() if hasattr(misuse, "format_message") else str(misuse)
    return f"{message.rstrip('.')}{page}"


def _report(error: Exception) -> str:
    with tempfile.NamedTemporaryFile("w", prefix="catwalk-", suffix=".txt", encoding="utf-8", delete=False) as file:
        file.writelines(traceback.format_exception(error))
    said = str(error).splitlines() or [""]
    return f"a fault of catwalk's own, {type(error).__name__}: {said[0]} (all of it in {file.name})"


if __name__ == "__main__":
    sys.exit(main())
