"""Pseudo-classes and pseudo-elements, as they stand in a mail nobody has touched yet."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import tinycss2.nth

from extractors.css import selectors

if TYPE_CHECKING:
    from extractors.css.matcher import Matcher
    from extractors.css.selectors import Scope, Selector, Test
    from extractors.tree import Element

# Valid, but nothing is hovered, visited or focused in a static mail.
_NEVER_NAMES = """
    visited hover active focus focus-visible focus-within target playing fullscreen modal
    popover-open autofill -webkit-autofill user-invalid user-valid indeterminate -webkit-drag
    default paused invalid out-of-range -webkit-full-screen picture-in-picture target-within open
"""
_NEVER = frozenset(_NEVER_NAMES.split())
_PSEUDO_ELEMENTS_NAMES = """
    before after first-line first-letter selection placeholder marker backdrop cue
    file-selector-button grammar-error spelling-error target-text view-transition details-content
"""
_PSEUDO_ELEMENTS = frozenset(_PSEUDO_ELEMENTS_NAMES.split())
_FIELDS = frozenset(("input", "button", "select", "textarea", "option", "optgroup", "fieldset"))


def element(token: Any) -> Test:
    """``::before`` and its kin: valid, but no element is one."""
    if token.type not in ("ident", "function"):
        raise selectors.SelectorError
    name = token.lower_value if token.type == "ident" else token.lower_name
    functional = name in ("part", "slotted", "highlight", "cue") or name.startswith("view-transition-")
    if token.type == "function" and not functional:
        raise selectors.SelectorError
    if token.type == "ident" and name not in _PSEUDO_ELEMENTS and not name.startswith("-webkit-"):
        raise selectors.SelectorError
    return never


def parse(token: Any, scope: Scope) -> tuple[Test, int]:
    """The test and the specificity of ``:token``."""
    if token.type == "ident":
        return _plain(token.lower_value)
    if token.type == "function":
        return _functional(token.lower_name, token.arguments, scope)
    raise selectors.SelectorError


def _plain(name: str) -> tuple[Test, int]:
    if name in ("before", "after", "first-line", "first-letter"):
        return never, selectors.TYPE
    if name in _NEVER:
        return never, selectors.CLASS
    test = _TESTS.get(name)
    if test is None:
        raise selectors.SelectorError
    return test, selectors.CLASS


def never(matcher: Matcher, element: Element) -> bool:
    """The test of what no element is."""
    return False


def _functional(name: str, arguments: Sequence[Any], scope: Scope) -> tuple[Test, int]:
    if name in ("is", "where", "-webkit-any"):
        return _is(arguments, scope, counts=name != "where")
    if name == "not":
        inner = selectors.selector_list(arguments, scope)
        return (lambda m, e: not m.any(inner, e)), max(s.specificity for s in inner)
    if name == "has":
        return _has(selectors.selector_list(arguments, scope, relative=True))
    if name in ("nth-child", "nth-last-child", "nth-of-type", "nth-last-of-type"):
        return _nth(name, arguments, scope)
    if name in ("lang", "dir"):
        return _lang_or_dir(name, arguments)
    raise selectors.SelectorError


def _is(arguments: Sequence[Any], scope: Scope, counts: bool) -> tuple[Test, int]:
    """``:is()`` forgives: its invalid branches are left out."""
    branches: list[Selector] = []
    part: list[Any] = []
    for token in [*arguments, None]:
        if token is not None and not (token.type == "literal" and token.value == ","):
            part.append(token)
            continue
        with contextlib.suppress(selectors.SelectorError):
            branches += selectors.selector_list(part, scope)
        part = []
    specificity = max((s.specificity for s in branches), default=0) if counts else 0
    return (lambda m, e: m.any(branches, e)), specificity


def _has(inner: Sequence[Selector]) -> tuple[Test, int]:
    return (lambda m, e: any(m.has(selector, e) for selector in inner)), max(s.specificity for s in inner)


def _nth(name: str, arguments: Sequence[Any], scope: Scope) -> tuple[Test, int]:
    formula, of = list(arguments), None
    for position, token in enumerate(formula):
        if token.type == "ident" and token.lower_value == "of":
            of = selectors.selector_list(formula[position + 1 :], scope)
            formula = formula[:position]
            break
    parsed = tinycss2.nth.parse_nth(formula)
    if parsed is None or (of is not None and name.endswith("type")):
        raise selectors.SelectorError
    step, offset = int(parsed[0]), int(parsed[1])

    def test(matcher: Matcher, element: Element) -> bool:
        place = _place(matcher, element, name, of)
        if not place:
            return False
        if step == 0:
            return place == offset
        return (place - offset) % step == 0 and (place - offset) // step >= 0

    extra = max((s.specificity for s in of), default=0) if of else 0
    return test, selectors.CLASS + extra


def _place(matcher: Matcher, element: Element, name: str, of: tuple[Selector, ...] | None) -> int:
    """The element's place, from 1, among the siblings that count; 0 if it does not count itself."""
    if name.endswith("of-type"):
        place, total = matcher.place(element, element.tag)
    elif of is not None:
        place, total = matcher.place(element, of)
    else:
        place, total = element.place, len(matcher.siblings(element))
    if place is None:
        return 0
    return total - place if "last" in name else place + 1


def _lang_or_dir(name: str, arguments: Sequence[Any]) -> tuple[Test, int]:
    words: list[str] = [t.value.lower() for t in arguments if t.type in ("ident", "string")]
    if not words:
        raise selectors.SelectorError

    def test(matcher: Matcher, element: Element) -> bool:
        found = _inherited(matcher, element, name) or ("ltr" if name == "dir" else "")
        if name == "dir":
            return found == words[0]
        return any(found == word or found.startswith(word + "-") for word in words)

    return test, selectors.CLASS


def _inherited(matcher: Matcher, element: Element | None, attribute: str) -> str:
    while element is not None:
        if attribute in element.attributes:
            return element.attributes[attribute].lower()
        element = matcher.parent(element)
    return ""


def _first(matcher: Matcher, element: Element) -> bool:
    return element.place == 0


def _last(matcher: Matcher, element: Element) -> bool:
    return matcher.siblings(element)[-1] == element.index


def _of_type(name: str) -> Test:
    return lambda m, e: _place(m, e, name, None) == 1


def _is_link(matcher: Matcher, element: Element) -> bool:
    return element.tag in ("a", "area") and "href" in element.attributes


def _is_empty(matcher: Matcher, element: Element) -> bool:
    return all(item == "" for item in element.contents)


def _has_attribute(name: str, tags: frozenset[str]) -> Callable[[Matcher, Element], bool]:
    return lambda m, e: e.tag in tags and name in e.attributes


def _lacks_attribute(name: str, tags: frozenset[str]) -> Callable[[Matcher, Element], bool]:
    return lambda m, e: e.tag in tags and name not in e.attributes


def _is_disabled(matcher: Matcher, element: Element) -> bool:
    """Disabled itself, or within a disabled fieldset (its legend apart)."""
    if element.tag not in _FIELDS or "disabled" in element.attributes:
        return element.tag in _FIELDS
    below = element
    while (above := matcher.parent(below)) is not None:
        if above.tag == "fieldset" and "disabled" in above.attributes and below.tag != "legend":
            return element.tag not in ("option", "optgroup")
        below = above
    return False


def _is_checked(matcher: Matcher, element: Element) -> bool:
    if element.tag == "option":
        return "selected" in element.attributes
    kind = element.attributes.get("type", "").lower()
    return element.tag == "input" and kind in ("checkbox", "radio") and "checked" in element.attributes


def _is_editable(matcher: Matcher, element: Element) -> bool:
    if re.fullmatch(r"|true|plaintext-only", _inherited(matcher, element, "contenteditable") or "false"):
        return True
    kind = element.attributes.get("type", "text").lower()
    typed = element.tag == "textarea" or (
        element.tag == "input"
        and kind not in ("hidden", "range", "color", "checkbox", "radio", "file", "submit", "image", "reset", "button")
    )
    return typed and not {"readonly", "disabled"} & element.attributes.keys()


_REQUIRABLE = frozenset(("input", "select", "textarea"))
_TESTS: dict[str, Test] = {
    "link": _is_link,
    "any-link": _is_link,
    "-webkit-any-link": _is_link,
    "root": lambda m, e: e.parent is None,
    "scope": lambda m, e: e.parent is None,
    "first-child": _first,
    "last-child": _last,
    "only-child": lambda m, e: len(m.siblings(e)) == 1,
    "first-of-type": _of_type("nth-of-type"),
    "last-of-type": _of_type("nth-last-of-type"),
    "only-of-type": lambda m, e: _of_type("nth-of-type")(m, e) and _of_type("nth-last-of-type")(m, e),
    "empty": _is_empty,
    "enabled": lambda m, e: e.tag in _FIELDS and not _is_disabled(m, e),
    "disabled": _is_disabled,
    "required": _has_attribute("required", _REQUIRABLE),
    "optional": _lacks_attribute("required", _REQUIRABLE),
    "checked": _is_checked,
    "read-write": _is_editable,
    "read-only": lambda m, e: not _is_editable(m, e),
    "placeholder-shown": lambda m, e: (
        e.tag in ("input", "textarea") and "placeholder" in e.attributes and not e.attributes.get("value")
    ),
    "valid": lambda m, e: e.tag in _FIELDS or e.tag == "form",
    "in-range": never,
    "defined": lambda m, e: "-" not in e.tag,
}
# Those that read nothing but the element's own tag and attributes.
OWN = frozenset((never, _is_link, _is_checked))
