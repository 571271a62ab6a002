"""What a source may cost and how politely it behaves."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SourceOptions:
    """Defaults suit public web sites and untrusted archives."""

    # One document
    max_bytes: int = 5_000_000  # of HTML
    max_message_bytes: int = 40_000_000  # of a raw message with its attachments

    # Archives
    max_archive_members: int = 200_000
    max_archive_ratio: float = 200.0  # bytes read for each byte of the archive; HTML compresses 5 to 30 fold

    # The web
    user_agent: str = "hnn/0.1 (email style research)"
    delay_seconds: float = 1.0  # between two requests to one host; robots.txt may ask for more
    hosts_at_once: int = 8
    tries: int = 4  # of one page, on 429, 5xx, a broken connection or half a body
    backoff_seconds: float = 1.0  # before the second try; doubles from there
    max_wait_seconds: float = 120.0  # longest Retry-After and Crawl-delay that is waited for
    response_seconds: float = 30.0  # from name resolution to the last byte
    max_redirects: int = 5
    allow_private: bool = False  # an intranet, or a test server on loopback
