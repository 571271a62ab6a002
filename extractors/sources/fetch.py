"""One page from the web: politely, guarded, within limits, with retries.

Through httpcore, the engine of httpx, rather than through an httpx client: only there can a connection be pinned to a
checked address, and a client would keep cookies, follow redirects past the guard of robots.txt and log whole addresses
with their secrets.
"""

from __future__ import annotations

import asyncio
import logging
import math
import socket
import zlib
from base64 import b64encode
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import Message
from email.utils import parsedate_to_datetime
from types import TracebackType

import httpcore
import httpx
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, stop_after_attempt
from tenacity.wait import wait_exponential, wait_random

from extractors.charset import decode
from extractors.sources.addresses import AddressError, parse
from extractors.sources.guard import GuardedNetwork, PrivateAddressError
from extractors.sources.hosts import Host, Hosts
from extractors.sources.options import SourceOptions
from extractors.sources.readings import too_large

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_ROBOTS_BYTES = 512_000  # RFC 9309 asks for at least 500 KiB
_GZIP = zlib.MAX_WBITS | 16
logging.getLogger("httpcore").setLevel(logging.INFO)  # its debug lines hold whole headers, a redirect's token included


class RefusedError(Exception):
    """The page cannot be had, and asking again would not help. The message is the reason."""


class UnavailableError(Exception):
    """The page cannot be had now."""

    def __init__(self, reason: str, retry_after: float | None = None) -> None:
        super().__init__(reason)
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class Answer:
    body: bytes | None  # None: unchanged since the version that was asked about
    etag: str
    modified: str
    content_type: str
    charset: str | None


class Fetcher:
    """Fetches pages of any number of hosts, one at a time each."""

    def __init__(self, options: SourceOptions) -> None:
        self._options = options
        self._hosts = Hosts(options)
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=httpx.create_ssl_context(),
            max_connections=None,
            max_keepalive_connections=options.hosts_at_once,
            keepalive_expiry=15.0,
            network_backend=GuardedNetwork(options.allow_private),
        )
        backoff = options.backoff_seconds
        self._backoff = wait_exponential(multiplier=backoff, max=options.max_wait_seconds) + wait_random(0, backoff)

    async def __aenter__(self) -> Fetcher:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._pool.aclose()

    async def get(self, address: httpx.URL, max_bytes: int, etag: str = "", modified: str = "") -> Answer:
        """The page, or None in place of its body if it is still what ``etag`` and ``modified`` stand for."""
        host = self._hosts.of(address)
        if host.is_down:
            raise UnavailableError("host-down: several pages of this host failed in a row; it is left alone for now")
        conditions = {"If-None-Match": etag, "If-Modified-Since": modified}
        try:
            answer: Answer = await self._retrying()(self._follow, address, max_bytes, conditions, obedient=True)
        except UnavailableError:
            host.failed()
            raise
        except RefusedError:
            host.answered()
            raise
        host.answered()
        return answer

    def _retrying(self) -> AsyncRetrying:
        def wait(state: RetryCallState) -> float:
            asked = _retry_after(state)
            return self._backoff(state) if asked is None else asked

        enough = stop_after_attempt(self._options.tries)
        return AsyncRetrying(
            retry=retry_if_exception_type(UnavailableError),
            stop=lambda state: enough(state) or (_retry_after(state) or 0) > self._options.max_wait_seconds,
            wait=wait,
            reraise=True,
        )

    async def _follow(self, address: httpx.URL, max_bytes: int, conditions: dict[str, str], obedient: bool) -> Answer:
        """Each hop waits for its host's turn and, unless it is for a robots.txt itself, asks its robots.txt."""
        for _ in range(self._options.max_redirects + 1):
            host = self._hosts.of(address)
            if obedient:
                await self._ask_robots(host, address)
            async with host.turn():
                answer = await self._request(address, max_bytes, conditions, whole=obedient)
            if isinstance(answer, Answer):
                return answer
            address = answer
        raise RefusedError(f"redirects: more than {self._options.max_redirects}")

    async def _ask_robots(self, host: Host, address: httpx.URL) -> None:
        async with host.robots_lock:
            if not host.robots_known:
                rules = address.copy_with(raw_path=b"/robots.txt", userinfo=b"")
                try:
                    answer: Answer = await self._retrying()(self._follow, rules, _ROBOTS_BYTES, {}, obedient=False)
                    host.obey(decode(answer.body or b"", "utf-8")[0])
                except RefusedError:
                    host.obey(None)  # RFC 9309: no rules, everything is allowed
                except UnavailableError as error:  # RFC 9309: rules that cannot be read forbid everything
                    raise UnavailableError(f"robots: robots.txt cannot be read ({error})", math.inf) from error
        if not host.allows(address):
            raise RefusedError("robots: robots.txt forbids it")

    async def _request(
        self, address: httpx.URL, max_bytes: int, conditions: dict[str, str], whole: bool
    ) -> Answer | httpx.URL:
        """The answer, or where it redirects to. Beyond the limit it is refused, or cut if not needed ``whole``."""
        url = httpcore.URL(scheme=address.raw_scheme, host=address.raw_host, port=address.port, target=address.raw_path)
        seconds = self._options.response_seconds
        try:
            # Over the whole exchange: a byte a second would satisfy every timeout that looks at single reads.
            async with (
                asyncio.timeout(seconds),
                self._pool.stream("GET", url, headers=self._headers(address, conditions)) as response,
            ):
                headers = httpx.Headers(response.headers)
                if response.status in _REDIRECTS and "location" in headers:
                    return _redirected(address, headers["location"])
                _check_status(response.status, headers, conditions)
                body = None if response.status == 304 else await _body(response, headers, max_bytes, whole)
        except TimeoutError as error:
            raise UnavailableError(f"timeout: no complete answer within {seconds:g} s") from error
        except PrivateAddressError as error:
            raise RefusedError(str(error)) from error
        except (socket.gaierror, UnicodeError) as error:
            if getattr(error, "errno", None) == socket.EAI_AGAIN:
                raise UnavailableError("no-such-host: its name cannot be resolved now") from error
            raise RefusedError("no-such-host: its name cannot be resolved") from error
        except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException, OSError) as error:
            raise UnavailableError(f"connection: {type(error).__name__}: {error}") from error
        kind, charset = _content_type(headers)
        return Answer(body, headers.get("etag", ""), headers.get("last-modified", ""), kind, charset)

    def _headers(self, address: httpx.URL, conditions: dict[str, str]) -> list[tuple[bytes, bytes]]:
        headers = conditions | {
            "User-Agent": self._options.user_agent,
            "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.5",
            "Accept-Encoding": "gzip",
        }
        if address.userinfo:
            login = b64encode(f"{address.username}:{address.password}".encode()).decode()
            headers["Authorization"] = f"Basic {login}"
        # What cannot be sent is left out: a server's strange ETag costs the saving, not the page.
        sendable = {name: value for name, value in headers.items() if value and value.isascii() and value.isprintable()}
        return [(name.encode(), value.encode()) for name, value in sendable.items()]


def _check_status(status: int, headers: httpx.Headers, conditions: dict[str, str]) -> None:
    if status in (408, 425, 429) or status >= 500:
        raise UnavailableError(f"http-{status}", _seconds(headers.get("retry-after", "")))
    if status != 200 and not (status == 304 and any(conditions.values())):
        raise RefusedError(f"http-{status}")


async def _body(response: httpcore.Response, headers: httpx.Headers, max_bytes: int, whole: bool) -> bytes:
    """The body, decompressed no further than the limit: httpx would inflate a whole chunk, a thousandfold, first."""
    coding = headers.get("content-encoding", "identity").strip().lower()
    if coding not in ("identity", "", "gzip", "x-gzip"):
        raise RefusedError(f"encoding: the server answers in {coding[:40]!r}, which was not asked for")
    inflate = zlib.decompressobj(_GZIP) if coding.endswith("gzip") else None
    body = bytearray()
    async for chunk in response.aiter_stream():
        try:
            body += inflate.decompress(chunk, max_bytes + 1 - len(body)) if inflate else chunk
        except zlib.error as error:
            raise UnavailableError("half-body: the compressed answer is broken") from error
        if len(body) > max_bytes:
            if whole:
                raise RefusedError(too_large(max_bytes))
            return bytes(body[:max_bytes])
    if inflate and not inflate.eof:
        raise UnavailableError("half-body: the compressed answer ends too early")
    return bytes(body)


def _redirected(address: httpx.URL, location: str) -> httpx.URL:
    """Where a redirect leads. Credentials go along within their origin only."""
    try:
        target = parse(str(address.join(location)))
    except (AddressError, httpx.InvalidURL, ValueError) as error:
        raise RefusedError("redirects: to something that is no web address") from error
    origin, new_origin = ((a.scheme, a.host, a.port) for a in (address, target))
    return target.copy_with(userinfo=address.userinfo if origin == new_origin else b"")


def _content_type(headers: httpx.Headers) -> tuple[str, str | None]:
    message = Message()
    message["content-type"] = headers.get("content-type", "")
    named = headers.get("content-type", "").strip()
    return (message.get_content_type() if named else ""), message.get_content_charset()


def _retry_after(state: RetryCallState) -> float | None:
    error = state.outcome.exception() if state.outcome else None
    return error.retry_after if isinstance(error, UnavailableError) else None


def _seconds(retry_after: str) -> float | None:
    """Retry-After is a number of seconds or a date."""
    retry_after = retry_after.strip()
    if retry_after.isascii() and retry_after.isdigit():
        return float(retry_after[:12])
    try:
        moment = parsedate_to_datetime(retry_after)
    except ValueError:
        return None
    return max(0.0, (moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)).total_seconds())
