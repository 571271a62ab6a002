"""The results as one HTML page that needs no other file."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from hnn_core.experiment import ExperimentSpec, TrialResult
from hnn_core.results.figures import draw, figures_of
from hnn_core.results.rows import aggregate, compare
from hnn_core.results.speed import Speed, speed_tables
from hnn_core.results.tables import Table, comparison_table, derived_features, result_tables, shortfalls

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --quiet: #767676 }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: .5rem 0 1.5rem }
th, td { border-bottom: 1px solid var(--line); padding: .3rem .8rem; text-align: left }
caption { text-align: left; font-weight: 600; padding: .3rem 0 } .scroll { overflow-x: auto }
.best { font-weight: 700 } .place { color: var(--quiet) } svg { max-width: 40rem; width: 100%; height: auto }
"""


def to_html(experiments: Sequence[tuple[ExperimentSpec, Sequence[TrialResult]]], speed: Speed | None = None) -> str:
    """All experiments with a result, in the order given."""
    present = [(spec, results) for spec, results in experiments if results]
    links = "".join(f'<li><a href="#{spec.name}">{escape(spec.title)}</a></li>' for spec, _ in present)
    sections = "\n".join(_section(spec, results) for spec, results in present)
    if speed is not None:
        links += '<li><a href="#speed">Speed</a></li>'
        sections += '<section id="speed"><h2>Speed</h2>' + "".join(map(_html, speed_tables(speed))) + "</section>"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>HNN: results beside the paper's</title><style>{_STYLE}</style></head>\n<body>"
        f"<h1>Results beside the paper's</h1><nav><ul>{links}</ul></nav>\n<main>{sections}</main></body></html>\n"
    )


def _section(spec: ExperimentSpec, results: Sequence[TrialResult]) -> str:
    rows = aggregate(spec, results)
    parts = [
        f'<section id="{spec.name}"><h2>{escape(spec.title)}</h2>',
        f'<p class="place">{escape(spec.place)}</p>',
    ]
    note = derived_features(results) + spec.note
    if note:
        parts.append(f"<p>{escape(note)}</p>")
    if spec.kind == "table":
        parts += [_html(table) for table in result_tables(spec, rows)]
    comparisons = compare(spec, results)
    if comparisons:
        parts.append(_html(comparison_table(comparisons)))
    parts += [draw(figure) for figure in figures_of(spec, results)]
    missed = shortfalls(spec, rows)
    if missed:
        items = "".join(f"<li>{escape(each)}</li>" for each in missed)
        parts.append(f"<p>Below the paper:</p><ul>{items}</ul>")
    return "\n".join([*parts, "</section>"])


def _html(table: Table) -> str:
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in table.columns)
    body = "".join(
        "<tr>"
        + "".join(
            f'<td class="best">{escape(cell)}</td>' if (i, j) in table.best else f"<td>{escape(cell)}</td>"
            for j, cell in enumerate(row)
        )
        + "</tr>"
        for i, row in enumerate(table.rows)
    )
    return (
        f'<div class="scroll"><table><caption>{escape(table.heading)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )
