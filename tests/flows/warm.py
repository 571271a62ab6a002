"""Many runs of the command line without its imports: a process that has imported everything forks one on request.

What is forked is the command itself, with a session, folder and streams of its own; only the seconds that Python
needs to load Prefect, MLflow and torch are saved.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

STREAMS = ("stdout", "stderr")


class WarmRuns:
    """Starts `hnn` commands in a folder and waits for them."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def start(self, folder: Path, *arguments: str) -> int:
        """The process id of a command that runs in ``folder`` and writes to ``stdout`` and ``stderr`` beside it."""
        return int(self._ask(folder=str(folder), arguments=arguments))

    def run(self, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        """A command from start to end, as ``subprocess.run`` would give it."""
        code = self.wait(self.start(folder, *arguments))
        said = (folder.with_name(name).read_text("utf-8") for name in STREAMS)
        return subprocess.CompletedProcess(["hnn", *arguments], code, *said)

    def wait(self, process: int) -> int:
        """Its exit code; negative is the signal that ended it."""
        return int(self._ask(wait=process))

    def _ask(self, **request: Any) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(request), file=self._process.stdin, flush=True)
        return self._process.stdout.readline()


@contextmanager
def warm_runs(environment: dict[str, str]) -> Iterator[WarmRuns]:
    process = subprocess.Popen(
        [sys.executable, __file__], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        process.stdout.readline()  # all is imported
        yield WarmRuns(process)
    finally:
        process.kill()
        process.communicate()


def serve() -> None:
    import importlib
    import pkgutil

    for package in ("extractors", "hnn_core", "flows"):
        folder = importlib.import_module(package).__path__
        for module in pkgutil.walk_packages(folder, f"{package}."):
            importlib.import_module(module.name)
    importlib.import_module("mlflow.store.tracking.sqlalchemy_store")
    importlib.import_module("hnn_core.seeds").seed_everything(0)  # torch imports a thousand modules at its first seed
    print("ready", flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        if "wait" in request:
            _, status = os.waitpid(request["wait"], 0)
            print(os.waitstatus_to_exitcode(status), flush=True)
        else:
            child = os.fork()
            if child == 0:
                _command(Path(request["folder"]), request["arguments"])
            print(child, flush=True)


def _command(folder: Path, arguments: list[str]) -> None:
    from flows.cli import main

    os.setsid()
    os.chdir(folder)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for descriptor, stream in enumerate(STREAMS, start=1):
        os.dup2(os.open(folder.with_name(stream), os.O_WRONLY | os.O_CREAT | os.O_TRUNC), descriptor)
    sys.argv = ["hnn", *arguments]
    code = 0
    try:
        main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    serve()
