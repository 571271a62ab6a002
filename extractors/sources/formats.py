"""Which files hold emails, and the documents in a stream of one of those kinds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import IO

from extractors.sources import mbox, messages
from extractors.sources.options import SourceOptions
from extractors.sources.readings import Found, too_large, unreadable

_KINDS = {
    ".html": "html",
    ".htm": "html",
    ".eml": "eml",
    ".mbox": "mbox",
    ".msg": "msg",
    ".zip": "zip",
    ".tar": "tar",
    ".tar.gz": "tar",
    ".tgz": "tar",
}
SUFFIXES = ", ".join(_KINDS)
ARCHIVES = frozenset({"zip", "tar"})


def kind_of(name: str) -> str | None:
    """html, eml, mbox, msg, zip or tar by the file's name; None for what is no email."""
    name = name.lower()
    return next((kind for suffix, kind in _KINDS.items() if name.endswith(suffix)), None)


def is_hidden(name: str) -> bool:
    """Housekeeping of editors and systems (.git, ._mail.html, __MACOSX), not part of anyone's corpus."""
    return name.startswith(".") or name == "__MACOSX"


def documents_in(stream: IO[bytes], kind: str, options: SourceOptions) -> Iterator[Found]:
    """The documents of an html, eml, msg or mbox stream. Errors of the stream itself are the caller's."""
    if kind == "mbox":
        yield from _mailbox(stream, options)
        return
    limit = options.max_bytes if kind == "html" else options.max_message_bytes
    raw = stream.read(limit + 1)
    if len(raw) > limit:
        yield Found(reason=too_large(limit))
    elif kind == "html":
        yield Found(html=raw)
    elif not raw.strip():
        yield Found(reason="empty: it holds no text")
    else:
        yield _parsed(raw, messages.eml if kind == "eml" else messages.msg)


def _mailbox(stream: IO[bytes], options: SourceOptions) -> Iterator[Found]:
    number = 0
    for number, raw in enumerate(mbox.messages(stream, options.max_message_bytes), start=1):
        found = Found(reason=too_large(options.max_message_bytes)) if raw is None else _parsed(raw, messages.eml)
        yield replace(found, member=f"{number:07d}")
    if not number:
        yield Found(reason="empty: no message begins in it")


def _parsed(raw: bytes, parse: Callable[[bytes], Found]) -> Found:
    """One hostile message costs its own row: the parsers promise no exception in particular, so any is caught."""
    try:
        return parse(raw)
    except Exception as error:
        return Found(reason=unreadable(error))
