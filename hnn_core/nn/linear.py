"""X W + b for dense or sparse X."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from hnn_core.nn.layer import Matrix, weight


class Linear(nn.Module):
    """As ``torch.nn.Linear``, with X dense or sparse and Glorot's initial values."""

    def __init__(self, inputs: int, outputs: int, bias: bool = True) -> None:
        super().__init__()
        self.weight = weight(inputs, outputs)
        self.bias = nn.Parameter(torch.zeros(outputs)) if bias else None

    def forward(self, X: Matrix) -> Tensor:
        product = X @ self.weight
        return product if self.bias is None else product + self.bias
