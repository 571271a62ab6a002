"""The element tree: lexbor's parse, flattened into document order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from selectolax.lexbor import LexborHTMLParser, LexborNode

from extractors.css import quirks
from extractors.css.memory import remembered
from extractors.limits import Limits, Rejected

if TYPE_CHECKING:
    from extractors.css.computed import ComputedStyle


class Element:
    """One element. ``contents`` holds its text runs and the indices of its child elements, in order."""

    __slots__ = (
        "attributes",
        "children",
        "classes",
        "contents",
        "identity",
        "index",
        "namespace",
        "parent",
        "place",
        "style",
        "tag",
    )

    style: ComputedStyle

    def __init__(
        self, index: int, tag: str, parent: int | None, attributes: dict[str, str], place: int, quirks: bool
    ) -> None:
        self.index = index
        self.tag = tag
        self.parent = parent
        self.attributes: Mapping[str, str] = attributes
        self.children: list[int] = []
        self.contents: list[str | int] = []
        self.namespace = "html"
        self.place = place  # among its siblings
        self.classes = _NO_CLASSES
        self.identity = ""  # the id as selectors compare it
        if attributes:
            if "class" in attributes:
                self.classes = _classes(attributes["class"], quirks)
            if "id" in attributes:
                self.identity = attributes["id"].lower() if quirks else attributes["id"]

    def __repr__(self) -> str:
        return f"<{self.tag}> #{self.index}"


_NO_CLASSES: frozenset[str] = frozenset()


@remembered(entries=20_000)
def _classes(text: str, is_quirky: bool) -> frozenset[str]:
    """The names in a class attribute; quirks mode does not distinguish case."""
    return frozenset((text.lower() if is_quirky else text).split())


_FOREIGN = frozenset(("svg", "math"))
# Foreign elements whose children are HTML again.
_HTML_INSIDE = frozenset(("foreignObject", "desc", "title", "mi", "mo", "mn", "ms", "mtext", "annotation-xml"))


def parse(html: str, limits: Limits) -> tuple[list[Element], bool]:
    """Every element of the document, ``<html>`` first, each after its parent; and quirks mode."""
    root = LexborHTMLParser(html).root
    if root is None:
        return [], True
    is_quirky = quirks.mode(_doctype(root))
    above = Element(0, root.tag or "", None, _attributes(root), 0, is_quirky)
    elements = [above]
    contents = above.contents
    most, deepest = limits.max_elements, limits.max_depth
    resume: list[tuple[LexborNode, Element]] = []  # where to go on after a subtree
    node = root.first_child
    while node is not None or resume:
        if node is None:
            node, above = resume.pop()
            contents = above.contents
            node = node.next
            continue
        tag = node.tag or "-"
        if tag == "-text":
            contents.append(node.text_content or "")
        elif tag[0] != "-":  # comments and their like
            index = len(elements)
            if index >= most:
                raise Rejected("too-many-elements", f"more than {most} elements")
            element = Element(index, tag, above.index, _attributes(node), len(above.children), is_quirky)
            elements.append(element)
            above.children.append(index)
            contents.append(index)
            if tag in _FOREIGN:
                element.namespace = tag
            elif above.namespace != "html" and above.tag not in _HTML_INSIDE:
                element.namespace = above.namespace
            child = node.first_child
            if child is not None:
                resume.append((node, above))
                if len(resume) > deepest:
                    raise Rejected("too-deep", f"elements nested more than {deepest} deep")
                node, above, contents = child, element, element.contents
                continue
        node = node.next
    return elements, is_quirky


def _attributes(node: LexborNode) -> dict[str, str]:
    attributes = node.attributes
    if attributes and None in attributes.values():
        return {name: value or "" for name, value in attributes.items()}
    return attributes  # type: ignore[return-value]


def _doctype(root: LexborNode) -> str | None:
    node = root.prev
    while node is not None and node.tag != "-doctype":
        node = node.prev
    return None if node is None else node.html_pretty(full_doctype=True)
