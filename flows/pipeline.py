"""The Prefect side: one flow for the whole pipeline, one for a single stage, one generic task a stage.

Prefect schedules, retries, times out and shows; it does not decide what is up to date. Its input hashes see a
path and not the file behind it, so the task is never cached by Prefect and returns a state named for what
happened: Completed or Cached.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from prefect import flow, get_run_logger, task
from prefect.artifacts import create_markdown_artifact, create_table_artifact
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State
from prefect.states import Completed

from flows import benchmark, logs, tracking
from flows.config import ExecutionConfig, redact_urls
from flows.dag import stage_named
from flows.environment import prepare
from flows.progress import for_terminal
from flows.running import PipelineRun, Request, describe, open_run, stage_table
from flows.runs import Run
from flows.trial_tracking import TrialLog
from flows.workspace import Workspace

#: Back-off before a stage is tried again, for stages where a second try can help.
RETRY_DELAYS = [10.0, 60.0]


@task(cache_policy=NO_CACHE, persist_result=False)
def run_stage(stage: str) -> State[Any]:
    """Run or reuse one stage of the run that is open in this process."""
    outcome = _open_run().run_stage(stage)
    text = describe(outcome)
    get_run_logger().info("%s: %s", stage, text)
    return Completed(name="Completed" if outcome.ran else "Cached", message=text)


@flow(name="hnn-pipeline", flow_run_name="{command} in {workspace}", validate_parameters=True)
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


@flow(name="hnn-stage", flow_run_name="stage {stage} in {workspace}", validate_parameters=True)
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


@flow(name="hnn-benchmark", flow_run_name="benchmark {names}", validate_parameters=True)
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
) -> list[dict[str, Any]]:
    """The paper's tables: every trial is kept, a killed benchmark goes on where it was."""
    execution = ExecutionConfig(workers=workers, runner=runner, dask_address=dask_address)
    request = benchmark.BenchmarkRequest(
        tuple(names or ()), trials, protocol, tuple(datasets or ()), data, workspace, execution
    )
    prepare(Path(workspace), quiet=False)
    tracking.check()
    place = Workspace(Path(workspace))
    with place.lock("hnn benchmark"), TrialLog(place) as log:
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
            result = pipeline(request.workspace, request.config_file, settings, request.from_stage, request.force)
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
    tracking.check()
    with open_run(request, for_terminal()) as run, logs.to_file(run.workspace.root, run.record.id):
        _RUN = run
        try:
            with tracking.monitored(run.workspace, run.record):
                for name in run.stage_names:
                    _stage_task(name)(name)
                    tracking.sync(run.workspace, run.record)
        finally:
            _RUN = None
    tracking.sync(run.workspace, run.record)
    _publish_artifacts(run.record)
    return {"run": run.record.id, "status": run.record.status, "metrics": run.record.metrics}


def _stage_task(name: str) -> Any:
    stage = stage_named(name)
    return run_stage.with_options(
        name=name,
        task_run_name=name,
        retries=stage.retries,
        retry_delay_seconds=RETRY_DELAYS[: stage.retries],
        timeout_seconds=stage.timeout_seconds,
    )


def _publish_artifacts(record: Run) -> None:
    create_table_artifact(key="hnn-stages", table=stage_table(record), description=f"Stages of run {record.id}")
    create_table_artifact(
        key="hnn-metrics",
        table=[{"metric": name, "value": value} for name, value in sorted(record.metrics.items())],
        description=f"Metrics of run {record.id}",
    )
    create_markdown_artifact(key="hnn-links", markdown=tracking.links(record), description="Where to read on")
