"""Hyperedge prediction trained on batches of hyperedges, each with the sampled neighbourhood of its members.

Memory is that of a batch: activations and gradients live on its neighbourhood only, and the incidence and features
may be files mapped into memory. What stays for the whole hypergraph is 8 bytes a node and a hyperedge, by which a
negative is known not to be a hyperedge.

A step is ``shards`` batches whose gradients are averaged. Everything random is seeded by (seed, epoch, batch, shard),
so one process with two shards takes the steps of two processes with one (:mod:`hnn_core.distributed_training`), and
a resumed training the steps of one that was never disturbed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse
from torch import Tensor, nn
from torch.nn import functional as F

from hnn_core.hypergraph import Hypergraph
from hnn_core.metrics import auc
from hnn_core.models.hnn import HNN, HNNInputs, pad_rows
from hnn_core.models.model import Embeddings, FeatureMatrix, Training
from hnn_core.neighbourhoods import Incidence, Indices, Neighbourhood, Sampling, sample_neighbourhood
from hnn_core.nn.members import MemberSets
from hnn_core.seeds import derive, generator, seed_everything
from hnn_core.tasks.hyperedge_prediction import FeatureSource, HyperedgePrediction, TrainedPredictor
from hnn_core.tasks.negatives import KnownHyperedges, sample_negatives
from hnn_core.tasks.protocols import HyperedgeSplit, split_hyperedges, visible
from hnn_core.tasks.scoring import Score, build_score
from hnn_core.training import Epoch, evaluate, fit

CHUNK = 65536  # hyperedges looked at together where all are


@dataclass(frozen=True)
class MiniBatches:
    """How training is cut up.

    Args:
        batch_size: hyperedges of a batch; each brings one negative.
        sampling: the neighbourhoods trained on.
        test_sampling: the neighbourhoods embeddings are read from; larger costs no gradients.
        shards: batches whose gradients make one step together.
    """

    batch_size: int = 1024
    sampling: Sampling = field(default_factory=Sampling)
    test_sampling: Sampling = field(default_factory=lambda: Sampling(hyperedges_per_node=40, members_per_hyperedge=40))
    shards: int = 1


@dataclass(frozen=True)
class PredictionData:
    """What batches are made of: all hyperedges, those that messages may pass through, features, and the split."""

    hyperedges: Incidence
    seen: Incidence
    features: FeatureMatrix
    hyperedge_features: FeatureMatrix | None
    split: HyperedgeSplit


@dataclass(frozen=True)
class Batch:
    """Positives and negatives with what the model reads to score them."""

    inputs: HNNInputs
    sets: MemberSets
    labels: Tensor
    seed: int


def train_predictor_in_batches(
    model: HNN,
    hypergraph: Hypergraph,
    features: FeatureSource,
    task: HyperedgePrediction | None = None,
    training: Training | None = None,
    batches: MiniBatches | None = None,
    seed: int = 0,
    split: HyperedgeSplit | None = None,
    measure_every: int = 0,
    on_epoch: Callable[[Epoch], None] | None = None,
) -> TrainedPredictor:
    """As :func:`~hnn_core.tasks.hyperedge_prediction.train_predictor`, with memory bounded by the batch."""
    task, batches = task or HyperedgePrediction(), batches or MiniBatches()
    data = prediction_data(hypergraph, features, task, seed, split)
    trainer = Trainer(model, data, task, batches, seed)
    curve = fit(
        [trainer.predictor],
        trainer.losses,
        training or model.recommended,
        trainer.decayed(),
        trainer.measure,
        measure_every,
        on_epoch,
    )
    final = evaluate([trainer.predictor], trainer.measure)
    return TrainedPredictor(model, trainer.score, Embeddings(trainer.embed_all()), curve, final["auc"])


def prediction_data(
    hypergraph: Hypergraph,
    features: FeatureSource,
    task: HyperedgePrediction,
    seed: int,
    split: HyperedgeSplit | None = None,
) -> PredictionData:
    """The same split, the same visible hypergraph and the same features as in full-batch training."""
    if task.folds != 1:
        raise ValueError(f"folds is {task.folds}: mini-batches are trained with folds=1")
    split = split or split_hyperedges(hypergraph.num_hyperedges, task.train_share, seed)
    seen = visible(hypergraph, split, task.protocol)
    of_nodes, of_hyperedges = features(seen) if callable(features) else (features, None)
    return PredictionData(Incidence.of(hypergraph), Incidence.of(seen), of_nodes, of_hyperedges, split)


class Predictor(nn.Module):
    """A model and its score; called with the batches of one step it gives their mean loss."""

    def __init__(self, model: HNN, score: Score) -> None:
        super().__init__()
        self.model, self.score = model, score

    def logits(self, batch: Batch) -> Tensor:
        embeddings = self.model(batch.inputs, hyperedges=self.score.needs_hyperedges)
        scored: Tensor = self.score(self.model, embeddings, batch.sets)
        return scored

    def forward(self, batches: Sequence[Batch]) -> Tensor:
        losses = []
        for batch in batches:
            torch.manual_seed(batch.seed)  # dropout and RReLU of this batch, wherever it is computed
            losses.append(F.binary_cross_entropy_with_logits(self.logits(batch), batch.labels))
        return torch.stack(losses).mean()


class Trainer:
    """Batches of one training, for one process of ``world``: rank r takes the shards r, r + world, …"""

    def __init__(
        self,
        model: HNN,
        data: PredictionData,
        task: HyperedgePrediction,
        batches: MiniBatches,
        seed: int,
        rank: int = 0,
        world: int = 1,
    ) -> None:
        if batches.shards % world:
            raise ValueError(f"{batches.shards} shards cannot be shared by {world} processes: expected a multiple")
        seed_everything(derive(seed, "training"))
        self.score = build_score(task.score, model.width).to(model.device, model.dtype)
        self.model, self.data, self.task, self.batches, self.seed = model, data, task, batches, seed
        self.rank, self.world = rank, world
        self.predictor: nn.Module = Predictor(model, self.score)
        self._train_known = known_hyperedges(data.hyperedges, data.split.train)
        self._all_known = known_hyperedges(data.hyperedges, np.arange(data.hyperedges.num_hyperedges))

    def decayed(self) -> list[nn.Parameter]:
        return [*self.model.decayed_parameters(), *(p for p in self.score.parameters() if p.dim() > 1)]

    def losses(self, epoch: int) -> Iterator[Tensor]:
        """The loss of this process's shards, step by step."""
        order = generator(self.seed, "batches", epoch).permutation(self.data.split.train)
        size, shards = self.batches.batch_size, self.batches.shards
        steps = max(1, round(len(order) / (size * shards)))
        for number, step in enumerate(np.array_split(order, steps)):
            mine = list(enumerate(np.array_split(step, shards)))[self.rank :: self.world]
            loss: Tensor = self.predictor(
                [self._batch(part, self._train_known, self.batches.sampling, epoch, number, s) for s, part in mine]
            )
            yield loss

    def measure(self) -> dict[str, float]:
        """AUC and loss of the test hyperedges, scored a batch at a time."""
        logits, labels = self.test_logits()
        loss = F.binary_cross_entropy_with_logits(torch.tensor(logits), torch.tensor(labels))
        return {"auc": auc(labels, logits), "test_loss": float(loss)}

    @torch.no_grad()
    def test_logits(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Scores and labels of this process's share of the test."""
        assert isinstance(self.predictor, Predictor)
        chunks = _chunks(self.data.split.test, self.batches.batch_size)
        logits, labels = [np.empty(0)], [np.empty(0)]
        for number, chunk in list(enumerate(chunks))[self.rank :: self.world]:
            batch = self._batch(chunk, self._all_known, self.batches.test_sampling, "test", number)
            logits.append(self.predictor.logits(batch).double().cpu().numpy())
            labels.append(batch.labels.double().cpu().numpy())
        return np.concatenate(logits), np.concatenate(labels)

    def embed_all(self) -> Tensor:
        """Z of every node."""
        nodes = torch.empty(self.data.seen.num_nodes, self.model.width, dtype=self.model.dtype)
        for chunk, embedded in self.embed_share():
            nodes[chunk] = embedded
        return nodes

    @torch.no_grad()
    def embed_share(self) -> Iterator[tuple[Indices, Tensor]]:
        """Z of this process's share of the nodes, some at a time."""
        self.model.eval()
        chunks = _chunks(np.arange(self.data.seen.num_nodes), 4 * self.batches.batch_size)
        for number, chunk in list(enumerate(chunks))[self.rank :: self.world]:
            around = self._around(chunk, self.batches.test_sampling, derive(self.seed, "embed", number))
            embeddings = self.model(self._inputs(around), hyperedges=False)
            yield chunk, embeddings.nodes[torch.as_tensor(np.searchsorted(around.nodes, chunk))].cpu()

    def _batch(self, hyperedges: Indices, known: KnownHyperedges, sampling: Sampling, *purpose: str | int) -> Batch:
        positives = self.data.hyperedges.members_of(hyperedges)
        rng = generator(self.seed, "negatives", *purpose)
        negatives = sample_negatives(positives, rng, self.task.difficulty, known)
        members = sparse.csr_array(sparse.vstack([positives, negatives], format="csr"))
        around = self._around(np.unique(members.indices), sampling, derive(self.seed, "neighbourhood", *purpose))
        labels = torch.cat([torch.ones(len(hyperedges)), torch.zeros(len(hyperedges))])
        return Batch(
            self._inputs(around),
            MemberSets(around.sets(members), self.model.device, self.model.dtype),
            labels.to(self.model.device, self.model.dtype),
            derive(self.seed, "dropout", *purpose),
        )

    def _around(self, nodes: Indices, sampling: Sampling, seed: int) -> Neighbourhood:
        return sample_neighbourhood(
            self.data.seen, nodes, sampling, seed, self.model.self_loops, self.model.device, self.model.dtype
        )

    def _inputs(self, around: Neighbourhood) -> HNNInputs:
        Y = None
        if not self.model.derives_y:
            if self.data.hyperedge_features is None:
                raise ValueError("this HNN was built with num_hyperedge_features: give hyperedge_features too")
            given = self.model.matrix(self.data.hyperedge_features[around.hyperedges])
            Y = pad_rows(given if isinstance(given, Tensor) else given.to_dense(), around.H.num_columns)
        return HNNInputs(around.H, self.model.matrix(self.data.features[around.nodes]), Y)


def known_hyperedges(incidence: Incidence, hyperedges: Indices) -> KnownHyperedges:
    """The hyperedges a negative must not be, hashed some at a time."""
    known = KnownHyperedges(incidence.members_of(hyperedges[:0]))
    known.extend(incidence.members_of(chunk) for chunk in _chunks(hyperedges, CHUNK))
    return known


def _chunks(indices: Indices, size: int) -> list[Indices]:
    return np.array_split(indices, max(1, -(-len(indices) // size)))
