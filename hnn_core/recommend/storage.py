"""A recommender on disk: tables as Parquet, weights as .npz, the rest as JSON. Nothing in it can run code.

The same recommender writes the same bytes, so a stage's output can be compared by its hash.
"""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import torch
from scipy import sparse

from hnn_core.recommend.attribute_choice import SCOPES, SenderShares, Votes
from hnn_core.recommend.composed import TARGET as COMPOSED_TARGET
from hnn_core.recommend.composed import ComposedTraining, Composer
from hnn_core.recommend.corpus import Corpus, EmailTables, Observed
from hnn_core.recommend.evidence import Evidence, feature_names
from hnn_core.recommend.link_hnn import LinkHNN, LinkTraining, trained_links
from hnn_core.recommend.nearest import NearestFragments
from hnn_core.recommend.radius_choice import NearestRadii
from hnn_core.recommend.ranker import RankerTraining
from hnn_core.recommend.recommender import Recommender, RecommenderTraining, TargetModel

VERSION = 6
"""Of the format; a recommender of another version is refused, not guessed at."""

_SETTINGS = "recommender.json"


def save(recommender: Recommender, folder: Path) -> None:
    """Write the recommender into a folder, which is made."""
    folder.mkdir(parents=True, exist_ok=True)
    _save_corpus(recommender.training.corpus, folder)
    for target, model in recommender.models.items():
        state = {f"hnn.{name}": tensor.numpy() for name, tensor in model.evidence.links.model.state_dict().items()}
        weights = {f"weights.{protocol}": values for protocol, values in model.weights.items()}
        arrays: dict[str, Any] = {**state, **weights}
        np.savez(folder / f"{target}.npz", **arrays)
    if recommender.composer is not None:
        _save_composer(recommender.composer, folder)
    settings = {
        "version": VERSION,
        "options": asdict(recommender.options),
        "features": {target: feature_names(target) for target in recommender.models},
        "composer": recommender.composer is not None,
    }
    (folder / _SETTINGS).write_text(_json(settings), "utf-8")


def load(folder: Path) -> Recommender:
    """Read a recommender; an error names the file that is missing or of another version."""
    try:
        settings = json.loads((folder / _SETTINGS).read_text("utf-8"))
    except FileNotFoundError:
        raise FileNotFoundError(f"{folder / _SETTINGS} is missing: there is no trained recommender here") from None
    if settings.get("version") != VERSION:
        raise ValueError(
            f"{folder / _SETTINGS} has version {settings.get('version')}, expected {VERSION}: train it again"
        )
    options = _options(settings["options"])
    training = Observed.all_of(_load_corpus(folder))
    models = {}
    for target, names in settings["features"].items():
        if tuple(names) != feature_names(target):
            raise ValueError(
                f"{folder / _SETTINGS}: features of {target} are not those of this version: train it again"
            )
        models[target] = _load_model(folder / f"{target}.npz", training, target, options)
    return Recommender(training, options, models, _load_composer(folder, training) if settings["composer"] else None)


def _load_model(file: Path, training: Observed, target: str, options: RecommenderTraining) -> TargetModel:
    with np.load(file, allow_pickle=False) as arrays:
        model = LinkHNN(training.corpus.num_entities, len(training.catalogue(target)), options.ranker.link_hnn)
        state = {n.removeprefix("hnn."): torch.from_numpy(arrays[n]) for n in arrays.files if n.startswith("hnn.")}
        model.load_state_dict(state)
        weights = {n.removeprefix("weights."): arrays[n] for n in arrays.files if n.startswith("weights.")}
    evidence = Evidence.around(trained_links(model, training, target), training, target, options.seed)
    return TargetModel(evidence, weights, NearestFragments(training, target))


def _save_corpus(corpus: Corpus, folder: Path) -> None:
    emails = corpus.email_of
    position = np.arange(corpus.num_fragments)
    pairs = sparse.triu(corpus.neighbours).tocoo()
    ids, said = corpus.fragment_ids, corpus.words.tocoo()
    none = np.full(len(corpus.word_ids), "", dtype=object)
    tables: dict[str, dict[str, Any]] = {
        "fragments": {
            "fragment_id": ids,
            "doc_id": corpus.email_ids[emails],
            "position": position,
            "background": corpus.ground_of,
            "corners": corpus.corners_of,
        },
        "entities": {
            "entity_id": np.concatenate([corpus.entity_ids, corpus.word_ids]),
            "type": np.concatenate([corpus.entity_types, np.full(len(corpus.word_ids), "word", dtype=object)]),
            "signature": np.concatenate([corpus.signatures, none]),
            "attributes": [_json(attributes) for attributes in corpus.attributes] + none.tolist(),
        },
        "occurrences": {
            "fragment_id": np.concatenate([ids[corpus.fragment], ids[said.row]]),
            "entity_id": np.concatenate([corpus.entity_ids[corpus.entity], corpus.word_ids[said.col]]),
            "from_button": np.concatenate([corpus.from_button, np.zeros(said.nnz, dtype=np.bool_)]),
        },
        "neighbours": {"source": ids[pairs.row], "target": ids[pairs.col]},
        "documents": {"doc_id": corpus.email_ids, "sender": corpus.sender_names[corpus.sender_of]},
    }
    for name, columns in tables.items():
        arrays = {column: pa.array(values, _type(column)) for column, values in columns.items()}
        pq.write_table(pa.table(arrays), folder / f"{name}.parquet")


def _load_corpus(folder: Path) -> Corpus:
    names = ("fragments", "entities", "occurrences", "neighbours", "documents")
    return Corpus.from_tables(EmailTables(**{name: pq.read_table(folder / f"{name}.parquet") for name in names}))


def _type(column: str) -> pa.DataType:
    types = {"position": pa.int64(), "from_button": pa.bool_(), "corners": pa.list_(pa.int32())}
    return types.get(column, pa.string())


def _save_composer(composer: Composer, folder: Path) -> None:
    arrays: dict[str, Any] = {f"weights.{name}": values for name, values in composer.weights.items()}
    arrays["senders"] = composer.votes.senders
    for scope in SCOPES:
        rows = composer.votes.hyperedges[scope]
        arrays |= {f"{scope}.{part}": getattr(rows, part) for part in ("data", "indices", "indptr")}
    np.savez(folder / "composer.npz", **arrays)
    described = {
        "nodes": composer.votes.nodes,
        "values": composer.votes.values,
        "shares": {name: shares.shares for name, shares in composer.shares.items()},
        "radii": composer.radii,
    }
    (folder / "composer.json").write_text(_json(described), "utf-8")


def _load_composer(folder: Path, training: Observed) -> Composer:
    described = json.loads((folder / "composer.json").read_text("utf-8"))
    nodes = tuple(described["nodes"])
    with np.load(folder / "composer.npz", allow_pickle=False) as arrays:
        hyperedges = {
            scope: sparse.csr_array(
                tuple(arrays[f"{scope}.{part}"] for part in ("data", "indices", "indptr")),
                shape=(len(arrays["senders"]), len(nodes)),
            )
            for scope in SCOPES
        }
        weights = {n.removeprefix("weights."): arrays[n] for n in arrays.files if n.startswith("weights.")}
        votes = Votes(nodes, hyperedges, arrays["senders"], described["values"])
    shares = {
        name: SenderShares({v: {int(s): share for s, share in of.items()} for v, of in values.items()})
        for name, values in described["shares"].items()
    }
    nearest = NearestRadii.of(training, COMPOSED_TARGET)
    return Composer(votes, nearest, shares, described["radii"], weights)


def _options(written: dict[str, Any]) -> RecommenderTraining:
    ranker = dict(written["ranker"])
    link_hnn = dict(ranker.pop("link_hnn"))
    return replace(
        RecommenderTraining(),
        targets=tuple(written["targets"]),
        ranker=RankerTraining(
            **{name: _tupled(value) for name, value in ranker.items()},
            link_hnn=LinkTraining(**{name: _tupled(value) for name, value in link_hnn.items()}),
        ),
        composed=ComposedTraining(**{name: _tupled(value) for name, value in written["composed"].items()}),
        seed=written["seed"],
    )


def _tupled(value: Any) -> Any:
    """JSON has no tuples, options have no lists."""
    return tuple(value) if isinstance(value, list) else value


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
