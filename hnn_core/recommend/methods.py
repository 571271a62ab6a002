"""Every method on one split: the recommender, its rivals, and HNN under each objective and score."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from hnn_core.recommend.link_hnn import SCORES, LinkTraining, train_links
from hnn_core.recommend.paper_models import PaperInputs, PaperTraining, hypergcn, paper_hnn
from hnn_core.recommend.protocols import Split
from hnn_core.recommend.queries import Queries, Scores, finite
from hnn_core.recommend.ranker import Ranker, RankerTraining, train_ranker
from hnn_core.recommend.rivals import RIVALS

RECOMMENDER = "recommender"
"""The product's own, in every table."""


@dataclass(frozen=True)
class Methods:
    """Settings of all methods, and where the costly comparisons are made."""

    ranker: RankerTraining = field(default_factory=RankerTraining)
    paper: PaperTraining = field(default_factory=PaperTraining)
    objectives: tuple[str, ...] = ("link",)  # protocols under which HNN's objectives and scores are compared


@dataclass(frozen=True, eq=False)
class Scored:
    """Scores of every method for the fragments that have a link held out."""

    queries: Queries
    ranker: Ranker
    scores: dict[str, Scores]


def score_methods(split: Split, methods: Methods, seed: int) -> Scored:
    """Fit each method to what the split leaves visible and score its held-out fragments."""
    training, target = split.training, split.target
    queries = Queries.of(training, np.unique(split.fragments))
    ranker = train_ranker(training, target, split.protocol, methods.ranker, seed)
    scores = {RECOMMENDER: ranker(queries)}
    for name, rival in RIVALS.items():
        scores[name] = rival(training, target, seed)(queries)
    inputs = PaperInputs.of(training, methods.paper, seed)
    for name, scorer in hypergcn(inputs, training, target, methods.paper, seed).items():
        scores[f"HyperGCN {name}"] = scorer(queries)
    for name, scorer in paper_hnn(inputs, training, target, methods.paper, seed).items():
        scores[f"HNN, hyperedge loss, {name}"] = scorer(queries)
    scores["HNN, masked links, y·z"] = ranker.evidence.links.scores(queries)
    if split.protocol in methods.objectives:
        scores |= _objectives(split, queries, methods.ranker.link_hnn, seed)
    return Scored(queries, ranker, {name: finite(each, name) for name, each in scores.items()})


def _objectives(split: Split, queries: Queries, options: LinkTraining, seed: int) -> dict[str, Scores]:
    """HNN trained on links, plain and masked, with each of its scores."""
    scores: dict[str, Scores] = {}
    for masked, objective in ((True, "masked links"), (False, "plain links")):
        asked = replace(options, masked=masked, scores=SCORES)
        links = train_links(split.training, split.target, split.protocol, asked, seed)
        for score in SCORES:
            if masked and score == "y·z":
                continue  # the ranker has trained exactly that one already
            parts = [links.scores(batch, score) for batch in queries.batches(128)]
            scores[f"HNN, {objective}, {score}"] = np.concatenate(parts)
    return scores
