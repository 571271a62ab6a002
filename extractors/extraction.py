"""One email's HTML to rows of the five tables; whatever goes wrong is a row too."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from extractors.document import Document
from extractors.entities import EntityCollector, canonical_json, entity_id
from extractors.fragments import segment
from extractors.limits import Rejected
from extractors.tasks import DocumentTables, ExtractOptions, ExtractTask, Row, refuse

_FRAMES_PER_LEVEL = 8


def extract(html: str, doc_id: str, options: ExtractOptions | None = None) -> DocumentTables:
    """Fragments, entities, occurrences and neighbours of one email; raises only :class:`Rejected`."""
    options = options or ExtractOptions()
    with _deep_enough(options.limits.max_depth), _no_collector():
        return _extract(html, doc_id, options)


@contextmanager
def _deep_enough(depth: int) -> Iterator[None]:
    """Layout descends the tree, and the pre-scan has bounded how deep that can be. Others rely on the usual limit."""
    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(max(usual, depth * _FRAMES_PER_LEVEL + 1000))
    try:
        yield
    finally:
        sys.setrecursionlimit(usual)


@contextmanager
def _no_collector() -> Iterator[None]:
    """Extraction makes many objects and no reference cycles: looking for those took a twelfth of its time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _extract(html: str, doc_id: str, options: ExtractOptions) -> DocumentTables:
    document = Document.from_html(html, options.width, options.limits)
    segmentation = segment(document, options.granularity)
    if not segmentation.fragments:
        raise Rejected("empty", "nothing in it can be seen")
    ids = [f"{doc_id}#{fragment.position}" for fragment in segmentation.fragments]
    collector = EntityCollector(document, segmentation)
    known: dict[tuple[str, str], Row] = {}
    occurrences: list[Row] = []
    for fragment_id, fragment in zip(ids, segmentation.fragments, strict=True):
        for found in collector.of(fragment):
            identity = (found.type, found.signature)
            row = known.get(identity)
            if row is None:
                row = known[identity] = (entity_id(*identity), *identity, canonical_json(found.attributes))
            occurrences.append((fragment_id, row[0], found.count, found.from_button, found.element))
    return DocumentTables(
        fragments=tuple(
            (
                i,
                doc_id,
                f.position,
                f.kind,
                f.element,
                list(f.elements),
                f.row,
                f.column,
                f.background,
                list(f.corners),
                f.text,
            )
            for i, f in zip(ids, segmentation.fragments, strict=True)
        ),
        entities=tuple(known.values()),
        occurrences=tuple(occurrences),
        neighbours=tuple((ids[a], ids[b], relation) for a, b, relation in segmentation.neighbours),
    )


def attempt(task: ExtractTask, options: ExtractOptions) -> DocumentTables:
    """:func:`extract`, with whatever goes wrong turned into a row: one document never stops a run."""
    if task.problem:
        return refuse(task.doc_id, task.location, "unreadable", task.problem)
    try:
        return extract(task.html, task.doc_id, options)
    except Rejected as rejected:
        return refuse(task.doc_id, task.location, rejected.reason, rejected.detail)
    except MemoryError:
        return refuse(task.doc_id, task.location, "memory", f"more than {options.limits.memory_mb} MB")
    except RecursionError:
        return refuse(task.doc_id, task.location, "too-deep", "nested deeper than the interpreter's stack")
    except Exception as error:
        return refuse(task.doc_id, task.location, "error", f"{type(error).__name__}: {error}"[:500])
