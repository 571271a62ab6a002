"""A workspace with a run whose stage train published a recommender, without the stages and variants around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from extractors.sources.sample import SampleEmail
from extractors.writing import Source, write_tables
from flows import runs
from flows.advice import EXAMPLES, RECOMMENDER
from flows.config import Config
from flows.execution import execute
from flows.planning import decide
from flows.progress import Silent
from flows.recommend import EMAIL_TABLES
from flows.stage import Context, Stage
from flows.train import fit_recommender
from flows.workspace import Workspace


def email_inputs(folder: Path, emails: Sequence[SampleEmail]) -> dict[str, Path]:
    """The emails extracted into a folder, as the inputs of a stage."""
    sources = [Source(f"{n:016}", f"{n}.html", lambda html=e.html: html) for n, e in enumerate(emails)]  # type: ignore[misc]
    write_tables(folder, sources, workers=1)
    documents = [
        {"doc_id": f"{n:016}", "sender": email.sender, "location": f"{email.sender}/{n}.html"}
        for n, email in enumerate(emails)
    ]
    pq.write_table(pa.Table.from_pylist(documents), folder / "documents.parquet")
    return {path: folder / f"{name}.parquet" for name, path in EMAIL_TABLES.items()}


def trained_workspace(folder: Path, emails: Sequence[SampleEmail], epochs: int) -> Workspace:
    """The emails' tables are kept beside the recommender, in ``emails/``."""

    def train(context: Context) -> Mapping[str, Any]:
        inputs = email_inputs(context.out / "emails", emails)
        fit_recommender(inputs, context.out / RECOMMENDER, epochs, seed=0)
        for name in ("metrics", "curves"):  # of variants: none was trained
            pq.write_table(pa.table({"variant": [], "protocol": []}), context.out / f"{name}.parquet")
        return {}

    stage = Stage("train", 2, (), (f"{RECOMMENDER}/{EXAMPLES}",), train)
    workspace = Workspace(folder)
    config = Config()
    record = runs.start("hnn run", config.public(), config.digest())
    record.add(execute(workspace, decide(workspace, stage, config, {}), config, {}, Silent()))
    record.status = "completed"
    runs.save(workspace, record)
    return workspace
