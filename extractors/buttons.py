"""Finding buttons: links that were drawn as a box.

A button is a short visible link whose own box, the chain of only children inside it (Unlayer and BEE put the
padding on an inner ``<span>``) or up to five ancestors with the very same content (bulletproof buttons colour
the ``<td>``) is painted unlike its surroundings or has four visible borders, and is wider than its label by
design: by padding, spacer cells, non-breaking spaces or a stated width. Image buttons are an image and a link;
no style is invented for them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from extractors.canonical import Rgba, over, rgba
from extractors.document import Document
from extractors.layout import REPLACED, Layout
from extractors.paint import Paint

_MAX_TEXT = 60
_MAX_ANCESTORS = 5
_MIN_ROOM = 12.0  # px on each side of the label
_MAX_HEIGHT = 140.0
_BAR = 400.0  # px: a wider box around a link is a bar of the page, unless the link itself was made that wide
_ICON = 64.0  # px: a wider image beside the label makes it a banner
_LINKS = frozenset(("a", "button", "input"))
_ROWS = frozenset(("tr", "tbody", "thead", "tfoot"))
_CLEAR = "rgba(0, 0, 0, 0)"


@dataclass(frozen=True, slots=True)
class Button:
    """``element`` holds the button and nothing else, ``box`` is the one that is drawn."""

    element: int
    link: int
    box: int
    label: int  # the element whose text is the label
    text: str
    background: Rgba | None  # None: only a border is drawn


def find_buttons(document: Document, layout: Layout, paint: Paint) -> list[Button]:
    """All buttons in document order; none lies inside another."""
    finder = _Finder(document, layout, paint)
    found: list[Button] = []
    for index, element in enumerate(document.elements):
        if element.tag in _LINKS and layout.content[index] and _is_link(element.tag, element.attributes):
            button = finder.button(index)
            if button is not None and not (found and finder.contains(found[-1].element, index)):
                found.append(button)
    return found


def _is_link(tag: str, attributes: Mapping[str, str]) -> bool:
    return tag != "input" or attributes.get("type", "").lower() in ("submit", "button")


class _Finder:
    def __init__(self, document: Document, layout: Layout, paint: Paint) -> None:
        self._elements = document.elements
        self._layout = layout
        self._paint = paint

    def button(self, link: int) -> Button | None:
        label, text, width = self._label(link)
        if not 0 < len(text) <= _MAX_TEXT or not any(map(str.isalnum, text)) or self._has_picture(link):
            return None
        inner = self._only_children(link)
        chain = [*reversed(inner), link, *self._ancestors(link)]
        for place, index in enumerate(chain):
            if self._layout.height(index) > _MAX_HEIGHT:
                return None
            drawn = self._paint.stands_out(index)
            if not drawn and not self._framed(index):
                continue
            outside_link = place > len(inner)
            if self._is_roomy(index, link, outside_link, width) or self._elements[link].tag != "a":
                background = self._paint.behind[index] if drawn else None
                return Button(index if outside_link else link, link, index, label, text, background)
        return None

    def contains(self, ancestor: int, index: int | None) -> bool:
        while index is not None and index > ancestor:
            index = self._elements[index].parent
        return index == ancestor

    def _is_roomy(self, box: int, link: int, outside_link: bool, label_width: float) -> bool:
        """Whether the drawn box is wider than its label on purpose."""
        if outside_link and self._layout.width(box) > _BAR and self._layout.styles[link].inline:
            return False
        width = self._layout.preferred_width(box)
        if self._fills_stated_table(box) or self._spans_its_box(link):
            width = max(width, self._layout.width(box))
        return (width - label_width) / 2 >= _MIN_ROOM

    def _spans_its_box(self, link: int) -> bool:
        """Whether the link is told to be all as wide as its box with the label in the middle: an expanded button."""
        style = self._layout.styles[link]
        return style.width_fraction == 1.0 and not style.inline and style.text.align == 0.5

    def _fills_stated_table(self, box: int) -> bool:
        """Whether the box is the one cell with content of a table whose width is stated in px."""
        if self._layout.styles[box].display != "table-cell":
            return False
        for index in self._ancestors(box):
            style = self._layout.styles[index]
            if style.is_table:
                return style.width is not None
        return False

    def _label(self, link: int) -> tuple[int, str, float]:
        """The element that holds the label, the label, and its width on one line."""
        if self._elements[link].tag == "input":
            return link, self._elements[link].attributes.get("value") or "Submit", 0.0
        texts = list(self._texts(link))
        if not texts:
            return link, "", 0.0
        return texts[0][0], " ".join(text for _, text, _ in texts), sum(width for _, _, width in texts)

    def _texts(self, index: int) -> Iterator[tuple[int, str, float]]:
        stack: list[tuple[int, int]] = [(index, 0)]
        while stack:
            element, place = stack.pop()
            contents = self._elements[element].contents
            while place < len(contents):
                node = contents[place]
                if isinstance(node, str):
                    run = self._layout.run(element, place)
                    if run is not None:
                        yield element, run.text, run.width - run.padding
                elif self._layout.content[node]:
                    stack.append((element, place + 1))
                    stack.append((node, 0))
                    break
                place += 1

    def _only_children(self, link: int) -> list[int]:
        """Only children inside the link, outermost first."""
        chain: list[int] = []
        index = link
        while self._layout.content_children[index] == 1 and not self._layout.own_text[index]:
            index = self._layout.first_content[index]
            chain.append(index)
        return chain

    def _ancestors(self, link: int) -> list[int]:
        """Ancestors that show nothing but the link, innermost first; rows are not counted, being no boxes to draw."""
        chain: list[int] = []
        boxes = 0
        parent = self._elements[link].parent
        while parent is not None and boxes < _MAX_ANCESTORS:
            if self._elements[parent].tag == "body" or self._layout.own_text[parent]:
                break
            if self._layout.content_children[parent] != 1:
                break
            chain.append(parent)
            boxes += self._elements[parent].tag not in _ROWS
            parent = self._elements[parent].parent
        return chain

    def _has_picture(self, link: int) -> bool:
        stack = [link]
        while stack:
            index = stack.pop()
            if self._elements[index].tag in REPLACED and self._layout.content[index]:
                width = self._layout.styles[index].width or self._layout.width(index)
                if width > _ICON:
                    return True
            stack.extend(self._elements[index].children)
        return False

    def _framed(self, index: int) -> bool:
        """Four visible borders of a colour that can be told from the surroundings."""
        box = self._layout.styles[index]
        if min(box.border_top, box.border_right, box.border_bottom, box.border_left) < 1:
            return False
        colour = self._elements[index].style["border-top-color"]
        around = self._paint.outside(index)
        return colour != _CLEAR and over(rgba(colour), around) != around
