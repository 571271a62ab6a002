"""φ = features the data came with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from hnn_core.algebra import hyperedge_node_degree, pseudo_inverse
from hnn_core.features.interface import Features, Matrix, numbered
from hnn_core.hypergraph import Hypergraph


def given(
    hypergraph: Hypergraph,
    dim: int,
    seed: int,
    *,
    nodes: Any = None,
    hyperedges: Any = None,
    names: Sequence[str] | None = None,
    hyperedge_names: Sequence[str] | None = None,
) -> Features:
    """X as given, dense or sparse; Y as given, else Y = (D⁻¹H)ᵀX as in the paper's Y^(1).

    ``dim`` and ``seed`` have no meaning here.
    """
    if nodes is None:
        raise ValueError("features: given needs the matrix `nodes`, one row for each node")
    X = _checked(nodes, hypergraph.num_nodes, "nodes")
    if hyperedges is None:
        Y = _mean_by_degree(hypergraph, X)
        hyperedge_names = names if hyperedge_names is None else hyperedge_names
    else:
        Y = _checked(hyperedges, hypergraph.num_hyperedges, "hyperedges")
    return Features(
        X,
        Y,
        tuple(names) if names is not None else numbered("given", X.shape[1]),
        tuple(hyperedge_names) if hyperedge_names is not None else numbered("given", Y.shape[1]),
    )


def _mean_by_degree(hypergraph: Hypergraph, X: Matrix) -> Matrix:
    D_inv = sparse.diags_array(pseudo_inverse(hyperedge_node_degree(hypergraph)).astype(np.float32))
    Y = (hypergraph.incidence_transpose.astype(np.float32) @ D_inv) @ X
    return Y.tocsr() if sparse.issparse(Y) else np.asarray(Y, dtype=np.float32)


def _checked(matrix: Any, rows: int, what: str) -> Matrix:
    if matrix.ndim != 2 or matrix.shape[0] != rows:
        raise ValueError(f"features given for {what}: shape {matrix.shape}, expected one row for each of {rows}")
    if sparse.issparse(matrix):
        return sparse.csr_array(matrix, dtype=np.float32)
    return np.asarray(matrix, dtype=np.float32)
