"""`hnn status`, `runs`, `config`, `clean` and `ui`: what is there, what it came from, what can go."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from flows.commands.terminal import (
    DEFAULT_WORKSPACE,
    ConfigOption,
    JsonOption,
    SetOption,
    WorkspaceOption,
    err,
    escape,
    out,
    print_json,
    print_row,
)
from flows.counting import counted
from flows.errors import UsageError

#: How a run ends that somebody has to look at.
BAD_ENDS = ("failed", "interrupted")
#: Characters of a why that `hnn status` shows where a terminal has 80 columns.
ROOM_FOR_WHY = 30


def status(
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    settings: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show every stage: fresh, stale (and why), damaged or missing."""
    from flows import config as configuration
    from flows import runs
    from flows.planning import status as all_statuses
    from flows.workspace import Workspace

    place = Workspace(workspace)
    statuses = all_statuses(place, configuration.load(config, overrides=settings or ()))
    holder = place.holder()
    records = runs.as_they_are(place)
    if as_json:
        from dataclasses import asdict

        well = not records or records[0].status not in BAD_ENDS
        print_json(
            {
                "workspace": str(workspace),
                "healthy": well and all(s.state == "fresh" for s in statuses),
                "stages": [
                    {
                        "stage": s.stage,
                        "state": s.state,
                        "why": s.why,
                        "with": dict(s.overrides),
                        "key": s.manifest.key if s.manifest else None,
                        "finished_at": s.manifest.finished_at if s.manifest else None,
                        "seconds": s.manifest.seconds if s.manifest else None,
                        "bytes": s.manifest.bytes if s.manifest else None,
                        "rows": s.manifest.rows if s.manifest else None,
                        "peak_memory_mb": s.manifest.peak_memory_mb if s.manifest else None,
                    }
                    for s in statuses
                ],
                "last_run": run_json(records[0]) if records else None,
                "in_progress": asdict(holder) if holder else None,
            }
        )
        return
    from flows.summary import note, status_table

    if not workspace.exists():
        out.print(f"There is no workspace {workspace} yet: `hnn run` makes it.", soft_wrap=True, markup=False)
    out.print(status_table(statuses))
    if any(status.why and len(note(status)) > ROOM_FOR_WHY for status in statuses):
        out.print("[dim]The whole why: hnn status --json[/]")
    if records and records[0].status in BAD_ENDS:
        last = records[0]
        why = f": {last.error}" if last.error and last.error != last.shown_status else ""
        out.print(
            f"the last run ({last.command}, {last.started_at[:16].replace('T', ' ')}) is {last.shown_status}{why}",
            soft_wrap=True,
            markup=False,
        )
    if holder is not None:
        since = holder.since[:16].replace("T", " ")
        print_row(f"a run is in progress (pid {holder.pid}, since {since}): {escape(holder.purpose)}")


def list_runs(
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    last: Annotated[int, typer.Option("--last", min=1, help="How many.")] = 20,
    sync: Annotated[bool, typer.Option("--sync", help="Send to MLflow what it does not have yet.")] = False,
    as_json: JsonOption = False,
) -> None:
    """List past runs with their main metrics."""
    from flows import runs
    from flows.workspace import Workspace

    place = Workspace(workspace)
    if sync:
        from flows import tracking, tracking_server
        from flows.environment import prepare

        prepare(workspace, quiet=True)
        tracking_server.check()
        with place.lock("hnn runs --sync"):
            tracking.sync(place)
    records = runs.as_they_are(place)[:last]
    if as_json:
        print_json([run_json(record) for record in records])
        return
    if not records:
        out.print(f"No runs in {workspace} yet. Start with `hnn run`.")
        return
    from flows.summary import runs_table

    out.print(runs_table(records))


def show_config(
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    settings: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print the effective configuration: defaults, hnn.toml, HNN_… variables, --set, and the workspace's corpus."""
    from flows import config as configuration
    from flows.running import corpus_as_before
    from flows.workspace import Workspace

    effective = configuration.load(config, overrides=settings or ())
    try:
        corpus = corpus_as_before(Workspace(workspace), effective)
    except UsageError as error:
        err.print(escape(str(error)), soft_wrap=True)
        corpus = None
    if corpus is not None:
        effective = configuration.load(config, overrides=[*(settings or ()), f"scrape.source={corpus}"])
    if as_json:
        print_json(effective.shown())
        return
    for name, values in effective.shown().items():
        out.print(f"[bold]\\[{name}][/]")
        section = getattr(effective, name)
        for key, value in values.items():
            text = json.dumps(value, ensure_ascii=False)
            description = type(section).model_fields[key].description
            out.print(
                escape(f"{key} = {text}") + (f"  [dim]# {escape(description)}[/]" if description else ""),
                soft_wrap=True,
            )
        out.print()


def clean(
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    keep: Annotated[int, typer.Option("--keep", min=1, help="Results kept for each stage.")] = 1,
    yes: Annotated[bool, typer.Option("--yes", help="Remove; without it only say what would be freed.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show, and with --yes remove, older results and the documents that only those list."""
    from flows.retention import clean as remove
    from flows.retention import superfluous
    from flows.summary import human_bytes
    from flows.workspace import Workspace

    if not workspace.exists():
        raise UsageError(f"{workspace}: there is no such workspace")
    place = Workspace(workspace)
    if yes:
        with place.lock("hnn clean"):
            found = superfluous(place, keep)
            remove(place, found)
    else:
        found = superfluous(place, keep)
    documents = found.documents
    if as_json:
        print_json(
            {
                "removed": yes,
                "bytes": found.bytes,
                "items": [{"path": str(i.path), "bytes": i.bytes} for i in found.results],
                "documents": {"count": len(documents.sha256), "bytes": documents.bytes},
            }
        )
        return
    for item in found.results:
        out.print(f"{human_bytes(item.bytes):>10}  {item.path}", soft_wrap=True)
    if documents.sha256:
        which = f"{counted(len(documents.sha256), 'document')} listed by no kept result"
        out.print(f"{human_bytes(documents.bytes):>10}  {which}, in {place.store}", soft_wrap=True)
    if not found.results and not documents.sha256:
        out.print(f"Nothing to free: {counted(keep, 'result')} of each stage and their documents are all there is.")
        return
    verb = "freed" if yes else "would be freed; remove with --yes"
    out.print(f"{human_bytes(found.bytes)} {verb}")


def ui(
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    prefect_port: Annotated[int, typer.Option("--prefect-port", min=1, max=65535)] = 4200,
    mlflow_port: Annotated[int, typer.Option("--mlflow-port", min=1, max=65535)] = 5000,
) -> None:
    """Open the Prefect and MLflow dashboards of a workspace, bound to loopback."""
    from flows.ui import serve

    serve(workspace, prefect_port, mlflow_port)


def run_json(record: Any) -> dict[str, Any]:
    return {
        "run": record.id,
        "status": record.status,
        "command": record.command,
        "started_at": record.started_at,
        "seconds": record.seconds,
        "ran": [entry["stage"] for entry in record.stages if entry["ran"]],
        "metrics": record.metrics,
        "error": record.error,
        "tracked": bool(record.tracking.get("complete")),
    }
