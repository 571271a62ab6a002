"""Tables and lists for people: one line an item, none longer than a terminal of 80 columns."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from flows import runs
from flows.advice import Advice, FragmentAdvice, Reason, StyleAdvice
from flows.commands import email, terminal
from flows.dag import NAMES
from flows.execution import Outcome
from flows.manifest import Manifest, Output
from flows.planning import StageStatus
from flows.running import describe
from flows.runs import Run
from flows.summary import _dashboards, runs_table, status_table
from flows.workspace import Holder, Workspace


def lines(renderable: object) -> list[str]:
    console = Console(width=80, file=io.StringIO())
    console.print(renderable)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().splitlines()


def test_a_long_why_takes_one_line_of_the_status() -> None:
    why = "; ".join(f"input extract/{name}.parquet has changed" for name in ("fragments", "entities", "occurrences"))
    made = Manifest("features", 1, "k", {}, {}, {}, finished_at="2026-11-17T06:26:00", seconds=12345.6)
    harm = "/somewhere/far away/stages/extract/k/rejects.parquet is missing"
    statuses = [
        StageStatus("hypergraph", "stale", why, made),
        StageStatus("extract", "damaged", harm, made),
        StageStatus("train", "missing", "never run here"),
    ]
    head, first, second, third = lines(status_table(statuses))
    assert head.split() == ["stage", "state", "finished", "seconds", "size", "why"]
    assert first.startswith("hypergraph  stale    11-17 06:26  12,345.6   0 B  input extract/")
    assert first.endswith("…")
    assert len(first) == 80
    assert second.rstrip().endswith("  rejects.parquet is missing")
    assert third.split() == ["train", "missing", "never", "run", "here"]


def test_a_run_takes_one_line_whatever_it_was() -> None:
    def run(command: str, *ran: str, status: str = "completed") -> Run:
        stages = [{"stage": name, "ran": name in ran} for name in NAMES]
        metrics = {"auc": 0.957, "hr_at_10": 0.625}
        return Run("20261117-062616-e2a50d", command, "", {}, "", status, "", 12345.6, stages, metrics)

    _, *shown = lines(
        runs_table(
            [
                run("hnn run", *NAMES),
                run("hnn stage recommend", "recommend"),
                run("hnn run", status="interrupted"),
                run("hnn run --from features", *NAMES[3:], status="interrupted"),
            ]
        )
    )
    assert [line[37:56].strip() for line in shown] == [
        "run: all",
        "stage recommend",
        "run: none",
        "run --from feature…",
    ]
    assert all(
        line.startswith("20261117-062616-e2a50d  ") and line.endswith("12,345.6  0.957  0.625") for line in shown
    )


def test_a_stage_without_tables_counts_its_files() -> None:
    def told(**rows: int | None) -> str:
        outputs = {name: Output("", 9, count) for name, count in rows.items()}
        return describe(
            Outcome("it", True, "", Manifest("it", 1, "k", {}, {}, outputs, seconds=1.5, peak_memory_mb=300))
        )

    assert told(report=None, inventory=None) == "2 files in 1.5 s, 300 MB"
    assert told(report=None) == "1 file in 1.5 s, 300 MB"
    assert told(table=1, model=None) == "1 row in 1.5 s, 300 MB"
    assert told(table=0) == "0 rows in 1.5 s, 300 MB"


def test_a_killed_run_is_not_called_running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = Workspace(tmp_path)
    runs.save(workspace, runs.start("hnn run", {}, "hash"))
    [killed] = runs.as_they_are(workspace)
    assert (killed.status, killed.error, killed.shown_status) == ("failed", "killed", "killed")
    monkeypatch.setattr(Workspace, "holder", lambda self: Holder(1, "hnn run", killed.started_at))
    assert [run.status for run in runs.as_they_are(workspace)] == ["running"]


def test_make_is_named_where_there_is_a_makefile_and_for_its_workspace_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert _dashboards(Path("workspace")) == "hnn ui"
    (tmp_path / "Makefile").touch()
    assert _dashboards(Path("workspace")) == "make ui"
    assert _dashboards(Path("my work")) == 'hnn ui --workspace "my work"'


def test_recommendations_that_round_to_nothing_are_only_counted(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    because = (Reason("abc#0", "Hello, Mina", ""),), (Reason("def#1", "Goodbye", "acme.example"),)
    scores = 0.6, 0.3, 0.004, 0.003
    styles = tuple(
        StyleAdvice(rank, f"style {rank}", "", score, False, because[rank % 2]) for rank, score in enumerate(scores, 1)
    )
    fragments = (
        FragmentAdvice(0, "hero", "Hello", (), None, styles),
        FragmentAdvice(1, "card", "Nothing fits", (), None, styles[2:]),
    )
    email._print_advice(Advice("button-style", fragments))
    assert capsys.readouterr().out.splitlines() == [
        "#0 hero  Hello",
        "    1   60%  style 1  as acme.example",
        "    2   30%  style 2  as in “Hello, Mina”",
        "      and 2 more below 1 %",
        "",
        "#1 card  Nothing fits",
        "    3    0%  style 3  as acme.example",
        "      and 1 more below 1 %",
        "",
    ]
    wide = Console(width=120, highlight=False)
    monkeypatch.setattr(email, "out", wide)
    monkeypatch.setattr(terminal, "out", wide)
    email._print_advice(Advice("button-style", fragments[:1]))
    assert "    1   60%  style 1  as acme.example in “Goodbye”" in capsys.readouterr().out.splitlines()
