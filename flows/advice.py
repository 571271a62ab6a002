"""Styles for an email the corpus has never seen: the workspace's tables answer, nothing is trained.

The unseen email is put beside the corpus; each of its fragments asks, with its own entities, its email's and its
neighbours' as context, which style the most similar fragments of the corpus carry (fragment kNN with context, the
strongest of the methods that need no training).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from flows.errors import HnnError, UsageError
from flows.planning import current_upstream
from flows.stage import Stage
from flows.workspace import Workspace

TARGETS = {
    "button": "button-style",
    "background": "background-style",
    "text": "text-style",
    "pair": "color-pair",
}
TABLES = ("fragments", "entities", "occurrences", "neighbours")


@dataclass(frozen=True)
class Suggestion:
    """One style for one fragment of the email."""

    fragment: int
    kind: str
    text: str
    rank: int
    style: str
    entity_id: str
    score: float
    used: bool  # the fragment has this style already


def suggest(workspace: Workspace, html: str, target: str, top: int) -> list[Suggestion]:
    """The best styles of the corpus for each fragment of an email."""
    import numpy as np
    import pyarrow as pa

    from extractors.extraction import ExtractOptions, extract
    from extractors.limits import Rejected
    from extractors.writing import arrow_tables
    from hnn_core.recommend.corpus import Corpus, EmailTables, Observed
    from hnn_core.recommend.queries import Queries
    from hnn_core.recommend.rivals import RIVALS

    name = target_named(target)
    known = _corpus_tables(workspace)
    try:
        email = arrow_tables([extract(html, "unseen", ExtractOptions())])
    except Rejected as error:
        raise HnnError(f"this email has nothing to recommend for: {error}") from None
    together = {table: pa.concat_tables([known[table], email[table]]) for table in TABLES}
    everything = Observed.all_of(Corpus.from_tables(EmailTables(**together)))
    corpus = everything.corpus
    unseen = np.flatnonzero(corpus.email_ids[corpus.email_of] == "unseen")
    training = everything.without(np.isin(corpus.fragment, unseen))
    catalogue = training.catalogue(name)
    if not len(catalogue):
        raise HnnError(f"{workspace.root}: the corpus has no {name} to recommend")
    scores = RIVALS["knn-context"](training, name, 0)(Queries.of(everything, unseen))
    fragments = {row["fragment_id"]: row for row in email["fragments"].to_pylist()}
    signatures = dict(zip(*(known["entities"][c].to_pylist() for c in ("entity_id", "signature")), strict=True))
    suggestions = []
    for row in np.argsort([fragments[corpus.fragment_ids[index]]["position"] for index in unseen]).tolist():
        fragment = fragments[corpus.fragment_ids[unseen[row]]]
        own = set(everything.incidence[[unseen[row]]].indices.tolist())
        for rank, column in enumerate(np.argsort(-scores[row], kind="stable")[:top].tolist(), start=1):
            entity = int(catalogue[column])
            suggestions.append(
                Suggestion(
                    fragment=fragment["position"],
                    kind=fragment["kind"],
                    text=fragment["text"][:60],
                    rank=rank,
                    style=signatures[corpus.entity_ids[entity]],
                    entity_id=corpus.entity_ids[entity],
                    score=round(float(scores[row, column]), 6),
                    used=entity in own,
                )
            )
    return suggestions


def target_named(target: str) -> str:
    if target in TARGETS.values():
        return target
    if target not in TARGETS:
        raise UsageError(f"--target {target}: expected one of {', '.join(TARGETS)}")
    return TARGETS[target]


def as_table(suggestions: list[Suggestion], target: str) -> Any:
    """The suggestions in the columns of the report's recommendations."""
    import pyarrow as pa

    from flows.pages.inputs import RECOMMENDATIONS

    rows = [
        {
            "fragment_id": f"unseen#{suggestion.fragment}",
            "target": target_named(target),
            "rank": suggestion.rank,
            "entity_id": suggestion.entity_id,
            "signature": suggestion.style,
            "score": suggestion.score,
            "truth": suggestion.used,
            "explanation": [],
        }
        for suggestion in suggestions
    ]
    return pa.Table.from_pylist(rows, RECOMMENDATIONS)


def as_json(suggestions: list[Suggestion], target: str) -> Mapping[str, Any]:
    return {"target": target_named(target), "suggestions": [asdict(suggestion) for suggestion in suggestions]}


def _corpus_tables(workspace: Workspace) -> dict[str, Any]:
    import pyarrow.parquet as pq

    needs = Stage("recommend", 1, tuple(f"extract/{name}.parquet" for name in TABLES), (), lambda _: {})
    manifest = current_upstream(workspace, needs)["extract"]
    folder = workspace.result("extract", manifest.key)
    return {name: pq.read_table(folder / f"{name}.parquet") for name in TABLES}
