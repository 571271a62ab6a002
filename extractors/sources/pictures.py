"""Files that are no text, whatever they are called: pictures and PDFs, known by how they begin."""

from __future__ import annotations

_BEGINNINGS = (b"\xff\xd8\xff", b"\x89PNG\r\n", b"GIF87a", b"GIF89a", b"%PDF-")


def is_picture(raw: bytes) -> bool:
    """Whether these bytes begin as a JPEG, PNG, GIF, WebP or PDF file does."""
    return raw.startswith(_BEGINNINGS) or (raw.startswith(b"RIFF") and raw[8:12] == b"WEBP")
