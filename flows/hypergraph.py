"""Stage hypergraph: from the extraction tables to the heterogeneous incidence matrix as Parquet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from flows.stage import Context, Stage, table_input


def run(context: Context) -> Mapping[str, Any]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from hnn_core import email_hypergraph, io
    from hnn_core.statistics import as_text, node_statistics

    def table(name: str, repeated: tuple[str, ...] = ()) -> pa.Table:
        columns = email_hypergraph.COLUMNS[name]
        return table_input(context.inputs, f"extract/{name}.parquet", columns, repeated)

    hypergraph = email_hypergraph.build(
        fragments=table("fragments"),
        entities=table("entities"),
        occurrences=table("occurrences", repeated=("fragment_id", "entity_id")),
        neighbours=table("neighbours", repeated=("source", "target", "relation")),
        types=context.config.hypergraph.types,
    )
    io.write_parquet(hypergraph, context.out)
    statistics = node_statistics(hypergraph)
    (context.out / "statistics.txt").write_text(as_text(statistics) + "\n", encoding="utf-8")
    rows = [asdict(row) for row in statistics]
    pq.write_table(pa.Table.from_pylist(rows), context.out / "statistics.parquet")
    return {
        "nodes": hypergraph.num_nodes,
        "hyperedges": hypergraph.num_hyperedges,
        "incidences": hypergraph.num_incidences,
        "statistics": rows,
        "artifacts": ["statistics.txt"],
    }


#: The tables later stages read the hypergraph from.
TABLES = ("hypergraph/nodes.parquet", "hypergraph/hyperedges.parquet", "hypergraph/incidence.parquet")


def read(inputs: Mapping[str, Path]) -> Any:
    """The hypergraph this stage published."""
    from hnn_core import io

    return io.read_parquet(inputs[TABLES[0]].parent)


STAGE = Stage(
    name="hypergraph",
    version=2,
    inputs=(
        "extract/fragments.parquet",
        "extract/entities.parquet",
        "extract/occurrences.parquet",
        "extract/neighbours.parquet",
    ),
    outputs=("nodes.parquet", "hyperedges.parquet", "incidence.parquet", "statistics.parquet", "statistics.txt"),
    run=run,
)
