"""What is written is read back the same: by us, by XGI and by HyperNetX."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import fastjsonschema
import hypernetx
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import xgi
from hypergraph_strategies import hypergraphs
from hypothesis import HealthCheck, given, settings

from hnn_core import io
from hnn_core.hypergraph import Hypergraph

# The rules of HIF 0.1, which HyperNetX would download on every call.
_ID = {"type": ["string", "integer"]}
_RECORD = {"weight": {"type": "number"}, "attrs": {"type": "object"}}


def _records(**fields: Any) -> dict[str, Any]:
    item = {
        "type": "object",
        "properties": {**fields, **_RECORD},
        "required": [name for name in fields if name in ("edge", "node")],
        "additionalProperties": False,
    }
    return {"type": "array", "items": item}


HIF_SCHEMA = {
    "type": "object",
    "properties": {
        "network-type": {"enum": ["asc", "directed", "undirected"]},
        "metadata": {"type": "object"},
        "incidences": _records(edge=_ID, node=_ID, direction={"enum": ["head", "tail"]}),
        "nodes": _records(node=_ID),
        "edges": _records(edge=_ID),
    },
    "required": ["incidences"],
    "additionalProperties": False,
}

Content = tuple[dict[Any, str], dict[Any, str], set[tuple[Any, Any]]]


@pytest.fixture(autouse=True)
def offline_schema(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = SimpleNamespace(text=json.dumps(HIF_SCHEMA))
    monkeypatch.setattr(hypernetx.hif, "requests", SimpleNamespace(get=lambda url: answer))


@pytest.fixture
def email() -> Hypergraph:
    """Typed, with an isolated node, a singleton, an empty and a repeated hyperedge."""
    return Hypergraph.from_hyperedges(
        {"m1#0": [0, 1, 3], "m1#1": [1, 2], "m1#2": [4], "m1#3": [], "m1#4": [1, 2]},
        node_ids=["button:a", "text:b", "text:c", "m1#0", "m1#1", "word:été"],
        node_types=["button-style", "text-style", "text-style", "fragment", "fragment", "word"],
        hyperedge_types=["fragment", "fragment", "below", "fragment", "fragment"],
    )


def content(hypergraph: Hypergraph) -> Content:
    """Types by id and incidences by id: all that must survive, whatever the order."""
    node, edge = io.to_hyperedge_index(hypergraph)
    nodes, edges = hypergraph.node_ids, hypergraph.hyperedge_ids
    return (
        {i: hypergraph.node_type_names[c] for i, c in zip(nodes, hypergraph.node_types, strict=True)},
        {i: hypergraph.hyperedge_type_names[c] for i, c in zip(edges, hypergraph.hyperedge_types, strict=True)},
        {(nodes[n], edges[e]) for n, e in zip(node, edge, strict=True)},
    )


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(hypergraph=hypergraphs(weighted=True))
def test_parquet_to_object_to_parquet_is_identical(hypergraph: Hypergraph, tmp_path: Path) -> None:
    io.write_parquet(hypergraph, tmp_path / "first")
    again = io.read_parquet(tmp_path / "first")
    io.write_parquet(again, tmp_path / "second")
    assert again == hypergraph
    for name in ("nodes", "hyperedges", "incidence"):
        first, second = (tmp_path / run / f"{name}.parquet" for run in ("first", "second"))
        assert first.read_bytes() == second.read_bytes()


def test_parquet_declares_its_version_and_refuses_another(email: Hypergraph, tmp_path: Path) -> None:
    io.write_parquet(email, tmp_path)
    nodes = pq.read_table(tmp_path / "nodes.parquet")
    assert nodes.schema.metadata[io.VERSION_KEY] == io.VERSION.encode()
    assert nodes.column_names == ["id", "type"]
    pq.write_table(nodes.replace_schema_metadata({io.VERSION_KEY: b"99"}), tmp_path / "nodes.parquet")
    with pytest.raises(ValueError, match="nodes: format version 99, this program reads version 1"):
        io.read_parquet(tmp_path)


def test_parquet_with_a_missing_column_or_unknown_type_is_named(email: Hypergraph) -> None:
    tables = io.to_tables(email)
    without = io.HypergraphTables(tables.nodes, tables.hyperedges, tables.incidence.drop_columns("weight"))
    with pytest.raises(ValueError, match="incidence: column 'weight' is missing, found node, hyperedge"):
        io.from_tables(without)
    types = pa.array(["sound"] * email.num_nodes)
    strange = tables.nodes.set_column(1, tables.nodes.schema.field("type"), types)
    with pytest.raises(ValueError, match="nodes: type 'sound' is not one of the types"):
        io.from_tables(io.HypergraphTables(strange, tables.hyperedges, tables.incidence))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(hypergraph=hypergraphs(weighted=True))
def test_hif_round_trip_is_exact_and_valid(hypergraph: Hypergraph, tmp_path: Path) -> None:
    path = tmp_path / "graph.json"
    io.write_hif(hypergraph, path)
    fastjsonschema.validate(HIF_SCHEMA, json.loads(path.read_text(encoding="utf-8")))
    assert io.read_hif(path) == hypergraph


def test_hif_through_xgi_keeps_nodes_types_and_incidences(email: Hypergraph, tmp_path: Path) -> None:
    io.write_hif(email, tmp_path / "ours.json")
    xgi.write_hif(xgi.read_hif(str(tmp_path / "ours.json")), str(tmp_path / "theirs.json"))
    assert content(io.read_hif(tmp_path / "theirs.json")) == content(email)


def test_hif_through_hypernetx_keeps_nodes_types_and_incidences(email: Hypergraph, tmp_path: Path) -> None:
    io.write_hif(email, tmp_path / "ours.json")
    theirs = hypernetx.from_hif(filename=str(tmp_path / "ours.json"))
    hypernetx.to_hif(theirs, filename=str(tmp_path / "theirs.json"))
    node_types, edge_types, incidences = content(email)
    # HyperNetX has no isolated nodes and no empty hyperedges: it drops them when it reads.
    del node_types["word:été"], edge_types["m1#3"]
    assert content(io.read_hif(tmp_path / "theirs.json")) == (node_types, edge_types, incidences)


def test_xgi_sees_what_we_see(email: Hypergraph, tmp_path: Path) -> None:
    io.write_hif(email, tmp_path / "graph.json")
    theirs = xgi.read_hif(str(tmp_path / "graph.json"))
    assert (theirs.num_nodes, theirs.num_edges) == (email.num_nodes, email.num_hyperedges)
    assert theirs.edges.members("m1#0") == {"button:a", "text:b", "m1#0"}
    assert theirs.nodes["button:a"]["type"] == "button-style"


def test_hypernetx_sees_what_we_see(email: Hypergraph, tmp_path: Path) -> None:
    io.write_hif(email, tmp_path / "graph.json")
    theirs = hypernetx.from_hif(filename=str(tmp_path / "graph.json"))
    assert set(theirs.edges["m1#0"]) == {"button:a", "text:b", "m1#0"}
    assert theirs.nodes["button:a"].type == "button-style"


@pytest.mark.parametrize("ids", [[10, 20, 30], ["a", "b", "c"]])
def test_a_hypergraph_made_in_xgi_is_read(ids: list[Any], tmp_path: Path) -> None:
    theirs = xgi.Hypergraph()
    theirs.add_nodes_from(ids)
    theirs.add_edge(ids[:2], idx="first")
    xgi.write_hif(theirs, str(tmp_path / "xgi.json"))
    ours = io.read_hif(tmp_path / "xgi.json")
    assert content(ours) == (dict.fromkeys(ids, "node"), {"first": "hyperedge"}, {(i, "first") for i in ids[:2]})


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"network-type": "directed", "incidences": []}, "network-type is 'directed'"),
        ({"nodes": []}, "no list 'incidences'"),
        ({"incidences": [{"edge": 1, "node": 2}, {"edge": 1}]}, r"incidences\[1\] has no 'node'"),
        ({"incidences": [], "edges": [{"weight": 1}]}, "an entry of 'edges' has no 'edge'"),
        ({"incidences": [{"edge": 1, "node": 2, "weight": "x"}]}, r"incidences\[0\] has the weight 'x', not a finite"),
        ({"incidences": [{"edge": 1, "node": 2, "weight": 0}]}, r"incidences\[0\] has the weight 0, not a finite"),
        ([], "is a JSON list, HIF is an object"),
    ],
)
def test_bad_hif_is_named(document: Any, message: str, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text(json.dumps(document))
    with pytest.raises(ValueError, match=rf"bad\.json: .*{message}"):
        io.read_hif(tmp_path / "bad.json")


def test_a_place_may_be_given_as_text(email: Hypergraph, tmp_path: Path) -> None:
    io.write_hif(email, f"{tmp_path}/email.json")
    io.write_parquet(email, f"{tmp_path}/email")
    assert io.read_hif(f"{tmp_path}/email.json") == io.read_parquet(f"{tmp_path}/email") == email


def test_a_file_that_is_not_json_is_named(tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text("{")
    with pytest.raises(ValueError, match=r"bad\.json: not JSON"):
        io.read_hif(tmp_path / "bad.json")


def test_hyperedge_index_is_what_pyg_expects(email: Hypergraph) -> None:
    fields = io.to_pyg(email)
    assert fields["hyperedge_index"].tolist() == [[0, 1, 1, 1, 2, 2, 3, 4], [0, 0, 1, 4, 1, 4, 0, 2]]
    assert fields["hyperedge_index"].dtype == np.int64
    assert (fields["num_nodes"], fields["num_hyperedges"]) == (6, 5)
