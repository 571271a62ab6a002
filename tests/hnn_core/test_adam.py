"""Our Adam and schedules take the steps of torch's, without the compiler that torch's bring along."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
import torch
from torch import nn

from hnn_core.adam import Adam, one_cycle, stepped


def gradients(parameters: list[nn.Parameter], epoch: int) -> None:
    generator = torch.Generator().manual_seed(epoch)
    for p in parameters:
        p.grad = torch.randn(p.shape, generator=generator)


def parameters() -> list[nn.Parameter]:
    generator = torch.Generator().manual_seed(99)
    return [nn.Parameter(torch.randn(shape, generator=generator)) for shape in ((7, 5), (5,), (3, 2))]


def test_steps_are_those_of_torch_to_the_last_bit() -> None:
    ours, theirs = parameters(), parameters()
    adam = Adam([(ours[:2], 0.01), (ours[2:], 0.0)], lr=0.03)
    groups: list[dict[str, Any]] = [{"params": theirs[:2], "weight_decay": 0.01}, {"params": theirs[2:]}]
    peer = torch.optim.Adam(groups, lr=0.03, fused=True)
    for epoch in range(20):
        gradients(ours, epoch)
        gradients(theirs, epoch)
        if epoch % 3 == 0:
            ours[1].grad = theirs[1].grad = None  # stays as it is, and its count of steps too
        adam.step()
        peer.step()
    assert all(torch.equal(a, b) for a, b in zip(ours, theirs, strict=True))
    adam.zero_grad()
    assert all(p.grad is None for p in ours)


def test_a_restored_state_goes_on_as_if_never_stopped() -> None:
    whole, halves = parameters(), parameters()
    undisturbed = Adam([(whole, 0.1)], lr=0.05)
    before = Adam([(halves, 0.1)], lr=0.05)
    for epoch in range(6):
        gradients(whole, epoch)
        undisturbed.step()
    for epoch in range(3):
        gradients(halves, epoch)
        before.step()
    after = Adam([(halves, 0.1)], lr=0.05)
    after.restore(before.state())
    for epoch in range(3, 6):
        gradients(halves, epoch)
        after.step()
    assert all(torch.equal(a, b) for a, b in zip(whole, halves, strict=True))


def test_milestones_are_those_of_torch() -> None:
    peer = torch.optim.SGD(parameters(), lr=0.2)
    schedule = torch.optim.lr_scheduler.MultiStepLR(peer, [2, 5], 0.9)
    for epoch in range(1, 9):
        assert stepped(0.2, (2, 5), 0.9, epoch) == pytest.approx(peer.param_groups[0]["lr"], rel=1e-12)
        peer.step()
        schedule.step()


@pytest.mark.parametrize("epochs", [1, 2, 3, 4, 10, 37])
def test_one_cycle_is_that_of_torch(epochs: int) -> None:
    peer = torch.optim.Adam(parameters(), lr=0.2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(peer, 0.2, total_steps=epochs)
    for epoch in range(epochs):
        group = peer.param_groups[0]
        assert one_cycle(0.2, epoch, epochs) == pytest.approx((group["lr"], group["betas"][0]), rel=1e-9), epoch
        peer.step()
        if epoch < epochs - 1:
            schedule.step()


def test_training_imports_neither_the_compiler_nor_what_other_processes_need() -> None:
    script = (
        "import sys, torch\n"
        "from hnn_core.models.model import Training\n"
        "from hnn_core.training import fit\n"
        "from hnn_core import distributed_training, recommend, tasks\n"
        "from hnn_core.tasks import hyperedge_prediction, node_classification, style_recommendation\n"
        "model = torch.nn.Linear(2, 1)\n"
        "fit([model], lambda epoch: [model(torch.ones(1, 2)).sum()], Training(epochs=2))\n"
        "assert not {'torch._dynamo', 'sklearn', 'scipy.stats', 'pandas'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
