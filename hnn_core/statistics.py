"""The paper's table of node statistics: |V|, Δ, d_avg and d_med for each type of node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hnn_core.hypergraph import Hypergraph


@dataclass(frozen=True)
class NodeStatistics:
    """Nodes of one type and their hyperedge degree d_i = |E_i|."""

    type: str
    nodes: int
    max_degree: int
    mean_degree: float
    median_degree: float


def node_statistics(hypergraph: Hypergraph) -> tuple[NodeStatistics, ...]:
    """One row for each node type, in the order of ``node_type_names``, and a last row "all"."""
    degree = np.diff(hypergraph.incidence.indptr)
    rows = [_row(name, degree[hypergraph.node_types == code]) for code, name in enumerate(hypergraph.node_type_names)]
    return (*rows, _row("all", degree))


def as_text(rows: Sequence[NodeStatistics]) -> str:
    """The table for a terminal or a log."""
    width = max(len("Node type"), *(len(row.type) for row in rows))
    lines = [f"{'Node type':<{width}}  {'|V|':>9}  {'Δ':>7}  {'d_avg':>8}  {'d_med':>6}"]
    lines += [
        f"{r.type:<{width}}  {r.nodes:>9,}  {r.max_degree:>7,}  {r.mean_degree:>8.2f}  {r.median_degree:>6g}"
        for r in rows
    ]
    return "\n".join(lines)


def _row(name: str, degree: np.ndarray[tuple[int], np.dtype[np.int32]]) -> NodeStatistics:
    if not len(degree):
        return NodeStatistics(name, 0, 0, 0.0, 0.0)
    return NodeStatistics(name, len(degree), int(degree.max()), float(degree.mean()), float(np.median(degree)))
