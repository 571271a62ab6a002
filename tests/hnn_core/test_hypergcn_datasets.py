"""HyperGCN's published pickles load as counted, and a pickle that wants more than arrays runs nothing."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from hnn_core.datasets import hypergcn, restricted_pickle

COUNTED = {  # nodes, hyperedges, nodes in no hyperedge, training nodes of a split, features
    "cora-ca": (2_708, 1_072, 320, 140, 1_433),
    "dblp": (41_302, 22_363, 0, 1_740, None),
    "citeseer": (3_312, 1_079, 1_854, 138, 3_703),
    "cora-cc": (2_708, 1_579, 1_274, 140, 1_433),
    "pubmed": (19_717, 7_963, 15_877, 78, None),
}


@pytest.mark.parametrize("name", hypergcn.NAMES)
def test_published_data_sets_have_the_counted_size(name: str, shared_data: Path) -> None:
    dataset = hypergcn.load(name, shared_data / "hypergcn")
    nodes, hyperedges, isolated, train, features = COUNTED[name]
    hypergraph = dataset.hypergraph
    assert (hypergraph.num_nodes, hypergraph.num_hyperedges) == (nodes, hyperedges)
    assert (np.diff(hypergraph.incidence.indptr) == 0).sum() == isolated
    assert len(dataset.splits) == 10
    for split in dataset.splits:
        assert len(split.train) == train
        assert sorted([*split.train, *split.test]) == list(range(nodes))
    assert len(dataset.labels) == nodes
    assert (dataset.features.shape[1] if dataset.features is not None else None) == features


def write(folder: Path, **files: Any) -> Path:
    (folder / "splits").mkdir(parents=True)
    for name, content in files.items():
        (folder / f"{name}.pickle").write_bytes(pickle.dumps(content, protocol=2))
    return folder


def test_a_small_data_set_is_read_as_published(tmp_path: Path) -> None:
    folder = write(
        tmp_path / "coauthorship" / "cora",
        hypergraph={"V Gupta": [np.int64(2), np.int64(0)], "A Srinivasan": {1}},
        labels=[0, 1, 1],
        features=sparse.csr_matrix(np.eye(3, dtype=np.float32)),
    )
    for k in (1, 2, 10):
        (folder / "splits" / f"{k}.pickle").write_bytes(pickle.dumps({"train": [k % 3], "test": [0]}))
    dataset = hypergcn.load("cora-ca", tmp_path)
    assert dataset.hypergraph.hyperedge_ids.tolist() == ["V Gupta", "A Srinivasan"]
    assert dataset.hypergraph.members(0).tolist() == [0, 2]
    assert dataset.features is not None
    assert dataset.features.toarray().tolist() == np.eye(3).tolist()
    assert [split.train.tolist() for split in dataset.splits] == [[1], [2], [1]]
    assert dataset.num_classes == 2


def test_missing_files_and_unknown_names_say_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(KeyError, match="no data set 'cora'; known are cora-ca, dblp"):
        hypergcn.load("cora", tmp_path)
    with pytest.raises(FileNotFoundError, match=r"hypergraph\.pickle is missing: copy the folder `data`"):
        hypergcn.load("dblp", tmp_path)
    monkeypatch.delenv("HNN_DATA", raising=False)
    with pytest.raises(FileNotFoundError, match="HNN_DATA does not name"):
        hypergcn.load("dblp")


class Exploit:
    def __init__(self, function: Any, *arguments: Any) -> None:
        self.call = (function, arguments)

    def __reduce__(self) -> Any:
        return self.call


def test_a_malicious_pickle_is_refused_before_it_runs(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    bomb = tmp_path / "labels.pickle"
    for function, arguments in ((Path.touch, (victim,)), (eval, (f"open({str(victim)!r}, 'w')",))):
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            bomb.write_bytes(pickle.dumps([Exploit(function, *arguments)], protocol=protocol))
            with pytest.raises(restricted_pickle.ForbiddenPickleError, match=r"labels\.pickle: asks for "):
                restricted_pickle.load(bomb)
    assert not victim.exists()


@pytest.mark.parametrize("name", ["numpy.load", "numpy.fromfile", "scipy.sparse.load_npz", "builtins.getattr"])
def test_other_names_of_allowed_modules_are_refused(name: str, tmp_path: Path) -> None:
    module, attribute = name.rsplit(".", 1)
    (tmp_path / "x.pickle").write_bytes(f"c{module}\n{attribute}\n.".encode())
    with pytest.raises(restricted_pickle.ForbiddenPickleError, match=f"asks for {name}"):
        restricted_pickle.load(tmp_path / "x.pickle")


def test_dotted_names_cannot_climb_out_of_an_allowed_name(tmp_path: Path) -> None:
    (tmp_path / "x.pickle").write_bytes(b"\x80\x04\x8c\x05numpy\x8c\x10ndarray.__init__\x93.")
    with pytest.raises(restricted_pickle.ForbiddenPickleError, match=r"asks for numpy\.ndarray\.__init__"):
        restricted_pickle.load(tmp_path / "x.pickle")


def test_codecs_other_than_latin1_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x.pickle").write_bytes(b"c_codecs\nencode\n(Vtext\nVzlib_codec\ntR.")
    with pytest.raises(restricted_pickle.ForbiddenPickleError, match="codec 'zlib_codec'"):
        restricted_pickle.load(tmp_path / "x.pickle")


def test_a_matrix_with_forged_indices_is_refused(tmp_path: Path) -> None:
    matrix = sparse.csr_matrix(np.eye(3, dtype=np.float32))
    matrix.indices[1] = 1_000_000_000
    path = tmp_path / "features.pickle"
    path.write_bytes(pickle.dumps(matrix))
    with pytest.raises(ValueError, match=r"features\.pickle: damaged csr_matrix"):
        restricted_pickle.checked_csr(restricted_pickle.load(path), path)
    with pytest.raises(ValueError, match="expected a scipy csr_matrix, found list"):
        restricted_pickle.checked_csr([], path)


def test_a_truncated_pickle_is_named(tmp_path: Path) -> None:
    (tmp_path / "labels.pickle").write_bytes(pickle.dumps(list(range(100)))[:50])
    with pytest.raises(ValueError, match=r"labels\.pickle: not a readable pickle"):
        restricted_pickle.load(tmp_path / "labels.pickle")
