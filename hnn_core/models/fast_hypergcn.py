"""FastHyperGCN (Yadati et al. 2019): HyperGCN with its graph fixed once, from the features."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from hnn_core.hypergraph import Hypergraph
from hnn_core.models.hypergcn import HyperGCN
from hnn_core.models.model import Embeddings, FeatureMatrix
from hnn_core.nn.hypergcn_laplacian import laplacian
from hnn_core.nn.layer import Matrix
from hnn_core.nn.linear import Linear
from hnn_core.nn.randomness import dropout
from hnn_core.nn.sparse import SparseMatrix


class FastHyperGCNInputs(NamedTuple):
    graph: SparseMatrix
    X: Matrix


class FastHyperGCN(HyperGCN):
    """H' = ReLU(L(X) HΘ + b) with L approximated once, before training. Other settings as HyperGCN."""

    def prepare(  # type: ignore[override]
        self,
        hypergraph: Hypergraph,
        features: FeatureMatrix,
        hyperedge_features: FeatureMatrix | None = None,
    ) -> FastHyperGCNInputs:
        rng = np.random.default_rng(int(torch.randint(2**31, ()).item()))
        matrix = laplacian(hypergraph, features, rng, self.mediators)
        graph = SparseMatrix.from_scipy(matrix, self.dtype, self.device)
        return FastHyperGCNInputs(graph, self.matrix(features))

    def forward(self, prepared: FastHyperGCNInputs, hyperedges: bool = True) -> Embeddings:  # type: ignore[override]
        H = prepared.X
        for k, layer in enumerate(self.layers):
            assert isinstance(layer, Linear) and layer.bias is not None
            H = F.relu(prepared.graph @ (H @ layer.weight) + layer.bias)
            if k < len(self.layers) - 1:
                H = dropout(H, self.dropout, self.training)
        assert isinstance(H, Tensor)
        return Embeddings(H)
