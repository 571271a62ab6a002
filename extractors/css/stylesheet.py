"""Style sheets: from the text of ``<style>`` to style rules, each with the conditions it stands under."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count, islice
from typing import NamedTuple

from extractors.css import media, selectors
from extractors.css.declarations import Block, contents
from extractors.css.memory import remembered
from extractors.css.selectors import Scope, Selector
from extractors.css.syntax import Rule, stylesheet

_anonymous = count()
_MAX_DEPTH = 8  # rules within rules
_MAX_RULES = 20_000  # of one sheet; real ones have hundreds


class Context(NamedTuple):
    """Where in the sheet a rule stands."""

    scope: Scope
    width: float  # of the viewport
    layer: tuple[str, ...] = ()  # names of the cascade layers around it
    depth: int = 0


class StyleRule:
    """A rule without selectors only marks where its layer was first named.

    Most rules of a sheet match nothing in a given mail: what one declares is read when it is first asked for.
    """

    __slots__ = ("_block", "_quirks", "_text", "layer", "selectors")

    def __init__(self, selectors: tuple[Selector, ...], layer: tuple[str, ...], text: str, quirks: bool) -> None:
        self.selectors = selectors
        self.layer = layer
        self._text = text
        self._quirks = quirks
        self._block: Block | None = None

    @property
    def block(self) -> Block:
        if self._block is None:
            self._block = contents(self._text, self._quirks).block
        return self._block


@remembered(entries=256, longest=200_000)
def parse(text: str, width: float, quirks: bool) -> tuple[StyleRule, ...]:
    """The rules that apply to a viewport of ``width`` pixels."""
    return tuple(islice(_rules(stylesheet(text), Context(Scope(quirks), width)), _MAX_RULES))


def _rules(items: Sequence[Rule], context: Context) -> Iterator[StyleRule]:
    if context.depth > _MAX_DEPTH:
        return
    inside = context._replace(depth=context.depth + 1)
    for item in items:
        if item.name == "layer":
            yield from _layers(item, inside)
        elif item.block is None:
            continue  # @import included: nothing is fetched
        elif item.name in ("media", "supports"):
            # Half of a mail's rules are for telephones: where they do not apply they are not even read.
            if media.media(item.prelude, context.width) if item.name == "media" else media.supports(item.prelude):
                yield from _group(item.block, inside)
        elif item.name == "" and item.prelude:
            parsed = selectors.parse(item.prelude, context.scope)
            if parsed is not None:
                yield from _style_rule(item.block, inside._replace(scope=context.scope._replace(parent=parsed)))


def _group(text: str, context: Context) -> Iterator[StyleRule]:
    """The block of a conditional rule: rules at the top level, declarations too within a style rule."""
    if context.scope.parent is None:
        yield from _rules(stylesheet(text), context)
    else:
        yield from _style_rule(text, context)


def _style_rule(text: str, context: Context) -> Iterator[StyleRule]:
    scope = context.scope
    if scope.parent is not None:
        yield StyleRule(scope.parent, context.layer, text, scope.quirks)
    if "{" in text or "@" in text:
        yield from _rules(contents(text, scope.quirks).rules, context)


def _layers(rule: Rule, context: Context) -> Iterator[StyleRule]:
    """``@layer a, b;`` orders layers; ``@layer a { … }`` fills one; ``@layer { … }`` one without a name."""
    names = [tuple(name.strip().split(".")) for name in rule.prelude.split(",")] if rule.prelude else []
    if rule.block is not None and not names:
        names = [(f" {next(_anonymous)}",)]
    for name in names:
        yield StyleRule((), (*context.layer, *name), "", context.scope.quirks)
    if rule.block is not None and len(names) == 1:
        yield from _group(rule.block, context._replace(layer=(*context.layer, *names[0])))
