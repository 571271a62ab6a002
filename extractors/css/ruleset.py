"""The rules in force for a document, found by element.

A browser keeps its rules in buckets by the id, class or tag their selectors end in, so that an element
meets only rules that could match it; so does this. What is in those buckets for a given tag, class and
id is remembered, because mail repeats the same few combinations.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from extractors.css.declarations import EMPTY, Block, merged
from extractors.css.matcher import Matcher
from extractors.css.selectors import Selector
from extractors.css.stylesheet import StyleRule
from extractors.tree import Element

_LAST = 1 << 30  # rules outside any layer come after those of all layers
_UNLAYERED: tuple[int, ...] = (_LAST,)
_MAX_REMEMBERED = 20_000
_LONGEST = 500  # class attribute worth remembering


class Entry:
    """A rule waiting in a bucket."""

    __slots__ = ("rule", "selector", "weight")

    def __init__(self, layer: tuple[int, ...], order: int, selector: Selector, rule: StyleRule) -> None:
        # What decides between rules: layer, specificity, order.
        self.weight = (layer, selector.specificity, order)
        self.selector = selector
        self.rule = rule


class Candidates(NamedTuple):
    """The rules that could match elements of one tag, class and id."""

    sure: tuple[Entry, ...]  # no more to test
    block: Block  # of these
    unsure: tuple[Entry, ...]
    is_settled: bool  # the unsure look at the element's own attributes only


Key = tuple[str, str | None, str | None]  # an element's tag, class and id


class RuleSet:
    """The rules that apply to a document."""

    def __init__(self, rules: Iterable[StyleRule]) -> None:
        self._by_id: dict[str, list[Entry]] = {}
        self._by_class: dict[str, list[Entry]] = {}
        self._by_tag: dict[str, list[Entry]] = {}
        self.by_attribute: dict[str, list[Entry]] = {}
        self._universal: list[Entry] = []
        self._candidates: dict[Key, Candidates] = {}
        self._blocks: dict[tuple[Entry, ...], Block] = {}
        self._has_layers = False
        places: dict[tuple[str, ...], int] = {}  # layers are ordered by where they are first named
        for order, rule in enumerate(rules):
            layer = _UNLAYERED
            if rule.layer:
                self._has_layers = True
                path = (rule.layer[: depth + 1] for depth in range(len(rule.layer)))
                layer = (*(places.setdefault(name, len(places)) for name in path), _LAST)
            for selector in rule.selectors:
                if not selector.is_vain:
                    self._bucket(selector).append(Entry(layer, order, selector, rule))
        # Attributes that put elements to tests of more than their attributes.
        self.unsettling = frozenset(name for name, entries in self.by_attribute.items() if not _all_own(entries))

    def within(self, matcher: Matcher) -> RulesWithin:
        return RulesWithin(self, matcher)

    def key(self, element: Element) -> Key:
        """The tag, class and id of ``element``, as far as these rules tell them apart."""
        attributes = element.attributes
        return (
            element.tag,
            attributes.get("class") if self._by_class else None,
            attributes.get("id") if self._by_id else None,
        )

    def candidates(self, key: Key, element: Element) -> Candidates:
        """The rules for elements of one tag, class and id, of which ``element`` is one."""
        return self._candidates.get(key) or self._remember(key, element)

    def merged(self, entries: tuple[Entry, ...]) -> Block:
        """The declarations of rules, merged: one object for the same rules."""
        if not entries:
            return EMPTY
        block = self._blocks.get(entries)
        if block is None:
            if len(self._blocks) >= _MAX_REMEMBERED:
                self._blocks.clear()
            normal = sorted(entries, key=_weight)
            # Important declarations win in the opposite order of layers.
            important = sorted(entries, key=_important_weight) if self._has_layers else normal
            block = _merged(tuple(entry.rule.block for entry in normal), tuple(entry.rule.block for entry in important))
            self._blocks[entries] = block
        return block

    def _bucket(self, selector: Selector) -> list[Entry]:
        last = selector.compounds[0]
        if last.ids:
            return self._by_id.setdefault(last.ids[0], [])
        if last.classes:
            return self._by_class.setdefault(last.classes[0], [])
        if last.tag is not None:
            return self._by_tag.setdefault(last.tag, [])
        if last.attribute is not None:
            return self.by_attribute.setdefault(last.attribute, [])
        return self._universal

    def _remember(self, key: Key, element: Element) -> Candidates:
        if len(self._candidates) >= _MAX_REMEMBERED:
            self._candidates.clear()
        # SVG has camelCase names; a type selector matches them in any case.
        met = [*self._universal, *self._by_tag.get(element.tag.lower(), ())]
        for name in element.classes:
            met += self._by_class.get(name, ())
        met += self._by_id.get(element.identity, ())
        sure = tuple(e for e in met if e.selector.is_local and e.selector.compounds[0].admits(element))
        unsure = tuple(e for e in met if not e.selector.is_local)
        candidates = Candidates(sure, self.merged(sure), unsure, _all_own(unsure))
        if sum(len(name or "") for name in key) <= _LONGEST:
            self._candidates[key] = candidates
        return candidates


class RulesWithin:
    """A rule set within one document, where most of what a sheet has for other documents cannot match."""

    def __init__(self, rules: RuleSet, matcher: Matcher) -> None:
        self._rules = rules
        self._matcher = matcher
        self._candidates: dict[Key, Candidates] = {}
        self.attributes = rules.by_attribute.keys()  # those that make a difference

    def matching(self, element: Element) -> tuple[Block, bool]:
        """The declarations of all rules that match, merged: one object for the same rules.

        And whether these rules match all elements with the same tag and attributes.
        """
        rules = self._rules
        key = rules.key(element)
        sure, block, unsure, is_settled = self._candidates.get(key) or self._within(key, element)
        matches = self._matcher.matches
        found = [entry for entry in unsure if matches(entry.selector, element)] if unsure else []
        if not self.attributes.isdisjoint(element.attributes):
            for name in element.attributes:
                entries = rules.by_attribute.get(name, ())
                found += [entry for entry in entries if matches(entry.selector, element)]
            is_settled = is_settled and rules.unsettling.isdisjoint(element.attributes)
        return (rules.merged((*sure, *found)) if found else block), is_settled

    def always_matching(self, element: Element) -> Block | None:
        """The declarations that any element of this tag and these attributes gets, in any document.

        None where there is more to ask. Counts no trials, so that it may be remembered from one document to the next.
        """
        rules, attributes = self._rules, element.attributes
        sure, block, unsure, is_settled = rules.candidates(rules.key(element), element)
        if not is_settled or not rules.unsettling.isdisjoint(attributes):
            return None
        if not self.attributes.isdisjoint(attributes):
            unsure += tuple(entry for name in attributes for entry in rules.by_attribute.get(name, ()))
        found = [entry for entry in unsure if self._matcher.any((entry.selector,), element)]
        return rules.merged((*sure, *found)) if found else block

    def _within(self, key: Key, element: Element) -> Candidates:
        candidates = self._rules.candidates(key, element)
        if candidates.unsure:
            # Only selectors whose names all occur in the document can match in it.
            occurs = self._matcher.names.issuperset
            possible = tuple([entry for entry in candidates.unsure if occurs(entry.selector.above)])
            candidates = Candidates(candidates.sure, candidates.block, possible, _all_own(possible))
        self._candidates[key] = candidates
        return candidates


@lru_cache(maxsize=_MAX_REMEMBERED)
def _merged(normal: tuple[Block, ...], important: tuple[Block, ...]) -> Block:
    """One object for the same declarations, whichever sheets they stand in: documents then share styles."""
    return merged(normal, important) if len(normal) > 1 else normal[0]


def _all_own(entries: Iterable[Entry]) -> bool:
    return all(entry.selector.is_own for entry in entries)


def _weight(entry: Entry) -> tuple[tuple[int, ...], int, int]:
    return entry.weight


def _important_weight(entry: Entry) -> tuple[tuple[int, ...], int, int]:
    layer, specificity, order = entry.weight
    return tuple(-place for place in layer), specificity, order
