"""Walks on the hypergraph are node2vec's walks on its clique expansion, which is never built."""

from __future__ import annotations

import numpy as np
import pytest
from hypergraph_strategies import hypergraphs
from hypothesis import given

from hnn_core import algebra
from hnn_core.datasets.synthetic import synthetic
from hnn_core.features.alias import alias_table
from hnn_core.features.walks import WalkGraph, _share, draw_walks
from hnn_core.hypergraph import Hypergraph

pytestmark = pytest.mark.no_cover  # compiled code is not watched, and compiling it would take twice as long


def graph_of(hypergraph: Hypergraph) -> WalkGraph:
    return WalkGraph.of(hypergraph.incidence, hypergraph.incidence_transpose)


@pytest.fixture(scope="module")
def small() -> Hypergraph:
    """Nodes that meet once, twice and never; 0–1–2 overlap, 5 is far from 0; 6 is alone in a hyperedge."""
    return Hypergraph.from_hyperedges([[0, 1, 2], [0, 1], [2, 3, 4], [4, 5], [3, 4, 5], [6]])


def second_order(A: np.ndarray, t: int, v: int, p: float, q: float) -> np.ndarray:
    """Equation of node2vec: π(x) ∝ A_vx · (1/p if x = t, 1 if x is a neighbour of t, else 1/q)."""
    alpha = np.where(A[t] > 0, 1.0, 1.0 / q)
    alpha[t] = 1.0 / p
    weight = A[v] * alpha
    return weight / weight.sum()


@pytest.mark.parametrize(("p", "q"), [(1.0, 1.0), (0.25, 4.0), (4.0, 0.25), (2.0, 2.0), (0.5, 0.5), (0.1, 0.5)])
def test_steps_follow_the_second_order_distribution(small: Hypergraph, p: float, q: float) -> None:
    A = algebra.materialise(algebra.adjacency(small)).toarray()
    walks = draw_walks(graph_of(small), np.tile(np.arange(6), 6_000), 10, p, q, seed=1)
    counts = np.zeros((7, 7, 7))
    np.add.at(counts, (walks[:, :-2].ravel(), walks[:, 1:-1].ravel(), walks[:, 2:].ravel()), 1)
    for t, v in np.argwhere(counts.sum(axis=2) > 2_000):
        observed = counts[t, v] / counts[t, v].sum()
        # Four standard deviations of a share of this many draws.
        tolerance = 4 * np.sqrt(0.25 / counts[t, v].sum())
        np.testing.assert_allclose(observed, second_order(A, t, v, p, q), atol=tolerance)


@pytest.mark.parametrize(("p", "q"), [(0.5, 2.0), (0.02, 0.7), (3.0, 0.4)])
def test_steps_between_popular_and_rare_nodes_follow_it_too(p: float, q: float) -> None:
    """Lists of hyperedges of very different lengths, and filters of many words."""
    hypergraph = synthetic(1_000, mean_degree=40.0)
    A = algebra.materialise(algebra.adjacency(hypergraph)).toarray()
    graph = graph_of(hypergraph)
    walks = draw_walks(graph, np.tile(np.flatnonzero(graph.degrees), 500), 20, p, q, seed=3)
    t, v, x = (walks[:, k : k + 18].ravel() for k in range(3))
    # Of all steps, the share that goes back and the share that stays among neighbours of the node before.
    steps = np.stack([t, v], axis=1)
    pairs, counts = np.unique(steps, axis=0, return_counts=True)
    expected = np.stack([second_order(A, t, v, p, q) for t, v in pairs])
    near = A[pairs[:, 0]] > 0
    to_t = expected[np.arange(len(pairs)), pairs[:, 0]] @ counts / counts.sum()
    to_near = (expected * near).sum(axis=1) @ counts / counts.sum()
    assert np.mean(x == t) == pytest.approx(to_t, abs=4 * 0.5 / np.sqrt(len(x)))
    assert np.mean(A[t, x] > 0) == pytest.approx(to_near, abs=4 * 0.5 / np.sqrt(len(x)))


def test_nodes_share_a_hyperedge_exactly_where_adjacency_says_so() -> None:
    hypergraph = synthetic(3_000)
    A = algebra.materialise(algebra.adjacency(hypergraph)).toarray()
    graph = graph_of(hypergraph)
    pairs = [(a, b) for a in range(len(A)) for b in range(a)]
    found = [_share(graph.nodes, graph.node_hyperedges, graph.filters, a, b) for a, b in pairs]
    assert found == [A[a, b] > 0 for a, b in pairs]


def test_first_steps_follow_adjacency(small: Hypergraph) -> None:
    A = algebra.materialise(algebra.adjacency(small)).toarray()
    walks = draw_walks(graph_of(small), np.zeros(20_000, dtype=int), 2, 0.1, 10.0, seed=0)
    observed = np.bincount(walks[:, 1], minlength=7) / len(walks)
    np.testing.assert_allclose(observed, A[0] / A[0].sum(), atol=0.015)


@given(hypergraphs())
def test_walks_only_go_where_a_hyperedge_leads(hypergraph: Hypergraph) -> None:
    graph = graph_of(hypergraph)
    A = algebra.materialise(algebra.adjacency(hypergraph)).toarray()
    assert graph.degrees.tolist() == A.sum(axis=1).tolist()
    starts = np.flatnonzero(graph.degrees)
    walks = draw_walks(graph, starts, 6, 0.5, 2.0, seed=0)
    assert walks[:, 0].tolist() == starts.tolist()
    assert (A[walks[:, :-1], walks[:, 1:]] > 0).all()


def test_walks_drawn_in_portions_equal_walks_drawn_at_once(small: Hypergraph) -> None:
    graph, starts = graph_of(small), np.tile(np.arange(6), 5)
    whole = draw_walks(graph, starts, 8, 0.5, 2.0, seed=7)
    parts = [draw_walks(graph, starts[k : k + 11], 8, 0.5, 2.0, seed=7, first=k) for k in (0, 11, 22)]
    assert np.array_equal(np.concatenate(parts), whole)
    assert not np.array_equal(draw_walks(graph, starts, 8, 0.5, 2.0, seed=8), whole)


def test_walks_of_one_start_differ(small: Hypergraph) -> None:
    walks = draw_walks(graph_of(small), np.zeros(200, dtype=int), 12, 1.0, 1.0, seed=0)
    assert len(np.unique(walks, axis=0)) > 150


def test_a_hyperedge_of_a_million_members_is_walked_at_once() -> None:
    # Its clique expansion would have 10¹² entries.
    hypergraph = Hypergraph.from_hyperedges([range(1_000_000)])
    walks = draw_walks(graph_of(hypergraph), np.arange(100), 20, 0.5, 2.0, seed=0)
    assert len(np.unique(walks)) > 1_500


def test_alias_table_draws_by_weight() -> None:
    weight = np.array([1.0, 0.0, 5.0, 2.0, 12.0])
    keep, other = alias_table(weight)
    share = np.bincount(np.arange(5), keep, 5) + np.bincount(other, 1 - keep, 5)
    np.testing.assert_allclose(share / 5, weight / weight.sum(), atol=1e-6)
