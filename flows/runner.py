"""Where batches of work are done: processes of this machine, or the workers of a Dask cluster.

One Prefect task stays one stage; a stage hands its batches to a runner. Batches should hold seconds of work, since a
batch costs milliseconds to hand over. What runs where never changes a result: a function gets a batch and the values
shared by all batches, and everything random in it is seeded by them.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from flows.errors import HnnError, UsageError

if TYPE_CHECKING:
    from flows.config import ExecutionConfig

Batch = TypeVar("Batch")
Result = TypeVar("Result")

#: Batches in hand for each worker: one it works at, one that waits for it.
LOOK_AHEAD = 2
CONNECT_SECONDS = 20


class Runner(ABC):
    """Somewhere to run a function on batches."""

    workers: int

    @abstractmethod
    def map_batches(
        self, function: Callable[..., Result], batches: Iterable[Batch], *shared: Any, ordered: bool = True
    ) -> Iterator[Result]:
        """``function(batch, *shared)`` of each batch, in the order of the batches, or as they are done.

        Only so many batches are taken from the iterable as keep the workers busy. ``shared`` values are sent to a
        worker once; ``function`` is sent by name.
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
                yield from _in_hand(pool, _with_shared, ((function, batch) for batch in batches), self.workers, ordered)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)  # what failed is told now, not after the other batches
                raise


@contextmanager
def beside(function: Callable[..., Result], *arguments: Any) -> Iterator[Future[Result]]:
    """A call in a process of its own, under way while the block does something else; awaited at its end."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, context, _begin, (os.getpid(), ())) as pool:
        yield pool.submit(function, *arguments)


class DaskRunner(Runner):
    """The workers of a Dask cluster. A batch whose worker died is given to another one."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.workers = sum(client.nthreads().values())

    def map_batches(
        self, function: Callable[..., Result], batches: Iterable[Batch], *shared: Any, ordered: bool = True
    ) -> Iterator[Result]:
        # Values go to the workers once and not with every batch; hash=False: they need not be told apart.
        sent = self._client.scatter(list(shared), broadcast=True, hash=False) if shared else []
        # pure=False: nobody else's results are taken for ours.
        pool = self._client.get_executor(pure=False)
        yield from _in_hand(pool, function, ((batch, *sent) for batch in batches), self.workers, ordered)


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
        dask.config.set({"distributed.scheduler.http.routes": [], "distributed.worker.http.routes": []}),
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
    pool: Executor, function: Callable[..., Result], calls: Iterable[tuple[Any, ...]], workers: int, ordered: bool
) -> Iterator[Result]:
    """Results of ``function(*call)`` with a bounded number of calls under way or waiting to be taken."""
    futures: deque[Future[Result]] = deque()
    remaining = iter(calls)
    try:
        while True:
            while len(futures) < workers * LOOK_AHEAD and (call := next(remaining, None)) is not None:
                futures.append(pool.submit(function, *call))
            if not futures:
                return
            if ordered:
                yield futures.popleft().result()
            else:
                done = wait(futures, return_when=FIRST_COMPLETED).done
                futures = deque(future for future in futures if future not in done)
                for future in done:
                    yield future.result()
    finally:
        for future in futures:
            future.cancel()


# In a local worker

_shared: tuple[Any, ...] = ()


def _begin(parent: int, shared: tuple[Any, ...]) -> None:
    """One thread a worker, and no worker outlives a parent that was killed."""
    global _shared
    _shared = shared
    os.environ["OMP_NUM_THREADS"] = "1"
    if hasattr(ctypes.CDLL(None), "prctl"):
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)


def _with_shared(function: Callable[..., Result], batch: Any) -> Result:
    return function(batch, *_shared)
