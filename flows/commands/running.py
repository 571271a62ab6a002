"""`hnn run` and `hnn stage`."""

from __future__ import annotations

import atexit
import gc
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from flows.commands.terminal import (
    DEFAULT_WORKSPACE,
    ConfigOption,
    JsonOption,
    RunnerOption,
    SetOption,
    WaitOption,
    WorkspaceOption,
    debugging,
    err,
    escape,
    out,
    print_json,
)
from flows.errors import HnnError, UsageError

#: The override that ``--corpus`` stands for.
CORPUS = "scrape.source="


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
    runner: RunnerOption = None,
    wait: WaitOption = False,
    as_json: JsonOption = False,
) -> None:
    """Run the whole pipeline; stages whose inputs and parameters are unchanged are skipped."""
    from flows.planning import plan
    from flows.running import Request, remember_corpus
    from flows.workspace import Workspace

    overrides = list(settings or ())
    if emails is not None:
        if corpus not in (None, "sample"):
            raise UsageError(f"--emails sets the size of the sample corpus; it does not go with --corpus {corpus}")
        corpus = f"sample:emails={emails}"
    if corpus is not None:
        overrides.append(CORPUS + corpus)
    request = Request(
        workspace=str(workspace),
        config_file=str(config) if config else None,
        overrides=(*_from_anywhere(overrides), *_runner(runner)),
        from_stage=from_stage,
        force=force,
        wait=wait,
        command="hnn run" + (f" --from {from_stage}" if from_stage else "") + (" --force" if force else ""),
    )
    request = _with_corpus(request)
    if from_stage:
        from flows.dag import stage_named

        stage_named(from_stage)
    if not force and not from_stage:
        decisions = plan(Workspace(workspace), request.config())
        if all(decision.fresh for decision in decisions) and not _left_unsaid(Workspace(workspace)):
            manifests = {d.stage.name: d.manifest for d in decisions if d.manifest}
            remember_corpus(Workspace(workspace), request.overrides)
            _use(Workspace(workspace), manifests)
            _report_run(Workspace(workspace), manifests, None, as_json)
            return
    record = _through_prefect(request)
    manifests = {e["stage"]: m for e in record.stages if (m := Workspace(workspace).manifest(e["stage"], e["key"]))}
    _report_run(Workspace(workspace), manifests, record, as_json)


def stage(
    name: Annotated[str, typer.Argument(help="scrape, extract, hypergraph, features, train, recommend or report.")],
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    config: ConfigOption = None,
    settings: SetOption = None,
    force: Annotated[bool, typer.Option("--force", help="Rerun even if nothing changed.")] = False,
    runner: RunnerOption = None,
    wait: WaitOption = False,
    as_json: JsonOption = False,
) -> None:
    """Run one stage alone; later ones are not run, `hnn status` calls those stale whose inputs changed."""
    from flows.dag import stage_named
    from flows.planning import current_upstream, decide
    from flows.running import Request
    from flows.workspace import Workspace

    definition = stage_named(name)
    request = Request(
        workspace=str(workspace),
        config_file=str(config) if config else None,
        overrides=(*_from_anywhere(settings or ()), *_runner(runner)),
        only=name,
        force=force,
        wait=wait,
        command=f"hnn stage {name}",
    )
    if name == "scrape":
        request = _with_corpus(request)
    place = Workspace(workspace)
    upstream = current_upstream(place, definition)
    decision = decide(place, definition, request.config(), upstream, force=force)
    if decision.manifest is not None:
        place.use(name, decision.manifest.key)
        manifest = decision.manifest
        err.print(f"{name}: nothing to do, the result is there")
    else:
        record = _through_prefect(request)
        entry = record.stages[-1]
        manifest = place.manifest(name, entry["key"])  # type: ignore[assignment]
    if as_json:
        print_json({"stage": name, "key": manifest.key, "summary": dict(manifest.summary)})
        return
    out.print(f"[bold]{name}[/]  {escape(str(place.result(name, manifest.key)))}", soft_wrap=True)
    for label, value in manifest.summary.items():
        if not isinstance(value, list | dict):
            out.print(f"  {label}: {value:,}" if isinstance(value, int) else f"  {label}: {value}")
    for label, value in manifest.summary.get("metrics", {}).items():
        out.print(f"  {label}: {value:.4f}")


def _from_anywhere(overrides: Sequence[str]) -> list[str]:
    """What ``--corpus`` and ``--set`` say, the corpus by a name that a later run finds from any folder."""
    return [_corpus_from_anywhere(text) if text.startswith(CORPUS) else text for text in overrides]


def _corpus_from_anywhere(override: str) -> str:
    from extractors.sources import SourceError, open_source
    from flows.running import corpus_from_anywhere

    source = override.removeprefix(CORPUS)
    try:
        open_source(source)
    except SourceError as error:
        raise UsageError(str(error)) from None
    return CORPUS + corpus_from_anywhere(source)


def _with_corpus(request: Any) -> Any:
    """The request on the corpus that ``--corpus`` gave this workspace before, where none is named now."""
    from dataclasses import replace

    from flows.running import corpus_as_before
    from flows.workspace import Workspace

    corpus = corpus_as_before(Workspace(Path(request.workspace)), request.config())
    if corpus is None:
        return request
    err.print(f"corpus: {corpus}, as before (--corpus names another)", markup=False, soft_wrap=True)
    return replace(request, overrides=(*request.overrides, CORPUS + corpus))


def _runner(name: str | None) -> list[str]:
    return [f"execution.runner={name}"] if name else []


def _through_prefect(request: Any) -> Any:
    """Run a request as a Prefect flow in this process; no server has to run."""
    from flows import full_disk, runs
    from flows.environment import prepare
    from flows.running import remember_corpus
    from flows.workspace import Workspace

    workspace = Workspace(Path(request.workspace))
    try:
        prepare(workspace.root, quiet=True)
    except OSError as error:
        from flows.workspace import explain_os_error

        raise HnnError(f"{workspace.root}: {explain_os_error(error, workspace.root)}") from None
    workspace.check_room()
    if not request.wait:
        workspace.check_free()  # now, not after the seconds in which Prefect comes up
    remember_corpus(workspace, request.overrides)
    from flows import logs, temporary_server, tracking_server, watchdog

    tracking_server.check()
    watchdog.watch()
    logs.to_terminal(debug=debugging())
    if sys.stderr.isatty():
        err.print("[dim]starting Prefect …[/]")
    atexit.register(gc.freeze)  # leaving, nobody has to search a million objects for cycles: 1.2 s
    with full_disk.told_as_such(workspace.root):
        temporary_server.begin()
        from flows.pipeline import start

        tracking_server.warm_up()
        temporary_server.await_ready()
        run_id = start(request)
    return next(record for record in runs.load_all(workspace) if record.id == run_id)


def _left_unsaid(workspace: Any) -> bool:
    """A run was killed before its end was recorded, or MLflow does not have all of it: a run of nothing mends that."""
    from flows import runs

    return any(record.status == "running" or not record.tracking.get("complete") for record in runs.load_all(workspace))


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
        print_json(
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
