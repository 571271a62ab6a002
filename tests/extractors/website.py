"""A real web server on loopback whose pages may misbehave, for tests only."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

Page = Callable[[BaseHTTPRequestHandler], None]


class Request(NamedTuple):
    time: float
    path: str
    headers: Message


class Website:
    """Pages by path; what was asked for, and when."""

    def __init__(self, address: str = "127.0.0.1") -> None:
        self.pages: dict[str, Page] = {}
        self.requests: list[Request] = []
        self.busy = self.busiest = 0
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer((address, 0), self._handler())
        self.url = f"http://{address}:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def asked(self, path: str) -> int:
        return sum(request.path == path for request in self.requests)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                with site._lock:
                    site.requests.append(Request(time.monotonic(), self.path, self.headers))
                    site.busy += 1
                    site.busiest = max(site.busiest, site.busy)
                try:
                    with suppress(ConnectionError):
                        site.pages.get(self.path, status(404))(self)
                finally:
                    with site._lock:
                        site.busy -= 1

            def log_message(self, format: str, *args: object) -> None:
                pass

        return Handler


@contextmanager
def website(address: str = "127.0.0.1") -> Iterator[Website]:
    site = Website(address)
    try:
        yield site
    finally:
        site.close()


def answer(handler: BaseHTTPRequestHandler, body: bytes, code: int = 200, **headers: str) -> None:
    handler.send_response(code)
    for name, value in ({"Content-Type": "text/html", "Content-Length": str(len(body))} | _dashed(headers)).items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(body)


def html(body: bytes | str, **headers: str) -> Page:
    raw = body.encode() if isinstance(body, str) else body
    return lambda handler: answer(handler, raw, **headers)


def status(code: int, **headers: str) -> Page:
    return lambda handler: answer(handler, b"no", code, **headers)


def redirect(target: str, code: int = 302) -> Page:
    return status(code, Location=target)


def in_turn(*pages: Page) -> Page:
    """A different answer each time; the last one from then on."""
    remaining = list(pages)
    return lambda handler: (remaining.pop(0) if len(remaining) > 1 else remaining[0])(handler)


def versioned(body: str, etag: str, modified: str = "") -> Page:
    """A page that is sent again only if the visitor does not have it."""

    def page(handler: BaseHTTPRequestHandler) -> None:
        has_it = handler.headers.get("If-None-Match") == etag if etag else False
        has_it = has_it or bool(modified and handler.headers.get("If-Modified-Since") == modified)
        marks = {"ETag": etag} if etag else {}
        marks |= {"Last-Modified": modified} if modified else {}
        answer(handler, b"" if has_it else body.encode(), 304 if has_it else 200, **marks)

    return page


def half_a_body(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "text/html")
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b"<p>half")
    handler.close_connection = True


def nothing(handler: BaseHTTPRequestHandler) -> None:
    handler.close_connection = True


def dripping(handler: BaseHTTPRequestHandler) -> None:
    """A byte at a time, for ever: no pause is long enough for a read to time out."""
    handler.send_response(200)
    handler.send_header("Content-Type", "text/html")
    handler.end_headers()
    for _ in range(600):
        handler.wfile.write(b"x")
        handler.wfile.flush()
        time.sleep(0.05)


def dripping_headers(handler: BaseHTTPRequestHandler) -> None:
    for _ in range(600):
        handler.wfile.write(b"H")
        handler.wfile.flush()
        time.sleep(0.05)


def _dashed(headers: dict[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}
