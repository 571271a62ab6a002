"""Hyperedge prediction: is this set of nodes a hyperedge? (Sections 3.5.1 and 4.1.)"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse
from torch import Tensor
from torch.nn import functional as F

from hnn_core.hypergraph import Hypergraph, keep_hyperedges
from hnn_core.latent_features import aligned
from hnn_core.metrics import auc
from hnn_core.models.model import Embeddings, FeatureMatrix, Model, Training
from hnn_core.nn.members import MemberSets
from hnn_core.seeds import derive, generator, seed_everything
from hnn_core.tasks.negatives import KnownHyperedges, sample_negatives
from hnn_core.tasks.protocols import HyperedgeSplit, split_hyperedges, visible
from hnn_core.tasks.scoring import Score, build_score
from hnn_core.training import Epoch, evaluate, fit

#: Node features, or what derives node (and hyperedge) features from the hypergraph a model may see.
NodeAndHyperedgeFeatures: TypeAlias = tuple[FeatureMatrix, FeatureMatrix | None]
FeatureSource: TypeAlias = FeatureMatrix | Callable[[Hypergraph], NodeAndHyperedgeFeatures]


@dataclass(frozen=True)
class HyperedgePrediction:
    """Settings of the task.

    Args:
        protocol: ``transductive`` or ``inductive``, see :mod:`hnn_core.tasks.protocols`.
        score: ``mean_cosine``, ``mean_product``, ``max_min`` or, with HNN, ``dependent``.
        difficulty: α, the share of a hyperedge's nodes that a negative keeps.
        train_share: share of hyperedges trained on.
        folds: 1 lets every training hyperedge pass messages while it is itself predicted, as the paper does; a
            model then learns to recognise a hyperedge by the messages it sent, which a new one never did. With
            k > 1 each k-th part is predicted from the messages of the others.
    """

    protocol: str = "transductive"
    score: str = "mean_cosine"
    difficulty: float = 0.5
    train_share: float = 0.8
    folds: int = 1


@dataclass(frozen=True)
class Part:
    """Training hyperedges predicted together, and what the model reads while it predicts them."""

    prepared: Any
    supervised: NDArray[np.int64]


@dataclass(frozen=True)
class TrainedPredictor:
    """A trained model with its score, its embeddings of the visible hypergraph, its curve and its test AUC."""

    model: Model
    score: Score
    embeddings: Embeddings
    curve: list[Epoch]
    auc: float


def train_predictor(
    model: Model,
    hypergraph: Hypergraph,
    features: FeatureSource,
    task: HyperedgePrediction | None = None,
    training: Training | None = None,
    seed: int = 0,
    split: HyperedgeSplit | None = None,
    measure_every: int = 0,
    on_epoch: Callable[[Epoch], None] | None = None,
) -> TrainedPredictor:
    """Train on a part of the hyperedges, test on the others.

    Negatives are drawn anew in each epoch; those of the test are fixed by the seed. ``split`` overrides the
    random split. With ``measure_every``, every so many epochs have the test AUC and test loss in the curve (for
    drawing: nothing is chosen by them).
    """
    task = task or HyperedgePrediction()
    training = training or model.recommended
    split = split or split_hyperedges(hypergraph.num_hyperedges, task.train_share, seed)
    if task.folds < 1:
        raise ValueError(f"folds is {task.folds}: expected 1 or more")
    seed_everything(derive(seed, "training"))
    score = build_score(task.score, model.width).to(model.device, model.dtype)
    seen = visible(hypergraph, split, task.protocol)
    read = _derived(features, seen)
    prepared = model.prepare(seen, *read)
    parts = [Part(prepared, split.train)]
    if task.folds > 1:
        parts = _folds(model, hypergraph, features, read, task, split, seed)
    positives = hypergraph.incidence_transpose
    test_sets, test_labels = _test_sets(positives, split.test, task.difficulty, seed, model)

    def losses(epoch: int) -> Iterator[Tensor]:
        rng = generator(seed, "negatives", epoch)
        known = KnownHyperedges(positives[split.train])
        for part in parts:
            for batch in _batches(part.supervised, training.batch_size, rng):
                negatives = sample_negatives(positives[batch], rng, task.difficulty, known)
                sets = MemberSets(_stack(positives[batch], negatives), model.device, model.dtype)
                embeddings = model(part.prepared, hyperedges=score.needs_hyperedges)
                labels = _labels(len(batch), model)
                yield F.binary_cross_entropy_with_logits(score(model, embeddings, sets), labels)

    def measure() -> dict[str, float]:
        logits = score(model, model(prepared, hyperedges=score.needs_hyperedges), test_sets)
        loss = F.binary_cross_entropy_with_logits(logits, test_labels)
        return {
            "auc": auc(test_labels.cpu().numpy(), logits.cpu().numpy()),
            "test_loss": float(loss),
        }

    decayed = [*model.decayed_parameters(), *_weights_of(score)]
    curve = fit([model, score], losses, training, decayed, measure, measure_every, on_epoch)
    final = evaluate([model, score], measure)
    with torch.no_grad():
        embeddings = model(prepared)
    return TrainedPredictor(model, score, embeddings, curve, final["auc"])


def _folds(
    model: Model,
    hypergraph: Hypergraph,
    features: FeatureSource,
    read: NodeAndHyperedgeFeatures,
    task: HyperedgePrediction,
    split: HyperedgeSplit,
    seed: int,
) -> list[Part]:
    """Each part of the training hyperedges, to be predicted from the messages of the others.

    Features that are derived anew for each part have axes of their own: they are turned onto those the trained model
    will read, or its weights would mean something else in every part.
    """
    order = generator(seed, "folds").permutation(split.train)
    parts = []
    for held in np.array_split(order, task.folds):
        others = np.setdiff1d(split.train, held)
        if task.protocol == "transductive":
            others = np.union1d(others, split.test)
        rest = keep_hyperedges(hypergraph, others)
        nodes, hyperedges = _derived(features, rest)
        if callable(features) and isinstance(nodes, np.ndarray) and isinstance(read[0], np.ndarray):
            nodes = aligned(nodes, read[0])
        parts.append(Part(model.prepare(rest, nodes, hyperedges), np.sort(held)))
    return parts


def _derived(features: FeatureSource, hypergraph: Hypergraph) -> NodeAndHyperedgeFeatures:
    return features(hypergraph) if callable(features) else (features, None)


def _test_sets(
    positives: sparse.csr_array, test: NDArray[np.int64], difficulty: float, seed: int, model: Model
) -> tuple[MemberSets, Tensor]:
    rng = generator(seed, "test negatives")
    negatives = sample_negatives(positives[test], rng, difficulty, KnownHyperedges(positives))
    sets = MemberSets(_stack(positives[test], negatives), model.device, model.dtype)
    return sets, _labels(len(test), model)


def _stack(positives: sparse.csr_array, negatives: sparse.csr_array) -> sparse.csr_array:
    return sparse.csr_array(sparse.vstack([positives, negatives], format="csr"))


def _labels(each: int, model: Model) -> Tensor:
    return torch.cat([torch.ones(each), torch.zeros(each)]).to(model.device, model.dtype)


def _weights_of(score: Score) -> list[torch.nn.Parameter]:
    """Weight matrices of a score; its scale and bias are not decayed."""
    return [p for p in score.parameters() if p.dim() > 1]


def _batches(indices: NDArray[np.int64], size: int | None, rng: np.random.Generator) -> list[NDArray[np.int64]]:
    if size is None or size >= len(indices):
        return [indices]
    return np.array_split(rng.permutation(indices), -(-len(indices) // size))
