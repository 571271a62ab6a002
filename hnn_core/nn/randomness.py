"""Dropout by random bytes.

A random byte is an eighth of one 64-bit draw. torch's own ``dropout`` spends a draw on each entry, and with it more
time than an HNN layer spends on all its sparse products.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

BLOCK = 131_072  # entries


def random_bytes(like: Tensor) -> Tensor:
    """Bytes, each value equally likely, in the shape of ``like``; from torch's seeded generator of the CPU."""
    words = torch.empty((like.numel() + 7) // 8, dtype=torch.int64).random_(-(2**63), None)
    return words.view(torch.uint8)[: like.numel()].view(like.shape).to(like.device)


def in_blocks(*tensors: Tensor) -> Iterator[tuple[Tensor, ...]]:
    """Views of the same entries of each tensor, few enough to stay in a processor's cache through several passes."""
    yield from zip(*(torch.split(tensor.view(-1), BLOCK) for tensor in tensors), strict=True)


def dropout(X: Tensor, probability: float, training: bool = True) -> Tensor:
    """Each entry zeroed with this probability, to the nearest 256th, the others scaled to keep the expectation."""
    if not 0 <= probability < 1:
        raise ValueError(f"dropout is {probability}: expected a share of at least 0 and below 1")
    kept = max(256 - round(256 * probability), 1)
    if not training or kept == 256:
        return X
    mask = torch.empty(X.shape, dtype=X.dtype, device=X.device)
    for random, part in in_blocks(random_bytes(X), mask):
        # −1 where a byte is below `kept`, else 1, then 0
        part.copy_(random).sub_(kept - 0.5).sign_().clamp_(max=0).mul_(-256 / kept)
    return X * mask
