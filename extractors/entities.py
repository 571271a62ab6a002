"""The design decisions in a fragment: its entities, each with a canonical signature.

Equal-looking styles get one signature and so become one node; what tells them apart further (family, weight,
padding, …) is kept as attributes of the entity's first use. Keys are the paper's: a button is background, radius,
colour and size; a text style is size and colour; a colour pair is the *effective* background and the colour.

The seventh type, ``fragment``, is the fragment itself: its row stands in the table of fragments and its node's id
is its ``fragment_id``, so it gets no row here.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from extractors.buttons import Button
from extractors.canonical import hexadecimal, image_kind, over, px, radius, rgba, weight
from extractors.document import Document
from extractors.fragments import Fragment, Segmentation
from extractors.images import image_signature
from extractors.layout import REPLACED
from extractors.words import words

Attributes = Mapping[str, str]

_SIDES = ("top", "right", "bottom", "left")
_NO_ATTRIBUTES: Attributes = {}


@dataclass(slots=True)
class Occurrence:
    """An entity in a fragment. ``from_button``: nothing but buttons shows it there."""

    type: str
    signature: str
    attributes: Attributes
    element: int
    count: int
    from_button: bool


@lru_cache(maxsize=65536)
def entity_id(kind: str, signature: str) -> str:
    return f"{kind}:{hashlib.sha256(signature.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def entities(document: Document, segmentation: Segmentation, fragment: Fragment) -> list[Occurrence]:
    """The entities of ``fragment`` in order of first appearance."""
    return list(_Collector(document, segmentation).collect(fragment))


def canonical_json(attributes: Attributes) -> str:
    return json.dumps(attributes, sort_keys=True, ensure_ascii=False, separators=(",", ":")) if attributes else "{}"


class _Collector:
    def __init__(self, document: Document, segmentation: Segmentation) -> None:
        self._document = document
        self._layout = segmentation.layout
        self._paint = segmentation.paint
        self._buttons = {button.element: button for button in segmentation.buttons}
        self._found: dict[tuple[str, str], Occurrence] = {}

    def collect(self, fragment: Fragment) -> Iterator[Occurrence]:
        self._found = {}
        for source in fragment.sources:
            button = self._buttons.get(source)
            self._add_background(self._painter_behind(source, button is not None))
            if button is not None:
                self._add_button(button)
            elif self._document.elements[source].tag in REPLACED:
                self._add_image(source, False)
            else:
                self._add_text(source, False)
        yield from self._found.values()

    def _add(self, kind: str, signature: str, attributes: Attributes, element: int, from_button: bool) -> None:
        known = self._found.get((kind, signature))
        if known is None:
            self._found[kind, signature] = Occurrence(kind, signature, attributes, element, 1, from_button)
        else:
            known.count += 1
            known.from_button &= from_button

    def _add_button(self, button: Button) -> None:
        style = self._document.elements[button.box].style
        label = self._document.elements[button.label].style
        background = "transparent" if button.background is None else hexadecimal(button.background)
        colour = hexadecimal(rgba(label["color"]))
        corner, size = radius(style["border-top-left-radius"]), px(label["font-size"])
        signature = f"background:{background};radius:{corner};color:{colour};font-size:{size}"
        attributes = {
            "background": background,
            "border": self._border(button),
            "color": colour,
            "font_family": label["font-family"],
            "font_size": size,
            "font_weight": weight(label["font-weight"]),
            "image": image_kind(style["background-image"]),
            "padding": self._padding(button),
            "radius": corner,
            "text": button.text,
            "text_transform": label["text-transform"],
        }
        self._add("button-style", signature, attributes, button.element, True)
        stack = [button.element]
        while stack:
            index = stack.pop()
            if not self._layout.content[index]:
                continue
            if self._document.elements[index].tag in REPLACED:
                self._add_image(index, True)
            else:
                self._add_text(index, True)
            stack.extend(reversed(self._document.elements[index].children))

    def _border(self, button: Button) -> str:
        """``2px solid #rrggbb``; "none" if there is none or it cannot be told from the background."""
        style = self._document.elements[button.box].style
        width, colour = px(style["border-top-width"]), rgba(style["border-top-color"])
        if width == "0px" or style["border-top-style"] in ("none", "hidden") or colour[3] == 0:
            return "none"
        if button.background is not None and over(colour, button.background) == button.background:
            return "none"
        return f"{width} {style['border-top-style']} {hexadecimal(colour)}"

    def _padding(self, button: Button) -> str:
        """Room around the label inside the drawn box, from its edge inwards, top right bottom left."""
        total = [0.0, 0.0, 0.0, 0.0]
        index: int | None = button.label
        while index is not None:
            style = self._layout.styles[index]
            sides = (style.padding_top, style.padding_right, style.padding_bottom, style.padding_left)
            total = [a + b for a, b in zip(total, sides, strict=True)]
            if index == button.box or index <= min(button.box, button.link):
                break
            index = self._document.elements[index].parent
        return " ".join(px(f"{side}px") for side in total)

    def _add_text(self, source: int, from_button: bool) -> None:
        texts = self._layout.texts(source)
        if not texts:
            return
        style = self._document.elements[source].style
        behind = self._paint.behind[source]
        colour, size = hexadecimal(over(rgba(style["color"]), behind)), px(style["font-size"])
        attributes = {
            "color": colour,
            "font_family": style["font-family"],
            "font_size": size,
            "font_style": style["font-style"],
            "font_weight": weight(style["font-weight"]),
            "letter_spacing": px(style["letter-spacing"]),
            "line_height": px(style["line-height"]),
            "text_align": style["text-align"],
            "text_decoration": style["text-decoration-line"],
            "text_transform": style["text-transform"],
        }
        self._add("text-style", f"font-size:{size};color:{colour}", attributes, source, from_button)
        background = hexadecimal(behind)
        pair = {"background": background, "color": colour}
        self._add("color-pair", f"background:{background};color:{colour}", pair, source, from_button)
        for text in texts:
            for word in words(text):
                self._add("word", word, _NO_ATTRIBUTES, source, from_button)

    def _add_image(self, source: int, from_button: bool) -> None:
        attributes = self._document.elements[source].attributes
        signature = image_signature(attributes.get("src") or "")
        if signature:
            fields = {"alt": (attributes.get("alt") or "")[:200], "src": (attributes.get("src") or "")[:2048]}
            style = self._document.elements[source].style
            fields |= {side: px(style[side]) for side in ("width", "height")}
            self._add("image", signature, fields, source, from_button)

    def _add_background(self, painter: int | None) -> None:
        if painter is None:
            fields = {"color": "#ffffff", "image": "none", "opacity": "1"}
            self._add("background-style", "background:#ffffff", fields, 0, False)
            return
        style = self._document.elements[painter].style
        colour = hexadecimal(self._paint.own_colour(painter))
        kind, opacity = image_kind(style["background-image"]), f"{float(style['opacity']):.2g}"
        signature = f"background:{colour}"
        signature += f";opacity:{opacity}" if opacity != "1" else ""
        signature += f";image:{kind}" if kind != "none" else ""
        self._add("background-style", signature, {"color": colour, "image": kind, "opacity": opacity}, painter, False)

    def _painter_behind(self, source: int, button: bool) -> int | None:
        """Whose background the source stands on; images and buttons hide their own."""
        if button or self._document.elements[source].tag in REPLACED:
            parent = self._document.elements[source].parent
            return None if parent is None else self._paint.painter[parent]
        return self._paint.painter[source]
