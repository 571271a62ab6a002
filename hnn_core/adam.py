"""Adam (Kingma and Ba, 2015) with L2 weight decay, and the two schedules of its learning rate that are used here.

The steps are torch's own fused kernel, to the last bit those of ``torch.optim.Adam(…, fused=True)``. That class imports
torch's compiler when it is made, which takes longer than a small training: seconds for every process that trains.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import cos, pi
from typing import Any

import torch
from torch import Tensor, nn


class Adam:
    """m ← β₁m + (1−β₁)g, v ← β₂v + (1−β₂)g², θ ← θ − lr · m̂ / (√v̂ + ε), where g includes decay·θ.

    Args:
        groups: parameters with their weight decay. ``lr`` and ``beta1`` may be set between steps.
    """

    BETA2, EPSILON = 0.999, 1e-8

    def __init__(self, groups: Iterable[tuple[Iterable[nn.Parameter], float]], lr: float) -> None:
        self.lr, self.beta1 = lr, 0.9
        self._groups = [(list(parameters), decay) for parameters, decay in groups]
        self._moments = {
            id(p): (torch.zeros_like(p), torch.zeros_like(p), torch.zeros((), device=p.device))
            for parameters, _ in self._groups
            for p in parameters
        }

    def zero_grad(self) -> None:
        for parameters, _ in self._groups:
            for p in parameters:
                p.grad = None

    @torch.no_grad()
    def step(self) -> None:
        """Parameters without a gradient stay as they are."""
        for parameters, decay in self._groups:
            moved = [p for p in parameters if p.grad is not None]
            if not moved:
                continue
            first, second, steps = (list(part) for part in zip(*(self._moments[id(p)] for p in moved), strict=True))
            torch._foreach_add_(steps, 1)
            torch._fused_adam_(
                list[Tensor](moved),
                [p.grad for p in moved if p.grad is not None],
                first,
                second,
                [],
                steps,
                lr=self.lr,
                beta1=self.beta1,
                beta2=self.BETA2,
                weight_decay=decay,
                eps=self.EPSILON,
                amsgrad=False,
                maximize=False,
            )

    def state(self) -> list[tuple[Tensor, Tensor, Tensor]]:
        """m, v and the number of steps of each parameter, in the order of the groups."""
        return [self._moments[id(p)] for parameters, _ in self._groups for p in parameters]

    @torch.no_grad()
    def restore(self, state: Sequence[Any]) -> None:
        for kept, saved in zip(self.state(), state, strict=True):
            for tensor, value in zip(kept, saved, strict=True):
                tensor.copy_(value)


def stepped(lr: float, at: Iterable[int], factor: float, epoch: int) -> float:
    """The learning rate of an epoch (from 1), multiplied by ``factor`` after each of the epochs ``at``."""
    for milestone in at:
        if epoch > milestone:
            lr *= factor
    return lr


def one_cycle(highest: float, epoch: int, epochs: int, rising: float = 0.3) -> tuple[float, float]:
    """Learning rate and β₁ of an epoch (from 0) of "super-convergence" (Smith and Topin, 2018).

    The rate rises from a 25th to its ``highest`` and falls to next to nothing, along half waves of a cosine; β₁ goes
    the other way, from .95 to .85 and back.
    """
    top = rising * epochs - 1
    if epoch <= top:
        share = epoch / top if top else 1.0
        return _between(highest / 25, highest, share), _between(0.95, 0.85, share)
    share = (epoch - top) / (epochs - 1 - top)
    return _between(highest, highest / 25e4, share), _between(0.85, 0.95, share)


def _between(start: float, end: float, share: float) -> float:
    return end + (start - end) / 2.0 * (cos(pi * share) + 1)
