"""One email shown to a person, and nothing in it can run or reach out."""

from __future__ import annotations

import json
import re
from io import StringIO

import pytest
from rich.console import Console

from extractors.document import Document
from extractors.inspect import inspect_html, inspect_json, inspect_tree
from extractors.sources.sample import SampleOptions, generate

SAMPLE = next(iter(generate(SampleOptions(emails=1)))).html

HOSTILE = """<!doctype html><title></title><script>alert(1)</script><x></title>
<body style="background:url('javascript:alert(1)')" onload="alert(1)">
<p style="font-family:'</style><script>alert(2)</script>';color:red">[link=file:///etc/passwd]x[/link]</p>
<p>&lt;script&gt;alert(3)&lt;/script&gt;</p>
<img src="https://evil.example/track.gif" width="200" height="90" alt="&quot;&gt;&lt;img src=x onerror=alert(4)&gt;">
<a href="javascript:alert(5)" style="padding:12px 24px;background:#36f url(//evil.example/x)">Click &amp; go</a>
<iframe src="https://evil.example"></iframe><svg onload="alert(6)"></svg>"""


def printed(html: str) -> str:
    console = Console(width=200, file=StringIO())
    console.print(inspect_tree(html))
    return str(console.file.getvalue())  # type: ignore[attr-defined]


def test_json_holds_fragments_entities_and_neighbours() -> None:
    data = inspect_json(SAMPLE)
    assert json.loads(json.dumps(data)) == data
    assert [fragment["position"] for fragment in data["fragments"]] == list(range(len(data["fragments"])))
    kinds = {entity["type"] for fragment in data["fragments"] for entity in fragment["entities"]}
    assert {"button-style", "text-style", "color-pair", "background-style", "word", "image"} <= kinds
    assert any(fragment["below"] for fragment in data["fragments"])


def test_the_tree_can_be_read() -> None:
    text = printed(SAMPLE)
    assert "#0 header" in text
    assert "button-style" in text
    assert "below →" in text


def test_the_tree_counts_in_words_and_cuts_visibly() -> None:
    def lines(html: str) -> list[str]:
        console = Console(file=StringIO(), width=200)
        console.print(inspect_tree(html))
        assert isinstance(console.file, StringIO)
        return console.file.getvalue().splitlines()

    assert lines("<title>Blank</title>") == ["Blank · no fragments: nothing in it can be seen"]
    head, first, *_ = lines(f"<p>{'word ' * 20}</p>")
    assert head == "email · 1 fragment"
    assert first.endswith("word word…”")


def test_markup_in_an_email_is_text_in_the_tree() -> None:
    assert "[link=file:///etc/passwd]" in printed(HOSTILE)


@pytest.mark.parametrize("html", [SAMPLE, HOSTILE, "", "<p>x"], ids=["sample", "hostile", "empty", "short"])
def test_the_page_is_self_contained_and_inert(html: str) -> None:
    page = inspect_html(html)
    document = Document.from_html(page)
    tags = {element.tag for element in document.elements}
    assert tags <= {
        *("html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "main", "div", "b", "section"),
        *("ul", "li", "i", "code", "small"),
    }
    names = {name for element in document.elements for name in element.attributes}
    assert not any(name.startswith("on") or name in ("href", "src", "srcset", "action") for name in names)
    policy = next(e.attributes["content"] for e in document.elements if "http-equiv" in e.attributes)
    assert policy == "default-src 'none'; style-src 'unsafe-inline'"
    styles = " ".join(element.attributes.get("style", "") for element in document.elements)
    assert "url(" not in styles
    assert "evil" not in styles


def test_the_page_shows_the_text_and_outlines_every_fragment() -> None:
    page = inspect_html(HOSTILE)
    assert "&lt;script&gt;alert(3)&lt;/script&gt;" in page
    assert "Click &amp; go" in page
    assert page.count('class="outline"') == len(inspect_json(HOSTILE)["fragments"])


def test_on_a_narrow_screen_the_picture_is_made_to_fit() -> None:
    page = inspect_html(SAMPLE)
    steps = re.findall(r"@media\(max-width:(\d+)px\)\{\.email\{zoom:([\d.]+)\}\}", page)
    for screen in (360, 390, 430, 600, 768, 847):
        last = [float(zoom) for widest, zoom in steps if screen <= int(widest)][-1]
        assert 0.75 * screen - 48 <= 800 * last <= screen - 47, "it uses the room there is and no more"
    assert int(steps[0][0]) == 847, "wider screens show it as it is"
