"""A colour in a word or two, as people would ask for it: a swatch with a name is found again."""

from __future__ import annotations

import colorsys

import numpy as np

from hnn_core.colour import lab_of, rgb_of

_GREYS = ((99.5, "white"), (92, "off-white"), (75, "light grey"), (45, "grey"), (18, "dark grey"), (4, "near black"))
_HUES = (  # where each ends, in degrees of HLS: its circle keeps blue apart from purple, CIELAB's does not
    (12, "red"), (42, "orange"), (68, "yellow"), (165, "green"), (195, "teal"), (250, "blue"), (292, "purple"),
    (345, "pink"), (360, "red"),
)  # fmt: skip
_LIGHTNESS = ((86, "pale "), (68, "light "), (36, ""), (16, "dark "))
_DARK = {"orange": "brown", "yellow": "olive"}  # what these are called below the middle
_VIVID = 50.0  # chroma from which a colour is neither pale nor dark, whatever its lightness


def colour_name(colour: str) -> str:
    """``#0b6e4f`` as ``green``; a translucent colour is named as it looks on white."""
    L, a, b = lab_of([colour])[0]
    chroma = float(np.hypot(a, b))
    if chroma < 6:
        return next((name for least, name in _GREYS if least <= L), "black")
    hue = 360 * colorsys.rgb_to_hls(*rgb_of([colour])[0])[0]
    name = next((name for end, name in _HUES if hue < end), "red")
    shade = next((word for least, word in _LIGHTNESS if least <= L), "very dark ")
    if L < 58 and name in _DARK:
        name = _DARK[name]
    if L >= 68 and name == "red":
        name = "pink"
    return name if chroma >= _VIVID and L > 25 else f"{shade}{name}"
