"""HNN trained on the links themselves: which style stands in this fragment?

The hypergraph has the paper's hyperedges of a fragment's entities and one more for each email, so that a fragment is
also known by what stands around it. Where z·z is asked for, fragments are nodes too, with the paper's hyperedges
between neighbours; the other scores do without them, at half the cost. Training ranks the style of a link above all
others of the catalogue:

    ℒ = −Σ_{(f,s)} log softmax_s score(f, ·)

``masked`` hides each link, and under a strict protocol what gives it away, from the hypergraph while it is being
predicted: exactly what a test does. ``plain`` leaves it there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from scipy import sparse
from torch import Tensor, nn
from torch.nn import functional as F

from hnn_core import seeds
from hnn_core.adam import Adam, one_cycle
from hnn_core.models.hnn import HNN, HNNInputs
from hnn_core.models.model import Embeddings
from hnn_core.nn import Propagation
from hnn_core.nn.members import MemberSets
from hnn_core.recommend.corpus import Indices, Observed
from hnn_core.recommend.hypergraphs import visible_hypergraph
from hnn_core.recommend.protocols import folds
from hnn_core.recommend.queries import Queries, Scores

CONTEXTS = ("own", "email", "neighbours")
SCORES = ("y·z", "z·z", "ψ")
_SAMPLED = 24  # other styles a link is compared with under ψ, which has no cheap product form


@dataclass(frozen=True)
class LinkTraining:
    """How the link model is built and trained."""

    width: int = 64
    layers: int = 1
    epochs: int = 48
    lr: float = 0.02
    weight_decay: float = 1e-5
    masked: bool = True
    folds: int = 4  # each link is hidden in one of so many views of the hypergraph
    scores: tuple[str, ...] = ("y·z",)  # those trained for


class LinkHNN(nn.Module):
    """HNN over entities and fragments, with scores of any fragment, seen or not, against a catalogue of styles.

    y·z  Σ_c (A_c y_c)ᵀ z_s + b_s over the hyperedges c of a query: the fragment, its email, its neighbours
    z·z  (A z_f)ᵀ z_s with the fragment's own node (only for fragments of the hypergraph)
    ψ    y_fᵀ ψ([z_s y_f])

    Entities start from learned features (X is trained), fragment nodes from zero: a new fragment needs none.
    """

    def __init__(self, num_entities: int, num_styles: int, options: LinkTraining) -> None:
        super().__init__()
        width = options.width
        self.X = nn.Parameter(torch.randn(num_entities, width) * width**-0.5)
        # No random slopes: masking regularises already, and drawing them costs a quarter of an epoch.
        self.hnn = HNN(width, widths=(width,) * options.layers, sigma_v="leaky_relu", skip=True)
        self.normed_y, self.normed_z = nn.LayerNorm(width), nn.LayerNorm(width)
        self.of_context = nn.ModuleDict({name: nn.Linear(width, width, bias=False) for name in CONTEXTS})
        self.of_node = nn.Linear(width, width, bias=False)
        self.bias = nn.Parameter(torch.zeros(num_styles))
        self.scale = width**-0.5

    def embed(self, H: Propagation) -> Embeddings:
        """Z, Y and what a hyperedge over these nodes would receive."""
        fragments = self.X.new_zeros(H.num_nodes - len(self.X), self.X.shape[1])
        embeddings: Embeddings = self.hnn(HNNInputs(H, torch.cat([self.X, fragments]), None))
        return embeddings

    def y_z(self, embeddings: Embeddings, sets: Mapping[str, MemberSets], styles: Tensor) -> Tensor:
        query = torch.stack([self.of_context[c](self.y(embeddings, sets[c])) for c in CONTEXTS]).sum(0)
        scored: Tensor = query @ self.z(embeddings, styles).T * self.scale + self.bias
        return scored

    def z_z(self, embeddings: Embeddings, fragments: Tensor, styles: Tensor) -> Tensor:
        query = self.of_node(self.z(embeddings, len(self.X) + fragments))
        scored: Tensor = query @ self.z(embeddings, styles).T * self.scale
        return scored

    def psi(self, embeddings: Embeddings, sets: Mapping[str, MemberSets], styles: Tensor) -> Tensor:
        """``styles`` has one row of candidates for each query."""
        y = self.y(embeddings, sets["own"]).unsqueeze(1).expand(-1, styles.shape[1], -1)
        dependent = self.hnn.dependent(self.z(embeddings, styles.reshape(-1)).view_as(y), y)
        scored: Tensor = (dependent * y).sum(-1) * self.scale
        return scored

    def y(self, embeddings: Embeddings, sets: MemberSets) -> Tensor:
        normed: Tensor = self.normed_y(self.hnn.embed_hyperedges(embeddings, sets))
        return normed

    def z(self, embeddings: Embeddings, nodes: Tensor) -> Tensor:
        normed: Tensor = self.normed_z(embeddings.nodes[nodes])
        return normed


@dataclass(frozen=True, eq=False)
class TrainedLinks:
    """A trained link model with the embeddings of what it was trained on."""

    model: LinkHNN
    embeddings: Embeddings
    styles: Tensor  # nodes of the catalogue

    @torch.no_grad()
    def scores(self, queries: Queries, score: str = "y·z") -> Scores:
        """Queries × catalogue, by one of ``SCORES``."""
        sets = member_sets(queries, len(self.embeddings.nodes))
        if score == "y·z":
            scored = self.model.y_z(self.embeddings, sets, self.styles)
        elif score == "z·z":
            scored = self.model.z_z(self.embeddings, torch.as_tensor(queries.fragments), self.styles)
        else:
            scored = self.model.psi(self.embeddings, sets, self.styles.expand(len(queries), -1))
        return np.asarray(scored.double().numpy())


@dataclass(frozen=True, eq=False)
class View:
    """The hypergraph as one step of training sees it, and the links it is asked for."""

    H: Propagation
    sets: dict[str, MemberSets]
    fragments: Tensor  # asked about
    row: Tensor  # of each link, in ``fragments``
    style: Tensor  # of each link, in the catalogue


def train_links(training: Observed, target: str, protocol: str, options: LinkTraining, seed: int) -> TrainedLinks:
    """Learn from the visible links of a target."""
    seeds.seed_everything(seeds.derive(seed, "link-hnn", target))
    catalogue = training.catalogue(target)
    styles = torch.as_tensor(catalogue)
    model = LinkHNN(training.corpus.num_entities, len(catalogue), options)
    views = _views(training, target, protocol, options, seed)
    optimiser = Adam([(model.parameters(), options.weight_decay)], options.lr)
    model.train()
    for epoch in range(options.epochs if views else 0):
        optimiser.lr, optimiser.beta1 = one_cycle(options.lr, epoch, options.epochs)
        loss = _loss(model, views[epoch % len(views)], styles, options.scores)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    return trained_links(model, training, target, "z·z" in options.scores)


@torch.no_grad()
def trained_links(model: LinkHNN, training: Observed, target: str, fragment_nodes: bool = False) -> TrainedLinks:
    """A model with trained weights, over the hypergraph it was trained on."""
    model.eval()
    embeddings = model.embed(Propagation(visible_hypergraph(training, fragment_nodes=fragment_nodes, emails=True)))
    return TrainedLinks(model, embeddings, torch.as_tensor(training.catalogue(target)))


def member_sets(queries: Queries, num_nodes: int) -> dict[str, MemberSets]:
    """The hyperedges a query stands for, over entity nodes and the fragment nodes after them."""
    rows = {"own": queries.own, "email": queries.email, "neighbours": queries.neighbours}
    return {
        name: MemberSets(sparse.csr_array((m.data, m.indices, m.indptr), shape=(m.shape[0], num_nodes)))
        for name, m in rows.items()
    }


def _views(training: Observed, target: str, protocol: str, options: LinkTraining, seed: int) -> list[View]:
    catalogue, corpus, fragment_nodes = training.catalogue(target), training.corpus, "z·z" in options.scores
    if options.masked:
        splits = folds(training, target, protocol, seeds.derive(seed, "masks"), options.folds)
        return [_view(split.training, split.fragments, split.styles, catalogue, fragment_nodes) for split in splits]
    links = training.links(target)
    return [_view(training, corpus.fragment[links], corpus.entity[links], catalogue, fragment_nodes)]


def _view(observed: Observed, fragment: Indices, style: Indices, catalogue: Indices, fragment_nodes: bool) -> View:
    fragments, row = np.unique(fragment, return_inverse=True)
    H = Propagation(visible_hypergraph(observed, fragment_nodes=fragment_nodes, emails=True))
    return View(
        H=H,
        sets=member_sets(Queries.of(observed, fragments), H.num_nodes),
        fragments=torch.as_tensor(fragments),
        row=torch.as_tensor(row),
        style=torch.as_tensor(np.searchsorted(catalogue, style)),
    )


def _loss(model: LinkHNN, view: View, styles: Tensor, scores: tuple[str, ...]) -> Tensor:
    embeddings = model.embed(view.H)
    losses = []
    if "y·z" in scores:
        losses.append(F.cross_entropy(model.y_z(embeddings, view.sets, styles)[view.row], view.style))
    if "z·z" in scores:
        losses.append(F.cross_entropy(model.z_z(embeddings, view.fragments, styles)[view.row], view.style))
    if "ψ" in scores:
        others = torch.randint(len(styles), (len(view.fragments), _SAMPLED))
        candidates = torch.cat([_one_style(view), others], dim=1)
        logits = model.psi(embeddings, view.sets, styles[candidates])
        # A drawn style that is the true one is no competitor.
        twice = (candidates == candidates[:, :1]) & (torch.arange(candidates.shape[1]) > 0)
        losses.append(F.cross_entropy(logits.masked_fill(twice, -1e9), torch.zeros(len(logits), dtype=torch.long)))
    return torch.stack(losses).sum()


def _one_style(view: View) -> Tensor:
    """A style of each fragment asked about: its last link's."""
    one = torch.zeros(len(view.fragments), dtype=torch.long)
    one[view.row] = view.style
    return one.unsqueeze(1)
