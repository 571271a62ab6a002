"""Computed style: an element's declarations applied to its parent's computed style."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from extractors.css.colours import CURRENT_COLOUR
from extractors.css.declarations import UNSETTLED, Block, Substitution, declare
from extractors.css.fonts import MEDIUM, Font, FontSize, LineHeightFactor, Weight, keyword_font
from extractors.css.properties import INHERITED, INITIAL, SIDES, WIDE_KEYWORDS, Inherit
from extractors.css.shorthands import LOGICAL
from extractors.css.values import Deferred, Page, px

Layer = Mapping[str, Any]


class ComputedStyle(Mapping[str, str]):
    """Longhand → computed value, as ``getComputedStyle`` writes it.

    Sizes that only layout can tell (``width: auto``, percentages) stay as they were computed.
    ``own`` and ``inherited`` hold only what differs from the initial values. Equal inheritances are one
    object: it and ``blockifies`` are all that reaches a child, unless the child asks for more.
    """

    __slots__ = ("_answers", "blockifies", "em", "font", "font_size", "inherited", "numbers", "own", "page")

    def __init__(self, page: Page, own: dict[str, Any], inherited: dict[str, Any], font: Font) -> None:
        self.page = page
        self.own = own
        self.inherited = inherited
        self.font = font
        self.em = font.size
        self.blockifies = False  # whether children are flex or grid items
        self.font_size = font.computed
        self.numbers: Any = None  # what layout read from it: documents share styles, so it is read once
        self._answers: dict[tuple[str, ...], tuple[Any, ...]] = {}

    def raw(self, name: str) -> Any:
        """The value before what depends on this element is resolved."""
        value = self.own.get(name)
        if value is None:
            value = self.inherited.get(name)
        return INITIAL[name] if value is None else value

    def answers(self, names: tuple[str, ...]) -> tuple[Any, ...]:
        """The raw values of several properties: children ask for the same few again and again."""
        known = self._answers.get(names)
        if known is None:
            known = self._answers[names] = tuple(map(self.raw, names))
        return known

    def __getitem__(self, name: str) -> str:
        value = self.raw(name)
        return value if value.__class__ is str else value.resolve(self)

    def __iter__(self) -> Iterator[str]:
        return iter(INITIAL)

    def __len__(self) -> int:
        return len(INITIAL)


_FONT = ""  # among the inherited values, the font stands under no property's name
_INITIAL_INHERITANCE: dict[str, Any] = {}


def root_parent(page: Page) -> ComputedStyle:
    """What the root element inherits from: the initial values."""
    return ComputedStyle(page, {}, _INITIAL_INHERITANCE, Font())


class Sources(NamedTuple):
    """Where an element's declarations come from, weakest first."""

    defaults: Block  # the browser's own
    hints: Block  # the element's presentational attributes
    table_hints: Block  # those of the table around it
    author: Block  # style sheets
    inline: Block

    def layers(self) -> tuple[Layer, ...]:
        return (
            self.defaults.normal,
            self.hints.normal,
            self.table_hints.normal,
            self.author.normal,
            self.inline.normal,
            self.author.important,
            self.inline.important,
            self.defaults.important,
        )


def compute(tag: str, sources: Sources, parent: ComputedStyle, page: Page) -> ComputedStyle:
    """The style of an element, from its declarations and its parent's style."""
    layers = sources.layers()
    declared: dict[str, Any] = {}
    for layer in layers:
        if layer:
            declared.update(layer)
    if not _LOGICAL_NAMES.isdisjoint(declared):
        declared = _physical(layers, declared, parent)
    own: dict[str, Any] = {}
    changes: dict[str, Any] = {}  # to what is inherited
    unsettled: list[str] = []  # until all custom properties are known
    for name, value in declared.items():
        if value.__class__ is not str and value.__class__ in UNSETTLED:
            unsettled.append(name)
        elif name in _NOT_INHERITED:
            own[name] = value
        else:
            changes[name] = value
    if unsettled:
        unsettled.sort()  # custom properties come first: "-" sorts before letters
        for name in unsettled:
            settled = _settled(name, declared[name], sources.defaults.normal, changes, parent)
            (own if name in _NOT_INHERITED else changes)[name] = settled
    font = parent.font
    if "font-size" in changes or "font-family" in changes:
        font = _font(changes, parent)
        changes["font-size"] = px(font.computed)
        changes[_FONT] = font
    if "text-align" in changes or tag == "table":
        _settle_text_align(tag, own, changes, parent)
    style = ComputedStyle(page, own, parent.inherited, font)
    if changes:
        _hand_down(changes, style, parent)
    _adjust(tag, style, parent)
    return style


_NOT_INHERITED = frozenset(INITIAL.keys() - INHERITED)
_LOGICAL_NAMES = frozenset(LOGICAL)


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
    return dict(declare(text.strip(), value.name, quirks)).get(name, Inherit("unset"))


def _settled(name: str, value: Inherit | Substitution, defaults: Layer, changes: Layer, parent: ComputedStyle) -> Any:
    if isinstance(value, Substitution):
        value = _substituted(name, value, {**parent.inherited, **changes}, parent.page.quirks)
        if not isinstance(value, Inherit):
            return value
    if name.startswith("--"):
        return None if value.keyword == "initial" else parent.inherited.get(name)
    return _wide(name, value.keyword, defaults, parent)


def _wide(name: str, keyword: str, defaults: Layer, parent: ComputedStyle) -> Any:
    if keyword in ("revert", "revert-layer"):
        default = defaults.get(name, WIDE_KEYWORDS["unset"])
        if not isinstance(default, Inherit):
            return default
        keyword = default.keyword
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
        if value.__class__ is str or not isinstance(value, Deferred) or isinstance(value, LineHeightFactor):
            continue
        if isinstance(value, Weight):
            changes[name] = value.from_parent(parent["font-weight"])
        elif value is CURRENT_COLOUR:
            changes[name] = parent["color"]
        else:
            changes[name] = value.resolve(style)
    # Equal changes to the same inheritance are one object: children of both then share their styles.
    key = (id(parent.inherited), *changes.items())
    known = _inheritances.get(key)
    if known is None:
        if len(_inheritances) >= _MAX_INHERITANCES:
            _inheritances.clear()
        known = _inheritances[key] = {**parent.inherited, **changes}, parent.inherited
    style.inherited = known[0]


# Beside each is the one it was made from: that keeps the id in its key from being given to another.
_inheritances: dict[tuple[object, ...], tuple[dict[str, Any], dict[str, Any]]] = {}
_MAX_INHERITANCES = 10_000


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
_CLAMPED = {"-webkit-box": "flow-root", "-webkit-inline-box": "inline-block"}  # a teaser cut after some lines
_BORDERS = tuple((f"border-{side}-style", f"border-{side}-width") for side in SIDES)
_BORDER_NAMES = frozenset(name for pair in _BORDERS for name in pair)
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


def _adjust(tag: str, style: ComputedStyle, parent: ComputedStyle) -> None:
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
    if own.get("-webkit-line-clamp", "none") != "none" and own.get("-webkit-box-orient") == "vertical":
        own["display"] = _CLAMPED.get(style["display"], style["display"])
    style.blockifies = own.get("display") in _FLEX_OR_GRID or (parent.blockifies and own.get("display") == "contents")
    if not _BORDER_NAMES.isdisjoint(own):
        for line, width in _BORDERS:
            if own.get(line, "none") in ("none", "hidden"):
                own.pop(width, None)
            elif width not in own:
                own[width] = "3px"
    if "overflow-x" in own:
        _pair_overflow(own)


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


def _settle_text_align(tag: str, own: Layer, changes: dict[str, Any], parent: ComputedStyle) -> None:
    above = parent["text-align"]
    value = changes.get("text-align", above)
    if value == "match-parent":
        changes["text-align"] = above
    elif value == "-webkit-match-parent":  # the old name still resolves the side
        sides = ("left", "right") if parent["direction"] == "ltr" else ("right", "left")
        changes["text-align"] = {"start": sides[0], "end": sides[1]}.get(above, above)
    elif value == "-internal-center":
        changes["text-align"] = "center" if above == "start" else above
    elif tag == "table" and value in _WEBKIT_ALIGN and own.get("display") != "none":
        changes["text-align"] = "start"
