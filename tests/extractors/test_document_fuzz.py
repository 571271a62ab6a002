"""Whatever is done to markup, reading it ends in a Document or in a verdict."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from extractors import Document, Rejected

GOLDEN = Path(__file__).parent / "golden"
SEEDS = [path.read_text(encoding="utf-8")[:6_000] for path in sorted(GOLDEN.glob("*.html"))]
PIECES = [
    *"<>\"'=/!-{}()[];:,.#*@&%\\ \n\0",
    "<style>",
    "</style>",
    "<!--",
    "-->",
    "<table>",
    "</td>",
    "<p style='",
    "url(",
    "!important",
    "@media (",
    ":not(",
    ":has(",
    "calc(1px/0)",
    "var(--a)",
    "1e999px",
    "9" * 400,
    "\ud800",
    "\U0001f600",
]


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A golden page with a few pieces cut out, doubled or put in."""
    html = draw(st.sampled_from(SEEDS))
    for _ in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, len(html)))
        stop = min(len(html), start + draw(st.integers(0, 200)))
        change = draw(st.sampled_from(("cut", "double", "insert")))
        if change == "cut":
            html = html[:start] + html[stop:]
        elif change == "double":
            html = html[:stop] + html[start:stop] + html[stop:]
        else:
            html = html[:start] + draw(st.sampled_from(PIECES)) + html[start:]
    return html


def read(html: str) -> None:
    try:
        document = Document.from_html(html)
    except Rejected:
        return
    for element in document.elements:
        assert all(isinstance(value, str) for value in element.style.values())


@given(mutated())
def test_mutated_markup(html: str) -> None:
    read(html)


@given(st.text(max_size=300))
def test_any_style_attribute(text: str) -> None:
    read(f'<p style="{text.replace(chr(34), "&quot;")}">x')


@given(st.text(alphabet=st.sampled_from("ab.#*>+~:()[]{},;@!\"'\\/-_ 1%\n="), max_size=120))
def test_any_style_sheet(text: str) -> None:
    read(f"<style>{text}</style><p class=a id=b><a href=x>x</a>")
