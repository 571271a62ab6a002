"""The rules in force for a document, found by element.

A browser keeps its rules in buckets by the id, class or tag their selectors end in, so that an element
meets only rules that could match it; so does this. What is in those buckets for a given tag, class and
id is remembered, because mail repeats the same few combinations.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from extractors.css import media
from extractors.css.declarations import Block
from extractors.css.selectors import Matcher, Selector
from extractors.css.stylesheet import StyleRule
from extractors.tree import Element

_LAST = 1 << 30  # rules outside any layer come after those of all layers
_UNLAYERED = (_LAST,)
_MAX_REMEMBERED = 20_000


class Entry:
    """A rule waiting in a bucket."""

    __slots__ = ("block", "selector", "weight")

    def __init__(self, layer: tuple[int, ...], order: int, selector: Selector, block: Block) -> None:
        # What decides between rules: layer, specificity, order.
        self.weight = (layer, selector.specificity, order)
        self.selector = selector
        self.block = block


class Candidates(NamedTuple):
    """The rules that could match elements of one tag, class and id."""

    sure: tuple[Entry, ...]  # no more to test; weakest first
    unsure: tuple[Entry, ...]


class RuleSet:
    """The rules that apply at one viewport width."""

    def __init__(self, rules: Iterable[StyleRule], width: float) -> None:
        self._by_id: dict[str, list[Entry]] = {}
        self._by_class: dict[str, list[Entry]] = {}
        self._by_tag: dict[str, list[Entry]] = {}
        self._by_attribute: dict[str, list[Entry]] = {}
        self._universal: list[Entry] = []
        self._candidates: dict[tuple[str, str, str], Candidates] = {}
        self._has_layers = False
        places: dict[tuple[str, ...], int] = {}  # layers are ordered by where they are first named
        for order, rule in enumerate(rules):
            if rule.conditions and not all(_holds(kind, text, width) for kind, text in rule.conditions):
                continue
            layer = _UNLAYERED
            if rule.layer:
                self._has_layers = True
                path = (rule.layer[: depth + 1] for depth in range(len(rule.layer)))
                layer = (*(places.setdefault(name, len(places)) for name in path), _LAST)
            for selector in rule.selectors:
                self._bucket(selector).append(Entry(layer, order, selector, rule.block))

    def matching(self, matcher: Matcher, element: Element) -> tuple[Entry, ...]:
        """The entries that match, weakest first."""
        attributes = element.attributes
        key = (element.tag, attributes.get("class", ""), element.identity)
        candidates = self._candidates.get(key)
        if candidates is None:
            candidates = self._remember(key, element)
        found = [entry for entry in candidates.unsure if matcher.matches(entry.selector, element)]
        if attributes and not self._by_attribute.keys().isdisjoint(attributes):
            for name in attributes:
                if name in self._by_attribute:
                    found += [e for e in self._by_attribute[name] if matcher.matches(e.selector, element)]
        if not found:
            return candidates.sure
        found += candidates.sure
        found.sort(key=_weight)
        return tuple(found)

    def important(self, found: tuple[Entry, ...]) -> Iterable[Entry]:
        """The same entries in the order of their important declarations: layers count backwards there."""
        if not self._has_layers:
            return found
        return sorted(found, key=lambda entry: (tuple(-place for place in entry.weight[0]), *entry.weight[1:]))

    def _bucket(self, selector: Selector) -> list[Entry]:
        last = selector.compounds[0]
        if last.ids:
            return self._by_id.setdefault(last.ids[0], [])
        if last.classes:
            return self._by_class.setdefault(last.classes[0], [])
        if last.tag is not None:
            return self._by_tag.setdefault(last.tag, [])
        if last.attribute is not None:
            return self._by_attribute.setdefault(last.attribute, [])
        return self._universal

    def _remember(self, key: tuple[str, str, str], element: Element) -> Candidates:
        if len(self._candidates) >= _MAX_REMEMBERED:
            self._candidates.clear()
        # SVG has camelCase names; a type selector matches them in any case.
        met = [*self._universal, *self._by_tag.get(element.tag.lower(), ())]
        for name in element.classes:
            met += self._by_class.get(name, ())
        met += self._by_id.get(element.identity, ())
        sure = sorted((e for e in met if e.selector.is_local and e.selector.compounds[0].admits(element)), key=_weight)
        candidates = Candidates(tuple(sure), tuple(e for e in met if not e.selector.is_local))
        self._candidates[key] = candidates
        return candidates


def _weight(entry: Entry) -> tuple[tuple[int, ...], int, int]:
    return entry.weight


def _holds(kind: str, text: str, width: float) -> bool:
    return media.media(text, width) if kind == "media" else media.supports(text)
