"""Worker processes as forks of one that has done their imports.

A fresh interpreter takes longer to import parser, cascade and layout than to extract ten emails. So one process
imports them once and never sees an email; workers are forked from it, in milliseconds each, and so are those that
replace workers which a document has ended. It has one thread, so that forking is safe, which it would not be here.

Only that process can wait for its workers: it ends them when asked, and says how they ended.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from typing import IO

from extractors.worker import CONTROL, END, FORK, LOOK, STATUS, STILL_RUNNING

_PATIENCE = 30.0  # seconds for an answer, which takes one millisecond


class Nursery:
    """The process that workers are forked from: it begins to come up at once, and is not waited for.

    So do as many workers as shall be ``ready``: they are the first to be had.
    """

    def __init__(self, imports: Sequence[str] = (), ready: int = 0) -> None:
        self._forks = 0
        ours, theirs = socket.socketpair()
        # The child finds modules where the parent does, without looking for site-packages again, and never runs the
        # parent's main module: a multiprocessing "forkserver" would import all of a caller's script first.
        start = (
            f"import sys; sys.path[:] = {sys.path!r}; "
            f"from extractors import worker; worker.fork_on_demand({os.getpid()}, {tuple(imports)!r})"
        )
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-S", "-c", start],
                stdin=theirs.fileno(),
                start_new_session=True,  # Ctrl-C is the parent's to handle
            )
        self._control = ours
        self._control.settimeout(_PATIENCE)
        self._ready = [self._fork() for _ in range(ready)]

    def __enter__(self) -> Nursery:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def ended(self) -> bool:
        return self._process.poll() is not None

    def fork(self) -> Fork:
        """A worker that nobody has had. Whether it could start is seen when it answers."""
        return self._ready.pop() if self._ready else self._fork()

    def _fork(self) -> Fork:
        tasks_out, tasks_in = os.pipe()
        answers_out, answers_in = os.pipe()
        self._forks += 1
        with contextlib.suppress(OSError):
            socket.send_fds(self._control, [CONTROL.pack(FORK, self._forks)], [tasks_out, answers_in])
        os.close(tasks_out)
        os.close(answers_in)
        return Fork(self, self._forks, open(tasks_in, "wb", buffering=0), open(answers_out, "rb", buffering=0))  # noqa: PTH123

    def end(self, number: int) -> int:
        """Kill a worker, if it still runs; how it ended, as of :mod:`subprocess`."""
        return self._ask(END, number)

    def close(self) -> None:
        """End all workers, once."""
        if self._control.fileno() < 0:
            return
        if not self._forks:
            self._process.kill()
        try:
            self._control.shutdown(socket.SHUT_WR)  # for the process the end of its workers, and then its own
            self._control.recv(1)  # nothing, when it has ended; `wait` with a timeout would sleep and look again
        except OSError:
            self._process.kill()
        self._control.close()
        self._process.wait()
        for fork in self._ready:
            fork.close()

    def is_running(self, number: int) -> bool:
        return self._ask(LOOK, number) == STILL_RUNNING

    def _ask(self, question: bytes, number: int) -> int:
        try:
            self._control.sendall(CONTROL.pack(question, number))
            answer = self._control.recv(STATUS.size, socket.MSG_WAITALL)
            if answer:
                (status,) = STATUS.unpack(answer)
                return int(status)
        except OSError:
            self._process.kill()
        return self._process.wait() or -signal.SIGKILL  # the workers have ended with it


class Fork:
    """A worker process: what is written to ``input`` it reads, and it writes to ``output``."""

    def __init__(self, nursery: Nursery, number: int, input: IO[bytes], output: IO[bytes]) -> None:
        self._nursery = nursery
        self._number = number
        self.input = input
        self.output = output

    @property
    def ended(self) -> bool:
        return not self._nursery.is_running(self._number)

    def kill(self) -> int:
        code = self._nursery.end(self._number)
        self.close()
        return code

    def close(self) -> None:
        self.input.close()
        self.output.close()
