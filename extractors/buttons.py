"""Finding buttons: links that were drawn as a box.

A button is a short visible link whose own box, the chain of only children inside it (Unlayer and BEE put the
padding on an inner ``<span>``) or up to five ancestors with the very same content (bulletproof buttons colour
the ``<td>``) is painted unlike its surroundings or has four visible borders, and gives the text room to the
left and right. Image buttons are an image and a link; no style is invented for them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from extractors.canonical import Rgba, gradient_colour, image_kind
from extractors.document import Document
from extractors.layout import REPLACED, Layout
from extractors.layout.boxstyle import length
from extractors.paint import Paint

_MAX_TEXT = 60
_MAX_ANCESTORS = 5
_MIN_PADDING = 12.0  # px on each side
_MAX_HEIGHT = 140.0
_SIDES = ("top", "right", "bottom", "left")


@dataclass(frozen=True, slots=True)
class Button:
    """A button: ``element`` is the outermost element that holds nothing else, ``box`` the one that is drawn."""

    element: int
    link: int
    box: int
    label: int  # the element whose text is the label
    text: str
    background: Rgba | None  # None: only a border is drawn


def find_buttons(document: Document, layout: Layout, paint: Paint) -> list[Button]:
    """All buttons in document order; none lies inside another."""
    found: list[Button] = []
    for index, element in enumerate(document.elements):
        if _is_link(element.tag, element.attributes.get("type", "")) and layout.content[index]:
            button = _button(document, layout, paint, index)
            if button is not None and not (found and _contains(document, found[-1].element, index)):
                found.append(button)
    return found


def _is_link(tag: str, kind: str) -> bool:
    return tag in ("a", "button") or (tag == "input" and kind.lower() in ("submit", "button"))


def _button(document: Document, layout: Layout, paint: Paint, link: int) -> Button | None:
    if document.elements[link].tag == "input":
        label, text = link, document.elements[link].attributes.get("value") or "Submit"
    else:
        labels = list(_texts(document, layout, link))
        if not labels or _has_image(document, layout, link):
            return None
        label, text = labels[0][0], " ".join(text for _, text in labels)
    if len(text) > _MAX_TEXT or not any(character.isalnum() for character in text):
        return None
    chain = [*reversed(_inner_chain(document, layout, link)), link, *_outer_chain(document, layout, link)]
    room = 0.0
    for place, index in enumerate(chain):
        style = layout.styles[index]
        if index != label or not style.inline or style.padding_left:
            room += min(style.padding_left, style.padding_right)
        if layout.height(index) > _MAX_HEIGHT:
            return None
        drawn = paint.stands_out(index)
        if not drawn and not _framed(document, paint, index):
            continue
        if _roomy(layout, chain, place, room, link) or document.elements[link].tag != "a":
            outer = chain[-1] if place < len(chain) else index
            background = paint.behind[index] if drawn else None
            return Button(_holder(layout, chain, place, outer), link, index, label, text, background)
    return None


def _holder(layout: Layout, chain: list[int], place: int, outer: int) -> int:
    """The outermost of the chain that is still the button: what lies between the drawn box and the link."""
    del layout, outer
    return chain[place]


def _roomy(layout: Layout, chain: list[int], place: int, room: float, link: int) -> bool:
    """Whether the drawn box is wider than its text on purpose: by padding or by a stated width."""
    box = chain[place]
    style = layout.styles[box]
    outside = place > chain.index(link)
    if outside and style.width is None and _fills_parent(layout, box):
        # A coloured bar with one link in it is a bar, unless the link itself was made a block or padded.
        return room >= _MIN_PADDING and any(layout.styles[i].padding_left >= _MIN_PADDING for i in chain[:place])
    if room >= _MIN_PADDING:
        return True
    stated = any(layout.styles[i].width is not None for i in chain[: place + 1])
    return stated and layout.width(box) <= 420


def _fills_parent(layout: Layout, box: int) -> bool:
    parent = layout.document.elements[box].parent
    while parent is not None and layout.width(parent) <= layout.width(box) + 1:
        if layout.styles[parent].width is not None:
            return layout.width(parent) > 320
        parent = layout.document.elements[parent].parent
    return parent is None or layout.width(box) > 0.9 * layout.width(parent) or layout.width(box) > 320


def _inner_chain(document: Document, layout: Layout, link: int) -> list[int]:
    """Only children inside the link, outermost first."""
    chain: list[int] = []
    index = link
    while True:
        visible = [child for child in document.elements[index].children if layout.content[child]]
        if len(visible) != 1 or _own_text(document, layout, index):
            return chain
        index = visible[0]
        chain.append(index)


def _outer_chain(document: Document, layout: Layout, link: int) -> list[int]:
    """Ancestors that show nothing but the link."""
    chain: list[int] = []
    index = link
    while len(chain) < _MAX_ANCESTORS:
        parent = document.elements[index].parent
        if parent is None or document.elements[parent].tag == "body" or _own_text(document, layout, parent):
            break
        if sum(layout.content[child] for child in document.elements[parent].children) != 1:
            break
        chain.append(parent)
        index = parent
    return chain


def _own_text(document: Document, layout: Layout, index: int) -> bool:
    contents = document.elements[index].contents
    return any(isinstance(node, str) and layout.text(index, place) for place, node in enumerate(contents))


def _texts(document: Document, layout: Layout, index: int) -> Iterator[tuple[int, str]]:
    """(element, text) of each visible text node under ``index``, in order."""
    for place, node in enumerate(document.elements[index].contents):
        if isinstance(node, str):
            text = layout.text(index, place)
            if text:
                yield index, text
        elif layout.content[node]:
            yield from _texts(document, layout, node)


def _has_image(document: Document, layout: Layout, link: int) -> bool:
    """A big image makes it a banner; an icon beside the label does not."""
    for index in _subtree(document, link):
        if document.elements[index].tag in REPLACED and layout.content[index] and layout.width(index) > 64:
            return True
    return False


def _subtree(document: Document, root: int) -> Iterator[int]:
    stack = [root]
    while stack:
        index = stack.pop()
        yield index
        stack.extend(document.elements[index].children)


def _framed(document: Document, paint: Paint, index: int) -> bool:
    """Four visible borders of a colour that can be told from the background."""
    style = document.elements[index].style
    for side in _SIDES:
        if (length(style[f"border-{side}-width"])[0] or 0.0) < 1:
            return False
        if style[f"border-{side}-style"] in ("none", "hidden"):
            return False
    return style["border-top-color"] not in ("rgba(0, 0, 0, 0)",) and not _same(
        style["border-top-color"], paint.outside(index)
    )


def _same(colour: str, other: Rgba) -> bool:
    from extractors.canonical import over, rgba

    return over(rgba(colour), other) == other


def _contains(document: Document, ancestor: int, index: int | None) -> bool:
    while index is not None and index >= ancestor:
        if index == ancestor:
            return True
        index = document.elements[index].parent
    return False


__all__ = ["Button", "find_buttons", "gradient_colour", "image_kind"]
