"""Failing pairs come first, and each is offered a colour that passes."""

import pytest
from hypothesis import given
from page_corpus import COLOURS, entry

from flows.pages.contrast import AA, contrasts, level_of, nearest_readable
from hnn_core.colour import contrast_ratio


def pair(color: str, background: str, uses: int = 1):  # type: ignore[no-untyped-def]
    return entry("color-pair", f"background:{background};color:{color}", uses)


def test_the_worst_level_first_within_it_the_most_used() -> None:
    rated = contrasts(
        [
            pair("#000000", "#ffffff", 500),
            pair("#999999", "#ffffff", 7),
            pair("#cccccc", "#ffffff", 9),
            pair("#888888", "#ffffff", 40),
        ]
    )
    assert [rating.entry.style.color for rating in rated] == ["#cccccc", "#999999", "#888888", "#000000"]  # type: ignore[union-attr]
    assert [rating.level for rating in rated] == ["fails at any size", "fails at any size", "fails below 24 px", "AAA"]
    assert [rating.printed for rating in rated] == ["1.60", "2.84", "3.54", "21.00"]


@pytest.mark.parametrize(
    ("ratio", "level"),
    [
        (1, "fails at any size"),
        (2.999, "fails at any size"),
        (3, "fails below 24 px"),
        (4.4999, "fails below 24 px"),
        (4.5, "AA"),
        (7, "AAA"),
    ],
)
def test_levels_of_wcag(ratio: float, level: str) -> None:
    assert level_of(ratio) == level


def test_a_ratio_just_short_does_not_print_as_enough() -> None:
    [rating] = contrasts([pair("#777777", "#ffffff")])  # 4.478
    assert rating.printed == "4.47"
    assert not rating.passes
    assert rating.remedy == "#767676"


@given(COLOURS, COLOURS)
def test_every_pair_has_a_remedy_that_reads(color: str, background: str) -> None:
    remedy = nearest_readable(color, background)
    assert remedy is not None
    assert contrast_ratio(remedy, background) >= AA
    if contrast_ratio(color, background) >= AA:
        assert remedy == color


def test_translucent_text_is_measured_on_what_it_stands_on() -> None:
    [rating] = contrasts([pair("#00000080", "#ffffff")])
    assert rating.ratio == pytest.approx(contrast_ratio("#7f7f7f", "#ffffff"), rel=0.02)
