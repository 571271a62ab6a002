"""The child's side of :mod:`extractors.pool`: a process that answers tasks, within limits of time and memory.

It imports little: where few documents are new, most of their time is that of a worker coming up.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import struct
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import IO, Any, Generic, TypeVar

Task = TypeVar("Task")
Answer = TypeVar("Answer")

_LENGTH = struct.Struct("!Q")


@dataclass(frozen=True, slots=True)
class Job(Generic[Task, Answer]):
    """What workers do with a task. ``function`` is sent by name: it must be importable, not a closure."""

    function: Callable[..., Answer]
    arguments: tuple[Any, ...] = ()
    seconds: float = 10.0
    memory_mb: int = 1024
    imports: tuple[str, ...] = ()  # what ``function`` imports when it is called: workers do so before their first task


def serve(parent: int) -> None:
    """Answer the tasks on standard input one by one until it ends."""
    _die_with(parent)
    tasks, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # whatever prints must not end up among the answers
    with contextlib.suppress(EOFError, BrokenPipeError):
        job: Job[Any, Any] = receive(tasks)
        for module in job.imports:
            import_module(module)
        _limit_memory(job.memory_mb)
        send(answers, "ready")
        while True:
            for task in receive(tasks):
                # The default action of SIGALRM ends the process, in the middle of C code too.
                signal.setitimer(signal.ITIMER_REAL, job.seconds)
                answer = job.function(task, *job.arguments)
                signal.setitimer(signal.ITIMER_REAL, 0)
                send(answers, answer)


def _limit_memory(megabytes: int) -> None:
    import resource

    used = 0
    with contextlib.suppress(OSError), open("/proc/self/statm") as statm:  # noqa: PTH123 - not a file on disk
        used = int(statm.read().split()[0]) * resource.getpagesize()
    limit = used + megabytes * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _die_with(parent: int) -> None:
    """Have the kernel kill this process when its parent ends, however the parent ends."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        if os.getppid() != parent:  # it ended before the call
            os._exit(1)


def send(stream: IO[bytes], message: object) -> None:
    write(stream, framed(message))


def framed(message: object) -> bytes:
    data = pickle.dumps(message, protocol=5)
    return _LENGTH.pack(len(data)) + data


def write(stream: IO[bytes], data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[stream.write(view) :]


def receive(stream: IO[bytes]) -> Any:
    (length,) = _LENGTH.unpack(_exactly(stream, _LENGTH.size))
    return pickle.loads(_exactly(stream, length))


def _exactly(stream: IO[bytes], count: int) -> bytearray:
    data = bytearray()
    while len(data) < count:
        part = stream.read(count - len(data))
        if not part:
            raise EOFError
        data += part
    return data
