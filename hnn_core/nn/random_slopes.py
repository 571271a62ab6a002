"""RReLU in two passes over memory: forward and backward, compiled, with a byte kept for each entry.

torch's own ``rrelu`` spends a 64-bit draw on each entry and keeps a float of it, which costs an HNN epoch more than
all its sparse products. Here one draw serves eight entries: seven random bits say the slope, the eighth whether the
entry was positive, which is all that the backward pass needs to know.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import torch
from numba import njit
from numpy.typing import NDArray
from torch import Tensor
from torch.autograd.function import once_differentiable

LOWER, UPPER = 1 / 8, 1 / 3  # torch's and the RReLU paper's bounds of the random slope

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_BLOCK = 8192  # entries, a multiple of the eight of a word
_POSITIVE, _SLOPE, _ZERO, _ONE = np.int32(0x80), np.int32(0x7F), np.int32(0), np.float32(1)


def randomly_leaky(x: Tensor) -> Tensor:
    """x for x > 0, else a·x with a ~ U(1/8, 1/3), one of 128 evenly spaced slopes, from torch's seeded generator."""
    return cast(Tensor, _RandomSlopes.apply(x))  # type: ignore[no-untyped-call]


class _RandomSlopes(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        x = x.detach().contiguous()
        out = torch.empty_like(x)
        seed = np.uint64(torch.empty((), dtype=torch.int64).random_(-(2**63), None).item() % 2**64)
        words = np.empty((x.numel() + 7) // 8, dtype=np.uint64)
        ctx.codes = words.view(np.uint8)[: x.numel()]
        _forward(_flat(x), words, ctx.codes, seed, _flat(out), *_bounds(x))
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> Tensor:
        gradient = gradients[0].contiguous()
        out = torch.empty_like(gradient)
        _backward(_flat(gradient), ctx.codes, _flat(out), *_bounds(gradient))
        return out


def _flat(x: Tensor) -> NDArray[Any]:
    flat: NDArray[Any] = x.view(-1).numpy()
    return flat


def _bounds(x: Tensor) -> tuple[Any, Any]:
    """The smallest slope and the step to the next, as numbers of x's own precision."""
    kind = _flat(x).dtype.type
    return kind(LOWER), kind((UPPER - LOWER) / int(_SLOPE))


# A byte becomes a float through 32 bits: numba's own promotion goes through 64, which no vector instruction converts.


@njit(cache=True)
def _forward(x: Any, words: Any, codes: Any, seed: Any, out: Any, lower: Any, step: Any) -> None:
    """A block at a time, so that codes are used while they are in the nearest cache; they are the bytes of words."""
    for first in range(0, x.size, _BLOCK):
        _fill(words[first // 8 : (first + _BLOCK) // 8], seed + np.uint64(first // 8) * _GOLDEN)
        _apply(x[first : first + _BLOCK], codes[first : first + _BLOCK], out[first : first + _BLOCK], lower, step)


@njit(cache=True)
def _fill(words: Any, seed: Any) -> None:
    """SplitMix64 (Steele, Lea and Flood, 2014) by counter, so that the loop is vectorised."""
    for k in range(words.size):
        z = seed + np.uint64(k + 1) * _GOLDEN
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        words[k] = z ^ (z >> np.uint64(31))


@njit(cache=True)
def _apply(x: Any, codes: Any, out: Any, lower: Any, step: Any) -> None:
    for k in range(x.size):
        slope = np.int32(codes[k]) & _SLOPE
        out[k] = x[k] * (_ONE if x[k] > 0 else lower + np.float32(slope) * step)
        codes[k] = slope + (_POSITIVE if x[k] > 0 else _ZERO)


@njit(cache=True)
def _backward(gradient: Any, codes: Any, out: Any, lower: Any, step: Any) -> None:
    for k in range(gradient.size):
        code = np.int32(codes[k])
        out[k] = gradient[k] * (_ONE if code >= _POSITIVE else lower + np.float32(code & _SLOPE) * step)
