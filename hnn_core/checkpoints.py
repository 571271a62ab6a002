"""The state of a training in one file, replaced at once after an epoch: a kill leaves the old state or the new one."""

from __future__ import annotations

import os
from pathlib import Path

import torch
from torch import nn
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LRScheduler

from hnn_core.training import Epoch


class FileCheckpoint:
    """Weights, optimiser, learning-rate schedule and curve.

    Every process of a training restores; only one should have ``writes=True``.
    """

    def __init__(self, path: Path, every: int = 1, writes: bool = True) -> None:
        self.path, self.every, self.writes = path, every, writes

    def restore(self, modules: list[nn.Module], optimiser: Optimizer, schedule: LRScheduler) -> list[Epoch]:
        """Put everything back as it was; the curve says how many epochs are done."""
        if not self.path.exists():
            return []
        state = torch.load(self.path, map_location="cpu", weights_only=True)
        for module, weights in zip(modules, state["modules"], strict=True):
            module.load_state_dict(weights)
        optimiser.load_state_dict(state["optimiser"])
        schedule.load_state_dict(state["schedule"])
        return [Epoch(epoch, loss, measures) for epoch, loss, measures in state["curve"]]

    def save(self, modules: list[nn.Module], optimiser: Optimizer, schedule: LRScheduler, curve: list[Epoch]) -> None:
        if not self.writes or len(curve) % self.every:
            return
        state = {
            "modules": [module.state_dict() for module in modules],
            "optimiser": optimiser.state_dict(),
            "schedule": schedule.state_dict(),
            "curve": [(point.epoch, point.loss, dict(point.measures)) for point in curve],
        }
        beside = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        with beside.open("wb") as handle:
            torch.save(state, handle)
            handle.flush()
            os.fsync(handle.fileno())
        beside.replace(self.path)
