"""The child's side of :mod:`extractors.pool` and :mod:`extractors.nursery`: processes that answer tasks, within limits
of time and memory, and the one they are forked from.

It imports little: where few documents are new, most of their time is that of a worker coming up.
"""

from __future__ import annotations

import contextlib
import gc
import os
import pickle
import signal
import socket
import struct
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import IO, Any, Generic, TypeVar

Task = TypeVar("Task")
Answer = TypeVar("Answer")

_LENGTH = struct.Struct("!Q")

#: What a worker keeps grows with every style sheet it reads and is no garbage: at the usual 700 it would be looked
#: through after every document, a twentieth of the time of documents met first.
_OBJECTS_BETWEEN_COLLECTIONS = 100_000

#: What the nursery is asked to do about the worker of a number; a request to fork brings two ends of pipes.
CONTROL = struct.Struct("!cI")
FORK, END, LOOK = b"f", b"e", b"l"
#: Its answer to the other two: an exit code, negative for a signal.
STATUS = struct.Struct("!i")
STILL_RUNNING = 1 << 16


@dataclass(frozen=True, slots=True)
class Job(Generic[Task, Answer]):
    """What workers do with a task. ``function`` is sent by name: it must be importable, not a closure."""

    function: Callable[..., Answer]
    arguments: tuple[Any, ...] = ()
    seconds: float = 10.0
    memory_mb: int = 1024
    #: Modules that ``function`` imports when it is called. A "module:function" is called too, before workers are forked
    #: and again by each: the memory it writes to is then the worker's own.
    imports: tuple[str, ...] = ()


def fork_on_demand(parent: int, imports: Sequence[str]) -> None:
    """Import, then do what ``parent`` asks on standard input, a socket; when that ends, so do all workers."""
    _die_with(parent)
    os.dup2(2, 1)  # whatever prints must not end up among the answers
    gc.disable()  # there is no garbage in imports
    exercises = list(_imported(imports))
    for exercise in exercises:
        exercise()
    gc.freeze()  # workers share these pages as long as nobody writes to them
    me = os.getpid()
    control = socket.socket(fileno=os.dup(0))
    children = _Children()
    while True:
        request, pipes, _, _ = socket.recv_fds(control, CONTROL.size, 2)
        if not request:
            children.end_all()
            os._exit(0)  # nobody needs the modules taken apart, and somebody waits
        action, number = CONTROL.unpack(request)
        if action == FORK:
            if not children.fork(number):
                control.close()
                _work(me, exercises, *pipes)
            for pipe in pipes:
                os.close(pipe)
        else:
            code = children.end(number) if action == END else children.code(number)
            control.sendall(STATUS.pack(STILL_RUNNING if code is None else code))


def _imported(names: Sequence[str]) -> Iterator[Callable[[], None]]:
    for name in names:
        module, _, function = name.partition(":")
        loaded = import_module(module)
        if function:
            yield getattr(loaded, function)


class _Children:
    """Processes by their number. One that has ended is waited for when it is asked about, and not killed after that:
    its process id may be another's by then.
    """

    def __init__(self) -> None:
        self._running: dict[int, int] = {}
        self._codes: dict[int, int] = {}

    def fork(self, number: int) -> int:
        self._running[number] = os.fork()
        return self._running[number]

    def code(self, number: int) -> int | None:
        """How it ended; None as long as it runs."""
        self._wait(number, os.WNOHANG)
        return self._codes.get(number)

    def end(self, number: int) -> int:
        if number in self._running:
            os.kill(self._running[number], signal.SIGKILL)
            self._wait(number, 0)
        return self._codes.pop(number)

    def end_all(self) -> None:
        for number in list(self._running):
            self.end(number)

    def _wait(self, number: int, options: int) -> None:
        if number in self._running:
            process, status = os.waitpid(self._running[number], options)
            if process:
                del self._running[number]
                self._codes[number] = os.waitstatus_to_exitcode(status)


def _work(nursery: int, exercises: Iterable[Callable[[], None]], tasks: int, answers: int) -> None:
    """The whole life of a worker."""
    code = 1
    try:
        _die_with(nursery)
        os.setsid()  # Linux shares a busy machine out by session: in one, all workers together would get one's share
        os.dup2(tasks, 0)  # in place of the nursery's socket
        gc.enable()
        gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
        for exercise in exercises:
            exercise()
        serve(os.fdopen(tasks, "rb"), os.fdopen(answers, "wb", buffering=0))
        code = 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(code)


def serve(tasks: IO[bytes], answers: IO[bytes]) -> None:
    """Answer tasks one by one until they end."""
    with contextlib.suppress(EOFError, BrokenPipeError):
        job: Job[Any, Any] = receive(tasks)
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
