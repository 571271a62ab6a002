"""From a declaration's text to the longhands it sets. Everything here is memoised: mail repeats itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from extractors.css.memory import remembered
from extractors.css.properties import INHERITED, LONGHANDS, PARSERS, WIDE_KEYWORDS, Inherit
from extractors.css.shorthands import ALIASES, LOGICAL, SHORTHANDS
from extractors.css.syntax import Rule, block_contents, declaration
from extractors.css.values import Deferred, tokens

Longhands = tuple[tuple[str, Any], ...]


class Substitution(Deferred):
    """A declaration with ``var()`` in it: parsed once the custom properties are known."""

    __slots__ = ("name", "text")

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text


UNSETTLED = frozenset((Inherit, Substitution))  # values that need the parent, or custom properties


class Block:
    """The declarations of one rule or style attribute, by longhand."""

    __slots__ = ("important", "looks_up", "normal")

    def __init__(self, normal: dict[str, Any], important: dict[str, Any]) -> None:
        self.normal = normal
        self.important = important
        # The values of the parent it asks for, besides those handed down anyway.
        self.looks_up = tuple(
            name
            for declared in (normal, important)
            for name, value in declared.items()
            if value.__class__ in UNSETTLED and name not in INHERITED
        )


EMPTY = Block({}, {})


def merged(normal: Iterable[Block], important: Iterable[Block]) -> Block:
    """Several blocks as one, the weakest first; importance may order them differently."""
    return Block(_later_wins(block.normal for block in normal), _later_wins(block.important for block in important))


def _later_wins(layers: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """A later declaration wins and moves to the end: logical and physical names are told apart by it."""
    result: dict[str, Any] = {}
    for layer in layers:
        for name, value in layer.items():
            result.pop(name, None)
            result[name] = value
    return result


@remembered(entries=20_000)
def declare(text: str, name: str, quirks: bool) -> Longhands:
    """The longhands set by ``name: text``; none of them if any part of it is invalid."""
    if name.startswith("--"):
        return ((name, WIDE_KEYWORDS.get(text.lower(), text)),)
    name = ALIASES.get(name, name)
    longhands = longhands_of(name)
    if not longhands:
        return ()
    if (wide := WIDE_KEYWORDS.get(text.lower())) is not None:
        return tuple((longhand, wide) for longhand in longhands)
    components = tokens(text)
    if not components:
        return ()
    if "var(" in text.lower():
        return tuple((longhand, Substitution(name, text)) for longhand in longhands)
    if name in SHORTHANDS:
        return SHORTHANDS[name].expand(components, quirks) or ()
    if name in LOGICAL:  # too young to have quirks
        value = PARSERS[LOGICAL[name][0]](components, False)
    else:
        value = PARSERS[name](components, quirks)
    return () if value is None else ((name, value),)


def longhands_of(name: str) -> tuple[str, ...]:
    if name in LONGHANDS or name in LOGICAL:
        return (name,)
    if name in SHORTHANDS:
        return SHORTHANDS[name].longhands
    return ()


class Contents(NamedTuple):
    """What stands between a rule's braces, or in a style attribute."""

    block: Block
    rules: tuple[Rule, ...]  # nested ones


@remembered(entries=20_000)
def contents(text: str, quirks: bool) -> Contents:
    normal: dict[str, Any] = {}
    important: dict[str, Any] = {}
    rules: list[Rule] = []
    for item in block_contents(text):
        if isinstance(item, Rule):
            rules.append(item)
            continue
        is_important, longhands = _declared(item, quirks)
        target = important if is_important else normal
        for longhand, value in longhands:
            target.pop(longhand, None)
            target[longhand] = value
    block = Block(normal, important) if normal or important else EMPTY
    return Contents(block, tuple(rules))


@remembered(entries=20_000)
def _declared(text: str, quirks: bool) -> tuple[bool, Longhands]:
    parsed = declaration(text)
    if parsed is None:
        return False, ()
    return parsed.important, declare(parsed.value, parsed.name, quirks)
