"""`hnn benchmark` on a tiny data set: rows beside the paper, resumable after a kill, every trial in MLflow."""

from __future__ import annotations

import json
import os
import signal
import time
from dataclasses import replace
from pathlib import Path

import mlflow
import pytest
from pipeline_project import Project
from warm import WarmRuns, said

from flows import benchmark, search
from flows.config import ExecutionConfig
from flows.errors import HnnError, UsageError
from flows.trials import TrialStore
from flows.workspace import Workspace
from hnn_core.experiment import TrialResult, trial_key
from hnn_core.search import run_search

COMMAND = ("benchmark", "hyperedge-prediction", "--datasets", "cora-cc", "--protocol", "transductive", "--trials", "1")


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_killed_benchmark_goes_on_where_it_was(tiny: Path, tmp_path: Path, prefect_api: str, warm: WarmRuns) -> None:
    project = Project(tmp_path / "project", prefect_api=prefect_api, warm=warm)
    arguments = (*COMMAND, "--data", str(tiny), "--json", "rows.json", "--workers", "1")
    trials = project.workspace / "benchmark" / "trials"
    process = warm.start(project.folder, *arguments)
    deadline = time.monotonic() + 300
    while not list(trials.glob("*.json")):
        assert time.monotonic() < deadline, said(project.folder, process)
        time.sleep(0.01)
    os.kill(process, signal.SIGKILL)
    warm.wait(process)
    finished = {path: path.stat().st_mtime_ns for path in trials.glob("*.json")}
    assert finished
    project.hnn(*arguments)
    assert {path: path.stat().st_mtime_ns for path in finished} == finished

    rows = json.loads((project.folder / "rows.json").read_text())["rows"]
    assert {"experiment", "dataset", "model", "protocol", "metric", "mean", "std", "trials", "paper"} == set(rows[0])
    (hnn,) = [row for row in rows if row["model"] == "HNN"]
    assert (hnn["trials"], hnn["paper"]) == (1, 0.934)
    assert len(list(trials.glob("*.json"))) == len(rows)
    results = project.workspace / "benchmark" / "results.md"
    assert "0.934" in results.read_text()

    client = mlflow.MlflowClient(f"sqlite:///{project.workspace}/mlflow/mlflow.db")
    experiment = client.get_experiment_by_name("hnn")
    assert experiment is not None
    runs = client.search_runs([experiment.experiment_id])
    nested = [run for run in runs if "hnn.trial" in run.data.tags]
    assert len({run.data.tags["hnn.trial"] for run in nested}) == len(rows)
    assert client.get_metric_history(nested[0].info.run_id, "curve_loss")


def test_absent_data_is_answered_with_where_to_get_it(tmp_path: Path) -> None:
    request = benchmark.BenchmarkRequest(names=("hyperedge-prediction",), data=str(tmp_path))
    with pytest.raises(HnnError, match=r"malllabiisc/HyperGCN(.|\n)*--data FOLDER"):
        benchmark.plan(request)


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (benchmark.BenchmarkRequest(names=("hyperedge-predicton",)), "Did you mean 'hyperedge-prediction'"),
        (benchmark.BenchmarkRequest(datasets=("cora",)), "unknown data set 'cora'"),
        (benchmark.BenchmarkRequest(protocol="inductiv"), "unknown protocol 'inductiv'"),
    ],
)
def test_a_wrong_name_is_named(request_: benchmark.BenchmarkRequest, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        benchmark.plan(request_)


def test_finished_trials_are_rendered_without_running_any(tmp_path: Path) -> None:
    """Needs no data: the figures are those of the store, and what was not run is said."""
    request = benchmark.BenchmarkRequest(names=("hyperedge-prediction",), workspace=str(tmp_path))
    with pytest.raises(HnnError, match="no finished trial"):
        benchmark.stored(request)
    (spec,) = benchmark.choose(request.names)
    for number, auc in enumerate((0.96, 0.98)):
        key = trial_key(spec, "cora-cc", "HNN", "transductive", number)
        settings = spec.settings_of("HNN", "cora-cc", "transductive")
        cell = {"experiment": spec.name, "dataset": "cora-cc", "model": "HNN", "protocol": "transductive"}
        TrialStore(Workspace(tmp_path)).put(
            TrialResult(
                **cell,
                trial=number,
                key=key,
                metrics={"auc": auc},
                curve=(),
                seconds=1,
                features="given",
                settings=settings,
            )
        )
    found = benchmark.stored(request)
    assert [(row["model"], row["mean"], row["trials"]) for row in found.rows()] == [("HNN", pytest.approx(0.97), 2)]
    benchmark.write(found, tmp_path / "out")
    assert "0.970 ± 0.014 (paper 0.934, +0.036), 2 trials" in (tmp_path / "out" / "results.md").read_text("utf-8")

    elsewhere = replace(request, workspace=str(tmp_path / "elsewhere"), known=str(tmp_path / "out" / "trials.jsonl"))
    assert benchmark.stored(elsewhere).rows() == found.rows(), "an archive answers for a workspace that has no trial"
    with pytest.raises(HnnError, match=r"results\.md: expected the trials\.jsonl"):
        benchmark.stored(replace(request, known=str(tmp_path / "out" / "results.md")))


@pytest.mark.slow
def test_a_search_on_two_workers_leaves_the_record_of_one_process(tiny: Path, tmp_path: Path) -> None:
    folder = tmp_path / "search"
    folder.mkdir()
    (folder / "small.yaml").write_text(
        "name: small\ntask: hyperedge-prediction\nprotocol: inductive\nmodel: hnn\ndatasets: [cora-cc]\n"
        "trials: [0]\nsettings: {training: {epochs: 2}}\n"
        "candidates: [{options: {widths: [4]}}, {options: {widths: [8]}}]\n"
    )
    (path,) = search.choose(("small",), tmp_path)
    assert len(list(search.run(path, tiny, ExecutionConfig(workers=2)))) == 2
    record = path.with_suffix(".record.json")
    spread = record.read_text("utf-8")
    assert not list(search.run(path, tiny, ExecutionConfig(workers=2))), "nothing is tried twice"
    record.unlink()
    assert len(list(run_search(path, tiny))) == 2
    assert record.read_text("utf-8") == spread
    with pytest.raises(UsageError, match="Did you mean 'small'"):
        search.choose(("smal",), tmp_path)
