"""The real thing: a Prefect server and a worker on loopback, deployments from prefect.yaml, a schedule that fires."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from loopback import free_port, private_environment, server
from pipeline_project import ROOT, SMALL

pytestmark = [pytest.mark.server, pytest.mark.slow, pytest.mark.timeout(900)]


class Site:
    """A project folder as the README's "Run it every night" leaves it, with its own server and worker."""

    def __init__(self, folder: Path, api: str, environment: dict[str, str]) -> None:
        self.folder, self.api = folder, api
        self.environment = {**environment, "PREFECT_API_URL": api, "PWD": str(folder)}

    def prefect(self, *arguments: str) -> str:
        command = [sys.executable, "-m", "prefect", *arguments]
        result = subprocess.run(
            command, cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=400
        )
        assert result.returncode == 0, f"{arguments}\n{result.stdout}\n{result.stderr}"
        return result.stdout

    def post(self, path: str, **body: Any) -> Any:
        request = urllib.request.Request(
            f"{self.api}/{path}", json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def runs_of(self, deployment: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.post(
            "flow_runs/filter", deployments={"name": {"any_": [deployment]}}, sort="EXPECTED_START_TIME_ASC"
        )
        return found

    def await_completed(self, deployment: str, seconds: float = 400) -> dict[str, Any]:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            for run in self.runs_of(deployment):
                assert run["state_type"] not in ("FAILED", "CRASHED"), run["state"]
                if run["state_type"] == "COMPLETED":
                    return run
            time.sleep(1)
        raise AssertionError([(run["name"], run["state_name"]) for run in self.runs_of(deployment)])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    base = tmp_path_factory.mktemp("nightly")
    folder = base / "hnn"
    folder.mkdir()
    for name in ("flows", "extractors", "hnn_core", "experiments", "deploy", "prefect.yaml"):
        (folder / name).symlink_to(ROOT / name)
    (folder / "hnn.toml").write_text(SMALL)
    environment = private_environment(base / "home")
    port = free_port()
    command = [sys.executable, "-m", "prefect", "server", "start", "--host", "127.0.0.1", "--port", str(port)]
    api = f"http://127.0.0.1:{port}/api"
    with server(command, f"{api}/health", environment, base / "server.log"):
        site = Site(folder, api, environment)
        site.prefect("work-pool", "create", "hnn", "--type", "process")
        site.prefect("--no-prompt", "deploy", "--all")
        site.prefect("automation", "create", "--from-file", "deploy/heartbeat.yaml")
        log = (base / "worker.log").open("wb")
        worker = subprocess.Popen(
            [sys.executable, "-m", "prefect", "worker", "start", "--pool", "hnn", "--type", "process"],
            cwd=folder,
            env=site.environment,
            stdout=log,
            stderr=log,
        )
        try:
            yield site
        finally:
            worker.kill()  # an idle worker has been seen to ignore SIGTERM
            worker.wait()
            log.close()


def test_a_schedule_fires_and_its_run_completes(site: Site) -> None:
    site.prefect("deployment", "schedule", "create", "hnn-pipeline/nightly", "--cron", "* * * * *")
    run = site.await_completed("nightly")
    site.prefect("deployment", "schedule", "clear", "--accept-yes", "hnn-pipeline/nightly")
    assert run["auto_scheduled"]
    assert run["name"] == "nightly in workspace"
    states = site.post("task_runs/filter", flow_runs={"id": {"any_": [run["id"]]}})
    assert {task["name"] for task in states} == {
        *("scrape", "extract", "hypergraph", "features", "train", "recommend", "report")
    }
    assert {task["state_type"] for task in states} == {"COMPLETED"}
    artifacts = site.post("artifacts/filter", flow_runs={"id": {"any_": [run["id"]]}})
    assert {"hnn-stages", "hnn-metrics", "hnn-links"} <= {artifact["key"] for artifact in artifacts}
    (metrics,) = [a for a in artifacts if a["key"] == "hnn-metrics"]
    assert "auc" in metrics["data"]


def test_the_metrics_are_in_mlflow(site: Site) -> None:
    import mlflow

    site.await_completed("nightly")
    client = mlflow.MlflowClient(f"sqlite:///{site.folder}/workspace/mlflow/mlflow.db")
    experiment = client.get_experiment_by_name("hnn")
    assert experiment is not None
    runs = client.search_runs([experiment.experiment_id])
    parents = [run for run in runs if "mlflow.parentRunId" not in run.data.tags]
    assert any({"auc", "hr_at_10"} <= set(run.data.metrics) for run in parents)
    nested = [run for run in runs if "mlflow.parentRunId" in run.data.tags]
    assert {run.data.params["variant"] for run in nested} == {"hnn", "p2"}
    assert client.get_metric_history(nested[0].info.run_id, "curve_loss")


def test_a_single_stage_runs_by_hand_and_says_cached_where_nothing_was_run(site: Site) -> None:
    site.await_completed("nightly")
    site.prefect("deployment", "run", "hnn-stage/stage", "-p", "stage=hypergraph", "--watch")
    run = site.await_completed("stage")
    (task,) = site.post("task_runs/filter", flow_runs={"id": {"any_": [run["id"]]}})
    assert (task["name"], task["state_name"], task["state_type"]) == ("hypergraph", "Cached", "COMPLETED")


def test_the_heartbeat_automation_is_in_force(site: Site) -> None:
    (automation,) = site.post("automations/filter")
    assert automation["enabled"]
    assert automation["trigger"]["within"] == 90
    assert automation["actions"][0]["state"] == "CRASHED"
