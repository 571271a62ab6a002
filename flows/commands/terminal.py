"""What all commands share: consoles, options, JSON, and what happens when nobody reads."""

from __future__ import annotations

import json
import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console
from rich.markup import escape


class RunnerName(StrEnum):
    LOCAL = "local"
    DASK = "dask"


out = Console(highlight=False)
err = Console(stderr=True, highlight=False)

WorkspaceOption = Annotated[
    Path, typer.Option("--workspace", "-w", envvar="HNN_WORKSPACE", help="Folder for all results.", show_default=True)
]
ConfigOption = Annotated[
    Path | None, typer.Option("--config", "-c", envvar="HNN_CONFIG", help="Configuration file \\[default: hnn.toml].")
]
SetOption = Annotated[list[str] | None, typer.Option("--set", help="Override one key: section.key=value.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
RunnerOption = Annotated[
    RunnerName | None, typer.Option("--runner", help="Where batches of work are done \\[default: execution.runner].")
]
WaitOption = Annotated[bool, typer.Option("--wait", help="Wait while another run uses the workspace.")]
DEFAULT_WORKSPACE = Path("workspace")


#: Set by ``--debug``: tracebacks, and all that Prefect says.
DEBUG = "HNN_DEBUG"


def debugging() -> bool:
    return bool(os.environ.get(DEBUG))


def print_json(value: Any) -> None:
    try:
        print(json.dumps(value, indent=2, ensure_ascii=False, default=str), flush=True)
    except BrokenPipeError:
        leave()


def print_row(line: Any) -> None:
    """One line of the terminal; what does not fit is cut."""
    out.print(line, no_wrap=True, overflow="ellipsis", crop=True)


def flush() -> None:
    """Write what waits to be written while there is still somebody to answer for it."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        leave()


def leave() -> NoReturn:
    """Whoever read our output has gone (``hnn runs | head -1``): end quietly, with the exit code of SIGPIPE.

    Not by SIGPIPE itself, which would also end a run whose server hangs up.
    """
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        if not stream.isatty():
            os.dup2(nowhere, stream.fileno())  # the interpreter flushes once more when it ends
    raise SystemExit(141)


#: Rich calls it for every console, that of the help texts too.
Console.on_broken_pipe = lambda self: leave()  # type: ignore[method-assign]


__all__ = [
    "DEBUG",
    "DEFAULT_WORKSPACE",
    "ConfigOption",
    "JsonOption",
    "RunnerName",
    "RunnerOption",
    "SetOption",
    "WaitOption",
    "WorkspaceOption",
    "debugging",
    "err",
    "escape",
    "flush",
    "leave",
    "out",
    "print_json",
    "print_row",
]
