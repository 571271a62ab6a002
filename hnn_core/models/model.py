"""What a task may ask of any model: read a hypergraph with features, give embeddings."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, TypeAlias

import torch
from numpy.typing import NDArray
from scipy import sparse
from torch import Tensor, nn

from hnn_core.hypergraph import Hypergraph
from hnn_core.nn.layer import Matrix, Messages
from hnn_core.nn.randomness import dropout as dense_dropout
from hnn_core.nn.sparse import SparseMatrix

FeatureMatrix: TypeAlias = NDArray[Any] | sparse.csr_array


@dataclass(frozen=True)
class Training:
    """How a model is trained: Adam with these settings. ``decay_at``/``decay`` step the learning rate."""

    epochs: int = 200
    lr: float = 0.01
    weight_decay: float = 5e-4
    batch_size: int | None = None
    decay_at: tuple[int, ...] = ()
    decay: float = 1.0


class Embeddings(NamedTuple):
    """Z, and Y where a model has hyperedge embeddings; ``to_hyperedges`` is what a new hyperedge would receive."""

    nodes: Tensor
    hyperedges: Tensor | None = None
    to_hyperedges: Messages | None = None


class Model(nn.Module, ABC):
    """A model reads a hypergraph once (``prepare``) and embeds it in each epoch (``forward``).

    Weights do not depend on the hypergraph's size: the same model reads another one, with more nodes or other
    hyperedges, which is how it embeds what it was not trained on.
    """

    recommended: ClassVar[Training] = Training()
    width: int

    @abstractmethod
    def prepare(
        self,
        hypergraph: Hypergraph,
        features: FeatureMatrix,
        hyperedge_features: FeatureMatrix | None = None,
    ) -> Any:
        """Everything about the hypergraph that does not change during training, on this model's device."""

    @abstractmethod
    def forward(self, prepared: Any, hyperedges: bool = True) -> Embeddings:
        """Embed; ``hyperedges=False`` where nobody will ask for Y."""

    def decayed_parameters(self) -> list[nn.Parameter]:
        """Parameters that weight decay applies to: all, unless a model's authors say otherwise."""
        return list(self.parameters())

    @property
    def device(self) -> torch.device:
        return next(self.parameters()).device

    @property
    def dtype(self) -> torch.dtype:
        return next(self.parameters()).dtype

    def matrix(self, features: FeatureMatrix) -> Matrix:
        """Features on this model's device: sparse stays sparse."""
        if sparse.issparse(features):
            return SparseMatrix.from_scipy(features, self.dtype, self.device)
        return torch.as_tensor(features, dtype=self.dtype, device=self.device)


def dropout(X: Matrix, probability: float, training: bool) -> Matrix:
    """Dropout of a dense or sparse matrix, in training only."""
    if not training or probability == 0:
        return X
    if isinstance(X, SparseMatrix):
        return X.dropout(probability)
    return dense_dropout(X, probability)
