"""What a hypergraph of 10⁵, 10⁶ and 10⁷ incidences costs: building it, its statistics, SVD-64 and node2vec's walks.

    OMP_NUM_THREADS=1 python benchmarks/hypergraph_scale.py --json scale.json

Each size runs in a process of its own. Times are processor seconds of one thread; ``peak`` is the most memory that
process ever held, everything included. Growth is the cost of an incidence at the largest size against the smallest:
1 is linear to the letter. What does not fit the caches any more costs more for each incidence, without a worse order;
``ratio``, the growth of the last tenfold step against tenfold, shows that once all sizes are out of the caches.
``bare read`` is the memory's own price beside ours: to add up rows of 32 float32 numbers (two cache lines) in random
order, each asked for 16 rows ahead, out of as many rows as there are nodes.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numba import njit

from hnn_core.datasets.synthetic import synthetic
from hnn_core.features import derive
from hnn_core.features.node2vec import STEPS_PER_PORTION
from hnn_core.features.walks import WalkGraph, draw_walks
from hnn_core.hypergraph import Hypergraph
from hnn_core.prefetch import prefetch
from hnn_core.statistics import node_statistics

RANK, LENGTH, P, Q = 64, 80, 0.5, 2.0
STEPS = ("build", "statistics", "svd", "walks")
LIMIT = 8_000  # MB: what the largest size may take

Result = TypeVar("Result")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--incidences", type=int, nargs="+", default=[10**5, 10**6, 10**7])
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(measure(arguments.one)))
        return
    rows = []
    for size in sorted(arguments.incidences):
        rows.append(in_own_process(size))
        print(json.dumps(rows[-1]), file=sys.stderr)  # the next may take minutes
    figures = {"rows": rows, "limit_mb": LIMIT, **growth(rows)}
    print(table(rows, figures))
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


def in_own_process(incidences: int) -> dict[str, float]:
    command = [sys.executable, __file__, "--one", str(incidences)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{incidences} incidences failed:\n{done.stderr}")
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def measure(incidences: int) -> dict[str, float]:
    """Processor seconds of each step and the peak of the process."""
    tiny = Hypergraph.from_hyperedges([[0, 1], [1, 2]])
    for rounded in (False, True):  # compiled code is loaded before anything is timed
        derive(tiny, "svd", 1, rounded=rounded)
    walk_all(tiny)
    build, hypergraph = timed(lambda: synthetic(incidences))
    transpose, _ = timed(lambda: hypergraph.incidence_transpose)
    statistics, _ = timed(lambda: node_statistics(hypergraph))
    svd, _ = timed(lambda: derive(hypergraph, "svd", RANK))
    walks, steps = timed(lambda: walk_all(hypergraph))
    return {
        "incidences": hypergraph.num_incidences,
        "nodes": hypergraph.num_nodes,
        "hyperedges": hypergraph.num_hyperedges,
        "build": build + transpose,
        "statistics": statistics,
        "svd": svd,
        "walks": walks,
        "steps": steps,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "bare_read": bare_read(hypergraph.num_nodes),  # last: it is no part of the peak
    }


def walk_all(hypergraph: Hypergraph) -> int:
    """One walk of 80 nodes from every node that has a neighbour, in portions as node2vec takes them; how many steps."""
    graph = WalkGraph.of(hypergraph.incidence, hypergraph.incidence_transpose)
    starts = np.flatnonzero(graph.degrees)
    portion = STEPS_PER_PORTION // LENGTH
    steps = 0
    for first in range(0, len(starts), portion):
        steps += draw_walks(graph, starts[first : first + portion], LENGTH, P, Q, seed=0, first=first).size
    return steps


def bare_read(rows: int, reads: int = 2_000_000, ahead: int = 16) -> float:
    """Nanoseconds to read one of ``rows`` rows of two cache lines at random; the median of five."""
    numbers = np.zeros(rows * 32 + 16, np.float32)
    start = -numbers.ctypes.data % 64 // 4
    array = numbers[start : start + rows * 32].reshape(rows, 32)
    array[:] = 1.0
    order = np.random.default_rng(0).integers(0, rows, reads + ahead)
    add_up(array, order[:100], ahead, np.zeros(32, np.float32))
    seconds = [timed(lambda: add_up(array, order, ahead, np.zeros(32, np.float32)))[0] for _ in range(5)]
    return float(np.median(seconds)) / reads * 1e9


@njit(cache=True, fastmath=True)
def add_up(array: Any, order: Any, ahead: Any, total: Any) -> None:
    for k in range(len(order) - ahead):
        prefetch(array, (order[k + ahead], 0))
        prefetch(array, (order[k + ahead], 16))
        row = array[order[k]]
        for c in range(len(row)):
            total[c] += row[c]


def timed(function: Callable[[], Result]) -> tuple[float, Result]:
    start = time.process_time()
    result = function()
    return time.process_time() - start, result


def growth(rows: list[dict[str, float]]) -> dict[str, float]:
    def cost(row: dict[str, float]) -> float:
        """Processor seconds of all steps for each incidence."""
        return sum(row[step] for step in STEPS) / row["incidences"]

    return {"growth": cost(rows[-1]) / cost(rows[0]), "ratio": cost(rows[-1]) / cost(rows[max(0, len(rows) - 2)])}


def table(rows: list[dict[str, float]], figures: dict[str, Any]) -> str:
    heads = (
        "incidences",
        "nodes",
        "hyperedges",
        *(f"{step} s" for step in STEPS),
        "µs/incidence",
        "bare read ns",
        "peak MB",
    )
    lines = ["| " + " | ".join(heads) + " |", "|" + "---:|" * len(heads)]
    for row in rows:
        seconds = [row[step] for step in STEPS]
        cells = [f"{int(row[name]):,}" for name in ("incidences", "nodes", "hyperedges")]
        cells += [f"{value:,.3g}" for value in seconds]
        cells += [f"{1e6 * sum(seconds) / row['incidences']:.1f}", f"{row['bare_read']:.1f}", f"{row['peak_mb']:,.0f}"]
        lines.append("| " + " | ".join(cells) + " |")
    lines.append(f"\nan incidence of the largest costs {figures['growth']:.2f}x one of the smallest,")
    lines.append(f"{figures['ratio']:.2f}x one of the size before it")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
