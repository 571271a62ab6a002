"""Stage extract: from stored documents to fragments, entities, occurrences and neighbours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import asdict
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from flows.runner import Runner, open_runner
from flows.stage import Context, Stage, table_input

if TYPE_CHECKING:
    from extractors.nursery import Nursery
    from extractors.packing import PackedDocument
    from extractors.store import DocumentStore
    from extractors.tasks import ExtractOptions, ExtractTask
    from extractors.writing import Engine, Source
    from flows.config import Config, ExecutionConfig


def run(context: Context) -> Mapping[str, Any]:
    execution = context.config.execution
    nursery = context.prepared or prepare(context.config)  # it comes up while this process finds out what is new
    with nursery or nullcontext():
        from extractors.writing import write_tables

        sources = sources_of(context)
        context.progress.start("extract", total=len(sources))
        done = 0

        def show(documents_done: int, rejected: int) -> None:
            nonlocal done
            context.progress.advance(documents_done - done, note=f"{rejected} rejected")
            done = documents_done

        with engine_of(execution, len(sources), nursery) as engine:
            counts = write_tables(context.out, sources, options(context), None, context.previous, show, engine)
    return asdict(counts)


def sources_of(context: Context) -> list[Source]:
    from extractors.pages import small_pages
    from extractors.store import DocumentStore
    from extractors.writing import Source

    store = DocumentStore(context.workspace.store)
    columns = ["doc_id", "location", "sha256", "charset", "status"]
    with small_pages():
        documents = table_input(context.inputs, "scrape/documents.parquet", columns)
    rows = zip(*(documents.column(name).to_pylist() for name in columns), strict=True)
    return [
        Source(doc_id, location, partial(html_of, store, sha256, charset))
        for doc_id, location, sha256, charset, status in rows
        if status == "ok"
    ]


def prepare(config: Config) -> Nursery | None:
    """What this machine's own workers are forked from comes up while the run asks its servers and fetches emails."""
    from extractors.isolation import nursery

    execution = config.execution
    return nursery(execution.workers or None) if execution.runner == "local" else None  # a cluster has its own


@contextmanager
def engine_of(execution: ExecutionConfig, documents: int, nursery: Nursery | None = None) -> Iterator[Engine]:
    """Extraction in this machine's own processes, or in batches on a cluster's workers."""
    if execution.runner == "local":
        from extractors.isolation import extract_documents

        yield partial(extract_documents, workers=execution.workers or None, nursery=nursery)
        return
    with open_runner(execution) as runner:
        yield spread(runner, batch_size(documents, runner.workers))


def spread(runner: Runner, size: int) -> Engine:
    """An engine for ``write_tables`` that hands ``size`` documents at a time to a runner's workers."""
    from extractors.bundling import bundle, extract_bundle, unbundle

    def engine(tasks: Iterable[ExtractTask], options: ExtractOptions) -> Iterator[PackedDocument]:
        rest = iter(tasks)
        batches = iter(lambda: list(islice(rest, size)), [])
        for results in runner.map_batches(extract_bundle, map(bundle, batches), options):
            yield from unbundle(results)

    return engine


def batch_size(documents: int, workers: int) -> int:
    """A batch costs milliseconds to hand over, and its rows lie in memory: 512 documents; few are shared out.

    Eight batches a worker: at the end one of them waits for the others for half a batch, a sixteenth of its time.
    """
    return max(32, min(512, documents // (8 * workers)))


def html_of(store: DocumentStore, sha256: str, charset: str) -> str:
    """A stored document as text."""
    from extractors.charset import decode

    return decode(store.get(sha256), charset)[0]


def options(context: Context) -> ExtractOptions:
    from extractors.limits import Limits
    from extractors.tasks import ExtractOptions

    config = context.config.extract
    limits = Limits(max_bytes=context.config.scrape.max_bytes, seconds=config.seconds, memory_mb=config.memory_mb)
    return ExtractOptions(granularity=config.granularity, width=config.width, limits=limits)


STAGE = Stage(
    name="extract",
    version=7,
    inputs=("scrape/documents.parquet",),
    outputs=(
        "fragments.parquet",
        "entities.parquet",
        "occurrences.parquet",
        "neighbours.parquet",
        "rejects.parquet",
    ),
    run=run,
    prepare=prepare,
    also_reads=("scrape.max_bytes",),
    timeout_seconds=24 * 3600,
)
