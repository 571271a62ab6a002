"""CSS with every address taken out: grey for ``url()``, no ``@import``, no fonts, no dark-mode variant.

Text without anything suspicious is returned as it is. The rest goes through a real tokenizer, because
``u\\72l(`` is an address as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

import tinycss2
from tinycss2.ast import Node
from tinycss2.serializer import serialize_identifier

_SUSPICIOUS = re.compile(
    r"url|\\|@import|@font-face|image|src|cross-fade|element|prefers-color-scheme|<", re.IGNORECASE
)
_DROPPED_RULES = frozenset({"import", "font-face", "namespace", "charset", "property"})
_ADDRESS_FUNCTIONS = frozenset({"url", "src", "image", "image-set", "-webkit-image-set", "cross-fade", "element"})
_GREY = "linear-gradient(#777b,#777b)"  # stands in for an image: white words on a photo are still read
_TAG = re.compile(r"<(?=[a-z/!?])", re.IGNORECASE)
_LONGEST = 120_000


def clean_css(css: str) -> str:
    """A style sheet without addresses, safe inside ``<style>``."""
    if len(css) > _LONGEST:
        return ""  # the tokenizer takes seconds a megabyte; such a sheet is not one person's email
    if not _SUSPICIOUS.search(css):
        return css
    try:
        rules = tinycss2.parse_stylesheet(css, skip_comments=True, skip_whitespace=True)
        kept = "\n".join(_rule(rule) for rule in rules)
    except RecursionError:
        return ""
    return _TAG.sub(r"\\3c ", kept)  # an escape in the source may have spelled one


@lru_cache(maxsize=4096)
def clean_declarations(style: str) -> str:
    """The value of a ``style`` attribute without addresses."""
    if not _SUSPICIOUS.search(style):
        return style
    try:
        return _text(tinycss2.parse_component_value_list(style, skip_comments=True))
    except RecursionError:
        return ""


def _rule(rule: Node) -> str:
    if rule.type == "qualified-rule":
        return f"{_text(rule.prelude)}{{{_text(rule.content)}}}"
    if rule.type == "at-rule" and rule.content is not None and _kept(rule):
        return f"@{serialize_identifier(rule.at_keyword)}{_text(rule.prelude)}{{{_text(rule.content)}}}"
    return ""


def _kept(rule: Node) -> bool:
    # The report shows emails as they were audited: light, at a desktop's width.
    dark = "prefers-color-scheme" in tinycss2.serialize(rule.prelude).lower()
    return rule.lower_at_keyword not in _DROPPED_RULES and not dark


def _text(tokens: Iterable[Node]) -> str:
    return "".join(_token(token) for token in tokens)


def _token(token: Node) -> str:
    if token.type == "error" or (token.type == "at-keyword" and token.lower_value in _DROPPED_RULES):
        return ""
    if token.type == "url":
        return _GREY
    if token.type == "function":
        if token.lower_name in _ADDRESS_FUNCTIONS:
            return _GREY
        return f"{serialize_identifier(token.name)}({_text(token.arguments)})"
    if token.type in ("() block", "[] block", "{} block"):
        return f"{token.type[0]}{_text(token.content)}{token.type[1]}"
    return str(token.serialize())
