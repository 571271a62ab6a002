"""The part of a computed style that decides where boxes go, parsed from strings once a distinct style."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from extractors.layout.metrics import UNITS_PER_EM, family_factor

_INLINE = frozenset({"inline", "contents", "ruby"})
_INLINE_BLOCK = frozenset({"inline-block", "inline-table", "inline-flex", "inline-grid"})
_CELL_ALIGN = {"middle": 0.5, "bottom": 1.0}
_LINE_ALIGN = {
    "center": 0.5,
    "-webkit-center": 0.5,
    "right": 1.0,
    "-webkit-right": 1.0,
    "end": 1.0,
}


class BoxStyle:
    """Numbers in px. ``None`` is ``auto``; a percentage is kept as a fraction beside its length."""

    __slots__ = (
        "align",
        "block_align",
        "border_bottom",
        "border_box",
        "border_left",
        "border_right",
        "border_top",
        "clear",
        "display",
        "fixed_columns",
        "float",
        "font_size",
        "height",
        "height_fraction",
        "hidden",
        "inline",
        "inline_block",
        "inset_x",
        "inset_y",
        "line_height",
        "margin_bottom",
        "margin_left",
        "margin_right",
        "margin_top",
        "max_height",
        "max_width",
        "max_width_fraction",
        "min_width",
        "new_context",
        "nowrap",
        "out_of_flow",
        "padding_bottom",
        "padding_left",
        "padding_right",
        "padding_top",
        "spacing_x",
        "spacing_y",
        "tracking",
        "unit",
        "uppercase",
        "vertical_align",
        "width",
        "width_fraction",
    )

    def __init__(self, style: Mapping[str, str]) -> None:
        get = style.get
        display = get("display", "inline")
        self.display = display
        self.float = get("float", "none")
        self.out_of_flow = get("position", "static") in ("absolute", "fixed")
        floating = self.float != "none" or self.out_of_flow
        self.inline = display in _INLINE and not floating
        self.inline_block = display in _INLINE_BLOCK and not floating
        self.clear = get("clear", "none")

        self.width, self.width_fraction = length(get("width", "auto"))
        self.max_width, self.max_width_fraction = length(get("max-width", "none"))
        self.min_width = length(get("min-width", "0px"))[0] or 0.0
        self.height, self.height_fraction = length(get("height", "auto"))
        self.max_height = length(get("max-height", "none"))[0]
        self.border_box = get("box-sizing") == "border-box"

        self.margin_left = length(get("margin-left", "0px"))[0]
        self.margin_right = length(get("margin-right", "0px"))[0]
        self.margin_top = length(get("margin-top", "0px"))[0] or 0.0
        self.margin_bottom = length(get("margin-bottom", "0px"))[0] or 0.0
        self.padding_left = length(get("padding-left", "0px"))[0] or 0.0
        self.padding_right = length(get("padding-right", "0px"))[0] or 0.0
        self.padding_top = length(get("padding-top", "0px"))[0] or 0.0
        self.padding_bottom = length(get("padding-bottom", "0px"))[0] or 0.0
        self.border_left = length(get("border-left-width", "0px"))[0] or 0.0
        self.border_right = length(get("border-right-width", "0px"))[0] or 0.0
        self.border_top = length(get("border-top-width", "0px"))[0] or 0.0
        self.border_bottom = length(get("border-bottom-width", "0px"))[0] or 0.0
        self.inset_x = self.padding_left + self.padding_right + self.border_left + self.border_right
        self.inset_y = self.padding_top + self.padding_bottom + self.border_top + self.border_bottom

        self.font_size = length(get("font-size", "16px"))[0] or 0.0
        line_height = length(get("line-height", "normal"))[0]
        self.line_height = self.font_size * 1.15 if line_height is None else line_height
        bold = 1.06 if get("font-weight", "400") in ("600", "700", "800", "900") else 1.0
        self.unit = self.font_size * bold * family_factor(get("font-family", "")) / UNITS_PER_EM
        self.tracking = length(get("letter-spacing", "normal"))[0] or 0.0
        self.uppercase = get("text-transform") == "uppercase"
        self.nowrap = get("white-space", "normal") in ("nowrap", "pre") or get("text-wrap-mode") == "nowrap"

        align = get("text-align", "start")
        self.align = _LINE_ALIGN.get(align, 0.0)
        # Only the -webkit- values, which <center> and align="center" compute to, move block children.
        self.block_align = self.align if align.startswith("-webkit") else 0.0
        self.vertical_align = get("vertical-align", "baseline")

        collapse = get("border-collapse") == "collapse"
        spacing = get("border-spacing", "0px").split()
        self.spacing_x = 0.0 if collapse else length(spacing[0])[0] or 0.0
        self.spacing_y = 0.0 if collapse else length(spacing[-1])[0] or 0.0
        self.fixed_columns = get("table-layout") == "fixed" and (
            self.width is not None or self.width_fraction is not None
        )

        clipped = get("overflow-x", get("overflow", "visible")) not in ("visible", "clip")
        self.new_context = (
            clipped or floating or self.inline_block or display in ("table-cell", "flow-root", "table-caption")
        )
        self.hidden = (
            display == "none"
            or get("opacity", "1") == "0"
            or (clipped and (self.max_height == 0 or self.height == 0 or self.width == 0 or self.max_width == 0))
        )

    @property
    def cell_align(self) -> float:
        """Share of a cell's spare height that goes above its contents."""
        return _CELL_ALIGN.get(self.vertical_align, 0.0)

    def outer_width(self, available: float, shrink: tuple[float, float] | None = None) -> float:
        """Border-box width in a containing block; ``shrink`` is (min, max) content for shrink-to-fit boxes."""
        inset = 0.0 if self.border_box else self.inset_x
        if self.width is not None:
            width = self.width + inset
        elif self.width_fraction is not None:
            width = available * self.width_fraction + inset
        elif shrink is not None:
            width = max(shrink[0], min(shrink[1], available - self.margins_x))
        else:
            width = available - self.margins_x
        if self.max_width is not None:
            width = min(width, self.max_width + inset)
        elif self.max_width_fraction is not None:
            width = min(width, available * self.max_width_fraction + inset)
        return max(width, self.min_width + inset, self.inset_x)

    @property
    def margins_x(self) -> float:
        return (self.margin_left or 0.0) + (self.margin_right or 0.0)


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
