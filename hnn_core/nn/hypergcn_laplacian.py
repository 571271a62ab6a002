"""HyperGCN's graph of a hypergraph (Yadati et al. 2019): one pair a hyperedge, its most distant members."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hnn_core.hypergraph import Hypergraph
from hnn_core.nn.propagation import power


def laplacian(
    hypergraph: Hypergraph, signal: Any, rng: np.random.Generator, mediators: bool = False
) -> sparse.csr_array:
    """D^−½ (A + I) D^−½, where A joins the members of each hyperedge that are farthest apart in the signal.

    Distance is along one random direction, drawn anew in each call as the authors do. Without mediators an edge
    weighs 1/|e|; with them the other members are joined to both ends and all weigh 1/(2|e| − 3). That weight is
    negative for a singleton, which has no pair in any case and is left out.
    """
    Ht = hypergraph.incidence_transpose
    sizes = np.diff(Ht.indptr)
    owner = np.repeat(np.arange(len(sizes)), sizes)
    projected = np.asarray(signal @ rng.random(signal.shape[1])).ravel()[Ht.indices]
    order = np.lexsort((projected, owner))
    members = Ht.indices[order]
    several = np.flatnonzero(sizes > 1)
    low, high = members[Ht.indptr[several]], members[Ht.indptr[several + 1] - 1]
    if not mediators:
        return _normalised(low, high, 1 / sizes[several], hypergraph.num_nodes)
    share = 1 / np.maximum(2 * sizes - 3, 1)
    between = np.ones(len(members), dtype=bool)
    between[Ht.indptr[several]] = between[Ht.indptr[several + 1] - 1] = False
    between &= sizes[owner] > 1
    first, last = members[Ht.indptr[owner[between]]], members[Ht.indptr[owner[between] + 1] - 1]
    return _normalised(
        np.concatenate([low, first, last]),
        np.concatenate([high, members[between], members[between]]),
        np.concatenate([share[several], share[owner[between]], share[owner[between]]]),
        hypergraph.num_nodes,
    )


def _normalised(left: NDArray[Any], right: NDArray[Any], weights: NDArray[np.float64], n: int) -> sparse.csr_array:
    upper = sparse.csr_array((weights, (left, right)), shape=(n, n))
    adjacency = sparse.csr_array(upper + upper.T + sparse.eye_array(n))
    half = sparse.diags_array(power(np.asarray(adjacency.sum(axis=1)).ravel(), -0.5))
    return sparse.csr_array(half @ adjacency @ half)
