"""Random hypergraphs for property tests: M > N and N > M, isolated nodes, singletons, empty ones, repeats."""

from __future__ import annotations

from hypothesis import strategies as st

from hnn_core.hypergraph import Hypergraph


@st.composite
def hypergraphs(draw: st.DrawFn, max_nodes: int = 9, max_hyperedges: int = 9, weighted: bool = False) -> Hypergraph:
    n = draw(st.integers(1, max_nodes))
    m = draw(st.integers(1, max_hyperedges))
    pairs = draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, m - 1)), max_size=40))
    weights = None
    if weighted:
        weight = st.floats(0.01, 10, allow_nan=False)
        weights = draw(st.lists(weight, min_size=len(pairs), max_size=len(pairs)))
    node_names = draw(st.lists(st.sampled_from(["text-style", "word", "image"]), min_size=n, max_size=n))
    edge_names = draw(st.lists(st.sampled_from(["fragment", "below"]), min_size=m, max_size=m))
    ids = draw(st.booleans())
    return Hypergraph.from_pairs(
        [node for node, _ in pairs],
        [hyperedge for _, hyperedge in pairs],
        n,
        m,
        weights,
        node_types=node_names,
        node_type_names=("image", "text-style", "word"),
        hyperedge_types=edge_names,
        hyperedge_type_names=("fragment", "below", "beside"),
        node_ids=[f"node {i}" for i in range(n)] if ids else None,
        hyperedge_ids=[f"e/{k}·é" for k in range(m)] if ids else None,
    )
