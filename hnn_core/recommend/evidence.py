"""All that speaks for a candidate, side by side: the scores of every method, and agreement in attributes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax

from hnn_core.recommend.agreement import Agreement, agreement_names
from hnn_core.recommend.alike import AlikeFragments
from hnn_core.recommend.corpus import Observed
from hnn_core.recommend.counterparts import Counterparts
from hnn_core.recommend.legibility import Legibility, legibility_names
from hnn_core.recommend.link_hnn import LinkTraining, TrainedLinks, train_links
from hnn_core.recommend.queries import Queries, Scorer, Scores, finite
from hnn_core.recommend.rivals import RIVALS, sender_counts

COUNTED = ("popularity", "same-email", "neighbours", "co-occurrence", "knn-context")
"""Rivals whose scores are amounts of evidence, none below zero."""

AMOUNTS = (*COUNTED, "senders", "alike", "counterparts", "hnn")
"""All amounts of evidence: each is a feature by its share, and by the logarithm of it."""

_LEAST = 1e-3  # share of evidence below which differences mean nothing


@dataclass(frozen=True, eq=False)
class Evidence:
    """Fitted to what is visible; gives one feature vector for each query and candidate."""

    entities: int  # known to the methods; a new email may have others
    counted: dict[str, Scorer]
    senders: Scores  # how many senders use each style: what a new one may use too
    alike: AlikeFragments
    counterparts: Counterparts
    links: TrainedLinks
    agreement: Agreement
    legibility: Legibility

    @classmethod
    def fit(cls, training: Observed, target: str, protocol: str, options: LinkTraining, seed: int) -> Evidence:
        return cls.around(train_links(training, target, protocol, options, seed), training, target, seed)

    @classmethod
    def around(cls, links: TrainedLinks, training: Observed, target: str, seed: int) -> Evidence:
        """The same around a link model that is already trained."""
        counted = {name: RIVALS[name](training, target, seed) for name in COUNTED}
        return cls(
            entities=training.corpus.num_entities,
            counted=counted,
            senders=sender_counts(training, target),
            alike=AlikeFragments(training, target),
            counterparts=Counterparts(training, target),
            links=links,
            agreement=Agreement(training, target),
            legibility=Legibility(training, target),
        )

    def features(self, queries: Queries) -> NDArray[np.float32]:
        """Queries × catalogue × :func:`feature_names`."""
        known = queries.over(self.entities)
        shares = [_share(finite(score(known), name)) for name, score in self.counted.items()]
        shares.append(_share(np.tile(self.senders, (len(queries), 1))))
        shares.append(_share(self.alike(queries)))
        shares.append(_share(self.counterparts(queries)))
        shares.append(np.exp(log_softmax(finite(self.links.scores(known), "hnn"), axis=1)))
        logs = (np.log(share + _LEAST) for share in shares)
        columns = [*shares, *logs, *self.agreement(queries), *self.legibility(queries)]
        return np.stack(columns, axis=-1).astype(np.float32)


def feature_names(target: str) -> tuple[str, ...]:
    """What the features of a target's candidates are."""
    logs = (f"log {name}" for name in AMOUNTS)
    return (*AMOUNTS, *logs, *agreement_names(target), *legibility_names(target))


def _share(scores: Scores) -> Scores:
    """Each candidate's share of the evidence; equal shares where there is none."""
    amounts = np.maximum(scores, 0)
    total = amounts.sum(axis=1, keepdims=True)
    return np.where(total > 0, amounts / np.where(total > 0, total, 1), 1 / max(amounts.shape[1], 1))
