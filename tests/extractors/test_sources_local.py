"""Folders, globs and files: every document in is a record out, twice the same, and read once."""

from __future__ import annotations

import errno
import os
import socket
import tracemalloc
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest

from extractors.sources import (
    DocumentRecord,
    SourceError,
    SourceOptions,
    files,
    open_source,
    read_records,
    write_records,
)
from extractors.store import DocumentStore

LONG_AGO = 1_700_000_000


def write(path: Path, content: bytes | str = "<p>hello</p>") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    os.utime(path, (LONG_AGO, LONG_AGO))
    return path


def read(spec: Path | str | list[str], store: Path, **options: object) -> list[DocumentRecord]:
    source = open_source(spec if isinstance(spec, list) else str(spec), SourceOptions(**options))  # type: ignore[arg-type]
    return list(source.read(DocumentStore(store)))


def reasons(records: list[DocumentRecord]) -> dict[str, str]:
    return {record.location: record.reason.partition(":")[0] for record in records}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "corpus"


def test_a_folder_is_read_in_order_with_senders_and_times(folder: Path, store: Path) -> None:
    write(folder / "zeta" / "b.html", "<p>b</p>")
    write(folder / "acme" / "2024" / "a.HTM", "<p>a</p>")
    write(folder / "loose.html", "<p>loose</p>")
    write(folder / "acme" / "logo.png", "no email")
    records = read(folder, store)
    assert [(record.location, record.sender) for record in records] == [
        ("acme/2024/a.HTM", "acme"),
        ("loose.html", "corpus"),
        ("zeta/b.html", "zeta"),
    ]
    first = records[0]
    assert (first.source, first.status, first.reason, first.charset, first.bytes) == ("directory", "ok", "", "utf-8", 8)
    assert first.doc_id == first.sha256[:16]
    assert first.fetched_at == datetime.fromtimestamp(LONG_AGO, UTC)
    assert DocumentStore(store).get(first.sha256) == b"<p>a</p>"


def test_the_same_content_twice_is_one_document_and_a_pointer(folder: Path, store: Path) -> None:
    for name in ("b/x.html", "a/x.html", "c/x.html"):
        write(folder / name)
    assert [(record.location, record.status, record.reason) for record in read(folder, store)] == [
        ("a/x.html", "ok", ""),
        ("b/x.html", "duplicate", "same content as a/x.html"),
        ("c/x.html", "duplicate", "same content as a/x.html"),
    ]
    (folder / "a" / "x.html").unlink()
    assert [record.status for record in read(folder, store)] == ["ok", "duplicate"]


def test_several_sources_are_one_corpus(folder: Path, store: Path) -> None:
    write(folder / "old" / "x.html", "<p>in both</p>")
    write(folder / "new" / "x.html", "<p>in both</p>")
    write(folder / "new" / "y.html", "<p>only here</p>")
    records = read([str(folder / "old"), str(folder / "new"), "sample:emails=1"], store)
    assert [(record.location, record.status) for record in records[:3]] == [
        ("old/x.html", "ok"),
        ("new/x.html", "duplicate"),
        ("new/y.html", "ok"),
    ]
    assert records[3].source == "sample"
    write(folder / "a" / "mail" / "x.html", "<p>1</p>")
    write(folder / "b" / "mail" / "x.html", "<p>2</p>")
    twins = read([str(folder / "a" / "mail"), str(folder / "b" / "mail")], store)
    assert len({record.location for record in twins}) == 2


def test_nothing_unusable_is_silently_gone(folder: Path, store: Path) -> None:
    write(folder / "ok.html")
    write(folder / "empty.html", b"")
    write(folder / "blank.html", b" \n\t ")
    write(folder / "nuls.html", b"\x00" * 900)
    write(folder / "large.html", b"x" * 2001)
    (folder / "x.html").mkdir()
    write(folder / "x.html" / "inner.html", "<p>inner</p>")
    (folder / "loop.html").symlink_to("loop.html")
    (folder / "nowhere.html").symlink_to("gone.html")
    (folder / "circle").symlink_to(folder)
    os.mkfifo(folder / "pipe.html")
    assert reasons(read(folder, store, max_bytes=2000)) == {
        "blank.html": "empty",
        "circle": "linked-folder",
        "empty.html": "empty",
        "large.html": "too-large",
        "loop.html": "symlink-loop",
        "nowhere.html": "missing",
        "nuls.html": "empty",
        "ok.html": "",
        "pipe.html": "not-a-file",
        "x.html": "directory",
        "x.html/inner.html": "",
    }


def test_a_socket_with_the_name_of_an_email_is_a_row(
    folder: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.mkdir()
    monkeypatch.chdir(folder)  # a socket's path must be short
    with socket.socket(socket.AF_UNIX) as unix:
        unix.bind("mail.html")
    assert reasons(read(folder, store)) == {"mail.html": "unreadable"}


def test_a_rejected_record_holds_no_content(folder: Path, store: Path) -> None:
    write(folder / "empty.html", b"")
    (record,) = read(folder, store)
    assert (record.status, record.doc_id, record.sha256, record.bytes, record.charset) == ("rejected", "", "", 0, "")
    assert record.fetched_at == datetime.fromtimestamp(LONG_AGO, UTC)


def test_strange_names_and_times_fit_in_a_table(folder: Path, store: Path, tmp_path: Path) -> None:
    folder.mkdir()
    name = os.fsencode(folder) + b"/bad\xff\x1b[31m\nname.html"
    Path(os.fsdecode(name)).write_bytes(b"<p>1</p>")
    os.utime(name, (2**40, 2**40))
    write(folder / "früh.html", "<p>2</p>")
    os.utime(folder / "früh.html", (-(10**9), -(10**9)))
    records = read(folder, store)
    assert [record.location for record in records] == ["bad\\udcff\\x1b[31m\\nname.html", "früh.html"]
    write_records(tmp_path / "documents.parquet", records)
    assert list(read_records(tmp_path / "documents.parquet").values()) == records


def test_a_time_outside_the_calendar_is_no_time() -> None:
    nanoseconds = 10**9 * 10**12
    assert files.modified_at(SimpleNamespace(st_mtime_ns=nanoseconds)) is None  # type: ignore[arg-type]
    assert files.modified_at(SimpleNamespace(st_mtime_ns=1_999)) == datetime(1970, 1, 1, 0, 0, 0, 1, tzinfo=UTC)  # type: ignore[arg-type]


def test_records_survive_parquet_and_give_the_same_bytes(folder: Path, store: Path, tmp_path: Path) -> None:
    write(folder / "a.html")
    write(folder / "b.html", b"")
    records = read(folder, store)
    for name in ("first", "second"):
        assert write_records(tmp_path / name, iter(records)) == 2
    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()
    assert dict(read_records(tmp_path / "first")) == {record.location: record for record in records}


class CountedOpens:
    """How often a file's content was opened for reading."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.kinds: list[str] = []
        original = files.LocalFile.documents

        def counted(file: files.LocalFile, kind: str) -> object:
            self.kinds.append(kind)
            return original(file, kind)

        monkeypatch.setattr(files.LocalFile, "documents", counted)


def test_a_rerun_reads_nothing_it_has_and_says_the_same(
    folder: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder / "a.html")
    write(folder / "b.html", b"")
    write(folder / "c.eml", b"From: x@acme.com\nSubject: Hi\nContent-Type: text/html\n\n<p>c</p>")
    write(folder / "d.mbox", b"From x\nFrom: x@acme.com\nContent-Type: text/html\n\n<p>d</p>\n")
    opens = CountedOpens(monkeypatch)
    first = read(folder, store)
    assert opens.kinds == ["html", "html", "eml", "mbox"]
    assert read(folder, store) == first
    assert len(opens.kinds) == 4
    write(folder / "b.html", "<p>now with text</p>")
    write(folder / "e.html", "<p>new</p>")
    changed = read(folder, store)
    assert opens.kinds[4:] == ["html", "html"]
    assert [record.status for record in changed] == ["ok"] * 5


def test_what_the_store_lost_is_read_again(folder: Path, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(folder / "a.html")
    records = read(folder, store)
    opens = CountedOpens(monkeypatch)
    (store / "documents.sqlite").unlink()
    assert read(folder, store) == records
    assert opens.kinds == ["html"]
    assert DocumentStore(store).get(records[0].sha256) == b"<p>hello</p>"


def test_other_limits_read_again(folder: Path, store: Path) -> None:
    write(folder / "a.html", b"<p>" + b"x" * 100)
    assert [record.status for record in read(folder, store, max_bytes=50)] == ["rejected"]
    assert [record.status for record in read(folder, store, max_bytes=5000)] == ["ok"]


def test_a_damaged_memory_costs_one_reading(folder: Path, store: Path) -> None:
    write(folder / "a.html")
    records = read(folder, store)
    (store / "ledger.sqlite").write_bytes(b"torn" * 1000)
    assert read(folder, store) == records
    assert read(folder, store) == records


def test_a_file_fresher_than_the_clocks_grain_is_read_again(
    folder: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.utime(write(folder / "a.html"))  # now
    opens = CountedOpens(monkeypatch)
    monkeypatch.setattr(files, "_GRAIN_NS", 3600 * 10**9)
    read(folder, store)
    read(folder, store)
    assert opens.kinds == ["html", "html"]


def test_a_file_that_is_written_while_it_is_read_is_read_again(folder: Path, store: Path) -> None:
    path = write(folder / "a.html", "<p>first half</p>")
    for record in open_source(str(folder)).read(DocumentStore(store)):
        assert record.bytes == len("<p>first half</p>")
        with path.open("ab") as file:
            file.write(b"<p>second half</p>")
    os.utime(path, (LONG_AGO, LONG_AGO))
    (record,) = read(folder, store)
    assert DocumentStore(store).get(record.sha256) == b"<p>first half</p><p>second half</p>"


def test_a_disk_error_is_a_row_today_and_a_new_chance_tomorrow(
    folder: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder / "a.html")

    def broken(*_: object) -> object:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(files, "documents_in", broken)
        assert [record.reason for record in read(folder, store)] == ["unreadable: OSError: Input/output error"]
    assert [record.status for record in read(folder, store)] == ["ok"]


def test_a_full_disk_stops_the_run_instead_of_rejecting_documents(
    folder: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder / "a.html")

    def full(self: DocumentStore, raw: bytes) -> str:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(DocumentStore, "put", full)
    with pytest.raises(OSError, match="No space left"):
        read(folder, store)


def test_giving_up_half_way_keeps_what_was_read(folder: Path, store: Path) -> None:
    for number in range(10):
        write(folder / f"{number}.html", f"<p>{number}</p>")
    reading = open_source(str(folder)).read(DocumentStore(store))
    first = next(reading)
    reading.close()  # type: ignore[attr-defined]
    assert first.sha256 in DocumentStore(store)
    assert len(read(folder, store)) == 10


def test_globs_stay_within_their_folders(folder: Path, store: Path) -> None:
    for name in ("2023/a.html", "2024/a.html", "2024/deep/b.html", "2024/c.eml", "other/d.html"):
        write(folder / name, f"<p>{name}</p>" if name.endswith("html") else "Content-Type: text/html\n\n<p>c</p>")
    locations = {
        pattern: [record.location for record in read(folder / pattern, store)]
        for pattern in ("2024/*.html", "202?/*.html", "**/*.html", "20*", "[!2]*/*.html", "*/deep/*")
    }
    assert locations == {
        "2024/*.html": ["a.html"],
        "202?/*.html": ["2023/a.html", "2024/a.html"],
        "**/*.html": ["2023/a.html", "2024/a.html", "2024/deep/b.html", "other/d.html"],
        "20*": ["2023/a.html", "2024/a.html", "2024/c.eml", "2024/deep/b.html"],
        "[!2]*/*.html": ["other/d.html"],
        "*/deep/*": ["2024/deep/b.html"],
    }


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("", "the source is empty"),
        ("nowhere", "nowhere: no such file or folder"),
        ("nowhere/*.html", "no such folder"),
        ("folder", "no emails there; expected files that end in .html"),
        ("folder/*.html", "no emails there"),
        ("folder/notes.doc", "not a file of emails"),
        ("folder/empty.txt", "no address in it"),
        ("folder/gone.txt", "No such file or directory"),
        ("ftp://user:hunter2@host/x", "unknown kind of address; expected http:// or https://"),
        ("https://user:hunter2@/x", "expected http:// or https:// and a host"),
        ("sample:mails=7", "unknown setting 'mails=7'"),
        ("sample:emails=0", "emails=1 or more"),
    ],
)
def test_a_wrong_source_is_one_helpful_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spec: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "folder" / "notes.doc")
    write(tmp_path / "folder" / "empty.txt", "# only a comment\n\n")
    write(tmp_path / "folder" / ".git" / "hidden.html")
    with pytest.raises(SourceError) as raised:
        open_source(spec)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)
    assert "hunter2" not in str(raised.value)


def test_no_source_at_all_is_an_error() -> None:
    with pytest.raises(SourceError, match="no source is given"):
        open_source([])


def test_a_fingerprint_follows_names_sizes_and_times(folder: Path) -> None:
    write(folder / "a.html")
    source = open_source(str(folder))
    seen = [source.fingerprint(), source.fingerprint()]
    assert seen[0] == seen[1]
    write(folder / "b.html")
    seen.append(source.fingerprint())
    os.utime(folder / "a.html", (LONG_AGO, LONG_AGO + 1))
    seen.append(source.fingerprint())
    (folder / "b.html").rename(folder / "c.html")
    seen.append(source.fingerprint())
    (folder / "c.html").unlink()
    (folder / "c.html").symlink_to("c.html")
    seen.append(source.fingerprint())
    assert len(set(seen)) == 5
    assert open_source([str(folder), "sample"]).fingerprint() == open_source([str(folder), "sample"]).fingerprint()
    assert open_source([str(folder), "https://example.com"]).fingerprint() is None


def test_progress_counts_files(folder: Path, store: Path) -> None:
    for number in range(3):
        write(folder / f"{number}.html", str(number))
    seen: list[tuple[int, int | None]] = []
    list(open_source(str(folder)).read(DocumentStore(store), progress=lambda *step: seen.append(step)))
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_the_sample_is_a_source_like_any_other(store: Path) -> None:
    source = open_source("sample:emails=6,seed=3")
    seen: list[tuple[int, int | None]] = []
    records = list(source.read(DocumentStore(store), progress=lambda *step: seen.append(step)))
    assert seen[-1] == (6, 6)
    assert records == list(open_source("sample:emails=6,seed=3").read(DocumentStore(store)))
    assert all(record.location.startswith(f"sample/{record.sender}/") for record in records)
    assert {record.status for record in records} <= {"ok", "duplicate"}
    assert source.fingerprint() == "sample:emails=6,seed=3"
    assert open_source("sample").fingerprint() == "sample:emails=240,seed=7"


@pytest.mark.slow
def test_memory_does_not_grow_with_the_number_of_documents(folder: Path, store: Path) -> None:
    folder.mkdir()
    documents = DocumentStore(store)

    def peak(total: int) -> int:
        for number in range(total):
            (folder / f"{number}.html").write_bytes(b"<p>%d</p>" % number * 200)
        tracemalloc.start()
        assert sum(1 for _ in open_source(str(folder)).read(documents)) == total
        _, highest = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return highest

    small, large = peak(200), peak(1000)
    assert large < small * 1.5


def test_the_real_emails_are_all_accounted_for(shared_data: Path, store: Path) -> None:
    emails = shared_data / "emails"
    documents = [path for path in emails.rglob("*") if path.suffix in (".html", ".eml")]
    records = read(emails, store)
    assert len(records) == len(documents)
    assert {record.status for record in records} <= {"ok", "duplicate"}
    assert all(record.charset and record.sender for record in records)
    assert read(emails, store) == records
