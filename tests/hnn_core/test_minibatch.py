"""Batches on sampled neighbourhoods: exact where all fits, unbiased where it does not, never larger than allowed."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy import sparse

from hnn_core.hypergraph import Hypergraph
from hnn_core.minibatch import MiniBatches, Trainer, prediction_data, train_predictor_in_batches
from hnn_core.models import Training, build
from hnn_core.models.hnn import HNN, HNNInputs
from hnn_core.neighbourhoods import Incidence, Sampling, sample_neighbourhood
from hnn_core.nn import VARIANTS
from hnn_core.seeds import seed_everything
from hnn_core.tasks.hyperedge_prediction import HyperedgePrediction, train_predictor

EVERYTHING = Sampling(hops=8, hyperedges_per_node=1000, members_per_hyperedge=1000)


def planted(groups: int = 12, size: int = 25, hyperedges: int = 400, seed: int = 0) -> Hypergraph:
    """Hyperedges mostly within groups of nodes."""
    rng = np.random.default_rng(seed)
    members = []
    for _ in range(hyperedges):
        group = rng.integers(groups)
        inside = group * size + rng.choice(size, rng.integers(3, 8), replace=False)
        members.append([*inside, *rng.choice(groups * size, rng.integers(2), replace=False)])
    return Hypergraph.from_hyperedges(members, num_nodes=groups * size + 3)  # three nodes in no hyperedge


def model_for(width: int, **options: object) -> HNN:
    seed_everything(1)
    model = build("hnn", width, widths=(16, 16), **options)
    assert isinstance(model, HNN)
    return model


@pytest.fixture(scope="module")
def hypergraph() -> Hypergraph:
    return planted()


@pytest.fixture(scope="module")
def features(hypergraph: Hypergraph) -> np.ndarray:
    return np.random.default_rng(1).normal(size=(hypergraph.num_nodes, 8)).astype(np.float32)


@pytest.mark.parametrize("self_loops", ["none", "isolated", "all"])
@pytest.mark.parametrize("variant", sorted(VARIANTS))
def test_with_room_for_everything_the_seeds_are_embedded_as_in_the_whole_hypergraph(
    variant: str, self_loops: str, hypergraph: Hypergraph, features: np.ndarray
) -> None:
    seed_everything(0)
    model = HNN(8, widths=(16, 16), variant=variant, self_loops=self_loops, sigma_v="tanh").double().eval()
    whole = model(model.prepare(hypergraph, features), hyperedges=False).nodes
    seeds = np.array([3, 50, 200, hypergraph.num_nodes - 1])
    around = sample_neighbourhood(Incidence.of(hypergraph), seeds, EVERYTHING, 5, self_loops, model.device, model.dtype)
    part = model(HNNInputs(around.H, model.matrix(features[around.nodes]), None), hyperedges=False).nodes
    local = np.searchsorted(around.nodes, seeds)
    torch.testing.assert_close(part[local], whole[seeds], rtol=1e-9, atol=1e-9)


def test_means_over_sampled_hyperedges_and_members_are_unbiased(hypergraph: Hypergraph, features: np.ndarray) -> None:
    seeds = np.arange(40)
    X = torch.from_numpy(features.astype(np.float64))
    H = hypergraph.incidence.toarray()
    degree = np.maximum(H.sum(1, keepdims=True), 1)
    exact = (H / degree) @ (H.T @ features.astype(np.float64))
    rounds = 600
    drawn = np.empty((rounds, *exact[seeds].shape))
    for number in range(rounds):
        around = sample_neighbourhood(Incidence.of(hypergraph), seeds, Sampling(1, 2, 3), number, dtype=torch.float64)
        gathered = around.H.H(-1, 0) @ (around.H.H().T @ X[around.nodes])
        drawn[number] = gathered[np.searchsorted(around.nodes, seeds)].numpy()
    sampled = drawn.std(axis=0) > 1e-9
    assert sampled.mean() > 0.9
    error = (drawn.mean(axis=0) - exact[seeds])[sampled] / (drawn.std(axis=0)[sampled] / rounds**0.5)
    assert 0.8 < np.sqrt(np.mean(error**2)) < 1.2, "the mean is off by more, or less, than its standard error"


def test_a_neighbourhood_never_outgrows_its_bounds(hypergraph: Hypergraph) -> None:
    incidence = Incidence.of(hypergraph)
    seeds = np.arange(10)
    around = sample_neighbourhood(incidence, seeds, Sampling(hops=3, max_nodes=60), 0)
    assert len(around.nodes) <= 60
    assert np.isin(seeds, around.nodes).all()
    narrow = sample_neighbourhood(incidence, seeds, Sampling(1, 2, 3), 0)
    assert len(narrow.hyperedges) <= 2 * len(seeds)
    assert len(narrow.nodes) <= len(seeds) + 3 * len(narrow.hyperedges)


def test_the_same_seed_gives_the_same_neighbourhood(hypergraph: Hypergraph) -> None:
    incidence = Incidence.of(hypergraph)
    a, b, c = (sample_neighbourhood(incidence, np.arange(5), Sampling(2, 2, 2), seed) for seed in (1, 1, 2))
    assert np.array_equal(a.nodes, b.nodes)
    assert not np.array_equal(a.nodes, c.nodes)


def test_mapped_files_hold_what_was_saved(hypergraph: Hypergraph, tmp_path) -> None:  # type: ignore[no-untyped-def]
    incidence = Incidence.of(hypergraph)
    incidence.save(tmp_path / "seen")
    mapped = Incidence.open(tmp_path / "seen")
    assert isinstance(mapped.node_hyperedges, np.memmap)
    chosen = np.array([7, 0, 399])
    wanted = hypergraph.incidence_transpose[chosen]
    assert (mapped.members_of(chosen) != sparse.csr_array(wanted)).nnz == 0


def test_weights_are_refused(hypergraph: Hypergraph) -> None:
    weighted = Hypergraph.from_pairs([0, 1], [0, 0], weights=[1.0, 2.0])
    with pytest.raises(ValueError, match="without weights"):
        Incidence.of(weighted)


@pytest.mark.parametrize("protocol", ["transductive", "inductive"])
def test_training_in_batches_comes_near_training_on_everything(
    protocol: str, hypergraph: Hypergraph, features: np.ndarray
) -> None:
    task, training = HyperedgePrediction(protocol=protocol), Training(epochs=60)
    whole = train_predictor(model_for(8), hypergraph, features, task, training, seed=2)
    few = MiniBatches(batch_size=64, sampling=Sampling(2, 4, 4))
    part = train_predictor_in_batches(model_for(8), hypergraph, features, task, Training(epochs=12), few, seed=2)
    assert whole.auc > 0.75
    assert part.auc > whole.auc - 0.05
    assert part.embeddings.nodes.shape == whole.embeddings.nodes.shape
    assert [point.epoch for point in part.curve] == list(range(1, 13))
    assert part.curve[-1].loss < part.curve[0].loss


def test_every_training_hyperedge_is_in_exactly_one_shard_of_an_epoch(
    hypergraph: Hypergraph, features: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = HyperedgePrediction()
    data = prediction_data(hypergraph, features, task, 0)
    seen: list[int] = []
    for rank in range(2):
        trainer = Trainer(model_for(8), data, task, MiniBatches(batch_size=50, shards=2), 0, rank, world=2)
        batch = trainer._batch
        monkeypatch.setattr(trainer, "_batch", lambda part, *rest, batch=batch: seen.extend(part) or batch(part, *rest))
        list(trainer.losses(1))
    assert sorted(seen) == data.split.train.tolist()


def test_shards_that_cannot_be_shared_are_refused(hypergraph: Hypergraph, features: np.ndarray) -> None:
    data = prediction_data(hypergraph, features, HyperedgePrediction(), 0)
    with pytest.raises(ValueError, match="3 shards cannot be shared by 2 processes"):
        Trainer(model_for(8), data, HyperedgePrediction(), MiniBatches(shards=3), 0, 0, world=2)
