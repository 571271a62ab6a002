"""HGNN (Feng et al. 2019)."""

from __future__ import annotations

from typing import ClassVar

from torch.nn import functional as F

from hnn_core.hypergraph import Hypergraph
from hnn_core.models.hnn import HNNInputs
from hnn_core.models.model import Embeddings, FeatureMatrix, Model, Training
from hnn_core.nn.linear import Linear
from hnn_core.nn.propagation import Propagation
from hnn_core.nn.randomness import dropout


class HGNN(Model):
    """Z = G(ReLU(G(X Θ₁ + b₁)) Θ₂ + b₂) with G = D^−½ H D_e⁻¹ Hᵀ D^−½.

    G is two sparse products, not the authors' dense N×N matrix, with 0 where theirs is NaN at degree zero.
    Their settings: width 128, learning rate .001, 600 epochs, times .9 at epoch 100, dropout .5. Dropout is off
    at evaluation and the last epoch counts: theirs stays on, and they keep the best epoch on the test set.
    """

    recommended: ClassVar[Training] = Training(epochs=600, lr=0.001, weight_decay=5e-4, decay_at=(100,), decay=0.9)

    def __init__(self, num_features: int, out: int = 64, hidden: int = 128, dropout: float = 0.5) -> None:
        super().__init__()
        self.first, self.second = Linear(num_features, hidden), Linear(hidden, out)
        self.width, self.dropout = out, dropout

    def prepare(
        self,
        hypergraph: Hypergraph,
        features: FeatureMatrix,
        hyperedge_features: FeatureMatrix | None = None,
    ) -> HNNInputs:
        return HNNInputs(Propagation(hypergraph, device=self.device, dtype=self.dtype), self.matrix(features), None)

    def forward(self, prepared: HNNInputs, hyperedges: bool = True) -> Embeddings:
        half = prepared.H.H(-0.5, -0.5)
        hidden = F.relu(half @ (half.T @ self.first(prepared.X)))
        hidden = dropout(hidden, self.dropout, self.training)
        return Embeddings(half @ (half.T @ self.second(hidden)))
