"""@media and @supports, as Chromium answers them for a screen."""

from __future__ import annotations

import pytest

from extractors.css.media import media, supports


@pytest.mark.parametrize(
    ("query", "applies"),
    [
        ("", True),
        ("screen", True),
        ("print", False),
        ("print, screen", True),
        ("only screen and (max-width: 600px)", False),
        ("only screen and (max-width: 800px)", True),
        ("(min-width: 801px)", False),
        ("screen and (min-width: 480px) and (max-width: 900px)", True),
        ("not print", True),
        ("not screen", False),
        ("not all and (max-width: 600px)", True),
        ("(width >= 600px)", True),
        ("(400px <= width < 800px)", False),
        ("(min-width: 37.5em)", True),
        ("(max-width: 600)", False),
        ("screen and (max-width:600 px)", False),
        ("(prefers-color-scheme: dark)", False),
        ("(prefers-color-scheme: light)", True),
        ("(-webkit-min-device-pixel-ratio: 0)", True),
        ("(min-resolution: 144dpi)", False),
        ("(orientation: landscape)", True),
        ("yahoo", False),
        ("screen yahoo", False),
        ("(bogus)", False),
        ("not (bogus)", False),
        ("(bogus) or (min-width: 1px)", True),
        ("(-ms-high-contrast: none)", False),
        ("(" * 40 + "min-width: 1px" + ")" * 40, False),
    ],
)
def test_media_queries_at_800_pixels(query: str, applies: bool) -> None:
    assert media(query, 800.0) is applies


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("(display: grid)", True),
        ("(display: bogus)", False),
        ("not (display: bogus)", True),
        ("(display: grid) and (color: red)", True),
        ("(display: bogus) or (opacity: 1)", True),
        ("(-webkit-overflow-scrolling: touch)", False),
        ("(-webkit-text-size-adjust: none)", True),
        ("(mso-hide: all)", False),
        ("selector(a > b)", True),
        ("selector(:bogus)", False),
        ("display: grid", False),
        ("", False),
    ],
)
def test_supports(condition: str, holds: bool) -> None:
    assert supports(condition) is holds
