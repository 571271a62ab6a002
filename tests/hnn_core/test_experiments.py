"""Every experiment loads, one trial runs from names alone, and results become tables, a page and figures."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from hnn_core.experiment import (
    CurvePoint,
    ExperimentSpec,
    ModelSpec,
    Settings,
    TrialResult,
    load_experiment,
    load_experiments,
    run_trial,
    trial_key,
)
from hnn_core.results import aggregate, compare, load_speed, to_html, to_markdown
from hnn_core.search import best, load_search, one_after_another, run_search, validation_part

FOLDER = Path(__file__).parents[2] / "experiments"
TABLES_AND_FIGURES = {
    "activations",
    "data-efficiency",
    "difficulty",
    "hyperedge-prediction",
    "hyperedge-prediction-variants",
    "inductive-equal-terms",
    "layers-epochs",
    "learning-rate",
    "max-min-score",
    "node-classification",
    "node-classification-variants",
}


def test_every_table_and_figure_of_the_paper_and_one_of_our_own_has_a_loadable_experiment() -> None:
    specs = load_experiments(FOLDER)
    assert set(specs) == TABLES_AND_FIGURES
    assert next(iter(specs)) == "hyperedge-prediction" and len({spec.order for spec in specs.values()}) == len(specs)
    for spec in specs.values():
        for dataset, model, protocol in spec.cells():
            spec.settings_of(model, dataset, protocol)
        if spec.kind == "table" and spec.place != "Not in the paper":
            assert any(each.paper for each in spec.models), spec.name
    published = specs["hyperedge-prediction"].model("HNN").paper
    assert published["citeseer"] == (0.965, 0.01) and specs["hyperedge-prediction"].trials == 10


def test_searches_load_and_their_records_choose_what_did_best() -> None:
    for path in sorted((FOLDER / "search").glob("*.yaml")):
        spec = load_search(path)
        record = json.loads(path.with_suffix(".record.json").read_text())
        tried = {(each["dataset"], json.dumps(each["candidate"])): np.mean(each["auc"]) for each in record["outcomes"]}
        for dataset, choice in record["chosen"].items():
            top = max((key for key in tried if key[0] == dataset), key=lambda key: tried[key])
            candidate = Settings(**json.loads(top[1]))
            assert Settings(**choice) == candidate.over(spec.settings), (path.name, dataset)


@pytest.fixture
def tiny() -> ExperimentSpec:
    return ExperimentSpec(
        name="tiny",
        title="Tiny",
        place="Nowhere",
        task="hyperedge-prediction",
        datasets=("cora-ca",),
        protocols=("inductive",),
        trials=2,
        measure_every=1,
        settings=Settings(training={"epochs": 2}),
        models=(
            ModelSpec(label="HNN", model="hnn", ours=True, options={"widths": [8]}, paper={"cora-ca": (0.9, 0.1)}),
            ModelSpec(label="MLP", model="mlp", by_dataset={"cora-ca": Settings(options={"hidden": 4})}),
        ),
    )


def test_settings_are_laid_over_one_another(tiny: ExperimentSpec) -> None:
    assert tiny.settings_of("MLP", "cora-ca", "inductive") == Settings(training={"epochs": 2}, options={"hidden": 4})
    key = trial_key(tiny, "cora-ca", "MLP", "inductive", 0)
    assert key != trial_key(tiny, "cora-ca", "MLP", "inductive", 1)
    longer = tiny.model_copy(update={"settings": Settings(training={"epochs": 3})})
    assert key != trial_key(longer, "cora-ca", "MLP", "inductive", 0)


def test_a_trial_is_a_function_of_its_names(tiny: ExperimentSpec, shared_data: Path) -> None:
    once, again = (run_trial(tiny, "cora-ca", "HNN", "inductive", 1, shared_data / "hypergcn") for _ in range(2))
    assert once.metrics == again.metrics and once.curve == again.curve
    assert len(once.curve) == 2 and 0 < once.curve[-1].measures["auc"] == once.metrics["auc"]
    assert TrialResult.model_validate_json(once.model_dump_json()) == once


def test_features_are_derived_from_visible_hyperedges_where_none_are_at_hand(shared_data: Path) -> None:
    spec = ExperimentSpec(
        name="derived",
        title="Derived",
        place="Nowhere",
        task="hyperedge-prediction",
        datasets=("pubmed",),
        settings=Settings(training={"epochs": 1}, features={"dim": 8}),
        models=(ModelSpec(label="HNN", model="hnn", options={"widths": (4,)}),),
    )
    result = run_trial(spec, "pubmed", "HNN", "inductive", 0, shared_data / "hypergcn")
    assert result.features == "svd"


def trials(spec: ExperimentSpec, values: dict[str, list[float]]) -> list[TrialResult]:
    return [
        TrialResult(
            experiment=spec.name,
            dataset="cora-ca",
            model=model,
            protocol="transductive",
            trial=trial,
            key="k",
            metrics={"auc": value},
            curve=(CurvePoint(epoch=5, loss=0.5, measures={"auc": value, "test_loss": 1 - value}),),
            seconds=1.0,
            features="given",
            settings=Settings(),
        )
        for model, each in values.items()
        for trial, value in enumerate(each)
    ]


def test_rows_hold_mean_deviation_and_the_papers_value_and_pairs_are_tested(tiny: ExperimentSpec) -> None:
    spec = tiny.model_copy(update={"protocols": ("transductive",), "trials": 3})
    ours, theirs = [0.91, 0.93, 0.95], [0.90, 0.90, 0.93]
    results = trials(spec, {"HNN": ours, "MLP": theirs})
    rows = {row.model: row for row in aggregate(spec, results)}
    assert rows["HNN"].mean == pytest.approx(0.93) and rows["HNN"].std == pytest.approx(0.02)
    assert rows["HNN"].paper == 0.9 and rows["MLP"].paper is None and rows["HNN"].trials == 3
    (comparison,) = compare(spec, results)
    assert comparison.rival == "MLP" and comparison.difference == pytest.approx(0.02)
    assert comparison.gain == pytest.approx(0.02)
    assert comparison.p_value == pytest.approx(stats.ttest_rel(ours, theirs).pvalue)
    text, _ = to_markdown([(spec, results)])
    assert "0.930 ± 0.020 (paper 0.900, +0.030)" in text and "Below the paper" not in text
    low = trials(spec, {"HNN": [0.5]})
    text, _ = to_markdown([(spec, low)])
    assert "HNN on cora-ca: 0.500 against 0.900" in text and ", 1 trial**" in text
    assert "0.930 ± 0.020" in to_html([(spec, results)])


def test_curves_become_figures_with_numbers_beside_them(tiny: ExperimentSpec) -> None:
    spec = tiny.model_copy(update={"kind": "curves"})
    text, figures = to_markdown([(spec, trials(spec, {"HNN": [0.91, 0.93], "MLP": [0.8, 0.82]}))])
    assert set(figures) == {"tiny-cora-ca-auc.svg", "tiny-cora-ca-test-loss.svg"}
    assert all(svg.startswith("<svg") and "polyline" in svg and "HNN" in svg for svg in figures.values())
    assert "(figures/tiny-cora-ca-auc.svg)" in text and "0.920" in text


def test_measured_times_stand_below_the_tables(tiny: ExperimentSpec, tmp_path: Path) -> None:
    assert load_speed(tmp_path / "absent.json") is None
    content = {"dataset": "dblp", "epochs": {"HNN": {"ms": 80.04, "peak_mib": 512}}, "ratios": {"PyG over ours": 4.2}}
    (tmp_path / "speed.json").write_text(json.dumps(content))
    speed = load_speed(tmp_path / "speed.json")
    text, _ = to_markdown([(tiny, [])], speed=speed)
    assert "| HNN | 80.0 | 512 |" in text and "| PyG over ours | 4.20 |" in text and "Not run yet" in text
    assert 'id="speed"' in to_html([(tiny, [])], speed) and 'id="speed"' not in to_html([(tiny, [])])


def test_a_search_sees_training_data_only_and_resumes(tmp_path: Path, shared_data: Path) -> None:
    from hnn_core.datasets import hypergcn

    data = hypergcn.load("cora-ca", shared_data / "hypergcn")
    hidden = validation_part(data, "node-classification", 2)
    assert (hidden.labels[data.splits[2].test] == -1).all()
    assert set(np.concatenate([hidden.splits[0].train, hidden.splits[0].test])) == set(data.splits[2].train)
    fewer = validation_part(data, "hyperedge-prediction", 2).hypergraph
    assert fewer.num_hyperedges == round(0.8 * data.hypergraph.num_hyperedges)

    path = tmp_path / "small.yaml"
    path.write_text(
        "name: small\ntask: hyperedge-prediction\nprotocol: inductive\nmodel: hnn\ndatasets: [cora-ca]\n"
        "trials: [0]\nsettings: {training: {epochs: 2}}\n"
        "candidates: [{options: {widths: [4]}}, {options: {widths: [8]}}]\n"
    )
    assert len(list(run_search(path, shared_data / "hypergcn"))) == 2
    first = path.with_suffix(".record.json").read_text()
    assert not list(run_search(path, shared_data / "hypergcn"))
    assert path.with_suffix(".record.json").read_text() == first
    assert len(json.loads(first)["outcomes"]) == 2

    path.write_text(path.read_text().replace("trials: [0]", "trials: [1]"))
    assert len(list(run_search(path, shared_data / "hypergcn"))) == 2, "other trials, nothing known"
    path.write_text(path.read_text().replace("trials: [1]", "trials: [0]"))

    path.with_suffix(".record.json").unlink()
    backwards = run_search(
        path, shared_data / "hypergcn", lambda tries, root: one_after_another(list(tries)[::-1], root)
    )
    assert [outcome.candidate.options for outcome in backwards] == [{"widths": [8]}, {"widths": [4]}]
    assert path.with_suffix(".record.json").read_text() == first, "the order of the tries is no part of the record"


def test_the_best_candidate_has_the_highest_mean() -> None:
    from hnn_core.search import Outcome

    a, b = Settings(options={"a": 1}), Settings(options={"b": 1})
    outcomes = [
        Outcome(dataset="x", candidate=a, auc=(0.5, 0.9)),
        Outcome(dataset="x", candidate=b, auc=(0.75, 0.7)),
        Outcome(dataset="y", candidate=b, auc=(0.1,)),
    ]
    assert best(outcomes) == {"x": b, "y": b}


def test_wrong_names_are_named(tmp_path: Path) -> None:
    path = tmp_path / "wrong.yaml"
    path.write_text(
        "name: w\ntitle: W\nplace: p\ntask: hyperedge-prediction\ndatasets: [cora-ca]\nmodels: [{label: X, model: x}]\n"
    )
    with pytest.raises(ValueError, match=r"wrong\.yaml: model 'x' is not known"):
        load_experiment(path)
