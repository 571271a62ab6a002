"""Documents handled in worker processes that can be killed.

Each worker is a fresh interpreter with an address-space limit and an alarm a document: a document that takes
too long or too much memory ends its worker, costs its own row and at most its time limit, and the documents
queued behind it go to a new worker. Workers read tasks from their standard input, so they see the end of the
parent as an end of file; the kernel kills those that are busy at that moment.

Answers come in the order of the tasks whatever the number of workers, and only so many tasks are taken from
the iterable as keep the workers busy: memory does not depend on how many there are.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import selectors
import signal
import struct
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import IO, Any, Generic, TypeVar

Task = TypeVar("Task")
Answer = TypeVar("Answer")

_BATCH_TASKS = 16
_BATCH_BYTES = 1 << 20
_LOOK_AHEAD = 4  # batches in hand for each worker: what the others may do while one document runs into its limit
_GRACE = 5.0  # seconds a worker may overstay its own alarm (start-up, a stopped process) before it is killed
_LENGTH = struct.Struct("!Q")


@dataclass(frozen=True, slots=True)
class Lost:
    """A task that ended its worker: ``reason`` is ``timeout`` or ``crash``."""

    reason: str
    detail: str


@dataclass(frozen=True, slots=True)
class Job(Generic[Task, Answer]):
    """What workers do with a task. ``function`` is sent by name: it must be importable, not a closure."""

    function: Callable[..., Answer]
    arguments: tuple[Any, ...] = ()
    seconds: float = 10.0
    memory_mb: int = 1024


def run(
    job: Job[Task, Answer],
    tasks: Iterable[Task],
    workers: int | None = None,
    size: Callable[[Task], int] = lambda task: 0,
) -> Iterator[Answer | Lost]:
    """``job.function(task, *job.arguments)`` for each task, in order. ``size`` estimates a task's bytes."""
    count = workers or available_cores()
    with _Pool(job, count) as pool:
        yield from pool.map(iter(tasks), size)


def available_cores() -> int:
    """Cores this process may use, which in a container can be fewer than the machine has."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not Linux
        return os.cpu_count() or 1


class _Pool(Generic[Task, Answer]):
    def __init__(self, job: Job[Task, Answer], count: int) -> None:
        self._job = job
        self._count = count
        self._workers: list[_Worker[Task]] = []
        self._selector = selectors.DefaultSelector()

    def __enter__(self) -> _Pool[Task, Answer]:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for worker in self._workers:
            worker.kill()
        self._selector.close()

    def map(self, tasks: Iterator[Task], size: Callable[[Task], int]) -> Iterator[Answer | Lost]:
        done: dict[int, Answer | Lost] = {}
        queue: deque[tuple[int, Task]] = deque()  # taken from the iterator, not yet sent
        taken = given = 0
        exhausted = False
        window = self._count * _BATCH_TASKS * _LOOK_AHEAD
        while True:
            while not exhausted and len(queue) < _BATCH_TASKS and taken - given < window:
                try:
                    queue.append((taken, next(tasks)))
                    taken += 1
                except StopIteration:
                    exhausted = True
            self._send(queue, size)
            while given in done:
                yield done.pop(given)
                given += 1
            if exhausted and given == taken:
                return
            for number, answer, again in self._receive():
                done[number] = answer
                queue.extendleft(reversed(again))

    def _send(self, queue: deque[tuple[int, Task]], size: Callable[[Task], int]) -> None:
        """Give each idle worker a batch; start workers as long as there is work for them."""
        idle = [worker for worker in self._workers if not worker.pending]
        while queue:
            if idle:
                worker = idle.pop()
            elif len(self._workers) < self._count:
                worker = _Worker(self._job)
                self._workers.append(worker)
                self._selector.register(worker.output, selectors.EVENT_READ, worker)
            else:
                return
            batch = [queue.popleft()]
            volume = size(batch[0][1])
            while queue and len(batch) < _BATCH_TASKS and volume < _BATCH_BYTES:
                batch.append(queue.popleft())
                volume += size(batch[-1][1])
            worker.send(batch)

    def _receive(self) -> Iterator[tuple[int, Answer | Lost, list[tuple[int, Task]]]]:
        """Answers that have arrived, as (number, answer, tasks to be sent again)."""
        deadline = min((worker.deadline for worker in self._workers if worker.pending), default=time.monotonic())
        ready = self._selector.select(max(0.0, deadline - time.monotonic()))
        for key, _ in ready:
            worker: _Worker[Task] = key.data
            try:
                greeting = not worker.ready
                answer = worker.receive()
            except EOFError:
                yield self._bury(worker, None)
            else:
                if not greeting:
                    number, _ = worker.pending.popleft()
                    yield number, answer, []
        if not ready:
            for worker in [w for w in self._workers if w.pending and w.deadline <= time.monotonic()]:
                yield self._bury(worker, Lost("timeout", f"no answer within {self._job.seconds:g} s"))

    def _bury(self, worker: _Worker[Task], lost: Lost | None) -> tuple[int, Lost, list[tuple[int, Task]]]:
        """Remove a dead worker: the document it was at is lost, those behind it are not."""
        self._selector.unregister(worker.output)
        self._workers.remove(worker)
        code = worker.kill()
        if not worker.ready:
            raise RuntimeError(f"a worker process could not start (exit code {code}); its message is above")
        number, _ = worker.pending.popleft()
        return number, lost or _lost(code, self._job), list(worker.pending)


def _lost(code: int, job: Job[Task, Answer]) -> Lost:
    if code == -signal.SIGALRM:
        return Lost("timeout", f"no answer within {job.seconds:g} s")
    if code < 0:
        return Lost("crash", f"worker ended by {signal.Signals(-code).name}")
    return Lost("crash", f"worker ended with exit code {code}")


class _Worker(Generic[Task]):
    """A child process and the tasks it has been sent, the first of which it is working at."""

    def __init__(self, job: Job[Task, Any]) -> None:
        self.pending: deque[tuple[int, Task]] = deque()
        self.ready = False
        self._patience = job.seconds + _GRACE
        self.deadline = time.monotonic() + self._patience
        # The child finds modules where the parent does, but never runs the parent's main module again:
        # a multiprocessing "spawn" would import all of a caller's script or command line first.
        start = f"import sys; sys.path[:] = {sys.path!r}; from extractors import pool; pool.serve({os.getpid()})"
        self._process = subprocess.Popen(
            [sys.executable, "-c", start],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,  # Ctrl-C is the parent's to handle
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._input = self._process.stdin
        self.output = self._process.stdout
        self._write(job)

    def send(self, batch: list[tuple[int, Task]]) -> None:
        """Only called while the worker waits for input, so neither side can block the other."""
        self.pending.extend(batch)
        self.deadline = time.monotonic() + self._patience
        self._write([task for _, task in batch])

    def receive(self) -> Any:
        answer = _read(self.output)
        self.ready = True
        self.deadline = time.monotonic() + self._patience
        return answer

    def kill(self) -> int:
        self._process.kill()
        code = self._process.wait()
        self._input.close()
        self.output.close()
        return code

    def _write(self, message: object) -> None:
        with contextlib.suppress(BrokenPipeError):  # a dead worker is noticed when its answer is awaited
            _write(self._input, message)


def _write(stream: IO[bytes], message: object) -> None:
    data = pickle.dumps(message, protocol=5)
    view = memoryview(_LENGTH.pack(len(data)) + data)
    while view:
        view = view[stream.write(view) :]


def _read(stream: IO[bytes]) -> Any:
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


# In the worker


def serve(parent: int) -> None:
    """Answer the tasks on standard input one by one until it ends."""
    _die_with(parent)
    tasks, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # whatever prints must not end up among the answers
    with contextlib.suppress(EOFError, BrokenPipeError):
        job: Job[Any, Any] = _read(tasks)
        _limit_memory(job.memory_mb)
        _write(answers, "ready")
        while True:
            for task in _read(tasks):
                # The default action of SIGALRM ends the process, in the middle of C code too.
                signal.setitimer(signal.ITIMER_REAL, job.seconds)
                answer = job.function(task, *job.arguments)
                signal.setitimer(signal.ITIMER_REAL, 0)
                _write(answers, answer)


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
