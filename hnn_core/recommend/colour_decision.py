"""From probabilities to one pair of colours that can be read together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hnn_core.colour import delta_e2000, lab_of
from hnn_core.recommend.attribute_nodes import OUTLINE
from hnn_core.recommend.colour_choice import SAME_COLOUR
from hnn_core.recommend.readable import readable_on, readable_shade, shifts

Floats = NDArray[np.float64]

INK_WEIGHT = 3.0
"""A hit of the text colour counts twice a hit of the background: a shade of the brand's colour is still the brand's,
black text instead of white is another button."""


def best_pair(backgrounds: Sequence[str], inks: Sequence[str], together: Floats, paper: str) -> tuple[str, str]:
    """Background and text colour with the largest expected number of hits.

    ``together`` is P(background, text). A hit is any colour that passes for the true one. Where the text could not
    be read the background is shifted just enough, and is less of a hit the farther it is shifted; an outline
    stands on the paper, which is not ours to change.
    """
    of_background = _alike(backgrounds) @ together.sum(axis=1)
    of_ink = together.sum(axis=0) @ _alike(inks)
    of_both = _alike(backgrounds) @ together @ _alike(inks)
    kept = np.stack([_kept(background, inks, paper) for background in backgrounds])
    hits = kept * (of_background[:, None] + of_both) + INK_WEIGHT * of_ink[None, :]
    hits[kept < 0] = -np.inf
    i, j = (int(at) for at in np.unravel_index(int(hits.argmax()), hits.shape))
    written = OUTLINE if backgrounds[i] == OUTLINE else readable_shade(backgrounds[i], inks[j])
    return (written, inks[j]) if written is not None and kept[i, j] >= 0 else ("#000000", "#ffffff")


def _kept(background: str, inks: Sequence[str], paper: str) -> Floats:
    """How much of a hit is left of the background under each text colour; −1 where it cannot be."""
    if background == OUTLINE:
        return np.where(readable_on(paper, inks), 1.0, -1.0)
    shift = shifts(background, inks)
    return np.where(np.isfinite(shift), np.maximum(1 - (shift / SAME_COLOUR) ** 2, 0.0), -1.0)


def _alike(colours: Sequence[str]) -> Floats:
    """Which of the colours pass for each other."""
    alike = np.eye(len(colours))
    filled = [i for i, colour in enumerate(colours) if colour != OUTLINE]
    lab = lab_of([colours[i] for i in filled])
    alike[np.ix_(filled, filled)] = delta_e2000(lab[:, None], lab[None, :]) < SAME_COLOUR
    return alike
