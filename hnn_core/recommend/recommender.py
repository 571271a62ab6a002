"""The trained recommender: styles for the fragments of any email, seen or not, without training again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from hnn_core.recommend.composed import TARGET as COMPOSED_TARGET
from hnn_core.recommend.composed import ComposedStyle, ComposedTraining, Composer, train_composer
from hnn_core.recommend.corpus import TARGETS, Corpus, EmailTables, Observed, target_named
from hnn_core.recommend.evidence import Evidence
from hnn_core.recommend.nearest import NearestFragments
from hnn_core.recommend.new_email import questions, read_new_email
from hnn_core.recommend.queries import Queries, Scores
from hnn_core.recommend.ranked import RankedStyle, ranked_styles
from hnn_core.recommend.ranker import RankerTraining, train_weights

ALONE, IN_COMPANY = "email-strict", "link-strict"
"""Protocols the weights are learned under: for an email that shows no other style of the target, and for one that
does."""


@dataclass(frozen=True)
class Recommendation:
    """What is recommended for one fragment."""

    fragment_id: str
    target: str
    current: tuple[str, ...]  # signatures of the styles it has now, which the ranking did not look at
    styles: tuple[RankedStyle, ...]
    composed: ComposedStyle | None  # for buttons: a style put together for this email, in the catalogue or not


@dataclass(frozen=True)
class RecommenderTraining:
    """What is fitted, and how."""

    targets: tuple[str, ...] = TARGETS
    ranker: RankerTraining = field(default_factory=lambda: RankerTraining(folds=2))
    composed: ComposedTraining = field(default_factory=ComposedTraining)
    seed: int = 0


@dataclass(frozen=True, eq=False)
class TargetModel:
    """Evidence for one target, and the weights of it under each protocol."""

    evidence: Evidence
    weights: Mapping[str, NDArray[np.float64]]
    nearest: NearestFragments

    def scores(self, queries: Queries, target: str) -> Scores:
        """log P up to a constant, each query by the weights of its situation."""
        of_target = np.flatnonzero(queries.corpus.is_target(target))
        company = np.asarray(queries.email[:, of_target].sum(axis=1)).ravel() > 0
        features = self.evidence.features(queries)
        alone, together = features @ self.weights[ALONE], features @ self.weights[IN_COMPANY]
        return np.asarray(np.where(company[:, None], together, alone), np.float64)


@dataclass(frozen=True, eq=False)
class Recommender:
    """Fitted to a corpus; recommends for emails outside it."""

    training: Observed
    options: RecommenderTraining
    models: Mapping[str, TargetModel]  # by target; those the corpus has styles of
    composer: Composer | None  # where the corpus has buttons

    @classmethod
    def fit(cls, tables: EmailTables, options: RecommenderTraining | None = None) -> Recommender:
        """Learn from all that the tables hold."""
        options = options or RecommenderTraining()
        training = Observed.all_of(Corpus.from_tables(tables))
        models = {
            target: train_target(training, target, options) for target in options.targets if len(training.links(target))
        }
        composer = None
        if COMPOSED_TARGET in models:
            composer = train_composer(training, strict=True, options=options.composed, seed=options.seed)
        return cls(training, options, models, composer)

    def recommend(self, email: EmailTables, target: str = "button", top: int = 10) -> list[Recommendation]:
        """For each fragment of the email, in reading order, the best ``top`` styles of the catalogue.

        A fragment's own style is not looked at; those of the email's other fragments are.
        """
        target = target_named(target)
        if target not in self.models:
            raise LookupError(f"no {target} to recommend: the corpus this was trained on has none")
        observed = read_new_email(self.training.corpus, email)
        if not observed.corpus.num_fragments:
            return []
        queries, model = questions(observed, target), self.models[target]
        probabilities = softmax(model.scores(queries, target), axis=1)
        similarity = model.nearest.similarity(queries.over(self.training.corpus.num_entities))
        composed = self._composed(queries, target)
        return [
            Recommendation(
                fragment_id=observed.corpus.fragment_ids[row],
                target=target,
                current=_current(observed, row, target),
                styles=ranked_styles(self.training.corpus, model.nearest, probabilities[row], similarity[row], top),
                composed=composed[row],
            )
            for row in range(len(queries))
        ]

    def _composed(self, queries: Queries, target: str) -> list[ComposedStyle | None]:
        if target != COMPOSED_TARGET or self.composer is None:
            return [None] * len(queries)
        return list(self.composer.compose(queries))


def train_target(training: Observed, target: str, options: RecommenderTraining) -> TargetModel:
    """Evidence from all visible links of a target, weighed for emails with and without another style of it."""
    evidence = Evidence.fit(training, target, ALONE, options.ranker.link_hnn, options.seed)
    weights = {
        protocol: train_weights(training, target, protocol, options.ranker, options.seed)
        for protocol in (ALONE, IN_COMPANY)
    }
    return TargetModel(evidence, weights, NearestFragments(training, target))


def _current(email: Observed, fragment: int, target: str) -> tuple[str, ...]:
    corpus = email.corpus
    held = corpus.entity[(corpus.fragment == fragment) & corpus.is_target(target)[corpus.entity]]
    return tuple(corpus.signatures[held])
