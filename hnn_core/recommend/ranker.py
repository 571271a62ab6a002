"""The product's recommender: all evidence weighed together, with weights learned on held-out training links.

A conditional logit over the catalogue: P(s | f) = softmax_s wᵀφ(f, s), where φ are the features of
:class:`Evidence`. The weights are fitted on folds of the *training* data, each scored by evidence that was fitted
without it, so they weigh every method by how it does on what it has not seen under the very protocol. They start
from, and are drawn to, a plain blend of kNN, HNN and co-occurrence: with few links to learn from, that is what
remains.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hnn_core import seeds
from hnn_core.recommend.conditional_logit import fit_choice
from hnn_core.recommend.corpus import Indices, Observed
from hnn_core.recommend.evidence import Evidence, feature_names
from hnn_core.recommend.link_hnn import LinkTraining
from hnn_core.recommend.protocols import Split, folds
from hnn_core.recommend.queries import Queries, Scores, finite
from hnn_core.recommend.ranking import true_styles

BLEND: Mapping[str, float] = {"log knn-context": 1.0, "log hnn": 0.5, "log co-occurrence": 0.3}
"""The weights before anything is learned."""


@dataclass(frozen=True)
class RankerTraining:
    """How the weights are learned."""

    folds: int = 3
    shrinkage: float = 1.0  # of the weights towards the blend, in links
    shortlist: int = 64  # candidates of a link that the weights are fitted on, the best by the blend
    links: int = 1500  # held-out links the weights are fitted on, at most
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
    examples = [each for split in splits for each in _examples(split, options, len(splits), seed)]
    return fit_weights(feature_names(target), examples, options.shrinkage)


@dataclass(frozen=True, eq=False)
class Examples:
    """Held-out links with the features of their shortlists, whose first entry is the true style."""

    features: NDArray[np.float32]  # links × shortlist × features
    competes: NDArray[np.bool_]  # links × shortlist; not: another true style of the same fragment


def fit_weights(names: tuple[str, ...], examples: list[Examples], shrinkage: float) -> NDArray[np.float64]:
    """The weights under which the true styles are most probable, drawn to the blend."""
    blend = np.array([BLEND.get(name, 0.0) for name in names])
    if not examples:
        return blend
    competes = np.concatenate([each.competes.ravel() for each in examples])
    features = np.concatenate([each.features.reshape(-1, len(names)) for each in examples])[competes]
    sizes = np.concatenate([each.competes.sum(axis=1) for each in examples])
    first = np.cumsum(sizes) - sizes
    right = np.zeros(len(features), dtype=np.bool_)
    right[first] = True
    return fit_choice(features, first, right, blend, shrinkage)


def _examples(split: Split, options: RankerTraining, parts: int, seed: int) -> list[Examples]:
    """Score a fold by evidence that was fitted without it, and keep what decides."""
    catalogue = split.training.catalogue(split.target)
    known = np.flatnonzero(np.isin(split.styles, catalogue))
    limit = max(1, options.links // parts)
    if len(known) > limit:
        known = np.sort(seeds.generator(seed, "ranker links").permutation(known)[:limit])
    evidence = Evidence.fit(split.training, split.target, split.protocol, options.link_hnn, seed)
    return [_shortlists(split, evidence, known[i : i + 256], options.shortlist) for i in range(0, len(known), 256)]


def _shortlists(split: Split, evidence: Evidence, links: Indices, size: int) -> Examples:
    catalogue = split.training.catalogue(split.target)
    fragments, row = np.unique(split.fragments[links], return_inverse=True)
    features = evidence.features(Queries.of(split.training, fragments))[row]
    scores = features @ np.array([BLEND.get(name, 0.0) for name in feature_names(split.target)])
    scores[true_styles(split, fragments, catalogue).toarray()[row]] = -np.inf
    scores[np.arange(len(links)), np.searchsorted(catalogue, split.styles[links])] = np.inf
    best = np.argsort(-scores, axis=1, kind="stable")[:, :size]
    return Examples(
        features=np.take_along_axis(features, best[:, :, None], axis=1),
        competes=np.take_along_axis(scores, best, axis=1) > -np.inf,
    )
