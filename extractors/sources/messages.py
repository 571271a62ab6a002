"""The HTML of one message, raw (.eml) or as Outlook saves it (.msg)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email import message_from_bytes
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from email.utils import parseaddr
from typing import cast

from oxmsg import Message as OutlookMessage
from oxmsg.domain import constants as outlook

from extractors.charset import decode
from extractors.sources.readings import Found

MAX_DEPTH = 100
"""Parts within parts. Mail programs stop at 100 or earlier, and no letter needs more than a handful."""

_TOO_DEEP = f"too-deep: the message's parts lie more than {MAX_DEPTH} within each other"
_DOMAIN = re.compile(r"@([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)", re.IGNORECASE)


def eml(raw: bytes) -> Found:
    """The first HTML part that is not an attachment.

    The lenient ``compat32`` policy on purpose: the modern one raises on headers that real mail contains.
    """
    try:
        message = message_from_bytes(raw)
    except RecursionError:  # how deep Python's parser goes depends on the process; what is too deep does not
        return Found(reason=_TOO_DEEP)
    sender = domain(_text_of(message.get("From", "")))
    subject = _text_of(message.get("Subject", ""))
    for part, depth in _parts(message):
        if depth > MAX_DEPTH:
            return Found(sender=sender, subject=subject, reason=_TOO_DEEP)
        if part.get_content_type() == "text/html" and part.get_content_disposition() != "attachment":
            return Found(html=_payload(part), declared=part.get_content_charset(), sender=sender, subject=subject)
    return Found(sender=sender, subject=subject, reason="no-html: the message has no HTML part")


def _parts(message: Message) -> Iterator[tuple[Message, int]]:
    """The parts in the order written, each with how many others it lies in; a parent before its children."""
    waiting = [(message, 0)]
    while waiting:
        part, depth = waiting.pop()
        yield part, depth
        if part.is_multipart():
            children = cast(list[Message], part.get_payload())
            waiting += [(child, depth + 1) for child in reversed(children)]


def msg(raw: bytes) -> Found:
    """The HTML body as Outlook keeps it. An RTF body that merely wraps HTML is not unwrapped."""
    message = OutlookMessage.load(raw)
    properties = message.properties
    sender, subject = domain(message.sender or ""), message.subject
    if html := properties.binary_prop_value(outlook.PID_HTML):
        return Found(html=html, declared=properties.body_encoding, sender=sender, subject=subject)
    if text := properties.str_prop_value(outlook.PID_BODY_HTML):
        return Found(html=text.encode("utf-8", "replace"), declared="utf-8", sender=sender, subject=subject)
    return Found(sender=sender, subject=subject, reason="no-html: the message has no HTML body")


def domain(address: str) -> str:
    """The domain of a From: header, or "" where there is none."""
    found = _DOMAIN.search(parseaddr(address)[1]) or _DOMAIN.search(address)
    return found.group(1).lower() if found else ""


def _payload(part: Message) -> bytes:
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _text_of(header: object) -> str:
    """A header with its encoded words decoded; as it was written where they are broken."""
    text = str(header)
    try:
        pieces = decode_header(text)
    except HeaderParseError:
        return text
    return "".join(piece if isinstance(piece, str) else decode(piece, charset)[0] for piece, charset in pieces)
