"""Where batches of work are done: processes of this machine, or the workers of a Dask cluster.

One Prefect task stays one stage; a stage hands its batches to a runner. Batches should hold seconds of work, since a
batch costs milliseconds to hand over. What runs where never changes a result: a function gets a batch and the values
shared by all batches, and everything random in it is seeded by them.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import pickle
import signal
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from flows.errors import HnnError, UsageError

if TYPE_CHECKING:
    from flows.config import ExecutionConfig

Batch = TypeVar("Batch")
Result = TypeVar("Result")

#: Batches in hand for each worker: one it works at, one that waits for it.
LOOK_AHEAD = 2
CONNECT_SECONDS = 20
#: A cluster may be without any worker for so long; looked at so often.
GONE_SECONDS = 60
LOOK_SECONDS = 5
_LITTLE = 65_536  # bytes of shared values that travel with every batch
#: A cluster of this machine shares its cores with its workers, and nobody looks at what it could show: no pages, no
#: samples of the workers' stacks a hundred times a second, no look at its own health fifty times a second.
_QUIET: dict[str, Any] = {
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.admin.system-monitor.disk": False,
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.admin.tick.interval": "1s",
}


class Runner(ABC):
    """Somewhere to run a function on batches."""

    workers: int

    @abstractmethod
    def map_batches(
        self, function: Callable[..., Result], batches: Iterable[Batch], *shared: Any, ordered: bool = True
    ) -> Iterator[Result]:
        """``function(batch, *shared)`` of each batch, in the order of the batches, or as they are done.

        Only so many batches are taken from the iterable as keep the workers busy. Large ``shared`` values are
        sent to a worker once; ``function`` is sent by name.
        """


class LocalRunner(Runner):
    """Fresh interpreters on this machine, one thread of mathematics each."""

    def __init__(self, workers: int = 0) -> None:
        self.workers = workers or os.cpu_count() or 1

    def map_batches(
        self, function: Callable[..., Result], batches: Iterable[Batch], *shared: Any, ordered: bool = True
    ) -> Iterator[Result]:
        context = multiprocessing.get_context("spawn")  # torch and fork do not mix
        with ProcessPoolExecutor(self.workers, context, _begin, (os.getpid(), shared)) as pool:
            try:
                yield from _in_hand(
                    lambda batch: pool.submit(_with_shared, function, batch),
                    _first_done_here,
                    batches,
                    self.workers,
                    ordered,
                )
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)  # what failed is told now, not after the other batches
                raise


@contextmanager
def beside(function: Callable[..., Result], *arguments: Any) -> Iterator[Future[Result]]:
    """A call in a process of its own, under way while the block does something else; awaited at its end."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, context, _begin, (os.getpid(), ())) as pool:
        with _unheard():
            started = pool.submit(function, *arguments)
        yield started


class DaskRunner(Runner):
    """The workers of a Dask cluster. A batch whose worker died is given to another one."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.workers = sum(client.nthreads().values())

    def map_batches(
        self, function: Callable[..., Result], batches: Iterable[Batch], *shared: Any, ordered: bool = True
    ) -> Iterator[Result]:
        submit = partial(self._client.submit, pure=False)  # nobody else's results are taken for ours
        packed = [pickle.dumps(value, protocol=5) for value in shared]
        if sum(map(len, packed)) <= _LITTLE:
            # With every batch: Dask prefers a worker that holds what a batch asks for, and the others would wait.

            def give(batch: Batch) -> Any:
                return submit(_with_packed, function, packed, batch)
        else:
            # Once to each worker. Being results of tasks, they are made anew when the worker that held them dies;
            # scattered data would be lost then, and every batch with it.
            sent = [submit(_unpack, value) for value in packed]

            def give(batch: Batch) -> Any:
                return submit(function, batch, *sent)

        try:
            yield from _in_hand(give, self._first_done, batches, self.workers, ordered)
        except CancelledError as error:
            raise HnnError(
                f"The Dask scheduler gave up a batch ({error}). It was restarted or closed; run again to go on."
            ) from None

    def _first_done(self, futures: list[Any]) -> Any:
        """Dask's own executor would wait for ever for a batch that was given up, and for workers that are all gone."""
        distributed: Any = import_module("distributed")
        seen = time.monotonic()
        while True:
            try:
                with self._client.as_current():  # whose futures these are, wait() asks the current client
                    return next(iter(distributed.wait(futures, LOOK_SECONDS, return_when=FIRST_COMPLETED).done))
            except TimeoutError:
                if self._client.nthreads():
                    seen = time.monotonic()
                elif time.monotonic() - seen > GONE_SECONDS:
                    raise HnnError(
                        f"The Dask scheduler has had no worker for {GONE_SECONDS} seconds. Start some, "
                        "`dask worker ADDRESS --nthreads 1`, and run again to go on."
                    ) from None


@contextmanager
def open_runner(execution: ExecutionConfig) -> Iterator[Runner]:
    """The configured runner; a cluster without an address is started on loopback and ends with the block."""
    if execution.runner == "local":
        yield LocalRunner(execution.workers)
        return
    try:
        dask: Any = import_module("dask")
        distributed: Any = import_module("distributed")
    except ImportError:
        raise UsageError("execution.runner=dask needs Dask: pip install 'hnn[dask]'") from None
    if execution.dask_address:
        with _connected(distributed, execution.dask_address) as client:
            yield DaskRunner(client)
        return
    workers = execution.workers or os.cpu_count() or 1
    # Nothing beyond loopback, no dashboard: whoever reaches a scheduler can run code on its workers.
    with (
        dask.config.set(_QUIET),
        distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            host="127.0.0.1",
            scheduler_kwargs={"dashboard": False, "dashboard_address": "127.0.0.1:0"},
            memory_limit=0,  # documents are limited one by one, in the processes that read them
            silence_logs=40,
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        client.wait_for_workers(workers, timeout=120)
        yield DaskRunner(client)


@contextmanager
def _connected(distributed: Any, address: str) -> Iterator[Any]:
    from flows.config import redact_urls

    place = f"execution.dask_address={redact_urls(address)}"
    try:
        client = distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise HnnError(
            f"{place}: no Dask scheduler answers ({error}). Start `dask scheduler` and `dask worker ADDRESS "
            "--nthreads 1`, or leave the address empty for a cluster on this machine."
        ) from None
    with client:
        if not client.nthreads():
            raise HnnError(f"{place}: the scheduler has no workers. Start some: `dask worker ADDRESS --nthreads 1`.")
        yield client


def _in_hand(
    submit: Callable[[Batch], Any],
    first_done: Callable[[list[Any]], Any],
    batches: Iterable[Batch],
    workers: int,
    ordered: bool,
) -> Iterator[Any]:
    """Results of the batches, with a bounded number of them under way or waiting to be taken."""
    futures: deque[Any] = deque()
    remaining = iter(batches)
    try:
        while True:
            for batch in islice(remaining, workers * LOOK_AHEAD - len(futures)):
                with _unheard():
                    futures.append(submit(batch))
            if not futures:
                return
            done = first_done([futures[0]] if ordered else list(futures))
            futures.remove(done)
            yield done.result()
    finally:
        for future in futures:
            future.cancel()


def _first_done_here(futures: list[Future[Result]]) -> Future[Result]:
    return next(iter(wait(futures, return_when=FIRST_COMPLETED).done))


@contextmanager
def _unheard() -> Iterator[None]:
    """Ctrl-C waits for the end of the block; a worker started in it hears none before ``_begin``, with a traceback."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# In a Dask worker


def _with_packed(function: Callable[..., Result], shared: list[bytes], batch: Any) -> Result:
    return function(batch, *map(_unpack, shared))


def _unpack(packed: bytes) -> Any:
    """A shared value: packed, so that Dask neither looks into it nor takes parts of it for tasks."""
    return pickle.loads(packed)


# In a local worker

_shared: tuple[Any, ...] = ()


def _begin(parent: int, shared: tuple[Any, ...]) -> None:
    """One thread a worker, no word at Ctrl-C, and no worker outlives a parent that was killed."""
    global _shared
    _shared = shared
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    os.environ["OMP_NUM_THREADS"] = "1"
    if hasattr(ctypes.CDLL(None), "prctl"):
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)


def _with_shared(function: Callable[..., Result], batch: Any) -> Result:
    return function(batch, *_shared)
