"""Addresses in a sitemap or an index of sitemaps (sitemaps.org)."""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterator

from lxml import etree

MAX_BYTES = 50_000_000  # the protocol's own limit, uncompressed
_GZIP_MAGIC = b"\x1f\x8b"


class SitemapError(ValueError):
    """Not a sitemap."""


def is_sitemap(path: str) -> bool:
    """Whether an address' path names a sitemap rather than a page."""
    name = path.rpartition("/")[2].lower()
    return name.endswith((".xml", ".xml.gz")) or name.startswith("sitemap")


def locations(body: bytes) -> Iterator[tuple[str, bool]]:
    """Each address and whether it is another sitemap. Entities are not expanded, nothing is loaded, broken XML is
    read as far as it goes."""
    if body.startswith(_GZIP_MAGIC):
        body = _inflated(body)
    entries = etree.iterparse(
        io.BytesIO(body), events=("end",), tag="{*}loc", resolve_entities=False, no_network=True, recover=True
    )
    found = False
    try:
        for _, element in entries:
            parent = element.getparent()
            place = etree.QName(parent).localname if parent is not None else ""
            text = (element.text or "").strip()
            if place in ("url", "sitemap") and text:
                found = True
                yield text, place == "sitemap"
            element.clear()
    except etree.XMLSyntaxError as error:
        if not found:
            raise SitemapError("not-a-sitemap: it is no XML") from error
    if not found:
        raise SitemapError("not-a-sitemap: no address in it")


def _inflated(body: bytes) -> bytes:
    try:
        return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(body, MAX_BYTES)
    except zlib.error as error:
        raise SitemapError("not-a-sitemap: its compression is broken") from error
