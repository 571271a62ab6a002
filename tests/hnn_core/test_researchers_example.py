"""The twenty lines for researchers run, and say that a set within a community is the likelier hyperedge."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "docs" / "researchers-example.py"


def test_example_runs_and_ranks_the_likely_hyperedge_first(capsys: pytest.CaptureFixture[str]) -> None:
    names = runpy.run_path(str(EXAMPLE))
    likely, unlikely = names["score_sets"](
        names["model"], names["trained"].score, names["trained"].embeddings, names["new"]
    ).tolist()
    assert likely > unlikely
    *dependent, first, second = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in dependent] == [
        f"node 3 in hyperedge {members}" for members in names["hyperedges"] if 3 in members
    ]
    assert len({line.partition(":")[2] for line in dependent}) == 3, "a node is another one in each hyperedge"
    assert first.startswith("new hyperedge [0, 1, 3]: probability")
    assert second.startswith("new hyperedge [0, 5, 7]: probability")
    assert names["model"].dependent_of(names["trained"].embeddings, names["hypergraph"], 3).shape == (3, 16)


def test_example_is_twenty_lines() -> None:
    body = EXAMPLE.read_text().split('"""')[2]
    assert len([line for line in body.splitlines() if line.strip()]) <= 20


def test_the_readme_shows_the_example_that_runs() -> None:
    assert EXAMPLE.read_text().strip() in (EXAMPLE.parents[1] / "README.md").read_text()
