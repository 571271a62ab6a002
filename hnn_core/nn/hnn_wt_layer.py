"""HNN-Wt (section 3.4.3), normalised and not."""

from __future__ import annotations

from torch import Tensor

from hnn_core.nn.layer import DecoupledLayer, Messages
from hnn_core.nn.propagation import Propagation


class HNNWtLayer(DecoupledLayer):
    r"""Hyperedge walks between nodes, node walks between hyperedges.

    .. math::
        Z^{(k+1)} &= \sigma_v(D^{-1} H P_e H^\top D^{-1} Z^{(k)} W^{(k)}) \\
        Y^{(k+1)} &= \sigma_e(D_e^{-1} H^\top P H D_e^{-1} Y^{(k)} W_e^{(k)})
    """

    def node_operator(self, H: Propagation, X: Tensor) -> Messages:
        DH_t = H.H(-1, 0).T
        return Messages(mean=DH_t @ (H.H(0, -1) @ (DH_t @ X)))

    def hyperedge_operator(self, H: Propagation, X: Tensor) -> Messages:
        HDe = H.H(0, -1)
        return Messages(mean=HDe @ (H.H(-1, 0).T @ (HDe @ X)))


class HNNWtUnnormalisedLayer(DecoupledLayer):
    r"""The same without the outer degrees: values grow with degree and hyperedge size.

    .. math::
        Z^{(k+1)} &= \sigma_v(H P_e H^\top Z^{(k)} W^{(k)}) \\
        Y^{(k+1)} &= \sigma_e(H^\top P H Y^{(k)} W_e^{(k)})
    """

    def node_operator(self, H: Propagation, X: Tensor) -> Messages:
        return Messages(total=H.H(-1, 0).T @ (H.H(0, -1) @ (H.H().T @ X)))

    def hyperedge_operator(self, H: Propagation, X: Tensor) -> Messages:
        return Messages(total=H.H(0, -1) @ (H.H(-1, 0).T @ (H.H() @ X)))
