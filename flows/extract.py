"""Stage extract: from stored documents to fragments, entities, occurrences and neighbours."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from flows.stage import Context, Stage, table_input


def run(context: Context) -> Mapping[str, Any]:
    from extractors.extraction import ExtractionOptions
    from extractors.writing import write_tables

    documents = table_input(context.inputs, "scrape/documents.parquet")
    usable = [row for row in documents.to_pylist() if row["status"] == "ok"]
    context.progress.start("extract", total=len(usable))
    config = context.config.extract
    counts = write_tables(
        context.out,
        _tasks(usable, context.workspace.store),
        ExtractionOptions(
            granularity=config.granularity,
            width=config.width,
            seconds=config.seconds,
            memory_mb=config.memory_mb,
        ),
        workers=context.config.execution.workers or os.cpu_count() or 1,
        previous=context.previous,
        progress=context.progress.advance,
    )
    return counts


def _tasks(rows: list[dict[str, Any]], store: Path) -> Iterator[Any]:
    raise NotImplementedError


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
)
