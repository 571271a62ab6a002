"""Stage hypergraph: from the extraction tables to the heterogeneous incidence matrix as Parquet."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from flows.stage import Context, Stage, table_input


def run(context: Context) -> Mapping[str, Any]:
    import pyarrow.parquet as pq

    from hnn_core import email_hypergraph, io

    hypergraph = email_hypergraph.build(
        fragments=table_input(context.inputs, "extract/fragments.parquet"),
        entities=table_input(context.inputs, "extract/entities.parquet"),
        occurrences=table_input(context.inputs, "extract/occurrences.parquet"),
        neighbours=table_input(context.inputs, "extract/neighbours.parquet"),
        types=context.config.hypergraph.types,
    )
    io.write_parquet(hypergraph, context.out)
    statistics = email_hypergraph.statistics(hypergraph)
    pq.write_table(statistics, context.out / "statistics.parquet")
    return {
        "nodes": hypergraph.num_nodes,
        "hyperedges": hypergraph.num_hyperedges,
        "incidences": hypergraph.num_incidences,
        "statistics": statistics.to_pylist(),
    }


#: The tables later stages read the hypergraph from.
TABLES = ("hypergraph/nodes.parquet", "hypergraph/hyperedges.parquet", "hypergraph/incidence.parquet")


def read(inputs: Mapping[str, Path]) -> Any:
    """The hypergraph this stage published."""
    from hnn_core import io

    return io.read_parquet(inputs[TABLES[0]].parent)


STAGE = Stage(
    name="hypergraph",
    version=1,
    inputs=(
        "extract/fragments.parquet",
        "extract/entities.parquet",
        "extract/occurrences.parquet",
        "extract/neighbours.parquet",
    ),
    outputs=("nodes.parquet", "hyperedges.parquet", "incidence.parquet", "statistics.parquet"),
    run=run,
)
