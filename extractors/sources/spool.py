"""Rows on disk for the time of one reading, so that memory does not grow with the number of documents."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace

from extractors.sources.records import DocumentRecord


class Spool:
    """Rows that come in any order and leave sorted by key, then by arrival."""

    def __init__(self) -> None:
        self._database = scratch()
        self._database.execute("CREATE TABLE rows (key BLOB NOT NULL, value BLOB NOT NULL)")

    def add(self, key: bytes, value: bytes = b"") -> None:
        self._database.execute("INSERT INTO rows VALUES (?, ?)", (key, value))

    def __len__(self) -> int:
        return int(self._database.execute("SELECT count(*) FROM rows").fetchone()[0])

    def __iter__(self) -> Iterator[tuple[bytes, bytes]]:
        return iter(self._database.execute("SELECT key, value FROM rows ORDER BY key, rowid"))

    def close(self) -> None:
        self._database.close()


def mark_duplicates(records: Iterable[DocumentRecord]) -> Iterator[DocumentRecord]:
    """The second and later documents with the same bytes, each naming the first."""
    with closing(scratch()) as seen:
        seen.execute("CREATE TABLE seen (sha256 TEXT PRIMARY KEY, location TEXT NOT NULL) WITHOUT ROWID")
        for record in records:
            if record.status != "ok":
                yield record
                continue
            inserted = seen.execute("INSERT OR IGNORE INTO seen VALUES (?, ?)", (record.sha256, record.location))
            if inserted.rowcount:
                yield record
            else:
                (first,) = seen.execute("SELECT location FROM seen WHERE sha256 = ?", (record.sha256,)).fetchone()
                yield replace(record, status="duplicate", reason=f"same content as {first}")


def scratch() -> sqlite3.Connection:
    """A private database that SQLite spills to a temporary file and removes."""
    database = sqlite3.connect("", isolation_level=None, check_same_thread=False)
    database.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16000")
    return database
