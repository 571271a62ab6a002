"""The fields of a style, typed: colours, a radius and a font size, whatever an email wrote."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from hnn_core.colour import is_hex

FIELDS: Mapping[str, tuple[str, ...]] = {
    "button-style": ("background", "color", "radius", "font-size"),
    "text-style": ("color", "font-size"),
    "color-pair": ("background", "color"),
    "background-style": ("background",),
}
"""What makes a style of each type (its signature); colours by their role."""

RADIUS_CLASSES: tuple[tuple[str, float], ...] = (("square", 0.0), ("soft", 6.0), ("round", 16.0), ("pill", math.inf))
"""Name and largest radius in px: what a designer would call the corner, not how it was measured."""


def colour_of(attributes: Mapping[str, Any], role: str) -> str | None:
    """The hex colour in a role (``background`` or ``color``), or None where there is none (an outline button)."""
    value = attributes.get(role)
    return value if is_hex(value) and isinstance(value, str) else None


def pixels_of(attributes: Mapping[str, Any], field: str) -> float | None:
    """A length in px; a percentage radius is None unless it makes a pill, which extraction writes in px."""
    value = str(attributes.get(field, ""))
    try:
        number = float(value.removesuffix("px"))
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def radius_class(pixels: float | None) -> str:
    """The name of a corner: ``square``, ``soft``, ``round`` or ``pill``."""
    size = 0.0 if pixels is None else pixels
    return next(name for name, largest in RADIUS_CLASSES if size <= largest)
