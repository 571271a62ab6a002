"""The pages as a browser shows them: nothing overflows, nothing is asked for, what is drawn is what is listed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from page_corpus import LOOKS, PAGE, table

from flows.pages import ReportInputs, recommend_html, write_report
from flows.pages.inputs import RECOMMENDATIONS
from flows.pages.styles import Style

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[3]
AXE = "axe-core@4.14.0"  # test-only, 650 KB: fetched when first needed, never committed
SIZES = (1280, 390)


@pytest.fixture(scope="module")
def pages(inputs: ReportInputs, hostile: ReportInputs, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    many = inputs.recommendations.to_pylist()
    signature = many[0]["signature"]
    advice = [(f"x#{n}", "button", 1, "", signature, 0.9, False, ["its own palette"]) for n in range(3)]
    html = PAGE.format(css="", page="#ffffff", text="Words", **LOOKS["northwind"][0])
    (folder / "advice.html").write_text(recommend_html(html, table(advice, RECOMMENDATIONS)), encoding="utf-8")
    return {
        "report": write_report(inputs, folder / "report"),
        "metrics": folder / "report" / "metrics.html",
        "hostile": write_report(hostile, folder / "hostile"),
        "empty": write_report(ReportInputs(html_of=str), folder / "empty"),
        "advice": folder / "advice.html",
    }


@pytest.fixture(scope="session")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    script = ROOT / "node_modules" / "axe-core" / "axe.min.js"
    if not script.is_file():
        if shutil.which("npm") is None:
            pytest.skip("npm is not installed: it fetches axe-core, which checks accessibility")
        folder = tmp_path_factory.mktemp("axe")
        command = ["npm", "install", "--no-audit", "--no-fund", "--fetch-retries=1", "--prefix", str(folder), AXE]
        fetched = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
        if fetched.returncode:
            pytest.skip(f"axe-core could not be fetched: {fetched.stderr.strip()[-200:]}")
        script.parent.mkdir(parents=True, exist_ok=True)
        beside = script.with_suffix(f".{os.getpid()}")  # several test processes may get here at once
        shutil.copy(folder / "node_modules" / "axe-core" / "axe.min.js", beside)
        beside.replace(script)
    return script.read_text(encoding="utf-8")


def opened(browser: Any, path: Path, width: int, scheme: str = "light") -> Any:
    """The page, all of it in view once so that lazy frames load. Scripts may run: an alert would hang the test."""
    page = browser.page(width=width, height=900, scripts=True)
    page.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    page.goto(path.as_uri())
    page.resize(width, int(page.evaluate("document.documentElement.scrollHeight")))
    page.screenshot(path.with_suffix(".png"), full_page=False)  # waits until everything is painted
    page.resize(width, 900)
    return page


@pytest.mark.parametrize("width", SIZES)
@pytest.mark.parametrize("name", ["report", "metrics", "hostile", "empty", "advice"])
def test_no_overflow_no_message_no_request(browser: Any, pages: dict[str, Path], name: str, width: int) -> None:
    page = opened(browser, pages[name], width)
    try:
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert page.console == []
        assert [url for url in page.requests if not url.startswith(("data:", "about:"))] == [pages[name].as_uri()]
    finally:
        page.close()


@pytest.mark.parametrize("name", ["report", "advice"])
def test_on_a_phone_every_recommendation_is_in_view_and_no_label_is_cut(
    browser: Any, pages: dict[str, Path], name: str
) -> None:
    page = opened(browser, pages[name], 390)
    hidden = page.evaluate(
        """[...document.querySelectorAll('.frames figure')].filter(figure => {
            const box = figure.getBoundingClientRect()
            return box.left < 0 || box.right > 390 || !box.width }).length"""
    )
    cut = page.evaluate(
        """[...document.querySelectorAll('.grid button')]
            .filter(label => label.scrollWidth > label.clientWidth || label.scrollHeight > label.clientHeight)
            .map(label => label.textContent)"""
    )
    page.close()
    assert hidden == 0
    assert cut == []


def test_further_pages_do_not_overflow_either(browser: Any, inputs: ReportInputs, tmp_path: Path) -> None:
    words = [(f"word:{n}", "word", "w" * (n % 90), "{}") for n in range(200)]
    entities = pa.concat_tables([inputs.entities, table(words, inputs.entities.schema)])
    write_report(replace(inputs, entities=entities), tmp_path)
    for width in SIZES:
        page = opened(browser, tmp_path / "words-1.html", width)
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert page.console == []
        page.close()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_every_drawn_button_looks_as_its_entry_says(
    browser: Any, pages: dict[str, Path], inputs: ReportInputs, width: int, scheme: str
) -> None:
    signatures = {row["entity_id"]: row["signature"] for row in inputs.entities.to_pylist()}
    page = opened(browser, pages["report"], width, scheme)
    drawn = page.evaluate(
        """[...document.querySelectorAll('button[data-entity]')].map(button => {
            const style = getComputedStyle(button)
            return [button.dataset.entity, style.backgroundColor, style.color, style.borderTopLeftRadius,
                style.borderBottomRightRadius, style.fontSize, style.opacity, button.offsetWidth > 0] })"""
    )
    page.close()
    assert {entity for entity, *_ in drawn} == {entity for entity in signatures if entity.startswith("button-style")}
    for entity, background, color, radius, other_radius, size, opacity, visible in drawn:
        style = Style.parse("button-style", signatures[entity])
        assert style is not None
        assert hexadecimal(background) == style.background
        assert hexadecimal(color) == style.color
        assert radius == other_radius == f"{style.radius:g}px"
        assert size == f"{style.font_size:g}px"
        assert (opacity, visible) == ("1", True)


def test_every_other_specimen_has_its_entrys_colours(
    browser: Any, pages: dict[str, Path], inputs: ReportInputs
) -> None:
    entries = {row["entity_id"]: (row["type"], row["signature"]) for row in inputs.entities.to_pylist()}
    page = opened(browser, pages["report"], 1280)
    drawn = page.evaluate(
        """[...document.querySelectorAll('span[data-entity]')].map(specimen => {
            const style = getComputedStyle(specimen)
            return [specimen.dataset.entity, style.backgroundColor, style.color, style.fontSize] })"""
    )
    page.close()
    seen = set()
    for entity, background, color, size in drawn:
        type, signature = entries[entity]
        style = Style.parse(type, signature)
        assert style is not None
        seen.add(type)
        if type == "background-style":
            assert hexadecimal(background) == style.background
        else:
            assert hexadecimal(color) == style.color
        if type == "text-style":
            assert size == f"{style.font_size:g}px"
    assert seen == {"text-style", "color-pair", "background-style"}


def test_a_redrawn_fragment_shows_the_recommended_button(
    browser: Any, pages: dict[str, Path], inputs: ReportInputs
) -> None:
    """Frames are sealed, so their documents are opened one by one."""
    page = opened(browser, pages["report"], 1280)
    frames = page.evaluate("[...document.querySelectorAll('.case:first-of-type iframe')].map(frame => frame.srcdoc)")
    page.close()
    signatures = inputs.recommendations["signature"].to_pylist()[:3]
    for srcdoc, signature in zip(frames[1:], signatures, strict=True):
        style = Style.parse("button-style", signature)
        assert style is not None
        page = browser.page(width=675)
        page.set_content(srcdoc)
        colours = page.evaluate("[...document.querySelectorAll('td,a')].map(e => getComputedStyle(e).backgroundColor)")
        page.close()
        assert style.background in [hexadecimal(colour) for colour in colours]


@pytest.mark.parametrize(
    ("name", "width", "scheme"),
    [
        ("report", 1280, "light"),
        ("report", 390, "dark"),
        ("metrics", 1280, "dark"),
        ("metrics", 390, "light"),
        ("hostile", 390, "light"),
        ("empty", 1280, "dark"),
        ("advice", 1280, "light"),
    ],
)
def test_axe_finds_nothing_serious(
    browser: Any, pages: dict[str, Path], axe: str, name: str, width: int, scheme: str
) -> None:
    page = opened(browser, pages[name], width, scheme)
    page.evaluate(axe + ";undefined")
    # Frames are sealed against scripts, axe's included: what they hold are pictures of other people's emails.
    found = page.evaluate("axe.run(document, {iframes: false}).then(result => result.violations)")
    page.close()
    serious = [
        (violation["id"], node["html"][:200])
        for violation in found
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"][:3]
    ]
    assert serious == []


def hexadecimal(colour: str) -> str:
    """A computed colour as the catalogue writes it."""
    red, green, blue, *alpha = (float(number) for number in re.findall(r"[\d.]+", colour))
    written = f"#{int(red):02x}{int(green):02x}{int(blue):02x}"
    return written + (f"{round(alpha[0] * 255):02x}" if alpha and alpha[0] < 1 else "")
