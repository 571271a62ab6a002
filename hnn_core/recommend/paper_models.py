"""HNN as in the paper, and HyperGCN beside it: trained for hyperedge prediction, styles ranked by embeddings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch.nn import functional as F

from hnn_core import seeds
from hnn_core.features import derive
from hnn_core.models import HNN, HyperGCN, Model, Training
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


def paper_hnn(training: Observed, target: str, options: PaperTraining, seed: int) -> dict[str, Scorer]:
    """HNN with the hyperedge loss: cosine of z_f and z_s (the paper's score), and of y_f and z_s."""
    model = HNN(options.width, widths=(options.width, options.width))
    return _scorers(model, training, target, options, seed)


def hypergcn(training: Observed, target: str, options: PaperTraining, seed: int) -> dict[str, Scorer]:
    """HyperGCN with the same features and loss: cosine of z_f and z_s."""
    return _scorers(HyperGCN(options.width, out=options.width), training, target, options, seed)


def _scorers(model: Model, training: Observed, target: str, options: PaperTraining, seed: int) -> dict[str, Scorer]:
    hypergraph = visible_hypergraph(training, fragment_nodes=True, emails=False)
    features = derive(hypergraph, "svd", options.width, seeds.derive(seed, "features") & 0xFFFFFFFF)
    every = np.arange(hypergraph.num_hyperedges)
    # Every visible hyperedge is trained on; what is held out are links, and those the hypergraph does not have.
    trained = train_predictor(
        model,
        hypergraph,
        features.nodes,
        HyperedgePrediction(),
        Training(epochs=options.epochs, lr=options.lr),
        seed,
        HyperedgeSplit(train=every, test=every[:64]),
    )
    nodes, hyperedges = trained.embeddings.nodes, trained.embeddings.hyperedges
    styles = F.normalize(nodes[torch.as_tensor(training.catalogue(target))])
    entities = training.corpus.num_entities

    def cosine(rows: torch.Tensor, first: int) -> Scorer:
        def score(queries: Queries) -> Scores:
            asked = F.normalize(rows[first + torch.as_tensor(queries.fragments)])
            return np.asarray((asked @ styles.T).double().numpy())

        return score

    scorers = {"z·z": cosine(nodes, entities)}
    if hyperedges is not None:
        scorers["y·z"] = cosine(hyperedges, 0)
    return scorers
