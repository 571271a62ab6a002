"""What Prefect, MLflow and the manifests cost, what a rerun without changes costs, and what 1 % new emails cost.

The peer is the same seven stage functions called in a plain loop, in the same run: ``ratio`` is the share of a full
run that is not stage work. Prints a table; ``--json FILE`` keeps the figures.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from extractors.sources.sample import SampleOptions, generate


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--emails", type=int, default=2000)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = measure(Path(folder), arguments.emails)
    table = Table(box=None)
    table.add_column("measure")
    table.add_column("value", justify="right")
    for name, value in figures.items():
        table.add_row(name, f"{value:,.3f}" if isinstance(value, float) else f"{value:,}")
    Console().print(table)
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


def measure(folder: Path, emails: int) -> dict[str, Any]:
    corpus = folder / "corpus"
    extra = max(1, emails // 100)
    write_corpus(corpus, emails + extra, leave_out=extra)
    bare = bare_loop(folder / "bare", corpus)
    full, wall = run(folder, "run", "--corpus", str(corpus))
    _, no_op = run(folder, "run", "--corpus", str(corpus))
    write_corpus(corpus, emails + extra)
    grown, _ = run(folder, "run", "--corpus", str(corpus))
    extraction, incremental = seconds(folder, full, "extract"), seconds(folder, grown, "extract")
    return {
        "emails": emails,
        "bare loop, seconds": bare,
        "full run, seconds": wall,
        "ratio": max(0.0, 1 - bare / wall),
        "no-op rerun, seconds": no_op,
        "full extraction, seconds": extraction,
        "extraction with 1 % new, seconds": incremental,
        "incremental share": incremental / extraction,
    }


def write_corpus(folder: Path, emails: int, leave_out: int = 0) -> None:
    for number, email in enumerate(generate(SampleOptions(emails=emails))):
        if number >= emails - leave_out:
            break
        path = folder / email.sender / f"{number:06}.html"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(email.html, encoding="utf-8")


def bare_loop(folder: Path, corpus: Path) -> float:
    """The seven stages in a fresh process, without Prefect, MLflow, manifests, hashes and fsync."""
    command = [sys.executable, __file__, "--bare-loop", str(folder), str(corpus)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[-1])


def loop(folder: Path, corpus: Path) -> float:
    started = time.perf_counter()
    from flows import config as configuration
    from flows.dag import STAGES
    from flows.progress import Silent
    from flows.stage import Context
    from flows.workspace import Workspace

    config = configuration.load(None, {}, [f"scrape.source={corpus}"])
    workspace = Workspace(folder)
    for stage in STAGES:
        out = folder / stage.name
        out.mkdir(parents=True)
        inputs = {name: folder / name for name in stage.inputs}
        stage.run(Context(config, inputs, out, workspace, None, Silent()))
    return time.perf_counter() - started


def run(folder: Path, *arguments: str) -> tuple[dict[str, Any], float]:
    started = time.perf_counter()
    command = [sys.executable, "-m", "flows.cli", *arguments, "--json"]
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PREFECT_", "MLFLOW_", "HNN_"))}
    result = subprocess.run(command, cwd=folder, env=kept, check=True, capture_output=True, text=True)
    answer: dict[str, Any] = json.loads(result.stdout)
    return answer, time.perf_counter() - started


def seconds(folder: Path, answer: dict[str, Any], stage: str) -> float:
    manifest = folder / "workspace" / "stages" / stage / answer["stages"][stage]["key"] / "manifest.json"
    return float(json.loads(manifest.read_text("utf-8"))["seconds"])


if __name__ == "__main__":
    if sys.argv[1:2] == ["--bare-loop"]:
        print(loop(Path(sys.argv[2]), Path(sys.argv[3])))
    else:
        main()
