"""What the report is made of: tables by name, each with the columns it must have.

A table may be empty (a stage that was not run, a corpus without buttons) and may carry further columns; a
missing column is an error that names it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields

import pyarrow as pa

from extractors import tables

STATISTICS = pa.schema(  # hnn_core.statistics.NodeStatistics
    [
        pa.field("type", pa.string()),
        pa.field("nodes", pa.int64()),
        pa.field("max_degree", pa.int64()),
        pa.field("mean_degree", pa.float64()),
        pa.field("median_degree", pa.float64()),
    ]
)

TRAINING = pa.schema([pa.field("variant", pa.string()), pa.field("auc", pa.float64())])  # + any figure

CURVES = pa.schema(
    [
        pa.field("run", pa.string()),
        pa.field("epoch", pa.int64()),
        pa.field("metric", pa.string()),
        pa.field("value", pa.float64()),
    ]
)

METRICS = pa.schema(  # one row a seed where several were run: the page shows mean ± deviation
    [
        pa.field("target", pa.string()),  # an entity type
        pa.field("protocol", pa.string()),
        pa.field("method", pa.string()),
        pa.field("metric", pa.string()),  # hr_at_10, ndcg_at_10, mrr, …
        pa.field("value", pa.float64()),
        pa.field("ceiling", pa.float64()),  # share of test links whose style exists in training
        pa.field("links", pa.int64()),  # test links the value is a mean of
    ]
)

TWINS = METRICS.append(pa.field("twin", pa.string()))  # by how near the nearest training email is

COMPOSED = pa.schema(  # button styles put together for senders nobody has seen
    [
        pa.field("protocol", pa.string()),
        pa.field("method", pa.string()),
        pa.field("attribute", pa.string()),  # background, color, size, radius, all, readable, visible
        pa.field("value", pa.float64()),  # share of buttons
        pa.field("buttons", pa.int64()),  # it is a share of
    ]
)

RECOMMENDATIONS = pa.schema(
    [
        pa.field("fragment_id", pa.string()),
        pa.field("target", pa.string()),
        pa.field("rank", pa.int64()),  # from 1; 0 for a composed style
        pa.field("entity_id", pa.string()),  # "" for a composed style that the catalogue does not hold
        pa.field("signature", pa.string()),  # of the style, so that composed ones can be drawn
        pa.field("score", pa.float64()),
        pa.field("truth", pa.bool_()),  # the held-out style of this fragment
        pa.field("explanation", pa.list_(pa.string())),  # fragment or entity ids, or words, nearest first
    ]
)

EMBEDDINGS = pa.schema([pa.field("entity_id", pa.string()), pa.field("vector", pa.list_(pa.float32()))])


@dataclass(frozen=True)
class ReportInputs:
    """Everything `write_report` looks at. ``html_of`` gives a document's HTML by its ``doc_id``."""

    html_of: Callable[[str], str]
    documents: pa.Table = field(default_factory=tables.DOCUMENTS.empty_table)
    fragments: pa.Table = field(default_factory=tables.FRAGMENTS.empty_table)
    entities: pa.Table = field(default_factory=tables.ENTITIES.empty_table)
    occurrences: pa.Table = field(default_factory=tables.OCCURRENCES.empty_table)
    neighbours: pa.Table = field(default_factory=tables.NEIGHBOURS.empty_table)
    statistics: pa.Table = field(default_factory=STATISTICS.empty_table)
    training: pa.Table = field(default_factory=TRAINING.empty_table)
    curves: pa.Table = field(default_factory=CURVES.empty_table)
    metrics: pa.Table = field(default_factory=METRICS.empty_table)
    twins: pa.Table = field(default_factory=TWINS.empty_table)
    composed: pa.Table = field(default_factory=COMPOSED.empty_table)
    recommendations: pa.Table = field(default_factory=RECOMMENDATIONS.empty_table)
    embeddings: pa.Table = field(default_factory=EMBEDDINGS.empty_table)
    title: str = "Style audit"
    note: str = ""  # e.g. when and from what it was made; nothing here reads the clock

    def __post_init__(self) -> None:
        for table in fields(self):
            schema = SCHEMAS.get(table.name)
            if schema is None:
                continue
            missing = [name for name in schema.names if name not in getattr(self, table.name).column_names]
            if missing:
                raise ValueError(
                    f"report input {table.name!r} lacks the column(s) {', '.join(missing)}; "
                    f"it has {', '.join(getattr(self, table.name).column_names) or 'none'}"
                )


SCHEMAS: dict[str, pa.Schema] = {
    "documents": tables.DOCUMENTS,
    "fragments": tables.FRAGMENTS,
    "entities": tables.ENTITIES,
    "occurrences": tables.OCCURRENCES,
    "neighbours": tables.NEIGHBOURS,
    "statistics": STATISTICS,
    "training": TRAINING,
    "curves": CURVES,
    "metrics": METRICS,
    "twins": TWINS,
    "composed": COMPOSED,
    "recommendations": RECOMMENDATIONS,
    "embeddings": EMBEDDINGS,
}
