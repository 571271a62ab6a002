"""σ_v and σ_e by name. The paper's default is RReLU."""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor, nn
from torch.nn import functional as F

from hnn_core.nn.random_slopes import LOWER, UPPER, randomly_leaky


class RReLU(nn.Module):
    """x for x > 0, else a·x with a ~ U(1/8, 1/3) drawn anew in training, its mean at evaluation."""

    def forward(self, x: Tensor) -> Tensor:
        if not self.training:
            return F.leaky_relu(x, (LOWER + UPPER) / 2)
        return randomly_leaky(x) if x.device.type == "cpu" else F.rrelu(x, LOWER, UPPER, training=True)


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
