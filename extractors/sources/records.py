"""The table of documents: one record for each that went in, used or not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from functools import cached_property
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from extractors.tables import DOCUMENTS

_BATCH = 4096
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """A row of ``tables.DOCUMENTS``."""

    doc_id: str
    sender: str
    source: str
    location: str
    subject: str
    fetched_at: datetime | None
    sha256: str
    bytes: int
    charset: str
    status: str
    reason: str


def write_records(path: Path, records: Iterable[DocumentRecord]) -> int:
    """Stream records to Parquet and return their number; the same records give the same bytes."""
    rows = iter(records)
    written = 0
    with pq.ParquetWriter(path, DOCUMENTS, compression="zstd") as writer:
        while batch := list(islice(rows, _BATCH)):
            columns = {name: [getattr(record, name) for record in batch] for name in DOCUMENTS.names}
            writer.write_table(pa.table(columns, schema=DOCUMENTS))
            written += len(batch)
    return written


def read_records(path: Path) -> Mapping[str, DocumentRecord]:
    """Earlier records by location. The file is read when the first one is asked for: most sources never ask."""
    return _RecordsByLocation(path)


class _RecordsByLocation(Mapping[str, DocumentRecord]):
    def __init__(self, path: Path) -> None:
        self._path = path

    @cached_property
    def _records(self) -> dict[str, DocumentRecord]:
        names = [field.name for field in fields(DocumentRecord)]
        rows = pq.read_table(self._path, columns=names).to_pylist()
        return {row["location"]: DocumentRecord(**row) for row in rows}

    def __getitem__(self, location: str) -> DocumentRecord:
        return self._records[location]

    def __iter__(self) -> Iterator[str]:
        return iter(self._records)

    def __len__(self) -> int:
        return len(self._records)


def printable(text: str, limit: int = 1000) -> str:
    """One line that a terminal, a table and a page can show: no control, direction or surrogate characters."""
    escaped = _UNPRINTABLE.sub(lambda match: match.group().encode("unicode_escape", "surrogatepass").decode(), text)
    return escaped if len(escaped) <= limit else escaped[: limit - 1] + "…"
