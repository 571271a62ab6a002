"""Many runs of the command line without its imports: a process that has imported everything forks one on request.

What is forked is the command itself, with a session, folder and streams of its own; only the seconds that Python
needs to load Prefect, MLflow and torch are saved.
"""

from __future__ import annotations

import json
import os
import signal
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

    def start(self, folder: Path, *arguments: str, **variables: str) -> int:
        """The process id of a command that runs in ``folder``, with variables of its own."""
        return int(self._ask(folder=str(folder), arguments=arguments, variables=variables))

    def run(self, folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """A command from start to end, as ``subprocess.run`` would give it."""
        process = self.start(folder, *arguments, **variables)
        return self.ended(folder, process, *arguments)

    def ended(self, folder: Path, process: int, *arguments: str) -> subprocess.CompletedProcess[str]:
        """A command that was started, awaited."""
        return subprocess.CompletedProcess(["hnn", *arguments], self.wait(process), *said(folder, process))

    def wait(self, process: int) -> int:
        """Its exit code; negative is the signal that ended it."""
        return int(self._ask(wait=process))

    def _ask(self, **request: Any) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(request), file=self._process.stdin, flush=True)
        return self._process.stdout.readline()


def said(folder: Path, process: int) -> list[str]:
    """What a command wrote to its two streams, which are files beside its folder."""
    return [_stream(folder, name, process).read_text("utf-8", "replace") for name in STREAMS]


def _stream(folder: Path, name: str, process: int) -> Path:
    return folder.with_name(f"{name}-{process}")


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
                os.environ.update(request["variables"])
                _command(Path(request["folder"]), request["arguments"])
            print(child, flush=True)


def _command(folder: Path, arguments: list[str]) -> None:
    from flows.cli import main

    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # tests in the background inherit that it is ignored
    os.chdir(folder)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for descriptor, stream in enumerate(STREAMS, start=1):
        os.dup2(os.open(_stream(folder, stream, os.getpid()), os.O_WRONLY | os.O_CREAT | os.O_TRUNC), descriptor)
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
