"""Selectors: parsed once, matched right to left, found through the id, class or tag they end in.

A browser keeps its rules in buckets by the last compound's id, class or tag, so that an element only
meets rules that could match it; so does this. Compared with asking lexbor for every rule's elements
it is several times faster on real mail, knows quirks mode and nesting, and its worst case is bounded:
a failed (element, compound) pair is remembered, so ``b div div div p`` cannot go exponential.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import tinycss2

from extractors.css import pseudo_classes
from extractors.css.syntax import MAX_NESTING, nesting
from extractors.tree import Element

MAX_COMPOUNDS = 16  # Chromium has no such limit; no real rule comes near it
Test = Callable[["Matcher", Element], bool]


class Compound(NamedTuple):
    """``td.cell:first-child``: what is tested on one element."""

    tag: str | None
    ids: tuple[str, ...]
    classes: tuple[str, ...]
    tests: tuple[Test, ...]


class Selector:
    """Compounds from right to left; ``combinators[i]`` stands between compound i and i + 1."""

    __slots__ = ("combinators", "compounds", "is_simple", "specificity")

    def __init__(self, compounds: tuple[Compound, ...], combinators: tuple[str, ...], specificity: int) -> None:
        self.compounds = compounds
        self.combinators = combinators
        self.specificity = specificity
        only = compounds[0]
        counted = (only.tag is not None) + len(only.ids) + len(only.classes)
        # Simple: being found in its bucket already proves the match.
        self.is_simple = len(compounds) == 1 and not only.tests and counted <= 1


class Matcher:
    """Matching against one document."""

    def __init__(self, elements: Sequence[Element], quirks: bool) -> None:
        self.elements = elements
        self.quirks = quirks
        self._failed: set[tuple[Selector, int, int]] = set()

    def matches(self, selector: Selector, element: Element) -> bool:
        return self._from(selector, 0, element)

    def any(self, selectors: Sequence[Selector], element: Element) -> bool:
        return any(self._from(selector, 0, element) for selector in selectors)

    def parent(self, element: Element) -> Element | None:
        return None if element.parent is None else self.elements[element.parent]

    def siblings(self, element: Element) -> list[int]:
        return [element.index] if element.parent is None else self.elements[element.parent].children

    def _from(self, selector: Selector, position: int, element: Element) -> bool:
        if not self._compound(selector.compounds[position], element):
            return False
        if position == len(selector.combinators):
            return True
        key = (selector, position, element.index)
        if key in self._failed:
            return False
        if self._relatives(selector, position, element):
            return True
        self._failed.add(key)
        return False

    def _relatives(self, selector: Selector, position: int, element: Element) -> bool:
        combinator = selector.combinators[position]
        if combinator in " >":
            above = self.parent(element)
            while above is not None:
                if self._from(selector, position + 1, above):
                    return True
                if combinator == ">":
                    return False
                above = self.parent(above)
            return False
        siblings = self.siblings(element)
        before = siblings[: siblings.index(element.index)]
        if combinator == "+":
            before = before[-1:]
        return any(self._from(selector, position + 1, self.elements[i]) for i in reversed(before))

    def _compound(self, compound: Compound, element: Element) -> bool:
        if compound.tag is not None and compound.tag != element.tag.lower():
            return False
        if compound.classes and not all(name in element.classes for name in compound.classes):
            return False
        if compound.ids:
            identity = element.attributes.get("id", "")
            if any(name != (identity.lower() if self.quirks else identity) for name in compound.ids):
                return False
        return all(test(self, element) for test in compound.tests)


class Scope(NamedTuple):
    """What a selector's text does not say: the document's mode, and the rule it is nested in."""

    quirks: bool
    parent: tuple[Selector, ...] | None = None


@lru_cache(maxsize=10_000)
def parse(text: str, scope: Scope) -> tuple[Selector, ...] | None:
    """A selector list, or None if any part of it is invalid, which drops the whole rule."""
    if ("(" in text or "[" in text) and nesting(text) > MAX_NESTING:
        return None
    try:
        return selector_list(tinycss2.parse_component_value_list(text, skip_comments=True), scope, nested=True)
    except SelectorError:
        return None


class SelectorError(Exception):
    """Chromium would not understand this selector either."""


def selector_list(
    tokens: Sequence[Any], scope: Scope, *, relative: bool = False, nested: bool = False
) -> tuple[Selector, ...]:
    """``relative`` selectors may start with a combinator; a ``nested`` rule's own list implies its parent."""
    parts: list[list[Any]] = [[]]
    for token in tokens:
        if token.type == "literal" and token.value == ",":
            parts.append([])
        else:
            parts[-1].append(token)
    return tuple(_selector(part, scope, relative, nested and scope.parent is not None) for part in parts)


def _selector(tokens: list[Any], scope: Scope, relative: bool, nested: bool) -> Selector:
    compounds: list[Compound] = []
    combinators: list[str] = []
    pending = " " if relative else ""
    group: list[Any] = []
    specificity = 0
    if nested and not _mentions_parent(tokens):
        compound, specificity = _compound([_PARENT], scope)
        compounds.append(compound)
    implied = len(compounds)
    for token in [*tokens, None]:
        is_space = token is not None and token.type == "whitespace"
        is_mark = token is not None and token.type == "literal" and token.value in ">+~"
        if token is not None and not is_space and not is_mark:
            group.append(token)
            continue
        if group:
            if compounds or relative:
                combinators.append(pending or " ")
            compound, weight = _compound(group, scope)
            compounds.append(compound)
            specificity += weight
            group, pending = [], ""
        if is_mark:
            if pending.strip() or not (compounds or relative):
                raise SelectorError
            pending = token.value
    if len(compounds) == implied or pending.strip() or len(compounds) > MAX_COMPOUNDS:
        raise SelectorError
    return Selector(tuple(reversed(compounds)), tuple(reversed(combinators)), specificity)


_PARENT = tinycss2.parse_one_component_value("&")


def _mentions_parent(tokens: Sequence[Any]) -> bool:
    for token in tokens:
        if token.type == "literal" and token.value == "&":
            return True
        if token.type == "function" and _mentions_parent(token.arguments):
            return True
    return False


ID, CLASS, TYPE = 1 << 20, 1 << 10, 1


def _compound(tokens: list[Any], scope: Scope) -> tuple[Compound, int]:
    tag: str | None = None
    ids: list[str] = []
    classes: list[str] = []
    tests: list[Test] = []
    specificity = 0
    position = 2 if _is_literal(tokens[0], "*") and len(tokens) > 2 and _is_literal(tokens[1], "|") else 0
    if tokens[position].type == "ident":
        tag, specificity = tokens[position].lower_value, TYPE
        position += 1
    elif _is_literal(tokens[position], "*"):
        position += 1
    while position < len(tokens):
        token = tokens[position]
        following = tokens[position + 1] if position + 1 < len(tokens) else None
        weight = CLASS
        if token.type == "hash" and token.is_identifier:
            ids.append(token.value.lower() if scope.quirks else token.value)
            weight = ID
        elif _is_literal(token, ".") and following is not None and following.type == "ident":
            classes.append(following.lower_value if scope.quirks else following.value)
            position += 1
        elif token.type == "[] block":
            tests.append(_attribute([t for t in token.content if t.type != "whitespace"]))
        elif _is_literal(token, ":") and following is not None:
            position += 1
            if _is_literal(following, ":") and position + 1 < len(tokens):
                position += 1
                test, weight = pseudo_classes.element(tokens[position]), TYPE
            else:
                test, weight = pseudo_classes.parse(following, scope)
            tests.append(test)
        elif _is_literal(token, "&"):
            test, weight = _parent_test(scope)
            tests.append(test)
        else:
            raise SelectorError
        specificity += weight
        position += 1
    return Compound(tag, tuple(ids), tuple(classes), tuple(tests)), specificity


def _is_literal(token: Any, value: str) -> bool:
    return bool(token.type == "literal" and token.value == value)


def _parent_test(scope: Scope) -> tuple[Test, int]:
    """``&``: the rule around; outside of any, the root element."""
    parent = scope.parent
    if parent is None:
        return (lambda matcher, element: element.parent is None), 0
    return (lambda matcher, element: matcher.any(parent, element)), max(s.specificity for s in parent)


# Attributes whose values HTML compares without regard to case.
_CASELESS_NAMES = """
    accept accept-charset align alink axis bgcolor charset checked clear codetype color compact
    declare defer dir direction disabled enctype face frame hreflang http-equiv lang language link
    media method multiple nohref noresize noshade nowrap readonly rel rev rules scope scrolling
    selected shape target text type valign valuetype vlink
"""
_CASELESS = frozenset(_CASELESS_NAMES.split())


def _attribute(tokens: Sequence[Any]) -> Test:
    if not tokens or tokens[0].type != "ident":
        raise SelectorError
    name: str = tokens[0].lower_value
    if len(tokens) == 1:
        return lambda matcher, element: name in element.attributes
    # tinycss2 gives ~=, |=, ^=, $=, *= as one literal and = as another.
    operator, value = tokens[1], tokens[2] if len(tokens) > 2 else None
    if operator.type != "literal" or value is None or value.type not in ("ident", "string"):
        raise SelectorError
    compare = _OPERATORS.get(operator.value)
    flag = tokens[3].lower_value if len(tokens) == 4 and tokens[3].type == "ident" else ""
    if compare is None or len(tokens) > 4 or (len(tokens) == 4 and flag not in ("i", "s")):
        raise SelectorError
    caseless = flag == "i" or (name in _CASELESS and flag != "s")
    wanted: str = value.value.lower() if caseless else value.value

    def test(matcher: Matcher, element: Element) -> bool:
        found = element.attributes.get(name)
        return found is not None and compare(found.lower() if caseless else found, wanted)

    return test


_OPERATORS: dict[str, Callable[[str, str], bool]] = {
    "=": lambda found, wanted: found == wanted,
    "~=": lambda found, wanted: bool(wanted) and wanted in found.split(),
    "|=": lambda found, wanted: found == wanted or found.startswith(wanted + "-"),
    "^=": lambda found, wanted: bool(wanted) and found.startswith(wanted),
    "$=": lambda found, wanted: bool(wanted) and found.endswith(wanted),
    "*=": lambda found, wanted: bool(wanted) and wanted in found,
}
