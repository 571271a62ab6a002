"""Two processes under torchrun take the steps one process takes, also when one of them is killed on the way."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import numpy as np
import psutil
import pytest
import torch

from hnn_core.checkpoints import FileCheckpoint
from hnn_core.distributed_training import Job, launch, read_result, train_on_processes, write_job
from hnn_core.hypergraph import Hypergraph
from hnn_core.minibatch import MiniBatches, Trainer, prediction_data, train_predictor_in_batches
from hnn_core.models import Training
from hnn_core.neighbourhoods import Sampling
from hnn_core.training import DivergedError, Epoch, fit


def small() -> tuple[Hypergraph, np.ndarray]:
    rng = np.random.default_rng(0)
    members = [(rng.integers(8) * 20 + rng.choice(20, 4, replace=False)).tolist() for _ in range(300)]
    return Hypergraph.from_hyperedges(members, num_nodes=160), rng.normal(size=(160, 6)).astype(np.float32)


def job(epochs: int) -> Job:
    batches = MiniBatches(batch_size=30, sampling=Sampling(2, 3, 3), shards=2)
    return Job("hnn", 6, {"widths": (8, 8)}, training=Training(epochs=epochs), batches=batches, seed=4)


def alone(settings: Job) -> tuple[float, torch.Tensor, list[Epoch]]:
    hypergraph, features = small()
    result = train_predictor_in_batches(
        settings.build(), hypergraph, features, settings.task, settings.training, settings.batches, settings.seed
    )
    return result.auc, result.embeddings.nodes, result.curve


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_two_processes_give_what_one_gives(tmp_path: Path) -> None:
    settings = job(epochs=4)
    together = train_on_processes(tmp_path, settings, prediction_data(*small(), settings.task, settings.seed), 2)
    auc, nodes, curve = alone(settings)
    assert together.restarts == 0
    assert together.auc == pytest.approx(auc, abs=1e-4)
    torch.testing.assert_close(together.embeddings, nodes, rtol=1e-3, atol=1e-4)
    assert [p.loss for p in together.curve] == pytest.approx([p.loss for p in curve], rel=1e-4)
    assert any(name.startswith("model.") for name in together.weights)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_killed_process_is_restarted_from_the_checkpoint_and_nothing_listens_beyond_loopback(tmp_path: Path) -> None:
    settings = job(epochs=40)
    write_job(tmp_path, settings, prediction_data(*small(), settings.task, settings.seed))
    listening: set[str] = set()

    def kill_one() -> None:
        deadline = time.monotonic() + 240
        while time.monotonic() < deadline and not (tmp_path / "checkpoint.pt").exists():
            time.sleep(0.05)
        for process in psutil.Process().children(recursive=True):
            listening.update(c.laddr.ip for c in process.net_connections("inet") if c.status == psutil.CONN_LISTEN)
        ranks = [p for p in psutil.Process().children(recursive=True) if p.cmdline()[-1:] == [str(tmp_path)]]
        ranks[-1].kill()

    killer = threading.Thread(target=kill_one)
    killer.start()
    launch(tmp_path, 2)
    killer.join()
    disturbed = read_result(tmp_path)
    auc, nodes, _ = alone(settings)
    assert disturbed.restarts == 1
    assert listening
    assert listening <= {"127.0.0.1", "::1"}
    assert len(disturbed.curve) == 40
    assert disturbed.auc == pytest.approx(auc, abs=1e-3)
    torch.testing.assert_close(disturbed.embeddings, nodes, rtol=1e-2, atol=1e-3)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_training_that_fails_each_time_says_why(tmp_path: Path) -> None:
    settings = job(epochs=2)
    write_job(tmp_path, settings, prediction_data(*small(), settings.task, settings.seed))
    (tmp_path / "features.npy").unlink()
    with pytest.raises(RuntimeError, match=r"(?s)training on 1 process.*FileNotFoundError"):
        launch(tmp_path, 1, restarts=0)


def test_a_job_survives_its_file(tmp_path: Path) -> None:
    settings = job(epochs=3)
    write_job(tmp_path, settings, prediction_data(*small(), settings.task, settings.seed))
    read = Job.read(tmp_path / "job.json")
    assert read.batches == settings.batches
    assert read.training == settings.training
    assert list(read.options["widths"]) == [8, 8]


def test_a_resumed_training_takes_the_steps_of_an_undisturbed_one(tmp_path: Path) -> None:
    settings = job(epochs=5)
    data = prediction_data(*small(), settings.task, settings.seed)

    def train(stop_after: int | None, checkpoint: FileCheckpoint | None) -> dict[str, torch.Tensor]:
        trainer = Trainer(settings.build(), data, settings.task, settings.batches, settings.seed)

        def stop(point: Epoch) -> None:
            if point.epoch == stop_after:
                raise DivergedError("as if killed")

        try:
            fit([trainer.predictor], trainer.losses, settings.training, trainer.decayed(), None, 0, stop, checkpoint)
        except DivergedError:
            assert stop_after is not None
        return trainer.predictor.state_dict()

    undisturbed = train(None, None)
    checkpoint = FileCheckpoint(tmp_path / "checkpoint.pt")
    train(3, checkpoint)
    resumed = train(None, checkpoint)
    for name, weight in undisturbed.items():
        torch.testing.assert_close(resumed[name], weight, rtol=0, atol=0)
    assert [path.name for path in tmp_path.iterdir()] == ["checkpoint.pt"]
