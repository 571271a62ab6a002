"""Stage features: φ and φ_e, the initial features of nodes and hyperedges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flows.hypergraph import TABLES, read
from flows.stage import Context, Stage


def run(context: Context) -> Mapping[str, Any]:
    from hnn_core import features

    config = context.config.features
    options = {"p": config.p, "q": config.q} if config.method == "node2vec" else {}
    derived = features.derive(read(context.inputs), method=config.method, dim=config.dim, seed=config.seed, **options)
    features.write_parquet(derived, context.out)
    return {"method": config.method, "nodes": derived.nodes.shape[0], "dimensions": derived.nodes.shape[1]}


STAGE = Stage(
    name="features",
    version=1,
    inputs=TABLES,
    outputs=("node_features.parquet", "hyperedge_features.parquet"),
    run=run,
)
