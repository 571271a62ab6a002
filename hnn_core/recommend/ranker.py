"""The product's recommender: all evidence weighed together, with weights learned on held-out training links.

A conditional logit over the catalogue: P(s | f) = softmax_s wᵀφ(f, s), where φ are the features of
:class:`Evidence`. The weights are fitted on folds of the *training* data, each scored by evidence that was fitted
without it, so they weigh every method by how it does on what it has not seen under the very protocol. They start
from, and are drawn to, a plain blend of methods that know the sender or like fragments alone (under a strict protocol
counterparts), or for unknown senders that blend or what holds for strangers; which of the two, and how strongly, those
folds decide as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hnn_core import seeds
from hnn_core.recommend.chosen_weights import Questions, choose_weights, even_importance, log_likelihood, start_of
from hnn_core.recommend.corpus import Indices, Observed
from hnn_core.recommend.evidence import Evidence, feature_names
from hnn_core.recommend.link_hnn import LinkTraining
from hnn_core.recommend.protocols import Split, folds, unit
from hnn_core.recommend.queries import Queries, Scores, finite
from hnn_core.recommend.ranking import true_styles

BLEND: Mapping[str, float] = {"log knn-context": 1.0, "log hnn": 0.5, "log co-occurrence": 0.3}
"""The weights before anything is learned, where the sender is known."""

NEAREST: Mapping[str, float] = {"log knn-context": 1.0}
"""The same for who trusts like fragments alone: no blend should do worse than its best part."""

COUNTERPARTS: Mapping[str, float] = {"log counterparts": 1.0, "log hnn": 0.5, "log co-occurrence": 0.3}
"""The blend under a strict protocol, where kNN misses in the query what it sees beside the styles of training."""

NEAREST_COUNTERPARTS: Mapping[str, float] = {"log counterparts": 1.0}
"""Those alone, as in :data:`NEAREST`."""

STRANGERS: Mapping[str, float] = {
    "log senders": 1.0,
    "log popularity": 0.5,
    "log alike": 0.3,
    "log co-occurrence": 0.3,
    "log hnn": 0.2,
    "fragment: lost on text-style": -2.0,
    "fragment: lost on background-style": -2.0,
}
"""The same where it is not: what many senders use, as fragments alike in attributes have it, and can be read."""


@dataclass(frozen=True)
class RankerTraining:
    """How the weights are learned."""

    folds: int = 3
    #: of the weights towards their start, in links; the folds choose
    shrinkages: tuple[float, ...] = (3.0, 10.0, 100.0, 1000.0)
    shortlist: int = 48  # candidates of a link that the weights are fitted on, the best by either start
    links: int = 1200  # held-out links the weights are fitted on, at most
    link_hnn: LinkTraining = field(default_factory=LinkTraining)


@dataclass(frozen=True, eq=False)
class Ranker:
    """Evidence and the weight of each of its features."""

    evidence: Evidence
    weights: NDArray[np.float64]

    def __call__(self, queries: Queries) -> Scores:
        """Scores of queries × catalogue, up to a constant of each query log P(s | f)."""
        parts = [self.evidence.features(batch) @ self.weights for batch in queries.batches(256)]
        scores = np.concatenate(parts) if parts else np.empty((0, 0))
        return finite(scores, "recommender")


def train_ranker(training: Observed, target: str, protocol: str, options: RankerTraining, seed: int) -> Ranker:
    """Learn the weights on folds of the visible links, then fit the evidence to all of them."""
    weights = train_weights(training, target, protocol, options, seed)
    return Ranker(Evidence.fit(training, target, protocol, options.link_hnn, seed), weights)


def train_weights(
    training: Observed, target: str, protocol: str, options: RankerTraining, seed: int
) -> NDArray[np.float64]:
    """The weight of each feature of the evidence, learned on folds of the visible links."""
    splits = folds(training, target, protocol, seeds.derive(seed, "ranker"), options.folds)
    examples = [each for n, split in enumerate(splits) for each in _examples(split, n, options, len(splits), seed)]
    strangers = unit(protocol) == "sender"
    starts = [start_of(feature_names(target), each) for each in _starts(protocol)]
    if not examples:
        return starts[0]
    # Of known senders there are hundreds of links to learn from; of strangers a handful of senders.
    return choose_weights(_questions(examples, strangers), starts, options.shrinkages, log_likelihood, strangers)


def _starts(protocol: str) -> tuple[Mapping[str, float], Mapping[str, float]]:
    """The two beginnings of the weights among which the folds choose."""
    if unit(protocol) == "sender":
        return STRANGERS, BLEND
    return (COUNTERPARTS, NEAREST_COUNTERPARTS) if protocol.endswith("-strict") else (BLEND, NEAREST)


@dataclass(frozen=True, eq=False)
class Examples:
    """Held-out links with the features of their shortlists, whose first entry is the true style."""

    features: NDArray[np.float32]  # links × shortlist × features
    competes: NDArray[np.bool_]  # links × shortlist; not: another true style of the same fragment
    sender: Indices  # of each link
    fold: int


def _questions(examples: list[Examples], by_sender: bool) -> Questions:
    """``by_sender``: a sender with n links counts √n, since what will come are other senders."""
    competes = np.concatenate([each.competes.ravel() for each in examples])
    width = examples[0].features.shape[2]
    sizes = np.concatenate([each.competes.sum(axis=1) for each in examples]).astype(np.int64)
    right = np.zeros(int(sizes.sum()), dtype=np.bool_)
    right[np.cumsum(sizes) - sizes] = True
    senders = np.concatenate([each.sender for each in examples])
    return Questions(
        features=np.concatenate([each.features.reshape(-1, width) for each in examples])[competes],
        sizes=sizes,
        right=right,
        importance=even_importance(senders) if by_sender else np.ones(len(sizes)),
        fold=np.concatenate([np.full(len(each.sender), each.fold, np.int64) for each in examples]),
    )


def _examples(split: Split, fold: int, options: RankerTraining, parts: int, seed: int) -> list[Examples]:
    """Score a fold by evidence that was fitted without it, and keep what decides."""
    catalogue = split.training.catalogue(split.target)
    known = np.flatnonzero(np.isin(split.styles, catalogue))
    limit = max(1, options.links // parts)
    if len(known) > limit:
        known = np.sort(seeds.generator(seed, "ranker links").permutation(known)[:limit])
    evidence = Evidence.fit(split.training, split.target, split.protocol, options.link_hnn, seed)
    return [
        _shortlists(split, fold, evidence, known[i : i + 256], options.shortlist) for i in range(0, len(known), 256)
    ]


def _shortlists(split: Split, fold: int, evidence: Evidence, links: Indices, size: int) -> Examples:
    catalogue, corpus = split.training.catalogue(split.target), split.training.corpus
    fragments, row = np.unique(split.fragments[links], return_inverse=True)
    features = evidence.features(Queries.of(split.training, fragments))[row]
    names, rows = feature_names(split.target), np.arange(len(links))[:, None]
    by_start = [features @ start_of(names, weights) for weights in (BLEND, STRANGERS)]
    # Each start's first choices in turn; a stable order of the better of two places.
    places = np.minimum(*(np.argsort(np.argsort(-scores, axis=1, kind="stable"), axis=1) for scores in by_start))
    places = places.astype(np.float64)
    places[true_styles(split, fragments, catalogue).toarray()[row]] = np.inf
    places[rows[:, 0], np.searchsorted(catalogue, split.styles[links])] = -1
    best = np.argsort(places, axis=1, kind="stable")[:, :size]
    return Examples(
        features=features[rows, best],
        competes=places[rows, best] < np.inf,
        sender=corpus.sender_of[corpus.email_of[split.fragments[links]]],
        fold=fold,
    )
