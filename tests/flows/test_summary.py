"""Tables and lists for people: one line an item, none longer than a terminal of 80 columns."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from flows.advice import Advice, FragmentAdvice, Reason, StyleAdvice
from flows.commands import email
from flows.dag import NAMES
from flows.execution import Outcome
from flows.manifest import Manifest, Output
from flows.planning import StageStatus
from flows.running import describe
from flows.runs import Run
from flows.summary import runs_table, status_table


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


def test_recommendations_that_round_to_nothing_are_only_counted(capsys: pytest.CaptureFixture[str]) -> None:
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
        "1. hero  Hello",
        "    1   60%  style 1  as acme.example in “Goodbye”",
        "    2   30%  style 2  as unknown sender in “Hello, Mina”",
        "      and 2 more below 1 %",
        "",
        "2. card  Nothing fits",
        "    3    0%  style 3  as acme.example in “Goodbye”",
        "      and 1 more below 1 %",
        "",
    ]
