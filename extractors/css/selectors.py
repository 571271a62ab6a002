"""Selectors: parsed once, matched right to left.

They are not lexbor's: those know neither quirks mode nor nesting, reject lists a browser accepts, and go
exponential on ``b div div div div p`` in a deep tree. ``matcher`` matches these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import tinycss2

from extractors.css import pseudo_classes
from extractors.css.memory import remembered
from extractors.css.syntax import MAX_LENGTH, MAX_NESTING, nesting
from extractors.css.tokens import component_values
from extractors.tree import Element

if TYPE_CHECKING:
    from extractors.css.matcher import Matcher

MAX_COMPOUNDS = 16  # Chromium has no such limit; no real rule comes near it
Test = Callable[["Matcher", Element], bool]


class Compound(NamedTuple):
    """``td.cell:first-child``: what is tested on one element."""

    tag: str | None
    ids: tuple[str, ...]
    classes: tuple[str, ...]
    tests: tuple[Test, ...]
    attribute: str | None = None  # the first attribute among the tests, if any
    is_own: bool = False  # the tests read nothing but the element's own tag and attributes

    def admits(self, element: Element) -> bool:
        """Whether tag, id and classes fit."""
        if self.tag is not None and self.tag != element.tag and self.tag != element.tag.lower():
            return False
        for name in self.classes:
            if name not in element.classes:
                return False
        for name in self.ids:  # noqa: SIM110  -- all() costs more than the loop here
            if name != element.identity:
                return False
        return True

    @property
    def names(self) -> tuple[str, ...]:
        """How a matcher spells what this compound asks for."""
        tags = () if self.tag is None else (self.tag,)
        return (*tags, *("#" + name for name in self.ids), *("." + name for name in self.classes))


class Selector:
    """Compounds from right to left; ``combinators[i]`` stands between compound i and i + 1."""

    __slots__ = ("above", "combinators", "compounds", "is_local", "is_own", "specificity")

    def __init__(self, compounds: tuple[Compound, ...], combinators: tuple[str, ...], specificity: int) -> None:
        self.compounds = compounds
        self.combinators = combinators
        self.specificity = specificity
        # Local: tag, id and classes of the element decide alone.
        self.is_local = len(compounds) == 1 and not compounds[0].tests
        # Own: its tag and attributes do, so that elements alike in these need not be asked again.
        self.is_own = len(compounds) == 1 and compounds[0].is_own
        above: list[str] = []
        for compound, combinator in zip(compounds[1:], combinators, strict=False):  # :has() starts with one more
            if combinator not in " >":
                break  # from here on it is about siblings, or about their ancestors
            above += compound.names
        self.above = tuple(sorted(above))  # "#id" and ".class" come first, and are the likelier to be missing

    @property
    def is_vain(self) -> bool:
        """Whether it asks for what no element of a mail nobody has touched is: hovered, visited, ``::before``."""
        return any(pseudo_classes.never in compound.tests for compound in self.compounds)


class Scope(NamedTuple):
    """What a selector's text does not say: the document's mode, and the rule it is nested in."""

    quirks: bool
    parent: tuple[Selector, ...] | None = None


@remembered(entries=10_000)
def parse(text: str, scope: Scope) -> tuple[Selector, ...] | None:
    """A selector list, or None if any part of it is invalid, which drops the whole rule."""
    if len(text) > MAX_LENGTH or (("(" in text or "[" in text) and nesting(text) > MAX_NESTING):
        return None
    try:
        return selector_list(component_values(text), scope, nested=True)
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
    attribute: str | None = None
    is_own = True
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
            name, test = _attribute([t for t in token.content if t.type != "whitespace"])
            attribute = attribute or name
            tests.append(test)
        elif _is_literal(token, ":") and following is not None:
            position += 1
            if _is_literal(following, ":") and position + 1 < len(tokens):
                position += 1
                test, weight = pseudo_classes.element(tokens[position]), TYPE
            else:
                test, weight = pseudo_classes.parse(following, scope)
            is_own = is_own and test in pseudo_classes.OWN
            tests.append(test)
        elif _is_literal(token, "&"):
            test, weight = _parent_test(scope)
            is_own = False
            tests.append(test)
        else:
            raise SelectorError
        specificity += weight
        position += 1
    return Compound(tag, tuple(ids), tuple(classes), tuple(tests), attribute, is_own), specificity


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


def _attribute(tokens: Sequence[Any]) -> tuple[str, Test]:
    if not tokens or tokens[0].type != "ident":
        raise SelectorError
    name: str = tokens[0].lower_value
    if len(tokens) == 1:
        return name, lambda matcher, element: name in element.attributes
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

    return name, test


_OPERATORS: dict[str, Callable[[str, str], bool]] = {
    "=": lambda found, wanted: found == wanted,
    "~=": lambda found, wanted: bool(wanted) and wanted in found.split(),
    "|=": lambda found, wanted: found == wanted or found.startswith(wanted + "-"),
    "^=": lambda found, wanted: bool(wanted) and found.startswith(wanted),
    "$=": lambda found, wanted: bool(wanted) and found.endswith(wanted),
    "*=": lambda found, wanted: bool(wanted) and wanted in found,
}
