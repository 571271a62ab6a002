"""Documents handled in worker processes that can be killed.

Each worker is a process that has seen no document before, with an address-space limit and an alarm a document: a
document that takes too long or too much memory ends its worker, costs its own row and at most its time limit, and
the documents queued behind it go to a new worker. Workers read tasks from a pipe, so they see the end of the parent
as an end of file; the kernel kills those that are busy at that moment.

Answers come in the order of the tasks whatever the number of workers, and only so many tasks are taken from
the iterable as keep the workers busy: memory does not depend on how many there are.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import TracebackType
from typing import IO, Any, Generic

from extractors.nursery import Fork, Nursery
from extractors.worker import Answer, Job, Task, framed, receive, write

_BATCH_TASKS = 16
_BATCH_BYTES = 1 << 20
_WORTH_A_WORKER = 4  # tasks, of few, that are not shared out further: what each worker has to learn costs as much
_LOOK_AHEAD = 4  # batches in hand for each worker: what the others may do while one document runs into its limit
_KIN = 10_000  # kins whose worker is remembered
_GRACE = 5.0  # seconds a worker may overstay its own alarm (start-up, a stopped process) before it is killed
_REST = 30.0  # seconds kept workers wait for the next call


@dataclass(frozen=True, slots=True)
class Lost:
    """A task that ended its worker: ``reason`` is ``timeout`` or ``crash``."""

    reason: str
    detail: str


_STARTED = Lost("", "")


def run(
    job: Job[Task, Answer],
    tasks: Iterable[Task],
    workers: int | None = None,
    size: Callable[[Task], int] = lambda task: 0,
    keep: bool = False,
    kin: Callable[[Task], Hashable] = lambda task: None,
    nursery: Nursery | None = None,
) -> Iterator[Answer | Lost]:
    """``job.function(task, *job.arguments)`` for each task, in order. ``size`` estimates a task's bytes.

    Tasks of one ``kin`` go to the same worker where that keeps nobody waiting: what it learned of one helps with the
    next. The workers' imports are done while the first tasks are looked for, or before where the caller has a
    ``nursery`` with those of the job, and the first tasks are under way when this returns. Who has many calls of the
    same job to make, one after another, lets them ``keep`` the workers.
    """
    count = workers or available_cores()
    answers = _answers(_kept(job, count) if keep else _Pool(job, count, nursery), iter(tasks), size, kin)
    next(answers)
    return answers


def _answers(
    pool: AbstractContextManager[_Pool[Task, Answer]],
    tasks: Iterator[Task],
    size: Callable[[Task], int],
    kin: Callable[[Task], Hashable],
) -> Iterator[Answer | Lost]:
    """All answers after one that only says that the workers were started."""
    with pool as ready:
        yield from ready.map(tasks, size, kin)


def available_cores() -> int:
    """Cores this process may use, which in a container can be fewer than the machine has."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not Linux
        return os.cpu_count() or 1


@contextlib.contextmanager
def _kept(job: Job[Task, Answer], count: int) -> Iterator[_Pool[Task, Answer]]:
    """The pool of this thread's last such call, or a new one; it rests when the call has ended well.

    Of this thread: the kernel ends a worker with the thread that started it, see ``extractors.worker``.
    """
    resting: _Resting | None = getattr(_thread, "resting", None)
    pool = resting.wake() if resting else None
    if pool is not None and (pool.job, pool.count) != (job, count):
        pool.close()
        pool = None
    pool = pool or _Pool(job, count)
    pool.drop_dead()
    with contextlib.ExitStack() as otherwise:
        otherwise.callback(pool.close)
        yield pool
        otherwise.pop_all()
        _thread.resting = _Resting(pool)


_thread = threading.local()


class _Resting:
    """A pool without work, closed if nobody wants it for a while."""

    def __init__(self, pool: _Pool[Any, Any]) -> None:
        self._pool: _Pool[Any, Any] | None = pool
        self._lock = threading.Lock()
        self._timer = threading.Timer(_REST, self._end)
        self._timer.daemon = True
        self._timer.start()

    def wake(self) -> _Pool[Any, Any] | None:
        self._timer.cancel()
        with self._lock:
            pool, self._pool = self._pool, None
        return pool

    def _end(self) -> None:
        pool = self.wake()
        if pool is not None:
            pool.close()


@dataclass(frozen=True, slots=True)
class _Waiting(Generic[Task]):
    number: int
    task: Task
    size: int
    kin: Hashable


class _Pool(Generic[Task, Answer]):
    def __init__(self, job: Job[Task, Answer], count: int, nursery: Nursery | None = None) -> None:
        self.job = job
        self.count = count
        self._nursery = nursery
        self._own_nursery = nursery is None
        self._workers: list[_Worker[Task]] = []
        self._keeper: dict[Hashable, _Worker[Task]] = {}  # the worker that knows a kin
        self._selector = selectors.DefaultSelector()

    def __enter__(self) -> _Pool[Task, Answer]:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def drop_dead(self) -> None:
        """Forget workers that something else ended while they had nothing to do: they took no document with them."""
        for worker in [worker for worker in self._workers if worker.ended]:
            self._forget(worker)
            worker.kill()

    def close(self) -> None:
        for worker in self._workers:
            worker.kill()
        self._selector.close()
        if self._own_nursery and self._nursery is not None:
            self._nursery.close()

    def map(
        self, tasks: Iterator[Task], size: Callable[[Task], int], kin: Callable[[Task], Hashable]
    ) -> Iterator[Answer | Lost]:
        done: dict[int, Answer | Lost] = {}
        queue: list[_Waiting[Task]] = []  # taken from the iterator, not yet sent
        taken = given = 0
        exhausted = started = False
        window = self.count * _BATCH_TASKS * _LOOK_AHEAD
        self._prepare()
        while True:
            while not exhausted and len(queue) < self.count * _BATCH_TASKS and taken - given < window:
                try:
                    task = next(tasks)
                except StopIteration:
                    exhausted = True
                else:
                    queue.append(_Waiting(taken, task, size(task), kin(task)))
                    taken += 1
            self._send(queue)
            if not started:
                started = True
                yield _STARTED
            while given in done:
                yield done.pop(given)
                given += 1
            if exhausted and given == taken:
                return
            for number, answer, again in self._receive():
                done[number] = answer
                queue[:0] = again

    def _send(self, queue: list[_Waiting[Task]]) -> None:
        """Give each idle worker a batch; start workers as long as there are tasks for them.

        Then those get one that are about to have none, so that they need not wait for this process; not near the end,
        where what one has in hand another could do.
        """
        idle = [worker for worker in self._workers if not worker.pending]
        while queue:
            if idle:
                worker = idle.pop()
            elif len(self._workers) < self.count:
                worker = self._start()
            else:
                break
            worker.send(self._batch(queue, worker))
        for worker in [worker for worker in self._workers if worker.could_take_more]:
            if queue and (len(self._workers) == 1 or len(queue) >= self.count * _BATCH_TASKS):
                batch = self._batch(queue, worker)
                if not worker.send(batch):
                    queue[:0] = batch

    def _prepare(self) -> Nursery:
        """What workers are forked from, begun anew where something has ended it, which ended them as well."""
        if self._nursery is None or self._nursery.ended:
            if self._nursery is not None and self._own_nursery:
                self._nursery.close()
            self._nursery = Nursery((self.job.function.__module__, *self.job.imports))
            self._own_nursery = True
        return self._nursery

    def _start(self) -> _Worker[Task]:
        worker: _Worker[Task] = _Worker(self.job, self._prepare().fork())
        self._workers.append(worker)
        self._selector.register(worker.output, selectors.EVENT_READ, worker)
        return worker

    def _batch(self, queue: list[_Waiting[Task]], worker: _Worker[Task]) -> list[_Waiting[Task]]:
        """Take a batch from the queue: kins this worker knows, then one after another that nobody knows, then any."""
        first = {task.kin: task.number for task in reversed(queue)}

        def preference(task: _Waiting[Task]) -> tuple[int, int, int]:
            keeper = self._keeper.get(task.kin)
            return (0 if keeper is worker else 1 if keeper is None else 2), first[task.kin], task.number

        batch: list[_Waiting[Task]] = []
        volume = 0
        free = self.count - sum(bool(worker.pending) for worker in self._workers)
        share = min(_BATCH_TASKS, max(_WORTH_A_WORKER, -(-len(queue) // max(1, free))))
        for task in sorted(queue, key=preference):
            if batch and (len(batch) == share or volume >= _BATCH_BYTES):
                break
            batch.append(task)
            volume += task.size
            if len(self._keeper) == _KIN:
                self._keeper.clear()
            self._keeper.setdefault(task.kin, worker)
        sent = {task.number for task in batch}
        queue[:] = [task for task in queue if task.number not in sent]
        return batch

    def _receive(self) -> Iterator[tuple[int, Answer | Lost, list[_Waiting[Task]]]]:
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
                    yield worker.pending.popleft().number, answer, []
        if not ready:
            for worker in [w for w in self._workers if w.pending and w.deadline <= time.monotonic()]:
                yield self._bury(worker, Lost("timeout", f"no answer within {self.job.seconds:g} s"))

    def _bury(self, worker: _Worker[Task], lost: Lost | None) -> tuple[int, Lost, list[_Waiting[Task]]]:
        """Remove a dead worker: the document it was at is lost, those behind it are not."""
        self._forget(worker)
        code = worker.kill()
        if not worker.ready:
            raise RuntimeError(f"a worker process could not start (exit code {code}); its message is above")
        return worker.pending.popleft().number, lost or _lost(code, self.job), list(worker.pending)

    def _forget(self, worker: _Worker[Task]) -> None:
        """It gets no more work, and what it knew somebody else will have to learn."""
        self._selector.unregister(worker.output)
        self._workers.remove(worker)
        self._keeper = {kin: keeper for kin, keeper in self._keeper.items() if keeper is not worker}


def _lost(code: int, job: Job[Task, Answer]) -> Lost:
    if code == -signal.SIGALRM:
        return Lost("timeout", f"no answer within {job.seconds:g} s")
    if code < 0:
        return Lost("crash", f"worker ended by {signal.Signals(-code).name}")
    return Lost("crash", f"worker ended with exit code {code}")


class _Worker(Generic[Task]):
    """A child process and the tasks it has been sent, the first of which it is working at."""

    def __init__(self, job: Job[Task, Any], process: Fork) -> None:
        self.pending: deque[_Waiting[Task]] = deque()
        self.ready = False
        self._latest = 0  # tasks in the batch sent last
        self._patience = job.seconds + _GRACE
        self.deadline = time.monotonic() + self._patience
        self._process = process
        self.output = process.output
        self._room = _widen(process.input, process.output)
        self._write(framed(job))

    def send(self, batch: list[_Waiting[Task]]) -> bool:
        """False if that would have to wait for a worker that may be waiting for us to read its answers."""
        message = framed([waiting.task for waiting in batch])
        if self.pending and len(message) > self._room:
            return False
        if not self.pending:
            self.deadline = time.monotonic() + self._patience
        self.pending.extend(batch)
        self._latest = len(batch)
        self._write(message)
        return True

    @property
    def could_take_more(self) -> bool:
        """It is at the batch that was sent last, so nothing lies in the pipe to it."""
        return 0 < len(self.pending) < self._latest

    def receive(self) -> Any:
        answer = receive(self.output)
        self.ready = True
        self.deadline = time.monotonic() + self._patience
        return answer

    @property
    def ended(self) -> bool:
        return self._process.ended

    def kill(self) -> int:
        return self._process.kill()

    def _write(self, message: bytes) -> None:
        with contextlib.suppress(BrokenPipeError):  # a dead worker is noticed when its answer is awaited
            write(self._process.input, message)


def _widen(*pipes: IO[bytes]) -> int:
    """Room for a batch: neither waits for the other to come up, or to read, before it goes on. How much there is."""
    try:
        from fcntl import F_SETPIPE_SZ, fcntl

        return min(fcntl(pipe, F_SETPIPE_SZ, _BATCH_BYTES) for pipe in pipes)
    except (ImportError, AttributeError, OSError):  # not Linux, or more than this user may have
        return 0
