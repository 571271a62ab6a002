"""Faults of the machine around a run: a full disk, a clock that jumps, a secret in an address."""

from __future__ import annotations

import http.server
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from loopback import PrefectServer, free_port, private_environment, server
from pipeline_project import Project
from warm import WarmRuns, said

from flows import execution, full_disk, runs
from flows.config import Config, load
from flows.errors import HnnError, LastingError
from flows.execution import execute
from flows.planning import decide
from flows.progress import Silent
from flows.running import Request, open_run
from flows.scrape import STAGE as FETCH
from flows.stage import Context, Stage
from flows.tracking_server import create_database
from flows.ui import mlflow_command
from flows.workspace import Workspace

PAGE = (
    b"<html><body><table><tr><td style='background:#fff'><h1>Hello</h1><p>Some words of an email</p></td></tr></table>"
)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 1 MB."""
    place = tmp_path / "small disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("a small file system cannot be mounted here (it needs root)")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def fill(context: Context) -> dict[str, Any]:
    (context.out / "documents.txt").write_bytes(os.urandom(400_000 * (1 + len(context.config.scrape.source) // 7)))
    return {}


def test_a_disk_without_room_is_told_before_anything_is_begun(small_disk: Path, warm: WarmRuns) -> None:
    result = warm.run(small_disk.parent, "run", "--workspace", str(small_disk / "workspace"))
    assert result.returncode == 1
    assert "its disk has 1 MB left, and a run needs 32 to begin" in " ".join(result.stderr.split())
    assert not list(small_disk.glob("workspace/prefect/*"))


SCRAPE = Stage("scrape", 1, (), ("documents.txt",), fill)


def test_a_full_disk_is_a_clear_message_and_costs_nothing_that_was_there(small_disk: Path) -> None:
    workspace = Workspace(small_disk)
    config = Config()
    execute(workspace, decide(workspace, SCRAPE, config, {}), config, {}, Silent())
    before = workspace.current("scrape")
    larger = config.model_copy(update={"scrape": config.scrape.model_copy(update={"source": "x" * 30})})
    told = r"stage scrape: the disk is full \(0\.\d MB left\)\. Free some space .* Earlier results are untouched"
    with pytest.raises(LastingError, match=told):  # lasting: a source on the web would be fetched twice more
        execute(workspace, decide(workspace, SCRAPE, larger, {}), larger, {}, Silent())
    assert workspace.current("scrape") == before
    assert not list(small_disk.glob("stages/scrape/.*"))
    again = decide(workspace, SCRAPE, config, {})
    assert again.fresh


def use_up(disk: Path) -> None:
    with pytest.raises(OSError, match="No space left"), (disk / "ballast").open("wb", buffering=0) as ballast:
        while True:
            ballast.write(bytes(4096))


def test_a_record_that_a_full_disk_does_not_take_hides_no_reason(small_disk: Path) -> None:
    with pytest.raises(HnnError, match="stage train: the reason"), open_run(Request(workspace=str(small_disk))) as run:
        use_up(small_disk)
        raise HnnError("stage train: the reason")
    assert [record.status for record in runs.load_all(run.workspace)] == ["running"]
    (small_disk / "ballast").unlink()
    with open_run(Request(workspace=str(small_disk))):
        pass
    statuses = sorted(record.shown_status for record in runs.load_all(run.workspace))  # begun within one second
    assert statuses == ["completed", "killed"]


def test_what_a_server_on_a_full_disk_answers_is_told_as_a_full_disk(small_disk: Path) -> None:
    with pytest.raises(RuntimeError, match="500"), full_disk.told_as_such(small_disk.parent):
        raise RuntimeError("500 Internal Server Error")  # there is room: it is something else
    use_up(small_disk)
    told = r"^stage train: the disk is full \(0\.0 MB left\)\. Free some space"
    with pytest.raises(HnnError, match=told), full_disk.told_as_such(small_disk):
        error = RuntimeError("500 Internal Server Error")
        error.add_note("in stage train")
        raise error
    with pytest.raises(HnnError, match=r"^stage train: the reason$"), full_disk.told_as_such(small_disk):
        try:
            raise HnnError("stage train: the reason")
        except HnnError:
            raise RuntimeError("500 Internal Server Error")  # noqa: B904  as Prefect's client does


def test_a_clock_that_jumps_back_bends_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Jumping(datetime):
        calls = 0

        @classmethod
        def now(cls, tz: Any = None) -> Jumping:
            cls.calls += 1
            return cls.fromtimestamp(1_800_000_000 - 86_400 * cls.calls, UTC)

    monkeypatch.setattr(execution, "datetime", Jumping)
    workspace = Workspace(tmp_path)
    config = Config()
    first = execute(workspace, decide(workspace, SCRAPE, config, {}), config, {}, Silent()).manifest
    assert first.started_at > first.finished_at  # the clock did jump
    assert timedelta(seconds=first.seconds) >= timedelta(0)
    assert decide(workspace, SCRAPE, config, {}).fresh


class Quiet(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(404 if self.path.startswith(("/robots.txt", "/gone")) else 200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(PAGE)))
        self.end_headers()
        self.wfile.write(PAGE)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def web() -> Iterator[str]:
    """Host and port of a web server."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()


def test_a_source_that_fails_is_named_without_its_secrets(tmp_path: Path, web: str) -> None:
    source = f"http://editor:hunter2@{web}/gone?token=hunter2"
    config = load(None, {}, [f"scrape.source={source}", "scrape.allow_private=true", "scrape.delay_seconds=0"])
    request = Request(workspace=str(tmp_path), overrides=(f"scrape.source={source}",))
    with (
        pytest.raises(HnnError, match=rf"http://{web}/gone\?token=\*\*\*: nothing in 1 document could"),
        open_run(request) as run,
    ):
        execute(run.workspace, decide(run.workspace, FETCH, config, {}), config, {}, Silent())
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and b"hunter2" in path.read_bytes()]


@pytest.mark.slow
@pytest.mark.server
def test_a_secret_in_an_address_is_written_nowhere(
    tmp_path: Path, web: str, prefect_server: PrefectServer, warm: WarmRuns
) -> None:
    password, token = "hunter2hunter2", "tok5f1c9secret"
    address = f"http://editor:{password}@{web}/news.html?token={token}"
    project = Project(tmp_path / "project", prefect_api=prefect_server.api, warm=warm)
    shown = project.hnn(
        *("stage", "scrape", "--set", f"scrape.source={address}"),
        *("--set", "scrape.allow_private=true", "--set", "scrape.delay_seconds=0"),
    )
    assert "ok: 1" in shown.stdout
    leaks = [
        path
        for path in [*project.folder.rglob("*"), *prefect_server.folder.rglob("*")]
        if path.is_file() and any(secret in path.read_bytes() for secret in (password.encode(), token.encode()))
    ]
    assert leaks == []
    (database,) = prefect_server.folder.rglob("prefect.db")
    kept = b"".join(path.read_bytes() for path in database.parent.glob("prefect.db*"))
    assert f"http://{web}/news.html?token=***".encode() in kept, "the server does keep the address, without its secrets"
    assert password not in shown.stdout + shown.stderr
    assert token not in shown.stdout + shown.stderr


@pytest.mark.slow
@pytest.mark.server
@pytest.mark.timeout(900)
def test_mlflow_killed_in_mid_training_and_back_later_has_everything_once(
    tmp_path: Path, prefect_api: str, warm: WarmRuns
) -> None:
    import mlflow

    project = Project(tmp_path / "project", prefect_api=prefect_api, warm=warm)
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    home = {**private_environment(tmp_path / "home"), "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false"}
    serving = (mlflow_command(tmp_path / "served", port), f"{address}/health", home, tmp_path / "mlflow.log")
    (tmp_path / "served").mkdir()
    create_database(tmp_path / "served" / "mlflow" / "mlflow.db")
    with server(*serving) as mlflow_server:
        process = warm.start(project.folder, "run", MLFLOW_TRACKING_URI=address)
        deadline = time.monotonic() + 300
        while not list(project.workspace.glob("stages/train/.writing-*")):
            assert time.monotonic() < deadline, said(project.folder, process)
            time.sleep(0.01)
        os.killpg(mlflow_server.pid, signal.SIGKILL)
    ended = warm.ended(project.folder, process)
    assert ended.returncode == 0, f"the run does not need MLflow to end well\n{ended.stderr}"
    assert "sent with the next run or `hnn runs --sync`" in " ".join(ended.stderr.split())
    assert not project.json("runs")[0]["tracked"]
    with server(*serving):
        project.hnn("runs", "--sync", MLFLOW_TRACKING_URI=address)
        client = mlflow.MlflowClient(address)
        experiment = client.get_experiment_by_name("hnn")
        assert experiment is not None
        found = client.search_runs([experiment.experiment_id])
        (parent,) = [run for run in found if "mlflow.parentRunId" not in run.data.tags]
        assert parent.info.status == "FINISHED"
        assert {"auc", "hr_at_10", "scrape.seconds", "report.seconds"} <= set(parent.data.metrics)
        history = client.get_metric_history(parent.info.run_id, "system/cpu_utilization_percentage")
        assert [point.step for point in history] == list(range(len(history))) != []
        nested = [run for run in found if "mlflow.parentRunId" in run.data.tags]
        assert sorted(run.data.params["variant"] for run in nested) == ["hnn", "p2"]
        for run in nested:
            assert [point.step for point in client.get_metric_history(run.info.run_id, "curve_loss")] == [1, 2, 3]
        assert "report.html" in {file.path for file in client.list_artifacts(parent.info.run_id)}
    assert project.json("runs")[0]["tracked"]
