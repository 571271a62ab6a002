"""HNN and its variants: L layers of node and hyperedge embeddings, and ψ over both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

import torch
from torch import Tensor, nn

from hnn_core.hypergraph import Hypergraph
from hnn_core.models.model import Embeddings, FeatureMatrix, Model, Training, dropout
from hnn_core.nn import VARIANTS, Propagation, psi
from hnn_core.nn.layer import HypergraphLayer, Matrix
from hnn_core.nn.members import MemberSets


class HNNInputs(NamedTuple):
    H: Propagation
    X: Matrix
    Y: Tensor | None


class HNN(Model):
    """Hypergraph Neural Network.

    Args:
        num_features: width F of the node features.
        widths: width of each layer; their number is L.
        variant: ``hnn``, ``hnn-p2``, ``hnn++``, ``hnn-wt``, ``hnn-wt-unnormalised`` or ``hnn-h2``.
        sigma_v, sigma_e: activations of nodes and hyperedges; σ_e is σ_v unless given.
        num_hyperedge_features: width of given or derived hyperedge features φ_e; None starts from
            Y^(1) = (D⁻¹H)ᵀ Z^(1).
        self_loops: hyperedges {i} for ``none``, ``isolated`` or ``all`` nodes.
        skip: Z^(k) W_skip + b_skip inside σ_v.
        dropout: share of each layer's input dropped in training.
        psi: ``concat``, ``gated`` or ``sum``.
    """

    recommended: ClassVar[Training] = Training(epochs=200, lr=0.01, weight_decay=5e-4)

    def __init__(
        self,
        num_features: int,
        widths: Sequence[int] = (64, 64),
        variant: str = "hnn",
        sigma_v: str = "rrelu",
        sigma_e: str | None = None,
        num_hyperedge_features: int | None = None,
        self_loops: str = "none",
        skip: bool = False,
        dropout: float = 0.0,
        psi_kind: str = "concat",
    ) -> None:
        super().__init__()
        if variant not in VARIANTS:
            raise ValueError(f"variant {variant!r} is not known: choose one of {', '.join(VARIANTS)}")
        if not widths:
            raise ValueError("widths is empty: HNN needs at least one layer")
        node_widths = [num_features, *widths]
        hyperedge_widths = [num_hyperedge_features or num_features, *widths]
        self.layers = nn.ModuleList(
            VARIANTS[variant](d, d_e, out, sigma_v, sigma_e or sigma_v, skip)
            for d, d_e, out in zip(node_widths, hyperedge_widths, widths, strict=False)
        )
        self.psi = psi(psi_kind, widths[-1], widths[-1], widths[-1])
        self.width, self.self_loops, self.dropout = widths[-1], self_loops, dropout
        self.derives_y = num_hyperedge_features is None

    def prepare(
        self,
        hypergraph: Hypergraph,
        features: FeatureMatrix,
        hyperedge_features: FeatureMatrix | None = None,
    ) -> HNNInputs:
        H, X = Propagation(hypergraph, self.self_loops, self.device, self.dtype), self.matrix(features)
        if self.derives_y:
            if isinstance(X, Tensor):
                H.remember(X)
            return HNNInputs(H, X, None)
        if hyperedge_features is None:
            raise ValueError("this HNN was built with num_hyperedge_features: give hyperedge_features too")
        given = self.matrix(hyperedge_features)
        Y = given if isinstance(given, Tensor) else given.to_dense()
        # A self-loop hyperedge has no features of its own.
        return HNNInputs(H, X, pad_rows(Y, H.num_columns))

    def forward(self, prepared: HNNInputs, hyperedges: bool = True) -> Embeddings:
        H, Z, Y = prepared
        messages = None
        for k, layer in enumerate(self.layers):
            assert isinstance(layer, HypergraphLayer)
            Z = dropout(Z, self.dropout, self.training)
            wanted = hyperedges or k < len(self.layers) - 1
            Z, Y, messages = layer(H, Z, Y, wanted)
        assert isinstance(Z, Tensor)
        return Embeddings(Z, None if Y is None else Y[: H.num_hyperedges], messages)

    def embed_hyperedges(self, embeddings: Embeddings, sets: MemberSets) -> Tensor:
        """Y of any hyperedges over known nodes, seen in training or not, without training again.

        Each set receives what its members send to their hyperedges; sets do not see one another, so the
        embedding of a candidate does not depend on which others are asked about.
        """
        if embeddings.to_hyperedges is None:
            raise ValueError("these embeddings have no hyperedge side: call the model with hyperedges=True")
        last = self.layers[-1]
        assert isinstance(last, HypergraphLayer)
        return last.update_hyperedges(sets.gather(embeddings.to_hyperedges))

    def dependent(self, z: Tensor, y: Tensor) -> Tensor:
        """z_i^e = ψ([z_i y_e]), row by row, for members and non-members alike."""
        embedded: Tensor = self.psi(z, y)
        return embedded

    def dependent_of(self, embeddings: Embeddings, hypergraph: Hypergraph, node: int) -> Tensor:
        """Z_i (k×d): the node's embedding in each of its k hyperedges, in the order of ``hyperedges_of``."""
        if embeddings.hyperedges is None:
            raise ValueError("these embeddings have no hyperedge side: call the model with hyperedges=True")
        index = torch.as_tensor(hypergraph.hyperedges_of(node).astype("int64"), device=self.device)
        y = embeddings.hyperedges[index]
        return self.dependent(embeddings.nodes[node].expand(len(y), -1), y)


def pad_rows(Y: Tensor, rows: int) -> Tensor:
    """Y with zero rows below until it has ``rows``."""
    return torch.cat([Y, Y.new_zeros(rows - len(Y), Y.shape[1])]) if len(Y) < rows else Y
