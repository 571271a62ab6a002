"""Hypergraphs of any size for measuring: few popular nodes and many rare ones, as words and styles are."""

from __future__ import annotations

import numpy as np

from hnn_core.hypergraph import Hypergraph


def synthetic(
    incidences: int, seed: int = 0, *, mean_size: float = 10.0, mean_degree: float = 10.0, skew: float = 0.7
) -> Hypergraph:
    """About ``incidences`` memberships of hyperedges with ``mean_size`` members in nodes of ``mean_degree``.

    Sizes are geometric. The k-th most popular node is drawn in proportion to k^−``skew``; a node drawn twice for one
    hyperedge counts once, so that a few per cent fewer incidences come out than were asked for.
    """
    rng = np.random.default_rng(seed)
    hyperedges = max(1, round(incidences / mean_size))
    nodes = max(1, round(incidences / mean_degree))
    sizes = rng.geometric(1.0 / mean_size, hyperedges)
    popularity = rng.random(int(sizes.sum())) ** (1.0 / (1.0 - skew))  # inverse of the distribution function
    return Hypergraph.from_pairs(
        (popularity * nodes).astype(np.int64), np.repeat(np.arange(hyperedges), sizes), nodes, hyperedges
    )
