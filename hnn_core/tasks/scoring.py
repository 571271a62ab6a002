"""The score f(e) of any set of nodes under a model, by name."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from hnn_core.models.hnn import HNN
from hnn_core.models.model import Embeddings, Model
from hnn_core.nn.members import MemberSets
from hnn_core.nn.scores import SCORES, MeanProduct


class NodeScore(nn.Module):
    """f(e) from Z alone: mean cosine, mean product or max–min."""

    needs_hyperedges = False

    def __init__(self, name: str) -> None:
        super().__init__()
        self.score = SCORES[name]()

    def forward(self, model: Model, embeddings: Embeddings, sets: MemberSets) -> Tensor:
        scored: Tensor = self.score(embeddings.nodes, sets)
        return scored


class DependentScore(nn.Module):
    """f(e) = g + mean_{i∈e} wᵀz_i^e + mean pairwise product of the z_i^e, z_i^e = ψ([z_i y_e]).

    How well each member fits *this* hyperedge, from its hyperedge-dependent embedding: only a model with
    hyperedge embeddings has it. y_e is what the members send to e, for seen and sampled sets alike, so that a
    positive carries no trace of having been in the hypergraph.
    """

    needs_hyperedges = True

    def __init__(self, width: int) -> None:
        super().__init__()
        self.readout = nn.Linear(width, 1)
        self.pairs = MeanProduct()

    def forward(self, model: Model, embeddings: Embeddings, sets: MemberSets) -> Tensor:
        if not isinstance(model, HNN):
            raise TypeError("the dependent score needs hyperedge embeddings, which only HNN has")
        y = model.embed_hyperedges(embeddings, sets)
        members = model.dependent(embeddings.nodes[sets.nodes], y[sets.owner])
        scored: Tensor = self.readout(sets.mean_of_members(members)).squeeze(1)
        pairs: Tensor = self.pairs(embeddings.nodes, sets)
        return scored + pairs


Score = NodeScore | DependentScore
SCORE_NAMES = (*SCORES, "dependent")


def build_score(name: str, width: int) -> Score:
    """A score by name, for embeddings of this width."""
    if name not in SCORE_NAMES:
        raise ValueError(f"score {name!r} is not known: choose one of {', '.join(SCORE_NAMES)}")
    return DependentScore(width) if name == "dependent" else NodeScore(name)


@torch.no_grad()
def score_sets(model: Model, score: Score, embeddings: Embeddings, sets: MemberSets) -> Tensor:
    """The probability ρ(f(e)) of each set being a hyperedge."""
    return torch.sigmoid(score(model, embeddings, sets))
