"""Processor, memory and disk while a run goes on, sampled into a file beside the run's record.

MLflow's own monitor sends each sample as it takes it and gives up at the first that does not arrive. Here samples
wait on disk until ``flows/tracking.py`` has sent them, so an absent server costs none. Names are MLflow's: its
dashboard shows them under "System metrics".
"""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from types import TracebackType

INTERVAL_SECONDS = 5.0

#: Name, value, milliseconds since the epoch, number of the sample.
Sample = tuple[str, float, int, int]


class SystemSampler:
    """Samples the machine until the block ends; what is in the file is safe from a kill."""

    def __init__(self, path: Path, disk: Path, interval: float = INTERVAL_SECONDS) -> None:
        self._path, self._disk, self._interval = path, disk, interval
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="system-metrics", daemon=True)

    def __enter__(self) -> SystemSampler:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        import psutil

        psutil.cpu_percent()  # counts from here
        ended = False
        while not ended:
            ended = self._stop.wait(self._interval)
            memory, disk = psutil.virtual_memory(), psutil.disk_usage(str(self._disk))
            sample = {
                "time": int(time.time() * 1000),
                "cpu_utilization_percentage": psutil.cpu_percent(),
                "system_memory_usage_megabytes": round(memory.used / 1e6, 1),
                "system_memory_usage_percentage": memory.percent,
                "disk_usage_percentage": disk.percent,
                "disk_available_megabytes": round(disk.free / 1e6, 1),
            }
            try:
                with self._path.open("a", encoding="utf-8") as stream:
                    stream.write(json.dumps(sample) + "\n")
            except OSError:
                return  # a full disk is the stage's to report


def read_samples(path: Path, first: int = 0) -> list[Sample]:
    """Values from sample ``first`` on; a line that a kill cut short is not there yet."""
    if not path.exists():
        return []
    lines = [line for line in path.read_text("utf-8").splitlines(keepends=True) if line.endswith("\n")]
    samples: list[Sample] = []
    for number, line in enumerate(lines[first:], start=first):
        values = json.loads(line)
        moment = int(values.pop("time"))
        samples += [(f"system/{name}", float(value), moment, number) for name, value in values.items()]
    return samples
