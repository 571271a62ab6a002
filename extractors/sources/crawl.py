"""One visit to all pages of a web source."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import closing
from datetime import UTC, datetime

import httpx

from extractors.sources import sitemap
from extractors.sources.addresses import AddressError, memory_key, parse, redacted
from extractors.sources.fetch import Answer, Fetcher, RefusedError, UnavailableError
from extractors.sources.frontier import Frontier
from extractors.sources.ledger import Ledger, Page
from extractors.sources.options import SourceOptions
from extractors.sources.readings import Found, Reading, keep
from extractors.sources.records import DocumentRecord
from extractors.sources.source import Known, Progress
from extractors.sources.spool import Spool
from extractors.store import DocumentStore

_LOG = logging.getLogger(__name__)
_MAX_SITEMAPS = 1000
_HTML_TYPES = frozenset({"", "text/html", "application/xhtml+xml"})
_MAYBE_HTML = frozenset({"text/plain", "application/octet-stream", "binary/octet-stream"})


class Crawl:
    """Fetches what changed. Rows wait in a spool, so that their order does not depend on who answers first."""

    def __init__(
        self, options: SourceOptions, store: DocumentStore, ledger: Ledger, known: Known, progress: Progress
    ) -> None:
        self._options = options
        self._store = store
        self._ledger = ledger
        self._known = known
        self._progress = progress
        self._frontier = Frontier()
        self._rows = Spool()
        self._done = 0

    async def run(self, listed: Iterable[str]) -> None:
        """Visit the addresses listed and those of listed sitemaps."""
        with closing(self._frontier):
            async with Fetcher(self._options) as fetcher:
                for text in listed:
                    await self._seed(text, fetcher)
                hosts = self._frontier.hosts()
                total = len(self._frontier)
                try:
                    async with asyncio.TaskGroup() as visits:
                        for _ in range(self._options.hosts_at_once):
                            visits.create_task(self._visit(hosts, total, fetcher))
                except BaseExceptionGroup as group:  # a full disk, say: the caller knows the plain error
                    raise group.exceptions[0] from group

    def records(self) -> Iterator[DocumentRecord]:
        with closing(self._rows):
            for _, row in self._rows:
                location, host, fetched_at, reading = json.loads(row)
                yield Reading.from_json(reading).record(
                    source="web",
                    location=location,
                    sender=host,
                    fetched_at=datetime.fromisoformat(fetched_at) if fetched_at else None,
                )

    async def _visit(self, hosts: Iterator[str], total: int, fetcher: Fetcher) -> None:
        """Take the next host until none is left."""
        for host in hosts:
            for address, listed in self._frontier.pages(host):
                reading, fetched_at = await self._page(address, fetcher)
                for _ in range(listed):
                    self._add(str(address), reading, fetched_at)
                self._done += 1
                self._progress(self._done, total)

    async def _page(self, address: httpx.URL, fetcher: Fetcher) -> tuple[Reading, datetime | None]:
        earlier = self._earlier(address)
        try:
            answer = await self._ask(address, fetcher, self._options.max_bytes, earlier)
        except (RefusedError, UnavailableError) as error:
            return _rejected(str(error)), None
        if answer is None:
            assert earlier is not None, "only a page that was fetched before can be unchanged"
            return earlier.reading, earlier.fetched_at
        found = Found(html=answer.body or b"", declared=answer.charset, reason=_why_no_html(answer))
        reading = keep(found, self._store, self._options)
        return reading, (None if reading.reason else self._remember(address, answer, reading, earlier))

    async def _seed(self, text: str, fetcher: Fetcher) -> None:
        try:
            address = parse(text)
        except AddressError as error:
            self._add(text, _rejected(str(error)), None)
            return
        if sitemap.is_sitemap(address.path):
            await self._expand(address, fetcher)
        else:
            self._frontier.add(address)

    async def _expand(self, root: httpx.URL, fetcher: Fetcher) -> None:
        """The pages of a sitemap and of the sitemaps it lists; one that cannot be read is a row."""
        pending, seen = deque([root]), {root}
        while pending:
            address = pending.popleft()
            try:
                for text, is_sitemap in sitemap.locations(await self._sitemap(address, fetcher)):
                    found = self._parsed(text)
                    if found is None:
                        continue
                    if not is_sitemap:
                        self._frontier.add(found)
                    elif found not in seen and len(seen) < _MAX_SITEMAPS:
                        seen.add(found)
                        pending.append(found)
                    elif found not in seen:
                        self._add(text, _rejected(f"too-many: more than {_MAX_SITEMAPS:,} sitemaps"), None)
            except (RefusedError, UnavailableError, sitemap.SitemapError) as error:
                self._add(str(address), _rejected(str(error)), None)

    async def _sitemap(self, address: httpx.URL, fetcher: Fetcher) -> bytes:
        earlier = self._earlier(address)
        answer = await self._ask(address, fetcher, sitemap.MAX_BYTES, earlier)
        if answer is None:
            assert earlier is not None, "only a sitemap that was fetched before can be unchanged"
            return self._store.get(earlier.reading.sha256)
        body = answer.body or b""
        reading = Reading("", "", "", sha256=self._store.put(body), bytes=len(body), charset="", reason="")
        self._remember(address, answer, reading, earlier)
        return body

    async def _ask(self, address: httpx.URL, fetcher: Fetcher, max_bytes: int, earlier: Page | None) -> Answer | None:
        """What the server sends, or None if the earlier copy still holds: unchanged, or the server is in trouble."""
        if earlier is None:
            return await fetcher.get(address, max_bytes)
        try:
            answer = await fetcher.get(address, max_bytes, earlier.etag, earlier.modified)
        except UnavailableError as error:
            _LOG.warning("%s: %s; the copy of %s stays", redacted(str(address)), error, earlier.fetched_at.date())
            return None
        return None if answer.body is None else answer

    def _earlier(self, address: httpx.URL) -> Page | None:
        """The page as it was last fetched, from the ledger or, should that be lost, from the last table."""
        if page := self._ledger.recall_page(memory_key(address)):
            return page
        record = self._known.get(str(address))  # an address with a secret is in no table
        if record is None or record.fetched_at is None or record.sha256 not in self._store:
            return None
        reading = Reading("", "", record.subject, record.sha256, record.bytes, record.charset, reason="")
        return Page(etag="", modified="", fetched_at=record.fetched_at, reading=reading)

    def _remember(self, address: httpx.URL, answer: Answer, reading: Reading, earlier: Page | None) -> datetime:
        """When this content was first fetched."""
        same = earlier is not None and earlier.reading.sha256 == reading.sha256
        fetched_at = earlier.fetched_at if earlier is not None and same else datetime.now(UTC)
        self._ledger.remember_page(memory_key(address), Page(answer.etag, answer.modified, fetched_at, reading))
        return fetched_at

    def _parsed(self, text: str) -> httpx.URL | None:
        try:
            return parse(text)
        except AddressError as error:
            self._add(text, _rejected(str(error)), None)
            return None

    def _add(self, address: str, reading: Reading, fetched_at: datetime | None) -> None:
        location = redacted(address)
        try:
            host = parse(address).host
        except AddressError:
            host = ""
        row = [location, host, fetched_at.isoformat() if fetched_at else None, reading.to_json()]
        self._rows.add(location.encode("utf-8", "replace"), json.dumps(row).encode())


def _why_no_html(answer: Answer) -> str:
    """Code hosts and object stores send HTML as plain text: there the first character tells."""
    looks_like_html = (answer.body or b"").lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")
    if answer.content_type in _HTML_TYPES or (answer.content_type in _MAYBE_HTML and looks_like_html):
        return ""
    return f"not-html: the server sends {answer.content_type}"


def _rejected(reason: str) -> Reading:
    return Reading(member="", sender="", subject="", sha256="", bytes=0, charset="", reason=reason)
