"""Layers: one a file, named as in the paper."""

from hnn_core.nn.dependent import PSI, psi
from hnn_core.nn.hnn_h2_layer import HNNH2Layer
from hnn_core.nn.hnn_layer import HNNLayer
from hnn_core.nn.hnn_p2_layer import HNNP2Layer
from hnn_core.nn.hnn_plus_layer import HNNPlusLayer
from hnn_core.nn.hnn_wt_layer import HNNWtLayer, HNNWtUnnormalisedLayer
from hnn_core.nn.layer import HypergraphLayer
from hnn_core.nn.propagation import Propagation
from hnn_core.nn.sparse import SparseMatrix

VARIANTS: dict[str, type[HypergraphLayer]] = {
    "hnn": HNNLayer,
    "hnn-p2": HNNP2Layer,
    "hnn++": HNNPlusLayer,
    "hnn-wt": HNNWtLayer,
    "hnn-wt-unnormalised": HNNWtUnnormalisedLayer,
    "hnn-h2": HNNH2Layer,
}

__all__ = [
    "PSI",
    "VARIANTS",
    "HNNH2Layer",
    "HNNLayer",
    "HNNP2Layer",
    "HNNPlusLayer",
    "HNNWtLayer",
    "HNNWtUnnormalisedLayer",
    "HypergraphLayer",
    "Propagation",
    "SparseMatrix",
    "psi",
]
