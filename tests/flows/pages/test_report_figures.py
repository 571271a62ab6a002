"""Metrics, curves and the map as they are drawn."""

import math
import random
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from page_corpus import table

from flows.pages import ReportInputs
from flows.pages import inputs as schemas
from flows.pages.charts import HEIGHT, WIDTH, learning_curves
from flows.pages.corpus import Corpus
from flows.pages.inventory import inventory
from flows.pages.metrics import HeldOut, metric_name, overview, printed, recommendation_tables, training_table
from flows.pages.recommendation import composed_tables, paper_tables, twin_overviews
from flows.pages.stylemap import Dot, islands, style_map
from flows.pages.styles import STYLE_TYPES


def test_metrics_are_named_as_in_the_paper() -> None:
    names = ["hr_at_10", "ndcg_at_1", "mrr", "macro_hr_at_50", "radius_class"]
    assert [metric_name(name) for name in names] == ["HR@10", "nDCG@1", "MRR", "macro HR@50", "radius class"]


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, "0.000"), (0.7356, "0.736"), (1.0, "1.000"), (2.5, "2.500"), (12345, "12,345")]
)
def test_shares_have_three_decimals_and_counts_none(value: float, text: str) -> None:
    assert printed(value) == text


def test_a_table_for_each_protocol_with_ceiling_and_the_papers_rows(inputs: ReportInputs) -> None:
    link, email = recommendation_tables(inputs.metrics)["button-style"]
    assert (link.title, email.title) == ("link", "email")
    assert link.ceiling == pytest.approx(0.76)
    assert link.columns == ("HR@1", "HR@10")
    assert [(row.name, row.paper) for row in link.rows] == [
        ("recommender", False),
        ("popularity", False),
        ("HNN", True),
        ("HyperGCN", True),
        ("Popularity", True),
        ("Random", True),
    ]
    assert [cell.text for cell in link.rows[2].cells if cell] == ["0.243", "0.477"]
    assert not any(row.paper for row in email.rows), "the paper has the link protocol only"
    assert [cell.best for cell in link.rows[0].cells if cell] == [True, True]


def test_seeds_become_mean_and_deviation_and_short_target_names_are_known() -> None:
    rows = [("button", "link", "product", "hr_at_10", value, 0.8, 50) for value in (0.6, 0.7, 0.8)]
    [link] = recommendation_tables(table(rows, schemas.METRICS))["button-style"]
    cell = link.rows[0].cells[0]
    assert cell is not None
    assert cell.mean == pytest.approx(0.7)
    assert cell.deviation == pytest.approx(np.std([0.6, 0.7, 0.8]))
    assert not cell.best, "there is no best of one"


def test_only_a_best_that_stands_alone_is_called_best() -> None:
    shares = {"ours": 0.7004, "theirs": 0.6996, "others": 0.5}
    rows = [("button", "link", method, "hr_at_10", value, 0.8, 50) for method, value in shares.items()]
    [link] = recommendation_tables(table(rows, schemas.METRICS))["button-style"]
    cells = [(row.name, cell.best, cell.tied) for row in link.rows for cell in row.cells if cell and not row.paper]
    assert cells == [("ours", False, True), ("theirs", False, True), ("others", False, False)]


def test_the_overview_has_every_protocol_side_by_side(inputs: ReportInputs) -> None:
    summary = overview(recommendation_tables(inputs.metrics)["button-style"])
    assert summary is not None
    assert [(table.title, table.tested) for table in summary.protocols] == [
        *(("link", (HeldOut(40),)), ("email", (HeldOut(40),))),
    ]
    assert [len(row.cells) for row in summary.rows] == [4] * len(summary.rows)
    assert [cell.text if cell else None for cell in summary.rows[-1].cells] == ["0.000", "0.000", None, None]


def test_the_papers_tables_have_its_methods_and_its_figures_below_ours(inputs: ReportInputs) -> None:
    hr, ndcg = paper_tables(inputs.metrics)["button-style"]
    assert (hr.title, ndcg.title) == ("HR@K", "nDCG@K")
    assert hr.columns == ("HR@1", "HR@10", "HR@25", "HR@50")
    assert [(row.name, row.paper) for row in hr.rows[:3]] == [
        *(("Recommender", False), ("Popularity", False), ("HNN", True)),
    ]
    assert [cell.text if cell else None for cell in hr.rows[0].cells] == ["0.560", "0.700", None, None]
    assert [cell.text for cell in ndcg.rows[2].cells if cell] == ["0.243", "0.354", "0.368", "0.379"]


def test_near_twins_and_composed_attributes_have_a_table_each(inputs: ReportInputs) -> None:
    twins = twin_overviews(inputs.twins)["button-style"]
    [email] = twins.protocols
    assert (email.title, email.tested) == ("email", (HeldOut(12), None, HeldOut(28)))
    assert [tested.few for tested in (HeldOut(29), HeldOut(30))] == [True, False]
    assert [(row.name, [cell.text if cell else None for cell in row.cells]) for row in twins.rows] == [
        ("recommender", ["0.350", None, "0.980"]),
        ("popularity", ["0.100", None, "0.280"]),
    ]
    [composed] = composed_tables(inputs.composed)
    assert composed.columns == ("fill", "text colour", "size", "radius", "all four", "readable", "visible")
    assert composed.tested == (HeldOut(17),)
    assert [row.name for row in composed.rows] == ["composed", "nearest neighbour", "popularity"]


def test_variants_are_ranked_by_auc_and_seconds_have_no_best(inputs: ReportInputs) -> None:
    ranked = training_table(inputs.training)
    assert ranked is not None
    assert ranked.columns == ("AUC", "seconds")
    assert [row.name for row in ranked.rows] == ["p2", "hnn"]
    assert [cell.best for cell in ranked.rows[0].cells if cell] == [True, False]
    assert training_table(schemas.TRAINING.empty_table()) is None


def test_curves_stay_inside_their_chart_and_skip_what_is_not_finite() -> None:
    rng = random.Random(0)
    rows = [("run", epoch, "loss", math.nan if epoch == 3 else rng.gauss(0, 1e6)) for epoch in range(1000)]
    [chart] = learning_curves(table(rows, schemas.CURVES))
    points = [tuple(map(float, point.split(","))) for point in chart.lines[0].points.split()]
    assert len(points) == 200
    assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for x, y in points)
    assert [x for x, _ in points] == sorted(x for x, _ in points)


def test_a_single_constant_value_is_a_chart_too() -> None:
    [chart] = learning_curves(table([("run", 0, "auc", 0.5)], schemas.CURVES))
    assert chart.lines[0].last == "0.500"
    assert len(chart.y_ticks) >= 2


def test_loss_comes_first_and_a_run_keeps_its_colour(inputs: ReportInputs) -> None:
    loss, auc = learning_curves(inputs.curves)
    assert (loss.title, auc.title) == ("loss", "AUC")
    assert [(line.name, line.tone) for line in loss.lines] == [(line.name, line.tone) for line in auc.lines]


def test_the_map_is_the_same_every_time_and_inside_its_frame(inputs: ReportInputs) -> None:
    corpus = Corpus.of(inputs)
    catalogue = inventory(inputs, corpus)
    dots = style_map(corpus, catalogue, inputs.embeddings)
    assert len(dots) == sum(len(catalogue[type]) for type in catalogue if type not in ("word", "image"))
    assert [(d.x, d.y) for d in dots] == [(d.x, d.y) for d in style_map(corpus, catalogue, inputs.embeddings)]
    assert all(0 <= dot.x <= 1000 and 0 <= dot.y <= 620 for dot in dots)
    assert len({(dot.x, dot.y) for dot in dots}) == len(dots), "styles of the same fragments do not hide each other"


def test_an_island_is_named_after_the_sender_whose_styles_lie_there(inputs: ReportInputs) -> None:
    corpus = Corpus.of(inputs)
    sender_of = dict(zip(corpus.entity_ids, corpus.most_used_with(corpus.sender).tolist(), strict=True))
    some = [entry for type in STYLE_TYPES for entry in inventory(inputs, corpus)[type]]
    styles = [[entry for entry in some if sender_of[entry.entity_id] == sender] for sender in (0, 1)]
    dots = [
        Dot(entry, x + 9.0 * number, 300.0, 4.0, "#000000", None)
        for x, own in zip((200, 700), styles, strict=True)
        for number, entry in enumerate(own[:6])
    ]
    found = islands(corpus, dots)
    assert {island.sender for island in found} == set(corpus.senders[:2])
    for island in found:
        assert abs(island.x - (200 if island.sender == corpus.senders[0] else 700)) < 60
        assert not any(island.hides(dot) for dot in dots)
    assert not islands(corpus, dots[:6]), "one sender is no map of senders"
    beside = [*dots[:6], *(replace(dot, x=dot.x - 490) for dot in dots[6:])]
    above, below = sorted(islands(corpus, beside), key=lambda island: island.y)
    assert above.y < 300 < below.y, "names do not cover each other"


def test_embeddings_place_the_map_where_they_cover_it(inputs: ReportInputs) -> None:
    """Two clusters of embeddings make two islands, whatever the fragments say."""
    corpus = Corpus.of(inputs)
    catalogue = inventory(inputs, corpus)
    ids = sorted(entry.entity_id for type in catalogue for entry in catalogue[type])
    rng = np.random.default_rng(0)
    side = {entity: number % 2 for number, entity in enumerate(ids)}
    vectors = [[1.0 - side[i], 1.0 * side[i], *rng.normal(0, 0.01, 6)] for i in ids]
    embeddings = pa.table({"entity_id": ids, "vector": pa.array(vectors, pa.list_(pa.float32()))})
    dots = style_map(corpus, catalogue, embeddings)
    near = 0
    for dot in dots:
        others = sorted((d for d in dots if d is not dot), key=lambda d: math.hypot(d.x - dot.x, d.y - dot.y))
        near += side[others[0].entry.entity_id] == side[dot.entry.entity_id]
    assert near / len(dots) > 0.9
