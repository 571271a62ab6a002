"""The command line. Heavy libraries are imported inside the commands that need them, never for --help or a no-op."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from flows.errors import HnnError, UsageError

app = typer.Typer(
    help="Turn a pile of HTML emails into a hypergraph of design decisions, and learn from it.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)
out = Console(highlight=False)
err = Console(stderr=True, highlight=False)

WorkspaceOption = Annotated[
    Path,
    typer.Option("--workspace", "-w", envvar="HNN_WORKSPACE", help="Folder for all results.", show_default=True),
]
ConfigOption = Annotated[
    Path | None,
    typer.Option("--config", "-c", envvar="HNN_CONFIG", help="Configuration file [default: hnn.toml]."),
]
SetOption = Annotated[list[str] | None, typer.Option("--set", help="Override one key: section.key=value.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
WaitOption = Annotated[bool, typer.Option("--wait", help="Wait while another run uses the workspace.")]
DEFAULT_WORKSPACE = Path("workspace")


def main() -> None:
    """Entry point: one helpful line for problems a user can act on, exit codes 0, 1, 2."""
    debug = "--debug" in sys.argv or bool(os.environ.get("HNN_DEBUG"))
    sys.argv = [argument for argument in sys.argv if argument != "--debug"]
    try:
        app()
    except HnnError as error:
        if debug:
            raise
        err.print(f"[red]hnn:[/] {_escape(str(error))}", soft_wrap=True)
        sys.exit(2 if isinstance(error, UsageError) else 1)
    except KeyboardInterrupt:
        err.print("hnn: interrupted; what was finished is kept, run again to go on")
        sys.exit(130)
    except Exception as error:
        if debug:
            raise
        err.print(
            f"[red]hnn:[/] unexpected {type(error).__name__}: {_escape(str(error))} "
            "(run again with --debug for the traceback)",
            soft_wrap=True,
        )
        sys.exit(1)


@app.callback()
def options(
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks (may stand anywhere).")] = False,
) -> None:
    """Options of all commands."""


@app.command()
def run(
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    corpus: Annotated[
        str | None,
        typer.Option("--corpus", help="Folder, glob, mailbox, archive, URL list, sitemap, or 'sample'."),
    ] = None,
    emails: Annotated[int | None, typer.Option("--emails", min=1, help="Size of the sample corpus.")] = None,
    config: ConfigOption = None,
    settings: SetOption = None,
    from_stage: Annotated[str | None, typer.Option("--from", help="Rerun this stage and all after it.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Rerun every stage.")] = False,
    wait: WaitOption = False,
    as_json: JsonOption = False,
) -> None:
    """Run the whole pipeline; stages whose inputs and parameters are unchanged are skipped."""
    from flows.planning import plan
    from flows.running import Request
    from flows.workspace import Workspace

    overrides = [*(settings or [])]
    if emails is not None:
        if corpus not in (None, "sample"):
            raise UsageError(f"--emails sets the size of the sample corpus; it does not go with --corpus {corpus}")
        corpus = f"sample:emails={emails}"
    if corpus is not None:
        overrides.append(f"scrape.source={corpus}")
    request = Request(
        workspace=str(workspace),
        config_file=str(config) if config else None,
        overrides=tuple(overrides),
        from_stage=from_stage,
        force=force,
        wait=wait,
    )
    if from_stage:
        from flows.dag import stage_named

        stage_named(from_stage)
    if not force and not from_stage:
        decisions = plan(Workspace(workspace), request.config())
        if all(decision.fresh for decision in decisions):
            manifests = {d.stage.name: d.manifest for d in decisions if d.manifest}
            _use(Workspace(workspace), manifests)
            _report_run(Workspace(workspace), manifests, None, as_json)
            return
    record = _through_prefect(request)
    manifests = {e["stage"]: m for e in record.stages if (m := Workspace(workspace).manifest(e["stage"], e["key"]))}
    _report_run(Workspace(workspace), manifests, record, as_json)


@app.command()
def stage(
    name: Annotated[str, typer.Argument(help="scrape, extract, hypergraph, features, train, recommend or report.")],
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    settings: SetOption = None,
    force: Annotated[bool, typer.Option("--force", help="Rerun even if nothing changed.")] = False,
    wait: WaitOption = False,
    as_json: JsonOption = False,
) -> None:
    """Run one stage on what is upstream; stages below it become stale."""
    from flows.dag import stage_named
    from flows.planning import current_upstream, decide
    from flows.running import Request, describe
    from flows.workspace import Workspace

    definition = stage_named(name)
    request = Request(
        workspace=str(workspace),
        config_file=str(config) if config else None,
        overrides=tuple(settings or ()),
        only=name,
        force=force,
        wait=wait,
        command=f"hnn stage {name}",
    )
    place = Workspace(workspace)
    upstream = current_upstream(place, definition)
    decision = decide(place, definition, request.config(), upstream, force=force)
    if decision.manifest is not None:
        place.use(name, decision.manifest.key)
        manifest, text = decision.manifest, "nothing to do, the result is there"
    else:
        record = _through_prefect(request)
        entry = record.stages[-1]
        manifest = place.manifest(name, entry["key"])  # type: ignore[assignment]
        from flows.execution import Outcome

        text = describe(Outcome(name, True, "", manifest))
    if as_json:
        _print_json({"stage": name, "key": manifest.key, "summary": dict(manifest.summary)})
        return
    out.print(f"[bold]{name}[/]: {text}")
    for label, value in manifest.summary.items():
        if not isinstance(value, list | dict):
            out.print(f"  {label}: {value:,}" if isinstance(value, int) else f"  {label}: {value}")
    for label, value in manifest.summary.get("metrics", {}).items():
        out.print(f"  {label}: {value:.4f}")


@app.command()
def status(
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    settings: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show every stage: fresh, stale (and why), damaged or missing."""
    from flows import config as configuration
    from flows.planning import status as all_statuses
    from flows.workspace import Workspace

    statuses = all_statuses(Workspace(workspace), configuration.load(config, overrides=settings or ()))
    if as_json:
        from flows import runs

        records = runs.load_all(Workspace(workspace))
        _print_json(
            {
                "workspace": str(workspace),
                "healthy": all(s.state == "fresh" for s in statuses),
                "stages": [
                    {
                        "stage": s.stage,
                        "state": s.state,
                        "why": s.why,
                        "key": s.manifest.key if s.manifest else None,
                        "finished_at": s.manifest.finished_at if s.manifest else None,
                        "seconds": s.manifest.seconds if s.manifest else None,
                        "bytes": s.manifest.bytes if s.manifest else None,
                        "rows": s.manifest.rows if s.manifest else None,
                        "peak_memory_mb": s.manifest.peak_memory_mb if s.manifest else None,
                    }
                    for s in statuses
                ],
                "last_run": _run_json(records[0]) if records else None,
            }
        )
        return
    from flows.summary import status_table

    out.print(status_table(statuses))


@app.command("runs")
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
        from flows import tracking
        from flows.environment import prepare

        prepare(workspace, quiet=True)
        tracking.check()
        with place.lock("hnn runs --sync"):
            tracking.sync(place)
    records = runs.load_all(place)[:last]
    if as_json:
        _print_json([_run_json(record) for record in records])
        return
    if not records:
        out.print(f"No runs in {workspace} yet. Start with `hnn run`.")
        return
    from flows.summary import runs_table

    out.print(runs_table(records))


@app.command("config")
def show_config(config: ConfigOption = None, settings: SetOption = None, as_json: JsonOption = False) -> None:
    """Print the effective configuration: defaults, hnn.toml, HNN_… variables, --set."""
    from flows import config as configuration

    effective = configuration.load(config, overrides=settings or ())
    if as_json:
        _print_json(effective.model_dump(mode="json"))
        return
    for name, section in effective:
        out.print(f"[bold]\\[{name}][/]")
        for key, value in section.model_dump(mode="json").items():
            text = json.dumps(value, ensure_ascii=False)
            description = type(section).model_fields[key].description
            out.print(
                _escape(f"{key} = {text}") + (f"  [dim]# {_escape(description)}[/]" if description else ""),
                soft_wrap=True,
            )
        out.print()


@app.command()
def clean(
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    keep: Annotated[int, typer.Option("--keep", min=1, help="Results kept for each stage.")] = 1,
    yes: Annotated[bool, typer.Option("--yes", help="Remove; without it only say what would be freed.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show, and with --yes remove, older results and documents no result refers to."""
    from flows.retention import clean as remove
    from flows.retention import superseded
    from flows.summary import human_bytes
    from flows.workspace import Workspace

    place = Workspace(workspace)
    if yes:
        with place.lock("hnn clean"):
            found = superseded(place, keep)
            remove(place, found)
    else:
        found = superseded(place, keep)
    total = sum(item.bytes for item in found)
    if as_json:
        _print_json(
            {
                "removed": yes,
                "bytes": total,
                "items": [{"path": str(i.path), "bytes": i.bytes} for i in found],
            }
        )
        return
    for item in found:
        out.print(f"{human_bytes(item.bytes):>10}  {item.path}", soft_wrap=True)
    verb = "freed" if yes else "would be freed; remove with --yes"
    out.print(f"{human_bytes(total)} in {len(found)} items {verb}")


@app.command()
def ui(
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    prefect_port: Annotated[int, typer.Option("--prefect-port", min=1, max=65535)] = 4200,
    mlflow_port: Annotated[int, typer.Option("--mlflow-port", min=1, max=65535)] = 5000,
) -> None:
    """Open the Prefect and MLflow dashboards of a workspace, bound to loopback."""
    from flows.ui import serve

    serve(workspace, prefect_port, mlflow_port)


def _through_prefect(request: Any) -> Any:
    """Run a request as a Prefect flow in this process; no server has to run."""
    from flows import runs
    from flows.environment import prepare
    from flows.workspace import Workspace

    workspace = Workspace(Path(request.workspace))
    try:
        prepare(workspace.root, quiet=True)
    except OSError as error:
        from flows.workspace import explain_os_error

        raise HnnError(f"{workspace.root}: {explain_os_error(error)}") from None
    from flows import logs

    logs.to_terminal()
    if sys.stderr.isatty():
        err.print("[dim]starting Prefect …[/]")
    from flows.pipeline import start

    run_id = start(request)
    return next(record for record in runs.load_all(workspace) if record.id == run_id)


def _use(workspace: Any, manifests: dict[str, Any]) -> None:
    """Nothing to run, but going back to earlier parameters makes the earlier results the ones in use."""
    if any(_differs(workspace, name, manifest) for name, manifest in manifests.items()):
        with workspace.lock("hnn run"):
            for name, manifest in manifests.items():
                workspace.use(name, manifest.key)


def _differs(workspace: Any, name: str, manifest: Any) -> bool:
    current = workspace.current(name)
    return current is None or current.key != manifest.key


def _report_run(workspace: Any, manifests: dict[str, Any], record: Any, as_json: bool) -> None:
    if as_json:
        _print_json(
            {
                "run": record.id if record else None,
                "ran": [e["stage"] for e in record.stages if e["ran"]] if record else [],
                "stages": {name: {"key": m.key, "summary": dict(m.summary)} for name, m in manifests.items()},
            }
        )
        return
    from flows.summary import print_summary

    print_summary(out, workspace, manifests, record)
    if record is None:
        out.print("[green]Nothing to do:[/] every stage is up to date. Rerun with --force or --from STAGE.")


def _run_json(record: Any) -> dict[str, Any]:
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


def _print_json(value: Any) -> None:
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False, default=str))


def _escape(text: str) -> str:
    from rich.markup import escape

    return escape(text)


if __name__ == "__main__":
    main()
