"""`hnn benchmark` on a tiny data set: rows beside the paper, resumable after a kill, every trial in MLflow."""

from __future__ import annotations

import json
import os
import pickle
import signal
import time
from pathlib import Path

import mlflow
import numpy as np
import pytest
from pipeline_project import Project
from scipy import sparse

from flows import benchmark
from flows.errors import HnnError, UsageError

COMMAND = ("benchmark", "hyperedge-prediction", "--datasets", "cora-cc", "--protocol", "transductive", "--trials", "1")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two communities of twenty nodes in the layout of HyperGCN's data, under the name of Cora."""
    rng = np.random.default_rng(0)
    folder = tmp_path_factory.mktemp("data") / "hypergcn" / "cocitation" / "cora"
    (folder / "splits").mkdir(parents=True)
    hyperedges = {}
    for number in range(30):
        members = rng.choice(20, size=4, replace=False) + 20 * (number % 2)
        hyperedges[number] = {int(node) for node in members}
    features = sparse.csr_matrix(rng.random((40, 8)) < 0.3, dtype=np.float64)
    splits = {"train": list(range(0, 40, 4)), "test": [node for node in range(40) if node % 4]}
    for name, content in (
        ("hypergraph", hyperedges),
        ("labels", [int(node >= 20) for node in range(40)]),
        ("features", features),
    ):
        (folder / f"{name}.pickle").write_bytes(pickle.dumps(content))
    for number in range(1, 11):
        (folder / "splits" / f"{number}.pickle").write_bytes(pickle.dumps(splits))
    return folder.parent.parent


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_killed_benchmark_goes_on_where_it_was(tiny: Path, tmp_path: Path, prefect_api: str) -> None:
    project = Project(tmp_path / "project", prefect_api=prefect_api)
    arguments = (*COMMAND, "--data", str(tiny), "--json", "rows.json", "--workers", "1")
    trials = project.workspace / "benchmark" / "trials"
    process = project.start(*arguments)
    while not list(trials.glob("*.json")):
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
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
