"""Choosing one of several: P(c | q) = softmax over the candidates c of q of wᵀφ(q, c).

Candidates of all questions stand below one another; ``first`` says where each question's begin. A question may
have several right answers (any colour that passes for the true one): then their probabilities add up.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from hnn_core.recommend.corpus import Indices, Mask

Floats = NDArray[np.float64]


def fit_choice(
    features: NDArray[np.floating],
    first: Indices,
    right: Mask,
    start: Floats,
    shrinkage: float,
    importance: Floats | None = None,
) -> Floats:
    """argmin_w −Σ_q v_q log P(right | q) + λ‖σ(w − w₀)‖², σ the standard deviations of the features.

    ``start`` is w₀: what remains where there is little to learn from. Each question needs a right answer.
    """
    if not len(first):
        return start
    spread = features.std(axis=0, dtype=np.float64) + 1e-3
    scaled = features / spread
    v = np.ones(len(first)) if importance is None else importance
    of_candidate = np.repeat(np.arange(len(first)), np.diff(first, append=len(features)))
    w0 = start * spread

    def loss(w: Floats) -> tuple[float, Floats]:
        z = scaled @ w
        z = z - np.maximum.reduceat(z, first)[of_candidate]
        all_of, right_of = np.exp(z), np.where(right, np.exp(z), 0.0)
        total, mass = np.add.reduceat(all_of, first), np.add.reduceat(right_of, first)
        mass = np.maximum(mass, 1e-300)
        value = float((v * (np.log(total) - np.log(mass))).sum() + shrinkage * ((w - w0) ** 2).sum())
        residual = v[of_candidate] * (all_of / total[of_candidate] - right_of / mass[of_candidate])
        return value, np.asarray(scaled.T @ residual + 2 * shrinkage * (w - w0), np.float64)

    fitted = minimize(loss, w0, jac=True, method="L-BFGS-B", options={"maxiter": 150})
    return np.asarray(fitted.x / spread, np.float64)


def log_probabilities(scores: Floats, first: Indices) -> Floats:
    """log P of each candidate among its question's."""
    if not len(first):
        return scores
    of_candidate = np.repeat(np.arange(len(first)), np.diff(first, append=len(scores)))
    z = scores - np.maximum.reduceat(scores, first)[of_candidate]
    return np.asarray(z - np.log(np.add.reduceat(np.exp(z), first))[of_candidate], np.float64)
