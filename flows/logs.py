"""Structured logs: one JSON object a line with time, level, run, stage and key, in the workspace."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
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


def to_terminal() -> None:
    """On the command line: plain lines on standard error, and none of Prefect's decoration."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(message)s"))
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
        handler.close()
