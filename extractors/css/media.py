"""``@media`` and ``@supports``, answered for a mail shown on a screen of a given width."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tinycss2

from extractors.css import declarations, selectors
from extractors.css.lengths import ABSOLUTE
from extractors.css.memory import remembered
from extractors.css.supported import PROPERTIES
from extractors.css.syntax import MAX_LENGTH, MAX_NESTING, nesting
from extractors.css.tokens import component_values
from extractors.css.values import HEIGHT, split_commas

_PREFERENCES = {
    "prefers-color-scheme": "light",
    "prefers-reduced-motion": "no-preference",
    "prefers-reduced-transparency": "no-preference",
    "prefers-contrast": "no-preference",
    "prefers-reduced-data": "no-preference",
    "forced-colors": "none",
    "inverted-colors": "none",
    "hover": "none",
    "any-hover": "none",
    "pointer": "none",
    "any-pointer": "none",
    "scripting": "none",
    "update": "fast",
    "overflow-block": "scroll",
    "overflow-inline": "scroll",
    "display-mode": "browser",
    "color-gamut": "srgb",
    "dynamic-range": "standard",
    "video-dynamic-range": "standard",
    "grid": "0",
    "color": "8",
    "color-index": "0",
    "monochrome": "0",
    "-webkit-transform-3d": "1",
}
# Three-valued logic: a condition Chromium does not know is unknown, and `not` unknown is still unknown.
Truth = bool | None


@remembered(entries=4_000)
def media(text: str, width: float) -> bool:
    """Whether a media query list applies."""
    tokens = _tokens(text)
    if tokens is None:
        return False
    if not tokens:
        return True
    return any(_query(query, width) for query in split_commas(tokens))


@remembered(entries=1_000)
def supports(text: str) -> bool:
    """Whether an ``@supports`` condition holds in Chromium."""
    tokens = _tokens(text)
    return bool(tokens) and _condition(tokens or [], _supports_feature) is True


def _tokens(text: str) -> list[Any] | None:
    if len(text) > MAX_LENGTH or nesting(text) > MAX_NESTING:
        return None
    return [token for token in component_values(text) if token.type != "whitespace"]


def _query(tokens: Sequence[Any], width: float) -> bool:
    names = [token.lower_value if token.type == "ident" else "" for token in tokens]
    if not names:
        return False

    def feature(token: Any) -> Truth:
        return _media_feature(token, width)

    start = 1 if names[0] in ("not", "only") else 0
    if start < len(names) and names[start] and names[start] not in ("and", "or", "not", "only", "layer"):
        applies: Truth = names[start] in ("all", "screen")
        rest = tokens[start + 1 :]
        if rest:
            if names[start + 1] != "and" or "or" in names[start + 2 :]:
                return False
            condition = _condition(rest[1:], feature)
            if condition is None and _is_malformed(rest[1:]):
                return False
            applies = _and([applies, condition])
        return (applies is False) if names[0] == "not" else applies is True
    return names[0] != "only" and _condition(tokens, feature) is True


def _is_malformed(tokens: Sequence[Any]) -> bool:
    return any(token.type not in ("() block", "ident", "function") for token in tokens)


def _condition(tokens: Sequence[Any], feature: Callable[[Any], Truth]) -> Truth:
    """``not X``, ``X and Y``, ``X or Y``; None where it is unknown or malformed."""
    if not tokens:
        return None
    first = tokens[0]
    if first.type == "ident" and first.lower_value == "not":
        inner = _term(tokens[1], feature) if len(tokens) == 2 else None
        return None if inner is None else not inner
    operators = {t.lower_value if t.type == "ident" else "" for t in tokens[1::2]}
    if len(tokens) % 2 == 0 or len(operators) > 1 or not operators <= {"and", "or"}:
        # `a and not (b)` is not allowed, but `(a) and (not (b))` is.
        return None
    terms = [_term(token, feature) for token in tokens[::2]]
    return _or(terms) if operators == {"or"} else _and(terms)


def _term(token: Any, feature: Callable[[Any], Truth]) -> Truth:
    if token.type == "() block":
        content = [t for t in token.content if t.type != "whitespace"]
        nested = content and (
            content[0].type in ("() block", "function")
            or (content[0].type == "ident" and content[0].lower_value == "not" and len(content) > 1)
        )
        return _condition(content, feature) if nested else feature(token)
    return feature(token) if token.type == "function" else None


def _and(terms: Sequence[Truth]) -> Truth:
    return False if False in terms else None if None in terms else True


def _or(terms: Sequence[Truth]) -> Truth:
    return True if True in terms else None if None in terms else False


# -- features ---------------------------------------------------------------------------------------


def _media_feature(token: Any, width: float) -> Truth:
    if token.type != "() block":
        return None
    content = [t for t in token.content if t.type != "whitespace"]
    if not content or content[0].type != "ident":
        return _range(content, width)
    name = content[0].lower_value
    if len(content) == 1:
        return _truthy(name, width)
    if content[1].type != "literal" or content[1].value != ":":
        return _range(content, width)
    values = content[2:]
    for prefix, compare in (("min-", "<="), ("max-", ">=")):
        plain = name.replace(prefix, "", 1)
        if name.startswith((prefix, "-webkit-" + prefix)) and (actual := _actual(plain, width)) is not None:
            wanted = _amount(values, plain)
            return None if wanted is None else _compare(wanted, compare, actual)
    actual = _actual(name, width)
    if actual is not None:
        wanted = _amount(values, name)
        return None if wanted is None else wanted == actual
    if len(values) != 1:
        return None
    value = values[0]
    written = value.lower_value if value.type == "ident" else getattr(value, "representation", "")
    if name == "orientation":
        return {"portrait": width <= HEIGHT, "landscape": width > HEIGHT}.get(written)
    return _PREFERENCES[name] == written if name in _PREFERENCES else None


def _truthy(name: str, width: float) -> Truth:
    actual = _actual(name, width)
    if actual is not None:
        return actual != 0
    if name == "orientation":
        return True
    return _PREFERENCES[name] not in ("none", "no-preference", "0") if name in _PREFERENCES else None


def _actual(name: str, width: float) -> float | None:
    return {
        "width": width,
        "device-width": width,
        "height": HEIGHT,
        "device-height": HEIGHT,
        "aspect-ratio": width / HEIGHT,
        "device-aspect-ratio": width / HEIGHT,
        "resolution": 1.0,
        "-webkit-device-pixel-ratio": 1.0,
        "color": 8.0,
        "color-index": 0.0,
        "monochrome": 0.0,
    }.get(name)


_RESOLUTION = {"dppx": 1.0, "x": 1.0, "dpi": 1 / 96, "dpcm": 2.54 / 96}


def _amount(values: Sequence[Any], name: str) -> float | None:
    """A feature's value as a number: pixels, dots per pixel, or a ratio."""
    if len(values) == 3 and values[1].type == "literal" and values[1].value == "/" and "ratio" in name:
        top, bottom = (float(v.value) if v.type == "number" else 0.0 for v in (values[0], values[2]))
        return top / bottom if bottom else None
    if len(values) != 1:
        return None
    value = values[0]
    if value.type == "number":
        is_count = "ratio" in name or "color" in name or name == "monochrome"
        return float(value.value) if is_count or value.value == 0 else None
    if value.type != "dimension":
        return None
    unit = value.lower_unit
    if name == "resolution":
        return float(value.value) * _RESOLUTION[unit] if unit in _RESOLUTION else None
    if "ratio" in name or "color" in name:
        return None
    if unit in ("em", "rem"):
        return float(value.value) * 16
    return float(value.value) * ABSOLUTE[unit] if unit in ABSOLUTE else None


def _range(content: Sequence[Any], width: float) -> Truth:
    """``(400px <= width < 700px)`` and ``(width >= 400px)``."""
    parts: list[list[Any]] = [[]]
    operators: list[str] = []
    for token in content:
        if token.type == "literal" and token.value in ("<", ">", "=", "<=", ">="):
            if token.value == "=" and not parts[-1] and operators and operators[-1] in "<>":
                operators[-1] += "="
                continue
            operators.append(token.value)
            parts.append([])
        else:
            parts[-1].append(token)
    names = [p[0].lower_value if len(p) == 1 and p[0].type == "ident" else "" for p in parts]
    at = next((i for i, name in enumerate(names) if name), -1)
    actual = _actual(names[at], width) if at >= 0 else None
    if actual is None or not 1 <= len(operators) <= 2 or (len(operators) == 2 and at != 1):
        return None
    numbers = [actual if i == at else _amount(part, names[at]) for i, part in enumerate(parts)]
    if None in numbers:
        return None
    pairs = zip(numbers, operators, numbers[1:], strict=False)
    return all(_compare(left or 0.0, operator, right or 0.0) for left, operator, right in pairs)


def _compare(left: float, operator: str, right: float) -> bool:
    return {
        "<": left < right,
        "<=": left <= right,
        ">": left > right,
        ">=": left >= right,
        "=": left == right,
    }[operator]


def _supports_feature(token: Any) -> Truth:
    if token.type == "function":
        if token.lower_name == "selector":
            return selectors.parse(tinycss2.serialize(token.arguments), selectors.Scope(quirks=False)) is not None
        return False
    text = tinycss2.serialize(token.content).strip()
    name, colon, value = text.partition(":")
    name = name.strip().lower()
    if not colon or not value.strip():
        return False
    if declarations.longhands_of(name):
        return not name.startswith("mso-") and bool(declarations.declare(value.strip(), name, False))
    return name in PROPERTIES or name.startswith("--")
