"""HyperGCN (Yadati et al. 2019): a GCN over a graph that is approximated anew in every layer."""

from __future__ import annotations

from itertools import pairwise
from typing import ClassVar, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from hnn_core.hypergraph import Hypergraph
from hnn_core.models.model import Embeddings, FeatureMatrix, Model, Training
from hnn_core.nn.hypergcn_laplacian import laplacian
from hnn_core.nn.layer import Matrix
from hnn_core.nn.linear import Linear
from hnn_core.nn.randomness import dropout
from hnn_core.nn.sparse import SparseMatrix


class HyperGCNInputs(NamedTuple):
    hypergraph: Hypergraph
    X: Matrix


class HyperGCN(Model):
    """H' = ReLU(L(HΘ) HΘ + b), where L is rebuilt from the layer's own signal HΘ in each pass, at test too.

    The authors' settings: two layers, width 16 (64 on Citeseer), ReLU after the last layer too, dropout .5
    between, no mediators, learning rate .01, weight decay 5e-4, 200 epochs.
    """

    recommended: ClassVar[Training] = Training(epochs=200, lr=0.01, weight_decay=5e-4)

    def __init__(
        self,
        num_features: int,
        out: int = 64,
        hidden: int = 16,
        dropout: float = 0.5,
        mediators: bool = False,
    ) -> None:
        super().__init__()
        widths = [num_features, hidden, out]
        self.layers = nn.ModuleList(_uniform(Linear(a, b)) for a, b in pairwise(widths))
        self.width, self.dropout, self.mediators = out, dropout, mediators

    def prepare(
        self,
        hypergraph: Hypergraph,
        features: FeatureMatrix,
        hyperedge_features: FeatureMatrix | None = None,
    ) -> HyperGCNInputs:
        return HyperGCNInputs(hypergraph, self.matrix(features))

    def forward(self, prepared: HyperGCNInputs, hyperedges: bool = True) -> Embeddings:
        H = prepared.X
        for k, layer in enumerate(self.layers):
            assert isinstance(layer, Linear) and layer.bias is not None
            HW = H @ layer.weight
            graph = self._graph(prepared.hypergraph, HW.detach())
            H = F.relu(graph @ HW + layer.bias)
            if k < len(self.layers) - 1:
                H = dropout(H, self.dropout, self.training)
        assert isinstance(H, Tensor)
        return Embeddings(H)

    def _graph(self, hypergraph: Hypergraph, signal: Tensor) -> SparseMatrix:
        # The direction comes from torch's stream, so that one seed fixes everything.
        rng = np.random.default_rng(int(torch.randint(2**31, ()).item()))
        matrix = laplacian(hypergraph, signal.cpu().numpy(), rng, self.mediators)
        return SparseMatrix.from_scipy(matrix, self.dtype, self.device)


def _uniform(linear: Linear) -> Linear:
    """The authors' initial values, U(−1/√out, 1/√out) for weights and bias."""
    bound = linear.weight.shape[1] ** -0.5
    for parameter in linear.parameters():
        nn.init.uniform_(parameter, -bound, bound)
    return linear
