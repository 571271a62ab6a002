"""Colours, written as ``getComputedStyle`` writes them: ``rgb(r, g, b)`` or ``rgba(r, g, b, a)``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from extractors.css.named_colours import NAMED, SYSTEM
from extractors.css.values import Deferred, Style, number

TRANSPARENT = "rgba(0, 0, 0, 0)"


class _CurrentColour(Deferred):
    """``currentcolor``: whatever ``color`` is on the element that uses it."""

    def resolve(self, style: Style) -> str:
        return style["color"]


class _LinkColour(Deferred):
    """``-webkit-link``: blue, unless the body's ``link`` attribute says otherwise."""

    def resolve(self, style: Style) -> str:
        return style.page.link_colour


class _BodyColour(Deferred):
    """Quirks mode: the colour a ``<table>`` takes from the body, over the heads of its parents."""

    def resolve(self, style: Style) -> str:
        return style.page.body_colour


CURRENT_COLOUR = _CurrentColour()
BODY_COLOUR = _BodyColour()
LINK_COLOUR = _LinkColour()
Colour = str | Deferred


def parse(token: Any, hashless: bool = False) -> Colour | None:
    """The colour of one tinycss2 component value, or None.

    ``hashless`` is the quirk by which ``color: ffffff`` works in documents without a doctype.
    """
    kind = token.type
    if kind == "ident":
        name = token.lower_value
        if name in NAMED:
            return rgb(*NAMED[name])
        if name in SYSTEM:
            return SYSTEM[name]
        if name == "currentcolor":
            return CURRENT_COLOUR
        if name == "-webkit-link":
            return LINK_COLOUR
        if name == "-internal-quirk-inherit":
            return BODY_COLOUR
        return _hex(name, (3, 6)) if hashless else None
    if kind == "hash":
        return _hex(token.value, (3, 4, 6, 8))
    if kind == "function":
        return _function(token.lower_name, token.arguments)
    if hashless and kind in ("number", "dimension"):
        return _hashless_number(token)
    return None


def rgb(red: int, green: int, blue: int, alpha: float = 1.0) -> str:
    if alpha >= 1:
        return f"rgb({red}, {green}, {blue})"
    # Legacy colours keep eight bits of alpha; two decimals are written where they name those bits.
    bits = int(max(0.0, alpha) * 255 + 0.5)
    shortest = round(bits / 255, 2)
    if int(shortest * 255 + 0.5) != bits:
        shortest = round(bits / 255, 3)
    return f"rgba({red}, {green}, {blue}, {number(shortest)})"


def legacy(text: str) -> str | None:
    """An attribute such as ``bgcolor``, by HTML's "rules for parsing a legacy colour value"."""
    if not text:
        return None
    text = text.strip(" \t\n\f\r")
    if text.lower() == "transparent":
        return None
    if text.lower() in NAMED:
        return rgb(*NAMED[text.lower()])
    if re.fullmatch(r"#[0-9a-fA-F]{3}", text):
        return _hex(text[1:], (3,))
    # Astral characters count as two zeros; everything past 128 characters is ignored.
    text = "".join("00" if character > "\uffff" else character for character in text[:128])[:128]
    digits = re.sub(r"[^0-9a-fA-F]", "0", text.removeprefix("#"))
    digits += "0" * (-len(digits) % 3) if digits else "000"
    size = len(digits) // 3
    parts = [digits[i * size : (i + 1) * size][-8:] for i in range(3)]
    while len(parts[0]) > 2 and all(part[0] == "0" for part in parts):
        parts = [part[1:] for part in parts]
    red, green, blue = (int(part[:2], 16) for part in parts)
    return rgb(red, green, blue)


def _hex(digits: str, lengths: tuple[int, ...]) -> str | None:
    if len(digits) not in lengths or not re.fullmatch(r"[0-9a-fA-F]+", digits):
        return None
    if len(digits) < 6:
        digits = "".join(digit * 2 for digit in digits)
    channels = bytes.fromhex(digits)
    alpha = channels[3] / 255 if len(channels) == 4 else 1.0
    return rgb(channels[0], channels[1], channels[2], alpha)


def _hashless_number(token: Any) -> str | None:
    """``000000`` is tokenised as a number and ``0f0f0f`` as a dimension: both are colours here."""
    if not token.is_integer or token.value < 0:
        return None
    unit = token.unit if token.type == "dimension" else ""
    return _hex(f"{int(token.value)}{unit}".rjust(6, "0"), (6,))


def _function(name: str, arguments: Sequence[Any]) -> Colour | None:
    if name == "light-dark":
        pair = [a for a in arguments if a.type != "whitespace" and a != ","]
        return parse(pair[0]) if len(pair) == 2 else None
    space = ""
    if name == "color":
        arguments = [a for a in arguments if a.type not in ("whitespace", "comment")]
        space = arguments[0].lower_value if arguments and arguments[0].type == "ident" else ""
        arguments = arguments[1:]
    channels = _channels(arguments)
    if channels is None:
        return None
    values, alpha, has_commas = channels
    if name in _WIDE_SCALES or space in _SPACES:
        return None if has_commas else _wide_gamut(name, space, values, alpha)
    kinds = {value.type for value in values[1 if name[0] == "h" else 0 :]}
    if has_commas and (len(kinds) > 1 or (name[0] == "h" and kinds != {"percentage"})):
        return None  # only the modern syntax mixes percentages and numbers
    if name in ("rgb", "rgba"):
        return _rgb_function(values, alpha)
    if name in ("hsl", "hsla", "hwb") and not (has_commas and name == "hwb"):
        return _hue_function(name, values, alpha)
    return None


def _channels(arguments: Sequence[Any]) -> tuple[list[Any], float, bool] | None:
    """Three channels, alpha, and whether they came in the comma syntax or with spaces and a slash."""
    tokens = [a for a in arguments if a.type not in ("whitespace", "comment")]
    commas = sum(a.type == "literal" and a.value == "," for a in tokens)
    if commas:
        if commas not in (2, 3) or len(tokens) != 2 * commas + 1:
            return None
        if any((a.type == "literal" and a.value == ",") != bool(i % 2) for i, a in enumerate(tokens)):
            return None
        if any(a.type == "ident" for a in tokens):  # `none` needs the modern syntax
            return None
        parts = tokens[::2]
    elif len(tokens) == 5 and tokens[3].type == "literal" and tokens[3].value == "/":
        parts = [*tokens[:3], tokens[4]]
    else:
        parts = tokens
    if len(parts) not in (3, 4):
        return None
    alpha = _fraction(parts[3], 1.0) if len(parts) == 4 else 1.0
    return None if alpha is None else (parts[:3], min(1.0, max(0.0, alpha)), bool(commas))


# What 100 % of each channel is, in the colour spaces that are written back as they came.
_WIDE_SCALES = {
    "lab": (100.0, 125.0, 125.0),
    "lch": (100.0, 150.0, None),
    "oklab": (1.0, 0.4, 0.4),
    "oklch": (1.0, 0.4, None),
}
_SPACES = frozenset(
    ("srgb", "srgb-linear", "display-p3", "a98-rgb", "prophoto-rgb", "rec2020", "xyz", "xyz-d50", "xyz-d65")
)


def _wide_gamut(name: str, space: str, values: Sequence[Any], alpha: float) -> str | None:
    written = []
    for value, scale in zip(values, _WIDE_SCALES.get(name, (1.0, 1.0, 1.0)), strict=True):
        amount = _degrees(value) if scale is None else _fraction(value, scale)
        if amount is None:
            return None
        written.append("none" if value.type == "ident" else number(amount))
    if space:
        written.insert(0, "xyz-d65" if space == "xyz" else space)
    slash = f" / {number(alpha)}" if alpha < 1 else ""
    return f"{name}({' '.join(written)}{slash})"


def _rgb_function(values: Sequence[Any], alpha: float) -> str | None:
    channels = [_fraction(value, 255.0) for value in values]
    if None in channels:
        return None
    red, green, blue = (int(min(255.0, max(0.0, c or 0.0)) + 0.5) for c in channels)
    return rgb(red, green, blue, alpha)


def _hue_function(name: str, values: Sequence[Any], alpha: float) -> str | None:
    hue = _degrees(values[0])
    first, second = (_fraction(value, 1.0, bare=0.01) for value in values[1:])
    if hue is None or first is None or second is None:
        return None
    first, second = min(1.0, max(0.0, first)), min(1.0, max(0.0, second))
    if name == "hwb":
        total = max(1.0, first + second)
        white, black = first / total, second / total
        channels = [c * (1 - white - black) + white for c in _hsl(hue, 1.0, 0.5)]
    else:
        channels = _hsl(hue, first, second)
    red, green, blue = (int(c * 255 + 0.5) for c in channels)
    return rgb(red, green, blue, alpha)


def _hsl(hue: float, saturation: float, lightness: float) -> list[float]:
    chroma = saturation * min(lightness, 1 - lightness)

    def channel(n: int) -> float:
        k = (n + hue / 30) % 12
        return lightness - chroma * max(-1.0, min(k - 3, 9 - k, 1.0))

    return [channel(0), channel(8), channel(4)]


def _fraction(token: Any, whole: float, bare: float = 1.0) -> float | None:
    if token.type == "percentage":
        return float(token.value) / 100 * whole
    if token.type == "number":
        return float(token.value) * bare
    if token.type == "ident" and token.lower_value == "none":
        return 0.0
    return None


def _degrees(token: Any) -> float | None:
    turns = {"deg": 1.0, "grad": 0.9, "rad": 57.29577951308232, "turn": 360.0}
    if token.type == "number":
        return float(token.value) % 360
    if token.type == "dimension" and token.lower_unit in turns:
        return float(token.value) * turns[token.lower_unit] % 360
    return 0.0 if token.type == "ident" and token.lower_value == "none" else None
