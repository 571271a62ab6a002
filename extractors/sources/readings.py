"""What a reader finds in a file or on a page, and what is remembered of it once its bytes are stored."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime

from extractors.charset import decode
from extractors.sources.options import SourceOptions
from extractors.sources.pictures import is_binary, is_picture
from extractors.sources.records import DocumentRecord, printable
from extractors.store import DocumentStore


@dataclass(frozen=True, slots=True)
class Found:
    """One document as it was met: its HTML, or the reason why there is none."""

    html: bytes = b""
    declared: str | None = None  # charset named by the message or the server
    member: str = ""  # place within its file
    sender: str = ""
    subject: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """All there is to know about a document without its bytes, nor where its file lies."""

    member: str
    sender: str
    subject: str
    sha256: str
    bytes: int
    charset: str
    reason: str

    def to_json(self) -> str:
        return json.dumps([getattr(self, name) for name in self.__slots__], ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Reading:
        return cls(*json.loads(text))

    def record(self, *, source: str, location: str, sender: str, fetched_at: datetime | None) -> DocumentRecord:
        """The row of this document in a corpus; ``sender`` is who it is if the message itself does not say."""
        return DocumentRecord(
            doc_id=self.sha256[:16],
            sender=self.sender or printable(sender, 200),
            source=source,
            location=printable(f"{location}!{self.member}" if self.member else location),
            subject=self.subject,
            fetched_at=fetched_at,
            sha256=self.sha256,
            bytes=self.bytes,
            charset=self.charset,
            status="rejected" if self.reason else "ok",
            reason=self.reason,
        )


def keep(found: Found, store: DocumentStore, options: SourceOptions) -> Reading:
    """Store the document if it can be used at all."""
    reason, charset = found.reason, ""
    if not reason and len(found.html) > options.max_bytes:
        reason = too_large(options.max_bytes)
    if not reason and is_picture(found.html):
        reason = "not-html: it is a picture or a PDF"
    if not reason:
        text, charset = decode(found.html, found.declared)
        if not text or text.isspace():
            reason = "empty: it holds no text"
        elif is_binary(text):
            reason = "not-html: it is binary data, not text"
    return Reading(
        member=found.member,
        sender=printable(found.sender, 200),
        subject=printable(" ".join(found.subject.split()), 500),
        sha256="" if reason else store.put(found.html),
        bytes=0 if reason else len(found.html),
        charset="" if reason else charset,
        reason=printable(reason, 500),
    )


def too_large(limit: int) -> str:
    return f"too-large: more than {limit:,} bytes"


def unreadable(error: Exception) -> str:
    """An exception as a reason. An OSError's own text would carry the machine's paths into the table."""
    detail = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    name = type(error).__name__
    return f"unreadable: {name}: {detail}" if detail else f"unreadable: {name}"
