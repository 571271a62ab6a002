"""Many runs of the command line without its imports: a process that has imported everything forks one on request.

What is forked is the command itself, with a session, folder and streams of its own; only the seconds that Python
needs to load Prefect, MLflow and torch are saved. All workers of a test session share the process: it forks for each
of them one that takes its requests in turn.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import psutil

STREAMS = ("stdout", "stderr")


class WarmRuns:
    """Starts `hnn` commands in a folder and waits for them."""

    def __init__(self, requests: TextIO, answers: TextIO) -> None:
        self._requests, self._answers = requests, answers

    def start(self, folder: Path, *arguments: str, first: str = "", **variables: str) -> int:
        """The process id of a command that runs in ``folder``, with variables of its own, after what it does first."""
        return int(self._ask(folder=str(folder), arguments=arguments, first=first, variables=variables))

    def run(self, folder: Path, *arguments: str, first: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
        """A command from start to end, as ``subprocess.run`` would give it."""
        process = self.start(folder, *arguments, first=first, **variables)
        return self.ended(folder, process, *arguments)

    def ended(self, folder: Path, process: int, *arguments: str) -> subprocess.CompletedProcess[str]:
        """A command that was started, awaited."""
        return subprocess.CompletedProcess(["hnn", *arguments], self.wait(process), *said(folder, process))

    def wait(self, process: int) -> int:
        """Its exit code; negative is the signal that ended it."""
        return int(self._ask(wait=process))

    def _ask(self, **request: Any) -> str:
        print(json.dumps(request), file=self._requests, flush=True)
        return self._answers.readline()


def said(folder: Path, process: int) -> list[str]:
    """What a command wrote to its two streams, which are files beside its folder."""
    return [_stream(folder, name, process).read_text("utf-8", "replace") for name in STREAMS]


def _stream(folder: Path, name: str, process: int) -> Path:
    return folder.with_name(f"{name}-{process}")


@contextmanager
def warm_runs(port: int) -> Iterator[WarmRuns]:
    """Runs forked from the process that listens there."""
    with (
        socket.create_connection(("127.0.0.1", port)) as connection,
        connection.makefile("w") as requests,
        connection.makefile("r") as answers,
    ):
        yield WarmRuns(requests, answers)


def import_everything() -> None:
    import importlib
    import pkgutil

    for package in ("extractors", "hnn_core", "flows"):
        folder = importlib.import_module(package).__path__
        for module in pkgutil.walk_packages(folder, f"{package}."):
            importlib.import_module(module.name)
    importlib.import_module("mlflow.store.tracking.sqlalchemy_store")
    importlib.import_module("hnn_core.seeds").seed_everything(0)  # torch imports a thousand modules at its first seed


def compile_kernels() -> None:
    """What numba compiles at its first use, kept beside the modules: in a fresh clone all test workers, and the
    processes they start, would otherwise compile the same kernels at the same time.
    """
    from hnn_core.features import derive
    from hnn_core.hypergraph import Hypergraph
    from hnn_core.minibatch import train_predictor_in_batches
    from hnn_core.models import HNN, Training
    from hnn_core.tasks.hyperedge_prediction import HyperedgePrediction, train_predictor

    hypergraph = Hypergraph.from_hyperedges([[0, 1, 2], [1, 2, 3], [0, 1, 2, 3], [4, 5, 6], [5, 6, 7], [3, 4]])
    for method in ("svd", "node2vec", "deepwalk"):
        features = derive(hypergraph, method, dim=4).nodes
    once = Training(epochs=1)
    for train, score in ((train_predictor, "max_min"), (train_predictor_in_batches, "mean_cosine")):
        train(HNN(4, widths=(8, 8)), hypergraph, features, HyperedgePrediction(score=score), once)


def serve(folder: Path, session: int) -> None:
    """Listen for as long as the session runs, and fork a process for whoever connects."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        (folder / "address.new").write_text(str(listening.getsockname()[1]))
        (folder / "address.new").rename(folder / "address")
        listening.settimeout(0.5)
        while psutil.pid_exists(session):
            try:
                connection, _ = listening.accept()
            except TimeoutError:
                continue
            if os.fork() == 0:
                listening.close()
                _answer(connection)
                os._exit(0)
            connection.close()


def _answer(connection: socket.socket) -> None:
    connection.setblocking(True)
    with connection.makefile("r") as requests, connection.makefile("w") as answers:
        for line in requests:
            request = json.loads(line)
            if "wait" in request:
                _, status = os.waitpid(request["wait"], 0)
                print(os.waitstatus_to_exitcode(status), file=answers, flush=True)
            else:
                child = os.fork()
                if child == 0:
                    os.close(connection.fileno())
                    os.environ.update(request["variables"])
                    _command(Path(request["folder"]), request["arguments"], request["first"])
                print(child, file=answers, flush=True)


def _command(folder: Path, arguments: list[str], first: str) -> None:
    from flows.cli import main

    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # tests in the background inherit that it is ignored
    os.chdir(folder)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for descriptor, stream in enumerate(STREAMS, start=1):
        os.dup2(os.open(_stream(folder, stream, os.getpid()), os.O_WRONLY | os.O_CREAT | os.O_TRUNC), descriptor)
    sys.argv = ["hnn", *arguments]
    code = 0
    exec(first)
    try:
        main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    import_everything()
    if len(sys.argv) == 1:
        compile_kernels()
    else:
        serve(Path(sys.argv[1]), int(sys.argv[2]))
