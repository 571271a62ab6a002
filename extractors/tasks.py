"""What is asked of extraction and what comes back: plain values that travel between processes.

The stage hands them round and never reads an email itself: nothing here imports a parser, nor what bounds one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from extractors.fragments import Granularity
    from extractors.limits import Limits

Row = tuple[Any, ...]


def _limits() -> Limits:
    from extractors.limits import Limits

    return Limits()


@dataclass(frozen=True, slots=True)
class ExtractOptions:
    width: int = 800
    granularity: Granularity = "card"
    limits: Limits = field(default_factory=_limits)


class DocumentTables(NamedTuple):
    """One document's rows, in the column order of :mod:`extractors.tables`."""

    fragments: tuple[Row, ...] = ()
    entities: tuple[Row, ...] = ()
    occurrences: tuple[Row, ...] = ()
    neighbours: tuple[Row, ...] = ()
    rejects: tuple[Row, ...] = ()


class ExtractTask(NamedTuple):
    """A document to extract; ``problem`` says why its HTML could not be had."""

    doc_id: str
    location: str
    html: str
    problem: str = ""


def refuse(doc_id: str, location: str, reason: str, detail: str) -> DocumentTables:
    return DocumentTables(rejects=((doc_id, location, reason, detail),))
