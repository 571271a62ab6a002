"""Near-duplicates are what a designer would take for the same style, and nothing else."""

from hypothesis import given
from hypothesis import strategies as st
from page_corpus import COLOURS, entry

from flows.pages.duplicates import NEAR_COLOUR, merges, near_colours, near_duplicates
from hnn_core.colour import colour_difference


def text(colour: str, size: str = "16px", uses: int = 1):  # type: ignore[no-untyped-def]
    return entry("text-style", f"font-size:{size};color:{colour}", uses)


def button(background: str, radius: str = "8px", size: str = "16px", uses: int = 1):  # type: ignore[no-untyped-def]
    return entry("button-style", f"background:{background};radius:{radius};color:#ffffff;font-size:{size}", uses)


def test_the_more_used_style_stays_and_the_saving_is_counted() -> None:
    [merge] = near_duplicates([text("#333333", uses=90), text("#343434", uses=4), text("#323232", uses=3)])
    assert merge.keep.uses == 90
    assert {near.entry.style.color for near in merge.absorb} == {"#343434", "#323232"}  # type: ignore[union-attr]
    assert (merge.saves, merge.changes) == (2, 7)
    assert all(0 < near.delta_e < 1 and near.delta_px == 0 for near in merge.absorb)


def test_what_to_look_for_is_named() -> None:
    [merge] = near_duplicates(
        [button("#111111", uses=9), button("#121111", radius="9px"), button("#111111", size="15px")]
    )
    assert sorted((near.colours, near.measures) for near in merge.absorb) == [
        ((), ("15 px",)),
        (("#121111",), ("radius 9",)),
    ]


def test_a_pixel_more_is_near_two_are_not() -> None:
    assert near_duplicates([button("#111111"), button("#111111", radius="9px")])
    assert near_duplicates([button("#111111"), button("#111111", size="15px")])
    assert not near_duplicates([button("#111111"), button("#111111", radius="10px")])
    assert not near_duplicates([button("#111111", radius="8px"), button("#111111", radius="8%")])


def test_clearly_different_colours_stay_apart() -> None:
    assert not near_duplicates([text("#333333"), text("#555555")])
    assert not near_duplicates([button("#c2185b"), button("#0b6e4f")])


def test_chains_of_grey_do_not_collapse_into_one() -> None:
    greys = [text(f"#{level:02x}{level:02x}{level:02x}") for level in range(0x40, 0x70, 2)]
    found = near_duplicates(greys)
    assert len(found) > 3
    for merge in found:
        for near in merge.absorb:
            assert near.delta_e <= NEAR_COLOUR


def test_no_fill_is_not_a_white_fill() -> None:
    white, clear = (
        entry("button-style", f"background:{background};radius:4px;color:#000000;font-size:16px")
        for background in ("#ffffff", "transparent")
    )
    assert not near_duplicates([white, clear])
    assert not near_duplicates([entry("color-pair", f"background:#ffffff;color:#000000{a}") for a in ("80", "c0")])


def test_two_senders_may_have_two_greys() -> None:
    own = {"a": {"text-style": [text("#333333")]}, "b": {"text-style": [text("#343434")]}}
    assert not any(merges(own).values())
    own["b"]["text-style"].append(text("#333333"))
    [merge] = merges(own)["text-style"]
    assert merge.sender == "b"


# Blues are where ΔE₀₀ and distance in Lab differ most.
BLUES = st.integers(0xF0, 0xFF).map(lambda blue: f"#0505{blue:02x}")


@given(st.lists(COLOURS | BLUES, max_size=12))
def test_the_search_misses_no_near_colour(names: list[str]) -> None:
    near = near_colours(text(name) for name in names)
    for one in names:
        for other in names:
            expected = one == other or colour_difference(one, other) <= NEAR_COLOUR
            assert (other in near[one]) == expected
