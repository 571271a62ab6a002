"""Archives are streamed: every email in them is a row, and no archive costs more than its limits."""

from __future__ import annotations

import gzip
import io
import mailbox
import os
import random
import tarfile
import tracemalloc
import zipfile
from pathlib import Path
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from outlook import outlook_message

from extractors.sources import DocumentRecord, SourceOptions, archives, open_source
from extractors.sources.archives import archive_documents
from extractors.store import DocumentStore

EML = b"From: news@acme.example\nSubject: Hi\nContent-Type: text/html\n\n<p>eml</p>"
MBOX = b"From x\nFrom: a@one.example\nContent-Type: text/html\n\n<p>1</p>\n\nFrom x\nFrom: a@two.example\n\nplain\n"


def members() -> dict[str, bytes]:
    return {
        "brand/mail.html": b"<p>html</p>",
        "top.eml": EML,
        "box.mbox": MBOX,
        "outlook.msg": outlook_message(b"<p>msg</p>", sender="o@outlook.example"),
        "logo.png": b"not an email",
        "__MACOSX/._mail.html": b"\x00\x05\x16\x07",
        "inner.zip": b"PK",
        "empty.html": b"",
    }


def zipped(path: Path, content: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in content.items():
            archive.writestr(name, body)
    return path


def tarred(path: Path, content: dict[str, bytes]) -> Path:
    mode = "w" if path.suffix == ".tar" else "w:gz"
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for name in sorted(content):
            entry = tarfile.TarInfo(name)
            entry.size = len(content[name])
            archive.addfile(entry, io.BytesIO(content[name]))
    return path


def packed(path: Path, content: dict[str, bytes]) -> Path:
    return (zipped if path.suffix == ".zip" else tarred)(path, content)


def read(path: Path, **options: float) -> list[DocumentRecord]:
    store = DocumentStore(path.parent / "store")
    return list(open_source(str(path), SourceOptions(**options)).read(store))  # type: ignore[arg-type]


NAMES = ["all.zip", "all.tar", "all.tar.gz", "all.tgz"]


@pytest.mark.parametrize("name", NAMES)
def test_every_kind_of_email_in_an_archive_is_a_row(tmp_path: Path, name: str) -> None:
    records = read(packed(tmp_path / name, members()))
    assert [(record.location, record.sender, record.reason.partition(":")[0]) for record in records] == [
        (f"{name}!box.mbox!0000001", "one.example", ""),
        (f"{name}!box.mbox!0000002", "two.example", "no-html"),
        (f"{name}!brand/mail.html", "brand", ""),
        (f"{name}!empty.html", "all", "empty"),
        (f"{name}!inner.zip", "all", "nested-archive"),
        (f"{name}!outlook.msg", "outlook.example", ""),
        (f"{name}!top.eml", "acme.example", ""),
    ]
    assert {record.source for record in records} == {"zip" if name.endswith("zip") else "tar"}
    assert read(tmp_path / name) == records


@pytest.mark.parametrize("name", NAMES)
def test_an_archive_without_emails_is_a_row(tmp_path: Path, name: str) -> None:
    (record,) = read(packed(tmp_path / name, {"readme.txt": b"hello"}))
    assert (record.location, record.status, record.reason) == (name, "rejected", "empty: no email in it")


@pytest.mark.parametrize("name", NAMES)
def test_a_document_beyond_the_limit_is_a_row_and_its_neighbours_are_read(tmp_path: Path, name: str) -> None:
    content = {"a.html": b"<p>a</p>", "big.html": b"<p>" * 100_000, "big.eml": EML * 9000, "z.html": b"<p>z</p>"}
    records = read(packed(tmp_path / name, content), max_bytes=10_000, max_message_bytes=50_000)
    assert [(record.location.partition("!")[2], record.reason) for record in records] == [
        ("a.html", ""),
        ("big.eml", "too-large: more than 50,000 bytes"),
        ("big.html", "too-large: more than 10,000 bytes"),
        ("z.html", ""),
    ]


@pytest.mark.parametrize("name", ["bomb.zip", "bomb.tar.gz"])
def test_a_bomb_costs_little_time_and_memory(tmp_path: Path, name: str) -> None:
    content = {"a.html": b"<p>a</p>", "bomb.mbox": b"From x\nSubject: x\n\n" + b"0" * 90_000_000}
    path = packed(tmp_path / name, content)
    assert path.stat().st_size < 500_000
    tracemalloc.start()
    started = perf_counter()
    records = read(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert perf_counter() - started < 30
    assert peak < 60_000_000
    assert [record.status for record in records] == ["ok", "rejected"]
    assert records[-1].location == name
    assert records[-1].reason.startswith("bomb: it grows more than 200 fold")


@pytest.mark.parametrize("name", ["x.zip", "x.tar.gz"])
def test_many_small_bombs_are_a_large_one(tmp_path: Path, name: str) -> None:
    content = {f"{number:02d}.html": b"<p>%d" % number + b" " * 4_000_000 for number in range(20)}
    records = read(packed(tmp_path / name, content))
    assert [record.status for record in records] == ["ok"] * 12 + ["rejected"]
    assert records[-1].reason.startswith("bomb")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("share", [0.02, 0.5, 0.97])
def test_a_truncated_archive_gives_what_is_whole_and_says_so(tmp_path: Path, name: str, share: float) -> None:
    rng = random.Random(7)
    content = {f"{number}.html": b"<p>%d</p>" % number + rng.randbytes(3000).hex().encode() for number in range(9)}
    path = packed(tmp_path / name, content)
    # Not on a block's border, where nothing distinguishes a truncated plain tar from one without an end mark
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * share) // 512 * 512 + 100])
    records = read(path)
    assert records[-1].status == "rejected"
    assert records[-1].reason.startswith(("broken-archive", "unreadable"))
    assert any(record.location == name for record in records)
    if share > 0.9 and name != "all.zip":
        assert sum(record.status == "ok" for record in records) >= 7


def test_a_torn_member_costs_its_own_row(tmp_path: Path) -> None:
    content = {name: os.urandom(2000).hex().encode() for name in ("a.html", "b.html", "c.html")}
    path = zipped(tmp_path / "x.zip", content)
    raw = bytearray(path.read_bytes())
    position = raw.find(b"b.html")  # the name stands before the compressed bytes
    raw[position + 500] ^= 0xFF
    path.write_bytes(raw)
    assert [record.status for record in read(path)] == ["ok", "rejected", "ok"]


def test_an_encrypted_member_is_a_row(tmp_path: Path) -> None:
    path = zipped(tmp_path / "x.zip", {"a.html": b"<p>a</p>"})
    raw = bytearray(path.read_bytes())
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        raw[raw.find(signature) + offset] |= 1
    path.write_bytes(raw)
    assert [record.reason for record in read(path)] == ["encrypted: it needs a password"]


def test_links_in_an_archive_lead_nowhere(tmp_path: Path) -> None:
    path = tmp_path / "x.tar"
    with tarfile.open(path, "w") as archive:
        for kind, name in (
            (tarfile.SYMTYPE, "soft.html"),
            (tarfile.LNKTYPE, "hard.html"),
            (tarfile.FIFOTYPE, "p.html"),
        ):
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = kind, "/etc/passwd"
            archive.addfile(entry)
    assert [record.reason.partition(":")[0] for record in read(path)] == ["not-a-file"] * 3


def test_too_many_members_are_refused_before_they_fill_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = zipped(tmp_path / "x.zip", {f"{number}.html": b"<p>x</p>" for number in range(50)})
    expected = "too-many: more than 40 members; unpack it and give the folder"
    assert [record.reason for record in read(path, max_archive_members=40)] == [expected]
    monkeypatch.setattr(archives, "_MAX_INDEX_BYTES", 1000)
    monkeypatch.setattr(zipfile, "ZipFile", None)  # the index is not read
    assert [record.reason for record in read(path, max_archive_members=41)] == [expected.replace("40", "41")]


def test_a_zip64_archive_tells_its_size_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zipfile, "ZIP_FILECOUNT_LIMIT", 10)
    path = zipped(tmp_path / "x.zip", {f"{number}.html": b"<p>%d</p>" % number for number in range(20)})
    raw = path.read_bytes()
    assert b"PK\x06\x06" in raw
    with path.open("rb") as file:
        assert archives._index_bytes(file, len(raw)) == raw.index(b"PK\x06\x06") - raw.index(b"PK\x01\x02")
    assert [record.status for record in read(path)] == ["ok"] * 20


def test_a_tar_header_that_claims_the_world_is_refused(tmp_path: Path) -> None:
    """tarfile reads a long name into memory, however long its header says it is."""
    entry = tarfile.TarInfo("././@LongLink")
    entry.type, entry.size = tarfile.GNUTYPE_LONGNAME, 4 * 10**9
    (tmp_path / "x.tar").write_bytes(entry.tobuf(tarfile.GNU_FORMAT) + b"x" * 10_240)
    (record,) = read(tmp_path / "x.tar")
    assert record.reason == "bomb: a header claims 4,000,000,000 bytes"


def test_a_large_mailbox_in_an_archive_is_streamed(tmp_path: Path) -> None:
    box = mailbox.mbox(str(tmp_path / "box.mbox"))
    rng = random.Random(7)
    for number in range(60):
        html = f"<p>{number}</p>".encode() + rng.randbytes(15_000).hex().encode()
        box.add(b"From: a@acme.example\nContent-Type: text/html\n\n" + html)
    box.close()
    path = zipped(tmp_path / "x.zip", {"box.mbox": (tmp_path / "box.mbox").read_bytes()})
    (tmp_path / "box.mbox").unlink()
    assert [record.status for record in read(path)] == ["ok"] * 60


@given(
    st.lists(st.tuples(st.integers(0, 2000), st.integers(0, 255)), max_size=12), st.sampled_from(["zip", "tar", "gz"])
)
def test_no_damage_raises(damage: list[tuple[int, int]], kind: str) -> None:
    buffer = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(buffer, "w") as archive:
            archive.writestr("a.html", b"<p>a</p>" * 20)
            archive.writestr("b.eml", EML)
    else:
        with tarfile.open(fileobj=buffer, mode="w") as tar:
            for name, body in {"a.html": b"<p>a</p>" * 20, "b.eml": EML}.items():
                entry = tarfile.TarInfo(name)
                entry.size = len(body)
                tar.addfile(entry, io.BytesIO(body))
    raw = bytearray(gzip.compress(buffer.getvalue()) if kind == "gz" else buffer.getvalue())
    for position, value in damage:
        raw[position % len(raw)] = value
    found = list(archive_documents(io.BytesIO(raw), "zip" if kind == "zip" else "tar", len(raw), SourceOptions()))
    assert found
