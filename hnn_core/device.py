"""Where tensors live: ``auto``, ``cpu``, ``cuda`` or ``mps``."""

from __future__ import annotations

import torch

DEVICES = ("auto", "cpu", "cuda", "mps")


def resolve(name: str | torch.device = "auto") -> torch.device:
    """The torch device of a name; ``auto`` takes CUDA, then Apple's MPS, then the CPU."""
    if isinstance(name, torch.device):
        return name
    if name not in DEVICES:
        raise ValueError(f"device {name!r} is not known: choose one of {', '.join(DEVICES)}")
    present = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if name == "auto":
        name = next(kind for kind in ("cuda", "mps", "cpu") if present[kind])
    if not present[name]:
        raise ValueError(f"device {name!r} is not present on this machine: use --device cpu or auto")
    return torch.device(name)
