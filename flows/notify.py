"""Somebody is told when a run ends: the command that ``[notify]`` names is run.

It gets the ending as JSON on its standard input, so that a mail, a chat or a pager is one line of
``hnn.toml``: ``command = "curl -fsS -H Content-Type:application/json -d @- https://hooks.example/…"``.
"""

from __future__ import annotations

import json
import logging
import shlex
import subprocess
from dataclasses import asdict, dataclass
from pathlib import Path

from flows import config as configuration
from flows.config import redact_urls
from flows.errors import HnnError

log = logging.getLogger("hnn")

PATIENCE_SECONDS = 60


@dataclass(frozen=True)
class Ending:
    """What is said about a run that ended."""

    run: str  # its name, which says what ran
    state: str  # completed | failed | crashed | cancelled
    message: str
    workspace: str
    id: str  # Prefect's, for links


def announce(ending: Ending, config_file: str | None = None, overrides: tuple[str, ...] = ()) -> None:
    """Run the configured command; trouble with it never becomes trouble of the run."""
    try:
        notify = configuration.load(Path(config_file) if config_file else None, overrides=overrides).notify
    except HnnError:
        return  # a configuration that cannot be read is what the run itself failed of
    if not notify.command or ending.state not in notify.on:
        return
    try:
        subprocess.run(
            shlex.split(notify.command),
            input=json.dumps(asdict(ending), ensure_ascii=False).encode(),
            check=True,
            timeout=PATIENCE_SECONDS,
            capture_output=True,
        )
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        log.warning("notify.command failed: %s", _reason(error))


def _reason(error: Exception) -> str:
    """Without the command itself, which may hold a secret."""
    if isinstance(error, subprocess.CalledProcessError):
        said = error.stderr.decode(errors="replace").strip().splitlines()
        return redact_urls(f"exit code {error.returncode}" + (f", {said[-1]}" if said else ""))
    if isinstance(error, subprocess.TimeoutExpired):
        return f"no end after {PATIENCE_SECONDS} s"
    return error.strerror or type(error).__name__ if isinstance(error, OSError) else str(error)
