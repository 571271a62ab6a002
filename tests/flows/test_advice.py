"""`hnn recommend` on emails the corpus has never seen: a useful answer or a clear message, without training."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from trained_recommender import trained_workspace

from extractors.extraction import extract
from extractors.sources.sample import SampleOptions, generate
from extractors.tables import FRAGMENTS, how, saying_how
from extractors.tasks import ExtractOptions
from flows.advice import EXAMPLES, RECOMMENDER, Advisor, as_table, write_examples
from flows.errors import HnnError, UsageError
from flows.stage import table_input
from flows.workspace import Workspace

EMAILS = list(generate(SampleOptions(emails=32)))


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    return trained_workspace(tmp_path_factory.mktemp("advice"), EMAILS, epochs=16)


@pytest.fixture(scope="module")
def advisor(workspace: Workspace) -> Advisor:
    return Advisor.of_workspace(workspace)


def test_an_email_of_a_known_brand_gets_that_brands_button_first(advisor: Advisor) -> None:
    known = {email.sender for email in EMAILS}
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
            suggested = {
                style.style for fragment in advisor.advise(email.html, top=3).fragments for style in fragment.styles
            }
            hits += bool(styles & suggested)
    assert asked >= 5
    assert hits / asked >= 0.6


def test_every_style_is_explained_by_fragments_that_hold_it(advisor: Advisor, workspace: Workspace) -> None:
    manifest = workspace.current("train")
    assert manifest is not None
    folder = workspace.result("train", manifest.key) / "emails"
    occurrences = table_input({"it": folder / "occurrences.parquet"}, "it").to_pylist()
    held = {(row["fragment_id"], row["entity_id"]) for row in occurrences}
    advice = advisor.advise(EMAILS[0].html, "button", 4)
    for style in (style for fragment in advice.fragments for style in fragment.styles):
        assert style.because
        assert all((reason.fragment_id, style.entity_id) in held for reason in style.because)
        assert all(reason.sender for reason in style.because)


def test_an_email_is_cut_as_those_of_the_corpus_were(advisor: Advisor, workspace: Workspace, tmp_path: Path) -> None:
    manifest = workspace.current("train")
    assert manifest is not None
    trained = workspace.result("train", manifest.key) / RECOMMENDER
    examples = pq.read_table(trained / EXAMPLES)
    assert how(examples.schema) == {"width": 800, "granularity": "card"}
    leaf = ExtractOptions(granularity="leaf")
    shutil.copytree(trained, tmp_path / "leaf")
    said = saying_how(FRAGMENTS, leaf).metadata
    pq.write_table(examples.replace_schema_metadata(said), tmp_path / "leaf" / EXAMPLES)
    cut = Advisor.load(tmp_path / "leaf").advise(EMAILS[0].html, top=1).fragments
    assert len(cut) == len(extract(EMAILS[0].html, "", leaf).fragments)
    assert len(cut) > len(advisor.advise(EMAILS[0].html, top=1).fragments)


def test_buttons_get_a_composed_style_that_can_be_read(advisor: Advisor) -> None:
    html = "<table><tr><td style='background:#102030;color:#fff;padding:40px;font-size:18px'>A new brand speaks</table>"
    [fragment] = advisor.advise(html, "button", 2).fragments
    assert fragment.current == ()
    assert fragment.composed is not None
    assert fragment.composed.contrast >= 4.5
    assert 8 <= fragment.composed.font_size <= 40


@pytest.mark.parametrize(
    "html", ["<p>No style at all", "<p dir=rtl>שלום עולם</p>", "<body><table><tr><td>plain", "text without any tag"]
)
def test_an_email_without_buttons_gets_an_answer_for_each_fragment(advisor: Advisor, html: str) -> None:
    for target, start in (("background", "background:"), ("text", "font-size:"), ("pair", "background:")):
        [fragment] = advisor.advise(html, target, 2).fragments
        assert [style.rank for style in fragment.styles] == [1, 2]
        assert all(style.style.startswith(start) for style in fragment.styles)
        assert fragment.composed is None


def test_the_page_and_the_json_hold_all_of_it(advisor: Advisor) -> None:
    advice = advisor.advise(EMAILS[1].html, "button", 2)
    answer = json.loads(json.dumps(advice.as_json()))
    assert answer["target"] == "button-style"
    assert len(answer["fragments"][0]["styles"]) == 2
    table = as_table(advice).to_pylist()
    assert len(table) == 3 * len(advice.fragments), "two styles and a composed one for each fragment"
    assert all(row["explanation"] for row in table)


def test_nothing_to_see_and_nothing_to_learn_from_are_said(advisor: Advisor, tmp_path: Path) -> None:
    with pytest.raises(HnnError, match="nothing in it can be seen"):
        advisor.advise("<html></html>")
    with pytest.raises(HnnError, match="Run `hnn run` first"):
        Advisor.of_workspace(Workspace(tmp_path))
    with pytest.raises(UsageError, match="expected one of button, background, text, pair"):
        advisor.advise("<p>hello", "buton")


def test_a_folder_that_holds_all_emails_is_nobodys_name(tmp_path: Path) -> None:
    documents = [
        {"doc_id": "lone", "sender": "mails", "location": "one.html"},
        {"doc_id": "folder", "sender": "acme", "location": "acme/one.html"},
        {"doc_id": "archive", "sender": "acme", "location": "acme.zip!one.html"},
        {"doc_id": "message", "sender": "acme.example", "location": "one.eml"},
    ]
    fragments = [{"fragment_id": f"{row['doc_id']}#0", "doc_id": row["doc_id"], "text": ""} for row in documents]
    write_examples(pa.Table.from_pylist(fragments), pa.Table.from_pylist(documents), tmp_path)
    assert pq.read_table(tmp_path / EXAMPLES)["sender"].to_pylist() == ["", "acme", "acme", "acme.example"]
