"""HNN-P², the two-hop variant (section 3.4.1)."""

from __future__ import annotations

from torch import Tensor

from hnn_core.nn.layer import DecoupledLayer, Messages
from hnn_core.nn.propagation import Propagation


class HNNP2Layer(DecoupledLayer):
    r"""One-hop and two-hop random walks.

    .. math::
        Z^{(k+1)} &= \sigma_v((D^{-1} H D_e^{-1} H^\top D^{-1} + P + PP) Z^{(k)} W^{(k)}) \\
        Y^{(k+1)} &= \sigma_e((D_e^{-1} H^\top D^{-1} H D_e^{-1} + P_e + P_e P_e) Y^{(k)} W_e^{(k)})
    """

    def node_operator(self, H: Propagation, X: Tensor) -> Messages:
        walk = H.H(-1, -1).T  # D_e⁻¹Hᵀ D⁻¹, so that P = H·walk
        q = walk @ X
        return Messages(mean=q, total=q + walk @ (H.H() @ q))

    def hyperedge_operator(self, H: Propagation, X: Tensor) -> Messages:
        walk = H.H(-1, -1)  # D⁻¹H D_e⁻¹, so that P_e = Hᵀ·walk
        r = walk @ X
        return Messages(mean=r, total=r + walk @ (H.H().T @ r))
