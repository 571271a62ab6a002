"""From probabilities to one pair of colours that can be read together, and seen on their ground."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from hnn_core.colour import delta_e2000, lab_of
from hnn_core.recommend.attribute_nodes import OUTLINE
from hnn_core.recommend.colour_choice import SAME_COLOUR
from hnn_core.recommend.readable import readable_on, readable_shade, shifts
from hnn_core.recommend.visible import stands_out

Floats = NDArray[np.float64]

INK_WEIGHT = 3.0
"""A hit of the text colour counts twice a hit of the background: a shade of the brand's colour is still the brand's,
black text instead of white is another button."""


def best_pair(backgrounds: Sequence[str], inks: Sequence[str], together: Floats, ground: str) -> tuple[str, str]:
    """Background and text colour with the largest expected number of hits.

    ``together`` is P(background, text). A hit is any colour that passes for the true one. Where the text could not
    be read, or the button not be told from the ground, the background is shifted just enough, and is less of a hit
    the farther it is shifted; an outline stands on the ground, which is not ours to change.
    """
    alike_backgrounds, alike_inks = _alike(tuple(backgrounds)), _alike(tuple(inks))
    of_background = alike_backgrounds @ together.sum(axis=1)
    of_ink = together.sum(axis=0) @ alike_inks
    of_both = alike_backgrounds @ together @ alike_inks
    kept = np.stack([_kept(background, tuple(inks), ground) for background in backgrounds])
    hits = kept * (of_background[:, None] + of_both) + INK_WEIGHT * of_ink[None, :]
    hits[kept < 0] = -np.inf
    i, j = (int(at) for at in np.unravel_index(int(hits.argmax()), hits.shape))
    written = OUTLINE if backgrounds[i] == OUTLINE else readable_shade(backgrounds[i], inks[j], ground)
    if written is not None and kept[i, j] >= 0:
        return written, inks[j]
    return ("#000000", "#ffffff") if stands_out("#000000", ground) else ("#ffffff", "#000000")


@lru_cache(maxsize=4096)  # emails of one sender have one palette
def _kept(background: str, inks: tuple[str, ...], ground: str) -> Floats:
    """How much of a hit is left of the background under each text colour; −1 where it cannot be."""
    if background == OUTLINE:
        return np.where(readable_on(ground, inks), 1.0, -1.0)
    shift = shifts(background, inks, ground)
    return np.where(np.isfinite(shift), np.maximum(1 - (shift / SAME_COLOUR) ** 2, 0.0), -1.0)


@lru_cache(maxsize=4096)
def _alike(colours: tuple[str, ...]) -> Floats:
    """Which of the colours pass for each other."""
    alike = np.eye(len(colours))
    filled = [i for i, colour in enumerate(colours) if colour != OUTLINE]
    lab = lab_of([colours[i] for i in filled])
    alike[np.ix_(filled, filled)] = delta_e2000(lab[:, None], lab[None, :]) < SAME_COLOUR
    return alike
