"""Hyperedge prediction on several processes: DistributedDataParallel over mini-batches, started with torchrun.

    python -m torch.distributed.run --nproc-per-node 2 --max-restarts 3 -m hnn_core.distributed_training FOLDER

``FOLDER`` is what :func:`write_job` wrote: the settings as JSON, incidence and features as ``.npy`` files that the
processes map into memory. Each process takes its shards of every step, gradients are averaged, and after each epoch
the first process keeps a checkpoint: when one process dies torchrun ends the others and starts all again, and they go
on after the last finished epoch. The result does not depend on that, nor on how the shards are spread.

On one machine nothing listens beyond loopback. On several, all need ``FOLDER`` under the same path, and torchrun's
own options (``--nnodes``, ``--rdzv-endpoint``) say where they meet.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy import sparse
from torch import Tensor, distributed
from torch.nn.parallel import DistributedDataParallel

from hnn_core.checkpoints import FileCheckpoint
from hnn_core.metrics import auc
from hnn_core.minibatch import MiniBatches, PredictionData, Trainer
from hnn_core.models import build
from hnn_core.models.hnn import HNN
from hnn_core.models.model import FeatureMatrix, Training
from hnn_core.neighbourhoods import Incidence, Sampling
from hnn_core.parent_death import die_with
from hnn_core.seeds import derive, seed_everything
from hnn_core.tasks.hyperedge_prediction import HyperedgePrediction
from hnn_core.tasks.protocols import HyperedgeSplit
from hnn_core.training import Epoch, evaluate, fit

PATIENCE = timedelta(hours=2)  # for a process that measures while the others wait


@dataclass(frozen=True)
class Job:
    """All settings of one training, as plain values."""

    model: str
    num_features: int
    options: Mapping[str, Any] = field(default_factory=dict)
    task: HyperedgePrediction = field(default_factory=HyperedgePrediction)
    training: Training = field(default_factory=Training)
    batches: MiniBatches = field(default_factory=MiniBatches)
    seed: int = 0
    measure_every: int = 0

    @classmethod
    def read(cls, path: Path) -> Job:
        values = json.loads(path.read_text(encoding="utf-8"))
        values["task"] = HyperedgePrediction(**values["task"])
        values["training"] = Training(**{**values["training"], "decay_at": tuple(values["training"]["decay_at"])})
        batches = values["batches"]
        for name in ("sampling", "test_sampling"):
            batches[name] = Sampling(**batches[name])
        values["batches"] = MiniBatches(**batches)
        return cls(**values)

    def build(self) -> HNN:
        """The model with its first weights, the same in every process."""
        seed_everything(derive(self.seed, "weights"))
        model = build(self.model, self.num_features, **self.options)
        if not isinstance(model, HNN):
            raise ValueError(f"model {self.model!r} cannot be trained in batches: choose a variant of HNN")
        return model


@dataclass(frozen=True)
class DistributedResult:
    """What the processes left in the folder."""

    auc: float
    curve: list[Epoch]
    embeddings: torch.Tensor
    weights: dict[str, torch.Tensor]  # of the predictor: ``model.…`` and ``score.…``
    restarts: int


def train_on_processes(
    folder: Path, job: Job, data: PredictionData, processes: int, restarts: int = 3
) -> DistributedResult:
    """Write the job, run it under torchrun on this machine, read the result."""
    write_job(folder, job, data)
    launch(folder, processes, restarts)
    return read_result(folder)


def write_job(folder: Path, job: Job, data: PredictionData) -> None:
    """Everything the processes read."""
    data.hyperedges.save(folder / "hyperedges")
    data.seen.save(folder / "seen")
    _save_matrix(folder, "features", data.features)
    if data.hyperedge_features is not None:
        _save_matrix(folder, "hyperedge_features", data.hyperedge_features)
    np.save(folder / "train.npy", data.split.train)
    np.save(folder / "test.npy", data.split.test)
    (folder / "job.json").write_text(json.dumps(asdict(job)), encoding="utf-8")


def launch(folder: Path, processes: int, restarts: int = 3) -> None:
    """torchrun as a child that ends with this process, however that ends; raises when it gives up."""
    options = [
        *("--nnodes", "1", "--nproc-per-node", str(processes), "--max-restarts", str(restarts)),
        # A file instead of torchrun's TCP store, which would listen on every address of the machine.
        *("--rdzv-backend", "c10d", "--rdzv-endpoint", str(folder / "meeting"), "--rdzv-conf", "store_type=file"),
        *("--rdzv-id", "hnn", "--no-python", "--monitor-interval", "0.2"),
        *(sys.executable, "-m", __name__, str(folder)),
    ]
    start = (
        f"import sys; sys.path[:] = {sys.path!r}; from hnn_core.parent_death import die_with; "
        f"die_with({os.getpid()}); from torch.distributed.run import main; main({options!r})"
    )
    environment = {**os.environ, "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", start], env=environment, stderr=subprocess.PIPE, text=True, errors="replace"
    )
    if done.returncode:
        raise RuntimeError(f"training on {processes} processes failed:\n{done.stderr[-3000:]}")


def read_result(folder: Path) -> DistributedResult:
    values = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    return DistributedResult(
        values["auc"],
        [Epoch(**point) for point in values["curve"]],
        torch.from_numpy(np.load(folder / "embeddings.npy")),
        torch.load(folder / "weights.pt", weights_only=True),
        values["restarts"],
    )


# In each process


def train(folder: Path) -> None:
    """This process's part of a job."""
    rank, world = _join(folder)
    job = Job.read(folder / "job.json")
    model = job.build()
    trainer = Trainer(model, _open_data(folder), job.task, job.batches, job.seed, rank, world)
    predictor = trainer.predictor
    # Weights a score does not need (ψ, the last W_e) get no gradient: DDP must not wait for one.
    trainer.predictor = DistributedDataParallel(predictor, find_unused_parameters=True)

    def measure() -> dict[str, float]:
        parts: list[Any] = [None] * world
        trainer.predictor, wrapped = predictor, trainer.predictor
        distributed.all_gather_object(parts, trainer.test_logits())
        trainer.predictor = wrapped
        logits, labels = (np.concatenate(each) for each in zip(*parts, strict=True))
        return {"auc": auc(labels, logits)}

    def losses(epoch: int) -> Iterator[Tensor]:
        """This process's gradients (DDP averages them) under the loss of all processes."""
        for loss in trainer.losses(epoch):
            mean = loss.detach().clone()
            distributed.all_reduce(mean)
            yield loss + (mean / world - loss.detach())

    curve = fit(
        [predictor],
        losses,
        job.training,
        trainer.decayed(),
        measure,
        job.measure_every,
        checkpoint=FileCheckpoint(folder / "checkpoint.pt", writes=rank == 0),
    )
    final = evaluate([predictor], measure)
    _embed(trainer, folder, rank)
    if rank == 0:
        torch.save(predictor.state_dict(), folder / "weights.pt")
        restarts = int(os.environ.get("TORCHELASTIC_RESTART_COUNT", "0"))
        result = {"auc": final["auc"], "curve": [asdict(point) for point in curve], "restarts": restarts}
        (folder / "result.json").write_text(json.dumps(result), encoding="utf-8")
    distributed.destroy_process_group()


def _join(folder: Path) -> tuple[int, int]:
    """Meet the other processes; one thread each, since there is one process a core."""
    torch.set_num_threads(1)
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    if int(os.environ["LOCAL_WORLD_SIZE"]) < world:
        distributed.init_process_group("gloo", timeout=PATIENCE)
        return rank, world
    if sys.platform == "linux":
        os.environ["GLOO_SOCKET_IFNAME"] = "lo"
    attempt = os.environ.get("TORCHELASTIC_RESTART_COUNT", "0")
    meeting = folder / f"processes-{os.getppid()}-{attempt}"
    distributed.init_process_group("gloo", f"file://{meeting}", PATIENCE, world, rank)
    return rank, world


def _embed(trainer: Trainer, folder: Path, rank: int) -> None:
    """Every process writes its share of the rows of Z into one file."""
    path = folder / "embeddings.npy"
    shape = (trainer.data.seen.num_nodes, trainer.model.width)
    if rank == 0:
        np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=shape).flush()
    distributed.barrier()
    rows = np.lib.format.open_memmap(path, mode="r+")
    for nodes, embedded in trainer.embed_share():
        rows[nodes] = embedded.numpy()
    rows.flush()
    distributed.barrier()


def _open_data(folder: Path) -> PredictionData:
    return PredictionData(
        Incidence.open(folder / "hyperedges"),
        Incidence.open(folder / "seen"),
        _open_matrix(folder, "features"),
        _open_matrix(folder, "hyperedge_features") if any(folder.glob("hyperedge_features.*")) else None,
        HyperedgeSplit(np.load(folder / "train.npy"), np.load(folder / "test.npy")),
    )


def _save_matrix(folder: Path, name: str, matrix: FeatureMatrix) -> None:
    if sparse.issparse(matrix):
        sparse.save_npz(folder / f"{name}.npz", matrix)
    else:
        np.save(folder / f"{name}.npy", matrix)


def _open_matrix(folder: Path, name: str) -> FeatureMatrix:
    dense = folder / f"{name}.npy"
    if dense.exists():
        mapped: FeatureMatrix = np.load(dense, mmap_mode="r")
        return mapped
    return sparse.csr_array(sparse.load_npz(folder / f"{name}.npz"))


def main() -> None:
    parser = argparse.ArgumentParser(description="One process of a training; started by torchrun.")
    parser.add_argument("folder", type=Path, help="what write_job wrote")
    die_with(os.getppid())
    train(parser.parse_args().folder)


if __name__ == "__main__":
    main()
