"""``background-image``: addresses and gradients, kept as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tinycss2

from extractors.css.values import split_commas, string

_FUNCTIONS = frozenset(
    prefix + name
    for prefix in ("", "-webkit-")
    for name in (
        "linear-gradient",
        "radial-gradient",
        "conic-gradient",
        "repeating-linear-gradient",
        "repeating-radial-gradient",
        "repeating-conic-gradient",
        "image-set",
        "cross-fade",
        "gradient",
    )
)


def image(token: Any) -> str | None:
    """One layer's image, or None if this component value is not one."""
    if token.type == "url":
        return f"url({string(token.value)})"
    if token.type == "function":
        if token.lower_name == "url":
            words = [a for a in token.arguments if a.type not in ("whitespace", "comment")]
            return f"url({string(words[0].value)})" if len(words) == 1 and words[0].type == "string" else None
        return tinycss2.serialize([token]) if token.lower_name in _FUNCTIONS else None
    return "none" if token.type == "ident" and token.lower_value == "none" else None


def background_image(tokens: Sequence[Any]) -> str | None:
    layers = [image(part[0]) if len(part) == 1 else None for part in split_commas(tokens)]
    return None if None in layers else ", ".join(layer for layer in layers if layer)
