"""Neighbours are what lies immediately below and beside, whatever the order the boxes come in."""

from __future__ import annotations

import random
import time

from hypothesis import given
from hypothesis import strategies as st

from extractors.neighbours import Edges, below, beside


def test_a_full_width_section_has_every_column_of_the_next_row_below_it() -> None:
    page: list[Edges] = [
        (0, 0, 600, 100),
        (0, 100, 200, 300),
        (200, 100, 400, 300),
        (400, 100, 600, 300),
        (0, 300, 600, 350),
    ]
    assert below(page) == [(0, 1), (0, 2), (0, 3), (1, 4), (2, 4), (3, 4)]
    assert beside(page) == [(1, 2), (2, 3)]


def test_what_lies_between_hides_what_is_behind_it() -> None:
    stack: list[Edges] = [(0, 0, 600, 100), (0, 100, 600, 200), (0, 200, 600, 300)]
    assert below(stack) == [(0, 1), (1, 2)]


def test_a_long_column_stands_beside_all_of_a_stack() -> None:
    page: list[Edges] = [(0, 0, 300, 100), (0, 100, 300, 200), (300, 0, 600, 200)]
    assert beside(page) == [(0, 2), (1, 2)]
    assert below(page) == [(0, 1)]


def test_exactly_half_is_not_enough_and_is_not_linked_past_its_row() -> None:
    title: Edges = (0, 0, 600, 50)
    two: list[Edges] = [(0, 50, 300, 100), (300, 50, 600, 100)]
    three: list[Edges] = [(0, 100, 200, 150), (200, 100, 400, 150), (400, 100, 600, 150)]
    assert below([title, *two, *three]) == [(0, 1), (0, 2), (1, 3), (2, 5)]


def test_boxes_may_run_into_each_other_a_little() -> None:
    assert below([(0, 0, 600, 110), (0, 100, 600, 200)]) == [(0, 1)]
    assert below([(0, 0, 600, 200), (0, 100, 600, 300)]) == []


edges = st.builds(
    lambda x, y, w, h: (float(x), float(y), float(x + w), float(y + h)),
    st.integers(0, 50),
    st.integers(0, 50),
    st.integers(1, 30),
    st.integers(1, 30),
)


@given(st.lists(edges, max_size=12, unique=True), st.randoms(use_true_random=False))
def test_the_order_of_the_boxes_does_not_matter(page: list[Edges], shuffler: random.Random) -> None:
    order = list(range(len(page)))
    shuffler.shuffle(order)
    shuffled = [page[k] for k in order]

    def named(pairs: list[tuple[int, int]], names: list[Edges]) -> set[tuple[Edges, Edges]]:
        return {(names[a], names[b]) for a, b in pairs}

    assert named(below(page), page) == named(below(shuffled), shuffled)
    assert named(beside(page), page) == named(beside(shuffled), shuffled)


@given(st.lists(edges, max_size=12))
def test_below_and_beside_exchange_with_the_axes_and_never_loop(page: list[Edges]) -> None:
    turned = [(y0, x0, y1, x1) for x0, y0, x1, y1 in page]
    assert below(turned) == beside(page)
    pairs = set(below(page))
    assert not any((b, a) in pairs for a, b in pairs)


def test_thousands_of_fragments_take_no_more_than_seconds() -> None:
    grid: list[Edges] = [(x * 10.0, y * 10.0, x * 10 + 9.0, y * 10 + 9.0) for y in range(500) for x in range(10)]
    start = time.process_time()
    assert len(below(grid)) == 499 * 10
    assert len(beside(grid)) == 500 * 9
    assert time.process_time() - start < 20
