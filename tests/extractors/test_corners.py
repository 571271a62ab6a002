"""The corners of an email's boxes are told from those of its buttons."""

from __future__ import annotations

import pytest

from extractors.document import Document
from extractors.fragments import segment

CARD = (
    '<div style="width:200px;background:#eee;border-radius:8px">'
    '<span style="background:#c00;color:#fff;border-radius:20px;padding:2px 8px">New</span><p>Linen shirts</p></div>'
)
BUTTON = (
    '<table><tr><td style="background:#0a5;border-radius:{0}px">'
    '<a href="#" style="padding:12px 30px;color:#fff;border-radius:{0}px">Shop now</a></td></tr></table>'
)


def corners(html: str) -> set[int]:
    fragments = segment(Document.from_html(f"<!doctype html><body>{html}</body>")).fragments
    assert fragments
    return {radius for fragment in fragments for radius in fragment.corners}


def test_cards_and_badges_have_corners() -> None:
    assert corners(CARD) == {8, 20}


@pytest.mark.parametrize("around", ["{}", '<div style="width:200px;border-radius:11px">{}</div>'])
@pytest.mark.parametrize("radius", [0, 3, 33])
def test_what_only_buttons_draw_is_no_corner(radius: int, around: str) -> None:
    button = around.format(BUTTON.format(radius))
    assert segment(Document.from_html(button)).buttons
    assert corners(CARD + button) == {8, 20}


@pytest.mark.parametrize(
    "html",
    [
        '<div style="width:600px;background:#eee;border-radius:16px"><p>The sheet of a letter</p></div>',
        '<div style="width:40px;height:40px;background:#eee;border-radius:20px">42</div>',
        '<img src="face.png" width="80" style="border-radius:50%" alt="">',
        '<div style="width:200px;border-radius:0"><p>A square box</p></div>',
    ],
)
def test_sheets_circles_and_square_boxes_say_nothing_about_a_buttons_corner(html: str) -> None:
    assert not corners(html)
