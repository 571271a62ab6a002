"""Raw documents, each once, by the SHA-256 of its bytes.

One SQLite file rather than a file a document: measured on 10,000 documents of 30 kB, writing beside, syncing and
renaming costs 1.5 to 5.8 ms each (directory entries and journal commits, not data), a batch committed to SQLite 0.3 ms
with the same promise: after a kill or a power cut a document is there whole or not at all, and two processes may write
at once. Compressed, real emails take a sixth of their size.
"""

from __future__ import annotations

import errno
import hashlib
import os
import sqlite3
import threading
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

_SCHEMA = """
CREATE TABLE IF NOT EXISTS documents (
    id INTEGER PRIMARY KEY,  -- in order of arrival, so that reading a corpus in its order is reading the file in order
    sha256 BLOB NOT NULL UNIQUE,
    body BLOB NOT NULL       -- zlib
)
"""
_PAGE_BYTES = 16_384  # an email is tens of kB: fewer overflow pages
_COMPRESSION = 3  # on real emails faster than 1, and within a tenth of 6
_BATCH_BYTES = 8_000_000
_BATCH_DOCUMENTS = 512
_PATIENCE_SECONDS = 120.0  # while another process commits


class StoreError(Exception):
    """The store cannot do its work; the message says what to do."""


class MissingDocumentError(StoreError, KeyError):
    """No such document."""

    __str__ = Exception.__str__  # KeyError would show the message in quotes


class DocumentStore:
    """Content-addressed documents in ``root``. Cheap to create; safe to pickle and to use after a fork."""

    def __init__(self, root: Path) -> None:
        self.root = Path(root)
        self.path = self.root / "documents.sqlite"
        self._pending: dict[str, bytes] = {}
        self._pending_bytes = 0
        self._batching = False
        self._local = threading.local()

    def __reduce__(self) -> tuple[type[DocumentStore], tuple[Path]]:
        return type(self), (self.root,)

    def put(self, raw: bytes) -> str:
        """Keep ``raw`` and return its SHA-256. On disk when this returns, or when the surrounding batch commits."""
        sha256 = hashlib.sha256(raw).hexdigest()
        if sha256 not in self:
            self._pending[sha256] = zlib.compress(raw, _COMPRESSION)
            self._pending_bytes += len(self._pending[sha256])
        full = self._pending_bytes >= _BATCH_BYTES or len(self._pending) >= _BATCH_DOCUMENTS
        if full or not self._batching:
            self.flush()
        return sha256

    def get(self, sha256: str) -> bytes:
        """The document, checked against its hash. A damaged one is dropped, so that the next scrape restores it."""
        body = self._pending.get(sha256) or self._body(sha256)
        if body is None:
            raise MissingDocumentError(f"{self.path}: document {sha256[:16]} is not there; run scrape again")
        try:
            raw = zlib.decompress(body)
        except zlib.error:
            raw = b""
        if hashlib.sha256(raw).hexdigest() != sha256:
            with self._connection() as connection:
                connection.execute("DELETE FROM documents WHERE sha256 = ?", (bytes.fromhex(sha256),))
            raise MissingDocumentError(
                f"{self.path}: document {sha256[:16]} was damaged and is dropped; run scrape again"
            )
        return raw

    def __contains__(self, sha256: object) -> bool:
        if not isinstance(sha256, str) or len(sha256) != 64:
            return False
        if sha256 in self._pending:
            return True
        with self._connection() as connection:
            found = connection.execute("SELECT 1 FROM documents WHERE sha256 = ?", (bytes.fromhex(sha256),))
            return found.fetchone() is not None

    def sizes(self) -> Iterator[tuple[str, int]]:
        """Every document and the bytes it takes."""
        if not self.path.exists():
            return
        with self._connection() as connection:
            for sha256, size in connection.execute("SELECT sha256, length(body) FROM documents"):
                yield bytes(sha256).hex(), int(size)

    def remove(self, documents: Iterable[str]) -> None:
        """Forget documents and give their space back; a kill leaves all of them or none."""
        with self._connection() as connection:
            connection.execute("BEGIN IMMEDIATE")
            rows = ((bytes.fromhex(sha256),) for sha256 in documents)
            connection.executemany("DELETE FROM documents WHERE sha256 = ?", rows)
            connection.execute("COMMIT")
            connection.execute("VACUUM")

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Commit in groups: within it a document is visible through this object, afterwards it is on disk."""
        self._batching, outer = True, self._batching
        try:
            yield
        finally:
            self._batching = outer
            self.flush()

    def flush(self) -> None:
        """Commit what is pending. The lock is held for this one write only, never while a caller computes."""
        if not self._pending:
            return
        rows = [(bytes.fromhex(sha256), body) for sha256, body in self._pending.items()]
        with self._connection() as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany("INSERT OR IGNORE INTO documents (sha256, body) VALUES (?, ?)", rows)
            connection.execute("COMMIT")
        self._pending.clear()
        self._pending_bytes = 0

    def _body(self, sha256: str) -> bytes | None:
        with self._connection() as connection:
            row = connection.execute("SELECT body FROM documents WHERE sha256 = ?", (bytes.fromhex(sha256),)).fetchone()
        return None if row is None else bytes(row[0])

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        """This thread's connection; SQLite forbids carrying one across a fork."""
        try:
            if getattr(self._local, "pid", None) != os.getpid():
                self.root.mkdir(parents=True, exist_ok=True)
                self._local.connection = connect(self.path, _SCHEMA, page_bytes=_PAGE_BYTES)
                self._local.pid = os.getpid()
            yield self._local.connection
        except sqlite3.Error as error:
            if getattr(self._local, "pid", None) == os.getpid():
                self._local.connection.rollback()
            raise explained(error, self.path) from error


def connect(path: Path, schema: str, page_bytes: int = 4096) -> sqlite3.Connection:
    """A connection in autocommit mode whose commits survive a power cut."""
    connection = sqlite3.connect(path, timeout=_PATIENCE_SECONDS, isolation_level=None, check_same_thread=False)
    connection.execute(f"PRAGMA page_size = {page_bytes}")
    connection.execute("PRAGMA synchronous = FULL")
    connection.executescript(schema)
    return connection


def explained(error: sqlite3.Error, path: Path) -> OSError | StoreError:
    """A full disk as the operating system says it; anything else with what to do about it."""
    if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL:
        return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
    if isinstance(error, sqlite3.OperationalError):
        return StoreError(f"{path}: {error}; is the folder writable, and not held by another run?")
    return StoreError(f"{path}: {error}; delete this file and run scrape again")
