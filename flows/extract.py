"""Stage extract: from stored documents to fragments, entities, occurrences and neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

from flows.stage import Context, Stage, table_input

if TYPE_CHECKING:
    from extractors.extraction import ExtractOptions
    from extractors.store import DocumentStore


def run(context: Context) -> Mapping[str, Any]:
    from extractors.store import DocumentStore
    from extractors.writing import Source, write_tables

    store = DocumentStore(context.workspace.store)
    documents = table_input(context.inputs, "scrape/documents.parquet").select(
        ["doc_id", "location", "sha256", "charset", "status"]
    )
    sources = [
        Source(row["doc_id"], row["location"], partial(html_of, store, row["sha256"], row["charset"]))
        for batch in documents.to_batches()
        for row in batch.to_pylist()
        if row["status"] == "ok"
    ]
    context.progress.start("extract", total=len(sources))
    done = 0

    def show(documents_done: int, rejected: int) -> None:
        nonlocal done
        context.progress.advance(documents_done - done, note=f"{rejected} rejected")
        done = documents_done

    workers = context.config.execution.workers or None
    counts = write_tables(context.out, sources, options(context), workers, context.previous, show)
    return asdict(counts)


def html_of(store: DocumentStore, sha256: str, charset: str) -> str:
    """A stored document as text."""
    from extractors.charset import decode

    return decode(store.get(sha256), charset)[0]


def options(context: Context) -> ExtractOptions:
    from extractors.extraction import ExtractOptions
    from extractors.limits import Limits

    config = context.config.extract
    limits = Limits(max_bytes=context.config.scrape.max_bytes, seconds=config.seconds, memory_mb=config.memory_mb)
    return ExtractOptions(granularity=config.granularity, width=config.width, limits=limits)


STAGE = Stage(
    name="extract",
    version=1,
    inputs=("scrape/documents.parquet",),
    outputs=(
        "fragments.parquet",
        "entities.parquet",
        "occurrences.parquet",
        "neighbours.parquet",
        "rejects.parquet",
    ),
    run=run,
    also_reads=("scrape.max_bytes",),
    timeout_seconds=24 * 3600,
)
