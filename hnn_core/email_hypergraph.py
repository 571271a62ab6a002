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

Rows = NDArray[np.int64]


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
    would have no members.
    """
    _check_types(types)
    fragment_ids = _fragment_ids(fragments)
    entity_ids, entity_types, all_entities = _entities(entities, types)
    with_fragments = "fragment" in types
    fragment_nodes = len(entity_ids) + np.arange(len(fragment_ids) if with_fragments else 0)

    entity, fragment = _memberships(occurrences, all_entities, fragment_ids)
    source, target, relation = _neighbours(neighbours, fragment_ids, with_fragments)
    spatial = len(fragment_ids) + np.arange(len(source))
    names = np.array(HYPEREDGE_TYPES, dtype=object)

    return Hypergraph.from_pairs(
        nodes=np.concatenate([entity, fragment_nodes, fragment_nodes[source], fragment_nodes[target]]),
        hyperedges=np.concatenate([fragment, np.arange(len(fragment_nodes)), spatial, spatial]),
        node_ids=np.concatenate([entity_ids, fragment_ids[: len(fragment_nodes)]]),
        node_types=np.concatenate(
            [entity_types, np.full(len(fragment_nodes), types.index("fragment") if with_fragments else 0)]
        ),
        node_type_names=types,
        hyperedge_ids=np.concatenate(
            [fragment_ids, fragment_ids[source] + " " + names[relation] + " " + fragment_ids[target]]
        ),
        hyperedge_types=np.concatenate([np.zeros(len(fragment_ids), np.int64), relation]),
        hyperedge_type_names=HYPEREDGE_TYPES,
    )


def _check_types(types: Sequence[str]) -> None:
    unknown = [name for name in types if name not in NODE_TYPES]
    if unknown or not types:
        raise ValueError(f"types: {unknown or 'none given'}; expected some of {', '.join(NODE_TYPES)}")


def _fragment_ids(fragments: pa.Table) -> NDArray[Any]:
    """Fragments in reading order of each email, a fragment that two batches share once."""
    wanted = _columns(fragments, ("fragment_id", "doc_id", "position"), "fragments")
    once = wanted.group_by("fragment_id").aggregate([("doc_id", "min"), ("position", "min")])
    ordered = once.sort_by([("doc_id_min", "ascending"), ("position_min", "ascending"), ("fragment_id", "ascending")])
    return _strings(ordered["fragment_id"])


def _entities(entities: pa.Table, types: Sequence[str]) -> tuple[NDArray[Any], Rows, dict[str, int]]:
    """Ids and type codes of the entities that take part, and for *every* entity its node, or -1.

    Fragments are nodes of their own table, so a row of that type among the entities takes no part.
    """
    wanted = _columns(entities, ("entity_id", "type"), "entities")
    once = wanted.group_by("entity_id").aggregate([("type", "min")])
    code_of = {name: code for code, name in enumerate(types) if name != "fragment"}
    rows = sorted(
        (code_of.get(name, len(types)), entity)
        for entity, name in zip(once["entity_id"].to_pylist(), once["type_min"].to_pylist(), strict=True)
    )
    part = [(code, entity) for code, entity in rows if code < len(types)]
    node_of = {entity: -1 for _, entity in rows} | {entity: row for row, (_, entity) in enumerate(part)}
    ids = np.array([entity for _, entity in part], dtype=object)
    return ids, np.array([code for code, _ in part], dtype=np.int64), node_of


def _memberships(
    occurrences: pa.Table, node_of_entity: dict[str, int], fragment_ids: NDArray[Any]
) -> tuple[Rows, Rows]:
    """(entity node, fragment hyperedge) of each occurrence of an entity that takes part."""
    wanted = _columns(occurrences, ("fragment_id", "entity_id"), "occurrences")
    entity_rows = _rows(wanted["entity_id"], list(node_of_entity), "occurrences: entity_id", "the entities table")
    entity = np.fromiter(node_of_entity.values(), dtype=np.int64)[entity_rows]
    fragment = _rows(wanted["fragment_id"], fragment_ids, "occurrences: fragment_id", "the fragments table")
    return entity[entity >= 0], fragment[entity >= 0]


def _neighbours(neighbours: pa.Table, fragment_ids: NDArray[Any], with_fragments: bool) -> tuple[Rows, Rows, Rows]:
    """Source and target fragment and type code of each neighbour relation, once, in reading order."""
    if not with_fragments:
        return np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.int64)
    wanted = _columns(neighbours, ("source", "target", "relation"), "neighbours")
    relations = np.stack(
        [
            _rows(wanted["source"], fragment_ids, "neighbours: source", "the fragments table"),
            _rows(wanted["target"], fragment_ids, "neighbours: target", "the fragments table"),
            _rows(wanted["relation"], HYPEREDGE_TYPES, "neighbours: relation", "below and beside"),
        ]
    )
    source, target, relation = np.unique(relations, axis=1)
    return source, target, relation


def _columns(table: pa.Table, names: Sequence[str], origin: str) -> pa.Table:
    missing = [name for name in names if name not in table.column_names]
    if missing:
        raise ValueError(f"{origin}: columns {missing} are missing, found {', '.join(table.column_names)}")
    return table.select(names)


def _rows(values: pa.ChunkedArray, ids: Sequence[str] | NDArray[Any], origin: str, place: str) -> Rows:
    """The row of each value in ``ids``."""
    rows = pc.index_in(values.cast(pa.string()), value_set=pa.array(ids, pa.string()))
    if rows.null_count:
        stranger = values[pc.index(rows.is_null(), True).as_py()].as_py()
        raise ValueError(f"{origin} {stranger!r} is not in {place}")
    found: Rows = rows.to_numpy().astype(np.int64)
    return found


def _strings(column: pa.ChunkedArray) -> NDArray[Any]:
    return np.array(column.to_pylist(), dtype=object)
