"""Presentational attributes: ``bgcolor``, ``align``, ``cellpadding`` and the rest of 1996, as CSS.

Each becomes declarations weaker than any author rule and stronger than the browser's defaults.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from extractors.css import colours
from extractors.css.declarations import EMPTY, Block, declare
from extractors.css.properties import SIDES
from extractors.css.values import string

Hints = dict[str, Any]
Rule = Callable[[Hints, str, str, Mapping[str, str]], None]  # (hints, tag, value, all attributes)

_NUMBER = re.compile(r"[ \t\n\f\r]*\+?(\d+\.?\d*|\.\d+)\s*(%?)")
_LONGEST = 2_000  # a picture in a data: address is not worth remembering
_INTEGER = re.compile(r"[ \t\n\f\r]*([+-]?\d{1,9})")  # nine digits are more than any screen has


def of(tag: str, attributes: Mapping[str, str]) -> Block:
    """The hints of one element's own attributes."""
    relevant = tuple([item for item in attributes.items() if item[0] in _RULES])
    if not relevant:
        return EMPTY
    if len(attributes.get("background", "")) > _LONGEST:
        return _of.__wrapped__(tag, relevant)
    return _of(tag, relevant)


@lru_cache(maxsize=20_000)
def _of(tag: str, attributes: tuple[tuple[str, str], ...]) -> Block:
    hints: Hints = {}
    named = dict(attributes)
    for name, value in attributes:
        _RULES[name](hints, tag, value, named)
    if tag == "table":
        _table_frame(hints, named)
    return Block(hints, {}) if hints else EMPTY


def of_table(attributes: Mapping[str, str]) -> Mapping[str, Block]:
    """What a table's attributes say about its cells and groups of rows or columns, by their tags."""
    get = attributes.get
    return _of_table(get("cellpadding"), get("border"), get("bordercolor"), get("rules"))


@lru_cache(maxsize=1_000)
def _of_table(
    padding: str | None, border: str | None, bordercolor: str | None, rules: str | None
) -> Mapping[str, Block]:
    parts = dict.fromkeys(("td", "th"), _cell(padding, border, bordercolor, rules))
    if (rules or "").lower() == "groups":
        parts.update(dict.fromkeys(("thead", "tbody", "tfoot"), _group("top", "bottom")))
        parts["colgroup"] = _group("left", "right")
    return parts


def _cell(padding: str | None, border: str | None, bordercolor: str | None, rules: str | None) -> Block:
    hints: Hints = {}
    _set(hints, "padding", f"{max(0, _integer(padding) or 0) if padding else 1}px")
    rule = (rules or "").lower()
    sides: tuple[str, ...] = ()
    style = "solid"
    if rule in ("all", "cols", "rows"):
        sides = {"all": SIDES, "cols": ("left", "right"), "rows": ("top", "bottom")}[rule]
    elif rule not in ("none", "groups") and border is not None and _border_width("table", border):
        sides = SIDES
        style = "solid" if bordercolor else "inset"
    for side in sides:
        _set(hints, f"border-{side}-width", "1px")
        _set(hints, f"border-{side}-style", style)
        _set(hints, f"border-{side}-color", "inherit")
    return Block(hints, {})


def _group(*sides: str) -> Block:
    """``rules=groups``: lines between row groups, or between column groups."""
    hints: Hints = {}
    for side in sides:
        _set(hints, f"border-{side}-width", "thin")
        _set(hints, f"border-{side}-style", "solid")
    return Block(hints, {})


def _set(hints: Hints, name: str, value: str) -> None:
    hints.update(declare(value, name, False))


def _integer(value: str) -> int | None:
    found = _INTEGER.match(value)
    return int(found[1]) if found else None


def _length(hints: Hints, name: str, value: str, zero: bool = True) -> None:
    found = _NUMBER.match(value)
    if found and (zero or float(found[1]) > 0):
        _set(hints, name, f"{found[1]}{found[2] or 'px'}")


def _colour(hints: Hints, name: str, value: str) -> None:
    colour = colours.legacy(value)
    if colour is not None:
        _set(hints, name, colour)


_PARTS = frozenset(("tr", "td", "th", "thead", "tbody", "tfoot"))
_WEBKIT_ALIGNED = _PARTS | {"div", "p"}
_REPLACED = frozenset(("img", "iframe", "object", "embed", "input", "applet", "video", "canvas"))


def _align(hints: Hints, tag: str, value: str, attributes: Mapping[str, str]) -> None:
    value = value.strip().lower()
    if tag == "table":
        if value in ("left", "right"):
            _set(hints, "float", value)
        elif value == "center":
            _set(hints, "margin-left", "auto")
            _set(hints, "margin-right", "auto")
    elif tag == "hr":
        left, right = {"left": ("0", "auto"), "right": ("auto", "0")}.get(value, ("auto", "auto"))
        _set(hints, "margin-left", left)
        _set(hints, "margin-right", right)
    elif tag in _REPLACED:
        _align_replaced(hints, value)
    elif tag in _WEBKIT_ALIGNED and value in ("left", "center", "right", "middle"):
        _set(hints, "text-align", f"-webkit-{'center' if value == 'middle' else value}")
    else:
        is_middle = value == "middle" or (value == "absmiddle" and tag in _PARTS)
        _set(hints, "text-align", "center" if is_middle else value)


_REPLACED_ALIGN = {
    "absbottom": "bottom",
    "absmiddle": "middle",
    "bottom": "baseline",
    "center": "-webkit-baseline-middle",
    "middle": "-webkit-baseline-middle",
    "texttop": "text-top",
    "top": "top",
}


def _align_replaced(hints: Hints, value: str) -> None:
    if value in ("left", "right"):
        _set(hints, "float", value)
        _set(hints, "vertical-align", "top")
        return
    _set(hints, "vertical-align", _REPLACED_ALIGN.get(value, ""))


def _valign(hints: Hints, tag: str, value: str, attributes: Mapping[str, str]) -> None:
    if tag in _PARTS or tag in ("table", "col", "colgroup", "img"):
        _set(hints, "vertical-align", value.strip())


def _bgcolor(hints: Hints, tag: str, value: str, attributes: Mapping[str, str]) -> None:
    if tag in _PARTS or tag in ("table", "body", "col", "colgroup", "marquee"):
        _colour(hints, "background-color", value)


def _background(hints: Hints, tag: str, value: str, attributes: Mapping[str, str]) -> None:
    if (tag in _PARTS or tag in ("table", "body")) and value.strip():
        _set(hints, "background-image", f"url({string(value.strip())})")


def _color(hints: Hints, tag: str, value: str, attributes: Mapping[str, str]) -> None:
    if tag == "font":
        _colour(hints, "color", value)
    elif tag == "hr":
        _set(hints, "border-style", "solid")
        _colour(hints, "border-color", value)
        _colour(hints, "background-color", value)


def _text(hints: Hints, tag: str, value: str, attributes: Mapping[str, str]) -> None:
    if tag == "body":
        _colour(hints, "color", value)


def _face(hints: Hints, tag: str, value: str, attributes: Mapping[str, str]) -> None:
    if tag == "font":
        _set(hints, "font-family", value)


_FONT_SIZES = ("x-small", "small", "medium", "large", "x-large", "xx-large", "xxx-large")


def _size(hints: Hints, tag: str, value: str, attributes: Mapping[str, str]) -> None:
    amount = _integer(value)
    if tag == "font" and amount is not None:
        step = amount + 3 if value.strip()[0] in "+-" else amount
        _set(hints, "font-size", _FONT_SIZES[min(7, max(1, step)) - 1])
    elif tag == "hr":
        if amount is None or amount <= 1:
            _set(hints, "border-bottom-width", "0")
        else:
            _set(hints, "height", f"{amount - 2}px")


def _noshade(hints: Hints, tag: str, value: str, attributes: Mapping[str, str]) -> None:
    if tag == "hr" and "color" not in attributes:
        _set(hints, "border-style", "solid")
        _set(hints, "border-color", "#808080")
        _set(hints, "background-color", "#808080")


_SIZED = frozenset(("table", "td", "th", "img", "iframe", "object", "embed", "video", "col", "colgroup", "canvas"))
_TALL = _SIZED | {"tr", "thead", "tbody", "tfoot"}


def _width(hints: Hints, tag: str, value: str, attributes: Mapping[str, str]) -> None:
    if tag == "hr":
        _length(hints, "width", "1" if _integer(value) == 0 else value)
    elif tag in _SIZED or (tag == "input" and attributes.get("type", "").lower() == "image"):
        _length(hints, "width", value, zero=tag not in ("table", "td", "th", "col", "colgroup"))


def _height(hints: Hints, tag: str, value: str, attributes: Mapping[str, str]) -> None:
    if tag in _TALL or (tag == "input" and attributes.get("type", "").lower() == "image"):
        _length(hints, "height", value, zero=tag not in ("table", "td", "th"))


def _border_width(tag: str, value: str) -> int:
    amount = _integer(value)
    if amount is None or amount < 0:
        return 1 if tag == "table" else 0
    return amount


def _border(hints: Hints, tag: str, value: str, attributes: Mapping[str, str]) -> None:
    if tag in ("table", "img", "object") or (tag == "input" and attributes.get("type", "").lower() == "image"):
        _set(hints, "border-width", f"{_border_width(tag, value)}px")
        if tag != "table":
            _set(hints, "border-style", "solid")


def _bordercolor(hints: Hints, tag: str, value: str, attributes: Mapping[str, str]) -> None:
    if tag == "table":
        _colour(hints, "border-color", value)


_RULES_VALUES = ("none", "groups", "rows", "cols", "all")
_FRAMES = {
    "void": (),
    "above": ("top",),
    "below": ("bottom",),
    "hsides": ("top", "bottom"),
    "vsides": ("left", "right"),
    "lhs": ("left",),
    "rhs": ("right",),
    "box": SIDES,
    "border": SIDES,
}


def _table_frame(hints: Hints, attributes: Mapping[str, str]) -> None:
    """The style of a table's own border, which several attributes decide together."""
    frame = _FRAMES.get(attributes.get("frame", "").lower())
    if frame is not None:
        _set(hints, "border-width", "thin")
        for side in SIDES:
            _set(hints, f"border-{side}-style", "solid" if side in frame else "hidden")
    elif "border" in attributes and _border_width("table", attributes["border"]):
        _set(hints, "border-style", "solid" if attributes.get("bordercolor") else "outset")
    elif attributes.get("rules", "").lower() in _RULES_VALUES:
        _set(hints, "border-style", "hidden")
    if attributes.get("rules", "").lower() in _RULES_VALUES:
        _set(hints, "border-collapse", "collapse")


def _margins(*sides: str) -> Rule:
    def rule(hints: Hints, tag: str, value: str, attributes: Mapping[str, str]) -> None:
        if tag == "body":
            for side in sides:
                _length(hints, f"margin-{side}", value)

    return rule


def _spaces(*sides: str) -> Rule:
    def rule(hints: Hints, tag: str, value: str, attributes: Mapping[str, str]) -> None:
        if tag in _REPLACED:
            for side in sides:
                _length(hints, f"margin-{side}", value)

    return rule


def _nowrap(hints: Hints, tag: str, value: str, attributes: Mapping[str, str]) -> None:
    if tag in ("td", "th"):
        _set(hints, "white-space", "nowrap")


def _dir(hints: Hints, tag: str, value: str, attributes: Mapping[str, str]) -> None:
    if value.strip().lower() in ("ltr", "rtl"):
        _set(hints, "direction", value.strip())


_LISTS = {"a": "lower-alpha", "A": "upper-alpha", "i": "lower-roman", "I": "upper-roman", "1": "decimal"}


def _type(hints: Hints, tag: str, value: str, attributes: Mapping[str, str]) -> None:
    if tag in ("ol", "ul", "li"):
        _set(hints, "list-style-type", _LISTS.get(value, value))


def _frameborder(hints: Hints, tag: str, value: str, attributes: Mapping[str, str]) -> None:
    if tag == "iframe" and not _integer(value):
        _set(hints, "border-width", "0")


def _clear(hints: Hints, tag: str, value: str, attributes: Mapping[str, str]) -> None:
    if tag == "br" and value:
        _set(hints, "clear", "both" if value.lower() == "all" else value)


def _none(hints: Hints, tag: str, value: str, attributes: Mapping[str, str]) -> None:
    """Read through another attribute's rule."""


_RULES: dict[str, Rule] = {
    "align": _align,
    "background": _background,
    "bgcolor": _bgcolor,
    "border": _border,
    "bordercolor": _bordercolor,
    "clear": _clear,
    "color": _color,
    "dir": _dir,
    "face": _face,
    "frame": _none,
    "frameborder": _frameborder,
    "height": _height,
    "hspace": _spaces("left", "right"),
    "leftmargin": _margins("left", "right"),
    "marginheight": _margins("top", "bottom"),
    "marginwidth": _margins("left", "right"),
    "noshade": _noshade,
    "nowrap": _nowrap,
    "rules": _none,
    "size": _size,
    "text": _text,
    "topmargin": _margins("top", "bottom"),
    "type": _type,
    "valign": _valign,
    "vspace": _spaces("top", "bottom"),
    "width": _width,
}
