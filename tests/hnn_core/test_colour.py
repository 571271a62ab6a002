"""ΔE2000 is the published one, contrast is WCAG's, and colours are parsed or refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hnn_core import colour

# Sharma, Wu and Dalal (2005), "The CIEDE2000 Color-Difference Formula", Table 1: all 34 pairs, made to catch
# the hue wrap, the blue rotation term and vanishing chroma.
SHARMA = np.array(
    [
        [50.0000, 2.6772, -79.7751, 50.0000, 0.0000, -82.7485, 2.0425],
        [50.0000, 3.1571, -77.2803, 50.0000, 0.0000, -82.7485, 2.8615],
        [50.0000, 2.8361, -74.0200, 50.0000, 0.0000, -82.7485, 3.4412],
        [50.0000, -1.3802, -84.2814, 50.0000, 0.0000, -82.7485, 1.0000],
        [50.0000, -1.1848, -84.8006, 50.0000, 0.0000, -82.7485, 1.0000],
        [50.0000, -0.9009, -85.5211, 50.0000, 0.0000, -82.7485, 1.0000],
        [50.0000, 0.0000, 0.0000, 50.0000, -1.0000, 2.0000, 2.3669],
        [50.0000, -1.0000, 2.0000, 50.0000, 0.0000, 0.0000, 2.3669],
        [50.0000, 2.4900, -0.0010, 50.0000, -2.4900, 0.0009, 7.1792],
        [50.0000, 2.4900, -0.0010, 50.0000, -2.4900, 0.0010, 7.1792],
        [50.0000, 2.4900, -0.0010, 50.0000, -2.4900, 0.0011, 7.2195],
        [50.0000, 2.4900, -0.0010, 50.0000, -2.4900, 0.0012, 7.2195],
        [50.0000, -0.0010, 2.4900, 50.0000, 0.0009, -2.4900, 4.8045],
        [50.0000, -0.0010, 2.4900, 50.0000, 0.0010, -2.4900, 4.8045],
        [50.0000, -0.0010, 2.4900, 50.0000, 0.0011, -2.4900, 4.7461],
        [50.0000, 2.5000, 0.0000, 50.0000, 0.0000, -2.5000, 4.3065],
        [50.0000, 2.5000, 0.0000, 73.0000, 25.0000, -18.0000, 27.1492],
        [50.0000, 2.5000, 0.0000, 61.0000, -5.0000, 29.0000, 22.8977],
        [50.0000, 2.5000, 0.0000, 56.0000, -27.0000, -3.0000, 31.9030],
        [50.0000, 2.5000, 0.0000, 58.0000, 24.0000, 15.0000, 19.4535],
        [50.0000, 2.5000, 0.0000, 50.0000, 3.1736, 0.5854, 1.0000],
        [50.0000, 2.5000, 0.0000, 50.0000, 3.2972, 0.0000, 1.0000],
        [50.0000, 2.5000, 0.0000, 50.0000, 1.8634, 0.5757, 1.0000],
        [50.0000, 2.5000, 0.0000, 50.0000, 3.2592, 0.3350, 1.0000],
        [60.2574, -34.0099, 36.2677, 60.4626, -34.1751, 39.4387, 1.2644],
        [63.0109, -31.0961, -5.8663, 62.8187, -29.7946, -4.0864, 1.2630],
        [61.2901, 3.7196, -5.3901, 61.4292, 2.2480, -4.9620, 1.8731],
        [35.0831, -44.1164, 3.7933, 35.0232, -40.0716, 1.5901, 1.8645],
        [22.7233, 20.0904, -46.6940, 23.0331, 14.9730, -42.5619, 2.0373],
        [36.4612, 47.8580, 18.3852, 36.2715, 50.5065, 21.2231, 1.4146],
        [90.8027, -2.0831, 1.4410, 91.1528, -1.6435, 0.0447, 1.4441],
        [90.9257, -0.5406, -0.9208, 88.6381, -0.8985, -0.7239, 1.5381],
        [6.7747, -0.2908, -2.4247, 5.8714, -0.0985, -2.2286, 0.6377],
        [2.0776, 0.0795, -1.1350, 0.9033, -0.0636, -0.5514, 0.9082],
    ]
)

hex_colours = st.integers(0, 0xFFFFFF).map(lambda number: f"#{number:06x}")


def test_delta_e2000_equals_all_published_pairs_in_both_directions() -> None:
    forth = colour.delta_e2000(SHARMA[:, :3], SHARMA[:, 3:6])
    back = colour.delta_e2000(SHARMA[:, 3:6], SHARMA[:, :3])
    np.testing.assert_allclose(forth, SHARMA[:, 6], atol=5e-5)
    np.testing.assert_allclose(back, SHARMA[:, 6], atol=5e-5)


@given(hex_colours, hex_colours)
def test_difference_is_symmetric_finite_and_zero_only_for_equal_colours(one: str, other: str) -> None:
    difference = colour.colour_difference(one, other)
    assert np.isfinite(difference)
    assert difference == pytest.approx(colour.colour_difference(other, one), abs=1e-9)
    assert (difference < 1e-9) == (one == other)


@given(hex_colours)
def test_hex_survives_the_round_trip(text: str) -> None:
    assert colour.to_hex(colour.rgb_of([text])[0]) == text


def test_lab_of_primaries_equals_the_published_values() -> None:
    lab = colour.lab_of(["#ff0000", "#00ff00", "#0000ff", "#ffffff", "#000000"])
    expected = [
        [53.24, 80.09, 67.20],
        [87.73, -86.18, 83.18],
        [32.30, 79.19, -107.86],
        [100, 0, 0],
        [0, 0, 0],
    ]
    np.testing.assert_allclose(lab, expected, atol=0.02)


@pytest.mark.parametrize(
    ("foreground", "background", "ratio"),
    [
        ("#000000", "#ffffff", 21.0),
        ("#ffffff", "#ffffff", 1.0),
        ("#767676", "#ffffff", 4.54),  # the lightest grey that passes AA
        ("#777777", "#ffffff", 4.48),  # and the first that fails
        ("#ff0000", "#ffffff", 4.00),
        ("#0000ff", "#ffffff", 8.59),
    ],
)
def test_contrast_is_that_of_wcag(foreground: str, background: str, ratio: float) -> None:
    assert colour.contrast_ratio(foreground, background) == pytest.approx(ratio, abs=0.005)
    assert colour.contrast_ratio(background, foreground) == pytest.approx(ratio, abs=0.005)


def test_a_translucent_colour_is_laid_over_what_it_stands_on() -> None:
    assert colour.contrast_ratio("#00000000", "#3867ff") == pytest.approx(1.0)
    assert colour.contrast_ratio("#00000080", "#ffffff") == pytest.approx(
        colour.contrast_ratio("#7f7f7f", "#ffffff"), abs=0.02
    )


@pytest.mark.parametrize(
    ("text", "rgba"),
    [
        ("#fff", (255, 255, 255, 255)),
        ("#1a2b", (0x11, 0xAA, 0x22, 0xBB)),
        ("#3867FF", (0x38, 0x67, 0xFF, 255)),
        ("#3867ff80", (0x38, 0x67, 0xFF, 0x80)),
    ],
)
def test_hex_forms(text: str, rgba: tuple[int, int, int, int]) -> None:
    assert colour.parse_hex(text) == rgba
    assert colour.is_hex(text)


@pytest.mark.parametrize("text", ["", "#", "red", "#12345", "#gggggg", "transparent", "#fff;}</style>", "fff"])
def test_anything_else_is_refused_by_name(text: str) -> None:
    assert not colour.is_hex(text)
    with pytest.raises(ValueError, match="not a hex colour"):
        colour.parse_hex(text)
