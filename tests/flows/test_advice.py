"""`hnn recommend` on emails the corpus has never seen: a useful answer or a clear message, without training."""

from __future__ import annotations

from pathlib import Path

import pytest

from extractors.sources.sample import SampleOptions, generate
from extractors.writing import Source, write_tables
from flows.advice import suggest
from flows.config import Config
from flows.errors import HnnError, UsageError
from flows.execution import execute
from flows.planning import decide
from flows.progress import Silent
from flows.stage import Context, Stage
from flows.workspace import Workspace


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """Thirty-two sample emails, extracted and published."""
    emails = list(generate(SampleOptions(emails=32)))

    def extract(context: Context) -> dict[str, int]:
        sources = [Source(f"{n:016}", f"{n}.html", lambda html=e.html: html) for n, e in enumerate(emails)]  # type: ignore[misc]
        write_tables(context.out, sources, workers=1)
        return {}

    names = tuple(f"{name}.parquet" for name in ("fragments", "entities", "occurrences", "neighbours"))
    stage = Stage("extract", 1, (), names, extract)
    place = Workspace(tmp_path_factory.mktemp("advice"))
    execute(place, decide(place, stage, Config(), {}), Config(), {}, Silent())
    return place


def test_an_email_of_a_known_brand_gets_that_brands_button_first(workspace: Workspace) -> None:
    known = {email.sender for email in generate(SampleOptions(emails=32))}
    fresh = [email for email in generate(SampleOptions(emails=40, seed=11)) if email.sender in known]
    hits = asked = 0
    for email in fresh[:12]:
        keys = ("background", "radius", "color", "font-size")
        styles = {
            ";".join(f"{key}:{value}" for key, value in zip(keys, button.signature, strict=True))
            for button in email.truth.buttons
        }
        if styles:
            asked += 1
            hits += any(suggestion.style in styles for suggestion in suggest(workspace, email.html, "button", 3))
    assert asked >= 5
    assert hits / asked >= 0.6


@pytest.mark.parametrize("html", ["<p>No style at all", "<p dir=rtl>שלום עולם</p>", "<body><table><tr><td>plain"])
def test_an_email_without_buttons_gets_an_answer_for_each_fragment(workspace: Workspace, html: str) -> None:
    found = suggest(workspace, html, "background", 2)
    assert [s.rank for s in found] == [1, 2]
    assert all(s.style.startswith("background:") for s in found)


def test_nothing_to_see_and_nothing_to_learn_from_are_said(workspace: Workspace, tmp_path: Path) -> None:
    with pytest.raises(HnnError, match="nothing in it can be seen"):
        suggest(workspace, "<html></html>", "button", 3)
    with pytest.raises(HnnError, match="Run `hnn run` first"):
        suggest(Workspace(tmp_path), "<p>hello", "button", 3)
    with pytest.raises(UsageError, match="expected one of button, background, text, pair"):
        suggest(workspace, "<p>hello", "buton", 3)
