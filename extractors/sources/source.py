"""What every source is: something that yields one record for each document in it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from extractors.sources.records import DocumentRecord
from extractors.sources.spool import mark_duplicates
from extractors.store import DocumentStore

Known = Mapping[str, DocumentRecord]
Progress = Callable[[int, int | None], None]  # files or pages done, and how many there are if that is known

NOTHING_KNOWN: Known = MappingProxyType({})


class SourceError(Exception):
    """The source as a whole cannot be read. One line that says what was expected."""


def silent(done: int, total: int | None) -> None:
    """The progress of nobody who watches."""


class Source(ABC):
    """A place with emails. Reading it twice gives equal records; what cannot be used is a record with its reason."""

    kind: str

    @abstractmethod
    def fingerprint(self) -> str | None:
        """Changes when the content does, without reading it; None where only asking can tell."""

    @abstractmethod
    def documents(self, store: DocumentStore, known: Known, progress: Progress) -> Iterator[DocumentRecord]:
        """One record a document, in an order that does not depend on chance, duplicates not yet marked."""

    def read(
        self, store: DocumentStore, known: Known = NOTHING_KNOWN, progress: Progress = silent
    ) -> Iterator[DocumentRecord]:
        """Store what is new and yield a record for every document, in a fixed order.

        ``known`` are the records of an earlier run by location: the web's first fetch is remembered from there if the
        store's own memory was lost. Documents are on disk when the iterator ends or is closed.
        """
        with store.batch():
            yield from mark_duplicates(self.documents(store, known, progress))
