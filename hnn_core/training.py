"""One training loop for every model and task."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import torch
from torch import Tensor, nn

from hnn_core.adam import Adam, stepped
from hnn_core.freed_memory import keep_freed_memory
from hnn_core.models.model import Training


class DivergedError(RuntimeError):
    """The loss is no longer a number."""


@dataclass(frozen=True)
class Epoch:
    """One point of a learning curve: the training loss, and whatever was measured after the epoch."""

    epoch: int
    loss: float
    measures: Mapping[str, float] = field(default_factory=dict)


class Checkpoint(Protocol):
    """Keeps the state of a training; see :mod:`hnn_core.checkpoints`."""

    def restore(self, modules: list[nn.Module], optimiser: Adam) -> list[Epoch]: ...

    def save(self, modules: list[nn.Module], optimiser: Adam, curve: list[Epoch]) -> None: ...


def fit(
    modules: Iterable[nn.Module],
    losses: Callable[[int], Iterable[Tensor]],
    training: Training,
    decayed: Iterable[nn.Parameter] | None = None,
    measure: Callable[[], Mapping[str, float]] | None = None,
    measure_every: int = 0,
    on_epoch: Callable[[Epoch], None] | None = None,
    checkpoint: Checkpoint | None = None,
) -> list[Epoch]:
    """Train ``modules`` with Adam and return the learning curve.

    Args:
        modules: all that is trained.
        losses: the losses of one epoch, one a batch; each is stepped on before the next is asked for.
        training: epochs, learning rate, weight decay.
        decayed: parameters weight decay applies to; all unless given.
        measure: called after every ``measure_every``-th epoch and the last one (0: never); modules are in
            evaluation mode.
        on_epoch: called with each point of the curve as it is made.
        checkpoint: where training goes on from, and what is kept after each epoch.
    """
    keep_freed_memory()
    trained = list(modules)
    optimiser = _adam(trained, training, decayed)
    curve = checkpoint.restore(trained, optimiser) if checkpoint else []
    for epoch in range(len(curve) + 1, training.epochs + 1):
        optimiser.lr = stepped(training.lr, training.decay_at, training.decay, epoch)
        for module in trained:
            module.train()
        total, batches = 0.0, 0
        for loss in losses(epoch):
            value = loss.item()
            if not torch.isfinite(loss):
                raise DivergedError(
                    f"loss is {value} in epoch {epoch}: lower the learning rate (now {training.lr}) "
                    "or normalise the features"
                )
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            total, batches = total + value, batches + 1
        asked = measure is not None and measure_every > 0
        due = asked and (epoch % measure_every == 0 or epoch == training.epochs)
        point = Epoch(epoch, total / max(batches, 1), evaluate(trained, measure) if due and measure else {})
        curve.append(point)
        if checkpoint is not None:
            checkpoint.save(trained, optimiser, curve)
        if on_epoch is not None:
            on_epoch(point)
    return curve


def evaluate(modules: Iterable[nn.Module], measure: Callable[[], Mapping[str, float]]) -> Mapping[str, float]:
    """Measure in evaluation mode, without gradients."""
    for module in modules:
        module.eval()
    with torch.no_grad():
        return measure()


def _adam(modules: list[nn.Module], training: Training, decayed: Iterable[nn.Parameter] | None) -> Adam:
    every = list({id(p): p for module in modules for p in module.parameters()}.values())
    chosen = {id(p) for p in (every if decayed is None else decayed)}
    return Adam(
        [
            ([p for p in every if id(p) in chosen], training.weight_decay),
            ([p for p in every if id(p) not in chosen], 0.0),
        ],
        training.lr,
    )
