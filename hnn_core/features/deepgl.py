"""φ = DeepGL (Rossi, Zhou and Ahmed, 2018): features that are relational functions with a name.

Base features are counts. Each layer applies relational operators to the features of the layer before: from nodes to
the hyperedges that hold them, and from hyperedges to the nodes they hold. So a column reads, inside out, as what it
is: "mean over hyperedges of max over members of hyperedges". After each layer, features that rank the rows as an
earlier, simpler one does are pruned.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hnn_core.features.degree import Columns, hyperedge_counts, logarithms, membership, node_counts
from hnn_core.features.interface import Features
from hnn_core.hypergraph import Hypergraph

Column = NDArray[np.float64]
Operator = Callable[[sparse.csr_array, Column], Column]


def deepgl(hypergraph: Hypergraph, dim: int, seed: int, *, layers: int = 3, agreement: float = 0.8) -> Features:
    """At most ``dim`` columns each, simplest first, as log(1 + value); nothing here is random, ``seed`` has no meaning.

    Two features agree on a row when they put it into the same logarithmic bin; one that agrees with a kept one on more
    than the share ``agreement`` of rows is pruned.
    """
    H, Ht = hypergraph.incidence, hypergraph.incidence_transpose
    nodes, node_bins = _pruned({}, {}, node_counts(hypergraph), agreement, dim)
    hyperedges, hyperedge_bins = _pruned({}, {}, hyperedge_counts(hypergraph), agreement, dim)
    new_nodes, new_hyperedges = nodes, hyperedges
    for _ in range(layers):
        to_nodes = _apply(H, new_hyperedges, "hyperedges")
        to_hyperedges = _apply(Ht, new_nodes, "members")
        known_nodes, known_hyperedges = set(nodes), set(hyperedges)
        nodes, node_bins = _pruned(nodes, node_bins, to_nodes, agreement, dim)
        hyperedges, hyperedge_bins = _pruned(hyperedges, hyperedge_bins, to_hyperedges, agreement, dim)
        new_nodes = {name: column for name, column in nodes.items() if name not in known_nodes}
        new_hyperedges = {name: column for name, column in hyperedges.items() if name not in known_hyperedges}
    return Features(
        logarithms(nodes, hypergraph.num_nodes),
        logarithms(hyperedges, hypergraph.num_hyperedges),
        tuple(nodes),
        tuple(hyperedges),
    )


def logarithmic_bins(column: Column) -> NDArray[np.int8]:
    """Ranks on a logarithmic scale: the smaller half of the rows is 0, half of the rest 1, and so on.

    Equal values share a bin, the one in which the lowest of them falls.
    """
    values, inverse, counts = np.unique(column, return_inverse=True, return_counts=True)
    above = 1.0 - (np.cumsum(counts) - counts) / max(len(column), 1)  # share of rows not below the value
    return np.floor(-np.log2(above)).astype(np.int8)[inverse] if len(values) else np.empty(0, dtype=np.int8)


def _apply(matrix: sparse.csr_array, columns: Columns, over: str) -> Columns:
    """Every operator on every column, from the columns of ``matrix`` to its rows."""
    return {
        f"{name} over {over} of {feature}": operator(matrix, column)
        for feature, column in columns.items()
        for name, operator in _OPERATORS.items()
    }


def _pruned(
    kept: Columns,
    bins: dict[str, NDArray[np.int8]],
    candidates: Columns,
    agreement: float,
    dim: int,
) -> tuple[Columns, dict[str, NDArray[np.int8]]]:
    """The kept features and those candidates that say something new, up to ``dim`` of them."""
    kept, bins = dict(kept), dict(bins)
    for name, column in candidates.items():
        if len(kept) == dim:
            break
        binned = logarithmic_bins(column)
        if binned.any() and all(np.mean(binned == other) <= agreement for other in bins.values()):
            kept[name], bins[name] = column, binned
    return kept, bins


def _sum(matrix: sparse.csr_array, column: Column) -> Column:
    total: Column = membership(matrix) @ column
    return total


def _mean(matrix: sparse.csr_array, column: Column) -> Column:
    mean: Column = _sum(matrix, column) / np.maximum(np.diff(matrix.indptr), 1)
    return mean


def _max(matrix: sparse.csr_array, column: Column) -> Column:
    """0 where a row is empty; all features are counts, so that 0 is also the least a row can have."""
    result = np.zeros(matrix.shape[0])
    filled = np.flatnonzero(np.diff(matrix.indptr))
    if len(filled):
        result[filled] = np.maximum.reduceat(column[matrix.indices], matrix.indptr[filled])
    return result


_OPERATORS: dict[str, Operator] = {"mean": _mean, "max": _max, "sum": _sum}
