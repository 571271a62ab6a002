"""Style sheets: from the text of ``<style>`` to rules that can be looked up by element."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from extractors.css import media, selectors
from extractors.css.declarations import EMPTY, Block, block
from extractors.css.selectors import Matcher, Selector
from extractors.css.syntax import MAX_NESTING, Declaration, Rule, block_contents, stylesheet
from extractors.tree import Element


class StyleRule(NamedTuple):
    selectors: tuple[Selector, ...]
    block: Block
    conditions: tuple[tuple[str, str], ...]  # ("media" | "supports", text), outermost first


class Entry(NamedTuple):
    """A rule as it waits in a bucket. It sorts by what decides between rules: specificity, then order."""

    specificity: int
    order: int
    selector: Selector
    block: Block


@lru_cache(maxsize=256)
def parse(text: str, quirks: bool) -> tuple[StyleRule, ...]:
    return tuple(_rules(stylesheet(text), quirks, "", (), 0))


def _rules(
    items: Sequence[Declaration | Rule],
    quirks: bool,
    parent: str,
    conditions: tuple[tuple[str, str], ...],
    depth: int,
) -> Iterator[StyleRule]:
    """The style rules among ``items``; ``parent`` is the selector list they are nested in, if any."""
    if depth > MAX_NESTING:
        return
    for item in items:
        if isinstance(item, Declaration) or item.block is None:
            continue  # @import included: nothing is fetched
        if item.name in ("media", "supports"):
            inner = (*conditions, (item.name, item.prelude))
            if parent:
                yield from _style_rule(parent, item.block, quirks, inner, depth)
            else:
                yield from _rules(stylesheet(item.block), quirks, parent, inner, depth + 1)
        elif item.name in ("layer", "scope", "starting-style") and not parent and item.name == "layer":
            yield from _rules(stylesheet(item.block), quirks, parent, conditions, depth + 1)
        elif item.name == "":
            yield from _style_rule(nested(item.prelude, parent), item.block, quirks, conditions, depth)


def _style_rule(
    prelude: str, text: str, quirks: bool, conditions: tuple[tuple[str, str], ...], depth: int
) -> Iterator[StyleRule]:
    parsed = selectors.parse(prelude, quirks)
    if parsed is None:
        return
    contents = block_contents(text)
    declared = block(contents, quirks)
    if declared is not EMPTY:
        yield StyleRule(parsed, declared, conditions)
    if any(isinstance(item, Rule) for item in contents):
        yield from _rules(contents, quirks, prelude, conditions, depth + 1)


def nested(prelude: str, parent: str) -> str:
    """A nested rule's selector, spelled out: ``&`` is the parent, and descendants are implied."""
    if not parent:
        return prelude
    if "&" in prelude:
        return prelude.replace("&", f":is({parent})")
    return ", ".join(f":is({parent}) {part.strip()}" for part in prelude.split(","))


class RuleSet:
    """The rules that apply at one viewport width, in buckets by what their selectors end in."""

    def __init__(self, rules: Iterator[StyleRule], width: float) -> None:
        self.by_id: dict[str, list[Entry]] = {}
        self.by_class: dict[str, list[Entry]] = {}
        self.by_tag: dict[str, list[Entry]] = {}
        self.universal: list[Entry] = []
        for order, rule in enumerate(rules):
            if all(_holds(kind, text, width) for kind, text in rule.conditions):
                for selector in rule.selectors:
                    self._bucket(selector).append(Entry(selector.specificity, order, selector, rule.block))

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


def _weight(entry: Entry) -> tuple[int, int]:
    return entry.specificity, entry.order


def _holds(kind: str, text: str, width: float) -> bool:
    return media.media(text, width) if kind == "media" else media.supports(text)
