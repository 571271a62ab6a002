"""The longhands that are computed: initial value, whether it is inherited, and how it is read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from extractors.css import colours, fonts, images, lengths
from extractors.css.colours import CURRENT_COLOUR
from extractors.css.lengths import Length
from extractors.css.values import Deferred, Style, Value, number, px

Tokens = Sequence[Any]
Parser = Callable[[Tokens, bool], Any]  # (component values, quirks mode) -> value, or None if invalid

SIDES = ("top", "right", "bottom", "left")
CORNERS = ("top-left", "top-right", "bottom-right", "bottom-left")


class Inherit(Deferred):
    """The CSS-wide keywords, settled by the cascade before anything is resolved."""

    __slots__ = ("keyword",)

    def __init__(self, keyword: str) -> None:
        self.keyword = keyword


WIDE_KEYWORDS = {k: Inherit(k) for k in ("inherit", "initial", "unset", "revert", "revert-layer")}


def one(parse: Callable[[Any], Any]) -> Parser:
    """A property that takes exactly one component value."""
    return lambda tokens, quirks: parse(tokens[0]) if len(tokens) == 1 else None


def keyword(names: str, **aliases: str) -> Parser:
    allowed = {name: name for name in names.split()} | {k.replace("_", "-"): v for k, v in aliases.items()}
    return one(lambda token: allowed.get(token.lower_value) if token.type == "ident" else None)


def length(keywords: str = "", *, per_cent: bool = True, negative: bool = True, unitless: bool = True) -> Parser:
    allowed = frozenset(keywords.split())

    def parse(tokens: Tokens, quirks: bool) -> Value | None:
        if len(tokens) != 1:
            return None
        token = tokens[0]
        if token.type == "ident":
            name: str = token.lower_value
            return name if name in allowed else None
        return lengths.parse(token, per_cent=per_cent, negative=negative, unitless=quirks and unitless)

    return parse


def colour(tokens: Tokens, quirks: bool) -> colours.Colour | None:
    return colours.parse(tokens[0], hashless=quirks) if len(tokens) == 1 else None


class BorderWidth(Deferred):
    """A border width that is not plain pixels; it too lands on whole device pixels."""

    __slots__ = ("length",)

    def __init__(self, length: Length) -> None:
        self.length = length

    def resolve(self, style: Style) -> str:
        return snapped(max(0.0, self.length.pixels(style)))


def snapped(width: float) -> str:
    """Fractional borders snap down to whole pixels, but never to nothing."""
    return px(1.0 if 0 < width < 1 else float(int(width + 1e-5)))


def border_width(token: Any, unitless: bool = False) -> Value | None:
    if token.type == "ident":
        return {"thin": "1px", "medium": "3px", "thick": "5px"}.get(token.lower_value)
    value = lengths.parse(token, per_cent=False, negative=False, unitless=unitless)
    if isinstance(value, Length):
        return BorderWidth(value)
    return None if value is None else snapped(float(str(value).removesuffix("px")))


def opacity(token: Any) -> str | None:
    value = token.value / 100 if token.type == "percentage" else lengths.plain_number(token)
    return None if value is None else number(min(1.0, max(0.0, value)))


def radius(tokens: Tokens, quirks: bool) -> Value | None:
    if not 1 <= len(tokens) <= 2:
        return None
    values = [lengths.parse(token, negative=False) for token in tokens]
    if None in values:
        return None
    if len(values) == 1 or values[0] == values[1]:
        return values[0]
    return Pair(values[0], values[1])  # type: ignore[arg-type]  # None was excluded above


class Pair(Deferred):
    """Two values one after the other, such as the two radii of an elliptic corner."""

    __slots__ = ("first", "second")

    def __init__(self, first: Value, second: Value) -> None:
        self.first, self.second = first, second

    def resolve(self, style: Style) -> str:
        first = self.first if isinstance(self.first, str) else self.first.resolve(style)
        second = self.second if isinstance(self.second, str) else self.second.resolve(style)
        return first if first == second else f"{first} {second}"


_DECORATIONS = ("underline", "overline", "line-through", "blink")


def decoration_line(tokens: Tokens, quirks: bool = False) -> str | None:
    names: list[str] = [token.lower_value if token.type == "ident" else "" for token in tokens]
    if names == ["none"] or names in (["spelling-error"], ["grammar-error"]):
        return names[0]
    if not names or len(set(names)) != len(names) or not set(names) <= set(_DECORATIONS):
        return None
    return " ".join(name for name in _DECORATIONS if name in names)


_DISPLAY_OUTSIDE = {"block", "inline", "run-in"}
_DISPLAY_INSIDE = {"flow", "flow-root", "table", "flex", "grid", "ruby", "math"}
_DISPLAY_SINGLE_NAMES = """
    block inline flow-root inline-block list-item table inline-table table-row-group
    table-header-group table-footer-group table-row table-cell table-column-group table-column
    table-caption flex inline-flex grid inline-grid none contents -webkit-box -webkit-inline-box
    ruby ruby-text math
"""
_DISPLAY_SINGLE = frozenset(_DISPLAY_SINGLE_NAMES.split())
_DISPLAY_ALIAS = {"-webkit-flex": "flex", "-webkit-inline-flex": "inline-flex", "flow": "block"}
_DISPLAY_PAIR = {
    ("block", "flow"): "block",
    ("block", "flow-root"): "flow-root",
    ("inline", "flow"): "inline",
    ("inline", "flow-root"): "inline-block",
    ("inline", "table"): "inline-table",
    ("inline", "flex"): "inline-flex",
    ("inline", "grid"): "inline-grid",
    ("block", "table"): "table",
    ("block", "flex"): "flex",
    ("block", "grid"): "grid",
    ("inline", "ruby"): "ruby",
    ("block", "ruby"): "block ruby",
    ("inline", "math"): "math",
    ("block", "math"): "block math",
}


def display(tokens: Tokens, quirks: bool = False) -> str | None:
    names = [token.lower_value if token.type == "ident" else "" for token in tokens]
    if len(names) == 1:
        name = _DISPLAY_ALIAS.get(names[0], names[0])
        return name if name in _DISPLAY_SINGLE else None
    if "list-item" in names and len(names) <= 3:
        return _list_item(frozenset(names) - {"list-item", "block", "flow"}) if len(set(names)) == len(names) else None
    if len(names) == 2:
        return _DISPLAY_PAIR.get((names[0], names[1])) or _DISPLAY_PAIR.get((names[1], names[0]))
    return None


def _list_item(rest: frozenset[str]) -> str | None:
    order = ("inline", "flow-root")
    return " ".join((*(name for name in order if name in rest), "list-item")) if rest <= set(order) else None


def font_style(tokens: Tokens, quirks: bool = False) -> str | None:
    if tokens[0].type != "ident" or len(tokens) > 2:
        return None
    name: str = tokens[0].lower_value
    if len(tokens) == 2:
        is_angle = name == "oblique" and tokens[1].type == "dimension" and tokens[1].lower_unit == "deg"
        if not is_angle or not -90 <= tokens[1].value <= 90:
            return None
        return {0: "normal", 14: "oblique"}.get(tokens[1].value, f"oblique {number(tokens[1].value)}deg")
    return name if name in ("normal", "italic", "oblique") else None


def verbatim(tokens: Tokens, quirks: bool = False) -> str | None:
    """Microsoft's own properties: browsers ignore them, but they say what Outlook hides."""
    return tokens[0].lower_value if len(tokens) == 1 and tokens[0].type == "ident" else None


def line_clamp(tokens: Tokens, quirks: bool) -> str | None:
    """After how many lines a teaser is cut."""
    if len(tokens) != 1:
        return None
    token = tokens[0]
    if token.type == "number":
        return str(token.int_value) if token.int_value is not None and token.int_value > 0 else None
    return "none" if token.type == "ident" and token.lower_value == "none" else None


class _Tracking(Deferred):
    """A letter-spacing in ems; none at all reads ``normal``, however it was written."""

    __slots__ = ("length",)

    def __init__(self, length: Length) -> None:
        self.length = length

    def resolve(self, style: Style) -> str:
        pixels = self.length.pixels(style, style.em)
        return px(pixels) if pixels else "normal"


def tracking(tokens: Tokens, quirks: bool) -> Value | None:
    value: Value | None = length("normal")(tokens, quirks)
    if isinstance(value, Length):
        return _Tracking(value)
    return "normal" if value == "0px" else value


_BORDER_STYLES = "none hidden dotted dashed solid double groove ridge inset outset"
_SIZE_KEYWORDS = "auto min-content max-content fit-content stretch -webkit-fill-available"
_SIZE = length(_SIZE_KEYWORDS, negative=False)
_LIMIT = length("none min-content max-content fit-content stretch -webkit-fill-available", negative=False)
_OVERFLOW = keyword("visible hidden scroll auto clip", overlay="auto")
_INSET = length("auto")

# name: (initial value, inherited, parser)
LONGHANDS: dict[str, tuple[Any, bool, Parser]] = {
    "color": ("rgb(0, 0, 0)", True, colour),
    "font-family": ('"Times New Roman"', True, lambda tokens, quirks: fonts.font_family(tokens)),
    "font-size": ("16px", True, lambda t, quirks: fonts.font_size(t[0], quirks) if len(t) == 1 else None),
    "font-style": ("normal", True, font_style),
    "font-weight": ("400", True, one(fonts.font_weight)),
    "line-height": ("normal", True, one(fonts.line_height)),
    "letter-spacing": ("normal", True, tracking),
    "word-spacing": ("0px", True, length("normal")),
    "text-align": (
        "start",
        True,
        keyword(
            "left right center justify start end -webkit-left -webkit-center -webkit-right "
            "match-parent -webkit-match-parent -internal-center"
        ),
    ),
    "text-transform": ("none", True, keyword("none capitalize uppercase lowercase")),
    "text-indent": ("0px", True, length()),
    "white-space": ("normal", True, keyword("normal nowrap pre pre-wrap pre-line break-spaces")),
    "visibility": ("visible", True, keyword("visible hidden collapse")),
    "direction": ("ltr", True, keyword("ltr rtl")),
    "list-style-type": ("disc", True, verbatim),
    "border-collapse": ("separate", True, keyword("separate collapse")),
    "display": ("inline", False, display),
    "float": ("none", False, keyword("none left right", inline_start="left", inline_end="right")),
    "clear": ("none", False, keyword("none left right both")),
    "position": ("static", False, keyword("static relative absolute fixed sticky")),
    "box-sizing": ("content-box", False, keyword("content-box border-box")),
    "opacity": ("1", False, one(opacity)),
    "overflow-x": ("visible", False, _OVERFLOW),
    "overflow-y": ("visible", False, _OVERFLOW),
    "width": ("auto", False, _SIZE),
    "height": ("auto", False, _SIZE),
    "min-width": ("0px", False, _SIZE),
    "min-height": ("0px", False, _SIZE),
    "max-width": ("none", False, _LIMIT),
    "max-height": ("none", False, _LIMIT),
    "vertical-align": (
        "baseline",
        False,
        length("baseline sub super text-top text-bottom middle top bottom -webkit-baseline-middle"),
    ),
    "text-decoration-line": ("none", False, decoration_line),
    "background-color": (colours.TRANSPARENT, False, colour),
    "background-image": ("none", False, lambda tokens, quirks: images.background_image(tokens)),
    "flex-direction": ("row", False, keyword("row row-reverse column column-reverse")),
    "flex-wrap": ("nowrap", False, keyword("nowrap wrap wrap-reverse")),
    "-webkit-box-orient": (
        "horizontal",
        False,
        keyword("horizontal vertical", inline_axis="horizontal", block_axis="vertical"),
    ),
    "-webkit-line-clamp": ("none", False, line_clamp),
    "mso-hide": ("none", False, verbatim),
}
for _side in SIDES:
    LONGHANDS[_side] = ("auto", False, _INSET)
    LONGHANDS[f"margin-{_side}"] = ("0px", False, length("auto"))
    LONGHANDS[f"padding-{_side}"] = ("0px", False, length(negative=False))
    LONGHANDS[f"border-{_side}-width"] = (
        "0px",
        False,
        lambda tokens, quirks: border_width(tokens[0], quirks) if len(tokens) == 1 else None,
    )
    LONGHANDS[f"border-{_side}-style"] = ("none", False, keyword(_BORDER_STYLES))
    LONGHANDS[f"border-{_side}-color"] = (CURRENT_COLOUR, False, colour)
for _corner in CORNERS:
    LONGHANDS[f"border-{_corner}-radius"] = ("0px", False, radius)

INITIAL: dict[str, Any] = {name: initial for name, (initial, _, _) in LONGHANDS.items()}
INHERITED = frozenset(name for name, (_, inherited, _) in LONGHANDS.items() if inherited)
PARSERS: dict[str, Parser] = {name: parser for name, (_, _, parser) in LONGHANDS.items()}
