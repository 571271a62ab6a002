"""Files that are no text, whatever they are called: pictures and PDFs, known by how they begin, and other data."""

from __future__ import annotations

import re

_BEGINNINGS = (b"\xff\xd8\xff", b"\x89PNG\r\n", b"GIF87a", b"GIF89a", b"%PDF-")
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_LOOKED_AT = 4096  # characters
_SHARE = 0.02  # random bytes have a tenth, emails next to none


def is_picture(raw: bytes) -> bool:
    """Whether these bytes begin as a JPEG, PNG, GIF, WebP or PDF file does."""
    return raw.startswith(_BEGINNINGS) or (raw.startswith(b"RIFF") and raw[8:12] == b"WEBP")


def is_binary(text: str) -> bool:
    """Whether what was decoded is full of control characters, which no writer of text uses."""
    begin = text[:_LOOKED_AT]
    return len(_CONTROLS.findall(begin)) > _SHARE * len(begin)
