"""The state of a training in one file, replaced at once after an epoch: a kill leaves the old state or the new one."""

from __future__ import annotations

import os
from pathlib import Path

import torch
from torch import nn

from hnn_core.adam import Adam
from hnn_core.training import Epoch


class FileCheckpoint:
    """Weights, optimiser and curve.

    Every process of a training restores; only one should have ``writes=True``.
    """

    def __init__(self, path: Path, every: int = 1, writes: bool = True) -> None:
        self.path, self.every, self.writes = path, every, writes

    def restore(self, modules: list[nn.Module], optimiser: Adam) -> list[Epoch]:
        """Put everything back as it was; the curve says how many epochs are done."""
        if not self.path.exists():
            return []
        state = torch.load(self.path, map_location="cpu", weights_only=True)
        for module, weights in zip(modules, state["modules"], strict=True):
            module.load_state_dict(weights)
        optimiser.restore(state["optimiser"])
        return [Epoch(epoch, loss, measures) for epoch, loss, measures in state["curve"]]

    def save(self, modules: list[nn.Module], optimiser: Adam, curve: list[Epoch]) -> None:
        if not self.writes or len(curve) % self.every:
            return
        state = {
            "modules": [module.state_dict() for module in modules],
            "optimiser": optimiser.state(),
            "curve": [(point.epoch, point.loss, dict(point.measures)) for point in curve],
        }
        beside = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        with beside.open("wb") as handle:
            torch.save(state, handle)
            handle.flush()
            os.fsync(handle.fileno())
        beside.replace(self.path)
