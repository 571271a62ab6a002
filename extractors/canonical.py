"""Canonical spellings of style values, so that styles that look equal are one entity.

Colours are lowercase ``#rrggbb`` (``#rrggbbaa`` when translucent), lengths are px rounded to halves, a radius
of 40 px or 50 % and more is ``999px`` (a pill, however long), weights are ``normal`` or ``bold``.
"""

from __future__ import annotations

import re
from functools import lru_cache

Rgba = tuple[int, int, int, float]

TRANSPARENT: Rgba = (0, 0, 0, 0.0)
WHITE: Rgba = (255, 255, 255, 1.0)
PILL = "999px"
_PILL_FROM = 40.0
_NUMBER = re.compile(r"-?\d*\.?\d+(?:e-?\d+)?")
_COLOUR = re.compile(r"rgba?\([^)]*\)|#[0-9a-fA-F]{3,8}\b")


@lru_cache(maxsize=8192)
def rgba(value: str) -> Rgba:
    """A computed colour, ``rgb(r, g, b)`` or ``rgba(r, g, b, a)``, as numbers."""
    numbers = [float(number) for number in _NUMBER.findall(value)]
    if not value.startswith("rgb") or len(numbers) < 3:
        return TRANSPARENT
    red, green, blue = (min(255, max(0, round(number))) for number in numbers[:3])
    return red, green, blue, min(1.0, max(0.0, numbers[3])) if len(numbers) > 3 else 1.0


@lru_cache(maxsize=8192)
def hexadecimal(colour: Rgba) -> str:
    red, green, blue, alpha = colour
    if alpha == 0:
        return "transparent"
    return f"#{red:02x}{green:02x}{blue:02x}" + ("" if alpha == 1 else f"{round(alpha * 255):02x}")


@lru_cache(maxsize=8192)
def over(colour: Rgba, backdrop: Rgba) -> Rgba:
    """``colour`` painted on an opaque ``backdrop``."""
    alpha = colour[3]
    if alpha == 1:
        return colour
    mixed = [int(a * alpha + b * (1 - alpha) + 0.5) for a, b in zip(colour[:3], backdrop[:3], strict=True)]
    return mixed[0], mixed[1], mixed[2], 1.0


@lru_cache(maxsize=2048)
def gradient_colour(image: str) -> Rgba | None:
    """The first colour of a gradient, which is what text on it was chosen against."""
    match = _COLOUR.search(image)
    if match is None or "gradient" not in image:
        return None
    return rgba(match.group()) if match.group().startswith("rgb") else _from_hexadecimal(match.group()[1:])


def _from_hexadecimal(digits: str) -> Rgba:
    if len(digits) < 6:
        digits = "".join(digit * 2 for digit in digits)
    red, green, blue = (int(digits[place : place + 2], 16) for place in (0, 2, 4))
    return red, green, blue, int(digits[6:8], 16) / 255 if len(digits) >= 8 else 1.0


def image_kind(image: str) -> str:
    """``none``, ``gradient`` or ``url``."""
    if image == "none" or not image:
        return "none"
    return "gradient" if "gradient" in image else "url"


@lru_cache(maxsize=8192)
def px(value: str) -> str:
    """A length rounded to half pixels: ``16px``, ``13.5px``; keywords and percentages stay as they are."""
    if not value.endswith("px"):
        return value
    try:
        return pixels(float(value[:-2]))
    except ValueError:
        return value


def pixels(value: float) -> str:
    return f"{round(value * 2) / 2:g}px"


@lru_cache(maxsize=4096)
def radius(value: str) -> str:
    """A corner radius; both radii of an elliptic corner are judged by the first."""
    first = value.split(" ", 1)[0] if value else "0px"
    try:
        if first.endswith("%"):
            per_cent = float(first[:-1])
            return PILL if per_cent >= 50 else f"{round(per_cent * 2) / 2:g}%" if per_cent else "0px"
        if first.endswith("px"):
            amount = float(first[:-2])
            return PILL if amount >= _PILL_FROM else pixels(amount)
    except ValueError:
        pass
    return "0px"


def weight(value: str) -> str:
    return "bold" if value in ("600", "700", "800", "900", "bold", "bolder") else "normal"
