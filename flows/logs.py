"""Structured logs: one JSON object a line with time, level, run, stage and key, in the workspace."""

from __future__ import annotations

import json
import logging
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path


class JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        entry = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "run": getattr(record, "run", None),
            "stage": getattr(record, "stage", None),
            "key": getattr(record, "key", None),
            "message": record.getMessage(),
        }
        return json.dumps({name: value for name, value in entry.items() if value is not None}, ensure_ascii=False)


class TerminalLines(logging.Formatter):
    """The message alone. What is only told, not warned of, is cut to a line of the terminal: the file has all of it."""

    def format(self, record: logging.LogRecord) -> str:
        message = record.getMessage()
        if record.levelno > logging.INFO or not sys.stderr.isatty():
            return message
        width = shutil.get_terminal_size().columns
        return message if len(message) <= width else message[: width - 1] + "…"


def to_terminal(*, debug: bool = False) -> None:
    """On the command line: plain lines on standard error.

    None of Prefect's: an error is told once, by the command line. What went wrong in a flow run is still sent to
    Prefect's server; ``debug`` shows it here too.
    """
    logging.raiseExceptions = debug  # a log that cannot be written: a full disk is told once, not for every line
    for name in ("prefect.flow_runs", "prefect.task_runs"):
        logging.getLogger(name).propagate = debug
    handler = logging.StreamHandler()
    handler.setFormatter(TerminalLines())
    logger = logging.getLogger("hnn")
    logger.propagate = False
    logger.setLevel(logging.INFO)
    logger.addHandler(handler)


@contextmanager
def to_file(workspace: Path, run: str) -> Iterator[None]:
    """Write what the ``hnn`` logger says during one run to ``logs/<run>.jsonl``."""
    folder = workspace / "logs"
    folder.mkdir(parents=True, exist_ok=True)
    handler = logging.FileHandler(folder / f"{run}.jsonl", encoding="utf-8")
    handler.setFormatter(JsonLines())
    logger = logging.getLogger("hnn")
    logger.setLevel(logging.INFO)
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        with suppress(OSError):  # lines that a full disk did not take
            handler.close()
