"""The heterogeneous hypergraph of design decisions: from the tables of the extraction to a Hypergraph.

As in the paper's section on hypergraph extraction, entities and fragments are nodes. Every fragment is a
hyperedge of its entities and its own fragment node; a fragment and the one immediately below or beside it
are a hyperedge of two fragment nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from hnn_core.hypergraph import Hypergraph

NODE_TYPES = (
    "button-style",
    "text-style",
    "color-pair",
    "background-style",
    "word",
    "image",
    "fragment",
)
# The paper extracts words and images too, and learns without them.
DEFAULT_TYPES = tuple(name for name in NODE_TYPES if name not in ("word", "image"))
HYPEREDGE_TYPES = ("fragment", "below", "beside")

#: What is read of each table. Ids in columns that repeat them may come dictionary-encoded, which saves most memory.
COLUMNS = {
    "fragments": ("fragment_id", "doc_id", "position"),
    "entities": ("entity_id", "type"),
    "occurrences": ("fragment_id", "entity_id"),
    "neighbours": ("source", "target", "relation"),
}

Rows = NDArray[np.integer[Any]]


def build(
    fragments: pa.Table,
    entities: pa.Table,
    occurrences: pa.Table,
    neighbours: pa.Table,
    types: Sequence[str] = DEFAULT_TYPES,
) -> Hypergraph:
    """The hypergraph of those node ``types`` that take part, from tables read by column name.

    Nodes and hyperedges are ordered by content, not by row: the tables of two batches concatenated in either
    order give the same hypergraph. Without the type "fragment" there are no neighbour hyperedges, which
    would have no members. Ids stay in Arrow until the end: millions of Python strings are what fills a memory.
    """
    _check_types(types)
    fragment_ids = _fragment_ids(fragments)
    entity_ids, entity_types = _entities(entities, types)
    with_fragments = "fragment" in types
    fragment_nodes = len(entity_types) + np.arange(len(fragment_ids) if with_fragments else 0)

    entity, fragment = _memberships(occurrences, entity_ids, len(entity_types), fragment_ids)
    source, target, relation = _neighbours(neighbours, fragment_ids, with_fragments)
    spatial = len(fragment_ids) + np.arange(len(source))
    spatial_ids = pc.binary_join_element_wise(
        fragment_ids.take(source), pa.array(HYPEREDGE_TYPES).take(relation), fragment_ids.take(target), " "
    )
    fragment_names = _strings(fragment_ids)

    return Hypergraph.from_pairs(
        nodes=np.concatenate([entity, fragment_nodes, fragment_nodes[source], fragment_nodes[target]]),
        hyperedges=np.concatenate([fragment, np.arange(len(fragment_nodes)), spatial, spatial]),
        node_ids=np.concatenate(
            [_strings(entity_ids.slice(0, len(entity_types))), fragment_names[: len(fragment_nodes)]]
        ),
        node_types=np.concatenate(
            [entity_types, np.full(len(fragment_nodes), types.index("fragment") if with_fragments else 0)]
        ),
        node_type_names=types,
        hyperedge_ids=np.concatenate([fragment_names, _strings(spatial_ids)]),
        hyperedge_types=np.concatenate([np.zeros(len(fragment_ids), np.int64), relation]),
        hyperedge_type_names=HYPEREDGE_TYPES,
    )


def _check_types(types: Sequence[str]) -> None:
    unknown = [name for name in types if name not in NODE_TYPES]
    if unknown or not types:
        raise ValueError(f"types: {unknown or 'none given'}; expected some of {', '.join(NODE_TYPES)}")


def _fragment_ids(fragments: pa.Table) -> pa.Array:
    """Fragments in reading order of each email, a fragment that two batches share once."""
    wanted = _columns(fragments, "fragments")
    once = wanted.group_by("fragment_id").aggregate([("doc_id", "min"), ("position", "min")])
    ordered = once.sort_by([("doc_id_min", "ascending"), ("position_min", "ascending"), ("fragment_id", "ascending")])
    return _one_chunk(ordered["fragment_id"])


def _entities(entities: pa.Table, types: Sequence[str]) -> tuple[pa.Array, Rows]:
    """Ids of *all* entities, those that take part first and in the order of nodes, and the type codes of these.

    Fragments are nodes of their own table, so a row of that type among the entities takes no part.
    """
    once = _columns(entities, "entities").group_by("entity_id").aggregate([("type", "min")])
    part = pa.array([name for name in types if name != "fragment"], pa.string())
    code_of = np.array([*(types.index(name) for name in part.to_pylist()), len(types)])
    codes = code_of[pc.fill_null(pc.index_in(once["type_min"], value_set=part), len(part)).to_numpy()]
    ordered = once.append_column("code", pa.array(codes)).sort_by([("code", "ascending"), ("entity_id", "ascending")])
    codes.sort()
    return _one_chunk(ordered["entity_id"]), codes[codes < len(types)]


def _memberships(
    occurrences: pa.Table, entity_ids: pa.Array, taking_part: int, fragment_ids: pa.Array
) -> tuple[Rows, Rows]:
    """(entity node, fragment hyperedge) of each occurrence of an entity that takes part."""
    wanted = _columns(occurrences, "occurrences")
    entity = _rows(wanted["entity_id"], entity_ids, "occurrences: entity_id", "the entities table")
    fragment = _rows(wanted["fragment_id"], fragment_ids, "occurrences: fragment_id", "the fragments table")
    takes_part = entity < taking_part
    return entity[takes_part], fragment[takes_part]


def _neighbours(neighbours: pa.Table, fragment_ids: pa.Array, with_fragments: bool) -> tuple[Rows, Rows, Rows]:
    """Source and target fragment and type code of each neighbour relation, once, in reading order."""
    if not with_fragments:
        return np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.int64)
    wanted = _columns(neighbours, "neighbours")
    relations = np.stack(
        [
            _rows(wanted["source"], fragment_ids, "neighbours: source", "the fragments table"),
            _rows(wanted["target"], fragment_ids, "neighbours: target", "the fragments table"),
            _rows(wanted["relation"], pa.array(HYPEREDGE_TYPES), "neighbours: relation", "below and beside"),
        ]
    )
    source, target, relation = np.unique(relations, axis=1)
    return source, target, relation


def _columns(table: pa.Table, name: str) -> pa.Table:
    missing = [column for column in COLUMNS[name] if column not in table.column_names]
    if missing:
        raise ValueError(f"{name}: columns {missing} are missing, found {', '.join(table.column_names)}")
    return table.select(COLUMNS[name])


def _rows(values: pa.ChunkedArray, ids: pa.Array, origin: str, place: str) -> Rows:
    """The row of each value in ``ids``, looked up once for each different value."""
    if not pa.types.is_dictionary(values.type):
        values = values.cast(pa.string()).dictionary_encode()
    coded = values.unify_dictionaries()
    if not coded.num_chunks:
        return np.empty(0, np.int32)
    row_of = pc.fill_null(pc.index_in(coded.chunk(0).dictionary, value_set=ids), -1).to_numpy()
    rows = np.concatenate([row_of[chunk.indices.to_numpy()] for chunk in coded.chunks])
    strangers = np.flatnonzero(rows < 0)
    if len(strangers):
        raise ValueError(f"{origin} {values[int(strangers[0])].as_py()!r} is not in {place}")
    return rows


def _one_chunk(column: pa.ChunkedArray) -> pa.Array:
    return pa.concat_arrays(column.cast(pa.string()).chunks) if column.num_chunks else pa.array([], pa.string())


def _strings(ids: pa.Array) -> NDArray[Any]:
    strings: NDArray[Any] = ids.to_numpy(zero_copy_only=False)
    return strings
