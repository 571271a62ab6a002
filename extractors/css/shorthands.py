"""Shorthands: one declaration, several longhands, all or nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from extractors.css import backgrounds, colours, fonts, lengths
from extractors.css.properties import (
    CORNERS,
    INITIAL,
    LONGHANDS,
    PARSERS,
    SIDES,
    Pair,
    border_width,
    decoration_line,
    font_style,
)
from extractors.css.values import is_slash

Expansion = tuple[tuple[str, Any], ...]


class Shorthand(NamedTuple):
    longhands: tuple[str, ...]
    expand: Callable[[Sequence[Any], bool], Expansion | None]


ALIASES = {
    "-webkit-border-top-left-radius": "border-top-left-radius",
    "-webkit-border-top-right-radius": "border-top-right-radius",
    "-webkit-border-bottom-left-radius": "border-bottom-left-radius",
    "-webkit-border-bottom-right-radius": "border-bottom-right-radius",
    "border-start-start-radius": "border-top-left-radius",
    "border-start-end-radius": "border-top-right-radius",
    "border-end-start-radius": "border-bottom-left-radius",
    "border-end-end-radius": "border-bottom-right-radius",
    "-webkit-box-sizing": "box-sizing",
    "-webkit-opacity": "opacity",
    "-webkit-flex-direction": "flex-direction",
    "-webkit-flex-wrap": "flex-wrap",
    "-webkit-flex-flow": "flex-flow",
    "inline-size": "width",
    "block-size": "height",
    "min-inline-size": "min-width",
    "min-block-size": "min-height",
    "max-inline-size": "max-width",
    "max-block-size": "max-height",
    "-webkit-logical-width": "width",
    "-webkit-logical-height": "height",
    "-webkit-margin-start": "margin-inline-start",
    "-webkit-margin-end": "margin-inline-end",
    "-webkit-margin-before": "margin-top",
    "-webkit-margin-after": "margin-bottom",
    "-webkit-padding-start": "padding-inline-start",
    "-webkit-padding-end": "padding-inline-end",
    "-webkit-padding-before": "padding-top",
    "-webkit-padding-after": "padding-bottom",
}

# Inline-start is left or right depending on direction, which only the element knows.
LOGICAL: dict[str, tuple[str, str]] = {}  # name: (longhand in ltr, longhand in rtl)
for _pattern in ("margin-{}", "padding-{}", "border-{}-width", "border-{}-style", "border-{}-color", "inset-{}"):
    _left, _right = (_pattern.format(side).removeprefix("inset-") for side in ("left", "right"))
    LOGICAL[_pattern.format("inline-start")] = (_left, _right)
    LOGICAL[_pattern.format("inline-end")] = (_right, _left)
    for _block, _side in (("block-start", "top"), ("block-end", "bottom")):
        ALIASES[_pattern.format(_block)] = _pattern.format(_side).removeprefix("inset-")


def _box(pattern: str) -> Shorthand:
    """One to four values for top, right, bottom and left."""
    names = tuple(pattern.format(side) for side in SIDES)
    parse = PARSERS[names[0]]

    def expand(tokens: Sequence[Any], quirks: bool) -> Expansion | None:
        values = [parse([token], quirks) for token in tokens]
        if len(values) > 4 or None in values:
            return None
        return tuple(zip(names, _four(values), strict=True))

    return Shorthand(names, expand)


def _four(values: list[Any]) -> list[Any]:
    order = ((0, 0, 0, 0), (0, 1, 0, 1), (0, 1, 2, 1), (0, 1, 2, 3))[len(values) - 1]
    return [values[i] for i in order]


def _two(first: str, second: str) -> Shorthand:
    """One or two values, the second defaulting to the first: ``margin-block``, ``overflow``."""
    parse = PARSERS[LOGICAL[first][0] if first in LOGICAL else first]

    def expand(tokens: Sequence[Any], quirks: bool) -> Expansion | None:
        values = [parse([token], False) for token in tokens]
        if len(values) > 2 or None in values:
            return None
        return (first, values[0]), (second, values[-1])

    return Shorthand((first, second), expand)


def _border(sides: Sequence[str]) -> Shorthand:
    """``border`` and ``border-top``: width, style and colour in any order."""
    names = tuple(f"border-{side}-{part}" for side in sides for part in ("width", "style", "color"))
    style_of = PARSERS["border-top-style"]

    def expand(tokens: Sequence[Any], quirks: bool) -> Expansion | None:
        found: dict[str, Any] = {}
        for token in tokens:
            for part, value in (
                ("style", style_of([token], quirks)),
                ("width", border_width(token)),
                ("color", colours.parse(token)),
            ):
                if value is not None and part not in found:
                    found[part] = value
                    break
            else:
                return None
        width = found.get("width", "3px")
        style, colour = found.get("style", "none"), found.get("color", colours.CURRENT_COLOUR)
        return tuple(zip(names, (width, style, colour) * len(sides), strict=True))

    return Shorthand(names, expand)


def _border_radius(tokens: Sequence[Any], quirks: bool) -> Expansion | None:
    parts: list[list[Any]] = [[]]
    for token in tokens:
        if is_slash(token):
            parts.append([])
        else:
            parts[-1].append(lengths.parse(token, negative=False))
    if len(parts) > 2 or any(not 1 <= len(part) <= 4 or None in part for part in parts):
        return None
    horizontal, vertical = _four(parts[0]), _four(parts[-1])
    return tuple(
        (f"border-{corner}-radius", h if h is v or h == v else Pair(h, v))
        for corner, h, v in zip(CORNERS, horizontal, vertical, strict=True)
    )


def _webkit_border_radius(tokens: Sequence[Any], quirks: bool) -> Expansion | None:
    """The old prefix reads two values as the two radii of every corner."""
    if len(tokens) != 2:
        return _border_radius(tokens, quirks)
    value = PARSERS["border-top-left-radius"](tokens, quirks)
    return None if value is None else tuple((f"border-{corner}-radius", value) for corner in CORNERS)


_FONT_NAMES = ("font-style", "font-weight", "font-size", "line-height", "font-family")
_SYSTEM_FONTS_NAMES = """
    caption icon menu message-box small-caption status-bar -webkit-mini-control
    -webkit-small-control -webkit-control
"""
_SYSTEM_FONTS = frozenset(_SYSTEM_FONTS_NAMES.split())
_STRETCH = frozenset(
    [
        "ultra-condensed",
        "extra-condensed",
        "condensed",
        "semi-condensed",
        "semi-expanded",
        "expanded",
        "extra-expanded",
        "ultra-expanded",
    ]
)


def _font(tokens: Sequence[Any], quirks: bool) -> Expansion | None:
    if len(tokens) == 1 and tokens[0].type == "ident" and tokens[0].lower_value in _SYSTEM_FONTS:
        system_size = fonts.PixelSize(40 / 3 if tokens[0].lower_value.startswith("-webkit") else 16.0)
        return tuple(zip(_FONT_NAMES, ("normal", "400", system_size, "normal", "Arial"), strict=True))
    found: dict[str, Any] = {}
    prefixes = 0
    while prefixes < min(4, len(tokens)):
        token = tokens[prefixes]
        name = token.lower_value if token.type == "ident" else ""
        if name == "normal":
            part, value, used = f"normal {prefixes}", name, 1
        elif name == "small-caps":
            part, value, used = "variant", name, 1
        elif name in _STRETCH:
            part, value, used = "stretch", name, 1
        elif name in ("italic", "oblique"):
            angle = prefixes + 1 < len(tokens) and getattr(tokens[prefixes + 1], "unit", None) == "deg"
            used = 2 if name == "oblique" and angle else 1
            part, value = "style", font_style(tokens[prefixes : prefixes + used])
        elif (weight := fonts.font_weight(token)) is not None:
            part, value, used = "weight", weight, 1
        else:
            break
        if part in found:
            return None
        found[part] = value
        prefixes += used
    style, weight = found.get("style"), found.get("weight")
    rest = tokens[prefixes:]
    size = fonts.font_size(rest[0]) if rest else None
    if size is None:
        return None
    height: Any = "normal"
    rest = rest[1:]
    if rest and is_slash(rest[0]):
        height = fonts.line_height(rest[1]) if len(rest) > 1 else None
        rest = rest[2:]
    family = fonts.font_family(rest) if rest else None
    if family is None or height is None:
        return None
    return tuple(zip(_FONT_NAMES, (style or "normal", weight or "400", size, height, family), strict=True))


_DECORATION_STYLES = frozenset(["solid", "double", "dotted", "dashed", "wavy"])


def _text_decoration(tokens: Sequence[Any], quirks: bool) -> Expansion | None:
    lines: list[Any] = []
    seen: set[str] = set()
    for token in tokens:
        name = token.lower_value if token.type == "ident" else ""
        if decoration_line([token]) is not None:
            lines.append(token)
            continue
        if name in _DECORATION_STYLES:
            part = "style"
        elif name in ("auto", "from-font") or lengths.parse(token) is not None:
            part = "thickness"
        elif colours.parse(token) is not None:
            part = "color"
        else:
            return None
        if part in seen:
            return None
        seen.add(part)
    line = decoration_line(lines) if lines else "none"
    return None if line is None else (("text-decoration-line", line),)


def _list_style(tokens: Sequence[Any], quirks: bool) -> Expansion | None:
    kinds = [
        token.lower_value
        for token in tokens
        if token.type == "ident" and token.lower_value not in ("inside", "outside")
    ]
    return (("list-style-type", kinds[0] if kinds else "disc"),) if len(kinds) <= 2 else None


def _flex_flow(tokens: Sequence[Any], quirks: bool) -> Expansion | None:
    found: dict[str, Any] = {}
    for token in tokens:
        for name in ("flex-direction", "flex-wrap"):
            value = PARSERS[name]([token], quirks)
            if value is not None and name not in found:
                found[name] = value
                break
        else:
            return None
    return tuple((name, found.get(name, INITIAL[name])) for name in ("flex-direction", "flex-wrap"))


SHORTHANDS: dict[str, Shorthand] = {
    "margin": _box("margin-{}"),
    "padding": _box("padding-{}"),
    "inset": _box("{}"),
    "border-width": _box("border-{}-width"),
    "border-style": _box("border-{}-style"),
    "border-color": _box("border-{}-color"),
    "border": _border(SIDES),
    "border-block": _border(("top", "bottom")),
    "border-block-start": _border(("top",)),
    "border-block-end": _border(("bottom",)),
    "border-inline": _border(("inline-start", "inline-end")),
    "border-inline-start": _border(("inline-start",)),
    "border-inline-end": _border(("inline-end",)),
    "border-radius": Shorthand(tuple(f"border-{c}-radius" for c in CORNERS), _border_radius),
    "-webkit-border-radius": Shorthand(tuple(f"border-{c}-radius" for c in CORNERS), _webkit_border_radius),
    "background": Shorthand(("background-color", "background-image"), backgrounds.expand),
    "font": Shorthand(_FONT_NAMES, _font),
    "text-decoration": Shorthand(("text-decoration-line",), _text_decoration),
    "-webkit-text-decoration": Shorthand(("text-decoration-line",), _text_decoration),
    "list-style": Shorthand(("list-style-type",), _list_style),
    "flex-flow": Shorthand(("flex-direction", "flex-wrap"), _flex_flow),
    "overflow": _two("overflow-x", "overflow-y"),
    "margin-block": _two("margin-top", "margin-bottom"),
    "margin-inline": _two("margin-inline-start", "margin-inline-end"),
    "padding-block": _two("padding-top", "padding-bottom"),
    "padding-inline": _two("padding-inline-start", "padding-inline-end"),
    "inset-block": _two("top", "bottom"),
    "inset-inline": _two("inset-inline-start", "inset-inline-end"),
    "all": Shorthand(tuple(n for n in LONGHANDS if n not in ("direction", "mso-hide")), lambda t, q: None),
}
for _side in SIDES:
    SHORTHANDS[f"border-{_side}"] = _border((_side,))
for _part in ("width", "style", "color"):
    SHORTHANDS[f"border-block-{_part}"] = _two(f"border-top-{_part}", f"border-bottom-{_part}")
    SHORTHANDS[f"border-inline-{_part}"] = _two(f"border-inline-start-{_part}", f"border-inline-end-{_part}")
