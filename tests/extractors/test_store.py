"""A document goes in once and comes out whole, whoever else writes and whenever the process dies."""

from __future__ import annotations

import errno
import hashlib
import multiprocessing
import os
import pickle
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractors.store import DocumentStore, MissingDocumentError, StoreError


def rows(store: DocumentStore) -> int:
    with sqlite3.connect(store.path) as connection:
        return int(connection.execute("SELECT count(*) FROM documents").fetchone()[0])


def test_a_document_is_stored_once_under_its_hash(tmp_path: Path) -> None:
    store = DocumentStore(tmp_path / "store")
    sha256 = store.put(b"<p>one</p>")
    assert store.put(b"<p>one</p>") == sha256 == hashlib.sha256(b"<p>one</p>").hexdigest()
    assert sha256 in store
    assert rows(store) == 1
    assert DocumentStore(tmp_path / "store").get(sha256) == b"<p>one</p>"


@given(st.lists(st.binary(max_size=2000), max_size=20))
def test_any_bytes_come_back(tmp_path_factory: pytest.TempPathFactory, documents: list[bytes]) -> None:
    store = DocumentStore(tmp_path_factory.mktemp("store"))
    with store.batch():
        names = [store.put(raw) for raw in documents]
        assert [store.get(name) for name in names] == documents
    assert [DocumentStore(store.root).get(name) for name in names] == documents


def test_what_is_not_there_is_said_so(tmp_path: Path) -> None:
    store = DocumentStore(tmp_path)
    assert "0" * 64 not in store
    assert "" not in store
    with pytest.raises(MissingDocumentError, match="0000000000000000 is not there; run scrape again"):
        store.get("0" * 64)


def test_a_batch_is_committed_in_groups_and_at_its_end(tmp_path: Path) -> None:
    store = DocumentStore(tmp_path)
    with store.batch():
        first = store.put(b"first")
        assert first in store
        assert first not in DocumentStore(tmp_path)
        for number in range(600):
            store.put(b"%d" % number)
        assert first in DocumentStore(tmp_path)
    assert rows(store) == 601


def test_a_batch_is_committed_when_its_reader_gives_up(tmp_path: Path) -> None:
    store = DocumentStore(tmp_path)
    with pytest.raises(RuntimeError), store.batch():
        sha256 = store.put(b"kept")
        raise RuntimeError
    assert sha256 in DocumentStore(tmp_path)


@pytest.mark.parametrize("damage", [b"", b"torn", b"x\x9c\x03\x00\x00\x00\x00\x01"])
def test_a_damaged_document_is_noticed_dropped_and_restored(tmp_path: Path, damage: bytes) -> None:
    store = DocumentStore(tmp_path)
    sha256 = store.put(b"<p>precious</p>")
    with sqlite3.connect(store.path) as connection:
        connection.execute("UPDATE documents SET body = ?", (damage,))
    with pytest.raises(MissingDocumentError, match="damaged"):
        store.get(sha256)
    assert sha256 not in store
    store.put(b"<p>precious</p>")
    assert store.get(sha256) == b"<p>precious</p>"


def test_a_store_that_is_no_database_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "documents.sqlite").write_bytes(b"not a database at all" * 100)
    with pytest.raises(StoreError, match="delete this file and run scrape again"):
        DocumentStore(tmp_path).put(b"x")


def test_a_full_disk_is_an_os_error_and_leaves_the_store_usable(tmp_path: Path) -> None:
    store = DocumentStore(tmp_path)
    kept = store.put(b"kept")
    connection = store._local.connection
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(OSError) as raised:
        store.put(os.urandom(1_000_000))
    assert raised.value.errno == errno.ENOSPC
    connection.execute("PRAGMA max_page_count = 1000000")
    store.flush()
    assert kept in store
    assert rows(store) == 2


def _write(root: Path, numbers: range) -> None:
    store = DocumentStore(root)
    with store.batch():
        for number in numbers:
            store.put(b"<p>%d</p>" % number)


def test_processes_write_at_once_and_after_a_fork(tmp_path: Path) -> None:
    store = DocumentStore(tmp_path)
    store.put(b"from the parent")
    fork = multiprocessing.get_context("fork")
    writers = [
        fork.Process(target=_write, args=(tmp_path, range(1500))),
        fork.Process(target=_write, args=(tmp_path, range(500, 2000))),
        fork.Process(target=store.put, args=(b"from a child, through the parent's object",)),
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0, 0, 0]
    assert rows(store) == 2002
    assert pickle.loads(pickle.dumps(store)).get(hashlib.sha256(b"<p>1999</p>").hexdigest()) == b"<p>1999</p>"


ENDLESS_WRITER = """
import hashlib, sys
from pathlib import Path
from extractors.store import DocumentStore
store = DocumentStore(Path(sys.argv[1]))
with store.batch():
    for number in range(10**9):
        store.put(hashlib.sha256(b"%d" % number).digest() * 500)
"""


def test_a_kill_at_any_moment_leaves_only_whole_documents(tmp_path: Path) -> None:
    database = tmp_path / "documents.sqlite"
    for size, pause in ((1, 0.0), (100_000, 0.02), (200_000, 0.05), (300_000, 0.09)):
        with subprocess.Popen([sys.executable, "-c", ENDLESS_WRITER, str(tmp_path)]) as writer:
            while writer.poll() is None and not (database.exists() and database.stat().st_size > size):
                time.sleep(0.005)
            time.sleep(pause)
            writer.send_signal(signal.SIGKILL)
        assert writer.returncode == -signal.SIGKILL
    store = DocumentStore(tmp_path)
    store.put(b"the next run")
    with sqlite3.connect(store.path) as connection:
        names = [bytes(row[0]).hex() for row in connection.execute("SELECT sha256 FROM documents")]
    assert len(names) > 500
    assert all(store.get(name) for name in names)
