"""Lengths, percentages and the arithmetic of ``calc()``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from extractors.css.values import Deferred, Style, Value, number, px, split_commas

ABSOLUTE = {
    "px": 1.0,
    "pt": 96 / 72,
    "pc": 16.0,
    "in": 96.0,
    "cm": 96 / 2.54,
    "mm": 96 / 25.4,
    "q": 96 / 101.6,
}
# Units of the font are Chromium's fallbacks where no glyph is measured: half an em for 0 and for x.
_FONT_RELATIVE = {"em": 1.0, "ex": 0.5, "ch": 0.5, "cap": 0.7, "ic": 1.0}
_ROOT_RELATIVE = {"rem": 1.0, "rex": 0.5, "rch": 0.5, "ric": 1.0}
_VIEWPORT = {
    prefix + unit: axis
    for prefix in ("", "s", "l", "d")
    for unit, axis in (("vw", "w"), ("vh", "h"), ("vi", "w"), ("vb", "h"), ("vmin", "min"), ("vmax", "max"))
}
LARGEST = 33554428.0  # what Chromium clamps a length to


class Length(Deferred):
    """A length that is not plain pixels. ``amount`` gives (pixels, per cent)."""

    __slots__ = ("amount", "minimum")

    def __init__(self, amount: Callable[[Style], tuple[float, float]], minimum: float = -LARGEST) -> None:
        self.amount = amount
        self.minimum = minimum

    def resolve(self, style: Style) -> str:
        pixels, per_cent = self.amount(style)
        if not per_cent:
            return px(max(self.minimum, _bounded(pixels)))
        if not pixels:
            return f"{number(per_cent)}%"
        return f"calc({number(per_cent)}% {'+' if pixels > 0 else '-'} {px(abs(pixels))})"

    def pixels(self, style: Style, whole: float = 0.0) -> float:
        """The length in pixels, per cent being of ``whole``."""
        pixels, per_cent = self.amount(style)
        return _bounded(pixels + per_cent / 100 * whole)


def parse(token: Any, *, per_cent: bool = True, negative: bool = True, unitless: bool = False) -> Value | None:
    """A length or percentage; ``unitless`` is the quirk by which ``padding: 10`` means pixels."""
    kind = token.type
    minimum = -LARGEST if negative else 0.0
    if kind == "dimension":
        value, unit = _bounded(token.value), token.lower_unit
        if value < minimum:
            return None
        if unit in ABSOLUTE:
            return px(_bounded(value * ABSOLUTE[unit]))
        relative = _relative(value, unit)
        return None if relative is None else Length(relative, minimum)
    if kind == "number":
        value = _bounded(token.value)
        return px(value) if value == 0 or (unitless and value >= minimum) else None
    if kind == "percentage":
        value = _bounded(token.value)
        return f"{number(value)}%" if per_cent and value >= minimum else None
    if kind == "function":
        amount = calculation(token)
        if amount is None or (not per_cent and _mentions_per_cent(token)):
            return None
        return Length(amount, minimum)
    return None


def _bounded(value: float) -> float:
    return min(LARGEST, max(-LARGEST, float(value)))


def _relative(value: float, unit: str) -> Callable[[Style], tuple[float, float]] | None:
    if unit in _FONT_RELATIVE:
        factor = value * _FONT_RELATIVE[unit]
        return lambda style: (factor * style.em, 0.0)
    if unit in _ROOT_RELATIVE:
        root_factor = value * _ROOT_RELATIVE[unit]
        return lambda style: (root_factor * style.page.root_font_size, 0.0)
    if unit in _VIEWPORT:
        axis = _VIEWPORT[unit]
        return lambda style: (value / 100 * _side(style, axis), 0.0)
    return None


def _side(style: Style, axis: str) -> float:
    width, height = style.page.width, style.page.height
    return {"w": width, "h": height, "min": min(width, height), "max": max(width, height)}[axis]


def _mentions_per_cent(token: Any) -> bool:
    if token.type == "percentage":
        return True
    children = getattr(token, "arguments", None) or getattr(token, "content", None) or ()
    return any(_mentions_per_cent(child) for child in children)


# -- calc() -----------------------------------------------------------------------------------------
# A term is (pixels, per cent, is a plain number); a plain number keeps its value in the first place.

_NO_STYLE: Any = None  # plain numbers never look at the element
Term = tuple[float, float, bool]
Expression = Callable[[Style], Term]


class _MathError(Exception):
    pass


def calculation(token: Any) -> Callable[[Style], tuple[float, float]] | None:
    """``calc()``, ``min()``, ``max()`` or ``clamp()`` of lengths and percentages."""
    try:
        expression, is_number = _function(token.lower_name, token.arguments)
    except _MathError:
        return None
    return None if is_number else lambda style: expression(style)[:2]


def plain_number(token: Any) -> float | None:
    """A number, written out or as ``calc()`` of numbers."""
    if token.type == "number":
        return _bounded(token.value)
    if token.type != "function":
        return None
    try:
        expression, is_number = _function(token.lower_name, token.arguments)
    except _MathError:
        return None
    return _bounded(expression(_NO_STYLE)[0]) if is_number else None


def _function(name: str, arguments: Sequence[Any]) -> tuple[Expression, bool]:
    parts = [_sum(part) for part in split_commas([a for a in arguments if a.type != "comment"])]
    expressions = [expression for expression, _ in parts]
    is_number = parts[0][1]
    if any(kind != is_number for _, kind in parts):
        raise _MathError
    if name in ("calc", "-webkit-calc") and len(parts) == 1:
        return expressions[0], is_number
    if name == "min":
        return lambda style: min((e(style) for e in expressions), key=_order), is_number
    if name == "max":
        return lambda style: max((e(style) for e in expressions), key=_order), is_number
    if name == "clamp" and len(parts) == 3:
        low, middle, high = expressions
        return lambda s: max(low(s), min(middle(s), high(s), key=_order), key=_order), is_number
    raise _MathError


def _order(term: Term) -> float:
    # Percentages have no box to refer to here; of 800 px is the guess that orders them usefully.
    return term[0] + term[1] * 8


def _sum(tokens: Sequence[Any]) -> tuple[Expression, bool]:
    """``a + b - c``: the signs need white space on both sides, which separates them from numbers."""
    groups: list[tuple[int, list[Any]]] = [(1, [])]
    for token in tokens:
        if token.type == "literal" and token.value in "+-":
            groups.append((1 if token.value == "+" else -1, []))
        elif token.type != "whitespace":
            groups[-1][1].append(token)
    products = [(sign, *_product(group)) for sign, group in groups]
    is_number = products[0][2]
    if any(kind != is_number for _, _, kind in products):
        raise _MathError

    def add(style: Style) -> Term:
        terms = [(sign, expression(style)) for sign, expression, _ in products]
        return sum(s * t[0] for s, t in terms), sum(s * t[1] for s, t in terms), is_number

    return (products[0][1], is_number) if len(products) == 1 else (add, is_number)


def _product(tokens: Sequence[Any]) -> tuple[Expression, bool]:
    if len(tokens) % 2 == 0:
        raise _MathError
    first, is_number = _leaf(tokens[0])
    factors: list[Expression] = [first]
    for operator, token in zip(tokens[1::2], tokens[2::2], strict=True):
        leaf, leaf_is_number = _leaf(token)
        if operator.type != "literal" or operator.value not in "*/":
            raise _MathError
        if operator.value == "/":
            if not leaf_is_number:
                raise _MathError
            factors.append(_reciprocal(leaf))
        else:
            if not (leaf_is_number or is_number):
                raise _MathError
            is_number = is_number and leaf_is_number
            factors.append(leaf)
    if len(factors) == 1:
        return first, is_number
    return (lambda style: reduce(_multiply, (f(style) for f in factors))), is_number


def _reciprocal(divisor: Expression) -> Expression:
    return lambda style: (1 / (divisor(style)[0] or 1 / LARGEST), 0.0, True)


def _multiply(left: Term, right: Term) -> Term:
    if left[2]:
        left, right = right, left
    return left[0] * right[0], left[1] * right[0], left[2]


def _leaf(token: Any) -> tuple[Expression, bool]:
    if token.type == "number":
        value = float(token.value)
        return (lambda style: (value, 0.0, True)), True
    if token.type == "percentage":
        per_cent = float(token.value)
        return (lambda style: (0.0, per_cent, False)), False
    if token.type == "dimension":
        value, unit = float(token.value), token.lower_unit
        if unit in ABSOLUTE:
            pixels = value * ABSOLUTE[unit]
            return (lambda style: (pixels, 0.0, False)), False
        relative = _relative(value, unit)
        if relative is not None:
            return (lambda style: (*relative(style), False)), False
    if token.type == "() block":
        return _sum(token.content)
    if token.type == "function":
        return _function(token.lower_name, token.arguments)
    raise _MathError
