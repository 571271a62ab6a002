"""What earlier runs read: unchanged files are not opened again, unchanged pages not sent again.

A memory beside the documents, not a record of truth: lost or damaged, it costs one full reading.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from time import monotonic
from types import TracebackType
from typing import Any

from extractors.sources.readings import Reading
from extractors.store import DocumentStore, connect, explained

_SCHEMA = """
CREATE TABLE IF NOT EXISTS files (
    file BLOB PRIMARY KEY,
    stamp TEXT NOT NULL,
    documents INTEGER NOT NULL,
    first TEXT NOT NULL  -- most files hold one document: one row to ask for
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS more (  -- the other documents of mailboxes and archives
    file BLOB, position INTEGER, reading TEXT NOT NULL, PRIMARY KEY (file, position)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS pages (
    address BLOB PRIMARY KEY,  -- hashed, for it may hold a secret
    etag TEXT NOT NULL, modified TEXT NOT NULL, fetched_at TEXT NOT NULL, reading TEXT NOT NULL
) WITHOUT ROWID;
"""
_BATCH = 512
_SECONDS = 5.0  # a polite crawl reads a page a second: a kill should not cost it many


@dataclass(frozen=True)
class Page:
    """An earlier answer of the web, and what to send so that it comes again only if it changed."""

    etag: str
    modified: str
    fetched_at: datetime
    reading: Reading


class Ledger:
    """Writes are gathered and committed after the documents they speak of; reads never hold a lock."""

    def __init__(self, store: DocumentStore) -> None:
        self._store = store
        self._path = store.root / "ledger.sqlite"
        self._writes: list[tuple[str, tuple[object, ...]]] = []
        self._flushed_at = monotonic()
        store.root.mkdir(parents=True, exist_ok=True)
        try:
            self._database = connect(self._path, _SCHEMA)
        except sqlite3.OperationalError as error:
            raise explained(error, self._path) from error
        except sqlite3.DatabaseError:
            self._path.unlink()
            self._database = connect(self._path, _SCHEMA)

    def __enter__(self) -> Ledger:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.flush()
        finally:
            self._database.close()

    def recall_file(self, file: bytes, stamp: str) -> Iterator[Reading] | None:
        """The documents of a file that has not changed since and whose documents are all still stored."""
        row = self._one("SELECT documents, first FROM files WHERE file = ? AND stamp = ?", (file, stamp))
        if row is None or sum(map(self._stored, self._readings(file, *row))) != row[0]:
            return None
        return self._readings(file, *row)

    def remember_file(
        self, file: bytes, stamp: str, readings: Iterator[Reading], is_reliable: Callable[[], bool]
    ) -> Iterator[Reading]:
        """Pass the documents of a file on; it counts as read when the last has passed and it is still the same file."""
        count, first = 0, ""
        for count, reading in enumerate(readings, start=1):
            if count == 1:
                first = reading.to_json()
            else:
                if count == 2:
                    self._write("DELETE FROM files WHERE file = ?", (file,))
                    self._write("DELETE FROM more WHERE file = ?", (file,))
                self._write("INSERT OR REPLACE INTO more VALUES (?, ?, ?)", (file, count, reading.to_json()))
            yield reading
        if is_reliable():
            self._write("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?)", (file, stamp, count, first))

    def recall_page(self, address: bytes) -> Page | None:
        row = self._one("SELECT etag, modified, fetched_at, reading FROM pages WHERE address = ?", (address,))
        if row is None:
            return None
        page = Page(row[0], row[1], datetime.fromisoformat(row[2]), Reading.from_json(row[3]))
        return page if self._stored(page.reading) else None

    def remember_page(self, address: bytes, page: Page) -> None:
        row = (address, page.etag, page.modified, page.fetched_at.isoformat(), page.reading.to_json())
        self._write("INSERT OR REPLACE INTO pages VALUES (?, ?, ?, ?, ?)", row)

    def flush(self) -> None:
        self._flushed_at = monotonic()
        self._store.flush()
        if not self._writes:
            return
        try:
            self._database.execute("BEGIN IMMEDIATE")
            for statement, values in self._writes:
                self._database.execute(statement, values)
            self._database.execute("COMMIT")
        except sqlite3.Error as error:
            with suppress(sqlite3.Error):
                self._database.rollback()
            raise explained(error, self._path) from error
        self._writes.clear()

    def _stored(self, reading: Reading) -> bool:
        return bool(reading.reason) or reading.sha256 in self._store

    def _readings(self, file: bytes, documents: int, first: str) -> Iterator[Reading]:
        yield Reading.from_json(first)
        query = "SELECT reading FROM more WHERE file = ? AND position BETWEEN ? AND ? ORDER BY position"
        for start in range(2, documents + 1, _BATCH):
            for (text,) in self._database.execute(query, (file, start, start + _BATCH - 1)).fetchall():
                yield Reading.from_json(text)

    def _one(self, query: str, values: tuple[object, ...]) -> tuple[Any, ...] | None:
        try:
            row: tuple[Any, ...] | None = self._database.execute(query, values).fetchone()
        except sqlite3.Error as error:
            raise explained(error, self._path) from error
        return row

    def _write(self, statement: str, values: tuple[object, ...]) -> None:
        self._writes.append((statement, values))
        if len(self._writes) >= _BATCH or monotonic() - self._flushed_at > _SECONDS:
            self.flush()
