"""An email as a browser would see it: the element tree with every element's computed style."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from extractors.css import cascade
from extractors.limits import Limits, prescan
from extractors.tree import Element, parse

__all__ = ["Document", "Element"]

DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, eq=False)
class Document:
    """All elements in document order, ``<html>`` first; ``parent`` and ``children`` are indices."""

    elements: Sequence[Element]
    quirks: bool
    width: int

    @classmethod
    def from_html(cls, html: str, width: int = 800, limits: Limits = DEFAULT_LIMITS) -> Document:
        """Parse and style ``html`` for a viewport of ``width`` pixels.

        Raises ``extractors.limits.Rejected``, and nothing else, for markup beyond ``limits``.
        """
        prescan(html, limits)
        elements, quirks = parse(html, limits)
        cascade.apply(elements, float(width), quirks)
        return cls(tuple(elements), quirks, width)

    @cached_property
    def title(self) -> str:
        for element in self.elements:
            if element.tag == "title":
                return " ".join(self.text(element.index).split())
        return ""

    @cached_property
    def body(self) -> Element | None:
        """The ``<body>``; None in a frameset."""
        return next((element for element in self.elements if element.tag == "body"), None)

    def nodes_of(self, index: int) -> Sequence[str | int]:
        """An element's text runs and the indices of its child elements, in order."""
        return self.elements[index].contents

    def text(self, index: int) -> str:
        """All text within an element, as it stands in the markup."""
        runs: list[str] = []
        queue: list[str | int] = [index]
        while queue:
            item = queue.pop()
            if isinstance(item, str):
                runs.append(item)
            else:
                queue.extend(reversed(self.elements[item].contents))
        return "".join(runs)
