"""Manners: one request at a time to a host, with a pause between, and only what its robots.txt allows."""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
from protego import Protego

from extractors.sources.options import SourceOptions

_REMEMBERED_HOSTS = 10_000
_FAILURES_IN_A_ROW = 5
_USER_AGENT_LINE = re.compile(r"(?im)^[ \t]*user[- ]?agent[ \t]*:?[ \t]*([^#\r\n]*).*$")


class Host:
    """One origin: whose turn it is, what may be fetched, and whether it still answers."""

    def __init__(self, options: SourceOptions) -> None:
        self._options = options
        self._product = options.user_agent.partition("/")[0].strip() or "hnn"
        self._delay = options.delay_seconds
        self._free_at = 0.0
        self._lock = asyncio.Lock()
        self._failures = 0
        self._robots: Protego | None = None
        self.robots_lock = asyncio.Lock()
        self.robots_known = False

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """The next request to this host, no sooner than politeness allows."""
        clock = asyncio.get_running_loop().time
        async with self._lock:
            await asyncio.sleep(max(0.0, self._free_at - clock()))
            try:
                yield
            finally:
                self._free_at = clock() + self._delay

    def obey(self, robots: str | None) -> None:
        """Take the host's rules; None if it has none."""
        self.robots_known = True
        if robots is None:
            return
        self._robots = Protego.parse(self._own_rules(robots))
        asked = self._robots.crawl_delay(self._product) or 0.0
        if rate := self._robots.request_rate(self._product):
            asked = max(asked, rate.seconds / rate.requests)
        self._delay = min(max(self._delay, asked), self._options.max_wait_seconds)

    def allows(self, address: httpx.URL) -> bool:
        return self._robots is None or self._robots.can_fetch(str(address.copy_with(userinfo=b"")), self._product)

    @property
    def is_down(self) -> bool:
        return self._failures >= _FAILURES_IN_A_ROW

    def answered(self) -> None:
        self._failures = 0

    def failed(self) -> None:
        self._failures += 1

    def _own_rules(self, robots: str) -> str:
        """The rules with all other robots' names as one: a file of n names and n rules would cost the parser n²."""

        def name(line: re.Match[str]) -> str:
            written = line.group(1).strip().lower()
            concerns_us = written == "*" or (written and written.strip("*") in self._product.lower())
            return f"User-agent: {written if concerns_us else 'somebody-else'}"

        return _USER_AGENT_LINE.sub(name, robots)


class Hosts:
    """Hosts by origin; the least recently used are forgotten beyond ten thousand."""

    def __init__(self, options: SourceOptions) -> None:
        self._options = options
        self._hosts: OrderedDict[str, Host] = OrderedDict()

    def of(self, address: httpx.URL) -> Host:
        origin = f"{address.scheme}://{address.host}:{address.port}"
        host = self._hosts.pop(origin, None) or Host(self._options)
        self._hosts[origin] = host
        if len(self._hosts) > _REMEMBERED_HOSTS:
            self._hosts.popitem(last=False)
        return host
