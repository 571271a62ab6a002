"""HNN as in the paper, and HyperGCN beside it: trained for hyperedge prediction, styles ranked by embeddings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from hnn_core import seeds
from hnn_core.features.svd import truncated_svd
from hnn_core.hypergraph import Hypergraph
from hnn_core.models import HNN, Embeddings, HyperGCN, Model, Training
from hnn_core.recommend.corpus import Observed
from hnn_core.recommend.hypergraphs import visible_hypergraph
from hnn_core.recommend.queries import Queries, Scorer, Scores
from hnn_core.tasks.hyperedge_prediction import HyperedgePrediction, train_predictor
from hnn_core.tasks.protocols import HyperedgeSplit


@dataclass(frozen=True)
class PaperTraining:
    """Features by SVD, as the paper's case study; the width of features and of both layers."""

    width: int = 64
    epochs: int = 60
    lr: float = 0.01


@dataclass(frozen=True, eq=False)
class PaperInputs:
    """What both models are trained on: the visible hypergraph and the SVD of its nodes."""

    hypergraph: Hypergraph
    features: NDArray[np.float32]

    @classmethod
    def of(cls, training: Observed, options: PaperTraining, seed: int) -> PaperInputs:
        hypergraph = visible_hypergraph(training, fragment_nodes=True, emails=False)
        # Features of nodes only: neither model starts from any of hyperedges, which are the greater part of the work.
        U, sigma = truncated_svd(
            hypergraph.incidence,
            hypergraph.incidence_transpose,
            options.width,
            seeds.derive(seed, "features") & 0xFFFFFFFF,
        )
        return cls(hypergraph, np.pad(U * np.sqrt(sigma), ((0, 0), (0, options.width - len(sigma)))))


def paper_hnn(
    inputs: PaperInputs, training: Observed, target: str, options: PaperTraining, seed: int
) -> dict[str, Scorer]:
    """HNN with the hyperedge loss: cosine of z_f and z_s (the paper's score), of y_f and z_s, and of y_f and ψ."""
    model = HNN(options.width, widths=(options.width, options.width))
    embeddings, styles = _embedded(model, inputs, training, target, options, seed)
    if embeddings.hyperedges is None:
        raise ValueError("HNN gave no hyperedge embeddings")
    Z, Y = embeddings.nodes, embeddings.hyperedges
    return {
        "z·z": _cosine(Z[training.corpus.num_entities :], Z[styles]),
        "y·z": _cosine(Y, Z[styles]),
        "ψ": _dependent(model, Y, Z[styles]),
    }


def hypergcn(
    inputs: PaperInputs, training: Observed, target: str, options: PaperTraining, seed: int
) -> dict[str, Scorer]:
    """HyperGCN with the same features and loss: cosine of z_f and z_s."""
    model = HyperGCN(options.width, out=options.width)
    embeddings, styles = _embedded(model, inputs, training, target, options, seed)
    return {"z·z": _cosine(embeddings.nodes[training.corpus.num_entities :], embeddings.nodes[styles])}


def _embedded(
    model: Model, inputs: PaperInputs, training: Observed, target: str, options: PaperTraining, seed: int
) -> tuple[Embeddings, Tensor]:
    """Trained embeddings of all that is visible, and the nodes of the catalogue."""
    every = np.arange(inputs.hypergraph.num_hyperedges)
    # Every visible hyperedge is trained on; what is held out are links, and those the hypergraph does not have.
    trained = train_predictor(
        model,
        inputs.hypergraph,
        inputs.features,
        HyperedgePrediction(),
        Training(epochs=options.epochs, lr=options.lr),
        seed,
        HyperedgeSplit(train=every, test=every[:64]),
    )
    return trained.embeddings, torch.as_tensor(training.catalogue(target))


def _cosine(fragments: Tensor, styles: Tensor) -> Scorer:
    """cos of each fragment's row and each style."""
    styles = F.normalize(styles)

    def score(queries: Queries) -> Scores:
        asked = F.normalize(fragments[torch.as_tensor(queries.fragments)])
        return np.asarray((asked @ styles.T).double().numpy())

    return score


def _dependent(model: HNN, hyperedges: Tensor, styles: Tensor) -> Scorer:
    """cos of y_f and ψ([z_s y_f]): the style as it would be in this hyperedge."""

    @torch.no_grad()
    def of(queries: Queries) -> Scores:
        y = hyperedges[torch.as_tensor(queries.fragments)].unsqueeze(1).expand(-1, len(styles), -1)
        inside = model.dependent(styles.expand(len(y), -1, -1), y)
        return np.asarray(F.cosine_similarity(inside, y, dim=-1).double().numpy())

    return lambda queries: np.concatenate([of(batch) for batch in queries.batches(128)])
