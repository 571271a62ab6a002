"""Stage train: HNN and its variants for hyperedge prediction, and the style recommender."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flows.hypergraph import TABLES
from flows.stage import Context, Stage


def run(context: Context) -> Mapping[str, Any]:
    raise NotImplementedError


STAGE = Stage(
    name="train",
    version=1,
    inputs=(*TABLES, "features/node_features.parquet", "features/hyperedge_features.parquet"),
    outputs=("metrics.parquet", "curves.parquet"),
    run=run,
)
