"""MLP: features only, no hypergraph. What a model must beat to show that hyperedges help."""

from __future__ import annotations

from typing import ClassVar

from torch.nn import functional as F

from hnn_core.hypergraph import Hypergraph
from hnn_core.models.model import Embeddings, FeatureMatrix, Model, Training, dropout
from hnn_core.nn.layer import Matrix
from hnn_core.nn.linear import Linear


class MLP(Model):
    """Two layers with ReLU between: Z = ReLU(X W₁ + b₁) W₂ + b₂."""

    recommended: ClassVar[Training] = Training(epochs=200, lr=0.01, weight_decay=5e-4)

    def __init__(self, num_features: int, out: int = 64, hidden: int = 64, dropout: float = 0.5) -> None:
        super().__init__()
        self.first, self.second = Linear(num_features, hidden), Linear(hidden, out)
        self.width, self.dropout = out, dropout

    def prepare(
        self,
        hypergraph: Hypergraph,
        features: FeatureMatrix,
        hyperedge_features: FeatureMatrix | None = None,
    ) -> Matrix:
        return self.matrix(features)

    def forward(self, prepared: Matrix, hyperedges: bool = True) -> Embeddings:
        hidden = F.relu(self.first(prepared))
        return Embeddings(self.second(dropout(hidden, self.dropout, self.training)))
