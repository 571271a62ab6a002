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
_PAIR = {"(": ")", "[": "]", "{": "}"}
_LEADING = re.compile(r"(?:\s+|;|/\*(?:[^*]|\*(?!/))*+(?:\*/)?)*+")
_LEADING_TOP = re.compile(r"(?:\s+|<!--|-->|/\*(?:[^*]|\*(?!/))*+(?:\*/)?)*+")
_NAME = re.compile(r"(-?[a-zA-Z_][\w-]*|--[\w-]+)(?:\s|/\*.*?\*/)*:", re.DOTALL)
_AT = re.compile(r"@(-?[a-zA-Z_][\w-]*)")
_IMPORTANT = re.compile(r"!(?:\s|/\*.*?\*/)*important(?:\s|/\*.*?\*/)*$", re.IGNORECASE | re.DOTALL)


def stylesheet(text: str) -> list[Rule]:
    """The rules of a style sheet, or of the block of a top-level ``@media``."""
    rules = []
    for start, stop, block in _items(text, nested=False):
        if block is None and text[start] != "@":
            continue  # the end of the text, met before a block
        rules.append(_rule(text, start, stop, block))
    return rules


def block_contents(text: str) -> list[Declaration | Rule]:
    """The declarations, and nested rules, of a style attribute or of a rule's block."""
    items: list[Declaration | Rule] = []
    for start, stop, block in _items(text, nested=True):
        if block is not None or text[start] == "@":
            items.append(_rule(text, start, stop, block))
        elif (declaration := _declaration(text[start:stop])) is not None:
            items.append(declaration)
    return items


def _rule(text: str, start: int, stop: int, block: str | None) -> Rule:
    at = _AT.match(text, start, stop)
    if at:
        return Rule(at[1].lower(), text[at.end() : stop].strip(), block)
    return Rule("", text[start:stop].strip(), block)


def _declaration(text: str) -> Declaration | None:
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
    marks = _MARK.finditer(text)
    start = leading.match(text).end()  # type: ignore[union-attr]  # it matches the empty string too
    at_rule = text.startswith("@", start)
    block_start = 0
    closers: list[str] = []
    for mark in marks:
        position = mark.start()
        if position < start:
            continue
        character = mark[0]
        if closers:
            if character == closers[-1]:
                closers.pop()
                if block_start and not closers:
                    yield start, block_start - 1, text[block_start:position]
                    start = leading.match(text, position + 1).end()  # type: ignore[union-attr]
                    at_rule, block_start = text.startswith("@", start), 0
            elif character in _PAIR:
                closers.append(_PAIR[character])
            continue
        if character == "{":
            block_start = position + 1
            closers.append("}")
        elif character in _PAIR:
            closers.append(_PAIR[character])
        elif character == ";" and (nested or at_rule):
            yield start, position, None
            start = leading.match(text, position + 1).end()  # type: ignore[union-attr]
            at_rule = text.startswith("@", start)
    if block_start:
        yield start, block_start - 1, text[block_start:]
    elif start < len(text):
        yield start, len(text), None


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
