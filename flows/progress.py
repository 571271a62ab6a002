"""Progress bars with rate and time left on a terminal; silence elsewhere."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from flows.stage import Progress as StageProgress


class Silent:
    """No terminal: say nothing."""

    def start(self, title: str, total: int | None = None) -> None:
        pass

    def advance(self, steps: int = 1, note: str = "") -> None:
        pass

    def finish(self) -> None:
        pass


class Bars:
    """One bar at a time on standard error, so that standard output stays for results."""

    def __init__(self) -> None:
        self._progress: Progress | None = None

    def start(self, title: str, total: int | None = None) -> None:
        self.finish()
        self._progress = Progress(
            TextColumn("{task.description:<10}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            RateColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[note]}", style="dim"),
            console=Console(stderr=True),
            transient=True,
        )
        self._progress.start()
        self._progress.add_task(title, total=total, note="")

    def advance(self, steps: int = 1, note: str = "") -> None:
        if self._progress is not None:
            self._progress.update(self._progress.task_ids[0], advance=steps, note=note)

    def finish(self) -> None:
        if self._progress is not None:
            self._progress.stop()
            self._progress = None


class RateColumn(ProgressColumn):
    """Steps a second."""

    def render(self, task: Task) -> Text:
        return Text(f"{task.speed:,.1f}/s" if task.speed else "", style="dim")


def for_terminal() -> StageProgress:
    return Bars() if sys.stderr.isatty() else Silent()
