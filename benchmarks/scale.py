"""Time and memory per email from 10² emails upwards, and two Dask workers against one.

    python benchmarks/scale.py [--full] [--json FILE]

Each size is a run of its own in a fresh process: scrape, extract, hypergraph, features. Time per email is processor
time of the run and its workers (a busy machine bends the clock, hardly the processor time) less what the same run of
a few emails costs; runs of up to a thousand emails are repeated, and the least counts: other work only adds. Memory
is the largest resident size any one process reached. ``ratio`` is the speed of two Dask workers over one on the same
documents, the median of interleaved rounds.
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
import threading
import time
from pathlib import Path
from typing import Any

SIZES = (100, 1_000, 3_000)
FULL_SIZES = (100, 1_000, 10_000, 100_000)
#: What makes both workers start (fewer are given to one): the fixed cost of a run is that of so many emails.
FEW = 40
REPEATS = {100: 10, 1_000: 5}  # of runs up to that size; a hundred emails are little more than a run's fixed cost
STAGES = ("scrape", "extract", "hypergraph", "features")
TARGETS = {"flat": 1.2, "worker_mb": 2048, "speedup": 1.7, "orchestration": 0.05}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--full", action="store_true", help="up to 10^5 emails: some 20 minutes on two idle cores")
    parser.add_argument("--sizes", help="comma-separated numbers of emails")
    parser.add_argument("--rounds", type=int, default=3, help="interleaved rounds of one worker against two")
    parser.add_argument("--documents", type=int, default=2048, help="documents of one such round")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(measure(arguments.one)))
        return
    sizes: tuple[int, ...] = FULL_SIZES if arguments.full else SIZES
    if arguments.sizes:
        sizes = tuple(int(size) for size in arguments.sizes.split(","))
    figures: dict[str, Any] = {"sizes": grow(sizes)}
    extract = [row["extract"] for row in figures["sizes"]]
    total = [sum(row[stage] for stage in STAGES) for row in figures["sizes"]]
    figures["flat_extract"], figures["flat_total"] = max(extract) / min(extract), max(total) / min(total)
    figures["worker_mb"] = max(row["worker_mb"] for row in figures["sizes"])
    print(f"most over least: extract {figures['flat_extract']:.2f}, all {figures['flat_total']:.2f} (target ≤ 1.20)")
    print(f"largest process: {figures['worker_mb']:.0f} MB (target ≤ 2048)")
    figures |= compare(arguments.documents, arguments.rounds)
    figures["ratio"] = figures["speedup"]
    figures["targets"] = TARGETS
    if arguments.json:
        arguments.json.parent.mkdir(parents=True, exist_ok=True)
        arguments.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


def grow(sizes: tuple[int, ...]) -> list[dict[str, float]]:
    """Milliseconds of processor time per email, by stage, and memory."""
    print(
        f"{'emails':>8} "
        + " ".join(f"{stage:>10}" for stage in STAGES)
        + "   ms/email  wall s  wall ms/email  largest MB  stage MB"
    )
    few = _fresh(FEW)
    rows = []
    for size in sizes:
        run = _fresh(size)
        row = {stage: 1000 * max(run[stage] - few[stage], 0.0) / (size - FEW) for stage in STAGES}
        wall = 1000 * max(run["wall"] - few["wall"], 0.0) / (size - FEW)
        row |= {
            "emails": size,
            "wall": run["wall"],
            "wall_ms": wall,
            "worker_mb": run["worker_mb"],
            "stage_mb": run["stage_mb"],
        }
        rows.append(row)
        parts = " ".join(f"{row[stage]:>10.2f}" for stage in STAGES)
        total = sum(row[stage] for stage in STAGES)
        memory = f"{run['worker_mb']:>11.0f} {run['stage_mb']:>9.0f}"
        print(f"{size:>8} {parts} {total:>10.2f} {run['wall']:>7.0f} {wall:>14.2f} {memory}", flush=True)
    return rows


def _fresh(size: int) -> dict[str, float]:
    repeats = next((times for limit, times in REPEATS.items() if size <= limit), 1)
    runs = [_run(size) for _ in range(repeats)]
    return {name: min(run[name] for run in runs) for name in runs[0]}


def _run(size: int) -> dict[str, float]:
    command = [sys.executable, __file__, "--one", str(size)]
    one_thread = {**os.environ, "OMP_NUM_THREADS": "1"}  # as `hnn run` sets it: a waiting thread costs processor time
    done = subprocess.run(command, capture_output=True, text=True, env=one_thread)
    if done.returncode:
        raise SystemExit(f"{size} emails: {done.stderr[-2000:]}")
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


def measure(size: int) -> dict[str, float]:
    """Run the data stages on a generated corpus; processor seconds by stage, and memory."""
    from flows import config as configuration
    from flows.dag import stage_named
    from flows.execution import execute
    from flows.manifest import Manifest
    from flows.planning import decide
    from flows.progress import Silent
    from flows.workspace import Workspace

    config = configuration.load(None, {}, [f"scrape.source=sample:emails={size}"])
    figures: dict[str, float] = {}
    manifests: dict[str, Manifest] = {}
    started = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="hnn-scale-") as folder, LargestProcess() as memory:
        workspace = Workspace(Path(folder))
        for name in STAGES:
            before = _processor_seconds()
            decision = decide(workspace, stage_named(name), config, manifests)
            manifests[name] = execute(workspace, decision, config, {}, Silent()).manifest
            figures[name] = _processor_seconds() - before
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return figures | {"wall": time.perf_counter() - started, "worker_mb": memory.children_mb, "stage_mb": own}


def _processor_seconds() -> float:
    """Of this process and the workers it has waited for."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)


class LargestProcess:
    """The largest resident size any one child reached while the block ran."""

    def __init__(self) -> None:
        self.children_mb = 0.0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> LargestProcess:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        import psutil

        me = psutil.Process()
        while not self._stop.wait(0.2):
            for child in me.children(recursive=True):
                try:
                    # A child just forked is still a copy of this process.
                    if time.time() - child.create_time() > 1:
                        self.children_mb = max(self.children_mb, child.memory_info().rss / 2**20)
                except psutil.Error:
                    continue


def compare(documents: int, rounds: int) -> dict[str, Any]:
    """The same documents through one local process, one Dask worker and two, in turn."""
    from extractors.sources.sample import SampleOptions, generate
    from extractors.writing import Source, write_tables
    from flows.config import ExecutionConfig
    from flows.extract import spread
    from flows.runner import open_runner

    html = [email.html for email in generate(SampleOptions(emails=documents, seed=11))]
    sources = [Source(f"{n:016x}", str(n), text.__str__) for n, text in enumerate(html)]
    size = max(32, documents // 8)  # the same batches for one and for two: four rounds of two
    seconds: dict[str, list[float]] = {"local": [], "one": [], "two": []}
    clock = time.perf_counter()
    with (
        open_runner(ExecutionConfig(runner="dask", workers=1)) as one,
        open_runner(ExecutionConfig(runner="dask", workers=2)) as two,
        tempfile.TemporaryDirectory(prefix="hnn-scale-") as folder,
    ):
        start = time.perf_counter() - clock
        engines = {"local": None, "one": spread(one, size), "two": spread(two, size)}
        for number in range(rounds):
            for name, engine in engines.items():
                clock = time.perf_counter()
                write_tables(Path(folder) / f"{name}-{number}", sources, workers=1, engine=engine)
                seconds[name].append(time.perf_counter() - clock)
                print(f"round {number + 1}, {name:>5}: {seconds[name][-1]:6.1f} s", flush=True)
        same = all(
            (Path(folder) / f"local-0/{table}.parquet").read_bytes()
            == (Path(folder) / f"{name}-{rounds - 1}/{table}.parquet").read_bytes()
            for table in ("fragments", "entities", "occurrences", "neighbours", "rejects")
            for name in engines
        )
    speedup = statistics.median(a / b for a, b in zip(seconds["one"], seconds["two"], strict=True))
    cost = statistics.median(a / b - 1 for a, b in zip(seconds["one"], seconds["local"], strict=True))
    print(f"two Dask workers over one: {speedup:.2f}x (target ≥ 1.7); tables identical: {same}")
    print(f"one Dask worker over a local process: {cost:+.1%} (target ≤ 5%); two clusters started in {start:.1f} s")
    if not same:
        raise SystemExit("the tables differ: this is a bug")
    return {"speedup": speedup, "orchestration": cost, "seconds": seconds, "documents": documents}


if __name__ == "__main__":
    main()
