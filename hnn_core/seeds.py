"""The one place where random numbers start.

Every random choice of a run comes from one integer. ``derive`` gives each purpose ("negatives", "weights",
"split", …) a stream of its own, so that drawing more of one never shifts another: that is what makes two runs
comparable that differ in one setting, and what keeps test negatives out of the training stream.
"""

from __future__ import annotations

import random
import zlib

import numpy as np
import torch


def derive(seed: int, *purpose: str | int) -> int:
    """A seed for one purpose: the same for the same arguments, on every machine and Python version."""
    words = [seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF]
    words += [zlib.crc32(str(part).encode()) for part in purpose]
    return int(np.random.SeedSequence(words).generate_state(1, np.uint64)[0] >> np.uint64(1))


def generator(seed: int, *purpose: str | int) -> np.random.Generator:
    """A NumPy generator for one purpose."""
    return np.random.default_rng(derive(seed, *purpose))


def seed_everything(seed: int) -> None:
    """Seed Python, NumPy and torch, and make torch deterministic: same seed, same machine, same figures."""
    random.seed(seed)
    np.random.seed(seed & 0xFFFFFFFF)  # for libraries that still draw from NumPy's global stream
    torch.manual_seed(seed)
    # Not use_deterministic_algorithms, which sets the same but imports the compiler with it: seconds a process.
    torch.set_deterministic_debug_mode("warn")
