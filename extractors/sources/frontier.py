"""The addresses of one crawl, by host, on disk."""

from __future__ import annotations

from collections.abc import Iterator

import httpx

from extractors.sources.spool import scratch


class Frontier:
    """Pages to fetch; one that is listed twice is fetched once."""

    def __init__(self) -> None:
        self._database = scratch()
        self._database.execute(
            "CREATE TABLE pages (host TEXT, address TEXT, listed INTEGER, PRIMARY KEY (host, address)) WITHOUT ROWID"
        )

    def add(self, address: httpx.URL) -> None:
        self._database.execute(
            "INSERT INTO pages VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET listed = listed + 1",
            (address.netloc.decode("ascii"), str(address)),
        )

    def __len__(self) -> int:
        return int(self._database.execute("SELECT count(*) FROM pages").fetchone()[0])

    def hosts(self) -> Iterator[str]:
        host = ""
        while row := self._database.execute("SELECT min(host) FROM pages WHERE host > ?", (host,)).fetchone():
            if row[0] is None:
                return
            host = row[0]
            yield host

    def pages(self, host: str) -> Iterator[tuple[httpx.URL, int]]:
        """The host's pages in order, and how often each is listed."""
        address = ""
        query = "SELECT address, listed FROM pages WHERE host = ? AND address > ? ORDER BY address LIMIT 1"
        while row := self._database.execute(query, (host, address)).fetchone():
            address = row[0]
            yield httpx.URL(address), row[1]

    def close(self) -> None:
        self._database.close()
