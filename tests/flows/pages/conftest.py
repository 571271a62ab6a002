"""The corpus of these tests as report inputs, honest and hostile, and a browser to open the pages in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest
from page_corpus import FONT, HOSTILE, LOOKS, PAGE, document, table

from extractors import tables
from extractors.extraction import extract
from flows.pages import ReportInputs
from flows.pages import inputs as schemas


@pytest.fixture(scope="session")
def emails() -> dict[str, str]:
    """HTML by document id."""
    return {
        f"{sender}-{number}": PAGE.format(css="p{margin:0}", page="#f4f4f4", text="Words about it. " * 8, **look)
        for sender, looks in LOOKS.items()
        for number, look in enumerate(looks)
    }


@pytest.fixture(scope="session")
def inputs(emails: dict[str, str]) -> ReportInputs:
    """Everything filled in: extracted tables, and model results made up to be told apart."""
    rows: dict[str, list[Any]] = {name: [] for name in ("fragments", "entities", "occurrences", "neighbours")}
    known: set[str] = set()
    for doc_id, html in emails.items():
        extracted = extract(html, doc_id)
        for name in ("fragments", "occurrences", "neighbours"):
            rows[name] += getattr(extracted, name)
        rows["entities"] += [row for row in extracted.entities if row[0] not in known]
        known |= {row[0] for row in extracted.entities}
    documents = [document(doc_id, doc_id.rpartition("-")[0], f"{doc_id} sale") for doc_id in emails]
    buttons = [row for row in rows["entities"] if row[1] == "button-style"]
    held_out = {row[0]: row[1] for row in rows["occurrences"] if row[1].startswith("button-style")}
    recommendations = [
        (fragment, "button", rank, entity, signature, 1 / rank, entity == truth, [rows["fragments"][0][0], "words"])
        for fragment, truth in held_out.items()
        for rank, (entity, _, signature, _) in enumerate(buttons[:3], start=1)
    ]
    methods = (("popularity", 0.2), ("recommender", 0.7))
    metrics = [
        ("button-style", protocol, method, f"hr_at_{k}", value * (0.8 if k == 1 else 1.0), 0.76, 40)
        for protocol in ("link", "email")
        for method, value in methods
        for k in (1, 10)
    ]
    twins = [
        ("button-style", "email", method, "hr_at_10", value * share, 0.76, links, twin)
        for method, value in methods
        for twin, share, links in (("below 0.4", 0.5, 12), ("0.8 and more", 1.4, 28))
    ]
    composed = [
        ("sender", method, attribute, value, 17)
        for method, value in (("composed", 0.6), ("popularity", 0.2), ("nearest neighbour", 0.3))
        for attribute in ("radius", "size", "background", "color", "all", "readable", "visible")
    ]
    curves = [
        (run, epoch, metric, 1 / (1 + epoch) if metric == "loss" else 1 - 0.5 / (1 + epoch))
        for run in ("hnn", "p2")
        for epoch in range(5)
        for metric in ("loss", "auc")
    ]
    return ReportInputs(
        html_of=lambda doc_id: emails[doc_id],
        documents=table(documents, tables.DOCUMENTS),
        fragments=table(rows["fragments"], tables.FRAGMENTS),
        entities=table(rows["entities"], tables.ENTITIES),
        occurrences=table(rows["occurrences"], tables.OCCURRENCES),
        neighbours=table(rows["neighbours"], tables.NEIGHBOURS),
        statistics=table([("button-style", len(buttons), 2, 1.25, 1.0)], schemas.STATISTICS),
        training=pa.table({"variant": ["hnn", "p2"], "auc": [0.91, 0.93], "seconds": [12.0, 14.0]}),
        curves=table(curves, schemas.CURVES),
        metrics=table(metrics, schemas.METRICS),
        twins=table(twins, schemas.TWINS),
        composed=table(composed, schemas.COMPOSED),
        recommendations=table(recommendations, schemas.RECOMMENDATIONS),
        title="Style audit",
    )


@pytest.fixture(scope="session")
def hostile(inputs: ReportInputs) -> ReportInputs:
    """The same with attacks in every place that an email's author can write to."""
    script = "<script>alert(3)</script>"
    first = inputs.fragments["fragment_id"][0].as_py()
    attributes = (
        '{"font_family": "%s", "text": "%s", "border": "1px solid red;background:url(x)", "padding": "9px 9px"}'
    )
    entities = [
        (f"button-style:{n:016x}", "button-style", signature, attributes % (FONT, script))
        for n, signature in enumerate(HOSTILE)
    ]
    entities += [
        ("text-style:bad\"'><b>", "text-style", "font-size:16px;color:#000000", attributes % (FONT, script)),
        ("word:bad", "word", script, "{}"),
        ("image:bad", "image", f"javascript:alert(1){script}", "{"),
        ("background-style:bad", "background-style", "background:#fff;image:url(//x.example)", "[]"),
    ]
    occurrences = [(first, row[0], 3, False, 0) for row in entities]
    fragments = inputs.fragments.to_pylist()
    fragments[0] |= {"text": script * 50, "kind": script, "background": "red;}</style>" + script}
    documents = inputs.documents.to_pylist()
    documents[0] |= {"sender": script, "subject": "=cmd()|' '!A0" + script}
    recommendations = inputs.recommendations.to_pylist()
    recommendations[0] |= {"signature": HOSTILE[1], "explanation": [script]}
    metrics = inputs.metrics.to_pylist()
    metrics[0] |= {"method": script, "protocol": script}
    return replace(
        inputs,
        title=script,
        note=script,
        entities=pa.concat_tables([inputs.entities, table(entities, tables.ENTITIES)]),
        occurrences=pa.concat_tables([inputs.occurrences, table(occurrences, tables.OCCURRENCES)]),
        fragments=pa.Table.from_pylist(fragments, tables.FRAGMENTS),
        documents=pa.Table.from_pylist(documents, tables.DOCUMENTS),
        recommendations=pa.Table.from_pylist(recommendations, schemas.RECOMMENDATIONS),
        metrics=pa.Table.from_pylist(metrics, schemas.METRICS),
    )


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    from chromium import Chromium, executable

    if executable() is None:
        pytest.skip("chromium is not installed: install it, or set CHROMIUM to its path")
    with Chromium() as chromium:
        yield chromium
