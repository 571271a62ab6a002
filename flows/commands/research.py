"""`hnn benchmark`: every table of the paper from one command; `hnn search`: the hyperparameters it uses."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from flows.commands.terminal import DEFAULT_WORKSPACE, RunnerName, WorkspaceOption, debugging, err, out
from flows.counting import counted


def benchmark(
    names: Annotated[list[str] | None, typer.Argument(help="Experiments; all if none is named.")] = None,
    trials: Annotated[int | None, typer.Option("--trials", min=1, help="Trials \\[default: as the paper, 10].")] = None,
    protocol: Annotated[str | None, typer.Option("--protocol", help="transductive or inductive.")] = None,
    datasets: Annotated[str, typer.Option("--datasets", help="Comma-separated, e.g. citeseer,cora-cc.")] = "",
    data: Annotated[
        Path | None,
        typer.Option(
            "--data", help="HyperGCN's data folder \\[default: HNN_DATA/hypergcn].", exists=True, file_okay=False
        ),
    ] = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    workers: Annotated[int, typer.Option("--workers", min=0, help="Trials side by side; 0 = cores.")] = 0,
    results: Annotated[
        Path | None, typer.Option("--results", help="Folder of results.md \\[default: in the workspace].")
    ] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the rows as JSON to this file.")] = None,
    runner: Annotated[RunnerName, typer.Option("--runner", help="Where trials run.")] = RunnerName.LOCAL,
    dask_address: Annotated[str, typer.Option("--dask-address", help="Scheduler; none = a local cluster.")] = "",
    known: Annotated[
        Path | None,
        typer.Option(
            "--known",
            help="A trials.jsonl (docs/ holds ours): what is in it is not run again.",
            exists=True,
            dir_okay=False,
        ),
    ] = None,
    render_only: Annotated[
        bool, typer.Option("--render-only", help="Run nothing: write the results of the trials that are finished.")
    ] = False,
    listing: Annotated[bool, typer.Option("--list", help="List the experiments.")] = False,
) -> None:
    """Run the paper's experiments; finished trials are kept and not run again."""
    from flows import benchmark as benchmarks

    if listing:
        for spec in benchmarks.choose(names or ()):
            out.print(f"[bold]{spec.name:<32}[/] {spec.title}")
        return
    wanted = tuple(part.strip() for part in datasets.split(",") if part.strip())
    request = benchmarks.BenchmarkRequest(
        names=tuple(names or ()),
        trials=trials,
        protocol=protocol,
        datasets=wanted,
        data=str(data) if data else None,
        workspace=str(workspace),
        known=str(known) if known else None,
    )
    folder = results or workspace / "benchmark"
    if render_only:
        finished = benchmarks.stored(request)
        benchmarks.write(finished, folder, json_file)
        _print(finished.rows())
        out.print(f"Results  {folder / 'results.md'}  {folder / 'results.html'}", soft_wrap=True)
        return
    planned = benchmarks.plan(request)
    experiments = len({trial.spec.name for trial in planned})
    err.print(f"{counted(len(planned), 'trial')} of {counted(experiments, 'experiment')}")
    from flows import logs, temporary_server, watchdog
    from flows.environment import prepare

    prepare(workspace, quiet=True)
    watchdog.watch()
    logs.to_terminal(debug=debugging())
    temporary_server.begin()
    from flows.pipeline import benchmark_flow

    temporary_server.await_ready()
    rows = benchmark_flow(
        list(request.names),
        trials,
        protocol,
        list(wanted),
        request.data,
        request.workspace,
        workers,
        str(results) if results else None,
        runner.value,
        dask_address,
        known=request.known,
    )
    if json_file is not None:
        import json

        from flows.workspace import write_atomically

        write_atomically(json_file, json.dumps({"rows": rows}, indent=2) + "\n")
    _print(rows)
    out.print(f"Results  {folder / 'results.md'}  {folder / 'results.html'}", soft_wrap=True)


def search(
    names: Annotated[list[str] | None, typer.Argument(help="Searches; all if none is named.")] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            "--data", help="HyperGCN's data folder \\[default: HNN_DATA/hypergcn].", exists=True, file_okay=False
        ),
    ] = None,
    workers: Annotated[int, typer.Option("--workers", min=0, help="Candidates side by side; 0 = cores.")] = 0,
    runner: Annotated[RunnerName, typer.Option("--runner", help="Where candidates are tried.")] = RunnerName.LOCAL,
    dask_address: Annotated[str, typer.Option("--dask-address", help="Scheduler; none = a local cluster.")] = "",
) -> None:
    """Choose HNN's hyperparameters on validation data; candidates in the record are not tried again."""
    from flows import search as searches
    from flows import watchdog
    from flows.config import ExecutionConfig

    watchdog.watch()
    execution = ExecutionConfig(workers=workers, runner=runner.value, dask_address=dask_address)
    for path in searches.choose(names or ()):
        for outcome in searches.run(path, data, execution):
            out.print(str(outcome), markup=False, soft_wrap=True)
        out.print(f"Record  {path.with_suffix('.record.json')}", soft_wrap=True)


def _print(rows: list[dict[str, Any]]) -> None:
    """A table for each experiment, protocol and metric: models down, data sets across, the paper in brackets."""
    from rich.table import Table

    for experiment, protocol, metric in dict.fromkeys((r["experiment"], r["protocol"], r["metric"]) for r in rows):
        mine = [r for r in rows if (r["experiment"], r["protocol"], r["metric"]) == (experiment, protocol, metric)]
        datasets = list(dict.fromkeys(row["dataset"] for row in mine))
        out.print(f"{experiment}, {protocol}, {metric} (paper)", style="table.title")  # a table would wrap it
        table = Table(box=None, pad_edge=False)
        table.add_column("model", no_wrap=True)
        for dataset in datasets:
            table.add_column(dataset, justify="right")
        for model in dict.fromkeys(row["model"] for row in mine):
            cells = {row["dataset"]: _cell(row) for row in mine if row["model"] == model}
            table.add_row(model, *(cells.get(dataset, "") for dataset in datasets))
        out.print(table)


def _cell(row: dict[str, Any]) -> str:
    published = "" if row["paper"] is None else f" ({row['paper']:.3f})"
    return f"{row['mean']:.3f}{published}"
