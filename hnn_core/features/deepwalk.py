"""φ = DeepWalk (Perozzi et al., 2014): node2vec with p = q = 1, walks without a memory."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hnn_core.features.interface import Features, numbered
from hnn_core.features.node2vec import MapBatches, in_order, node2vec
from hnn_core.hypergraph import Hypergraph


def deepwalk(
    hypergraph: Hypergraph,
    dim: int,
    seed: int,
    *,
    walks: int = 10,
    length: int = 40,
    window: int = 5,
    negatives: int = 5,
    learning_rate: float = 0.025,
    map_batches: MapBatches = in_order,
) -> Features:
    """X and Y from first-order walks; see :func:`~hnn_core.features.node2vec.node2vec`."""
    options: dict[str, Any] = {"walks": walks, "length": length, "window": window, "negatives": negatives}
    features = node2vec(hypergraph, dim, seed, learning_rate=learning_rate, map_batches=map_batches, **options)
    names = numbered("deepwalk", dim)
    return replace(features, names=names, hyperedge_names=names)
