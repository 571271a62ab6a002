"""MLflow's dashboard in a real browser: the runs, the curves and the report are on screen."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from chromium import Chromium, Page, executable
from loopback import free_port, private_environment, server
from pipeline_project import Finished

from flows.ui import mlflow_command

pytestmark = [
    pytest.mark.server,
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(executable() is None, reason="chromium is not installed"),
]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory, finished: Finished) -> Path:
    """A copy, since the server may write to the database."""
    copy = tmp_path_factory.mktemp("dashboard") / "workspace"
    shutil.copytree(finished.project.workspace, copy, symlinks=True)
    return copy


@pytest.fixture(scope="module")
def dashboard(workspace: Path) -> Iterator[str]:
    port = free_port()
    command = [sys.executable, *mlflow_command(workspace, port)[1:]]
    environment = {
        **private_environment(workspace.with_name("server-home")),
        "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false",
    }
    with server(command, f"http://127.0.0.1:{port}/health", environment, workspace.with_name("mlflow.log")):
        yield f"http://127.0.0.1:{port}"


def shown(page: Page, *wanted: str, seconds: float = 90) -> str:
    """The page's text once all that is wanted stands in it."""
    deadline = time.monotonic() + seconds
    text = ""
    while time.monotonic() < deadline:
        text = page.evaluate("document.body.innerText") or ""
        if all(part in text for part in wanted):
            return text
        time.sleep(0.5)
    missing = [part for part in wanted if part not in text]
    raise AssertionError(f"not on screen: {missing}\n{text[:2000]}")


def drawn(page: Page, selector: str, seconds: float = 90) -> None:
    deadline = time.monotonic() + seconds
    while not page.evaluate(f"document.querySelector({selector!r}) !== null"):
        assert time.monotonic() < deadline, f"nothing is drawn as {selector}"
        time.sleep(0.5)


def recorded_runs(workspace: Path) -> tuple[Any, list[Any]]:
    """The parent run, and those nested in it."""
    import mlflow

    client = mlflow.MlflowClient(f"sqlite:///{workspace.resolve()}/mlflow/mlflow.db")
    experiment = client.get_experiment_by_name("hnn")
    assert experiment is not None
    runs = client.search_runs([experiment.experiment_id])
    (parent,) = [run for run in runs if "mlflow.parentRunId" not in run.data.tags]
    return parent, [run for run in runs if run is not parent]


def test_runs_curves_and_the_report_are_on_screen(workspace: Path, dashboard: str, tmp_path: Path) -> None:
    run, (variant, *_) = recorded_runs(workspace)
    place = f"{dashboard}/#/experiments/{run.info.experiment_id}"
    with Chromium(timeout=120) as chromium:
        page = chromium.page(width=1400, height=900, scripts=True)
        page.goto(f"{place}/runs")
        shown(page, run.info.run_name)
        page.screenshot(tmp_path / "runs.png", full_page=False)
        page.goto("about:blank")
        page.goto(f"{place}/runs/{run.info.run_id}")
        shown(page, "hr_at_10", "auc")
        page.goto("about:blank")
        page.goto(f"{place}/runs/{run.info.run_id}/artifacts")
        shown(page, "report.html", "config.json")
        page.goto("about:blank")
        page.goto(f"{place}/runs/{run.info.run_id}/artifacts/report.html")
        drawn(page, "iframe")
        page.screenshot(tmp_path / "artifacts.png", full_page=False)
        page.goto("about:blank")
        page.goto(f"{place}/runs/{variant.info.run_id}/model-metrics")
        shown(page, "curve_loss")
        drawn(page, ".js-plotly-plot svg path.js-line")
    assert (tmp_path / "runs.png").stat().st_size > 10_000
