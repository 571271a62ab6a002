"""Keeping text readable and its button visible: a background shifted just enough for a contrast of 4.5."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from hnn_core.colour import contrast_ratios, delta_e2000, rgb_of, rgb_to_lab, to_hex
from hnn_core.recommend.visible import stand_out

Floats = NDArray[np.float64]

READABLE = 4.5
"""The contrast WCAG AA asks of text."""

_STEPS = 64


def readable_shade(background: str, ink: str, ground: str) -> str | None:
    """The nearest shade of the background, darker or lighter, that will do, if there is one.

    The text can be read on it, and it can be seen on the ground.
    """
    shades, _ = _shades(background)
    cost = _costs(background, [ink], ground)[0]
    return to_hex(shades[int(cost.argmin())]) if np.isfinite(cost.min()) else None


def shifts(background: str, inks: Sequence[str], ground: str) -> Floats:
    """How far, in ΔE2000, the background must be shifted for each text colour; infinite where no shade will do."""
    return np.asarray(_costs(background, inks, ground).min(axis=1), np.float64)


def readable_on(ground: str, inks: Sequence[str]) -> NDArray[np.bool_]:
    """Which text colours can be read on a ground that is not ours to change."""
    return np.asarray(contrast_ratios(rgb_of(inks), rgb_of([ground])[0]) >= READABLE)


def _costs(background: str, inks: Sequence[str], ground: str) -> Floats:
    """Inks × shades: the shift, infinite where the text could not be read or the button not be seen."""
    shades, shift = _shades(background)
    readable = contrast_ratios(rgb_of(inks)[:, None, :], shades[None, :, :]) >= READABLE
    return np.where(readable & _seen(background, ground)[None, :], shift[None, :], np.inf)


@lru_cache(maxsize=4096)
def _seen(background: str, ground: str) -> NDArray[np.bool_]:
    """Which shades of the background stand out from the ground."""
    return stand_out(_shades(background)[0], ground)


@lru_cache(maxsize=4096)
def _shades(background: str) -> tuple[Floats, Floats]:
    """Steps from the background to black and to white, and how far each is from it."""
    start = rgb_of([background])[0]
    towards = np.stack([np.zeros(3), np.ones(3)])[:, None, :]
    steps = np.linspace(0, 1, _STEPS + 1)[None, :, None]
    # Colours have 8 bits a channel: what is promised must hold for what is written.
    shades = np.rint((start + (towards - start) * steps) * 255).reshape(-1, 3) / 255
    return shades, delta_e2000(rgb_to_lab(start), rgb_to_lab(shades))
