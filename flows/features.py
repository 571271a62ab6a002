"""Stage features: φ and φ_e, the initial features of nodes and hyperedges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from flows.hypergraph import TABLES, read
from flows.runner import open_runner
from flows.stage import Context, Stage

NODES = "node_features.parquet"
HYPEREDGES = "hyperedge_features.parquet"


def run(context: Context) -> Mapping[str, Any]:
    from hnn_core import features

    config = context.config.features
    options: dict[str, Any] = {"p": config.p, "q": config.q} if config.method == "node2vec" else {}
    with _walks_elsewhere(context) as elsewhere:
        derived = features.derive(
            read(context.inputs), method=config.method, dim=config.dim, seed=config.seed, **options, **elsewhere
        )
    write_matrix(derived.nodes, context.out / NODES)
    write_matrix(derived.hyperedges, context.out / HYPEREDGES)
    return {"method": config.method, "nodes": derived.nodes.shape[0], "dimensions": derived.nodes.shape[1]}


@contextmanager
def _walks_elsewhere(context: Context) -> Iterator[dict[str, Any]]:
    """Walks on a cluster's workers, if there is one; other methods have nothing to spread."""
    execution = context.config.execution
    if execution.runner == "local" or context.config.features.method not in ("node2vec", "deepwalk"):
        yield {}
        return
    with open_runner(execution) as runner:
        yield {"map_batches": runner.map_batches}


def write_matrix(matrix: Any, path: Path) -> None:
    """A dense matrix as one column of fixed-size lists, a row of the matrix a row of the table."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    values = np.ascontiguousarray(matrix, dtype=np.float32)
    vectors = pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), values.shape[1])
    pq.write_table(pa.table({"features": vectors}), path)


def read_matrix(path: Path) -> Any:
    import pyarrow.parquet as pq

    column = pq.read_table(path)["features"].combine_chunks()
    return column.flatten().to_numpy().reshape(len(column), column.type.list_size).copy()


STAGE = Stage(
    name="features",
    version=5,
    inputs=TABLES,
    outputs=(NODES, HYPEREDGES),
    run=run,
)
