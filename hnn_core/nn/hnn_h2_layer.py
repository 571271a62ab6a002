"""HNN-H² (section 3.4.4)."""

from __future__ import annotations

from torch import Tensor

from hnn_core.nn.layer import DecoupledLayer, Messages
from hnn_core.nn.propagation import Propagation


class HNNH2Layer(DecoupledLayer):
    r"""Weighted adjacency and random walk together.

    .. math::
        Z^{(k+1)} &= \sigma_v((H H^\top + P) Z^{(k)} W^{(k)}) \\
        Y^{(k+1)} &= \sigma_e((H^\top H + P_e) Y^{(k)} W_e^{(k)})
    """

    def node_operator(self, H: Propagation, X: Tensor) -> Messages:
        return Messages(total=H.H().T @ X + H.H(-1, -1).T @ X)

    def hyperedge_operator(self, H: Propagation, X: Tensor) -> Messages:
        return Messages(total=H.H() @ X + H.H(-1, -1) @ X)
