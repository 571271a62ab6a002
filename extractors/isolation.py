"""Many emails extracted in isolated workers, in order; what ends a worker is a row of its document."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence

from extractors import pool
from extractors.nursery import Nursery
from extractors.packing import PackedDocument, attempt_and_pack, pack
from extractors.tasks import ExtractOptions, ExtractTask, refuse
from extractors.worker import Job

_IMPORTS = ("extractors.packing", "extractors.practice:extract_practice_emails")
_TELLING = 1000  # characters of a style sheet that tell it from others


def nursery(workers: int | None = None) -> Nursery:
    """For those who know early that there will be documents: ``workers`` can be had from it in no time."""
    return Nursery(_IMPORTS, workers or pool.available_cores())


def extract_documents(
    tasks: Iterable[ExtractTask],
    options: ExtractOptions | None = None,
    workers: int | None = None,
    keep: bool = False,
    nursery: Nursery | None = None,
) -> Iterator[PackedDocument]:
    """Each task's rows, in order, extracted in worker processes with the limits of ``options``.

    They start at once; the next call that may ``keep`` them finds them there.
    """
    options = options or ExtractOptions()
    names: deque[tuple[str, str]] = deque()  # of the documents under way

    def remember() -> Iterator[ExtractTask]:
        for task in tasks:
            names.append((task.doc_id, task.location))
            yield task

    job: Job[ExtractTask, PackedDocument] = Job(
        attempt_and_pack,
        (options,),
        seconds=options.limits.seconds,
        memory_mb=options.limits.memory_mb,
        imports=_IMPORTS,
    )
    answers = pool.run(job, remember(), workers, lambda task: len(task.html), keep, _style_sheet, nursery)
    return _refused_if_lost(answers, names)


def extract_batch(batch: Sequence[ExtractTask], options: ExtractOptions) -> list[PackedDocument]:
    """Each document's rows, extracted in one isolated process: what an engine runs on its workers, batch by batch."""
    return list(extract_documents(batch, options, workers=1, keep=True))


def _style_sheet(task: ExtractTask) -> int:
    """Emails of one template share its first rules, or at least how they begin: rules are read once a worker."""
    begin = max(0, task.html.find("<style"))
    return hash(task.html[begin : begin + _TELLING])


def _refused_if_lost(
    answers: Iterator[PackedDocument | pool.Lost], names: deque[tuple[str, str]]
) -> Iterator[PackedDocument]:
    for answer in answers:
        doc_id, location = names.popleft()
        if isinstance(answer, pool.Lost):
            yield pack(refuse(doc_id, location, answer.reason, answer.detail))
        else:
            yield answer
