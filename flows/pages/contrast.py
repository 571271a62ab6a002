"""WCAG 2 contrast of every colour pair, the failing ones first, each with a text colour that would pass."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from flows.pages.inventory import Entry
from hnn_core.colour import contrast_ratios, delta_e2000, rgb_of, rgb_to_lab, to_hex

#: From WCAG 2.2, 1.4.3 and 1.4.6; "large" is text of 24 px, or 18.66 px bold, and up.
LEVELS = (("fails at any size", 3.0), ("fails below 24 px", 4.5), ("AA", 7.0), ("AAA", float("inf")))
AA = 4.5


@dataclass(frozen=True)
class Contrast:
    """A colour pair with its ratio."""

    entry: Entry
    ratio: float
    level: str

    @property
    def passes(self) -> bool:
        return self.ratio >= AA

    @property
    def printed(self) -> str:
        """Cut off, not rounded: 4.497 must not read 4.50 and fail."""
        return f"{math.floor(self.ratio * 100) / 100:.2f}"

    @cached_property
    def remedy(self) -> str | None:
        """The nearest text colour that reads on this background."""
        style = self.entry.style
        if self.passes or style is None or style.color is None or style.background is None:
            return None
        return nearest_readable(style.color, style.background)


def contrasts(pairs: Sequence[Entry]) -> list[Contrast]:
    """All pairs that can be measured: the worst level first, within it the most used."""
    measured = [(entry, entry.style.contrast) for entry in pairs if entry.style and entry.style.contrast]
    rated = [Contrast(entry, ratio, level_of(ratio)) for entry, ratio in measured if ratio is not None]
    worst = [level for level, _ in LEVELS]
    return sorted(rated, key=lambda c: (worst.index(c.level), -c.entry.uses, c.ratio, c.entry.entity_id))


def level_of(ratio: float) -> str:
    return next(level for level, below in LEVELS if ratio < below)


def nearest_readable(color: str, background: str, ratio: float = AA) -> str | None:
    """The colour nearest to ``color`` (ΔE₀₀) on its way to black or to white that reaches ``ratio``."""
    ground = rgb_of([background])[0]
    ink = rgb_of([color], over=to_hex(ground))[0]
    steps = np.linspace(0, 1, 256)[:, None]
    candidates = np.concatenate([ink * (1 - steps), ink + (1 - ink) * steps])
    candidates = np.rint(candidates * 255) / 255
    candidates = candidates[contrast_ratios(candidates, ground) >= ratio]
    if not len(candidates):
        return None
    return to_hex(candidates[np.argmin(delta_e2000(rgb_to_lab(candidates), rgb_to_lab(ink)))])
