"""Pages of the web as a source: one address, a file of addresses, or a sitemap."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from extractors.sources.addresses import AddressError, parse, redacted
from extractors.sources.crawl import Crawl
from extractors.sources.ledger import Ledger
from extractors.sources.options import SourceOptions
from extractors.sources.records import DocumentRecord
from extractors.sources.source import Known, Progress, Source, SourceError
from extractors.store import DocumentStore

_LIST_SUFFIXES = (".txt", ".urls")


class WebSource(Source):
    """``https://…``, ``https://…/sitemap.xml``, or a file with an address a line and ``#`` comments."""

    kind = "web"

    def __init__(self, spec: str, options: SourceOptions) -> None:
        self._options = options
        self._spec = spec
        self._list = None if is_address(spec) else Path(spec).expanduser()
        if self._list is None:
            try:
                parse(spec)
            except AddressError as error:
                raise SourceError(f"{redacted(spec)}: {error}") from error
        elif next(self._listed(), None) is None:
            raise SourceError(f"{spec}: no address in it; expected one http(s):// address a line")

    def fingerprint(self) -> None:
        return None

    def documents(self, store: DocumentStore, known: Known, progress: Progress) -> Iterator[DocumentRecord]:
        with Ledger(store) as ledger:
            crawl = Crawl(self._options, store, ledger, known, progress)
            self._run(crawl)
        yield from crawl.records()

    def _run(self, crawl: Crawl) -> None:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            asyncio.run(crawl.run(self._listed()))
            return
        with ThreadPoolExecutor(1) as thread:  # a notebook: its loop is busy with the call that waits for this
            thread.submit(asyncio.run, crawl.run(self._listed())).result()

    def _listed(self) -> Iterator[str]:
        if self._list is None:
            yield self._spec
            return
        try:
            with self._list.open(encoding="utf-8-sig", errors="replace") as lines:
                for line in lines:
                    if (text := line.strip()) and not text.startswith("#"):
                        yield text
        except OSError as error:
            raise SourceError(f"{self._spec}: {error.strerror}") from error


def is_address(spec: str) -> bool:
    return spec.lower().startswith(("http://", "https://"))


def is_list(spec: str) -> bool:
    return spec.lower().endswith(_LIST_SUFFIXES) and not any(wildcard in spec for wildcard in "*?[")
