"""Weights of a conditional logit whose start and shrinkage are chosen by cross-validation inside the training data.

How far the weights may leave their start, and which start, depends on how much the questions resemble those that
will come. A thousand links of a dozen senders say much about a known sender's next email and little about the
thirteenth sender. Each candidate is therefore fitted to all folds but one and judged on that one, and nothing that
is held out for a test is ever looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hnn_core.recommend.conditional_logit import fit_choice, log_probabilities
from hnn_core.recommend.corpus import Indices, Mask

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Questions:
    """Questions with their candidates below one another, see :mod:`hnn_core.recommend.conditional_logit`."""

    features: NDArray[np.floating]
    sizes: Indices  # candidates of each question
    right: Mask  # of each candidate
    importance: Floats  # of each question
    fold: Indices  # of each question: those of one fold are judged by weights fitted to the others

    @property
    def first(self) -> Indices:
        return np.asarray(np.cumsum(self.sizes) - self.sizes, np.int64)

    def only(self, questions: Mask) -> Questions:
        rows = np.repeat(questions, self.sizes)
        return Questions(
            self.features[rows],
            self.sizes[questions],
            self.right[rows],
            self.importance[questions],
            self.fold[questions],
        )

    def fit(self, start: Floats, shrinkage: float) -> Floats:
        return fit_choice(self.features, self.first, self.right, start, shrinkage, self.importance)


Judge = Callable[[Questions, Floats], float]
"""How well weights answer questions they were not fitted to; more is better."""


def log_likelihood(questions: Questions, weights: Floats) -> float:
    """Σ_q v_q log P(right | q): for a ranking, where every place counts."""
    scores = np.asarray(questions.features @ weights, np.float64)
    of_right = np.where(questions.right, np.exp(log_probabilities(scores, questions.first)), 0.0)
    total = np.add.reduceat(of_right, questions.first)
    return float(questions.importance @ np.log(np.maximum(total, 1e-12)))


def hits(questions: Questions, weights: Floats) -> float:
    """Σ_q v_q [the best candidate is right]: where only one can be given."""
    scores = np.asarray(questions.features @ weights, np.float64)
    best_right = np.maximum.reduceat(np.where(questions.right, scores, -np.inf), questions.first)
    best_wrong = np.maximum.reduceat(np.where(questions.right, -np.inf, scores), questions.first)
    return float(questions.importance @ (best_right > best_wrong))


def choose_weights(
    questions: Questions, starts: Sequence[Floats], shrinkages: Sequence[float], judge: Judge, cautious: bool = False
) -> Floats:
    """The weights whose start and shrinkage do best on left-out folds; on a tie those nearest to their start.

    ``cautious``: what is within a standard error of the best, over folds, counts as a tie. A few senders agree by
    chance on weights that the next one does not bear out.
    """
    if not len(questions.sizes):
        return starts[0]
    folds = [questions.fold == fold for fold in np.unique(questions.fold)]
    choices = [(start, shrinkage) for shrinkage in sorted(shrinkages, reverse=True) for start in starts]
    if len(folds) < 2:
        return questions.fit(*choices[0])
    apart = [(questions.only(~fold), questions.only(fold)) for fold in folds]
    judged = np.array([[judge(left_out, rest.fit(*choice)) for rest, left_out in apart] for choice in choices])
    behind = judged[judged.sum(axis=1).argmax()] - judged
    error = behind.std(axis=1, ddof=1) * np.sqrt(len(folds)) if cautious else 0.0
    return questions.fit(*choices[int(np.argmax(behind.sum(axis=1) <= error))])


def start_of(names: Sequence[str], weights: Mapping[str, float]) -> Floats:
    """Weights by name as a vector; a feature without one starts at zero."""
    return np.array([weights.get(name, 0.0) for name in names], dtype=np.float64)


def even_importance(groups: Indices) -> Floats:
    """A group of n questions weighs √n together; 1 on the mean."""
    if not len(groups):
        return np.zeros(0)
    importance = 1 / np.sqrt(np.bincount(groups)[groups])
    return np.asarray(importance / importance.mean(), np.float64)
