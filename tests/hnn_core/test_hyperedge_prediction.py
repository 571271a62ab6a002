"""Scores, negatives and protocols of hyperedge prediction keep their promises."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from hnn_core.hypergraph import Hypergraph
from hnn_core.models import HNN, build
from hnn_core.models.model import Training
from hnn_core.nn.members import MemberSets
from hnn_core.nn.scores import mean_pair_product
from hnn_core.seeds import derive, seed_everything
from hnn_core.tasks.hyperedge_prediction import HyperedgePrediction, train_predictor
from hnn_core.tasks.negatives import KnownHyperedges, sample_negatives
from hnn_core.tasks.node_classification import train_classifier
from hnn_core.tasks.protocols import split_hyperedges
from hnn_core.training import DivergedError


def rows(lists: list[list[int]], n: int) -> sparse.csr_array:
    return Hypergraph.from_hyperedges(lists, num_nodes=n).incidence_transpose


@given(st.integers(0, 10_000), st.floats(0, 1))
def test_negatives_keep_size_and_share_and_never_repeat_a_node(seed: int, difficulty: float) -> None:
    rng = np.random.default_rng(seed)
    lists = [rng.choice(30, size=size, replace=False).tolist() for size in rng.integers(1, 12, 20)]
    positives = rows(lists, 30)
    negatives = sample_negatives(positives, rng, difficulty, KnownHyperedges(positives))
    assert negatives.shape == positives.shape
    for q in range(positives.shape[0]):
        e = set(positives.indices[positives.indptr[q] : positives.indptr[q + 1]].tolist())
        f = negatives.indices[negatives.indptr[q] : negatives.indptr[q + 1]].tolist()
        assert len(set(f)) == len(f) == len(e) and f == sorted(f)
        kept = len(e & set(f))
        assert kept < len(e)
        assert np.floor(difficulty * len(e)) - 1 <= kept <= np.ceil(difficulty * len(e))


def test_odd_hyperedges_keep_half_on_average_and_every_member_is_as_likely() -> None:
    positives = rows([[3, 11, 27]] * 4000, 40)
    negatives = sample_negatives(positives, np.random.default_rng(0))
    counts = np.bincount(negatives.indices, minlength=40) / 4000
    assert abs(counts[[3, 11, 27]].sum() - 1.5) < 0.03
    np.testing.assert_allclose(counts[[3, 11, 27]], 0.5, atol=0.03)
    others = np.delete(counts, [3, 11, 27])
    np.testing.assert_allclose(others, 1.5 / 37, atol=0.02)


def test_no_negative_is_a_known_hyperedge() -> None:
    every_pair = [list(pair) for pair in combinations(range(6), 2)]
    known = rows(every_pair[:-1], 6)
    asked = rows([every_pair[0]] * 50, 6)
    with pytest.raises(ValueError, match="no negative"):
        sample_negatives(asked, np.random.default_rng(0), 0.5, KnownHyperedges(rows(every_pair, 6)))
    free = sample_negatives(asked, np.random.default_rng(0), 0.0, KnownHyperedges(known))
    assert set(map(tuple, free.indices.reshape(-1, 2).tolist())) == {(4, 5)}


def test_pair_scores_equal_their_definition() -> None:
    lists = [[0, 1, 2], [3], [1, 4], [0, 2, 3, 4, 5]]
    X = torch.randn(6, 4)
    sets = MemberSets.from_lists(lists, 6)
    expected = [
        sum(float(X[i] @ X[j]) for i, j in combinations(e, 2)) / max(len(e) * (len(e) - 1) / 2, 1) for e in lists
    ]
    np.testing.assert_allclose(mean_pair_product(X, sets), expected, atol=1e-5)
    spread = torch.stack([X[e].max(0).values - X[e].min(0).values for e in lists])
    torch.testing.assert_close(sets.spread(X), spread)
    torch.testing.assert_close(sets.mean(X), torch.stack([X[e].mean(0) for e in lists]))
    torch.testing.assert_close(sets.mean_of_members(X[sets.nodes]), sets.mean(X))


def test_the_gradient_of_the_spread_is_its_slope_and_shared_by_members_that_tie() -> None:
    sets = MemberSets.from_lists([[0, 1, 2], [3], [1, 4], [0, 2, 3, 4, 5], []], 6, dtype=torch.float64)
    X = torch.randn(6, 4, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(sets.spread, X)  # type: ignore[no-untyped-call]
    tied = torch.tensor([[2.0], [2.0], [0.0], [5.0], [2.0], [9.0]], requires_grad=True)
    MemberSets.from_lists([[0, 1, 2]], 6).spread(tied).sum().backward()  # type: ignore[no-untyped-call]
    assert tied.grad is not None
    assert tied.grad.squeeze().tolist() == [0.5, 0.5, -1.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize("score", ["mean_cosine", "mean_product", "max_min"])
def test_closer_members_score_higher(score: str) -> None:
    from hnn_core.nn.scores import SCORES

    X = torch.tensor([[1.0, 0.1], [1.0, 0.0], [0.9, 0.1], [-1.0, 0.5]])
    close, far = SCORES[score]()(X, MemberSets.from_lists([[0, 1, 2], [0, 1, 3]], 4)).tolist()
    assert close > far


def example(seed: int = 0) -> tuple[Hypergraph, np.ndarray]:
    rng = np.random.default_rng(seed)
    lists = [
        (10 * rng.integers(3) + rng.choice(10, size=rng.integers(2, 5), replace=False)).tolist() for _ in range(50)
    ]
    return Hypergraph.from_hyperedges(lists, num_nodes=32), rng.normal(size=(32, 8))


@pytest.mark.parametrize("score", ["mean_cosine", "dependent"])
@pytest.mark.parametrize("folds", [1, 3])
def test_no_test_hyperedge_reaches_training_under_the_inductive_protocol(score: str, folds: int) -> None:
    """Other test hyperedges, other test negatives: the same weights, to the last bit."""
    hypergraph, X = example()
    split = split_hyperedges(hypergraph.num_hyperedges, 0.8, seed=5)
    rng = np.random.default_rng(9)
    lists = [hypergraph.members(e).tolist() for e in range(hypergraph.num_hyperedges)]
    for e in split.test:
        lists[e] = rng.choice(32, size=rng.integers(2, 7), replace=False).tolist()
    other = Hypergraph.from_hyperedges(lists, num_nodes=32)

    def derived(h: Hypergraph) -> tuple[np.ndarray, None]:
        """Features that depend on all hyperedges in sight would carry a leak."""
        return np.hstack([X, (h.incidence @ h.incidence_transpose).toarray()[:, :4]]), None

    def weights(h: Hypergraph, protocol: str) -> list[torch.Tensor]:
        seed_everything(1)
        task = HyperedgePrediction(protocol=protocol, score=score, folds=folds)
        trained = train_predictor(HNN(12, (6, 6)), h, derived, task, Training(epochs=8), seed=5)
        return [*trained.model.parameters(), *trained.score.parameters()]

    same = zip(weights(hypergraph, "inductive"), weights(other, "inductive"), strict=True)
    assert all(torch.equal(a, b) for a, b in same)
    # The check can fail: under the transductive protocol the test hyperedges do pass messages.
    seen = zip(weights(hypergraph, "transductive"), weights(other, "transductive"), strict=True)
    assert not all(torch.equal(a, b) for a, b in seen)


def test_no_test_label_reaches_node_classification() -> None:
    hypergraph, X = example()
    labels = np.arange(32) % 3
    train, test = np.arange(16), np.arange(16, 32)
    permuted = labels.copy()
    permuted[test] = np.random.default_rng(0).permutation(permuted[test])
    trained = []
    for given_labels in (labels, permuted):
        seed_everything(1)
        model = HNN(8, (6, 6), skip=True)
        done = train_classifier(model, hypergraph, X, given_labels, train, test, Training(epochs=8))
        trained.append([*done.model.parameters(), *done.head.parameters()])
    assert all(torch.equal(a, b) for a, b in zip(*trained, strict=True))


def test_curve_has_loss_and_test_auc() -> None:
    hypergraph, X = example()
    seen: list[int] = []
    trained = train_predictor(
        HNN(8, (6, 6)),
        hypergraph,
        X,
        training=Training(epochs=7),
        measure_every=3,
        on_epoch=lambda point: seen.append(point.epoch),
    )
    assert seen == list(range(1, 8))
    assert [point.epoch for point in trained.curve if point.measures] == [3, 6, 7]
    assert trained.curve[-1].measures["auc"] == trained.auc


def test_divergence_is_named() -> None:
    hypergraph, X = example()
    with pytest.raises(DivergedError, match="learning rate"):
        train_predictor(HNN(8, (6, 6)), hypergraph, X * np.nan, training=Training(epochs=3))


def test_only_hnn_has_the_dependent_score() -> None:
    hypergraph, X = example()
    with pytest.raises(TypeError, match="only HNN"):
        train_predictor(build("gcn", 8), hypergraph, X, HyperedgePrediction(score="dependent"))


def test_seeds_of_two_purposes_differ_and_stay() -> None:
    assert derive(7, "negatives", 3) == derive(7, "negatives", 3)
    assert len({derive(7, "negatives", 3), derive(7, "negatives", 4), derive(7, "split"), derive(8, "split")}) == 4
