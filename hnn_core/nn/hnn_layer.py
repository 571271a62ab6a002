"""The HNN layer (section 3.3)."""

from __future__ import annotations

from torch import Tensor

from hnn_core.nn.layer import HypergraphLayer, Matrix, Messages, weight
from hnn_core.nn.propagation import Propagation


class HNNLayer(HypergraphLayer):
    r"""Hyperedge-dependent convolution of "Hypergraph Neural Networks", section 3.3.

    .. math::
        Z^{(k+1)} &= \sigma_v((D^{-1} H P_e D_e^{-1} H^\top D^{-1} Z^{(k)} + D^{-1} H Y^{(k)}) W^{(k)}) \\
        Y^{(k+1)} &= \sigma_e((D_e^{-1} H^\top P D^{-1} H D_e^{-1} Y^{(k)}
                     + (H D_e^{-1})^\top Z^{(k+1)}) W_e^{(k)})

    with :math:`P = H D_e^{-1} (D^{-1} H)^\top` and :math:`P_e = (D^{-1} H)^\top H D_e^{-1}`.

    Widths: :math:`Y^{(k)}` (:math:`d_k`) is added to :math:`Z^{(k+1)}` (:math:`d_{k+1}`) before one weight
    matrix. Where the two differ, :math:`Y^{(k)}` first passes a matrix R of shape :math:`d_k × d_{k+1}`; where
    they agree the equation is used as written. Where hyperedge features have another width than node features,
    :math:`Y^{(1)}` has a matrix of its own in the node update too.
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
        super().__init__(in_nodes, in_hyperedges, out, sigma_v, sigma_e, skip)
        self.W_y = weight(in_hyperedges, out) if in_hyperedges != in_nodes else None
        self.R = weight(in_hyperedges, out) if in_hyperedges != out else None
        self.W_e = weight(out, out)

    def to_nodes(self, H: Propagation, Z: Matrix, Y: Tensor | None) -> Messages:
        DH_t = H.H(-1, 0).T
        if isinstance(Z, Tensor) and self.W_y is None and self.in_nodes <= self.out:
            # W last: M rows instead of N + M, and the products of a constant Z^(1) are the same in every epoch.
            if Y is None:
                return Messages(mean=H.once("sent", Z, lambda: self._sent(H, Z, None)) @ self.W)
            return Messages(mean=self._sent(H, Z, Y) @ self.W)
        # W first: Z may be a wide sparse feature matrix, and the products below then run at width d_{k+1}.
        node_means = DH_t @ (Z @ self.W)
        YW = node_means if Y is None else Y @ (self.W if self.W_y is None else self.W_y)
        return Messages(mean=DH_t @ (H.H(0, -2) @ node_means) + YW)

    def _sent(self, H: Propagation, Z: Tensor, Y: Tensor | None) -> Tensor:
        DH_t = H.H(-1, 0).T
        node_means = DH_t @ Z
        return DH_t @ (H.H(0, -2) @ node_means) + (node_means if Y is None else Y)

    def to_hyperedges(self, H: Propagation, Z: Matrix, Y: Tensor | None, Z_next: Tensor) -> Messages:
        if Y is not None:
            returned = self._returned(H, _times(Y, self.R))
        elif self.R is None and isinstance(Z, Tensor):
            returned = H.once("returned", Z, lambda: self._returned(H, H.H(-1, 0).T @ Z))
        else:
            returned = self._returned(H, H.H(-1, 0).T @ _times(Z, self.R))
        return Messages(mean=returned + Z_next)

    def _returned(self, H: Propagation, YR: Tensor) -> Tensor:
        HDe = H.H(0, -1)
        return HDe @ (H.H(-2, 0).T @ (HDe @ YR))

    def update_hyperedges(self, gathered: Tensor) -> Tensor:
        return super().update_hyperedges(gathered @ self.W_e)


def _times(X: Matrix, R: Tensor | None) -> Tensor:
    if R is not None:
        return X @ R
    return X if isinstance(X, Tensor) else X.to_dense()
