"""SIGKILL at any moment: the next run ends with the tables of an undisturbed one; no process, no lock is left."""

from __future__ import annotations

import contextlib
import itertools
import os
import random
import signal
import time
from pathlib import Path

import psutil
import pytest
from loopback import PrefectServer
from pipeline_project import SMALL, Finished, Project
from warm import WarmRuns, said

from flows.dag import NAMES

pytestmark = pytest.mark.timeout(3600)
#: One worker: a pool of isolated processes all the same, with less to start.
SETTINGS = SMALL + "\n[execution]\nworkers = 1\n"


@pytest.fixture(scope="session")
def undisturbed(finished: Finished) -> dict[str, str]:
    """The tables of a run that nobody killed: how many workers it had is no part of them."""
    return finished.project.tables()


def run(warm: WarmRuns, project: Project) -> float:
    """A run to its end; that it starts at once shows that nobody holds the lock."""
    clock = time.perf_counter()
    result = warm.run(project.folder, "run")
    assert result.returncode == 0, result.stderr
    return time.perf_counter() - clock


def kill(warm: WarmRuns, process: int, project: Project) -> bool:
    """Kill a run, and see all that it started end; False where it had ended before."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)
    code = warm.wait(process)
    await_no_process_in(project.folder)
    assert code in (0, -signal.SIGKILL), said(project.folder, process)
    return code != 0


def await_no_process_in(folder: Path, seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while (left := processes_in(folder)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert left == []


def processes_in(folder: Path) -> list[str]:
    """Command lines of the processes whose working directory is this folder."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.cwd() == str(folder) and process.status() != psutil.STATUS_ZOMBIE:
                found.append(" ".join(process.cmdline()))
    return found


def assert_undisturbed(project: Project, undisturbed: dict[str, str]) -> None:
    assert project.tables() == undisturbed
    assert not list(project.workspace.glob("stages/*/.*"))
    last, *earlier = project.json("runs")
    assert last["status"] == "completed"
    # The newest of the killed ones may have been at its very end: all done and recorded, the process still there.
    assert {run["status"] for run in earlier[:1]} <= {"failed", "completed"}
    assert {run["status"] for run in earlier[1:]} <= {"failed"}
    assert all(run["tracked"] for run in (last, *earlier)), "MLflow has every run, the killed ones too"


def test_killed_in_each_stage_in_turn(tmp_path: Path, warm: WarmRuns, undisturbed: dict[str, str]) -> None:
    project = Project(tmp_path / "project", SETTINGS)
    moments = random.Random(7)
    for stage in NAMES:
        process = warm.start(project.folder, "run")
        deadline = time.monotonic() + 200
        while not list(project.workspace.glob(f"stages/{stage}/.writing-*")):
            assert time.monotonic() < deadline, said(project.folder, process)
            time.sleep(0.002)
        time.sleep(moments.uniform(0, 0.2))
        assert kill(warm, process, project)
    kill_after_the_last_stage(warm, project)
    run(warm, project)
    assert_undisturbed(project, undisturbed)
    killed = len(NAMES) + 1
    assert len(project.json("runs")) in (killed, killed + 1)  # a run that finds all done and sent leaves no record


def kill_after_the_last_stage(warm: WarmRuns, project: Project) -> None:
    """All tables are made, but the run is neither recorded as completed nor sent to MLflow."""
    before = len(list(project.workspace.glob("runs/*.json")))
    process = warm.start(project.folder, "run")
    deadline = time.monotonic() + 200
    while (
        not (project.workspace / "stages" / NAMES[-1] / "current").exists()  # or the kill before this came too late
        or len(list(project.workspace.glob("runs/*.json"))) == before
    ):
        assert time.monotonic() < deadline, said(project.folder, process)
        time.sleep(0.002)
    assert kill(warm, process, project)


@pytest.mark.long
def test_killed_at_twenty_random_moments_of_a_full_run(
    tmp_path: Path, warm: WarmRuns, undisturbed: dict[str, str]
) -> None:
    moments = random.Random(20)
    kills, span = 0, run(warm, Project(tmp_path / "timed" / "project", SETTINGS))
    for attempt in itertools.count():
        project = Project(tmp_path / str(attempt) / "project", SETTINGS)
        process = warm.start(project.folder, "run")
        moment = moments.uniform(0, span)
        time.sleep(moment)
        if not kill(warm, process, project):  # it was faster than the one that was timed
            span *= 0.8
            continue
        kills += 1
        done = [name for name in NAMES if (project.workspace / "stages" / name / "current").exists()]
        print(f"{kills:>2}: killed after {moment:5.1f} s, finished: {', '.join(done) or 'nothing'}", flush=True)
        run(warm, project)
        assert_undisturbed(project, undisturbed)
        if kills == 20:
            break


@pytest.mark.slow
def test_a_killed_command_takes_its_temporary_server_with_it(tmp_path: Path, prefect_server: PrefectServer) -> None:
    project = Project(tmp_path / "orphans")
    prefect_server.give_database(project.workspace / "prefect")
    process = project.start("run")  # starts a Prefect server of its own
    deadline = time.monotonic() + 200
    while not list(project.workspace.glob("stages/scrape/.writing-*")):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.002)
    assert any("temporary_server" in command for command in processes_in(project.folder))
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    await_no_process_in(project.folder)
