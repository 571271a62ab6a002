"""The whole pipeline on a small sample: one command, then reruns, single stages, damage, two at once."""

from __future__ import annotations

import os
import signal
import time

import pytest
from pipeline_project import Finished, Project
from warm import WarmRuns, said

from flows.dag import NAMES

pytestmark = pytest.mark.timeout(900)


def test_a_run_ends_with_a_summary_that_fits_a_terminal(finished: Finished) -> None:
    for promised in ("documents", "fragments", "button-style", "AUC", "HR@10", "Seconds", "Report", "hnn ui"):
        assert promised in finished.shown
    assert max(len(line) for line in finished.shown.splitlines() if "/" not in line) <= 80


def test_a_second_run_does_nothing_and_says_so(project: Project) -> None:
    before = project.tables()
    result = project.hnn("run")
    assert "Nothing to do" in result.stdout
    assert project.tables() == before
    assert project.json("run")["ran"] == []


def test_nothing_is_written_outside_the_workspace(finished: Finished) -> None:
    folder = finished.project.folder
    assert list((folder / "home").rglob("*")) == []
    assert {path.name for path in folder.iterdir()} == {"home", "hnn.toml", "workspace"}


def test_status_and_runs_tell_what_is_there(project: Project) -> None:
    status = project.json("status")
    assert status["healthy"]
    assert [stage["stage"] for stage in status["stages"]] == list(NAMES)
    assert all(stage["peak_memory_mb"] > 0 and stage["rows"] is not None for stage in status["stages"])
    (run,) = project.json("runs")
    assert run["status"] == "completed"
    assert run["tracked"]
    assert {"auc", "hr_at_10"} <= set(run["metrics"])
    assert "fresh" in project.hnn("status").stdout


def test_one_stage_with_another_parameter_leaves_downstream_stale(project: Project) -> None:
    shown = project.hnn("stage", "train", "--set", "train.variant=p2")
    assert (shown.stdout + shown.stderr).count(" rows in ") == 1, "the result is told once"
    assert shown.stdout.startswith("train  workspace/stages/train/")
    states = {stage["stage"]: stage["state"] for stage in project.json("status")["stages"]}
    assert states["train"] == "fresh"
    assert states["recommend"] == "stale" or states["report"] == "stale"
    assert states["features"] == "fresh"
    back = project.json("run")  # the configuration still says hnn: its result is found again
    assert back["ran"] == []
    assert project.json("status")["healthy"]


def test_from_a_stage_on_everything_is_rerun_to_the_same_bytes(project: Project) -> None:
    before = project.tables()
    assert project.json("run", "--from", "recommend")["ran"] == ["recommend", "report"]
    assert project.tables() == before


def test_a_truncated_table_is_named_and_repaired(project: Project) -> None:
    before = project.tables()
    (path,) = project.workspace.glob("stages/hypergraph/*/incidence.parquet")
    path.write_bytes(path.read_bytes()[:100])
    (hypergraph,) = [s for s in project.json("status")["stages"] if s["stage"] == "hypergraph"]
    assert hypergraph["state"] == "damaged"
    assert "incidence.parquet has 100 bytes" in hypergraph["why"]
    refused = project.hnn("stage", "features", "--force", expect=1)
    assert "incidence.parquet has 100 bytes" in " ".join(refused.stderr.split())
    assert project.json("run")["ran"] == ["hypergraph"]
    assert project.tables() == before


def test_two_runs_at_once_the_second_is_told_who_is_there(project: Project, warm: WarmRuns) -> None:
    first = warm.start(project.folder, "run", "--from", "recommend")
    deadline = time.monotonic() + 200
    while not list(project.workspace.glob("stages/*/.writing-*")):
        assert time.monotonic() < deadline, said(project.folder, first)
        time.sleep(0.01)
    os.kill(first, signal.SIGSTOP)  # it cannot end before the second one comes, however slow that is
    try:
        second = project.hnn("run", "--force", expect=1)
    finally:
        os.kill(first, signal.SIGCONT)
    assert f"in use by `hnn run --from recommend` (process {first})" in " ".join(second.stderr.split())
    ended = warm.ended(project.folder, first)
    assert ended.returncode == 0, ended.stderr
