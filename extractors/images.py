"""Which image it is: the hash of what is embedded, else the address without its query."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from urllib.parse import urlsplit, urlunsplit

_MAX_ADDRESS = 2048


@lru_cache(maxsize=16384)
def image_signature(source: str) -> str:
    """Campaign and recipient ids live in the query, so two sends of one picture stay one image."""
    source = "".join(source.split())
    if not source:
        return ""
    if source[:5].lower() == "data:":
        return f"sha256:{hashlib.sha256(source.encode('utf-8', 'surrogatepass')).hexdigest()}"
    try:
        parts = urlsplit(source)
        host = (parts.hostname or "").lower() + (f":{parts.port}" if parts.port else "")
    except ValueError:  # not an address any library agrees on; its text still identifies it
        return source[:_MAX_ADDRESS]
    return urlunsplit((parts.scheme.lower(), host, parts.path, "", ""))[:_MAX_ADDRESS]
