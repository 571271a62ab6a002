"""GCN (Kipf and Welling 2017) over the clique expansion A = HHᵀ − D."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

from torch import Tensor, nn
from torch.nn import functional as F

from hnn_core.hypergraph import Hypergraph
from hnn_core.models.model import Embeddings, FeatureMatrix, Model, Training, dropout
from hnn_core.nn.clique import Clique
from hnn_core.nn.layer import Matrix
from hnn_core.nn.linear import Linear


class GCNInputs(NamedTuple):
    clique: Clique
    X: Matrix


class GCN(Model):
    """Z = Â ReLU(Â X W₁) W₂ with Â = D̃^−½ (A + I) D̃^−½; A = HHᵀ − D counts the hyperedges two nodes share.

    The authors' settings: width 16, no bias, dropout .5 on the input too, weight decay on the first layer only.
    Their early stop (10 epochs without gain) needs a validation set, which these splits do not have.
    """

    recommended: ClassVar[Training] = Training(epochs=200, lr=0.01, weight_decay=5e-4)

    def __init__(self, num_features: int, out: int = 64, hidden: int = 16, dropout: float = 0.5) -> None:
        super().__init__()
        self.first = Linear(num_features, hidden, bias=False)
        self.second = Linear(hidden, out, bias=False)
        self.width, self.dropout = out, dropout

    def prepare(
        self,
        hypergraph: Hypergraph,
        features: FeatureMatrix,
        hyperedge_features: FeatureMatrix | None = None,
    ) -> GCNInputs:
        return GCNInputs(Clique(hypergraph, self.device, self.dtype), self.matrix(features))

    def forward(self, prepared: GCNInputs, hyperedges: bool = True) -> Embeddings:
        clique, X = prepared
        hidden = F.relu(clique.symmetric(self.first(dropout(X, self.dropout, self.training))))
        Z: Tensor = clique.symmetric(self.second(dropout(hidden, self.dropout, self.training)))
        return Embeddings(Z)

    def decayed_parameters(self) -> list[nn.Parameter]:
        return list(self.first.parameters())
