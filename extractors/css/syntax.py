"""Splitting CSS text into rules and declarations.

tinycss2 tokenises about 1 MB a second, which would be most of the time spent on an email, so it sees
only the small texts whose result is memoised (one selector list, one value). The structure around
them (which ``;`` and ``}`` ends what) is found here by one linear regular expression, following
CSS Syntax Level 3 with nesting, including its error recovery: an unclosed string ends at the line,
a stray ``}`` spoils the next rule, the end of the text closes everything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import tinycss2

MAX_LENGTH = 200_000  # of one value or selector list; pictures in data: addresses are the longest real ones
MAX_NESTING = 32  # brackets in brackets; real mail stays below 6, and parsers further down recurse


class Declaration(NamedTuple):
    name: str
    value: str
    important: bool


class Rule(NamedTuple):
    """A qualified rule (``name`` empty) or an at-rule. ``block`` is None for ``@import x;``."""

    name: str
    prelude: str
    block: str | None


_MARK = re.compile(
    r"""/\*(?:[^*]|\*(?!/))*+(?:\*/)?
    | "(?:[^"\\\n\r\f]|\\(?:\r\n|[\s\S]|$))*+"?
    | '(?:[^'\\\n\r\f]|\\(?:\r\n|[\s\S]|$))*+'?
    | (?<![\w\\-])[uU][rR][lL]\((?!\s*["'])(?:[^)\\]|\\[\s\S]|\\$)*+\)?
    | \\[\s\S]
    | [][(){};]""",
    re.VERBOSE,
)
# What most sheets and attributes consist of, read without looking at each mark: text whose strings and
# parentheses are closed and hide no structure.
_CLOSED = r"""(?:\((?:[^]()[{}"'\\;/]|/(?!\*))*+\)|"[^"\\\n\r\f;{}]*+"|'[^'\\\n\r\f;{}]*+'|/(?!\*))"""
_FLAT = re.compile(rf"""[^](){{}}["'\\@/]*+(?:{_CLOSED}[^](){{}}["'\\@/]*+)*+""")
_PLAIN_RULE = re.compile(rf"""([^](){{}}["'\\@/;<]*+)\{{([^](){{}}["'\\@/]*+(?:{_CLOSED}[^](){{}}["'\\@/]*+)*+)\}}""")
_PAIR = {"(": ")", "[": "]", "{": "}"}
_LEADING = re.compile(r"(?:\s+|;|/\*(?:[^*]|\*(?!/))*+(?:\*/)?)*+")
_LEADING_TOP = re.compile(r"(?:\s+|<!--|-->|/\*(?:[^*]|\*(?!/))*+(?:\*/)?)*+")
_NAME = re.compile(r"(-?[a-zA-Z_][\w-]*|--[\w-]+)(?:\s|/\*.*?\*/)*:", re.DOTALL)
# An @ that no name follows is just a character of a prelude.
_AT = re.compile(r"@((?:--|-?(?:[a-zA-Z_]|[^\x00-\x7f]|\\[^\n\r\f]))(?:[\w-]|[^\x00-\x7f]|\\[^\n\r\f])*)")
_IMPORTANT = re.compile(r"!(?:\s|/\*.*?\*/)*important(?:\s|/\*.*?\*/)*$", re.IGNORECASE | re.DOTALL)


def stylesheet(text: str) -> list[Rule]:
    """The rules of a style sheet, or of the block of a top-level ``@media``."""
    rules = []
    for start, stop, block in _items(text, nested=False):
        if block is None and _AT.match(text, start) is None:
            continue  # the end of the text, met before a block
        rules.append(_rule(text, start, stop, block))
    return rules


def block_contents(text: str) -> list[str | Rule]:
    """The declarations (as text) and nested rules of a style attribute or of a rule's block."""
    if _FLAT.fullmatch(text) is not None:
        return text.split(";")  # type: ignore[return-value]  # a list of str is one of str and rules
    items: list[str | Rule] = []
    for start, stop, block in _items(text, nested=True):
        if block is not None or _AT.match(text, start) is not None:
            items.append(_rule(text, start, stop, block))
        else:
            items.append(text[start:stop])
    return items


def _rule(text: str, start: int, stop: int, block: str | None) -> Rule:
    at = _AT.match(text, start, stop)
    if at:
        return Rule(at[1].lower(), text[at.end() : stop].strip(), block)
    return Rule("", text[start:stop].strip(), block)


def declaration(text: str) -> Declaration | None:
    """``name: value``, with or without ``!important``; None if it is not one."""
    text = text.lstrip()
    name = _NAME.match(text)
    if name is None:
        return _escaped_declaration(text) if "\\" in text else None
    value = text[name.end() :].strip()
    important = False
    if value.endswith(("t", "T", "/")) and (mark := _IMPORTANT.search(value)):
        value, important = value[: mark.start()].rstrip(), True
    key = name[1]
    return Declaration(key if key.startswith("--") else key.lower(), value, important)


def _escaped_declaration(text: str) -> Declaration | None:
    """``co\\6c or: red``: rare enough to be left to the tokenizer."""
    if nesting(text) > MAX_NESTING:
        return None
    parsed = tinycss2.parse_one_declaration(text, skip_comments=True)
    if parsed.type != "declaration":
        return None
    return Declaration(parsed.lower_name, tinycss2.serialize(parsed.value).strip(), parsed.important)


def _items(text: str, nested: bool) -> Iterator[tuple[int, int, str | None]]:
    """Spans of prelude or declaration, each with the text of its ``{}`` block if it has one.

    At the top level only ``{`` ends a qualified rule's prelude; among declarations ``;`` does too.
    """
    leading = _LEADING if nested else _LEADING_TOP
    position = 0
    while True:
        position = leading.match(text, position).end()  # type: ignore[union-attr]  # it matches nothing, too
        if position >= len(text):
            return
        plain = None if nested else _PLAIN_RULE.match(text, position)
        if plain is not None:
            yield position, plain.end(1), plain[2]
            position = plain.end()
            continue
        stop, block_stop, end = _item_end(text, position, nested or _AT.match(text, position) is not None)
        yield position, stop, None if block_stop is None else text[stop + 1 : block_stop]
        position = end


def _item_end(text: str, start: int, semicolon_ends: bool) -> tuple[int, int | None, int]:
    """Where the prelude or declaration at ``start`` ends, where its block ends, and where to go on."""
    closers: list[str] = []
    block: int | None = None
    for mark in _MARK.finditer(text, start):
        character = mark[0]
        if closers:
            if character == closers[-1]:
                closers.pop()
                if block is not None and not closers:
                    return block, mark.start(), mark.end()
            elif character in _PAIR:
                closers.append(_PAIR[character])
        elif character in _PAIR:
            closers.append(_PAIR[character])
            if character == "{":
                block = mark.start()
        elif character == ";" and semicolon_ends:
            return mark.start(), None, mark.end()
    if block is not None:
        return block, len(text), len(text)
    return len(text), None, len(text)


def nesting(text: str) -> int:
    """How deep brackets nest in ``text``."""
    depth = deepest = 0
    for mark in _MARK.finditer(text):
        if mark[0] in _PAIR:
            depth += 1
            deepest = max(deepest, depth)
        elif mark[0] in (")", "]", "}"):
            depth = max(0, depth - 1)
    return deepest
