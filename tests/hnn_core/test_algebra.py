"""Every matrix equals its definition in the paper, written here as dense NumPy from the equations."""

from __future__ import annotations

import numpy as np
import pytest
from hypergraph_strategies import hypergraphs
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from hnn_core import algebra
from hnn_core.hypergraph import Hypergraph

TOLERANCE = {"rtol": 0, "atol": 1e-10}
Dense = NDArray[np.float64]


def inverse(matrix: Dense) -> Dense:
    """The Moore–Penrose inverse, which is what "⁻¹" must mean where a degree is zero."""
    return np.linalg.pinv(matrix)


def definitions(H: Dense) -> dict[str, Dense]:
    n, m = H.shape
    D = np.diag(H @ np.ones(m))
    De = np.diag(H.T @ np.ones(n))
    return {
        "adjacency": H @ H.T - D,
        "hyperedge_adjacency": H.T @ H - De,
        "node_transition": H @ inverse(De) @ (inverse(D) @ H).T,
        "hyperedge_transition": (inverse(D) @ H).T @ H @ inverse(De),
    }


@pytest.mark.parametrize("name", ["adjacency", "hyperedge_adjacency", "node_transition", "hyperedge_transition"])
@pytest.mark.parametrize("weighted", [False, True])
@given(data=st.data())
def test_operators_equal_their_equation(name: str, weighted: bool, data: st.DataObject) -> None:
    hypergraph = data.draw(hypergraphs(weighted=weighted))
    dense = definitions(hypergraph.incidence.toarray())[name]
    operator = getattr(algebra, name)(hypergraph)
    X = np.random.default_rng(0).normal(size=(dense.shape[1], 3))
    np.testing.assert_allclose(operator @ X, dense @ X, rtol=1e-12, atol=1e-10)
    np.testing.assert_allclose(operator @ X[:, 0], dense @ X[:, 0], rtol=1e-12, atol=1e-10)
    np.testing.assert_allclose(operator.T @ X, dense.T @ X, rtol=1e-12, atol=1e-10)
    np.testing.assert_allclose(algebra.materialise(operator).toarray(), dense, **TOLERANCE)


@given(hypergraphs())
def test_degrees_equal_their_equations(hypergraph: Hypergraph) -> None:
    H = hypergraph.incidence.toarray()
    n, m = H.shape
    A = H @ H.T - np.diag(H @ np.ones(m))
    np.testing.assert_allclose(algebra.hyperedge_node_degree(hypergraph), H @ np.ones(m), **TOLERANCE)
    np.testing.assert_allclose(algebra.hyperedge_degree(hypergraph), H.T @ np.ones(n), **TOLERANCE)
    np.testing.assert_allclose(algebra.node_degree(hypergraph), A @ np.ones(n), **TOLERANCE)


@given(hypergraphs())
def test_transitions_are_column_stochastic_where_there_is_somewhere_to_go(hypergraph: Hypergraph) -> None:
    for operator, degree in (
        (algebra.node_transition(hypergraph), algebra.hyperedge_node_degree(hypergraph)),
        (algebra.hyperedge_transition(hypergraph), algebra.hyperedge_degree(hypergraph)),
    ):
        columns = np.ones(operator.shape[0]) @ operator
        np.testing.assert_allclose(columns, degree > 0, **TOLERANCE)


@given(hypergraphs())
def test_neighbourhoods_equal_their_set_definitions(hypergraph: Hypergraph) -> None:
    edges = [set(hypergraph.members(e).tolist()) for e in range(hypergraph.num_hyperedges)]
    for i in range(hypergraph.num_nodes):
        E_i = [e for e, members in enumerate(edges) if i in members]
        assert algebra.hyperedge_neighbourhood(hypergraph, i).tolist() == E_i
        assert algebra.neighbours(hypergraph, i).tolist() == sorted(set().union(*(edges[e] for e in E_i)))


@given(hypergraphs(weighted=True), st.data())
def test_line_graph_equals_its_set_definition(hypergraph: Hypergraph, data: st.DataObject) -> None:
    m = hypergraph.num_hyperedges
    S = [set(hypergraph.members(e).tolist()) for e in range(m)]
    one = data.draw(st.integers(0, 3))
    each = data.draw(st.lists(st.floats(0, 3), min_size=m, max_size=m))
    fraction = data.draw(st.sampled_from([0.25, 0.5, 0.75]))
    for deltas, graph in (
        ([one] * m, algebra.line_graph(hypergraph, one)),
        (each, algebra.line_graph(hypergraph, each)),
        ([fraction * len(s) for s in S], algebra.line_graph(hypergraph, fraction=fraction)),
    ):
        edges = {
            frozenset((i, j)): len(S[i] & S[j])
            for i in range(m)
            for j in range(m)
            if i != j and len(S[i] & S[j]) > deltas[i]
        }
        found = graph.tocoo()
        assert {frozenset((int(i), int(j))): v for i, j, v in zip(*found.coords, found.data, strict=True)} == edges
        assert graph.nnz == 2 * len(edges)


@given(hypergraphs())
def test_line_graph_without_threshold_is_the_structure_of_hyperedge_adjacency(hypergraph: Hypergraph) -> None:
    structure = algebra.materialise(algebra.hyperedge_adjacency(hypergraph)).toarray() != 0
    assert np.array_equal(algebra.line_graph(hypergraph).toarray() != 0, structure)


@given(hypergraphs(), st.integers(0, 4))
def test_a_larger_threshold_never_adds_edges(hypergraph: Hypergraph, delta: int) -> None:
    assert algebra.line_graph(hypergraph, delta + 1).nnz <= algebra.line_graph(hypergraph, delta).nnz


def test_line_graph_in_blocks_equals_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    hypergraph = Hypergraph.from_pairs(rng.integers(0, 50, 400), rng.integers(0, 80, 400))
    whole = algebra.line_graph(hypergraph, 1)
    monkeypatch.setattr(algebra, "PRODUCTS_PER_BLOCK", 60)
    assert (algebra.line_graph(hypergraph, 1) != whole).nnz == 0


def test_a_fraction_that_is_no_binary_number_is_still_exact() -> None:
    # 0.29 · 100 is 28.999999999999996 in binary; 29 shared nodes are not more than 29 % of 100.
    hypergraph = Hypergraph.from_hyperedges([range(100), range(71, 171)])
    assert algebra.line_graph(hypergraph, fraction=0.29).nnz == 0


def test_line_graph_refuses_thresholds_below_zero() -> None:
    with pytest.raises(ValueError, match="at least 0"):
        algebra.line_graph(Hypergraph.from_hyperedges([[0]]), -1)


def test_zero_degrees_are_inverted_to_zero() -> None:
    assert algebra.pseudo_inverse(np.array([0.0, 2.0, 0.5])).tolist() == [0.0, 0.5, 2.0]


def test_one_huge_hyperedge_needs_no_product_matrix() -> None:
    # HHᵀ of this hypergraph would hold 4·10¹⁰ entries.
    hypergraph = Hypergraph.from_hyperedges([range(200_000)])
    assert (algebra.adjacency(hypergraph) @ np.ones(200_000) == 199_999).all()
