"""What all HNN layers share: weights, σ_v and σ_e, the skip, and how messages are gathered.

Every variant of the paper ends in the same last step. A node update is D⁻¹H·S + H·T with S and T living on
hyperedges; a hyperedge update is D_e⁻¹Hᵀ·S + Hᵀ·T with S and T living on nodes. A layer therefore says only
which :class:`Messages` (S, T) it sends, and a *new* hyperedge or node is embedded by gathering the messages of
those it joins, without touching the rest.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import torch
from torch import Tensor, nn

from hnn_core.nn.activations import activation
from hnn_core.nn.propagation import Propagation
from hnn_core.nn.sparse import SparseMatrix

Matrix = Tensor | SparseMatrix


class Messages(NamedTuple):
    """What the other side sends: ``mean`` is averaged over those who receive it, ``total`` summed."""

    mean: Tensor | None = None
    total: Tensor | None = None


class LayerOutput(NamedTuple):
    nodes: Tensor
    hyperedges: Tensor | None
    to_hyperedges: Messages | None


class HypergraphLayer(nn.Module, ABC):
    """One step from (Z^(k), Y^(k)) to (Z^(k+1), Y^(k+1)).

    Args:
        in_nodes: width of Z^(k).
        in_hyperedges: width of Y^(k).
        out: width of Z^(k+1) and Y^(k+1).
        sigma_v, sigma_e: activations of nodes and of hyperedges.
        skip: adds Z^(k) W_skip + b_skip inside σ_v. Nodes in no hyperedge get zero rows from the equations as
            written; with it they keep what their features say, and b_skip where they have no features either.
    """

    def __init__(
        self,
        in_nodes: int,
        in_hyperedges: int,
        out: int,
        sigma_v: str = "rrelu",
        sigma_e: str = "rrelu",
        skip: bool = False,
    ) -> None:
        super().__init__()
        self.W = weight(in_nodes, out)
        self.W_skip = weight(in_nodes, out) if skip else None
        self.b_skip = nn.Parameter(torch.zeros(out)) if skip else None
        self.sigma_v, self.sigma_e = activation(sigma_v), activation(sigma_e)
        self.in_nodes, self.in_hyperedges, self.out = in_nodes, in_hyperedges, out

    @abstractmethod
    def to_nodes(self, H: Propagation, Z: Matrix, Y: Tensor | None) -> Messages:
        """Messages of the hyperedges. Y is None in a first layer that starts from Y^(1) = (D⁻¹H)ᵀ Z^(1)."""

    @abstractmethod
    def to_hyperedges(self, H: Propagation, Z: Matrix, Y: Tensor | None, Z_next: Tensor) -> Messages:
        """Messages of the nodes, given Z^(k), Y^(k) and the new Z^(k+1)."""

    def update_hyperedges(self, gathered: Tensor) -> Tensor:
        """Y^(k+1) from the gathered messages."""
        updated: Tensor = self.sigma_e(gathered)
        return updated

    def forward(self, H: Propagation, Z: Matrix, Y: Tensor | None, hyperedges: bool = True) -> LayerOutput:
        """One layer; ``hyperedges=False`` leaves out Y^(k+1) where nothing asks for it."""
        gathered = gather_nodes(H, self.to_nodes(H, Z, Y))
        if self.W_skip is not None and self.b_skip is not None:
            gathered = gathered + Z @ self.W_skip + self.b_skip
        Z_next: Tensor = self.sigma_v(gathered)
        if not hyperedges:
            return LayerOutput(Z_next, None, None)
        messages = self.to_hyperedges(H, Z, Y, Z_next)
        return LayerOutput(Z_next, self.update_hyperedges(gather_hyperedges(H, messages)), messages)


class DecoupledLayer(HypergraphLayer):
    """A variant of the form Z' = σ_v(K_v Z W), Y' = σ_e(K_e Y W_e): nodes and hyperedges do not mix."""

    def __init__(
        self,
        in_nodes: int,
        in_hyperedges: int,
        out: int,
        sigma_v: str = "rrelu",
        sigma_e: str = "rrelu",
        skip: bool = False,
    ) -> None:
        super().__init__(in_nodes, in_hyperedges, out, sigma_v, sigma_e, skip)
        self.W_e = weight(in_hyperedges, out)

    @abstractmethod
    def node_operator(self, H: Propagation, X: Tensor) -> Messages:
        """K_v X up to its last step."""

    @abstractmethod
    def hyperedge_operator(self, H: Propagation, X: Tensor) -> Messages:
        """K_e X up to its last step."""

    def to_nodes(self, H: Propagation, Z: Matrix, Y: Tensor | None) -> Messages:
        return self.node_operator(H, Z @ self.W)

    def to_hyperedges(self, H: Propagation, Z: Matrix, Y: Tensor | None, Z_next: Tensor) -> Messages:
        YW = H.H(-1, 0).T @ (Z @ self.W_e) if Y is None else Y @ self.W_e
        return self.hyperedge_operator(H, YW)


def gather_nodes(H: Propagation, messages: Messages) -> Tensor:
    """D⁻¹H·S + H·T."""
    return _gather(messages, H.H(-1, 0), H.H())


def gather_hyperedges(H: Propagation, messages: Messages) -> Tensor:
    """D_e⁻¹Hᵀ·S + Hᵀ·T, of the hypergraph's hyperedges or of any others over its nodes."""
    return _gather(messages, H.H(0, -1).T, H.H().T)


def _gather(messages: Messages, mean: SparseMatrix, total: SparseMatrix) -> Tensor:
    if messages.mean is None:
        if messages.total is None:
            raise ValueError("a layer must send messages to average, to sum, or both")
        return total @ messages.total
    gathered = mean @ messages.mean
    return gathered if messages.total is None else gathered + total @ messages.total


def weight(rows: int, columns: int) -> nn.Parameter:
    """A weight matrix with Glorot's uniform initial values."""
    return nn.Parameter(nn.init.xavier_uniform_(torch.empty(rows, columns)))
