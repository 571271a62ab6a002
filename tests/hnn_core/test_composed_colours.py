"""The colours of a composed button: text that can be read, a button that can be seen on its paper."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hnn_core.colour import colour_difference, contrast_ratio
from hnn_core.recommend.attribute_nodes import OUTLINE
from hnn_core.recommend.colour_decision import best_pair
from hnn_core.recommend.readable import READABLE
from hnn_core.recommend.visible import stands_out

COLOURS = st.integers(0, 0xFFFFFF).map(lambda number: f"#{number:06x}")


@given(
    backgrounds=st.lists(COLOURS | st.just(OUTLINE), min_size=1, max_size=4, unique=True),
    inks=st.lists(COLOURS, min_size=1, max_size=4, unique=True),
    paper=COLOURS,
    seed=st.integers(0, 99),
)
def test_a_pair_can_be_read_and_seen_whatever_the_palette(
    backgrounds: list[str], inks: list[str], paper: str, seed: int
) -> None:
    together = np.random.default_rng(seed).random((len(backgrounds), len(inks)))
    background, ink = best_pair(backgrounds, inks, together / together.sum(), paper)
    assert contrast_ratio(ink, paper if background == OUTLINE else background) >= READABLE
    assert stands_out(ink if background == OUTLINE else background, paper)


def test_the_next_colour_of_the_palette_or_an_outline_is_taken_where_the_likeliest_is_the_paper() -> None:
    likely = np.array([[0.7], [0.3]])
    assert best_pair(["#fefefe", "#f0c000"], ["#000000"], likely, "#ffffff") == ("#f0c000", "#000000")
    assert best_pair(["#fefefe", OUTLINE], ["#222222"], likely, "#ffffff") == (OUTLINE, "#222222")


@pytest.mark.parametrize(
    ("colour", "paper", "seen"),
    [
        ("#ffffff", "#ffffff", False),
        ("#f7f7f7", "#ffffff", False),
        ("#ffff00", "#ffffff", True),  # a contrast of 1.07, and nobody overlooks it
        ("#000000", "#1a1a1a", False),
        ("#767676", "#ffffff", True),
    ],
)
def test_a_button_is_seen_by_contrast_or_by_colour(colour: str, paper: str, seen: bool) -> None:
    assert stands_out(colour, paper) == seen
    assert seen == (contrast_ratio(colour, paper) >= 3 or colour_difference(colour, paper) >= 10)
