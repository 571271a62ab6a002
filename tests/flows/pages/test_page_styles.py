"""Only hex colours and numbers get from an email's CSS to a page's."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from page_corpus import FONT, HOSTILE

from flows.pages.details import details_css, family
from flows.pages.styles import STYLE_TYPES, Style, opaque, shortened

BUTTON = "background:#3867ff;radius:999px;color:#ffffff;font-size:16px"
SAFE = re.compile(
    r"(?:(?:background-color|color):#[0-9a-f]{6,8}|border-radius:[\d.]+(?:px|%)|font-size:[\d.]+px|opacity:[\d.]+|;)*"
)


def test_a_button_is_drawn_from_its_four_fields() -> None:
    style = Style.parse("button-style", BUTTON)
    assert style is not None
    assert style.css == "background-color:#3867ff;color:#ffffff;border-radius:999px;font-size:16px"
    assert style.facts == "#3867ff, #ffffff, 16 px, pill"
    assert style.contrast == pytest.approx(4.61, abs=0.01)


@pytest.mark.parametrize(
    ("type", "signature", "css"),
    [
        ("text-style", "font-size:13.5px;color:#333333", "color:#333333;font-size:13.5px"),
        ("color-pair", "background:#ffffff;color:#00000080", "background-color:#ffffff;color:#00000080"),
        ("background-style", "background:#fafafa;opacity:0.4;image:url", "background-color:#fafafa;opacity:0.4"),
        (
            "button-style",
            "background:transparent;radius:12.5%;color:#111111;font-size:9px",
            "background-color:#00000000;color:#111111;border-radius:12.5%;font-size:9px",
        ),
    ],
)
def test_each_type_has_its_own_fields(type: str, signature: str, css: str) -> None:
    style = Style.parse(type, signature)
    assert style is not None
    assert style.css == css


@pytest.mark.parametrize("signature", [*HOSTILE, "", "background:#fff", BUTTON.replace("16px", "1e9px"), BUTTON + "0"])
def test_what_does_not_validate_is_not_drawn(signature: str) -> None:
    assert Style.parse("button-style", signature) is None


@given(st.sampled_from([*STYLE_TYPES, "word", "image"]), st.text(max_size=300))
def test_no_text_at_all_becomes_css_other_than_colours_and_lengths(type: str, text: str) -> None:
    for signature in (text, BUTTON.replace("#ffffff", text), f"{BUTTON};{text}"):
        style = Style.parse(type, signature)
        if style is not None:
            assert SAFE.fullmatch(style.css)


FIELDS = ("border", "padding", "font_weight", "font_family", "text_transform")


@given(st.dictionaries(st.sampled_from(FIELDS), st.text()))
def test_details_are_recognised_ones(attributes: dict[str, str]) -> None:
    css = details_css(attributes)
    assert not set("<>\\{}()@/") & set(css)
    assert {part.partition(":")[0] for part in css.split(";")} <= {field.replace("_", "-") for field in FIELDS}


def test_details_of_a_real_button() -> None:
    css = details_css(
        {"border": "2px solid #ff0000", "padding": "12px 24px 12px 24px", "font_weight": "bold", "font_family": "Lora"}
    )
    assert css.startswith("border:2px solid #ff0000;padding:12px 24px 12px 24px;font-weight:700;font-family:Georgia")


def test_a_font_name_only_tells_families_apart() -> None:
    assert family("Helvetica Neue, Arial, sans-serif") == "sans"
    assert family('"Playfair Display", serif') == "serif"
    assert family("ui-monospace, SFMono-Regular") == "fixed"
    assert "F" * 100 not in details_css({"font_family": FONT})


def test_long_text_is_cut() -> None:
    assert len(shortened(FONT, 60)) == 60
    assert shortened("a\n  b") == "a b"


def test_translucent_colours_are_laid_over_what_is_behind() -> None:
    assert opaque("#00000080") == "#7f7f7f"
    assert opaque("#ffffff80", over="#000000") == "#808080"
