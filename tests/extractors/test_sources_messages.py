"""Messages and mailboxes: the HTML, who sent it, and a reason where there is none."""

from __future__ import annotations

import mailbox
from email.message import EmailMessage
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from outlook import outlook_message

from extractors.sources import DocumentRecord, SourceOptions, open_source
from extractors.sources.formats import documents_in
from extractors.sources.mbox import messages
from extractors.sources.messages import domain, eml, msg
from extractors.store import DocumentStore


def message(html: str = "<p>hi</p>", sender: str = "News <news@acme.example>", subject: str = "Hello") -> EmailMessage:
    composed = EmailMessage()
    composed["From"], composed["Subject"] = sender, subject
    composed.set_content("hi")
    composed.add_alternative(html, subtype="html")
    return composed


def read(path: Path, store: Path, **options: int) -> list[DocumentRecord]:
    return list(open_source(str(path), SourceOptions(**options)).read(DocumentStore(store)))  # type: ignore[arg-type]


def test_an_eml_file_gives_its_html_part_sender_and_subject(tmp_path: Path) -> None:
    (tmp_path / "a.eml").write_bytes(message("<p>Grüße</p>", subject="Frühling: 20 % ✨").as_bytes())
    store = DocumentStore(tmp_path / "store")
    (record,) = open_source(str(tmp_path / "a.eml")).read(store)
    assert (record.source, record.sender, record.subject) == ("eml", "acme.example", "Frühling: 20 % ✨")
    assert (record.location, record.charset, record.status) == ("a.eml", "utf-8", "ok")
    assert store.get(record.sha256).strip() == "<p>Grüße</p>".encode()


def test_the_html_may_lie_deep_and_an_attachment_is_not_it() -> None:
    inner = message("<p>the body</p>")
    inner.add_attachment("<p>a report</p>", subtype="html", filename="report.html")
    outer = EmailMessage()
    outer["From"] = "a@outer.example"
    outer.set_content("see below")
    outer.add_attachment(inner)
    assert eml(outer.as_bytes()).html.strip() == b"<p>the body</p>"
    only_attached = EmailMessage()
    only_attached.set_content("see attached")
    only_attached.add_attachment("<p>a report</p>", subtype="html", filename="report.html")
    assert eml(only_attached.as_bytes()).reason == "no-html: the message has no HTML part"


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("news@acme.example", "acme.example"),
        ('"Acme, Inc." <News@MAIL.Acme.example>', "mail.acme.example"),
        ("a@one.example, b@two.example", "one.example"),
        ("undisclosed", ""),
        ("broken <a@b.example", "b.example"),
        ("x@", ""),
        ('"evil@spoof.example" <real@acme.example>', "acme.example"),
    ],
)
def test_the_sender_is_the_domain_of_its_address(address: str, expected: str) -> None:
    assert domain(address) == expected


def test_headers_that_lie_are_survived() -> None:
    raw = (
        b"From: =?no-such-charset?q?N=FCs?= <n@acme.example>\r\nSubject: =?utf-8?b?a?= =?utf-8?q?caf=C3=A9?=\r\n"
        b"Content-Type: text/html; charset=x-unknown-9\r\nContent-Transfer-Encoding: base64\r\n\r\n"
        b"PHA+aGk8L3A+*&^%\r\n"
    )
    found = eml(raw)
    assert found.html.startswith(b"<p>hi</p>")
    assert found.sender == "acme.example"
    assert found.subject.endswith("=?utf-8?q?caf=C3=A9?=")


def test_a_message_without_html_is_a_row_with_sender_and_subject(tmp_path: Path) -> None:
    (tmp_path / "a.eml").write_bytes(b"From: x@acme.example\nSubject: Hi\n\nplain text only\n")
    (record,) = read(tmp_path, tmp_path / "store")
    assert (record.status, record.reason) == ("rejected", "no-html: the message has no HTML part")
    assert (record.sender, record.subject, record.sha256) == ("acme.example", "Hi", "")


@pytest.mark.parametrize("levels", [150, 2000], ids=["deeper than any letter", "deeper than Python's stack"])
def test_messages_within_messages_without_end_cost_one_row(tmp_path: Path, levels: int) -> None:
    nested = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(levels))
    (tmp_path / "deep.eml").write_bytes(nested + b"Content-Type: text/html\n\n<p>deep</p>")
    (record,) = read(tmp_path, tmp_path / "store")
    assert (record.status, record.reason.partition(":")[0]) == ("rejected", "too-deep")


SNIPPETS = st.sampled_from(
    [
        *(b"Content-Type: text/html\n", b"Content-Type: multipart/mixed; boundary=x\n", b"--x\n", b"--x--\n", b"\n"),
        *(b"From: =?utf-8?b?", b"Subject: =?x?q?=FF?=\n", b"Content-Transfer-Encoding: base64\n", b"<p>\xff</p>"),
        *(b"Content-Disposition: inline; filename*=x''%ff\n", b"Content-Type: text/html; charset*=a'b'%ff\n", b"\x00"),
    ]
)


@given(st.lists(st.one_of(SNIPPETS, st.binary(max_size=30)), max_size=15).map(b"".join))
@example(b"From: a@[\nContent-Type: text/html; charset=\xff\n\n<p>")
def test_no_message_raises(raw: bytes) -> None:
    for kind in ("eml", "msg", "mbox"):
        assert list(documents_in(BytesIO(raw), kind, SourceOptions()))


def test_outlook_files_give_their_html() -> None:
    found = msg(outlook_message(b"<p>caf\xe9</p>", subject="Größe", sender="news@acme.example", codepage=1252))
    assert (found.html, found.declared) == (b"<p>caf\xe9</p>", "windows-1252")
    assert (found.sender, found.subject) == ("acme.example", "Größe")
    assert msg(outlook_message("<p>é</p>")).html == "<p>é</p>".encode()


def test_outlook_files_that_cannot_be_used_are_rows(tmp_path: Path) -> None:
    whole = outlook_message(b"<p>hi</p>")
    (tmp_path / "a-text.msg").write_bytes(outlook_message(None))
    (tmp_path / "b-torn.msg").write_bytes(whole[:700])
    (tmp_path / "c-no.msg").write_bytes(b"not an Outlook file")
    (tmp_path / "d-empty.msg").write_bytes(b"")
    (tmp_path / "e-whole.msg").write_bytes(whole)
    (tmp_path / "f-codepage.msg").write_bytes(outlook_message(b"<p>hi</p>", codepage=99_999))
    records = read(tmp_path, tmp_path / "store")
    reasons = [record.reason.partition(":")[0] for record in records]
    assert reasons == ["no-html", "unreadable", "unreadable", "empty", "", "unreadable"]
    assert str(tmp_path) not in "".join(record.reason for record in records)


def test_a_mailbox_gives_each_message(tmp_path: Path) -> None:
    box = mailbox.mbox(str(tmp_path / "all.mbox"))
    for number in range(3):
        box.add(message(f"<p>{number}</p>\nFrom here on, prose.", sender=f"a@host{number}.example"))
    box.add(b"From: b@acme.example\n\nno HTML\n")
    box.close()
    records = read(tmp_path / "all.mbox", tmp_path / "store")
    assert [(record.location, record.sender, record.status) for record in records] == [
        ("all.mbox!0000001", "host0.example", "ok"),
        ("all.mbox!0000002", "host1.example", "ok"),
        ("all.mbox!0000003", "host2.example", "ok"),
        ("all.mbox!0000004", "acme.example", "rejected"),
    ]
    assert {record.source for record in records} == {"mbox"}


def test_prose_that_begins_with_from_does_not_split_a_message() -> None:
    head = b"From a@b Thu Jan  1 00:00:00 2024\nSubject: x\n\nHello\n\n"
    raw = head + b"From now on\nall is well\n>From quoted\n>>From twice\n"
    assert list(messages(BytesIO(raw), 1000)) == [
        b"Subject: x\n\nHello\n\nFrom now on\nall is well\nFrom quoted\n>From twice\n"
    ]


def test_a_message_too_large_is_skipped_in_bounded_memory_and_the_next_one_read() -> None:
    raw = b"From x\nSubject: a\n\n" + b"y" * 200_000 + b"\n\nFrom x\nSubject: b\n\nsmall\n"
    assert list(messages(BytesIO(raw), 1000)) == [None, b"Subject: b\n\nsmall\n"]


def test_a_mailbox_without_messages_is_a_row(tmp_path: Path) -> None:
    (tmp_path / "a.mbox").write_bytes(b"")
    (tmp_path / "b.mbox").write_bytes(b"this is not a mailbox\n" * 10)
    assert [record.reason for record in read(tmp_path, tmp_path / "store")] == ["empty: no message begins in it"] * 2


LINES = st.lists(st.sampled_from([b"\n", b"Subject: x\n", b"hello\n", b"--b\n", b"x" * 70 + b"\n"]), max_size=8)


@given(st.lists(LINES.map(b"".join), min_size=1, max_size=6))
def test_what_was_put_into_a_mailbox_comes_out(bodies: list[bytes]) -> None:
    written = [b"Subject: s\n\n" + body for body in bodies]
    raw = b"".join(b"From a@b Thu Jan  1 00:00:00 2024\n" + one + b"\n" for one in written)
    assert list(messages(BytesIO(raw), 10_000)) == [one + b"\n" for one in written]
