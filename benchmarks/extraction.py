"""Full extraction beside the naive stack (premailer to inline the styles, bs4 to read them), and how it scales.

Both sides turn the same emails, fifteen by fifteen in turn in the same run, into text styles, colour pairs, words,
images and buttons; ours also lays the page out, cuts it into fragments and links them. ``ratio`` compares CPU seconds,
so that a busy machine slows both alike, of the best of some rounds; ``ratio at first sight`` those of the first round,
when no rule, selector or declaration has been met before. ``two workers`` compares wall clocks of whole runs into
Parquet and needs idle cores; ``memory growth`` is the peak of a run over four times as many documents against the peak
of the shorter one.
Needs the extra ``bench`` (premailer) and emails: ``--emails FOLDER``, else the shared data, else the sample corpus.
"""

from __future__ import annotations

import argparse
import gc
import json
import logging
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from bs4 import BeautifulSoup, NavigableString, Tag
from premailer import Premailer
from rich.console import Console
from rich.table import Table

from extractors.extraction import extract
from extractors.sources.sample import SampleOptions, generate
from extractors.writing import Source, write_tables

_MEMORY_DOCUMENTS = 300
_IN_TURN = 15  # emails


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--emails", type=Path, help="folder of .html files")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--memory-of", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    emails = load(arguments.emails)
    if arguments.memory_of:
        print(peak_memory(emails, arguments.memory_of))
        return
    figures = {"emails": len(emails), **one_core(emails, arguments.rounds), **workers(emails, arguments.rounds)}
    figures |= memory(arguments.emails)
    table = Table(box=None)
    table.add_column("measure")
    table.add_column("value", justify="right")
    for name, value in figures.items():
        table.add_row(name, f"{value:,.2f}" if isinstance(value, float) else f"{value:,}")
    Console().print(table)
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


def load(folder: Path | None) -> list[str]:
    """The emails to work on; the real ones if they are there."""
    if folder is None:
        data = Path(os.environ.get("HNN_DATA", Path(__file__).parents[2] / "shared" / "data"))
        folder = data / "emails" / "html"
    files = sorted(folder.rglob("*.html")) if folder.is_dir() else []
    if files:
        return [file.read_text("utf-8", "replace") for file in files]
    return [email.html for email in generate(SampleOptions(emails=100))]


def one_core(emails: Sequence[str], rounds: int) -> dict[str, float]:
    """CPU seconds of both stacks, some emails at a time in turn: the best of each email, summed.

    Some at a time, since a stack's data is in the processor's caches when it goes from email to email, as in a run, and
    not when the other had them last.
    """
    logging.disable(logging.CRITICAL)
    gc.freeze()
    ours = theirs = our_first = their_first = 0.0
    for first in range(0, len(emails), _IN_TURN):
        some = emails[first : first + _IN_TURN]
        turns = [(seconds(lambda html: extract(html, "0"), some), seconds(naive, some)) for _ in range(rounds)]
        ours += sum(min(times) for times in zip(*(turn[0] for turn in turns), strict=True))
        theirs += sum(min(times) for times in zip(*(turn[1] for turn in turns), strict=True))
        our_first, their_first = our_first + sum(turns[0][0]), their_first + sum(turns[0][1])
    logging.disable(logging.NOTSET)
    return {
        "extraction, emails/s": len(emails) / ours,
        "premailer + bs4, emails/s": len(emails) / theirs,
        "ratio": theirs / ours,
        "ratio at first sight": their_first / our_first,
    }


def seconds(function: Callable[[str], object], emails: Sequence[str]) -> list[float]:
    gc.collect()  # the trees of bs4 are rings of garbage: neither stack is to clean up after the other
    taken = []
    for html in emails:
        start = time.process_time()
        function(html)
        taken.append(time.process_time() - start)
    return taken


def naive(html: str) -> dict[str, Counter[str]]:
    """What one writes first: inline the style sheets, then read each element's own and inherited declarations."""
    inlined = Premailer(
        html, disable_validation=True, allow_network=False, cssutils_logging_level=logging.CRITICAL
    ).transform()
    soup = BeautifulSoup(inlined, "html.parser")
    found: dict[str, Counter[str]] = {name: Counter() for name in ("text", "pair", "word", "image", "button")}
    for node in soup.find_all(string=True):
        text = node.strip()
        if type(node) is not NavigableString or not text or node.parent is None:
            continue
        style = inherited(node.parent)
        size, colour = style.get("font-size", "16px"), style.get("color", "#000000")
        found["text"][f"{size} {colour}"] += 1
        found["pair"][f"{style.get('background-color', '#ffffff')} {colour}"] += 1
        found["word"].update(re.findall(r"[a-z]{2,}", text.lower()))
    for image in soup.find_all("img"):
        found["image"][str(image.get("src"))] += 1
    for link in soup.find_all("a"):
        own = declarations(link)
        if "background-color" in own or "background" in own:
            found["button"][" ".join(own.get(name, "") for name in ("background-color", "border-radius"))] += 1
    return found


def inherited(tag: Tag | None) -> dict[str, str]:
    style: dict[str, str] = {}
    while tag is not None:
        for name, value in declarations(tag).items():
            style.setdefault(name, value)
        tag = tag.parent
    return style


def declarations(tag: Tag) -> dict[str, str]:
    pairs = (part.partition(":") for part in str(tag.get("style") or "").split(";"))
    return {name.strip().lower(): value.strip() for name, _, value in pairs if value}


def workers(emails: Sequence[str], rounds: int) -> dict[str, float]:
    """Wall clock of a run into Parquet with one worker and with two, in turn: the best of each."""
    best = {1: float("inf"), 2: float("inf")}
    for _ in range(rounds):
        for count in best:
            with tempfile.TemporaryDirectory() as folder:
                start = time.perf_counter()
                write_tables(Path(folder), documents(emails, 4 * len(emails)), workers=count)
                best[count] = min(best[count], time.perf_counter() - start)
    return {"two workers": best[1] / best[2]}


def documents(emails: Sequence[str], count: int) -> list[Source]:
    """``count`` documents that differ, if only in their ids."""
    return [Source(f"{k:016x}", str(k), partial(emails.__getitem__, k % len(emails))) for k in range(count)]


def memory(folder: Path | None) -> dict[str, float]:
    def peak(count: int) -> float:
        command = [sys.executable, __file__, "--memory-of", str(count)]
        command += ["--emails", str(folder)] if folder else []
        return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

    short, long = peak(_MEMORY_DOCUMENTS), peak(4 * _MEMORY_DOCUMENTS)
    return {"peak MiB": short, "peak MiB, four times the documents": long, "memory growth": long / short}


def peak_memory(emails: Sequence[str], count: int) -> float:
    import resource

    with tempfile.TemporaryDirectory() as folder:
        write_tables(Path(folder), documents(emails, count))
    usage: Any = [resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return float(sum(usage) / 1024)


if __name__ == "__main__":
    main()
