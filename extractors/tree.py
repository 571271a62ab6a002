"""The element tree: lexbor's parse, flattened into document order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from selectolax.lexbor import LexborHTMLParser, LexborNode

from extractors.css import quirks

if TYPE_CHECKING:
    from extractors.css.computed import ComputedStyle


class Element:
    """One element. ``contents`` holds its text runs and the indices of its child elements, in order."""

    __slots__ = ("attributes", "children", "classes", "contents", "index", "namespace", "parent", "style", "tag")

    style: ComputedStyle

    def __init__(self, index: int, tag: str, parent: int | None, attributes: dict[str, str]) -> None:
        self.index = index
        self.tag = tag
        self.parent = parent
        self.attributes: Mapping[str, str] = attributes
        self.children: list[int] = []
        self.contents: list[str | int] = []
        self.namespace = "html"

    def __repr__(self) -> str:
        return f"<{self.tag}> #{self.index}"


# Foreign elements whose children are HTML again.
_HTML_INSIDE = frozenset(("foreignObject", "desc", "title", "mi", "mo", "mn", "ms", "mtext", "annotation-xml"))


def parse(html: str) -> tuple[list[Element], bool]:
    """Every element of the document, ``<html>`` first, each after its parent; and quirks mode."""
    elements: list[Element] = []
    index_of: dict[int, int] = {}
    root = LexborHTMLParser(html).root
    if root is None:
        return elements, True
    for node in root.traverse(include_text=True):
        parent = node.parent
        above = None if parent is None else index_of.get(parent.mem_id)
        if node.is_text_node:
            if above is not None:
                elements[above].contents.append(node.text_content or "")
        elif node.is_element_node:
            index = len(elements)
            index_of[node.mem_id] = index
            attributes = {name: value or "" for name, value in node.attributes.items()}
            element = Element(index, node.tag or "", above, attributes)
            elements.append(element)
            if above is not None:
                elements[above].children.append(index)
                elements[above].contents.append(index)
                if element.tag in ("svg", "math"):
                    element.namespace = element.tag
                elif elements[above].namespace != "html" and elements[above].tag not in _HTML_INSIDE:
                    element.namespace = elements[above].namespace
    return elements, quirks.mode(_doctype(root))


def _doctype(root: LexborNode) -> str | None:
    node = root.prev
    while node is not None and node.tag != "-doctype":
        node = node.prev
    return None if node is None else node.html_pretty(full_doctype=True)
