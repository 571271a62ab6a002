"""What every model promises: one generic test runs each variant and each baseline."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy import sparse

from hnn_core.hypergraph import Hypergraph
from hnn_core.models import BASELINES, HNN, MODELS, build
from hnn_core.models.inductive import embed_new_hyperedges, embed_new_nodes
from hnn_core.models.model import Training
from hnn_core.nn import PSI, VARIANTS
from hnn_core.nn.clique import Clique
from hnn_core.nn.hypergcn_laplacian import laplacian
from hnn_core.seeds import seed_everything
from hnn_core.tasks.hyperedge_prediction import HyperedgePrediction, train_predictor
from hnn_core.tasks.node_classification import train_classifier


def communities(seed: int = 0, groups: int = 3, each: int = 12, hyperedges: int = 40) -> Hypergraph:
    """Hyperedges within groups of nodes, and two nodes in none: something there is to learn."""
    rng = np.random.default_rng(seed)
    lists = [
        (each * rng.integers(groups) + rng.choice(each, size=rng.integers(2, 6), replace=False)).tolist()
        for _ in range(hyperedges)
    ]
    return Hypergraph.from_hyperedges(lists, num_nodes=groups * each + 2)


def features_of(hypergraph: Hypergraph, seed: int = 0) -> sparse.csr_array:
    """Sparse features that say something of a node's group."""
    rng = np.random.default_rng(seed)
    group = np.arange(hypergraph.num_nodes) // 12
    X = (rng.random((hypergraph.num_nodes, 12)) < 0.15) | (np.arange(12) // 4 == group[:, None]) & (
        rng.random((hypergraph.num_nodes, 12)) < 0.6
    )
    return sparse.csr_array(X.astype(np.float64))


@pytest.mark.parametrize("name", MODELS)
def test_model_learns_both_tasks_and_repeats_itself(name: str) -> None:
    hypergraph, X = communities(), features_of(communities())
    labels = np.arange(hypergraph.num_nodes) // 12 % 3

    def run() -> tuple[torch.Tensor, list[float], float]:
        seed_everything(3)
        model = build(name, 12)
        training = Training(epochs=25, lr=0.02, weight_decay=5e-4)
        predicted = train_predictor(model, hypergraph, X, training=training, seed=3)
        return predicted.embeddings.nodes, [point.loss for point in predicted.curve], predicted.auc

    Z, losses, auc = run()
    assert Z.shape[0] == hypergraph.num_nodes and torch.isfinite(Z).all()
    assert losses[-1] < losses[0] and auc > 0.6
    again_Z, again_losses, again_auc = run()
    assert torch.equal(Z, again_Z) and losses == again_losses and auc == again_auc

    seed_everything(3)
    model = build(name, 12, out=3) if name in BASELINES else build(name, 12, skip=True)
    train, test = np.arange(0, 36, 2), np.arange(1, 36, 2)
    training = Training(epochs=60, lr=0.02, weight_decay=5e-4)
    classified = train_classifier(model, hypergraph, X, labels, train, test, training, seed=3)
    assert classified.probabilities.shape == (hypergraph.num_nodes, 3)
    assert classified.auc > 0.7


@pytest.mark.parametrize("name", MODELS)
def test_same_weights_read_another_hypergraph(name: str) -> None:
    model = build(name, 12).eval()
    small, large = communities(0), communities(1, each=20, hyperedges=60)
    for hypergraph in (small, large):
        X = features_of(hypergraph)
        assert model(model.prepare(hypergraph, X)).nodes.shape == (hypergraph.num_nodes, model.width)
        dense = model(model.prepare(hypergraph, X.toarray())).nodes
        if name not in ("hypergcn", "fast-hypergcn"):  # their graph is drawn at random in each pass
            torch.testing.assert_close(dense, model(model.prepare(hypergraph, X)).nodes)


@pytest.mark.parametrize("layers", [1, 2, 3])
@pytest.mark.parametrize("sigma", ["rrelu", "tanh", "leaky_relu", "gelu", "selu"])
def test_hnn_takes_any_depth_activation_and_hyperedge_features(layers: int, sigma: str) -> None:
    hypergraph = communities()
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(hypergraph.num_nodes, 6)), rng.normal(size=(hypergraph.num_hyperedges, 4))
    widths = (8, 7, 5)[:layers]
    for self_loops in ("none", "isolated", "all"):
        model = HNN(6, widths, sigma_v=sigma, sigma_e="tanh", num_hyperedge_features=4, self_loops=self_loops)
        out = model(model.prepare(hypergraph, X, Y))
        assert out.nodes.shape == (hypergraph.num_nodes, widths[-1])
        assert out.hyperedges.shape == (hypergraph.num_hyperedges, widths[-1])
    with pytest.raises(ValueError, match="hyperedge_features"):
        model.prepare(hypergraph, X)


@pytest.mark.parametrize("kind", list(PSI))
def test_psi_embeds_a_node_differently_in_each_hyperedge(kind: str) -> None:
    hypergraph = communities()
    model = HNN(12, (8, 8), psi_kind=kind).eval()
    out = model(model.prepare(hypergraph, features_of(hypergraph)))
    node = int(np.diff(hypergraph.incidence.indptr).argmax())
    hyperedges = hypergraph.hyperedges_of(node)
    Z_i = model.dependent_of(out, hypergraph, node)
    assert Z_i.shape == (len(hyperedges), 8) and len(hyperedges) > 1
    assert not torch.allclose(Z_i[0], Z_i[1])
    one = model.dependent(out.nodes[node], out.hyperedges[int(hyperedges[0])])
    torch.testing.assert_close(Z_i[0], one)
    stranger = next(e for e in range(hypergraph.num_hyperedges) if e not in hyperedges)
    assert model.dependent(out.nodes[node], out.hyperedges[stranger]).shape == (8,)


@pytest.mark.parametrize("name", list(VARIANTS))
def test_a_known_hyperedge_asked_about_as_new_gets_its_own_embedding(name: str) -> None:
    hypergraph = communities()
    model = HNN(12, (8, 8), variant=name).eval()
    out = model(model.prepare(hypergraph, features_of(hypergraph)))
    lists = [hypergraph.members(e).tolist() for e in range(hypergraph.num_hyperedges)]
    torch.testing.assert_close(embed_new_hyperedges(model, out, lists), out.hyperedges)
    # and a candidate does not depend on which others are asked about
    torch.testing.assert_close(
        embed_new_hyperedges(model, out, [[0, 13]]), embed_new_hyperedges(model, out, [[0, 13], [1, 2]])[:1]
    )


def test_a_new_node_is_close_to_what_training_with_it_gives() -> None:
    """Cosine between the inductive embedding and the retrained one, against the mean over all nodes."""
    full, X = communities(hyperedges=80), features_of(communities()).toarray()
    node = full.num_nodes - 3  # take out a node, train, and bring it back
    joined = full.hyperedges_of(node)
    pairs = full.incidence.tocoo()
    keep = pairs.coords[0] != node
    without = Hypergraph.from_pairs(
        pairs.coords[0][keep] - (pairs.coords[0][keep] > node),
        pairs.coords[1][keep],
        full.num_nodes - 1,
        full.num_hyperedges,
    )
    rest = np.delete(X, node, axis=0)

    def train(hypergraph: Hypergraph, features: np.ndarray) -> HNN:
        seed_everything(0)
        model = HNN(12, (16, 16))
        train_predictor(model, hypergraph, features, training=Training(epochs=60), seed=0)
        return model.eval()

    before, after = train(without, rest), train(full, X)
    z_new = embed_new_nodes(before, without, rest, X[[node]], [joined])[0]
    z_retrained = after(after.prepare(full, X)).nodes[node]
    others = after(after.prepare(full, X)).nodes
    close = torch.cosine_similarity(z_new, z_retrained, dim=0)
    typical = torch.cosine_similarity(z_new[None], others, dim=1).mean()
    assert close > 0.8 and close > typical + 0.2


def test_new_hyperedges_score_as_after_training_with_them() -> None:
    """Scores of hyperedges never seen correlate with those a model trained with them gives."""
    full, X = communities(hyperedges=80), features_of(communities())
    task = HyperedgePrediction(protocol="inductive")
    seed_everything(0)
    inductive = train_predictor(HNN(12, (16, 16)), full, X, task, Training(epochs=60), seed=0)
    seed_everything(0)
    retrained = train_predictor(HNN(12, (16, 16)), full, X, HyperedgePrediction(), Training(epochs=60), seed=0)
    lists = [full.members(e).tolist() for e in range(full.num_hyperedges)]
    ours = embed_new_hyperedges(inductive.model, inductive.embeddings, lists)
    theirs = embed_new_hyperedges(retrained.model, retrained.embeddings, lists)
    assert torch.cosine_similarity(ours, theirs, dim=1).mean() > 0.8


def test_clique_is_hht_minus_d() -> None:
    hypergraph = communities()
    H = hypergraph.incidence.toarray()
    A = H @ H.T
    np.fill_diagonal(A, 0)
    X = torch.randn(hypergraph.num_nodes, 3)
    clique = Clique(hypergraph)
    half = np.diag((A.sum(1) + 1) ** -0.5)
    np.testing.assert_allclose(clique.symmetric(X), half @ (A + np.eye(len(A))) @ half @ X.numpy(), atol=1e-5)
    mean = A @ X.numpy() / np.maximum(A.sum(1), 1)[:, None]
    np.testing.assert_allclose(clique.mean(X), mean, atol=1e-5)


@pytest.mark.parametrize("mediators", [False, True])
def test_hypergcn_graph_is_that_of_its_authors_loop(mediators: bool) -> None:
    hypergraph = communities()
    signal = np.random.default_rng(2).normal(size=(hypergraph.num_nodes, 5))
    direction = np.random.default_rng(7).random(5)
    A = np.eye(hypergraph.num_nodes)
    for e in range(hypergraph.num_hyperedges):
        members = hypergraph.members(e)
        p = signal[members] @ direction
        high, low = members[p.argmax()], members[p.argmin()]
        share = 1 / (2 * len(members) - 3) if mediators else 1 / len(members)
        joined = [(high, low)]
        if mediators:
            joined += [(end, m) for m in members if m not in (high, low) for end in (high, low)]
        for i, j in joined:
            A[i, j] += share
            A[j, i] += share
    half = np.diag(A.sum(1) ** -0.5)
    ours = laplacian(hypergraph, signal, np.random.default_rng(7), mediators)
    np.testing.assert_allclose(ours.toarray(), half @ A @ half, atol=1e-12)
