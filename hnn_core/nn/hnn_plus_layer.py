"""HNN++ (section 3.4.2)."""

from __future__ import annotations

from torch import Tensor

from hnn_core.nn.layer import DecoupledLayer, Messages
from hnn_core.nn.propagation import Propagation


class HNNPlusLayer(DecoupledLayer):
    r"""P weighting hyperedges, P_e weighting nodes, and each added to its own side.

    .. math::
        Z^{(k+1)} &= \sigma_v((D^{-1} H P_e D_e^{-1} H^\top D^{-1} + P) Z^{(k)} W^{(k)}) \\
        Y^{(k+1)} &= \sigma_e((D_e^{-1} H^\top P D^{-1} H D_e^{-1} + P_e) Y^{(k)} W_e^{(k)})
    """

    def node_operator(self, H: Propagation, X: Tensor) -> Messages:
        q = H.H(-1, -1).T @ X
        return Messages(mean=H.H(-1, 0).T @ (H.H(0, -1) @ q), total=q)

    def hyperedge_operator(self, H: Propagation, X: Tensor) -> Messages:
        r = H.H(-1, -1) @ X
        return Messages(mean=H.H(0, -1) @ (H.H(-1, 0).T @ r), total=r)
