"""What Prefect, MLflow and the manifests cost, what a rerun without changes costs, and what 1 % new emails cost.

``ratio`` is the share of a full run, command to prompt, that was not spent inside the seven stage functions: what
their manifests say less the time it takes to hash their tables again, over the clock. What passes before the first
stage and after the last is told apart. 1 % new emails come five times, and the median counts: a fifth of a second is
easily disturbed. The same once more with ``--larger`` emails, which are extracted and no more: what an extraction costs
that finds little new is mostly fixed. ``--bare`` adds the same stages called in a plain loop in a fresh process, which
takes as long again: by the clock, which a busy machine bends, and by processor time, which it hardly does. Prints a
table; ``--json FILE`` keeps the figures.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from extractors.sources.sample import SampleOptions, generate

#: Settings of the caller that would change what is measured. Installed packages are compiled once, not in each process.
LEFT_OUT = ("PREFECT_", "MLFLOW_", "HNN_", "PYTHONDONTWRITEBYTECODE")

NIGHTS = 5  # each with 1 % new emails


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--emails", type=int, default=2000)
    parser.add_argument("--larger", type=int, default=10_000, help="emails of a second incremental extraction; 0: none")
    parser.add_argument("--json", type=Path)
    parser.add_argument(
        "--set", action="append", default=[], dest="settings", help="as of `hnn run`, e.g. less training"
    )
    parser.add_argument("--bare", action="store_true", help="also the stages in a plain loop: as long again")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = measure(Path(folder), arguments.emails, arguments.settings, arguments.bare)
    if arguments.larger:
        with tempfile.TemporaryDirectory() as folder:
            figures |= grow(Path(folder), arguments.larger, arguments.settings)
    table = Table(box=None)
    table.add_column("measure")
    table.add_column("value", justify="right")
    for name, value in figures.items():
        table.add_row(name, f"{value:,.3f}" if isinstance(value, float) else f"{value:,}")
    Console().print(table)
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


def measure(folder: Path, emails: int, settings: list[str], bare: bool) -> dict[str, Any]:
    compile_packages()
    options = first_corpus(folder, emails, settings)
    began = datetime.now(UTC)
    full, wall, processor = run(folder, "run", *options)
    ended = datetime.now(UTC)
    results = [result_of(folder, name, stage["key"]) for name, stage in full["stages"].items()]
    hashing = hash_again(results)
    inside = sum(seconds(result) for result in results) - hashing
    starts, ends = zip(*(moments(result) for result in results), strict=True)
    _, no_op, _ = run(folder, "run", *options)
    figures = {
        "emails": emails,
        "full run, seconds": wall,
        "of it inside stage functions, seconds": inside,
        "of it hashing tables, seconds": hashing,
        "before the first stage, seconds": (min(starts) - began).total_seconds(),
        "after the last stage, seconds": (ended - max(ends)).total_seconds(),
        "processor time, seconds": processor,
        "ratio": 1 - inside / wall,
        "no-op rerun, seconds": no_op,
    } | nights(folder, emails, options, seconds(result_of(folder, "extract", full["stages"]["extract"]["key"])))
    if bare:
        bare_wall, bare_processor = bare_loop(folder / "bare", options[1::2])
        figures["stages in a plain loop, seconds"] = bare_wall
        figures["share by the clock against that loop"] = 1 - bare_wall / wall
        figures["share by processor time against that loop"] = 1 - bare_processor / processor
    return figures


def grow(folder: Path, emails: int, settings: list[str]) -> dict[str, Any]:
    """A full extraction of so many emails, and what 1 % new ones cost."""
    options = first_corpus(folder, emails, settings)
    return nights(folder, emails, options, extract(folder, options))


def first_corpus(folder: Path, emails: int, settings: list[str]) -> list[str]:
    """Write the emails of the first run; the options that name them."""
    corpus = folder / "corpus"
    to_come = NIGHTS * one_percent(emails)
    write_corpus(corpus, emails + to_come, leave_out=to_come)
    return [part for setting in (f"scrape.source={corpus}", *settings) for part in ("--set", setting)]


def nights(folder: Path, emails: int, options: list[str], full: float) -> dict[str, Any]:
    """1 % new emails arrive each night and are extracted, beside the seconds of the ``full`` extraction."""
    extra = one_percent(emails)
    each = []
    for left in reversed(range(NIGHTS)):
        write_corpus(folder / "corpus", emails + NIGHTS * extra, leave_out=left * extra)
        each.append(extract(folder, options))
    return {
        f"full extraction of {emails:,}, seconds": full,
        f"extraction with 1 % new of {emails:,}, least, seconds": min(each),
        f"extraction with 1 % new of {emails:,}, median, seconds": statistics.median(each),
        f"incremental share of {emails:,}": statistics.median(each) / full,
    }


def one_percent(emails: int) -> int:
    return max(1, emails // 100)


def extract(folder: Path, options: list[str]) -> float:
    """Scrape and extract by their commands; the seconds of the extraction."""
    run(folder, "stage", "scrape", *options)
    done, _, _ = run(folder, "stage", "extract", *options)
    return seconds(result_of(folder, "extract", done["key"]))


def compile_packages() -> None:
    """The first command would do it, and a full extraction look slower than it is."""
    import compileall

    for package in ("extractors", "flows", "hnn_core"):
        compileall.compile_dir(Path(__file__).parents[1] / package, quiet=1)


def hash_again(results: list[Path]) -> float:
    from flows.manifest import file_sha256

    started = time.perf_counter()
    for result in results:
        for path in result.rglob("*"):
            if path.is_file():
                file_sha256(path)
    return time.perf_counter() - started


def write_corpus(folder: Path, emails: int, leave_out: int = 0) -> None:
    for number, email in enumerate(generate(SampleOptions(emails=emails))):
        if number >= emails - leave_out:
            break
        path = folder / email.sender / f"{number:06}.html"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(email.html, encoding="utf-8")


def bare_loop(folder: Path, settings: list[str]) -> tuple[float, float]:
    """The seven stages in a fresh process, without Prefect, MLflow, manifests, hashes and fsync."""
    command = [sys.executable, __file__, "--bare-loop", str(folder), *settings]
    before = processor_seconds()
    wall = float(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[-1])
    return wall, processor_seconds() - before


def processor_seconds() -> float:
    """Of all that this process started and waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def loop(folder: Path, settings: list[str]) -> float:
    started = time.perf_counter()
    from flows import config as configuration
    from flows.dag import STAGES
    from flows.progress import Silent
    from flows.stage import Context
    from flows.workspace import Workspace

    config = configuration.load(None, {}, settings)
    workspace = Workspace(folder)
    for stage in STAGES:
        out = folder / stage.name
        out.mkdir(parents=True)
        inputs = {name: folder / name for name in stage.inputs}
        stage.run(Context(config, inputs, out, workspace, None, Silent()))
    return time.perf_counter() - started


def run(folder: Path, *arguments: str) -> tuple[dict[str, Any], float, float]:
    """The answer of a command, and what it took: seconds by the clock and of processors."""
    started, before = time.perf_counter(), processor_seconds()
    command = [sys.executable, "-m", "flows.cli", *arguments, "--json"]
    kept = {name: value for name, value in os.environ.items() if not name.startswith(LEFT_OUT)}
    result = subprocess.run(command, cwd=folder, env=kept, capture_output=True, text=True)
    if result.returncode:
        raise SystemExit(f"hnn {' '.join(arguments)}: {result.stderr}")
    answer: dict[str, Any] = json.loads(result.stdout)
    return answer, time.perf_counter() - started, processor_seconds() - before


def result_of(folder: Path, stage: str, key: str) -> Path:
    return folder / "workspace" / "stages" / stage / key


def manifest(result: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((result / "manifest.json").read_text("utf-8"))
    return content


def seconds(result: Path) -> float:
    return float(manifest(result)["seconds"])


def moments(result: Path) -> tuple[datetime, datetime]:
    """When a stage began, to the second, and when it had finished."""
    content = manifest(result)
    return datetime.fromisoformat(content["started_at"]), datetime.fromisoformat(content["finished_at"])


if __name__ == "__main__":
    if sys.argv[1:2] == ["--bare-loop"]:
        print(loop(Path(sys.argv[2]), sys.argv[3:]))
    else:
        main()
