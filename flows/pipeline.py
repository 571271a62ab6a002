"""The Prefect side: one flow for the whole pipeline, one for a single stage, one generic task a stage.

Prefect schedules, retries, times out and shows; it does not decide what is up to date. Its input hashes see a
path and not the file behind it, so the task is never cached by Prefect and returns a state named for what
happened: Completed or Cached.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from prefect import Flow, Task, flow, get_run_logger, runtime, task
from prefect.artifacts import create_markdown_artifact, create_table_artifact
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import FlowRun, State, TaskRun
from prefect.logging.loggers import flow_run_logger
from prefect.states import Completed

from flows import benchmark, notify, tracking, tracking_server
from flows.config import ExecutionConfig, redact_urls
from flows.dag import stage_named
from flows.environment import prepare
from flows.errors import HnnError, LastingError
from flows.progress import for_terminal
from flows.running import PipelineRun, Request, describe, open_run, stage_table
from flows.trial_tracking import TrialLog
from flows.workspace import Workspace

log = logging.getLogger("hnn")

#: Back-off before a stage is tried again, for stages where a second try can help.
RETRY_DELAYS = [10.0, 60.0]


def tell(flow: Flow[..., Any], flow_run: FlowRun, state: State[Any]) -> None:
    """The hook of every ending: completed, failed, crashed or cancelled.

    A crash is told by the worker, in a process of its own: all it knows of the run are its parameters.
    """
    parameters = flow_run.parameters
    ending = notify.Ending(
        run=_run_name(flow, flow_run),
        state=state.type.value.lower(),
        message=redact_urls(state.message or ""),
        workspace=str(parameters.get("workspace", "")),
        id=str(flow_run.id),
    )
    if _REQUEST is None:  # nobody sits at a terminal that says it anyway
        level = logging.INFO if state.is_completed() else logging.ERROR
        said = ", ".join(filter(None, (ending.state, ending.message)))
        flow_run_logger(flow_run, flow).log(level, "%s: %s", ending.run, said)
    settings = _REQUEST.overrides if _REQUEST else tuple(parameters.get("settings") or ())
    notify.announce(ending, parameters.get("config_file"), settings)


def _run_name(flow: Flow[..., Any], flow_run: FlowRun) -> str:
    """The name that says what ran; a worker still knows a run by the name it had before it started."""
    if not isinstance(flow.flow_run_name, str):
        return flow_run.name
    defaults = {name: parameter.default for name, parameter in inspect.signature(flow.fn).parameters.items()}
    return flow.flow_run_name.format(**{**defaults, **flow_run.parameters})


HOOKS: dict[str, Any] = {
    "on_completion": [tell],
    "on_failure": [tell],
    "on_crashed": [tell],
    "on_cancellation": [tell],
}


@task(cache_policy=NO_CACHE, persist_result=False)
def run_stage(stage: str) -> State[Any]:
    """Run or reuse one stage of the run that is open in this process."""
    outcome = _open_run().run_stage(stage)
    text = describe(outcome)
    get_run_logger().info("%s: %s", stage, text)
    return Completed(name="Completed" if outcome.ran else "Cached", message=text)


@flow(name="hnn-pipeline", flow_run_name="{command} in {workspace}", **HOOKS)
def pipeline(
    workspace: str = "workspace",
    config_file: str | None = None,
    settings: list[str] | None = None,
    from_stage: str | None = None,
    force: bool = False,
    wait: bool = False,
    command: str = "hnn run",
) -> dict[str, Any]:
    """scrape → extract → hypergraph → features → train → recommend → report."""
    return _run(
        Request(
            workspace=workspace,
            config_file=config_file,
            overrides=tuple(settings or ()),
            from_stage=from_stage,
            force=force,
            wait=wait,
            command=command,
        )
    )


@flow(name="hnn-stage", flow_run_name="stage {stage} in {workspace}", **HOOKS)
def single_stage(
    stage: str,
    workspace: str = "workspace",
    config_file: str | None = None,
    settings: list[str] | None = None,
    force: bool = False,
    wait: bool = False,
) -> dict[str, Any]:
    """One stage, on what is upstream."""
    return _run(
        Request(
            workspace=workspace,
            config_file=config_file,
            overrides=tuple(settings or ()),
            only=stage,
            force=force,
            wait=wait,
            command=f"hnn stage {stage}",
        )
    )


def _benchmark_name() -> str:
    return f"benchmark {', '.join(runtime.flow_run.parameters.get('names') or ['of the paper'])}"


@flow(name="hnn-benchmark", flow_run_name=_benchmark_name, **HOOKS)
def benchmark_flow(
    names: list[str] | None = None,
    trials: int | None = None,
    protocol: str | None = None,
    datasets: list[str] | None = None,
    data: str | None = None,
    workspace: str = "workspace",
    workers: int = 0,
    results: str | None = None,
    runner: Literal["local", "dask"] = "local",
    dask_address: str = "",
    wait: bool = False,
    known: str | None = None,
) -> list[dict[str, Any]]:
    """The paper's tables: every trial is kept, a killed benchmark goes on where it was."""
    execution = ExecutionConfig(workers=workers, runner=runner, dask_address=dask_address)
    request = benchmark.BenchmarkRequest(
        tuple(names or ()), trials, protocol, tuple(datasets or ()), data, workspace, execution, known
    )
    prepare(Path(workspace), quiet=False)
    tracking_server.check()
    place = Workspace(Path(workspace))
    with place.lock("hnn benchmark", wait=wait), TrialLog(place) as log:
        rows = run_benchmark.with_options(task_run_name="trials")(request, log.add, results)
    create_table_artifact(key="hnn-benchmark", table=rows, description="Mean over trials beside the paper's figures")
    return rows


@task(cache_policy=NO_CACHE, persist_result=False)
def run_benchmark(
    request: benchmark.BenchmarkRequest, on_result: Callable[[Any], None], results: str | None
) -> list[dict[str, Any]]:
    """All trials of a request: one task, since thousands of small ones would cost more than the trials."""
    outcome = benchmark.run(request, benchmark.plan(request), for_terminal(), on_result)
    folder = Path(results) if results else Path(request.workspace) / "benchmark"
    benchmark.write(outcome, folder, folder / "results.json")
    return outcome.rows()


_RUN: PipelineRun | None = None
_REQUEST: Request | None = None


def start(request: Request) -> str:
    """Run a request of the command line as a flow in this process; returns the run's id.

    The request itself stays out of Prefect's database, which keeps parameters in the clear: what is shown there
    is redacted.
    """
    global _REQUEST
    _REQUEST = request
    settings = [redact_urls(text) for text in request.overrides]
    try:
        if request.only:
            result = single_stage(request.only, request.workspace, request.config_file, settings)
        else:
            result = pipeline(
                *(request.workspace, request.config_file, settings, request.from_stage, request.force, request.wait),
                command=request.command,
            )
    finally:
        _REQUEST = None
    return str(result["run"])


def _open_run() -> PipelineRun:
    if _RUN is None:
        raise RuntimeError("run_stage works within the flows of this module only")
    return _RUN


def _run(request: Request) -> dict[str, Any]:
    global _RUN
    request = _REQUEST or request
    prepare(Path(request.workspace), quiet=False)
    with open_run(request, for_terminal(), ended=_show) as run:
        _tell_of_killed(run)
        tracking_server.check()  # before any work, and where a night that fails of it leaves its record
        _RUN = run
        try:
            with tracking.monitored(run.workspace, run.record):
                for name in run.stage_names:
                    _stage_task(name)(name)
                    tracking.sync(run.workspace, run.record)
        finally:
            _RUN = None
    return {"run": run.record.id, "status": run.record.status, "metrics": run.record.metrics}


def _tell_of_killed(run: PipelineRun) -> None:
    """A machine that went down with its worker left nobody to tell it: the next run does."""
    for record in run.killed:
        ending = notify.Ending(
            run=f"{record.command} in {run.workspace.root}",
            state="crashed",
            message=f"killed; begun {record.started_at}, found by the run after it, which goes on",
            workspace=str(run.workspace.root),
            id=record.id,
        )
        notify.announce(ending, run.request.config_file, run.request.overrides)


def _stage_task(name: str) -> Any:
    stage = stage_named(name)
    return run_stage.with_options(
        name=name,
        task_run_name=name,
        retries=stage.retries,
        retry_delay_seconds=RETRY_DELAYS[: stage.retries],
        retry_condition_fn=_second_try_can_help,
        timeout_seconds=stage.timeout_seconds,
    )


def _second_try_can_help(task: Task[..., Any], run: TaskRun, state: State[Any]) -> bool:
    """A server may answer the next time; a folder, a file, a disk and a refusal stay what they are."""
    outside = stage_named(task.name).outside
    try:
        if outside is None or isinstance(state.data, LastingError) or outside(_open_run().config) is not None:
            return False
    except HnnError:
        return False
    delay = RETRY_DELAYS[min(run.run_count, len(RETRY_DELAYS)) - 1]
    log.warning("%s: %s Trying again in %.0f s.", task.name, redact_urls(str(state.data)), delay)
    return True


def _show(run: PipelineRun) -> None:
    """Tell both servers how a run ended. Whether they listen changes nothing about its results."""
    tracking.sync(run.workspace, run.record)
    record = run.record
    try:
        create_table_artifact(key="hnn-stages", table=stage_table(record), description=f"Stages of run {record.id}")
        create_table_artifact(
            key="hnn-metrics",
            table=[{"metric": name, "value": value} for name, value in sorted(record.metrics.items())],
            description=f"Metrics of run {record.id}",
        )
        create_markdown_artifact(key="hnn-links", markdown=tracking.links(record), description="Where to read on")
    except Exception as error:  # the server is away: its own client has tried for a minute
        log.warning("Prefect did not take the artifacts of run %s (%s)", record.id, type(error).__name__)
