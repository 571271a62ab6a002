"""An epoch of HNN beside the same model in PyG's ``MessagePassing``, an epoch of HGNN beside DHG's, on DBLP.

An epoch is forward, cross-entropy on the training nodes, backward and a step of Adam: 64 wide, two layers, one thread.
The rivals run in the same process, turn by turn, so that a busy machine slows all alike; times are CPU seconds. Peak
memory is that of a process of its own. ``bare products`` are the 19 sparse products of HNN's equations in an epoch,
forward and backward, with nothing around them; ``bare products, features remembered`` the 12 that are left where the
products of constant features are made once for all epochs, as here. ``ratio`` is PyG's time over ours. Needs the extra
``bench`` (torch-geometric, dhg). Where DBLP is not at hand (``--data``, ``HNN_DATA``) a random hypergraph of its size
takes its place, and the table says so. ``--json experiments/speed.json`` keeps the figures for ``hnn benchmark``.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console
from rich.table import Table
from torch import Tensor, nn
from torch.nn import functional as F

from hnn_core.datasets import hypergcn
from hnn_core.datasets.synthetic import synthetic
from hnn_core.freed_memory import keep_freed_memory
from hnn_core.models import HGNN, HNN
from hnn_core.nn import Propagation

WIDTH = 64
Step = Callable[[], None]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=None, help="folder with coauthorship/ and cocitation/")
    parser.add_argument("--dataset", default="dblp", choices=hypergcn.NAMES)
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--memory-of", choices=list(CONTENDERS), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    keep_freed_memory()  # as every training of hnn_core does; the rivals gain by it too
    data = load(arguments.dataset, arguments.data)
    if arguments.memory_of:
        step = CONTENDERS[arguments.memory_of](data)
        for _ in range(3):
            step()
        # Not ru_maxrss: a child inherits its parent's.
        status = Path("/proc/self/status").read_text(encoding="ascii")
        print(int(status.split("VmHWM:")[1].split()[0]) / 1024)
        return
    figures = measure(data, arguments)
    table = Table(box=None, title=f"on {data.name}", title_justify="left")
    for column in ("epoch of", "ms", "peak MiB"):
        table.add_column(column, justify="left" if column == "epoch of" else "right")
    for name, row in figures["epochs"].items():
        table.add_row(name, f"{row['ms']:.1f}", f"{row['peak_mib']:.0f}")
    Console().print(table)
    for name, value in figures["ratios"].items():
        Console().print(f"{name}: {value:.2f}")
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


def load(name: str, folder: Path | None) -> hypergcn.Dataset:
    """The data set, or a random hypergraph of DBLP's counts."""
    beside = Path(__file__).parents[2] / "shared" / "data" / "hypergcn"
    if folder is None and "HNN_DATA" not in os.environ and beside.is_dir():
        folder = beside
    try:
        return hypergcn.load(name, folder)
    except FileNotFoundError:
        if folder is not None:
            raise
    hypergraph = synthetic(101_000, mean_size=4.5, mean_degree=2.45, skew=0.3)
    labels = np.random.default_rng(0).integers(6, size=hypergraph.num_nodes)
    split = hypergcn.Split(np.arange(1_740), np.arange(1_740, hypergraph.num_nodes))
    return hypergcn.Dataset("a random hypergraph of DBLP's size", hypergraph, None, labels, (split,))


def measure(data: hypergcn.Dataset, arguments: argparse.Namespace) -> dict[str, Any]:
    """Median CPU milliseconds of each contender, turn by turn, and what each needs of memory."""
    steps = {name: build(data) for name, build in CONTENDERS.items()}
    times: dict[str, list[float]] = {name: [] for name in steps}
    for turn in range(arguments.epochs + 2):
        for name, step in steps.items():
            started = time.process_time()
            step()
            if turn >= 2:  # the first turns allocate
                times[name].append(1000 * (time.process_time() - started))
    ms = {name: statistics.median(values) for name, values in times.items()}
    return {
        "dataset": data.name,
        "ratio": ms["HNN, PyG"] / ms["HNN"],
        "epochs": {name: {"ms": ms[name], "peak_mib": peak_memory(name, arguments)} for name in steps},
        "ratios": {
            "HNN, PyG over ours": ms["HNN, PyG"] / ms["HNN"],
            "HNN leaky ReLU, PyG over ours": ms["HNN leaky ReLU, PyG"] / ms["HNN leaky ReLU"],
            "HGNN, DHG over ours": ms["HGNN, DHG"] / ms["HGNN"],
            "HNN over bare products": ms["HNN"] / ms["bare products"],
            "HNN leaky ReLU over bare products": ms["HNN leaky ReLU"] / ms["bare products"],
            "HNN over bare products, features remembered": ms["HNN"] / ms["bare products, features remembered"],
        },
    }


def peak_memory(name: str, arguments: argparse.Namespace) -> float:
    command = [sys.executable, __file__, "--dataset", arguments.dataset, "--memory-of", name]
    if arguments.data:
        command += ["--data", str(arguments.data)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[-1])


def features_of(data: hypergcn.Dataset) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(data.hypergraph.num_nodes, WIDTH)).astype(np.float32)


def stepper(modules: nn.Module, logits: Callable[[], Tensor], data: hypergcn.Dataset) -> Step:
    """Forward, loss, backward, Adam."""
    train, labels = data.splits[0].train, torch.tensor(data.labels)
    head = nn.Linear(WIDTH, data.num_classes)
    optimiser = torch.optim.Adam([*modules.parameters(), *head.parameters()], lr=0.01)

    def step() -> None:
        optimiser.zero_grad()
        F.cross_entropy(head(logits()[train]), labels[train]).backward()
        optimiser.step()

    return step


def ours(sigma: str) -> Callable[[hypergcn.Dataset], Step]:
    def build(data: hypergcn.Dataset) -> Step:
        model = HNN(WIDTH, (WIDTH, WIDTH), sigma_v=sigma)
        prepared = model.prepare(data.hypergraph, features_of(data))
        return stepper(model, lambda: model(prepared, hyperedges=False).nodes, data)

    return build


def our_hgnn(data: hypergcn.Dataset) -> Step:
    model = HGNN(WIDTH, out=WIDTH, hidden=WIDTH)
    prepared = model.prepare(data.hypergraph, features_of(data))
    return stepper(model, lambda: model(prepared).nodes, data)


def dhg_hgnn(data: hypergcn.Dataset) -> Step:
    import dhg
    from dhg.models import HGNN as DHGNN

    lists = [data.hypergraph.members(e).tolist() for e in range(data.hypergraph.num_hyperedges)]
    # DHG merges equal hyperedges by default; "sum" keeps their weight.
    hypergraph = dhg.Hypergraph(data.hypergraph.num_nodes, lists, merge_op="sum")
    model = DHGNN(WIDTH, WIDTH, WIDTH)
    X = torch.tensor(features_of(data))
    return stepper(model, lambda: model(X, hypergraph), data)


def pyg_hnn(sigma: Callable[[], nn.Module]) -> Callable[[hypergcn.Dataset], Step]:
    """The HNN equations as someone writes them with ``MessagePassing``, its products arranged as ours are."""

    def build(data: hypergcn.Dataset) -> Step:
        from torch_geometric.nn import MessagePassing

        class Incidence(MessagePassing):  # type: ignore[misc]
            def __init__(self) -> None:
                super().__init__(aggr="sum")

            def forward(self, x: Tensor, pairs: Tensor, weights: Tensor, size: tuple[int, int]) -> Tensor:
                out: Tensor = self.propagate(pairs, x=(x, None), weights=weights, size=size)
                return out

            def message(self, x_j: Tensor, weights: Tensor) -> Tensor:
                return weights.view(-1, 1) * x_j

        H = data.hypergraph.incidence.tocoo()
        nodes, edges = (torch.tensor(c, dtype=torch.int64) for c in H.coords)
        N, M = data.hypergraph.num_nodes, data.hypergraph.num_hyperedges
        D_inv = 1 / torch.bincount(nodes, minlength=N).clamp(min=1).float()
        De_inv = 1 / torch.bincount(edges, minlength=M).clamp(min=1).float()
        down, up = torch.stack([nodes, edges]), torch.stack([edges, nodes])
        D, De, De2, D2 = D_inv[nodes], De_inv[edges], De_inv[edges] ** 2, D_inv[nodes] ** 2

        class Model(nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.W = nn.ParameterList(nn.init.xavier_uniform_(torch.empty(WIDTH, WIDTH)) for _ in range(2))
                self.W_e = nn.Parameter(nn.init.xavier_uniform_(torch.empty(WIDTH, WIDTH)))
                self.sigma, self.incidence = sigma(), Incidence()

            def to_edges(self, x: Tensor, weights: Tensor) -> Tensor:
                out: Tensor = self.incidence(x, down, weights, (N, M))
                return out

            def to_nodes(self, x: Tensor, weights: Tensor) -> Tensor:
                out: Tensor = self.incidence(x, up, weights, (M, N))
                return out

            def update_nodes(self, Z: Tensor, Y: Tensor | None, W: Tensor) -> Tensor:
                means = self.to_edges(Z, D)
                sent = self.to_edges(self.to_nodes(means, De2), D) + (means if Y is None else Y)
                out: Tensor = self.sigma(self.to_nodes(sent @ W, D))
                return out

            def forward(self, X: Tensor) -> Tensor:
                Z = self.update_nodes(X, None, self.W[0])
                Y = self.to_edges(X, D)
                sent = self.to_nodes(self.to_edges(self.to_nodes(Y, De), D2), De) + Z
                Y = self.sigma(self.to_edges(sent, De) @ self.W_e)
                return self.update_nodes(Z, Y, self.W[1])

        model, X = Model(), torch.tensor(features_of(data))
        return stepper(model, lambda: model(X), data)

    return build


def bare_products(data: hypergcn.Dataset, remembered: bool = False) -> Step:
    """The 13 products of the forward pass, and the transposes of the 6 through which gradients flow."""
    H = Propagation(data.hypergraph)
    DH, HDe, HDe2, D2H = H.H(-1, 0), H.H(0, -1), H.H(0, -2), H.H(-2, 0)
    constant = [DH.T, HDe2, DH.T, DH.T, HDe, D2H.T, HDe]  # of X alone: no gradient
    with_gradient = [DH, HDe.T, DH.T, HDe2, DH.T, DH]
    nodes = torch.randn(data.hypergraph.num_nodes, WIDTH)
    hyperedges = torch.randn(data.hypergraph.num_hyperedges, WIDTH)

    def step() -> None:
        for A in [*([] if remembered else constant), *with_gradient, *(B.T for B in with_gradient)]:
            A @ (nodes if A.shape[1] == len(nodes) else hyperedges)

    return step


CONTENDERS: dict[str, Callable[[hypergcn.Dataset], Step]] = {
    "HNN": ours("rrelu"),
    "HNN, PyG": pyg_hnn(nn.RReLU),
    "HNN leaky ReLU": ours("leaky_relu"),
    "HNN leaky ReLU, PyG": pyg_hnn(nn.LeakyReLU),
    "bare products": bare_products,
    "bare products, features remembered": lambda data: bare_products(data, remembered=True),
    "HGNN": our_hgnn,
    "HGNN, DHG": dhg_hgnn,
}

if __name__ == "__main__":
    main()
