"""Every feature method gives finite, reproducible, well-shaped features on any hypergraph."""

from __future__ import annotations

import numpy as np
import pytest
from hypergraph_strategies import hypergraphs
from hypothesis import given as given_random
from hypothesis import settings
from scipy import sparse

from hnn_core import algebra, features
from hnn_core.datasets.synthetic import synthetic
from hnn_core.features.deepgl import logarithmic_bins
from hnn_core.features.svd import truncated_svd
from hnn_core.hypergraph import Hypergraph

FROM_HYPERGRAPH = tuple(method for method in features.available_methods() if method != "given")
QUICK = {"node2vec": {"walks": 2, "length": 8}, "deepwalk": {"walks": 2, "length": 8}}


@pytest.fixture(scope="module")
def communities() -> Hypergraph:
    """Two groups of 30 nodes with 60 hyperedges each inside a group, one node that is in none."""
    rng = np.random.default_rng(0)
    members = [group * 30 + rng.choice(30, size=4, replace=False) for group in (0, 1) for _ in range(60)]
    return Hypergraph.from_hyperedges([*members, [29, 30]], num_nodes=61)


def dense(matrix: features.Matrix) -> np.ndarray:
    return matrix.toarray() if sparse.issparse(matrix) else np.asarray(matrix)


@pytest.mark.parametrize("method", FROM_HYPERGRAPH)
@settings(max_examples=15)
@given_random(hypergraph=hypergraphs())
def test_any_hypergraph_gets_finite_features_of_the_right_shape(method: str, hypergraph: Hypergraph) -> None:
    found = features.derive(hypergraph, method, dim=5, seed=1, **QUICK.get(method, {}))
    assert found.nodes.shape == (hypergraph.num_nodes, len(found.names))
    assert found.hyperedges.shape == (hypergraph.num_hyperedges, len(found.hyperedge_names))
    assert found.nodes.dtype == found.hyperedges.dtype == np.float32
    assert np.isfinite(dense(found.nodes)).all()
    assert np.isfinite(dense(found.hyperedges)).all()
    isolated = algebra.hyperedge_node_degree(hypergraph) == 0
    assert not dense(found.nodes)[isolated].any()


@pytest.mark.parametrize("method", FROM_HYPERGRAPH)
def test_the_same_seed_gives_the_same_features(method: str, communities: Hypergraph) -> None:
    first, second = (features.derive(communities, method, dim=8, seed=3) for _ in range(2))
    assert np.array_equal(first.nodes, second.nodes)
    assert np.array_equal(first.hyperedges, second.hyperedges)
    assert first.names == second.names


@pytest.mark.parametrize("method", ["svd", "node2vec", "deepwalk"])
def test_embeddings_tell_communities_apart(method: str, communities: Hypergraph) -> None:
    found = features.derive(communities, method, dim=8, seed=0)
    for X, size in ((dense(found.nodes), 30), (dense(found.hyperedges), 60)):
        Z = X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-12)
        inside = (Z[:size] @ Z[:size].T).mean() + (Z[size : 2 * size] @ Z[size : 2 * size].T).mean()
        assert inside / 2 > (Z[:size] @ Z[size : 2 * size].T).mean() + 0.2


@pytest.mark.parametrize("method", ["node2vec", "deepwalk"])
def test_another_seed_gives_other_walks(method: str, communities: Hypergraph) -> None:
    first, second = (features.derive(communities, method, dim=8, seed=seed) for seed in (0, 1))
    assert not np.allclose(first.nodes, second.nodes)


def test_deepwalk_is_node2vec_without_memory(communities: Hypergraph) -> None:
    deepwalk = features.derive(communities, "deepwalk", dim=8, seed=2, walks=3)
    node2vec = features.derive(communities, "node2vec", dim=8, seed=2, walks=3, p=1.0, q=1.0)
    assert np.array_equal(deepwalk.nodes, node2vec.nodes)
    assert deepwalk.names[0] == "deepwalk 0"


@given_random(hypergraph=hypergraphs(max_nodes=12, max_hyperedges=12))
def test_svd_is_the_best_low_rank_factorisation_of_adjacency(hypergraph: Hypergraph) -> None:
    H = hypergraph.incidence
    for operator, factors in (
        (algebra.adjacency(hypergraph), (H, H.T.tocsr())),
        (algebra.hyperedge_adjacency(hypergraph), (H.T.tocsr(), H)),
    ):
        A = algebra.materialise(operator).toarray()
        U, sigma = truncated_svd(*factors, rank=3, seed=0)
        expected = np.linalg.svd(A, compute_uv=False)
        best = np.sqrt((expected[len(sigma) :] ** 2).sum())
        assert np.linalg.norm(A - U @ (A @ U).T) == pytest.approx(best, abs=1e-3)
        assert sigma == pytest.approx(expected[: len(sigma)], abs=1e-3)


def test_svd_reaches_the_exact_spectrum_of_a_larger_hypergraph() -> None:
    rng = np.random.default_rng(5)
    hypergraph = Hypergraph.from_pairs(rng.zipf(1.5, 4000) % 600, rng.integers(0, 500, 4000), 700, 500)
    H = hypergraph.incidence
    _, sigma = truncated_svd(H, H.T.tocsr(), rank=16, seed=0)
    exact = np.linalg.svd(algebra.materialise(algebra.adjacency(hypergraph)).toarray(), compute_uv=False)[:16]
    assert sigma == pytest.approx(exact, rel=2e-2)
    assert sigma[:4] == pytest.approx(exact[:4], rel=1e-4)


@pytest.mark.parametrize("weight", [1.0, 0.25])
def test_svd_is_as_good_where_its_first_products_read_rounded_numbers(weight: float) -> None:
    hypergraph = synthetic(5_000)
    H = hypergraph.incidence * weight
    Ht = H.T.tocsr()
    A = (H @ Ht).toarray() - np.diag(H.sum(axis=1))

    def error(rounded: bool, seed: int) -> float:
        U, _ = truncated_svd(H, Ht, 40, seed, rounded=rounded)  # 50 columns: a strip of 32 and one of 18
        return float(np.linalg.norm(A - U @ (U.T @ A)))

    exact = [error(rounded=False, seed=seed) for seed in range(4)]
    assert error(rounded=True, seed=0) != exact[0]
    assert error(rounded=True, seed=0) == pytest.approx(exact[0], rel=1e-5)
    assert abs(error(rounded=True, seed=0) - exact[0]) < np.ptp(exact) / 10


def test_large_hypergraphs_are_multiplied_rounded(monkeypatch: pytest.MonkeyPatch) -> None:
    H = synthetic(5_000).incidence
    Ht = H.T.tocsr()
    exactly, rounded = (truncated_svd(H, Ht, 8, 0, rounded=rounded)[0] for rounded in (False, True))
    assert np.array_equal(truncated_svd(H, Ht, 8, 0)[0], exactly)
    monkeypatch.setattr("hnn_core.features.svd.CACHED", sum(H.shape) - 1)
    assert np.array_equal(truncated_svd(H, Ht, 8, 0)[0], rounded)


def test_svd_of_large_numbers_needs_no_qr_decomposition(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether columns depend on one another is a matter of their ratio: QR takes ten times as long and much memory."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("QR")

    monkeypatch.setattr("hnn_core.features.svd.linalg.qr", refuse)
    rng = np.random.default_rng(0)
    H = Hypergraph.from_pairs(rng.integers(0, 300, 3000), rng.integers(0, 200, 3000)).incidence * 1000.0
    U, _ = truncated_svd(H, H.T.tocsr(), rank=4, seed=0)
    assert np.allclose(U.T @ U, np.eye(4), atol=1e-4)


def test_svd_needs_two_products() -> None:
    with pytest.raises(ValueError, match="products is 1, expected at least 2"):
        features.derive(Hypergraph.from_hyperedges([[0, 1]]), "svd", dim=1, products=1)


def test_degree_counts_by_type() -> None:
    hypergraph = Hypergraph.from_hyperedges(
        [[0, 1, 2], [1, 2], []],
        num_nodes=4,
        node_types=["word", "image", "word", "word"],
        hyperedge_types=["fragment", "below", "fragment"],
    )
    found = features.derive(hypergraph, "degree")
    assert found.names == ("hyperedges", "fragment hyperedges", "below hyperedges", "nodes met")
    assert np.expm1(dense(found.nodes)).round(4).tolist() == [[1, 1, 0, 2], [2, 1, 1, 3], [2, 1, 1, 3], [0, 0, 0, 0]]
    assert found.hyperedge_names == ("members", "word members", "image members", "hyperedges met")
    assert np.expm1(dense(found.hyperedges)).round(4).tolist() == [[3, 2, 1, 2], [2, 1, 1, 2], [0, 0, 0, 0]]


def test_deepgl_columns_are_what_their_names_say(communities: Hypergraph) -> None:
    found = features.derive(communities, "deepgl", dim=64, agreement=1.0)
    assert len(set(found.names)) == len(found.names)
    name = "max over hyperedges of mean over members of hyperedges"
    assert name in found.names
    column = np.expm1(dense(found.nodes)[:, found.names.index(name)])
    counts = [len(communities.hyperedges_of(i)) for i in range(communities.num_nodes)]
    for i in range(communities.num_nodes):
        means = [np.mean([counts[j] for j in communities.members(e)]) for e in communities.hyperedges_of(i)]
        assert column[i] == pytest.approx(max(means, default=0.0), rel=1e-5)


def test_deepgl_prunes_what_ranks_alike_and_obeys_dim(communities: Hypergraph) -> None:
    strict = features.derive(communities, "deepgl", dim=64, agreement=0.7)
    loose = features.derive(communities, "deepgl", dim=64, agreement=0.9)
    assert 3 < len(strict.names) < len(loose.names) < 64
    assert features.derive(communities, "deepgl", dim=3).nodes.shape[1] == 3
    bins = [logarithmic_bins(column) for column in dense(strict.nodes).T]
    assert max(np.mean(a == b) for i, a in enumerate(bins) for b in bins[:i]) <= 0.7


def test_logarithmic_bins_halve_the_rest_each_time() -> None:
    assert logarithmic_bins(np.arange(8.0)).tolist() == [0, 0, 0, 0, 1, 1, 2, 3]
    assert logarithmic_bins(np.array([5.0, 1.0, 1.0, 1.0])).tolist() == [2, 0, 0, 0]


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.csr_matrix])
def test_given_features_are_kept_and_reach_hyperedges_by_the_papers_equation(form: type) -> None:
    hypergraph = Hypergraph.from_hyperedges([[0, 1], [1, 2], []], num_nodes=4)
    X = np.arange(8.0).reshape(4, 2)
    found = features.derive(hypergraph, "given", nodes=form(X), names=["red", "blue"])
    H = hypergraph.incidence.toarray()
    D_inv = np.linalg.pinv(np.diag(H.sum(axis=1)))
    assert dense(found.nodes).tolist() == X.tolist()
    np.testing.assert_allclose(dense(found.hyperedges), (D_inv @ H).T @ X, rtol=1e-6)
    assert found.names == found.hyperedge_names == ("red", "blue")
    both = features.derive(hypergraph, "given", nodes=form(X), hyperedges=form(np.ones((3, 1))))
    assert dense(both.hyperedges).tolist() == [[1], [1], [1]]


@pytest.mark.parametrize(
    ("method", "options", "message"),
    [
        ("node2vec", {"p": 0}, "node2vec: p is 0, expected a number above 0"),
        ("node2vec", {"walk": 3}, "node2vec has no option walk; it takes p, q, walks"),
        ("degree", {"p": 3}, "degree has no option p; it takes no options"),
        ("svd", {"dim": 0}, "dim is 0, expected at least 1"),
        ("given", {}, "given needs the matrix `nodes`"),
        ("given", {"nodes": np.ones((5, 2))}, r"given for nodes: shape \(5, 2\), expected one row for each of 2"),
        ("given", {"nodes": np.full((2, 1), np.nan)}, "features of nodes: contains NaN"),
        ("given", {"nodes": np.ones((2, 1)), "names": ["a", "b"]}, r"shape \(2, 1\) does not fit 2 column names"),
    ],
)
def test_bad_requests_are_named(method: str, options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        features.derive(Hypergraph.from_hyperedges([[0, 1]]), method, **options)  # type: ignore[arg-type]


def test_an_unknown_method_names_the_known_ones() -> None:
    with pytest.raises(KeyError, match="no feature method 'pca'; known are svd, node2vec, deepwalk, deepgl"):
        features.derive(Hypergraph.from_hyperedges([[0, 1]]), "pca")
