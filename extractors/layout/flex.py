"""Flex rows and grids, as far as emails use them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extractors.layout.boxstyle import length

if TYPE_CHECKING:
    from extractors.layout.flow import Flow

_JUSTIFY = {"center": 0.5, "flex-end": 1.0, "end": 1.0, "space-around": 0.25}  # share of spare width before the first
_ALIGN = {"center": 0.5, "flex-end": 1.0, "end": 1.0}  # share of spare height above


def place_flex(flow: Flow, index: int, left: float, top: float, inner: float) -> float:
    """Lay out the children of a flex or grid container; returns the height of all of them."""
    css = flow.elements[index].style
    children = [child for child in flow.elements[index].children if flow.shown[child]]
    gap = length(css.get("column-gap", "normal"))[0] or 0.0
    row_gap = length(css.get("row-gap", "normal"))[0] or 0.0
    tracks = _track_count(css.get("grid-template-columns", "none"))
    if flow.styles[index].display.endswith("flex"):
        tracks = 1 if "column" in css.get("flex-direction", "row") else 0
    rows = [children[k : k + tracks] for k in range(0, len(children), tracks)] if tracks else [children]
    if not tracks and css.get("flex-wrap", "nowrap") == "wrap":
        rows = _wrap(flow, children, inner, gap)
    justify = css.get("justify-content", "normal")
    align = _ALIGN.get(css.get("align-items", "normal"), 0.0)
    y = top
    for row in rows:
        room = inner - gap * (len(row) - 1)
        if tracks:
            widths = [(inner - gap * (tracks - 1)) / tracks] * len(row)
        else:
            widths = _widths(flow, row, room)
        spare = max(0.0, room - sum(widths))
        x = left + spare * _JUSTIFY.get(justify, 0.0)
        between = spare / (len(row) - 1) if justify == "space-between" and len(row) > 1 else 0.0
        row_height = 0.0
        for child, width in zip(row, widths, strict=True):
            style = flow.styles[child]
            border_box = max(0.0, width - style.margins_x)
            height = flow.place(child, x + (style.margin_left or 0.0), y + style.margin_top, border_box, None)
            row_height = max(row_height, height + style.margin_top + style.margin_bottom)
            x += width + gap + between
        for child in row:
            flow.moved_y[child] = (row_height - flow.height[child]) * align
        y += row_height + row_gap
    return max(0.0, y - row_gap - top)


def _wrap(flow: Flow, children: list[int], inner: float, gap: float) -> list[list[int]]:
    rows: list[list[int]] = []
    used = 0.0
    for child in children:
        width = _basis(flow, child, inner)
        if not rows or used + gap + width > inner + 0.5:
            rows.append([])
            used = -gap
        rows[-1].append(child)
        used += gap + width
    return rows


def _basis(flow: Flow, child: int, inner: float) -> float:
    style = flow.styles[child]
    px, fraction = length(flow.elements[child].style.get("flex-basis", "auto"))
    if px is None and fraction is not None:
        px = fraction * inner
    if px is not None and px > 0:
        return px + style.margins_x
    return style.outer_width(inner, flow.shrink(child)) + style.margins_x


def _widths(flow: Flow, row: list[int], room: float) -> list[float]:
    widths = [_basis(flow, child, room) for child in row]
    spare = room - sum(widths)
    if spare < 0:
        scale = room / sum(widths)
        return [width * scale for width in widths]
    grow = [_number(flow.elements[child].style.get("flex-grow", "0")) for child in row]
    total = sum(grow)
    return [w + spare * g / total for w, g in zip(widths, grow, strict=True)] if total else widths


def _track_count(template: str) -> int:
    if template.startswith("repeat("):
        count = template[len("repeat(") :].split(",", 1)[0].strip()
        return min(max(int(count), 1), 64) if count.isdigit() else 1
    return max(1, len(template.split()))


def _number(value: str) -> float:
    try:
        return float(value)
    except ValueError:
        return 0.0
