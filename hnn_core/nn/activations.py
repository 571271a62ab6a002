"""σ_v and σ_e by name. The paper's default is RReLU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from hnn_core.nn.randomness import in_blocks, random_bytes

_LOWER, _UPPER = 1 / 8, 1 / 3  # torch's and the RReLU paper's bounds of the random slope


class RReLU(nn.Module):
    """x for x ≥ 0, else a·x with a ~ U(1/8, 1/3) drawn anew in training, its mean at evaluation.

    The slopes are random bytes, see :mod:`hnn_core.nn.randomness`.
    """

    def forward(self, x: Tensor) -> Tensor:
        if self.training:
            return cast(Tensor, _RandomSlope.apply(x))  # type: ignore[no-untyped-call]
        return F.leaky_relu(x, (_LOWER + _UPPER) / 2)


class _RandomSlope(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        x = x.detach().contiguous()
        slope, out = torch.empty_like(x), torch.empty_like(x)
        for random, x_, a, out_ in in_blocks(random_bytes(x), x, slope, out):
            a.copy_(random).mul_((_UPPER - _LOWER) / 255).add_(_LOWER)
            torch.maximum(a, torch.sign(x_), out=a)  # 1 where x > 0; a < 1 elsewhere
            torch.mul(x_, a, out=out_)
        ctx.save_for_backward(slope)
        return out

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Tensor:
        (slope,) = ctx.saved_tensors
        return cast(Tensor, gradients[0] * slope)


ACTIVATIONS: dict[str, Callable[[], nn.Module]] = {
    "rrelu": RReLU,
    "tanh": nn.Tanh,
    "leaky_relu": nn.LeakyReLU,
    "gelu": nn.GELU,
    "selu": nn.SELU,
    "relu": nn.ReLU,
    "identity": nn.Identity,
}


def activation(name: str) -> nn.Module:
    """The module of an activation's name."""
    if name not in ACTIVATIONS:
        raise ValueError(f"activation {name!r} is not known: choose one of {', '.join(ACTIVATIONS)}")
    return ACTIVATIONS[name]()
