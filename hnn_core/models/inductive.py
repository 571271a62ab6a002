"""Embeddings of what a model was not trained on, without training again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from hnn_core.hypergraph import Hypergraph
from hnn_core.models.hnn import HNN
from hnn_core.models.model import Embeddings, FeatureMatrix, Model
from hnn_core.nn.members import MemberSets


@torch.no_grad()
def embed_new_hyperedges(model: HNN, embeddings: Embeddings, hyperedges: Iterable[Iterable[int]]) -> Tensor:
    """y_e of new hyperedges, given as lists of known nodes."""
    sets = MemberSets.from_lists(hyperedges, len(embeddings.nodes), model.device, dtype=model.dtype)
    return model.embed_hyperedges(embeddings, sets)


@torch.no_grad()
def embed_new_nodes(
    model: Model,
    hypergraph: Hypergraph,
    features: FeatureMatrix,
    new_features: FeatureMatrix,
    memberships: Sequence[Iterable[int]],
    hyperedge_features: FeatureMatrix | None = None,
) -> Tensor:
    """z_i of new nodes with features; ``memberships[n]`` are the known hyperedges that new node n joins.

    The model reads the hypergraph with the new nodes in it. A node that joins none is known by its features
    alone, which a model sees through self-loops or a skip.
    """
    grown = with_new_nodes(hypergraph, memberships)
    if sparse.issparse(features):
        together: FeatureMatrix = sparse.csr_array(sparse.vstack([features, new_features], format="csr"))
    else:
        together = np.vstack([features, new_features])
    was_training = model.training
    model.eval()
    embeddings: Embeddings = model(model.prepare(grown, together, hyperedge_features), hyperedges=False)
    model.train(was_training)
    return embeddings.nodes[hypergraph.num_nodes :]


def with_new_nodes(hypergraph: Hypergraph, memberships: Sequence[Iterable[int]]) -> Hypergraph:
    """The hypergraph with one node more for each entry, in these hyperedges; ids are positions."""
    known = hypergraph.incidence.tocoo()
    joined = [(hypergraph.num_nodes + n, e) for n, each in enumerate(memberships) for e in each]
    nodes = np.concatenate([known.coords[0], np.array([n for n, _ in joined], dtype=np.int64)])
    hyperedges = np.concatenate([known.coords[1], np.array([e for _, e in joined], dtype=np.int64)])
    return Hypergraph.from_pairs(
        nodes,
        hyperedges,
        num_nodes=hypergraph.num_nodes + len(memberships),
        num_hyperedges=hypergraph.num_hyperedges,
        weights=np.concatenate([known.data, np.ones(len(joined))]),
    )
