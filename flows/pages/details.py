"""What the first use of a style adds to its signature: border, padding, weight, family, case.

The same rule as for signatures: each is matched against what it may be and written anew from the match. A font's
name is never written; it only tells serif from sans and fixed width.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_BORDER = re.compile(r"(\d{1,2}(?:\.\d{1,2})?)px (solid|dashed|dotted|double) (#[0-9a-f]{6}(?:[0-9a-f]{2})?)")
_PADDING = re.compile(r"(\d{1,3}(?:\.\d{1,2})?)px")
_MOST_PADDING = 40.0  # px: a specimen shows a button, not the layout around it

_SERIF = ("georgia", "times", "garamond", "palatino", "baskerville", "playfair", "merriweather", "lora", "didot")
_FIXED = ("courier", "consolas", "menlo", "monaco", "mono")
_STACKS = {
    "serif": 'Georgia,"Times New Roman",serif',
    "fixed": 'Menlo,Consolas,"Liberation Mono",monospace',
    "sans": '"Helvetica Neue",Helvetica,Arial,sans-serif',
}


def details_css(attributes: Mapping[str, object]) -> str:
    """Declarations for a specimen, all of them recognised ones."""
    written = {
        "border": border_css(attributes),
        "padding": _padding(attributes.get("padding")),
        "font-weight": {"bold": "700", "normal": "400"}.get(str(attributes.get("font_weight"))),
        "font-family": _STACKS[family(str(attributes.get("font_family", ""))[:400])],
        "text-transform": "uppercase" if attributes.get("text_transform") == "uppercase" else None,
    }
    return ";".join(f"{name}:{value}" for name, value in written.items() if value)


def family(names: str) -> str:
    """serif, sans or fixed, by the first name of the list that is known."""
    for name in names.lower().split(","):
        if any(known in name for known in _FIXED):
            return "fixed"
        if "sans" in name:
            return "sans"
        if any(known in name for known in _SERIF) or "serif" in name:
            return "serif"
    return "sans"


def border_css(attributes: Mapping[str, object]) -> str | None:
    """The border alone, as a value."""
    match = _BORDER.fullmatch(str(attributes.get("border")))
    return f"{match[1]}px {match[2]} {match[3]}" if match else None


def _padding(value: object) -> str | None:
    sides = [_PADDING.fullmatch(side) for side in str(value)[:80].split(" ")]
    if len(sides) != 4 or not all(sides):
        return None
    lengths = [float(side[1]) for side in sides if side]
    # Padding set by spacer cells reads as none; the page's own keeps such a button a button.
    if max(lengths) > _MOST_PADDING or min(lengths[1], lengths[3]) < 8:
        return None
    return " ".join(f"{max(length, 4):g}px" for length in lengths)
