"""Batches run on this machine or on a real Dask cluster, in order, a bounded number at a time, with the same result."""

from __future__ import annotations

import os
import subprocess
import sys
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from batch_work import die_once, fail, process_of, process_with, slow_when_first

from extractors.limits import Limits
from extractors.sources.sample import SampleOptions, generate
from extractors.tasks import ExtractOptions
from extractors.writing import SCHEMAS, Source, write_tables
from flows.benchmark import choose
from flows.config import Config, ExecutionConfig
from flows.errors import HnnError
from flows.extract import batch_size, engine_of
from flows.runner import LOOK_AHEAD, DaskRunner, LocalRunner, Runner, open_runner
from flows.trials import TrialStore, run_trials, trials_of
from flows.workspace import Workspace

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
DASK = ExecutionConfig(runner="dask", workers=2)


@pytest.fixture(scope="module")
def cluster() -> Iterator[DaskRunner]:
    pytest.importorskip("distributed", reason="Dask is an extra: pip install 'hnn[dask]'")
    with open_runner(DASK) as runner:
        assert isinstance(runner, DaskRunner)
        yield runner


@pytest.fixture(params=["local", "dask"])
def runner(request: pytest.FixtureRequest) -> Runner:
    return LocalRunner(2) if request.param == "local" else request.getfixturevalue("cluster")


def test_results_come_in_the_order_of_the_batches(runner: Runner) -> None:
    batches = [[number, number + 1] for number in range(0, 20, 2)]
    expected = [[10 * a, 10 * b] for a, b in batches]
    assert list(runner.map_batches(slow_when_first, batches, 10)) == expected
    unordered = list(runner.map_batches(slow_when_first, batches, 10, ordered=False))
    assert sorted(unordered) == expected
    assert unordered != expected, "the slow first batch should have been overtaken"


def test_work_is_spread_over_two_other_processes(runner: Runner) -> None:
    processes = set(runner.map_batches(process_of, range(6)))
    assert len(processes) == 2
    assert os.getpid() not in processes


def test_a_shared_value_does_not_draw_all_batches_to_the_worker_that_has_it(cluster: DaskRunner) -> None:
    done = Counter(cluster.map_batches(process_with, range(12), "an option"))
    assert sorted(done.values()) in ([6, 6], [5, 7], [4, 8])


def test_only_so_many_batches_are_taken_as_keep_the_workers_busy(runner: Runner) -> None:
    taken = 0

    def batches() -> Iterator[list[int]]:
        nonlocal taken
        for number in range(100):
            taken += 1
            yield [number]

    results = runner.map_batches(slow_when_first, batches(), 1)
    assert next(results) == [0]
    assert taken <= 1 + 2 * LOOK_AHEAD
    results.close()  # type: ignore[attr-defined]


def test_an_error_in_a_batch_reaches_the_caller(runner: Runner) -> None:
    with pytest.raises(ValueError, match="batch 0 is bad"):
        list(runner.map_batches(fail, range(3)))


def test_a_batch_whose_dask_worker_died_is_done_by_another(cluster: DaskRunner, tmp_path: Path) -> None:
    """The first batch kills its worker, which alone holds the shared values by then: they are made anew, too."""
    much = bytes(100_000)  # too much to travel with every batch
    done = cluster.map_batches(die_once, [3, 0, 1, 2, 4, 5], str(tmp_path / "died"), much)
    assert list(done) == [3, 0, 1, 2, 4, 5]
    assert (tmp_path / "died").exists()


def test_a_cluster_without_workers_is_a_clear_message(monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed", reason="Dask is an extra: pip install 'hnn[dask]'")
    monkeypatch.setattr("flows.runner.GONE_SECONDS", 1)
    monkeypatch.setattr("flows.runner.LOOK_SECONDS", 0.2)
    quiet = {"scheduler_kwargs": {"dashboard": False, "dashboard_address": "127.0.0.1:0"}}
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=False, **quiet) as given,
        distributed.Client(given, set_as_default=False) as client,
    ):
        left_alone = DaskRunner(client)
        given.scale(0)
        with pytest.raises(HnnError, match="no worker for 1 seconds"):
            list(left_alone.map_batches(slow_when_first, [[1]], 2))


def test_extraction_on_two_dask_workers_gives_the_bytes_of_local_extraction(tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="Dask is an extra: pip install 'hnn[dask]'")
    html = [email.html for email in generate(SampleOptions(emails=150, seed=3))]
    html[70] = "<p></p>"
    html[71] = ""
    sources = [Source(f"{number:016x}", f"mail-{number}", text.__str__) for number, text in enumerate(html)]
    options = ExtractOptions(limits=Limits())
    local = write_tables(tmp_path / "local", sources, options, workers=2)
    with engine_of(DASK, len(sources)) as engine:
        assert engine is not None
        spread = write_tables(tmp_path / "dask", sources, options, engine=engine)
        part = write_tables(tmp_path / "part", sources[::2], options, engine=engine)
        grown = write_tables(tmp_path / "grown", sources, options, previous=tmp_path / "part", engine=engine)
    assert local.rejected == 2
    assert spread == local
    assert part.extracted == 75
    assert grown.reused > 50, "documents of the earlier result are copied, not extracted on the cluster"
    for name in SCHEMAS:
        wanted = (tmp_path / "local" / f"{name}.parquet").read_bytes()
        assert (tmp_path / "dask" / f"{name}.parquet").read_bytes() == wanted, name
        assert (tmp_path / "grown" / f"{name}.parquet").read_bytes() == wanted, name


def test_benchmark_trials_on_dask_have_the_figures_of_local_ones(
    cluster: DaskRunner, tiny: Path, tmp_path: Path
) -> None:
    (spec,) = choose(["hyperedge-prediction"])
    quick = [trial for trial in trials_of([spec], 1, "transductive", ["cora-cc"]) if trial.model in ("HNN", "GCN")]
    assert len(quick) == 2
    figures = {}
    for name, runner in (("dask", cluster), ("local", LocalRunner(1))):
        store = TrialStore(Workspace(tmp_path / name))
        figures[name] = {result.key: result.metrics for result in run_trials(quick, store, tiny, runner)}
        assert all(store.get(trial) for trial in quick), "kept, so that a killed benchmark goes on"
    assert figures["dask"] == figures["local"] != {}


def test_a_local_cluster_listens_on_loopback_only_and_serves_no_dashboard(cluster: DaskRunner) -> None:
    family = [psutil.Process(), *psutil.Process().children(recursive=True)]
    listening = {c.laddr.ip for p in family for c in p.net_connections("inet") if c.status == psutil.CONN_LISTEN}
    assert listening == {"127.0.0.1"}
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(cluster._client.dashboard_link, timeout=10)


def test_a_killed_run_leaves_no_cluster_behind(tmp_path: Path) -> None:
    script = tmp_path / "run.py"
    script.write_text(
        "import time\nfrom flows.config import ExecutionConfig\nfrom flows.runner import open_runner\n"
        "if __name__ == '__main__':\n"
        "    with open_runner(ExecutionConfig(runner='dask', workers=2)):\n"
        "        print('up', flush=True)\n        time.sleep(60)\n"
    )
    process = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "up\n"
    children = psutil.Process(process.pid).children(recursive=True)
    assert len(children) >= 2
    process.kill()
    process.communicate()
    _, alive = psutil.wait_procs(children, timeout=20)
    assert alive == []


def test_an_address_nobody_answers_at_is_a_clear_message(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="Dask is an extra: pip install 'hnn[dask]'")
    monkeypatch.setattr("flows.runner.CONNECT_SECONDS", 1)
    nowhere = ExecutionConfig(runner="dask", dask_address="tcp://127.0.0.1:1")
    with pytest.raises(HnnError, match=r"tcp://127\.0\.0\.1:1: no Dask scheduler answers"), open_runner(nowhere):
        pass


def test_a_given_cluster_is_used_and_left_running(cluster: DaskRunner) -> None:
    address = cluster._client.scheduler.address
    with open_runner(ExecutionConfig(runner="dask", dask_address=address)) as runner:
        assert list(runner.map_batches(slow_when_first, [[1], [2]], 3)) == [[3], [6]]
    assert list(cluster.map_batches(slow_when_first, [[5]], 1)) == [[5]]


def test_batches_are_large_unless_there_are_few_documents() -> None:
    assert batch_size(100_000, 2) == 512
    assert batch_size(1_000, 2) == 62
    assert batch_size(10, 2) == 32


def test_where_work_runs_is_no_parameter_of_a_stage() -> None:
    assert Config().parameters("extract") == Config(execution=DASK).parameters("extract")
