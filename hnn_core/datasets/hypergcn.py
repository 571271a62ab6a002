"""The five benchmark hypergraphs of the paper, in the form the HyperGCN authors published (Apache-2.0).

The released files differ from the paper's table: Citeseer has 3,312 nodes and 1,079 hyperedges (paper:
3,327 and 4,732), DBLP 41,302 and 22,363 (paper: 43,413 and 22,535).
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hnn_core.datasets import restricted_pickle
from hnn_core.hypergraph import Hypergraph

FOLDERS = {
    "cora-ca": "coauthorship/cora",
    "dblp": "coauthorship/dblp",
    "citeseer": "cocitation/citeseer",
    "cora-cc": "cocitation/cora",
    "pubmed": "cocitation/pubmed",
}
NAMES = tuple(FOLDERS)


@dataclass(frozen=True)
class Split:
    """Node indices of one of the ten class-balanced splits; the authors published no validation set."""

    train: NDArray[np.int64]
    test: NDArray[np.int64]


@dataclass(frozen=True)
class Dataset:
    """One benchmark. ``features`` is None where the (large) feature file was not downloaded."""

    name: str
    hypergraph: Hypergraph
    features: sparse.csr_array | None
    labels: NDArray[np.int64]
    splits: tuple[Split, ...]

    @property
    def num_classes(self) -> int:
        return int(self.labels.max()) + 1


def load(name: str, root: Path | None = None) -> Dataset:
    """Load one of :data:`NAMES` from ``root``, the folder with ``coauthorship`` and ``cocitation`` in it.

    Without ``root``, ``$HNN_DATA/hypergcn`` is read.
    """
    folder = _folder(name, root)
    labels = np.asarray(restricted_pickle.load(folder / "labels.pickle"), dtype=np.int64)
    hyperedges = restricted_pickle.load(folder / "hypergraph.pickle")
    if not isinstance(hyperedges, dict) or labels.ndim != 1:
        raise ValueError(f"{folder}: expected a dict of hyperedges and a flat list of labels, as HyperGCN publishes")
    # A set's order depends on insertion; sorted members keep every later step deterministic.
    hypergraph = Hypergraph.from_hyperedges(
        {key: sorted(int(node) for node in members) for key, members in hyperedges.items()},
        num_nodes=len(labels),
    )
    return Dataset(
        name=name,
        hypergraph=hypergraph,
        features=_features(folder / "features.pickle", len(labels)),
        labels=labels,
        splits=_splits(folder / "splits", len(labels)),
    )


def _folder(name: str, root: Path | None) -> Path:
    if name not in FOLDERS:
        raise KeyError(f"no data set {name!r}; known are {', '.join(NAMES)}")
    if root is None:
        if "HNN_DATA" not in os.environ:
            raise FileNotFoundError("no folder given, and HNN_DATA does not name the one that holds hypergcn/")
        root = Path(os.environ["HNN_DATA"]) / "hypergcn"
    folder = root / FOLDERS[name]
    if not (folder / "hypergraph.pickle").is_file():
        raise FileNotFoundError(
            f"{folder / 'hypergraph.pickle'} is missing: "
            f"copy the folder `data` of github.com/malllabiisc/HyperGCN to {root}"
        )
    return folder


def _features(path: Path, num_nodes: int) -> sparse.csr_array | None:
    if not path.is_file():
        return None
    features = restricted_pickle.checked_csr(restricted_pickle.load(path), path)
    if features.shape[0] != num_nodes:
        raise ValueError(f"{path}: {features.shape[0]} rows, expected one for each of {num_nodes} nodes")
    return features


def _splits(folder: Path, num_nodes: int) -> tuple[Split, ...]:
    paths = sorted(folder.glob("*.pickle"), key=lambda path: int(path.stem))
    return tuple(_split(path, restricted_pickle.load(path), num_nodes) for path in paths)


def _split(path: Path, content: Any, num_nodes: int) -> Split:
    parts = []
    for part in ("train", "test"):
        if not isinstance(content, dict) or part not in content:
            raise ValueError(f"{path}: expected a dict with the lists 'train' and 'test'")
        nodes = np.asarray(content[part], dtype=np.int64)
        if len(nodes) and not 0 <= nodes.min() <= nodes.max() < num_nodes:
            raise ValueError(f"{path}: {part!r} has a node outside 0 to {num_nodes - 1}")
        parts.append(nodes)
    return Split(*parts)
