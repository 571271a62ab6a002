"""ψ: the embedding z_i^e of node i in the context of hyperedge e (section 3.3.1)."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn


class ConcatMLP(nn.Module):
    """z_i^e = W₂ ReLU(W₁ [z_i y_e] + b₁) + b₂."""

    def __init__(self, node_width: int, hyperedge_width: int, out: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(node_width + hyperedge_width, out), nn.ReLU(), nn.Linear(out, out))

    def forward(self, z: Tensor, y: Tensor) -> Tensor:
        embedded: Tensor = self.layers(torch.cat([z, y], dim=-1))
        return embedded


class Gated(nn.Module):
    """z_i^e = g ⊙ W_z z_i + (1 − g) ⊙ W_y y_e with g = sigmoid(W_g [z_i y_e] + b): how much of each, by e."""

    def __init__(self, node_width: int, hyperedge_width: int, out: int) -> None:
        super().__init__()
        self.gate = nn.Linear(node_width + hyperedge_width, out)
        self.of_node = nn.Linear(node_width, out, bias=False)
        self.of_hyperedge = nn.Linear(hyperedge_width, out, bias=False)

    def forward(self, z: Tensor, y: Tensor) -> Tensor:
        gate = torch.sigmoid(self.gate(torch.cat([z, y], dim=-1)))
        embedded: Tensor = gate * self.of_node(z) + (1 - gate) * self.of_hyperedge(y)
        return embedded


class Sum(nn.Module):
    """z_i^e = W_z z_i + W_y y_e."""

    def __init__(self, node_width: int, hyperedge_width: int, out: int) -> None:
        super().__init__()
        self.of_node = nn.Linear(node_width, out, bias=False)
        self.of_hyperedge = nn.Linear(hyperedge_width, out, bias=False)

    def forward(self, z: Tensor, y: Tensor) -> Tensor:
        embedded: Tensor = self.of_node(z) + self.of_hyperedge(y)
        return embedded


PSI: dict[str, Callable[[int, int, int], nn.Module]] = {"concat": ConcatMLP, "gated": Gated, "sum": Sum}


def psi(kind: str, node_width: int, hyperedge_width: int, out: int) -> nn.Module:
    """ψ by name: ``concat``, ``gated`` or ``sum``; takes rows z and y, any node with any hyperedge."""
    if kind not in PSI:
        raise ValueError(f"psi {kind!r} is not known: choose one of {', '.join(PSI)}")
    return PSI[kind](node_width, hyperedge_width, out)
