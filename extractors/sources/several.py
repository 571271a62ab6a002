"""Several places as one corpus: a document that lies in two of them is one document."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

from extractors.sources.records import DocumentRecord
from extractors.sources.source import Known, Progress, Source
from extractors.store import DocumentStore


class SeveralSources(Source):
    kind = "several"

    def __init__(self, sources: Sequence[Source]) -> None:
        self._sources = sources

    def fingerprint(self) -> str | None:
        digest = hashlib.sha256()
        for source in self._sources:
            part = source.fingerprint()
            if part is None:
                return None
            digest.update(f"{source.kind}\0{part}\0".encode())
        return digest.hexdigest()

    def documents(self, store: DocumentStore, known: Known, progress: Progress) -> Iterator[DocumentRecord]:
        before = 0

        for source in self._sources:
            done = 0

            def count(files: int, total: int | None, before: int = before) -> None:
                nonlocal done
                done = files
                progress(before + files, None)

            yield from source.documents(store, known, count)
            before += done
