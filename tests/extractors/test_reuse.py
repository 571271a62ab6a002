"""Whatever earlier result rows are copied from, the tables have the bytes of an extraction of everything."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from extractors.sources.sample import SampleOptions, generate
from extractors.writing import SCHEMAS, Counts, Source, write_tables

EMAILS = 90
FRESH = tuple(range(EMAILS))
HTML = [email.html for email in generate(SampleOptions(emails=EMAILS, seed=5))]
HTML[17] = ""  # rejected: nothing to see


def tables_of(folder: Path, numbers: tuple[int, ...], previous: Path | None = None) -> Counts:
    sources = [Source(f"{number:016x}", f"mail-{number}", HTML[number].__str__) for number in numbers]
    return write_tables(folder, sources, workers=1, previous=previous)


@pytest.fixture(scope="module")
def extracted(tmp_path_factory: pytest.TempPathFactory) -> Callable[[tuple[int, ...]], Path]:
    known: dict[tuple[int, ...], Path] = {}

    def folder(numbers: tuple[int, ...]) -> Path:
        if numbers not in known:
            known[numbers] = tmp_path_factory.mktemp("extracted")
            tables_of(known[numbers], numbers)
        return known[numbers]

    return folder


@pytest.mark.parametrize(
    ("earlier", "now", "at_least"),
    [
        (FRESH[:70], FRESH, 70),  # new ones at the end
        (FRESH, FRESH[10:80], 40),  # some gone: first uses move to documents that are extracted again
        (FRESH[::2], FRESH, 30),  # new ones in between
        (FRESH, FRESH[::-1], 0),  # another order
        (FRESH, FRESH, EMAILS),
    ],
    ids=["appended", "removed", "interleaved", "reversed", "same"],
)
def test_copied_rows_are_those_of_a_fresh_extraction(
    earlier: tuple[int, ...],
    now: tuple[int, ...],
    at_least: int,
    extracted: Callable[[tuple[int, ...]], Path],
    tmp_path: Path,
) -> None:
    counts = tables_of(tmp_path, now, previous=extracted(earlier))
    assert counts.reused >= at_least
    assert counts.documents == len(now)
    for name in SCHEMAS:
        assert (tmp_path / f"{name}.parquet").read_bytes() == (extracted(now) / f"{name}.parquet").read_bytes(), name
