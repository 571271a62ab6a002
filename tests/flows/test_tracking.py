"""Tracking: nothing is lost when MLflow is away, nothing is sent twice, everything leads back to its inputs."""

from __future__ import annotations

import shutil
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import mlflow
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from flows import environment, runs, tracking, tracking_server
from flows.config import Config
from flows.errors import HnnError
from flows.execution import execute
from flows.planning import decide
from flows.progress import Silent
from flows.runs import Run
from flows.stage import Context, Stage
from flows.system_metrics import SystemSampler
from flows.workspace import Workspace


def train(context: Context) -> Mapping[str, Any]:
    head = {"variant": ["hnn", "p2"], "protocol": ["inductive"] * 2}
    pq.write_table(pa.table({**head, "metric": ["auc"] * 2, "value": [0.9, 0.8]}), context.out / "metrics.parquet")
    curve = {"variant": ["hnn"] * 1500, "protocol": ["inductive"] * 1500, "epoch": list(range(1500))}
    table = pa.table({**curve, "metric": ["loss"] * 1500, "value": [1 / (n + 1) for n in range(1500)]})
    pq.write_table(table, context.out / "curves.parquet")
    (context.out / "report.html").write_text("<p>hello")
    return {"metrics": {"auc": 0.9, "hr_at_10": 0.5}, "artifacts": ["report.html"]}


TRAIN = Stage("train", 1, (), ("metrics.parquet", "curves.parquet", "report.html"), train, outside=lambda _: "abc" * 20)


@pytest.fixture(scope="module")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """MLflow's tables, made once (its migrations are the slow part of every test here), after a run that was killed."""
    path = tmp_path_factory.mktemp("mlflow") / "mlflow.db"
    path.with_name(".new-4711-mlflow.db").write_bytes(b"SQLite format 3\0 and no more")
    tracking_server.create_database(path)
    return path


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, empty_database: Path) -> Workspace:
    place = Workspace(tmp_path / "ws ü")
    (place.root / "mlflow").mkdir(parents=True)
    shutil.copy(empty_database, place.root / "mlflow" / "mlflow.db")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", environment.default_tracking_uri(place.root))
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    return place


def run_once(workspace: Workspace) -> Run:
    config = Config()
    record = runs.start("hnn run", config.public(), config.digest())
    outcome = execute(workspace, decide(workspace, TRAIN, config, {}, force=True), config, {}, Silent())
    record.add(outcome)
    record.status, record.seconds = "completed", 1.5
    runs.save(workspace, record)
    return record


def sent(workspace: Workspace) -> list[Any]:
    client = mlflow.MlflowClient(environment.default_tracking_uri(workspace.root))
    experiment = client.get_experiment_by_name("hnn")
    return list(client.search_runs([experiment.experiment_id])) if experiment else []


def test_a_run_leads_back_to_its_configuration_keys_and_inputs(workspace: Workspace) -> None:
    record = run_once(workspace)
    tracking.sync(workspace)
    (parent,) = [run for run in sent(workspace) if "mlflow.parentRunId" not in run.data.tags]
    assert parent.info.status == "FINISHED"
    assert parent.data.metrics["auc"] == 0.9
    assert parent.data.metrics["hr_at_10"] == 0.5
    assert parent.data.params["train.epochs"] == "60"
    assert parent.data.tags["stage.train.key"] == record.stages[0]["key"]
    assert parent.data.tags["hnn.config_hash"] == record.config_hash
    assert parent.data.tags["version.torch"].startswith("2.")
    (dataset,) = parent.inputs.dataset_inputs
    assert dataset.dataset.digest == ("abc" * 20)[:36]
    client = mlflow.MlflowClient()
    assert {file.path for file in client.list_artifacts(parent.info.run_id)} == {
        *("report.html", "config.json", "manifests")
    }


def test_each_variant_is_a_nested_run_with_its_whole_curve(workspace: Workspace) -> None:
    run_once(workspace)
    tracking.sync(workspace)
    nested = {run.data.params["variant"]: run for run in sent(workspace) if "mlflow.parentRunId" in run.data.tags}
    assert {name: run.data.metrics["auc"] for name, run in nested.items()} == {"hnn": 0.9, "p2": 0.8}
    history = mlflow.MlflowClient().get_metric_history(nested["hnn"].info.run_id, "curve_loss")
    assert [point.step for point in history] == list(range(1500))


def test_syncing_again_sends_nothing_twice(workspace: Workspace) -> None:
    run_once(workspace)
    tracking.sync(workspace)
    before = len(sent(workspace))
    tracking.sync(workspace)
    assert len(sent(workspace)) == before


@pytest.mark.parametrize("fails_in", ["create_run", "log_batch", "log_artifact", "set_terminated"])
def test_a_server_that_goes_away_loses_nothing(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, fails_in: str
) -> None:
    run_once(workspace)

    def away(*_: object, **__: object) -> None:
        raise mlflow.exceptions.MlflowException("Connection refused")

    with monkeypatch.context() as broken:
        broken.setattr(mlflow.MlflowClient, fails_in, away)
        tracking.sync(workspace)
    assert "sent with the next run" in caplog.text
    tracking.sync(workspace)
    parents = [run for run in sent(workspace) if "mlflow.parentRunId" not in run.data.tags]
    complete = [run for run in parents if run.info.status == "FINISHED" and "auc" in run.data.metrics]
    assert len(complete) == 1
    assert complete[0].data.params["train.epochs"] == "60"
    assert runs.load_all(workspace)[0].tracking["complete"]


def test_system_metrics_wait_for_an_absent_server_and_are_sent_once(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = run_once(workspace)
    file = workspace.runs / f"{record.id}.system.jsonl"
    with SystemSampler(file, workspace.root, interval=0.05):
        time.sleep(0.2)
        with monkeypatch.context() as gone:
            gone.setenv("MLFLOW_TRACKING_URI", "http://127.0.0.1:9")
            started = time.monotonic()
            tracking.sync(workspace)
            assert time.monotonic() - started < 5, "an absent server does not hold a run up"
    with file.open("a") as stream:
        stream.write('{"time": 17')  # a kill in mid-line
    taken = len(file.read_text().splitlines()) - 1
    tracking.sync(workspace)
    tracking.sync(workspace)
    (parent,) = [run for run in sent(workspace) if "mlflow.parentRunId" not in run.data.tags]
    history = mlflow.MlflowClient().get_metric_history(parent.info.run_id, "system/cpu_utilization_percentage")
    assert [point.step for point in history] == list(range(taken))
    assert taken >= 3
    assert not file.exists()


def test_two_who_make_the_database_at_once_make_one(tmp_path: Path) -> None:
    path = tmp_path / "mlflow" / "mlflow.db"
    with ThreadPoolExecutor(2) as both:
        list(both.map(tracking_server.create_database, [path, path]))
    assert [file.name for file in path.parent.iterdir()] == ["mlflow.db"]
    assert mlflow.MlflowClient(f"sqlite:///{path}").search_experiments()


def test_a_kill_while_the_database_is_made_leaves_none(empty_database: Path) -> None:
    assert [path.name for path in empty_database.parent.iterdir()] == ["mlflow.db"], "half a database was left there"
    assert mlflow.MlflowClient(f"sqlite:///{empty_database}").get_experiment("0").name == "Default"


def test_a_server_that_is_down_is_found_before_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://127.0.0.1:9")
    with pytest.raises(HnnError, match="the tracking server does not answer"):
        tracking_server.check()
