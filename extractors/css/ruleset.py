"""The rules in force for a document, found by element."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from extractors.css import media
from extractors.css.declarations import Block
from extractors.css.selectors import Matcher, Selector
from extractors.css.stylesheet import StyleRule
from extractors.tree import Element

_LAST = 1 << 30  # rules outside any layer come after those of all layers


class Entry(NamedTuple):
    """A rule waiting in a bucket."""

    weight: tuple[tuple[int, ...], int, int]  # what decides between rules: layer, specificity, order
    selector: Selector
    block: Block


class RuleSet:
    """The rules that apply at one viewport width, in buckets by what their selectors end in."""

    def __init__(self, rules: Iterable[StyleRule], width: float) -> None:
        self.by_id: dict[str, list[Entry]] = {}
        self.by_class: dict[str, list[Entry]] = {}
        self.by_tag: dict[str, list[Entry]] = {}
        self.universal: list[Entry] = []
        self.has_layers = False
        places: dict[tuple[str, ...], int] = {}  # layers are ordered by where they are first named
        for order, rule in enumerate(rules):
            if not all(_holds(kind, text, width) for kind, text in rule.conditions):
                continue
            self.has_layers = self.has_layers or bool(rule.layer)
            path = (rule.layer[: depth + 1] for depth in range(len(rule.layer)))
            layer = (*(places.setdefault(name, len(places)) for name in path), _LAST)
            for selector in rule.selectors:
                self._bucket(selector).append(Entry((layer, selector.specificity, order), selector, rule.block))

    def _bucket(self, selector: Selector) -> list[Entry]:
        last = selector.compounds[0]
        if last.ids:
            return self.by_id.setdefault(last.ids[0], [])
        if last.classes:
            return self.by_class.setdefault(last.classes[0], [])
        if last.tag is not None:
            return self.by_tag.setdefault(last.tag, [])
        return self.universal

    def matching(self, matcher: Matcher, element: Element) -> list[Entry]:
        """The entries that match, weakest first."""
        # SVG has camelCase names; a type selector matches them in any case.
        tag = element.tag if element.namespace == "html" else element.tag.lower()
        candidates = [*self.universal, *self.by_tag.get(tag, ())]
        if self.by_class:
            for name in element.classes:
                if name in self.by_class:
                    candidates += self.by_class[name]
        if self.by_id and "id" in element.attributes:
            identity = element.attributes["id"]
            candidates += self.by_id.get(identity.lower() if matcher.quirks else identity, ())
        found = [c for c in candidates if c.selector.is_simple or matcher.matches(c.selector, element)]
        if len(found) > 1:
            found.sort(key=_weight)
        return found

    def important(self, found: list[Entry]) -> list[Entry]:
        """The same entries in the order of their important declarations: layers count backwards there."""
        if not self.has_layers:
            return found
        return sorted(found, key=lambda entry: (tuple(-place for place in entry.weight[0]), *entry.weight[1:]))


def _weight(entry: Entry) -> tuple[tuple[int, ...], int, int]:
    return entry.weight


def _holds(kind: str, text: str, width: float) -> bool:
    return media.media(text, width) if kind == "media" else media.supports(text)
