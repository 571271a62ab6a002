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


@pytest.mark.parametrize("debug", [False, True])
def test_an_unexpected_error_is_one_line(debug: bool, tmp_path: Path, prefect_api: str) -> None:
    project = Project(tmp_path / "project", prefect_api=prefect_api)
    code = (
        "import sys\n"
        "from flows import cli, scrape\n"
        "def fail(context):\n    raise RuntimeError('the parrot\\nis dead')\n"
        "object.__setattr__(scrape.STAGE, 'run', fail)\n"
        "sys.argv[0] = 'hnn'\n"
        "cli.main()\n"
    )
    command = [sys.executable, "-c", code, "run", *(["--debug"] if debug else [])]
    result = subprocess.run(command, cwd=project.folder, env=project.environment, capture_output=True, text=True)
    assert result.returncode == 1
    if debug:
        assert "Traceback" in result.stderr
        assert "Encountered exception during execution" in result.stderr, "what Prefect has to say"
        return
    assert result.stderr.splitlines() == [
        "scrape: running, never run here",
        "hnn: unexpected RuntimeError in stage scrape: the parrot is dead (--debug shows the traceback)",
    ]
