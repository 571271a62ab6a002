"""The extraction tables become the paper's heterogeneous hypergraph, whatever the order of their rows."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from extractors import tables
from hnn_core import email_hypergraph
from hnn_core.hypergraph import Hypergraph
from hnn_core.statistics import NodeStatistics, as_text, node_statistics

Tables = dict[str, pa.Table]


@pytest.fixture
def corpus() -> Tables:
    """Two emails: m1 with three fragments, m2 with one; a button style both use."""

    def fragment(doc_id: str, position: int) -> dict[str, object]:
        return {
            "fragment_id": f"{doc_id}#{position}",
            "doc_id": doc_id,
            "position": position,
            "kind": "card",
            "element": 0,
            "elements": [0],
            "row": position,
            "column": 0,
            "background": "#fff",
            "corners": [],
            "text": "",
        }

    def entity(entity_id: str, kind: str) -> dict[str, str]:
        return {"entity_id": entity_id, "type": kind, "signature": "", "attributes": "{}"}

    def occurrence(fragment_id: str, entity_id: str) -> dict[str, object]:
        return {"fragment_id": fragment_id, "entity_id": entity_id, "count": 2, "from_button": False, "element": 1}

    return {
        "fragments": pa.Table.from_pylist(
            [fragment("m2", 0), fragment("m1", 0), fragment("m1", 2), fragment("m1", 10)], tables.FRAGMENTS
        ),
        "entities": pa.Table.from_pylist(
            [
                entity("word:sale", "word"),
                entity("text:b", "text-style"),
                entity("button:a", "button-style"),
                entity("text:a", "text-style"),
            ],
            tables.ENTITIES,
        ),
        "occurrences": pa.Table.from_pylist(
            [
                occurrence("m1#0", "button:a"),
                occurrence("m1#0", "text:a"),
                occurrence("m1#0", "word:sale"),
                occurrence("m1#10", "text:b"),
                occurrence("m2#0", "button:a"),
            ],
            tables.OCCURRENCES,
        ),
        "neighbours": pa.Table.from_pylist(
            [
                {"source": "m1#2", "target": "m1#10", "relation": "beside"},
                {"source": "m1#0", "target": "m1#2", "relation": "below"},
            ],
            tables.NEIGHBOURS,
        ),
    }


def hyperedges(hypergraph: Hypergraph) -> dict[str, set[str]]:
    return {
        hyperedge_id: set(hypergraph.node_ids[hypergraph.members(e)])
        for e, hyperedge_id in enumerate(hypergraph.hyperedge_ids)
    }


def test_fragments_and_neighbours_become_hyperedges(corpus: Tables) -> None:
    hypergraph = email_hypergraph.build(**corpus)
    assert hyperedges(hypergraph) == {
        "m1#0": {"button:a", "text:a", "m1#0"},
        "m1#2": {"m1#2"},
        "m1#10": {"text:b", "m1#10"},
        "m2#0": {"button:a", "m2#0"},
        "m1#0 below m1#2": {"m1#0", "m1#2"},
        "m1#2 beside m1#10": {"m1#2", "m1#10"},
    }
    below = hypergraph.hyperedges_of_type("below")
    assert hypergraph.hyperedge_ids[below].tolist() == ["m1#0 below m1#2"]
    assert hypergraph.node_ids[hypergraph.nodes_of_type("text-style")].tolist() == ["text:a", "text:b"]
    assert hypergraph.node_ids[hypergraph.nodes_of_type("fragment")].tolist() == ["m1#0", "m1#2", "m1#10", "m2#0"]


def test_words_and_images_are_out_unless_asked_for(corpus: Tables) -> None:
    assert "word:sale" not in email_hypergraph.build(**corpus).node_ids
    with_words = email_hypergraph.build(**corpus, types=("word", "button-style"))
    assert with_words.node_type_names == ("word", "button-style")
    assert hyperedges(with_words)["m1#0"] == {"word:sale", "button:a"}


def test_without_fragment_nodes_there_are_no_neighbour_hyperedges(corpus: Tables) -> None:
    hypergraph = email_hypergraph.build(**corpus, types=("text-style",))
    assert hyperedges(hypergraph) == {"m1#0": {"text:a"}, "m1#2": set(), "m1#10": {"text:b"}, "m2#0": set()}


def test_order_and_repetition_of_rows_do_not_matter(corpus: Tables) -> None:
    expected = email_hypergraph.build(**corpus)
    rng = np.random.default_rng(0)
    shuffled = {
        name: pa.concat_tables([table, table]).take(pa.array(rng.permutation(2 * len(table))))
        for name, table in corpus.items()
    }
    assert email_hypergraph.build(**shuffled) == expected


def test_no_emails_give_an_empty_hypergraph(corpus: Tables) -> None:
    empty = email_hypergraph.build(**{name: table.slice(0, 0) for name, table in corpus.items()})
    assert (empty.num_nodes, empty.num_hyperedges) == (0, 0)
    assert empty.node_type_names == email_hypergraph.DEFAULT_TYPES


@pytest.mark.parametrize(
    ("table", "column", "message"),
    [
        ("occurrences", "entity_id", "occurrences: entity_id 'lost' is not in the entities table"),
        ("occurrences", "fragment_id", "occurrences: fragment_id 'lost' is not in the fragments table"),
        ("neighbours", "target", "neighbours: target 'lost' is not in the fragments table"),
        ("neighbours", "relation", "neighbours: relation 'lost' is not in below and beside"),
    ],
)
def test_a_dangling_reference_is_named(corpus: Tables, table: str, column: str, message: str) -> None:
    rows = corpus[table].to_pylist()
    rows[1][column] = "lost"
    corpus[table] = pa.Table.from_pylist(rows, corpus[table].schema)
    with pytest.raises(ValueError, match=message):
        email_hypergraph.build(**corpus)


def test_a_missing_column_and_an_unknown_type_are_named(corpus: Tables) -> None:
    with pytest.raises(ValueError, match=r"types: \['smell'\]; expected some of button-style"):
        email_hypergraph.build(**corpus, types=("word", "smell"))
    corpus["entities"] = corpus["entities"].drop_columns("type")
    with pytest.raises(ValueError, match=r"entities: columns \['type'\] are missing"):
        email_hypergraph.build(**corpus)


def test_node_types_are_those_of_the_extraction() -> None:
    assert email_hypergraph.NODE_TYPES == tables.ENTITY_TYPES


def test_statistics_are_the_papers_columns_for_each_type(corpus: Tables) -> None:
    rows = node_statistics(email_hypergraph.build(**corpus))
    assert [row.type for row in rows] == [*email_hypergraph.DEFAULT_TYPES, "all"]
    assert rows[0] == NodeStatistics("button-style", nodes=1, max_degree=2, mean_degree=2.0, median_degree=2.0)
    assert rows[2] == NodeStatistics("color-pair", nodes=0, max_degree=0, mean_degree=0.0, median_degree=0.0)
    assert rows[4] == NodeStatistics("fragment", nodes=4, max_degree=3, mean_degree=2.0, median_degree=2.0)
    lines = as_text(rows).splitlines()
    assert lines[0].split() == ["Node", "type", "|V|", "Δ", "d_avg", "d_med"]
    assert lines[1].split() == ["button-style", "1", "2", "2.00", "2"]
