"""Node classification from few labelled nodes (sections 3.5.2 and 4.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from hnn_core.hypergraph import Hypergraph
from hnn_core.metrics import accuracy, macro_auc
from hnn_core.models.model import FeatureMatrix, Model, Training
from hnn_core.nn.linear import Linear
from hnn_core.seeds import derive, generator, seed_everything
from hnn_core.training import Epoch, evaluate, fit


@dataclass(frozen=True)
class TrainedClassifier:
    """A trained model with its head, the predicted probabilities P (N×C), its curve and its test measures."""

    model: Model
    head: nn.Module
    probabilities: Tensor
    curve: list[Epoch]
    auc: float
    accuracy: float


def train_classifier(
    model: Model,
    hypergraph: Hypergraph,
    features: FeatureMatrix,
    labels: NDArray[np.int64],
    train: NDArray[np.int64],
    test: NDArray[np.int64],
    training: Training | None = None,
    head_dropout: float = 0.0,
    seed: int = 0,
    measure_every: int = 0,
    on_epoch: Callable[[Epoch], None] | None = None,
) -> TrainedClassifier:
    """Minimise −1/|V_L| Σ_i Σ_k Y_ik log P_ik over the labelled nodes ``train``; measure on ``test``.

    P is the softmax of the model's output where it is as wide as there are classes, else of a linear layer
    over it. AUC is the macro mean of one class against the rest.
    """
    training = training or model.recommended
    num_classes = int(labels.max()) + 1
    seed_everything(derive(seed, "training"))
    head: nn.Module = nn.Identity()
    if model.width != num_classes:
        head = nn.Sequential(nn.Dropout(head_dropout), Linear(model.width, num_classes))
    head = head.to(model.device, model.dtype)
    prepared = model.prepare(hypergraph, features)
    # Only the labels of training nodes exist from here on, until a measure asks for the others.
    targets = torch.tensor(labels[train], device=model.device)

    def logits() -> Tensor:
        out: Tensor = head(model(prepared, hyperedges=False).nodes)
        return out

    def losses(epoch: int) -> Iterator[Tensor]:
        order = np.arange(len(train))
        if training.batch_size is not None and training.batch_size < len(train):
            order = generator(seed, "batches", epoch).permutation(order)
        for batch in np.array_split(order, -(-len(order) // (training.batch_size or len(order)))):
            yield F.cross_entropy(logits()[train[batch]], targets[batch])

    def measure() -> dict[str, float]:
        scores = logits()[test].double().softmax(dim=1).cpu().numpy()
        return {"auc": macro_auc(labels[test], scores), "accuracy": accuracy(labels[test], scores)}

    decayed = [*model.decayed_parameters(), *(p for p in head.parameters() if p.dim() > 1)]
    curve = fit([model, head], losses, training, decayed, measure, measure_every, on_epoch)
    final = evaluate([model, head], measure)
    with torch.no_grad():
        probabilities = logits().softmax(dim=1)
    return TrainedClassifier(model, head, probabilities, curve, final["auc"], final["accuracy"])
