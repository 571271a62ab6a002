"""Matching selectors against one document.

A selector is tried only on elements its last compound names (see ``ruleset``) and only where the names of
its other compounds occur above; and no search among ancestors or siblings is repeated from the next element.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from extractors.css.selectors import Compound, Selector
from extractors.limits import Rejected
from extractors.tree import Element

MAX_STEPS = 1_000_000  # a few seconds; real mail takes thousands


class Matcher:
    """Matching against one document."""

    def __init__(self, elements: Sequence[Element], quirks: bool) -> None:
        self.elements = elements
        self.quirks = quirks
        self._above: dict[str, int] = {}  # how often each tag, id and class occurs among the open elements
        self._open: list[tuple[int, list[str]]] = []  # those above the element last asked about, outermost first
        self._steps = 0
        # How searches among ancestors or earlier siblings ended: the next one need not go past these.
        self._searched: dict[tuple[Selector, int, int], bool] = {}
        self._having: dict[tuple[Selector, int], bool] = {}
        self._places: dict[tuple[int | None, str | tuple[Selector, ...]], dict[int, int]] = {}

    @cached_property
    def names(self) -> set[str]:
        """All tags, ids and classes that occur."""
        names = {element.tag.lower() for element in self.elements}
        for classes in {element.classes for element in self.elements}:
            names.update("." + name for name in classes)
        names.update("#" + element.identity for element in self.elements if element.identity)
        return names

    def matches(self, selector: Selector, element: Element) -> bool:
        """Whether a selector matches. Ask about elements in document order: that is what makes it cheap."""
        self._count()
        if selector.combinators and selector.combinators[0] == " ":  # a look at the parent alone is as cheap as this
            if not self._open or self._open[-1][0] != element.parent:
                self._move_below(element.parent)
            above = self._above
            for name in selector.above:
                if not above.get(name):
                    return False
        return self._from(selector, 0, element)

    def _move_below(self, parent: int | None) -> None:
        """Make ``parent`` and what is above it the open elements."""
        above, opened = self._above, self._open
        path: list[int] = []
        while parent is not None:
            self._close_after(parent)
            if opened and opened[-1][0] == parent:
                break
            path.append(parent)
            parent = self.elements[parent].parent
        else:
            self._close_after(-1)
        for index in reversed(path):
            names = _names(self.elements[index])
            opened.append((index, names))
            for name in names:
                above[name] = above.get(name, 0) + 1

    def _close_after(self, index: int) -> None:
        while self._open and self._open[-1][0] > index:
            for name in self._open.pop()[1]:
                self._above[name] -= 1

    def any(self, selectors: Sequence[Selector], element: Element) -> bool:
        return any(self._from(selector, 0, element) for selector in selectors)

    def parent(self, element: Element) -> Element | None:
        return None if element.parent is None else self.elements[element.parent]

    def has(self, selector: Selector, anchor: Element) -> bool:
        """Whether something below or after ``anchor`` matches, its leftmost combinator leading back there."""
        key = (selector, anchor.index)
        if key not in self._having:
            is_anchor = Compound(None, (), (), (lambda matcher, element: element is anchor,))
            anchored = Selector((*selector.compounds, is_anchor), selector.combinators, 0)
            beside = selector.combinators[-1] in "+~"
            queue = self.siblings(anchor)[anchor.place + 1 :] if beside else list(anchor.children)
            self._having[key] = False
            while queue and not self._having[key]:
                self._count()
                candidate = self.elements[queue.pop()]
                self._having[key] = self._from(anchored, 0, candidate)
                queue += candidate.children
        return self._having[key]

    def siblings(self, element: Element) -> list[int]:
        """All children of the element's parent, itself included."""
        return [element.index] if element.parent is None else self.elements[element.parent].children

    def place(self, element: Element, of: str | tuple[Selector, ...]) -> tuple[int | None, int]:
        """Its place, from 0, among the siblings of a tag or that match selectors; and how many those are."""
        key = (element.parent, of)
        if key not in self._places:
            siblings = (self.elements[i] for i in self.siblings(element))
            alike = (s for s in siblings if (s.tag == of if isinstance(of, str) else self.any(of, s)))
            self._places[key] = {sibling.index: place for place, sibling in enumerate(alike)}
        return self._places[key].get(element.index), len(self._places[key])

    def _count(self) -> None:
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise Rejected("too-complex", f"more than {MAX_STEPS} trials of selectors on elements")

    def _from(self, selector: Selector, position: int, element: Element) -> bool:
        """Whether compound ``position`` and all to the left of it match, with ``element`` as the right end."""
        compound = selector.compounds[position]
        if not compound.admits(element):
            return False
        for test in compound.tests:
            if not test(self, element):
                return False
        return position == len(selector.combinators) or self._relatives(selector, position, element)

    def _relatives(self, selector: Selector, position: int, element: Element) -> bool:
        """Whether an ancestor or earlier sibling, as the combinator asks, matches the rest."""
        combinator = selector.combinators[position]
        relative = self._next(combinator, element)
        if combinator in ">+":
            return relative is not None and self._from(selector, position + 1, relative)
        found = False
        visited = [(selector, position, element.index)]
        while visited[-1] not in self._searched and relative is not None and not found:
            self._count()
            found = self._from(selector, position + 1, relative)
            visited.append((selector, position, relative.index))
            relative = self._next(combinator, relative)
        found = found or self._searched.get(visited[-1], False)
        # What was found beyond the last of them was found beyond all of them; and what was not, not.
        self._searched.update(dict.fromkeys(visited[:-1] if found else visited, found))
        return found

    def _next(self, combinator: str, element: Element) -> Element | None:
        if element.parent is None:
            return None
        if combinator in " >":
            return self.elements[element.parent]
        return self.elements[self.elements[element.parent].children[element.place - 1]] if element.place else None


def _names(element: Element) -> list[str]:
    names = [element.tag.lower(), *("." + name for name in element.classes)]
    if element.identity:
        names.append("#" + element.identity)
    return names
