"""A poisonous task costs its own answer and at most its limit; the others come out in order."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import pytest

from extractors import pool
from extractors.nursery import Nursery
from extractors.pool import Lost, available_cores, run
from extractors.worker import Job


def work(task: str | int, factor: int = 1) -> object:
    """What the workers of these tests do; imported by name in the worker."""
    if task == "sleep":
        time.sleep(60)
    if task == "spin":
        sum(range(10**12))
    if task == "exit":
        os._exit(3)
    if task == "segfault":
        os.kill(os.getpid(), signal.SIGSEGV)
    if task == "memory":
        try:
            return len(bytearray(10**10))
        except MemoryError:
            return "out of memory"
    if task == "print":
        print("noise on standard output")
    if task == "parent":
        return os.getppid()
    if task == "kill parent":
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(60)
    if task == "pid":
        return os.getpid()
    return task * factor


JOB: Job[str | int, object] = Job(work, (2,), seconds=3.0, memory_mb=512)


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_answers_come_in_order_whatever_the_number_of_workers(workers: int) -> None:
    assert list(run(JOB, range(100), workers)) == [2 * n for n in range(100)]


@pytest.mark.parametrize("poison", ["sleep", "spin"])
def test_a_task_that_takes_too_long_costs_its_limit_and_its_own_answer(poison: str) -> None:
    start = time.monotonic()
    answers = list(run(JOB, [1, 2, poison, 4, *range(5, 40)], workers=2))
    assert answers[2] == Lost("timeout", "no answer within 3 s")
    assert answers[:2] + answers[3:] == [2, 4, 8, *(2 * n for n in range(5, 40))]
    assert time.monotonic() - start < 50, "three seconds and a new worker, not sixty"


@pytest.mark.parametrize(("poison", "detail"), [("exit", "exit code 3"), ("segfault", "SIGSEGV")])
def test_a_worker_that_dies_loses_the_task_it_was_at(poison: str, detail: str) -> None:
    answers = list(run(JOB, [poison, 1, poison, 2, 3], workers=1))
    lost = [answer for answer in answers if isinstance(answer, Lost)]
    assert [answers[1], answers[3], answers[4]] == [2, 4, 6]
    assert [answer.reason for answer in lost] == ["crash", "crash"]
    assert all(detail in answer.detail for answer in lost)


def test_memory_is_limited() -> None:
    assert list(run(JOB, ["memory", 1], workers=1)) == ["out of memory", 2]


def test_what_a_task_prints_does_not_spoil_the_answers(capfd: pytest.CaptureFixture[str]) -> None:
    assert list(run(JOB, ["print", 1], workers=1)) == ["printprint", 2]
    assert "noise" in capfd.readouterr().err


def test_tasks_are_taken_only_as_they_are_needed() -> None:
    taken = 0

    def tasks() -> Iterator[int]:
        nonlocal taken
        for n in range(100_000):
            taken += 1
            yield n

    answers = run(JOB, tasks(), workers=2)
    assert [next(answers) for _ in range(10)] == [2 * n for n in range(10)]
    assert taken < 1000
    answers.close()  # type: ignore[attr-defined]


def test_large_tasks_and_answers_pass() -> None:
    tasks = ["x" * 3_000_000, "y" * 3_000_000] * 4
    assert list(run(JOB, tasks, workers=2, size=len)) == [task * 2 for task in tasks]


def test_no_tasks_start_no_worker() -> None:
    assert list(run(JOB, [])) == []


def test_workers_end_with_the_pool() -> None:
    answers = run(JOB, ["pid"] * 10 + list(range(1000)), workers=2)
    pid = next(answers)
    assert isinstance(pid, int)
    answers.close()  # type: ignore[attr-defined]
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


@pytest.mark.skipif(sys.platform != "linux", reason="parent-death signals are Linux's")
def test_workers_do_not_outlive_a_killed_parent(tmp_path: Path) -> None:
    script = f"""
import sys; sys.path[:] = {sys.path!r}
from test_pool import Job, run, work
answers = run(Job(work, (1,), seconds=100), ["pid", "pid", "sleep", "sleep"], workers=1)
print(next(answers), flush=True)
list(answers)
"""
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    worker = int(parent.stdout.readline())
    os.kill(worker, 0)
    parent.kill()
    parent.wait()
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            os.kill(worker, 0)
        except ProcessLookupError:
            return
        if Path(f"/proc/{worker}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z":
            return  # dead; nobody has collected it yet
        time.sleep(0.05)
    os.kill(worker, signal.SIGKILL)
    pytest.fail("the worker outlived its parent")


def test_a_job_that_cannot_be_loaded_is_an_error_not_an_answer() -> None:
    with pytest.raises(RuntimeError, match="could not start"):
        list(run(Job(_unloadable()), [1], workers=1))


def _unloadable() -> type:
    broken = type("Broken", (), {"__module__": "no_such_module"})
    module = type(sys)("no_such_module")
    module.Broken = broken  # type: ignore[attr-defined]
    sys.modules["no_such_module"] = module
    return broken


def test_what_the_function_needs_is_imported_before_the_first_task() -> None:
    assert list(run(Job(is_imported, imports=("colorsys",)), ["colorsys", "chunk"], workers=1)) == [True, False]


def is_imported(module: str) -> bool:
    return module in sys.modules


EXERCISED: list[int] = []  # by which processes


def exercise() -> None:
    EXERCISED.append(os.getpid())


def exercised(_: str) -> list[int]:
    return [*EXERCISED, os.getppid(), os.getpid()]


def test_an_exercise_is_done_before_workers_are_forked_and_by_each_of_them() -> None:
    answers = list(run(Job(exercised, imports=(f"{__name__}:exercise",)), ["a", "b"], workers=1))
    for nursery, worker, parent, me in answers:
        assert (nursery, worker) == (parent, me)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="asks Linux who is whose child")
def test_workers_that_are_ready_do_the_first_tasks_and_end_unused_ones_too() -> None:
    with Nursery((__name__,), ready=2) as nursery:
        ready = children_of(nursery._process.pid, 2)
        (worker,) = run(JOB, ["pid"], workers=1, nursery=nursery)
        assert worker in ready
        nursery.close()
        assert not any(Path(f"/proc/{process}").exists() for process in ready)
    assert nursery.ended, "closing it twice is fine"


def children_of(process: int, count: int) -> list[int]:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
        if len(children) == count:
            return [int(child) for child in children]
        time.sleep(0.01)
    pytest.fail("workers did not come up")


@pytest.mark.parametrize("length", [100, 100_000])  # a batch that fits into the pipe, and one that does not
def test_a_worker_that_has_its_next_batch_already_loses_only_the_task_it_was_at(length: int) -> None:
    tasks = ["x" * length] * 20 + ["exit"] + ["y" * length] * 40
    answers = list(run(JOB, tasks, workers=1, size=len))
    assert answers[20] == Lost("crash", "worker ended with exit code 3")
    assert answers[:20] + answers[21:] == [2 * task for task in tasks if task != "exit"]


def test_cores_are_those_this_process_may_use() -> None:
    assert 1 <= available_cores() <= (os.cpu_count() or 1)


def kept(*tasks: str | int, job: Job[str | int, object] = JOB) -> list[object]:
    return list(run(job, tasks, workers=1, keep=True))


def test_a_kept_worker_does_the_next_call_unless_its_job_is_another() -> None:
    (first,) = kept("pid")
    assert kept(1, "pid") == [2, first]
    (other,) = kept("pid", job=Job(work, seconds=1.0, memory_mb=256))
    assert other != first
    assert not Path(f"/proc/{first}").exists(), "the worker of the job before should have ended"


def test_what_ends_a_kept_worker_costs_only_the_task_it_was_at() -> None:
    (first,) = kept("pid")
    assert kept("exit", 1)[1:] == [2]
    (second,) = kept("pid")
    assert second != first
    os.kill(int(str(second)), signal.SIGKILL)
    while Path(f"/proc/{second}/stat").read_text().rpartition(")")[2].split()[0] != "Z":
        time.sleep(0.01)
    assert kept(1, 2) == [2, 4], "a worker that was killed while it rested took no task with it"


def test_kept_workers_end_when_nobody_wants_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "_REST", 0.1)
    (worker,) = kept("pid")
    deadline = time.monotonic() + 60
    while Path(f"/proc/{worker}").exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert kept(1) == [2]


def test_a_batch_is_of_kins_its_worker_knows_then_of_new_ones_then_of_any() -> None:
    """Which worker is free first is the machine's affair: asked is what each would be given, in a fixed order."""
    choosing: pool._Pool[str, object] = pool._Pool(Job(at_work), 1)
    one, other = Mock(), Mock()

    def given(worker: Mock, kins: str) -> str:
        queue = [pool._Waiting(number, kin, 0, kin) for number, kin in enumerate(kins)]
        batch = choosing._batch(queue, worker)
        assert len(batch) + len(queue) == len(kins), "nothing is lost"
        return "".join(task.task for task in batch)

    assert given(one, "ab" * 20) == "a" * 16, "one kin nobody knows, not half of two"
    assert given(other, "aaaa" + "b" * 20) == "b" * 16
    assert given(one, "ba" * 4 + "c") == "aaaa" + "c" + "bbbb", "its own, a new one, and only then the other's"
    assert given(other, "ca" * 4) == "cccc" + "aaaa", "nobody idles for that"


@pytest.mark.parametrize(("tasks", "shares"), [(3, [3]), (7, [4, 3]), (20, [10, 10]), (100, [16, 16])])
def test_few_tasks_are_shared_out(tasks: int, shares: list[int]) -> None:
    sharing: pool._Pool[int, object] = pool._Pool(Job(at_work), 2)
    queue = [pool._Waiting(number, number, 0, number) for number in range(tasks)]
    given = []
    while queue and len(given) < 2:
        batch = sharing._batch(queue, Mock())
        sharing._workers.append(Mock(pending=batch))
        given.append(len(batch))
    assert given == shares


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="asks Linux who is whose child")
def test_what_ends_the_process_they_are_forked_from_costs_a_task_a_worker() -> None:
    answers = run(JOB, [*["parent"] * 8, "kill parent", *range(40)], workers=1)
    first = next(answers)
    rest = list(answers)
    assert first != os.getpid()
    assert rest[:7] == [first] * 7
    assert rest[7] == Lost("crash", "worker ended by SIGKILL")
    assert rest[8:] == [2 * n for n in range(40)]


def test_both_workers_work_where_all_tasks_are_of_one_kin() -> None:
    assert len(set(run(Job(at_work), ["slow"] * 64, workers=2, kin=lambda task: task))) == 2


def at_work(task: str) -> int:
    time.sleep(0.01)
    return os.getpid()
