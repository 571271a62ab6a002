"""One email and what is recommended for it, as a page: ``hnn recommend EMAIL.html --html FILE``."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from extractors import tables
from extractors.extraction import extract
from extractors.limits import Rejected
from extractors.tasks import ExtractOptions, Row
from flows.pages.cases import Cases
from flows.pages.corpus import Corpus
from flows.pages.inputs import ReportInputs
from flows.pages.inventory import inventory
from flows.pages.rendering import render
from flows.pages.summary import spectrum, totals

_DOC = "email"


def recommend_html(
    email_html: str,
    recommendations: pa.Table,
    title: str = "Recommended styles",
    note: str = "",
    options: ExtractOptions | None = None,
) -> str:
    """The page as text. ``recommendations`` has the columns of `inputs.RECOMMENDATIONS`.

    A ``fragment_id`` counts by what follows its ``#``: the fragment's position in the email, cut by ``options``.
    """
    inputs = _inputs(email_html, recommendations, title, options)
    corpus = Corpus.of(inputs)
    catalogue = inventory(inputs, corpus)
    position = {fragment_id: place for place, fragment_id in enumerate(corpus.fragment_ids)}
    listed = inputs.recommendations.select(["fragment_id", "target"]).to_pylist()
    pairs = dict.fromkeys((row["fragment_id"], row["target"]) for row in listed if row["fragment_id"] in position)
    return render(
        "advice.html.j2",
        title=title,
        note=note,
        totals=totals(corpus, catalogue),
        spectrum=spectrum(catalogue),
        cases=Cases(inputs, corpus, catalogue).cases(sorted(pairs, key=lambda pair: (position[pair[0]], pair[1]))),
    )


def _inputs(email_html: str, recommendations: pa.Table, title: str, options: ExtractOptions | None) -> ReportInputs:
    try:
        extracted = extract(email_html, _DOC, options)
    except Rejected:  # nothing to see in it: the page says so
        return ReportInputs(html_of=lambda _: email_html, title=title)
    ids = pc.replace_substring_regex(recommendations["fragment_id"], ".*#", f"{_DOC}#")
    place = recommendations.column_names.index("fragment_id")
    return ReportInputs(
        html_of=lambda _: email_html,
        fragments=_table(extracted.fragments, tables.FRAGMENTS),
        entities=_table(extracted.entities, tables.ENTITIES),
        occurrences=_table(extracted.occurrences, tables.OCCURRENCES),
        recommendations=recommendations.set_column(place, "fragment_id", ids),
        title=title,
    )


def _table(rows: Sequence[Row], schema: pa.Schema) -> pa.Table:
    columns = zip(*rows, strict=True) if rows else ([] for _ in schema)
    return pa.table([pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)], schema)
