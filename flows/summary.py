"""What people read at the end of a run, and the tables of status, runs and cleaning."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from flows.counting import counted
from flows.dag import NAMES
from flows.manifest import Manifest
from flows.planning import StageStatus, without_folders
from flows.runs import Run
from flows.workspace import Workspace


def print_summary(
    console: Console, workspace: Workspace, manifests: Mapping[str, Manifest], record: Run | None
) -> None:
    """Documents, fragments, nodes per type, AUC per variant, HR@10 per protocol, seconds per stage, what next."""
    of = {name: manifest.summary for name, manifest in manifests.items()}
    scrape, extract, graph = of.get("scrape", {}), of.get("extract", {}), of.get("hypergraph", {})
    console.print()
    console.print(
        f"[bold]{counted(scrape.get('documents', 0), 'document')}[/] ({scrape.get('ok', 0):,} usable, "
        f"{scrape.get('duplicate', 0):,} duplicate, {scrape.get('rejected', 0):,} rejected)"
    )
    found = (extract.get("fragments", 0), "fragment"), (graph.get("nodes", 0), "node")
    console.print(", ".join(counted(*each) for each in (*found, (graph.get("hyperedges", 0), "hyperedge"))))
    if graph.get("statistics"):
        console.print(_statistics_table(graph["statistics"]))
    if of.get("train", {}).get("auc"):
        console.print(_auc_table(of["train"]))
    if of.get("recommend", {}).get("hr_at_10"):
        console.print(_hit_rate_table(of["recommend"]))
    console.print(_seconds_table(manifests, record))
    report = manifests.get("report")
    if report is not None:
        console.print(f"Report      {workspace.result('report', report.key) / 'report.html'}", soft_wrap=True)
    console.print(f"Dashboards  {_dashboards(workspace.root)}", soft_wrap=True)


def status_table(statuses: Iterable[StageStatus]) -> Table:
    """A line a stage; of a long why the beginning, all of it is in the JSON."""
    table = Table(box=None, pad_edge=False)
    table.add_column("stage", style="bold", no_wrap=True)
    table.add_column("state", no_wrap=True)
    table.add_column("finished", no_wrap=True)
    table.add_column("seconds", justify="right", no_wrap=True)
    table.add_column("size", justify="right", no_wrap=True)
    table.add_column("why")
    colours = {"fresh": "green", "stale": "yellow", "damaged": "red", "missing": "dim"}
    for status in statuses:
        manifest = status.manifest
        table.add_row(
            status.stage,
            f"[{colours[status.state]}]{status.state}[/]",
            manifest.finished_at[5:16].replace("T", " ") if manifest else "",
            f"{manifest.seconds:,.1f}" if manifest else "",
            human_bytes(manifest.bytes) if manifest else "",
            _one_line(note(status)),
        )
    return table


def note(status: StageStatus) -> str:
    """Why a stage is not fresh, files without their folder; of one that is, what ``--set`` said when it was made."""
    if status.why and status.manifest:
        return without_folders(status.why, status.manifest.key)
    return status.why or ", ".join(f"with {name}={value}" for name, value in status.overrides.items())


def runs_table(records: Iterable[Run]) -> Table:
    """A line a run; the command and its stages share what room there is."""
    table = Table(box=None, pad_edge=False)
    for name in ("run", "status", "what", "seconds", "AUC", "HR@10"):
        number = name in ("seconds", "AUC", "HR@10")
        table.add_column(name, justify="right" if number else "left", no_wrap=name != "what")
    for record in records:
        table.add_row(
            record.id,
            record.shown_status,
            _one_line(_what(record)),
            f"{record.seconds:,.1f}" if record.seconds else "",
            _metric(record.metrics, "auc"),
            _metric(record.metrics, "hr_at_10"),
        )
    return table


def _one_line(text: str) -> Text:
    """A cell that is cut where its column ends. The column must be one that may wrap: Rich takes room from those."""
    return Text(text, no_wrap=True, overflow="ellipsis")


def _what(record: Run) -> str:
    """``run: all``, ``stage train``, ``run: train, recommend``: the command and what it had to do."""
    command = record.command.removeprefix("hnn ")
    ran = [entry["stage"] for entry in record.stages if entry["ran"]]
    if command == f"stage {', '.join(ran)}":
        return command
    return f"{command}: {'all' if len(ran) == len(NAMES) else ', '.join(ran) or 'none'}"


def human_bytes(size: float) -> str:
    for unit in ("B", "KB", "MB", "GB"):
        if size < 1000:
            return f"{size:,.0f} {unit}"
        size /= 1000
    return f"{size:,.1f} TB"


def _metric(metrics: Mapping[str, float], name: str) -> str:
    return f"{metrics[name]:.3f}" if name in metrics else ""


def _statistics_table(rows: list[dict[str, Any]]) -> Table:
    table = Table(title="Hypergraph", title_justify="left", box=None, pad_edge=False)
    for name in ("node type", "|V|", "Δ", "d_avg", "d_med"):
        table.add_column(name, justify="left" if name == "node type" else "right")
    for row in rows:
        table.add_row(
            row["type"],
            f"{row['nodes']:,}",
            f"{row['max_degree']:,}",
            f"{row['mean_degree']:.2f}",
            f"{row['median_degree']:g}",
        )
    return table


def _auc_table(summary: Mapping[str, Any]) -> Table:
    rows = summary["auc"]
    table = Table(title="Hyperedge prediction, AUC", title_justify="left", box=None, pad_edge=False)
    table.add_column("protocol")
    for variant in dict.fromkeys(row["variant"] for row in rows):
        table.add_column(variant, justify="right")
    for protocol in dict.fromkeys(row["protocol"] for row in rows):
        table.add_row(protocol, *(f"{row['auc']:.3f}" for row in rows if row["protocol"] == protocol))
    return table


def _hit_rate_table(summary: Mapping[str, Any]) -> Table:
    rows = summary["hr_at_10"]
    table = Table(title="Style recommendation, HR@10", title_justify="left", box=None, pad_edge=False)
    table.add_column("protocol", no_wrap=True)
    for name in ("links", "ours", "best rival", "popularity", "ceiling"):
        table.add_column(name, justify="left" if name == "best rival" else "right", no_wrap=name != "best rival")
    for row in rows:
        table.add_row(
            f"{row['target'].removesuffix('-style')}, {row['protocol']}",
            f"{row['links']:,}",
            f"{row['ours']:.3f}",
            _one_line(f"{row['rival']:.3f} {row['rival_name']}" if row["rival"] else "0.000"),
            f"{row['popularity']:.3f}",
            f"{row['ceiling']:.3f}",
        )
    return table


def _seconds_table(manifests: Mapping[str, Manifest], record: Run | None) -> Table:
    ran = {entry["stage"] for entry in record.stages if entry["ran"]} if record else set()
    table = Table(title="Seconds", title_justify="left", box=None, pad_edge=False)
    for name in manifests:
        table.add_column(name, justify="right")
    table.add_row(*(f"{m.seconds:,.1f}" if name in ran else "[dim]cached[/]" for name, m in manifests.items()))
    return table


def _dashboards(root: Path) -> str:
    """The command for this workspace; ``make ui`` knows one workspace only, in the repository."""
    if root == Path("workspace"):
        return "make ui" if Path("Makefile").exists() else "hnn ui"
    return f"hnn ui --workspace {_quoted(root)}"


def _quoted(path: Path) -> str:
    text = str(path)
    return f'"{text}"' if " " in text else text
