"""A run as a whole: which corpus it has, what its stages prepare, and what it finds of one that was killed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from flows import config as configuration
from flows import runs
from flows.commands.running import _through_prefect
from flows.config import Config
from flows.errors import HnnError, UsageError
from flows.running import PipelineRun, Request, corpus_as_before, open_run, remember_corpus
from flows.stage import Context, Stage
from flows.workspace import Workspace


def write_source(context: Context) -> Mapping[str, Any]:
    (context.out / "documents.txt").write_text("one")
    return {"documents": 1}


SOURCE = Stage("scrape", 1, (), ("documents.txt",), write_source)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "arbeits platz äöü")


def test_the_corpus_is_kept_before_anything_else_is_done(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run killed while its servers start must not make the next one take the sample."""
    plain = configuration.load(None, {}, ())
    remember_corpus(workspace, ["scrape.source=/mails"])

    def killed() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("flows.tracking_server.check", killed)
    request = Request(workspace=str(workspace.root), overrides=("scrape.source=/other mäils",))
    with pytest.raises(KeyboardInterrupt):
        _through_prefect(request)
    assert corpus_as_before(workspace, plain) == "/other mäils"
    remember_corpus(workspace, ["train.epochs=3"])
    assert corpus_as_before(workspace, plain) == "/other mäils", "what names none changes nothing"
    remember_corpus(workspace, ["scrape.source=https://me:secret@example.org/list.txt"])
    assert "secret" not in workspace.corpus.read_text("utf-8")
    with pytest.raises(UsageError, match=r"not kept whole\. Name it again"):
        corpus_as_before(workspace, plain)


class Helper:
    """What a stage prepares, for these tests."""

    def __init__(self) -> None:
        self.closed = 0

    def close(self) -> None:
        self.closed += 1


def test_what_a_stage_prepares_is_given_to_it_and_ends_with_it(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    helper, seen = Helper(), []

    def look(context: Context) -> Mapping[str, Any]:
        seen.append((context.prepared, helper.closed))
        return write_source(context)

    stage = replace(SOURCE, run=look, prepare=lambda config: helper)
    monkeypatch.setattr("flows.running.stage_named", lambda name: stage)
    config = Config()
    request = Request(workspace=str(workspace.root), only="scrape")
    run = PipelineRun(workspace, config, request, runs.start("hnn stage scrape", {}, config.digest()))
    run.prepare()
    run.run_stage("scrape")
    assert seen == [(helper, 0)]
    assert helper.closed == 1
    run.prepare()  # nothing to do this time
    run.run_stage("scrape")
    assert (len(seen), helper.closed) == (1, 2)
    run.prepare()  # never reached
    run.close()
    assert (len(seen), helper.closed) == (1, 3)


def test_a_stage_that_cannot_prepare_says_why_when_its_turn_comes(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_process(config: Config) -> Helper:
        raise BlockingIOError("no more processes")

    def run_alone(context: Context) -> Mapping[str, Any]:
        assert context.prepared is None
        no_process(context.config)
        return {}

    stage = replace(SOURCE, run=run_alone, prepare=no_process)
    monkeypatch.setattr("flows.running.stage_named", lambda name: stage)
    config = Config()
    request = Request(workspace=str(workspace.root), only="scrape")
    run = PipelineRun(workspace, config, request, runs.start("hnn stage scrape", {}, config.digest()))
    run.prepare()
    with pytest.raises(HnnError, match="stage scrape: no more processes"):
        run.run_stage("scrape")


def test_what_was_killed_is_found_by_the_next_run(workspace: Workspace) -> None:
    dead = runs.start("nightly", {}, "")
    runs.save(workspace, dead)
    with open_run(Request(workspace=str(workspace.root))) as run:
        assert [record.id for record in run.killed] == [dead.id]
    with open_run(Request(workspace=str(workspace.root))) as run:
        assert run.killed == []
