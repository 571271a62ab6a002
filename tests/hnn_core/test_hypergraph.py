"""A Hypergraph keeps what it was given, never changes, and names what is wrong with bad input."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypergraph_strategies import hypergraphs
from hypothesis import given
from hypothesis import strategies as st

from hnn_core.hypergraph import Hypergraph, keep_hyperedges


def test_built_from_lists_of_members() -> None:
    hypergraph = Hypergraph.from_hyperedges([[0, 1, 2], [2, 3], [], [3]], num_nodes=5)
    assert (hypergraph.num_nodes, hypergraph.num_hyperedges, hypergraph.num_incidences) == (5, 4, 6)
    assert hypergraph.members(0).tolist() == [0, 1, 2]
    assert hypergraph.members(2).tolist() == []
    assert hypergraph.hyperedges_of(3).tolist() == [1, 3]
    assert hypergraph.hyperedges_of(4).tolist() == []
    assert (hypergraph.node_type_names, hypergraph.hyperedge_type_names) == (("node",), ("hyperedge",))


def test_keys_of_a_mapping_become_hyperedge_ids() -> None:
    hypergraph = Hypergraph.from_hyperedges({"V Gupta": [1, 0], "A Srinivasan": [2]})
    assert hypergraph.hyperedge_ids.tolist() == ["V Gupta", "A Srinivasan"]
    assert hypergraph.node_ids.tolist() == [0, 1, 2]


def test_duplicate_pairs_collapse() -> None:
    hypergraph = Hypergraph.from_pairs([0, 0, 1, 0], [0, 0, 0, 0])
    assert hypergraph.incidence.toarray().tolist() == [[1.0], [1.0]]
    weighted = Hypergraph.from_pairs([0, 0, 1], [0, 0, 0], weights=[2.0, 5.0, 1.0])
    assert weighted.incidence.toarray().tolist() == [[5.0], [1.0]]


def test_nothing_at_all_is_a_hypergraph() -> None:
    empty = Hypergraph.from_hyperedges([])
    assert (empty.num_nodes, empty.num_hyperedges) == (0, 0)
    assert Hypergraph.from_pairs([], [], 3, 2).incidence.shape == (3, 2)


def test_types_select_nodes_and_hyperedges() -> None:
    hypergraph = Hypergraph.from_hyperedges(
        [[0, 1], [1, 2]],
        node_types=["word", "image", "word"],
        hyperedge_types=[1, 0],
        hyperedge_type_names=("fragment", "below"),
    )
    assert hypergraph.node_type_names == ("word", "image")
    assert hypergraph.nodes_of_type("word").tolist() == [0, 2]
    assert hypergraph.hyperedges_of_type("below").tolist() == [0]
    with pytest.raises(KeyError, match="no node type 'button'; this hypergraph has word, image"):
        hypergraph.nodes_of_type("button")


@given(hypergraphs(weighted=True))
def test_members_and_hyperedges_of_are_the_two_sides_of_incidence(hypergraph: Hypergraph) -> None:
    H = hypergraph.incidence.toarray()
    for e in range(hypergraph.num_hyperedges):
        assert hypergraph.members(e).tolist() == np.flatnonzero(H[:, e]).tolist()
    for i in range(hypergraph.num_nodes):
        assert hypergraph.hyperedges_of(i).tolist() == np.flatnonzero(H[i]).tolist()


@given(hypergraphs(), st.data())
def test_order_of_pairs_does_not_matter(hypergraph: Hypergraph, data: st.DataObject) -> None:
    node, edge = hypergraph.incidence.nonzero()
    order = np.array(data.draw(st.permutations(range(len(node)))), dtype=int)
    again = Hypergraph.from_pairs(
        node[order],
        edge[order],
        node_ids=hypergraph.node_ids,
        hyperedge_ids=hypergraph.hyperedge_ids,
        node_types=hypergraph.node_types,
        node_type_names=hypergraph.node_type_names,
        hyperedge_types=hypergraph.hyperedge_types,
        hyperedge_type_names=hypergraph.hyperedge_type_names,
    )
    assert again == hypergraph


@given(hypergraphs(weighted=True), st.data())
def test_keeping_hyperedges_keeps_all_nodes_and_only_those(hypergraph: Hypergraph, data: st.DataObject) -> None:
    chosen = data.draw(st.permutations(range(hypergraph.num_hyperedges)))[: data.draw(st.integers(0, 5))]
    kept = keep_hyperedges(hypergraph, np.array(chosen, dtype=int))
    assert kept.incidence.toarray().tolist() == hypergraph.incidence.toarray()[:, chosen].tolist()
    assert kept.hyperedge_ids.tolist() == hypergraph.hyperedge_ids[chosen].tolist()
    assert kept.node_ids is hypergraph.node_ids
    mask = np.zeros(hypergraph.num_hyperedges, dtype=bool)
    mask[chosen] = True
    assert keep_hyperedges(hypergraph, mask) == keep_hyperedges(hypergraph, np.array(sorted(chosen), dtype=int))


def test_it_cannot_be_changed() -> None:
    hypergraph = Hypergraph.from_hyperedges([[0, 1]])
    with pytest.raises(AttributeError):
        hypergraph.incidence = None  # type: ignore[misc, assignment]
    for array in (hypergraph.incidence.data, hypergraph.incidence.indices, hypergraph.node_types):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7


def test_a_callers_arrays_stay_his_own() -> None:
    nodes, types = np.array([0, 1]), np.array([0, 0], dtype=np.int16)
    Hypergraph.from_pairs(nodes, [0, 0], node_types=types, node_type_names=("word",))
    nodes[0] = types[0] = 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"nodes": [0, 5], "hyperedges": [0, 0], "num_nodes": 3},
            r"nodes\[1\] is 5, but there are only 3 nodes",
        ),
        (
            {"nodes": [0], "hyperedges": [2], "num_hyperedges": 2},
            r"hyperedges\[0\] is 2, but there are only 2",
        ),
        ({"nodes": [0, -1], "hyperedges": [0, 0]}, r"nodes\[1\] is -1: indices start at 0"),
        (
            {"nodes": [0, 1], "hyperedges": [0, 0], "node_types": ["a"]},
            r"nodes\[1\] is 1, but there are only 1 nodes \(0 to 0\) by the length of node_types",
        ),
        ({"nodes": [0], "hyperedges": [0], "num_hyperedges": -1}, "num_hyperedges is -1, expected 0 or more"),
        ({"nodes": [0.5], "hyperedges": [0]}, "nodes must be a flat list of integer indices, got float64"),
        ({"nodes": ["a"], "hyperedges": [0]}, "nodes must be a flat list of integer indices"),
        ({"nodes": [0, 1], "hyperedges": [0]}, "nodes has 2 entries and hyperedges 1"),
        ({"nodes": [0, 1], "hyperedges": [0, 0], "weights": [1, float("nan")]}, r"weights\[1\] is nan"),
        (
            {"nodes": [0, 1], "hyperedges": [0, 0], "weights": [0, 1]},
            r"weights\[0\] is 0.0: expected a finite",
        ),
        ({"nodes": [0, 1], "hyperedges": [0, 0], "weights": [1]}, r"weights has shape \(1,\)"),
        (
            {"nodes": [0], "hyperedges": [0], "num_nodes": 1, "node_types": ["a", "b"]},
            "node_types has length 2",
        ),
        (
            {"nodes": [0], "hyperedges": [0], "node_types": ["a"], "node_type_names": ("b",)},
            "'a', which is not",
        ),
        ({"nodes": [0], "hyperedges": [0], "hyperedge_types": [0]}, "also give hyperedge_type_names"),
        (
            {"nodes": [0], "hyperedges": [0], "node_types": [3], "node_type_names": ("a",)},
            r"node_types\[0\] is 3, expected a code below 1",
        ),
        (
            {"nodes": [0, 1], "hyperedges": [0, 0], "node_types": [0, 70_000], "node_type_names": ("a", "b")},
            r"node_types\[1\] is 70000, expected a code below 2",
        ),
        (
            {"nodes": [0, 1], "hyperedges": [0, 0], "node_types": [0.5, 1.0], "node_type_names": ("a", "b")},
            "node_types must be names, or integer codes into node_type_names; got float64",
        ),
        (
            {"nodes": [0, 1], "hyperedges": [0, 0], "node_types": ["a", None]},
            r"node_types\[1\] is None: expected a name",
        ),
        ({"nodes": [0, 1], "hyperedges": [0, 0], "node_types": "ab"}, "node_types is the text 'ab': expected a list"),
        ({"nodes": [0], "hyperedges": [0], "num_nodes": 2, "node_ids": ["x"]}, r"node_ids has shape \(1,\)"),
        (
            {"nodes": [0, 1], "hyperedges": [0, 0], "node_ids": ["x", "x"]},
            "node_ids names 'x' more than once",
        ),
    ],
)
def test_bad_input_is_named(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Hypergraph.from_pairs(**arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("hyperedges", "message"),
    [
        ([[0, 1], [2, -1]], r"hyperedges\[1\] has the member -1: expected indices of nodes, from 0 on"),
        ([[0], [0.5, 1]], r"hyperedges\[1\] has the member 0.5"),
        ([[0], ["Ada", "Bob"]], r"hyperedges\[1\] has the member 'Ada': .*; names of nodes go into node_ids"),
        ([[0, 1], [2, [3]]], r"hyperedges\[1\] has the member \[3\]"),
        ([[0, 1], 2], r"hyperedges\[1\] is 2: expected a list of node indices"),
    ],
)
def test_a_bad_member_is_named_by_its_hyperedge(hyperedges: list[list[int]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Hypergraph.from_hyperedges(hyperedges)


def test_missing_rows_are_named() -> None:
    hypergraph = Hypergraph.from_hyperedges([[0, 1]])
    with pytest.raises(IndexError, match="hyperedge 1 does not exist: there are 1 hyperedges"):
        hypergraph.members(1)
    with pytest.raises(IndexError, match="node -1 does not exist"):
        hypergraph.hyperedges_of(-1)


def test_importing_it_loads_neither_torch_nor_numba_nor_pyarrow() -> None:
    heavy = (
        "import sys, hnn_core.hypergraph\n"
        "print([name for name in ('torch', 'numba', 'pyarrow') if name in sys.modules])"
    )
    printed = subprocess.run([sys.executable, "-c", heavy], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == "[]"
