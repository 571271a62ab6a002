"""One email shown to a person: its fragments, entities and neighbours as a tree, as JSON, or as a picture.

Everything in an email is hostile. The picture is drawn from numbers and canonical colours; the email's own text is
escaped, its style sheets, addresses and fonts are never repeated, and the page forbids itself scripts and requests.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import Any

from rich.text import Text
from rich.tree import Tree

from extractors.canonical import hexadecimal, rgba
from extractors.document import Document
from extractors.entities import EntityCollector, Occurrence
from extractors.fragments import Fragment, Segmentation, segment
from extractors.layout import REPLACED, Box, Piece
from extractors.tasks import ExtractOptions

_COLOURS = ("#d6336c", "#1c7ed6", "#2f9e44", "#e8590c", "#7048e8", "#0c8599")


@dataclass(frozen=True, slots=True)
class _Inspection:
    document: Document
    segmentation: Segmentation
    entities: Sequence[Sequence[Occurrence]]  # by position of the fragment

    @classmethod
    def of(cls, html: str, options: ExtractOptions | None) -> _Inspection:
        options = options or ExtractOptions()
        document = Document.from_html(html, options.width, options.limits)
        segmentation = segment(document, options.granularity)
        collector = EntityCollector(document, segmentation)
        return cls(document, segmentation, [collector.of(fragment) for fragment in segmentation.fragments])

    def targets(self, fragment: Fragment, relation: str) -> list[int]:
        links = self.segmentation.neighbours
        return [target for source, target, kind in links if source == fragment.position and kind == relation]


def inspect_json(html: str, options: ExtractOptions | None = None) -> dict[str, Any]:
    """The extraction of one email as plain data."""
    inspection = _Inspection.of(html, options)
    return {
        "title": inspection.document.title,
        "width": inspection.document.width,
        "quirks": inspection.document.quirks,
        "elements": len(inspection.document.elements),
        "fragments": [
            {
                "position": fragment.position,
                "kind": fragment.kind,
                "element": fragment.element,
                "elements": list(fragment.elements),
                "row": fragment.row,
                "column": fragment.column,
                "background": fragment.background,
                "corners": list(fragment.corners),
                "text": fragment.text,
                "box": [round(edge, 1) for edge in fragment.box],
                "below": inspection.targets(fragment, "below"),
                "beside": inspection.targets(fragment, "beside"),
                "entities": [
                    {
                        "type": found.type,
                        "signature": found.signature,
                        "count": found.count,
                        "from_button": found.from_button,
                        "element": found.element,
                        "attributes": dict(found.attributes),
                    }
                    for found in inspection.entities[fragment.position]
                ],
            }
            for fragment in inspection.segmentation.fragments
        ],
    }


def inspect_tree(html: str, options: ExtractOptions | None = None) -> Tree:
    """The extraction of one email as a tree for the terminal."""
    inspection = _Inspection.of(html, options)
    fragments = inspection.segmentation.fragments
    root = Tree(Text(f"{inspection.document.title or 'email'} · {_counted(fragments)}", style="bold"))
    for fragment in fragments:
        branch = root.add(_headline(fragment))
        by_type: dict[str, list[Occurrence]] = {}
        for found in inspection.entities[fragment.position]:
            by_type.setdefault(found.type, []).append(found)
        for kind, occurrences in by_type.items():
            if kind == "word":
                branch.add(Text("word ", style="dim").append(", ".join(o.signature for o in occurrences)))
                continue
            for found in occurrences:
                branch.add(_entity_line(found))
        for relation in ("below", "beside"):
            targets = inspection.targets(fragment, relation)
            if targets:
                branch.add(Text(f"{relation} → {', '.join(f'#{t}' for t in targets)}", style="cyan"))
    return root


def _headline(fragment: Fragment) -> Text:
    line = Text(f"#{fragment.position} {fragment.kind} ", style="bold")
    line.append("██ ", style=fragment.background if fragment.background.startswith("#") else "")
    line.append(f"{fragment.background} ")
    line.append(f"row {fragment.row}, column {fragment.column} ", style="dim")
    return line.append(f"“{_beginning(fragment.text)}”" if fragment.text else "")


def _counted(fragments: Sequence[Fragment]) -> str:
    if not fragments:
        return "no fragments: nothing in it can be seen"
    return f"{len(fragments)} {'fragment' if len(fragments) == 1 else 'fragments'}"


def _beginning(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:59].rstrip()}…"


def _entity_line(found: Occurrence) -> Text:
    line = Text(f"{found.type} ", style="dim")
    for colour in (part.split(":", 1)[1] for part in found.signature.split(";") if ":#" in part):
        line.append("██ ", style=colour[:7])
    line.append(found.signature)
    if found.count > 1:
        line.append(f" ×{found.count}", style="dim")
    return line.append(" (only in a button)", style="yellow") if found.from_button else line


def inspect_html(html: str, options: ExtractOptions | None = None) -> str:
    """The extraction of one email as a self-contained page with the fragments outlined."""
    inspection = _Inspection.of(html, options)
    fragments = inspection.segmentation.fragments
    height = max((fragment.box.y1 for fragment in fragments), default=0.0) + 40
    ground = hexadecimal(inspection.segmentation.paint.behind[0])
    picture = "\n".join(
        [*_backgrounds(inspection), *_images(inspection), *_texts(inspection), *map(_outline, fragments)]
    )
    listing = "\n".join(_listing(inspection, fragment) for fragment in fragments)
    title = escape(inspection.document.title or "email")
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width"><title>{title}</title>
<style>{_PAGE_STYLE}{_narrow(inspection.document.width)}</style></head><body>
<h1>{title}</h1><p>{_counted(fragments)}{_edges(inspection)}</p>
<main><div class="picture" tabindex="0">
<div class="email" style="width:{inspection.document.width:d}px;height:{height:.0f}px;background:{ground}">
{picture}
</div></div><div class="list">
{listing}
</div></main></body></html>
"""


def _edges(inspection: _Inspection) -> str:
    number = len(inspection.segmentation.neighbours)
    return f", {number} neighbour {'edge' if number == 1 else 'edges'}" if number else ""


_PAGE_STYLE = """
body{font:14px/1.4 system-ui,sans-serif;margin:24px;color:#212529;background:#f1f3f5}
main{display:flex;gap:24px;align-items:flex-start;flex-wrap:wrap}
.picture{overflow-x:auto;max-width:100%}
.email{position:relative;overflow:hidden;box-shadow:0 1px 6px #0003}
.email div{position:absolute;box-sizing:border-box;overflow:hidden;overflow-wrap:anywhere;font-family:Arial,sans-serif}
.email .outline{border:2px solid;overflow:visible;z-index:1}
.email .outline b{position:absolute;left:-2px;top:-2px;padding:0 5px;color:#fff;font:bold 11px/16px system-ui}
.email .image{background:#ced4da;color:#495057;font:11px/14px system-ui;text-align:center}
.list{flex:1;min-width:min(320px,100%)}
.list section{background:#fff;border-left:4px solid;padding:8px 12px;margin:0 0 12px}
.list h2{font-size:15px;margin:0}.list ul{margin:4px 0;padding-left:18px}.list p{margin:4px 0}
i{display:inline-block;width:12px;height:12px;border:1px solid #0003;vertical-align:-2px;margin-right:4px}
code{font-size:12px;overflow-wrap:anywhere}small{color:#868e96}
"""


def _narrow(width: int) -> str:
    """The picture made smaller, in steps, on screens it is too wide for; the margins of the page are 48 px."""
    screens = [width + 48, *(screen for screen in (1280, 1024, 768, 640, 480, 414, 360) if screen < width + 48)]
    return "".join(
        f"@media(max-width:{wider - 1}px){{.email{{zoom:{(screen - 48) / width:.3f}}}}}"
        for wider, screen in pairwise(screens)
    )


def _place(box: Box) -> str:
    return f"left:{box.x0:.1f}px;top:{box.y0:.1f}px;width:{max(box.width, 0):.1f}px;height:{max(box.height, 0):.1f}px"


def _backgrounds(inspection: _Inspection) -> list[str]:
    paint, layout = inspection.segmentation.paint, inspection.segmentation.layout
    drawn = []
    for index, painter in enumerate(paint.painter):
        if painter == index and layout.shown[index] and layout.width(index) and layout.height(index):
            radius = layout.styles[index].radius
            colour = hexadecimal(paint.behind[index])
            drawn.append(
                f'<div style="{_place(layout.box(index))};background:{colour};border-radius:{radius:.1f}px"></div>'
            )
    return drawn


def _images(inspection: _Inspection) -> list[str]:
    layout = inspection.segmentation.layout
    return [
        f'<div class="image" style="{_place(layout.box(index))}">{escape(element.attributes.get("alt") or "")}</div>'
        for index, element in enumerate(inspection.document.elements)
        if element.tag in REPLACED and layout.shown[index] and layout.content[index]
    ]


def _texts(inspection: _Inspection) -> list[str]:
    return [_text(inspection, piece) for piece in inspection.segmentation.layout.pieces if piece.text]


def _text(inspection: _Inspection, piece: Piece) -> str:
    style = inspection.segmentation.layout.styles[piece.element].text
    colour = hexadecimal(rgba(inspection.document.elements[piece.element].style["color"]))
    broken = piece.height > style.line_height * 1.5
    align = {0.0: "left", 0.5: "center", 1.0: "right"}[style.align if broken else 0.0]
    # A little more room than measured: fonts differ, and a word that falls off the line would look like an error.
    box = Box(piece.x, piece.y, piece.x + piece.width + 4, piece.y + piece.height)
    css = (
        f"{_place(box)};color:{colour};font-size:{style.font_size:.1f}px;line-height:{style.line_height:.1f}px;"
        f"font-weight:{'bold' if style.bold else 'normal'};text-align:{align};text-indent:{piece.indent:.1f}px"
        f"{'' if broken else ';white-space:nowrap;overflow:visible'}"
    )
    return f'<div style="{css}">{escape(piece.text)}</div>'


def _outline(fragment: Fragment) -> str:
    colour = _COLOURS[fragment.position % len(_COLOURS)]
    label = f"{fragment.position} {escape(fragment.kind)}"
    return (
        f'<div class="outline" style="{_place(fragment.box)};border-color:{colour}">'
        f'<b style="background:{colour}">{label}</b></div>'
    )


def _listing(inspection: _Inspection, fragment: Fragment) -> str:
    lines = []
    words = []
    for found in inspection.entities[fragment.position]:
        if found.type == "word":
            words.append(escape(found.signature))
            continue
        swatches = "".join(
            f'<i style="background:{colour}"></i>'
            for colour in (found.attributes.get(key, "") for key in ("background", "color"))
            if _is_hexadecimal(colour)
        )
        note = " <small>only in a button</small>" if found.from_button else ""
        lines.append(f"<li>{swatches}{escape(found.type)} <code>{escape(found.signature)}</code>{note}</li>")
    edges = " · ".join(
        f"{said}: {', '.join(map(str, targets))}"
        for relation, said in (("below", "next below"), ("beside", "beside"))
        if (targets := inspection.targets(fragment, relation))
    )
    colour = _COLOURS[fragment.position % len(_COLOURS)]
    return (
        f'<section style="border-color:{colour}"><h2>{fragment.position} {escape(fragment.kind)}</h2>'
        f"<p>{escape(fragment.text)}</p><ul>{''.join(lines)}</ul>"
        f"<p><small>{'words: ' if words else ''}{' '.join(words)}</small></p><p><small>{edges}</small></p></section>"
    )


def _is_hexadecimal(colour: str) -> bool:
    return colour.startswith("#") and all(digit in "0123456789abcdef" for digit in colour[1:])
