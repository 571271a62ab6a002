"""Computed style: an element's declarations applied to its parent's computed style."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from extractors.css.colours import CURRENT_COLOUR
from extractors.css.declarations import Substitution, declare
from extractors.css.fonts import MEDIUM, Font, FontSize, LineHeightFactor, Weight, keyword_font
from extractors.css.properties import INHERITED, INITIAL, SIDES, Inherit
from extractors.css.shorthands import LOGICAL
from extractors.css.values import Deferred, Page, px

Layer = Mapping[str, Any]


class ComputedStyle(Mapping[str, str]):
    """Longhand → computed value, as ``getComputedStyle`` writes it.

    Sizes that only layout can tell (``width: auto``, percentages) stay as they were computed.
    ``own`` and ``inherited`` hold only what differs from the initial values; ``inherited`` is shared
    with the parent while nothing in it changes.
    """

    __slots__ = ("blockifies", "em", "font", "font_size", "inherited", "own", "page")

    def __init__(self, page: Page, own: dict[str, Any], inherited: dict[str, Any], font: Font) -> None:
        self.page = page
        self.own = own
        self.inherited = inherited
        self.font = font
        self.em = font.size
        self.blockifies = False  # whether children are flex or grid items
        self.font_size = font.computed

    def handed_down(self, names: Sequence[str]) -> tuple[object, ...]:
        """All of this style that can reach a child which asks for no more than ``names``."""
        key: tuple[object, ...] = (id(self.inherited), self.font, self.blockifies)
        return key + tuple([self.raw(name) for name in names]) if names else key

    def raw(self, name: str) -> Any:
        """The value before what depends on this element is resolved."""
        value = self.own.get(name)
        if value is None:
            value = self.inherited.get(name)
        return INITIAL[name] if value is None else value

    def __getitem__(self, name: str) -> str:
        value = self.raw(name)
        return value if value.__class__ is str else value.resolve(self)

    def __iter__(self) -> Iterator[str]:
        return iter(INITIAL)

    def __len__(self) -> int:
        return len(INITIAL)


def root_parent(page: Page) -> ComputedStyle:
    """What the root element inherits from: the initial values."""
    return ComputedStyle(page, {}, {}, Font())


def compute(tag: str, layers: Sequence[Layer], defaults: Sequence[Layer], parent: ComputedStyle) -> ComputedStyle:
    """The style of an element, from its declarations, weakest layer first.

    ``defaults`` are the browser's own layers, which ``revert`` goes back to.
    """
    declared: dict[str, Any] = {}
    for layer in layers:
        declared.update(layer)
    if not LOGICAL.keys().isdisjoint(declared):
        declared = _physical(layers, declared, parent)
    own: dict[str, Any] = {}
    changes: dict[str, Any] = {}  # to what is inherited
    for name, value in declared.items():
        if value.__class__ is not str and isinstance(value, Inherit | Substitution):
            continue  # settled below, when all custom properties are known
        if name in _NOT_INHERITED:
            own[name] = value
        else:
            changes[name] = value
    for name, value in declared.items():
        if value.__class__ is not str and isinstance(value, Inherit | Substitution):
            settled = _settled(name, value, defaults, {**parent.inherited, **changes}, parent)
            (own if name in _NOT_INHERITED else changes)[name] = settled
    font = parent.font
    if "font-size" in changes or "font-family" in changes:
        font = _font(changes, parent)
        changes["font-size"] = px(font.computed)
    style = ComputedStyle(parent.page, own, parent.inherited, font)
    if changes:
        _hand_down(changes, style, parent)
    _adjust(tag, style, parent, declared)
    return style


_NOT_INHERITED = INITIAL.keys() - INHERITED


def _physical(layers: Sequence[Layer], declared: Layer, parent: ComputedStyle) -> dict[str, Any]:
    """``padding-inline-start`` is the left or the right one, but keeps its place in the cascade."""
    direction = declared.get("direction", parent["direction"])
    right_to_left = int(direction == "rtl")
    merged: dict[str, Any] = {}
    for layer in layers:
        for name, value in layer.items():
            merged[LOGICAL[name][right_to_left] if name in LOGICAL else name] = value
    return merged


_VAR = re.compile(r"var\(\s*(--[\w-]+)\s*(?:,([^()]*(?:\([^()]*\)[^()]*)*))?\)", re.IGNORECASE)


def _substituted(name: str, value: Substitution, custom: Layer, quirks: bool) -> Any:
    """A declaration with its ``var()`` replaced; unset where that makes no sense."""
    text = value.text
    for _ in range(16):  # a variable may name another, and a hostile one itself
        found = _VAR.search(text)
        if found is None or len(text) > 10_000:
            break
        replacement = custom.get(found[1])
        if replacement is None:
            replacement = found[2]
        if replacement is None:
            return Inherit("unset")
        text = text[: found.start()] + str(replacement) + text[found.end() :]
    if "var(" in text.lower():
        return Inherit("unset")
    return dict(declare(value.name, text.strip(), quirks)).get(name, Inherit("unset"))


def _settled(
    name: str, value: Inherit | Substitution, defaults: Sequence[Layer], custom: Layer, parent: ComputedStyle
) -> Any:
    if isinstance(value, Substitution):
        value = _substituted(name, value, custom, parent.page.quirks)
    if not isinstance(value, Inherit):
        return value
    if name.startswith("--"):
        return None if value.keyword == "initial" else custom.get(name)
    return _wide(name, value.keyword, defaults, parent)


def _wide(name: str, keyword: str, defaults: Sequence[Layer], parent: ComputedStyle) -> Any:
    if keyword in ("revert", "revert-layer"):
        for layer in reversed(defaults):
            if name in layer and not isinstance(layer[name], Inherit):
                return layer[name]
        keyword = "unset"
    if keyword == "inherit" or (keyword == "unset" and name in INHERITED):
        value = parent.raw(name)
        # currentcolor is inherited as the keyword; every other value as what it came to.
        return value if value is CURRENT_COLOUR or isinstance(value, LineHeightFactor) else parent[name]
    return INITIAL[name]


def _font(declared: Layer, parent: ComputedStyle) -> Font:
    font = parent.font
    family = declared.get("font-family")
    size = declared.get("font-size")
    monospace = font.monospace if family is None else family == "monospace"
    if isinstance(size, FontSize):
        return size.font(font, parent, monospace)
    if size is None or size == px(parent.font_size):  # the string `inherit` left
        return font.with_family(monospace, parent.page.quirks)
    return keyword_font(MEDIUM, monospace, parent.page.quirks)


def _hand_down(changes: dict[str, Any], style: ComputedStyle, parent: ComputedStyle) -> None:
    """Inherited values that depend on this element become plain before they are handed down."""
    for name, value in changes.items():
        if value.__class__ is str or value is None or isinstance(value, LineHeightFactor):
            continue
        if isinstance(value, Weight):
            changes[name] = value.from_parent(parent["font-weight"])
        elif value is CURRENT_COLOUR:
            changes[name] = parent["color"]
        elif isinstance(value, Deferred):
            changes[name] = value.resolve(style)
    # Equal changes to the same inheritance are one object: children of both then share their styles.
    key = (id(parent.inherited), *changes.items())
    style.inherited = style.page.inheritances.setdefault(key, {**parent.inherited, **changes})


_BLOCK_EQUIVALENT_NAMES = """
    inline inline-block table-row-group table-header-group table-footer-group table-row table-cell
    table-column-group table-column table-caption ruby-text
"""
_BLOCK_EQUIVALENT = {
    "inline-table": "table",
    "inline-flex": "flex",
    "inline-grid": "grid",
    "-webkit-inline-box": "-webkit-box",
    "math": "block math",
    "ruby": "block ruby",
    **dict.fromkeys(
        _BLOCK_EQUIVALENT_NAMES.split(),
        "block",
    ),
}
_BORDERS = tuple((f"border-{side}-style", f"border-{side}-width") for side in SIDES)
_FLEX_OR_GRID = frozenset(("flex", "inline-flex", "grid", "inline-grid"))
_REPLACED = frozenset(
    (
        "img",
        "br",
        "wbr",
        "meter",
        "progress",
        "canvas",
        "audio",
        "video",
        "input",
        "textarea",
        "select",
        "iframe",
        "embed",
    )
)
_WEBKIT_ALIGN = frozenset(("-webkit-left", "-webkit-center", "-webkit-right"))


def _adjust(tag: str, style: ComputedStyle, parent: ComputedStyle, declared: Layer) -> None:
    """What the specifications settle after the cascade."""
    own = style.own
    if own.get("display") == "contents" and tag in _REPLACED:
        own["display"] = "none"
    if own.get("display") != "none":
        if own.get("position") in ("absolute", "fixed"):
            own.pop("float", None)
            _blockify(style)
        elif own.get("float", "none") != "none" or parent.blockifies or tag in ("html", "legend"):
            _blockify(style)
    style.blockifies = own.get("display") in _FLEX_OR_GRID or (parent.blockifies and own.get("display") == "contents")
    for line, width in _BORDERS:
        if own.get(line, "none") in ("none", "hidden"):
            own.pop(width, None)
        elif width not in own:
            own[width] = "3px"
    if "overflow-x" in own:
        _pair_overflow(own)
    if "text-align" in declared or tag == "table":
        _adjust_text_align(tag, style, parent)


def _blockify(style: ComputedStyle) -> None:
    display = style["display"]
    style.own["display"] = _BLOCK_EQUIVALENT.get(display, display)


def _pair_overflow(own: dict[str, Any]) -> None:
    """Scrolling one way only is impossible, and tables know no scrolling at all."""
    across, down = own.get("overflow-x", "visible"), own.get("overflow-y", "visible")
    if across in ("visible", "clip") and down in ("visible", "clip"):
        return
    if own.get("display") in ("table", "inline-table"):
        across = down = "hidden" if across == down == "hidden" else "visible"
    elif across == "visible":
        across = "auto"
    elif down == "visible":
        down = "auto"
    own["overflow-x"], own["overflow-y"] = across, down


def _adjust_text_align(tag: str, style: ComputedStyle, parent: ComputedStyle) -> None:
    value, above = style["text-align"], parent["text-align"]
    if value == "match-parent":
        settled = above
    elif value == "-webkit-match-parent":  # the old name still resolves the side
        sides = ("left", "right") if parent["direction"] == "ltr" else ("right", "left")
        settled = {"start": sides[0], "end": sides[1]}.get(above, above)
    elif value == "-internal-center":
        settled = "center" if above == "start" else above
    elif tag == "table" and value in _WEBKIT_ALIGN and style["display"] != "none":
        settled = "start"
    else:
        return
    style.inherited = {**style.inherited, "text-align": settled}
