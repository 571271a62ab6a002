"""Which font size for a button: sizes of other buttons and of the email's own text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from hnn_core.recommend.attribute_choice import votes_for
from hnn_core.recommend.shown import Shown

Floats = NDArray[np.float64]

SAME_SIZE = 2.0
"""Pixels within which two sizes count as one."""

SIZE_FEATURES = (
    "common", "common within reach", "only in training", "text in email", "share of email", "text in fragment",
    "in ink in fragment", "in ink in email", "votes of emails", "votes of fragments",
)  # fmt: skip

_LARGEST = 28.0  # px; a headline's size is no candidate for a button


def size_candidates(shown: Shown, common: Sequence[str]) -> list[float]:
    """Sizes of many other buttons and of the email's text."""
    known = [float(size.removesuffix("px")) for size in common]
    return sorted({*known, *(size for size in shown.sizes() if 9 <= size <= _LARGEST)})


def size_features(
    candidates: Sequence[float], ink: str, shown: Shown, common: Floats, votes: Mapping[str, Floats]
) -> Floats:
    """One row a candidate, in the order of ``SIZE_FEATURES``; ``ink`` is the colour of the button's text."""
    within = np.log(same_size(candidates) @ np.exp(common))
    used = shown.sizes()
    total = max(sum(used.values()), 1.0)
    own = {size for size, _ in shown.own_texts}
    rows = [
        [
            common[i],
            within[i],
            size not in used,
            np.log1p(used.get(size, 0.0)),
            used.get(size, 0.0) / total,
            size in own,
            (size, ink) in shown.own_texts,
            np.log1p(shown.email_texts.get((size, ink), 0.0)),
            *votes_for(votes, f"{size:g}px"),
        ]
        for i, size in enumerate(candidates)
    ]
    return np.array(rows, dtype=np.float64).reshape(len(candidates), len(SIZE_FEATURES))


def same_size(candidates: Sequence[float]) -> NDArray[np.bool_]:
    """Candidates × candidates: which count as one."""
    sizes = np.array(candidates, dtype=np.float64)
    return np.asarray(np.abs(sizes[:, None] - sizes[None, :]) <= SAME_SIZE)
