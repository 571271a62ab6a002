"""`hnn export`: the tables in use on another store."""

from __future__ import annotations

from typing import Annotated

import typer

from flows.commands.terminal import DEFAULT_WORKSPACE, JsonOption, WorkspaceOption, escape, out, print_json
from flows.counting import counted


def export(
    destination: Annotated[str, typer.Argument(metavar="DEST", help="Folder, s3://…, gs://…, or any fsspec address.")],
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    digits: Annotated[
        int,
        typer.Option("--digits", min=1, max=2, help="Hex digits of the document's hash to cut by: 16 or 256 parts."),
    ] = 1,
    as_json: JsonOption = False,
) -> None:
    """Write the tables in use, partitioned, to a folder or an object store; what is there already is not written."""
    from dataclasses import asdict

    from flows.config import redact_urls
    from flows.export import export as write
    from flows.summary import human_bytes
    from flows.workspace import Workspace

    done = write(Workspace(workspace), destination, digits)
    if as_json:
        print_json(asdict(done))
        return
    for table in done.tables:
        rows, parts = counted(table.rows, "row"), counted(len(table.parts), "part")
        out.print(f"{table.stage + '/' + table.name:<32} {rows:>17}  {parts:>9}")
    out.print(f"{human_bytes(done.bytes)} in {escape(redact_urls(destination))}", soft_wrap=True)
