"""Reading and writing: Parquet for the pipeline, HIF JSON and ``hyperedge_index`` for other tools.

Parquet is three tables in a folder. The order of rows is the order of nodes and hyperedges, so that one
hypergraph always gives the same bytes:

========== =========================================== ===========================================
nodes      id (int64 or string), type (string)         metadata: format version, names of the types
hyperedges id (int64 or string), type (string)         metadata: format version, names of the types
incidence  node, hyperedge (row numbers), weight       metadata: format version
========== =========================================== ===========================================
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from hnn_core.hypergraph import Hypergraph

VERSION = "1"
VERSION_KEY = b"hnn.hypergraph.version"
TYPES_KEY = b"hnn.hypergraph.types"

INCIDENCE = pa.schema(
    [
        pa.field("node", pa.int64(), nullable=False),
        pa.field("hyperedge", pa.int64(), nullable=False),
        pa.field("weight", pa.float64(), nullable=False),
    ],
    metadata={VERSION_KEY: VERSION},
)


@dataclass(frozen=True)
class HypergraphTables:
    """A hypergraph as Arrow tables; field names are file names."""

    nodes: pa.Table
    hyperedges: pa.Table
    incidence: pa.Table


def to_tables(hypergraph: Hypergraph) -> HypergraphTables:
    """The hypergraph as Arrow tables, incidences ordered by node and then by hyperedge."""
    node, hyperedge = to_hyperedge_index(hypergraph)
    return HypergraphTables(
        nodes=_typed_table(hypergraph.node_ids, hypergraph.node_types, hypergraph.node_type_names),
        hyperedges=_typed_table(hypergraph.hyperedge_ids, hypergraph.hyperedge_types, hypergraph.hyperedge_type_names),
        incidence=pa.Table.from_arrays([node, hyperedge, hypergraph.incidence.data], schema=INCIDENCE),
    )


def from_tables(tables: HypergraphTables, origin: str = "hypergraph tables") -> Hypergraph:
    """The hypergraph of :func:`to_tables`; ``origin`` is what errors call the tables."""
    node_ids, node_types, node_names = _read_typed(tables.nodes, f"{origin}: nodes")
    hyperedge_ids, hyperedge_types, hyperedge_names = _read_typed(tables.hyperedges, f"{origin}: hyperedges")
    _check_version(tables.incidence, f"{origin}: incidence")
    node, hyperedge, weight = (_column(tables.incidence, f.name, f"{origin}: incidence") for f in INCIDENCE)
    return Hypergraph.from_pairs(
        node,
        hyperedge,
        weights=weight,
        node_ids=node_ids,
        hyperedge_ids=hyperedge_ids,
        node_types=node_types,
        node_type_names=node_names,
        hyperedge_types=hyperedge_types,
        hyperedge_type_names=hyperedge_names,
    )


def write_parquet(hypergraph: Hypergraph, folder: Path | str) -> None:
    """Write ``nodes.parquet``, ``hyperedges.parquet`` and ``incidence.parquet`` into ``folder``."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in vars(to_tables(hypergraph)).items():
        pq.write_table(table, folder / f"{name}.parquet", compression="zstd")


def read_parquet(folder: Path | str) -> Hypergraph:
    """The hypergraph :func:`write_parquet` wrote."""
    names = ("nodes", "hyperedges", "incidence")
    return from_tables(HypergraphTables(*(pq.read_table(Path(folder) / f"{n}.parquet") for n in names)), str(folder))


def write_hif(hypergraph: Hypergraph, path: Path | str) -> None:
    """Write the Hypergraph Interchange Format that XGI, HyperNetX and others read."""
    Path(path).write_text(json.dumps(to_hif(hypergraph), ensure_ascii=False), encoding="utf-8")


def read_hif(path: Path | str) -> Hypergraph:
    """Read a HIF JSON file."""
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path}: not JSON ({error})") from error
    return from_hif(content, str(path))


def to_hif(hypergraph: Hypergraph) -> dict[str, Any]:
    """The HIF document; types travel as the attribute ``type`` of nodes and edges."""
    H = hypergraph
    node_ids, edge_ids = H.node_ids.tolist(), H.hyperedge_ids.tolist()
    nodes, edges = to_hyperedge_index(H)
    return {
        "network-type": "undirected",
        "metadata": {
            "node_type_names": list(H.node_type_names),
            "hyperedge_type_names": list(H.hyperedge_type_names),
        },
        "nodes": [
            {"node": i, "attrs": {"type": H.node_type_names[code]}}
            for i, code in zip(node_ids, H.node_types.tolist(), strict=True)
        ],
        "edges": [
            {"edge": i, "attrs": {"type": H.hyperedge_type_names[code]}}
            for i, code in zip(edge_ids, H.hyperedge_types.tolist(), strict=True)
        ],
        "incidences": [
            {"edge": edge_ids[e], "node": node_ids[n], "weight": weight, "attrs": {}}
            for n, e, weight in zip(nodes.tolist(), edges.tolist(), H.incidence.data.tolist(), strict=True)
        ],
    }


def from_hif(content: Mapping[str, Any], origin: str = "HIF document") -> Hypergraph:
    """The hypergraph of a HIF document. Nodes and edges without a ``type`` attribute get the default type."""
    if not isinstance(content, Mapping):
        raise ValueError(f"{origin}: is a JSON {type(content).__name__}, HIF is an object with 'incidences'")
    if content.get("network-type", "undirected") == "directed":
        raise ValueError(f"{origin}: network-type is 'directed'; only undirected hypergraphs and 'asc' are read")
    incidences = content.get("incidences")
    if not isinstance(incidences, list):
        raise ValueError(f"{origin}: no list 'incidences', which HIF requires")
    node_type = _hif_types(content.get("nodes", ()), incidences, "node", origin)
    edge_type = _hif_types(content.get("edges", ()), incidences, "edge", origin)
    node_row = {node: row for row, node in enumerate(node_type)}
    edge_row = {edge: row for row, edge in enumerate(edge_type)}
    names = content.get("metadata", {})
    return Hypergraph.from_pairs(
        np.array([node_row[record["node"]] for record in incidences], dtype=np.int64),
        np.array([edge_row[record["edge"]] for record in incidences], dtype=np.int64),
        weights=[_hif_weight(record, position, origin) for position, record in enumerate(incidences)],
        node_ids=list(node_type),
        hyperedge_ids=list(edge_type),
        node_types=list(node_type.values()),
        node_type_names=_hif_names(names.get("node_type_names"), node_type.values()),
        hyperedge_types=list(edge_type.values()),
        hyperedge_type_names=_hif_names(names.get("hyperedge_type_names"), edge_type.values()),
    )


def to_hyperedge_index(hypergraph: Hypergraph) -> NDArray[np.int64]:
    """The 2×(incidences) array PyG calls ``hyperedge_index``: node numbers above hyperedge numbers."""
    H = hypergraph.incidence
    nodes = np.repeat(np.arange(hypergraph.num_nodes), np.diff(H.indptr))
    return np.stack([nodes, H.indices.astype(np.int64)])


def to_pyg(hypergraph: Hypergraph) -> dict[str, Any]:
    """Fields of a ``torch_geometric.data.Data`` as NumPy arrays; PyG itself is not needed.

    ``num_hyperedges`` is there because PyG infers it from ``hyperedge_index`` and is wrong where the last
    hyperedge is empty; pass it to ``HypergraphConv`` as ``num_edges``.
    """
    return {
        "hyperedge_index": to_hyperedge_index(hypergraph),
        "num_nodes": hypergraph.num_nodes,
        "num_hyperedges": hypergraph.num_hyperedges,
        "node_type": hypergraph.node_types.astype(np.int64),
        "hyperedge_type": hypergraph.hyperedge_types.astype(np.int64),
        "incidence_weight": hypergraph.incidence.data.astype(np.float32),
    }


def _typed_table(ids: NDArray[Any], codes: NDArray[np.int16], names: tuple[str, ...]) -> pa.Table:
    id_type = pa.int64() if np.issubdtype(ids.dtype, np.integer) else pa.string()
    types = pa.DictionaryArray.from_arrays(codes, pa.array(names, pa.string())).cast(pa.string())
    schema = pa.schema(
        [pa.field("id", id_type, nullable=False), pa.field("type", pa.string(), nullable=False)],
        metadata={VERSION_KEY: VERSION, TYPES_KEY: json.dumps(names)},
    )
    return pa.Table.from_arrays([pa.array(ids, id_type), types], schema=schema)


def _read_typed(table: pa.Table, origin: str) -> tuple[NDArray[Any], NDArray[np.int16], tuple[str, ...]]:
    metadata = _check_version(table, origin)
    names = tuple(json.loads(metadata[TYPES_KEY]))
    types = pa.array(_column(table, "type", origin), pa.string())
    codes = types.dictionary_encode()
    code_of = {name: code for code, name in enumerate(names)}
    try:
        translate = np.array([code_of[name] for name in codes.dictionary.to_pylist()], dtype=np.int16)
    except KeyError as error:
        raise ValueError(f"{origin}: type {error} is not one of the types {names} in the metadata") from None
    return _column(table, "id", origin), translate[codes.indices.to_numpy()], names


def _check_version(table: pa.Table, origin: str) -> Mapping[bytes, bytes]:
    metadata: Mapping[bytes, bytes] = table.schema.metadata or {}
    found = metadata.get(VERSION_KEY)
    if found != VERSION.encode():
        raise ValueError(
            f"{origin}: format version {found and found.decode()}, this program reads version {VERSION}; "
            "build the hypergraph again"
        )
    return metadata


def _column(table: pa.Table, name: str, origin: str) -> NDArray[Any]:
    if name not in table.column_names:
        raise ValueError(f"{origin}: column {name!r} is missing, found {', '.join(table.column_names)}")
    values: NDArray[Any] = table[name].to_numpy()
    return values


def _hif_types(
    records: Iterable[Mapping[str, Any]], incidences: Iterable[Mapping[str, Any]], part: str, origin: str
) -> dict[Any, str]:
    """id → type, listed ones first, then those that only an incidence names."""
    default = "node" if part == "node" else "hyperedge"
    types: dict[Any, str] = {}
    for record in records:
        if part not in record:
            raise ValueError(f"{origin}: an entry of '{part}s' has no {part!r}")
        types[record[part]] = str((record.get("attrs") or {}).get("type", default))
    for position, record in enumerate(incidences):
        if part not in record:
            raise ValueError(f"{origin}: incidences[{position}] has no {part!r}")
        types.setdefault(record[part], default)
    return types


def _hif_weight(incidence: Mapping[str, Any], position: int, origin: str) -> float:
    weight = incidence.get("weight", 1.0)
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 < weight < np.inf:
        raise ValueError(f"{origin}: incidences[{position}] has the weight {weight!r}, not a finite number above zero")
    return weight


def _hif_names(declared: list[str] | None, used: Iterable[str]) -> tuple[str, ...] | None:
    """Type names in the order our own files declare, then any others in order of appearance."""
    return tuple(dict.fromkeys([*(declared or ()), *used])) or None
