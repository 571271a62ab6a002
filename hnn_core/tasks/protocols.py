"""What a model may see of the hyperedges it is tested on.

``transductive``: all hyperedges take part in message passing, the test ones included; only their labels are
unknown. The paper's figures are reachable only so. ``inductive``: training hyperedges only; nothing of a test
hyperedge, a test negative or a test label reaches training, and a node that only test hyperedges contain is
known by its features alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hnn_core.hypergraph import Hypergraph, keep_hyperedges
from hnn_core.seeds import generator

PROTOCOLS = ("transductive", "inductive")


@dataclass(frozen=True)
class HyperedgeSplit:
    """Indices of the hyperedges trained on and tested on."""

    train: NDArray[np.int64]
    test: NDArray[np.int64]


class TooFewHyperedgesError(ValueError):
    """There are not enough hyperedges for a part to train on and a part to test on."""


def split_hyperedges(num_hyperedges: int, train_share: float, seed: int) -> HyperedgeSplit:
    """A random share of the hyperedges for training, the others for testing."""
    if not 0 < train_share < 1:
        raise ValueError(f"train_share is {train_share}: expected a share between 0 and 1")
    order = generator(seed, "split").permutation(num_hyperedges)
    cut = round(train_share * num_hyperedges)
    if not 0 < cut < num_hyperedges:
        raise TooFewHyperedgesError(f"{num_hyperedges} hyperedges cannot be split {train_share:.0%} for training")
    return HyperedgeSplit(np.sort(order[:cut]), np.sort(order[cut:]))


def visible(hypergraph: Hypergraph, split: HyperedgeSplit, protocol: str) -> Hypergraph:
    """The hypergraph that message passing, and features derived from it, may use."""
    if protocol not in PROTOCOLS:
        raise ValueError(f"protocol {protocol!r} is not known: choose one of {', '.join(PROTOCOLS)}")
    return hypergraph if protocol == "transductive" else keep_hyperedges(hypergraph, split.train)
