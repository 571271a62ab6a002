"""The results as Markdown, for docs/results.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hnn_core.experiment import ExperimentSpec, TrialResult
from hnn_core.results.figures import Figure, draw, figures_of
from hnn_core.results.rows import aggregate, compare
from hnn_core.results.speed import Speed, speed_tables
from hnn_core.results.tables import Table, comparison_table, derived_features, result_tables, shortfalls

PREFACE = """\
# Results beside the paper's

Written by `hnn benchmark`; every figure here is the mean ± standard deviation over trials of this code.

- **Protocols.** `transductive`: all hyperedges take part in message passing, the test ones included. Only so are the
  paper's figures reachable, so they stand beside these rows alone. `inductive`: training hyperedges only; nothing of a
  test hyperedge reaches training, which a test proves. 80 % of the hyperedges train, 20 % test.
- **Negatives.** One for each hyperedge, of its size; a share α = ½ of its nodes stays, rounded at random so that α
  holds on average at every size.
- **Data.** The released hypergraphs differ from the paper's table: Citeseer has 3,312 nodes and 1,079 hyperedges
  (paper: 3,327 and 4,732), DBLP 41,302 and 22,363 (paper: 43,413 and 22,535). Where features of PubMed or DBLP are not
  downloaded they are derived from the visible hyperedges (φ = SVD, rows of length one), which a line above each table
  says: those figures are not the paper's task.
- **Settings.** Baselines have their authors' hyperparameters. HNN has the paper's (64 wide, two layers, RReLU, 200
  epochs) except where a search chose others: `experiments/search/` holds the candidates and the record. A search sees a
  validation part of the training data of its own trials only; the choice then serves all trials. A search on trial 0
  has seen training hyperedges that test in other trials, in a choice among a handful of candidates.
- **Trials.** The trial's number is its seed and its split. Rows with fewer trials than the paper's ten say how many.
- **Tests.** Two-sided paired t-test over trials against the rival with the highest mean.
"""

SPEED = """\
Measured by `benchmarks/training.py`: forward, cross-entropy, backward and a step of Adam. The rivals run turn by turn
in one process; peak memory is that of a process of its own. Bare products are the sparse products of HNN's equations
with nothing around them: 19 an epoch, of which 12 are left where the products of constant features are remembered, as
here. Twice the 19 was the aim. The rest of an epoch is dense products with the weights, the activations (RReLU draws a
slope for every entry) and the loss.
"""


def to_markdown(
    experiments: Sequence[tuple[ExperimentSpec, Sequence[TrialResult]]],
    figure_folder: str = "figures",
    speed: Speed | None = None,
) -> tuple[str, Mapping[str, str]]:
    """The text, and the figures it shows by file name (SVG), to be put into ``figure_folder`` beside it."""
    lines, figures = [PREFACE], {}
    for spec, results in experiments:
        if not results:
            lines += [f"## {spec.title}", "", "Not run yet.", ""]
            continue
        rows = aggregate(spec, results)
        lines += [f"## {spec.title}", "", f"{spec.place}. {derived_features(results)}{spec.note}".strip(), ""]
        for table in result_tables(spec, rows) if spec.kind == "table" else []:
            lines += _markdown(table)
        comparisons = compare(spec, results)
        if comparisons:
            lines += _markdown(comparison_table(comparisons))
        for figure in figures_of(spec, results):
            figures[f"{figure.name}.svg"] = draw(figure)
            lines += [f"![{figure.title}]({figure_folder}/{figure.name}.svg)", ""]
            lines += _markdown(_points(figure))
        missed = shortfalls(spec, rows)
        if missed:
            lines += ["Below the paper:", "", *[f"- {each}" for each in missed], ""]
    if speed is not None:
        lines += ["## Speed", "", SPEED, ""]
        for table in speed_tables(speed):
            lines += _markdown(table)
    return "\n".join(lines).rstrip() + "\n", figures


def _markdown(table: Table) -> list[str]:
    lines = [f"**{table.heading}**", "", _line(table.columns), _line(["---"] * len(table.columns))]
    for i, row in enumerate(table.rows):
        lines.append(_line([f"**{cell}**" if (i, j) in table.best else cell for j, cell in enumerate(row)]))
    return [*lines, ""]


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _points(figure: Figure) -> Table:
    """A few points of each line in numbers, for those who cannot see the figure."""
    xs = sorted({x for line in figure.lines for x in line.x})
    shown = [xs[round(i * (len(xs) - 1) / min(5, len(xs) - 1))] for i in range(min(6, len(xs)))] if len(xs) > 1 else xs
    rows = tuple(
        (line.label, *(_value(dict(zip(line.x, line.y, strict=True)).get(x)) for x in shown)) for line in figure.lines
    )
    return Table(figure.title, (figure.x_label, *(f"{x:g}" for x in shown)), rows, frozenset())


def _value(y: float | None) -> str:
    return "–" if y is None else f"{y:.3f}"
