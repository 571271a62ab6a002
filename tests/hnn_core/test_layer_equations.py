"""Each layer equals a dense NumPy transcription of its equation, in values and gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor

from hnn_core.hypergraph import Hypergraph
from hnn_core.nn import VARIANTS, Propagation, SparseMatrix
from hnn_core.nn.activations import RReLU
from hnn_core.nn.layer import HypergraphLayer
from hnn_core.nn.randomness import dropout

Array = NDArray[np.float64]


def random_hypergraph(seed: int, nodes: int = 12, hyperedges: int = 7) -> Hypergraph:
    """Some nodes in no hyperedge, a singleton and an empty hyperedge included."""
    rng = np.random.default_rng(seed)
    lists = [rng.choice(nodes - 3, size=size, replace=False) for size in rng.integers(2, 6, hyperedges - 2)]
    return Hypergraph.from_hyperedges([*[e.tolist() for e in lists], [0], []], num_nodes=nodes)


def pinv(degrees: Array) -> Array:
    return np.diag(np.divide(1.0, degrees, out=np.zeros_like(degrees), where=degrees > 0))


class Dense:
    """H, D⁻¹, D_e⁻¹, P and P_e as the paper writes them."""

    def __init__(self, hypergraph: Hypergraph) -> None:
        self.H: Array = hypergraph.incidence.toarray()
        self.D, self.De = pinv(self.H.sum(axis=1)), pinv(self.H.sum(axis=0))
        self.P = self.H @ self.De @ (self.D @ self.H).T
        self.Pe = (self.D @ self.H).T @ self.H @ self.De


def kernels(name: str, g: Dense) -> tuple[Array, Array]:
    """K_v and K_e of the decoupled variants, as printed."""
    H, D, De, P, Pe = g.H, g.D, g.De, g.P, g.Pe
    return {
        "hnn-p2": (D @ H @ De @ H.T @ D + P + P @ P, De @ H.T @ D @ H @ De + Pe + Pe @ Pe),
        "hnn++": (D @ H @ Pe @ De @ H.T @ D + P, De @ H.T @ P @ D @ H @ De + Pe),
        "hnn-wt": (D @ H @ Pe @ H.T @ D, De @ H.T @ P @ H @ De),
        "hnn-wt-unnormalised": (H @ Pe @ H.T, H.T @ P @ H),
        "hnn-h2": (H @ H.T + P, H.T @ H + Pe),
    }[name]


def transcription(name: str, layer: HypergraphLayer, g: Dense, Z: Array, Y: Array) -> tuple[Array, Array]:
    weight: Callable[[str], Any] = lambda key: layer.state_dict()[key].numpy()  # noqa: E731
    skip = Z @ weight("W_skip") + weight("b_skip") if layer.W_skip is not None else 0.0
    if name == "hnn":
        H, D, De, P, Pe = g.H, g.D, g.De, g.P, g.Pe
        Z_next = np.tanh((D @ H @ Pe @ De @ H.T @ D @ Z + D @ H @ Y) @ weight("W") + skip)
        Y_wide = Y @ weight("R") if "R" in layer.state_dict() else Y
        Y_next = (De @ H.T @ P @ D @ H @ De @ Y_wide + (H @ De).T @ Z_next) @ weight("W_e")
    else:
        K_v, K_e = kernels(name, g)
        Z_next = np.tanh(K_v @ Z @ weight("W") + skip)
        Y_next = K_e @ Y @ weight("W_e")
    return Z_next, np.where(Y_next > 0, Y_next, 0.01 * Y_next)


@pytest.mark.parametrize("skip", [False, True])
@pytest.mark.parametrize("first", [False, True], ids=["given-Y", "Y-from-Z"])
@pytest.mark.parametrize("name", list(VARIANTS))
@pytest.mark.parametrize("widths", [(5, 3), (4, 4)])
def test_layer_equals_its_equation(name: str, first: bool, skip: bool, widths: tuple[int, int]) -> None:
    for seed in range(5):
        torch.manual_seed(seed)
        hypergraph = random_hypergraph(seed)
        g = Dense(hypergraph)
        layer = VARIANTS[name](widths[0], widths[0], widths[1], "tanh", "leaky_relu", skip)
        if layer.b_skip is not None:
            torch.nn.init.normal_(layer.b_skip)
        Z = torch.randn(hypergraph.num_nodes, widths[0])
        Y = (g.D @ g.H).T @ Z.numpy() if first else np.random.default_rng(seed).normal(size=(7, widths[0]))
        given = None if first else torch.tensor(Y, dtype=torch.float32)
        out = layer(Propagation(hypergraph), Z, given)
        expected_Z, expected_Y = transcription(name, layer, g, Z.numpy().astype(np.float64), Y)
        np.testing.assert_allclose(out.nodes.detach(), expected_Z, atol=1e-5)
        np.testing.assert_allclose(out.hyperedges.detach(), expected_Y, atol=1e-5)


@pytest.mark.parametrize("name", list(VARIANTS))
def test_gradients_are_exact(name: str) -> None:
    hypergraph = random_hypergraph(1)
    torch.manual_seed(0)
    layer = VARIANTS[name](3, 3, 2, "tanh", "gelu", True).double()
    H = Propagation(hypergraph, dtype=torch.float64)
    Z = torch.randn(hypergraph.num_nodes, 3, dtype=torch.float64, requires_grad=True)
    Y = torch.randn(hypergraph.num_hyperedges, 3, dtype=torch.float64, requires_grad=True)
    names = list(dict(layer.named_parameters()))

    def both(Z: Tensor, Y: Tensor, *weights: Tensor) -> tuple[Tensor, Tensor]:
        out = torch.func.functional_call(layer, dict(zip(names, weights, strict=True)), (H, Z, Y))
        return out.nodes, out.hyperedges

    assert torch.autograd.gradcheck(both, (Z, Y, *layer.parameters()))


def test_sparse_features_give_what_dense_ones_give() -> None:
    hypergraph = random_hypergraph(2)
    X = np.random.default_rng(0).random((hypergraph.num_nodes, 6)) * (
        np.random.default_rng(1).random((hypergraph.num_nodes, 6)) > 0.6
    )
    layer = VARIANTS["hnn"](6, 6, 3)
    layer.eval()
    H = Propagation(hypergraph)
    dense = layer(H, torch.tensor(X, dtype=torch.float32), None)
    thin = layer(H, SparseMatrix.from_scipy(X), None)
    torch.testing.assert_close(dense.nodes, thin.nodes)
    torch.testing.assert_close(dense.hyperedges, thin.hyperedges)


def test_nodes_in_no_hyperedge_are_zero_unless_they_loop_or_skip() -> None:
    hypergraph = random_hypergraph(3)
    isolated = np.flatnonzero(np.diff(hypergraph.incidence.indptr) == 0)
    assert len(isolated) >= 3
    X = torch.randn(hypergraph.num_nodes, 4)
    plain, skipping = VARIANTS["hnn"](4, 4, 4), VARIANTS["hnn"](4, 4, 4, skip=True)
    assert (plain(Propagation(hypergraph), X, None).nodes[isolated] == 0).all()
    looped = plain(Propagation(hypergraph, "isolated"), X, None)
    assert (looped.nodes[isolated] != 0).any(dim=1).all()
    assert len(looped.hyperedges) == hypergraph.num_hyperedges + len(isolated)
    assert (skipping(Propagation(hypergraph), X, None).nodes[isolated] != 0).any(dim=1).all()


def test_hyperedge_features_may_have_another_width() -> None:
    hypergraph = random_hypergraph(4)
    layer = VARIANTS["hnn"](5, 2, 3, "tanh", "tanh")
    Z, Y = torch.randn(hypergraph.num_nodes, 5), torch.randn(hypergraph.num_hyperedges, 2)
    g, w = Dense(hypergraph), {k: v.numpy() for k, v in layer.state_dict().items()}
    expected = np.tanh(g.D @ g.H @ g.Pe @ g.De @ g.H.T @ g.D @ Z.numpy() @ w["W"] + g.D @ g.H @ Y.numpy() @ w["W_y"])
    np.testing.assert_allclose(layer(Propagation(hypergraph), Z, Y).nodes.detach(), expected, atol=1e-5)


def test_sparse_product_matches_dense_in_both_directions_and_drops_the_same_entries() -> None:
    matrix = np.random.default_rng(0).random((6, 4)) * (np.random.default_rng(1).random((6, 4)) > 0.4)
    A = SparseMatrix.from_scipy(matrix)
    X = torch.randn(4, 5, requires_grad=True)
    (A @ X).square().sum().backward()
    dense = torch.tensor(matrix, dtype=torch.float32)
    np.testing.assert_allclose(X.grad, 2 * dense.T @ (dense @ X.detach()), atol=1e-5)
    torch.testing.assert_close(A.T.to_dense(), dense.T)
    dropped = A.dropout(0.5)
    torch.testing.assert_close(dropped.T.to_dense(), dropped.to_dense().T)
    kept = dropped.to_dense() != 0
    assert 0 < kept.sum() < (dense != 0).sum()
    torch.testing.assert_close(dropped.to_dense()[kept], 2 * dense[kept])


@pytest.mark.parametrize("probability", [0.2, 0.5, 0.9])
def test_dropout_keeps_the_expectation_and_the_gradient_of_what_it_keeps(probability: float) -> None:
    torch.manual_seed(0)
    x = torch.ones(400, 250, requires_grad=True)
    out = dropout(x, probability)
    kept = out != 0
    assert abs(float(kept.double().mean()) - (1 - probability)) < 0.01
    assert abs(float(out.detach().mean()) - 1) < 0.02 and len(out[kept].unique()) == 1
    out.sum().backward()
    assert torch.equal(x.grad, out.detach())
    assert dropout(x, probability, training=False) is x
    with pytest.raises(ValueError, match=r"dropout is 1\.0"):
        dropout(x, 1.0)


def test_rrelu_draws_slopes_evenly_between_an_eighth_and_a_third() -> None:
    torch.manual_seed(0)
    rrelu = RReLU()
    x = torch.full((1000, 101), -1.0)
    slopes = -rrelu(x)
    assert slopes.min() >= 1 / 8 - 1e-6 and slopes.max() <= 1 / 3 + 1e-6
    share, _ = np.histogram(slopes.numpy(), bins=8, range=(1 / 8, 1 / 3 + 1e-6))
    np.testing.assert_allclose(share / slopes.numel(), 1 / 8, atol=0.01)
    # every position of the eight bytes of a draw is as even as the others
    np.testing.assert_allclose(slopes.flatten()[: 8 * 12000].view(-1, 8).mean(0), 11 / 48, atol=0.003)
    assert (rrelu(torch.ones(5)) == 1).all()
    rrelu.eval()
    torch.testing.assert_close(rrelu(x), x * (1 / 8 + 1 / 3) / 2)
    rrelu.train()
    y = torch.randn(64, 3, dtype=torch.float64, requires_grad=True)
    out = rrelu(y)
    out.sum().backward()
    torch.testing.assert_close(y.grad, out.detach() / y.detach())


def test_products_of_constant_features_are_made_once_and_are_the_same() -> None:
    """With dropout or with features that are themselves trained nothing is kept."""
    hypergraph = Hypergraph.from_hyperedges([[0, 1, 2], [2, 3], [1, 3, 4]], num_nodes=6)
    layer = VARIANTS["hnn"](4, 4, 4, "tanh", "tanh")
    X = torch.randn(6, 4)
    plain, kept = Propagation(hypergraph), Propagation(hypergraph)
    kept.remember(X)
    first, again, expected = layer(kept, X, None), layer(kept, X, None), layer(plain, X, None)
    for a, b, c in zip(first[:2], again[:2], expected[:2], strict=True):
        assert torch.equal(a, c) and torch.equal(b, c)
    assert kept.once("sent", X, lambda: pytest.fail("made again")) is not None
    other = X + 1
    assert torch.equal(layer(kept, other, None).nodes, layer(plain, other, None).nodes)
    trained = X.clone().requires_grad_()
    kept.remember(trained)
    layer(kept, trained, None).nodes.sum().backward()
    assert trained.grad is not None
