"""Ask Chromium about the golden pages again and keep its answers: ``python tests/extractors/write_golden.py``."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent.parent), str(Path(__file__).parent.parent.parent)]

from chromium import Chromium  # noqa: E402
from style_oracle import ask  # noqa: E402

GOLDEN = Path(__file__).parent / "golden"

if __name__ == "__main__":
    with Chromium() as chromium:
        page = chromium.page()
        for source in sorted(GOLDEN.glob("*.html")):
            ask(page, source.read_text(encoding="utf-8")).save(source.with_suffix(".json"))
            print(source.name)
