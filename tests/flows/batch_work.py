"""What the tests of the runners have done to their batches: little is imported, since each process imports it anew."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Sequence
from pathlib import Path


def slow_when_first(batch: Sequence[int], factor: int) -> list[int]:
    time.sleep(0.5 if 0 in batch else 0.01)
    return [factor * number for number in batch]


def process_of(batch: int) -> int:
    time.sleep(0.3)
    return os.getpid()


def process_with(batch: int, option: str) -> int:
    return process_of(batch)


def fail(batch: int) -> None:
    raise ValueError(f"batch {batch} is bad")


def die_once(batch: int, marker: str, much: bytes) -> int:
    if batch == 3 and not Path(marker).exists():
        Path(marker).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return batch
