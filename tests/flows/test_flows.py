"""What Prefect adds to a run: retries where they can help, timeouts, names, hooks; and deployments that use them."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
import yaml
from pipeline_project import ROOT
from prefect.client.schemas.objects import FlowRun, TaskRun
from prefect.settings import PREFECT_API_URL, PREFECT_LOGGING_TO_API_ENABLED, temporary_settings
from prefect.states import Crashed, Failed

from flows import pipeline as flows
from flows import runs
from flows.config import Config, load
from flows.dag import NAMES, STAGES, stage_named
from flows.errors import HnnError, LastingError
from flows.running import PipelineRun, Request
from flows.stage import Context
from flows.workspace import Workspace


def test_only_fetching_is_tried_again_and_every_stage_has_a_time_limit() -> None:
    assert [stage.name for stage in STAGES if stage.retries] == ["scrape"]
    for name in NAMES:
        task = flows._stage_task(name)
        assert task.timeout_seconds == stage_named(name).timeout_seconds > 0
        assert task.retries == stage_named(name).retries
        assert task.name == task.task_run_name == name
    assert flows._stage_task("scrape").retry_delay_seconds == [10.0, 60.0], "with back-off"


@pytest.mark.parametrize(
    ("stage", "source", "again"),
    [
        ("scrape", "https://acme.example/news.html", True),
        ("scrape", "sample", False),
        ("scrape", "no/such/folder", False),
        ("extract", "https://acme.example/news.html", False),
    ],
)
def test_a_second_try_is_for_the_web(
    stage: str, source: str, again: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = load(None, {}, [f"scrape.source={source}"])
    record = runs.start("hnn run", config.public(), config.digest())
    monkeypatch.setattr(flows, "_RUN", PipelineRun(Workspace(tmp_path), config, Request(), record))
    task, run = flows._stage_task(stage), TaskRun(task_key="key", dynamic_key="0", run_count=1)
    assert flows._second_try_can_help(task, run, Failed(data=HnnError("it did not answer"))) is again
    assert not flows._second_try_can_help(task, run, Failed(data=LastingError("robots.txt forbids it")))


def test_deployments_name_flows_that_tell_how_they_ended() -> None:
    deployments = {d["name"]: d for d in yaml.safe_load((ROOT / "prefect.yaml").read_text())["deployments"]}
    assert set(deployments) == {"nightly", "stage", "paper"}
    assert [name for name, d in deployments.items() if d.get("schedules")] == ["nightly", "paper"]
    for deployment in deployments.values():
        assert deployment["concurrency_limit"] == 1
        assert deployment["parameters"]["wait"], "another deployment on the same workspace is waited for"
        file, _, name = deployment["entrypoint"].partition(":")
        flow = getattr(import_module(file.removesuffix(".py").replace("/", ".")), name)
        assert set(deployment["parameters"]) <= set(flow.parameters.properties)
        for hooks in (flow.on_completion_hooks, flow.on_failure_hooks, flow.on_crashed_hooks):
            assert [hook.__name__ for hook in hooks] == ["tell"]


def test_a_crash_is_told_under_the_name_of_what_ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hnn.toml").write_text('[notify]\ncommand = "cp /dev/stdin told.json"\n')
    run = FlowRun(flow_id=uuid4(), name="elegant-owl", parameters={"command": "nightly", "wait": True})
    with temporary_settings({PREFECT_LOGGING_TO_API_ENABLED: False}):
        flows.tell(flows.pipeline, run, Crashed(message="exit code -9"))
    told = json.loads((tmp_path / "told.json").read_text())
    assert told["run"] == "nightly in workspace"
    assert (told["state"], told["message"], told["id"]) == ("crashed", "exit code -9", str(run.id))


@pytest.mark.server
@pytest.mark.timeout(600, method="thread")  # Prefect interrupts a stage with the signal that pytest would use
def test_a_stage_that_takes_too_long_fails_the_run_which_is_told_and_shown(
    prefect_api: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hang(context: Context) -> Mapping[str, Any]:
        (context.out / "documents.parquet").write_text("half")
        time.sleep(60)
        return {}

    monkeypatch.setattr(flows, "stage_named", lambda name: replace(stage_named(name), timeout_seconds=1))
    monkeypatch.setattr("flows.running.stage_named", lambda name: replace(stage_named(name), run=hang))
    monkeypatch.setattr("flows.tracking.monitored", lambda *_: open(os.devnull))  # noqa: PTH123, SIM115
    monkeypatch.setattr("flows.tracking.sync", lambda *_: None)
    monkeypatch.chdir(tmp_path)
    for name in ("PREFECT_HOME", "MLFLOW_TRACKING_URI"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "hnn.toml").write_text('[notify]\ncommand = "cp /dev/stdin told.json"\n')
    settings = {PREFECT_API_URL: prefect_api, PREFECT_LOGGING_TO_API_ENABLED: False}
    with temporary_settings(settings), pytest.raises(Exception, match="time"):
        flows.pipeline(settings=["scrape.source=sample:emails=3"], command="nightly")
    told = json.loads((tmp_path / "told.json").read_text())
    assert (told["run"], told["state"]) == ("nightly in workspace", "failed")
    workspace = Workspace(tmp_path / "workspace")
    assert workspace.current("scrape") is None
    assert not list(workspace.stages.glob("*/.*"))
    (record,) = runs.load_all(workspace)
    assert record.status == "failed"
    answer = httpx.post(f"{prefect_api}/artifacts/filter", json={"flow_runs": {"id": {"any_": [told["id"]]}}})
    assert {artifact["key"] for artifact in answer.json()} == {"hnn-stages", "hnn-metrics", "hnn-links"}


def test_the_configuration_of_a_run_has_no_place_for_hooks_in_its_keys() -> None:
    quiet, loud = Config(), load(None, {}, ["notify.command=true"])
    assert all(stage.parameters(quiet) == stage.parameters(loud) for stage in STAGES)
