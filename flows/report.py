"""Stage report: the page a designer reads, and the inventory exports."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from flows.extract import html_of
from flows.stage import Context, Stage, table_input

TABLES = {
    "documents": "scrape/documents.parquet",
    "fragments": "extract/fragments.parquet",
    "entities": "extract/entities.parquet",
    "occurrences": "extract/occurrences.parquet",
    "neighbours": "extract/neighbours.parquet",
    "statistics": "hypergraph/statistics.parquet",
    "embeddings": "train/embeddings.parquet",
    "metrics": "recommend/metrics.parquet",
    "twins": "recommend/twins.parquet",
    "composed": "recommend/composed.parquet",
    "recommendations": "recommend/recommendations.parquet",
}


def run(context: Context) -> Mapping[str, Any]:
    from flows.pages import ReportInputs, write_report

    tables = {name: table_input(context.inputs, path) for name, path in TABLES.items()}
    inputs = ReportInputs(
        html_of=_reader(context, tables["documents"]),
        training=_training(context),
        curves=_curves(context),
        title=context.config.report.title,
        note=_source(tables["documents"]),
        **tables,
    )
    write_report(inputs, context.out, fragments=context.config.report.fragments)
    files = sorted(path for path in context.out.rglob("*") if path.is_file())
    return {
        "files": len(files),
        "bytes": sum(path.stat().st_size for path in files),
        "artifacts": [path.relative_to(context.out).as_posix() for path in files],
    }


def _source(documents: Any) -> str:
    """Told by the documents, which are an input of this stage, as the configured corpus is not."""
    kinds = sorted(set(documents["source"].to_pylist()))
    return f"Source: {', '.join(kinds)}" if kinds else ""


def _reader(context: Context, documents: Any) -> Callable[[str], str]:
    from extractors.store import DocumentStore

    store = DocumentStore(context.workspace.store)
    columns = documents.select(["doc_id", "sha256", "charset", "status"]).to_pylist()
    places = {row["doc_id"]: (row["sha256"], row["charset"]) for row in columns if row["status"] == "ok"}
    return lambda doc_id: html_of(store, *places[doc_id])


def _training(context: Context) -> Any:
    import pyarrow as pa

    metrics = table_input(context.inputs, "train/metrics.parquet").to_pylist()
    return pa.Table.from_pylist(
        [
            {"variant": f"{row['variant']} ({row['protocol']})", "auc": row["value"]}
            for row in metrics
            if row["metric"] == "auc"
        ],
        pa.schema([("variant", pa.string()), ("auc", pa.float64())]),
    )


def _curves(context: Context) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    curves = table_input(context.inputs, "train/curves.parquet")
    first = context.config.train.protocols[0]
    curves = curves.filter(pc.equal(curves["protocol"], first))
    return pa.table({"run": curves["variant"], **{name: curves[name] for name in ("epoch", "metric", "value")}})


STAGE = Stage(
    name="report",
    version=6,
    inputs=(*TABLES.values(), "train/metrics.parquet", "train/curves.parquet"),
    outputs=("report.html", "metrics.html"),
    run=run,
    also_reads=("train.protocols",),
)
