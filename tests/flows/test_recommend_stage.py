"""Stage recommend: every method in the figures, recommendations with their reasons, nothing that is not a number."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from trained_recommender import email_inputs

from extractors.sources.sample import SampleOptions, generate
from flows.config import Config, RecommendConfig
from flows.errors import HnnError
from flows.progress import Silent
from flows.recommend import STAGE
from flows.stage import Context
from flows.workspace import Workspace
from hnn_core.recommend.cold_start import COMPOSED_METRICS
from hnn_core.recommend.evaluation import METRICS, TWINS
from hnn_core.recommend.queries import NonFiniteScoresError
from hnn_core.tasks import style_recommendation

LOSSES = ("hyperedge loss", "masked links", "plain links")


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return email_inputs(tmp_path_factory.mktemp("emails"), list(generate(SampleOptions(emails=16))))


def context(inputs: dict[str, Path], out: Path, protocol: str) -> Context:
    recommend = RecommendConfig.model_validate({"targets": ["button-style"], "protocols": [protocol], "top": 3})
    return Context(Config(recommend=recommend), inputs, out, Workspace(out), None, Silent())


def test_the_tables_have_their_schemas_and_every_method(inputs: dict[str, Path], tmp_path: Path) -> None:
    summary = STAGE.run(context(inputs, tmp_path, "link"))
    tables = {name: pq.read_table(tmp_path / name) for name in STAGE.outputs}
    schemas = (METRICS, TWINS, COMPOSED_METRICS, style_recommendation.RECOMMENDATIONS)
    assert [table.schema for table in tables.values()] == list(schemas)
    rows = tables["metrics.parquet"].to_pylist()
    assert {row["method"] for row in rows} == {
        *("recommender", "random", "popularity", "same-email", "neighbours", "co-occurrence", "knn-context", "svd"),
        *("HyperGCN z·z", *(f"HNN, {loss}, {score}" for loss in LOSSES for score in ("z·z", "y·z", "ψ"))),
    }
    assert {
        f"{macro}{measure}_at_{k}" for macro in ("", "macro_") for measure in ("hr", "ndcg") for k in (1, 10, 25, 50)
    } < {row["metric"] for row in rows}
    assert summary["metrics"]["hr_at_10"] == summary["hr_at_10"][0]["ours"]
    assert [row["links"] for row in summary["hr_at_10"]] == [rows[0]["links"]]


def test_unknown_senders_are_measured_attribute_by_attribute(inputs: dict[str, Path], tmp_path: Path) -> None:
    summary = STAGE.run(context(inputs, tmp_path, "sender"))
    rows = pq.read_table(tmp_path / "composed.parquet").to_pylist()
    assert {row["method"] for row in rows} == {"composed", "popularity", "nearest neighbour"}
    assert {row["attribute"] for row in rows} == {"background", "color", "size", "radius", "all", "readable", "visible"}
    assert summary["metrics"]["composed.readable"] == summary["metrics"]["composed.visible"] == 1.0


def test_each_recommendation_names_fragments_that_hold_the_style(inputs: dict[str, Path], tmp_path: Path) -> None:
    STAGE.run(context(inputs, tmp_path, "email"))
    occurrences = pq.read_table(inputs["extract/occurrences.parquet"]).to_pylist()
    held = {(row["fragment_id"], row["entity_id"]) for row in occurrences}
    rows = pq.read_table(tmp_path / "recommendations.parquet").to_pylist()
    assert rows
    for row in rows:
        assert row["truth"] == ((row["fragment_id"], row["entity_id"]) in held)
        assert row["explanation"]
        assert all((fragment, row["entity_id"]) in held for fragment in row["explanation"])
        assert row["fragment_id"] not in row["explanation"], "what was hidden explains nothing"


def test_scores_that_are_not_numbers_fail_the_run(
    inputs: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def diverged(*_: object) -> None:
        raise NonFiniteScoresError("3 of 9 scores of 'hnn' are not finite")

    monkeypatch.setattr(style_recommendation, "score_methods", diverged)
    with pytest.raises(HnnError, match="stage recommend: 3 of 9 scores of 'hnn' are not finite"):
        STAGE.run(context(inputs, tmp_path, "link"))
