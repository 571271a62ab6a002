"""Keeping a button visible: what is drawn of it can be told from the ground it lies on."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hnn_core.colour import contrast_ratios, delta_e2000, rgb_of, rgb_to_lab

CONTRAST = 3.0
"""What WCAG 2 asks of a control's shape."""

DIFFERENCE = 10.0
"""ΔE2000 at which a colour is another one at a glance: yellow on white has little contrast, and is seen."""


def stand_out(rgb: ArrayLike, ground: str) -> NDArray[np.bool_]:
    """Which colours, channels in 0–1, can be told from the ground; either measure is enough."""
    behind = rgb_of([ground])[0]
    differ = delta_e2000(rgb_to_lab(rgb), rgb_to_lab(behind))
    return np.asarray((contrast_ratios(rgb, behind) >= CONTRAST) | (differ >= DIFFERENCE))


@lru_cache(maxsize=4096)
def stands_out(colour: str, ground: str) -> bool:
    """The same of one hex colour."""
    return bool(stand_out(rgb_of([colour]), ground)[0])
