"""φ = degrees: how often, how large and of what type, as counts a person can read."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hnn_core.features.interface import Features
from hnn_core.hypergraph import Hypergraph

Columns = dict[str, NDArray[np.float64]]


def degree(hypergraph: Hypergraph, dim: int, seed: int) -> Features:
    """log(1 + count) of :func:`node_counts` and :func:`hyperedge_counts`; ``dim`` and ``seed`` have no meaning here."""
    nodes, hyperedges = node_counts(hypergraph), hyperedge_counts(hypergraph)
    return Features(
        logarithms(nodes, hypergraph.num_nodes),
        logarithms(hyperedges, hypergraph.num_hyperedges),
        tuple(nodes),
        tuple(hyperedges),
    )


def node_counts(hypergraph: Hypergraph) -> Columns:
    """Of each node: its hyperedges |E_i|, those of each type, and the nodes it meets in them (D^v)."""
    H = hypergraph.incidence
    columns: Columns = {"hyperedges": np.diff(H.indptr).astype(np.float64)}
    columns |= _by_type(H, hypergraph.hyperedge_types, hypergraph.hyperedge_type_names, "{} hyperedges")
    columns["nodes met"] = membership(H) @ np.maximum(np.diff(hypergraph.incidence_transpose.indptr) - 1.0, 0.0)
    return columns


def hyperedge_counts(hypergraph: Hypergraph) -> Columns:
    """Of each hyperedge: its members |e|, those of each type, and the hyperedges it meets in them."""
    Ht = hypergraph.incidence_transpose
    columns: Columns = {"members": np.diff(Ht.indptr).astype(np.float64)}
    columns |= _by_type(Ht, hypergraph.node_types, hypergraph.node_type_names, "{} members")
    columns["hyperedges met"] = membership(Ht) @ np.maximum(np.diff(hypergraph.incidence.indptr) - 1.0, 0.0)
    return columns


def logarithms(columns: Columns, rows: int) -> NDArray[np.float32]:
    """The columns as one matrix of log(1 + x): counts of a hypergraph spread over many powers of ten."""
    matrix = np.empty((rows, len(columns)), dtype=np.float32)
    for position, column in enumerate(columns.values()):
        matrix[:, position] = np.log1p(column)
    return matrix


def membership(matrix: sparse.csr_array) -> sparse.csr_array:
    """Membership alone, 1 or absent, whatever the weights."""
    return sparse.csr_array((np.ones(matrix.nnz), matrix.indices, matrix.indptr), shape=matrix.shape)


def _by_type(matrix: sparse.csr_array, types: NDArray[np.int16], names: tuple[str, ...], label: str) -> Columns:
    if len(names) == 1:  # the same numbers again
        return {}
    return {
        label.format(name): membership(matrix) @ (types == code).astype(np.float64) for code, name in enumerate(names)
    }
