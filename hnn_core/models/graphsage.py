"""GraphSAGE (Hamilton et al. 2017) with the mean aggregator, over the clique expansion A = HHᵀ − D."""

from __future__ import annotations

from typing import ClassVar

from torch import Tensor, cat, nn
from torch.nn import functional as F

from hnn_core.hypergraph import Hypergraph
from hnn_core.models.gcn import GCNInputs
from hnn_core.models.model import Embeddings, FeatureMatrix, Model, Training
from hnn_core.nn.clique import Clique
from hnn_core.nn.layer import Matrix
from hnn_core.nn.linear import Linear


class GraphSAGE(Model):
    """h' = ReLU([h W_self ; mean_{j∈N(i)} h_j W_neighbours]), twice, 128+128 wide, rows of length one at the end.

    The authors draw 25 and 10 neighbours a node to bound memory; here the mean is over all neighbours, which is
    what their draw estimates. Their training: learning rate .01, 10 epochs, batches of 512.
    """

    recommended: ClassVar[Training] = Training(epochs=10, lr=0.01, weight_decay=0.0, batch_size=512)

    def __init__(self, num_features: int, out: int | None = None, hidden: int = 128) -> None:
        super().__init__()
        self.first = _SageLayer(num_features, hidden)
        self.second = _SageLayer(2 * hidden, hidden)
        # Their supervised model ends in one dense layer over the normalised embedding.
        self.head = None if out is None else Linear(2 * hidden, out)
        self.width = 2 * hidden if out is None else out

    def prepare(
        self,
        hypergraph: Hypergraph,
        features: FeatureMatrix,
        hyperedge_features: FeatureMatrix | None = None,
    ) -> GCNInputs:
        return GCNInputs(Clique(hypergraph, self.device, self.dtype), self.matrix(features))

    def forward(self, prepared: GCNInputs, hyperedges: bool = True) -> Embeddings:
        clique, X = prepared
        Z = F.normalize(self.second(clique, F.relu(self.first(clique, X))), eps=1e-6)
        return Embeddings(Z if self.head is None else self.head(Z))


class _SageLayer(nn.Module):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.own = Linear(inputs, outputs, bias=False)
        self.neighbours = Linear(inputs, outputs, bias=False)

    def forward(self, clique: Clique, X: Matrix) -> Tensor:
        return cat([self.own(X), clique.mean(self.neighbours(X))], dim=1)
