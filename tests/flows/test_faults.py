"""Faults of the machine around a run: a full disk, a clock that jumps, a secret in an address."""

from __future__ import annotations

import http.server
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pipeline_project import Project

from flows import execution
from flows.config import Config
from flows.execution import execute
from flows.planning import decide
from flows.progress import Silent
from flows.stage import Context, Stage
from flows.workspace import Workspace

PAGE = (
    b"<html><body><table><tr><td style='background:#fff'><h1>Hello</h1><p>Some words of an email</p></td></tr></table>"
)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 1 MB."""
    place = tmp_path / "small disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("a small file system cannot be mounted here (it needs root)")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def fill(context: Context) -> dict[str, Any]:
    (context.out / "documents.txt").write_bytes(os.urandom(400_000 * (1 + len(context.config.scrape.source) // 7)))
    return {}


SCRAPE = Stage("scrape", 1, (), ("documents.txt",), fill)


def test_a_full_disk_is_a_clear_message_and_costs_nothing_that_was_there(small_disk: Path) -> None:
    workspace = Workspace(small_disk)
    config = Config()
    execute(workspace, decide(workspace, SCRAPE, config, {}), config, {}, Silent())
    before = workspace.current("scrape")
    larger = config.model_copy(update={"scrape": config.scrape.model_copy(update={"source": "x" * 30})})
    with pytest.raises(Exception, match=r"the disk is full\. Free some space .* Earlier results are untouched"):
        execute(workspace, decide(workspace, SCRAPE, larger, {}), larger, {}, Silent())
    assert workspace.current("scrape") == before
    assert not list(small_disk.glob("stages/scrape/.*"))
    again = decide(workspace, SCRAPE, config, {})
    assert again.fresh


def test_a_clock_that_jumps_back_bends_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Jumping(datetime):
        calls = 0

        @classmethod
        def now(cls, tz: Any = None) -> Jumping:
            cls.calls += 1
            return cls.fromtimestamp(1_800_000_000 - 86_400 * cls.calls, UTC)

    monkeypatch.setattr(execution, "datetime", Jumping)
    workspace = Workspace(tmp_path)
    config = Config()
    first = execute(workspace, decide(workspace, SCRAPE, config, {}), config, {}, Silent()).manifest
    assert first.started_at > first.finished_at  # the clock did jump
    assert timedelta(seconds=first.seconds) >= timedelta(0)
    assert decide(workspace, SCRAPE, config, {}).fresh


class Quiet(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(404 if self.path.startswith("/robots.txt") else 200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(PAGE)))
        self.end_headers()
        self.wfile.write(PAGE)

    def log_message(self, *_: object) -> None:
        pass


@pytest.mark.slow
def test_a_secret_in_an_address_is_written_nowhere(tmp_path: Path) -> None:
    password, token = "hunter2hunter2", "tok5f1c9secret"
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://editor:{password}@127.0.0.1:{server.server_port}/news.html?token={token}"
    project = Project(tmp_path / "project")
    try:
        shown = project.hnn(
            *("stage", "scrape", "--set", f"scrape.source={address}"),
            *("--set", "scrape.allow_private=true", "--set", "scrape.delay_seconds=0"),
        )
    finally:
        server.shutdown()
    assert "ok: 1" in shown.stdout
    leaks = [
        path
        for path in [*project.workspace.rglob("*"), *(project.folder / "home").rglob("*")]
        if path.is_file() and any(secret in path.read_bytes() for secret in (password.encode(), token.encode()))
    ]
    assert leaks == []
    assert password not in shown.stdout + shown.stderr
    assert token not in shown.stdout + shown.stderr
