"""HNN, its variants and its rivals, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hnn_core.models.fast_hypergcn import FastHyperGCN
from hnn_core.models.gcn import GCN
from hnn_core.models.graphsage import GraphSAGE
from hnn_core.models.hgnn import HGNN
from hnn_core.models.hnn import HNN
from hnn_core.models.hypergcn import HyperGCN
from hnn_core.models.mlp import MLP
from hnn_core.models.model import Embeddings, FeatureMatrix, Model, Training
from hnn_core.nn import VARIANTS

BASELINES: dict[str, Callable[..., Model]] = {
    "mlp": MLP,
    "gcn": GCN,
    "graphsage": GraphSAGE,
    "hgnn": HGNN,
    "hypergcn": HyperGCN,
    "fast-hypergcn": FastHyperGCN,
}
MODELS = (*VARIANTS, *BASELINES)


def build(name: str, num_features: int, **options: Any) -> Model:
    """A model by name: a variant of HNN (:data:`hnn_core.nn.VARIANTS`) or one of :data:`BASELINES`."""
    if name in VARIANTS:
        return HNN(num_features, variant=name, **options)
    if name in BASELINES:
        return BASELINES[name](num_features, **options)
    raise ValueError(f"model {name!r} is not known: choose one of {', '.join(MODELS)}")


__all__ = [
    "BASELINES",
    "GCN",
    "HGNN",
    "HNN",
    "MLP",
    "MODELS",
    "Embeddings",
    "FastHyperGCN",
    "FeatureMatrix",
    "GraphSAGE",
    "HyperGCN",
    "Model",
    "Training",
    "build",
]
