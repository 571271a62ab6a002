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
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from extractors.buttons import Button
from extractors.canonical import hexadecimal, image_kind, over, pixels, px, radius, rgba, weight
from extractors.document import Document
from extractors.fragments import Fragment, Segmentation
from extractors.images import image_signature
from extractors.layout import REPLACED
from extractors.words import words

Attributes = Mapping[str, str]

_NO_ATTRIBUTES: Attributes = {}
_LONGEST_ALT = 200
_LONGEST_ADDRESS = 2048


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


_encode = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode


def canonical_json(attributes: Attributes) -> str:
    return _json(tuple(attributes.items())) if attributes else "{}"


@lru_cache(maxsize=8192)
def _json(items: tuple[tuple[str, str], ...]) -> str:
    return _encode(dict(items))


class EntityCollector:
    """Collects the entities of one document's fragments; attributes are those of the first use in the document."""

    def __init__(self, document: Document, segmentation: Segmentation) -> None:
        self._elements = document.elements
        self._layout = segmentation.layout
        self._paint = segmentation.paint
        self._buttons = {button.element: button for button in segmentation.buttons}
        self._attributes: dict[tuple[str, str], Attributes] = {}
        self._grounds: dict[int | None, tuple[str, Attributes]] = {}
        self._found: dict[tuple[str, str], Occurrence] = {}

    def of(self, fragment: Fragment) -> list[Occurrence]:
        """The entities of ``fragment`` in order of first appearance."""
        self._found = {}
        for source in fragment.sources:
            button = self._buttons.get(source)
            image = self._elements[source].tag in REPLACED
            # Images and buttons hide a background of their own.
            ground = self._elements[source].parent if image or button is not None else source
            self._add_background(None if ground is None else self._paint.painter[ground])
            if button is not None:
                self._add_button(button)
            elif image:
                self._add_image(source, False)
            else:
                self._add_text(source, False)
        return list(self._found.values())

    def _add(
        self, kind: str, signature: str, element: int, from_button: bool, attributes: Callable[[], Attributes]
    ) -> None:
        key = (kind, signature)
        known = self._found.get(key)
        if known is not None:
            known.count += 1
            known.from_button &= from_button
            return
        fields = self._attributes.get(key)
        if fields is None:
            fields = self._attributes[key] = attributes()
        self._found[key] = Occurrence(kind, signature, fields, element, 1, from_button)

    def button_signature(self, button: Button) -> str:
        box, label = self._elements[button.box].style, self._elements[button.label].style
        background = "transparent" if button.background is None else hexadecimal(button.background)
        colour, size = hexadecimal(rgba(label["color"])), px(label["font-size"])
        return f"background:{background};radius:{radius(box['border-top-left-radius'])};color:{colour};font-size:{size}"

    def _add_button(self, button: Button) -> None:
        signature = self.button_signature(button)

        def attributes() -> Attributes:
            box, label = self._elements[button.box].style, self._elements[button.label].style
            keyed = dict(part.split(":", 1) for part in signature.split(";"))
            return {
                "background": keyed["background"],
                "border": self._border(button),
                "color": keyed["color"],
                "font_family": label["font-family"],
                "font_size": keyed["font-size"],
                "font_weight": weight(label["font-weight"]),
                "image": image_kind(box["background-image"]),
                "padding": self._padding(button),
                "radius": keyed["radius"],
                "text": button.text,
                "text_transform": label["text-transform"],
            }

        self._add("button-style", signature, button.element, True, attributes)
        stack = [button.element]
        while stack:
            index = stack.pop()
            if self._layout.content[index]:
                if self._elements[index].tag in REPLACED:
                    self._add_image(index, True)
                else:
                    self._add_text(index, True)
                stack.extend(reversed(self._elements[index].children))

    def _border(self, button: Button) -> str:
        """``2px solid #rrggbb``; "none" if there is none or it cannot be told from the background."""
        style = self._elements[button.box].style
        width, colour = px(style["border-top-width"]), rgba(style["border-top-color"])
        if width == "0px" or style["border-top-style"] in ("none", "hidden") or colour[3] == 0:
            return "none"
        if button.background is not None and over(colour, button.background) == button.background:
            return "none"
        return f"{width} {style['border-top-style']} {hexadecimal(colour)}"

    def _padding(self, button: Button) -> str:
        """Room between the label and the edge of the drawn box: top, right, bottom, left."""
        top = right = bottom = left = 0.0
        index: int | None = button.label
        while index is not None:
            style = self._layout.styles[index]
            top, right = top + style.padding_top, right + style.padding_right
            bottom, left = bottom + style.padding_bottom, left + style.padding_left
            if index == button.box:
                break
            index = self._elements[index].parent
        if button.background is not None and self._border(button) == "none":
            # Outlook ignores the padding of a link, so senders pad with a thick border in the background's colour.
            box = self._layout.styles[button.box]
            top, right = top + box.border_top, right + box.border_right
            bottom, left = bottom + box.border_bottom, left + box.border_left
        return " ".join(map(pixels, (top, right, bottom, left)))

    def _add_text(self, source: int, from_button: bool) -> None:
        runs = self._layout.runs(source)
        if not runs:
            return
        style = self._elements[source].style
        behind = self._paint.behind[source]
        background = hexadecimal(behind)
        colour, size = hexadecimal(over(rgba(style["color"]), behind)), px(style["font-size"])

        def attributes() -> Attributes:
            return {
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

        self._add("text-style", f"font-size:{size};color:{colour}", source, from_button, attributes)
        pair = f"background:{background};color:{colour}"
        self._add("color-pair", pair, source, from_button, lambda: {"background": background, "color": colour})
        found = self._found
        for run in runs:
            for word in words(run.text):
                known = found.get(("word", word))
                if known is None:
                    found["word", word] = Occurrence("word", word, _NO_ATTRIBUTES, source, 1, from_button)
                else:
                    known.count += 1
                    known.from_button &= from_button

    def _add_image(self, source: int, from_button: bool) -> None:
        element = self._elements[source]
        address = element.attributes.get("src") or ""
        signature = image_signature(address)
        if signature:

            def attributes() -> Attributes:
                return {
                    "alt": (element.attributes.get("alt") or "")[:_LONGEST_ALT],
                    "height": px(element.style["height"]),
                    "src": address[:_LONGEST_ADDRESS],
                    "width": px(element.style["width"]),
                }

            self._add("image", signature, source, from_button, attributes)

    def _add_background(self, painter: int | None) -> None:
        known = self._grounds.get(painter)
        if known is None:
            known = self._grounds[painter] = self._ground(painter)
        signature, fields = known
        self._add("background-style", signature, painter or 0, False, lambda: fields)

    def _ground(self, painter: int | None) -> tuple[str, Attributes]:
        if painter is None:  # nobody paints: the white of the page
            colour, kind, opacity = "#ffffff", "none", "1"
        else:
            style = self._elements[painter].style
            colour = hexadecimal(self._paint.own_colour(painter))
            kind, opacity = image_kind(style["background-image"]), f"{float(style['opacity']):.2g}"
        signature = f"background:{colour}"
        signature += f";opacity:{opacity}" if opacity != "1" else ""
        signature += f";image:{kind}" if kind != "none" else ""
        return signature, {"color": colour, "image": kind, "opacity": opacity}
