"""The part of a computed style that decides where boxes go, as numbers.

A computed style keeps what differs from the initial values, and shares what is inherited with its parent. Both
halves are read once: :class:`TextStyle` a distinct set of inherited values, :class:`BoxStyle` a distinct style.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from extractors.css.computed import ComputedStyle
from extractors.layout.metrics import UNITS_PER_EM, family_factor

_LINE_ALIGN = {"center": 0.5, "-webkit-center": 0.5, "right": 1.0, "-webkit-right": 1.0, "end": 1.0}
_BOLD = frozenset({"600", "700", "800", "900"})
_NORMAL_LINE = 1.15  # of the font size: what "normal" comes to in Arial


class TextStyle:
    """How lines of text are set; all of it is inherited."""

    __slots__ = (
        "align",
        "block_align",
        "bold",
        "collapse",
        "font_size",
        "line_height",
        "nowrap",
        "tracking",
        "unit",
        "uppercase",
        "visible",
    )

    def __init__(self, style: ComputedStyle) -> None:
        values = tuple(map(style.__getitem__, _TEXT_PROPERTIES))
        size, line, weight, family, tracking, transform, space, align, collapse, visibility, colour = values
        self.font_size = px(size)
        line_height = length(line)[0]
        self.line_height = self.font_size * _NORMAL_LINE if line_height is None else line_height
        self.bold = weight in _BOLD
        self.unit = self.font_size * family_factor(family) * (1.06 if self.bold else 1.0) / UNITS_PER_EM
        self.tracking = px(tracking)
        self.uppercase = transform == "uppercase"
        self.nowrap = space in ("nowrap", "pre")
        self.align = _LINE_ALIGN.get(align, 0.0)
        # Only the -webkit- values, which <center> and align="center" compute to, move block children.
        self.block_align = self.align if align.startswith("-webkit") else 0.0
        self.collapse = collapse == "collapse"
        self.visible = visibility == "visible" and colour != "rgba(0, 0, 0, 0)"


_TEXT_PROPERTIES = (
    "font-size",
    "line-height",
    "font-weight",
    "font-family",
    "letter-spacing",
    "text-transform",
    "white-space",
    "text-align",
    "border-collapse",
    "visibility",
    "color",
)
_MOST_KNOWN = 8192  # styles remembered from earlier documents: emails of one sender share most of theirs
_known_texts: dict[tuple[Any, ...], TextStyle] = {}
_known_boxes: dict[tuple[Any, ...], BoxStyle] = {}


def box_style(style: ComputedStyle) -> BoxStyle:
    """The numbers of a style, read once however many elements and documents share it."""
    known: BoxStyle | None = style.numbers
    if known is None:
        known = style.numbers = _box_style(style, _text_style(style))
    return known


def _text_style(style: ComputedStyle) -> TextStyle:
    # A value that is not settled yet (a unitless line height) depends on the font size only, which is in the key.
    key = tuple(map(style.inherited.get, _TEXT_PROPERTIES))
    known = _known_texts.get(key)
    if known is None:
        if len(_known_texts) >= _MOST_KNOWN:
            _known_texts.clear()
        known = _known_texts[key] = TextStyle(style)
    return known


def _box_style(style: ComputedStyle, text: TextStyle) -> BoxStyle:
    # Lengths in em and rem depend on the font sizes of this text and this page.
    key = (style.page, text, *style.own, *style.own.values())
    known = _known_boxes.get(key)
    if known is None:
        if len(_known_boxes) >= _MOST_KNOWN:
            _known_boxes.clear()
        known = _known_boxes[key] = BoxStyle(style, text)
    return known


class BoxStyle:
    """Numbers in px; ``None`` is ``auto``. A percentage is kept as a fraction beside its length."""

    __slots__ = (
        "beside",
        "border_bottom",
        "border_box",
        "border_left",
        "border_right",
        "border_top",
        "clear",
        "display",
        "fixed_columns",
        "float_side",
        "height",
        "hidden",
        "in_flow",
        "inline",
        "inline_block",
        "inset_x",
        "inset_y",
        "is_flex",
        "is_table",
        "margin_bottom",
        "margin_left",
        "margin_right",
        "margin_top",
        "margins_x",
        "max_height",
        "max_width",
        "max_width_fraction",
        "min_width",
        "min_width_fraction",
        "new_context",
        "opacity",
        "out_of_flow",
        "overflow",
        "padding_bottom",
        "padding_left",
        "padding_right",
        "padding_top",
        "plain",
        "position",
        "radius",
        "table_layout",
        "text",
        "vertical_align",
        "width",
        "width_fraction",
        "width_offset",
    )

    def __init__(self, style: ComputedStyle, text: TextStyle) -> None:
        self.text = text
        self.display = "inline"
        self.float_side = self.clear = "none"
        self.position = "static"
        self.vertical_align = "baseline"
        self.table_layout = "auto"
        self.overflow = "visible"
        self.opacity = 1.0
        self.border_box = False
        self.width: float | None = None
        self.width_fraction: float | None = None
        self.width_offset = 0.0  # px that calc() adds to the fraction
        self.min_width: float | None = None
        self.min_width_fraction: float | None = None
        self.max_width: float | None = None
        self.max_width_fraction: float | None = None
        self.height: float | None = None
        self.max_height: float | None = None
        self.margin_left: float | None = 0.0
        self.margin_right: float | None = 0.0
        self.margin_top = self.margin_bottom = 0.0
        self.padding_left = self.padding_right = self.padding_top = self.padding_bottom = 0.0
        self.border_left = self.border_right = self.border_top = self.border_bottom = 0.0
        self.radius = 0.0
        for name, value in style.own.items():
            read = _READERS.get(name)
            if read is not None:
                read(self, value if value.__class__ is str else style[name])
        display = self.display
        self.out_of_flow = self.position in ("absolute", "fixed")
        floating = self.float_side != "none" or self.out_of_flow
        self.inline = display in ("inline", "contents", "ruby") and not floating
        self.inline_block = display.startswith("inline-") and not floating
        self.beside = self.inline or self.inline_block or self.float_side != "none"  # shares a line with others
        self.in_flow = not self.beside and not self.out_of_flow
        self.is_table = display in ("table", "inline-table")
        self.is_flex = display.endswith(("flex", "grid"))
        self.inset_x = self.padding_left + self.padding_right + self.border_left + self.border_right
        self.inset_y = self.padding_top + self.padding_bottom + self.border_top + self.border_bottom
        self.margins_x = (self.margin_left or 0.0) + (self.margin_right or 0.0)
        self.plain = not (self.inset_x or self.margins_x or self.min_width) and self.width is self.max_width is None
        self.fixed_columns = self.table_layout == "fixed" and (
            self.width is not None or self.width_fraction is not None
        )
        clipped = self.overflow not in ("visible", "clip")
        self.new_context = clipped or floating or self.inline_block or display in ("table-cell", "flow-root")
        self.hidden = (
            display == "none"
            or self.opacity == 0
            or (clipped and 0 in (self.max_height, self.height, self.width, self.max_width))
        )

    def outer_width(self, available: float, shrink: tuple[float, float] | None = None) -> float:
        """Border-box width in a containing block; ``shrink`` is (min, max) content for shrink-to-fit boxes."""
        inset = 0.0 if self.border_box else self.inset_x
        if self.width is not None:
            width = self.width + inset
        elif self.width_fraction is not None:
            width = available * self.width_fraction + self.width_offset + inset
        elif shrink is not None:
            width = max(shrink[0], min(shrink[1], available - self.margins_x))
        else:
            width = available - self.margins_x
        if self.max_width is not None:
            width = min(width, self.max_width + inset)
        elif self.max_width_fraction is not None:
            width = min(width, available * self.max_width_fraction + inset)
        if self.min_width_fraction is not None:
            width = max(width, available * self.min_width_fraction + inset)
        return max(width, (self.min_width or 0.0) + inset, self.inset_x)


@lru_cache(maxsize=16384)
def length(value: str) -> tuple[float | None, float | None]:
    """A computed length as (px, fraction of the containing block): both ``None`` for keywords."""
    try:
        if value.endswith("px"):
            return float(value[:-2]), None
        if value.endswith("%"):
            return None, float(value[:-1]) / 100
    except ValueError:
        pass
    return None, None


_CALC = re.compile(r"calc\((-?[\d.e+]+)% ([+-]) ([\d.e+]+)px\)")


def px(value: str) -> float:
    return length(value)[0] or 0.0


def _set(field: str, convert: Callable[[str], object]) -> Callable[[BoxStyle, str], None]:
    return lambda box, value: setattr(box, field, convert(value))


def _width(box: BoxStyle, value: str) -> None:
    box.width, box.width_fraction = length(value)
    # calc(552px * 552 - 100% * 552), kept between two limits, switches between them as the screen narrows.
    calc = _CALC.fullmatch(value) if value.startswith("calc(") else None
    if calc is not None:
        box.width_fraction = float(calc[1]) / 100
        box.width_offset = float(calc[2] + calc[3])


def _min_width(box: BoxStyle, value: str) -> None:
    box.min_width, box.min_width_fraction = length(value)


def _max_width(box: BoxStyle, value: str) -> None:
    box.max_width, box.max_width_fraction = length(value)


_READERS: dict[str, Callable[[BoxStyle, str], None]] = {
    "width": _width,
    "min-width": _min_width,
    "max-width": _max_width,
    "box-sizing": _set("border_box", lambda value: value == "border-box"),
    "border-top-left-radius": _set("radius", lambda value: px(value.split(" ")[0])),
    "opacity": _set("opacity", float),
    "overflow-x": _set("overflow", str),
    "float": _set("float_side", str),
}
for _name in ("display", "clear", "position", "vertical-align", "table-layout"):
    _READERS[_name] = _set(_name.replace("-", "_"), str)
for _name in ("height", "max-height", "margin-left", "margin-right"):
    _READERS[_name] = _set(_name.replace("-", "_"), lambda value: length(value)[0])
for _side in ("top", "right", "bottom", "left"):
    _READERS[f"padding-{_side}"] = _set(f"padding_{_side}", px)
    _READERS[f"border-{_side}-width"] = _set(f"border_{_side}", px)
for _name in ("margin-top", "margin-bottom"):
    _READERS[_name] = _set(_name.replace("-", "_"), px)
