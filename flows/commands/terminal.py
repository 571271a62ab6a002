"""What all commands share: consoles, options, JSON."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

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
    Path | None, typer.Option("--config", "-c", envvar="HNN_CONFIG", help="Configuration file [default: hnn.toml].")
]
SetOption = Annotated[list[str] | None, typer.Option("--set", help="Override one key: section.key=value.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
RunnerOption = Annotated[
    RunnerName | None, typer.Option("--runner", help="Where batches of work are done [default: execution.runner].")
]
WaitOption = Annotated[bool, typer.Option("--wait", help="Wait while another run uses the workspace.")]
DEFAULT_WORKSPACE = Path("workspace")


def print_json(value: Any) -> None:
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False, default=str))


__all__ = [
    "DEFAULT_WORKSPACE",
    "ConfigOption",
    "JsonOption",
    "RunnerName",
    "RunnerOption",
    "SetOption",
    "WaitOption",
    "WorkspaceOption",
    "err",
    "escape",
    "out",
    "print_json",
]
