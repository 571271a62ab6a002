"""The stage contract: keys decide, results are published whole or not at all, damage is named."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from extractors.store import DocumentStore
from flows import config as configuration
from flows import runs
from flows.config import Config
from flows.errors import HnnError, UsageError
from flows.execution import Outcome, execute
from flows.manifest import Manifest
from flows.planning import decide, status
from flows.progress import Silent
from flows.retention import Documents, clean, superfluous
from flows.running import corpus_as_before
from flows.scrape import STAGE as SCRAPE
from flows.stage import Context, Stage
from flows.workspace import Workspace, write_atomically


def write_source(context: Context) -> Mapping[str, Any]:
    (context.out / "documents.txt").write_text(context.config.scrape.source.split(":")[0])
    return {"documents": 1}


def write_copy(context: Context) -> Mapping[str, Any]:
    text = context.inputs["scrape/documents.txt"].read_text()
    (context.out / "fragments.txt").write_text(f"{text} at {context.config.extract.width}")
    (context.out / "folder").mkdir()
    (context.out / "folder" / "more.txt").write_text("more")
    return {}


SOURCE = Stage("scrape", 1, (), ("documents.txt",), write_source)
COPY = Stage("extract", 1, ("scrape/documents.txt",), ("fragments.txt",), write_copy)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "arbeits platz äöü")


def run_both(workspace: Workspace, *overrides: str, force: bool = False) -> list[Outcome]:
    config = configuration.load(None, {}, overrides)
    upstream: dict[str, Manifest] = {}
    outcomes = []
    for stage in (SOURCE, COPY):
        decision = decide(workspace, stage, config, upstream, force=force)
        outcome = execute(workspace, decision, config, configuration.parse_overrides(overrides), Silent())
        upstream[stage.name] = outcome.manifest
        outcomes.append(outcome)
    return outcomes


def ran(outcomes: list[Outcome]) -> list[bool]:
    return [outcome.ran for outcome in outcomes]


def test_the_same_key_is_not_run_twice(workspace: Workspace) -> None:
    assert ran(run_both(workspace)) == [True, True]
    assert ran(run_both(workspace)) == [False, False]


def test_a_changed_parameter_reruns_its_stage_and_going_back_finds_the_earlier_result(
    workspace: Workspace,
) -> None:
    run_both(workspace)
    changed = run_both(workspace, "extract.width=600")
    assert ran(changed) == [False, True]
    assert changed[1].reason == "parameter width: 800 → 600"
    assert ran(run_both(workspace)) == [False, False]
    current = workspace.current("extract")
    assert current is not None
    assert current.parameters["width"] == 800


def test_downstream_is_not_rerun_when_its_input_comes_out_identical(workspace: Workspace) -> None:
    run_both(workspace)
    assert ran(run_both(workspace, "scrape.source=sample:emails=3")) == [True, False]


def test_an_earlier_result_is_built_on_only_while_it_is_whole(workspace: Workspace) -> None:
    """Damage and a new email at once: what is left of the earlier tables must not get into the new ones."""
    offered: list[Path | None] = []

    def note(context: Context) -> Mapping[str, Any]:
        offered.append(context.previous)
        return write_copy(context)

    stage, config = replace(COPY, run=note), configuration.load(None, {}, ())

    def run_on(text: str) -> Path:
        source = replace(SOURCE, run=lambda context: {"n": (context.out / "documents.txt").write_text(text)})
        first = execute(workspace, decide(workspace, source, config, {}, force=True), config, {}, Silent()).manifest
        decision = decide(workspace, stage, config, {"scrape": first})
        return workspace.result("extract", execute(workspace, decision, config, {}, Silent()).manifest.key)

    one = run_on("one")
    two = run_on("one, two")
    (two / "fragments.txt").write_text("cut")
    run_on("one, two, three")
    (one / "fragments.txt").unlink()
    (workspace.result("extract", workspace.current("extract").key) / "fragments.txt").unlink()  # type: ignore[union-attr]
    run_on("one, two, three, four")
    assert offered == [None, one, one, None]


def test_a_workspace_keeps_the_corpus_it_was_given(workspace: Workspace) -> None:
    """A run without --corpus must not put the sample in the place of somebody's own emails."""
    plain, named = (configuration.load(None, {}, o) for o in ((), ("scrape.source=sample:emails=9",)))
    assert corpus_as_before(workspace, plain) is None
    run_both(workspace, "scrape.source=/mails")
    assert corpus_as_before(workspace, plain) == "/mails"
    assert corpus_as_before(workspace, named) is None, "what is said now, or in hnn.toml, wins"
    run_both(workspace, "scrape.source=https://me:secret@example.org/list.txt")
    with pytest.raises(UsageError, match=r"not kept whole\. Name it again"):
        corpus_as_before(workspace, plain)


def test_execution_settings_are_not_part_of_a_key(workspace: Workspace) -> None:
    run_both(workspace)
    assert ran(run_both(workspace, "execution.workers=7")) == [False, False]


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (lambda path: path.write_text("sample at 801"), "was changed since it was written"),
        (lambda path: path.write_text("sam"), "has 3 bytes, 13 were written"),
        (lambda path: path.unlink(), "is missing"),
    ],
)
def test_a_damaged_file_is_named_and_repaired(workspace: Workspace, harm: Any, message: str) -> None:
    manifest = run_both(workspace)[1].manifest
    path = workspace.result("extract", manifest.key) / "fragments.txt"
    harm(path)
    outcomes = run_both(workspace)
    assert ran(outcomes) == [False, True]
    assert str(path) in outcomes[1].reason
    assert message in outcomes[1].reason
    assert path.read_text() == "sample at 800"


def test_a_failing_stage_leaves_nothing_behind_and_the_old_result_in_use(workspace: Workspace) -> None:
    run_both(workspace)

    def fail(context: Context) -> Mapping[str, Any]:
        (context.out / "fragments.txt").write_text("half")
        raise OSError(28, "No space left on device", "fragments.txt")

    broken = Stage("extract", 2, COPY.inputs, COPY.outputs, fail)
    before = workspace.current("extract")
    scrape = workspace.current("scrape")
    assert scrape is not None
    decision = decide(workspace, broken, Config(), {"scrape": scrape})
    with pytest.raises(HnnError, match="stage extract: the disk is full"):
        execute(workspace, decision, Config(), {}, Silent())
    assert workspace.current("extract") == before
    assert [path.name for path in (workspace.stages / "extract").iterdir() if path.name.startswith(".")] == []


def test_a_kill_between_the_two_renames_loses_nothing(workspace: Workspace) -> None:
    manifest = run_both(workspace)[1].manifest
    target = workspace.result("extract", manifest.key)
    target.rename(target.with_name(f".aside-{target.name}"))  # what is left if the process dies right there
    assert ran(run_both(workspace)) == [False, False]
    assert (target / "fragments.txt").exists()


def test_killed_while_writing_the_next_run_removes_the_draft_and_goes_on(workspace: Workspace) -> None:
    def hang(context: Context) -> Mapping[str, Any]:
        (context.out / "documents.txt").write_text("half")
        (context.workspace.root / "started").touch()
        time.sleep(60)
        return {}

    slow = Stage("scrape", 1, (), ("documents.txt",), hang)

    def child() -> None:
        execute(workspace, decide(workspace, slow, Config(), {}), Config(), {}, Silent())

    process = multiprocessing.get_context("fork").Process(target=child)
    process.start()
    while not (workspace.root / "started").exists():
        time.sleep(0.01)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    assert workspace.current("scrape") is None
    assert ran(run_both(workspace)) == [True, True]
    assert not list((workspace.stages / "scrape").glob(".writing-*"))


def test_status_tells_fresh_stale_and_missing(workspace: Workspace) -> None:
    stages = (SOURCE, COPY)
    assert [s.state for s in status(workspace, Config(), stages)] == ["missing", "missing"]
    run_both(workspace)
    assert [s.state for s in status(workspace, Config(), stages)] == ["fresh", "fresh"]
    changed = configuration.load(None, {}, ["extract.width=500"])
    scrape, extract = status(workspace, changed, stages)
    assert (scrape.state, extract.state) == ("fresh", "stale")
    assert extract.why == "parameter width: 800 → 500"


def test_a_stage_rerun_with_another_parameter_is_fresh_and_what_is_below_it_stale(
    workspace: Workspace,
) -> None:
    run_both(workspace)

    def other(context: Context) -> Mapping[str, Any]:
        (context.out / "documents.txt").write_text("other content")
        return {}

    overrides = ["scrape.source=elsewhere"]
    config = configuration.load(None, {}, overrides)
    stage = Stage("scrape", 1, (), ("documents.txt",), other)
    execute(
        workspace,
        decide(workspace, stage, config, {}),
        config,
        configuration.parse_overrides(overrides),
        Silent(),
    )
    scrape, extract = status(workspace, Config(), (SOURCE, COPY))
    assert scrape.state == "fresh"
    assert scrape.overrides == {"scrape.source": "elsewhere"}
    assert (extract.state, extract.why) == ("stale", "input scrape/documents.txt has changed")


def test_a_second_writer_is_told_who_holds_the_workspace(workspace: Workspace) -> None:
    workspace.root.mkdir(parents=True)
    context = multiprocessing.get_context("fork")
    ready, done = context.Event(), context.Event()

    def holder() -> None:
        with workspace.lock("hnn run"):
            ready.set()
            done.wait(30)

    process = context.Process(target=holder)
    process.start()
    assert ready.wait(30)
    with (
        pytest.raises(HnnError, match=r"in use by `hnn run` \(process \d+\)"),
        workspace.lock("hnn stage train"),
    ):
        pass
    with pytest.raises(HnnError, match=r"in use by `hnn run` \(process \d+\)\. Wait for it to end, pass --wait, or"):
        workspace.check_free()
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)  # the lock dies with its holder
    process.join()
    workspace.check_free()
    with workspace.lock("hnn stage train"):
        pass


def test_a_read_only_place_is_a_clear_message(tmp_path: Path) -> None:
    blocker = tmp_path / "file"
    blocker.touch()
    with (
        pytest.raises(HnnError, match="cannot write to the workspace"),
        Workspace(blocker / "inside").lock("hnn run"),
    ):
        pass


def test_retention_keeps_what_is_in_use(workspace: Workspace) -> None:
    for width in (600, 700, 800):
        run_both(workspace, f"extract.width={width}")
    run_both(workspace, "extract.width=600")  # the oldest is in use again
    found = superfluous(workspace, keep=2)
    assert len(found.results) == 1
    assert found.bytes > 0
    clean(workspace, found)
    widths = {manifest.parameters["width"] for manifest in workspace.manifests("extract")}
    assert widths == {600, 800}
    assert ran(run_both(workspace, "extract.width=600")) == [False, False]


def test_documents_that_no_kept_result_lists_go_with_them(workspace: Workspace) -> None:
    config = configuration.load(None, {}, ["scrape.source=sample:emails=6"])
    fewer = configuration.load(None, {}, ["scrape.source=sample:emails=6,seed=9"])
    for wanted in (config, fewer):
        execute(workspace, decide(workspace, SCRAPE, wanted, {}), wanted, {}, Silent())
    store = DocumentStore(workspace.store)
    assert len(list(store.sizes())) == 12
    assert superfluous(workspace, keep=2).documents == Documents()
    found = superfluous(workspace, keep=1)
    assert len(found.documents.sha256) == 6
    before = store.path.stat().st_size
    clean(workspace, found)
    assert {sha256 for sha256, _ in store.sizes()}.isdisjoint(found.documents.sha256)
    assert len(list(store.sizes())) == 6
    assert store.path.stat().st_size < before
    again = execute(workspace, decide(workspace, SCRAPE, config, {}), config, {}, Silent())
    assert again.ran
    assert len(list(store.sizes())) == 12, "what was freed is fetched again when it is asked for"


def test_an_atomic_write_that_fails_leaves_the_old_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "pointer"
    write_atomically(path, "old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_atomically(path, "new")
    assert path.read_text() == "old"
    assert [child.name for child in tmp_path.iterdir()] == ["pointer"]


def test_a_kill_between_write_and_rename_leaves_nothing_behind(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = workspace.stages / "scrape"
    record = runs.start("hnn run", {}, "")
    with monkeypatch.context() as killed:
        killed.setattr(Path, "replace", killed_here)
        for write in (lambda: workspace.use("scrape", "a" * 16), lambda: runs.save(workspace, record)):
            with pytest.raises(KeyboardInterrupt):
                write()
    assert len([*stage.iterdir(), *workspace.runs.iterdir()]) == 2
    with workspace.lock("hnn run"):
        assert [*stage.iterdir(), *workspace.runs.iterdir()] == []


def killed_here(*_: object) -> None:
    raise KeyboardInterrupt  # nothing after it is run, as after a kill
