"""The real thing: a Prefect server and a worker on loopback, deployments from prefect.yaml, a schedule that fires."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
from loopback import PrefectServer, free_port, private_environment, server
from pipeline_project import ROOT, SMALL

pytestmark = [pytest.mark.server, pytest.mark.slow, pytest.mark.timeout(900)]
ENDLESS = "train.epochs=1000000"


class Site:
    """A project folder as the README's "Run it every night" leaves it, with its own server and worker."""

    def __init__(self, base: Path) -> None:
        self.base, self.folder, self.port = base, base / "hnn", free_port()
        self.api = f"http://127.0.0.1:{self.port}/api"
        self.home = private_environment(base / "home")
        self.environment = {
            **self.home,
            "PREFECT_API_URL": self.api,
            "PREFECT_FLOWS_HEARTBEAT_FREQUENCY": "30",
            "PREFECT_WORKER_QUERY_SECONDS": "1",  # the worker looks for work as soon as there is some
            "PWD": str(self.folder),
        }
        self._server = ExitStack()
        self._worker: psutil.Popen | None = None
        self._asked = 0.0  # when a run was asked for by hand

    def start_server(self) -> None:
        command = [sys.executable, "-m", "prefect", "server", "start", "--host", "127.0.0.1", "--port", str(self.port)]
        self._server.enter_context(server(command, f"{self.api}/health", self.home, self.base / "server.log"))

    def stop_server(self) -> None:
        self._server.close()

    def start_worker(self) -> None:
        with (self.base / "worker.log").open("ab") as log:
            command = [sys.executable, "-m", "prefect", "worker", "start", "--pool", "hnn", "--type", "process"]
            self._worker = psutil.Popen(command, cwd=self.folder, env=self.environment, stdout=log, stderr=log)

    def kill_runs(self) -> None:
        """What the worker has started, all at once."""
        assert self._worker is not None
        for process in self._worker.children(recursive=True):
            process.kill()

    def kill_worker_and_runs(self) -> None:
        """SIGKILL also at the end: an idle worker has been seen to ignore SIGTERM."""
        if self._worker is None or not self._worker.is_running():
            return
        family = self._worker.children(recursive=True)
        self._worker.kill()
        self._worker.wait()
        for process in family:
            with suppress(psutil.NoSuchProcess):
                process.kill()

    def prefect(self, *arguments: str) -> str:
        command = [sys.executable, "-m", "prefect", *arguments]
        result = subprocess.run(
            command, cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=400
        )
        assert result.returncode == 0, f"{arguments}\n{result.stdout}\n{result.stderr}"
        return result.stdout

    def post(self, path: str, **body: Any) -> Any:
        return self._answer(path, json.dumps(body).encode())

    def _answer(self, path: str, body: bytes | None = None, method: str | None = None) -> Any:
        """Asked again while the server's database is busy, as Prefect's own client would."""
        kind = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.api}/{path}", body, kind, method=method)
        deadline = time.monotonic() + 120
        while True:
            try:
                with urllib.request.urlopen(request, timeout=120) as answer:
                    return json.loads(answer.read() or "null")
            except urllib.error.HTTPError as error:
                if error.code != 503 or time.monotonic() > deadline:
                    raise
                time.sleep(0.5)

    def schedule(self, deployment: str, cron: str) -> None:
        """As `prefect deployment schedule create` does."""
        known = self._answer(f"deployments/name/{deployment}")["id"]
        body = json.dumps([{"schedule": {"cron": cron}, "active": True}])
        assert self._answer(f"deployments/{known}/schedules", body.encode())

    def clear_schedules(self, deployment: str) -> None:
        """As `prefect deployment schedule clear` does."""
        known = self._answer(f"deployments/name/{deployment}")
        for schedule in known["schedules"]:
            self._answer(f"deployments/{known['id']}/schedules/{schedule['id']}", method="DELETE")

    def runs_of(self, deployment: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.post(
            "flow_runs/filter", deployments={"name": {"any_": [deployment]}}, sort="EXPECTED_START_TIME_ASC"
        )
        return found

    def start(self, deployment: str, **parameters: Any) -> str:
        """Ask for a run by hand, as `prefect deployment run` does; its id."""
        known = self._answer(f"deployments/name/{deployment}")["id"]
        self._asked = time.time()
        scheduled = {"type": "SCHEDULED", "message": "asked for by a test"}
        return str(self.post(f"deployments/{known}/create_flow_run", parameters=parameters, state=scheduled)["id"])

    def await_state(self, run: str, wanted: str, seconds: float = 400) -> dict[str, Any]:
        deadline = time.monotonic() + seconds
        seen: dict[str, Any] = {}
        while time.monotonic() < deadline:
            (seen,) = self.post("flow_runs/filter", flow_runs={"id": {"any_": [run]}})
            if seen["state_type"] == wanted:
                return seen
            assert seen["state_type"] not in ("COMPLETED", "FAILED"), seen["state"]
            time.sleep(0.5)
        raise AssertionError(seen["state"])

    def await_training(self) -> None:
        """The run that was asked for trains: its draft is younger than those of runs that were killed before."""
        deadline = time.monotonic() + 300
        drafts = self.folder / "workspace" / "stages" / "train"
        while True:
            with suppress(FileNotFoundError):  # an old draft is removed
                if any(draft.stat().st_mtime > self._asked for draft in drafts.glob(".writing-*")):
                    return
            assert time.monotonic() < deadline, (self.base / "worker.log").read_text()[-2000:]
            time.sleep(0.05)

    def await_heartbeat(self, run: str) -> None:
        deadline = time.monotonic() + 120
        heartbeats = {
            "event": {"name": ["prefect.flow-run.heartbeat"]},
            "resource": {"id": [f"prefect.flow-run.{run}"]},
        }
        while not self.post("events/filter", filter=heartbeats)["total"]:
            assert time.monotonic() < deadline, "the run sends no heartbeats"
            time.sleep(1)

    def await_running(self, deployment: str) -> None:
        deadline = time.monotonic() + 400
        while not any(run["state_type"] in ("RUNNING", "COMPLETED") for run in self.runs_of(deployment)):
            assert time.monotonic() < deadline, (self.base / "worker.log").read_text()[-2000:]
            time.sleep(0.5)

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
def site(tmp_path_factory: pytest.TempPathFactory, prefect_server: PrefectServer) -> Iterator[Site]:
    site = Site(tmp_path_factory.mktemp("nightly"))
    prefect_server.give_database(Path(site.home["PREFECT_HOME"]))
    site.folder.mkdir()
    for name in ("flows", "extractors", "hnn_core", "experiments", "prefect.yaml"):
        (site.folder / name).symlink_to(ROOT / name)
    (site.folder / "hnn.toml").write_text(f'{SMALL}\n[notify]\ncommand = "cp /dev/stdin told.json"\n')
    try:
        site.start_server()
        site.prefect("work-pool", "create", "hnn", "--type", "process")
        site.prefect("--no-prompt", "deploy", "--all")
        site.start_worker()
        yield site
    finally:
        site.kill_worker_and_runs()
        site.stop_server()


def test_a_schedule_fires_and_its_run_completes(site: Site) -> None:
    site.schedule("hnn-pipeline/nightly", "* * * * *")
    site.await_running("nightly")  # and no more of them, should the machine take longer than a minute
    site.clear_schedules("hnn-pipeline/nightly")
    run = site.await_completed("nightly")
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


def test_a_run_killed_under_its_worker_is_crashed_and_somebody_is_told(site: Site) -> None:
    run = site.start("hnn-stage/stage", stage="train", settings=[ENDLESS])
    site.await_training()
    site.kill_runs()
    site.await_state(run, "CRASHED")
    deadline = time.monotonic() + 200
    while not (site.folder / "told.json").exists() and time.monotonic() < deadline:
        time.sleep(0.2)
    told = json.loads((site.folder / "told.json").read_text())
    assert (told["run"], told["state"], told["id"]) == ("stage train in workspace", "crashed", run)


def test_a_server_restarted_under_a_run_does_not_disturb_it(site: Site) -> None:
    run = site.start("hnn-stage/stage", stage="train", settings=["train.epochs=4"])
    site.await_training()
    site.stop_server()
    site.start_server()
    site.await_state(run, "COMPLETED")
    artifacts = site.post("artifacts/filter", flow_runs={"id": {"any_": [run]}})
    assert {"hnn-stages", "hnn-metrics", "hnn-links"} <= {artifact["key"] for artifact in artifacts}


def test_worker_and_run_killed_together_are_noticed_and_the_next_run_goes_on(site: Site) -> None:
    """The last test of the site: on a busy machine the short silence would end the runs of the others too."""
    # Heartbeats come every 30 s, Prefect allows no less; here two thirds of a minute of silence are enough.
    heartbeat = (ROOT / "deploy" / "heartbeat.yaml").read_text()
    (site.folder / "heartbeat.yaml").write_text(heartbeat.replace("within: 90", "within: 40"))
    site.prefect("automation", "create", "--from-file", "heartbeat.yaml")
    killed = site.start("hnn-pipeline/nightly", settings=[ENDLESS])
    site.await_training()
    site.await_heartbeat(killed)
    site.kill_worker_and_runs()
    site.start_worker()
    waiting = site.start("hnn-pipeline/nightly")
    # Nobody is left to say that the run is gone, and it holds the only place: the heartbeat automation ends that.
    state = site.await_state(killed, "CRASHED")["state"]
    assert "No heartbeat" in state["message"]
    done = site.await_state(waiting, "COMPLETED")
    told = json.loads((site.folder / "told.json").read_text())
    assert (told["run"], told["state"]) == ("nightly in workspace", "crashed"), "nobody else was left to tell of it"
    assert "found by the run after it" in told["message"]
    tasks = site.post("task_runs/filter", flow_runs={"id": {"any_": [done["id"]]}})
    assert {task["state_name"] for task in tasks} == {"Cached"}, "the night's results were there and are used again"
