"""Ctrl-C and errors nobody expected: one line that says where, nothing of Prefect's, and the next run goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pipeline_project import Project
from warm import WarmRuns

pytestmark = pytest.mark.timeout(900)


def test_an_interrupted_run_says_where_it_was_and_goes_on(project: Project, warm: WarmRuns) -> None:
    before = project.tables()
    process = warm.start(project.folder, "run", "--from", "train")
    deadline = time.monotonic() + 200
    while not list(project.workspace.glob("stages/train/.writing-*")):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    time.sleep(1)  # its workers are about to start, or at work
    status = project.json("status")
    assert (status["in_progress"]["pid"], status["in_progress"]["purpose"]) == (process, "hnn run --from train")
    shown = project.hnn("status").stdout
    assert f"a run is in progress (pid {process}, since {status['in_progress']['since'][:10]}" in shown
    os.killpg(process, signal.SIGINT)  # as a terminal does: the command and its workers
    ended = warm.ended(project.folder, process)
    assert ended.returncode == 130
    assert ended.stderr.splitlines()[-2:] == [
        "train: running, forced",
        "hnn: interrupted in stage train; nothing is lost, run again to go on",
    ]
    assert project.json("status")["in_progress"] is None
    last = project.json("runs")[0]
    assert (last["status"], last["error"], last["ran"]) == ("interrupted", "in stage train", [])
    assert "interrupted" in project.hnn("runs").stdout
    assert project.json("run")["ran"] == []
    assert project.tables() == before


COMPILER = """
from flows import scrape
def interrupted_in_a_callback(context):
    import ctypes, signal
    ctypes.CFUNCTYPE(None)(lambda: signal.raise_signal(signal.SIGINT))()
    raise RuntimeError("no compiled object yet")
object.__setattr__(scrape.STAGE, 'run', interrupted_in_a_callback)
"""


def test_an_interrupt_that_a_compiler_swallows_is_one_all_the_same(
    tmp_path: Path, prefect_api: str, warm: WarmRuns
) -> None:
    project = Project(tmp_path / "project", prefect_api=prefect_api, warm=warm)
    result = warm.run(project.folder, "run", first=COMPILER)
    assert result.stderr.splitlines() == [
        "scrape: running, never run here",
        "hnn: interrupted in stage scrape; nothing is lost, run again to go on",
    ]
    assert result.returncode == 130
    assert [run["status"] for run in project.json("runs")] == ["interrupted"]


FAIL = """
from flows import scrape
def fail(context):
    raise RuntimeError('the parrot\\nis dead')
object.__setattr__(scrape.STAGE, 'run', fail)
"""


def test_an_unexpected_error_is_one_line(tmp_path: Path, prefect_api: str, warm: WarmRuns) -> None:
    project = Project(tmp_path / "project", prefect_api=prefect_api)
    result = warm.run(project.folder, "run", first=FAIL)
    assert result.returncode == 1
    assert result.stderr.splitlines() == [
        "scrape: running, never run here",
        "hnn: unexpected RuntimeError in stage scrape: the parrot is dead (--debug shows the traceback)",
    ]


def test_whoever_debugs_sees_the_traceback_and_what_prefect_says(tmp_path: Path, prefect_api: str) -> None:
    project = Project(tmp_path / "project", prefect_api=prefect_api)
    code = f"{FAIL}\nimport sys\nfrom flows import cli\nsys.argv[0] = 'hnn'\ncli.main()\n"
    command = [sys.executable, "-c", code, "run", "--debug"]
    result = subprocess.run(command, cwd=project.folder, env=project.environment, capture_output=True, text=True)
    assert result.returncode == 1
    assert "Traceback" in result.stderr
    assert "Encountered exception during execution" in result.stderr
