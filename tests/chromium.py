"""Chromium as an oracle, driven over ``--remote-debugging-pipe`` with the standard library alone.

>>> with Chromium() as chromium:
...     page = chromium.page(width=800)
...     page.set_content("<p>Hello")
...     page.evaluate("document.body.textContent")
'Hello'

A page shows one document at a time and goes through ``about:blank`` between two of them:
``Page.setDocumentContent`` reuses the Document, so one mail's ``<body link>`` would colour the next.
"""

from __future__ import annotations

import base64
import contextlib
import fcntl
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--force-device-scale-factor=1",
    "--disable-dev-shm-usage",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--remote-debugging-pipe",
)


class ChromiumError(Exception):
    """The browser refused a command, or a page's script threw."""


def executable() -> str | None:
    """Where Chromium is, if it is installed; the environment variable CHROMIUM overrules the search."""
    return os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")


class Chromium:
    """A headless browser of its own, gone with its profile when the ``with`` block ends."""

    def __init__(self, timeout: float = 30.0) -> None:
        self.timeout = timeout
        self._buffer = b""
        self._last_id = 0
        self._pages: dict[str, Page] = {}

    def __enter__(self) -> Chromium:
        binary = executable()
        if binary is None:
            raise ChromiumError("chromium is not installed: install Debian's `chromium` or set CHROMIUM")
        self._profile = tempfile.TemporaryDirectory(prefix="chromium-", ignore_cleanup_errors=True)
        read_commands, self._write = _high_pipe()
        self._read, write_replies = _high_pipe()

        def pipes_to_3_and_4() -> None:
            os.dup2(read_commands, 3)
            os.dup2(write_replies, 4)

        self._process = subprocess.Popen(
            [binary, *FLAGS, f"--user-data-dir={self._profile.name}", "about:blank"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=pipes_to_3_and_4,
            pass_fds=(3, 4),
            start_new_session=True,
        )
        os.close(read_commands)
        os.close(write_replies)
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError, ChromiumError):
            self.send("Browser.close")
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        os.close(self._write)
        os.close(self._read)
        self._profile.cleanup()

    def page(self, width: int = 800, height: int = 600, scripts: bool = False) -> Page:
        """A new tab. Scripts of the document are off by default; ``evaluate`` works regardless."""
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = self._pages[session] = Page(self, session, target)
        for domain in ("Page", "Runtime", "Log", "Network"):
            page.send(f"{domain}.enable")
        page.send("Emulation.setScriptExecutionDisabled", value=not scripts)
        page.resize(width, height)
        return page

    def send(self, method: str, session: str | None = None, /, **parameters: Any) -> dict[str, Any]:
        """One DevTools command and its answer; events that arrive meanwhile go to their pages."""
        self._last_id += 1
        message = {"id": self._last_id, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = session
        _write_all(self._write, json.dumps(message).encode() + b"\0")
        answer = self._receive_until(lambda reply: reply.get("id") == self._last_id, method)
        if "error" in answer:
            raise ChromiumError(f"{method}: {answer['error'].get('message')}")
        result: dict[str, Any] = answer["result"]
        return result

    def _receive_until(self, wanted: Any, what: str) -> dict[str, Any]:
        deadline = time.monotonic() + self.timeout
        while True:
            message = self._receive(deadline, what)
            page = self._pages.get(message.get("sessionId", ""))
            if "method" in message and page is not None:
                page._event(message["method"], message["params"])
            if wanted(message):
                return message

    def _receive(self, deadline: float, what: str) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._read], [], [], left)[0]:
                raise ChromiumError(f"{what}: no answer within {self.timeout:g} s")
            chunk = os.read(self._read, 1 << 20)
            if not chunk:
                raise ChromiumError(f"{what}: the browser has gone (exit code {self._process.poll()})")
            self._buffer += chunk
        head, self._buffer = self._buffer.split(b"\0", 1)
        message: dict[str, Any] = json.loads(head)
        return message


class Page:
    """One tab: shows a document, answers questions about it, and notes what it said and asked for."""

    def __init__(self, browser: Chromium, session: str, target: str) -> None:
        self._browser = browser
        self._session = session
        self._target = target
        self._loaded = False
        self.console: list[str] = []  # messages and errors of the current document
        self.requests: list[str] = []  # addresses the current document asked for

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        return self._browser.send(method, self._session, **parameters)

    def resize(self, width: int, height: int = 600) -> None:
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
            screenWidth=width,
            screenHeight=height,
        )

    def goto(self, url: str) -> None:
        """Load an address (``file:`` or 127.0.0.1: nothing else resolves) and wait for its load event."""
        self._loaded = False
        self.console.clear()
        self.requests.clear()
        answer = self.send("Page.navigate", url=url)
        if answer.get("errorText"):
            raise ChromiumError(f"{url}: {answer['errorText']}")
        if not self._loaded:
            self._browser._receive_until(lambda _: self._loaded, url)

    def set_content(self, html: str) -> None:
        """Show ``html`` as a document of its own."""
        self.goto("about:blank")
        self.requests.clear()
        frame = self.send("Page.getFrameTree")["frameTree"]["frame"]["id"]
        self.send("Page.setDocumentContent", frameId=frame, html=html)

    def evaluate(self, expression: str) -> Any:
        """The JSON value of a JavaScript expression; promises are awaited."""
        answer = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise ChromiumError(details.get("exception", {}).get("description") or details["text"])
        return answer["result"].get("value")

    def screenshot(self, path: str | Path, full_page: bool = True) -> None:
        """Write a PNG of the page, or of the viewport alone."""
        picture = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=full_page)
        Path(path).write_bytes(base64.b64decode(picture["data"]))

    def close(self) -> None:
        self._browser.send("Target.closeTarget", targetId=self._target)
        del self._browser._pages[self._session]

    def _event(self, method: str, parameters: dict[str, Any]) -> None:
        if method == "Page.loadEventFired":
            self._loaded = True
        elif method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        elif method == "Runtime.consoleAPICalled":
            words = [str(a.get("value", a.get("description", ""))) for a in parameters["args"]]
            self.console.append(f"{parameters['type']}: {' '.join(words)}")
        elif method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            text = details.get("exception", {}).get("description") or details["text"]
            self.console.append(f"exception: {text}")
        elif method == "Log.entryAdded":
            self.console.append(f"{parameters['entry']['level']}: {parameters['entry']['text']}")


def _high_pipe() -> tuple[int, int]:
    """A pipe whose ends stay clear of 3 and 4, which the child needs for itself."""
    ends = []
    for end in os.pipe():
        ends.append(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10))
        os.close(end)
    return ends[0], ends[1]


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
