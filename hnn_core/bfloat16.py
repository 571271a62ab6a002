"""Two numbers in the room of one: bfloat16, the upper half of a float32 (its range, 8 bits of precision).

What a loop reads at random places costs as much as the cache lines it touches, and half as wide a row touches half as
many. For compiled code: the language it is written in has no such type.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

_UPPER = np.uint32(0xFFFF0000)
_HALF = np.uint32(0x8000)
_WIDTH = np.uint32(16)


def _float_of_bits(typing_context: Any, bits: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.FloatType())

    return types.float32(types.uint32), generate


def _bits_of_float(typing_context: Any, number: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.IntType(32))

    return types.uint32(types.float32), generate


_as_float: Any = intrinsic(_float_of_bits)
_as_bits: Any = intrinsic(_bits_of_float)


@njit(cache=True, inline="always")
def pair(lower: Any, upper: Any) -> Any:
    """Two float32 numbers, rounded, as one uint32."""
    return np.uint32((_as_bits(lower) + _HALF) >> _WIDTH) | np.uint32((_as_bits(upper) + _HALF) & _UPPER)


@njit(cache=True, inline="always")
def lower(both: Any) -> Any:
    """The first of a pair."""
    return _as_float(np.uint32(both << _WIDTH))


@njit(cache=True, inline="always")
def upper(both: Any) -> Any:
    """The second of a pair."""
    return _as_float(np.uint32(both & _UPPER))
